// Python's questions to the tree dynamics: forward and inverse kinematics, Jacobian, mass matrix H(q), bias and gravity
// forces.
// Arrays of q and qd are the model's layouts [joint_coord_count] and [joint_dof_count]; results by articulation are
// [articulation_count, rows, columns] and padded with zeros to the largest articulation, as in Newton.
// Everything is computed in double precision by room dynamics and narrowed to the model's Real at the end.
// Sizes and indices are checked first: room dynamics trusts them.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>

#include "mechane/collision/pipeline.h"
#include "mechane/dynamics/articulation_arrays.h"
#include "mechane/dynamics/energy.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/dynamics/mass_matrix.h"
#include "python/arrays.h"
#include "python/errors.h"
#include "python/indices.h"
#include "python/module.h"
#include "python/values.h"

namespace mechane::python {

namespace {

using dynamics::JointSpace;
using model::Model;
using model::State;

void check_sizes(const Model& m, const State& s)
{
    check_indices(m);
    if (s.body_q.size() != m.body_count() || s.joint_q.size() != m.joint_coord_count() ||
        s.joint_qd.size() != m.joint_dof_count())
        throw nb::value_error("state: of another model");
}
void check_joints(const Model& m, std::size_t q, std::size_t qd)
{
    check_indices(m);
    if (q != m.joint_coord_count()) throw nb::value_error("joint_q: expected joint_coord_count numbers");
    if (qd != m.joint_dof_count()) throw nb::value_error("joint_qd: expected joint_dof_count numbers");
}

struct Chosen {
    std::optional<BytesIn>            mask;
    std::optional<IntsIn>             indices;
    std::optional<BytesIn>            joint_mask;
    // Spans into the arrays of this object: it must outlive what is called with the selection.
    [[nodiscard]] dynamics::Selection selection(std::int32_t body_flags) const
    {
        dynamics::Selection s;
        if (mask) s.articulation_mask = span_of(*mask);
        if (indices) s.articulation_indices = span_of(*indices);
        if (joint_mask) s.joint_mask = span_of(*joint_mask);
        s.body_flag_filter = body_flags;
        return s;
    }
};

void check_indices(const Model& m, const Chosen& chosen)
{
    if (chosen.indices)
        for (const std::int32_t i : span_of(*chosen.indices))
            if (i < 0 || i >= static_cast<std::int32_t>(m.articulation_count()))
                throw nb::index_error("indices: no such articulation");
    if (chosen.joint_mask && chosen.joint_mask->size() != m.joint_count())
        throw nb::value_error("joint_mask: expected joint_count flags");
}

std::vector<Real> narrowed(const std::vector<double>& values)
{
    std::vector<Real> out(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) out[i] = static_cast<Real>(values[i]);
    return out;
}

nb::object to_python(const dynamics::ArticulationArray& a, std::size_t count)
{ return owned(narrowed(a.values), {count, a.rows, a.columns}); }

/// Generalized forces of all trees in the model's dof layout [articulation_count, max_dofs_per_articulation]. Those of
/// free joints are wrenches about the centre of mass, world axes, as `joint_f` has them.
/// Forces come by the forest's trees, and a tree need not be an articulation: floating bodies without a joint are trees
/// as well (joint = -1, passed over), and a forest orders dofs by links, not by joints. The forces are therefore sorted
/// into the model's dofs first and cut into articulations afterwards.
template <class Force>
std::vector<Real> articulation_forces(const Model& m, const State& s, std::span<const std::uint8_t> mask, Force force)
{
    JointSpace space(m);
    space.set_state(s);
    std::vector<double>              by_dof(m.joint_dof_count());
    const dynamics::Forest&          f = space.forest();
    std::vector<std::vector<double>> of_tree(f.trees.size());
    for (std::size_t t = 0; t < f.trees.size(); ++t) of_tree[t] = force(space, static_cast<std::int32_t>(t));
    dynamics::load_carriers(m, space, of_tree);
    for (std::size_t t = 0; t < f.trees.size(); ++t) {
        const dynamics::Tree&      tree = f.trees[t];
        const std::vector<double>& tau  = of_tree[t];
        for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
            const dynamics::Link& link = f.links[static_cast<std::size_t>(l)];
            const double*         own  = tau.data() + (link.dof - tree.dof_begin);
            if (link.free) {
                if (link.joint < 0) continue;
                std::copy_n(own, 6, by_dof.data() + m.joint_qd_start[static_cast<std::size_t>(link.joint)]);
            } else {
                for (std::int32_t k = 0; k < link.dofs; ++k) {
                    const std::int32_t dof = f.model_dof[static_cast<std::size_t>(link.dof + k)];
                    if (dof >= 0) by_dof[static_cast<std::size_t>(dof)] = own[k];
                }
            }
        }
    }
    const auto        most = static_cast<std::size_t>(m.max_dofs_per_articulation);
    std::vector<Real> out(m.articulation_count() * most);
    for (std::size_t a = 0; a < m.articulation_count(); ++a) {
        if (!mask.empty() && mask[a] == 0) continue;
        const auto begin =
            static_cast<std::size_t>(m.joint_qd_start[static_cast<std::size_t>(m.articulation_start[a])]);
        const auto end = static_cast<std::size_t>(m.joint_qd_start[static_cast<std::size_t>(m.articulation_end[a])]);
        for (std::size_t k = begin; k < end; ++k) out[a * most + (k - begin)] = static_cast<Real>(by_dof[k]);
    }
    return out;
}

void check_mask(const Model& m, const std::optional<BytesIn>& mask)
{
    if (mask && mask->size() != m.articulation_count())
        throw nb::value_error("mask: expected articulation_count flags");
}

std::span<const std::uint8_t> flags(const std::optional<BytesIn>& mask)
{ return mask ? span_of(*mask) : std::span<const std::uint8_t>{}; }

}  // namespace

void bind_dynamics(nb::module_& m)
{
    m.def(
        "eval_fk",
        [](const Model& model, const RealsIn& q, const RealsIn& qd, State& state, std::optional<BytesIn> mask,
           std::optional<IntsIn> indices, std::int32_t body_flags, std::optional<BytesIn> joint_mask) {
            check_joints(model, q.size(), qd.size());
            if (state.body_q.size() != model.body_count()) throw nb::value_error("state: of another model");
            const Chosen chosen{std::move(mask), std::move(indices), std::move(joint_mask)};
            check_indices(model, chosen);
            const nb::gil_scoped_release released;
            unwrap(dynamics::eval_fk(model, span_of(q), span_of(qd), state, chosen.selection(body_flags)));
        },
        nb::arg("model"), nb::arg("joint_q"), nb::arg("joint_qd"), nb::arg("state"), nb::arg("mask").none(),
        nb::arg("indices").none(), nb::arg("body_flags"), nb::arg("joint_mask").none());
    m.def(
        "eval_ik",
        [](const Model& model, const State& state, const RealsOut& q, const RealsOut& qd, std::optional<BytesIn> mask,
           std::optional<IntsIn> indices, std::int32_t body_flags) {
            check_joints(model, q.size(), qd.size());
            check_sizes(model, state);
            const Chosen chosen{std::move(mask), std::move(indices), {}};
            check_indices(model, chosen);
            const nb::gil_scoped_release released;
            unwrap(dynamics::eval_ik(model, state, span_of(q), span_of(qd), chosen.selection(body_flags)));
        },
        nb::arg("model"), nb::arg("state"), nb::arg("joint_q"), nb::arg("joint_qd"), nb::arg("mask").none(),
        nb::arg("indices").none(), nb::arg("body_flags"));
    m.def("eval_mimic", [](const Model& model, const RealsOut& q, const RealsOut& qd) {
        check_joints(model, q.size(), qd.size());
        dynamics::eval_mimic(model, span_of(q), span_of(qd));
    });
    m.def(
        "eval_jacobian",
        [](const Model& model, const State& state, std::optional<BytesIn> mask) {
            check_sizes(model, state);
            check_mask(model, mask);
            return to_python(unwrap(dynamics::eval_jacobian(model, state, flags(mask))), model.articulation_count());
        },
        nb::arg("model"), nb::arg("state"), nb::arg("mask").none());
    m.def(
        "eval_mass_matrix",
        [](const Model& model, const State& state, std::optional<BytesIn> mask) {
            check_sizes(model, state);
            check_mask(model, mask);
            return to_python(unwrap(dynamics::eval_mass_matrix(model, state, flags(mask))), model.articulation_count());
        },
        nb::arg("model"), nb::arg("state"), nb::arg("mask").none());
    const auto forces = [&m](const char* name, auto force) {
        m.def(
            name,
            [force](const Model& model, const State& state, std::optional<BytesIn> mask) {
                check_sizes(model, state);
                check_mask(model, mask);
                return owned(articulation_forces(
                                 model, state, flags(mask),
                                 [&](JointSpace& space, std::int32_t tree) { return force(model, space, tree); }),
                             {model.articulation_count(), static_cast<std::size_t>(model.max_dofs_per_articulation)});
            },
            nb::arg("model"), nb::arg("state"), nb::arg("mask").none());
    };
    forces("gravity_force",
           [](const Model&, JointSpace& space, std::int32_t tree) { return space.gravity_force(tree); });
    forces("coriolis_force", dynamics::velocity_force);
    m.def("energy", [](const Model& model, const State& state) {
        check_sizes(model, state);
        const dynamics::Energy e = dynamics::energy(model, state);
        nb::dict               out;
        out["kinetic"]   = e.kinetic;
        out["armature"]  = e.armature;
        out["potential"] = e.potential;
        out["elastic"]   = e.elastic;
        out["total"]     = e.total();
        return out;
    });
    m.def("momentum", [](const Model& model, const State& state) {
        check_sizes(model, state);
        return nb::make_tuple(to_python(dynamics::linear_momentum(model, state)),
                              to_python(dynamics::angular_momentum(model, state)));
    });
    m.def("project_to_joints", [](const Model& model, State& state) {
        check_sizes(model, state);
        const dynamics::Projection p = dynamics::project_to_joints(model, state);
        return nb::make_tuple(p.linear, p.angular, p.body);
    });
}

}  // namespace mechane::python

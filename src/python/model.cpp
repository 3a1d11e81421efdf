// Python's Model, State and Control: every array under its C++ name as a NumPy view of the same memory.
// The tables name the arrays once; `array(name)`, the list of names and the facade's attributes follow from them.
// Shapes are [n], [n, 3], [n, 4], [n, 7] (pose: x y z qx qy qz qw) and [n, 6] (spatial: linear, angular).
// A view keeps its owner alive. It stays valid because these vectors never change their size after finalize.
// Frames and units are those of model/model.h.

#include "mechane/model/model.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "mechane/core/hash.h"
#include "mechane/model/state.h"
#include "python/arrays.h"
#include "python/errors.h"
#include "python/module.h"

namespace mechane::python {

namespace {

using model::Control;
using model::CustomArray;
using model::CustomArrays;
using model::Model;
using model::State;

template <class Object>
struct ArrayRow {
    const char* name;
    nb::object (*view)(Object&, nb::handle owner);
};

/// A vector of the object under its own name.
#define MCH_ROW(Object, name)                                                  \
    ArrayRow<Object>                                                           \
    {                                                                          \
        #name, [](Object& o, nb::handle owner) { return view(o.name, owner); } \
    }

constexpr ArrayRow<Model> kModelArrays[] = {
    MCH_ROW(Model, body_q),
    MCH_ROW(Model, body_qd),
    MCH_ROW(Model, body_com),
    MCH_ROW(Model, body_inertia),
    MCH_ROW(Model, body_inv_inertia),
    MCH_ROW(Model, body_mass),
    MCH_ROW(Model, body_inv_mass),
    MCH_ROW(Model, body_flags),
    MCH_ROW(Model, body_world),
    MCH_ROW(Model, joint_type),
    MCH_ROW(Model, joint_parent),
    MCH_ROW(Model, joint_child),
    MCH_ROW(Model, joint_ancestor),
    MCH_ROW(Model, joint_X_p),
    MCH_ROW(Model, joint_X_c),
    MCH_ROW(Model, joint_enabled),
    MCH_ROW(Model, joint_dof_dim),
    MCH_ROW(Model, joint_articulation),
    MCH_ROW(Model, joint_mimic_joint),
    MCH_ROW(Model, joint_mimic_coeffs),
    MCH_ROW(Model, joint_world),
    MCH_ROW(Model, joint_q_start),
    MCH_ROW(Model, joint_qd_start),
    MCH_ROW(Model, joint_break_force),
    MCH_ROW(Model, joint_break_torque),
    MCH_ROW(Model, joint_cone_limit),
    MCH_ROW(Model, joint_q),
    MCH_ROW(Model, joint_target_q),
    MCH_ROW(Model, joint_rest_q),
    MCH_ROW(Model, joint_qd),
    MCH_ROW(Model, joint_target_qd),
    MCH_ROW(Model, joint_f),
    MCH_ROW(Model, joint_act),
    MCH_ROW(Model, joint_axis),
    MCH_ROW(Model, joint_armature),
    MCH_ROW(Model, joint_friction),
    MCH_ROW(Model, joint_damping),
    MCH_ROW(Model, joint_stiffness),
    MCH_ROW(Model, joint_target_ke),
    MCH_ROW(Model, joint_target_kd),
    MCH_ROW(Model, joint_target_mode),
    MCH_ROW(Model, joint_limit_lower),
    MCH_ROW(Model, joint_limit_upper),
    MCH_ROW(Model, joint_limit_ke),
    MCH_ROW(Model, joint_limit_kd),
    MCH_ROW(Model, joint_effort_limit),
    MCH_ROW(Model, joint_velocity_limit),
    MCH_ROW(Model, shape_type),
    MCH_ROW(Model, shape_body),
    MCH_ROW(Model, shape_transform),
    MCH_ROW(Model, shape_scale),
    MCH_ROW(Model, shape_flags),
    MCH_ROW(Model, shape_is_solid),
    MCH_ROW(Model, shape_margin),
    MCH_ROW(Model, shape_gap),
    MCH_ROW(Model, shape_material_ke),
    MCH_ROW(Model, shape_material_kd),
    MCH_ROW(Model, shape_material_kf),
    MCH_ROW(Model, shape_material_ka),
    MCH_ROW(Model, shape_material_kh),
    MCH_ROW(Model, shape_material_mu),
    MCH_ROW(Model, shape_material_mu_static),
    MCH_ROW(Model, shape_material_mu_torsional),
    MCH_ROW(Model, shape_material_mu_rolling),
    MCH_ROW(Model, shape_material_restitution),
    MCH_ROW(Model, shape_friction_combine),
    MCH_ROW(Model, shape_restitution_combine),
    MCH_ROW(Model, shape_surface_velocity),
    MCH_ROW(Model, shape_collision_group),
    MCH_ROW(Model, shape_collision_radius),
    MCH_ROW(Model, shape_collision_aabb_lower),
    MCH_ROW(Model, shape_collision_aabb_upper),
    MCH_ROW(Model, shape_world),
    MCH_ROW(Model, shape_color),
    MCH_ROW(Model, shape_opacity),
    MCH_ROW(Model, articulation_start),
    MCH_ROW(Model, articulation_end),
    MCH_ROW(Model, articulation_world),
    MCH_ROW(Model, particle_q),
    MCH_ROW(Model, particle_qd),
    MCH_ROW(Model, particle_mass),
    MCH_ROW(Model, particle_inv_mass),
    MCH_ROW(Model, particle_radius),
    MCH_ROW(Model, particle_flags),
    MCH_ROW(Model, particle_world),
    MCH_ROW(Model, particle_colors),
    MCH_ROW(Model, spring_indices),
    MCH_ROW(Model, spring_rest_length),
    MCH_ROW(Model, spring_stiffness),
    MCH_ROW(Model, spring_damping),
    MCH_ROW(Model, spring_control),
    MCH_ROW(Model, tri_indices),
    // Four numbers of a 2x2 matrix, row by row, shown as such.
    {"tri_poses",
     [](Model& m, nb::handle owner) {
         return view(m.tri_poses.empty() ? nullptr : m.tri_poses.front().data(), {m.tri_poses.size(), 2, 2}, owner);
     }},
    MCH_ROW(Model, tri_areas),
    MCH_ROW(Model, tri_materials),
    MCH_ROW(Model, tri_activations),
    MCH_ROW(Model, tri_color),
    MCH_ROW(Model, tri_opacity),
    MCH_ROW(Model, edge_indices),
    MCH_ROW(Model, edge_rest_angle),
    MCH_ROW(Model, edge_rest_length),
    MCH_ROW(Model, edge_bending_properties),
    MCH_ROW(Model, tet_indices),
    MCH_ROW(Model, tet_poses),
    MCH_ROW(Model, tet_materials),
    MCH_ROW(Model, tet_activations),
    MCH_ROW(Model, attachment_particle_body_body),
    MCH_ROW(Model, attachment_particle_body_particle),
    MCH_ROW(Model, attachment_particle_body_body_point),
    MCH_ROW(Model, attachment_particle_body_stiffness),
    MCH_ROW(Model, attachment_particle_body_damping),
    MCH_ROW(Model, attachment_particle_body_enabled),
    MCH_ROW(Model, attachment_particle_body_world),
    MCH_ROW(Model, gravity),
    MCH_ROW(Model, body_world_start),
    MCH_ROW(Model, shape_world_start),
    MCH_ROW(Model, joint_world_start),
    MCH_ROW(Model, articulation_world_start),
    MCH_ROW(Model, joint_dof_world_start),
    MCH_ROW(Model, joint_coord_world_start),
    MCH_ROW(Model, particle_world_start),
};

constexpr ArrayRow<State> kStateArrays[] = {
    MCH_ROW(State, body_q),   MCH_ROW(State, body_qd),    MCH_ROW(State, body_f),      MCH_ROW(State, joint_q),
    MCH_ROW(State, joint_qd), MCH_ROW(State, particle_q), MCH_ROW(State, particle_qd), MCH_ROW(State, particle_f),
};

constexpr ArrayRow<Control> kControlArrays[] = {
    MCH_ROW(Control, joint_target_q),  MCH_ROW(Control, joint_target_qd), MCH_ROW(Control, joint_f),
    MCH_ROW(Control, joint_act),       MCH_ROW(Control, body_target_q),   MCH_ROW(Control, tri_activations),
    MCH_ROW(Control, tet_activations),
};

#undef MCH_ROW

template <class Object, std::size_t n>
nb::object array_of(const ArrayRow<Object> (&rows)[n], Object& object, const std::string& name, nb::handle owner)
{
    for (const ArrayRow<Object>& row : rows)
        if (name == row.name) return row.view(object, owner);
    throw nb::attribute_error(name.c_str());
}
template <class Object, std::size_t n>
nb::list names_of(const ArrayRow<Object> (&rows)[n])
{
    nb::list out;
    for (const ArrayRow<Object>& row : rows) out.append(nb::str(row.name));
    return out;
}

/// Custom arrays have a type that the program chose; a variant keeps them, so the view is made by its alternative.
nb::object custom_array(CustomArrays& arrays, const std::string& key, nb::handle owner)
{
    CustomArray* const found = arrays.find(key);
    if (found == nullptr) throw nb::attribute_error(key.c_str());
    return std::visit([&](auto& values) { return view(values, owner); }, found->data);
}

nb::list custom_keys(const CustomArrays& arrays)
{
    nb::list out;
    for (const CustomArray& a : arrays.arrays)
        out.append(nb::make_tuple(a.key, std::string(to_string(a.type)), std::string(to_string(a.frequency)),
                                  std::string(to_string(a.assignment))));
    return out;
}

template <class T>
void mix(std::uint64_t& seed, const std::vector<T>& values)
{ seed = hash_span(std::span<const T>(values), seed); }

/// The hash of a state for tests of reproducibility: equal bits give equal hashes. The order of the arrays is part of
/// its definition. It leaves out time and forces.
std::uint64_t state_hash(const State& s)
{
    std::uint64_t seed = 0;
    mix(seed, s.body_q);
    mix(seed, s.body_qd);
    mix(seed, s.joint_q);
    mix(seed, s.joint_qd);
    if (!s.particle_q.empty()) {  // states without any keep the hash that is written down elsewhere
        mix(seed, s.particle_q);
        mix(seed, s.particle_qd);
    }
    return seed;
}

/// Every binding that hands out views takes `self` as a handle, so that the views can own it.
template <class Object>
Object& self_as(nb::handle self)
{ return nb::cast<Object&>(self); }

}  // namespace

void bind_model(nb::module_& m)
{
    nb::class_<Model>(m, "Model")
        .def("array", [](nb::handle         self,
                         const std::string& name) { return array_of(kModelArrays, self_as<Model>(self), name, self); })
        .def("custom",
             [](nb::handle self, const std::string& key) {
                 return custom_array(self_as<Model>(self).custom_arrays, key, self);
             })
        .def("custom_keys", [](const Model& m_) { return custom_keys(m_.custom_arrays); })
        .def_ro("up_axis", &Model::up_axis)
        .def_ro("world_count", &Model::world_count)
        .def_ro("body_label", &Model::body_label)
        .def_ro("joint_label", &Model::joint_label)
        .def_ro("shape_label", &Model::shape_label)
        .def_ro("articulation_label", &Model::articulation_label)
        .def_ro("body_shapes", &Model::body_shapes)
        .def_ro("static_shapes", &Model::static_shapes)
        .def_ro("shape_collision_filter_pairs", &Model::shape_collision_filter_pairs)
        .def_ro("max_joints_per_articulation", &Model::max_joints_per_articulation)
        .def_ro("max_dofs_per_articulation", &Model::max_dofs_per_articulation)
        .def("shape_source",
             [](const Model& self, std::size_t shape) {
                 if (shape >= self.shape_count()) throw nb::index_error("shape out of range");
                 return std::const_pointer_cast<geometry::Mesh>(self.shape_source[shape]);
             })
        .def_static("array_names", [] { return names_of(kModelArrays); });

    nb::class_<State>(m, "State")
        .def(nb::new_([](const Model& of) { return model::make_state(of); }))
        .def("array", [](nb::handle         self,
                         const std::string& name) { return array_of(kStateArrays, self_as<State>(self), name, self); })
        .def("custom",
             [](nb::handle self, const std::string& key) {
                 return custom_array(self_as<State>(self).custom_arrays, key, self);
             })
        .def("custom_keys", [](const State& s) { return custom_keys(s.custom_arrays); })
        .def("assign",
             [](State& self, const State& other) {
                 if (!model::same_layout(self, other)) throw nb::value_error("other has arrays of other sizes");
                 self = other;
             })
        .def("copy", [](const State& self) { return State(self); })
        .def("clear_forces", [](State& self) { model::clear_forces(self); })
        .def("hash", &state_hash)
        .def_rw("time", &State::time)
        .def_static("array_names", [] { return names_of(kStateArrays); });

    nb::class_<Control>(m, "Control")
        .def(nb::new_([](const Model& of) { return model::make_control(of); }))
        .def("array",
             [](nb::handle self, const std::string& name) {
                 return array_of(kControlArrays, self_as<Control>(self), name, self);
             })
        .def("custom",
             [](nb::handle self, const std::string& key) {
                 return custom_array(self_as<Control>(self).custom_arrays, key, self);
             })
        .def("custom_keys", [](const Control& c) { return custom_keys(c.custom_arrays); })
        .def("clear", [](Control& self, const Model& of) { model::clear(self, of); })
        .def_static("array_names", [] { return names_of(kControlArrays); });
}

}  // namespace mechane::python

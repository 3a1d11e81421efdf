// Python's springs, cloth, soft bodies, cables and attachments: verbs of the builder, and the records of what they
// made.
// Points are rows of three numbers in metres, velocities m/s; triangles and tetrahedra are rows of particle indices.
// Materials are the five numbers of model::TriangleMaterial (ke, ka, kd, drag, lift) and Lame parameters k_mu, k_lambda
// [Pa] with a damping for tetrahedra.
// Records (SoftObject, CurveObject) name ranges [begin, end) of particles and elements of an object.

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "mechane/model/builder.h"
#include "mechane/model/model.h"
#include "python/arrays.h"
#include "python/module.h"
#include "python/values.h"

/// Verbs for springs, cloth and soft bodies. Indices are checked by the facade.
namespace mechane::python {

namespace {

using model::ModelBuilder;
using Triple = std::array<std::int32_t, 3>;
using Quad   = std::array<std::int32_t, 4>;

model::TriangleMaterial triangle_material(const std::array<double, 5>& v) { return {v[0], v[1], v[2], v[3], v[4]}; }

std::vector<Vec3d> points(const DoublesIn& from)
{
    std::vector<Vec3d> out(from.size() / 3);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = {from.data()[3 * i], from.data()[3 * i + 1], from.data()[3 * i + 2]};
    return out;
}

template <std::size_t n>
std::vector<std::array<std::int32_t, n>> rows(const IntsIn& from)
{
    std::vector<std::array<std::int32_t, n>> out(from.size() / n);
    for (std::size_t i = 0; i < out.size() * n; ++i) out[i / n][i % n] = from.data()[i];
    return out;
}

template <class T>
T of(const nb::dict& options, const char* name)
{ return nb::cast<T>(options[name]); }

model::FixedSides fixed_sides(const nb::dict& o)
{ return {of<bool>(o, "fix_left"), of<bool>(o, "fix_right"), of<bool>(o, "fix_top"), of<bool>(o, "fix_bottom")}; }

model::ClothOptions cloth_options(const nb::dict& o)
{
    return {.tri             = triangle_material(of<std::array<double, 5>>(o, "tri")),
            .edge            = {of<double>(o, "edge_ke"), of<double>(o, "edge_kd"), {}},
            .add_springs     = of<bool>(o, "add_springs"),
            .spring_ke       = of<double>(o, "spring_ke"),
            .spring_kd       = of<double>(o, "spring_kd"),
            .particle_radius = of<double>(o, "radius"),
            .label           = of<std::string>(o, "label")};
}

model::SoftOptions soft_options(const nb::dict& o)
{
    return {.tet                    = {of<double>(o, "k_mu"), of<double>(o, "k_lambda"), of<double>(o, "k_damp")},
            .density                = of<double>(o, "density"),
            .tri                    = triangle_material(of<std::array<double, 5>>(o, "tri")),
            .add_surface_mesh_edges = of<bool>(o, "edges"),
            .edge                   = {of<double>(o, "edge_ke"), of<double>(o, "edge_kd"), {}},
            .particle_radius        = of<double>(o, "radius"),
            .label                  = of<std::string>(o, "label"),
            .newton_masses          = of<bool>(o, "newton_masses")};
}

double add_triangle(ModelBuilder& b, std::int32_t i, std::int32_t j, std::int32_t k,
                    const std::array<double, 5>& material, const Numbers3& color, double opacity)
{
    // Zero or less tells a degenerate triangle that the builder has not added; only an added one gets values of its
    // own.
    const double area = b.add_triangle(i, j, k, triangle_material(material));
    if (area > 0) {
        b.tri_elements.back().color   = vec3(color);
        b.tri_elements.back().opacity = opacity;
    }
    return area;
}

void bind_verbs(nb::module_& m)
{
    m.def("soft_add_spring", [](ModelBuilder& b, std::int32_t i, std::int32_t j, double ke, double kd, double control) {
        return b.add_spring(i, j, ke, kd, control);
    });
    m.def("soft_add_triangle", &add_triangle);
    m.def(
        "soft_add_edge",
        [](ModelBuilder& b, std::int32_t i, std::int32_t j, std::int32_t k, std::int32_t l, std::optional<double> rest,
           double ke, double kd) { return b.add_edge(i, j, k, l, {.ke = ke, .kd = kd, .rest = rest}); },
        nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
    m.def("soft_add_tetrahedron", [](ModelBuilder& b, const Quad& c, double mu, double lambda, double damp) {
        return b.add_tetrahedron(c[0], c[1], c[2], c[3], {mu, lambda, damp});
    });
    m.def("soft_add_cloth_mesh",
          [](ModelBuilder& b, const Numbers7& X, const Numbers3& velocity, const DoublesIn& vertices,
             const IntsIn& triangles, double density, const nb::dict& options) {
              return b.add_cloth_mesh(pose(X), vec3(velocity), points(vertices), rows<3>(triangles), density,
                                      cloth_options(options));
          });
    m.def("soft_add_cloth_grid", [](ModelBuilder& b, const Numbers7& X, const Numbers3& velocity, int dim_x, int dim_y,
                                    double cell_x, double cell_y, double mass, bool reverse, const nb::dict& options) {
        b.add_cloth_grid(pose(X), vec3(velocity), dim_x, dim_y, cell_x, cell_y, mass, reverse, fixed_sides(options),
                         cloth_options(options));
    });
    m.def("soft_add_soft_mesh",
          [](ModelBuilder& b, const Numbers7& X, const Numbers3& velocity, const DoublesIn& vertices,
             const IntsIn& tets, const DoublesIn& materials, const IntsIn& surface, const nb::dict& options) {
              std::vector<model::TetMaterial> each(materials.size() / 3);
              for (std::size_t i = 0; i < each.size(); ++i)
                  each[i] = {materials.data()[3 * i], materials.data()[3 * i + 1], materials.data()[3 * i + 2]};
              return b.add_soft_mesh(pose(X), vec3(velocity), points(vertices), rows<4>(tets), each, rows<3>(surface),
                                     soft_options(options));
          });
    m.def("soft_add_soft_grid", [](ModelBuilder& b, const Numbers7& X, const Numbers3& velocity,
                                   const std::array<int, 3>& dim, const Numbers3& cell, const nb::dict& options) {
        b.add_soft_grid(pose(X), vec3(velocity), dim, vec3(cell), fixed_sides(options), soft_options(options));
    });
    m.def("soft_add_attachment", [](ModelBuilder& b, std::int32_t particle, std::int32_t body, const Numbers3& point,
                                    double stiffness, double damping, bool enabled) {
        return b.add_attachment_particle_body({.body       = body,
                                               .particle   = particle,
                                               .body_point = vec3(point),
                                               .stiffness  = stiffness,
                                               .damping    = damping,
                                               .enabled    = enabled});
    });
}

using ObjectRow = std::tuple<std::string, std::int32_t, std::vector<std::int32_t>>;

std::vector<ObjectRow> object_rows(const std::vector<model::SoftObject>& objects)
{
    std::vector<ObjectRow> out;
    for (const model::SoftObject& o : objects)
        out.emplace_back(o.label, o.world,
                         std::vector<std::int32_t>{o.particle[0], o.particle[1], o.tri[0], o.tri[1], o.edge[0],
                                                   o.edge[1], o.tet[0], o.tet[1]});
    return out;
}

std::vector<model::SoftObject> objects_of(const std::vector<ObjectRow>& rows_)
{
    std::vector<model::SoftObject> out;
    for (const auto& [label, world, r] : rows_) {
        // Four ranges of two ends: particles, triangles, edges, tetrahedra.
        if (r.size() != 8) throw nb::value_error("expected 8 ends of ranges");
        out.push_back({label, world, {r[0], r[1]}, {r[2], r[3]}, {r[4], r[5]}, {r[6], r[7]}});
    }
    return out;
}

void bind_records(nb::module_& m)
{
    m.def("soft_color", [](ModelBuilder& b, bool bending, bool springs, bool balance, double ratio) {
        b.color({.include_bending = bending, .include_springs = springs, .balance = balance, .ratio = ratio});
    });
    m.def("soft_color_groups", [](const ModelBuilder& b) { return b.particle_color_groups; });
    m.def("soft_set_color_groups", [](ModelBuilder& b, std::vector<std::vector<std::int32_t>> groups) {
        b.particle_color_groups = std::move(groups);
    });
    m.def("soft_counts", [](const ModelBuilder& b) {
        return nb::make_tuple(b.springs.size(), b.tri_indices.size(), b.edge_indices.size(), b.tets.size(),
                              b.attachments.size());
    });
    // Empty rows, to be filled column by column.
    m.def("soft_resize", [](ModelBuilder& b, std::size_t springs, std::size_t tris, std::size_t edges, std::size_t tets,
                            std::size_t attachments) {
        b.springs.resize(springs);
        b.tri_indices.resize(tris);
        b.tri_elements.resize(tris);
        b.edge_indices.resize(edges);
        b.edge_elements.resize(edges);
        b.tets.resize(tets);
        b.attachments.resize(attachments);
    });
    m.def("soft_objects",
          [](const ModelBuilder& b, bool volumes) { return object_rows(volumes ? b.volumes : b.surfaces); });
    m.def("soft_set_objects", [](ModelBuilder& b, bool volumes, const std::vector<ObjectRow>& rows_) {
        (volumes ? b.volumes : b.surfaces) = objects_of(rows_);
    });
    m.def("model_soft_objects",
          [](const model::Model& of_, bool volumes) { return object_rows(volumes ? of_.volumes : of_.surfaces); });
    m.def("model_color_groups", [](const model::Model& of_) { return of_.particle_color_groups; });
}

/// Settings of a model that are single numbers and no arrays; the facade shows them as attributes.
using Scalar = Real& (*)(model::Model&);
struct ScalarRow {
    const char* name;
    Scalar      at;
};
constexpr ScalarRow kScalars[] = {
    {"soft_contact_ke", [](model::Model& m) -> Real& { return m.soft_contact.ke; }},
    {"soft_contact_kd", [](model::Model& m) -> Real& { return m.soft_contact.kd; }},
    {"soft_contact_kf", [](model::Model& m) -> Real& { return m.soft_contact.kf; }},
    {"soft_contact_mu", [](model::Model& m) -> Real& { return m.soft_contact.mu; }},
    {"soft_contact_restitution", [](model::Model& m) -> Real& { return m.soft_contact.restitution; }},
    {"particle_ke", [](model::Model& m) -> Real& { return m.particle_contact.ke; }},
    {"particle_kd", [](model::Model& m) -> Real& { return m.particle_contact.kd; }},
    {"particle_kf", [](model::Model& m) -> Real& { return m.particle_contact.kf; }},
    {"particle_mu", [](model::Model& m) -> Real& { return m.particle_contact.mu; }},
    {"particle_cohesion", [](model::Model& m) -> Real& { return m.particle_contact.cohesion; }},
    {"particle_adhesion", [](model::Model& m) -> Real& { return m.particle_contact.adhesion; }},
    {"particle_max_velocity", [](model::Model& m) -> Real& { return m.particle_contact.max_velocity; }},
};

const ScalarRow& scalar(const std::string& name)
{
    for (const ScalarRow& row : kScalars)
        if (name == row.name) return row;
    throw nb::attribute_error(name.c_str());
}

}  // namespace

namespace {

/// A cable as the facade lists it: label, world, bodies, joints.
using CurveRow = std::tuple<std::string, std::int32_t, std::array<std::int32_t, 4>>;

std::vector<CurveRow> curve_rows(const std::vector<model::CurveObject>& curves)
{
    std::vector<CurveRow> out;
    for (const model::CurveObject& c : curves)
        out.push_back({c.label, c.world, {c.body[0], c.body[1], c.joint[0], c.joint[1]}});
    return out;
}

void bind_curves(nb::module_& m)
{
    m.def("curves", [](const ModelBuilder& b) { return curve_rows(b.curves); });
    m.def("model_curves", [](const model::Model& of_) { return curve_rows(of_.curves); });
    m.def("set_curves", [](ModelBuilder& b, const std::vector<CurveRow>& rows_) {
        b.curves.clear();
        for (const auto& [label, world, r] : rows_) b.curves.push_back({label, world, {r[0], r[1]}, {r[2], r[3]}});
    });
    m.def("add_curve", [](ModelBuilder& b, const CurveRow& row) {
        const auto& [label, world, r] = row;
        b.curves.push_back({label, world, {r[0], r[1]}, {r[2], r[3]}});
    });
    // Rest rotation of a ROD joint, x y z w; empty: the identity, or another joint.
    m.def("rest_rotation", [](const ModelBuilder& b, std::size_t joint) -> std::vector<double> {
        const auto& r = b.joints.at(joint).rest_rotation;
        return r ? std::vector<double>{r->x, r->y, r->z, r->w} : std::vector<double>{};
    });
    m.def("set_rest_rotation", [](ModelBuilder& b, std::size_t joint, const std::array<double, 4>& r) {
        b.joints.at(joint).rest_rotation = Quatd{r[0], r[1], r[2], r[3]};
    });
    m.def("rest_rotation_count", [](const ModelBuilder& b) {
        return std::count_if(b.joints.begin(), b.joints.end(),
                             [](const auto& j) { return j.rest_rotation.has_value(); });
    });
}

}  // namespace

void bind_soft(nb::module_& m)
{
    bind_curves(m);
    bind_verbs(m);
    bind_records(m);
    m.def("model_scalar_names", [] {
        nb::list out;
        for (const ScalarRow& row : kScalars) out.append(nb::str(row.name));
        return out;
    });
    m.def("model_scalar",
          [](model::Model& of_, const std::string& name) { return static_cast<double>(scalar(name).at(of_)); });
    m.def("set_model_scalar", [](model::Model& of_, const std::string& name, double value) {
        scalar(name).at(of_) = static_cast<Real>(value);
    });
}

}  // namespace mechane::python

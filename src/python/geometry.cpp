// Meshes and mass properties for Python.
// A Mesh has vertices in metres in its own frame and triangles that turn counter-clockwise seen from outside. Mass
// properties are mass [kg], centre of mass [m], and inertia [kg m^2] about the centre of mass in the frame of the body.
// Meshes are shared with builder and model by pointer, not copied.

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "mechane/geometry/components.h"
#include "mechane/geometry/decomposition.h"
#include "mechane/geometry/hull.h"
#include "mechane/geometry/mass.h"
#include "mechane/geometry/mesh.h"
#include "mechane/geometry/repair.h"
#include "mechane/geometry/simplification.h"
#include "mechane/model/shape_table.h"
#include "python/arrays.h"
#include "python/enums.h"
#include "python/errors.h"
#include "python/module.h"
#include "python/values.h"

namespace mechane::python {

namespace {

using python::to_python;

using geometry::Mesh;

std::shared_ptr<Mesh> make_mesh(const DoublesIn& points, const IntsIn& indices, bool is_convex)
{
    if (points.size() % 3 != 0) throw nb::value_error("vertices: expected rows of 3 numbers");
    if (indices.size() % 3 != 0) throw nb::value_error("indices: expected 3 for each triangle");
    auto mesh       = std::make_shared<Mesh>();
    mesh->is_convex = is_convex;
    for (std::size_t i = 0; i + 2 < points.size(); i += 3)
        mesh->points.push_back({points.data()[i], points.data()[i + 1], points.data()[i + 2]});
    for (std::size_t i = 0; i + 2 < indices.size(); i += 3)
        mesh->triangles.push_back({indices.data()[i], indices.data()[i + 1], indices.data()[i + 2]});
    // All later algorithms (trees, hulls, fields) follow indices without a check, so that a wrong one is refused where
    // it enters.
    if (!has_valid_indices(*mesh)) throw nb::value_error("indices: a triangle names a vertex that does not exist");
    if (!is_finite(*mesh)) throw nb::value_error("vertices: not all finite");
    return mesh;
}

nb::tuple to_python(const geometry::MassProperties& p)
{ return nb::make_tuple(p.mass, to_python(p.com), to_python(p.inertia)); }

geometry::MassProperties mass_properties(const nb::tuple& t)
{
    geometry::MassProperties p;
    from_python(t[0], p.mass);
    from_python(t[1], p.com);
    from_python(t[2], p.inertia);
    return p;
}

}  // namespace

void bind_geometry(nb::module_& m)
{
    // The facade keeps beside a mesh of the library which object of its own stands for it (`known_as`).
    nb::class_<Mesh>(m, "Mesh", nb::dynamic_attr())
        .def(nb::new_(&make_mesh), nb::arg("points"), nb::arg("indices"), nb::arg("is_convex"))
        .def("points",
             [](nb::handle self) {
                 Mesh& mesh = nb::cast<Mesh&>(self);
                 return view(mesh.points.empty() ? nullptr : &mesh.points.front().x, {mesh.points.size(), 3}, self);
             })
        .def("triangles",
             [](nb::handle self) {
                 Mesh&      mesh = nb::cast<Mesh&>(self);
                 nb::object out  = view(mesh.triangles.empty() ? nullptr : mesh.triangles.front().data(),
                                        {mesh.triangles.size(), 3}, self);
                 // Trees over the mesh are made once, and follow the indices without asking.
                 out.attr("flags").attr("writeable") = false;
                 return out;
             })
        .def_ro("is_convex", &Mesh::is_convex)
        .def_prop_ro("is_closed", [](const Mesh& mesh) { return geometry::is_closed(mesh); })
        .def(
            "hull",
            [](const Mesh& mesh, int max_vertices) {
                return std::make_shared<Mesh>(
                    unwrap(geometry::build_hull(mesh.points, {.max_vertices = max_vertices})));
            },
            nb::arg("max_vertices"))
        .def(
            "decompose",
            [](const Mesh& mesh, double concavity, int max_hulls, int max_vertices) {
                std::vector<std::shared_ptr<Mesh>> out;
                std::vector<Mesh>                  parts;
                {
                    const nb::gil_scoped_release released;
                    parts = unwrap(geometry::decompose(
                        mesh,
                        {.concavity = concavity, .max_hulls = max_hulls, .hull = {.max_vertices = max_vertices}}));
                }
                for (Mesh& part : parts) out.push_back(std::make_shared<Mesh>(std::move(part)));
                return out;
            },
            nb::arg("concavity"), nb::arg("max_hulls"), nb::arg("max_vertices"))
        .def(
            "simplified",
            [](const Mesh& mesh, double ratio, double max_error) {
                return std::make_shared<Mesh>(geometry::simplified(mesh, {.ratio = ratio, .max_error = max_error}));
            },
            nb::arg("ratio"), nb::arg("max_error"))
        .def(
            "repaired",
            [](const Mesh& mesh, bool fill_holes) {
                if (!geometry::has_valid_indices(mesh) || !geometry::is_finite(mesh))
                    throw nb::value_error("a mesh is repaired from finite vertices and indices of vertices that exist");
                geometry::MeshRepair done;
                auto                 made = [&] {
                    const nb::gil_scoped_release released;
                    return std::make_shared<Mesh>(geometry::repaired(mesh, {.fill_holes = fill_holes}, done));
                }();
                const auto filled = std::ranges::count_if(done.holes, [](const auto& hole) { return hole.filled; });
                return nb::make_tuple(std::move(made), done.joined_points, done.dropped, done.turned, filled,
                                      static_cast<std::ptrdiff_t>(done.holes.size()) - filled);
            },
            nb::arg("fill_holes"))
        .def(
            "mass",
            [](const Mesh& mesh, const Numbers3& scale, double density) {
                return to_python(geometry::mesh_mass(mesh, vec3(scale), density));
            },
            nb::arg("scale"), nb::arg("density"));

    m.def(
        "shape_mass",
        [](std::int32_t type, const Numbers3& scale, const Mesh* mesh, double density, bool solid, double thickness) {
            const model::ShapeGeometry shape{enum_from<model::GeoType>(type), vec3(scale), mesh};
            if (!solid)
                if (const auto shell = model::shell_mass(shape, thickness, density)) return to_python(*shell);
            return to_python(model::solid_mass(shape, density));
        },
        nb::arg("type"), nb::arg("scale"), nb::arg("mesh").none(), nb::arg("density"), nb::arg("solid"),
        nb::arg("thickness"));
    m.def("transformed_mass", [](const nb::tuple& body, const Numbers7& X) {
        return to_python(geometry::transformed(mass_properties(body), pose(X)));
    });
    m.def("combined_mass", [](const nb::tuple& a, const nb::tuple& b) {
        return to_python(geometry::combined(mass_properties(a), mass_properties(b)));
    });
    m.def("absorb_signs", [](std::int32_t type, const Numbers3& scale) {
        return to_python(model::absorb_signs(enum_from<model::GeoType>(type), vec3(scale)));
    });
    m.def(
        "shape_radius",
        [](std::int32_t type, const Numbers3& scale, const Mesh* mesh) {
            return model::collision_radius({enum_from<model::GeoType>(type), vec3(scale), mesh});
        },
        nb::arg("type"), nb::arg("scale"), nb::arg("mesh").none());
}

}  // namespace mechane::python

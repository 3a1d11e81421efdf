// Meshes as triangles, read from the polygons of a prim and scaled for a collider.
// Points of `read_mesh` are in the frame of the prim, those of `collider_mesh` in the frame of the shape with its scale
// applied; both in the stage's unit.
// `plain_fan` is Newton's way: faces become fans about their first corner, and holes are not left out.

#include "mechane/resolve/mesh_source.h"

#include <fmt/format.h>

#include <utility>

#include "mechane/geometry/triangulation.h"
#include "mechane/resolve/codes.h"
#include "mechane/usd/start_value.h"

namespace mechane::resolve {

namespace {

// The default, else the earliest sample.
template <class T>
std::vector<T> array(const usd::Prim& prim, const usd::Token& name)
{ return usd::start_as<std::vector<T>>(prim.attribute(name)).value_or(std::vector<T>{}); }

}  // namespace

geometry::Triangulation read_polygons(const usd::Prim& prim, bool plain_fan, Diagnostics& found)
{
    static const usd::Token kPoints("points"), kCounts("faceVertexCounts"), kIndices("faceVertexIndices"),
        kHoles("holeIndices"), kOrientation("orientation");
    const auto            points = array<Vec3d>(prim, kPoints);
    const auto            counts = array<int>(prim, kCounts), indices = array<int>(prim, kIndices),
                          holes = plain_fan ? std::vector<int>{} : array<int>(prim, kHoles);
    geometry::PolygonMesh polygons{
        .points = points, .face_vertex_counts = counts, .face_vertex_indices = indices, .hole_indices = holes};
    polygons.left_handed               = prim.attribute(kOrientation).get<std::string>().value_or("") == "leftHanded";
    geometry::Triangulation      made  = geometry::triangulate(polygons, {.plain_fan = plain_fan});
    std::size_t                  bad   = 0;
    const geometry::DroppedFace* first = nullptr;
    for (const geometry::DroppedFace& face : made.dropped)
        if (face.fault != geometry::FaceFault::no_area && bad++ == 0) first = &face;
    if (first != nullptr)
        found.add(kMeshFace, prim.site(),
                  fmt::format("{} faces of <{}> are dropped; face {} {}", bad, prim.path().text(), first->face,
                              to_string(first->fault)));
    return made;
}

geometry::Mesh read_mesh(const usd::Prim& prim, bool plain_fan, Diagnostics& found)
{ return read_polygons(prim, plain_fan, found).mesh; }

geometry::Mesh collider_mesh(const physics::Collider& collider, bool plain_fan, Diagnostics& found)
{
    geometry::Mesh mesh    = read_mesh(collider.prim, plain_fan, found);
    bool           mirrors = collider.mesh_scale.x * collider.mesh_scale.y * collider.mesh_scale.z < 0;
    if (collider.sheared_points) {
        mirrors = determinant(*collider.sheared_points) < 0;
        for (Vec3d& p : mesh.points) p = *collider.sheared_points * p;
    } else
        for (Vec3d& p : mesh.points) p = scale(collider.mesh_scale, p);
    // A mirror turns the faces inside out; exchanging two corners turns them back.
    if (mirrors)
        for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
    return mesh;
}

}  // namespace mechane::resolve

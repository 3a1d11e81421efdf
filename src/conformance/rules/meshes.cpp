// Rules of REP-0158 3.4 about meshes: triangles, orientation, closed surfaces, valid arrays; and sizes of primitive
// shapes.
// Input: meshes as authored, at the default time or the first sample. Each fault of the arrays is told once, and the
// rules that need sound arrays are silent after it.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "conformance/family.h"
#include "conformance/finite.h"
#include "conformance/first_value.h"
#include "conformance/mesh_shape.h"
#include "mechane/geometry/weld.h"

/// REP-0158 3.4: geometry of meshes.
namespace mechane::conformance {
namespace {

#define MECHANE_COLLIDER(counts, indices, points, more)                                                      \
    "def Mesh \"m\" (\n    prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\", "     \
    "\"MaterialBindingAPI\"]\n)\n{\n"                                                                        \
    "    int[] faceVertexCounts = [" counts "]\n    int[] faceVertexIndices = [" indices                     \
    "]\n"                                                                                                    \
    "    rel material:binding:physics = </robot/Contact/rubber>\n    uniform token physics:approximation = " \
    "\"convexHull\"\n"                                                                                       \
    "    point3f[] points = [" points "]\n    token purpose = \"guide\"\n" more "}\n"
#define MECHANE_TETRAHEDRON \
    "3, 3, 3, 3", "0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2", "(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)"
#define MECHANE_APPLY(macro, ...) macro(__VA_ARGS__)

constexpr Rule kTriangles{
    .id      = "REP-3.4-a",
    .slug    = "collision-triangles",
    .summary = "Collision meshes are made of triangles.",
    .why     = "Each reader triangulates polygons in its own way, and non-planar ones into different shapes.",
    .fix     = "Polygons are cut into triangles; subsets and primvars stay.",
    .fixable = true,
    .bad     = MECHANE_COLLIDER("4, 3, 3, 3, 3", "0, 3, 2, 1, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4",
                                "(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0.5, 1)", ""),
    .good    = MECHANE_APPLY(MECHANE_COLLIDER, MECHANE_TETRAHEDRON, ""),
};
constexpr Rule kRightHanded{
    .id      = "REP-3.4-b",
    .slug    = "right-handed",
    .summary = "Meshes are right-handed.",
    .why     = "Readers that ignore the orientation see the mesh inside out.",
    .fix     = "The winding is reversed.",
    .fixable = true,
    .bad     = MECHANE_COLLIDER("3, 3, 3, 3", "0, 1, 2, 0, 3, 1, 1, 3, 2, 0, 2, 3",
                                "(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)",
                                "    uniform token orientation = \"leftHanded\"\n"),
    .good    = MECHANE_APPLY(MECHANE_COLLIDER, MECHANE_TETRAHEDRON, ""),
};
constexpr Rule kClosed{
    .id      = "REP-3.4-e",
    .slug    = "watertight",
    .summary = "A collision mesh is closed.",
    .why     = "An open mesh has no inside: contacts are lost and masses wrong.",
    .fix =
        "Faces share the points at one place, where nothing is said of single points; missing faces are the author's.",
    .bad =
        "def Mesh \"m\" (\n    prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\", "
        "\"MaterialBindingAPI\"]\n)\n{\n"
        "    int[] faceVertexCounts = [3, 3, 3]\n    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3]\n"
        "    rel material:binding:physics = </robot/Contact/rubber>\n    uniform token physics:approximation = "
        "\"none\"\n"
        "    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n    token purpose = \"guide\"\n}\n",
    .good = MECHANE_APPLY(MECHANE_COLLIDER, MECHANE_TETRAHEDRON, ""),
};
constexpr Rule kValid{
    .id      = "REP-3.4-g",
    .slug    = "mesh-validity",
    .summary = "Meshes have finite points, indices in range and faces that add up; other shapes have a size.",
    .why     = "Readers crash, or drop the mesh in silence.",
    .fix     = "Faces without an area are removed; what else is wrong has to be exported again.",
    .bad     = MECHANE_COLLIDER("3, 3, 3, 3", "0, 2, 1, 0, 1, 9, 1, 2, 3, 0, 3, 2",
                                "(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)", ""),
    .good    = MECHANE_APPLY(MECHANE_COLLIDER, MECHANE_TETRAHEDRON, ""),
};

#undef MECHANE_COLLIDER
#undef MECHANE_TETRAHEDRON
#undef MECHANE_APPLY

struct Faces {
    std::vector<int>   counts, indices;
    std::vector<Vec3d> points;
};

/// Says what is wrong with the arrays; empty when nothing is.
/// @param collider  faces that are no triangles are REP-3.4-a's
std::string fault_of(const Faces& mesh, bool collider)
{
    std::size_t corners = 0;
    for (const int count : mesh.counts) {
        if (count < (collider ? 0 : 3)) return "a face has " + std::to_string(count) + " vertices";
        corners += static_cast<std::size_t>(count);
    }
    if (corners != mesh.indices.size())
        return "the faces have " + std::to_string(corners) + " corners, but there are " +
               std::to_string(mesh.indices.size()) + " indices";
    for (const int index : mesh.indices)
        if (index < 0 || static_cast<std::size_t>(index) >= mesh.points.size())
            return "index " + std::to_string(index) + " names none of " + std::to_string(mesh.points.size()) +
                   " points";
    for (const Vec3d& p : mesh.points)
        if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z)) return "a point is not finite";
    return {};
}

/// Edges that do not belong to exactly two faces.
std::size_t open_edges(const Faces& mesh)
{
    std::map<std::pair<int, int>, int> edges;
    std::size_t                        at = 0;
    for (const int count : mesh.counts) {
        for (int i = 0; i < count; ++i) {
            const auto [low, high] = std::minmax(mesh.indices[at + static_cast<std::size_t>(i)],
                                                 mesh.indices[at + static_cast<std::size_t>((i + 1) % count)]);
            ++edges[{low, high}];
        }
        at += static_cast<std::size_t>(count);
    }
    return static_cast<std::size_t>(
        std::count_if(edges.begin(), edges.end(), [](const auto& edge) { return edge.second != 2; }));
}

double extent_of(const std::vector<Vec3d>& points)
{
    Vec3d low = points.front(), high = low;
    for (const Vec3d& p : points)
        low  = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)},
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    return length(high - low);
}

/// Faces without an area: by Newell's sum, which is exact for plane polygons.
std::size_t flat_faces(const Faces& mesh, double extent)
{
    const double least = 1e-12 * extent * extent;  // points are single precision: a millionth of the extent, squared
    std::size_t  flat = 0, at = 0;
    for (const int count : mesh.counts) {
        const auto point = [&](int i) {
            return mesh.points[static_cast<std::size_t>(mesh.indices[at + static_cast<std::size_t>(i % count)])];
        };
        const Vec3d origin = point(0);
        Vec3d       sum{};
        for (int i = 1; i + 1 < count; ++i) sum = sum + cross(point(i) - origin, point(i + 1) - origin);
        flat += length(sum) <= least;
        at += static_cast<std::size_t>(count);
    }
    return flat;
}

void check_closed(const usd::Prim& mesh, const Faces& faces, double extent, Sink& sink)
{
    sink.applies(kClosed);
    const std::size_t open = open_edges(faces);
    if (open == 0) return;
    const std::string approximation =
        mesh.attribute("physics:approximation").authored_as<std::string>().value_or("none");
    const bool hull = approximation != "none";
    // A mesh may be open only because its vertices are split at seams. Vertices within a millionth of the extent are
    // welded to find that out, and then it is another finding.
    const auto joined = geometry::find_faults(geometry::welded(triangles_of(mesh), 1e-6 * extent));
    const bool split  = joined.boundary_edges == 0 && joined.non_manifold_edges == 0;
    sink.report(kClosed,
                {.site     = mesh.site(),
                 .message  = std::to_string(open) +
                             (open == 1 ? " edge of the collision mesh does" : " edges of the collision mesh do") +
                             " not join two faces" + (split ? " until points at one place are made one" : ""),
                 .observed = std::to_string(open),
                 .expected = "0",
                 .hint     = split  ? "weld the points of the mesh"
                             : hull ? "close the mesh; its hull is closed, so contacts are right all the same"
                                    : "close the mesh, or use convexHull",
                 .variant  = split  ? "needs-weld"
                             : hull ? "hull"
                                    : "",
                 .severity = hull || split ? Severity::warning : Severity::error});
}

/// Faces of another number of corners, whatever else is wrong with the mesh, at any time. Fewer than three make no face
/// at all (REP-3.4-g).
void check_triangles(const usd::Prim& mesh, const Faces& faces, Sink& sink)
{
    sink.applies(kTriangles);
    const auto count = [](const std::vector<int>& counts) {
        return std::count_if(counts.begin(), counts.end(), [](int n) { return n >= 0 && n != 3; });
    };
    auto                 polygons  = count(faces.counts);
    std::size_t          all       = faces.counts.size();
    const usd::Attribute attribute = mesh.attribute("faceVertexCounts");
    for (const double time : attribute.time_samples()) {
        if (polygons > 0) break;
        const auto counts = attribute.get<std::vector<int>>(time).value_or(std::vector<int>{});
        polygons          = count(counts);
        all               = counts.size();
    }
    if (polygons > 0)
        sink.report(kTriangles, {.site     = site_of(mesh, "faceVertexCounts"),
                                 .message  = std::to_string(polygons) + " of " + std::to_string(all) +
                                             " faces of the collision mesh are no triangles",
                                 .observed = std::to_string(polygons),
                                 .expected = "triangles",
                                 .hint     = "triangulate the mesh"});
}

void check_mesh(const PrimFacts& prim, Sink& sink)
{
    const usd::Prim& mesh     = prim.prim;
    const bool       collider = prim.is(kCollider);
    sink.applies(kRightHanded);
    if (mesh.attribute("orientation").authored_as<std::string>().value_or("") == "leftHanded")
        sink.report(kRightHanded, {.site     = site_of(mesh, "orientation"),
                                   .message  = "the mesh is left-handed",
                                   .observed = "leftHanded",
                                   .expected = "rightHanded",
                                   .hint     = "reverse the order of each face's indices and remove `orientation`"});
    const Faces faces{first_value<std::vector<int>>(mesh.attribute("faceVertexCounts")),
                      first_value<std::vector<int>>(mesh.attribute("faceVertexIndices")),
                      first_value<std::vector<Vec3d>>(mesh.attribute("points"))};
    if (collider) check_triangles(mesh, faces, sink);
    sink.applies(kValid);
    if (faces.points.empty() || faces.counts.empty()) {
        if (collider)
            sink.report(kValid, {.site     = mesh.site(),
                                 .message  = "the collision mesh is empty",
                                 .observed = "no faces",
                                 .expected = "faces",
                                 .hint     = "export the mesh, or remove the collider",
                                 .variant  = "empty"});
        return;
    }
    if (const std::string fault = fault_of(faces, collider); !fault.empty()) {
        sink.report(
            kValid,
            {.site = mesh.site(), .message = fault, .expected = "a sound mesh", .hint = "export the mesh again"});
        return;
    }
    if (std::ranges::any_of(faces.counts, [](int n) { return n < 3; })) return;  // said already
    const double extent = extent_of(faces.points);
    if (const std::size_t flat = flat_faces(faces, extent); flat > 0)
        sink.report(kValid, {.site     = site_of(mesh, "faceVertexIndices"),
                             .message  = std::to_string(flat) + " of " + std::to_string(faces.counts.size()) +
                                         " faces have no area",
                             .observed = std::to_string(flat),
                             .expected = "0",
                             .hint     = "remove faces whose vertices lie on one line",
                             .variant  = "flat",
                             .severity = Severity::warning});
    if (collider) check_closed(mesh, faces, extent, sink);
}

/// Sizes of spheres, boxes and the like. An infinite plane has none, so that its width may be anything.
void check_size(const PrimFacts& prim, Sink& sink)
{
    sink.applies(kValid);
    for (const usd::Token& name : prim.properties) {
        const std::string& text  = name.text();
        const bool         width = text == "width" || text == "length";
        if (!width && text != "radius" && text != "radiusTop" && text != "radiusBottom" && text != "height" &&
            text != "size")
            continue;
        const usd::Attribute attribute = prim.prim.attribute(name);
        const auto           observed  = width ? not_a_number(attribute) : not_finite(attribute);
        const auto           value     = attribute.authored_as<double>();
        const auto           say       = [&](std::string message, std::string seen, Severity severity) {
            sink.report(kValid, {.site     = site_of(prim.prim, text.c_str()),
                                 .message  = std::move(message),
                                 .observed = std::move(seen),
                                 .expected = "> 0, finite",
                                 .hint     = "write the size of the shape",
                                 .variant  = text,
                                 .severity = severity});
        };
        if (observed)
            say("the " + text + " is " + *observed, *observed, Severity::error);
        else if (value && *value < 0)
            say("the " + text + " is negative; readers take it as positive, or drop the shape", number(*value),
                Severity::warning);
        else if (value && *value == 0 && prim.is(kCollider) && !width && text != "radiusTop" &&
                 text != "radiusBottom" && !(text == "height" && prim.prim.type_name().text().starts_with("Capsule")))
            say("the collider has no extent: its " + text + " is 0", "0", Severity::error);
    }
}

void check(const Facts& facts, Sink& sink)
{
    for (const PrimFacts& prim : facts.prims)
        if (prim.is(kMesh))
            check_mesh(prim, sink);
        else if (prim.is(kGprim))
            check_size(prim, sink);
}

constexpr std::array<const Rule*, 4> kRules{&kTriangles, &kRightHanded, &kClosed, &kValid};

}  // namespace

constexpr Family kMeshRules{kRules, check};

}  // namespace mechane::conformance

// Rules of REP-0158 3.4 about surfaces of meshes: orientation, double-sidedness, and self-intersection of colliders.
// A closed mesh is inside out if its signed volume is negative. An open one has no inside; only its authored normals
// can contradict its winding.

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "conformance/family.h"
#include "conformance/first_value.h"
#include "conformance/instance_copies.h"
#include "conformance/mesh_shape.h"
#include "mechane/geometry/mesh_report.h"

/// REP-0158 3.4: which way the faces of a mesh look, and whether they go through each other.
namespace mechane::conformance {
namespace {

#define MECHANE_MESH(indices, more)                                                                         \
    "def Mesh \"m\"\n{\n    int[] faceVertexCounts = [3, 3, 3, 3]\n    int[] faceVertexIndices = [" indices \
    "]\n"                                                                                                   \
    "    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n" more "}\n"
#define MECHANE_OUT "0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2"
#define MECHANE_IN "0, 1, 2, 0, 3, 1, 1, 3, 2, 0, 2, 3"
#define MECHANE_PAIR(points)                                                                                   \
    "def Mesh \"m\" (\n    prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\", "       \
    "\"MaterialBindingAPI\"]\n)\n{\n    int[] faceVertexCounts = [3, 3, 3, 3, 3, 3, 3, 3]\n    int[] "         \
    "faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2, 4, 6, 5, 4, 5, 7, 5, 6, 7, 4, 7, 6]\n    rel "   \
    "material:binding:physics = </robot/Contact/rubber>\n    uniform token physics:approximation = \"none\"\n" \
    "    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), " points                              \
    "]\n    token purpose = "                                                                                  \
    "\"guide\"\n}\n"

constexpr Rule kDoubleSided{
    .id       = "REP-3.4-c",
    .slug     = "double-sided",
    .keyword  = Keyword::must_not,
    .severity = Severity::warning,
    .summary  = "doubleSided does not hide faces that look inwards.",
    .why      = "Renderers that cull back faces, and every physics engine, see the mesh inside out.",
    .fix      = "The faces of a closed mesh are turned outwards.",
    .fixable  = true,
    .bad      = MECHANE_MESH(MECHANE_IN, "    uniform bool doubleSided = 1\n"),
    .good     = MECHANE_MESH(MECHANE_OUT, "    uniform bool doubleSided = 1\n"),
};
constexpr Rule kWinding{
    .id      = "REP-3.4-d",
    .slug    = "winding",
    .summary = "All faces of a mesh look the same way, those of a closed mesh outwards.",
    .why     = "Volumes come out negative or wrong, contacts push inwards, and faces vanish when they are drawn.",
    .fix = "The faces of a closed mesh are turned outwards; of an open mesh the author must decide which look right.",
    .fixable = true,
    .bad     = MECHANE_MESH("0, 1, 2, 0, 1, 3, 1, 2, 3, 0, 3, 2", ""),
    .good    = MECHANE_MESH(MECHANE_OUT, ""),
};
constexpr Rule kIntersecting{
    .id      = "REP-3.4-f",
    .slug    = "self-intersection",
    .summary = "A collision mesh does not go through itself.",
    .why     = "Inside and outside are not defined where it does.",
    .fix     = "None: join or part the pieces where the mesh is made.",
    .bad     = MECHANE_PAIR("(0.2, 0.2, -0.5), (1.2, 0.2, -0.5), (0.2, 1.2, -0.5), (0.2, 0.2, 0.5)"),
    .good    = MECHANE_PAIR("(2, 0, 0), (3, 0, 0), (2, 1, 0), (2, 0, 1)"),
};

#undef MECHANE_PAIR
#undef MECHANE_IN
#undef MECHANE_OUT
#undef MECHANE_MESH

/// The test for intersections is more than linear; larger meshes are told as not checked.
constexpr std::size_t kMostTriangles = 200'000;

/// Six times the signed volume about a point of the mesh: far from the origin the terms would cancel badly.
double volume6(const geometry::Mesh& mesh)
{
    double       sum = 0;
    const Vec3d& o   = mesh.points.front();
    for (const auto& t : mesh.triangles)
        sum += dot(
            mesh.points[static_cast<std::size_t>(t[0])] - o,
            cross(mesh.points[static_cast<std::size_t>(t[1])] - o, mesh.points[static_cast<std::size_t>(t[2])] - o));
    return sum;
}

/// Shares of the faces whose authored normal, one a point, looks the other way; 0 without such normals.
double against_normals(const usd::Prim& prim, const geometry::Mesh& mesh)
{
    const usd::Attribute attribute = prim.attribute("normals");
    const auto           normals   = attribute.authored_as<std::vector<Vec3d>>();
    if (!normals || normals->size() != mesh.points.size()) return 0;
    if (const auto how = attribute.metadata("interpolation").get<std::string>().value_or("vertex");
        how != "vertex" && how != "varying")
        return 0;
    std::size_t against = 0;
    for (const auto& t : mesh.triangles) {
        const auto   a = static_cast<std::size_t>(t[0]), b = static_cast<std::size_t>(t[1]),
                     c = static_cast<std::size_t>(t[2]);
        const Vec3d& o = mesh.points[a];
        against +=
            dot(cross(mesh.points[b] - o, mesh.points[c] - o), (*normals)[a] + (*normals)[b] + (*normals)[c]) < 0;
    }
    return mesh.triangles.empty() ? 0 : static_cast<double>(against) / static_cast<double>(mesh.triangles.size());
}

void check_winding(const usd::Prim& prim, const geometry::Mesh& mesh, Sink& sink)
{
    const geometry::MeshFaults faults = geometry::find_faults(mesh);
    const bool closed = faults.boundary_edges == 0 && faults.non_manifold_edges == 0 && !mesh.triangles.empty();
    const bool inward = closed && faults.winding_edges == 0 && volume6(mesh) < 0;
    const bool twice  = prim.attribute("doubleSided").get_or<bool>(false);
    sink.applies(kWinding);
    if (twice) {
        sink.applies(kDoubleSided);
        if (inward)
            return sink.report(kDoubleSided, {.site     = site_of(prim, "doubleSided"),
                                              .message  = "the mesh is inside out, and doubleSided hides it",
                                              .observed = "negative volume",
                                              .expected = "faces that look outwards",
                                              .hint     = "reverse the order of each face's indices",
                                              .variant  = "masks-winding",
                                              .severity = Severity::error});
        if (!closed)
            sink.report(kDoubleSided, {.site     = site_of(prim, "doubleSided"),
                                       .message  = "an open mesh is drawn from both sides",
                                       .observed = "doubleSided",
                                       .expected = "a closed mesh, or one side",
                                       .hint     = "give a sheet that is seen from both sides a thickness",
                                       .variant  = "open",
                                       .severity = Severity::info});
    }
    const auto say = [&](const char* variant, std::string message, std::string hint, Severity severity) {
        sink.report(kWinding, {.site     = site_of(prim, "faceVertexIndices"),
                               .message  = std::move(message),
                               .expected = "faces that look outwards",
                               .hint     = std::move(hint),
                               .variant  = variant,
                               .severity = severity});
    };
    if (inward)
        return say("inward", "the mesh is inside out", "reverse the order of each face's indices", Severity::error);
    if (faults.winding_edges > 0)
        return say("mixed",
                   std::to_string(faults.winding_edges) + (faults.winding_edges == 1 ? " edge joins" : " edges join") +
                       " faces that look different ways",
                   "turn the faces over that look the other way", Severity::error);
    // Single normals may be bent for shading. Nine of ten that look the other way are no shading.
    if (against_normals(prim, mesh) > 0.9)
        say("normals", "the authored normals look the other way than the faces", "turn the faces over, or the normals",
            Severity::warning);
}

/// The hull of a mesh that goes through itself is sound, so that contacts are right all the same.
void check_intersections(const usd::Prim& prim, const geometry::Mesh& mesh, Sink& sink)
{
    sink.applies(kIntersecting);
    const bool hull = prim.attribute("physics:approximation").get_or<std::string>("none") != "none";
    if (mesh.triangles.size() > kMostTriangles)
        return sink.report(kIntersecting, {.site     = prim.site(),
                                           .message  = "the mesh was not looked through for self-intersections",
                                           .observed = std::to_string(mesh.triangles.size()) + " triangles",
                                           .expected = "at most " + std::to_string(kMostTriangles),
                                           .hint     = "simplify the mesh: colliders need fewer triangles",
                                           .variant  = "skipped",
                                           .severity = Severity::info});
    if (const std::size_t count = geometry::inspect_mesh(mesh).self_intersections; count > 0)
        sink.report(kIntersecting, {.site     = prim.site(),
                                    .message  = std::to_string(count) + " pairs of triangles go through each other",
                                    .observed = std::to_string(count),
                                    .expected = "0",
                                    .hint     = "join the pieces, or make them colliders of their own",
                                    .variant  = hull ? "hull" : "",
                                    .severity = hull ? Severity::warning : Severity::error});
}

/// The counts of the faces and their corners agree; of others it is not known which faces were meant (REP-3.4-g).
bool is_whole(const usd::Prim& mesh)
{
    const auto  counts  = first_value<std::vector<int>>(mesh.attribute("faceVertexCounts"));
    std::size_t corners = 0;
    for (const int count : counts) {
        if (count < 0) return false;
        corners += static_cast<std::size_t>(count);
    }
    return corners == first_value<std::vector<int>>(mesh.attribute("faceVertexIndices")).size();
}

void check(const Facts& facts, Sink& sink)
{
    for (const PrimFacts& prim : facts.prims) {
        if (!prim.is(kMesh) || is_copy(prim.prim)) continue;
        const geometry::Mesh mesh = triangles_of(prim.prim);
        if (mesh.triangles.empty()) continue;
        check_winding(prim.prim, mesh, sink);
        if (prim.is(kCollider) && is_whole(prim.prim)) check_intersections(prim.prim, mesh, sink);
    }
}

constexpr std::array<const Rule*, 3> kRules{&kDoubleSided, &kWinding, &kIntersecting};

}  // namespace

constexpr Family kSurfaceRules{kRules, check};

}  // namespace mechane::conformance

// The one table of pair functions of the narrow phase, and the two entries `collide` over it.
// Shapes are in one frame [m]; contacts are made up to the distance `reach`; the normal leads from the first shape to
// the second.
// The functions expect their arguments in the order of the table: a mesh first, otherwise by kind. `collide` swaps
// shapes and results, collide_in_table_order does not. docs/collision_method.md names the method of each pair.

#include <utility>

#include "mechane/core/failure.h"
#include "pairs.h"

namespace mechane::collision {

namespace {

void collide_never(const Shape&, const Shape&, double, Manifold&) {}

constexpr PairFunction kNever = collide_never, kConvex = collide_convex, kRect = collide_rectangle_convex;
constexpr PairFunction kPlBox = collide_plane_box, kPlSph = collide_plane_sphere, kPlCap = collide_plane_capsule,
                       kPlEll = collide_plane_ellipsoid, kPlCyl = collide_plane_cylinder, kPlCone = collide_plane_cone,
                       kPlHull = collide_plane_hull;
constexpr PairFunction kSphSph = collide_sphere_sphere, kSphCap = collide_sphere_capsule,
                       kSphCyl = collide_sphere_cylinder, kSphBox = collide_sphere_box;
constexpr PairFunction kCapCap = collide_capsule_capsule, kCapBox = collide_capsule_box, kBoxBox = collide_box_box;
constexpr PairFunction kMesh = collide_mesh_convex, kMeshPl = collide_mesh_plane, kMeshRect = collide_mesh_rectangle,
                       kMeshMesh = collide_mesh_mesh;

/// Row: shape 0, column: shape 1. Empty below the diagonal, but for the row of the mesh, which is always shape 0.
/// Two surfaces without thickness (plane, rectangle) never touch each other.
constexpr PairFunction kTable[kPairKinds][kPairKinds] = {
    //               plane    rectangle  sphere   capsule  ellipsoid cylinder box      mesh       cone     hull
    /* plane     */ {kNever, kNever, kPlSph, kPlCap, kPlEll, kPlCyl, kPlBox, nullptr, kPlCone, kPlHull},
    /* rectangle */ {nullptr, kNever, kRect, kRect, kRect, kRect, kRect, nullptr, kRect, kRect},
    /* sphere    */ {nullptr, nullptr, kSphSph, kSphCap, kConvex, kSphCyl, kSphBox, nullptr, kConvex, kConvex},
    /* capsule   */ {nullptr, nullptr, nullptr, kCapCap, kConvex, kConvex, kCapBox, nullptr, kConvex, kConvex},
    /* ellipsoid */ {nullptr, nullptr, nullptr, nullptr, kConvex, kConvex, kConvex, nullptr, kConvex, kConvex},
    /* cylinder  */ {nullptr, nullptr, nullptr, nullptr, nullptr, kConvex, kConvex, nullptr, kConvex, kConvex},
    /* box       */ {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, kBoxBox, nullptr, kConvex, kConvex},
    /* mesh      */ {kMeshPl, kMeshRect, kMesh, kMesh, kMesh, kMesh, kMesh, kMeshMesh, kMesh, kMesh},
    /* cone      */ {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, kConvex, kConvex},
    /* hull      */ {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, kConvex},
};

}  // namespace

std::string_view route_of(ShapeKind a, ShapeKind b)
{
    // The names are those of `mechane schema pairs`. None means that the pair never has contacts.
    if (!in_table_order(a, b)) std::swap(a, b);
    const auto i = static_cast<std::size_t>(a), k = static_cast<std::size_t>(b);
    if (i >= kPairKinds || k >= kPairKinds) return {};
    const PairFunction function = kTable[i][k];
    if (function == kNever) return {};
    if (function == kConvex) return "convex";
    if (function == kRect) return "one-sided convex";
    if (function == kMesh) return "triangles";
    if (function == kMeshPl || function == kMeshRect || function == kPlHull) return "vertices";
    if (function == kMeshMesh) return "triangle pairs";
    return "closed form";
}

void collide_in_table_order(const Shape& a, const Shape& b, double reach, Manifold& out)
{
    const auto i = static_cast<std::size_t>(a.kind), k = static_cast<std::size_t>(b.kind);
    MCH_ASSERT(i < kPairKinds && k < kPairKinds && kTable[i][k] != nullptr);
    kTable[i][k](a, b, reach, out);
}

namespace {

/// What a caller of the library may pass. The pipeline makes whole shapes and skips this test.
bool is_whole(const Shape& shape)
{
    if (static_cast<std::size_t>(shape.kind) >= kPairKinds) return false;
    if (shape.kind == ShapeKind::mesh) return shape.mesh != nullptr;
    return shape.kind != ShapeKind::hull || (shape.hull != nullptr && !shape.hull->vertices.empty());
}

}  // namespace

void collide(const Shape& a, const Shape& b, double reach, Manifold& out)
{
    MCH_REQUIRE(is_whole(a), "collide", "a", "a whole shape, with the mesh or hull of its kind");
    MCH_REQUIRE(is_whole(b), "collide", "b", "a whole shape, with the mesh or hull of its kind");
    if (in_table_order(a.kind, b.kind)) return collide_in_table_order(a, b, reach, out);
    const auto first = static_cast<std::size_t>(out.count);
    collide_in_table_order(b, a, reach, out);
    // The contacts of an earlier pair may already be in `out`: only the new ones are turned round.
    for (std::size_t i = first; i < static_cast<std::size_t>(out.count); ++i) {
        std::swap(out.points[i].p0, out.points[i].p1);
        out.points[i].normal = -out.points[i].normal;
    }
}

}  // namespace mechane::collision

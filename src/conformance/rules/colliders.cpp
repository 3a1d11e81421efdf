// Rules of REP-0158 1.3.1 about colliders: purpose guide, approximations, and sets of fidelities.
// A mesh that moves must not collide as its triangles by default unless it is convex, because most simulators can only
// take convex shapes for bodies that move.

#include <array>
#include <cmath>
#include <set>

#include "conformance/family.h"
#include "conformance/mesh_shape.h"
#include "mechane/geometry/mesh.h"
#include "mechane/usd/stage_layers.h"

/// REP-0158 1.3.1: what collides.
namespace mechane::conformance {
namespace {

constexpr Rule kGuide{
    .id       = "REP-1.3.1-a",
    .slug     = "guide-purpose",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "Collision geometry has purpose guide.",
    .why      = "Otherwise it is drawn over the visuals.",
    .fix      = "The purpose is written on the collider, unless it is also the only visual of the link.",
    .fixable  = true,
    .bad      = R"(
def Cube "look"
{
}

def Cube "wall" (
    prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
)
{
    rel material:binding:physics = </robot/Contact/rubber>
}
)",
    .good     = R"(
def Scope "collision"
{
    token purpose = "guide"

    def Cube "wall" (
        prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
    )
    {
        rel material:binding:physics = </robot/Contact/rubber>
    }
}
)",
};
constexpr Rule kApproximation{
    .id       = "REP-1.3.1-b",
    .slug     = "approximation",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "A mesh collider says how it is approximated.",
    .why      = "Unsaid, one engine takes the triangles, another the hull.",
    .fix      = "convexHull on dynamic bodies, none on static or convex meshes.",
    .fixable  = true,
    .bad      = R"(
def Mesh "ramp" (
    prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
)
{
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
    rel material:binding:physics = </robot/Contact/rubber>
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    token purpose = "guide"
}
)",
    .good     = R"(
def Mesh "ramp" (
    prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "MaterialBindingAPI"]
)
{
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
    rel material:binding:physics = </robot/Contact/rubber>
    uniform token physics:approximation = "convexHull"
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    token purpose = "guide"
}
)",
};
constexpr Rule kFidelities{
    .id       = "REP-1.3.1-c",
    .slug     = "dual-fidelity",
    .keyword  = Keyword::should,
    .severity = Severity::info,
    .summary  = "A link whose collision mesh is not convex has a variant set collision_fidelity.",
    .why      = "Real-time simulators need convex shapes, accurate ones the mesh.",
    .fix      = "None: the author must decide which shapes are good enough.",
    .bad      = R"(
<<link a>>

    def Mesh "collision" (
        prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "MaterialBindingAPI"]
    )
    {
        int[] faceVertexCounts = [3, 3, 3, 3, 3, 3]
        int[] faceVertexIndices = [0, 4, 1, 1, 4, 2, 2, 4, 0, 0, 1, 3, 1, 2, 3, 2, 0, 3]
        rel material:binding:physics = </robot/Contact/rubber>
        uniform token physics:approximation = "convexHull"
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.3, 0.3, 1), (0.3, 0.3, 0.5)]
        token purpose = "guide"
    }
}
)",
    .good     = "<<body a>>",
};

/// What stands below a prim of this name is there to collide, whether it is seen or not (REP-0158 1.3.2). A shape's own
/// name does not say that it may vanish.
bool is_placed_for_collision(const Facts& facts, const PrimFacts& collider)
{
    if (collider.is(kBody)) return false;
    for (std::int32_t i = collider.parent; i >= 0;) {
        const PrimFacts& prim = facts.prims[static_cast<std::size_t>(i)];
        std::string      name = prim.prim.name().text();
        for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        if (name.starts_with("collision") || name.starts_with("collider")) return true;
        if (prim.is(kBody)) return false;
        i = prim.parent;
    }
    return false;
}

/// True when the Gprim is the only thing that is drawn of its link, or, of what stands still, of the Xform that holds
/// it. What is drawn of a link that lies below is that link's own.
bool only_visual(const Facts& facts, const PrimFacts& collider)
{
    const std::int32_t here = facts.index_of(collider.prim);
    const PrimFacts*   body = facts.nearest(here, kBody);
    const PrimFacts*   link = body != nullptr ? body : facts.nearest(collider.parent, kXform);
    if (link == nullptr) return true;
    const auto from = static_cast<std::int32_t>(link - facts.prims.data());
    for (std::int32_t i = from; i < link->end; ++i) {
        const PrimFacts& prim = facts.prims[static_cast<std::size_t>(i)];
        if (prim.is(kGprim) && !prim.is(kCollider) && facts.nearest(i, kBody) == body &&
            facts.stage.purpose(prim.prim).text() != "guide")
            return false;
    }
    return true;
}

void check_guide(const Facts& facts, const PrimFacts& collider, Sink& sink)
{
    sink.applies(kGuide);
    const std::string purpose = facts.stage.purpose(collider.prim).text();
    if (purpose == "guide") return;
    const bool shared = !is_placed_for_collision(facts, collider) && only_visual(facts, collider);
    sink.report(
        kGuide,
        {.site     = collider.prim.site(),
         .message  = shared ? "the collider is also all that is seen there" : "the collider is drawn as geometry",
         .observed = "purpose " + purpose,
         .expected = "purpose guide",
         .hint     = shared ? "draw a visual of its own beside it, then write `token purpose = \"guide\"` here"
                            : "write `token purpose = \"guide\"` on it or above it",
         .variant  = shared ? "shared-visual" : ""});
}

/// True below a set of fidelities: its default is REP-1.3.1-d's.
bool in_fidelity_set(usd::Prim prim)
{
    for (; prim; prim = prim.parent())
        for (const usd::VariantSetUse& set : usd::variant_sets(prim))
            if (set.name == "collision_fidelity") return true;
    return false;
}

void check_approximation(const Facts& facts, const PrimFacts& prim, Sink& sink)
{
    if (!prim.is(kMesh)) return;
    sink.applies(kApproximation);
    static const std::set<std::string> kKnown{"none",         "convexDecomposition", "convexHull", "boundingSphere",
                                              "boundingCube", "meshSimplification",  "sdf",        "sphereFill"};
    const auto authored = prim.prim.attribute("physics:approximation").authored_as<std::string>();
    const auto say      = [&](const char* variant, std::string message, std::string hint, Severity severity) {
        sink.report(kApproximation, {.site = authored ? site_of(prim.prim, "physics:approximation") : prim.prim.site(),
                                     .message  = std::move(message),
                                     .observed = authored.value_or("not authored"),
                                     .expected = "convexHull, or none on a static or convex mesh",
                                     .hint     = std::move(hint),
                                     .variant  = variant,
                                     .severity = severity});
    };
    if (!authored)
        return say("absent", "the mesh collider does not say how it is approximated",
                   "apply PhysicsMeshCollisionAPI and write physics:approximation", Severity::warning);
    if (kKnown.count(*authored) == 0)
        return say("unknown", "the approximation \"" + *authored + "\" is not known", "use convexHull",
                   Severity::error);
    if (*authored == "convexHull") return;
    const bool dynamic = facts.nearest(facts.index_of(prim), kBody) != nullptr;
    if (*authored == "none" && (!dynamic || is_convex_mesh(prim.prim))) return;
    if (in_fidelity_set(prim.prim)) return;
    say("default-fidelity", "the default fidelity of the collider is " + *authored,
        "use convexHull here, and keep the finer form in a variant", Severity::warning);
}

/// "collisionFidelity" and "Collision_Fidelity", and the name itself.
bool is_fidelity_name(const std::string& name)
{
    std::string plain;
    for (const char c : name)
        if (c != '_' && c != '-') plain += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    return plain == "collisionfidelity";
}

/// Whoever looks for the set looks for its name, whatever shapes it holds.
void check_set_name(const PrimFacts& prim, Sink& sink)
{
    for (const usd::VariantSetUse& set : usd::variant_sets(prim.prim)) {
        if (!is_fidelity_name(set.name)) continue;
        sink.applies(kFidelities);
        if (set.name != "collision_fidelity")
            sink.report(kFidelities, {.site     = prim.prim.site(),
                                      .message  = "the variant set " + set.name + " has another name",
                                      .observed = set.name,
                                      .expected = "collision_fidelity",
                                      .hint     = "rename the set, and what selects from it",
                                      .variant  = "name",
                                      .severity = Severity::warning});
    }
}

/// A link with a collision mesh that is not convex: the reader shall be able to choose.
void check_fidelities(const Facts& facts, const PrimFacts& collider, std::set<const PrimFacts*>& said, Sink& sink)
{
    const PrimFacts* link = facts.nearest(facts.index_of(collider.prim), kBody);
    if (!collider.is(kMesh) || link == nullptr) return;
    sink.applies(kFidelities);
    if (said.count(link) != 0 || is_convex_mesh(collider.prim)) return;
    for (usd::Prim prim = collider.prim; prim; prim = prim.parent())
        for (const usd::VariantSetUse& set : usd::variant_sets(prim))
            if (is_fidelity_name(set.name)) return;
    said.insert(link);
    sink.report(kFidelities, {.site     = collider.prim.site(),
                              .message  = "the collision mesh is not convex and there is no other fidelity",
                              .observed = "no variant set collision_fidelity",
                              .expected = "a variant set collision_fidelity",
                              .hint = "offer primitives or hulls, and the mesh, as variants of collision_fidelity"});
}

void check(const Facts& facts, Sink& sink)
{
    std::set<const PrimFacts*> said;
    for (const PrimFacts& prim : facts.prims) {
        check_set_name(prim, sink);
        if (!prim.is(kCollider) || !prim.is(kGprim)) continue;
        check_guide(facts, prim, sink);
        check_approximation(facts, prim, sink);
        check_fidelities(facts, prim, said, sink);
    }
}

constexpr std::array<const Rule*, 3> kRules{&kGuide, &kApproximation, &kFidelities};

}  // namespace

constexpr Family kColliderRules{kRules, check};

}  // namespace mechane::conformance

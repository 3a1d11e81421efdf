// Rules of REP-0158 1.2.6 and 3.5 about instancing: what must not be shared (bodies, joints, roots, ROS prims), and
// instances without an arc.
// What lies in a prototype exists once, so a body in it would have one state for all its instances.

#include <array>

#include "conformance/family.h"
#include "conformance/instance_copies.h"

/// REP-0158 1.2.6 and 3.5: instancing.
namespace mechane::conformance {
namespace {

constexpr Rule kInstancePhysics{
    .id      = "REP-1.2.6-a",
    .slug    = "instance-physics",
    .keyword = Keyword::must_not,
    .summary = "An instanceable prim holds no body, joint, articulation root or ROS prim.",
    .why     = "What lies in a prototype is shared and cannot have a pose, a state or a name of its own.",
    .fix     = "`instanceable = false` is written on the prim; its leaf geometry may stay instanced.",
    .fixable = true,
    .bad     = R"(
def Xform "arm" (
    instanceable = true
    inherits = </robot/_arm>
    kind = "subcomponent"
)
{
}

class Xform "_arm"
{
    def Xform "ros" (
        prepend apiSchemas = ["RosFrameAPI"]
    )
    {
    }
}
)",
    .good    = R"(
def Xform "bolts" (
    instanceable = true
    inherits = </robot/_bolts>
)
{
}

class Xform "_bolts"
{
    def Cube "head"
    {
        double size = 0.01
        token purpose = "guide"
    }
}
)",
};
constexpr Rule kPointPhysics{
    .id      = "REP-1.2.6-b",
    .slug    = "point-instanced-physics",
    .keyword = Keyword::must_not,
    .summary = "A point instancer instances no body, joint, articulation root or ROS prim, and is no body itself.",
    .why     = "Points have no paths: joints and interfaces cannot name them.",
    .fix     = "None: the instances have to become prims.",
    .bad     = R"(
def PointInstancer "many"
{
    point3f[] positions = [(0, 0, 0)]
    int[] protoIndices = [0]
    rel prototypes = </robot/many/one>

    <<body one>>
}
)",
    .good    = R"(
def PointInstancer "many"
{
    point3f[] positions = [(0, 0, 0)]
    int[] protoIndices = [0]
    rel prototypes = </robot/many/one>

    def Cube "one"
    {
        token purpose = "guide"
    }
}
)",
};
constexpr Rule kNeedsArc{
    .id      = "REP-3.5-c",
    .slug    = "instanceable-needs-arc",
    .summary = "Only prims with a composition arc are instanceable.",
    .why     = "Without an arc there is nothing to share: the flag does nothing and misleads.",
    .fix     = "The flag becomes false.",
    .fixable = true,
    .bad     = R"(
def Xform "bolt" (
    instanceable = true
)
{
}
)",
    .good    = R"(
def Xform "bolt"
{
}
)",
};

constexpr std::uint32_t kNotShared = kBody | kJoint | kArticulationRoot | kRos;

std::string name_of(const PrimFacts& prim)
{
    if (prim.is(kBody)) return "a rigid body";
    if (prim.is(kJoint)) return "a joint";
    if (prim.is(kArticulationRoot)) return "an articulation root";
    return prim.is(kRos) ? "a ROS prim" : "a rigid body";
}

/// The first prim in [from, end) that must not be shared, or null.
const PrimFacts* first_unshared(const Facts& facts, std::int32_t from, std::int32_t end)
{
    for (std::int32_t i = from; i < end; ++i)
        if (const PrimFacts& prim = facts.prims[static_cast<std::size_t>(i)];
            prim.is(kNotShared) || prim.prim.has_api("PhysicsRigidBodyAPI"))
            return &prim;
    return nullptr;
}

void check(const Facts& facts, Sink& sink)
{
    static const usd::Token kInstanceable("instanceable");
    for (std::size_t i = 0; i < facts.prims.size(); ++i) {
        const PrimFacts& prim = facts.prims[i];
        const auto       here = static_cast<std::int32_t>(i);
        if (prim.prim.metadata(kInstanceable).get<bool>().value_or(false) && !is_copy(prim.prim)) {
            sink.applies(kNeedsArc);
            if (!prim.prim.is_instance()) {
                sink.report(kNeedsArc, {.site     = prim.prim.site(),
                                        .message  = "the prim is instanceable but has no composition arc",
                                        .observed = "no arc",
                                        .expected = "a reference, payload, inherit, specialize or variant",
                                        .hint     = "remove `instanceable = true`"});
            } else {
                sink.applies(kInstancePhysics);
                if (const PrimFacts* inside = first_unshared(facts, here, prim.end))
                    sink.report(kInstancePhysics, {.site     = prim.prim.site(),
                                                   .message  = "the instance holds " + name_of(*inside) + " (" +
                                                               inside->prim.path().text() + ")",
                                                   .observed = inside->prim.path().text(),
                                                   .expected = "geometry only",
                                                   .hint     = "write `instanceable = false` on the prim"});
            }
        }
        if (prim.is(kPointInstancer)) {
            sink.applies(kPointPhysics);
            const PrimFacts* inside = first_unshared(facts, here, prim.end);
            for (const usd::Path& prototype : prim.prim.relationship("prototypes").forwarded())
                if (inside == nullptr)
                    if (const PrimFacts* root = facts.find(prototype))
                        inside = first_unshared(facts, static_cast<std::int32_t>(root - facts.prims.data()), root->end);
            if (inside != nullptr)
                sink.report(kPointPhysics, {.site     = prim.prim.site(),
                                            .message  = "the point instancer instances " + name_of(*inside) + " (" +
                                                        inside->prim.path().text() + ")",
                                            .observed = inside->prim.path().text(),
                                            .expected = "geometry only",
                                            .hint     = "author the instances as prims with references"});
        }
    }
}

constexpr std::array<const Rule*, 3> kRules{&kInstancePhysics, &kPointPhysics, &kNeedsArc};

}  // namespace

constexpr Family kInstanceRules{kRules, check};

}  // namespace mechane::conformance

// Rules of REP-0158 2.7 about frames: where they may stand, ids, static or moving, and clashes with what a simulator
// broadcasts.
// Clashes are found on the frames of ros::frames, so links and contexts count as well.

#include <array>
#include <set>

#include "conformance/dummy_frames.h"
#include "conformance/family.h"
#include "conformance/transform_ops.h"
#include "mechane/ros/frames.h"
#include "mechane/ros/interfaces.h"
#include "mechane/ros/names.h"

/// REP-0158 2.7: frames.
namespace mechane::conformance {
namespace {

#define MECHANE_FRAME(prim, lines) \
    "def Xform \"" prim "\" (\n    prepend apiSchemas = [\"RosFrameAPI\"]\n)\n{\n" lines "}\n"

constexpr Rule kOnXform{
    .id      = "REP-2.7-e",
    .slug    = "frame-on-xform",
    .summary = "RosFrameAPI stands on an Xform.",
    .why     = "Only a prim with a transform has a frame.",
    .fix     = "A scope becomes an Xform; the author must decide whether a frame belongs beside or below other prims.",
    .fixable = true,
    .bad     = "def Scope \"tip\" (\n    prepend apiSchemas = [\"RosFrameAPI\"]\n)\n{\n}\n",
    .good    = MECHANE_FRAME("tip", ""),
};
constexpr Rule kId{
    .id      = "REP-2.7-f",
    .slug    = "frame-id",
    .summary = "A frame id is made of tokens and does not begin with a slash.",
    .why     = "tf2 refuses it.",
    .fix     = "Slashes and blanks around an id are removed, and an empty id; the author must correct the others.",
    .fixable = true,
    .bad     = MECHANE_FRAME("tip", "    string ros:frame:id = \"/tip\"\n"),
    .good    = MECHANE_FRAME("tip", "    string ros:frame:id = \"tool\"\n"),
};
constexpr Rule kStatic{
    .id       = "REP-2.7-g",
    .slug     = "frame-static-animated",
    .severity = Severity::warning,
    .summary  = "A static frame does not move.",
    .why      = "Static transforms are sent once; what moves later is never seen.",
    .fix      = "`ros:frame:static = false` is written.",
    .fixable  = true,
    .bad = MECHANE_FRAME("tip",
                         "    double3 xformOp:translate = (0, 0, 0)\n    double3 xformOp:translate.timeSamples = {\n   "
                         "     0: (0, 0, 0),\n        1: (1, 0, 0),\n    }\n"
                         "    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n"),
    .good = MECHANE_FRAME("tip",
                          "    bool ros:frame:static = false\n    double3 xformOp:translate = (0, 0, 0)\n    double3 "
                          "xformOp:translate.timeSamples = {\n        0: (0, 0, 0),\n        1: (1, 0, 0),\n    }\n"
                          "    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n"),
};
constexpr Rule kDuplicate{
    .id      = "REP-2.7-h",
    .slug    = "frame-duplicate",
    .keyword = Keyword::must_not,
    .summary = "No two frames of one transform topic have the same id.",
    .why     = "The second overwrites the first, many times a second.",
    .fix     = "None: the author must choose the names.",
    .bad     = MECHANE_FRAME("left", "    string ros:frame:id = \"cam\"\n")
        MECHANE_FRAME("right", "    string ros:frame:id = \"cam\"\n"),
    .good = MECHANE_FRAME("left", "    string ros:frame:id = \"cam_left\"\n")
        MECHANE_FRAME("right", "    string ros:frame:id = \"cam_right\"\n"),
};
constexpr Rule kOnBody{
    .id       = "REP-2.7-i",
    .slug     = "frame-on-body",
    .keyword  = Keyword::should_not,
    .severity = Severity::warning,
    .summary  = "A link needs no RosFrameAPI: it is a frame already.",
    .why      = "Said twice, it may be said differently.",
    .fix      = "The schema is removed, unless it renames the frame.",
    .fixable  = true,
    .bad      = R"(
<<anchor a>>

def Xform "a" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "RosFrameAPI"]
    kind = "subcomponent"
)
{
    float physics:mass = 1
    quatf xformOp:orient = (1, 0, 0, 0)
    double3 xformOp:translate = (0, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
}
)",
    .good     = "<<anchor a>>\n<<body a>>",
};

#undef MECHANE_FRAME

/// "a Mesh", or what to call a prim without a type.
std::string kind_of(const usd::Prim& prim)
{
    const std::string type = prim.type_name().text();
    return type.empty() ? "a prim without a type" : "a " + type;
}

/// Moves relative to the nearest frame, body or context above.
bool moves(const Facts& facts, std::int32_t at)
{
    for (std::int32_t i = at; i >= 0; i = facts.prims[static_cast<std::size_t>(i)].parent) {
        const PrimFacts& prim = facts.prims[static_cast<std::size_t>(i)];
        if (i != at && prim.is(kFrame | kBody | kContext)) return false;
        if (prim.is(kXformable) && !moving_op(prim.prim, stack_of(prim.prim)).empty()) return true;
    }
    return false;
}

/// @param linked  bodies that are frames without a schema
void check_frame(const Facts& facts, std::int32_t at, const std::set<usd::Path>& linked, Sink& sink)
{
    const PrimFacts& prim = facts.prims[static_cast<std::size_t>(at)];
    for (const Rule* rule : {&kOnXform, &kId, &kStatic, &kOnBody}) sink.applies(*rule);
    if (!prim.is(kXformable) || prim.is(kGprim))  // on a camera it is REP-2.8-a's
        sink.report(kOnXform, {.site     = prim.prim.site(),
                               .message  = "RosFrameAPI stands on " + kind_of(prim.prim),
                               .observed = prim.prim.type_name().text(),
                               .expected = "Xform",
                               .hint     = "give the frame an Xform of its own"});
    else if (!prim.is(kXform))
        sink.report(kOnXform, {.site     = prim.prim.site(),
                               .message  = "RosFrameAPI stands on " + kind_of(prim.prim),
                               .observed = prim.prim.type_name().text(),
                               .expected = "Xform",
                               .hint     = "an Xform says it plainer",
                               .variant  = "other",
                               .severity = Severity::info});
    if (!prim.is(kBody) && facts.nearest(at, kBody | kContext) == nullptr)
        sink.report(kOnXform,
                    {.site     = prim.prim.site(),
                     .message  = "neither a link nor a context stands above the frame: it hangs on nothing",
                     .observed = "no parent frame",
                     .expected = "a link or a context above",
                     .hint = "put the frame below the link that carries it, or apply RosContextAPI to the default prim",
                     .variant  = "alone",
                     .severity = Severity::info});
    const auto            authored = ros::text(prim.prim, "ros:frame:id");
    const std::string     id       = authored.value_or(prim.prim.name().text());
    const Site            site     = authored ? site_of(prim.prim, "ros:frame:id") : prim.prim.site();
    const ros::FrameFault fault    = ros::check_frame_id(id);
    if (fault == ros::FrameFault::unusual)
        sink.report(kId, {.site     = site,
                          .message  = "the frame id \"" + id + "\" holds a dash or a dot",
                          .observed = id,
                          .expected = "letters, digits, underscores",
                          .hint     = "use underscores",
                          .variant  = "unusual",
                          .severity = Severity::info});
    else if (fault != ros::FrameFault::none)
        sink.report(kId, {.site     = site,
                          .message  = "\"" + id + "\" is no frame id",
                          .observed = id,
                          .expected = "letters, digits, underscores, no leading slash",
                          .hint     = authored ? "correct it" : "write ros:frame:id: the prim's name does not do"});
    const bool is_static = prim.prim.attribute("ros:frame:static").get_or<bool>(true), varies = moves(facts, at);
    if (is_static && varies)
        sink.report(kStatic, {.site     = prim.prim.site(),
                              .message  = "a static frame is animated",
                              .observed = "time samples",
                              .expected = "ros:frame:static = false",
                              .hint     = "write `bool ros:frame:static = false`"});
    else if (!is_static && !varies && !prim.is(kBody))
        sink.report(kStatic, {.site     = site_of(prim.prim, "ros:frame:static"),
                              .message  = "a frame that rests is said to move",
                              .observed = "ros:frame:static = false",
                              .expected = "true",
                              .hint     = "remove it, unless something outside the asset moves the frame",
                              .variant  = "rests",
                              .severity = Severity::info});
    const physics::Index body = facts.physics.body_at(prim.prim.path());
    // A body that is nothing but a frame is REP-1.3-q's. A loose one is a frame only by its schema.
    if (prim.is(kBody) && body >= 0 && linked.contains(prim.prim.path()) &&
        !dummy_frame(facts, facts.physics.bodies[static_cast<std::size_t>(body)]))
        sink.report(kOnBody, {.site     = prim.prim.site(),
                              .message  = authored ? "the link is renamed as a frame" : "the link is a frame already",
                              .observed = "RosFrameAPI",
                              .expected = "no RosFrameAPI",
                              .hint     = "remove RosFrameAPI",
                              .variant  = authored ? "renamed" : "",
                              .severity = authored ? Severity::info : Severity::warning});
}

/// By the frames that a simulator would broadcast, links and contexts among them.
void check_ids(const std::vector<ros::Frame>& all, Sink& sink)
{
    if (!all.empty()) sink.applies(kDuplicate);
    for (const ros::FrameClash& clash : ros::clashes(all)) {
        const ros::Frame& frame = all[clash.frame];
        const bool        outer = clash.other < 0;
        const std::string other = outer ? frame.id : all[static_cast<std::size_t>(clash.other)].prim.path().text();
        sink.report(kDuplicate,
                    {.site     = frame.prim.site(),
                     .message  = outer ? "the frame is called \"" + frame.id + "\" like the one that its robot hangs on"
                                       : "two frames have the id \"" + frame.id + "\"",
                     .observed = other,
                     .expected = "an id of its own",
                     .hint     = "write another ros:frame:id, or rename the prim",
                     .variant  = outer ? "parent-frame" : ""});
    }
}

void check(const Facts& facts, Sink& sink)
{
    if (!facts.has(kFrame | kContext)) return;
    Diagnostics                   said;  // the same clashes
    const std::vector<ros::Frame> all = ros::frames(facts.stage, said);
    std::set<usd::Path>           linked;
    for (const ros::Frame& frame : all)
        if (frame.kind == ros::FrameKind::body) linked.insert(frame.prim.path());
    for (std::size_t i = 0; i < facts.prims.size(); ++i)
        if (facts.prims[i].is(kFrame)) check_frame(facts, static_cast<std::int32_t>(i), linked, sink);
    check_ids(all, sink);
}

constexpr std::array<const Rule*, 5> kRules{&kOnXform, &kId, &kStatic, &kDuplicate, &kOnBody};

}  // namespace

constexpr Family kRosFrameRules{kRules, check};

}  // namespace mechane::conformance

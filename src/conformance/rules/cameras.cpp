// Rules of REP-0158 2.8 about optical frames of cameras.
// A camera of OpenUSD looks along -z with y up; an optical frame has z forward and x to the right (REP 103). Half a
// turn about x leads from one to the other. Images must carry the optical frame and no other topic should.

#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "conformance/family.h"
#include "conformance/transform_ops.h"
#include "mechane/ros/interfaces.h"

/// REP-0158 2.8: optical frames. A USD camera looks along -z with y up; an optical frame has z forward and y down, half
/// a turn about x away.
namespace mechane::conformance {
namespace {

constexpr Rule kChild{
    .id      = "REP-2.8-a",
    .slug    = "optical-child",
    .summary = "A camera's topics and frame stand on an Xform below it, not on the camera.",
    .why     = "The camera's own axes are not those that image messages promise.",
    .fix     = "The optical child is made and the schemas move there.",
    .fixable = true,
    .bad     = R"(
def Camera "eye" (
    prepend apiSchemas = ["RosTopicAPI"]
)
{
    string ros:topic:name = "image"
    double ros:topic:publish_rate = 30
    token ros:topic:role = "publisher"
    string ros:topic:type = "sensor_msgs/msg/Image"
}
)",
    .good    = R"(
def Camera "eye"
{
    def Xform "eye_optical_frame" (
        prepend apiSchemas = ["RosFrameAPI", "RosTopicAPI"]
    )
    {
        string ros:topic:name = "image"
        double ros:topic:publish_rate = 30
        token ros:topic:role = "publisher"
        string ros:topic:type = "sensor_msgs/msg/Image"
        quatf xformOp:orient = (0, 1, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:orient"]
    }
}
)",
};
constexpr Rule kRotation{
    .id      = "REP-2.8-b",
    .slug    = "optical-rotation",
    .summary = "An optical frame is its camera turned by 180 degrees about x, at the same place.",
    .why     = "Otherwise every point cloud lies behind the camera.",
    .fix     = "The rotation is written.",
    .fixable = true,
    .bad     = R"(
def Camera "eye"
{
    def Xform "eye_optical_frame" (
        prepend apiSchemas = ["RosFrameAPI"]
    )
    {
        quatf xformOp:orient = (1, 0, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:orient"]
    }
}
)",
    .good    = R"(
def Camera "eye"
{
    def Xform "eye_optical_frame" (
        prepend apiSchemas = ["RosFrameAPI"]
    )
    {
        quatf xformOp:orient = (0, 1, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:orient"]
    }
}
)",
};

constexpr Rule kExclusive{
    .id      = "REP-2.8-c",
    .slug    = "optical-exclusive",
    .summary = "A camera's pictures are stamped with its optical frame.",
    .why     = "The prim of the topic names no frame: the message carries that of the link, whose axes are others.",
    .fix     = "None: apply RosFrameAPI to the optical child.",
    .bad     = R"(
def Camera "eye"
{
    def Xform "eye_optical_frame" (
        prepend apiSchemas = ["RosTopicAPI"]
    )
    {
        string ros:topic:name = "image"
        double ros:topic:publish_rate = 30
        token ros:topic:role = "publisher"
        string ros:topic:type = "sensor_msgs/msg/Image"
        quatf xformOp:orient = (0, 1, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:orient"]
    }
}
)",
    .good    = R"(
def Camera "eye"
{
    def Xform "eye_optical_frame" (
        prepend apiSchemas = ["RosFrameAPI", "RosTopicAPI"]
    )
    {
        string ros:topic:name = "image"
        double ros:topic:publish_rate = 30
        token ros:topic:role = "publisher"
        string ros:topic:type = "sensor_msgs/msg/Image"
        quatf xformOp:orient = (0, 1, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:orient"]
    }
}
)",
};

/// A tenth of a degree is above the rounding of quaternions in single precision.
constexpr double kTolerance = 0.1 * kPi / 180;

/// When the placement of a frame below its camera begins: the default time, or the first sample of what says nothing
/// else.
usd::TimeCode first_time(usd::Prim prim, const usd::Prim& camera)
{
    for (; prim && prim != camera; prim = prim.parent())
        for (const TransformOp& op : stack_of(prim).ops) {
            const usd::Attribute attribute = prim.attribute(usd::Token(op.attribute()));
            if (!attribute || !attribute.authored()) continue;
            const std::vector<double> times = attribute.time_samples();
            if (!times.empty() && attribute.value().empty()) return times.front();
        }
    return {};
}

void check_rotation(const Facts& facts, const PrimFacts& frame, const PrimFacts& camera, Sink& sink)
{
    sink.applies(kRotation);
    const usd::TimeCode begin   = first_time(frame.prim, camera.prim);
    const auto          inverse = usd::inverse(facts.stage.world_matrix(camera.prim, begin));
    if (!inverse) return;
    const usd::Decomposition relative = usd::decompose(facts.stage.world_matrix(frame.prim, begin) * *inverse);
    // Angle of the turn that is left after half a turn about x: q = (x y z w) against (1 0 0 0).
    const double left = 2 * std::acos(std::min(1.0, std::abs(relative.rotation.x)));
    if (left > kTolerance)
        sink.report(kRotation, {.site     = site_of(frame.prim, "xformOpOrder"),
                                .message  = "the frame below the camera is not its optical frame",
                                .observed = number(std::round(left * 180 / kPi * 100) / 100) + " degrees off",
                                .expected = "quatf xformOp:orient = (0, 1, 0, 0)",
                                .hint     = "write `quatf xformOp:orient = (0, 1, 0, 0)`",
                                .variant  = "rotation"});
    else if (length(relative.translation) > 1e-3)
        sink.report(kRotation, {.site     = site_of(frame.prim, "xformOpOrder"),
                                .message  = "the optical frame is away from its camera",
                                .observed = number(length(relative.translation)) + " m",
                                .expected = "0 m",
                                .hint     = "remove the translation",
                                .variant  = "translation",
                                .severity = Severity::warning});
}

bool publishes_pictures(const PrimFacts& topic)
{
    static const std::set<std::string> kPictures{"sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage",
                                                 "sensor_msgs/msg/CameraInfo"};
    for (const ros::Interface& interface : ros::interfaces(topic.prim))
        if (interface.kind == ros::Api::topic && interface.role != "subscription" &&
            kPictures.count(interface.type) != 0 && !interface.override_frame)
            return true;
    return false;
}

/// Pictures carry the nearest frame at or above their topic.
void report_stamp(const PrimFacts& topic, const PrimFacts* frame, const std::string& cameras, Sink& sink)
{
    sink.report(kExclusive, {.site     = topic.prim.site(),
                             .message  = "the camera's pictures carry the frame " +
                                         (frame == nullptr ? "of the link" : frame->prim.path().text()),
                             .observed = frame == nullptr ? "no frame" : frame->prim.path().text(),
                             .expected = "an optical frame below " + cameras,
                             .hint     = "apply RosFrameAPI to the optical child, and the topic there or below it"});
}

/// A topic of pictures below a camera: the nearest frame has to be below the camera too.
void check_stamp(const PrimFacts& topic, const PrimFacts& camera, const PrimFacts* frame, Sink& sink)
{
    if (!publishes_pictures(topic)) return;
    sink.applies(kExclusive);
    if (frame == nullptr || !frame->prim.path().has_prefix(camera.prim.path()))
        report_stamp(topic, frame, camera.prim.path().text(), sink);
}

/// The cameras of the nearest prim above a topic that has some, up to the link and to the robot.
std::vector<const PrimFacts*> cameras_around(const Facts& facts, const PrimFacts& topic)
{
    std::vector<const PrimFacts*> found;
    for (std::int32_t at = topic.parent; at >= 0 && found.empty();) {
        const PrimFacts& above = facts.prims[static_cast<std::size_t>(at)];
        for (std::int32_t i = at; i < above.end; ++i)
            if (facts.prims[static_cast<std::size_t>(i)].is(kCamera))
                found.push_back(&facts.prims[static_cast<std::size_t>(i)]);
        at = above.parent;
        if (above.is(kContext) && facts.nearest(at, kContext) == nullptr) break;
    }
    return found;
}

/// A topic of pictures beside its camera, or elsewhere on the robot.
void check_apart(const Facts& facts, const PrimFacts& topic, const PrimFacts* frame, Sink& sink)
{
    if (!publishes_pictures(topic)) return;
    const std::vector<const PrimFacts*> cameras = cameras_around(facts, topic);
    if (cameras.empty()) return;
    sink.applies(kExclusive);
    std::string names;
    bool        has_frame = false, beside = false;
    for (const PrimFacts* camera : cameras) {
        names += (names.empty() ? "" : ", ") + camera->prim.path().text();
        beside |= camera->parent == topic.parent;
        for (std::int32_t i = facts.index_of(*camera) + 1; i < camera->end; ++i)
            has_frame |= facts.prims[static_cast<std::size_t>(i)].is(kFrame);
    }
    if (has_frame || beside) return report_stamp(topic, frame, names, sink);
    sink.report(kChild, {.site     = topic.prim.site(),
                         .message  = "pictures are published away from the camera",
                         .observed = topic.prim.path().text(),
                         .expected = "an optical child of " + names,
                         .hint     = "make an Xform below the camera and move the topic there",
                         .variant  = "apart",
                         .severity = Severity::info});
}

void check_camera(const PrimFacts& camera, Sink& sink)
{
    sink.report(kChild,
                {.site     = camera.prim.site(),
                 .message  = "the camera itself carries " + std::string(camera.is(kTopic) ? "a topic" : "a frame"),
                 .observed = "on the camera",
                 .expected = "on an optical child",
                 .hint = "make an Xform child with `quatf xformOp:orient = (0, 1, 0, 0)` and move the schema there"});
}

void check(const Facts& facts, Sink& sink)
{
    const bool any = facts.has(kCamera);
    for (std::size_t i = 0; any && i < facts.prims.size(); ++i) {
        const PrimFacts& prim = facts.prims[i];
        if (prim.is(kCamera)) sink.applies(kChild);
        if (!prim.is(kTopic | kFrame)) continue;
        if (prim.is(kCamera)) {
            check_camera(prim, sink);
            continue;
        }
        const PrimFacts* stamp  = facts.nearest(static_cast<std::int32_t>(i), kFrame);
        const PrimFacts* camera = facts.nearest(prim.parent, kCamera);
        if (camera == nullptr) {
            if (prim.is(kTopic)) check_apart(facts, prim, stamp, sink);
            continue;
        }
        if (prim.is(kTopic)) check_stamp(prim, *camera, stamp, sink);
        // A further topic below the optical frame keeps its rotation: the frame above it is judged.
        const PrimFacts* frame = facts.nearest(prim.parent, kFrame);
        if (frame != nullptr && frame->prim.path().has_prefix(camera->prim.path())) continue;
        check_rotation(facts, prim, *camera, sink);
    }
}

constexpr std::array<const Rule*, 3> kRules{&kChild, &kRotation, &kExclusive};

}  // namespace

constexpr Family kCameraRules{kRules, check};

}  // namespace mechane::conformance

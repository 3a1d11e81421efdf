// Joints: the six types of UsdPhysics and custom ones, with frames, limits, drives and strengths as authored.
// `frame0` and `frame1` are poses in the scale-free frames of the two bodies, `X_WF0` and `X_WF1` the same in the
// world. Lengths are in the stage's unit, angles of limits and drives in degrees.
// Each joint is read by itself and in parallel; `parse` calls it after bodies and colliders.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "mechane/physics/codes.h"
#include "reader.h"

namespace mechane::physics {

namespace {

/// Frames further apart than this are told: converters round to a tenth of it.
constexpr double kLengthGap = 1e-3;            // m
constexpr double kAngleGap  = 1.0 * kDegrees;  // rad

const usd::Token kBody[2]{"physics:body0", "physics:body1"}, kPos[2]{"physics:localPos0", "physics:localPos1"},
    kRot[2]{"physics:localRot0", "physics:localRot1"};
const usd::Token kJointEnabled("physics:jointEnabled"), kCollision("physics:collisionEnabled"),
    kExcluded("physics:excludeFromArticulation"), kBreakForce("physics:breakForce"),
    kBreakTorque("physics:breakTorque"), kAxisName("physics:axis"), kLower("physics:lowerLimit"),
    kUpper("physics:upperLimit"), kCone0("physics:coneAngle0Limit"), kCone1("physics:coneAngle1Limit"),
    kMin("physics:minDistance"), kMax("physics:maxDistance"), kBodyApi("PhysicsRigidBodyAPI"),
    kCollisionApi("PhysicsCollisionAPI"), kBodyEnabled("physics:rigidBodyEnabled"), kLimitApi("PhysicsLimitAPI"),
    kDriveApi("PhysicsDriveAPI"), kAngular("angular"), kLinear("linear");

constexpr Dof kDofs[] = {Dof::distance, Dof::trans_x, Dof::trans_y, Dof::trans_z, Dof::rot_x, Dof::rot_y, Dof::rot_z};

struct Side {
    usd::Path rel, frame_body;
    Index     body = kNone;
    Posed     frame;  ///< in the frame body, or the world
    Posed     X_WF;
    bool      target_missing = false, singular = false;
    bool      switched_off = false;  ///< the target is there, but not active or not loaded
};

// The enabled body at or above a prim; failing that, the topmost collider on the way up anchors the joint.
struct Anchor {
    usd::Prim prim;
    Index     body = kNone;
};
Anchor anchor_of(const Reader& reader, const usd::Prim& target)
{
    Anchor anchor;
    for (usd::Prim prim = target; prim && !prim.path().is_root(); prim = prim.parent()) {
        const Record* record = reader.record(prim);
        if (!record) {
            // The reference asks any prim, also undefined ones and those outside the roots; there is no body to index
            // then.
            if (!reader.options.conventions.joints_find_any_prim) continue;
            if (prim.has_api(kBodyApi) && reader.flag(prim, kBodyEnabled, true)) return {prim, kNone};
            if (prim.has_api(kCollisionApi)) anchor.prim = prim;
            continue;
        }
        // A body that is off is passed over: the search goes on above it.
        if (record->body != kNone && record->owner == record->body) return {prim, record->body};
        // A joint with the API of a collider is no collider; the reference takes it for an anchor all the same.
        if (record->has_collision && (!record->joint || reader.options.conventions.joints_find_any_prim))
            anchor.prim = prim;
        if (record->resets && reader.options.reset_stack == ResetStack::static_part) break;
    }
    return anchor;
}

Side read_side(const Reader& reader, const usd::Prim& joint, int i)
{
    Side        side;
    const Quatd rot = reader.quaternion(joint, kRot[i], {});
    if (dot(rot, rot) == 0) {
        reader.found.add(kRotationZero, joint.attribute(kRot[i]).site(),
                         fmt::format("{} is a quaternion of length 0", kRot[i].text()));
        if (reader.log != nullptr)
            reader.log->correct(joint, kRot[i], Use::ignored, "it is not a rotation; it counts as not authored");
    }
    side.frame = {reader.vector(joint, kPos[i], {}), normalized(rot)};
    if (!is_finite(side.frame.p)) {
        reader.found.add(kValueNan, joint.attribute(kPos[i]).site(), fmt::format("{} is not finite", kPos[i].text()));
        side.frame.p = {};
    }
    side.X_WF          = side.frame;
    const auto targets = reader.targets(joint, kBody[i]);
    // No target means the world, and the frame is in the world as it stands.
    if (targets.empty()) return side;
    if (targets.size() > 1)
        reader.found.add(kJointMultiTarget, joint.relationship(kBody[i]).site(),
                         fmt::format("{} names {} prims", kBody[i].text(), targets.size()));
    side.rel               = targets.front();
    const usd::Prim target = reader.stage.prim_at(side.rel);
    // A part that was taken out of the stage holds nothing, and its joint must not hold the other part to the world.
    side.switched_off = target && (!target.active() || !target.loaded());
    if (!target || (side.switched_off && !reader.options.conventions.missing_target_is_world)) {
        side.target_missing = true;
        return side;
    }
    const Anchor anchor = anchor_of(reader, target);
    side.body           = anchor.body;
    if (anchor.prim) side.frame_body = anchor.prim.path();

    usd::Matrix4d      body_world;
    usd::Decomposition body;
    if (anchor.prim) {
        body_world = reader.world_matrix(anchor.prim);
        body       = usd::decompose(body_world);
    }
    if (anchor.prim && anchor.prim == target)
        // On the body itself localPos is in its scaled space, so a length takes its scale.
        side.frame.p = scale(side.frame.p, body.scale);
    else {
        // The target lies below the body, or there is no body: the frame goes through the world into the body's frame.
        const auto inverse_body = usd::inverse(body_world);
        if (!inverse_body) {
            side.singular = true;
            return side;
        }
        const usd::Matrix4d      local = usd::from_pose(side.frame) * reader.world_matrix(target) * *inverse_body;
        const usd::Decomposition d     = usd::decompose(local);
        side.frame                     = {scale(d.translation, body.scale), normalized(d.rotation)};
    }
    side.singular = body.singular || !is_finite(side.frame);
    if (side.singular) side.frame = {};
    side.X_WF = Posed{body.translation, body.rotation} * side.frame;
    if (!is_finite(side.X_WF)) side.X_WF = {};
    return side;
}

// Limits that say "none" by being huge or infinite, and the lock of the schema: lower above upper. Of a generic joint
// this is how a degree of freedom is locked; a joint with only one would rather have been a fixed one.
Limit finished(const Reader& reader, const usd::Prim& joint, Limit limit, const usd::Token& lower,
               const usd::Token& upper, bool only_one)
{
    // By the letter of the schema an endless lower bound above the upper one locks too.
    const bool above = limit.lower > limit.upper;
    if (above || (limit.has_lower() && limit.has_upper() && limit.lower == limit.upper)) {
        // An animated bound may open later, so that it cannot be taken as a lock.
        if (reader.options.animation && (joint.attribute(lower).varying() || joint.attribute(upper).varying()))
            return limit;
        limit.locked = true;
        if (only_one && above)
            reader.found.add(kLimitInverted, joint.site(),
                             fmt::format("the {} limits of <{}> are {} and {}", to_string(limit.dof),
                                         joint.path().text(), limit.lower, limit.upper));
    }
    for (const auto& [name, value, none] :
         {std::tuple(&lower, limit.lower, -kInfinity), std::tuple(&upper, limit.upper, kInfinity)}) {
        if (limit.locked || value != -none) continue;
        reader.found.add(kValueNan, joint.attribute(*name).site(),
                         fmt::format("{} of <{}> is {}; {} says that there is none", name->text(), joint.path().text(),
                                     value, none));
        if (reader.log != nullptr)
            reader.log->correct(joint, *name, Use::ignored, "it bounds nothing; it counts as not authored");
    }
    return limit;
}

Drive read_drive(const Reader& reader, const usd::Prim& joint, Dof dof, const usd::Token& instance)
{
    const auto name = [&](std::string_view what) {
        return usd::Token(fmt::format("drive:{}:physics:{}", instance.text(), what));
    };
    Drive drive;
    drive.dof          = dof;
    drive.enabled      = true;
    drive.acceleration = reader.token(joint, name("type"), "force").text() == "acceleration";
    // Without end are only forces and limits.
    const auto finite = [&](const char* what) {
        const double value = reader.number(joint, name(what), 0);
        if (std::isfinite(value) || reader.options.conventions.negative_gains_kept) return value;
        reader.found.add(kValueNan, joint.attribute(name(what)).site(),
                         fmt::format("{} is {}", name(what).text(), value));
        if (reader.log != nullptr)
            reader.log->correct(joint, name(what), Use::ignored, "it is not finite; it counts as not authored");
        return 0.0;
    };
    drive.target_position = finite("targetPosition");
    drive.target_velocity = finite("targetVelocity");
    drive.stiffness       = finite("stiffness");
    drive.damping         = finite("damping");
    drive.max_force       = reader.number(joint, name("maxForce"), kInfinity);
    if (reader.options.conventions.negative_gains_kept) return drive;
    if (drive.stiffness < 0 || drive.damping < 0) {
        reader.found.add(kDriveNegative, joint.site(),
                         fmt::format("the {} drive of <{}> has stiffness {} and damping {}", instance.text(),
                                     joint.path().text(), drive.stiffness, drive.damping));
        if (reader.log != nullptr)
            for (const char* gain : {"stiffness", "damping"})
                if (reader.number(joint, name(gain), 0) < 0)
                    reader.log->correct(joint, name(gain), Use::ignored, "a negative gain is taken as zero");
        drive.stiffness = std::max(drive.stiffness, 0.0);
        drive.damping   = std::max(drive.damping, 0.0);
    }
    if (drive.max_force < 0) {
        reader.found.add(kDriveMaxForce, joint.site(),
                         fmt::format("the {} drive of <{}> has the largest force {}", instance.text(),
                                     joint.path().text(), drive.max_force));
        drive.max_force = std::abs(drive.max_force);
    }
    return drive;
}

// The drive of a one-axis joint: the instance that speaks of its motion; others are said to be ignored.
void read_axis_drive(const Reader& reader, Joint& joint, const usd::Token& instance, Dof dof)
{
    joint.drive.dof = dof;
    // Without an applied drive the reference reports the largest float as its force limit.
    joint.drive.max_force = std::numeric_limits<float>::max();
    for (const usd::Token& applied : joint.prim.api_instances(kDriveApi)) {
        if (applied == instance)
            joint.drive = read_drive(reader, joint.prim, dof, instance);
        else
            reader.found.add(kDriveIgnored, joint.prim.site(),
                             fmt::format("drive `{}` on the {} joint <{}>", applied.text(), to_string(joint.kind),
                                         joint.path.text()));
    }
}

void report_ignored(const Reader& reader, const Joint& joint, bool drives)
{
    for (const usd::Token& instance : joint.prim.api_instances(kLimitApi))
        reader.found.add(
            kLimitIgnored, joint.prim.site(),
            fmt::format("limit `{}` on the {} joint <{}>", instance.text(), to_string(joint.kind), joint.path.text()));
    if (!drives) return;
    for (const usd::Token& instance : joint.prim.api_instances(kDriveApi))
        reader.found.add(
            kDriveIgnored, joint.prim.site(),
            fmt::format("drive `{}` on the {} joint <{}>", instance.text(), to_string(joint.kind), joint.path.text()));
}

// One angle alone makes no cone.
void report_half_cone(const Reader& reader, const Joint& joint)
{
    if (joint.cone_enabled) return;
    for (const auto& [name, angle] : {std::pair(&kCone0, joint.cone_angle0), std::pair(&kCone1, joint.cone_angle1)}) {
        if (!std::isfinite(angle) || angle < 0) continue;
        reader.found.add(
            kLimitIgnored, joint.prim.attribute(*name).site(),
            fmt::format("{} of <{}> has no effect without the other angle", name->text(), joint.path.text()),
            "Author both angles of the cone.");
        if (reader.log != nullptr)
            reader.log->correct(joint.prim, *name, Use::ignored,
                                "a cone has two angles, and the other one is not authored");
    }
}

void read_axis_joint(const Reader& reader, Joint& joint)
{
    const bool turns  = joint.kind == JointKind::revolute;
    joint.axis        = reader.axis(joint.prim, kAxisName, Axis::x);
    const int offset  = static_cast<int>(joint.axis);
    joint.limit.dof   = static_cast<Dof>(static_cast<int>(turns ? Dof::rot_x : Dof::trans_x) + offset);
    joint.limit.lower = reader.number(joint.prim, kLower, -kInfinity);
    joint.limit.upper = reader.number(joint.prim, kUpper, kInfinity);
    // The reference drops one-sided limits of revolute joints.
    joint.limit.enabled = turns && reader.options.conventions.one_sided_hinge_limits_dropped
                              ? joint.limit.has_lower() && joint.limit.has_upper()
                              : joint.limit.has_lower() || joint.limit.has_upper();
    joint.limit         = finished(reader, joint.prim, joint.limit, kLower, kUpper, true);
    read_axis_drive(reader, joint, turns ? kAngular : kLinear, joint.limit.dof);
    report_ignored(reader, joint, false);
}

void read_d6(const Reader& reader, Joint& joint)
{
    const auto limits = joint.prim.api_instances(kLimitApi), drives = joint.prim.api_instances(kDriveApi);
    const auto applied = [](const std::vector<usd::Token>& list, std::string_view name) {
        return std::any_of(list.begin(), list.end(), [&](const usd::Token& token) { return token.text() == name; });
    };
    for (const Dof dof : kDofs) {
        const std::string_view instance = to_string(dof);
        if (applied(limits, instance)) {
            Limit limit;
            limit.dof = dof;
            const usd::Token low(fmt::format("limit:{}:physics:low", instance)),
                high(fmt::format("limit:{}:physics:high", instance));
            limit.lower   = reader.number(joint.prim, low, -kInfinity);
            limit.upper   = reader.number(joint.prim, high, kInfinity);
            limit.enabled = limit.has_lower() || limit.has_upper();
            joint.limits.push_back(finished(reader, joint.prim, limit, low, high, false));
        }
        if (applied(drives, instance))
            joint.drives.push_back(read_drive(reader, joint.prim, dof, usd::Token(instance)));
    }
    for (const auto* list : {&limits, &drives})
        for (const usd::Token& instance : *list)
            if (std::none_of(std::begin(kDofs), std::end(kDofs),
                             [&](Dof dof) { return to_string(dof) == instance.text(); }))
                reader.found.add(kDofUnknown, joint.prim.site(),
                                 fmt::format("`{}` on <{}>", instance.text(), joint.path.text()));
}

void read_kind(const Reader& reader, Joint& joint)
{
    switch (joint.kind) {
        case JointKind::revolute:
        case JointKind::prismatic:
            read_axis_joint(reader, joint);
            return;
        case JointKind::spherical:
            joint.axis        = reader.axis(joint.prim, kAxisName, Axis::x);
            joint.cone_angle0 = reader.number(joint.prim, kCone0, -1);
            joint.cone_angle1 = reader.number(joint.prim, kCone1, -1);
            // A cone whose angles are animated is kept, because they may become limits while the stage runs.
            joint.cone_enabled = (reader.options.animation &&
                                  (joint.prim.attribute(kCone0).varying() || joint.prim.attribute(kCone1).varying())) ||
                                 (std::isfinite(joint.cone_angle0) && std::isfinite(joint.cone_angle1) &&
                                  joint.cone_angle0 >= 0 && joint.cone_angle1 >= 0);
            report_half_cone(reader, joint);
            report_ignored(reader, joint, true);
            return;
        case JointKind::distance:
            // A negative distance means "no limit" in the schema, and so does a missing one.
            joint.limit.lower   = reader.number(joint.prim, kMin, -1);
            joint.limit.upper   = reader.number(joint.prim, kMax, -1);
            joint.min_enabled   = joint.limit.has_lower() && joint.limit.lower >= 0;
            joint.max_enabled   = joint.limit.has_upper() && joint.limit.upper >= 0;
            joint.limit.enabled = joint.min_enabled || joint.max_enabled;
            report_ignored(reader, joint, true);
            return;
        case JointKind::d6:
            read_d6(reader, joint);
            return;
        case JointKind::fixed:
            report_ignored(reader, joint, true);
            return;
        case JointKind::custom:
            return;
    }
}

double read_break(const Reader& reader, const usd::Prim& joint, const usd::Token& name)
{
    const double value = reader.number(joint, name, kInfinity);
    if (value > 0) return value;
    reader.found.add(kBreakNonpositive, joint.attribute(name).site(),
                     fmt::format("{} of <{}> is {}", name.text(), joint.path().text(), value));
    if (reader.log != nullptr && value != 0 && !reader.options.conventions.negative_strength_kept)
        reader.log->correct(joint, name, Use::ignored, "a negative strength cannot be meant; the joint never breaks");
    // Zero breaks at the first reaction; a negative one cannot be meant (CON-31).
    return value == 0 || reader.options.conventions.negative_strength_kept ? value : kInfinity;
}

void validate(const Reader& reader, Joint& joint, const Side (&sides)[2])
{
    // `strict` is OpenUSD's reading, which keeps a joint in each of these cases and only tells.
    const bool strict = reader.options.conventions.missing_target_is_world;
    for (int i = 0; i < 2; ++i) {
        if (sides[i].target_missing) {
            const Site        site = joint.prim.relationship(kBody[i]).site();
            const std::string message =
                fmt::format("{} of <{}> names <{}>, which {}", kBody[i].text(), joint.path.text(), sides[i].rel.text(),
                            sides[i].switched_off ? "is switched off (inactive, or not loaded)" : "does not exist");
            if (strict)
                reader.found.add(kJointTargetMissing, site, message, "The reference takes it as the world.");
            else
                reader.invalidate(joint, kJointTargetMissing, site, message);
        }
        if (sides[i].singular)
            reader.invalidate(joint, kBodySingular, joint.prim.site(),
                              fmt::format("a body of <{}> has a singular transform", joint.path.text()));
    }
    if (joint.body0 == kNone && joint.body1 == kNone) {
        const std::string message = fmt::format("no side of <{}> is an enabled rigid body", joint.path.text());
        if (strict)
            reader.found.add(kJointNoBody, joint.prim.site(), message);
        else
            reader.invalidate(joint, kJointNoBody, joint.prim.site(), message);
    } else if (joint.body0 == joint.body1) {
        const std::string message =
            fmt::format("both sides of <{}> are <{}>", joint.path.text(), joint.frame_body0.text());
        if (strict)
            reader.found.add(kJointSelf, joint.prim.site(), message);
        else
            reader.invalidate(joint, kJointSelf, joint.prim.site(), message);
    }
}

// Says when the frames disagree on what the joint locks.
void check_gap(const Reader& reader, const Joint& joint)
{
    if (!joint.valid || !joint.enabled) return;
    // The pose of frame 1 in frame 0. What the joint leaves free is taken out; the rest should be the identity.
    const Posed X_01  = inverse(joint.X_WF0) * joint.X_WF1;
    const Vec3d u     = unit_vector(joint.axis);
    double      apart = 0, turned = 0;
    switch (joint.kind) {
        case JointKind::fixed:
            apart  = length(X_01.p);
            turned = length(to_rotation_vector(X_01.q));
            break;
        case JointKind::revolute:
            apart = length(X_01.p);
            // The angle between the two axes. atan2 is exact for small angles, where acos is not.
            turned = std::atan2(length(cross(u, rotate(X_01.q, u))), dot(u, rotate(X_01.q, u)));
            break;
        case JointKind::prismatic:
            apart  = length(X_01.p - dot(X_01.p, u) * u);
            turned = length(to_rotation_vector(X_01.q));
            break;
        case JointKind::spherical:
            apart = length(X_01.p);
            break;
        case JointKind::distance:
        case JointKind::d6:
        case JointKind::custom:
            return;
    }
    // A stage that does not say its unit is taken in metres here as by the import.
    const usd::StageMetadata& meta = reader.stage.metadata();
    apart *= meta.authored_meters_per_unit ? meta.meters_per_unit : 1;
    if (apart > kLengthGap || turned > kAngleGap)
        reader.found.add(kJointFrameGap, joint.prim.site(),
                         fmt::format("the frames of <{}> are {:.4g} m and {:.4g} degrees apart", joint.path.text(),
                                     apart, turned / kDegrees));
}

Joint read_joint(const Reader& reader, const Record& record)
{
    Joint joint;
    joint.path          = record.prim.path();
    joint.prim          = record.prim;
    joint.kind          = *record.joint;
    joint.custom_token  = joint.kind == JointKind::custom ? record.custom : usd::Token();
    const Side sides[2] = {read_side(reader, record.prim, 0), read_side(reader, record.prim, 1)};
    joint.body0         = sides[0].body;
    joint.body1         = sides[1].body;
    joint.rel0          = sides[0].rel;
    joint.rel1          = sides[1].rel;
    joint.frame_body0   = sides[0].frame_body;
    joint.frame_body1   = sides[1].frame_body;
    joint.frame0        = sides[0].frame;
    joint.frame1        = sides[1].frame;
    joint.X_WF0         = sides[0].X_WF;
    joint.X_WF1         = sides[1].X_WF;

    joint.enabled           = reader.switched(record.prim, kJointEnabled, joint.starts_disabled);
    joint.collision_enabled = reader.flag(record.prim, kCollision, false);
    joint.excluded          = reader.flag(record.prim, kExcluded, false);
    joint.break_force       = read_break(reader, record.prim, kBreakForce);
    joint.break_torque      = read_break(reader, record.prim, kBreakTorque);
    validate(reader, joint, sides);
    read_kind(reader, joint);
    check_gap(reader, joint);
    return joint;
}

}  // namespace

void read_joints(Reader& reader)
{
    const auto records = reader.select([](const Record& record) { return record.joint.has_value(); });
    auto&      joints  = reader.model.joints;
    joints.resize(records.size());
    reader.parallel(records.size(),
                    [&](const Reader& part, std::size_t i) { joints[i] = read_joint(part, part.records[records[i]]); });
    reader.model.lookup.joints.reserve(joints.size());
    for (std::size_t i = 0; i < joints.size(); ++i)
        reader.model.lookup.joints.emplace(joints[i].path, static_cast<Index>(i));
}

}  // namespace mechane::physics

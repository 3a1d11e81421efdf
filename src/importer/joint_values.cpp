// Values of joints: limits, drives, springs, friction and initial state of each axis, through resolvers and in SI;
// types of joints; locked axes, merged joints, distances.
// Angles are authored in degrees: gains per degree times 180/pi are per radian.

#include "joint_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechane/resolve/joint_values.h"

namespace mechane::importer {
namespace {

using model::JointDofConfig;
using model::JointType;
using model::TargetMode;
using physics::Dimension;
using resolve::Key;
using resolve::Motion;
using resolve::Value;

/// Looks up one joint prim's values in the units of one kind of motion.
class Lookup {
  public:
    /// @param axis  of a joint with several, "transX" to "rotZ"; empty for a joint with one
    Lookup(Import& run, const physics::Joint& joint, Motion motion, std::string_view axis = {})
        : run_(run), joint_(joint), context_(run.context), resolvers_(run.resolvers_of(axis))
    { context_.motion = motion; }

    [[nodiscard]] double number(Key key, double otherwise) const
    { return resolvers_.get(joint_.prim, key, context_, Value(otherwise), &run_.found).number_or(otherwise); }
    [[nodiscard]] std::optional<double> number(Key key) const
    { return resolvers_.get(joint_.prim, key, context_, {}, &run_.found).number(); }
    /// Only what is authored for the axis itself.
    [[nodiscard]] std::optional<double> number_of_axis(Key key) const
    {
        const resolve::Resolved answer = resolvers_.get(joint_.prim, key, context_, {}, nullptr);
        return resolve::shared_attribute(answer.attribute).empty() ? std::nullopt : answer.number();
    }
    [[nodiscard]] const resolve::ResolverList& resolvers() const { return resolvers_; }
    [[nodiscard]] const resolve::Context&      context() const { return context_; }

  private:
    Import&                      run_;
    const physics::Joint&        joint_;
    resolve::Context             context_;
    const resolve::ResolverList& resolvers_;
};

TargetMode target_mode(const Import& run, bool driven, double ke, double kd)
{
    if (!driven) return TargetMode::none;
    if (ke != 0)
        return run.options.force_position_velocity_actuation && kd != 0 ? TargetMode::position_velocity
                                                                        : TargetMode::position;
    return kd != 0 ? TargetMode::velocity : TargetMode::effort;
}

}  // namespace

/// Factors of authored numbers; the same that animation uses.
DriveUnits drive_units(const Import& run, bool acceleration, Motion motion, bool of_d6)
{
    const bool turns = motion == Motion::angular;
    // Gains of an acceleration drive know no mass; those of angles are per degree, as a force drive's are.
    const bool per_mass = acceleration && !run.conventions.acceleration_drives_are_forces;
    double     scale    = turns ? run.gains_scaling : 1;
    if (turns && of_d6 && run.conventions.d6_gains_divided) scale = 1 / run.gains_scaling;
    DriveUnits units;
    const auto gain = [&](Dimension angular, Dimension linear) {
        if (per_mass) return scale * run.si(1, turns ? Dimension::per_angle : Dimension::none);
        return scale * run.si(1, turns ? angular : linear);
    };
    units.ke     = gain(Dimension::angular_stiffness, Dimension::linear_stiffness);
    units.kd     = gain(Dimension::angular_damping, Dimension::linear_damping);
    units.force  = run.si(1, turns ? Dimension::torque : Dimension::force);
    units.target = run.si(1, turns ? Dimension::angle : Dimension::length);
    return units;
}

namespace {

void apply_drive(const Import& run, const physics::Drive& drive, Motion motion, bool of_d6, JointDofConfig& dof)
{
    dof.effort_limit = kInfinity;
    // Without a drive nothing of the builder's default drive stays.
    dof.target_ke = dof.target_kd = dof.target_q = dof.target_qd = 0;
    if (drive.enabled) {
        const DriveUnits units = drive_units(run, drive.acceleration, motion, of_d6);
        dof.target_q           = units.target * drive.target_position;
        dof.target_qd          = units.target * drive.target_velocity;
        dof.target_ke          = units.ke * drive.stiffness;
        dof.target_kd          = units.kd * drive.damping;
        dof.effort_limit       = units.force * drive.max_force;
        dof.drive_type         = drive.acceleration && !run.conventions.acceleration_drives_are_forces
                                     ? model::DriveType::acceleration
                                     : model::DriveType::force;
    }
    dof.actuator_mode = target_mode(run, drive.enabled, dof.target_ke, dof.target_kd);
}

/// Everything of one axis except its direction. `name` as resolvers spell it: linear, angular, transX, ... rotZ.
JointDofConfig axis_values(Import& run, const physics::Joint& joint, std::string_view name, Motion motion,
                           const physics::Limit* limit, const physics::Drive* drive, bool of_d6, Filled& filled)
{
    const Lookup   look(run, joint, motion, of_d6 ? name : std::string_view());
    const bool     turns = motion == Motion::angular;
    JointDofConfig dof   = run.builder.default_dof;

    const auto length_or_angle = turns ? Dimension::angle : Dimension::length;
    if (limit != nullptr && limit->has_lower()) dof.limit_lower = run.si(limit->lower, length_or_angle);
    if (limit != nullptr && limit->has_upper()) dof.limit_upper = run.si(limit->upper, length_or_angle);
    const resolve::LimitGains gains =
        resolve::limit_gains(run.resolvers, joint.prim, name, look.context(), dof.limit_ke, dof.limit_kd, run.found);
    dof.limit_ke = gains.ke;
    dof.limit_kd = gains.kd;
    dof.limit_authored |= gains.authored;

    dof.armature = look.number(Key::joint_armature, dof.armature);
    dof.friction = look.number(Key::joint_friction, dof.friction);
    dof.damping  = resolve::joint_damping(look.resolvers(), joint.prim, look.context(), dof.damping, run.found)
                       .number_or(dof.damping);
    // NewtonJointAPI writes "no limit" as infinity, the model as its own large default.
    if (const auto v = look.number(Key::joint_velocity_limit); v && *v < kInfinity) dof.velocity_limit = *v;

    const resolve::Spring spring = resolve::joint_spring(look.resolvers(), joint.prim, run.scene, look.context());
    dof.stiffness                = spring.stiffness.value_or(dof.stiffness);
    // MuJoCo's spring reference and ref are of joints with one axis, unless they are said of this one.
    if (spring.rest_q && (!of_d6 || spring.of_axis)) dof.rest_q = spring.rest_q;
    if (!of_d6) {
        dof.limit_lower -= spring.ref;
        dof.limit_upper -= spring.ref;
    }
    const double undriven_effort = dof.effort_limit;
    apply_drive(run, drive != nullptr ? *drive : physics::Drive{}, motion, of_d6, dof);
    const bool driven = drive != nullptr && drive->enabled;
    if (driven && drive->acceleration && run.conventions.acceleration_drives_are_forces && run.log)
        run.log->correct(joint.prim, usd::Token(fmt::format("drive:{}:physics:type", name)), physics::Use::ignored,
                         "newton-1.8 knows force drives only");
    if (driven && limit != nullptr && dof.target_ke > 0 && dof.limit_lower <= dof.limit_upper &&
        (dof.target_q < dof.limit_lower || dof.target_q > dof.limit_upper)) {
        run.found.add(
            codes::kTargetRange, joint.prim.site(),
            fmt::format("the target {:.6g} of {} is not between {:.6g} and {:.6g}{}", drive->target_position,
                        joint.path.text(), limit->lower, limit->upper, of_d6 ? fmt::format(" ({})", name) : ""));
        if (run.log)
            run.log->correct(joint.prim, fmt::format("drive:{}:physics:targetPosition", name), physics::Use::ignored,
                             "beyond the limits; the middle of the range is held, or its only end");
    }
    // A target beyond the only bound is held at it; the builder takes the middle, which lies nowhere without a second.
    const bool no_lower = dof.limit_lower <= -model::kMaxValue, no_upper = dof.limit_upper >= model::kMaxValue;
    if (!run.conventions.targets_beyond_bound_kept && no_lower != no_upper)
        dof.target_q = no_lower ? std::min(dof.target_q, dof.limit_upper) : std::max(dof.target_q, dof.limit_lower);
    const std::optional<double> effort =
        of_d6 ? look.number_of_axis(Key::joint_effort_limit) : look.number(Key::joint_effort_limit);
    if (effort) dof.effort_limit = std::min(dof.effort_limit, *effort);
    if (!driven && !effort && !of_d6) dof.effort_limit = undriven_effort;

    if (const auto q = resolve::initial_position(run.resolvers, joint.prim, name, look.context(), run.found)) {
        dof.initial_q               = *q;
        filled.coordinates_authored = true;
    }
    if (const auto v = resolve::initial_velocity(run.resolvers, joint.prim, name, look.context(), run.found))
        dof.initial_qd = *v;
    return dof;
}

bool is_single_axis(const physics::Joint& joint)
{ return joint.kind == physics::JointKind::revolute || joint.kind == physics::JointKind::prismatic; }

JointDofConfig single_axis(Import& run, const physics::Joint& joint, bool of_d6, Filled& filled)
{
    const bool     turns = joint.kind == physics::JointKind::revolute;
    JointDofConfig dof = axis_values(run, joint, turns ? "angular" : "linear", turns ? Motion::angular : Motion::linear,
                                     &joint.limit, &joint.drive, false, filled);
    // As Newton leaves such axes.
    if (of_d6 && !joint.drive.enabled && dof.effort_limit == run.builder.default_dof.effort_limit &&
        run.conventions.undriven_axes_unbounded)
        dof.effort_limit = kInfinity;
    dof.axis = physics::unit_vector(joint.axis);
    return dof;
}

/// The motion at which a locked axis is held: its common bound, or zero when the bounds contradict each other.
double locked_at(const physics::Limit& limit) { return limit.lower == limit.upper ? limit.lower : 0; }

void fill_single(Import& run, const physics::Joint& source, const JointEnds& ends, model::BuilderJoint& joint,
                 Filled& filled)
{
    const bool turns = source.kind == physics::JointKind::revolute;
    if (source.limit.locked && !run.conventions.locked_axes_kept) {
        joint.type = JointType::fixed;
        if (run.log) run.log->dismiss(source.prim, "drive:", "the limits lock the joint");
        const double at      = run.si(locked_at(source.limit), turns ? Dimension::angle : Dimension::length);
        const Vec3d  axis    = physics::unit_vector(source.axis);
        const Posed  X_moved = turns ? Posed{{}, from_axis_angle(axis, at)} : Posed{at * axis, {}};
        // A locked axis is a fixed joint at the common bound.
        joint.parent_xform = joint.parent_xform * (ends.exchanged ? inverse(X_moved) : X_moved);
        return;
    }
    JointDofConfig dof = single_axis(run, source, false, filled);
    // With the ends exchanged the same motion is a turn or slide about the opposite axis; coordinate, limits and
    // targets stay.
    if (ends.exchanged && !run.conventions.reversed_axes_kept) dof.axis = -dof.axis;
    joint.type = turns ? JointType::revolute : JointType::prismatic;
    (turns ? joint.angular_axes : joint.linear_axes).push_back(dof);
}

/// The ends of a joint of several axes were exchanged, so that it is the inverse of what is authored: turns about a, b
/// and c became turns about -c, -b and -a. Slides come before the turns in a model's joint. Those of an inverse come
/// after them and have no place there, unless they run along the only axis that turns.
void tell_inverse(Import& run, const physics::Joint& source, const model::BuilderJoint& joint)
{
    if (joint.linear_axes.empty() || joint.angular_axes.empty()) return;
    const bool apart =
        joint.angular_axes.size() > 1 || std::ranges::any_of(joint.linear_axes, [&](const JointDofConfig& slide) {
            return length(cross(slide.axis, joint.angular_axes.front().axis)) > 1e-6;
        });
    if (!apart) return;
    run.found.add(
        codes::kJointInverse, source.prim.site(),
        fmt::format("{} slides and turns, and its body0 is what moves in the world: its slides are taken along "
                    "axes that do not turn",
                    source.path.text()));
}

void fill_merged(Import& run, JointGroup group, model::BuilderJoint& joint, Filled& filled)
{
    joint.type                  = JointType::d6;
    const physics::Joint& first = run.joint(group.front());
    // The world is the parent, whichever end it is; members may say it differently.
    const auto exchanged = [&](const physics::Joint& member) {
        return run.body_index(member.body1) < 0 && !run.conventions.reversed_axes_kept;
    };
    const auto  of_parent = [&](const physics::Joint& m) -> const Posed& { return exchanged(m) ? m.frame1 : m.frame0; };
    const auto  of_child  = [&](const physics::Joint& m) -> const Posed& { return exchanged(m) ? m.frame0 : m.frame1; };
    const Quatd q_first   = of_parent(first).q;
    bool        reported  = false;
    std::vector<physics::Index> members(group.begin(), group.end());
    if (exchanged(first)) std::ranges::reverse(members);  // the inverse of several turns
    for (const physics::Index i : members) {
        const physics::Joint& member = run.joint(i);
        JointDofConfig        dof    = single_axis(run, member, true, filled);
        if (exchanged(member)) dof.axis = -dof.axis;
        // Members may have anchors that are turned against the first: axes into its frame.
        if (const Quatd q = of_parent(member).q; std::abs(dot(q_first, q)) <= 1 - 1e-6)
            dof.axis = rotate(conjugate(q_first) * q, dof.axis);
        const bool turns   = member.kind == physics::JointKind::revolute;
        auto&      axes    = turns ? joint.angular_axes : joint.linear_axes;
        run.merged_axis[i] = {turns, axes.size()};
        axes.push_back(dof);
        const double apart =
            std::max(length(of_parent(member).p - of_parent(first).p), length(of_child(member).p - of_child(first).p));
        if (apart * run.length() > 1e-6 && !reported) {
            run.found.add(codes::kMergeAnchor, member.prim.site(),
                          fmt::format("{} is merged with {}, whose anchor lies {:.3g} away and is used",
                                      member.path.text(), first.path.text(), apart * run.length()));
            reported = true;
        }
    }
    if (exchanged(first)) tell_inverse(run, first, joint);
}

void fill_ball(Import& run, const physics::Joint& source, model::BuilderJoint& joint)
{
    const Lookup look(run, source, Motion::angular);
    joint.type = JointType::ball;
    for (int i = 0; i < 3; ++i) {
        JointDofConfig dof = run.builder.default_dof;
        dof.axis           = axis_vector<double>(i);
        dof.armature       = look.number(Key::joint_armature, dof.armature);
        dof.friction       = look.number(Key::joint_friction, dof.friction);
        dof.damping        = resolve::joint_damping(run.resolvers, source.prim, look.context(), dof.damping, run.found)
                                 .number_or(dof.damping);
        dof.stiffness      = resolve::joint_spring(run.resolvers, source.prim, run.scene, look.context())
                                 .stiffness.value_or(dof.stiffness);
        dof.rest_q.reset();
        joint.angular_axes.push_back(dof);
    }
    if (!run.conventions.no_cones_and_breaks && source.cone_enabled) {
        // The model's cone opens about the x axis of the anchor frames, to cone_limit[0] towards y. UsdPhysics counts
        // from its axis on: the first angle is towards the next axis, the second towards the one after that.
        const double thirds = static_cast<int>(source.axis);
        const Quatd  turn   = from_axis_angle(normalized(Vec3d{1, 1, 1}), thirds * 2 * kPi / 3);
        joint.parent_xform  = joint.parent_xform * Posed{{}, turn};
        joint.child_xform   = joint.child_xform * Posed{{}, turn};
        // Negative means no limit in UsdPhysics.
        joint.cone_limit = {source.cone_angle0 < 0 ? -1 : source.cone_angle0 * kDegrees,
                            source.cone_angle1 < 0 ? -1 : source.cone_angle1 * kDegrees};
    }
}

const physics::Limit* limit_of(const physics::Joint& joint, physics::Dof dof)
{
    const auto found =
        std::find_if(joint.limits.begin(), joint.limits.end(), [&](const physics::Limit& l) { return l.dof == dof; });
    return found == joint.limits.end() ? nullptr : &*found;
}
const physics::Drive* drive_of(const physics::Joint& joint, physics::Dof dof)
{
    const auto found =
        std::find_if(joint.drives.begin(), joint.drives.end(), [&](const physics::Drive& d) { return d.dof == dof; });
    return found == joint.drives.end() ? nullptr : &*found;
}

}  // namespace

void fill_distance(const Import& run, const physics::Joint& source, model::BuilderJoint& joint)
{
    joint.type         = JointType::distance;
    JointDofConfig dof = run.builder.default_dof;
    dof.axis           = {1, 0, 0};
    const bool generic = source.kind == physics::JointKind::d6;
    dof.limit_lower    = -1;
    dof.limit_upper    = generic ? model::kMaxValue : -1;  // a target of its drive must lie between the two
    // Negative distances mean no bound (PhysicsDistanceJoint).
    const physics::Limit* limit  = generic ? limit_of(source, physics::Dof::distance) : &source.limit;
    const auto            bounds = [&](bool has, double bound) { return has && bound >= 0; };
    if (limit != nullptr && bounds(generic ? limit->has_lower() : source.min_enabled, limit->lower))
        dof.limit_lower = run.si(limit->lower, Dimension::length);
    if (limit != nullptr && bounds(generic ? limit->has_upper() : source.max_enabled, limit->upper))
        dof.limit_upper = run.si(limit->upper, Dimension::length);
    if (const physics::Drive* drive = generic ? drive_of(source, physics::Dof::distance) : nullptr)
        apply_drive(run, *drive, Motion::linear, true, dof);
    joint.linear_axes.push_back(dof);
    for (int i = 1; i < 6; ++i) {
        JointDofConfig free;
        free.axis     = axis_vector<double>(i % 3);
        free.limit_ke = free.limit_kd = 0;
        (i < 3 ? joint.linear_axes : joint.angular_axes).push_back(free);
    }
    if (run.conventions.distance_joint_at_origin) {
        joint.q = {0, 0, 0, 0, 0, 0, 1};
        joint.qd.assign(6, 0);
    }
}

namespace {

bool fill_d6(Import& run, physics::Index index, const JointEnds& ends, model::BuilderJoint& joint, Filled& filled)
{
    using physics::Dof;
    const physics::Joint& source = run.joint(index);
    joint.type                   = JointType::d6;
    run.axis_names[index].clear();
    if (run.log && run.conventions.joint_distances_dropped)
        for (const char* prefix : {"drive:distance:", "limit:distance:"})
            run.log->dismiss(source.prim, prefix, "newton-1.8 does not simulate the distance of a PhysicsJoint");
    int   unlimited = 0;
    bool  driven    = false;
    Posed X_locked;
    for (const Dof dof : {Dof::trans_x, Dof::trans_y, Dof::trans_z, Dof::rot_x, Dof::rot_y, Dof::rot_z}) {
        const physics::Limit* limit  = limit_of(source, dof);
        const physics::Drive* drive  = drive_of(source, dof);
        const bool            turns  = physics::is_rotation(dof);
        const int             number = static_cast<int>(dof) - static_cast<int>(turns ? Dof::rot_x : Dof::trans_x);
        const Vec3d           axis   = axis_vector<double>(number);
        if (limit == nullptr) {
            ++unlimited;
            if (run.conventions.unlimited_axes_locked) continue;
        } else if (limit->locked) {
            const double at = run.si(locked_at(*limit), turns ? Dimension::angle : Dimension::length);
            if (run.log)
                run.log->dismiss(source.prim, fmt::format("drive:{}:", physics::to_string(dof)),
                                 "the limits lock this axis");
            // Locked axes go into the anchor, in the order of axes.
            X_locked = X_locked * (turns ? Posed{{}, from_axis_angle(axis, at)} : Posed{at * axis, {}});
            continue;
        }
        driven               = driven || (drive != nullptr && drive->enabled);
        JointDofConfig value = axis_values(run, source, physics::to_string(dof),
                                           turns ? Motion::angular : Motion::linear, limit, drive, true, filled);
        value.axis           = ends.exchanged && !run.conventions.reversed_axes_kept ? -axis : axis;
        // Newton reads its default of "no limit" as degrees.
        if (turns && run.conventions.no_limit_in_degrees &&
            (limit == nullptr || (!limit->has_lower() && !limit->has_upper())))
            value.limit_lower *= kDegrees, value.limit_upper *= kDegrees;
        (turns ? joint.angular_axes : joint.linear_axes).push_back(value);
        run.axis_names[index].emplace_back(physics::to_string(dof));
    }
    if (run.conventions.unlimited_axes_locked) {
        if (unlimited > 0)
            run.found.add(
                codes::kD6Unlimited, source.prim.site(),
                fmt::format("{} of the six axes of {} have no limit and are locked", unlimited, source.path.text()));
        return true;
    }
    joint.parent_xform = joint.parent_xform * (ends.exchanged ? inverse(X_locked) : X_locked);
    if (ends.exchanged && !run.conventions.reversed_axes_kept) {
        std::vector<std::string>& names = run.axis_names[index];
        std::ranges::reverse(joint.angular_axes);
        std::reverse(names.begin() + static_cast<std::ptrdiff_t>(joint.linear_axes.size()), names.end());
        tell_inverse(run, source, joint);
    }
    if (unlimited == 6 && !driven) {
        run.found.add(codes::kJointSkipped, source.prim.site(),
                      fmt::format("{} has no limit or drive and no effect", source.path.text()));
        return false;
    }
    if (joint.linear_axes.empty() && joint.angular_axes.empty()) joint.type = JointType::fixed;
    // Three free turns are a ball: no order of turns, no gimbal lock.
    const bool plain_ball =
        joint.linear_axes.empty() && joint.angular_axes.size() == 3 && !driven &&
        std::all_of(joint.angular_axes.begin(), joint.angular_axes.end(), [&](const JointDofConfig& d) {
            const JointDofConfig& x = joint.angular_axes.front();
            const bool same         = d.armature == x.armature && d.friction == x.friction && d.damping == x.damping &&
                                      d.stiffness == x.stiffness && d.rest_q == x.rest_q;
            // What one turn alone resists is no matter of a ball.
            return same && d.limit_lower <= -model::kMaxValue && d.limit_upper >= model::kMaxValue && d.initial_q == 0;
        });
    if (plain_ball) {
        joint.type = JointType::ball;
        for (int i = 0; i < 3; ++i) joint.angular_axes[static_cast<std::size_t>(i)].axis = axis_vector<double>(i);
    }
    return true;
}

}  // namespace

bool keeps_distance(const physics::Joint& joint)
{
    return joint.kind == physics::JointKind::d6 &&
           (limit_of(joint, physics::Dof::distance) != nullptr || drive_of(joint, physics::Dof::distance) != nullptr);
}

bool keeps_distance_only(const physics::Joint& joint)
{
    const auto other = [](const auto& entry) { return entry.dof != physics::Dof::distance; };
    return keeps_distance(joint) && std::none_of(joint.limits.begin(), joint.limits.end(), other) &&
           std::none_of(joint.drives.begin(), joint.drives.end(), other);
}

bool has_one_dof(const physics::Joint& joint)
{
    switch (joint.kind) {
        case physics::JointKind::fixed:
        case physics::JointKind::revolute:
        case physics::JointKind::prismatic:
        case physics::JointKind::spherical:
            return true;  // a ball's inverse is again a ball
        case physics::JointKind::d6: {
            // Five of six locked leave one.
            const auto locked = std::count_if(joint.limits.begin(), joint.limits.end(), [](const physics::Limit& l) {
                return l.locked && l.dof != physics::Dof::distance;
            });
            return locked >= 5;
        }
        case physics::JointKind::distance:
        case physics::JointKind::custom:
            break;
    }
    return false;
}

Filled fill_joint(Import& run, JointGroup group, const JointEnds& ends, model::BuilderJoint& joint)
{
    const physics::Joint& source = run.joint(group.front());
    Filled                filled;
    if (group.size() > 1) {
        fill_merged(run, group, joint, filled);
    } else if (is_single_axis(source)) {
        fill_single(run, source, ends, joint, filled);
    } else {
        switch (source.kind) {
            case physics::JointKind::fixed:
                joint.type = JointType::fixed;
                break;
            case physics::JointKind::spherical:
                fill_ball(run, source, joint);
                break;
            case physics::JointKind::distance:
                fill_distance(run, source, joint);
                break;
            case physics::JointKind::d6:
                if (keeps_distance_only(source) && !run.conventions.joint_distances_dropped)
                    fill_distance(run, source, joint);
                else
                    filled.holds = fill_d6(run, group.front(), ends, joint, filled);
                break;
            case physics::JointKind::revolute:
            case physics::JointKind::prismatic:
                break;
            case physics::JointKind::custom:
                run.found.add(codes::kJointSkipped, source.prim.site(),
                              fmt::format("{} is of a kind that is not simulated", source.path.text()));
                filled.holds = false;
        }
    }
    if (run.conventions.no_cones_and_breaks && run.log)
        for (const char* prefix : {"physics:break", "physics:cone"})
            run.log->dismiss(source.prim, prefix, "newton-1.8 has no such limit");
    if (!run.conventions.no_cones_and_breaks) {
        // Exporters write "never" as the largest single-precision number.
        const auto strength = [&](double value, Dimension dimension) {
            return value > 0.5e38 ? kInfinity : run.si(value, dimension);
        };
        joint.break_force  = strength(source.break_force, Dimension::force);
        joint.break_torque = strength(source.break_torque, Dimension::torque);
    }
    for (const physics::Index i : group) run.collect(run.joint(i).prim);
    return filled;
}

}  // namespace mechane::importer

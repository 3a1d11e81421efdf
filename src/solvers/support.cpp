// What of a model's features each solver honours: a table of features with a function that lists who uses one, and for
// each solver the rows where it falls short. `report_support` turns them into diagnostics, and docs are tested against
// them.
// A new feature of the model gets a row in kRows; a solver that does not read it gets a Shortcoming.

#include "mechane/solvers/support.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include "mechane/model/builder.h"
#include "mechane/model/types.h"
#include "mechane/solvers/codes.h"
#include "mechane/solvers/parameters.h"
#include "solvers/mujoco/attributes.h"

namespace mechane::solvers {

namespace {

using model::JointType;
using model::Model;
using Labels = std::vector<std::string_view>;

/// Labels of the entities [0, count) that `has` is true of.
template <class Has>
Labels those(const std::vector<std::string>& labels, Has&& has)
{
    Labels out;
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (has(i)) out.emplace_back(labels[i]);
    return out;
}

template <JointType... types>
Labels joints_of_type(const Model& m)
{
    return those(m.joint_label, [&](std::size_t j) { return ((m.joint_type[j] == types) || ...); });
}

/// Of the joints for which `counts` is true, those that have a dof for which `has` is.
template <class Counts, class Has>
Labels joints_with_dof(const Model& m, Counts&& counts, Has&& has)
{
    return those(m.joint_label, [&](std::size_t j) {
        for (auto d = static_cast<std::size_t>(m.joint_qd_start[j]);
             counts(j) && d < static_cast<std::size_t>(m.joint_qd_start[j + 1]); ++d)
            if (has(d)) return true;
        return false;
    });
}
/// Free joints have limits and gains in the arrays that nobody reads, and a distance has no axes.
bool has_axes(const Model& m, std::size_t j)
{ return m.joint_type[j] != JointType::free && m.joint_type[j] != JointType::distance; }
template <class Has>
Labels joints_with_dof(const Model& m, Has&& has)
{
    return joints_with_dof(m, [&](std::size_t j) { return has_axes(m, j); }, has);
}

// model::kMaxValue stands for "no limit" in the arrays.
bool bounded(Real value) { return static_cast<double>(value) < model::kMaxValue; }
bool driven(const Model& m, std::size_t d) { return m.joint_target_ke[d] > 0 || m.joint_target_kd[d] > 0; }
bool limited(const Model& m, std::size_t d)
{ return bounded(m.joint_limit_upper[d]) || bounded(-m.joint_limit_lower[d]); }
bool collides(const Model& m, std::size_t s) { return (m.shape_flags[s] & model::shape_flag::collide_shapes) != 0; }

/// Shapes that do not collide have materials as well, which do nothing.
Labels shapes(const Model& m, const std::vector<Real>& values)
{
    return those(m.shape_label, [&](std::size_t s) { return collides(m, s) && values[s] > 0; });
}

/// One for each row of MuJoCo's own that pushes while nobody commands it: actuators with a bias of their own which no
/// drive of a joint stands for. A motor pushes when it is told to.
Labels pushing_actuators(const Model& m)
{
    const mujoco::Attributes of(m, {});
    Labels                   out;
    for (std::size_t i = 0; i < of.rows("ctrl_source"); ++i) {
        const std::int32_t kind   = of.whole("actuator_biastype", i, 0);  // 0 none, 1 affine, 2 a muscle
        bool               biased = kind == 2;
        for (std::size_t c = 0; c < 10; ++c)
            biased = biased || (kind == 1 && of.number("actuator_biasprm", i, 0, c) != 0);
        if (biased && of.whole("ctrl_source", i, 1) == 1) out.emplace_back("actuators");
    }
    return out;
}
/// The same of tendons: what only carries the force of an actuator does nothing by itself.
Labels pulling_tendons(const Model& m)
{
    const mujoco::Attributes of(m, {});
    Labels                   out;
    for (std::size_t i = 0; i < of.rows("tendon_world"); ++i) {
        const std::int32_t limited = of.whole("tendon_limited", i, 2);  // 2: where it has a range
        bool               pulls =
            limited == 1 || (limited == 2 && of.number("tendon_range", i, 0) < of.number("tendon_range", i, 0, 1));
        for (const char* value : {"tendon_stiffness", "tendon_damping", "tendon_frictionloss"})
            pulls = pulls || of.number(value, i, 0) != 0;
        if (pulls) out.emplace_back("tendons");
    }
    return out;
}

/// Labels of what rows of MuJoCo's say of joints, where `has` is true of a row.
template <class Has>
Labels rows_of_joints(const Model& m, const mujoco::Attributes& of, std::string_view counted,
                      std::int32_t (*joint)(const Model&, const mujoco::Attributes&, std::size_t), Has&& has)
{
    Labels out;
    for (std::size_t i = 0; i < of.rows(counted); ++i) {
        const std::int32_t j = has(i) ? joint(m, of, i) : -1;
        if (j >= 0 && static_cast<std::size_t>(j) < m.joint_count()) out.emplace_back(m.joint_label[j]);
    }
    return out;
}
/// Joints whose drive is a servo of MuJoCo's, of which `has` is true.
template <class Has>
Labels servos(const Model& m, const mujoco::Attributes& of, Has&& has)
{
    const auto joint = [](const Model& model, const mujoco::Attributes& rows, std::size_t i) {
        const std::int32_t dof = rows.whole("actuator_target_dof", i, rows.whole("actuator_trnid", i, -1));
        const auto         at  = std::upper_bound(model.joint_qd_start.begin(), model.joint_qd_start.end(), dof);
        return dof < 0 ? -1 : static_cast<std::int32_t>(at - model.joint_qd_start.begin()) - 1;
    };
    return rows_of_joints(m, of, "ctrl_source", joint,
                          [&](std::size_t i) { return of.whole("ctrl_source", i, 1) == 0 && has(i); });
}
/// Those whose control has a range: a target beyond it is no target for MuJoCo.
Labels bounded_servos(const Model& m)
{
    const mujoco::Attributes of(m, {});
    return servos(m, of, [&](std::size_t i) {
        const bool said = !of.has("actuator_has_ctrlrange") || of.flag("actuator_has_ctrlrange", i, false);
        return of.whole("actuator_ctrllimited", i, 2) != 0 && said &&
               of.number("actuator_ctrlrange", i, 0) < of.number("actuator_ctrlrange", i, 0, 1);
    });
}
/// Those with a ratio of damping, a positive number where the damping of a servo would be: -kv.
Labels servos_with_ratio(const Model& m)
{
    const mujoco::Attributes of(m, {});
    return servos(m, of, [&](std::size_t i) {
        return of.number("actuator_gainprm", i, 0) != 0 && of.number("actuator_biasprm", i, 0, 2) > 0;
    });
}
/// Followers of a polynomial above the first degree.
Labels curved_followers(const Model& m)
{
    const mujoco::Attributes of(m, {});
    const auto               joint = [](const Model&, const mujoco::Attributes& rows, std::size_t i) {
        return rows.whole("equality_constraint_joint1", i, rows.whole("equality_constraint_target", i, -1));
    };
    return rows_of_joints(m, of, "equality_constraint_target", joint, [&](std::size_t i) {
        return of.number("equality_constraint_polycoef", i, 0, 2) != 0 ||
               of.number("equality_constraint_polycoef", i, 0, 3) != 0 ||
               of.number("equality_constraint_polycoef", i, 0, 4) != 0;
    });
}
/// One if the scene is full of a medium.
Labels medium(const Model& m)
{
    const mujoco::Attributes of(m, {});
    Labels                   out;
    for (const char* name : {"density", "viscosity"})
        for (std::size_t i = 0; i < of.rows(name) && out.empty(); ++i)
            if (of.number(name, i, 0) != 0) out.emplace_back("medium");
    return out;
}

bool closes_loop(const Model& m, std::size_t j) { return m.joint_articulation[j] < 0 && m.joint_enabled[j] != 0; }

/// The joints outside of trees.
template <class Has>
Labels loops_with_dof(const Model& m, Has&& has)
{
    return joints_with_dof(m, [&](std::size_t j) { return has_axes(m, j) && closes_loop(m, j); }, has);
}
/// The other ones, free ones too: what loops make of a value is a feature of its own.
template <class Has>
Labels tree_joints_with_dof(const Model& m, Has&& has)
{
    return joints_with_dof(m, [&](std::size_t j) { return !closes_loop(m, j); }, has);
}

/// All particles, where the model has any and asks for something.
Labels particles_if(const Model& m, bool asked) { return asked ? Labels(m.particle_count(), "particles") : Labels{}; }

// A feature, who uses it in a model, and what the default solver softstep does with it. The consequence is the text
// for the user where the support is not full.
struct Row {
    Feature feature;
    Labels (*find)(const Model&);
    Support          softstep;
    std::string_view consequence;
};

// The rows are those of a table of solvers: what a robot's description can ask for.
const Row kRows[] = {
    {{"joint.basic", "prismatic, revolute, fixed and free joints"},
     joints_of_type<JointType::prismatic, JointType::revolute, JointType::fixed, JointType::free>,
     Support::full,
     {}},
    {{"joint.ball", "ball joints"}, joints_of_type<JointType::ball>, Support::full, {}},
    {{"joint.distance", "distance joints"}, joints_of_type<JointType::distance>, Support::full, {}},
    {{"joint.d6", "joints of several axes"}, joints_of_type<JointType::d6>, Support::full, {}},
    {{"joint.rod", "elastic rods"},
     joints_of_type<JointType::rod>,
     Support::approximated,
     "they bend and twist, and neither stretch nor shear"},
    {{"joint.disabled", "joints that are switched off"},
     [](const Model& m) { return those(m.joint_label, [&](std::size_t j) { return !m.joint_enabled[j]; }); },
     Support::full,
     {}},
    {{"joint.loop", "joints that close a loop or are excluded from their articulation"},
     [](const Model& m) { return those(m.joint_label, [&](std::size_t j) { return closes_loop(m, j); }); },
     Support::full,
     {}},
    {{"joint.loop_values", "drives, limits, damping and springs of joints that close a loop"},
     [](const Model& m) {
         return loops_with_dof(m, [&](std::size_t d) {
             return driven(m, d) || limited(m, d) || m.joint_damping[d] > 0 || m.joint_stiffness[d] > 0;
         });
     },
     Support::full,
     {}},
    {{"joint.loop_friction", "dry friction of joints that close a loop"},
     [](const Model& m) { return loops_with_dof(m, [&](std::size_t d) { return m.joint_friction[d] > 0; }); },
     Support::full,
     {}},
    {{"joint.loop_armature", "armature of joints that close a loop"},
     [](const Model& m) { return loops_with_dof(m, [&](std::size_t d) { return m.joint_armature[d] > 0; }); },
     Support::ignored,
     "it adds no inertia"},
    {{"joint.limit", "position limits"},
     [](const Model& m) { return joints_with_dof(m, [&](std::size_t d) { return limited(m, d); }); },
     Support::full,
     {}},
    {{"joint.limit_gains", "limits with a stiffness of their own"},
     [](const Model& m) {
         // A default-made config shows what a builder writes where nothing is authored: only what differs from it is
         // a use.
         const model::JointDofConfig plain;
         return joints_with_dof(m, [&](std::size_t d) {
             return limited(m, d) &&
                    (m.joint_limit_authored[d] != 0 || m.joint_limit_ke[d] != static_cast<Real>(plain.limit_ke) ||
                     m.joint_limit_kd[d] != static_cast<Real>(plain.limit_kd));
         });
     },
     Support::full,
     {}},
    {{"joint.velocity_limit", "velocity limits"},
     [](const Model& m) {
         const model::JointDofConfig plain;
         return joints_with_dof(m, [&](std::size_t d) {
             return m.joint_velocity_limit[d] > 0 &&
                    m.joint_velocity_limit[d] < static_cast<Real>(plain.velocity_limit);
         });
     },
     Support::full,
     {}},
    {{"joint.effort_limit", "effort limits of drives"},
     [](const Model& m) {
         // Without a drive an effort limit bounds nothing.
         const model::JointDofConfig plain;
         return joints_with_dof(m, [&](std::size_t d) {
             return driven(m, d) && m.joint_effort_limit[d] < static_cast<Real>(plain.effort_limit);
         });
     },
     Support::full,
     {}},
    {{"joint.drive", "drives"},
     [](const Model& m) { return joints_with_dof(m, [&](std::size_t d) { return driven(m, d); }); },
     Support::full,
     {}},
    {{"joint.acceleration_drive", "drives of type acceleration"},
     [](const Model& m) {
         return joints_with_dof(
             m, [&](std::size_t d) { return driven(m, d) && m.joint_drive_type[d] == model::DriveType::acceleration; });
     },
     Support::full,
     {}},
    {{"joint.passive", "passive damping and springs"},
     [](const Model& m) {
         return joints_with_dof(m, [&](std::size_t d) { return m.joint_damping[d] > 0 || m.joint_stiffness[d] > 0; });
     },
     Support::full,
     {}},
    {{"joint.armature", "armature"},
     [](const Model& m) { return tree_joints_with_dof(m, [&](std::size_t d) { return m.joint_armature[d] > 0; }); },
     Support::full,
     {}},
    {{"joint.friction", "dry friction"},
     [](const Model& m) { return tree_joints_with_dof(m, [&](std::size_t d) { return m.joint_friction[d] > 0; }); },
     Support::full,
     {}},
    {{"joint.cone_limit", "cone limits of ball joints"},
     [](const Model& m) {
         return those(m.joint_label, [&](std::size_t j) {
             return m.joint_type[j] == JointType::ball && m.joint_cone_limit[j][0] >= 0 &&
                    m.joint_cone_limit[j][1] >= 0;
         });
     },
     Support::full,
     {}},
    {{"joint.mimic", "joints that follow another"},
     [](const Model& m) { return those(m.joint_label, [&](std::size_t j) { return m.joint_mimic_joint[j] >= 0; }); },
     Support::full,
     {}},
    {{"joint.break", "joints that can break"},
     [](const Model& m) {
         // Exporters write the largest float where they mean infinity.
         return those(m.joint_label, [&](std::size_t j) {
             // 1e30 lies far above any force of a joint and far below the largest float (3.4e38).
             return static_cast<double>(m.joint_break_force[j]) < 1e30 ||
                    static_cast<double>(m.joint_break_torque[j]) < 1e30;
         });
     },
     Support::full,
     {}},
    {{"body.kinematic", "kinematic bodies that move by a velocity of their own"},
     [](const Model& m) {
         // What goes where a target says is honoured by all.
         return those(m.body_label, [&](std::size_t b) {
             return (m.body_flags[b] & model::body_flag::kinematic) != 0 && !(m.body_qd[b] == Spatial{});
         });
     },
     Support::full,
     {}},
    {{"body.starts_asleep", "bodies that start asleep"},
     [](const Model& m) { return those(m.body_label, [&](std::size_t b) { return m.body_starts_asleep[b] != 0; }); },
     Support::full,
     {}},
    {{"contact.friction", "sliding friction"},
     [](const Model& m) { return shapes(m, m.shape_material_mu); },
     Support::full,
     {}},
    {{"contact.static_friction", "static friction above the dynamic"},
     [](const Model& m) {
         return those(m.shape_label, [&](std::size_t s) {
             return collides(m, s) && m.shape_material_mu_static[s] > m.shape_material_mu[s];
         });
     },
     Support::full,
     {}},
    {{"contact.combine", "rules by which the friction of two shapes becomes one"},
     [](const Model& m) {
         return those(m.shape_label, [&](std::size_t s) {
             return collides(m, s) && m.shape_friction_combine[s] >= 0 &&
                    m.shape_friction_combine[s] != static_cast<std::int32_t>(model::MaterialCombine::maximum);
         });
     },
     Support::full,
     {}},
    {{"contact.turning_friction", "torsional and rolling friction"},
     [](const Model& m) {
         // Coefficients that a builder writes where nothing is authored are no use.
         const model::ShapeConfig plain;
         const auto asked = [](Real mu, double unsaid) { return mu > 0 && mu != static_cast<Real>(unsaid); };
         return those(m.shape_label, [&](std::size_t s) {
             return collides(m, s) && (asked(m.shape_material_mu_torsional[s], plain.mu_torsional) ||
                                       asked(m.shape_material_mu_rolling[s], plain.mu_rolling));
         });
     },
     Support::full,
     {}},
    {{"contact.restitution", "restitution"},
     [](const Model& m) { return shapes(m, m.shape_material_restitution); },
     Support::full,
     {}},
    {{"contact.surface_velocity", "surfaces that move by themselves"},
     [](const Model& m) {
         return those(m.shape_label,
                      [&](std::size_t s) { return collides(m, s) && !(m.shape_surface_velocity[s] == Spatial{}); });
     },
     Support::full,
     {}},
    {{"contact.adhesion", "shapes that stick to each other"},
     [](const Model& m) { return shapes(m, m.shape_material_ka); },
     Support::ignored,
     "nothing pulls: contacts only push"},
    {{"contact.stiffness", "contact stiffness and damping of materials"},
     [](const Model& m) {
         const model::ShapeConfig plain;
         return those(m.shape_label, [&](std::size_t s) {
             return collides(m, s) && (m.shape_material_ke[s] != static_cast<Real>(plain.ke) ||
                                       m.shape_material_kd[s] != static_cast<Real>(plain.kd));
         });
     },
     Support::approximated,
     "contacts are as stiff as the substep can carry, and do not bounce by themselves"},
    {{"contact.friction_gain", "friction gains of materials"},
     [](const Model& m) {
         const model::ShapeConfig plain;
         return those(m.shape_label, [&](std::size_t s) {
             return collides(m, s) && m.shape_material_kf[s] != static_cast<Real>(plain.kf);
         });
     },
     Support::approximated,
     "a contact sticks until friction gives way, at any speed"},
    {{"mujoco.actuator", "actuators of MuJoCo that are no drive of a joint"},
     pushing_actuators,
     Support::ignored,
     "they push nothing; the solver mujoco has them"},
    {{"mujoco.tendon", "tendons of MuJoCo"},
     pulling_tendons,
     Support::ignored,
     "they pull nothing; the solver mujoco has them"},
    {{"mujoco.control_range", "ranges of the controls of MuJoCo's servos"},
     bounded_servos,
     Support::approximated,
     "a target beyond the range is taken as it is"},
    {{"mujoco.damping_ratio", "ratios of damping of MuJoCo's servos"},
     servos_with_ratio,
     Support::ignored,
     "the drive has no damping; the solver mujoco has it"},
    {{"mujoco.polynomial", "joints that follow another by a polynomial of MuJoCo's"},
     curved_followers,
     Support::approximated,
     "they follow its linear part; the solver mujoco has all of it"},
    {{"mujoco.gravcomp", "gravity compensation of bodies"},
     [](const Model& m) {
         const mujoco::Attributes of(m, {});
         return those(m.body_label, [&](std::size_t b) { return of.number("gravcomp", b, 0) != 0; });
     },
     Support::ignored,
     "gravity acts on the whole body; the solver mujoco has it"},
    {{"mujoco.medium", "the density and viscosity of what bodies move in"},
     medium,
     Support::ignored,
     "nothing holds them up or back; the solver mujoco has it"},
    {{"particle", "particles"},
     [](const Model& m) { return Labels(m.particle_count(), "particles"); },
     Support::full,
     {}},
    {{"particle.air", "triangles with drag or lift"},
     [](const Model& m) {
         const bool any = std::ranges::any_of(m.tri_materials, [](const auto& k) { return k[3] != 0 || k[4] != 0; });
         return any ? Labels{"triangles"} : Labels{};
     },
     Support::full,
     {}},
    {{"particle.restitution", "restitution of particles (soft_contact_restitution)"},
     [](const Model& m) { return particles_if(m, m.soft_contact.restitution > 0); },
     Support::ignored,
     "the damping of the contact says how much a particle bounces"},
    {{"particle.cohesion", "particles that stick to each other, or to shapes"},
     [](const Model& m) { return particles_if(m, m.particle_contact.cohesion > 0 || m.particle_contact.adhesion > 0); },
     Support::ignored,
     "nothing pulls: contacts only push"},
    {{"particle.friction_gain", "friction gains of particles"},
     [](const Model& m) {
         return particles_if(m, m.soft_contact.kf != Model::SoftContactMaterial{}.kf ||
                                    m.particle_contact.kf != Model::ParticleContact{}.kf);
     },
     Support::approximated,
     "a contact sticks until friction gives way, at any speed"},
    {{"particle.contact_stiffness", "stiffness and damping of the contacts of particles"},
     [](const Model& m) {
         const Model::SoftContactMaterial shape;
         const Model::ParticleContact     ball;
         return particles_if(m, m.soft_contact.ke != shape.ke || m.soft_contact.kd != shape.kd ||
                                    m.particle_contact.ke != ball.ke || m.particle_contact.kd != ball.kd);
     },
     Support::full,
     {}},
    {{"attachment", "particles that are held at bodies"},
     [](const Model& m) { return Labels(m.attachment_particle_body_count(), "attachments"); },
     Support::full,
     {}},
    {{"contact.hydroelastic", "hydroelastic shapes"},
     [](const Model& m) {
         return those(m.shape_label,
                      [&](std::size_t s) { return (m.shape_flags[s] & model::shape_flag::hydroelastic) != 0; });
     },
     Support::full,
     {}},
};

/// Where a solver falls short of a feature; the features that it does not name it honours.
struct Shortcoming {
    std::string_view feature;
    Support          support;
    std::string_view consequence;
};

using enum Support;

// Sentences that several solvers share. They follow the name of the feature in a diagnostic.
constexpr std::string_view kFree = "the joint does nothing, its child moves freely", kNotRead = "it is not read",
                           kAsForce = "the gains are taken as stiffness and damping, whatever the inertia",
                           kStays   = "without a target the body stays where it is",
                           kDynamic = "the dynamic coefficient holds at rest too", kAwake = "they are awake",
                           kRefused = "a joint that closes a loop is refused", kUnbroken = "they never break",
                           kNoActuators = "they push nothing; the solver mujoco has them",
                           kNoTendons   = "they pull nothing; the solver mujoco has them",
                           kTakenAsIs   = "a target beyond the range is taken as it is",
                           kUndamped    = "the drive has no damping; the solver mujoco has it",
                           kLinear      = "they follow its linear part; the solver mujoco has all of it",
                           kWholeWeight = "gravity acts on the whole body; the solver mujoco has it",
                           kNoMedium    = "nothing holds them up or back; the solver mujoco has it";

constexpr Shortcoming kXpbdLacks[] = {
    {"particle.air", ignored, "air does not act on them"},
    {"particle.restitution", ignored, "particles bounce with the parameter enable_restitution only"},
    {"particle.friction_gain", approximated, "a contact sticks until friction gives way, at any speed"},
    {"particle.contact_stiffness", ignored, "contacts are hard, whatever their stiffness"},
    {"mujoco.control_range", approximated, kTakenAsIs},
    {"mujoco.damping_ratio", ignored, kUndamped},
    {"mujoco.polynomial", approximated, kLinear},
    {"mujoco.gravcomp", ignored, kWholeWeight},
    {"mujoco.medium", ignored, kNoMedium},
    {"joint.loop_friction", ignored, kNotRead},
    {"joint.loop_armature", ignored, kNotRead},
    {"mujoco.actuator", ignored, kNoActuators},
    {"mujoco.tendon", ignored, kNoTendons},
    {"joint.rod", ignored, kFree},
    {"joint.limit_gains", ignored, "limits are hard, whatever their stiffness"},
    {"joint.velocity_limit", ignored, kNotRead},
    {"joint.effort_limit", ignored, "drives push as hard as they need to"},
    {"joint.acceleration_drive", ignored, kAsForce},
    {"joint.passive", ignored, kNotRead},
    {"joint.armature", ignored, kNotRead},
    {"joint.friction", ignored, kNotRead},
    {"joint.cone_limit", ignored, kNotRead},
    {"joint.break", ignored, kUnbroken},
    {"body.kinematic", approximated, kStays},
    {"body.starts_asleep", ignored, kAwake},
    {"contact.static_friction", ignored, kDynamic},
    {"contact.restitution", ignored, "bodies bounce with the parameter enable_restitution only"},
    {"contact.adhesion", ignored, "nothing pulls: contacts only push"},
    {"contact.stiffness", ignored, "contacts are hard, whatever their stiffness"},
    {"contact.friction_gain", ignored, "friction sticks until it gives way, at any speed"},
    {"contact.hydroelastic", approximated, "the contacts of the pressure field are hard"}};

constexpr Shortcoming kSemiImplicitLacks[] = {
    {"particle.restitution", ignored, "the damping of the contact says how much a particle bounces"},
    {"mujoco.control_range", approximated, kTakenAsIs},
    {"mujoco.damping_ratio", ignored, kUndamped},
    {"mujoco.polynomial", approximated, kLinear},
    {"mujoco.gravcomp", ignored, kWholeWeight},
    {"mujoco.medium", ignored, kNoMedium},
    {"joint.loop_friction", ignored, kNotRead},
    {"joint.loop_armature", ignored, kNotRead},
    {"mujoco.actuator", ignored, kNoActuators},
    {"mujoco.tendon", ignored, kNoTendons},
    {"joint.ball", approximated, "balls have damping, and no limits or drives"},
    {"joint.distance", ignored, kFree},
    {"joint.rod", ignored, kFree},
    {"joint.velocity_limit", ignored, kNotRead},
    {"joint.effort_limit", ignored, "drives push as hard as they need to"},
    {"joint.acceleration_drive", ignored, kAsForce},
    {"joint.armature", ignored, kNotRead},
    {"joint.friction", ignored, kNotRead},
    {"joint.cone_limit", ignored, kNotRead},
    {"joint.mimic", approximated, "a spring ties a follower to its leader"},
    {"joint.break", ignored, kUnbroken},
    {"body.kinematic", approximated, kStays},
    {"body.starts_asleep", ignored, kAwake},
    {"contact.static_friction", ignored, kDynamic},
    {"contact.turning_friction", ignored, "contacts do not resist spinning and rolling"},
    {"contact.restitution", ignored, "the damping of the contact says how much a body bounces"}};

constexpr Shortcoming kFeatherstoneLacks[] = {
    {"particle.restitution", ignored, "the damping of the contact says how much a particle bounces"},
    {"mujoco.control_range", approximated, kTakenAsIs},
    {"mujoco.damping_ratio", ignored, kUndamped},
    {"mujoco.polynomial", approximated, kLinear},
    {"mujoco.gravcomp", ignored, kWholeWeight},
    {"mujoco.medium", ignored, kNoMedium},
    {"joint.loop_friction", ignored, kRefused},
    {"joint.loop_armature", ignored, kRefused},
    {"mujoco.actuator", ignored, kNoActuators},
    {"mujoco.tendon", ignored, kNoTendons},
    {"joint.ball", approximated, "balls have damping, and no limits or drives"},
    {"joint.distance", ignored, kFree},
    {"joint.rod", ignored, kFree},
    {"joint.loop", approximated, kRefused},
    {"joint.velocity_limit", ignored, kNotRead},
    {"joint.effort_limit", ignored, "drives push as hard as they need to"},
    {"joint.acceleration_drive", ignored, kAsForce},
    {"joint.friction", ignored, kNotRead},
    {"joint.cone_limit", ignored, kNotRead},
    {"joint.break", ignored, kUnbroken},
    {"body.kinematic", approximated, kStays},
    {"body.starts_asleep", ignored, kAwake},
    {"contact.static_friction", ignored, kDynamic},
    {"contact.turning_friction", ignored, "contacts do not resist spinning and rolling"},
    {"contact.restitution", ignored, "the damping of the contact says how much a body bounces"}};

constexpr Shortcoming kMujocoLacks[] = {
    {"contact.combine", ignored, "the larger friction of two shapes holds"},
    {"joint.distance", approximated, "a tendon holds the range; a drive of the distance does nothing"},
    {"joint.rod", ignored, kFree},
    {"joint.loop_values", ignored, "only the axes hold"},
    {"joint.loop_friction", ignored, "only the axes hold"},
    {"joint.loop_armature", ignored, "only the axes hold"},
    {"joint.friction", approximated, "a joint that friction holds creeps"},
    {"joint.velocity_limit", ignored, kNotRead},
    {"joint.acceleration_drive", ignored, kAsForce},
    {"joint.cone_limit", ignored, kNotRead},
    {"joint.break", ignored, kUnbroken},
    {"body.kinematic", approximated, kStays},
    {"body.starts_asleep", ignored, kAwake},
    {"contact.static_friction", ignored, kDynamic},
    {"contact.turning_friction", approximated, "it acts where coefficients other than the defaults ask for it"},
    {"contact.restitution", ignored, "the damping of the contact says how much a body bounces"},
    {"contact.adhesion", ignored, "nothing pulls: contacts only push"},
    {"contact.stiffness", approximated, "the gains are those of a unit mass, and no stiffer than two steps"},
    {"contact.friction_gain", ignored, "friction sticks until it gives way, at any speed"},
    {"contact.hydroelastic", approximated, "hulls touch; the pressure field counts with use_mujoco_contacts=0"},
    {"particle", ignored, "they stay where they are"},
    {"attachment", ignored, "particles are not held at bodies"}};

// A table for every feature in the order of kRows, so that the tables of two solvers can be read row by row.
std::vector<SupportRow> rows_with(std::span<const Shortcoming> shortcomings)
{
    std::vector<SupportRow> out;
    for (const Row& row : kRows) {
        const auto found = std::find_if(shortcomings.begin(), shortcomings.end(),
                                        [&](const Shortcoming& s) { return s.feature == row.feature.id; });
        out.push_back(found == shortcomings.end() ? SupportRow{&row.feature, full, {}}
                                                  : SupportRow{&row.feature, found->support, found->consequence});
    }
    return out;
}
/// A parameter of a solver that makes it honour a feature which it does not honour without.
struct Remedy {
    std::string_view solver, parameter;
    bool             on = true;  ///< how the parameter has to be
    std::string_view feature;
};
// A row of particles follows the row of bodies of the same name.
constexpr Remedy kRemedies[] = {{"xpbd", "enable_restitution", true, "contact.restitution"},
                                {"mujoco", "use_mujoco_contacts", false, "contact.hydroelastic"}};

/// @param solver  with its parameters, "xpbd:enable_restitution=1"
bool is_remedied(std::string_view solver, const Remedy& remedy)
{
    const auto choice = choose_solver(solver);
    return choice && choice->name == remedy.solver && std::ranges::any_of(choice->settings, [&](const Setting& s) {
               return s.name == remedy.parameter && (s.value != 0) == remedy.on;
           });
}

/// The rows of a solver that a parameter lets honour one feature more.
std::span<const SupportRow> remedied_rows(std::span<const SupportRow> rows, std::string_view feature)
{
    static std::mutex                                          mutex;
    static std::map<std::string_view, std::vector<SupportRow>> known;
    const std::lock_guard                                      lock(mutex);
    auto [made, is_new] = known.try_emplace(feature, rows.begin(), rows.end());
    if (is_new)
        for (SupportRow& row : made->second)
            if (row.feature->id == feature ||
                (feature == "contact.restitution" && row.feature->id == "particle.restitution"))
                row = {row.feature, full, {}};
    return made->second;
}

std::vector<SupportRow> softstep_rows()
{
    std::vector<SupportRow> out;
    for (const Row& row : kRows) out.push_back({&row.feature, row.softstep, row.consequence});
    return out;
}

/// softstep with particles by xpbd: what it says of particles is xpbd's.
std::vector<SupportRow> softstep_rows_by_xpbd()
{
    std::vector<SupportRow>       out  = softstep_rows();
    const std::vector<SupportRow> xpbd = rows_with(kXpbdLacks);
    for (std::size_t i = 0; i < out.size(); ++i)
        if (out[i].feature->id.starts_with("particle.")) out[i] = xpbd[i];
    for (SupportRow& row : out)
        if (row.feature->id == "particle.restitution")
            row = {row.feature, ignored, "particles that meet a shape come to rest on it"};
    return out;
}

}  // namespace

std::string_view to_string(Support support)
{
    switch (support) {
        case Support::full:
            return "full";
        case Support::approximated:
            return "approximated";
        case Support::ignored:
            return "ignored";
    }
    return {};
}

std::span<const SupportRow> support_of(std::string_view solver)
{
    // Built once. SupportRow points into kRows, which lives as long as the program.
    static const auto softstep = softstep_rows(), xpbd = rows_with(kXpbdLacks),
                      semi_implicit = rows_with(kSemiImplicitLacks), featherstone = rows_with(kFeatherstoneLacks),
                      mujoco = rows_with(kMujocoLacks), by_xpbd = softstep_rows_by_xpbd();
    // The name may come with parameters ("xpbd:iterations=8").
    const std::string_view name = canonical_name(solver.substr(0, solver.find(':')));
    for (const Remedy& remedy : kRemedies)
        if (name == remedy.solver && is_remedied(solver, remedy))
            return remedied_rows(name == "xpbd" ? xpbd : mujoco, remedy.feature);
    if (name == "softstep") {
        const auto choice = choose_solver(solver);
        const bool rows   = choice && std::ranges::any_of(choice->settings, [](const Setting& s) {
                              return s.name == "soft_solver" && s.value != 0;
                            });
        return rows ? std::span<const SupportRow>(by_xpbd) : std::span<const SupportRow>(softstep);
    }
    if (name == "xpbd") return xpbd;
    if (name == "semi-implicit") return semi_implicit;
    if (name == "featherstone") return featherstone;
    if (name == "vbd") return softstep;  // bodies are softstep's, and what is soft is vbd's under softstep
    if (name == "mujoco") return mujoco;
    // An unknown solver has no rows; nothing is claimed about it.
    return {};
}

/// Full-surface contacts have rows with three particles; a solver that reads one particle a row would put the whole
/// force on the first.
Result<void> particle_contacts_only(std::string_view solver, const model::SoftContacts& contacts)
{
    if (!contacts.soft_contact_full_surface) return {};
    return make_diagnostic(kSolverContacts, {},
                           std::string(solver) +
                               " understands contacts of particles alone; these were made with "
                               "enable_rigid_soft_full_surface_contact and may be of edges and triangles");
}

std::vector<FeatureUse> features_of(const model::Model& model)
{
    std::vector<FeatureUse> out;
    for (const Row& row : kRows)
        if (auto labels = row.find(model); !labels.empty()) out.push_back({&row.feature, std::move(labels)});
    return out;
}

}  // namespace mechane::solvers

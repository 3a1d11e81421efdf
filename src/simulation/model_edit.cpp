// Changes of a model while it is simulated (Simulation::edit): each setter writes the arrays and says what kind of
// change it was, so that solver and pipeline reread no more than that.

#include <algorithm>
#include <cmath>

#include "mechane/model.h"
#include "mechane/model/builder.h"
#include "mechane/model/joint_table.h"
#include "mechane/model/model.h"
#include "simulation/require.h"

namespace mechane {

using simulation::index_of;

namespace {

constexpr double kMostNumber = 1e18;

/// The number that the model gets. Beyond 1e18 its square is none in single precision, as `finalize` has it.
Real number(double value, bool good, const char* function, const char* argument, const char* expected)
{
    MCH_REQUIRE(good && !std::isnan(value), function, argument, expected);
    MCH_REQUIRE(std::abs(value) <= kMostNumber, function, argument, "a number of at most 1e18");
    return static_cast<Real>(value);
}

}  // namespace

std::size_t ModelEdit::at(BodyId body, const char* function) const
{ return index_of(body, arrays_.body_count(), function, "body"); }
std::size_t ModelEdit::at(ShapeId shape, const char* function) const
{ return index_of(shape, arrays_.shape_count(), function, "shape"); }
std::size_t ModelEdit::at(DofId dof, const char* function) const
{ return index_of(dof, arrays_.joint_dof_count(), function, "dof"); }

namespace {

const model::JointTypeInfo& type_of(const model::Model& m, std::size_t dof)
{
    const auto after =
        std::upper_bound(m.joint_qd_start.begin(), m.joint_qd_start.end(), static_cast<std::int32_t>(dof));
    return model::joint_type_info(m.joint_type[static_cast<std::size_t>(after - m.joint_qd_start.begin()) - 1]);
}

}  // namespace

std::size_t ModelEdit::driven(DofId dof, const char* function) const
{
    const std::size_t d = at(dof, function);
    MCH_REQUIRE(!type_of(arrays_, d).free_like, function, "dof",
                "a dof of a joint that has a drive; free ones have none");
    return d;
}

std::size_t ModelEdit::limited(DofId dof, const char* function) const
{
    const std::size_t d = at(dof, function);
    MCH_REQUIRE(!type_of(arrays_, d).quaternion, function, "dof",
                "a dof with a coordinate of its own; those of ball and free joints have no limits");
    return d;
}

void ModelEdit::set_mass(BodyId body, double mass)
{
    const std::size_t b = at(body, "ModelEdit::set_mass");
    const Real now = number(mass, static_cast<Real>(mass) > 0 && std::isfinite(mass), "ModelEdit::set_mass", "mass",
                            "a positive finite number of kilograms");
    MCH_REQUIRE(arrays_.body_mass[b] > 0, "ModelEdit::set_mass", "body", "a body that has a mass");
    // The mass distribution stays: inertia scales with the mass.
    const Real factor    = now / arrays_.body_mass[b];
    arrays_.body_mass[b] = now;
    // A body that is immovable stays so.
    arrays_.body_inv_mass[b] = arrays_.body_inv_mass[b] > 0 ? 1 / now : 0;
    arrays_.body_inertia[b] *= factor;
    arrays_.body_inv_inertia[b] *= 1 / factor;
    changes_.inertia = true;
}

void ModelEdit::set_kinematic(BodyId body, bool on)
{
    std::int32_t& flags = arrays_.body_flags[at(body, "ModelEdit::set_kinematic")];
    flags               = (flags & ~(model::body_flag::dynamic | model::body_flag::kinematic)) |
                          (on ? model::body_flag::kinematic : model::body_flag::dynamic);
    changes_.structure  = true;
}

void ModelEdit::set_friction(ShapeId shape, double mu)
{
    const std::size_t s = at(shape, "ModelEdit::set_friction");
    // Static friction must not stay below the dynamic.
    arrays_.shape_material_mu[s] = arrays_.shape_material_mu_static[s] = number(
        mu, mu >= 0 && std::isfinite(mu), "ModelEdit::set_friction", "mu", "a finite number that is not negative");
    changes_.numbers = true;
}

void ModelEdit::set_restitution(ShapeId shape, double restitution)
{
    const std::size_t s                   = at(shape, "ModelEdit::set_restitution");
    arrays_.shape_material_restitution[s] = number(restitution, restitution >= 0 && restitution <= 1,
                                                   "ModelEdit::set_restitution", "restitution", "a number from 0 to 1");
    changes_.numbers                      = true;
}

void ModelEdit::set_collides(ShapeId shape, bool on)
{
    std::int32_t&          flags = arrays_.shape_flags[at(shape, "ModelEdit::set_collides")];
    constexpr std::int32_t both  = model::shape_flag::collide_shapes | model::shape_flag::collide_particles;
    flags                        = on ? flags | both : flags & ~both;
    changes_.pairs               = true;
}

void ModelEdit::set_gains(DofId dof, double stiffness, double damping)
{
    const std::size_t d    = driven(dof, "ModelEdit::set_gains");
    const auto        good = [](double x) { return x >= 0 && std::isfinite(x); };
    arrays_.joint_target_ke[d] =
        number(stiffness, good(stiffness), "ModelEdit::set_gains", "stiffness", "a finite number that is not negative");
    arrays_.joint_target_kd[d] =
        number(damping, good(damping), "ModelEdit::set_gains", "damping", "a finite number that is not negative");
    // Newton's target modes follow from which gains there are.
    arrays_.joint_target_mode[d] =
        stiffness > 0 ? (damping > 0 ? model::TargetMode::position_velocity : model::TargetMode::position)
                      : (damping > 0 ? model::TargetMode::velocity : model::TargetMode::effort);
    changes_.numbers = changes_.structure = true;
}

void ModelEdit::set_limits(DofId dof, double lower, double upper)
{
    const std::size_t d = limited(dof, "ModelEdit::set_limits");
    MCH_REQUIRE(lower <= upper, "ModelEdit::set_limits", "upper", "a limit that is not below the lower one");
    const auto bounded = [](double x) { return std::fmin(std::fmax(x, -model::kMaxValue), model::kMaxValue); };
    arrays_.joint_limit_lower[d] = static_cast<Real>(bounded(lower));
    arrays_.joint_limit_upper[d] = static_cast<Real>(bounded(upper));
    changes_.numbers = changes_.structure = true;
}

void ModelEdit::set_velocity_limit(DofId dof, double limit)
{
    const std::size_t d = limited(dof, "ModelEdit::set_velocity_limit");
    // From the builder's own number on there is none.
    arrays_.joint_velocity_limit[d] =
        number(std::fmin(limit, model::JointDofConfig{}.velocity_limit), static_cast<Real>(limit) > 0,
               "ModelEdit::set_velocity_limit", "limit", "a positive number");
    changes_.numbers = changes_.structure = true;
}

void ModelEdit::set_effort_limit(DofId dof, double limit)
{
    const std::size_t d           = driven(dof, "ModelEdit::set_effort_limit");
    arrays_.joint_effort_limit[d] = number(std::fmin(limit, model::kMaxValue), limit >= 0,
                                           "ModelEdit::set_effort_limit", "limit", "a number that is not negative");
    changes_.numbers              = true;
}

void ModelEdit::set_armature(DofId dof, double armature)
{
    const std::size_t d       = at(dof, "ModelEdit::set_armature");
    arrays_.joint_armature[d] = number(armature, armature >= 0 && std::isfinite(armature), "ModelEdit::set_armature",
                                       "armature", "a finite number that is not negative");
    changes_.inertia = changes_.numbers = true;
}

void ModelEdit::set_enabled(JointId joint, bool on)
{
    arrays_.joint_enabled[index_of(joint, arrays_.joint_count(), "ModelEdit::set_enabled", "joint")] = on ? 1 : 0;
    changes_.structure                                                                               = true;
}

void ModelEdit::set_gravity(const Vec3& gravity, WorldId world)
{
    (void)simulation::world_of(world, arrays_.world_count, "ModelEdit::set_gravity");
    MCH_REQUIRE(is_finite(gravity) && static_cast<double>(max_component(abs(gravity))) <= kMostNumber,
                "ModelEdit::set_gravity", "gravity", "a finite vector of at most 1e18");
    // The last entry is the gravity of the shared world.
    (world.value < 0 ? arrays_.gravity.back() : arrays_.gravity[world.index()]) = gravity;
    changes_.numbers                                                            = true;
}

}  // namespace mechane

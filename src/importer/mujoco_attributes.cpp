// The table of MuJoCo's custom attributes: name in Newton, property on stages, type, frequency, default, words for
// numbers. A new one is a row here.

#include "mujoco_attributes.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace mechane::importer {
namespace {

using model::CustomFrequency;
using model::CustomType;
using model::CustomValue;

constexpr MujocoToken kIntegrators[] = {{"euler", 0}, {"rk4", 1}, {"implicit", 2}, {"implicitfast", 3}};
constexpr MujocoToken kSolvers[]     = {{"pgs", 0}, {"cg", 1}, {"newton", 2}};
constexpr MujocoToken kCones[]       = {{"pyramidal", 0}, {"elliptic", 1}};
constexpr MujocoToken kJacobians[]   = {{"dense", 0}, {"sparse", 1}, {"auto", 2}};
constexpr MujocoToken kSleep[]       = {{"auto", 0}, {"never", 3}, {"allowed", 4}, {"init", 5}};  // mjtSleepPolicy

/// MuJoCo stores no mask when none is authored; -1 says so.
constexpr CustomValue kUnset{-1};

constexpr auto kShape = CustomFrequency::shape;
constexpr auto kDof   = CustomFrequency::joint_dof;
constexpr auto kBody  = CustomFrequency::body;
constexpr auto kWorld = CustomFrequency::world;
constexpr auto kOnce  = CustomFrequency::once;

// Names and defaults are those that Newton 1.8 registers, so that programs find them.
constexpr MujocoAttribute kMujocoRows[] = {
    {"contype", "mjc:contype", CustomType::int32, kShape, kUnset},
    {"conaffinity", "mjc:conaffinity", CustomType::int32, kShape, kUnset},
    {"condim", "mjc:condim", CustomType::int32, kShape, {3}},
    {"geom_group", "mjc:group", CustomType::int32, kShape, {0}},
    {"geom_priority", "mjc:priority", CustomType::int32, kShape, {0}},
    {"geom_solmix", "mjc:solmix", CustomType::float32, kShape, {1}},
    {"solref", "mjc:solref", CustomType::vec2, kShape, {0, 0}},
    {"limit_margin", "mjc:margin", CustomType::float32, kDof, {0}},
    {"solreflimit", "mjc:solreflimit", CustomType::vec2, kDof, {0, 0}},
    {"solreffriction", "mjc:solreffriction", CustomType::vec2, kDof, {0.02, 1}},
    {"jnt_actgravcomp", "mjc:actuatorgravcomp", CustomType::boolean, kDof, {0}},
    {"dof_passive_stiffness", "mjc:stiffness", CustomType::float32, kDof, {0}},
    {"dof_springref", "mjc:springref", CustomType::float32, kDof, {0}, true},
    {"dof_ref", "mjc:ref", CustomType::float32, kDof, {0}, true},
    {"gravcomp", "mjc:gravcomp", CustomType::float32, kBody, {0}},
    {"sleep_policy", "mjc:sleep", CustomType::int32, kBody, {0}, false, kSleep},
    {"impratio", "mjc:option:impratio", CustomType::float32, kWorld, {1}},
    {"tolerance", "mjc:option:tolerance", CustomType::float32, kWorld, {1e-8}},
    {"ls_tolerance", "mjc:option:ls_tolerance", CustomType::float32, kWorld, {0.01}},
    {"ccd_tolerance", "mjc:option:ccd_tolerance", CustomType::float32, kWorld, {1e-6}},
    {"sleep_tolerance", "mjc:option:sleep_tolerance", CustomType::float32, kWorld, {0.001}},
    {"density", "mjc:option:density", CustomType::float32, kWorld, {0}},
    {"viscosity", "mjc:option:viscosity", CustomType::float32, kWorld, {0}},
    {"wind", "mjc:option:wind", CustomType::vec3, kWorld, {0, 0, 0}},
    {"magnetic", "mjc:option:magnetic", CustomType::vec3, kWorld, {0, -0.5, 0}},
    {"iterations", "mjc:option:iterations", CustomType::int32, kOnce, {100}},
    {"ls_iterations", "mjc:option:ls_iterations", CustomType::int32, kOnce, {50}},
    {"ccd_iterations", "mjc:option:ccd_iterations", CustomType::int32, kOnce, {35}},
    {"sdf_iterations", "mjc:option:sdf_iterations", CustomType::int32, kOnce, {10}},
    {"sdf_initpoints", "mjc:option:sdf_initpoints", CustomType::int32, kOnce, {40}},
    {"integrator", "mjc:option:integrator", CustomType::int32, kOnce, {3}, false, kIntegrators},
    {"solver", "mjc:option:solver", CustomType::int32, kOnce, {2}, false, kSolvers},
    {"cone", "mjc:option:cone", CustomType::int32, kOnce, {0}, false, kCones},
    {"jacobian", "mjc:option:jacobian", CustomType::int32, kOnce, {2}, false, kJacobians},
    {"flag_constraint", "mjc:flag:constraint", CustomType::boolean, kOnce, {1}},
    {"flag_equality", "mjc:flag:equality", CustomType::boolean, kOnce, {1}},
    {"flag_frictionloss", "mjc:flag:frictionloss", CustomType::boolean, kOnce, {1}},
    {"flag_limit", "mjc:flag:limit", CustomType::boolean, kOnce, {1}},
    {"flag_contact", "mjc:flag:contact", CustomType::boolean, kOnce, {1}},
    {"flag_spring", "mjc:flag:spring", CustomType::boolean, kOnce, {1}},
    {"flag_damper", "mjc:flag:damper", CustomType::boolean, kOnce, {1}},
    {"flag_clampctrl", "mjc:flag:clampctrl", CustomType::boolean, kOnce, {1}},
    {"flag_warmstart", "mjc:flag:warmstart", CustomType::boolean, kOnce, {1}},
    {"flag_actuation", "mjc:flag:actuation", CustomType::boolean, kOnce, {1}},
    {"flag_refsafe", "mjc:flag:refsafe", CustomType::boolean, kOnce, {1}},
    {"flag_sensor", "mjc:flag:sensor", CustomType::boolean, kOnce, {1}},
    {"flag_eulerdamp", "mjc:flag:eulerdamp", CustomType::boolean, kOnce, {1}},
    {"flag_nativeccd", "mjc:flag:nativeccd", CustomType::boolean, kOnce, {1}},
    {"flag_island", "mjc:flag:island", CustomType::boolean, kOnce, {1}},
    {"flag_multiccd", "mjc:flag:multiccd", CustomType::boolean, kOnce, {0}},
    {"flag_energy", "mjc:flag:energy", CustomType::boolean, kOnce, {0}},
    {"flag_invdiscrete", "mjc:flag:invdiscrete", CustomType::boolean, kOnce, {0}},
};

bool is_mujoco(const model::CustomAttribute& attribute, std::string_view name)
{ return attribute.space == kMujocoSpace && attribute.name == name; }

}  // namespace

const MujocoAttribute* mujoco_attribute(const model::CustomAttribute& attribute)
{
    const auto row = std::find_if(std::begin(kMujocoRows), std::end(kMujocoRows),
                                  [&](const MujocoAttribute& r) { return is_mujoco(attribute, r.name); });
    return row == std::end(kMujocoRows) ? nullptr : &*row;
}

Result<void> register_mujoco_attributes(model::ModelBuilder& builder)
{
    for (const MujocoAttribute& row : kMujocoRows) {
        model::CustomAttribute attribute;
        attribute.name      = row.name;
        attribute.space     = kMujocoSpace;
        attribute.type      = row.type;
        attribute.frequency = row.frequency;
        attribute.otherwise = row.otherwise;
        if (auto ok = builder.add_custom_attribute(std::move(attribute)); !ok) return ok.error();
    }
    return {};
}

bool has_mujoco_attributes(const model::ModelBuilder& builder)
{
    return std::any_of(builder.custom_attributes.begin(), builder.custom_attributes.end(),
                       [](const model::CustomAttribute& a) { return is_mujoco(a, "condim"); });
}

}  // namespace mechane::importer

#pragma once
#include "mechane/physics/types.h"
#include "mechane/resolve/resolver.h"

namespace mechane::resolve {

/// Values of a joint that take more than one key. SI and radians; defaults are the importer's, in SI.
struct LimitGains {
    double   ke = 0, kd = 0;    ///< N/m, N s/m or N m/rad, N m s/rad
    bool     hard     = false;  ///< authored as infinitely stiff
    bool     authored = false;  ///< the stiffness is a number that somebody wrote
    Resolved ke_source, kd_source;
};
/// Limit stiffness and damping of a degree of freedom. `dof_name` is "linear", "angular", "transX", ...
/// "rotZ".
LimitGains limit_gains(const ResolverList& resolvers, const usd::Prim& joint, std::string_view dof_name,
                       const Context& context, double default_ke, double default_kd, Diagnostics& found);

/// Passive damping: newton:damping (per degree) or mjc:damping (per radian), the first resolver with either wins.
Resolved joint_damping(const ResolverList& resolvers, const usd::Prim& joint, const Context& context,
                       std::optional<double> importer_default, Diagnostics& found);

/// Passive spring and reference of mjc: attributes.
struct Spring {
    std::optional<double> stiffness;  ///< N/m or N m/rad
    std::optional<double> rest_q;     ///< m or rad
    double                ref = 0;    ///< m or rad; limits are shifted by -ref
};
/// @param scene  the chosen scene, for mjc:compiler:angle; may be invalid
Spring joint_spring(const ResolverList& resolvers, const usd::Prim& joint, const usd::Prim& scene,
                    const Context& context);

/// Initial position or velocity of a degree of freedom by name: "linear", "angular", "rotX", "rotY", "rotZ"; nothing
/// when no resolver has it authored.
std::optional<double> initial_position(const ResolverList& resolvers, const usd::Prim& joint, std::string_view dof_name,
                                       const Context& context, Diagnostics& found);
std::optional<double> initial_velocity(const ResolverList& resolvers, const usd::Prim& joint, std::string_view dof_name,
                                       const Context& context, Diagnostics& found);

}  // namespace mechane::resolve

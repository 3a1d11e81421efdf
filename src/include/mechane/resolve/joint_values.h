#pragma once
#include <string>
#include <string_view>
#include <unordered_set>

#include "mechane/physics/types.h"
#include "mechane/resolve/resolver.h"

namespace mechane::resolve {

/// The spelling of a vendor's attribute for one axis of a joint with several: "newton:rotX:damping" for
/// "newton:damping" and the axis "rotX". No vendor has a word for an axis; MuJoCo's bodies have a joint for each.
std::string axis_attribute(std::string_view attribute, std::string_view axis);
/// The attribute that such a spelling is of: "newton:damping" for "newton:rotX:damping"; empty for other names.
std::string shared_attribute(std::string_view attribute);
/// The resolvers for one axis: what is authored for the axis goes before what the same vendor says of the whole joint.
/// @param authored  names that stand on the stage, as for `ResolverList::rest_unauthored`
ResolverList for_axis(const ResolverList& resolvers, std::string_view axis,
                      const std::unordered_set<usd::Token>& authored);

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
    std::optional<double> stiffness;        ///< N/m or N m/rad
    std::optional<double> rest_q;           ///< m or rad
    double                ref     = 0;      ///< m or rad; limits are shifted by -ref
    bool                  of_axis = false;  ///< the reference of the spring is authored for this axis
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

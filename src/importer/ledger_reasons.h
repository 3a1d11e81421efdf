#pragma once
#include <string>
#include <string_view>

#include "mechane/resolve/resolver.h"

namespace mechane::importer {

inline constexpr std::string_view kNoDeformables = "deformables are not supported yet";

/// Why a property has no effect that no reader took. Never empty.
/// @param listed  the resolvers of the import
std::string reason_not_read(const usd::Prim& prim, std::string_view property, const resolve::ResolverList& listed);

/// Why a property of PhysX that would change the motion has no effect; empty for one that acts, or sets its solver.
std::string_view motion_without(std::string_view property);

}  // namespace mechane::importer

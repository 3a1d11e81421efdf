#pragma once
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "mechane/resolve/resolver.h"

namespace mechane::resolve {

/// The tables of attributes that ship with Mechane. `rules` switches rows of older documents on.
Resolver SchemaResolverNewton(const Rules& rules = {});
Resolver SchemaResolverPhysx(const Rules& rules = {});
Resolver SchemaResolverMjc(const Rules& rules = {});

/// Resolvers by name, in this order: one of `own`, "newton", "physx", "mjc", or a file "*.toml" or "*.json" with a
/// table of the user's.
/// @error RESOLVER_UNKNOWN, RESOLVER_TABLE; "auto" is to be replaced by `resolvers_of` before
Result<ResolverList> resolvers_named(std::span<const std::string> names, const Rules& rules = {},
                                     std::span<const Resolver> own = {});

/// The word in a list of names that stands for `resolvers_of`.
inline constexpr std::string_view kAutomatic = "auto";

/// Whose attributes a stage uses, in order of priority: newton always; physx and mjc where a prim applies one of their
/// schemas, is of one of their types, or authors one of their attributes.
/// @param authored  names of all authored properties of the stage
std::vector<std::string> resolvers_of(const usd::Stage& stage, const std::unordered_set<usd::Token>& authored);

/// The names with "auto" replaced; what is named beside it keeps its place, and comes once.
std::vector<std::string> without_automatic(std::span<const std::string> names, const usd::Stage& stage,
                                           const std::unordered_set<usd::Token>& authored);

}  // namespace mechane::resolve

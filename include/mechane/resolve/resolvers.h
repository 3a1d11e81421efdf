#pragma once
#include "mechane/resolve/resolver.h"

namespace mechane::resolve {

/// The tables of attributes that ship with Mechane (import-usd section 2). `rules` switches rows of older documents on.
Resolver SchemaResolverNewton(const Rules& rules = {});
Resolver SchemaResolverPhysx(const Rules& rules = {});
Resolver SchemaResolverMjc(const Rules& rules = {});

/// Resolvers by name, in this order: one of `own`, "newton", "physx", "mjc", or a file "*.toml" or "*.json" with a
/// table of the user's.
/// @error RESOLVER_UNKNOWN, RESOLVER_TABLE
Result<ResolverList> resolvers_named(std::span<const std::string> names, const Rules& rules = {},
                                     std::span<const Resolver> own = {});

}  // namespace mechane::resolve

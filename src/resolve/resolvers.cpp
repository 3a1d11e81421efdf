// Resolvers by name: the three that ship, the caller's own, and tables in files.
// The caller's own come first, so that one of them can take the place of one that ships.

#include "mechane/resolve/resolvers.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "mechane/core/nearest.h"
#include "mechane/files/suffix.h"
#include "mechane/resolve/codes.h"
#include "resolver_file.h"

namespace mechane::resolve {
namespace {

std::string hint_about(const std::string& name, std::span<const Resolver> own)
{
    std::vector<std::string> known{"newton", "physx", "mjc", std::string(kAutomatic)};
    for (const Resolver& r : own) known.push_back(r.name);
    const std::string near = did_you_mean(name, known);
    return fmt::format("{}{}Name {}, or a file of a table (.toml, .json).", near, near.empty() ? "" : " ",
                       fmt::join(known, ", "));
}

}  // namespace

Result<ResolverList> resolvers_named(std::span<const std::string> names, const Rules& rules,
                                     std::span<const Resolver> own)
{
    std::vector<Resolver> list;
    for (const std::string& name : names) {
        const auto mine = std::find_if(own.begin(), own.end(), [&](const Resolver& r) { return r.name == name; });
        if (mine != own.end())
            list.push_back(*mine);
        else if (name == "newton")
            list.push_back(SchemaResolverNewton(rules));
        else if (name == "physx")
            list.push_back(SchemaResolverPhysx(rules));
        else if (name == "mjc")
            list.push_back(SchemaResolverMjc(rules));
        else if (files::has_suffix(name, {".json", ".toml"})) {
            auto table = load_resolver(name);
            if (!table) return table.error();
            list.push_back(*std::move(table));
        } else
            return make_diagnostic(kResolverUnknown, {}, fmt::format("\"{}\" is not a schema resolver", name),
                                   hint_about(name, own));
    }
    return ResolverList(std::move(list));
}

}  // namespace mechane::resolve

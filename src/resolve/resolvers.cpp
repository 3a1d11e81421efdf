#include "mechane/resolve/resolvers.h"

#include <fmt/format.h>

#include <algorithm>

#include "mechane/resolve/codes.h"
#include "resolver_file.h"

namespace mechane::resolve {

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
        else if (name.ends_with(".json") || name.ends_with(".toml")) {
            auto table = load_resolver(name);
            if (!table) return table.error();
            list.push_back(*std::move(table));
        } else
            return make_diagnostic(kResolverUnknown, {}, fmt::format("\"{}\" is no schema resolver", name));
    }
    return ResolverList(std::move(list));
}

}  // namespace mechane::resolve

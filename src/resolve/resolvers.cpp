#include "mechane/resolve/resolvers.h"

#include <fmt/format.h>

#include "mechane/resolve/codes.h"

namespace mechane::resolve {

Result<ResolverList> resolvers_named(std::span<const std::string> names, const Rules& rules)
{
    std::vector<Resolver> list;
    for (const std::string& name : names) {
        if (name == "newton")
            list.push_back(SchemaResolverNewton(rules));
        else if (name == "physx")
            list.push_back(SchemaResolverPhysx(rules));
        else if (name == "mjc")
            list.push_back(SchemaResolverMjc(rules));
        else
            return make_diagnostic(kResolverUnknown, {}, fmt::format("\"{}\" is no schema resolver", name));
    }
    return ResolverList(std::move(list));
}

}  // namespace mechane::resolve

#include "mechane/resolve/resolvers.h"

#include <fmt/format.h>

#include "mechane/resolve/codes.h"
#include "resolver_file.h"

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
        else if (name.ends_with(".json")) {
            auto own = load_resolver(name);
            if (!own) return own.error();
            list.push_back(*std::move(own));
        } else
            return make_diagnostic(kResolverUnknown, {}, fmt::format("\"{}\" is no schema resolver", name));
    }
    return ResolverList(std::move(list));
}

}  // namespace mechane::resolve

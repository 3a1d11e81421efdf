#pragma once
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mechane::usd {

/// What stands for the instance of a multiple-apply schema in names of properties.
inline constexpr std::string_view kAnyInstance = "i";

/// The name itself, and those with kAnyInstance in place of one of its middle parts.
inline std::vector<std::string> names_with_any_instance(std::string_view property)
{
    std::vector<std::string> out{std::string(property)};
    for (std::size_t from = property.find(':'); from != std::string_view::npos;) {
        const std::size_t to = property.find(':', from + 1);
        if (to == std::string_view::npos) break;
        out.push_back(std::string(property.substr(0, from + 1)).append(kAnyInstance).append(property.substr(to)));
        from = to;
    }
    return out;
}

/// Names of all properties that bundled schemas bring, with kAnyInstance for instances.
const std::set<std::string, std::less<>>& brought_names();

struct Definition;
struct SchemaInfo;
/// What a prim has that is of this schema, or has it applied with kAnyInstance.
std::shared_ptr<const Definition> definition_of(const SchemaInfo& schema);

}  // namespace mechane::usd

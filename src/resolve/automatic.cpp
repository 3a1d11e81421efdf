// The word `auto` in a list of resolvers: it stands for those whose vendors have left anything in the stage.
// Newton's comes first, then PhysX's, then MuJoCo's; the order decides who goes first where several have a value.

#include <algorithm>

#include "mechane/resolve/resolvers.h"

namespace mechane::resolve {
namespace {

/// How a vendor's schemas and attributes are recognised.
struct Vendor {
    std::string_view name;
    std::string_view schema;      ///< prefix of its schemas and types
    std::string_view attribute;   ///< prefix of its attributes
    std::string_view borrowed[2]; ///< a schema and a prefix of attributes that it brings under another name
};
// PhysicsJointStateAPI comes with PhysX's schemas and with nobody else's.
constexpr Vendor kVendors[] = {{"physx", "Physx", "physx", {"PhysicsJointStateAPI", "state:"}},
                               {"mjc", "Mjc", "mjc:", {}}};

bool is_of(const Vendor& vendor, std::string_view schema)
{
    return schema.starts_with(vendor.schema) ||
           (!vendor.borrowed[0].empty() && schema.starts_with(vendor.borrowed[0]));
}

bool authors(const Vendor& vendor, const std::unordered_set<usd::Token>& authored)
{
    return std::any_of(authored.begin(), authored.end(), [&](const usd::Token& name) {
        return name.text().starts_with(vendor.attribute) ||
               (!vendor.borrowed[1].empty() && name.text().starts_with(vendor.borrowed[1]));
    });
}

bool applies(const Vendor& vendor, const usd::Stage& stage)
{
    // A stage has few definitions and many prims; looking at each definition once is enough.
    std::unordered_set<const void*> seen;  // what prims are and apply; never iterated
    for (const usd::Prim& prim : stage.traverse()) {
        if (!seen.insert(prim.definition_key()).second) continue;
        if (is_of(vendor, prim.type_name().text())) return true;
        const auto apis = prim.authored_apis();
        if (std::any_of(apis.begin(), apis.end(), [&](const usd::Token& api) { return is_of(vendor, api.text()); }))
            return true;
    }
    return false;
}

}  // namespace

std::vector<std::string> resolvers_of(const usd::Stage& stage, const std::unordered_set<usd::Token>& authored)
{
    std::vector<std::string> names{"newton"};
    for (const Vendor& vendor : kVendors)
        // The names of authored attributes are known already, the schemas need a walk: the cheap question comes first.
        if (authors(vendor, authored) || applies(vendor, stage)) names.emplace_back(vendor.name);
    return names;
}

std::vector<std::string> without_automatic(std::span<const std::string> names, const usd::Stage& stage,
                                           const std::unordered_set<usd::Token>& authored)
{
    std::vector<std::string> out;
    const auto               add = [&](const std::string& name) {
        if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    };
    for (const std::string& name : names)
        if (name == kAutomatic)
            for (const std::string& one : resolvers_of(stage, authored)) {
                // What the caller places explicitly keeps the caller's place.
                if (std::find(names.begin(), names.end(), one) == names.end()) add(one);
            }
        else
            add(name);
    return out;
}

}  // namespace mechane::resolve

// What the bundled schemas bring, looked at from their properties: which schema has a property, and which properties a
// schema has.
// Remedies of findings and completion in editors use it.

#include "mechane/usd/schemas.h"

#include <pxr/sdf/propertySpec.h>
#include <pxr/sdf/schema.h>
#include <pxr/vt/array.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "mechane/usd/declared_attribute.h"
#include "usd/handles.h"
#include "usd/schema_registry.h"
#include "usd/schema_tables.h"
#include "usd/stage_impl.h"

namespace mechane::usd {

std::vector<SchemaInfo> bundled_schemas()
{
    const auto kind_of = [](std::string_view kind) {
        if (kind == "concreteTyped") return SchemaKind::typed;
        if (kind == "abstractTyped") return SchemaKind::abstract_typed;
        if (kind == "singleApplyAPI") return SchemaKind::single_apply;
        if (kind == "multipleApplyAPI") return SchemaKind::multiple_apply;
        return SchemaKind::not_applied;
    };
    std::vector<SchemaInfo> schemas;
    for (std::size_t i = 0; i < kSchemaRowCount; ++i)
        schemas.push_back({kSchemaRows[i].identifier, kSchemaRows[i].module, kind_of(kSchemaRows[i].kind)});
    std::sort(schemas.begin(), schemas.end(), [](const SchemaInfo& a, const SchemaInfo& b) {
        return std::tie(a.module, a.identifier) < std::tie(b.module, b.identifier);
    });
    return schemas;
}

namespace {

constexpr std::string_view kInstance = "i";

/// Of one name: the schemas that bring it, and what the first of them says of the attribute.
struct Brought {
    std::vector<std::string>         schemas;
    std::optional<DeclaredAttribute> attribute;
};
using Table = std::map<std::string, Brought, std::less<>>;

std::optional<DeclaredAttribute> declaration(const PropertyDefinition& property)
{
    if (property.is_relationship || !property.type) return std::nullopt;
    DeclaredAttribute out{property.type.GetAsToken().GetString(), wrap(property.fallback), {}};
    if (property.spec) {
        const pxr::VtValue allowed = property.spec->GetField(pxr::SdfFieldKeys->AllowedTokens);
        if (allowed.IsHolding<pxr::VtTokenArray>())
            for (const pxr::TfToken& token : allowed.UncheckedGet<pxr::VtTokenArray>())
                out.tokens.push_back(token.GetString());
    }
    return out;
}

/// Schemas by the properties that they bring; `kInstance` stands for instances.
const Table& brought()
{
    static const Table table = [] {
        Table built;
        auto& registry = SchemaRegistry::instance();
        for (const SchemaInfo& schema : bundled_schemas()) {
            if (schema.kind == SchemaKind::not_applied || schema.kind == SchemaKind::abstract_typed) continue;
            const std::string  identifier(schema.identifier);
            const bool         typed = schema.kind == SchemaKind::typed;
            pxr::TfTokenVector apis;
            if (schema.kind == SchemaKind::multiple_apply)
                apis.emplace_back(identifier + ":" + std::string(kInstance));
            else if (!typed)
                apis.emplace_back(identifier);
            const auto definition =
                registry.definition(pxr::TfToken(typed ? identifier : std::string()), apis, false, nullptr);
            for (const auto& [name, property] : definition->properties) {
                Brought& entry = built[name.GetString()];
                entry.schemas.push_back(identifier);
                if (!entry.attribute) entry.attribute = declaration(property);
            }
        }
        for (auto& [name, entry] : built) std::sort(entry.schemas.begin(), entry.schemas.end());
        return built;
    }();
    return table;
}

const Brought* brought(std::string_view property)
{
    const Table& table = brought();
    if (const auto plain = table.find(property); plain != table.end()) return &plain->second;
    // The instance is one of the middle parts.
    for (std::size_t from = property.find(':'); from != std::string_view::npos;) {
        const std::size_t to = property.find(':', from + 1);
        if (to == std::string_view::npos) break;
        std::string general(property.substr(0, from + 1));
        general += kInstance;
        general += property.substr(to);
        if (const auto found = table.find(general); found != table.end()) return &found->second;
        from = to;
    }
    return nullptr;
}

}  // namespace

std::vector<std::string> schemas_with(std::string_view property)
{
    const Brought* entry = brought(property);
    return entry == nullptr ? std::vector<std::string>() : entry->schemas;
}

const DeclaredAttribute* declared_attribute(std::string_view property)
{
    const Brought* entry = brought(property);
    return entry == nullptr || !entry->attribute ? nullptr : &*entry->attribute;
}

std::vector<std::string> properties_like(std::string_view property)
{
    const std::size_t        first = property.find(':'), second = property.find(':', first + 1);
    const std::string        instance(first == std::string_view::npos || second == std::string_view::npos
                                          ? std::string_view()
                                          : property.substr(first + 1, second - first - 1));
    const std::string        hole = fmt::format(":{}:", kInstance);
    std::vector<std::string> out;
    for (const auto& [name, unused] : brought()) {
        const std::size_t at = name.find(hole);
        if (at == std::string::npos)
            out.push_back(name);
        else if (!instance.empty())
            out.push_back(name.substr(0, at + 1) + instance + name.substr(at + hole.size() - 1));
    }
    return out;
}

bool brings(const Prim& prim, const Token& property)
{
    if (!prim) return false;
    const auto& definition = prim.stage().impl().record(prim).definition;
    return definition && definition->properties.count(unwrap(property)) != 0;
}

}  // namespace mechane::usd

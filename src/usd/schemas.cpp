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

#include "usd/any_instance.h"
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

/// The schemas that bring a property, by its name.
using Table = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Schemas by the properties that they bring; `kAnyInstance` stands for instances.
const Table& brought()
{
    static const Table table = [] {
        Table built;
        for (const SchemaInfo& schema : bundled_schemas()) {
            if (schema.kind == SchemaKind::not_applied || schema.kind == SchemaKind::abstract_typed) continue;
            const std::string identifier(schema.identifier);
            const auto        definition = definition_of(schema);
            for (const auto& [name, property] : definition->properties) built[name.GetString()].push_back(identifier);
        }
        for (auto& [name, schemas] : built) std::sort(schemas.begin(), schemas.end());
        return built;
    }();
    return table;
}

}  // namespace

std::vector<std::string> schemas_with(std::string_view property)
{
    for (const std::string& name : names_with_any_instance(property))
        if (const auto found = brought().find(name); found != brought().end()) return found->second;
    return {};
}

std::vector<std::string> properties_like(std::string_view property)
{
    const std::size_t        first = property.find(':'), second = property.find(':', first + 1);
    const std::string        instance(first == std::string_view::npos || second == std::string_view::npos
                                          ? std::string_view()
                                          : property.substr(first + 1, second - first - 1));
    const std::string        hole = fmt::format(":{}:", kAnyInstance);
    std::vector<std::string> out;
    for (const std::string& name : brought_names()) {
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

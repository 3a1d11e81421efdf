// `mechane schema show` and `map`: properties of schemas with types and fallbacks, and attributes of two vendors that
// answer the same key.
// A schema is shown by a stage that holds one prim of it: the values are those that reading it gives.

#include "cli/schema_show.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mechane/core/nearest.h"
#include "mechane/resolve/resolvers.h"
#include "mechane/usd/schemas.h"

namespace mechane::cli {
namespace {

using nlohmann::json;

std::string_view kind_name(usd::SchemaKind kind)
{
    switch (kind) {
        case usd::SchemaKind::typed:
            return "typed";
        case usd::SchemaKind::abstract_typed:
            return "abstract";
        case usd::SchemaKind::single_apply:
            return "applied";
        case usd::SchemaKind::multiple_apply:
            return "applied with an instance name";
        case usd::SchemaKind::not_applied:
            break;
    }
    return "not applied";
}

/// A prim that has the schema and nothing else.
/// "NAME" stands for the instance of a schema that can be applied several times.
std::string example(const usd::SchemaInfo& schema)
{
    const bool typed = schema.kind == usd::SchemaKind::typed || schema.kind == usd::SchemaKind::abstract_typed;
    const bool many  = schema.kind == usd::SchemaKind::multiple_apply;
    return typed ? fmt::format("#usda 1.0\ndef {} \"prim\"\n{{\n}}\n", schema.identifier)
                 : fmt::format("#usda 1.0\ndef \"prim\" (apiSchemas = [\"{}{}\"])\n{{\n}}\n", schema.identifier,
                               many ? ":NAME" : "");
}

json properties_of(const usd::Prim& prim)
{
    json out = json::array();
    for (const usd::Token& name : prim.property_names()) {
        const usd::Attribute attribute = prim.attribute(name);
        if (!attribute) {
            out.push_back({{"name", name.text()}, {"type", "rel"}});
            continue;
        }
        json row{{"name", name.text()}, {"type", attribute.type_name()}, {"uniform", attribute.uniform()}};
        // The value of a prim that authors nothing is the fallback.
        const usd::Value fallback = attribute.value();
        if (!fallback.empty()) row["fallback"] = fallback.to_text();
        const auto allowed = attribute.metadata(usd::Token("allowedTokens")).get<std::vector<usd::Token>>();
        if (allowed && !allowed->empty()) {
            row["allowed"] = json::array();
            for (const usd::Token& token : *allowed) row["allowed"].push_back(token.text());
        }
        out.push_back(std::move(row));
    }
    return out;
}

void print_schema(const json& schema, const Io& io)
{
    io.out(fmt::format("{}  {}, of {}\n", schema["schema"].get<std::string>(), schema["kind"].get<std::string>(),
                       schema["module"].get<std::string>()));
    // Columns are as wide as the widest entry.
    std::size_t names = 0, types = 0;
    for (const json& p : schema["properties"]) {
        names = std::max(names, p["name"].get_ref<const std::string&>().size());
        types = std::max(types, p["type"].get_ref<const std::string&>().size());
    }
    for (const json& p : schema["properties"]) {
        std::string line =
            fmt::format("  {:{}}  {:{}}", p["name"].get<std::string>(), names, p["type"].get<std::string>(), types);
        if (p.value("uniform", false)) line += "  uniform";
        if (p.contains("fallback")) line += fmt::format("  = {}", p["fallback"].get<std::string>());
        if (p.contains("allowed"))
            line += fmt::format("  one of {}", fmt::join(p["allowed"].get<std::vector<std::string>>(), ", "));
        line.erase(line.find_last_not_of(' ') + 1);
        io.out(line + "\n");
    }
}

/// One key of the tables, and which attributes answer it.
json row_of(resolve::Key key, const resolve::Resolver& from, const resolve::Resolver& to)
{
    const auto attributes = [key](const resolve::Resolver& of) {
        json names = json::array();
        // Several rows of a key may name the same attribute under different conditions; it is listed once.
        for (const resolve::Row* row : of.rows_of(key))
            for (const std::string& name : row->attributes)
                if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
        return names;
    };
    return {{"key", resolve::to_string(key)}, {"from", attributes(from)}, {"to", attributes(to)}};
}

}  // namespace

int show_schemas(const std::vector<std::string>& names, const Context& context)
{
    const auto               known = usd::bundled_schemas();
    std::vector<std::string> identifiers;
    for (const usd::SchemaInfo& schema : known) identifiers.emplace_back(schema.identifier);
    json all = json::array();
    // Without names: a list of all schemas that the build knows.
    if (names.empty()) {
        for (const usd::SchemaInfo& schema : known) {
            all.push_back({{"schema", schema.identifier}, {"module", schema.module}, {"kind", kind_name(schema.kind)}});
            if (!context.global.json)
                context.io.out(
                    fmt::format("{:46} {:18} {}\n", schema.identifier, schema.module, kind_name(schema.kind)));
        }
    }
    for (const std::string& name : names) {
        const auto schema =
            std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.identifier == name; });
        if (schema == known.end()) {
            const std::string near = did_you_mean(name, identifiers);
            context.io.say_error(fmt::format("there is no schema '{}'{}{}\n", name, near.empty() ? "" : "; ", near));
            return kExitUsage;
        }
        auto stage = usd::Stage::open_text(example(*schema));
        if (!stage) return context.io.fail(stage.error());
        const json one{{"schema", schema->identifier},
                       {"module", schema->module},
                       {"kind", kind_name(schema->kind)},
                       {"properties", properties_of((*stage)->prim_at(usd::Path("/prim")))}};
        if (!context.global.json) print_schema(one, context.io);
        all.push_back(one);
    }
    if (context.global.json)
        context.io.out(json{{"schema", "mechane.schemas/1"}, {"schemas", std::move(all)}}.dump(1) + "\n");
    return kExitClean;
}

int map_resolvers(const std::vector<std::string>& names, const Context& context)
{
    if (names.size() != 2) {
        context.io.say_error("schema map needs two resolvers, such as physx newton\n");
        return kExitUsage;
    }
    const auto list = resolve::resolvers_named(names);
    if (!list) return context.io.fail(list.error());
    json rows = json::array();
    for (int k = 0; k < static_cast<int>(resolve::Key::count_); ++k) {
        json row = row_of(static_cast<resolve::Key>(k), list->resolvers()[0], list->resolvers()[1]);
        // Keys that the first resolver cannot answer have nothing to map.
        if (!row["from"].empty()) rows.push_back(std::move(row));
    }
    if (context.global.json) {
        context.io.out(
            json{{"schema", "mechane.map/1"}, {"from", names[0]}, {"to", names[1]}, {"rows", std::move(rows)}}.dump(1) +
            "\n");
        return kExitClean;
    }
    for (const json& row : rows) {
        const auto joined = [&](const char* side) {
            const auto all = row[side].get<std::vector<std::string>>();
            return all.empty() ? std::string("-") : fmt::format("{}", fmt::join(all, ", "));
        };
        context.io.out(fmt::format("{:34} {}  ->  {}\n", row["key"].get<std::string>(), joined("from"), joined("to")));
    }
    context.io.out(
        fmt::format("\nRows are what both answer; units and conversions are those of docs/resolve.md. -: {} has no "
                    "such attribute.\n",
                    names[1]));
    return kExitClean;
}

}  // namespace mechane::cli

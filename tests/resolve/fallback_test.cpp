// The defaults of the tables that ship against those of the schemas that they speak of.
#include <doctest/doctest.h>

#include "../physics/stages.h"
#include "mechane/resolve/resolvers.h"
#include "mechane/usd/schemas.h"

namespace mechane::resolve {
namespace {

/// A prim with the schema that brings the attribute; a multiple-apply one under the instance that the name has.
std::shared_ptr<const usd::Stage> stage_with(const std::string& schema, const std::string& attribute)
{
    usd::SchemaKind kind = usd::SchemaKind::single_apply;
    for (const usd::SchemaInfo& info : usd::bundled_schemas())
        if (info.identifier == schema) kind = info.kind;
    if (kind == usd::SchemaKind::typed) return test::stage_from("def " + schema + " \"P\" {}");
    std::string applied = schema;
    if (kind == usd::SchemaKind::multiple_apply) {
        const auto begin = attribute.find(':') + 1;
        applied += ":" + attribute.substr(begin, attribute.find(':', begin) - begin);
    }
    return test::stage_from("def Xform \"P\" (prepend apiSchemas = [\"" + applied + "\"]) {}");
}

/// Whether a table's default is the fallback of a schema.
bool same(const Value& ours, const usd::Value& theirs)
{
    if (const auto* flag = std::get_if<bool>(&ours)) return theirs.get<bool>() == *flag;
    if (const auto* text = std::get_if<std::string>(&ours)) return theirs.get<std::string>() == *text;
    if (const auto* list = std::get_if<std::vector<double>>(&ours)) return theirs.get<std::vector<double>>() == *list;
    const auto* number = std::get_if<double>(&ours);
    const auto  value  = theirs.get<double>();
    // Schemas hold single precision.
    return number != nullptr && value && (*number == *value || std::abs(*number - *value) <= 1e-6 * std::abs(*number));
}

}  // namespace

TEST_CASE("a default that differs from its schema's fallback says why (GAP-011)")
{
    std::size_t compared = 0;
    for (const Resolver& resolver : {SchemaResolverNewton(), SchemaResolverPhysx(), SchemaResolverMjc()}) {
        for (const Row& row : resolver.rows) {
            if (!row.fallback || row.attributes.empty() || row.nonschema) continue;
            const std::string& attribute = row.attributes.front();
            CAPTURE(attribute);
            const auto schemas = usd::schemas_with(attribute);
            if (schemas.empty()) {
                CHECK_MESSAGE(!row.fallback_note.empty(), "no schema has the attribute");
                continue;
            }
            const auto       stage  = stage_with(schemas.front(), attribute);
            const usd::Value theirs = stage->prim_at(usd::Path("/P")).attribute(usd::Token(attribute)).value();
            CAPTURE(to_text(*row.fallback));
            CAPTURE(theirs.to_text());
            CHECK(same(*row.fallback, theirs) == row.fallback_note.empty());
            ++compared;
        }
    }
    CHECK(compared >= 40);
}

}  // namespace mechane::resolve

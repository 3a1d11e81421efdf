// Resolver tables that a program makes itself: which attribute of its own schema means which property.
// Inputs: a name and rows (attribute, property, unit, factor). Output: a table that takes part in value resolution like
// the built-in ones. Called by programs that read their own schemas.

#include "mechane/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "mechane/resolve/codes.h"
#include "mechane/resolve/resolvers.h"

namespace mechane {

namespace {

bool is_word(const std::string& text)
{
    return !text.empty() &&
           std::none_of(text.begin(), text.end(), [](unsigned char c) { return c <= ' ' || c == 127; });
}

/// The value of the row's attribute times the factor; flags stay flags.
resolve::Convert times(double factor)
{
    return [factor](const resolve::Inputs& in) -> std::optional<resolve::Value> {
        if (in.authored.empty() || !in.authored.front()) return std::nullopt;
        if (const auto* number = std::get_if<double>(&*in.authored.front())) return factor * *number;
        return in.authored.front();
    };
}

}  // namespace

Result<Resolver> make_resolver(const std::string& name, const std::vector<AttributeRow>& rows)
{
    const auto bad = [&](std::string message) {
        return make_diagnostic(resolve::kResolverTable, {.property = "make_resolver"}, std::move(message));
    };
    if (!is_word(name)) return bad("name: expected one word");
    Resolver table{.name = name, .namespaces = {}, .rows = {}};
    for (const AttributeRow& row : rows) {
        if (static_cast<unsigned>(row.property) >= static_cast<unsigned>(Property::count_))
            return bad(
                fmt::format("property: {} is none, expected one of Property", static_cast<unsigned>(row.property)));
        if (!is_word(row.attribute)) return bad("attribute: expected the full name of an attribute");
        if (!std::isfinite(row.factor)) return bad("factor: expected a finite number for '" + row.attribute + "'");
        table.rows.push_back(
            {.key = row.property, .attributes = {row.attribute}, .unit = row.unit, .convert = times(row.factor)});
    }
    return table;
}

Result<std::vector<AttributeInfo>> attributes_of(const std::string& resolver)
{
    auto list = resolve::resolvers_named(std::span(&resolver, 1));
    if (!list) return list.error();
    std::vector<AttributeInfo> found;
    for (const Resolver& table : list->resolvers())
        for (const resolve::Row& row : table.rows)
            for (const std::string& attribute : row.attributes) found.push_back({attribute, row.key, row.unit});
    return found;
}

}  // namespace mechane

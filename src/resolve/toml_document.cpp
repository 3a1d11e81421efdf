// TOML as JSON, so that tables in both forms go through one reader.

#include "toml_document.h"

#include <nlohmann/json.hpp>
#include <string>

#include "mechane/resolve/codes.h"
#include "mechane/resolve/toml_depth.h"

// No exceptions leave this module: mistakes come back in the result.
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace mechane::resolve {

namespace {

using Json = nlohmann::json;

Json json_of(const toml::node& node)
{
    if (const toml::table* table = node.as_table()) {
        Json out = Json::object();
        for (const auto& [key, value] : *table) out[std::string(key.str())] = json_of(value);
        return out;
    }
    if (const toml::array* array = node.as_array()) {
        Json out = Json::array();
        for (const toml::node& value : *array) out.push_back(json_of(value));
        return out;
    }
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* integer = node.as_integer()) return integer->get();
    if (const auto* number = node.as_floating_point()) return number->get();
    if (const auto* flag = node.as_boolean()) return flag->get();
    // Dates and times have no meaning in a table of resolvers.
    return nullptr;
}

}  // namespace

Result<Json> json_from_toml(const std::string& text, const std::string& source)
{
    if (const int line = too_deep_in_toml(text); line > 0)
        return make_diagnostic(kResolverTable, Site{.layer = source, .line = line, .prim = {}, .property = {}},
                               "keys nest too deeply");
    const toml::parse_result parsed = toml::parse(text, source);
    if (!parsed) {
        const toml::source_position at = parsed.error().source().begin;
        return make_diagnostic(kResolverTable,
                               Site{.layer    = source,
                                    .line     = static_cast<int>(at.line),
                                    .column   = static_cast<int>(at.column),
                                    .prim     = {},
                                    .property = {}},
                               "it is not valid TOML: " + std::string(parsed.error().description()));
    }
    return json_of(parsed.table());
}

}  // namespace mechane::resolve

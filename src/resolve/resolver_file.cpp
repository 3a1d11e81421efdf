// Tables of resolvers in files, as JSON or TOML: name, name spaces and rows of key, attributes, unit, conversion and
// fallback.
// Unknown words are faults and not ignored, since a misspelt one would silently change what a scene means.

#include "resolver_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "converters.h"
#include "mechane/files/read.h"
#include "mechane/files/suffix.h"
#include "mechane/resolve/codes.h"
#include "toml_document.h"

namespace mechane::resolve {

namespace {

using Json = nlohmann::json;

struct UnitName {
    std::string_view name;
    Unit             unit;
};
constexpr UnitName kUnits[] = {{"si", Unit::si},
                               {"length", Unit::length},
                               {"mass_or_inertia", Unit::mass_or_inertia},
                               {"force_or_torque", Unit::force_or_torque},
                               {"stiffness_deg", Unit::stiffness_deg},
                               {"damping_deg", Unit::damping_deg},
                               {"stiffness_rad", Unit::stiffness_rad},
                               {"damping_rad", Unit::damping_rad},
                               {"position_deg", Unit::position_deg},
                               {"contact_stiffness", Unit::contact_stiffness},
                               {"contact_damping", Unit::contact_damping},
                               {"volume_stiffness", Unit::volume_stiffness}};

/// The first attribute minus the second, when both are authored and neither asks for the engine's default.
std::optional<Value> difference(const Inputs& in)
{
    const auto a = convert::number(in, 0), b = convert::number(in, 1);
    return a && b && *a > -kInfinity && *b > -kInfinity ? std::optional<Value>(*a - *b) : std::nullopt;
}

struct ConvertName {
    std::string_view name;
    std::optional<Value> (*convert)(const Inputs&);
};
constexpr ConvertName kConverts[] = {{"same", convert::same},
                                     {"flag", convert::as_flag},
                                     {"not", convert::negated},
                                     {"unless_minus_infinity", convert::unless_minus_infinity},
                                     {"difference", difference}};

Diagnostic fault(const std::string& source, std::string message)
{ return make_diagnostic(kResolverTable, Site{.layer = source, .prim = {}, .property = {}}, std::move(message)); }

bool is_texts(const Json& list)
{
    return list.is_array() && std::all_of(list.begin(), list.end(), [](const Json& x) { return x.is_string(); });
}

std::optional<Value> value_of(const Json& json)
{
    if (json.is_boolean()) return json.get<bool>();
    if (json.is_number()) return json.get<double>();
    if (json.is_string()) return json.get<std::string>();
    return std::nullopt;
}

Result<Row> read_row(const Json& json, const std::string& source, std::size_t index)
{
    const auto wrong = [&](std::string_view what) { return fault(source, fmt::format("row {}: {}", index + 1, what)); };
    if (!json.is_object()) return wrong("it is not an object");
    for (const auto& [name, unused] : json.items())
        if (name != "key" && name != "attributes" && name != "unit" && name != "convert" && name != "fallback" &&
            name != "replaced_by")
            return wrong(fmt::format("there is no entry '{}'", name));
    const auto text = [&](const char* name, const char* otherwise) {
        return json.contains(name) && json[name].is_string() ? json[name].get<std::string>() : std::string(otherwise);
    };
    const auto key = key_from(text("key", ""));
    if (!key) return wrong(fmt::format("there is no key '{}'", text("key", "")));
    if (!json.contains("attributes") || !is_texts(json["attributes"]) || json["attributes"].empty())
        return wrong("attributes is not a list of names");
    const std::string unit = text("unit", "si"), how = text("convert", "same");
    const auto*       row_unit =
        std::find_if(std::begin(kUnits), std::end(kUnits), [&](const UnitName& u) { return u.name == unit; });
    if (row_unit == std::end(kUnits)) return wrong(fmt::format("there is no unit '{}'", unit));
    const auto* conversion =
        std::find_if(std::begin(kConverts), std::end(kConverts), [&](const ConvertName& c) { return c.name == how; });
    if (conversion == std::end(kConverts)) return wrong(fmt::format("there is no conversion '{}'", how));
    Row row{.key        = *key,
            .attributes = json["attributes"].get<std::vector<std::string>>(),
            .unit       = row_unit->unit,
            .convert    = conversion->convert};
    if (json.contains("fallback") && !(row.fallback = value_of(json["fallback"])))
        return wrong("the fallback is not a value");
    row.replaced_by = text("replaced_by", "");
    return row;
}

}  // namespace

Result<Resolver> read_resolver(const std::string& text, const std::string& source)
{
    Json json;
    if (files::has_suffix(source, {".toml"})) {
        auto document = json_from_toml(text, source);
        if (!document) return document.error();
        json = *std::move(document);
    } else {
        json = Json::parse(text, nullptr, false);
    }
    if (json.is_discarded() || !json.is_object()) return fault(source, "it is not a JSON object");
    if (!json.contains("name") || !json["name"].is_string() || json["name"].get<std::string>().empty())
        return fault(source, "it has no name");
    Resolver resolver{.name = json["name"].get<std::string>(), .namespaces = {}, .rows = {}};
    if (json.contains("namespaces")) {
        if (!is_texts(json["namespaces"])) return fault(source, "namespaces is not a list of names");
        resolver.namespaces = json["namespaces"].get<std::vector<std::string>>();
    }
    if (!json.contains("rows") || !json["rows"].is_array()) return fault(source, "rows is not a list");
    for (std::size_t i = 0; i < json["rows"].size(); ++i) {
        auto row = read_row(json["rows"][i], source, i);
        if (!row) return row.error();
        resolver.rows.push_back(*std::move(row));
    }
    return resolver;
}

Result<Resolver> load_resolver(const std::string& file)
{
    // A table has some hundred rows; the limit keeps a wrong file from filling memory.
    constexpr std::uint64_t kMost = std::uint64_t{16} << 20;
    const auto              text  = files::read(file, kMost);
    return text ? read_resolver(*text, file) : fault(file, text.error().message);
}

}  // namespace mechane::resolve

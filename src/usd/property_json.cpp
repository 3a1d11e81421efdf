// Properties, metadata and fallbacks as JSON, parts of `dump stage`. Keys and form are the contract that conformance
// tests compare.

#include "usd/property_json.h"

#include <pxr/sdf/schema.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "usd/value_json.h"

namespace mechane::usd {
namespace {

using namespace pxr;
using Json = nlohmann::json;

/// Fields that are shown elsewhere, or that are arcs and structure rather than metadata.
bool is_shown_elsewhere(const TfToken& field)
{
    static const std::set<std::string_view> kNames = {
        "specifier",       "typeName",         "active",          "kind",        "instanceable", "apiSchemas",
        "custom",          "variability",      "references",      "payload",     "inheritPaths", "specializes",
        "variantSetNames", "variantSelection", "default",         "timeSamples", "spline",       "connectionPaths",
        "targetPaths",     "subLayers",        "subLayerOffsets", "relocates",   "clips",        "clipSets"};
    return kNames.contains(field.GetString()) || SdfSchema::GetInstance().HoldsChildren(field);
}

std::vector<std::string> texts(const std::vector<Path>& paths)
{
    std::vector<std::string> out;
    for (const Path& path : paths) out.push_back(path.text());
    return out;
}

/// Long series show their ends only.
Json samples_json(const Stage::Impl& stage, const PrimRecord& record, const TfToken& name,
                  const std::vector<double>& times, std::size_t limit)
{
    constexpr std::size_t kAll = 16, kEnd = 4;
    const auto value = [&](double t) { return to_json(resolve_value(stage, record, name, t, true).value, limit); };
    Json       out{{"times", to_json(VtValue(VtArray<double>(times.begin(), times.end())), limit)},
                   {"values", Json::array()}};
    for (std::size_t i = 0; i < times.size(); ++i)
        if (times.size() <= kAll || i < kEnd || i + kEnd >= times.size()) out["values"].push_back(value(times[i]));
    if (times.size() > kAll) out["valuesShown"] = "first 4 and last 4";
    for (std::size_t i = 0; i + 1 < std::min<std::size_t>(times.size(), 3); ++i) {
        // Values between samples show that interpolation is the same.
        const double middle = 0.5 * (times[i] + times[i + 1]);
        out["interpolated"].push_back(Json::array({to_json(middle), value(middle)}));
    }
    return out;
}

}  // namespace

Json metadata_json(const Stage::Impl& stage, const PrimRecord& prim, const TfToken& property, std::size_t limit)
{
    std::set<TfToken> fields;
    for_each_site(prim, [&](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t) {
        for (const TfToken& field : layer->ListFields(property.IsEmpty() ? at.path : at.path.AppendProperty(property)))
            if (!is_shown_elsewhere(field)) fields.insert(field);
        return false;
    });
    Json out = Json::object();
    for (const TfToken& field : fields)
        out[field.GetString()] = to_json(compose_metadata(stage, prim, property, field), limit);
    return out;
}

Json attribute_json(const Stage::Impl& stage, const PrimRecord& record, const Attribute& attribute, std::size_t limit)
{
    const TfToken& name     = unwrap(attribute.name());
    const Resolved resolved = resolve_value(stage, record, name, {}, true);
    const auto     built_in = record.definition->properties.find(name);
    const bool has_fallback = built_in != record.definition->properties.end() && !built_in->second.fallback.IsEmpty();
    Json       out{{"type", attribute.type_name()}, {"variability", attribute.uniform() ? "uniform" : "varying"}};
    if (attribute.custom()) out["custom"] = true;
    out["default"] = to_json(resolved.value, limit);
    // An edit over a block has a source and no value.
    const bool emptied = !resolved.blocked && resolved.source == ValueSource::default_value;
    out["source"]      = resolved.authored || emptied ? "Default" : has_fallback ? "Fallback" : "None";
    if (resolved.blocked) out["blocked"] = true;
    if (const auto times = attribute.time_samples(); !times.empty())
        out["timeSamples"] = samples_json(stage, record, name, times, limit);
    if (!compose_metadata(stage, record, name, TfToken("connectionPaths")).IsEmpty())
        out["connections"] = texts(attribute.connections());
    if (Json metadata = metadata_json(stage, record, name, limit); !metadata.empty()) out["metadata"] = std::move(metadata);
    return out;
}

Json relationship_json(const Stage::Impl& stage, const PrimRecord& record, const Relationship& relationship, std::size_t limit)
{
    const TfToken& name    = unwrap(relationship.name());
    const auto     targets = texts(relationship.targets()), forwarded = texts(relationship.forwarded());
    Json           out{{"targets", targets}};
    if (forwarded != targets) out["forwarded"] = forwarded;
    if (relationship.custom()) out["custom"] = true;
    if (Json metadata = metadata_json(stage, record, name, limit); !metadata.empty()) out["metadata"] = std::move(metadata);
    return out;
}

Json fallbacks_json(const Definition& definition, std::size_t limit)
{
    Json out = Json::object();
    for (const auto& [name, property] : definition.properties)
        out[name.GetString()] = property.is_relationship ? Json{{"type", "rel"}}
                                                         : Json{{"type", property.type.GetAsToken().GetString()},
                                                                {"fallback", to_json(property.fallback, limit)}};
    return out;
}

}  // namespace mechane::usd

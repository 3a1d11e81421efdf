// Rules of REP-0158 1.2.5 on the composed stage: default prim, identifier, version, provenance, and references hidden
// in attributes.
// A text is taken for a hidden reference if it names a scene file, or if the attribute is called like one; both are
// guesses, which is why ROS properties are excepted.

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "conformance/asset_paths.h"
#include "conformance/family.h"
#include "mechane/core/letters.h"
#include "mechane/usd/stage_layers.h"

/// REP-0158 1.2.5, the part that the composed stage shows: identity of the asset and forbidden ways to name others.
namespace mechane::conformance {
namespace {

constexpr Rule kDefaultPrim{
    .id      = "REP-1.2.5-a",
    .slug    = "default-prim",
    .summary = "The root layer names a default prim.",
    .why     = "An asset without one cannot be referenced without knowing its inside.",
    .fix     = "Set when there is exactly one candidate.",
    .fixable = true,
    .bad     = R"(#usda 1.0
(
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"
)
def Xform "robot"
{
}
)",
    .good    = "",
};
constexpr Rule kDefaultPrimValid{
    .id      = "REP-1.2.5-b",
    .slug    = "default-prim-valid",
    .summary = "The default prim exists, is active, defined and concrete.",
    .why     = "A reference to the asset composes nothing.",
    .fix     = "As default-prim.",
    .fixable = true,
    .bad     = R"(#usda 1.0
(
    defaultPrim = "nope"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"
)
def Xform "robot"
{
}
)",
    .good    = "",
};
constexpr Rule kIdentifier{
    .id      = "REP-1.2.5-c",
    .slug    = "asset-identifier",
    .summary = "assetInfo of the default prim has an identifier.",
    .why     = "Catalogues and pipelines know assets by it, whatever the file is called.",
    .fix     = "A placeholder urn is written and said to be one.",
    .fixable = true,
    .bad     = R"(<<layer>>
def Xform "robot" (
    assetInfo = { string version = "1.0.0" }
    kind = "component"
)
{
}
)",
    .good    = "",
};
constexpr Rule kVersion{
    .id      = "REP-1.2.5-d",
    .slug    = "asset-version",
    .summary = "assetInfo of the default prim has a version.",
    .why     = "Without one nobody can say which state of the asset a result was made with.",
    .fix     = "A placeholder version is written and said to be one.",
    .fixable = true,
    .bad     = R"(<<layer>>
def Xform "robot" (
    assetInfo = { string identifier = "urn:example:robot" }
    kind = "component"
)
{
}
)",
    .good    = "",
};
constexpr Rule kProvenance{
    .id       = "REP-1.2.5-e",
    .slug     = "ros-provenance",
    .keyword  = Keyword::should,
    .severity = Severity::info,
    .summary  = "An asset that came from a ROS package says so in assetInfo[\"ros\"].",
    .why      = "The way back to the source package is otherwise lost.",
    .fix      = "None: a leftover tells a package or a model, but not the path of the file in it.",
    .bad      = R"(
def Xform "a"
{
    custom string urdf:package = "p"
}
)",
    .good     = R"(
def Xform "a"
{
}
)",
};
constexpr Rule kPrefab{
    .id      = "REP-1.2.5-m",
    .slug    = "prefab-attribute",
    .keyword = Keyword::must_not,
    .summary = "No custom attribute names another scene file to be spawned.",
    .why =
        "Only one simulator understands it; everybody else sees an empty prim. Composition arcs do the same for all.",
    .fix  = "None: a reference has to be written by someone who knows what the attribute meant.",
    .bad  = R"(
def Xform "a"
{
    custom string my_sim:prefabPath = "robot.usd"
}
)",
    .good = R"(
def Xform "a"
{
    custom string my_sim:colour = "red"
}
)",
};

bool blank(const std::string& text)
{
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c) != 0; });
}

void check_info(const usd::Prim& root, Sink& sink, const Rule& rule, const char* key, const char* hint)
{
    sink.applies(rule);
    const usd::Value  value = root.metadata(std::string("assetInfo:") + key);
    const std::string type  = value.type_name();
    std::string       text;
    if (type == "string") text = value.get<std::string>().value_or("");
    if (type == "asset") text = value.get<usd::AssetPath>().value_or(usd::AssetPath{}).authored;
    if (type == "asset" && !blank(text)) {
        sink.report(rule, {.site     = root.site(),
                           .message  = std::string("assetInfo.") + key + " is an asset path, not a string",
                           .observed = "asset",
                           .expected = "string",
                           .hint     = hint,
                           .variant  = "asset-typed",
                           .severity = Severity::info});
        return;
    }
    if (type == "string" && !blank(text)) return;
    sink.report(rule, {.site     = root.site(),
                       .message  = value.empty()      ? std::string("assetInfo has no ") + key
                                   : type == "string" ? std::string("assetInfo.") + key + " is blank"
                                                      : std::string("assetInfo.") + key + " is " + type,
                       .observed = value.empty() ? "absent" : type,
                       .expected = "a string",
                       .hint     = hint,
                       .variant  = value.empty() ? "absent" : "invalid"});
}

bool names_a_scene(const std::string& value)
{
    static constexpr std::array<std::string_view, 15> kExtensions{".usd", ".usda", ".usdc",  ".usdz",   ".urdf",
                                                                  ".sdf", ".xml",  ".xacro", ".gltf",   ".glb",
                                                                  ".fbx", ".obj",  ".dae",   ".prefab", ".spawnable"};
    const std::string                                 text = lower_case(value);
    return std::any_of(kExtensions.begin(), kExtensions.end(),
                       [&](std::string_view extension) { return text.ends_with(extension); });
}

/// Names such as prefabPath, spawn_file, AssetRef: a thing and a way to find it.
bool sounds_like_a_scene(const std::string& name)
{
    const std::string text = lower_case(name);
    for (const char* thing : {"prefab", "spawn", "asset", "model", "scene"})
        for (const char* way : {"path", "ref", "file", "uri"})
            for (const char* between : {"", "_", ":"})
                if (text.ends_with(std::string(thing) + between + way)) return true;
    return false;
}

/// The value at the default time, else at the first sample.
usd::Value first_authored(const usd::Attribute& attribute)
{
    if (usd::Value value = attribute.authored_value(); !value.empty()) return value;
    const std::vector<double> times = attribute.time_samples();
    return times.empty() ? usd::Value() : attribute.authored_value(usd::TimeCode(times.front()));
}

void check_prefabs(const PrimFacts& prim, const usd::Token& name, Sink& sink)
{
    if (name.text().starts_with("ros:")) return;
    const usd::Attribute attribute = prim.prim.attribute(name);
    if (!attribute || !attribute.custom()) return;
    const std::string        type = attribute.type_name();
    std::vector<std::string> texts;
    const usd::Value         value = first_authored(attribute);
    if (type == "string" || type == "token") texts.push_back(value.get<std::string>().value_or(""));
    if (type == "string[]" || type == "token[]")
        texts = value.get<std::vector<std::string>>().value_or(std::vector<std::string>{});
    if (type == "asset[]")
        for (const usd::AssetPath& path :
             value.get<std::vector<usd::AssetPath>>().value_or(std::vector<usd::AssetPath>{}))
            texts.push_back(path.authored);
    if (type == "asset") texts.push_back(value.get<usd::AssetPath>().value_or(usd::AssetPath{}).authored);
    sink.applies(kPrefab);
    const bool file  = std::any_of(texts.begin(), texts.end(), names_a_scene);
    const bool named = sounds_like_a_scene(name.text()) &&
                       std::any_of(texts.begin(), texts.end(), [](const std::string& t) { return !t.empty(); });
    if (!file && !named) return;
    sink.report(kPrefab, {.site     = attribute.site(),
                          .message  = "the custom attribute " + name.text() +
                                      (file ? " names a scene file" : " seems to name a scene"),
                          .observed = texts.front(),
                          .expected = "a reference or payload",
                          .hint     = "author `references = @./...@` on the prim instead",
                          .variant  = file ? "file" : "name",
                          .severity = file ? Severity::error : Severity::warning});
}

/// Loaded or not: a prim with a payload that is left out is there all the same.
void check_default_prim(const Facts& facts, const std::string& name, Sink& sink)
{
    sink.applies(kDefaultPrimValid);
    const usd::Prim prim = facts.stage.prim_at(usd::Path(name.starts_with('/') ? name : "/" + name));
    // What a payload that is left out defines is not known.
    if (prim && !prim.defined() && !prim.loaded()) return;
    const bool valid = prim && prim.active() && prim.defined() && !prim.abstract();
    if (!valid)
        sink.report(kDefaultPrimValid,
                    {.site     = {.layer = facts.stage.source()},
                     .message  = "defaultPrim \"" + name + "\" names no active, defined, concrete prim",
                     .observed = name,
                     .expected = "an existing root prim",
                     .hint     = "name the asset's root prim"});
    else if (prim.parent() != facts.stage.pseudo_root())
        sink.report(kDefaultPrimValid, {.site     = {.layer = facts.stage.source()},
                                        .message  = "defaultPrim names the nested prim " + prim.path().text(),
                                        .observed = name,
                                        .expected = "a root prim",
                                        .hint     = "readers before OpenUSD 23.11 find root prims only",
                                        .variant  = "nested",
                                        .severity = Severity::info});
}

/// Why a layer cannot be brought in without naming a prim; empty when it can. An over is enough.
std::string fault_of_target(const usd::Layer& layer)
{
    const std::string name = layer.field(usd::Path::root(), "defaultPrim").get<std::string>().value_or("");
    if (name.empty()) return "has no defaultPrim";
    const usd::Path path(name.starts_with('/') ? name : "/" + name);
    if (path.empty() || path.is_root()) return "has the defaultPrim \"" + name + "\", which no prim can be called";
    static const usd::Token kSpecifier("specifier"), kActive("active");
    if (layer.field(path, kSpecifier).to_text().find("lass") != std::string::npos)
        return "names the class " + path.text() + " as its defaultPrim";
    for (usd::Path at = path; !at.empty() && !at.is_root(); at = at.parent())
        if (!layer.field(at, kActive).get<bool>().value_or(true))
            return "names the prim " + path.text() + ", which is switched off, as its defaultPrim";
    if (layer.kind(path) != usd::SpecKind::none || !layer.sublayers().empty()) return {};
    return "has no prim " + path.text() + ", which its defaultPrim names";
}

/// References and payloads that leave it to their layer which prim they bring in.
void check_arc_targets(const Facts& facts, Sink& sink)
{
    std::map<std::string, std::string> faults;  // by file
    const auto                         fault = [&](const std::string& file) -> const std::string& {
        const auto [known, fresh] = faults.try_emplace(file);
        if (!fresh) return known->second;
        for (const AssetLayer& layer : facts.layers())
            if (layer.layer.file == file) return known->second = fault_of_target(*layer.layer.layer);
        if (const auto read = usd::Layer::open(file)) known->second = fault_of_target(*read);
        return known->second;  // a file that is not there is REP-1.2.5-k's
    };
    for (const AssetLayer& from : facts.layers()) {
        if (!from.inside || from.layer.file.empty()) continue;
        const usd::Layer& layer = *from.layer.layer;
        for (const usd::Path& spec : usd::prim_specs(layer)) {
            std::vector<usd::Arc> arcs = layer.references(spec);
            for (usd::Arc& payload : layer.payloads(spec)) arcs.push_back(std::move(payload));
            for (const usd::Arc& arc : arcs) {
                const AssetPathForm form = form_of(arc.asset);
                if (arc.asset.empty() || !arc.prim.empty() || form.file.empty() ||
                    arc.asset.find(".usd") == std::string::npos)
                    continue;
                sink.applies(kDefaultPrimValid);
                const std::string& why = fault(file_named(from, form.file));
                if (why.empty()) continue;
                sink.report(kDefaultPrimValid, {.site = {.layer = from.layer.name, .prim = spec.text(), .property = {}},
                                                .message  = arc.asset + " is brought in without a prim path and " + why,
                                                .observed = arc.asset,
                                                .expected = "a layer with a valid defaultPrim",
                                                .hint = "write defaultPrim in that layer, or the prim behind its path",
                                                .variant = arc.asset});
            }
        }
    }
}

/// What assetInfo["ros"] says of the package that the asset came from.
void check_provenance(const usd::Prim& root, bool leftover, Sink& sink)
{
    const auto say = [&](std::string message, std::string observed, std::string expected, std::string hint,
                         const char* variant = "", std::optional<Severity> severity = {}) {
        sink.report(kProvenance, {.site     = root.site(),
                                  .message  = std::move(message),
                                  .observed = std::move(observed),
                                  .expected = std::move(expected),
                                  .hint     = std::move(hint),
                                  .variant  = variant,
                                  .severity = severity});
    };
    const usd::Value  ros = root.metadata("assetInfo:ros"), uri = root.metadata("assetInfo:ros:package_uri");
    const std::string record = "record the source package in assetInfo[\"ros\"][\"package_uri\"]";
    if (uri.empty() && ros.empty()) {
        if (leftover)
            say("the asset holds leftovers of an importer but assetInfo has no \"ros\" dictionary", "absent",
                "assetInfo[\"ros\"]", record);
        return;
    }
    if (uri.empty()) {
        if (ros.get<std::string>() || ros.get<double>() || ros.get<bool>())
            say("assetInfo.ros is not a dictionary", ros.to_text(), "a dictionary", record, "type", Severity::warning);
        else if (leftover)
            say("the asset holds leftovers of an importer but assetInfo.ros names no package", ros.to_text(),
                "package_uri", record, "no-uri");
        return;
    }
    const std::string   text = uri.get<std::string>().value_or("");
    const AssetPathForm form = form_of(text);
    if (form.kind != PathKind::package)
        say("assetInfo.ros.package_uri is not a package:// URI", uri.to_text(), "package://...",
            "write `package://<package>/<path>`", "uri", Severity::warning);
    else if (!form.well_formed)
        say("assetInfo.ros.package_uri is not complete", uri.to_text(), "package://<name>/<path>",
            "name a package in lower case and a path in it", "uri", Severity::warning);
}

void check(const Facts& facts, Sink& sink)
{
    sink.applies(kDefaultPrim);
    const auto name = facts.stage.root_metadata("defaultPrim").get<std::string>().value_or("");
    if (name.empty()) {
        sink.report(kDefaultPrim, {.site     = {.layer = facts.stage.source()},
                                   .message  = "the root layer has no defaultPrim",
                                   .observed = "absent",
                                   .expected = "the name of the asset's root prim",
                                   .hint     = "write `defaultPrim = \"...\"` in the root layer"});
    } else {
        check_default_prim(facts, name, sink);
    }
    check_arc_targets(facts, sink);
    bool leftover = false, ros = facts.has(kRos);
    for (const PrimFacts& prim : facts.prims)
        for (const usd::Token& property : prim.properties) {
            leftover |= property.text().starts_with("urdf:") || property.text().starts_with("sdf:");
            check_prefabs(prim, property, sink);
        }
    if (facts.root < 0) return;
    const usd::Prim root = facts.prims[static_cast<std::size_t>(facts.root)].prim;
    check_info(root, sink, kIdentifier, "identifier",
               "write `string identifier = \"urn:...\"` into assetInfo of the default prim");
    check_info(root, sink, kVersion, "version",
               "write `string version = \"1.0.0\"` into assetInfo of the default prim");
    if (leftover || ros) sink.applies(kProvenance);
    check_provenance(root, leftover, sink);
}

constexpr std::array<const Rule*, 6> kRules{&kDefaultPrim, &kDefaultPrimValid, &kIdentifier,
                                            &kVersion,     &kProvenance,       &kPrefab};

}  // namespace

constexpr Family kAssetRules{kRules, check};

}  // namespace mechane::conformance

// Repairs of phase P5: metadata of the asset (default prim, identity, kinds, instancing, subsets).
// Each repair takes one finding and edits the layer that says the value, or refuses with a reason. What only the author
// can know (an identifier, a version) is taken from options and never invented.
// Called by Fixer through the table at the end.

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>

#include "conformance/asset_layers.h"
#include "conformance/asset_paths.h"
#include "conformance/fixes/repair.h"
#include "mechane/core/letters.h"
#include "mechane/usd/stage_layers.h"

/// P5: metadata of the asset: default prim, identity, kinds, instancing flags.
namespace mechane::conformance {
namespace {

usd::Prim prim_of(const Repair& repair, const Finding& finding)
{ return repair.facts.stage.prim_at(usd::Path(finding.site.prim)); }

usd::Value text(const std::string& value) { return usd::make_value("string", value); }
usd::Value token(const char* value) { return usd::make_value("token", usd::Token(value)); }

const usd::Token kSpecifier("specifier"), kDefault("defaultPrim"), kActive("active");

/// Of several root prims the one that a name means: as it is written, in another case, or that of the file.
std::optional<usd::Token> meant(const std::vector<usd::Token>& tops, const std::vector<std::string>& names)
{
    if (tops.size() == 1) return tops.front();
    for (const std::string& name : names) {
        std::vector<usd::Token> alike;
        for (const usd::Token& top : tops)
            if (!letters_of(name).empty() && letters_of(top.text()) == letters_of(name)) alike.push_back(top);
        if (alike.size() == 1) return alike.front();
    }
    return std::nullopt;
}

/// The authored name of a default prim without slashes; of a path its first prim.
std::string first_name(std::string name)
{
    if (name.starts_with('/')) name.erase(0, 1);
    return name.substr(0, name.find('/'));
}

bool is_class(const usd::Layer& layer, const usd::Path& path)
{ return layer.field(path, kSpecifier).to_text().find("lass") != std::string::npos; }

/// A layer that an arc brings in without naming a prim, and that has one root prim that is meant.
void fix_target(Repair& repair, const Finding& finding)
{
    const AssetLayer* from  = repair.facts.layer(finding.site.layer);
    const std::string file  = from == nullptr ? std::string() : file_named(*from, form_of(finding.observed).file);
    usd::Layer*       layer = file.empty() ? nullptr : repair.work.layer(file);
    if (layer == nullptr || repair.work.has_overlay())
        return repair.refuse("external-layer",
                             finding.observed + " is no layer of the asset; repair it by itself first");
    std::vector<usd::Token> tops;
    for (const usd::Path& path : layer->specs())
        if (layer->kind(path) == usd::SpecKind::prim && path.parent().is_root() && !is_class(*layer, path) &&
            layer->field(path, kActive).get<bool>().value_or(true))
            tops.push_back(path.name());
    const std::string authored = layer->field(usd::Path::root(), kDefault).get<std::string>().value_or("");
    const std::string prim     = usd::Path(finding.site.prim).name().text();
    const auto        top      = meant(tops, {first_name(authored), prim, std::filesystem::path(file).stem().string()});
    if (!top)
        return repair.refuse(
            "ambiguous", finding.observed +
                             (tops.empty() ? " has no root prim that an arc can bring in" : " has several root prims"));
    repair.set_field({layer, file, usd::Path::root()}, kDefault, usd::make_value("token", *top));
}

/// Root prims that can be an asset; scenes of physics, materials and render settings beside it do not count.
std::vector<usd::Prim> assets_of(const usd::Stage& stage)
{
    std::vector<usd::Prim> candidates;
    for (const usd::Prim& top : stage.pseudo_root().children()) {
        const std::string name = top.name().text();
        if (!top.is_a("Xformable") && !top.is_a("Scope")) continue;
        if (top.is_a("Scope") &&
            (name == "Materials" || name == "Looks" || name == "Render" || name == "PhysicsMaterials"))
            continue;
        candidates.push_back(top);
    }
    const auto keep = [&](auto&& some) {  // where that leaves any
        if (candidates.size() > 1 && std::ranges::any_of(candidates, some))
            std::erase_if(candidates, [&](const usd::Prim& prim) { return !some(prim); });
    };
    keep([](const usd::Prim& prim) { return prim.is_a("Xform"); });  // lights and cameras beside the one thing
    return candidates;
}

/// What the default prim names is there, but switched off or never defined, and nothing else can be the asset.
bool define_named(Repair& repair, const std::string& name)
{
    const usd::Path path("/" + first_name(name));
    const usd::Prim prim = repair.facts.stage.prim_at(path);
    if (name.empty() || !prim) return false;
    if (!prim.active()) {
        repair.set_field(repair.field_place(prim, "active"), "active", usd::make_value("bool", true));
        return true;
    }
    const EditPlace at = repair.place(prim);
    if (!at) return false;
    if (prim.abstract()) {  // a class that somebody inherits is one on purpose
        for (const usd::Prim& other : repair.facts.stage.traverse({.all = true}))
            for (const usd::ArcPlace& place : usd::arc_places(other))
                if (place.by_class && usd::Path(place.path).has_prefix(path)) return false;
    }
    const usd::Token type = prim.type_name().empty() ? usd::Token("Xform") : prim.type_name();
    if (!at.layer->define(at.path, type)) return false;
    repair.note(at.file, at.path, "specifier", prim.abstract() ? "class" : "over", "def " + type.text());
    return true;
}

/// The one root prim that can be the asset.
void fix_default_prim(Repair& repair, const Finding& finding)
{
    if (!finding.site.prim.empty()) return fix_target(repair, finding);
    if (finding.variant == "nested") {
        const usd::Prim prim = repair.facts.stage.default_prim();
        return repair.refuse("hierarchy",
                             prim.path().text() + " would have to become a root prim, and every path with it");
    }
    const std::vector<usd::Prim> candidates = assets_of(repair.facts.stage);
    const std::string            authored = repair.facts.stage.root_metadata(kDefault).get<std::string>().value_or("");
    if (candidates.empty() && define_named(repair, authored)) return;
    std::vector<usd::Token> tops;
    for (const usd::Prim& prim : candidates) tops.push_back(prim.name());
    const auto top = meant(tops, {first_name(authored), repair.work.entry().stem().string()});
    if (!top) {
        std::string names;
        for (const usd::Token& name : tops) names += (names.empty() ? "" : ", ") + name.text();
        return repair.refuse("ambiguous", candidates.empty() ? "no root prim can be the asset"
                                                             : "several root prims can be the asset: " + names);
    }
    repair.set_field(repair.root(), kDefault, usd::make_value("token", *top));
}

void write_info(Repair& repair, const Finding& finding, const char* key, const std::string& value)
{
    const usd::Token field("assetInfo:" + std::string(key));
    repair.set_field(repair.field_place(prim_of(repair, finding), field), field, text(value));
}

/// USD's own key is of type asset: tolerated.
bool is_asset_typed(const Finding& finding) { return finding.variant == "asset-typed"; }

void fix_identifier(Repair& repair, const Finding& finding)
{
    if (is_asset_typed(finding)) return;
    const usd::Prim root = prim_of(repair, finding);
    std::string     id   = repair.options.identifier;
    if (id.empty()) id = root.metadata("assetInfo:name").get<std::string>().value_or("");
    if (id.empty()) {
        id = "urn:mechane:" + root.name().text();
        repair.remark("placeholder", "the identifier " + id + " is a placeholder; --identifier gives the real one");
    }
    write_info(repair, finding, "identifier", id);
}

void fix_version(Repair& repair, const Finding& finding)
{
    if (is_asset_typed(finding)) return;
    std::string version = repair.options.version;
    if (version.empty()) {
        version = "0.1.0";
        repair.remark("placeholder", "the version 0.1.0 is a placeholder; --version-string gives the real one");
    }
    write_info(repair, finding, "version", version);
}

void write_kind(Repair& repair, const Finding& finding, const char* kind)
{ repair.set_field(repair.field_place(prim_of(repair, finding), "kind"), "kind", token(kind)); }

/// Several robots, or several things that are brought in from elsewhere, may be a scene whose parts lack their kind.
bool may_be_scene(const Facts& facts)
{
    if (facts.root < 0) return false;
    const usd::Prim root    = facts.prims[static_cast<std::size_t>(facts.root)].prim;
    const auto      is_part = [&](const usd::Prim& prim) {
        return prim.parent() == root && std::ranges::any_of(usd::arc_places(prim), [](const usd::ArcPlace& place) {
                   return !place.by_class && place.path.parent().is_root();
               });
    };
    return std::ranges::count_if(facts.prims, [&](const PrimFacts& prim) {
               return prim.prim != root && (prim.is(kContext) || is_part(prim.prim));
           }) >= 2;
}

void fix_component(Repair& repair, const Finding& finding)
{
    if (finding.variant == "no-parts" && may_be_scene(repair.facts))
        return repair.refuse("hierarchy",
                             "its parts may lack kind component, or it is one itself: the author must decide");
    write_kind(repair, finding, "component");
}
void fix_subcomponent(Repair& repair, const Finding& finding) { write_kind(repair, finding, "subcomponent"); }

bool is_part(const usd::Prim& prim)
{
    const std::string kind = prim.metadata("kind").get<std::string>().value_or("");
    return kind == "component" || kind == "assembly";
}

/// Components below the default prim that no other component is above.
std::vector<usd::Prim> parts_of(const Facts& facts)
{
    std::vector<usd::Prim> parts;
    if (facts.root < 0) return parts;
    const std::int32_t end = facts.prims[static_cast<std::size_t>(facts.root)].end;
    for (std::int32_t i = facts.root + 1; i < end;) {
        const PrimFacts& prim = facts.prims[static_cast<std::size_t>(i)];
        const bool       part = is_part(prim.prim);
        if (part) parts.push_back(prim.prim);
        i = part ? prim.end : i + 1;
    }
    return parts;
}

/// A thing with links of its own that has modules attached, such as a robot with cameras, is no scene of things.
bool has_own_links(const Facts& facts, const std::vector<usd::Prim>& parts)
{
    const usd::Path root = facts.prims[static_cast<std::size_t>(facts.root)].prim.path();
    return std::ranges::any_of(facts.physics.bodies, [&](const physics::Body& body) {
        return body.path.has_prefix(root) &&
               std::ranges::none_of(parts, [&](const usd::Prim& part) { return body.path.has_prefix(part.path()); });
    });
}

void fix_aggregate(Repair& repair, const Finding& finding)
{
    const std::vector<usd::Prim> parts = parts_of(repair.facts);
    if (!has_own_links(repair.facts, parts)) return write_kind(repair, finding, "assembly");
    for (const usd::Prim& part : parts)
        repair.set_field(repair.field_place(part, "kind", true), "kind", token("subcomponent"));
}

/// "Component" and "sub-component".
void fix_unknown_kind(Repair& repair, const Finding& finding)
{
    for (const char* known : {"group", "assembly", "component", "subcomponent"})
        if (letters_of(finding.observed) == known) return write_kind(repair, finding, known);
    repair.refuse("kind", "the author must decide which kind is meant");
}

/// Prims without a kind between a model and a group above it become groups.
void join_hierarchy(Repair& repair, const Finding& finding)
{
    std::vector<usd::Prim> between;
    for (usd::Prim prim = prim_of(repair, finding).parent(); prim && !prim.path().is_root(); prim = prim.parent()) {
        const std::string kind = prim.metadata("kind").get<std::string>().value_or("");
        if (kind == "group" || kind == "assembly") {
            for (const usd::Prim& gap : between)
                repair.set_field(repair.field_place(gap, "kind", true), "kind", token("group"));
            return;
        }
        if (!kind.empty()) break;
        between.push_back(prim);
    }
    repair.refuse("hierarchy", "the author must choose the kinds above it");
}

void fix_contiguous(Repair& repair, const Finding& finding)
{
    if (finding.expected != "subcomponent") return join_hierarchy(repair, finding);
    // An opinion of the asset that composes the part: the part by itself stays a component.
    repair.set_field(repair.field_place(prim_of(repair, finding), "kind", true), "kind", token("subcomponent"));
}

/// An opinion below an instance that does not count, and would once it is none; empty where there is none.
std::string dead_opinion(const Repair& repair, const usd::Prim& instance)
{
    if (!instance.is_instance()) return {};
    std::set<std::pair<std::string, usd::Path>> counting;
    for (const usd::Prim& prim : instance.subtree({.all = true, .instance_proxies = true}))
        for (const usd::SpecPlace& at : usd::spec_places(prim)) counting.emplace(at.layer, at.path);
    for (const usd::SpecPlace& at : usd::spec_places(instance)) {
        const AssetLayer* layer = repair.facts.layer(at.layer);
        if (layer == nullptr) continue;
        // Only what lies below is walked; variants that are not selected do not count either way.
        std::vector<usd::Path> below{at.path};
        while (!below.empty()) {
            const usd::Path spec = below.back();
            below.pop_back();
            if (!counting.contains({at.layer, spec})) return spec.text();
            for (const usd::Token& name : layer->layer.layer->children(spec)) below.push_back(spec.child(name));
        }
    }
    return {};
}

void fix_instance(Repair& repair, const Finding& finding)
{
    const usd::Token field("instanceable");
    if (const std::string dead = dead_opinion(repair, prim_of(repair, finding)); !dead.empty())
        if (!repair.unsafe(dead + " is an opinion that does not count below an instance, and would from then on; "
                                  "delete it, or write instanceable = false if it is meant"))
            return;
    repair.set_field(repair.field_place(prim_of(repair, finding), field), field, usd::make_value("bool", false));
}

/// Faces that an earlier subset has too leave this one, where both wear the same material: nothing looks otherwise.
void take_out_shared(Repair& repair, const usd::Prim& subset)
{
    const usd::Token kIndices("indices");
    const auto       faces = [&](const usd::Prim& prim) {
        return prim.attribute(kIndices).get<std::vector<int>>().value_or(std::vector<int>{});
    };
    std::vector<int> kept = faces(subset);
    for (const usd::Prim& other : subset.parent().children()) {
        if (other == subset) break;
        if (!other.is_a("GeomSubset") ||
            other.attribute("familyName").get<std::string>().value_or("") != "materialBind")
            continue;
        const std::vector<int> taken = faces(other);
        const auto             both  = [&](int face) { return std::ranges::find(taken, face) != taken.end(); };
        if (std::ranges::none_of(kept, both)) continue;
        if (subset.attribute(kIndices).varying() || other.attribute(kIndices).varying())
            return repair.refuse("animated-topology", "the faces change over time");
        for (const char* purpose : {"", "preview", "full", "physics"})
            if (repair.facts.stage.bound_material(subset, purpose) != repair.facts.stage.bound_material(other, purpose))
                return repair.refuse("ambiguous", "the author must decide which material the shared faces wear");
        std::erase_if(kept, both);
    }
    repair.set(subset, kIndices, "int[]", usd::make_value("int[]", kept));
}

/// Faces that the mesh does not have leave the subset.
void take_out_absent(Repair& repair, const usd::Prim& subset)
{
    const usd::Token     kIndices("indices");
    const usd::Attribute counts = subset.parent().attribute("faceVertexCounts");
    if (subset.attribute(kIndices).varying() || counts.varying())
        return repair.refuse("animated-topology", "the faces change over time");
    const std::size_t faces = counts.get<std::vector<int>>().value_or(std::vector<int>{}).size();
    auto              kept  = subset.attribute(kIndices).get<std::vector<int>>().value_or(std::vector<int>{});
    std::erase_if(kept, [&](int face) { return face < 0 || static_cast<std::size_t>(face) >= faces; });
    repair.set(subset, kIndices, "int[]", usd::make_value("int[]", kept));
}

/// A face that a subset names twice is named once, in its first place.
void take_out_repeated(Repair& repair, const usd::Prim& subset)
{
    const usd::Token kIndices("indices");
    if (subset.attribute(kIndices).varying()) return repair.refuse("animated-topology", "the faces change over time");
    auto          kept = subset.attribute(kIndices).get<std::vector<int>>().value_or(std::vector<int>{});
    std::set<int> named;
    std::erase_if(kept, [&](int face) { return !named.insert(face).second; });
    repair.set(subset, kIndices, "int[]", usd::make_value("int[]", kept));
}

void fix_family(Repair& repair, const Finding& finding)
{
    const usd::Prim subset = prim_of(repair, finding);
    if (finding.variant == "repeated") return take_out_repeated(repair, subset);
    if (finding.variant == "range") return take_out_absent(repair, subset);
    if (finding.variant == "overlap") return take_out_shared(repair, subset);
    repair.set(subset, "familyName", "token", token("materialBind"), true);
}

/// A colour space says how a picture is read; the range of a normal is written where nothing else was.
void fix_color_space(Repair& repair, const Finding& finding)
{
    const usd::Prim texture = prim_of(repair, finding);
    if (finding.variant != "normal-range") {
        repair.set(texture, "inputs:sourceColorSpace", "token", token(finding.variant == "color" ? "sRGB" : "raw"));
        return;
    }
    const auto is_plain = [&](const char* name, double scale, double last) {
        const usd::Attribute input = texture.attribute(name);
        if (!input.connections().empty()) return false;
        const auto v = input.authored_value().get<std::array<double, 4>>();
        return !v || *v == std::array<double, 4>{scale, scale, scale, last};
    };
    if (!is_plain("inputs:scale", 1, 1) || !is_plain("inputs:bias", 0, 0))
        return repair.refuse("normal-range", "the normals have a range of the author's own");
    repair.set(texture, "inputs:scale", "float4", usd::make_value("float4", std::array<double, 4>{2, 2, 2, 1}));
    repair.set(texture, "inputs:bias", "float4", usd::make_value("float4", std::array<double, 4>{-1, -1, -1, 0}));
}

constexpr std::array kRepairs{RepairOf{"REP-3.1-f", Phase::metadata, fix_family},
                              RepairOf{"REP-3.2-g", Phase::metadata, fix_color_space},
                              RepairOf{"REP-1.2.2-a", Phase::metadata, fix_component},
                              RepairOf{"REP-1.2.2-b", Phase::metadata, fix_aggregate},
                              RepairOf{"REP-1.2.2-c", Phase::metadata, fix_subcomponent},
                              RepairOf{"REP-1.2.2-d", Phase::metadata, fix_contiguous},
                              RepairOf{"REP-1.2.2-e", Phase::metadata, fix_unknown_kind},
                              RepairOf{"REP-1.2.5-a", Phase::metadata, fix_default_prim},
                              RepairOf{"REP-1.2.5-b", Phase::metadata, fix_default_prim},
                              RepairOf{"REP-1.2.5-c", Phase::metadata, fix_identifier},
                              RepairOf{"REP-1.2.5-d", Phase::metadata, fix_version},
                              RepairOf{"REP-1.2.6-a", Phase::layers, fix_instance},
                              RepairOf{"REP-3.5-c", Phase::layers, fix_instance}};

}  // namespace

std::span<const RepairOf> asset_repairs() { return kRepairs; }

}  // namespace mechane::conformance

#include <array>

#include "conformance/asset_paths.h"
#include "conformance/fixes/repair.h"

/// P5: metadata of the asset: default prim, identity, kinds, instancing flags.
namespace mechane::conformance {
namespace {

usd::Prim prim_of(const Repair& repair, const Finding& finding)
{ return repair.facts.stage.prim_at(usd::Path(finding.site.prim)); }

usd::Value text(const std::string& value) { return usd::make_value("string", value); }
usd::Value token(const char* value) { return usd::make_value("token", usd::Token(value)); }

/// A layer that an arc brings in without naming a prim, and that has one root prim only: its default prim is no guess.
void fix_target(Repair& repair, const Finding& finding)
{
    const AssetLayer* from = repair.facts.layer(finding.site.layer);
    const std::string file = from == nullptr ? std::string() : file_named(*from, form_of(finding.observed).file);
    usd::Layer*       layer = file.empty() ? nullptr : repair.work.layer(file);
    if (layer == nullptr || repair.work.has_overlay())
        return repair.refuse("external-layer", finding.observed + " is no layer of the asset; repair it by itself first");
    std::vector<usd::Path> tops;
    for (const usd::Path& path : layer->specs())
        if (layer->kind(path) == usd::SpecKind::prim && path.parent().is_root()) tops.push_back(path);
    static const usd::Token kSpecifier("specifier"), kDefault("defaultPrim");
    std::erase_if(tops, [&](const usd::Path& path) {
        return layer->field(path, kSpecifier).to_text().find("lass") != std::string::npos;
    });
    if (tops.size() != 1)
        return repair.refuse("ambiguous", finding.observed + (tops.empty() ? " has no root prim that an arc can bring in"
                                                                           : " has several root prims"));
    repair.set_field({layer, file, usd::Path::root()}, kDefault, usd::make_value("token", tops.front().name()));
}

/// The only root prim that can be an asset; scenes of physics, materials and render settings beside it do not count.
void fix_default_prim(Repair& repair, const Finding& finding)
{
    if (!finding.site.prim.empty()) return fix_target(repair, finding);
    std::vector<usd::Prim> candidates;
    for (const usd::Prim& top : repair.facts.stage.pseudo_root().children()) {
        const std::string name = top.name().text();
        if (!top.is_a("Xformable") && !top.is_a("Scope")) continue;
        if (top.is_a("Scope") &&
            (name == "Materials" || name == "Looks" || name == "Render" || name == "PhysicsMaterials"))
            continue;
        candidates.push_back(top);
    }
    if (candidates.size() > 1)  // lights and cameras beside the one thing
        std::erase_if(candidates, [](const usd::Prim& prim) { return !prim.is_a("Xform"); });
    if (candidates.size() != 1) {
        std::string names;
        for (const usd::Prim& prim : candidates) names += (names.empty() ? "" : ", ") + prim.name().text();
        return repair.refuse("ambiguous", candidates.empty() ? "no root prim can be the asset"
                                                             : "several root prims can be the asset: " + names);
    }
    repair.set_field(repair.root(), "defaultPrim", usd::make_value("token", candidates.front().name()));
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

void fix_component(Repair& repair, const Finding& finding) { write_kind(repair, finding, "component"); }
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
        return body.path.has_prefix(root) && std::ranges::none_of(parts, [&](const usd::Prim& part) {
                   return body.path.has_prefix(part.path());
               });
    });
}

void fix_aggregate(Repair& repair, const Finding& finding)
{
    const std::vector<usd::Prim> parts = parts_of(repair.facts);
    if (!has_own_links(repair.facts, parts)) return write_kind(repair, finding, "assembly");
    for (const usd::Prim& part : parts)
        repair.set_field(repair.field_place(part, "kind", true), "kind", token("subcomponent"));
}

void fix_contiguous(Repair& repair, const Finding& finding)
{
    if (finding.expected != "subcomponent")
        return repair.refuse("hierarchy", "the kinds above it are the author's to say");
    // An opinion of the asset that composes the part: the part by itself stays a component.
    repair.set_field(repair.field_place(prim_of(repair, finding), "kind", true), "kind", token("subcomponent"));
}

void fix_instance(Repair& repair, const Finding& finding)
{
    const usd::Token field("instanceable");
    repair.set_field(repair.field_place(prim_of(repair, finding), field), field, usd::make_value("bool", false));
}

void fix_family(Repair& repair, const Finding& finding)
{ repair.set(prim_of(repair, finding), "familyName", "token", token("materialBind"), true); }

void fix_color_space(Repair& repair, const Finding& finding)
{ repair.set(prim_of(repair, finding), "inputs:sourceColorSpace", "token", token("raw")); }

constexpr std::array kRepairs{RepairOf{"REP-3.1-f", Phase::metadata, fix_family},
                              RepairOf{"REP-3.2-g", Phase::metadata, fix_color_space},
                              RepairOf{"REP-1.2.2-a", Phase::metadata, fix_component},
                              RepairOf{"REP-1.2.2-b", Phase::metadata, fix_aggregate},
                              RepairOf{"REP-1.2.2-c", Phase::metadata, fix_subcomponent},
                              RepairOf{"REP-1.2.2-d", Phase::metadata, fix_contiguous},
                              RepairOf{"REP-1.2.5-a", Phase::metadata, fix_default_prim},
                              RepairOf{"REP-1.2.5-b", Phase::metadata, fix_default_prim},
                              RepairOf{"REP-1.2.5-c", Phase::metadata, fix_identifier},
                              RepairOf{"REP-1.2.5-d", Phase::metadata, fix_version},
                              RepairOf{"REP-1.2.6-a", Phase::layers, fix_instance},
                              RepairOf{"REP-3.5-c", Phase::layers, fix_instance}};

}  // namespace

std::span<const RepairOf> asset_repairs() { return kRepairs; }

}  // namespace mechane::conformance

// Repairs that make files: an asset of one layer is divided into base, instances, materials, physics and ROS (P8), and
// a vendor's words go to a layer of their own with a second entry (P7).
// The parts are sublayers of the entry in the order of strength; arrays come by payload.
// Invariant: the stage composes as before, which Fixer compares; otherwise the repair is taken back.

#include "conformance/fixes/layout.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "conformance/asset_layers.h"
#include "conformance/fixes/arcs.h"
#include "conformance/fixes/parts.h"
#include "conformance/vendors.h"
#include "mechane/usd/layer_arcs.h"
#include "mechane/usd/stage_layers.h"

namespace mechane::conformance {
namespace {

namespace fs = std::filesystem;

std::string type_of(const usd::Layer& layer, const usd::Path& prim)
{ return layer.field(prim, "typeName").get<std::string>().value_or(""); }

bool asked_for(const Repair& repair, int phase)
{
    const auto& phases = repair.options.phases;
    return std::find(phases.begin(), phases.end(), phase) != phases.end();
}

// -- P8: one layer becomes an entry over base, instances, materials, physics and ros

/// Arrays of every mesh, and whatever else is large: they come by payload, so that looking at the rest stays cheap.
std::set<usd::Path> prims_with_arrays(const usd::Layer& layer)
{
    std::set<usd::Path> found;
    for (const usd::Path& prim : usd::prim_specs(layer)) {
        const bool points = usd::array_size(layer, prim.property("points")) > 0;
        for (const usd::Token& name : layer.properties(prim))
            if (points || usd::array_size(layer, prim.property(name)) > kHeavyElements) found.insert(prim);
    }
    return found;
}

void split(Repair& repair, const Finding&)
{
    usd::Layer* source = repair.work.layer(repair.work.entry().string());
    if (source == nullptr) return repair.refuse("external-layer", "the entry cannot be read");
    const std::string root = source->field(usd::Path::root(), "defaultPrim").get<std::string>().value_or("");
    if (!source->sublayers().empty() || root.empty())
        return repair.refuse("layout", "an asset with sublayers or without a default prim is not split");
    if (repair.edits() > 0) return repair.defer();
    if (repair.attempt > 0) return repair.refuse("would-change", "the stage of the divided asset would be another");
    const usd::Layer         all = source->copy();
    const Parts              parts(all);
    const fs::path           folder = repair.work.folder();
    std::vector<std::string> stack;
    for (const Part part : {Part::ros, Part::physics, Part::material, Part::instances, Part::base}) {
        const std::string name = file_of(part);
        if (repair.work.is_asset(folder / name) && folder / name != repair.work.entry())
            return repair.refuse("name-taken", "there is a file " + name + " already");
        usd::Layer layer = parts.only({part});
        if (layer.children(usd::Path::root()).empty()) continue;
        if (const auto prims = prims_with_arrays(layer);
            !prims.empty() && (part == Part::instances || part == Part::base)) {
            const fs::path file     = folder / "geometries.usdc";
            usd::Layer&    geometry = repair.work.new_layer(file);
            copy_metadata(all, geometry);
            static_cast<void>(geometry.set_field(usd::Path::root(), "defaultPrim",
                                                 usd::make_value("token", usd::Token("Geometries"))));
            move_arrays(layer, geometry, "./geometries.usdc", prims);
        }
        repair.work.new_layer(folder / name) = std::move(layer);
        repair.note((folder / name).string(), usd::Path::root(), "layer", "", name);
        stack.push_back("./" + name);
    }
    // The entry keeps who the asset is.
    usd::Layer entry;
    copy_metadata(all, entry);
    static_cast<void>(entry.set_sublayers(stack));
    const usd::Path prim("/" + root);
    static_cast<void>(entry.define(prim, {}, usd::Specifier::over));
    for (const char* key : {"assetInfo", "kind"})
        if (const usd::Value value = all.field(prim, key); !value.empty())
            static_cast<void>(entry.set_field(prim, key, value));
    *source = std::move(entry);
    repair.note(repair.work.entry().string(), usd::Path::root(), "subLayers", "", "arcs only");
    repair.rearrange();
}

bool may_make_files(Repair& repair)
{
    if (repair.work.has_overlay())
        return repair.refuse("overlay", "an overriding layer cannot rearrange layers"), false;
    if (!repair.options.new_files)
        return repair.refuse("layout",
                             "the repair makes new files; it is made where all goes to a new folder, and for the "
                             "selected variants only (-o FOLDER without --variants each)"),
               false;
    return true;
}

/// An asset of one layer is divided when that is asked for, or where large arrays have to leave the text anyway.
void fix_entry(Repair& repair, const Finding& finding)
{
    if (!may_make_files(repair)) return;
    if (repair.work.asset_layers().size() > 1) return lighten_entry(repair, finding);
    if (!asked_for(repair, 8) && !repair.options.divide)
        return repair.refuse("layout", "--phases P8 splits the asset into base, materials, physics and ros");
    split(repair, finding);
}

void fix_heavy_text(Repair& repair, const Finding& finding)
{
    if (!may_make_files(repair)) return;
    if (repair.work.asset_layers().size() > 1) return store_heavy(repair, finding);
    if (finding.variant == "samples")
        return repair.refuse("layout",
                             "what moves stands where it is said; save the motion as a binary layer of its own");
    split(repair, finding);
}

// -- P7: a vendor's words go to a layer of its own, composed by a second entry

/// Prims of the stage that a spec of a layer speaks about.
std::vector<usd::Prim> spoken_of(const Repair& repair, const std::string& layer, const usd::Path& prim)
{
    std::vector<usd::Prim> found;
    for (const PrimFacts& facts : repair.facts.prims) {
        if (facts.prim.is_instance_proxy()) continue;
        for (const usd::SpecPlace& at : usd::spec_places(facts.prim))
            if (at.layer == layer && at.path == prim) {
                found.push_back(facts.prim);
                break;
            }
    }
    return found;
}

/// The same words over the entry, where a path is that of the stage.
bool say_over(const Repair& repair, const usd::Layer& layer, const RoleExample& use, const usd::Prim& prim,
              usd::Layer& over)
{
    if (!use.path.is_property()) {
        if (type_of(layer, use.path) == use.what)  // a prim of the vendor's own
            return prim.path() == use.path && bool(over.copy_spec(layer, use.path, use.path));
        return bool(over.apply_api(prim.path(), use.what));
    }
    const usd::Path to = prim.path().property(use.path.name());
    if (!over.copy_spec(layer, use.path, to)) return false;
    if (layer.kind(use.path) != usd::SpecKind::relationship || prim.path() == use.path.prim()) return true;
    return bool(over.set_targets(to, repair.facts.stage.prim_at(prim.path()).relationship(use.path.name()).targets()));
}

/// The layer is the entry or comes by sublayers alone, so that its paths are those of the stage, classes among them.
// NOLINTNEXTLINE(misc-no-recursion): as deep as layers, which opening the stage has bounded
bool names_as_the_stage(Repair& repair, const fs::path& file, int depth = 0)
{
    if (file == repair.work.entry()) return true;
    constexpr int kDeepest = 64;
    const auto    uses     = uses_of(repair, file);
    return depth < kDeepest && !uses.empty() &&
           std::ranges::all_of(
               uses,
               [&](const LayerUse& use) {
                   return use.kind == LayerUse::sublayer && names_as_the_stage(repair, use.by.file, depth + 1);
               });
}

/// The same words at the same path over the entry.
bool say_there(const usd::Layer& layer, const RoleExample& use, usd::Layer& over)
{
    if (use.path.is_property() || type_of(layer, use.path) == use.what)
        return bool(over.copy_spec(layer, use.path, use.path));
    return bool(over.apply_api(use.path, use.what));
}

/// The same words in the same variant over the entry, where the layer names the prim as the stage does.
bool say_in_variant(Repair& repair, const std::string& name, const usd::Layer& layer, const RoleExample& use,
                    usd::Layer& over)
{
    const usd::Path prim = use.path.prim();
    const usd::Prim here = repair.subject({&over, name, prim});
    if (!here || here.is_instance_proxy()) return false;
    std::string plain, text = prim.text();
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t open = text.find('{', at);
        plain += text.substr(at, open == std::string::npos ? open : open - at);
        if (open == std::string::npos) break;
        const std::size_t equal = text.find('=', open), close = text.find('}', open);
        if (close == std::string::npos || equal > close) return false;
        const std::string owner = text.substr(0, open);
        if (!over.define(usd::Path(owner), {}, usd::Specifier::over) ||
            !over.add_variant(usd::Path(owner), text.substr(open + 1, equal - open - 1),
                              text.substr(equal + 1, close - equal - 1)))
            return false;
        if (close + 1 < text.size() && text[close + 1] != '{') plain += '/';
        at = close + 1;
    }
    if (here.path() != usd::Path(plain)) return false;
    if (!use.path.is_property() && type_of(layer, prim) != use.what) return bool(over.apply_api(prim, use.what));
    return bool(over.copy_spec(layer, use.path, use.path));
}

bool take_out(usd::Layer& layer, const RoleExample& use)
{
    if (use.path.is_property() || type_of(layer, use.path) == use.what) return bool(layer.remove(use.path));
    return bool(layer.remove_api(use.path, use.what, false));
}

/// A second entry composes a vendor's layer over the neutral one; it is compared with what the asset composed.
void compose_apart(Repair& repair, const std::string& vendor, const fs::path& layer)
{
    const fs::path second = repair.work.folder() / (repair.work.entry().stem().string() + "_" + vendor + ".usda");
    usd::Layer&    entry  = repair.work.new_layer(second);
    copy_metadata(*repair.root().layer, entry);
    static_cast<void>(
        entry.set_sublayers({relative_to(layer, second), "./" + repair.work.entry().filename().string()}));
    repair.remark("second-entry", "what " + vendor + " adds is composed by " + second.filename().string());
    repair.rearrange(second.string());
}

/// @param only  the vendor whose words go; empty: those of the finding's variant, or of each in turn
void isolate_words(Repair& repair, const Finding& finding, const std::string& only)
{
    usd::Layer* layer = repair.work.layer(finding.site.layer);
    if (layer == nullptr || repair.work.has_overlay())
        return repair.refuse("overlay", "an overriding layer cannot move opinions");
    if (!may_make_files(repair)) return;
    if (repair.edits() > 0) return repair.defer();
    if (repair.attempt > 0)
        return repair.refuse("would-change",
                             "over the entry the words would be stronger than what they are weaker than now");
    if (finding.variant.starts_with("elsewhere"))
        return repair.refuse("unregistered", "the author must decide whose words they are");
    for (const AssetLayer& read : repair.facts.layers()) {
        if (read.layer.name != finding.site.layer) continue;
        for (const auto& [vendor, uses] : read.vendors) {
            if (!only.empty() ? only != vendor : read.vendors.count(finding.variant) != 0 && finding.variant != vendor)
                continue;
            // What is read wherever nobody says otherwise is part of what the asset means.
            if (vendor == "newton" && !asked_for(repair, 7) &&
                !repair.unsafe("the words of newton, which are read by default, leave the asset's entry"))
                continue;
            const fs::path file  = repair.work.folder() / (vendor + ".usda");
            usd::Layer&    apart = repair.work.new_layer(file);
            if (apart.fields(usd::Path::root()).empty()) copy_metadata(*repair.root().layer, apart);
            const bool same = names_as_the_stage(repair, fs::absolute(read.layer.name).lexically_normal());
            bool       any  = false;
            for (const RoleExample& use : uses) {
                if (layer->kind(use.path) == usd::SpecKind::none) continue;  // went with what it stood on
                const auto prims   = spoken_of(repair, read.layer.file, use.path.prim());
                const bool variant = use.path.text().find('{') != std::string::npos;
                bool       said    = variant ? say_in_variant(repair, read.layer.name, *layer, use, apart)
                                     : same  ? say_there(*layer, use, apart)
                                             : !prims.empty();
                if (!variant && !same)
                    for (const usd::Prim& prim : prims) said = said && say_over(repair, *layer, use, prim, apart);
                if (!said) {
                    repair.refuse("namespace", use.path.text() + " cannot be said over the entry");
                    continue;
                }
                if (!take_out(*layer, use)) continue;
                repair.note(finding.site.layer, use.path, "spec", use.what, vendor + ".usda");
                any = true;
            }
            if (!any) continue;
            // One vendor at a time: each second entry is compared with what the asset composed.
            return compose_apart(repair, vendor, file);
        }
    }
}

void isolate(Repair& repair, const Finding& finding) { isolate_words(repair, finding, {}); }

/// A schema of one engine, and whatever else its vendor says in the layer.
void isolate_feature(Repair& repair, const Finding& finding)
{ isolate_words(repair, finding, std::string(vendor_of_schema(finding.variant))); }

/// The node of an execution graph.
void isolate_graph(Repair& repair, const Finding& finding)
{ isolate_words(repair, finding, std::string(vendor_of_schema("OmniGraphNode"))); }

/// Takes an arc to a layer out of the layer that has it.
void drop(const LayerUse& use)
{
    usd::Layer& layer = *use.by.layer;
    if (use.kind == LayerUse::sublayer)
        usd::remove_sublayer(layer, use.arc.asset);
    else
        static_cast<void>(use.kind == LayerUse::payload ? usd::remove_payload(layer, use.by.path, use.arc)
                                                        : usd::remove_reference(layer, use.by.path, use.arc));
}

/// Whether a layer, as a sublayer of an entry, says the same of the same prims as by this arc.
bool says_the_same(const Repair& repair, const LayerUse& use, const usd::Layer& layer)
{
    if (use.kind == LayerUse::sublayer) return true;
    const std::string own = layer.field(usd::Path::root(), "defaultPrim").get<std::string>().value_or("");
    const usd::Path   top = use.arc.prim.empty() ? usd::Path("/" + own) : use.arc.prim;
    return use.by.file == repair.work.entry().string() && top == use.by.path && top.parent().is_root();
}

/// A vendor's layer leaves the neutral entry; a second one composes it.
void separate(Repair& repair, const Finding& finding)
{
    if (!may_make_files(repair)) return;
    if (repair.edits() > 0) return repair.defer();
    if (repair.attempt > 0)
        return repair.refuse("would-change",
                             "over the entry the layer would be stronger than what it is weaker than now");
    const bool overrides = finding.variant != "composed";
    if (overrides &&
        !repair.unsafe("the vendor's values leave the neutral entry, which then says what it says without them"))
        return;
    for (const AssetLayer& read : repair.facts.layers()) {
        if (!read.is_proprietary() || &read == &repair.facts.layers().front() || read.layer.file.empty()) continue;
        if (!overrides && read.layer.name != finding.site.layer) continue;
        usd::Layer* layer = repair.work.layer(read.layer.name);
        if (layer == nullptr || !read.inside)
            return repair.refuse("external-layer", "the vendor's layer lies outside the asset");
        const fs::path file = fs::absolute(read.layer.file).lexically_normal();
        const auto     uses = uses_of(repair, file);
        if (uses.empty() ||
            !std::ranges::all_of(uses, [&](const LayerUse& use) { return says_the_same(repair, use, *layer); }))
            return repair.refuse("layout", read.relative + " is brought in where a second entry cannot bring it in");
        for (const LayerUse& use : uses) {
            drop(use);
            repair.note(use.by.file, use.by.path, "arc", "@" + use.arc.asset + "@", "");
        }
        return compose_apart(repair, read.vendors.empty() ? read.stem() : read.vendors.begin()->first, file);
    }
    repair.refuse("layout", "the vendor's layer is not found");
}

constexpr std::array kRepairs{
    RepairOf{"REP-1.2.1-j", Phase::vendors, isolate},  RepairOf{"REP-1.3-u", Phase::vendors, isolate_feature},
    RepairOf{"REP-1.4-c", Phase::vendors, separate},   RepairOf{"REP-2-a", Phase::vendors, isolate_graph},
    RepairOf{"REP-1.2.1-i", Phase::layers, fix_entry}, RepairOf{"REP-1.2.1-c", Phase::layers, fix_heavy_text}};

}  // namespace

std::span<const RepairOf> layout_repairs() { return kRepairs; }

}  // namespace mechane::conformance

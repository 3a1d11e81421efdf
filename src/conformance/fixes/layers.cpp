// Repairs that sort layers of an asset (phase P8): parts in the wrong layer, encodings, names, and arcs of the wrong
// kind.
// Each repair may try several ways. After each the whole stage is composed again and compared, and a way that composes
// something else is taken back (Repair::rearrange, Fixer).
// Invariant: only the layers change, never the composed stage.

#include <algorithm>
#include <array>

#include "conformance/asset_layers.h"
#include "conformance/fixes/arcs.h"
#include "conformance/fixes/layout.h"
#include "conformance/fixes/parts.h"
#include "conformance/layer_links.h"
#include "mechane/files/suffix.h"
#include "mechane/usd/layer_arcs.h"
#include "mechane/usd/stage_layers.h"

/// P8 of assets of several layers: what stands in the wrong layer, and what comes by the wrong arc. The stage that is
/// composed stays what it was; see `Repair::rearrange`.
namespace mechane::conformance {
namespace {

namespace fs = std::filesystem;

const AssetLayer* layer_named(const Repair& repair, const std::string& name)
{
    for (const AssetLayer& read : repair.facts.layers())
        if (read.layer.name == name) return &read;
    return nullptr;
}

fs::path layer_file(const Finding& finding) { return fs::absolute(finding.site.layer).lexically_normal(); }

/// Whether the layers may be rearranged here at all; says why not.
bool may_rearrange(Repair& repair)
{
    if (repair.work.has_overlay())
        return repair.refuse("overlay", "an overriding layer cannot rearrange layers"), false;
    if (!repair.options.new_files)
        return repair.refuse("layout",
                             "the repair makes, renames or removes files; it is made where all goes to a new folder, "
                             "and for the selected variants only (-o FOLDER without --variants each)"),
               false;
    return true;
}

// -- where a part goes

/// A file for a part of a layer, beside it: under its usual name, or in a folder of that name.
fs::path new_file(const Repair& repair, const fs::path& layer, const std::string& usual)
{
    const auto taken = [&](const fs::path& file) {
        std::error_code error;
        return repair.work.is_asset(file) || fs::exists(file, error);
    };
    const fs::path beside = layer.parent_path() / usual;
    if (!taken(beside)) return beside;
    const fs::path folder = layer.parent_path() / beside.stem(), suffix = beside.extension();
    fs::path       file = folder / layer.stem();
    file += suffix;
    for (int n = 2; taken(file); ++n)
        file = folder / (layer.stem().string() + "_" + std::to_string(n) + suffix.string());
    return file;
}

/// The layer of a part that stands beside another one: brought in wherever that one is, by the same kind of arc.
EditPlace sibling(Repair& repair, const fs::path& layer, Part part)
{
    const fs::path file = layer.parent_path() / file_of(part);
    if (file == layer || !repair.work.is_asset(file)) return {};
    const auto own = uses_of(repair, layer), other = uses_of(repair, file);
    const bool entry = layer == repair.work.entry();
    if (other.size() != (entry ? 1 : own.size())) return {};
    for (std::size_t i = 0; i < other.size(); ++i) {
        const LayerUse& use = other[i];
        if (use.kind == LayerUse::payload) return {};
        if (entry) {
            const std::string root = repair.facts.stage.default_prim().path().text();
            if (use.by.file != layer.string() || (use.kind == LayerUse::reference && use.by.path.text() != root))
                return {};
            continue;
        }
        const bool same =
            own[i].by.file == use.by.file && own[i].by.path == use.by.path && own[i].arc.prim == use.arc.prim &&
            own[i].arc.offset == use.arc.offset && own[i].arc.scale == use.arc.scale &&
            (own[i].kind == use.kind || (own[i].kind == LayerUse::payload && use.kind == LayerUse::reference));
        if (!same) return {};
    }
    return {repair.work.layer(file.string()), file.string(), usd::Path::root()};
}

/// True when nothing of the piece contradicts what the layer says already; then it is written there.
bool merge(const usd::Layer& piece, usd::Layer& into)
{
    for (const usd::Path& path : piece.specs()) {
        if (!path.is_property() || into.kind(path) == usd::SpecKind::none) continue;
        return false;
    }
    for (const usd::Path& path : usd::prim_specs(piece)) {
        const bool typed = !piece.field(path, "typeName").empty();
        if (typed && into.kind(path) != usd::SpecKind::none && !into.field(path, "typeName").empty()) return false;
    }
    for (const usd::Path& path : usd::prim_specs(piece)) {
        if (into.kind(path) == usd::SpecKind::none) {
            static_cast<void>(into.copy_spec(piece, path, path));
            continue;
        }
        if (!piece.field(path, "typeName").empty())
            for (const usd::Token& key : piece.fields(path))
                if (key.text() != "apiSchemas") static_cast<void>(into.set_field(path, key, piece.field(path, key)));
        for (const usd::Token& api : piece.apis(path)) static_cast<void>(into.apply_api(path, api));
        for (const usd::Token& name : piece.properties(path))
            static_cast<void>(into.copy_spec(piece, path.property(name), path.property(name)));
    }
    return true;
}

/// Everything of the piece lies below the prim that the arc brings in.
bool is_below_target(const usd::Layer& piece, const usd::Arc& arc)
{
    const usd::Path target =
        arc.prim.empty()
            ? usd::Path("/" + piece.field(usd::Path::root(), "defaultPrim").get<std::string>().value_or(""))
            : arc.prim;
    if (target.empty()) return false;
    const auto tops = piece.children(usd::Path::root());
    return std::ranges::all_of(tops, [&](const usd::Token& top) {
        return target.has_prefix(usd::Path::root().child(top)) && target.parent().is_root();
    });
}

/// Brings a new layer in: beside each arc that brings the old one, or as its sublayer.
void bring_in(Repair& repair, const fs::path& layer, const fs::path& file, const usd::Layer& piece, Part part)
{
    std::vector<LayerUse> uses  = layer == repair.work.entry() ? std::vector<LayerUse>() : uses_of(repair, layer);
    const bool            looks = part != Part::physics && part != Part::ros;
    const bool beside = repair.attempt == 0 && !uses.empty() && std::ranges::all_of(uses, [&](const LayerUse& use) {
                            if (use.kind == LayerUse::sublayer) return true;
                            return !(looks && use.kind == LayerUse::payload) && is_below_target(piece, use.arc);
                        });
    if (!beside) {
        insert_sublayer(*repair.work.layer(layer.string()), relative_to(file, layer));
        return repair.note(layer.string(), usd::Path::root(), "subLayers", "", relative_to(file, layer));
    }
    for (const LayerUse& use : uses) {
        const std::string name = relative_to(file, use.by.file);
        usd::Arc          arc  = use.arc;
        arc.asset              = name;
        if (use.kind == LayerUse::sublayer)
            insert_sublayer(*use.by.layer, name, use.arc.asset);
        else if (use.kind == LayerUse::reference)
            static_cast<void>(add_reference_beside(*use.by.layer, use.by.path, use.arc, arc));
        else
            static_cast<void>(use.by.layer->add_reference(use.by.path, arc));
        repair.note(use.by.file, use.by.path, use.kind == LayerUse::sublayer ? "subLayers" : "references", "", name);
    }
}

/// The prims of a layer that arcs of the asset's layers name: without them the arcs would lead nowhere.
std::set<usd::Path> targets_in(Repair& repair, const fs::path& file, const usd::Layer& layer)
{
    std::set<usd::Path> found;
    const auto          root = layer.field(usd::Path::root(), "defaultPrim").get<std::string>().value_or("");
    for (const LayerUse& use : uses_of(repair, file)) {
        if (use.kind == LayerUse::sublayer) continue;
        if (!use.arc.prim.empty())
            found.insert(use.arc.prim);
        else if (!root.empty())
            found.insert(usd::Path(root.front() == '/' ? root : "/" + root));
    }
    return found;
}

/// Moves parts of a layer to layers of their own.
bool move_parts(Repair& repair, const fs::path& file, const std::set<Part>& out)
{
    usd::Layer* layer = repair.work.layer(file.string());
    if (layer == nullptr) return repair.refuse("external-layer", "the layer is not the asset's own"), false;
    const Parts    parts(*layer);
    const auto     targets = targets_in(repair, file, *layer);  // before pieces take some of the arcs over
    std::set<Part> stay;
    bool           any = false;
    for (const Part part : kParts) {
        if (out.count(part) == 0) {
            stay.insert(part);
            continue;
        }
        if (!parts.has(part)) continue;
        any              = true;
        usd::Layer piece = parts.only({part});
        if (repair.attempt == 0 && !parts.has_variants())
            if (const EditPlace known = sibling(repair, file, part); known && merge(piece, *known.layer)) {
                repair.note(known.file, usd::Path::root(), "layer", file.filename().string(),
                            std::string(file_of(part)));
                continue;
            }
        const fs::path to   = new_file(repair, file, file_of(part));
        usd::Layer&    made = repair.work.new_layer(to);
        usd::Layer     fresh;
        copy_metadata(*layer, fresh);
        for (const usd::Token& top : piece.children(usd::Path::root()))
            static_cast<void>(fresh.copy_spec(piece, usd::Path::root().child(top), usd::Path::root().child(top)));
        made = std::move(fresh);
        repair.note(to.string(), usd::Path::root(), "layer", file.filename().string(), to.filename().string());
        bring_in(repair, file, to, made, part);
    }
    if (!any) return repair.refuse("layout", "nothing in the layer can be told apart"), false;
    // Sublayers may have come meanwhile: the layer is thinned where it is.
    usd::Layer rest = parts.only(stay, targets);
    for (const usd::Path& path : usd::prim_specs(*layer))
        if (path.parent().is_root()) static_cast<void>(layer->remove(path));
    for (const usd::Token& top : rest.children(usd::Path::root()))
        static_cast<void>(layer->copy_spec(rest, usd::Path::root().child(top), usd::Path::root().child(top)));
    repair.rearrange();
    return true;
}

/// A way that composes another stage is taken back, and the next attempt uses the next one.
constexpr int kWays = 2;  // beside the layer, as its sublayer

/// What a layer of this name and content should not hold.
std::set<Part> misplaced(const AssetLayer& read)
{
    const std::string stem = read.stem(), folder = fs::path(read.relative).parent_path().filename().string();
    const auto        named = [&](const char* name) { return stem == name || folder == name; };
    const bool        looks = read.has(kLookGroup), physics = read.has(kPhysicsGroup);
    if (named("geometries") || named("instances")) return {Part::physics, Part::ros, Part::material};
    if (named("base")) return {Part::physics, Part::ros, Part::material, Part::instances};
    if (named("materials")) return {Part::physics, Part::ros, Part::instances};
    if (named("physics") || named("ext_physics")) return {Part::ros, Part::instances, Part::material};
    if (named("ros") || named("control") || named("sensors")) return {Part::physics, Part::instances, Part::material};
    if (looks) return {Part::physics, Part::ros};
    return physics ? std::set<Part>{Part::ros} : std::set<Part>{};
}

void sort_layer(Repair& repair, const Finding& finding)
{
    if (!may_rearrange(repair)) return;
    // Layers are rearranged one at a time, since each rearrangement is judged by comparing the whole stage.
    if (repair.edits() > 0) return repair.defer();
    const AssetLayer* read = layer_named(repair, finding.site.layer);
    if (read == nullptr || !read->inside) return repair.refuse("external-layer", "the layer lies outside the asset");
    if (finding.severity == Severity::info) return repair.refuse("layout", "it may stand where it is");
    if (repair.attempt >= kWays)
        return repair.refuse("would-change", "the stage would be another without the layer's own order of strength");
    if (layer_file(finding) == repair.work.entry()) return lighten_entry(repair, finding);
    move_parts(repair, layer_file(finding), misplaced(*read));
}

}  // namespace

/// An entry of several layers says only what brings the others in.
void lighten_entry(Repair& repair, const Finding& finding)
{
    if (!may_rearrange(repair)) return;
    if (repair.edits() > 0) return repair.defer();
    if (repair.attempt >= kWays)
        return repair.refuse("would-change", "the stage would be another without the entry's own order of strength");
    move_parts(repair, layer_file(finding), {Part::physics, Part::ros, Part::material, Part::instances});
}

// -- encoding

namespace {

void move_heavy(Repair& repair, const AssetLayer& read)
{
    const fs::path file  = fs::absolute(read.layer.name).lexically_normal();
    usd::Layer*    layer = repair.work.layer(read.layer.name);
    if (layer == nullptr) return repair.refuse("external-layer", "the layer is not the asset's own");
    std::set<usd::Path> prims;
    for (const usd::Path& path : read.heavy) prims.insert(path.is_property() ? path.parent() : path);
    const fs::path to       = new_file(repair, file, "geometries.usdc");
    usd::Layer&    geometry = repair.work.new_layer(to);
    copy_metadata(*layer, geometry);
    static_cast<void>(
        geometry.set_field(usd::Path::root(), "defaultPrim", usd::make_value("token", usd::Token("Geometries"))));
    move_arrays(*layer, geometry, relative_to(to, file), prims);
    repair.note(to.string(), usd::Path::root(), "layer", file.filename().string(), to.filename().string());
    repair.rearrange();
}

/// The layer makes prims that are links, joints or interfaces by what other layers say of them: as a payload it would
/// bring them late.
bool makes_links(const Repair& repair, const AssetLayer& read)
{
    static const usd::Token kSpecifier("specifier");
    const auto              makes = [&](const usd::ArcPlace& place) {
        const AssetLayer* layer = repair.facts.layer(place.layer);
        return layer != nullptr && layer->layer.layer->field(place.path, kSpecifier).to_text().ends_with("ef");
    };
    return std::ranges::any_of(repair.facts.prims, [&](const PrimFacts& prim) {
        if (!prim.is(kKinematic | kRos)) return false;
        const auto places = usd::arc_places(prim.prim);
        return std::ranges::any_of(places,
                                   [&](const auto& place) { return place.layer == read.layer.name && makes(place); }) &&
               std::ranges::none_of(places,
                                    [&](const auto& place) { return place.layer != read.layer.name && makes(place); });
    });
}

bool is_pure_geometry(const Repair& repair, const AssetLayer& read)
{
    return read.has(kGeometryRole) && !read.has(kPhysicsGroup | kInterfaceGroup | kVendorRole | kMaterialRole) &&
           !makes_links(repair, read);
}

}  // namespace

void store_heavy(Repair& repair, const Finding& finding)
{
    const AssetLayer* read = layer_named(repair, finding.site.layer);
    if (read == nullptr || !read->inside) return repair.refuse("external-layer", "the layer lies outside the asset");
    if (!may_rearrange(repair)) return;
    if (repair.edits() > 0) return repair.defer();
    const fs::path file  = layer_file(finding);
    const bool     entry = file == repair.work.entry();
    if (repair.attempt == 0 && !entry && is_pure_geometry(repair, *read) && files::has_suffix(file, {".usda"})) {
        fs::path to = file;
        to.replace_extension(".usdc");
        if (rename_layer(repair, file, to)) repair.rearrange();
        return;
    }
    if (finding.variant == "samples")
        return repair.refuse("layout",
                             "what moves stands where it is said; save the motion as a binary layer of its own");
    if (repair.attempt >= 2) return repair.refuse("would-change", "the stage would be another");
    move_heavy(repair, *read);
}

namespace {

/// Relationships of a binary layer of geometry go to a text layer over it, where its prims have the same names.
void say_relationships_apart(Repair& repair, const AssetLayer& read)
{
    const fs::path file  = fs::absolute(read.layer.name).lexically_normal();
    usd::Layer*    layer = repair.work.layer(file.string());
    if (layer == nullptr) return repair.refuse("external-layer", "the layer is not the asset's own");
    usd::Layer piece;
    const auto links = relationships_beyond_looks(*layer);
    for (const usd::Path& path : links) {
        if (path.text().find('{') != std::string::npos)
            return repair.refuse("state-dependent-edit", path.text() + " stands in a variant");
        static_cast<void>(piece.define(path.parent(), {}, usd::Specifier::over));
        if (!piece.copy_spec(*layer, path, path)) return repair.refuse("refused", path.text() + " cannot be copied");
    }
    const fs::path to   = new_file(repair, file, file_of(Part::instances));
    usd::Layer&    made = repair.work.new_layer(to);
    copy_metadata(*layer, piece);
    made = std::move(piece);
    repair.note(to.string(), usd::Path::root(), "layer", file.filename().string(), to.filename().string());
    bring_in(repair, file, to, made, Part::instances);
    for (const usd::Path& path : links) static_cast<void>(layer->remove(path));
    repair.rearrange();
}

void store_as_text(Repair& repair, const Finding& finding)
{
    const AssetLayer* read = layer_named(repair, finding.site.layer);
    if (read == nullptr || !read->inside) return repair.refuse("external-layer", "the layer lies outside the asset");
    if (!may_rearrange(repair)) return;
    if (repair.edits() > 0) return repair.defer();
    if (repair.attempt >= kWays) return repair.refuse("would-change", "the stage would be another");
    const fs::path file  = layer_file(finding);
    const bool     entry = file == repair.work.entry();
    if (finding.variant == "relationship") {
        if (entry || read->has(kPhysicsGroup | kInterfaceGroup))
            return repair.refuse("layout", "the relationship has to be said in a layer that is text");
        return say_relationships_apart(repair, *read);
    }
    if (read->has(kGeometryRole) && !read->heavy.empty()) {  // what is large stays binary
        if (entry) return repair.refuse("layout", "--phases P8 splits the asset into base, materials, physics and ros");
        move_parts(repair, file, {Part::physics, Part::ros, Part::material});
        return;
    }
    if (files::has_suffix(file, {".usd"})) {
        usd::Layer* layer = repair.work.layer(file.string());
        if (layer == nullptr) return;
        repair.work.store_as(file, false);
        repair.note(file.string(), usd::Path::root(), "encoding", "usdc", "usda");
        return repair.rearrange();
    }
    if (entry)
        return repair.refuse("entry-name",
                             "the entry would get another name; save it as " + file.stem().string() + ".usda");
    fs::path to = file;
    to.replace_extension(".usda");
    if (rename_layer(repair, file, to)) repair.rearrange();
}

/// Others know the asset by the name of its entry, which stays; an asset that says no name of its own gets that one.
void name_asset(Repair& repair, const Finding& finding)
{
    const usd::Token name("assetInfo:name");
    const usd::Prim  root = repair.facts.prims[static_cast<std::size_t>(repair.facts.root)].prim;
    if (!root.metadata(name.text()).get<std::string>().value_or("").empty())
        return repair.refuse("entry-name",
                             "others know the asset by the name of its entry; rename it to " + finding.expected);
    repair.set_field(repair.field_place(root, name), name,
                     usd::make_value("string", repair.work.entry().stem().string()));
}

void rename(Repair& repair, const Finding& finding)
{
    const fs::path file = layer_file(finding);
    if (file == repair.work.entry()) return name_asset(repair, finding);
    if (!may_rearrange(repair)) return;
    if (repair.edits() > 0) return repair.defer();
    if (repair.attempt > 0) return repair.refuse("would-change", "the stage would be another");
    fs::path usual = finding.expected;
    usual.replace_extension(file.extension());
    const fs::path to = new_file(repair, file, usual.string());  // in a folder of the name where that is taken
    if (rename_layer(repair, file, to)) repair.rearrange();
}

// -- arcs

/// Large geometry comes by payload: its layer's arc becomes one, or the arrays move to a layer that has one.
void bring_by_payload(Repair& repair, const Finding& finding)
{
    if (!may_rearrange(repair)) return;
    if (repair.edits() > 0) return repair.defer();
    const AssetLayer* read = layer_named(repair, finding.site.layer);
    if (read == nullptr) return repair.refuse("external-layer", "the layer lies outside the asset");
    const auto uses = uses_of(repair, layer_file(finding));
    const bool turn = !uses.empty() && (!read->inside || is_pure_geometry(repair, *read)) &&
                      std::ranges::all_of(uses, [](const LayerUse& use) { return use.kind != LayerUse::sublayer; });
    if (repair.attempt == 0 && turn) {
        for (const LayerUse& use : uses) {
            if (use.kind != LayerUse::reference) continue;
            static_cast<void>(turn_into_payload(*use.by.layer, use.by.path, use.arc));
            repair.note(use.by.file, use.by.path, "payload", "references @" + use.arc.asset + "@",
                        "@" + use.arc.asset + "@");
        }
        return repair.rearrange();
    }
    if (!read->inside) return repair.refuse("external-layer", "the layer lies outside the asset");
    if (repair.attempt >= 2) return repair.refuse("would-change", "the stage would be another");
    move_heavy(repair, *read);
}

/// "/robot/arm" of "/robot{size=big}arm{tool=none}".
usd::Path without_variants(const usd::Path& path)
{
    std::string text;
    bool        inside = false, after = false;
    for (const char c : path.text()) {
        if (c == '{') inside = true;
        if (!inside) {
            if (after && c != '/' && c != '{') text += '/';
            text += c;
            after = false;
        }
        if (c == '}') inside = false, after = true;
    }
    return usd::Path(text);
}

/// Links, joints and interfaces come by reference: the payloads that bring the prim become references. What is large
/// in them gets a payload of its own (REP-1.2.3-b).
void bring_by_reference(Repair& repair, const Finding& finding)
{
    if (finding.variant == "collider")
        return repair.refuse("layout",
                             "with its geometry a collider comes late; physics.usda has to say that it collides");
    if (!may_rearrange(repair)) return;
    if (repair.edits() > 0) return repair.defer();
    if (repair.attempt > 0)
        return repair.refuse("would-change",
                             "as references the payloads would be stronger than what they are weaker than now");
    const usd::Prim     prim = repair.facts.stage.prim_at(usd::Path(finding.site.prim));
    std::set<usd::Path> at;
    for (const usd::ArcPlace& place : usd::arc_places(prim))
        if (place.payload) at.insert(without_variants(place.payload_at));
    bool any = false;
    for (const fs::path& file : repair.work.asset_layers()) {
        usd::Layer* layer = repair.work.layer(file.string());
        if (layer == nullptr) continue;
        for (const usd::Path& path : usd::prim_specs(*layer)) {
            if (at.count(without_variants(path)) == 0) continue;
            for (const usd::Arc& arc : layer->payloads(path)) {
                if (!turn_into_reference(*layer, path, arc)) continue;
                repair.note(file.string(), path, "references", "payload @" + arc.asset + "@", "@" + arc.asset + "@");
                any = true;
            }
        }
    }
    if (!any) return repair.refuse("external-layer", "no layer of the asset has the payload");
    repair.rearrange();
}

constexpr std::array kRepairs{RepairOf{"REP-1.2.1-a", Phase::layers, sort_layer},
                              RepairOf{"REP-1.2.1-b", Phase::layers, store_as_text},
                              RepairOf{"REP-1.2.1-d", Phase::layers, sort_layer},
                              RepairOf{"REP-1.2.1-e", Phase::layers, sort_layer},
                              RepairOf{"REP-1.2.1-g", Phase::layers, sort_layer},
                              RepairOf{"REP-1.2.1-h", Phase::layers, sort_layer},
                              RepairOf{"REP-1.2.1-k", Phase::layers, rename},
                              RepairOf{"REP-1.2.3-b", Phase::layers, bring_by_payload},
                              RepairOf{"REP-1.2.3-c", Phase::layers, bring_by_reference},
                              RepairOf{"REP-1.2.3-d", Phase::layers, bring_by_reference},
                              RepairOf{"REP-2.1.1-g", Phase::layers, bring_by_reference},
                              RepairOf{"REP-2.2-d", Phase::layers, bring_by_reference}};

}  // namespace

std::span<const RepairOf> layer_repairs() { return kRepairs; }

}  // namespace mechane::conformance

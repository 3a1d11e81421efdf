#include "conformance/fixes/layout.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>

#include "conformance/asset_layers.h"
#include "conformance/vendors.h"

namespace mechane::conformance {
namespace {

namespace fs = std::filesystem;

/// Which of the new layers a schema or property belongs to.
enum class Part { base, material, physics, ros };

Part part_of_schema(const std::string& name)
{
    if (name.starts_with("Ros")) return Part::ros;
    return name.starts_with("Physics") || name.starts_with("ExtendedPhysics") || !vendor_of_schema(name).empty()
               ? Part::physics
               : Part::base;
}

Part part_of_property(const std::string& name)
{
    if (name.starts_with("ros:")) return Part::ros;
    for (const char* prefix : {"physics:", "ext_physics:", "drive:", "limit:", "material:binding:physics"})
        if (name.starts_with(prefix)) return Part::physics;
    return vendor_of_property(name).empty() ? Part::base : Part::physics;
}

std::string type_of(const usd::Layer& layer, const usd::Path& prim)
{ return layer.field(prim, "typeName").get<std::string>().value_or(""); }

bool asked_for(const Repair& repair, int phase)
{
    const auto& phases = repair.options.phases;
    return std::find(phases.begin(), phases.end(), phase) != phases.end();
}

bool has_variants(const usd::Layer& layer)
{
    const auto specs = layer.specs();
    return std::any_of(specs.begin(), specs.end(),
                       [&](const usd::Path& p) { return layer.kind(p) == usd::SpecKind::variant; });
}

/// Root metadata of one layer on another: units, axis, time, default prim.
void copy_metadata(const usd::Layer& from, usd::Layer& to)
{
    for (const usd::Token& key : from.fields(usd::Path::root())) {
        const std::string& name = key.text();
        if (name == "subLayers" || name == "subLayerOffsets" || name == "primChildren" || name == "primOrder") continue;
        static_cast<void>(to.set_field(usd::Path::root(), key, from.field(usd::Path::root(), key)));
    }
}

// -- P8: one layer becomes an entry over base, materials, physics and ros

/// Splits the prims of one layer by what they are for.
class Split {
  public:
    explicit Split(const usd::Layer& source) : source_(source)
    {
        for (const usd::Path& path : source.specs())
            if (source.kind(path) == usd::SpecKind::prim) prims_.push_back(path);
        for (auto path = prims_.rbegin(); path != prims_.rend(); ++path) whole_[*path] = whole(*path);
    }

    /// The layer of one part: a copy of the source without what belongs to the others.
    [[nodiscard]] usd::Layer part(Part part) const
    {
        usd::Layer layer = source_.copy();
        for (auto path = prims_.rbegin(); path != prims_.rend(); ++path) {  // children first
            const Part home = whole_.at(*path);
            if (home == part && part != Part::base) continue;
            reduce(layer, *path, part, home);
        }
        return layer;
    }

  private:
    const usd::Layer&         source_;
    std::vector<usd::Path>    prims_;
    std::map<usd::Path, Part> whole_;  ///< where a prim stands with everything about it; base: it is divided

    /// A prim of looks, physics or ROS alone, with nothing else below it.
    [[nodiscard]] Part whole(const usd::Path& prim) const
    {
        const std::string type = type_of(source_, prim);
        Part              home = Part::base;
        if (type.starts_with("Physics")) home = Part::physics;
        if (type == "Material" || type == "Shader" || type == "NodeGraph") home = Part::material;
        for (const usd::Token& api : source_.apis(prim)) {
            // One that has a look too stays among the looks.
            if (type == "Material" && api.text() == "PhysicsMaterialAPI" && source_.children(prim).empty())
                home = Part::physics;
            if (type == "Xform" && (api.text() == "RosTopicAPI" || api.text() == "RosServiceAPI" ||
                                    api.text() == "RosActionAPI" || api.text() == "RosFrameAPI"))
                home = Part::ros;
            if (type == "Xform" && part_of_schema(api.text()) == Part::physics) return Part::base;
        }
        for (const usd::Token& child : source_.children(prim))
            if (const auto below = whole_.find(prim.child(child)); below == whole_.end() || below->second != home)
                return Part::base;
        return home;
    }

    void reduce(usd::Layer& layer, const usd::Path& prim, Part part, Part home) const
    {
        if (home != Part::base) {  // it stands elsewhere
            static_cast<void>(layer.remove(prim));
            return;
        }
        for (const usd::Token& name : layer.properties(prim))
            if (part_of_property(name.text()) != part) static_cast<void>(layer.remove(prim.property(name)));
        const std::vector<usd::Token> apis = layer.apis(prim);
        if (std::any_of(apis.begin(), apis.end(),
                        [&](const usd::Token& api) { return part_of_schema(api.text()) != part; })) {
            static_cast<void>(layer.clear_field(prim, "apiSchemas"));
            for (const usd::Token& api : apis)
                if (part_of_schema(api.text()) == part) static_cast<void>(layer.apply_api(prim, api));
        }
        if (part == Part::base) return;
        static_cast<void>(layer.define(prim, {}, usd::Specifier::over));
        for (const usd::Token& key : layer.fields(prim)) {
            const std::string& name = key.text();
            if (name != "specifier" && name != "apiSchemas" && name != "primChildren" && name != "properties" &&
                name != "propertyChildren")
                static_cast<void>(layer.clear_field(prim, key));
        }
        if (layer.properties(prim).empty() && layer.apis(prim).empty() && layer.children(prim).empty())
            static_cast<void>(layer.remove(prim));
    }
};

/// Types and properties that give a primitive its form.
bool is_primitive(std::string_view type)
{
    static constexpr std::array<std::string_view, 6> kTypes{"Cube", "Sphere", "Cylinder", "Capsule", "Cone", "Plane"};
    return std::ranges::find(kTypes, type) != kTypes.end();
}
bool gives_form(std::string_view name)
{
    static constexpr std::array<std::string_view, 7> kNames{"size",   "radius", "height", "axis",
                                                            "extent", "width",  "length"};
    return std::ranges::find(kNames, name) != kNames.end();
}

/// Geometry and large arrays of the base go to a binary layer that their prims bring in by payload.
void split_geometry(usd::Layer& base, usd::Layer& geometry, bool& any)
{
    for (const usd::Path& prim : base.specs()) {
        if (base.kind(prim) != usd::SpecKind::prim) continue;
        const std::string type  = type_of(base, prim);
        const bool        form  = is_primitive(type);
        bool              heavy = form;
        const std::size_t most  = type == "Mesh" ? 0 : kHeavyElements;
        for (const usd::Token& name : base.properties(prim))
            heavy |= usd::array_size(base, prim.property(name)) > most;
        if (!heavy) continue;
        any = true;
        static_cast<void>(geometry.define(prim, type));
        for (const usd::Token& name : base.properties(prim)) {
            const usd::Path path = prim.property(name);
            if (form ? !gives_form(name.text()) : usd::array_size(base, path) == 0) continue;
            if (geometry.copy_spec(base, path, path)) static_cast<void>(base.remove(path));
        }
        if (form) static_cast<void>(base.clear_field(prim, "typeName"));
        static_cast<void>(base.add_payload(prim, {.asset = "./geometries.usdc", .prim = prim}));
    }
}

void split(Repair& repair, const Finding&)
{
    usd::Layer* source = repair.work.layer(repair.work.entry().string());
    if (repair.work.asset_layers().size() > 1 || source == nullptr || repair.work.has_overlay())
        return repair.refuse("layout", "several layers are the author's to rearrange");
    if (!asked_for(repair, 8))
        return repair.refuse("layout", "--phases P8 splits the asset into base, materials, physics and ros");
    const std::string root = source->field(usd::Path::root(), "defaultPrim").get<std::string>().value_or("");
    if (has_variants(*source) || !source->sublayers().empty() || root.empty())
        return repair.refuse("layout", "an asset with variants, sublayers or without a default prim is not split");
    const usd::Layer         all = source->copy();
    const Split              parts(all);
    const fs::path           folder = repair.work.folder();
    std::vector<std::string> stack;
    for (const auto& [part, name] : {std::pair<Part, const char*>{Part::ros, "ros.usda"},
                                     {Part::physics, "physics.usda"},
                                     {Part::material, "materials.usda"},
                                     {Part::base, "base.usda"}}) {
        usd::Layer layer = parts.part(part);
        if (layer.children(usd::Path::root()).empty()) continue;
        if (part == Part::base) {
            usd::Layer geometry;
            bool       any = false;
            copy_metadata(all, geometry);
            split_geometry(layer, geometry, any);
            if (any) repair.work.new_layer(folder / "geometries.usdc") = std::move(geometry);
        }
        repair.work.new_layer(folder / name) = std::move(layer);
        repair.note((folder / name).string(), usd::Path::root(), "layer", "", name);
        stack.push_back("./" + std::string(name));
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
}

// -- P7: a vendor's words go to a layer of its own, composed by a second entry

void isolate(Repair& repair, const Finding& finding)
{
    usd::Layer* layer = repair.work.layer(finding.site.layer);
    if (layer == nullptr || repair.work.has_overlay())
        return repair.refuse("overlay", "an overriding layer cannot move opinions");
    if (!asked_for(repair, 7))
        return repair.refuse("layout",
                             "--phases P7 moves the vendor's words to a layer that only a second entry composes");
    for (const AssetLayer& read : repair.facts.layers()) {
        if (read.layer.name != finding.site.layer) continue;
        for (const auto& [vendor, uses] : read.vendors) {
            const fs::path file  = repair.work.folder() / (vendor + ".usda");
            usd::Layer&    apart = repair.work.new_layer(file);
            copy_metadata(*repair.root().layer, apart);
            for (const RoleExample& use : uses) {
                // The vendor's layer lies over the entry: a path means the same there only if no arc maps it.
                const usd::Prim prim = repair.facts.stage.prim_at(use.path.prim());
                const bool same = prim && std::ranges::any_of(usd::spec_places(prim), [&](const usd::SpecPlace& at) {
                                      return at.layer == read.layer.name && at.path == use.path.prim();
                                  });
                if (!same) {
                    repair.refuse("namespace", use.path.text() + " is at another path on the stage");
                    continue;
                }
                if (use.path.is_property()) {
                    if (!apart.copy_spec(*layer, use.path, use.path) || !layer->remove(use.path)) continue;
                } else if (type_of(*layer, use.path) == use.what) {
                    if (!apart.copy_spec(*layer, use.path, use.path) || !layer->remove(use.path)) continue;
                } else if (!apart.apply_api(use.path, use.what) || !layer->remove_api(use.path, use.what, false)) {
                    continue;
                }
                repair.note(finding.site.layer, use.path, "spec", use.what, vendor + ".usda");
            }
            const fs::path second =
                repair.work.folder() / (repair.work.entry().stem().string() + "_" + vendor + ".usda");
            usd::Layer& entry = repair.work.new_layer(second);
            copy_metadata(*repair.root().layer, entry);
            static_cast<void>(
                entry.set_sublayers({"./" + vendor + ".usda", "./" + repair.work.entry().filename().string()}));
        }
    }
}

constexpr std::array kRepairs{RepairOf{"REP-1.2.1-j", Phase::vendors, isolate},
                              RepairOf{"REP-1.2.1-i", Phase::layers, split},
                              RepairOf{"REP-1.2.1-c", Phase::layers, split}};

}  // namespace

std::span<const RepairOf> layout_repairs() { return kRepairs; }

}  // namespace mechane::conformance

// Divides a layer into parts: which spec belongs to base, geometry, materials, physics or ROS.
// Input: a layer. Output: copies of it that hold only some parts; parents that are needed become overs.
// A part is decided from the leaves up: a prim that is there for one feature goes with it, everything else is base.
// Invariant: all parts together say exactly what the layer said, each opinion once.
// Called by the repairs of P7 and P8.

#include "conformance/fixes/parts.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "conformance/vendors.h"
#include "mechane/usd/stage_layers.h"

namespace mechane::conformance {
namespace {

bool is_in(std::string_view name, std::initializer_list<std::string_view> names)
{ return std::find(names.begin(), names.end(), name) != names.end(); }

std::string type_of(const usd::Layer& layer, const usd::Path& prim)
{ return layer.field(prim, "typeName").get<std::string>().value_or(""); }

/// Interfaces, controllers and sensors: one group of layers.
bool is_ros_schema(const std::string& name)
{ return name.starts_with("Ros") || (name.starts_with("Sensor") && name.ends_with("API")); }

/// The part that a schema belongs to wherever it is applied; nothing for one that goes with its prim.
std::optional<Part> part_of_schema(const std::string& name)
{
    if (is_ros_schema(name)) return Part::ros;
    if (name.starts_with("Physics") || name.starts_with("ExtendedPhysics") || !vendor_of_schema(name).empty())
        return Part::physics;
    return std::nullopt;
}

std::optional<Part> part_of_property(const std::string& name)
{
    if (name.starts_with("ros:") || name.starts_with("control:") || name.starts_with("sensor:")) return Part::ros;
    for (const char* prefix : {"physics:", "ext_physics:", "drive:", "limit:", "material:binding:physics"})
        if (name.starts_with(prefix)) return Part::physics;
    if (!vendor_of_property(name).empty()) return Part::physics;
    return std::nullopt;
}

bool is_geometry_type(const std::string& type)
{
    return is_in(type,
                 {"Mesh", "Points", "BasisCurves", "NurbsCurves", "NurbsPatch", "HermiteCurves", "TetMesh", "Cube",
                  "Sphere", "Cylinder", "Capsule", "Cone", "Plane", "Cylinder_1", "Capsule_1", "GeomSubset"});
}

/// "/a{set=b}" above "/a{set=b}c", "/a" above that.
usd::Path above(const usd::Path& path)
{
    const std::string& text  = path.text();
    const std::size_t  slash = text.rfind('/'), close = text.rfind('}');
    if (text.ends_with('}')) return usd::Path(text.substr(0, text.rfind('{')));
    if (close != std::string::npos && close > slash) return usd::Path(text.substr(0, close + 1));
    return slash == 0 ? usd::Path::root() : usd::Path(text.substr(0, slash));
}

}  // namespace

std::string file_of(Part part)
{
    switch (part) {
        case Part::base:
            return "base.usda";
        case Part::instances:
            return "instances.usda";
        case Part::material:
            return "materials.usda";
        case Part::physics:
            return "physics.usda";
        case Part::ros:
            return "ros.usda";
    }
    return {};
}

Parts::Parts(const usd::Layer& source) : source_(source.copy())
{
    for (const usd::Path& path : usd::prim_specs(source_)) {
        prims_.push_back(path);
        variants_ |= source_.kind(path) == usd::SpecKind::variant;
    }
    // Children first, because a scope goes where its children go.
    for (auto path = prims_.rbegin(); path != prims_.rend(); ++path) home_[*path] = home_of(*path);
    for (const usd::Path& path : prims_) {  // a variant stands where its prim does
        if (source_.kind(path) == usd::SpecKind::variant) home_[path] = home_.at(above(path));
        const Part home = home_.at(path);
        if (!type_of(source_, path).empty()) held_.insert(home);
        for (const usd::Token& name : source_.properties(path))
            held_.insert(part_of_property(name.text()).value_or(home));
        for (const usd::Token& api : source_.apis(path)) held_.insert(part_of_schema(api.text()).value_or(home));
    }
}

std::vector<usd::Path> Parts::below(const usd::Path& prim) const
{
    std::vector<usd::Path> found;
    for (const usd::Token& child : source_.children(prim)) found.push_back(prim.child(child));
    return found;
}

Part Parts::home_of(const usd::Path& prim) const
{
    const std::string type = type_of(source_, prim);
    const auto        apis = source_.apis(prim);
    const auto        has  = [&](const char* name) {
        return std::ranges::any_of(apis, [&](const usd::Token& api) { return api.text() == name; });
    };
    if (type.starts_with("Physics") || (!type.empty() && !vendor_of_schema(type).empty())) return Part::physics;
    if (type == "Material" && has("PhysicsMaterialAPI") && source_.children(prim).empty()) return Part::physics;
    if (is_in(type, {"Material", "Shader", "NodeGraph"})) return Part::material;
    if (is_geometry_type(type)) return Part::instances;
    const auto names = source_.properties(prim);
    if (type.empty() && std::ranges::any_of(names, [](const usd::Token& name) {
            return is_in(name.text(), {"points", "faceVertexIndices", "faceVertexCounts", "curveVertexCounts"});
        }))
        return Part::instances;
    // What is there for one feature alone goes with it.
    std::optional<Part> all;
    if (type == "Xform" && (has("RosTopicAPI") || has("RosServiceAPI") || has("RosActionAPI") || has("RosFrameAPI")) &&
        std::ranges::all_of(apis, [](const usd::Token& api) { return is_ros_schema(api.text()); }))
        all = Part::ros;
    const std::vector<usd::Path> children = below(prim);
    if (type == "Scope" && names.empty() && apis.empty() && !children.empty()) all = home_.at(children.front());
    if (!all || *all == Part::instances) return Part::base;
    return std::ranges::all_of(children, [&](const usd::Path& child) { return home_.at(child) == *all; }) ? *all
                                                                                                          : Part::base;
}

usd::Layer Parts::only(const std::set<Part>& parts, const std::set<usd::Path>& targets) const
{
    usd::Layer          layer  = source_.copy();
    std::set<usd::Path> needed = targets;  // and what has something below that is kept
    const auto          in     = [&](Part part) { return parts.count(part) != 0; };
    for (auto at = prims_.rbegin(); at != prims_.rend(); ++at) {  // children first
        const usd::Path& prim    = *at;
        const Part       home    = home_.at(prim);
        const bool       variant = source_.kind(prim) == usd::SpecKind::variant;
        bool             kept    = needed.count(prim) != 0 || in(home);
        for (const usd::Token& name : source_.properties(prim))
            if (in(part_of_property(name.text()).value_or(home)))
                kept = true;
            else
                static_cast<void>(layer.remove(prim.property(name)));
        for (const usd::Token& api : source_.apis(prim))
            if (in(part_of_schema(api.text()).value_or(home)))
                kept = true;
            else
                static_cast<void>(layer.remove_api(prim, api, false));
        if (!kept) {
            static_cast<void>(layer.remove(prim));
            continue;
        }
        if (const usd::Path parent = above(prim); !parent.is_root()) needed.insert(parent);
        if (in(home)) continue;
        if (!variant) static_cast<void>(layer.define(prim, {}, usd::Specifier::over));
        const bool applies = !layer.apis(prim).empty();
        for (const usd::Token& key : layer.fields(prim)) {
            const std::string& name = key.text();
            if (name != "specifier" && !(name == "apiSchemas" && applies))
                static_cast<void>(layer.clear_field(prim, key));
        }
    }
    return layer;
}

void copy_metadata(const usd::Layer& from, usd::Layer& to)
{
    for (const usd::Token& key : from.fields(usd::Path::root())) {
        const std::string& name = key.text();
        if (name == "subLayers" || name == "subLayerOffsets" || name == "primChildren" || name == "primOrder") continue;
        static_cast<void>(to.set_field(usd::Path::root(), key, from.field(usd::Path::root(), key)));
    }
}

void move_arrays(usd::Layer& layer, usd::Layer& geometry, const std::string& asset, const std::set<usd::Path>& prims)
{
    const usd::Path scope("/Geometries");
    for (const usd::Path& prim : prims) {
        std::string name(prim.name().text());
        for (int n = 2; geometry.kind(scope.child(name)) != usd::SpecKind::none; ++n)
            name = prim.name().text() + "_" + std::to_string(n);
        const usd::Path there = scope.child(name);
        bool            any   = false;
        static_cast<void>(geometry.define(scope, "Scope"));
        for (const usd::Token& property : layer.properties(prim)) {
            const usd::Path path = prim.property(property);
            if (usd::array_size(layer, path) == 0) continue;
            if (!any) static_cast<void>(geometry.define(there, type_of(layer, prim)));
            any = true;
            if (geometry.copy_spec(layer, path, there.property(property))) static_cast<void>(layer.remove(path));
        }
        if (any) static_cast<void>(layer.add_payload(prim, {.asset = asset, .prim = there}));
    }
}

}  // namespace mechane::conformance

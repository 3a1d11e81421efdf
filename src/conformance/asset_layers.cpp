// What the layers of an asset hold: which roles (geometry, physics, looks, ROS, vendors) stand in which layer.
// Input: a stage. Output: for each of its layers a set of roles with an example of each, vendors' words, large arrays,
// and where the layer lies relative to the entry.
// The rules of REP-0158 1.2 ask what belongs into which layer; all of them read this one table. A role is decided by
// the names of schemas and properties, so no layer has to be composed for it.
// Called once by Facts.

#include "conformance/asset_layers.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <unordered_map>

#include "conformance/by_name.h"
#include "conformance/vendors.h"

namespace mechane::conformance {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 16> kGprimTypes{
    "Mesh",   "Points",   "BasisCurves", "NurbsCurves", "NurbsPatch", "HermiteCurves", "TetMesh",   "Cube",
    "Sphere", "Cylinder", "Capsule",     "Cone",        "Plane",      "Cylinder_1",    "Capsule_1", "GeomSubset"};
/// Types that have a form without any opinion about it.
constexpr std::array<std::string_view, 8> kPrimitiveTypes{"Cube", "Sphere", "Cylinder",   "Capsule",
                                                          "Cone", "Plane",  "Cylinder_1", "Capsule_1"};
constexpr std::array<std::string_view, 9> kNamesOfRoles{"geometries",  "materials", "instances", "base",   "physics",
                                                        "ext_physics", "ros",       "control",   "sensors"};
constexpr std::array<std::string_view, 4> kTopology{"points", "faceVertexIndices", "faceVertexCounts",
                                                    "curveVertexCounts"};

bool is_in(std::string_view name, const auto& names)
{ return std::find(names.begin(), names.end(), name) != names.end(); }

std::uint32_t role_of_schema(std::string_view name)
{
    if (!vendor_of_schema(name).empty()) return kVendorRole;
    if (name.starts_with("ExtendedPhysics")) return kExtPhysicsRole;
    if (name.starts_with("Physics")) return kPhysicsRole;
    if (name.starts_with("RosControl")) return kControlRole;
    if (name.starts_with("Ros") && name.ends_with("API")) return kRosRole;
    if (name.starts_with("Sensor") && name.ends_with("API")) return kSensorRole;
    return 0;
}

std::uint32_t role_of_property(std::string_view name)
{
    if (!vendor_of_property(name).empty()) return kVendorRole;
    if (name.starts_with("physics:") || name.starts_with("drive:") || name.starts_with("limit:") ||
        name == "material:binding:physics" || name.starts_with("material:binding:collection:physics:"))
        return kPhysicsRole;
    if (name.starts_with("ext_physics:")) return kExtPhysicsRole;
    if (name.starts_with("ros:")) return kRosRole;
    if (name.starts_with("control:")) return kControlRole;
    if (name.starts_with("sensor:")) return kSensorRole;
    if (name.starts_with("material:binding")) return kInstanceRole;
    if (is_in(name, kTopology)) return kGeometryRole;
    return 0;
}

/// Reads one layer spec by spec, parents before children.
/// Parents come before children, so prims_ in reverse has children first.
class Reader {
  public:
    explicit Reader(AssetLayer& out) : out_(out), layer_(*out.layer.layer) {}

    void read()
    {
        for (const usd::Path& path : usd::prim_specs(layer_)) {
            const bool variant = layer_.kind(path) == usd::SpecKind::variant;
            if (variant)
                for (const usd::Token& api : layer_.apis(path)) schema(path, api);
            else
                prim(path);
            for (const usd::Token& name : layer_.properties(path))
                property(path, name, variant ? nullptr : &prims_.back());
        }
        judge();
    }

  private:
    struct Prim {
        usd::Path     path;
        std::string   type;
        std::uint32_t roles = 0;
        bool          arcs = false, moved = false, topology = false;
        std::size_t   bytes   = 0;
        bool          carries = false;  ///< a feature stands here or below
    };
    AssetLayer&                                out_;
    const usd::Layer&                          layer_;
    std::vector<Prim>                          prims_;
    std::unordered_map<usd::Path, std::size_t> at_;
    ByName<std::uint32_t>                      role_of_property_{role_of_property};
    ByName<std::uint32_t>                      role_of_schema_{role_of_schema};

    void note(std::uint32_t role, const usd::Path& path, const std::string& what)
    {
        // One example for each role is enough for a message.
        if ((out_.roles & role) != 0) return;
        out_.roles |= role;
        out_.first.emplace(role, RoleExample{path, what});
    }

    std::uint32_t schema(const usd::Path& path, const usd::Token& name)
    {
        const std::uint32_t role = role_of_schema_(name);
        if (role != 0) note(role, path, name.text());
        if (role == kVendorRole)
            out_.vendors[std::string(vendor_of_schema(name.text()))].push_back({path, name.text()});
        out_.only_context &= role != kRosRole || name.text() == "RosContextAPI";
        out_.applies_ros |= role == kRosRole && name.text() != "RosContextAPI";
        return role;
    }

    void prim(const usd::Path& path)
    {
        static const usd::Token kType("typeName");
        const usd::Token        type = layer_.field(path, kType).get<usd::Token>().value_or(usd::Token());
        Prim                    prim{.path = path, .type = type.text()};
        prim.roles |= schema(path, type);
        for (const usd::Token& api : layer_.apis(path)) prim.roles |= schema(path, api);
        prim.arcs = !layer_.references(path).empty() || !layer_.payloads(path).empty();
        at_.emplace(path, prims_.size());
        prims_.push_back(std::move(prim));
    }

    /// @param owner  null: a variant
    void property(const usd::Path& prim, const usd::Token& token, Prim* owner)
    {
        const std::string&  name = token.text();
        const usd::Path     path = prim.property(token);
        const std::uint32_t role = role_of_property_(token);
        if (role == kVendorRole) out_.vendors[std::string(vendor_of_property(name))].push_back({path, name});
        if (role != 0 && role != kGeometryRole) note(role, path, name);
        out_.only_context &= role != kRosRole || name.starts_with("ros:context:");
        const std::size_t elements = usd::array_size(layer_, path);
        if (elements > kHeavyElements) out_.heavy.push_back(path);
        if (owner == nullptr) return;
        owner->roles |= role;
        owner->topology |= role == kGeometryRole && elements > 0;
        owner->moved |= name.starts_with("xformOp");
        // An estimate in place of measuring: what decides are orders of magnitude.
        if (elements <= kHeavyElements) owner->bytes += elements * 12;  // three floats, the usual element
    }

    /// What a prim is for can be said when everything below it is known.
    void judge()
    {
        for (auto i = prims_.size(); i-- > 0;) {
            Prim& prim = prims_[i];
            prim.carries |= (prim.roles & (kPhysicsGroup | kInterfaceGroup | kVendorRole)) != 0;
            if (prim.bytes > kHeavyBytes) out_.heavy.push_back(prim.path);
            if (const auto above = at_.find(prim.path.parent()); above != at_.end() && prim.carries)
                prims_[above->second].carries = true;
        }
        bool look = false;
        for (const Prim& prim : prims_) {
            const bool feature  = (prim.roles & (kPhysicsGroup | kInterfaceGroup)) != 0;
            const bool gprim    = is_in(prim.type, kGprimTypes);
            const bool material = prim.type == "Material";
            if (prim.topology || is_in(prim.type, kPrimitiveTypes)) out_.shapes.push_back({prim.path, prim.type});
            if (prim.topology || (gprim && !feature)) {
                ++out_.gprims;
                out_.meshes += prim.topology;
                note(kGeometryRole, prim.path, prim.type.empty() ? "points" : prim.type);
            }
            if (prim.type == "Shader" || prim.type == "NodeGraph") out_.shaders.push_back(prim.path);
            if ((material && !feature) || prim.type == "Shader" || prim.type == "NodeGraph")
                note(kMaterialRole, prim.path, prim.type);
            look |= material;
            if (prim.arcs && !prim.carries) note(kInstanceRole, prim.path, "arc");
            // A def that is there to carry a feature, and what stands above it, is no geometry.
            if ((prim.type == "Xform" && !prim.carries && !gprim) || (prim.moved && prim.type.empty() && !prim.carries))
                note(kBaseRole, prim.path, prim.type.empty() ? "xformOp" : prim.type);
        }
        std::sort(out_.heavy.begin(), out_.heavy.end());
        out_.holds_physics_material_only = out_.has(kPhysicsRole) && look;
        for (const Prim& prim : prims_)
            if ((prim.roles & kPhysicsRole) != 0 && prim.type != "Material") out_.holds_physics_material_only = false;
    }
};

}  // namespace

std::string_view role_name(std::uint32_t role)
{
    switch (role) {
        case kGeometryRole:
            return "geometry";
        case kMaterialRole:
            return "material";
        case kInstanceRole:
            return "instances";
        case kBaseRole:
            return "base";
        case kPhysicsRole:
            return "physics";
        case kExtPhysicsRole:
            return "ext-physics";
        case kRosRole:
            return "ros";
        case kControlRole:
            return "control";
        case kVendorRole:
            return "proprietary";
        case kSensorRole:
            return "sensor";
        default:
            return "";
    }
}

bool AssetLayer::is_proprietary() const
{
    if (names_vendor(stem())) return true;
    if (is_in(stem(), kNamesOfRoles)) return false;  // a base with one word of a vendor is still a base
    return vendors.size() == 1 && roles == kVendorRole;
}

std::string AssetLayer::stem() const
{
    const std::size_t inner = relative.ends_with(']') ? relative.rfind('[') : std::string::npos;
    std::string       file  = inner == std::string::npos ? relative : relative.substr(inner + 1);
    while (file.ends_with(']')) file.pop_back();
    return fs::path(file).stem().string();
}

bool AssetLayer::in_subfolder() const { return fs::path(relative).has_parent_path(); }

namespace {

/// Where a layer lies in the asset: in the entry's package, or in its folder.
void place(AssetLayer& layer, const usd::StageLayer& entry, bool is_entry)
{
    const std::string& package = entry.packaged.package;
    if (!package.empty()) {
        layer.inside   = is_entry || layer.layer.packaged.package == package;
        layer.relative = layer.inside ? layer.layer.packaged.inner : layer.layer.file;
        return;
    }
    const fs::path file(layer.layer.file);
    const fs::path relative = file.lexically_relative(fs::path(entry.file).parent_path());
    layer.inside            = is_entry || (!relative.empty() && !relative.string().starts_with(".."));
    layer.relative          = is_entry ? file.filename().string() : relative.string();
}

bool is_asset(const usd::Layer& layer)
{
    const std::string root = layer.field(usd::Path::root(), "defaultPrim").get<std::string>().value_or("");
    if (root.empty()) return false;
    const usd::Path   prim("/" + root);
    const std::string kind = layer.field(prim, "kind").get<std::string>().value_or("");
    return kind == "component" || kind == "assembly" || kind == "group" || !layer.field(prim, "assetInfo").empty();
}

}  // namespace

std::string file_named(const AssetLayer& from, const std::string& asset)
{
    const auto& [package, inner] = from.layer.packaged;
    const fs::path    folder     = fs::path(package.empty() ? from.layer.file : inner).parent_path();
    const std::string file       = (folder / asset).lexically_normal().generic_string();
    return package.empty() ? file : package + "[" + file + "]";
}

std::vector<AssetLayer> read_asset_layers(const usd::Stage& stage)
{
    std::vector<AssetLayer> out;
    for (usd::StageLayer& layer : usd::layers_of(stage)) {
        AssetLayer found{.layer    = std::move(layer),
                         .relative = {},
                         .first    = {},
                         .vendors  = {},
                         .foreign  = {},
                         .shapes   = {},
                         .heavy    = {},
                         .shaders  = {}};
        place(found, out.empty() ? found.layer : out.front().layer, out.empty());
        found.is_asset = is_asset(*found.layer.layer);
        if (found.inside) Reader(found).read();
        out.push_back(std::move(found));
    }
    return out;
}

}  // namespace mechane::conformance

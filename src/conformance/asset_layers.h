#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mechane/usd/stage_layers.h"

namespace mechane::conformance {

/// What a layer holds (rep-0158 2.6).
enum Role : std::uint32_t {
    kGeometryRole   = 1u << 0,  ///< points or topology, or a Gprim
    kMaterialRole   = 1u << 1,
    kInstanceRole   = 1u << 2,  ///< arcs and bindings over geometry
    kBaseRole       = 1u << 3,  ///< the tree of Xforms
    kPhysicsRole    = 1u << 4,
    kExtPhysicsRole = 1u << 5,
    kRosRole        = 1u << 6,
    kControlRole    = 1u << 7,
    kVendorRole     = 1u << 8,
    kSensorRole     = 1u << 9,
    kLookGroup      = kGeometryRole | kMaterialRole | kInstanceRole | kBaseRole,
    kPhysicsGroup   = kPhysicsRole | kExtPhysicsRole,
    kInterfaceGroup = kRosRole | kControlRole | kSensorRole,
};
/// "geometry", "physics", ... of one role.
std::string_view role_name(std::uint32_t role);

/// A spec of a layer that has a role.
struct RoleExample {
    usd::Path   path;
    std::string what;  ///< the schema or property that gives it the role
};

/// One layer of the asset, with what its specs are about.
struct AssetLayer {
    usd::StageLayer                                 layer;
    std::string                                     relative;        ///< to the asset's folder, "parts/arm.usda"
    bool                                            inside = false;  ///< in the asset's folder or package
    std::uint32_t                                   roles  = 0;
    std::map<std::uint32_t, RoleExample>            first;    ///< by role
    std::map<std::string, std::vector<RoleExample>> vendors;  ///< every vendor property and schema
    /// Words of nobody that the checker knows, on prims that no simulation reads; by their namespace.
    std::map<std::string, std::vector<RoleExample>> foreign;
    std::vector<RoleExample> shapes;   ///< Gprims that the layer itself gives a form: points, or a primitive's type
    std::vector<usd::Path>   heavy;    ///< arrays of more than 1000 elements, or prims above 64 KiB
    std::vector<usd::Path>   shaders;  ///< Shader and NodeGraph prims
    std::size_t              gprims                      = 0;  ///< with points, or primitives without a physics schema
    std::size_t              meshes                      = 0;  ///< of them, those with points or topology of their own
    bool                     holds_physics_material_only = false;
    bool                     only_context = true;  ///< of the ROS schemas it has RosContextAPI alone, or none
    bool applies_ros = false;  ///< it applies another ROS schema than that, and does not only override values
    bool is_asset    = false;  ///< its default prim has a kind or an identity of its own

    [[nodiscard]] bool has(std::uint32_t any) const { return (roles & any) != 0; }
    /// A vendor's own layer: one that is named after a vendor, or holds the words of one and nothing else.
    [[nodiscard]] bool        is_proprietary() const;
    [[nodiscard]] std::string stem() const;          ///< "geometries" of "geometries.usdc"
    [[nodiscard]] bool        in_subfolder() const;  ///< of the asset's folder or package
};

/// Where a relative asset path of a layer leads: an absolute path, or one in the layer's package.
std::string file_named(const AssetLayer& from, const std::string& asset);

/// Every layer of the stage, the entry first. Of an asset that is a package its files stand in place of the folder.
std::vector<AssetLayer> read_asset_layers(const usd::Stage& stage);

/// Arrays that are kept out of text layers and behind payloads.
constexpr std::size_t kHeavyElements = 1000, kHeavyBytes = 64 * 1024;

}  // namespace mechane::conformance

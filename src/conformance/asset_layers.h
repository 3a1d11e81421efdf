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
    kLookGroup      = kGeometryRole | kMaterialRole | kInstanceRole | kBaseRole,
    kPhysicsGroup   = kPhysicsRole | kExtPhysicsRole,
    kInterfaceGroup = kRosRole | kControlRole,
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
    bool                                            inside = false;  ///< in the asset's folder
    std::uint32_t                                   roles  = 0;
    std::map<std::uint32_t, RoleExample>            first;    ///< by role
    std::map<std::string, std::vector<RoleExample>> vendors;  ///< every vendor property and schema
    std::vector<usd::Path> heavy;    ///< arrays of more than 1000 elements, or prims above 64 KiB
    std::vector<usd::Path> shaders;  ///< Shader and NodeGraph prims
    std::size_t            gprims                      = 0;  ///< with points, or primitives without a physics schema
    bool                   holds_physics_material_only = false;

    [[nodiscard]] bool has(std::uint32_t any) const { return (roles & any) != 0; }
    /// A vendor's own layer: the words of one, and nothing else unless it is named after the vendor.
    [[nodiscard]] bool        is_proprietary() const;
    [[nodiscard]] std::string stem() const;  ///< "geometries" of "geometries.usdc"
};

/// Every layer of the stage, the entry first.
std::vector<AssetLayer> read_asset_layers(const usd::Stage& stage);

/// Arrays that are kept out of text layers and behind payloads.
constexpr std::size_t kHeavyElements = 1000, kHeavyBytes = 64 * 1024;

}  // namespace mechane::conformance

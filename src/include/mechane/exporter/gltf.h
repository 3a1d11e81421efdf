#pragma once
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/exporter/export.h"
#include "mechane/sourceformats/loss.h"
#include "mechane/usd/stage.h"

/// What a stage shows, as glTF 2.0: meshes, materials, lights, cameras, skins, animations.
namespace mechane::exporter {

/// True for .gltf and .glb.
bool is_gltf(std::string_view file);

enum class Udim { refuse, atlas, split };

struct GltfOptions {
    std::set<std::string> purposes{"default", "render"};  ///< of prims that are written; also "guide", "proxy"
    bool                  front_z     = false;            ///< the stage's x becomes glTF's front, z
    bool                  prune       = false;            ///< without scopes that show nothing
    bool                  keep_colors = false;            ///< displayColor also where a material is bound
    bool             expand_instances = false;  ///< items of point instancers as nodes, without EXT_mesh_gpu_instancing
    bool             approximate_lights = false;  ///< lights with an area as points of equal power
    bool             material_variants  = false;  ///< variants that change looks alone as KHR_materials_variants
    bool             openpbr    = false;  ///< surfaces of OpenPBR are read where there is none of UsdPreviewSurface
    bool             extras     = false;  ///< the path of each prim, in its node's extras
    int              segments   = 32;     ///< around round shapes
    int              influences = 4;      ///< joints of a point of a skin: 4 or 8
    Udim             udim       = Udim::refuse;
    std::string      mesh_folder{};  ///< pictures of a .gltf, beside it; empty: the file's name with _textures
    std::string      source{};       ///< file and options that `variant_states` opens again
    usd::OpenOptions open{};
};

/// Writes what a stage shows. The same stage gives the same bytes. Lengths are metres and y points up, whatever the
/// stage has: the root node turns the scene, nothing else is turned. Joints, masses and colliders are no part of glTF.
/// @param file    name of the result, without a folder; .glb or .gltf
/// @param losses  gets what glTF cannot say, or says otherwise
/// @error EXPORT_EMPTY, EXPORT_TOO_LARGE
Result<Written> write_gltf(const usd::Stage& stage, const std::string& file, const GltfOptions& options,
                           sourceformats::LossReport& losses);

}  // namespace mechane::exporter

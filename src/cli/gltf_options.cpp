// Options of glTF output. All descriptions begin with "glTF", by which convert.cpp finds them again.

#include "cli/gltf_options.h"

#include <string>
#include <vector>

namespace mechane::cli {

void add_gltf_options(CLI::App& verb, std::shared_ptr<exporter::GltfOptions> to)
{
    verb.add_option_function<std::string>(
            "--gltf-front", [to](const std::string& axis) { to->front_z = axis == "z"; },
            "glTF: where the stage's x goes: x, or z, which viewers take as the front (Z-up stages)")
        ->check(CLI::IsMember({"x", "z"}));
    verb.add_option_function<std::vector<std::string>>(
            "--purposes", [to](const std::vector<std::string>& list) { to->purposes = {list.begin(), list.end()}; },
            "glTF: purposes of prims that are written; default,render unless given")
        ->delimiter(',')
        ->check(CLI::IsMember({"default", "render", "proxy", "guide"}));
    verb.add_flag("--prune", to->prune, "glTF: leave out scopes that show nothing");
    verb.add_flag("--keep-colors", to->keep_colors, "glTF: write displayColor also if a material is bound");
    verb.add_flag("--expand-instances", to->expand_instances,
                  "glTF: write items of point instancers as nodes, without EXT_mesh_gpu_instancing");
    verb.add_flag("--approx-lights", to->approximate_lights,
                  "glTF: write lights with an area as points of equal power");
    verb.add_flag("--material-variants", to->material_variants,
                  "glTF: write variants that change only looks as KHR_materials_variants");
    verb.add_flag("--openpbr", to->openpbr, "glTF: also read surfaces of OpenPBR");
    verb.add_flag("--gltf-extras", to->extras, "glTF: write the path of each prim to extras");
    verb.add_option("--segments", to->segments, "glTF: number of sides of round shapes; default 32")
        ->check(CLI::Range(8, 256));
    verb.add_option("--influences", to->influences, "glTF: joints per point of a skin: 4 or 8")
        ->check(CLI::IsMember({4, 8}));
    verb.add_option_function<std::string>(
            "--udim",
            [to](const std::string& how) { to->udim = how == "atlas" ? exporter::Udim::atlas : exporter::Udim::split; },
            "glTF: pictures in tiles become one picture (atlas) or a primitive each (split); refused unless given")
        ->check(CLI::IsMember({"atlas", "split"}));
}

}  // namespace mechane::cli

#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/sourceformats/loss.h"
#include "mechane/sourceformats/robot_tree.h"
#include "mechane/usd/layer.h"

/// Robots of other formats as OpenUSD: URDF (with xacro), MJCF, SDFormat; scenes of glTF and mesh files too.
namespace mechane::sourceformats {

/// How the robot stands in the world.
enum class Base {
    automatic,  ///< URDF: fixed where the root is a link "world"; MJCF: as the file says
    floating,
    fixed
};

struct ReadOptions {
    std::map<std::string, std::string> packages{};      ///< name -> folder, for package:// and $(find)
    std::vector<std::string>           search_paths{};  ///< folders of relative files, and of packages by their name
    std::map<std::string, std::string> xacro_arguments{};
    std::optional<double>              default_mass{};  ///< [kg] of links that move and have none
    Base                               base            = Base::automatic;
    bool                               ignore_inertial = false;  ///< masses are computed from the shapes
    bool                               visuals_collide = false;  ///< visual shapes are the colliders
    std::string                        name{};                   ///< of the robot; empty: the file's
    double                             mesh_unit = 1;            ///< [m] of a mesh file that is the whole robot
};

/// True for a file that `read_robot` is for, or `read_as_usd`, by its suffix: .urdf, .xacro, .mjcf, .xml, .sdf, .world,
/// .gltf, .glb, .stl, .obj, .ply, .dae, .msh.
bool is_source_format(const std::string& file);

/// A robot that was read, with what became of every value.
struct ReadRobot {
    RobotTree   tree;
    LossReport  losses;
    Diagnostics found;
    std::string contents{};  ///< of what is no robot: "12 nodes, 3 meshes"
};

/// Reads a robot. What is wrong with parts of it is in `found`, with file and line; the rest is read.
/// @error SOURCE_READ_FAILED, SOURCE_FORMAT_UNKNOWN, SOURCE_XML_INVALID, SOURCE_XML_REFUSED, SOURCE_LIMIT
Result<ReadRobot> read_robot(const std::string& file, const ReadOptions& options = {});
/// The same of a text; relative files are looked for in `folder`.
Result<ReadRobot> read_robot_text(const std::string& text, const std::string& folder, const ReadOptions& options = {});

/// The robot as layers.
struct LayerFile {
    std::string name;  ///< "robot.usda", "geometries.usdc"
    usd::Layer  layer;
};
struct UsdRobot {
    std::string                                      name;   ///< of the default prim
    std::string                                      entry;  ///< name of the layer to open
    std::vector<LayerFile>                           layers;
    std::vector<std::pair<std::string, std::string>> textures;  ///< file, name in the result
    std::vector<std::pair<std::string, std::string>>
                                 pictures;  ///< name in the result, bytes: of what lies in no file of its own
    std::map<std::string, Place> places;    ///< of one layer: prim or property path -> where the source says it
};

enum class Layout {
    layered,  ///< a folder as REP-0158 has it: entry, base, geometries, materials, physics, ros, a layer a vendor
    single    ///< one layer with everything
};

/// Makes layers of a robot; the losses that this brings are added.
/// @error SOURCE_WRITE_FAILED
Result<UsdRobot> to_usd(const RobotTree& tree, Layout layout, LossReport& losses);

/// True for .gltf and .glb: scenes, which `read_as_usd` alone reads.
bool is_scene_format(const std::string& file);

/// True for .stl, .obj, .ply, .dae and .msh: meshes, which become one body each.
bool is_mesh_format(const std::string& file);

/// Reads a file of any of the formats and makes layers of it. Of glTF, nodes, meshes, looks, lights, cameras and
/// animations become prims; `read` then holds what was wrong and lost, and no robot.
/// @param read  gets findings, losses, and the robot
/// @error those of read_robot and to_usd
Result<UsdRobot> read_as_usd(const std::string& file, Layout layout, const ReadOptions& options, ReadRobot& read);

/// Writes the layers and textures into a folder, which they become, all or none.
/// @param folder  new, empty, or an earlier result of the same that nobody changed
/// @return names of the files
/// @error SOURCE_WRITE_FAILED, FILES_FOLDER, FILES_INPUT, FILES_WRITE_FAILED
Result<std::vector<std::string>> write_folder(const UsdRobot& robot, const std::string& folder,
                                              const std::string& loss_json);
/// The files that `write_file` writes.
std::vector<std::string> file_names(const UsdRobot& robot, const std::string& file);
/// Writes a single layer; textures go beside it.
Result<std::vector<std::string>> write_file(const UsdRobot& robot, const std::string& file);

/// From now on `usd::Stage::open` opens these formats, as one layer in memory whose findings name the source's lines.
void let_stages_open_robots();

}  // namespace mechane::sourceformats

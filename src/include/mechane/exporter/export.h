#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/sourceformats/loss.h"
#include "mechane/sourceformats/robot_tree.h"

/// Robots as files of other programs: URDF, SDFormat, MJCF.
namespace mechane::exporter {

enum class Format { urdf, sdformat, mjcf };
std::string_view to_string(Format format);  ///< "URDF", "SDFormat", "MJCF"
/// By suffix: .urdf; .sdf, .world; .xml, .mjcf.
std::optional<Format> format_of(std::string_view file);

struct WriteOptions {
    std::string package{};                ///< name: meshes are package://NAME/meshes/..., else relative to the file
    double      default_effort   = 1000;  ///< of URDF's joints without one [N or N m]
    double      default_velocity = 100;   ///< of URDF's joints without one [m/s or rad/s]
    bool        keep_frames =
        false;               ///< URDF: a link's frame stays where it is, on a further link, where its joint has another
    bool world_link = true;  ///< URDF: what is anchored hangs on a link "world"
    bool mjcf_sdf   = false;  ///< MJCF: meshes that collide by their triangles are fields of distances, not their hulls
    std::string sdf_version{};  ///< empty: 1.9, or 1.11 where a joint follows another
    std::string ros_plugin =
        "ros_interface";  ///< SDFormat: name and file of the plug-ins that stand for interfaces of ROS; empty: none
    std::string mesh_folder{};       ///< of meshes and pictures, beside the file; empty: the file's name with _meshes
    int         hull_vertices = 64;  ///< most of a hull that is written for a collider
};

/// One file of a result; the first is the robot's.
struct OutputFile {
    std::string name;  ///< relative to the folder of the robot's file
    std::string content;
};
struct Written {
    std::vector<OutputFile>                          files;
    std::vector<std::pair<std::string, std::string>> copies;  ///< picture that is there, name in the result
};

/// Gives joints of several axes back what their source in MJCF says of them, where the stage still is what the
/// conversion made of it: axes that OpenUSD's joint has no place for, and where all of them stand at the start.
void restore_source_axes(sourceformats::RobotTree& tree);

/// Writes a robot. The same robot gives the same bytes; numbers are the shortest text that reads back to the same
/// value.
/// @param file    name of the robot's file, without a folder
/// @param losses  gets what the format cannot say, or says otherwise
/// @error EXPORT_EMPTY
Result<Written> write_robot(const sourceformats::RobotTree& tree, Format format, const std::string& file,
                            const WriteOptions& options, sourceformats::LossReport& losses);

/// The files that `write_files` writes.
std::vector<std::string> file_names(const Written& written, const std::string& file);
/// Writes the files of a result, all or none (files/side_files.h). No file that this run has read is replaced.
/// @return names of the files
/// @error FILES_FOLDER, FILES_WRITE_FAILED, FILES_INPUT, FILES_BUSY, FILES_CHANGED
Result<std::vector<std::string>> write_files(const Written& written, const std::string& file);

}  // namespace mechane::exporter

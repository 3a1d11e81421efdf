#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mechane/conversion/verify.h"
#include "mechane/exporter/export.h"
#include "mechane/exporter/gltf.h"
#include "mechane/run/scene.h"
#include "mechane/sourceformats/convert.h"

/// Robots and scenes from one format to another, with a report of what was lost: what `mechane convert` does.
namespace mechane::conversion {

struct Options {
    sourceformats::ReadOptions read{};   ///< of inputs that are no OpenUSD; `read.name` names results of robots too
    exporter::WriteOptions     write{};  ///< of URDF, SDFormat and MJCF
    exporter::GltfOptions      gltf{};
    run::SceneOptions          scene{};          ///< how stages are opened, and simulated by `verify`
    bool                       verify  = false;  ///< read the result back and compare it with the input
    bool                       strict  = false;  ///< a loss ends the conversion, and nothing is written
    int                        threads = 1;      ///< of the simulations of `verify`
    /// Asked when all is computed and nothing is written yet; an error ends the conversion. It gets the files that are
    /// about to be written; of a folder that is made as a whole, and of OpenUSD laid out anew, its name.
    std::function<Result<void>(const std::vector<std::string>& files)> before_writing =
        [](const std::vector<std::string>&) { return Result<void>(); };
};

/// What the input holds.
struct Contents {
    std::string format;  ///< "URDF", "MJCF", "OpenUSD"
    std::size_t links = 0, joints = 0, shapes = 0, meshes = 0;
    std::string other;  ///< of what is no robot: "12 nodes, 3 meshes"; empty for robots
};

struct Conversion {
    std::string               input;  ///< what was read: the entry of a folder, or the file itself
    std::string               entry;  ///< what to open of the result
    std::vector<std::string>  files;  ///< of the result
    sourceformats::LossReport losses;
    Contents                  contents;
    std::size_t               errors = 0;  ///< that `mechane check` still finds in OpenUSD that was laid out anew
    std::optional<Verified>   verified;
};

/// The file that is read: a folder stands for its entry, and on the way to MJCF for the one with MuJoCo's layer.
std::string entry_of(const std::string& input, const std::string& output);

/// Whether there is a way from one format to the other; the names alone decide, nothing is opened.
/// @param input   a file, no folder (`entry_of`)
/// @param options  also whether these can have their effect there: `verify`, `read.name`
/// @error SOURCE_FORMAT_UNKNOWN, EXPORT_FORMAT_UNKNOWN, EXPORT_VERIFY, EXPORT_NAME, EXPORT_OPTION
Result<void> check_formats(const std::string& input, const std::string& output, const Options& options = {});

/// Converts a file, or a folder that stands for its entry. The result is written as a whole or not at all, and never
/// over what was read.
/// @param output  a folder (laid out as REP-0158 has it), .usda, .usdc, .usd, .usdz, .urdf, .sdf, .world, .xml, .mjcf,
///                .gltf or .glb
/// @param found   gets what is wrong with the input; also where the conversion fails
/// @error EXPORT_LOSS: `strict`, and something is dropped or approximated
/// @error those of check_formats, of usd::Stage::open and sourceformats::read_as_usd, EXPORT_EMPTY, EXPORT_TOO_LARGE,
///        SOURCE_WRITE_FAILED, FILES_FOLDER, FILES_INPUT, FILES_WRITE_FAILED, FILES_BUSY, FILES_CHANGED
Result<Conversion> convert(const std::string& input, const std::string& output, const Options& options,
                           Diagnostics& found);

}  // namespace mechane::conversion

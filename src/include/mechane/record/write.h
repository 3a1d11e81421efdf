#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/core/result.h"
#include "mechane/math/pose.h"
#include "mechane/model/model.h"
#include "mechane/simulation/recording.h"
#include "mechane/usd/edit.h"
#include "mechane/usd/stage.h"

namespace mechane::record {

enum class Format { json, csv, usd };

/// Format by extension. "-" and files that are not regular (/dev/null) are JSON; nothing for an extension that is
/// unknown.
std::optional<Format> format_of(std::string_view file);

/// What a contact sensor felt in each frame of a recording: the sum of the forces of contacts, world axes [N].
struct SensorTrack {
    std::string       label;
    std::vector<Vec3> force;  ///< [frames]
};

struct JsonOptions {
    bool                     reproducible   = false;  ///< keys sorted, wall times left out: equal runs give equal bytes
    bool                     contact_points = false;  ///< adds "contact_points" to every frame, beside the count
    std::vector<SensorTrack> sensors{};  ///< "sensors": label and force by frame; left out when there are none
};

/// A prim of points that a recording moves: a cloth, a soft body, a cable.
struct PointsPrim {
    std::string                 path;
    usd::Matrix4d               placed;      ///< the prim's points in the world (row vectors), as they were imported
    std::array<std::int32_t, 2> particle{};  ///< its points, in order: particles from the first up to the second
    /// Of cables: the points of each curve, the body of each segment or -1, its length [m].
    std::vector<int>          vertex_counts{};
    std::vector<std::int32_t> segment_body{};
    std::vector<double>       segment_length{};
    bool                      closed = false;
};

/// How a stage relates to the world that was simulated: X_WS * (meters_per_unit * p_S) is a stage's point in the world.
struct UsdOptions {
    double                  meters_per_unit = 1;
    char                    up_axis         = 'Z';  ///< of the source stage
    Posed                   X_WS{};                 ///< stage in world [m]; the rotation that made the up axis ours
    const usd::Stage*       stage = nullptr;  ///< the source: its bodies keep their scale, its default prim stays named
    std::vector<PointsPrim> points{};         ///< what gets its points written back, in place of bodies of their own
};

struct WriteOptions {
    JsonOptions json{};
    UsdOptions  usd{};
};

/// "mechane.trajectory/1" (docs/schemas/trajectory.schema.json). State is printed as the shortest text that restores
/// each Real; nan and inf are the texts "nan", "inf", "-inf".
std::string to_json(const model::Model& model, const Recording& recording, const JsonOptions& options = {});

/// One row per frame: t, body poses and velocities, joint coordinates and velocities, energies, number of contacts. The
/// header names each column as `path.component [unit]`.
/// @param sensors  three further columns each, "label.fx [N]"
std::string to_csv(const model::Model& model, const Recording& recording, std::span<const SensorTrack> sensors = {});

/// A layer over the source that holds the bodies' poses, and the velocities of its rigid bodies, as time samples in the
/// units of the source; it plays in any OpenUSD viewer. A body is the
/// prim that its label names; it ignores its parents' transforms (`!resetXformStack!`), so that each sample is the
/// simulated pose. Cloths, soft bodies and cables get their points and extents back as samples, in their own space;
/// their segments are no prims.
/// @param file  where the layer will lie: the sublayer path is relative to its folder
/// @param found  RECORD_BODY_NO_PRIM for labels that are no prim path, appear twice, or lie inside an instance
usd::LayerWriter to_layer(const model::Model& model, const Recording& recording, const std::string& file,
                          const UsdOptions& options, Diagnostics& found);

/// Writes a recording in the format that the extension names.
/// @error RECORD_FORMAT_UNKNOWN, RECORD_WRITE_FAILED, STAGE_WRITE_FAILED
Result<void> write(const model::Model& model, const Recording& recording, const std::string& file,
                   const WriteOptions& options, Diagnostics& found);

}  // namespace mechane::record

#pragma once
#include <map>
#include <string>
#include <vector>

#include "mechane/math/pose.h"
#include "mechane/usd/value.h"
#include "sourceformats/meshes/gltf_document.h"

/// How an animation of a glTF file moves its nodes.
namespace mechane::sourceformats {

/// Position, rotation and scale of a node in its parent.
struct GltfPose {
    Vec3d t;
    Quatd q;
    Vec3d s{1, 1, 1};
};
/// The same as a matrix of OpenUSD (rows), which is what glTF's columns are.
usd::Matrix4d to_matrix(const GltfPose& pose);

class GltfMotion {
  public:
    /// Reads the channels of one animation; those that are not sound are left out.
    GltfMotion(GltfDocument& document, const nlohmann::json* animation);

    /// Seconds at which a node, or the weights of its mesh, change their way; between them all is linear, or nearly so.
    /// @param path  "translation", "rotation", "scale" or "weights"; all four when it is empty
    [[nodiscard]] std::vector<double> times(int node, const std::string& path = {}) const;
    [[nodiscard]] bool                moves(int node, const std::string& path = {}) const;
    /// Interpolations ("STEP") of the channels of a node.
    [[nodiscard]] bool interpolates(int node, const std::string& how) const;
    /// Nodes that channels name whose samplers are not sound, and nodes that do not exist (-1).
    [[nodiscard]] const std::vector<int>& unsound() const { return unsound_; }
    [[nodiscard]] std::vector<int>        nodes() const;
    /// The pose of a node; what no channel moves is as in `rest`.
    [[nodiscard]] GltfPose            pose(int node, const GltfPose& rest, double time) const;
    [[nodiscard]] std::vector<double> weights(int node, const std::vector<double>& rest, double time) const;

  private:
    struct Track {
        std::string         path, how;
        std::size_t         width = 0;
        std::vector<double> times, values;
    };
    std::map<int, std::vector<Track>> tracks_;
    std::vector<int>                  unsound_;

    static std::vector<double> value(const Track& track, double time);
};

}  // namespace mechane::sourceformats

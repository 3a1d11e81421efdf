#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mechane/sourceformats/loss.h"
#include "sourceformats/gltf/motion.h"
#include "sourceformats/usd_names.h"
#include "sourceformats/usd_sheet.h"

/// Skins and morph targets of glTF as skeletons and blend shapes of UsdSkel.
namespace mechane::sourceformats {

/// What moves the points of a mesh, in the order of its points.
struct GltfDeformation {
    struct Target {
        std::string        name;  ///< of the prim of its blend shape
        std::vector<Vec3d> offsets, normals;
    };
    std::size_t         influences = 0;  ///< joints a point
    std::vector<int>    joints;          ///< `influences` a point, indices into the joints of the skin
    std::vector<double> weights;
    std::vector<Target> targets;

    /// Reads JOINTS_n, WEIGHTS_n and targets of a primitive whose first point is `base`; others have none.
    /// @return why something of it cannot be read
    std::string add(GltfDocument& document, const nlohmann::json& mesh, const nlohmann::json& primitive,
                    std::size_t base, std::size_t points, const std::function<Vec3d(Vec3d)>& turned);
    /// Fills up what the last primitives did not have; the weights of a point add up to one.
    void finish(std::size_t points);
    /// Writes what belongs to the form of the mesh: influences and blend shapes.
    void write(Sheet& sheet, Role role, const std::string& path, const Place& place) const;
};

class GltfRig {
  public:
    /// What the scene knows of its nodes.
    struct Scene {
        GltfDocument&                                                      document;
        const GltfMotion&                                                  motion;
        Sheet&                                                             sheet;
        const std::vector<int>&                                            parents;
        std::function<bool(int)>                                           left_out;  ///< only turns the scene
        std::function<GltfPose(int)>                                       rest;      ///< as the file says it
        std::function<usd::Matrix4d(const usd::Matrix4d&)>                 turned;    ///< the same in the stage's axes
        std::function<double(double)>                                      seen;      ///< notes a time code
        std::function<std::string(const std::string&, const std::string&)> take;      ///< a free name below a prim
        std::function<void(const std::string&, const std::string&)>        error;     ///< what, and why
        Place                                                              place;
    };
    explicit GltfRig(Scene scene) : s_(std::move(scene)) {}

    /// The SkelRoot for the meshes of a skin, below `root`; empty where the skin is not sound.
    std::string skin(int index, const std::string& root);
    /// One for a mesh that only morphs, below the prim of its node.
    std::string still(const std::string& above);
    /// Binds a mesh that lies below the SkelRoot.
    void bind(const std::string& root, const std::string& mesh, int node, const GltfDeformation& how);
    /// Writes the animations of all skeletons.
    void finish();

  private:
    struct Weight {
        std::string token;
        int         node  = -1;
        std::size_t index = 0;
        double      rest  = 0;
    };
    struct Skeleton {
        std::string              path;
        std::vector<std::string> tokens;   ///< in the order of the skin
        std::vector<int>         nodes;    ///< of each joint of the skeleton, parents first
        std::vector<std::string> ordered;  ///< their tokens
        std::vector<int>         parents;  ///< joints, or -1
        std::vector<Weight>      weights;
    };
    Scene                           s_;
    std::map<std::string, Skeleton> skeletons_;  ///< by the path of the SkelRoot
    std::map<int, std::string>      roots_;      ///< skin -> SkelRoot

    [[nodiscard]] usd::Matrix4d up_to(int node, int above, double time, bool moved) const;
    void                        animate(Skeleton& skeleton);
};

}  // namespace mechane::sourceformats

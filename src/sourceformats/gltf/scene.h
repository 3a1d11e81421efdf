#pragma once
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "sourceformats/file_finder.h"
#include "sourceformats/gltf/motion.h"
#include "sourceformats/gltf/rig.h"
#include "sourceformats/meshes/gltf_document.h"
#include "sourceformats/source.h"
#include "sourceformats/usd_names.h"
#include "sourceformats/usd_sheet.h"

namespace mechane::sourceformats {

/// Writes glTF 2.0 and GLB as a stage (export 8.4): nodes, meshes, looks, lights, cameras, animations. The scene is
/// turned to z up where its points and poses are written, so that no prim stands for the turn; a root that does nothing
/// but turn z up to y up, as exporters of z-up scenes write one, is taken back instead.
class GltfScene {
  public:
    GltfScene(GltfDocument& document, const std::string& file, const std::string& folder, Layout layout,
              const ReadOptions& options, ReadRobot& read);

    Result<UsdRobot> write();

  private:
    using Json                       = nlohmann::json;
    using Pose                       = GltfPose;
    static constexpr double kDegrees = 180 / std::numbers::pi;

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    struct Bound {
        std::string prim;
        const Json* primitive;
    };

    // -- meshes

    struct Data {
        std::vector<Vec3d>                                    points, normals;
        std::vector<std::vector<Vec2d>>                       uvs;
        std::vector<Vec3d>                                    colors;
        std::vector<double>                                   opacities;
        std::vector<int>                                      corners;
        std::vector<std::pair<const Json*, std::vector<int>>> parts;  ///< faces of a primitive
        std::vector<std::pair<int, std::vector<int>>>         lines;  ///< mode, vertices
        GltfDeformation                                       how;
    };

    struct Look {
        std::string                        path;
        std::map<std::string, std::string> readers;  ///< what reads texture coordinates -> its output
    };

    GltfDocument&                   d_;
    std::string                     file_;
    ReadRobot&                      read_;
    FileFinder                      finder_;
    std::string                     folder_, name_;
    Sheet                           sheet_;
    Place                           place_;
    bool                            bake_ = true;  ///< points and poses are turned to z up
    Quatd                           R_    = from_axis_angle(Vec3d{1, 0, 0}, std::numbers::pi / 2);  ///< y up to z up
    int                             single_root_ = -1;
    std::vector<int>                parent_;
    std::vector<std::string>        prims_, looks_;
    std::vector<bool>               double_sided_;
    std::map<std::string, Siblings> below_;
    std::map<std::pair<int, bool>, std::string>      forms_;  ///< mesh -> prim of its form
    std::vector<std::pair<std::string, std::string>> textures_, pictures_;
    std::map<int, std::string>                       images_;
    Siblings                                         picture_names_, form_names_;
    std::size_t                                      written_ = 0, visited_ = 0;
    GltfMotion                                       motion_;
    GltfRig                                          rig_;
    double                                           first_ = 1e300, last_ = -1e300;
    std::vector<Bound>                               bound_;
    std::map<int, Data>                              data_;

    // -- scene.cpp

    void error(const Code& code, std::string message, std::string hint = {});
    void lose(std::string code, Severity severity, LossAction action, std::string category, std::string what,
              std::string from, std::string to, std::string reason);
    /// What the file says that nobody can read it without, and is not read here.
    void        required();
    static bool is_read(const std::string& extension);
    void        check_version();
    std::string called(const char* list, int i) const;
    void        lost();

    // -- nodes.cpp

    std::vector<int> children_of(int n) const;
    /// Each node has one parent; what would be its second, or closes a circle, is left out.
    void             parents();
    std::vector<int> scene_roots();
    /// Position, rotation and scale as the file says them.
    Pose pose_of(int n, bool tell = true);
    /// The same in a frame whose z is up.
    Pose          turned(Pose p) const;
    usd::Matrix4d turned(const usd::Matrix4d& m) const;
    /// A time code; the layers say the first and the last.
    double seen(double t);
    Vec3d  turned(const Vec3d& v) const;
    void   find_turn(const std::vector<int>& roots);
    void   node(int n, const std::string& above, int depth);
    void   place(const std::string& path, const Pose& p);
    void   contents(int n, const std::string& path, int depth = 0);
    void   animations();

    // -- geometry.cpp

    /// Reads the primitives of a mesh into one list of vertices.
    Data        data_of(int m);
    void        form(int m, const Data& data, const std::string& path, Role role);
    const Data& known_data(int m);
    /// The mesh of a node; one that a skin or targets deform stands below a SkelRoot.
    void        deformed(int n, int m, int skin, const std::string& path);
    std::string mesh(int m, const std::string& above);
    void        lines(const Data& data, const std::string& above, const std::string& said);
    void        instancer(int n, int m, const Json& extension, const std::string& above);

    // -- looks.cpp

    /// The picture of a texture as the result names it; empty with a finding.
    std::string picture(int texture);
    std::string coordinates(Look& look, const Json& info);
    /// A texture's shader, for `info` of a material; empty where it has none.
    std::string texture(Look& look, const char* name, const Json& info, bool color, const std::array<double, 4>& scale,
                        const std::array<double, 4>& bias);
    void        materials();
    void        material(const Json& m, const std::string& path);
    const Json& variant_names() const;
    bool        has_variants(const Json& primitive) const;
    void        variants();

    // -- lights.cpp

    std::string holder(const std::string& above, const std::string& said, const char* otherwise, const char* type);
    void        camera(int n, int index, const std::string& above);
    void        light(int n, int index, const std::string& above);
};

}  // namespace mechane::sourceformats

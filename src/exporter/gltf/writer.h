#pragma once
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "exporter/gltf/document.h"
#include "exporter/gltf/pixels.h"
#include "mechane/exporter/gltf.h"
#include "mechane/usd/stage.h"
#include "mechane/usd/start_value.h"

/// What the parts of the writer of glTF share.
namespace mechane::exporter::gltf {

namespace sf = sourceformats;

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The values of an attribute that holds a list; none where it is missing or of another type.
template <class T>
std::vector<T> list(const usd::Prim& prim, const char* name, usd::TimeCode time)
{ return prim.attribute(name).get<std::vector<T>>(time).value_or(std::vector<T>()); }
/// At the start.
template <class T>
std::vector<T> list(const usd::Prim& prim, const char* name)
{ return usd::start_as<std::vector<T>>(prim.attribute(name)).value_or(std::vector<T>()); }

/// A matrix taken apart as glTF has it; `sheared`: no scale, rotation and translation make it.
struct Trs {
    Vec3d t;
    Quatd q;
    Vec3d s{1, 1, 1};
    bool  sheared = false;
};
Trs  trs_of(const usd::Matrix4d& m);
Json json(const Vec3d& v);
Json json(const Quatd& q);

struct UvSet {
    std::string        name;
    std::vector<Vec2d> values;  ///< one a vertex, v upwards as USD has it
};

/// Faces with one look.
struct Part {
    int                        subset = -1;  ///< index of the GeomSubset, or -1
    std::vector<std::uint32_t> corners;      ///< triangles, line segments or points
};

/// What one prim shows.
struct Geometry {
    int                                mode = 4;  ///< glTF's: 0 points, 1 lines, 4 triangles
    std::vector<Vec3d>                 points;
    std::vector<Vec3d>                 normals;   ///< one a vertex, or none
    std::vector<std::array<double, 4>> tangents;  ///< the same
    std::vector<std::array<double, 4>> colors;    ///< the same; linear
    std::vector<UvSet>                 uvs;
    std::vector<std::uint32_t>         source;  ///< point of the prim, of each vertex
    std::vector<Part>                  parts;
    std::vector<usd::Prim>             subsets;
    std::size_t                        point_count = 0;  ///< of the prim
};

class Writer;

/// Meshes, curves and points; tangents where `with_tangents`.
Geometry read_geometry(Writer& writer, const usd::Prim& prim);
/// Cubes, spheres and their like.
Geometry form_geometry(const usd::Prim& prim, int segments);
/// Tangents by texture coordinates as MikkTSpace has them; vertices whose triangles are mirrored and not mirrored
/// become two.
void add_tangents(Geometry& geometry, std::size_t uv_set);

/// What a material asks of a mesh, and what it became.
struct Look {
    int                      material   = -1;
    bool                     normal_map = false;
    std::string              normal_uv;
    std::vector<std::string> uvs;  ///< primvars that its textures read, sorted
    bool                     udim = false;
};

/// Materials of one stage.
class Materials {
  public:
    explicit Materials(Writer& writer) : w_(writer) {}
    /// Names of the primvars that a material's textures read.
    const Look& needs(const usd::Prim& material);
    /// The place of a material in the document.
    /// @param uv_sets  primvar -> TEXCOORD
    int write(const usd::Prim& material, bool double_sided, const std::map<std::string, int>& uv_sets,
              int udim_tile = -1);
    int plain(const std::array<double, 4>& color, bool double_sided, const std::string& name);
    /// Tiles of the UDIM textures of a material, by number; empty where it has none.
    std::vector<int> tiles(const usd::Prim& material);
    /// Columns and rows of the picture that holds all of them.
    std::pair<int, int> grid(const usd::Prim& material);

  private:
    Writer&                                      w_;
    std::unordered_map<std::string, Look>        looks_;
    std::map<std::string, int>                   known_;
    std::map<std::string, std::optional<Pixels>> pixels_;
    std::map<std::string, std::string>           bytes_;
    std::map<std::string, std::string>           made_;
    friend class Surface;
};

/// A primitive of the document, and what it shows.
struct WrittenPart {
    usd::Path                  prim;  ///< that the binding is looked up of: the mesh or its subset
    int                        mesh = 0, primitive = 0;
    bool                       double_sided = false;
    std::map<std::string, int> uv_sets;
};

class Writer {
  public:
    Writer(const usd::Stage& from, std::string name, const GltfOptions& with, sf::LossReport& report);

    const usd::Stage&                     stage;
    const GltfOptions&                    options;
    sf::LossReport&                       losses;
    Document                              out;
    Materials                             materials;
    std::string                           file;
    double                                unit = 1;  ///< metres of a stage length
    std::vector<int>                      scene;     ///< root nodes
    std::vector<WrittenPart>              parts;
    std::map<usd::Path, std::vector<int>> nodes;  ///< prim -> its node; of a prim of a prototype all of them

    Result<Written> write();

    void lose(std::string code, Severity severity, sf::LossAction action, std::string category, const usd::Prim& prim,
              std::string from, std::string to, std::string reason);
    /// Counts what has one entry however often it is met.
    void lose_class(const std::string& code, Severity severity, sf::LossAction action, const std::string& category,
                    const usd::Prim& prim, const std::string& what, const std::string& reason);
    /// A matrix of the stage with its translation in metres.
    [[nodiscard]] usd::Matrix4d in_metres(usd::Matrix4d m) const;
    /// The mesh of a prim; -1 where it shows nothing.
    int                  mesh(const usd::Prim& prim, bool skinned);
    [[nodiscard]] bool   sampled(const usd::Attribute& a) const;
    [[nodiscard]] double seconds(double code) const;
    /// Writes a transform. A sheared one needs a second node below it, whose rotation this gives; without `splits` it
    /// is approximated.
    Quatd transform(Json& node, const usd::Matrix4d& m, const usd::Prim& prim, bool splits = false);

    // -- skins (skin.cpp)
    struct Skeleton {
        std::vector<std::string>   joints;
        std::vector<int>           nodes;
        std::vector<usd::Matrix4d> bind;
        std::vector<int>           parents;
        usd::Prim                  prim;
    };
    /// The skeleton that deforms a prim; invalid when there is none.
    usd::Prim skeleton_of(const usd::Prim& prim) const;
    bool      is_skinned(const usd::Prim& prim) const;
    void      skeleton(const usd::Prim& prim, Json& children);
    /// Skin of a mesh that `is_skinned`; -1 with a loss where its data are not sound.
    int  skin(const usd::Prim& prim);
    void influences(const usd::Prim& prim, const Geometry& geometry, Json& attributes);
    void morphs(const usd::Prim& prim, const Geometry& geometry, Json& primitive, Json& mesh);
    void animate_skeletons();
    void animate_shapes(const usd::Prim& prim, int node);

    // -- animations (animation.cpp)
    void animate(const usd::Prim& prim, int node);
    void channel(int node, const char* path, const std::vector<double>& codes, const std::vector<float>& values,
                 const char* type);
    void finish_animation();

    void instancer(const usd::Prim& prim, Json& children);
    bool light(const usd::Prim& prim, Json& node);
    bool camera(const usd::Prim& prim, Json& node);
    void variants();
    void unread();

  private:
    std::vector<signed char>             kept_;  ///< by index of a prim: 1 kept, 0 not, -1 unknown
    std::unordered_map<std::string, int> meshes_;
    std::map<std::string, std::pair<std::size_t, std::size_t>> classes_;  ///< key -> entry, count
    std::map<usd::Path, Skeleton>                              skeletons_;
    Json                                                       channels_ = Json::array(), samplers_ = Json::array();
    std::vector<std::pair<std::size_t, std::vector<double>>>   times_;  ///< sampler, seconds
    struct PendingSkin {
        usd::Prim prim;
        usd::Path skeleton;
        int       skin = 0, node = -1;
    };
    std::vector<PendingSkin> pending_;  ///< skins whose joints may have no nodes yet
    int                      depth_  = 0;
    bool                     copies_ = false;  ///< below an item of an instancer: nodes are not told of
    std::vector<usd::Path>   instancers_;      ///< that are being written, the outermost first

    bool keep(const usd::Prim& prim);
    bool shows(const usd::Prim& prim);
    int  node(const usd::Prim& prim);
    void children(const usd::Prim& prim, Json& node);
    int  mesh_of(const usd::Prim& prim, const Geometry& geometry, bool skinned);
    int  instanced(const usd::Prim& prim, const std::vector<usd::Matrix4d>& items, const usd::Matrix4d& below,
                   Json& children);
    void expand(const usd::Prim& prim, const std::vector<usd::Prim>& prototypes, const std::vector<int>& which,
                const std::vector<usd::Matrix4d>& items, Json& children);
};

/// The material that counts for a prim: of the purpose "preview", else "full".
usd::Prim bound_look(const usd::Stage& stage, const usd::Prim& prim);

}  // namespace mechane::exporter::gltf

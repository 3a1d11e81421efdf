// glTF 2.0 and GLB as a stage (export 8.4): nodes, meshes, looks, lights, cameras, animations. The scene is turned to z
// up where its points and poses are written, so that no prim stands for the turn; a root that does nothing but turn z
// up to y up, as exporters of z-up scenes write one, is taken back instead.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <set>
#include <tuple>

#include "mechane/files/read.h"
#include "mechane/sourceformats/codes.h"
#include "sourceformats/gltf_motion.h"
#include "sourceformats/gltf_rig.h"
#include "sourceformats/meshes/gltf_document.h"
#include "sourceformats/picture_files.h"
#include "sourceformats/source.h"
#include "sourceformats/usd_names.h"
#include "sourceformats/usd_sheet.h"

namespace mechane::sourceformats {
namespace {

namespace fs = std::filesystem;
using Json   = nlohmann::json;

constexpr int         kMostNested = 512;
constexpr std::size_t kMostNodes  = 200'000;
constexpr std::size_t kMostBytes  = std::size_t{1} << 30;
constexpr double      kDegrees    = 180 / std::numbers::pi;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

const Json& child(const Json& of, const char* key)
{
    static const Json kNone;
    if (!of.is_object()) return kNone;
    const auto found = of.find(key);
    return found == of.end() ? kNone : *found;
}

/// An index of the file; -1 where there is none.
int index_of(const Json& of, const char* key)
{
    const double v = gltf_number(of, key, -1);
    return v >= 0 && v < 1e9 && v == std::floor(v) ? static_cast<int>(v) : -1;
}

using Pose = GltfPose;

class Scene {
  public:
    Scene(GltfDocument& document, const std::string& file, const std::string& folder, Layout layout,
          const ReadOptions& options, ReadRobot& read)
        : d_(document),
          file_(file),
          read_(read),
          finder_((fs::path(folder) / fs::path(file).filename()).string(), options.packages, options.search_paths),
          folder_(folder),
          name_(prim_name(options.name.empty() ? fs::path(file).stem().string() : options.name, "scene")),
          sheet_(layout, name_),
          place_{std::make_shared<const std::string>(file), 0},
          motion_(document, document.entry("animations", 0)),
          rig_({document, motion_, sheet_, parent_, [this](int n) { return n == single_root_; },
                [this](int n) { return pose_of(n, false); }, [this](const usd::Matrix4d& m) { return turned(m); },
                [this](double t) { return seen(t); },
                [this](const std::string& above, const std::string& said) { return below_[above].take(said, "skin"); },
                [this](const std::string& what, const std::string& why) { error(kMeshInvalid, what + ": " + why); },
                place_})
    {
    }

    Result<UsdRobot> write()
    {
        read_.tree.name = name_, read_.tree.format = "glTF";
        read_.losses.target = "OpenUSD", read_.losses.target_version = "UsdGeom, REP-0158";
        required();
        check_version();
        const std::string root = "/" + name_;
        sheet_.define(Role::base, root, "Xform", place_);
        sheet_.field(Role::base, root, "kind", "token", std::string("component"));
        below_[root].reserve("Looks");
        parents();
        const std::vector<int> roots = scene_roots();
        find_turn(roots);
        materials();
        for (const int r : roots) {
            if (single_root_ == r) {
                prims_[at(r)] = root;
                contents(r, root);
            } else {
                node(r, root, 0);
            }
        }
        variants();
        rig_.finish();
        animations();
        lost();
        read_.contents = fmt::format("{} nodes, {} meshes, {} materials", d_.count("nodes"), d_.count("meshes"),
                                     d_.count("materials"));
        if (written_ == 0) error(kMissing, "the scene shows nothing");
        auto made = sheet_.finish(std::move(textures_));
        if (made) {
            made->pictures = std::move(pictures_);
            pictures_of_eight_bits(*made, read_.losses);
        }
        return made;
    }

  private:
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
    struct Bound {
        std::string prim;
        const Json* primitive;
    };
    std::vector<Bound> bound_;

    void error(const Code& code, std::string message, std::string hint = {})
    { read_.found.add(code, site_of(place_), std::move(message), std::move(hint)); }
    void lose(std::string code, Severity severity, LossAction action, std::string category, std::string what,
              std::string from, std::string to, std::string reason)
    {
        read_.losses.add({std::move(code), severity, action, std::move(category), site_of(place_), std::move(what),
                          std::move(from), std::move(to), std::move(reason)});
    }

    /// What the file says that nobody can read it without, and is not read here.
    void required()
    {
        for (const Json& e : child(d_.json(), "extensionsRequired"))
            if (e.is_string() && !is_read(e.get<std::string>()) && e != "KHR_texture_basisu")
                error(kUnsupported,
                      fmt::format("the file cannot be read without {}; what it says is left out",
                                  e.get<std::string>().substr(0, 80)),
                      "Export the scene without that extension.");
    }

    static bool is_read(const std::string& extension)
    {
        static const std::set<std::string> kRead{"KHR_lights_punctual",     "KHR_materials_variants",
                                                 "KHR_texture_transform",   "EXT_mesh_gpu_instancing",
                                                 "KHR_mesh_quantization",   "KHR_draco_mesh_compression",
                                                 "EXT_meshopt_compression", "KHR_meshopt_compression"};
        return extension.starts_with("KHR_materials_") || kRead.contains(extension);
    }

    void check_version()
    {
        const std::string version = gltf_text(child(d_.json(), "asset"), "version");
        if (!version.starts_with("2."))
            error(kFormatUnknown, fmt::format("asset.version is '{}', expected 2.0", version.substr(0, 40)),
                  "Export the scene as glTF 2.0.");
    }

    std::string called(const char* list, int i) const
    {
        const Json*       e    = d_.entry(list, i);
        const std::string name = e != nullptr ? gltf_text(*e, "name") : std::string();
        return name.empty() ? fmt::format("{}[{}]", list, i) : fmt::format("{}[{}] '{}'", list, i, name.substr(0, 60));
    }

    // -- the graph of nodes

    std::vector<int> children_of(int n) const
    {
        std::vector<int> out;
        const Json*      e = d_.entry("nodes", n);
        if (e == nullptr) return out;
        for (const Json& c : child(*e, "children"))
            if (c.is_number() && c.get<double>() >= 0 && c.get<double>() < static_cast<double>(d_.count("nodes")))
                out.push_back(static_cast<int>(c.get<double>()));
        return out;
    }

    /// Each node has one parent; what would be its second, or closes a circle, is left out.
    void parents()
    {
        const std::size_t n = std::min(d_.count("nodes"), kMostNodes);
        if (n < d_.count("nodes"))
            error(kLimit, fmt::format("the file has {} nodes; {} are read", d_.count("nodes"), n));
        parent_.assign(n, -1);
        prims_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const Json* e = d_.entry("nodes", static_cast<double>(i));
            for (const Json& c : child(*e, "children"))
                if (!c.is_number() || !(c.get<double>() >= 0 && c.get<double>() < static_cast<double>(n)))
                    error(kUnknownName,
                          fmt::format("{} has a child that is no node", called("nodes", static_cast<int>(i))));
            for (const int c : children_of(static_cast<int>(i))) {
                if (at(c) >= n) continue;
                bool circle = at(c) == i;
                int  up     = static_cast<int>(i);
                for (std::size_t steps = 0; up >= 0 && !circle && steps <= n; up = parent_[at(up)], ++steps)
                    circle = up == c;
                if (circle)
                    error(kTree, fmt::format("{} lies below itself", called("nodes", c)), "Let nodes form trees.");
                else if (parent_[at(c)] >= 0)
                    error(kTree, fmt::format("{} has two parents; the first counts", called("nodes", c)),
                          "Let nodes form trees.");
                else
                    parent_[at(c)] = static_cast<int>(i);
            }
        }
    }

    std::vector<int> scene_roots()
    {
        std::vector<int> out;
        const Json*      scene = d_.entry("scenes", gltf_number(d_.json(), "scene", 0));
        if (scene == nullptr && d_.count("scenes") > 0)
            error(kUnknownName, "the file's scene does not exist; all roots are read");
        if (scene == nullptr) {
            for (std::size_t i = 0; i < parent_.size(); ++i)
                if (parent_[i] < 0) out.push_back(static_cast<int>(i));
            return out;
        }
        if (d_.count("scenes") > 1)
            lose("scenes", Severity::warning, LossAction::dropped, "visual", "scenes",
                 fmt::format("{}", d_.count("scenes")), "1", "the default scene is read");
        for (const Json& v : child(*scene, "nodes")) {
            const double n = v.is_number() ? v.get<double>() : -1;
            if (!(n >= 0 && n < static_cast<double>(parent_.size()))) {
                error(kUnknownName, "a scene names a node that does not exist");
                continue;
            }
            const int i = static_cast<int>(n);
            if (parent_[at(i)] >= 0)
                error(kTree, fmt::format("{} is a root of the scene and has a parent", called("nodes", i)));
            else if (std::find(out.begin(), out.end(), i) == out.end())
                out.push_back(i);
        }
        return out;
    }

    /// Position, rotation and scale as the file says them.
    Pose pose_of(int n, bool tell = true)
    {
        Pose        out;
        const Json* e = d_.entry("nodes", n);
        if (e == nullptr) return out;
        bool good = true;
        if (const auto m = gltf_numbers(*e, "matrix"); m.size() == 16) {
            out.t      = {m[12], m[13], m[14]};
            Vec3d c[3] = {{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}};
            for (std::size_t i = 0; i < 3; ++i) {
                out.s[i] = length(c[i]);
                good     = good && out.s[i] > 0;
                if (out.s[i] > 0) c[i] = c[i] / out.s[i];
            }
            if (dot(cross(c[0], c[1]), c[2]) < 0)
                for (std::size_t i = 0; i < 3; ++i) c[i] = -c[i], out.s[i] = -out.s[i];
            const bool sheared = std::abs(dot(c[0], c[1])) > 1e-4 || std::abs(dot(c[0], c[2])) > 1e-4 ||
                                 std::abs(dot(c[1], c[2])) > 1e-4;
            if (sheared && tell)
                lose("shear", Severity::warning, LossAction::approximated, "visual", called("nodes", n),
                     "a sheared matrix", "the nearest rotation and scale", "its axes are not at right angles");
            if (good) out.q = from_matrix(Mat33d::from_columns(c[0], c[1], c[2]));
        } else {
            const auto t = gltf_numbers(*e, "translation"), q = gltf_numbers(*e, "rotation"),
                       s = gltf_numbers(*e, "scale");
            if (t.size() == 3) out.t = {t[0], t[1], t[2]};
            if (q.size() == 4) out.q = {q[0], q[1], q[2], q[3]};
            if (s.size() == 3) out.s = {s[0], s[1], s[2]};
        }
        good = good && is_finite(out.t) && is_finite(out.q) && is_finite(out.s) && dot(out.q, out.q) > 1e-12;
        if (!good) {
            if (tell)
                error(kNumber,
                      fmt::format("the transform of {} is not finite, or has no rotation", called("nodes", n)));
            return {};
        }
        out.q = normalized(out.q);
        return out;
    }

    /// The same in a frame whose z is up.
    Pose turned(Pose p) const
    {
        if (!bake_) return p;
        p.t              = turned(p.t);
        const Vec3d axis = turned(p.q.xyz());  // R q R^-1 turns the axis and keeps the angle
        p.q              = {axis.x, axis.y, axis.z, p.q.w};
        p.s              = {p.s.x, p.s.z, p.s.y};
        return p;
    }
    usd::Matrix4d turned(const usd::Matrix4d& m) const
    {
        if (!bake_) return m;
        const usd::Matrix4d turn = usd::from_pose({{}, R_}), back = usd::from_pose({{}, conjugate(R_)});
        return back * m * turn;
    }
    /// A time code; the layers say the first and the last.
    double seen(double t)
    {
        first_ = std::min(first_, t), last_ = std::max(last_, t);
        return t;
    }
    Vec3d turned(const Vec3d& v) const { return bake_ ? Vec3d{v.x, -v.z, v.y} : v; }

    void find_turn(const std::vector<int>& roots)
    {
        if (roots.size() != 1) return;
        const Pose  p = pose_of(roots[0], false);
        const Json* e = d_.entry("nodes", roots[0]);
        for (const char* own : {"mesh", "camera", "skin", "extensions"})
            if (e->contains(own)) return;
        if (length(p.t) > 1e-9 || length(p.s - Vec3d{1, 1, 1}) > 1e-6 || std::abs(dot(R_ * p.q, Quatd{})) < 1 - 1e-6)
            return;
        bake_        = false;
        single_root_ = roots[0];
    }

    void node(int n, const std::string& above, int depth)
    {
        if (depth > kMostNested || ++visited_ > kMostNodes) {
            if (depth > kMostNested)
                error(kLimit, fmt::format("{} is nested more than {} deep", called("nodes", n), kMostNested));
            return;
        }
        const Json&       e    = *d_.entry("nodes", n);
        const std::string said = gltf_text(e, "name");
        const std::string own  = below_[above].take(said, fmt::format("node_{}", n));
        const std::string path = above + "/" + own;
        if (!said.empty() && said != own) read_.losses.names[said] = own;
        prims_[at(n)] = path;
        sheet_.define(Role::base, path, "Xform", place_);
        const Pose p = turned(pose_of(n));
        place(path, p);
        contents(n, path, depth);
    }

    void place(const std::string& path, const Pose& p)
    {
        sheet_.pose(path, {p.t, p.q});
        if (p.s == Vec3d{1, 1, 1}) return;
        sheet_.set(Role::base, path, "xformOp:scale", "double3", p.s, place_);
        sheet_.order(path, {"xformOp:translate", "xformOp:orient", "xformOp:scale"});
    }

    void contents(int n, const std::string& path, int depth = 0)
    {
        const Json& e          = *d_.entry("nodes", n);
        const Json& extensions = child(e, "extensions");
        if (e.contains("mesh")) {
            const int   m         = index_of(e, "mesh");
            const Json& instances = child(extensions, "EXT_mesh_gpu_instancing");
            if (m < 0 || d_.entry("meshes", m) == nullptr)
                error(kUnknownName, fmt::format("{} has a mesh that does not exist", called("nodes", n)));
            else if (instances.is_object())
                instancer(n, m, instances, path);
            else
                deformed(n, m, index_of(e, "skin"), path);
        }
        if (e.contains("camera")) camera(n, index_of(e, "camera"), path);
        if (const Json& l = child(extensions, "KHR_lights_punctual"); l.is_object())
            light(n, index_of(l, "light"), path);
        for (const int c : children_of(n))
            if (at(c) < parent_.size() && parent_[at(c)] == n) node(c, path, depth + 1);
    }

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

    /// Reads the primitives of a mesh into one list of vertices.
    Data data_of(int m)
    {
        Data        out;
        const Json& primitives = child(*d_.entry("meshes", m), "primitives");
        if (!primitives.is_array() || primitives.empty())
            return error(kMeshInvalid, fmt::format("{} has no primitives", called("meshes", m))), out;
        bool               normals = true, colors = false;
        std::size_t        sets = 0;
        std::map<int, int> first;  // accessor of positions -> first vertex
        for (const Json& p : primitives) {
            const Json& attributes = child(p, "attributes");
            const auto  points     = d_.attribute(p, "POSITION", 3);
            if (!points) {
                if (d_.why_not().empty())
                    error(kMeshInvalid, fmt::format("{}: POSITION is no sound accessor", called("meshes", m)),
                          "Its accessor, view or buffer is missing, or its numbers lie outside of them.");
                else
                    error(kMeshInvalid, fmt::format("{}: {}", called("meshes", m), d_.why_not()),
                          "Export the scene without this compression, or get what the message names.");
                continue;
            }
            const std::size_t n    = points->size() / 3;
            const int         base = static_cast<int>(out.points.size());
            if (base + static_cast<double>(n) > 50e6)
                return error(kLimit, fmt::format("{} has more than 50 million points", called("meshes", m))), out;
            bool wrong = false;
            for (std::size_t i = 0; i < n; ++i) {
                Vec3d v{(*points)[3 * i], (*points)[3 * i + 1], (*points)[3 * i + 2]};
                if (!is_finite(v)) wrong = true, v = {};
                out.points.push_back(turned(v));
            }
            if (wrong) error(kMeshInvalid, fmt::format("{} has points that are not finite", called("meshes", m)));
            const auto part = [&](const char* name, std::size_t width) -> std::optional<std::vector<double>> {
                if (!attributes.is_object() || !attributes.contains(name)) return std::nullopt;
                auto v = d_.attribute(p, name, width);
                if (v && v->size() >= width * n) return v;
                error(kMeshInvalid, fmt::format("{}: {} is no sound accessor, or has not as many rows as POSITION",
                                                called("meshes", m), name));
                return std::nullopt;
            };
            const auto N = part("NORMAL", 3);
            normals      = normals && N;
            for (std::size_t i = 0; i < n; ++i)
                out.normals.push_back(
                    N ? turned(normalized(Vec3d{(*N)[3 * i], (*N)[3 * i + 1], (*N)[3 * i + 2]}, {0, 0, 1}))
                      : Vec3d{0, 0, 1});
            for (std::size_t set = 0; set < 8; ++set) {
                const auto uv = part(fmt::format("TEXCOORD_{}", set).c_str(), 2);
                if (!uv) continue;
                sets = std::max(sets, set + 1);
                out.uvs.resize(std::max(out.uvs.size(), sets));
                out.uvs[set].resize(at(base));
                for (std::size_t i = 0; i < n; ++i) out.uvs[set].push_back({(*uv)[2 * i], 1 - (*uv)[2 * i + 1]});
            }
            for (auto& set : out.uvs) set.resize(out.points.size());
            const Json* color_accessor = d_.entry("accessors", gltf_number(attributes, "COLOR_0", -1));
            const bool  with_alpha     = color_accessor != nullptr && gltf_text(*color_accessor, "type") == "VEC4";
            if (const auto c = part("COLOR_0", with_alpha ? 4 : 3)) {
                colors              = true;
                const std::size_t w = with_alpha ? 4 : 3;
                out.colors.resize(at(base), Vec3d{1, 1, 1});
                out.opacities.resize(at(base), 1);
                for (std::size_t i = 0; i < n; ++i)
                    out.colors.push_back({(*c)[w * i], (*c)[w * i + 1], (*c)[w * i + 2]}),
                        out.opacities.push_back(with_alpha ? (*c)[w * i + 3] : 1);
            }
            if (colors)
                out.colors.resize(out.points.size(), Vec3d{1, 1, 1}), out.opacities.resize(out.points.size(), 1);
            if (const std::string wrong_way = out.how.add(d_, *d_.entry("meshes", m), p, at(base), n,
                                                          [this](const Vec3d& v) { return turned(v); });
                !wrong_way.empty())
                error(kMeshInvalid, fmt::format("{}: {}", called("meshes", m), wrong_way));
            const auto corners = d_.corners(p, n);
            if (!corners) {
                error(kMeshInvalid, fmt::format("{}: its indices are no sound accessor", called("meshes", m)));
                continue;
            }
            const std::vector<double>& order = *corners;
            const int                  mode  = static_cast<int>(gltf_number(p, "mode", 4));
            const auto                 good  = [&](std::size_t i) {
                return i < order.size() && order[i] >= 0 && order[i] < static_cast<double>(n);
            };
            if (mode < 4) {
                std::vector<int> list;
                for (std::size_t i = 0; i < order.size(); ++i)
                    if (good(i)) list.push_back(base + static_cast<int>(order[i]));
                out.lines.emplace_back(mode, std::move(list));
                continue;
            }
            std::vector<int> faces;
            std::size_t      bad  = 0;
            const auto       face = [&](std::size_t a, std::size_t b, std::size_t c) {
                if (!good(a) || !good(b) || !good(c)) return void(++bad);
                if (order[a] == order[b] || order[b] == order[c] || order[a] == order[c])
                    return;  // strips have such seams
                faces.push_back(static_cast<int>(out.corners.size() / 3));
                for (const std::size_t k : {a, b, c}) out.corners.push_back(base + static_cast<int>(order[k]));
            };
            if (mode == 4)
                for (std::size_t i = 0; i + 2 < order.size(); i += 3) face(i, i + 1, i + 2);
            if (mode == 5)
                for (std::size_t i = 0; i + 2 < order.size(); ++i)
                    i % 2 == 0 ? face(i, i + 1, i + 2) : face(i + 1, i, i + 2);
            if (mode == 6)
                for (std::size_t i = 1; i + 1 < order.size(); ++i) face(0, i, i + 1);
            if (mode > 6) error(kMeshInvalid, fmt::format("{}: {} is no mode", called("meshes", m), mode));
            if (bad > 0)
                error(kMeshInvalid,
                      fmt::format("{}: {} triangles name points that do not exist", called("meshes", m), bad));
            if (!faces.empty()) out.parts.emplace_back(&p, std::move(faces));
        }
        if (!normals) out.normals.clear();
        out.how.finish(out.points.size());
        return out;
    }

    void form(int m, const Data& data, const std::string& path, Role role)
    {
        sheet_.define(role, path, "Mesh", place_);
        std::vector<int> counts(data.corners.size() / 3, 3);
        Vec3d            low = data.points.at(0), high = low;
        for (const Vec3d& p : data.points)
            for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
        sheet_.set(role, path, "points", "point3f[]", data.points, place_);
        sheet_.set(role, path, "faceVertexCounts", "int[]", counts, place_);
        sheet_.set(role, path, "faceVertexIndices", "int[]", data.corners, place_);
        sheet_.set(role, path, "extent", "float3[]", std::vector<Vec3d>{low, high}, place_);
        sheet_.set(role, path, "subdivisionScheme", "token", std::string("none"), place_, true);
        const auto primvar = [&](const std::string& name, const char* type, const auto& values) {
            sheet_.set(role, path, "primvars:" + name, type, values, place_);
            sheet_.property_field(role, path, "primvars:" + name, "interpolation", "vertex");
        };
        if (!data.normals.empty()) primvar("normals", "normal3f[]", data.normals);
        for (std::size_t u = 0; u < data.uvs.size(); ++u)
            primvar(u == 0 ? "st" : fmt::format("st{}", u), "texCoord2f[]", data.uvs[u]);
        if (!data.colors.empty()) primvar("displayColor", "color3f[]", data.colors);
        if (std::any_of(data.opacities.begin(), data.opacities.end(), [](double v) { return v < 1; }))
            primvar("displayOpacity", "float[]", data.opacities);
        data.how.write(sheet_, role, path, place_);
        const Json& primitives = child(*d_.entry("meshes", m), "primitives");
        for (const Json& p : primitives)
            if (const int material = index_of(p, "material");
                material >= 0 && at(material) < double_sided_.size() && double_sided_[at(material)]) {
                sheet_.set(role, path, "doubleSided", "bool", true, place_, true);
                break;
            }
        if (data.parts.size() > 1)
            for (std::size_t i = 0; i < data.parts.size(); ++i) {
                const std::string subset = fmt::format("{}/part_{}", path, i);
                sheet_.define(role, subset, "GeomSubset", place_);
                sheet_.set(role, subset, "elementType", "token", std::string("face"), place_, true);
                sheet_.set(role, subset, "familyName", "token", std::string("materialBind"), place_, true);
                sheet_.set(role, subset, "indices", "int[]", data.parts[i].second, place_);
            }
    }

    std::map<int, Data> data_;

    const Data& known_data(int m)
    {
        auto [known, fresh] = data_.try_emplace(m);
        if (fresh) known->second = data_of(m);
        return known->second;
    }

    /// The mesh of a node; one that a skin or targets deform stands below a SkelRoot.
    void deformed(int n, int m, int skin, const std::string& path)
    {
        const GltfDeformation& how = known_data(m).how;
        std::string            root;
        if (skin >= 0 && how.influences > 0) root = rig_.skin(skin, "/" + name_);
        if (skin >= 0 && root.empty())
            lose("skin", Severity::error, LossAction::dropped, "visual", called("nodes", n), "skin",
                 "the mesh as it was bound",
                 how.influences > 0 ? "the skin is not sound" : "its points name no joints");
        if (root.empty() && !how.targets.empty()) root = rig_.still(path);
        const std::string made = mesh(m, root.empty() ? path : root);
        if (!root.empty() && !made.empty()) rig_.bind(root, made, n, how);
    }

    std::string mesh(int m, const std::string& above)
    {
        const Data&       data = known_data(m);
        const std::string said = gltf_text(*d_.entry("meshes", m), "name");
        lines(data, above, said);
        if (data.corners.empty()) return {};
        ++written_;
        const std::string path = above + "/" + below_[above].take(said, "mesh");
        if (sheet_.single()) {
            form(m, data, path, Role::base);
        } else {
            std::string& prim = forms_[{m, false}];
            if (prim.empty()) {
                sheet_.define(Role::geometries, "/Geometries", "Scope", place_);
                prim = "/Geometries/" + form_names_.take(said, "mesh");
                form(m, data, prim, Role::geometries);
            }
            sheet_.define(Role::base, path, "", place_);
            sheet_.payload(path, prim);
        }
        const auto bind = [&](const std::string& to, const Json& primitive) {
            bound_.push_back({to, &primitive});
            const int material = index_of(primitive, "material");
            if (material < 0) return;
            if (at(material) >= looks_.size())
                return error(kUnknownName, fmt::format("{} has a material that does not exist", called("meshes", m)));
            sheet_.apply(Role::base, to, "MaterialBindingAPI");
            // What stands beside a variant set is stronger than its variants, so what they bind is told in them alone.
            if (!has_variants(primitive))
                sheet_.target(Role::base, to, "material:binding", {looks_[at(material)]}, place_);
        };
        if (data.parts.size() == 1)
            bind(path, *data.parts[0].first);
        else
            for (std::size_t i = 0; i < data.parts.size(); ++i)
                bind(fmt::format("{}/part_{}", path, i), *data.parts[i].first);
        return path;
    }

    void lines(const Data& data, const std::string& above, const std::string& said)
    {
        for (const auto& [mode, list] : data.lines) {
            if (list.empty()) continue;
            ++written_;
            std::vector<Vec3d> points;
            const std::string  path = above + "/" + below_[above].take(said, mode == 0 ? "points" : "lines");
            std::vector<int>   counts;
            const auto         at_vertex = [&](std::size_t i) { points.push_back(data.points[at(list[i])]); };
            if (mode == 1) {
                for (std::size_t i = 0; i + 1 < list.size(); i += 2)
                    at_vertex(i), at_vertex(i + 1), counts.push_back(2);
            } else {
                for (std::size_t i = 0; i < list.size(); ++i) at_vertex(i);
                counts.push_back(static_cast<int>(list.size()));
            }
            sheet_.define(Role::base, path, mode == 0 ? "Points" : "BasisCurves", place_);
            sheet_.set(Role::base, path, "points", "point3f[]", points, place_);
            if (mode == 0) {
                sheet_.set(Role::base, path, "widths", "float[]", std::vector<double>{0.001}, place_);
                sheet_.property_field(Role::base, path, "widths", "interpolation", "constant");
            } else {
                sheet_.set(Role::base, path, "type", "token", std::string("linear"), place_, true);
                if (mode == 2) sheet_.set(Role::base, path, "wrap", "token", std::string("periodic"), place_, true);
                sheet_.set(Role::base, path, "curveVertexCounts", "int[]", counts, place_);
                sheet_.set(Role::base, path, "widths", "float[]", std::vector<double>{0.001}, place_);
                sheet_.property_field(Role::base, path, "widths", "interpolation", "constant");
            }
            Vec3d low = points.at(0), high = low;
            for (const Vec3d& p : points)
                for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
            sheet_.set(Role::base, path, "extent", "float3[]", std::vector<Vec3d>{low, high}, place_);
        }
    }

    void instancer(int n, int m, const Json& extension, const std::string& above)
    {
        const Json& attributes = child(extension, "attributes");
        const auto  list       = [&](const char* name, std::size_t width) {
            return attributes.is_object() && attributes.contains(name) ? d_.accessor(index_of(attributes, name), width)
                                                                       : std::nullopt;
        };
        const auto        t = list("TRANSLATION", 3), q = list("ROTATION", 4), s = list("SCALE", 3);
        const std::size_t count = t ? t->size() / 3 : q ? q->size() / 4 : s ? s->size() / 3 : 0;
        if (count == 0 || (t && t->size() / 3 != count) || (q && q->size() / 4 != count) ||
            (s && s->size() / 3 != count))
            return error(kMeshInvalid,
                         fmt::format("{}: the accessors of its instances are not sound, or have different lengths",
                                     called("nodes", n)));
        const std::string path = above + "/" + below_[above].take("instances", "instances");
        sheet_.define(Role::base, path, "PointInstancer", place_);
        const std::string prototype = mesh(m, path);
        if (prototype.empty()) return;
        std::vector<Vec3d> positions, scales;
        std::vector<Quatd> turns;
        for (std::size_t i = 0; i < count; ++i) {
            Pose p;
            if (t) p.t = {(*t)[3 * i], (*t)[3 * i + 1], (*t)[3 * i + 2]};
            if (q) p.q = normalized(Quatd{(*q)[4 * i], (*q)[4 * i + 1], (*q)[4 * i + 2], (*q)[4 * i + 3]});
            if (s) p.s = {(*s)[3 * i], (*s)[3 * i + 1], (*s)[3 * i + 2]};
            p = turned(p);
            positions.push_back(is_finite(p.t) ? p.t : Vec3d{}), turns.push_back(p.q),
                scales.push_back(is_finite(p.s) ? p.s : Vec3d{1, 1, 1});
        }
        sheet_.set(Role::base, path, "positions", "point3f[]", positions, place_);
        sheet_.set(Role::base, path, "orientationsf", "quatf[]", turns, place_);
        if (s) sheet_.set(Role::base, path, "scales", "float3[]", scales, place_);
        sheet_.set(Role::base, path, "protoIndices", "int[]", std::vector<int>(count, 0), place_);
        sheet_.target(Role::base, path, "prototypes", {prototype}, place_);
    }

    // -- looks

    /// The picture of a texture as the result names it; empty with a finding.
    std::string picture(int texture)
    {
        const Json* t = d_.entry("textures", texture);
        const int   i = t != nullptr ? index_of(*t, "source") : -1;
        const Json* e = d_.entry("images", i);
        for (const auto& [extension, form, how] :
             {std::tuple{"KHR_texture_basisu", "KTX2 with Basis Universal", "gltf-transform ktxdecompress"},
              std::tuple{"EXT_texture_webp", "WebP", "gltf-transform png"}})
            if (e == nullptr && t != nullptr && child(child(*t, "extensions"), extension).is_object())
                return error(kTextureMissing,
                             fmt::format("{} is a picture as {} alone ({}), which nothing here can read; the material "
                                         "keeps its factors",
                                         called("textures", texture), form, extension),
                             fmt::format("Write its pictures as PNG or JPEG: {} in.glb out.glb", how)),
                       std::string();
        if (e == nullptr)
            return error(kTextureMissing, fmt::format("{} has no picture", called("textures", texture))), std::string();
        if (const auto known = images_.find(i); known != images_.end()) return known->second;
        std::string&      out = images_[i];
        const std::string uri = gltf_text(*e, "uri"), said = gltf_text(*e, "name");
        const auto        take = [&](std::string_view bytes, const std::string& wanted) {
            const char* suffix = bytes.starts_with("\x89PNG")        ? ".png"
                                 : bytes.starts_with("\xff\xd8\xff") ? ".jpg"
                                                                     : "";
            if (*suffix == '\0') {
                error(kTextureMissing, fmt::format("{} is neither PNG nor JPEG", called("images", i)));
                return std::string();
            }
            const std::string name = "textures/" + picture_names_.take(wanted, "picture") + suffix;
            pictures_.emplace_back(name, std::string(bytes));
            return "./" + name;
        };
        if (uri.empty()) {
            const auto bytes = d_.view(gltf_number(*e, "bufferView", -1));
            if (!bytes) return error(kTextureMissing, fmt::format("{} lies in no buffer", called("images", i))), out;
            return out = take(*bytes, said);
        }
        if (uri.starts_with("data:"))
            return out = take(decoded_base64(std::string_view(uri).substr(std::min(uri.find(',') + 1, uri.size()))),
                              said);
        std::string address;  // %20 and its like
        for (std::size_t k = 0; k < uri.size(); ++k) {
            unsigned v = 0;
            if (uri[k] == '%' && k + 2 < uri.size() && std::sscanf(uri.c_str() + k + 1, "%2x", &v) == 1)
                address += static_cast<char>(v), k += 2;
            else
                address += uri[k];
        }
        const std::string file = finder_.find(address, folder_);
        if (file.empty()) return error(kTextureMissing, finder_.why_not(address, folder_)), out;
        const auto head = files::read_head(file, 12);
        if (!head || !(head->starts_with("\x89PNG") || head->starts_with("\xff\xd8\xff")))
            return error(kTextureMissing, fmt::format("{} is neither PNG nor JPEG", address)), out;
        if (sheet_.single()) {
            std::error_code failed;
            return out = fs::absolute(file, failed).lexically_normal().string();
        }
        const std::string name = "textures/" + picture_names_.take(fs::path(address).stem().string(), "picture") +
                                 (head->starts_with("\x89PNG") ? ".png" : ".jpg");
        textures_.emplace_back(file, name);
        return out = "./" + name;
    }

    struct Look {
        std::string                        path;
        std::map<std::string, std::string> readers;  ///< what reads texture coordinates -> its output
    };

    std::string coordinates(Look& look, const Json& info)
    {
        int         set       = index_of(info, "texCoord");
        const Json& transform = child(child(info, "extensions"), "KHR_texture_transform");
        if (transform.is_object() && transform.contains("texCoord")) set = index_of(transform, "texCoord");
        if (set < 0) set = 0;
        const std::string key    = fmt::format("{}", set);
        std::string&      reader = look.readers[key];
        if (reader.empty()) {
            const std::string path = look.path + (set == 0 ? "/st" : fmt::format("/st{}", set));
            sheet_.define(Role::materials, path, "Shader", place_);
            sheet_.set(Role::materials, path, "info:id", "token", std::string("UsdPrimvarReader_float2"), place_, true);
            sheet_.set(Role::materials, path, "inputs:varname", "string",
                       set == 0 ? std::string("st") : fmt::format("st{}", set), place_);
            sheet_.attribute(Role::materials, path, "outputs:result", "float2", false);
            reader = path + ".outputs:result";
        }
        if (!transform.is_object()) return reader;
        const auto   offset = gltf_numbers(transform, "offset"), scale = gltf_numbers(transform, "scale");
        const double r = gltf_number(transform, "rotation", 0), su = scale.size() == 2 ? scale[0] : 1,
                     sv = scale.size() == 2 ? scale[1] : 1;
        const double ou = offset.size() == 2 ? offset[0] : 0, ov = offset.size() == 2 ? offset[1] : 0;
        std::string& out = look.readers[fmt::format("{} {} {} {} {} {}", set, r, su, sv, ou, ov)];
        if (!out.empty()) return out;
        // With u = U and v = 1 - V the map keeps its angle and scale (see the writer).
        const double      c = std::cos(r), s = std::sin(r);
        const std::string path = look.path + fmt::format("/transform_{}", look.readers.size());
        sheet_.define(Role::materials, path, "Shader", place_);
        sheet_.set(Role::materials, path, "info:id", "token", std::string("UsdTransform2d"), place_, true);
        sheet_.connect(Role::materials, path, "inputs:in", "float2", reader);
        sheet_.set(Role::materials, path, "inputs:rotation", "float", r * kDegrees, place_);
        sheet_.set(Role::materials, path, "inputs:scale", "float2", Vec2d{su, sv}, place_);
        sheet_.set(Role::materials, path, "inputs:translation", "float2", Vec2d{ou + s * sv, 1 - ov - c * sv}, place_);
        sheet_.attribute(Role::materials, path, "outputs:result", "float2", false);
        return out = path + ".outputs:result";
    }

    /// A texture's shader, for `info` of a material; empty where it has none.
    std::string texture(Look& look, const char* name, const Json& info, bool color, const std::array<double, 4>& scale,
                        const std::array<double, 4>& bias)
    {
        if (!info.is_object()) return {};
        const int         t    = index_of(info, "index");
        const std::string file = picture(t);
        if (file.empty()) return {};
        const std::string path = look.path + "/" + name;
        sheet_.define(Role::materials, path, "Shader", place_);
        sheet_.set(Role::materials, path, "info:id", "token", std::string("UsdUVTexture"), place_, true);
        sheet_.set(Role::materials, path, "inputs:file", "asset", usd::AssetPath{file, {}, {}}, place_);
        sheet_.set(Role::materials, path, "inputs:sourceColorSpace", "token", std::string(color ? "sRGB" : "raw"),
                   place_);
        const Json* sampler = d_.entry(
            "samplers", d_.entry("textures", t) != nullptr ? gltf_number(*d_.entry("textures", t), "sampler", -1) : -1);
        for (const auto& [input, key] : {std::pair{"inputs:wrapS", "wrapS"}, std::pair{"inputs:wrapT", "wrapT"}}) {
            const double v = sampler != nullptr ? gltf_number(*sampler, key, 10497) : 10497;
            sheet_.set(Role::materials, path, input, "token",
                       std::string(v == 33071   ? "clamp"
                                   : v == 33648 ? "mirror"
                                                : "repeat"),
                       place_);
        }
        if (scale != std::array<double, 4>{1, 1, 1, 1})
            sheet_.set(Role::materials, path, "inputs:scale", "float4", scale, place_);
        if (bias != std::array<double, 4>{}) sheet_.set(Role::materials, path, "inputs:bias", "float4", bias, place_);
        sheet_.connect(Role::materials, path, "inputs:st", "float2", coordinates(look, info));
        sheet_.attribute(Role::materials, path, "outputs:rgb", "float3", false);
        for (const char* output : {"outputs:r", "outputs:g", "outputs:b", "outputs:a"})
            sheet_.attribute(Role::materials, path, output, "float", false);
        return path;
    }

    void materials()
    {
        const std::size_t n = d_.count("materials");
        if (n == 0) return;
        const std::string scope = "/" + name_ + "/Looks";
        sheet_.define(Role::base, scope, "Scope", place_);
        Siblings names;
        for (std::size_t i = 0; i < n; ++i) {
            const Json& m = *d_.entry("materials", static_cast<double>(i));
            looks_.push_back(scope + "/" + names.take(gltf_text(m, "name"), "material"));
            double_sided_.push_back(child(m, "doubleSided") == true);
            material(m, looks_.back());
        }
    }

    void material(const Json& m, const std::string& path)
    {
        Look              look{path, {}};
        const std::string surface = path + "/surface";
        sheet_.define(Role::materials, path, "Material", place_);
        sheet_.connect(Role::materials, path, "outputs:surface", "token", surface + ".outputs:surface");
        sheet_.define(Role::materials, surface, "Shader", place_);
        sheet_.set(Role::materials, surface, "info:id", "token", std::string("UsdPreviewSurface"), place_, true);
        sheet_.attribute(Role::materials, surface, "outputs:surface", "token", false);
        const auto number = [&](const char* input, double v) {
            sheet_.set(Role::materials, surface, std::string("inputs:") + input, "float", v, place_);
        };
        const auto connect = [&](const char* input, const char* type, const std::string& to) {
            sheet_.connect(Role::materials, surface, std::string("inputs:") + input, type, to);
        };
        const auto            in    = [](double v) { return std::isfinite(v) ? std::clamp(v, 0.0, 1.0) : 0.0; };
        const Json&           pbr   = child(m, "pbrMetallicRoughness");
        const auto            color = gltf_numbers(pbr, "baseColorFactor");
        std::array<double, 4> base{1, 1, 1, 1};
        for (std::size_t c = 0; c < 4 && c < color.size(); ++c) base[c] = in(color[c]);
        const std::string alpha = gltf_text(m, "alphaMode");
        const std::string paint = texture(look, "base_color", child(pbr, "baseColorTexture"), true, base, {});
        if (paint.empty())
            sheet_.set(Role::materials, surface, "inputs:diffuseColor", "color3f", Vec3d{base[0], base[1], base[2]},
                       place_);
        else
            connect("diffuseColor", "color3f", paint + ".outputs:rgb");
        if (alpha == "BLEND" || alpha == "MASK") {
            if (paint.empty())
                number("opacity", base[3]);
            else
                connect("opacity", "float", paint + ".outputs:a");
            if (alpha == "MASK") number("opacityThreshold", in(gltf_number(m, "alphaCutoff", 0.5)));
        }
        const double      metal = in(gltf_number(pbr, "metallicFactor", 1)),
                          rough = in(gltf_number(pbr, "roughnessFactor", 1));
        const std::string orm   = texture(look, "metallic_roughness", child(pbr, "metallicRoughnessTexture"), false,
                                          {1, rough, metal, 1}, {});
        if (orm.empty())
            number("metallic", metal), number("roughness", rough);
        else
            connect("metallic", "float", orm + ".outputs:b"), connect("roughness", "float", orm + ".outputs:g");
        const Json&  bumps    = child(m, "normalTexture");
        const double strength = gltf_number(bumps, "scale", 1);
        if (const std::string t = texture(look, "normal", bumps, false, {2 * strength, 2 * strength, 2, 1},
                                          {-strength, -strength, -1, 0});
            !t.empty())
            connect("normal", "normal3f", t + ".outputs:rgb");
        const Json& dark = child(m, "occlusionTexture");
        // occlusion = 1 + strength (picture - 1)
        const double depth = in(gltf_number(dark, "strength", 1));
        if (const std::string t = texture(look, "occlusion", dark, false, {depth, 1, 1, 1}, {1 - depth, 0, 0, 0});
            !t.empty())
            connect("occlusion", "float", t + ".outputs:r");
        const Json&  extensions = child(m, "extensions");
        const auto   glow       = gltf_numbers(m, "emissiveFactor");
        const double power = gltf_number(child(extensions, "KHR_materials_emissive_strength"), "emissiveStrength", 1);
        std::array<double, 4> e{0, 0, 0, 1};
        for (std::size_t c = 0; c < 3 && c < glow.size(); ++c)
            e[c] = std::isfinite(glow[c] * power) ? std::max(glow[c] * power, 0.0) : 0;
        if (const std::string t = texture(look, "emissive", child(m, "emissiveTexture"), true, e, {}); !t.empty())
            connect("emissiveColor", "color3f", t + ".outputs:rgb");
        else if (e[0] + e[1] + e[2] > 0)
            sheet_.set(Role::materials, surface, "inputs:emissiveColor", "color3f", Vec3d{e[0], e[1], e[2]}, place_);
        if (!extensions.is_object()) return;
        for (const auto& [name, value] : extensions.items()) {
            if (name == "KHR_materials_clearcoat") {
                const double      factor = in(gltf_number(value, "clearcoatFactor", 0)),
                                  coat   = in(gltf_number(value, "clearcoatRoughnessFactor", 0));
                const std::string a      = texture(look, "clearcoat", child(value, "clearcoatTexture"), false,
                                                   {factor, 1, 1, 1}, {}),
                                  b = texture(look, "clearcoat_roughness", child(value, "clearcoatRoughnessTexture"),
                                              false, {1, coat, 1, 1}, {});
                a.empty() ? number("clearcoat", factor) : connect("clearcoat", "float", a + ".outputs:r");
                b.empty() ? number("clearcoatRoughness", coat)
                          : connect("clearcoatRoughness", "float", b + ".outputs:g");
            } else if (name == "KHR_materials_ior") {
                number("ior", std::max(gltf_number(value, "ior", 1.5), 1.0));
            } else if (name != "KHR_materials_emissive_strength") {
                lose("material-extension", Severity::warning, LossAction::dropped, "material", path, name, {},
                     "UsdPreviewSurface has no such word");
            }
        }
    }

    const Json& variant_names() const
    { return child(child(child(d_.json(), "extensions"), "KHR_materials_variants"), "variants"); }

    bool has_variants(const Json& primitive) const
    {
        const Json& mappings = child(child(child(primitive, "extensions"), "KHR_materials_variants"), "mappings");
        return variant_names().is_array() && !variant_names().empty() && mappings.is_array() && !mappings.empty();
    }

    void variants()
    {
        const Json& list = variant_names();
        if (!list.is_array() || list.empty() ||
            std::none_of(bound_.begin(), bound_.end(), [&](const Bound& b) { return has_variants(*b.primitive); }))
            return;
        const std::string        root = "/" + name_;
        Siblings                 names;
        std::vector<std::string> made;
        for (std::size_t v = 0; v < list.size() && v < 256; ++v)
            made.push_back(names.take(gltf_text(list[v], "name"), fmt::format("variant_{}", v)));
        made.push_back(names.take("default", "default"));
        for (std::size_t v = 0; v < made.size(); ++v) {
            sheet_.variant(Role::base, root, "material", made[v]);
            for (const Bound& b : bound_) {
                if (!has_variants(*b.primitive)) continue;
                int look = index_of(*b.primitive, "material");
                for (const Json& mapping :
                     child(child(child(*b.primitive, "extensions"), "KHR_materials_variants"), "mappings")) {
                    const Json& which = child(mapping, "variants");
                    const int   m     = index_of(mapping, "material");
                    if (m >= 0 && at(m) < looks_.size() && std::any_of(which.begin(), which.end(), [&](const Json& x) {
                            return x.is_number() && x.get<double>() == static_cast<double>(v);
                        }))
                        look = m;
                }
                if (look >= 0 && at(look) < looks_.size())
                    sheet_.target(Role::base,
                                  fmt::format("{}{{material={}}}{}", root, made[v], b.prim.substr(root.size() + 1)),
                                  "material:binding", {looks_[at(look)]}, {});
            }
        }
        sheet_.select_variant(Role::base, root, "material", made.back());
        lose("variants", Severity::info, LossAction::converted, "material", "KHR_materials_variants",
             fmt::format("{}", list.size()), "variant set 'material'",
             "the look without a variant is the variant 'default'");
    }

    // -- lights and cameras: they look along -z, and stand in frames of their own where the scene is turned

    std::string holder(const std::string& above, const std::string& said, const char* otherwise, const char* type)
    {
        const std::string path = above + "/" + below_[above].take(said, otherwise);
        sheet_.define(Role::base, path, type, place_);
        sheet_.pose(path, {{}, bake_ ? R_ : Quatd{}});
        return path;
    }

    void camera(int n, int index, const std::string& above)
    {
        const Json* c = d_.entry("cameras", index);
        if (c == nullptr)
            return error(kUnknownName, fmt::format("{} has a camera that does not exist", called("nodes", n)));
        const bool        flat = gltf_text(*c, "type") == "orthographic";
        const Json&       lens = child(*c, flat ? "orthographic" : "perspective");
        const std::string path = holder(above, gltf_text(*c, "name"), "camera", "Camera");
        ++written_;
        const auto   set  = [&](const char* name, double v) { sheet_.set(Role::base, path, name, "float", v, place_); };
        const double near = gltf_number(lens, "znear", 0.01), far = gltf_number(lens, "zfar", 1e6);
        if (flat) {
            sheet_.set(Role::base, path, "projection", "token", std::string("orthographic"), place_);
            set("horizontalAperture", 20 * gltf_number(lens, "xmag", 1)),
                set("verticalAperture", 20 * gltf_number(lens, "ymag", 1));  // tenths of a unit
        } else {
            const double fovy = gltf_number(lens, "yfov", 0.8), aspect = gltf_number(lens, "aspectRatio", 16.0 / 9),
                         vertical = 0.24;
            if (!(fovy > 0 && fovy < std::numbers::pi))
                error(kNumber,
                      fmt::format("yfov of {} is {}, expected between 0 and pi", called("cameras", index), fovy));
            set("verticalAperture", vertical), set("horizontalAperture", vertical * (aspect > 0 ? aspect : 16.0 / 9));
            set("focalLength", vertical / (2 * std::tan(0.5 * (fovy > 0 && fovy < std::numbers::pi ? fovy : 0.8))));
        }
        if (near < far) sheet_.set(Role::base, path, "clippingRange", "float2", Vec2d{near, far}, place_);
    }

    void light(int n, int index, const std::string& above)
    {
        const Json& list = child(child(child(d_.json(), "extensions"), "KHR_lights_punctual"), "lights");
        if (!list.is_array() || index < 0 || at(index) >= list.size())
            return error(kUnknownName, fmt::format("{} has a light that does not exist", called("nodes", n)));
        const Json&       l    = list[at(index)];
        const std::string type = gltf_text(l, "type");
        const std::string path =
            holder(above, gltf_text(l, "name"), "light", type == "directional" ? "DistantLight" : "SphereLight");
        ++written_;
        const auto color = gltf_numbers(l, "color");
        if (color.size() == 3)
            sheet_.set(Role::base, path, "inputs:color", "color3f", Vec3d{color[0], color[1], color[2]}, place_);
        sheet_.set(Role::base, path, "inputs:intensity", "float", gltf_number(l, "intensity", 1), place_);
        if (type == "directional") return;
        sheet_.set(Role::base, path, "treatAsPoint", "bool", true, place_);
        sheet_.set(Role::base, path, "inputs:radius", "float", 0.02, place_);
        if (type != "spot") return;
        const Json&  spot  = child(l, "spot");
        const double outer = gltf_number(spot, "outerConeAngle", std::numbers::pi / 4),
                     inner = gltf_number(spot, "innerConeAngle", 0);
        sheet_.apply(Role::base, path, "ShapingAPI");
        sheet_.set(Role::base, path, "inputs:shaping:cone:angle", "float", outer * kDegrees, place_);
        if (outer > 0)
            sheet_.set(Role::base, path, "inputs:shaping:cone:softness", "float",
                       std::clamp(1 - inner / outer, 0.0, 1.0), place_);
    }

    // -- animations

    void animations()
    {
        if (d_.count("animations") > 1)
            lose("animations", Severity::warning, LossAction::dropped, "visual", "animations",
                 fmt::format("{}", d_.count("animations")), "1", "the first is read");
        const Json* a = d_.entry("animations", 0);
        if (a == nullptr) return;
        for (const int n : motion_.unsound())
            n < 0 ? error(kUnknownName, "a channel of animations[0] moves a node that does not exist")
                  : error(kMeshInvalid,
                          fmt::format("a sampler of animations[0] for {} is not sound", called("nodes", n)));
        for (const int n : motion_.nodes()) {
            if (at(n) >= prims_.size() || prims_[at(n)].empty()) continue;
            if (n == single_root_) {
                error(kUnsupported, "a channel of animations[0] moves the root that only turns the scene");
                continue;
            }
            const std::string& prim = prims_[at(n)];
            const Pose         rest = pose_of(n, false);
            if (motion_.moves(n, "scale")) {
                sheet_.set(Role::base, prim, "xformOp:scale", "double3", turned(rest).s, place_);
                sheet_.order(prim, {"xformOp:translate", "xformOp:orient", "xformOp:scale"});
            }
            for (const double t : motion_.times(n, "translation"))
                sheet_.sample(Role::base, prim, "xformOp:translate", "double3", seen(t),
                              turned(motion_.pose(n, rest, t)).t);
            for (const double t : motion_.times(n, "rotation"))
                sheet_.sample(Role::base, prim, "xformOp:orient", "quatd", seen(t), turned(motion_.pose(n, rest, t)).q);
            for (const double t : motion_.times(n, "scale"))
                sheet_.sample(Role::base, prim, "xformOp:scale", "double3", seen(t),
                              turned(motion_.pose(n, rest, t)).s);
            if (motion_.interpolates(n, "STEP"))
                lose("step", Severity::info, LossAction::approximated, "visual", called("nodes", n), "STEP",
                     "two samples at each step", "samples of a prim are blended");
            if (motion_.interpolates(n, "CUBICSPLINE"))
                lose("spline", Severity::info, LossAction::approximated, "visual", called("nodes", n), "CUBICSPLINE",
                     "eight samples between keys", "samples of a prim are blended linearly");
        }
        if (first_ <= last_) sheet_.time_range(first_, last_);
    }

    void lost()
    {
        const Json& used = child(d_.json(), "extensionsUsed");
        for (const Json& e : used)
            if (e.is_string() && !is_read(e.get<std::string>()))
                lose("extension", Severity::warning, LossAction::dropped, "metadata", "extensionsUsed",
                     e.get<std::string>().substr(0, 80), {}, "it is not read");
    }
};

}  // namespace

Result<UsdRobot> read_gltf_scene(const std::string& bytes, const std::string& file, const std::string& folder,
                                 Layout layout, const ReadOptions& options, ReadRobot& read)
{
    GltfDocument     document;
    const FileFinder finder((fs::path(folder) / fs::path(file).filename()).string(), options.packages,
                            options.search_paths);
    const Beside     beside = [&](const std::string& other) {
        const std::string found = finder.find(other, folder);
        if (found.empty()) {
            read.found.add(kMeshMissing, {.layer = file}, finder.why_not(other, folder));
            return std::string();
        }
        auto content = files::read(found, kMostBytes);
        return content ? std::move(*content) : std::string();
    };
    if (const std::string wrong = document.open(bytes, beside); !wrong.empty())
        return make_diagnostic(kReadFailed, {.layer = file}, wrong);
    return Scene(document, file, folder, layout, options, read).write();
}

}  // namespace mechane::sourceformats

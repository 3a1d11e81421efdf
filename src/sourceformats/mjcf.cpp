// MJCF as MuJoCo's XML reference describes it (mujoco.readthedocs.io/en/stable/XMLreference.html), with the rules of
// its compiler: classes of defaults, includes, frames, replication, masses from shapes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <list>
#include <numbers>
#include <utility>

#include "mechane/core/nearest.h"
#include "mechane/files/read.h"
#include "mechane/geometry/hull.h"
#include "mechane/geometry/mass.h"
#include "mechane/sourceformats/codes.h"
#include "mechane/sourceformats/hints.h"
#include "mechane/usd/picture.h"
#include "sourceformats/mjcf_settings.h"

namespace mechane::sourceformats {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

struct GeomMass {
    MjcfMass mass;
    Posed    X_LS;
};

class Mjcf {
  public:
    Mjcf(const std::string& file, Source& source)
        : file_(file), folder_(folder_of(file)), s_(source), tree_(source.tree)
    {
    }

    void read(XmlElement& root)
    {
        root.used   = true;
        tree_.place = root.place;
        if (const std::string* name = root.find("model"); name != nullptr && !name->empty()) tree_.name = *name;
        resolve_includes(root, file_, s_);
        for (const XmlElement& e : root.children)
            if (e.name == "compiler") compiler(e);
        defaults_.read(root, s_);
        for (const XmlElement& e : root.children)
            if (e.name == "option") option(e);
        each(root, "asset", [&](const XmlElement& e) { assets(e); });
        each(root, "worldbody", [&](const XmlElement& e) { body_children(e, -1, {}, "", nullptr); });
        each(root, "worldbody", [&](const XmlElement& e) { note_copies(e); });
        replicate_sections(root);
        each(root, "contact", [&](const XmlElement& e) { contacts(e); });
        each(root, "equality", [&](const XmlElement& e) { equalities(e); });
        each(root, "tendon", [&](const XmlElement& e) { tendons(e); });
        each(root, "actuator", [&](const XmlElement& e) { actuators(e); });
        each(root, "keyframe", [&](const XmlElement& e) { keyframes(e); });
        attached_sections();
        masses();
        compute_spring_dampers(tree_, spring_dampers_, floating_, s_.losses);
        flag_effects();
        static_bodies();
        groups();
        if (s_.options.base == Base::fixed) anchor();
        if (tree_.links.empty() && tree_.shapes.empty()) s_.error(kMissing, root.place, "the model has no body");
    }

  private:
    std::string                                        file_, folder_;
    Source&                                            s_;
    RobotTree&                                         tree_;
    MjcfCompiler                                       compiler_;
    MjcfDefaults                                       defaults_;
    std::set<std::string>                              body_names_, joint_names_, site_names_;
    std::map<std::string, int>                         bodies_, joints_, sites_, geoms_, meshes_, materials_, hfields_;
    std::map<std::string, std::string>                 textures_;
    std::map<std::string, Vec3d>                       mesh_scales_;
    std::map<std::string, std::string>                 mesh_inertias_;
    std::map<int, std::vector<GeomMass>>               geom_masses_;
    std::set<int>                                      floating_;
    std::map<std::string, std::pair<int, std::size_t>> dofs_;     ///< joint name -> joint, degree of freedom
    std::vector<std::pair<int, int>>                   classes_;  ///< contype, conaffinity by shape
    std::map<std::string, int>                         tendons_;
    std::vector<SpringDamper>                          spring_dampers_;
    std::map<std::string, bool, std::less<>>           flags_;  ///< what <flag> turns on and off
    int                                                unnamed_ = 0, depth_ = 0;
    double                                             angle() const { return compiler_.degrees ? 1 / kDegrees : 1; }

    template <class F>
    void each(const XmlElement& root, std::string_view name, const F& f)
    {
        for (const XmlElement& e : root.children)
            if (e.name == name) e.used = true, f(e);
    }

    bool flag(const XmlElement& e, std::string_view name, bool otherwise)
    {
        const auto v = s_.word(e, name, {"true", "false"});
        return v ? *v == "true" : otherwise;
    }

    void compiler(const XmlElement& e)
    {
        if (const auto v = s_.word(e, "angle", {"degree", "radian"})) compiler_.degrees = *v == "degree";
        if (const std::string* seq = e.find("eulerseq")) {
            if (seq->size() == 3 && seq->find_first_not_of("xyzXYZ") == std::string::npos)
                compiler_.eulerseq = *seq;
            else
                s_.error(kWord, e.place, fmt::format("eulerseq is '{}', expected three of x y z X Y Z", *seq));
        }
        compiler_.autolimits = flag(e, "autolimits", compiler_.autolimits);
        if (const auto v = s_.word(e, "inertiafromgeom", {"true", "false", "auto"})) compiler_.inertiafromgeom = *v;
        compiler_.balanceinertia = flag(e, "balanceinertia", compiler_.balanceinertia);
        compiler_.boundmass      = s_.number(e, "boundmass").value_or(compiler_.boundmass);
        compiler_.boundinertia   = s_.number(e, "boundinertia").value_or(compiler_.boundinertia);
        compiler_.settotalmass   = s_.number(e, "settotalmass").value_or(compiler_.settotalmass);
        if (const std::string* dir = e.find("assetdir")) compiler_.meshdir = compiler_.texturedir = *dir;
        if (const std::string* dir = e.find("meshdir")) compiler_.meshdir = *dir;
        if (const std::string* dir = e.find("texturedir")) compiler_.texturedir = *dir;
        compiler_.strippath = flag(e, "strippath", compiler_.strippath);
        if (const auto v = s_.numbers(e, "inertiagrouprange", 2, 2))
            compiler_.group_min = static_cast<int>((*v)[0]), compiler_.group_max = static_cast<int>((*v)[1]);
        if (const auto v = s_.word(e, "coordinate", {"local", "global"}); v && *v == "global")
            s_.error(kUnsupported, e.place,
                     "global coordinates are no longer part of MJCF; they are read as local ones");
        compiler_.fitaabb = flag(e, "fitaabb", compiler_.fitaabb);
        for (const char* known : {"usethread", "fusestatic", "discardvisual", "alignfree", "saveinertial"})
            e.find(known);
    }

    static Extra mj(std::string name, std::string type, std::string text, std::string api, const Place& place)
    { return {Extra::Layer::mujoco, std::move(name), std::move(type), std::move(text), std::move(api), place}; }

    void option(const XmlElement& e)
    {
        if (!tree_.scene) tree_.scene.emplace();
        SceneSettings& scene = *tree_.scene;
        e.used               = true;
        scene.place          = e.place;
        if (const auto g = s_.vec3(e, "gravity")) scene.gravity = *g;
        const auto put = [&](std::string name, std::string type, std::string text) {
            scene.extras.push_back(mj("mjc:option:" + name, std::move(type), std::move(text), "MjcSceneAPI", e.place));
        };
        for (const char* name : {"timestep", "impratio", "tolerance", "ls_tolerance", "noslip_tolerance",
                                 "ccd_tolerance", "density", "viscosity", "o_margin"})
            if (const auto v = s_.number(e, name)) put(name, "double", usda_number(*v));
        fluid(e);
        for (const char* name :
             {"iterations", "ls_iterations", "noslip_iterations", "ccd_iterations", "sdf_iterations", "sdf_initpoints"})
            if (const auto v = s_.number(e, name))
                put(name, "int", fmt::format("{}", static_cast<int>(std::clamp(*v, 0.0, 2e9))));
        for (const char* name : {"wind", "magnetic"})
            if (const auto v = s_.numbers(e, name, 3, 3)) put(name, "double3", usda_list(*v, '('));
        const auto word = [&](const char* name, std::initializer_list<std::string_view> known) {
            const std::string* text = e.find(name);
            if (text == nullptr) return;
            std::string lower = *text;
            for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            if (std::find(known.begin(), known.end(), lower) != known.end())
                put(name, "token", usda_string(lower));
            else
                s_.error(kWord, e.place, fmt::format("{} is '{}', expected {}", name, *text, fmt::join(known, ", ")));
        };
        word("integrator", {"euler", "rk4", "implicit", "implicitfast"});
        word("solver", {"pgs", "cg", "newton"});
        word("cone", {"pyramidal", "elliptic"});
        word("jacobian", {"auto", "dense", "sparse"});
        if (const XmlElement* flags = e.child("flag"))
            for (const XmlAttribute& a : flags->attributes) {
                static constexpr std::string_view kFlags[] = {
                    "actuation", "autoreset",   "clampctrl", "constraint",   "contact",      "damper",
                    "energy",    "equality",    "eulerdamp", "filterparent", "frictionloss", "fwdinv",
                    "gravity",   "invdiscrete", "island",    "limit",        "midphase",     "multiccd",
                    "nativeccd", "override",    "refsafe",   "sensor",       "spring",       "warmstart"};
                if (a.name == "passive") {  // before MuJoCo 3.3 the springs and dampers in one
                    if (const auto v = s_.word(*flags, a.name, {"enable", "disable"})) {
                        flags_["spring"] = flags_["damper"] = *v == "enable";
                        flag_told(*flags, a.name, *v == "enable");
                    }
                    continue;
                }
                if (std::find(std::begin(kFlags), std::end(kFlags), a.name) == std::end(kFlags)) continue;
                if (const auto v = s_.word(*flags, a.name, {"enable", "disable"})) {
                    scene.extras.push_back(
                        mj("mjc:flag:" + a.name, "bool", usda_bool(*v == "enable"), "MjcSceneAPI", flags->place));
                    flags_[a.name] = *v == "enable";
                    flag_told(*flags, a.name, *v == "enable");
                }
            }
    }

    /// Air and wind push bodies in MuJoCo, and nowhere here.
    void fluid(const XmlElement& e)
    {
        for (const char* name : {"density", "viscosity"}) {
            const std::string* text = e.peek(name);
            if (text == nullptr || parse_number(*text).value_or(0) == 0) continue;
            e.take(name);
            s_.losses.add({"fluid", Severity::warning, LossAction::converted, "metadata", site_of(e.place),
                           fmt::format("option/{}", name), *text, fmt::format("mjc:option:{}", name),
                           "forces of a fluid are not simulated; it stands in the layer of MuJoCo", true});
        }
    }

    /// True where a flag of <option> turns something off, by itself or with all constraints.
    bool off(std::string_view name) const
    {
        static constexpr std::string_view kConstraints[] = {"contact", "equality", "limit", "frictionloss"};
        const auto                        disabled       = [&](std::string_view flag) {
            const auto found = flags_.find(flag);
            return found != flags_.end() && !found->second;
        };
        return disabled(name) || (disabled("constraint") && std::find(std::begin(kConstraints), std::end(kConstraints),
                                                                      name) != std::end(kConstraints));
    }

    /// Says what becomes of a flag that differs from MuJoCo's default.
    void flag_told(const XmlElement& flags, const std::string& name, bool on)
    {
        static constexpr std::string_view kOffAtFirst[] = {"override", "energy", "fwdinv", "invdiscrete"};
        if (on != (std::find(std::begin(kOffAtFirst), std::end(kOffAtFirst), name) != std::end(kOffAtFirst))) return;
        static const std::map<std::string_view, std::string_view> kHonoured{
            {"contact", "no collider collides"},
            {"constraint", "there are no collisions, equalities, limits or friction of joints"},
            {"equality", "equalities are left out"},
            {"limit", "limits are left out"},
            {"frictionloss", "friction of joints is left out"},
            {"spring", "springs of joints are left out"},
            {"damper", "damping of joints is left out"},
            {"passive", "springs and damping of joints are left out"},
            {"actuation", "drives are left out"},
            {"filterparent", "links that a joint joins may touch"},
            {"clampctrl", "limits of commands are left out"},
            {"gravity", "there is no gravity"}};
        static constexpr std::string_view kMoves[] = {"override", "refsafe", "eulerdamp", "multiccd", "nativeccd"};
        flags.take(name);
        const auto known = kHonoured.find(name);
        const bool kept  = known != kHonoured.end(),
                   moves = std::find(std::begin(kMoves), std::end(kMoves), name) != std::end(kMoves);
        s_.losses.add({"flag", kept || !moves ? Severity::info : Severity::warning, LossAction::converted, "metadata",
                       site_of(flags.place), fmt::format("option/flag/{}", name), on ? "enable" : "disable",
                       "mjc:flag:" + name,
                       kept    ? std::string(known->second)
                       : moves ? "no solver here has it; it stands in the layer of MuJoCo"
                               : "it does not change the motion here; it stands in the layer of MuJoCo",
                       !kept && moves});
    }

    /// What flags turn off is left out of the robot.
    void flag_effects()
    {
        if (off("contact")) tree_.contact = false;
        for (Joint& joint : tree_.joints) {
            if (off("filterparent") && !joint.loop && joint.parent >= 0 && joint.kind != Joint::Kind::fixed)
                joint.collide = true;
            for (Dof& dof : joint.dofs) {
                if (off("limit")) dof.lower = -std::numeric_limits<double>::infinity(), dof.upper = -dof.lower;
                if (off("frictionloss")) dof.friction.reset();
                if (off("damper")) dof.damping.reset();
                if (off("spring")) std::erase_if(dof.extras, [](const Extra& x) { return x.name == "mjc:stiffness"; });
                if (off("actuation")) dof.drive.reset();
            }
        }
    }

    // -- assets

    std::string asset_path(const std::string& dir, std::string file) const
    {
        if (compiler_.strippath) file = std::filesystem::path(file).filename().string();
        if (dir.empty() || std::filesystem::path(file).is_absolute()) return file;
        return (std::filesystem::path(dir) / file).string();
    }

    void assets(const XmlElement& e)
    {
        for (const XmlElement& c : e.children)
            if (c.name == "texture") texture(c);
        for (const XmlElement& c : e.children) {
            if (c.name == "material") material(c);
            if (c.name == "mesh") mesh(c);
            if (c.name == "model") model(c);
            if (c.name == "hfield") height_field(c);
        }
    }

    void model(const XmlElement& e)
    {
        const std::string* file = e.find("file");
        if (file == nullptr) return s_.error(kMissing, e.place, "a model of <asset> names no file");
        e.used = true;
        e.find("content_type");
        models_[e.get("name", std::filesystem::path(*file).stem().string())] = {*file, e.place};
    }

    /// Walls around a grid of points, and a floor below it: a height field is solid down to there.
    static void close_field(MeshAsset& asset, int rows, int columns, double bottom)
    {
        std::vector<int> rim;  // counter-clockwise, seen from above
        for (int c = 0; c + 1 < columns; ++c) rim.push_back(c);
        for (int r = 0; r + 1 < rows; ++r) rim.push_back(r * columns + columns - 1);
        for (int c = columns - 1; c > 0; --c) rim.push_back((rows - 1) * columns + c);
        for (int r = rows - 1; r > 0; --r) rim.push_back(r * columns);
        const int first = static_cast<int>(asset.points.size()), n = static_cast<int>(rim.size());
        for (const int p : rim) asset.points.push_back({asset.points[at(p)].x, asset.points[at(p)].y, bottom});
        asset.points.push_back({0, 0, bottom});
        const auto face = [&](int a, int b, int c) {
            asset.counts.push_back(3);
            asset.corners.insert(asset.corners.end(), {a, b, c});
        };
        for (int i = 0; i < n; ++i) {
            const int j = (i + 1) % n;
            face(rim[at(i)], first + i, first + j);
            face(rim[at(i)], first + j, rim[at(j)]);
            face(first + n, first + j, first + i);
        }
    }

    /// The surface of a height field: heights in rows along x, which MuJoCo takes to 0 and 1 and multiplies by the
    /// third size.
    void height_field(const XmlElement& e)
    {
        const auto          size = s_.numbers(e, "size", 4, 4);
        std::string         name = e.get("name");
        double              rows = s_.number(e, "nrow").value_or(0), columns = s_.number(e, "ncol").value_or(0);
        std::vector<double> heights = s_.numbers(e, "elevation", 1, 4'000'000).value_or(std::vector<double>());
        if (const std::string* file = e.find("file")) {  // pictures and texts lie from the top down, too
            if (name.empty()) name = std::filesystem::path(*file).stem().string();
            const std::string path = s_.finder.find(asset_path(compiler_.meshdir, *file), folder_);
            const auto        bytes =
                path.empty() ? std::nullopt : usd::decode_picture(files::read_given(path).value_or(std::string()));
            if (!bytes)
                return s_.error(kMeshMissing, e.place,
                                fmt::format("the height field '{}' is no PNG that can be read", *file));
            rows = bytes->height, columns = bytes->width;
            for (std::size_t i = 0; i < bytes->rgba.size(); i += 4) heights.push_back(bytes->rgba[i]);
        }
        if (!size || name.empty()) return s_.error(kMissing, e.place, "a height field has no name, or not four sizes");
        const bool whole = rows >= 2 && columns >= 2 && rows * columns <= 4e6 && rows == std::floor(rows) &&
                           columns == std::floor(columns);
        if (!whole || (!heights.empty() && static_cast<double>(heights.size()) != rows * columns) ||
            !((*size)[0] > 0 && (*size)[1] > 0 && (*size)[3] > 0))
            return s_.error(kShape, e.place,
                            fmt::format("the height field '{}' has not its {} x {} heights", name, rows, columns));
        const int nr = static_cast<int>(rows), nc = static_cast<int>(columns);
        heights.resize(at(nr) * at(nc), 0);
        const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
        const double base = *low, range = *high > *low ? *high - *low : 1;
        MeshAsset    asset;
        asset.name = asset.address = name;
        asset.place                = e.place;
        for (int r = 0; r < nr; ++r)
            for (int c = 0; c < nc; ++c)
                asset.points.push_back({(*size)[0] * (2.0 * c / (nc - 1) - 1), (*size)[1] * (2.0 * r / (nr - 1) - 1),
                                        (*size)[2] * (heights[at(nr - 1 - r) * at(nc) + at(c)] - base) / range});
        for (int r = 0; r + 1 < nr; ++r)
            for (int c = 0; c + 1 < nc; ++c) {
                const int a = r * nc + c, b = a + 1, up = a + nc;
                for (const std::array<int, 3>& t : {std::array<int, 3>{a, b, up}, std::array<int, 3>{b, up + 1, up}}) {
                    asset.counts.push_back(3);
                    asset.corners.insert(asset.corners.end(), t.begin(), t.end());
                }
            }
        close_field(asset, nr, nc, -(*size)[3]);
        hfields_[name] = static_cast<int>(tree_.meshes.size());
        tree_.meshes.push_back(std::move(asset));
    }

    void texture(const XmlElement& e)
    {
        const std::string* file = e.find("file");
        std::string        name = e.get("name");
        e.find("type");
        if (file == nullptr) return;
        if (name.empty()) name = std::filesystem::path(*file).stem().string();
        const std::string found = s_.texture(asset_path(compiler_.texturedir, *file), folder_, e.place);
        if (!found.empty()) textures_[name] = found;
    }

    void material(const XmlElement& e)
    {
        const XmlElement   m = defaults_.merged(e, "material", "", s_);
        Material           made;
        const std::string* name = m.find("name");
        if (name == nullptr) return s_.error(kMissing, e.place, "a material has no name");
        made.name  = *name;
        made.place = e.place;
        made.rgba  = {1, 1, 1, 1};
        if (const auto v = s_.numbers(m, "rgba", 4, 4)) std::copy(v->begin(), v->end(), made.rgba.begin());
        if (const std::string* t = m.find("texture"); t != nullptr && textures_.contains(*t))
            made.texture = textures_[*t];
        if (const auto v = s_.number(m, "metallic"); v && *v >= 0) made.metallic = *v;
        if (const auto v = s_.number(m, "roughness"); v && *v >= 0)
            made.roughness = *v;
        else if (const auto shine = s_.number(m, "shininess"))
            made.roughness = std::clamp(1 - *shine, 0.0, 1.0);
        if (const auto v = s_.number(m, "emission"); v && *v > 0)
            for (std::size_t i = 0; i < 3; ++i) made.emission[i] = *v * made.rgba[i];
        defaults_.settle(e, m, "material", s_);
        materials_[*name] = s_.material(std::move(made));
    }

    void mesh(const XmlElement& e)
    {
        const XmlElement   m    = defaults_.merged(e, "mesh", "", s_);
        const std::string* file = m.find("file");
        std::string        name = m.get("name");
        if (name.empty() && file != nullptr) name = std::filesystem::path(*file).stem().string();
        Vec3d scale = s_.vec3(m, "scale").value_or(Vec3d{1, 1, 1});
        if (scale.x == 0 || scale.y == 0 || scale.z == 0)
            return s_.error(kShape, e.place, fmt::format("the scale of mesh '{}' is zero", name));
        Posed ref{s_.vec3(m, "refpos").value_or(Vec3d{}), {}};
        if (const auto q = s_.numbers(m, "refquat", 4, 4))
            ref.q = normalized(Quatd{(*q)[1], (*q)[2], (*q)[3], (*q)[0]});
        const std::string inertia = s_.word(m, "inertia", {"legacy", "convex", "exact", "shell"}).value_or("legacy");
        int               index   = -1;
        if (file != nullptr) {
            const std::string path = asset_path(compiler_.meshdir, *file);
            index                  = s_.mesh(path, folder_, e.place);
        } else if (const auto vertices = s_.numbers(m, "vertex", 12, 30'000'000)) {
            MeshAsset asset;
            asset.name = asset.address = name;
            asset.place                = e.place;
            for (std::size_t i = 0; i + 2 < vertices->size(); i += 3)
                asset.points.push_back({(*vertices)[i], (*vertices)[i + 1], (*vertices)[i + 2]});
            const auto add = [&](const std::array<int, 3>& t) {
                asset.counts.push_back(3);
                asset.corners.insert(asset.corners.end(), t.begin(), t.end());
            };
            if (const auto faces = s_.numbers(m, "face", 3, 30'000'000)) {
                for (std::size_t i = 0; i + 2 < faces->size(); i += 3) {
                    std::array<int, 3> t{};
                    bool               good = true;
                    for (std::size_t c = 0; c < 3; ++c) {
                        const double v = (*faces)[i + c];
                        good = good && v >= 0 && v < static_cast<double>(asset.points.size()) && v == std::floor(v);
                        t[c] = good ? static_cast<int>(v) : 0;
                    }
                    if (good) add(t);
                }
            } else if (const auto hull = geometry::build_hull(asset.points)) {
                asset.points = hull->points;
                for (const auto& t : hull->triangles) add({t[0], t[1], t[2]});
            }
            if (asset.counts.empty()) {
                s_.error(kMeshInvalid, e.place, fmt::format("the mesh '{}' has no face", name));
            } else {
                index = static_cast<int>(tree_.meshes.size());
                tree_.meshes.push_back(std::move(asset));
            }
        } else {
            s_.error(kMeshInvalid, e.place, fmt::format("the mesh '{}' has neither a file nor vertices", name));
        }
        defaults_.settle(e, m, "mesh", s_);
        if (name.empty()) return s_.error(kMissing, e.place, "a mesh has no name");
        if (index >= 0 && !(ref == Posed{})) {  // moved, then turned, then scaled: a mesh of its own
            MeshAsset placed = tree_.meshes[at(index)];
            for (Vec3d& p : placed.points) p = inverse_times(ref, p);
            for (Vec3d& n : placed.normals) n = rotate_inverse(ref.q, n);
            placed.name = name;
            index       = static_cast<int>(tree_.meshes.size());
            tree_.meshes.push_back(std::move(placed));
        }
        meshes_[name]        = index;
        mesh_scales_[name]   = scale;
        mesh_inertias_[name] = inertia;
    }

    // -- bodies

    void body_children(const XmlElement& e, int link, const Posed& X, const std::string& childclass,
                       std::vector<const XmlElement*>* joints)
    {
        if (++depth_ > 200) {
            --depth_;
            return s_.error(kLimit, e.place, "bodies are nested too deep");
        }
        for (const XmlElement& c : e.children) {
            if (c.name == "geom") geom(c, link, X, childclass);
            if (c.name == "site") site(c, link, X, childclass);
            if (c.name == "camera") camera(c, link, X, childclass);
            if (c.name == "light") light(c, link, X, childclass);
            if (c.name == "body") body(c, link, X, childclass);
            if (c.name == "attach") attach(c, link, X);
            if (c.name == "frame" || c.name == "replicate") {
                c.used                  = true;
                const std::string below = c.get("childclass", childclass);
                if (c.name == "frame")
                    body_children(c, link, X * mjcf_pose(c, compiler_, s_), below, joints);
                else
                    replicate(c, link, X, below, joints);
            }
        }
        --depth_;
    }

    // -- models that are attached: read in the same pass, with the settings, defaults and folder of their own file

    struct Settings {
        std::string  file, folder;
        MjcfCompiler compiler;
        MjcfDefaults defaults;
    };
    struct Attached {
        XmlElement root;
        Settings   settings;
    };
    std::map<std::string, std::pair<std::string, Place>> models_;  ///< name -> file
    std::list<Attached>                                  attached_;
    std::vector<std::string>                             attaching_;  ///< files, from the outermost

    void exchange(Settings& with)
    {
        std::swap(file_, with.file), std::swap(folder_, with.folder);
        std::swap(compiler_, with.compiler), std::swap(defaults_, with.defaults);
    }

    /// Every name of an attached model, and every reference to one, gets the prefix.
    static void prefix_names(XmlElement& e, const std::string& prefix)
    {
        static const std::set<std::string, std::less<>> kNames{
            "name",    "joint",         "joint1",    "joint2",   "body",       "body1",   "body2",
            "site",    "site1",         "site2",     "geom",     "geom1",      "geom2",   "tendon",
            "tendon1", "tendon2",       "mesh",      "material", "texture",    "hfield",  "sidesite",
            "refsite", "jointinparent", "cranksite", "target",   "slidersite", "actuator"};
        if (e.name == "attach") {  // its body has the name that it has in its own file
            e.set("model", prefix + e.get("model"));
            return e.set("prefix", prefix + e.get("prefix"));
        }
        const bool asset = e.name == "mesh" || e.name == "texture" || e.name == "material";
        if (const std::string* file = e.peek("file"); asset && file != nullptr && e.peek("name") == nullptr)
            e.set("name", std::filesystem::path(*file).stem().string());
        for (XmlAttribute& a : e.attributes)
            if (kNames.contains(a.name) && a.value != "world" && !(e.name == "texture" && a.name == "texture"))
                a.value = prefix + a.value;
        for (XmlElement& c : e.children) prefix_names(c, prefix);
    }

    static const XmlElement* body_called(const XmlElement& e, const std::string& name)
    {
        for (const XmlElement& c : e.children) {
            if (c.name == "body" && c.get("name") == name) return &c;
            if (c.name == "body" || c.name == "frame")
                if (const XmlElement* found = body_called(c, name)) return found;
        }
        return nullptr;
    }

    void attach(const XmlElement& e, int link, const Posed& X)
    {
        e.used                 = true;
        const std::string name = e.get("model"), prefix = e.get("prefix"), wanted = e.get("body");
        const auto        known = models_.find(name);
        if (known == models_.end())
            return s_.error(kUnknownName, e.place,
                            fmt::format("<attach> names the model '{}', which does not exist", name));
        const std::string path = s_.finder.find(known->second.first, folder_);
        if (path.empty()) return s_.error(kInclude, e.place, s_.finder.why_not(known->second.first, folder_));
        if (attaching_.size() > 16 || path == file_ ||
            std::find(attaching_.begin(), attaching_.end(), path) != attaching_.end())
            return s_.error(kInclude, e.place, fmt::format("'{}' attaches itself", known->second.first));
        if (attached_.size() > 2000) return s_.error(kLimit, e.place, "too many models are attached");
        const auto text = files::read_given(path);
        if (!text) return s_.error(kInclude, e.place, text.error().message);
        auto root = parse_xml(*text, known->second.first, s_.found);
        if (!root) return void(s_.found.add(root.error()));
        attached_.push_back({*std::move(root), {path, folder_of(path), {}, {}}});
        Attached& part = attached_.back();
        part.root.used = true;
        part.root.find("model");
        resolve_includes(part.root, path, s_);
        for (XmlElement& c : part.root.children)
            if (c.name != "default" && c.name != "compiler" && c.name != "option" && c.name != "size")
                prefix_names(c, prefix);
        attaching_.push_back(path);
        exchange(part.settings);
        for (const XmlElement& c : part.root.children)
            if (c.name == "compiler") compiler(c);
        defaults_.read(part.root, s_);
        for (const XmlElement& c : part.root.children)
            if (c.name == "option" || c.name == "size" || c.name == "visual" || c.name == "statistic" ||
                c.name == "keyframe")
                c.use_all();  // those of the model that attaches count
        each(part.root, "asset", [&](const XmlElement& c) { assets(c); });
        const XmlElement* found = nullptr;
        bool              whole = wanted.empty();
        each(part.root, "worldbody", [&](const XmlElement& c) {
            if (whole)
                body_children(c, link, X, "", nullptr);
            else if (found == nullptr && (found = body_called(c, prefix + wanted)) != nullptr)
                body(*found, link, X, "");
            c.why = "only a body of it is attached";
        });
        exchange(part.settings);
        attaching_.pop_back();
        if (!whole && found == nullptr)
            s_.error(kUnknownName, e.place, fmt::format("the model '{}' has no body '{}'", name, wanted));
    }

    /// Whether all that an element names is part of the robot: what belongs to other bodies of an attached model is
    /// not.
    bool is_attached(const XmlElement& e) const
    {
        const auto has = [&](const char* attribute, const auto&... among) {
            const std::string* name = e.peek(attribute);
            return name == nullptr || *name == "world" || (among.contains(*name) || ...);
        };
        bool all = has("joint", dofs_, joints_) && has("joint1", dofs_) && has("joint2", dofs_) &&
                   has("body", bodies_) && has("body1", bodies_) && has("body2", bodies_) && has("site", sites_) &&
                   has("site1", sites_) && has("site2", sites_) && has("geom", geoms_) && has("tendon", tendons_) &&
                   has("refsite", sites_) && has("slidersite", sites_) && has("cranksite", sites_) &&
                   has("jointinparent", dofs_);
        for (const XmlElement& c : e.children) all = all && is_attached(c);
        return all;
    }

    /// What attached models say beside their bodies.
    void attached_sections()
    {
        for (Attached& part : attached_) {
            exchange(part.settings);
            for (XmlElement& section : part.root.children)
                if (section.name == "contact" || section.name == "equality" || section.name == "tendon" ||
                    section.name == "actuator") {
                    section.used = true;
                    std::erase_if(section.children,
                                  [&](const XmlElement& c) { return section.name != "actuator" && !is_attached(c); });
                }
            each(part.root, "contact", [&](const XmlElement& e) { contacts(e); });
            each(part.root, "equality", [&](const XmlElement& e) { equalities(e); });
            each(part.root, "tendon", [&](const XmlElement& e) { tendons(e); });
            for (XmlElement& section : part.root.children)
                if (section.name == "actuator")
                    std::erase_if(section.children, [&](const XmlElement& c) { return !is_attached(c); });
            each(part.root, "actuator", [&](const XmlElement& e) { actuators(e); });
            exchange(part.settings);
            s_.report_leftovers(part.root);
        }
    }

    static void suffix_names(XmlElement& e, const std::string& suffix)
    {
        for (XmlAttribute& a : e.attributes)
            if (a.name == "name") a.value += suffix;
        if (e.name != "replicate")  // its copies get their own number first
            for (XmlElement& c : e.children) suffix_names(c, suffix);
    }

    void replicate(const XmlElement& e, int link, const Posed& X, const std::string& childclass,
                   std::vector<const XmlElement*>* joints)
    {
        const double count = s_.number(e, "count").value_or(1);
        if (!(count >= 0 && count <= 10000))
            return s_.error(kLimit, e.place, fmt::format("{} copies are too many", count));
        e.find("sep");
        Posed      step{s_.vec3(e, "offset").value_or(Vec3d{}), {}};
        XmlElement turn{"turn", e.place, {}, {}, {}};
        if (const std::string* euler = e.find("euler")) turn.set("euler", *euler);
        step.q = mjcf_orientation(turn, compiler_, s_);
        e.use_all();
        Posed at_copy = X;
        if (static_cast<double>(copies_ += static_cast<std::size_t>(count)) > 100'000)
            return s_.error(kLimit, e.place, "there are too many copies");
        const std::string outer = copy_suffix_;  // copies of copies: the inner number comes first
        for (const std::string& suffix : suffixes_of(e)) {
            XmlElement copy = e;
            copy_suffix_    = suffix + outer;
            for (XmlElement& c : copy.children) suffix_names(c, copy_suffix_);
            replicated_.push_back(std::move(copy));
            body_children(replicated_.back(), link, at_copy, childclass, joints);
            at_copy = at_copy * step;
        }
        copy_suffix_ = outer;
    }
    /// Names within a <replicate>, as they were, and what each copy has behind them.
    struct Copies {
        std::set<std::string>    names;
        std::vector<std::string> suffixes;
    };
    std::vector<Copies>   replications_;  ///< inner ones before those around them
    std::string           copy_suffix_;
    std::size_t           copies_ = 0;
    std::list<XmlElement> replicated_;

    static std::vector<std::string> suffixes_of(const XmlElement& e)
    {
        std::vector<std::string> out;
        const std::string*       said      = e.peek("count");
        const double             count     = said != nullptr ? parse_number(*said).value_or(0) : 1;
        const std::string*       separator = e.peek("sep");
        if (!(count >= 1 && count <= 10000)) return out;
        const int width = static_cast<int>(fmt::format("{}", static_cast<int>(count) - 1).size());
        for (int i = 0; i < static_cast<int>(count); ++i)
            out.push_back(fmt::format("{}{:0{}}", separator != nullptr ? *separator : "", i, width));
        return out;
    }

    /// Notes the names of copies, and gives those that stand below an element when the copies within it are made.
    std::set<std::string> note_copies(const XmlElement& e)
    {
        std::set<std::string> names;
        if (const std::string* name = e.peek("name"); name != nullptr && e.name != "replicate") names.insert(*name);
        for (const XmlElement& c : e.children) names.merge(note_copies(c));
        if (e.name != "replicate" || names.size() > 100'000) return names;
        Copies                made{std::move(names), suffixes_of(e)};
        std::set<std::string> out;
        if (made.names.size() * made.suffixes.size() <= 100'000)
            for (const std::string& name : made.names)
                for (const std::string& suffix : made.suffixes) out.insert(name + suffix);
        replications_.push_back(std::move(made));
        return out;
    }

    /// Calls `f` with every attribute that refers to something by its name.
    template <class F>
    static void references(XmlElement& e, const F& f)
    {
        static const std::set<std::string, std::less<>> kNames{
            "joint",   "joint1",        "joint2",    "body",       "body1",   "body2",   "site",
            "site1",   "site2",         "geom",      "geom1",      "geom2",   "tendon",  "tendon1",
            "tendon2", "jointinparent", "cranksite", "slidersite", "refsite", "sidesite"};
        for (XmlAttribute& a : e.attributes)
            if (kNames.contains(a.name)) f(a);
        for (XmlElement& c : e.children) references(c, f);
    }

    /// What refers to something that is copied is copied with it: first what is told once, then copy by copy.
    void replicate_sections(XmlElement& root)
    {
        for (Copies& copies : replications_)
            for (const char* name : {"tendon", "equality", "contact", "actuator"})
                for (XmlElement& section : root.children) {
                    if (section.name != name) continue;
                    std::vector<XmlElement> plain, copied;
                    for (XmlElement& c : section.children) {
                        bool refers = false;
                        references(c,
                                   [&](const XmlAttribute& a) { refers = refers || copies.names.contains(a.value); });
                        (refers ? copied : plain).push_back(std::move(c));
                    }
                    if ((copies_ += copied.size() * copies.suffixes.size()) > 100'000) {
                        s_.error(kLimit, section.place, "there are too many copies");
                        copied.clear();
                    }
                    for (const std::string& suffix : copies.suffixes)
                        for (const XmlElement& c : copied) {
                            plain.push_back(c);
                            XmlElement& made = plain.back();
                            references(made, [&](XmlAttribute& a) {
                                if (copies.names.contains(a.value)) a.value += suffix;
                            });
                            if (const std::string* own = made.peek("name")) made.set("name", *own + suffix);
                        }
                    for (const XmlElement& c : copied)  // what refers to these is copied, too
                        if (const std::string* own = c.peek("name")) copies.names.insert(*own);
                    section.children = std::move(plain);
                }
    }

    /// Joints of a body lie in it or in frames of it.
    void collect_joints(const XmlElement& e, std::vector<std::pair<const XmlElement*, Posed>>& out, const Posed& X,
                        std::vector<std::string>& classes, const std::string& childclass)
    {
        for (const XmlElement& c : e.children) {
            if (c.name == "joint" || c.name == "freejoint") out.emplace_back(&c, X), classes.push_back(childclass);
            if (c.name == "frame")
                collect_joints(c, out, X * mjcf_pose(c, compiler_, s_), classes, c.get("childclass", childclass));
        }
    }

    void body(const XmlElement& e, int parent, const Posed& X, const std::string& above)
    {
        e.used                       = true;
        const std::string childclass = e.get("childclass", above);
        Link              link;
        const int         index = static_cast<int>(tree_.links.size());
        std::string       name  = e.get("name");
        if (name.empty()) name = fmt::format("body_{}", ++unnamed_);
        link.name        = s_.unique(body_names_, name, e, "body", true);
        link.place       = e.place;
        const Posed X_PC = X * mjcf_pose(e, compiler_, s_);
        link.X_WL        = (parent >= 0 ? tree_.links[at(parent)].X_WL : Posed{}) * X_PC;
        link.kinematic   = flag(e, "mocap", false);
        if (const auto g = s_.number(e, "gravcomp"); g && *g != 0) {
            e.take("gravcomp");
            link.extras.push_back(mj("mjc:gravcomp", "double", usda_number(*g), "", e.place));
            s_.losses.add({"gravcomp", Severity::warning, LossAction::converted, "kinematics", site_of(e.place),
                           fmt::format("body '{}'/gravcomp", link.name), usda_number(*g), "mjc:gravcomp",
                           "gravity compensation is not simulated; it stands in the layer of MuJoCo"});
        }
        bodies_.try_emplace(link.name, index);
        tree_.links.push_back(std::move(link));
        if (const XmlElement* inertial = e.child("inertial"); inertial != nullptr) {
            if (compiler_.inertiafromgeom == "true" || s_.options.ignore_inertial)
                inertial->use_all();
            else
                read_inertial(*inertial, index);
        }
        joint_of(e, parent, index, X_PC, childclass);
        body_children(e, index, {}, childclass, nullptr);
    }

    void read_inertial(const XmlElement& e, int index)
    {
        Inertial made;
        made.place      = e.place;
        const auto mass = s_.number(e, "mass");
        Posed      X    = mjcf_pose(e, compiler_, s_);
        if (!mass)
            return s_.error(kMissing, e.place,
                            fmt::format("the inertial of body '{}' has no mass", tree_.links[at(index)].name));
        made.mass = *mass;
        made.com  = X.p;
        Mat33d I{};
        if (const auto v = s_.numbers(e, "fullinertia", 6, 6))
            I = {{(*v)[0], (*v)[3], (*v)[4]}, {(*v)[3], (*v)[1], (*v)[5]}, {(*v)[4], (*v)[5], (*v)[2]}};
        else if (const auto d = s_.vec3(e, "diaginertia"))
            I = Mat33d::diagonal(*d);
        else
            made.has_inertia = false;
        const Mat33d R                  = to_matrix(X.q);
        made.inertia                    = R * I * transpose(R);
        tree_.links[at(index)].inertial = made;
    }

    void joint_of(const XmlElement& e, int parent, int child, const Posed& X_PC, const std::string& childclass)
    {
        std::vector<std::pair<const XmlElement*, Posed>> elements;
        std::vector<std::string>                         classes;
        collect_joints(e, elements, {}, classes, childclass);
        Joint made;
        made.parent = parent;
        made.child  = child;
        made.place  = e.place;
        made.name   = tree_.links[at(child)].name + "_weld";
        Posed                                      X_C;
        bool                                       pivoted = false, free = false;
        std::vector<std::pair<std::string, Posed>> refs;
        std::vector<Posed>                         motions;
        std::vector<std::string>                   names;
        for (std::size_t i = 0; i < elements.size(); ++i) {
            const XmlElement& j     = *elements[i].first;
            const Posed&      X     = elements[i].second;
            const XmlElement  m     = j.name == "freejoint" ? j : defaults_.merged(j, "joint", classes[i], s_);
            j.used                  = true;
            const std::string type  = j.name == "freejoint"
                                          ? "free"
                                          : s_.word(m, "type", {"free", "ball", "slide", "hinge"}).value_or("hinge");
            std::string       name  = m.get("name");
            const bool        named = !name.empty();
            if (!named)
                name = tree_.links[at(child)].name + (elements.size() > 1 ? fmt::format("_joint_{}", i) : "_joint");
            if (type == "free") {
                if (parent >= 0)
                    s_.error(kTree, j.place,
                             fmt::format("the free joint of body '{}' is not at the top; the body floats by itself",
                                         tree_.links[at(child)].name));
                free = true;
                joint_names_.insert(name);
                const double resists[] = {first_number(m, "damping").value_or(0), s_.number(m, "armature").value_or(0),
                                          s_.number(m, "frictionloss").value_or(0)};
                if (j.name != "freejoint" && (resists[0] != 0 || resists[1] != 0 || resists[2] != 0)) {
                    s_.losses.add(
                        {"free-joint-values",
                         Severity::warning,
                         LossAction::dropped,
                         "kinematics",
                         site_of(j.place),
                         fmt::format("joint '{}'", name),
                         fmt::format("damping {}, armature {}, friction {}", resists[0], resists[1], resists[2]),
                         {},
                         "a body that floats has no joint in USD that could resist",
                         true});
                    tree_.links[at(child)].extras.push_back(
                        {Extra::Layer::mujoco,
                         hints::kPassive,
                         "double[]",
                         fmt::format("[{}, {}, {}, -1]", usda_number(resists[0]), usda_number(resists[1]),
                                     usda_number(resists[2])),
                         {},
                         j.place});
                }
                j.use_all();
                continue;
            }
            name = s_.unique(joint_names_, name, j, "joint", named);
            Dof dof;
            dof.name  = name;
            dof.place = dof.limit_place = j.place;
            dof.angular                 = type != "slide";
            const Vec3d pivot           = X * s_.vec3(m, "pos").value_or(Vec3d{});
            Vec3d       axis            = s_.vec3(m, "axis").value_or(Vec3d{0, 0, 1});
            if (length(axis) < 1e-12)
                s_.error(kNumber, j.place, fmt::format("the axis of joint '{}' has no direction", name)),
                    axis = {0, 0, 1};
            dof.axis          = rotate(X.q, normalized(axis));
            const double unit = dof.angular ? angle() : 1;
            if (const auto range = s_.numbers(m, "range", 2, 2)) {
                const auto limited = s_.word(m, "limited", {"true", "false", "auto"}).value_or("auto");
                if (limited == "true" || (limited == "auto" && compiler_.autolimits)) {
                    dof.lower = (*range)[0] * unit;
                    dof.upper = (*range)[1] * unit;
                    if (dof.lower > dof.upper)
                        s_.error(kLimits, j.place,
                                 fmt::format("the lower limit of joint '{}' is above the upper one", name));
                }
            } else {
                s_.word(m, "limited", {"true", "false", "auto"});
            }
            dof.damping      = first_number(m, "damping");
            dof.armature     = s_.number(m, "armature");
            dof.friction     = s_.number(m, "frictionloss");
            const double ref = s_.number(m, "ref").value_or(0) * unit;
            joint_extras(m, dof);
            spring_damper(m, made.dofs.size(), type == "ball" && elements.size() > 1 ? 3 : 1);
            if (dof.angular) {
                if (!pivoted)
                    X_C.p = pivot, pivoted = true;
                else if (length(pivot - X_C.p) > 1e-9)
                    s_.losses.add({"joint-pivots", Severity::error, LossAction::approximated, "kinematics",
                                   site_of(j.place), fmt::format("joint '{}'", name),
                                   fmt::format("{} {} {}", pivot.x, pivot.y, pivot.z),
                                   fmt::format("{} {} {}", X_C.p.x, X_C.p.y, X_C.p.z),
                                   fmt::format("the joints of one body share the pivot of the first ({:.3g} m away)",
                                               length(pivot - X_C.p))});
            }
            motions.push_back(dof.angular ? Posed{{}, from_axis_angle(dof.axis, ref)} : Posed{ref * dof.axis, {}});
            names.push_back(name);
            if (type == "ball") {
                if (elements.size() == 1) made.kind = Joint::Kind::ball;
                if (elements.size() > 1)
                    for (int a = 0; a < 2; ++a) {
                        Dof more  = dof;
                        more.axis = axis_vector<double>(a);
                        made.dofs.push_back(std::move(more));
                    }
                dof.axis = {0, 0, 1};
            }
            defaults_.settle(j, m, "joint", s_);
            if (elements.size() > 1 && type != "ball") {  // what a joint with one frame cannot say
                const Vec3d& a = dof.axis;
                dof.extras.push_back(
                    {Extra::Layer::mujoco,
                     hints::kPlace,
                     "double[]",
                     fmt::format("[{}, {}, {}, {}, {}, {}, {}]", usda_number(a.x), usda_number(a.y), usda_number(a.z),
                                 usda_number(pivot.x), usda_number(pivot.y), usda_number(pivot.z), usda_number(ref)),
                     {},
                     j.place});
            }
            made.dofs.push_back(std::move(dof));
        }
        if (free) {
            floating_.insert(child);
            if (made.dofs.empty()) return;
        }
        made.X_CJ = X_C;
        Posed back;
        for (const Posed& m : motions) back = back * m;
        // The body stands where its joints are at their reference; USD's zero is the joint's own.
        made.X_PJ = X_PC * X_C * inverse(back);
        if (!made.dofs.empty()) {
            if (made.kind != Joint::Kind::ball)
                made.kind = made.dofs.size() > 1   ? Joint::Kind::generic
                            : made.dofs[0].angular ? Joint::Kind::revolute
                                                   : Joint::Kind::prismatic;
            made.name = names.size() == 1 ? names[0] : tree_.links[at(child)].name + "_joints";
            if (names.size() > 1) {
                made.name = s_.unique(joint_names_, made.name, e, "joint", false);
                std::string all;
                for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
                s_.losses.add({"joints-merged",
                               Severity::info,
                               LossAction::merged,
                               "kinematics",
                               site_of(e.place),
                               fmt::format("joints {}", all),
                               {},
                               made.name,
                               "USD has one joint between two bodies"});
                bool turned = false;
                for (const Dof& d : made.dofs) {
                    turned = turned || d.angular;
                    if (turned && !d.angular)
                        s_.losses.add({"joint-order", Severity::error, LossAction::approximated, "kinematics",
                                       site_of(d.place), fmt::format("joint '{}'", d.name), "after a rotation",
                                       "before it", "a generic joint translates before it turns"});
                }
            }
        }
        const int index = static_cast<int>(tree_.joints.size());
        for (std::size_t d = 0; d < made.dofs.size(); ++d) dofs_.try_emplace(made.dofs[d].name, index, d);
        joints_.try_emplace(made.name, index);
        tree_.joints.push_back(std::move(made));
    }

    std::optional<double> first_number(const XmlElement& m, const char* name)
    {
        const auto v = s_.numbers(m, name, 1, 10);
        return v ? std::optional((*v)[0]) : std::nullopt;
    }

    void joint_extras(const XmlElement& m, Dof& dof)
    {
        const double degrees = dof.angular ? angle() * kDegrees : 1;  // the schema's angles are degrees
        const auto   put     = [&](std::string name, std::string type, std::string text) {
            dof.extras.push_back(mj("mjc:" + name, std::move(type), std::move(text), "MjcJointAPI", dof.place));
        };
        if (const auto v = first_number(m, "stiffness"); v && *v != 0) put("stiffness", "double", usda_number(*v));
        if (const auto v = s_.number(m, "springref"); v && *v != 0)
            put("springref", "double", usda_number(*v * degrees));
        if (const auto v = s_.number(m, "margin"); v && *v != 0) put("margin", "double", usda_number(*v));
        for (const char* name : {"solreflimit", "solimplimit", "solreffriction", "solimpfriction"})
            if (const auto v = s_.numbers(m, name, 1, 5)) put(name, "double[]", usda_list(*v));
        if (const auto v = s_.numbers(m, "actuatorfrcrange", 2, 2))
            put("actuatorfrcrange:min", "double", usda_number((*v)[0])),
                put("actuatorfrcrange:max", "double", usda_number((*v)[1]));
        if (const auto v = s_.word(m, "actuatorfrclimited", {"true", "false", "auto"}))
            put("actuatorfrclimited", "token", usda_string(*v));
        if (flag(m, "actuatorgravcomp", false)) put("actuatorgravcomp", "bool", "true");
        if (const auto v = s_.number(m, "group"); v && *v != 0)
            put("group", "int", fmt::format("{}", static_cast<int>(*v)));
    }

    /// Notes a joint's time constant and damping ratio until the masses are known; `tree_.joints.size()` will be its
    /// place.
    void spring_damper(const XmlElement& m, std::size_t first, std::size_t count)
    {
        const auto v = s_.numbers(m, "springdamper", 2, 2);
        m.take("springdamper");
        if (!v || ((*v)[0] == 0 && (*v)[1] == 0)) return;
        if ((*v)[0] > 0 && (*v)[1] > 0)
            spring_dampers_.push_back({static_cast<int>(tree_.joints.size()), first, count, (*v)[0], (*v)[1]});
        else
            s_.error(kNumber, m.place,
                     "the time constant and the damping ratio of springdamper are positive, or both zero");
    }

    // -- what bodies carry

    int look(const XmlElement& m, const std::string& name)
    {
        const std::string* material = m.find("material");
        int                index    = -1;
        if (material != nullptr) {
            const auto known = materials_.find(*material);
            if (known != materials_.end()) {
                index = known->second;
            } else {
                std::vector<std::string> names;
                for (const auto& [n, i] : materials_) names.push_back(n);
                s_.error(kUnknownName, m.place, fmt::format("there is no material '{}'", *material),
                         did_you_mean(*material, names));
            }
        }
        const auto rgba = s_.numbers(m, "rgba", 3, 4);
        if (!rgba || (index >= 0 && *rgba == std::vector<double>{0.5, 0.5, 0.5, 1})) return index;
        Material made;
        if (index >= 0) made = tree_.materials[at(index)];
        std::copy(rgba->begin(), rgba->end(), made.rgba.begin());
        for (double& c : made.rgba) c = std::clamp(c, 0.0, 1.0);
        made.name  = index >= 0 ? tree_.materials[at(index)].name
                                : fmt::format("color_{:02x}{:02x}{:02x}{:02x}", byte(made.rgba[0]), byte(made.rgba[1]),
                                              byte(made.rgba[2]), byte(made.rgba[3]));
        made.place = m.place;
        static_cast<void>(name);
        return s_.material(std::move(made));
    }
    static int byte(double v) { return static_cast<int>(std::lround(255 * v)); }

    /// Size and pose by the end points of `fromto`.
    bool from_to(const XmlElement& m, const Posed& X, Shape& shape, std::vector<double>& size)
    {
        const auto v = s_.numbers(m, "fromto", 6, 6);
        if (!v) return false;
        const Vec3d a{(*v)[0], (*v)[1], (*v)[2]}, b{(*v)[3], (*v)[4], (*v)[5]};
        shape.X_LS          = X * Posed{0.5 * (a + b), z_to(a - b)};
        const double half   = 0.5 * length(a - b);
        const bool   wide   = shape.kind == Shape::Kind::box || shape.kind == Shape::Kind::ellipsoid;
        const double across = size.empty() ? 0 : size[0];  // MuJoCo's compiler takes the first size for both
        size                = wide ? std::vector<double>{across, across, half} : std::vector<double>{across, half};
        return true;
    }

    /// The round or square shape that a mesh stands for: that of the box with the inertia of the mesh, or of the box
    /// around it.
    void fit(Shape& shape, Shape::Kind kind, double scale, const std::string& inertia)
    {
        const MjcfMass unit = mjcf_mass(shape, tree_, std::nullopt, 1, false, inertia);
        if (!(unit.mass > 0)) return;
        const auto                 axes = geometry::principal_axes(unit.inertia);
        std::array<std::size_t, 3> order{0, 1, 2};  // the largest moment, about the shortest side, comes first
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return axes.values[a] > axes.values[b]; });
        const Mat33d R = to_matrix(axes.rotation);
        Vec3d        column[3], half;
        for (std::size_t i = 0; i < 3; ++i) column[i] = R.column(order[i]);
        if (dot(cross(column[0], column[1]), column[2]) < 0) column[2] = -column[2];
        Posed X{unit.com, from_matrix(Mat33d::from_columns(column[0], column[1], column[2]))};
        if (compiler_.fitaabb) {
            Vec3d low{1e300, 1e300, 1e300}, high = -low;
            for (const Vec3d& p : tree_.meshes[at(shape.mesh)].points) {
                const Vec3d own =
                    inverse_times(X, Vec3d{p.x * shape.scale.x, p.y * shape.scale.y, p.z * shape.scale.z});
                for (std::size_t i = 0; i < 3; ++i)
                    low[i] = std::min(low[i], own[i]), high[i] = std::max(high[i], own[i]);
            }
            half = 0.5 * (high - low);
            X    = X * Posed{0.5 * (low + high), {}};
        } else {
            const double sum = axes.values.x + axes.values.y + axes.values.z;
            for (std::size_t i = 0; i < 3; ++i)
                half[i] = 0.5 * std::sqrt(std::max(6 * (sum - 2 * axes.values[order[i]]) / unit.mass, 0.0));
        }
        const double across = 0.5 * (half.x + half.y);
        switch (kind) {
            case Shape::Kind::sphere:
                half = compiler_.fitaabb ? Vec3d{1, 1, 1} * max_component(half)
                                         : Vec3d{1, 1, 1} * ((half.x + half.y + half.z) / 3);
                break;
            case Shape::Kind::capsule:
                half = compiler_.fitaabb
                           ? Vec3d{std::max(half.x, half.y), std::max(0.0, half.z - std::max(half.x, half.y)), 0}
                           : Vec3d{across, std::max(0.0, half.z - across / 2), 0};
                break;
            case Shape::Kind::cylinder:
                half = compiler_.fitaabb ? Vec3d{std::max(half.x, half.y), half.z, 0} : Vec3d{across, half.z, 0};
                break;
            case Shape::Kind::box:
            case Shape::Kind::ellipsoid:
                break;
            case Shape::Kind::plane:
            case Shape::Kind::mesh:
                return;
        }
        shape.kind  = kind;
        shape.size  = scale * half;
        shape.X_LS  = shape.X_LS * X;
        shape.mesh  = -1;
        shape.scale = {1, 1, 1};
    }

    void geom(const XmlElement& e, int link, const Posed& X, const std::string& childclass)
    {
        const XmlElement  m = defaults_.merged(e, "geom", childclass, s_);
        const std::string type =
            s_.word(m, "type", {"plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"})
                .value_or("sphere");
        std::string name = m.get("name");
        Shape       made;
        made.link                    = link;
        made.place                   = e.place;
        made.name                    = name.empty() ? fmt::format("geom_{}", tree_.shapes.size()) : name;
        auto               size      = s_.numbers(m, "size", 1, 3).value_or(std::vector<double>());
        const std::string* mesh_name = m.find("mesh");
        static const std::map<std::string, Shape::Kind> kKinds{
            {"plane", Shape::Kind::plane},       {"sphere", Shape::Kind::sphere},
            {"capsule", Shape::Kind::capsule},   {"ellipsoid", Shape::Kind::ellipsoid},
            {"cylinder", Shape::Kind::cylinder}, {"box", Shape::Kind::box},
            {"mesh", Shape::Kind::mesh}};
        const auto         settle  = [&] { defaults_.settle(e, m, "geom", s_); };
        const std::string* terrain = type == "hfield" ? m.find("hfield") : nullptr;
        const auto         ground  = terrain != nullptr ? hfields_.find(*terrain) : hfields_.end();
        const bool         field   = type == "sdf" && mesh_name != nullptr;  // of distances to the mesh
        if (!kKinds.contains(type) && !field && ground == hfields_.end()) {
            s_.losses.add({"geom-type",
                           Severity::error,
                           LossAction::dropped,
                           "collision",
                           site_of(e.place),
                           fmt::format("geom '{}'", made.name),
                           type,
                           {},
                           "USD has no such shape here"});
            e.use_all();
            return;
        }
        made.kind                = kKinds.contains(type) ? kKinds.at(type) : Shape::Kind::mesh;
        const Shape::Kind fitted = made.kind;
        if (mesh_name != nullptr) made.kind = Shape::Kind::mesh;
        if (field || ground != hfields_.end()) made.approximation = "none";
        made.X_LS           = X * mjcf_pose(m, compiler_, s_);
        std::string inertia = "legacy";
        if (ground != hfields_.end()) {
            made.mesh = ground->second;
            s_.losses.add({"height-field", Severity::warning, LossAction::approximated, "collision", site_of(e.place),
                           fmt::format("geom '{}'", made.name), "a height field", "its triangles",
                           "OpenUSD has no height fields"});
        } else if (made.kind == Shape::Kind::mesh) {
            const auto known = mesh_name != nullptr ? meshes_.find(*mesh_name) : meshes_.end();
            if (known == meshes_.end()) {
                std::vector<std::string> names;
                for (const auto& [n, i] : meshes_) names.push_back(n);
                s_.error(kUnknownName, e.place,
                         fmt::format("the geom '{}' names the mesh '{}', which does not exist", made.name,
                                     mesh_name != nullptr ? *mesh_name : ""),
                         mesh_name != nullptr ? did_you_mean(*mesh_name, names) : "");
                return settle();
            }
            if (known->second < 0) return settle();
            made.mesh  = known->second;
            made.scale = mesh_scales_[*mesh_name];
            inertia    = mesh_inertias_[*mesh_name];
            if (fitted != Shape::Kind::mesh) fit(made, fitted, s_.number(m, "fitscale").value_or(1), inertia);
        } else {
            from_to(m, X, made, size);
            const std::size_t needed = made.kind == Shape::Kind::sphere                                          ? 1
                                       : made.kind == Shape::Kind::capsule || made.kind == Shape::Kind::cylinder ? 2
                                       : made.kind == Shape::Kind::plane                                         ? 0
                                                                                                                 : 3;
            bool              good   = size.size() >= needed;
            for (std::size_t i = 0; i < needed && good; ++i) good = size[i] > 0;
            size.resize(3, 0);
            if (!good) {
                s_.error(kShape, e.place,
                         fmt::format("the geom '{}' ({}) needs {} positive sizes", made.name, type, needed));
                return settle();
            }
            made.size = {size[0], size[1], size[2]};
            if (made.kind == Shape::Kind::sphere) made.size = {size[0], size[0], size[0]};
            if (made.kind == Shape::Kind::capsule || made.kind == Shape::Kind::cylinder) made.size.z = 0;
        }
        const auto whole = [&](const char* attribute, int otherwise) {
            return static_cast<int>(std::clamp(s_.number(m, attribute).value_or(otherwise), -2e9, 2e9));
        };
        const int contype = whole("contype", 1), conaffinity = whole("conaffinity", 1), group = whole("group", 0);
        made.collider = contype != 0 || conaffinity != 0;
        made.visual   = !made.collider || group < 3;
        if (s_.options.visuals_collide && !made.collider) made.collider = true;
        const auto friction = s_.numbers(m, "friction", 1, 3).value_or(std::vector<double>{1, 0.005, 0.0001});
        Contact    contact{friction[0], friction[0], 0, friction.size() > 1 ? friction[1] : 0.005,
                           friction.size() > 2 ? friction[2] : 0.0001};
        if (made.collider) made.contact = contact;
        made.material      = look(m, made.name);
        const auto density = s_.number(m, "density"), mass = s_.number(m, "mass");
        const bool shell = flag(m, "shellinertia", false);
        const auto put   = [&](std::string attribute, std::string value_type, std::string text) {
            made.extras.push_back(
                mj("mjc:" + attribute, std::move(value_type), std::move(text), "MjcCollisionAPI", e.place));
        };
        if (const int condim = whole("condim", 3); condim != 3 && made.collider)
            put("condim", "int", fmt::format("{}", condim));
        if (const int priority = whole("priority", 0); priority != 0 && made.collider)
            put("priority", "int", fmt::format("{}", priority));
        for (const char* attribute : {"margin", "gap"})
            if (const auto v = s_.number(m, attribute); v && *v != 0 && made.collider)
                put(attribute, "double", usda_number(*v));
        if (const auto v = s_.number(m, "solmix"); v && *v != 1 && made.collider)
            put("solmix", "double", usda_number(*v));
        for (const char* attribute : {"solref", "solimp"})
            if (const auto v = s_.numbers(m, attribute, 1, 5); v && made.collider)
                put(attribute, "double[]", usda_list(*v));
        if (group != 0)
            made.extras.push_back(mj("mjc:group", "int", fmt::format("{}", group),
                                     made.collider ? "MjcCollisionAPI" : "MjcImageableAPI", e.place));
        if (shell && made.collider) put("shellinertia", "bool", "true");
        if (link >= 0 && ground == hfields_.end() && group >= compiler_.group_min && group <= compiler_.group_max) {
            if (shell && made.kind == Shape::Kind::ellipsoid)
                s_.losses.add({"ellipsoid-shell", Severity::warning, LossAction::approximated, "inertia",
                               site_of(e.place), fmt::format("geom '{}'", made.name), "shell", "solid",
                               "the inertia of its wall has no closed form"});
            const MjcfMass one = mjcf_mass(made, tree_, mass, density.value_or(1000), shell, inertia);
            if (one.mass > 0) geom_masses_[link].push_back({one, made.X_LS});
        }
        settle();
        if (!name.empty()) geoms_.try_emplace(name, static_cast<int>(tree_.shapes.size()));
        classes_.emplace_back(contype, conaffinity);
        tree_.shapes.push_back(std::move(made));
    }

    void site(const XmlElement& e, int link, const Posed& X, const std::string& childclass)
    {
        const XmlElement m = defaults_.merged(e, "site", childclass, s_);
        Frame            made;
        made.link        = link;
        made.place       = e.place;
        made.published   = false;
        std::string name = m.get("name");
        if (name.empty()) name = fmt::format("site_{}", tree_.sites.size());
        made.name = s_.unique(site_names_, name, e, "site", true);
        Shape shape;
        shape.kind = Shape::Kind::capsule;
        std::vector<double> size;
        if (from_to(m, X, shape, size))
            made.X_LS = shape.X_LS;
        else
            made.X_LS = X * mjcf_pose(m, compiler_, s_);
        const int group = static_cast<int>(s_.number(m, "group").value_or(0));
        made.extras.push_back(
            mj(group != 0 ? "mjc:group" : "", "int", fmt::format("{}", group), "MjcSiteAPI", e.place));
        for (const char* looks : {"size", "type", "rgba", "material"}) m.find(looks);  // how it is drawn
        defaults_.settle(e, m, "site", s_);
        sites_.try_emplace(made.name, static_cast<int>(tree_.sites.size()));
        tree_.sites.push_back(std::move(made));
    }

    void camera(const XmlElement& e, int link, const Posed& X, const std::string& childclass)
    {
        const XmlElement m = defaults_.merged(e, "camera", childclass, s_);
        Camera           made;
        made.link         = link;
        made.place        = e.place;
        made.name         = m.get("name", "camera");
        made.X_LC         = X * mjcf_pose(m, compiler_, s_);
        const double fovy = s_.number(m, "fovy").value_or(45);
        made.fovy         = std::clamp(fovy, 0.1, 179.0) / kDegrees;
        made.orthographic = s_.word(m, "orthographic", {"true", "false"}).value_or("false") == "true";
        made.height       = fovy;
        defaults_.settle(e, m, "camera", s_);
        tree_.cameras.push_back(std::move(made));
    }

    void light(const XmlElement& e, int link, const Posed& X, const std::string& childclass)
    {
        const XmlElement m = defaults_.merged(e, "light", childclass, s_);
        Light            made;
        made.link                     = link;
        made.place                    = e.place;
        made.name                     = m.get("name", "light");
        const bool        directional = flag(m, "directional", false);
        const std::string type        = m.get("type", directional ? "directional" : "spot");
        made.kind                     = type == "directional" ? Light::Kind::distant
                                        : type == "spot"      ? Light::Kind::spot
                                                              : Light::Kind::point;
        made.cone                     = s_.number(m, "cutoff").value_or(45) / kDegrees;
        if (const auto v = s_.numbers(m, "diffuse", 3, 3)) std::copy(v->begin(), v->end(), made.color.begin());
        const Vec3d to = normalized(s_.vec3(m, "dir").value_or(Vec3d{0, 0, -1}), {0, 0, -1});
        made.X_LL      = X * Posed{s_.vec3(m, "pos").value_or(Vec3d{}), rotation_between(Vec3d{0, 0, -1}, to)};
        defaults_.settle(e, m, "light", s_);
        tree_.lights.push_back(std::move(made));
    }

    // -- masses

    void masses()
    {
        double total = 0;
        for (std::size_t l = 0; l < tree_.links.size(); ++l) {
            Link& link = tree_.links[l];
            if (!link.inertial || !link.inertial->has_inertia || compiler_.inertiafromgeom == "true") {
                geometry::MassProperties sum;
                bool                     any = false;
                for (const GeomMass& g : geom_masses_[static_cast<int>(l)]) {
                    const auto part = geometry::transformed({g.mass.mass, g.mass.com, g.mass.inertia}, g.X_LS);
                    sum             = any ? geometry::combined(sum, part) : part;
                    any             = true;
                }
                if (any && !link.inertial) {
                    link.inertial = Inertial{sum.mass, sum.com, sum.inertia, true, link.place};
                    s_.losses.add({"mass-from-shapes",
                                   Severity::info,
                                   LossAction::converted,
                                   "inertia",
                                   site_of(link.place),
                                   fmt::format("body '{}'", link.name),
                                   {},
                                   fmt::format("{} kg", sum.mass),
                                   "computed as MuJoCo does"});
                }
            }
            if (!link.inertial) continue;
            Inertial& in = *link.inertial;
            in.mass      = std::max(in.mass, compiler_.boundmass);
            if (in.has_inertia && (compiler_.boundinertia > 0 || compiler_.balanceinertia)) {
                auto   axes = geometry::principal_axes(in.inertia);
                Vec3d& d    = axes.values;
                for (std::size_t i = 0; i < 3; ++i) d[i] = std::max(d[i], compiler_.boundinertia);
                if (compiler_.balanceinertia && (d.x + d.y < d.z || d.x + d.z < d.y || d.y + d.z < d.x))
                    d = (d.x + d.y + d.z) / 3 * Vec3d{1, 1, 1};
                const Mat33d R = to_matrix(axes.rotation);
                in.inertia     = R * Mat33d::diagonal(d) * transpose(R);
            }
            if (!(in.mass > 0)) {
                if (in.mass < 0)
                    s_.error(kInertia, in.place, fmt::format("the mass of body '{}' is {}", link.name, in.mass));
                link.inertial.reset();
                continue;
            }
            if (in.has_inertia && !is_inertia(in.inertia)) {
                s_.error(kInertia, in.place,
                         fmt::format("the inertia of body '{}' is that of no body; it is computed from the shapes",
                                     link.name));
                in.has_inertia = false;
                if (is_finite(in.inertia)) link.unused = in;  // for the way back
            }
            total += in.mass;
        }
        if (compiler_.settotalmass > 0 && total > 0)
            for (Link& link : tree_.links)
                if (link.inertial)
                    link.inertial->mass *= compiler_.settotalmass / total,
                        link.inertial->inertia *= compiler_.settotalmass / total;
    }

    /// A body without joints at the top is part of the world; one that carries moving bodies is their fixed base.
    void static_bodies()
    {
        std::vector<bool> carries(tree_.links.size(), false), welded(tree_.links.size(), true);
        for (const Joint& j : tree_.joints)
            if (!j.loop && j.kind != Joint::Kind::fixed) welded[at(j.child)] = false;
        for (const int l : floating_) welded[at(l)] = false;
        std::vector<int> parent(tree_.links.size(), -1);
        for (const Joint& j : tree_.joints)
            if (!j.loop) parent[at(j.child)] = j.parent;
        for (std::size_t l = tree_.links.size(); l-- > 0;)
            if (parent[l] >= 0 && (carries[l] || !welded[l])) carries[at(parent[l])] = true;
        std::vector<bool> still(tree_.links.size(), false);
        for (std::size_t l = 0; l < tree_.links.size(); ++l) {
            still[l] = welded[l] && (parent[l] < 0 || still[at(parent[l])]) && !floating_.contains(static_cast<int>(l));
            if (still[l] && !carries[l] && tree_.links[l].inertial && !tree_.links[l].kinematic) {
                s_.losses.add({"static-body", Severity::info, LossAction::converted, "inertia",
                               site_of(tree_.links[l].place), fmt::format("body '{}'", tree_.links[l].name),
                               fmt::format("{} kg", tree_.links[l].inertial->mass), "part of the world",
                               "nothing moves it"});
                tree_.links[l].unused = std::exchange(tree_.links[l].inertial, std::nullopt);
            }
        }
    }

    void anchor()
    {
        for (const int l : floating_) {
            Joint made;
            made.name  = s_.unique(joint_names_, tree_.links[at(l)].name + "_anchor", {}, "joint", false);
            made.child = l;
            made.X_PJ  = tree_.links[at(l)].X_WL;
            made.place = tree_.links[at(l)].place;
            tree_.joints.push_back(std::move(made));
        }
    }

    // -- contacts

    int named(const std::map<std::string, int>& known, const std::string& name, const XmlElement& e,
              std::string_view what)
    {
        if (const auto found = known.find(name); found != known.end()) return found->second;
        std::vector<std::string> names;
        for (const auto& [n, i] : known) names.push_back(n);
        s_.error(kUnknownName, e.place, fmt::format("<{}> names the {} '{}', which does not exist", e.name, what, name),
                 did_you_mean(name, names));
        return -1;
    }

    void contacts(const XmlElement& e)
    {
        for (const XmlElement& c : e.children) {
            if (c.name != "exclude") continue;
            c.find("name");
            const int a = named(bodies_, c.get("body1"), c, "body"), b = named(bodies_, c.get("body2"), c, "body");
            if (a >= 0 && b >= 0) tree_.exclusions.push_back({a, b, c.place});
        }
    }

    void groups()
    {
        std::map<std::pair<int, int>, std::vector<int>> by_class;
        for (std::size_t i = 0; i < tree_.shapes.size(); ++i)
            if (tree_.shapes[i].collider && (classes_[i].first != 0 || classes_[i].second != 0))
                by_class[classes_[i]].push_back(static_cast<int>(i));
        const auto meet = [](const std::pair<int, int>& a, const std::pair<int, int>& b) {
            return (a.first & b.second) != 0 || (b.first & a.second) != 0;
        };
        bool all = true;
        for (const auto& [a, x] : by_class)
            for (const auto& [b, y] : by_class) all = all && meet(a, b);
        if (all || by_class.empty()) return;
        for (const auto& [key, shapes] : by_class) {
            CollisionGroup group{fmt::format("type_{}_affinity_{}", key.first, key.second), shapes, {}};
            int            index = 0;
            for (const auto& [other, more] : by_class) {
                if (!meet(key, other)) group.filtered.push_back(index);
                ++index;
            }
            tree_.groups.push_back(std::move(group));
        }
    }

    // -- equalities, tendons, actuators, keyframes

    std::vector<Extra> softness(const XmlElement& m, const char* api)
    {
        std::vector<Extra> out;
        for (const char* name : {"solref", "solimp"})
            if (const auto v = s_.numbers(m, name, 1, 5))
                out.push_back(mj(std::string("mjc:") + name, "double[]", usda_list(*v), api, m.place));
        return out;
    }

    void equalities(const XmlElement& e)
    {
        for (const XmlElement& c : e.children) {
            if (c.name != "connect" && c.name != "weld" && c.name != "joint") continue;
            const XmlElement m      = defaults_.merged(c, "equality", "", s_);
            const bool       active = flag(m, "active", true) && !off("equality");
            std::string      name   = m.get("name");
            if (!active) {
                s_.losses.add({"inactive-equality",
                               Severity::warning,
                               LossAction::dropped,
                               "kinematics",
                               site_of(c.place),
                               fmt::format("{} '{}'", c.name, name),
                               off("equality") ? "disabled by a flag" : "active=false",
                               {},
                               "it does nothing until a program turns it on"});
                c.use_all();
                continue;
            }
            if (c.name == "joint")
                joint_equality(c, m);
            else
                body_equality(c, m, name);
            defaults_.settle(c, m, "equality", s_);
        }
    }

    void joint_equality(const XmlElement& c, const XmlElement& m)
    {
        const auto follower = dofs_.find(m.get("joint1"));
        if (follower == dofs_.end()) return void(named(joints_, m.get("joint1"), c, "joint"));
        auto coefficients = s_.numbers(m, "polycoef", 1, 5).value_or(std::vector<double>{0, 1, 0, 0, 0});
        coefficients.resize(5, 0);
        Joint&             joint = tree_.joints[at(follower->second.first)];
        const std::string* other = m.find("joint2");
        if (other == nullptr || joint.dofs.size() != 1) {
            s_.losses.add({"joint-equality",
                           Severity::error,
                           LossAction::dropped,
                           "kinematics",
                           site_of(c.place),
                           fmt::format("joint '{}'", follower->first),
                           {},
                           {},
                           other == nullptr ? "USD has no word for holding a joint at a value"
                                            : "only joints of one axis follow others"});
            return;
        }
        const auto leader = dofs_.find(*other);
        if (leader == dofs_.end()) return void(named(joints_, *other, c, "joint"));
        if (tree_.joints[at(leader->second.first)].dofs.size() != 1) {
            s_.losses.add({"joint-equality",
                           Severity::error,
                           LossAction::dropped,
                           "kinematics",
                           site_of(c.place),
                           fmt::format("joint '{}'", follower->first),
                           {},
                           {},
                           "only joints of one axis lead others"});
            return;
        }
        joint.mimic = Mimic{leader->second.first, coefficients[1], coefficients[0], c.place};
        if (coefficients[2] != 0 || coefficients[3] != 0 || coefficients[4] != 0) {
            for (std::size_t i = 2; i < 5; ++i)
                joint.extras.push_back(mj(fmt::format("mjc:coef{}", i), "double", usda_number(coefficients[i]),
                                          "MjcEqualityJointAPI", c.place));
            s_.losses.add({"polynomial-equality", Severity::error, LossAction::approximated, "kinematics",
                           site_of(c.place), fmt::format("joint '{}'", follower->first), "a polynomial",
                           "its linear part", "a mimic is linear; the rest stands in the layer of MuJoCo"});
        }
        for (Extra& x : softness(m, "MjcEqualityJointAPI")) joint.extras.push_back(std::move(x));
    }

    void body_equality(const XmlElement& c, const XmlElement& m, const std::string& name)
    {
        int   bodies[2] = {-1, -1};
        Posed frames[2];
        if (const std::string* site = m.find("site1")) {
            const char* which[] = {"site1", "site2"};
            for (int i = 0; i < 2; ++i) {
                const int s = named(sites_, m.get(which[i]), c, "site");
                if (s < 0) return;
                bodies[i] = tree_.sites[at(s)].link;
                frames[i] = tree_.sites[at(s)].X_LS;
            }
            static_cast<void>(site);
        } else {
            const std::string* first  = m.find("body1");
            const std::string* second = m.find("body2");
            if (first == nullptr)
                return s_.error(kMissing, c.place, fmt::format("the {} '{}' names no body", c.name, name));
            if (*first != "world" && (bodies[0] = named(bodies_, *first, c, "body")) < 0) return;
            if (second != nullptr && *second != "world" && (bodies[1] = named(bodies_, *second, c, "body")) < 0) return;
            const auto  world  = [&](int body) { return body >= 0 ? tree_.links[at(body)].X_WL : Posed{}; };
            const Posed X_12   = inverse(world(bodies[0])) * world(bodies[1]);
            const Vec3d anchor = s_.vec3(m, "anchor").value_or(Vec3d{});
            if (c.name == "connect") {  // the anchor lies in the first body
                frames[0] = {anchor, {}};
                frames[1] = inverse(X_12) * frames[0];
            } else {  // of a weld it lies in the second; relpose is the second in the first
                Posed relative = X_12;
                if (const auto v = s_.numbers(m, "relpose", 7, 7);
                    v && ((*v)[3] != 0 || (*v)[4] != 0 || (*v)[5] != 0 || (*v)[6] != 0))
                    relative = {{(*v)[0], (*v)[1], (*v)[2]}, normalized(Quatd{(*v)[4], (*v)[5], (*v)[6], (*v)[3]})};
                frames[1] = {anchor, {}};
                frames[0] = relative * frames[1];
            }
        }
        if (bodies[0] == bodies[1])
            return s_.error(kTree, c.place, fmt::format("the {} '{}' joins a body with itself", c.name, name));
        if (bodies[1] < 0) std::swap(bodies[0], bodies[1]), std::swap(frames[0], frames[1]);
        Joint made;
        made.name = s_.unique(joint_names_, name.empty() ? fmt::format("{}_{}", c.name, tree_.joints.size()) : name, c,
                              "joint", false);
        made.kind = c.name == "connect" ? Joint::Kind::ball : Joint::Kind::fixed;
        made.parent = bodies[0];
        made.child  = bodies[1];
        made.X_PJ   = frames[0];
        made.X_CJ   = frames[1];
        made.loop = made.collide = true;
        made.place               = c.place;
        const char* api          = c.name == "connect" ? "MjcEqualityConnectAPI" : "MjcEqualityWeldAPI";
        made.extras              = softness(m, api);
        made.extras.push_back(mj("", "", "", api, c.place));
        if (const auto v = s_.number(m, "torquescale"); v && *v != 1)
            made.extras.push_back(mj("mjc:torqueScale", "float", usda_number(*v), api, c.place));
        joints_.try_emplace(made.name, static_cast<int>(tree_.joints.size()));
        tree_.joints.push_back(std::move(made));
    }

    void tendons(const XmlElement& e)
    {
        for (const XmlElement& c : e.children) {
            if (c.name != "fixed" && c.name != "spatial") continue;
            const XmlElement m = defaults_.merged(c, "tendon", "", s_);
            VendorPrim       made;
            made.type      = "MjcTendon";
            made.name      = m.get("name", fmt::format("tendon_{}", tree_.prims.size()));
            made.place     = c.place;
            const auto put = [&](std::string name, std::string type, std::string text) {
                made.extras.push_back(mj("mjc:" + name, std::move(type), std::move(text), "", c.place));
            };
            put("type", "token", usda_string(c.name));
            for (const char* name : {"stiffness", "damping"})
                if (const auto v = first_number(m, name)) put(name, "double", usda_number(*v));
            for (const char* name : {"armature", "frictionloss", "margin", "width"})
                if (const auto v = s_.number(m, name)) put(name, "double", usda_number(*v));
            if (const auto v = s_.numbers(m, "range", 2, 2))
                put("range:min", "double", usda_number((*v)[0])), put("range:max", "double", usda_number((*v)[1]));
            if (const auto v = s_.word(m, "limited", {"true", "false", "auto"}))
                put("limited", "token", usda_string(*v));
            if (const auto v = s_.numbers(m, "springlength", 1, 2)) put("springlength", "double[]", usda_list(*v));
            if (const auto v = s_.numbers(m, "rgba", 4, 4)) put("rgba", "color4f", usda_list(*v, '('));
            for (const char* name : {"solreflimit", "solimplimit", "solreffriction", "solimpfriction"})
                if (const auto v = s_.numbers(m, name, 1, 5)) put(name, "double[]", usda_list(*v));
            Relation            path{"mjc:path", {}}, sides{"mjc:sideSites", {}};
            std::vector<double> coefficients, divisors{1}, segments, side_indices;
            int                 segment = 0;
            bool                good = true, several = false;
            std::string         dof_names;
            for (const XmlElement& p : m.children) {
                p.used = true;
                if (p.name == "joint") {
                    const auto found = dofs_.find(p.get("joint"));
                    if (found == dofs_.end()) {
                        good = false;
                        named(joints_, p.get("joint"), p, "joint");
                        continue;
                    }
                    path.targets.push_back({Ref::Kind::joint, found->second.first});
                    several = several || tree_.joints[at(found->second.first)].dofs.size() > 1;
                    dof_names += (dof_names.empty() ? "" : ", ") + usda_string(p.get("joint"));
                    coefficients.push_back(s_.number(p, "coef").value_or(1));
                } else if (p.name == "site" || p.name == "geom") {
                    const int found = p.name == "site" ? named(sites_, p.get("site"), p, "site")
                                                       : named(geoms_, p.get("geom"), p, "geom");
                    if (found < 0) {
                        good = false;
                        continue;
                    }
                    path.targets.push_back({p.name == "site" ? Ref::Kind::site : Ref::Kind::shape, found});
                    segments.push_back(segment);
                    int side = -1;
                    if (const std::string* s = p.find("sidesite"); s != nullptr && sites_.contains(*s)) {
                        side = static_cast<int>(sides.targets.size());
                        sides.targets.push_back({Ref::Kind::site, sites_.at(*s)});
                    }
                    side_indices.push_back(side);
                } else if (p.name == "pulley") {
                    ++segment;
                    divisors.push_back(s_.number(p, "divisor").value_or(1));
                }
            }
            const auto ints  = [](const std::vector<double>& v) { return usda_list(v); };
            const bool pulls = std::any_of(made.extras.begin(), made.extras.end(), [](const Extra& x) {
                static constexpr std::string_view kForces[] = {"mjc:stiffness", "mjc:damping",   "mjc:frictionloss",
                                                               "mjc:armature",  "mjc:range:min", "mjc:range:max"};
                return x.text != "0" && std::find(std::begin(kForces), std::end(kForces), x.name) != std::end(kForces);
            });
            if (several) made.extras.push_back(mj(hints::kDof, "string[]", "[" + dof_names + "]", "", c.place));
            if (!coefficients.empty()) put("path:coef", "double[]", usda_list(coefficients));
            if (!segments.empty())
                put("path:segments", "int[]", ints(segments)), put("path:divisors", "double[]", usda_list(divisors));
            if (!sides.targets.empty()) put("sideSites:indices", "int[]", ints(side_indices));
            std::vector<double> order;
            std::vector<Ref>    once;  // a target stands in a relationship once
            for (const Ref& r : path.targets) {
                const auto same = std::find_if(once.begin(), once.end(),
                                               [&](const Ref& o) { return o.kind == r.kind && o.index == r.index; });
                order.push_back(static_cast<double>(same - once.begin()));
                if (same == once.end()) once.push_back(r);
            }
            path.targets = once;
            put("path:indices", "int[]", ints(order));
            made.relations.push_back(std::move(path));
            if (!sides.targets.empty()) made.relations.push_back(std::move(sides));
            defaults_.settle(c, m, "tendon", s_);
            s_.losses.add({"tendon", Severity::warning, LossAction::converted, "kinematics", site_of(c.place),
                           fmt::format("tendon '{}'", made.name), c.name, "MjcTendon",
                           "USD has no tendon; it stands in the layer of MuJoCo", pulls});
            if (!good) continue;
            tendons_.try_emplace(made.name, static_cast<int>(tree_.prims.size()));
            tree_.prims.push_back(std::move(made));
        }
    }

    void actuators(const XmlElement& e)
    {
        static constexpr std::string_view kKinds[] = {"general", "motor",    "position", "velocity", "intvelocity",
                                                      "damper",  "cylinder", "muscle",   "adhesion"};
        for (const XmlElement& c : e.children) {
            if (std::find(std::begin(kKinds), std::end(kKinds), c.name) == std::end(kKinds)) continue;
            XmlElement m = defaults_.merged(c, c.name, "", s_);
            // A class's <general> counts for shortcuts too.
            const XmlElement general = defaults_.merged(c, "general", "", s_);
            for (const char* shared : {"ctrlrange", "ctrllimited", "forcerange", "forcelimited", "gear", "group"})
                if (m.peek(shared) == nullptr)
                    if (const std::string* v = general.peek(shared)) m.set(shared, *v);
            actuator(c, m);
            defaults_.settle(c, m, c.name, s_);
        }
    }

    void actuator(const XmlElement& c, const XmlElement& m)
    {
        const MjcfActuator a = mjcf_actuator(m, s_);
        VendorPrim         made;
        made.type      = "MjcActuator";
        made.place     = c.place;
        made.name      = m.get("name", fmt::format("{}_{}", c.name, tree_.prims.size()));
        const auto put = [&](std::string name, std::string type, std::string text) {
            made.extras.push_back(mj("mjc:" + name, std::move(type), std::move(text), "", c.place));
        };
        put("gainType", "token", usda_string(a.gain_type)), put("biasType", "token", usda_string(a.bias_type)),
            put("dynType", "token", usda_string(a.dyn_type));
        // MuJoCo keeps a ratio of damping as a positive number where the damping would be.
        auto         bias  = a.bias;
        const double ratio = c.name == "position" ? s_.number(m, "dampratio").value_or(0) : 0;
        if (ratio > 0 && bias[2] == 0) bias[2] = ratio;
        put("gainPrm", "double[]", usda_list(a.gain)), put("biasPrm", "double[]", usda_list(bias)),
            put("dynPrm", "double[]", usda_list(a.dynamics)), put("gear", "double[]", usda_list(a.gear));
        std::optional<std::vector<double>> force;
        for (const auto& [name, target] : {std::pair{"ctrl", "ctrlRange"}, std::pair{"force", "forceRange"},
                                           std::pair{"act", "actRange"}, std::pair{"length", "lengthRange"}}) {
            const auto range = s_.numbers(m, std::string(name) + "range", 2, 2);
            if (range)
                put(std::string(target) + ":min", "double", usda_number((*range)[0])),
                    put(std::string(target) + ":max", "double", usda_number((*range)[1]));
            const std::string limited =
                s_.word(m, std::string(name) + "limited", {"true", "false", "auto"}).value_or("auto");
            if (limited != "auto") put(std::string(name) + "Limited", "token", usda_string(limited));
            const bool on = range && (limited == "true" || (limited == "auto" && compiler_.autolimits));
            if (on && std::string_view(name) == "force") force = range;
            if (on && std::string_view(name) == "ctrl" && !force && c.name == "motor" && !off("clampctrl"))
                force = std::vector<double>{a.gain[0] * (*range)[0], a.gain[0] * (*range)[1]};
            if (on && std::string_view(name) == "force" && c.name == "motor") force = range;
        }
        if (const auto v = s_.number(m, "inheritrange"); v && *v != 0) put("inheritRange", "double", usda_number(*v));
        if (const auto v = s_.number(m, "dampratio"); v && *v != 0)
            s_.losses.add(
                {"dampratio",
                 Severity::warning,
                 LossAction::dropped,
                 "actuation",
                 site_of(c.place),
                 fmt::format("{} '{}'", c.name, made.name),
                 usda_number(*v),
                 {},
                 "the damping depends on masses at the start: MuJoCo's layer keeps the ratio, a drive has none; "
                 "author kv",
                 true});
        Relation target{"mjc:target", {}};
        if (const std::string* joint = m.find("joint") != nullptr ? m.find("joint") : m.find("jointinparent")) {
            const auto found = dofs_.find(*joint);
            if (found == dofs_.end()) {
                named(joints_, *joint, c, "joint");
                return;
            }
            target.targets.push_back({Ref::Kind::joint, found->second.first});
            if (tree_.joints[at(found->second.first)].dofs.size() > 1)
                made.extras.push_back(mj(hints::kDof, "string", usda_string(*joint), "", c.place));
            drive(c, a, force, tree_.joints[at(found->second.first)].dofs[found->second.second], made.name);
        } else if (const std::string* tendon = m.find("tendon")) {
            const auto found = tendons_.find(*tendon);
            if (found == tendons_.end()) return void(named(tendons_, *tendon, c, "tendon"));
            target.targets.push_back({Ref::Kind::prim, found->second});
            only_mujoco(c, made.name, "it pulls a tendon");
        } else if (const std::string* site = m.find("site")) {
            const int found = named(sites_, *site, c, "site");
            if (found < 0) return;
            target.targets.push_back({Ref::Kind::site, found});
            if (const std::string* ref = m.find("refsite"); ref != nullptr && sites_.contains(*ref))
                made.relations.push_back({"mjc:refSite", {{Ref::Kind::site, sites_.at(*ref)}}});
            only_mujoco(c, made.name, "it pushes at a site");
        } else if (const std::string* body = m.find("body")) {
            const int found = named(bodies_, *body, c, "body");
            if (found < 0) return;
            target.targets.push_back({Ref::Kind::link, found});
            only_mujoco(c, made.name, "it acts on contacts");
        } else {
            s_.losses.add({"actuator-target",
                           Severity::warning,
                           LossAction::dropped,
                           "actuation",
                           site_of(c.place),
                           fmt::format("{} '{}'", c.name, made.name),
                           {},
                           {},
                           "what it acts on is not known here",
                           true});
            return;
        }
        made.relations.push_back(std::move(target));
        tree_.prims.push_back(std::move(made));
    }

    void only_mujoco(const XmlElement& c, const std::string& name, std::string why)
    {
        s_.losses.add({"actuator",
                       Severity::warning,
                       LossAction::converted,
                       "actuation",
                       site_of(c.place),
                       fmt::format("{} '{}'", c.name, name),
                       {},
                       "MjcActuator",
                       why + ", which no drive of USD does; it stands in the layer of MuJoCo",
                       true});
    }

    /// Motors, positions and velocities are drives: force = gear (gain ctrl + bias), bias = b0 + b1 gear q + b2 gear
    /// qd. Where the command is zero, b0 moves the target to b0 / (-b1 gear).
    void drive(const XmlElement& c, const MjcfActuator& a, const std::optional<std::vector<double>>& force, Dof& dof,
               const std::string& name)
    {
        const bool plain = a.gain_type == "fixed" && (a.bias_type == "none" || a.bias_type == "affine") &&
                           (a.dyn_type == "none" || a.dyn_type == "filterexact" || a.dyn_type == "filter");
        // A constant force beside a spring is the spring with another rest; without one it is no drive.
        const bool rises = a.bias_type == "affine" && (a.bias[1] > 0 || a.bias[2] > 0);
        if (!plain || rises || (a.bias_type == "affine" && a.bias[0] != 0 && (a.bias[1] == 0 || a.gear[0] == 0)))
            return only_mujoco(c, name, "its force is no linear law of position and velocity");
        const double gear = a.gear[0];
        Drive        made;
        made.place     = c.place;
        made.stiffness = a.bias_type == "affine" ? std::max(0.0, -a.bias[1]) * gear * gear : 0;
        made.damping   = a.bias_type == "affine" ? std::max(0.0, -a.bias[2]) * gear * gear : 0;
        if (made.stiffness > 0) made.target = a.bias[0] / (-a.bias[1] * gear);
        if (force) made.max_force = std::max(std::abs((*force)[0]), std::abs((*force)[1])) * std::abs(gear);
        if (a.dyn_type != "none") only_mujoco(c, name, "its command is filtered");
        if (dof.drive &&
            (dof.drive->stiffness != 0 || dof.drive->damping != 0)) {  // a position and a velocity servo on one joint
            const double both = made.stiffness + dof.drive->stiffness;
            if (both > 0)
                made.target = (made.stiffness * made.target + dof.drive->stiffness * dof.drive->target) / both;
            made.stiffness = both;
            made.damping += dof.drive->damping;
            made.max_force = std::max(made.max_force, dof.drive->max_force);
            s_.losses.add({"drives-merged",
                           Severity::warning,
                           LossAction::merged,
                           "actuation",
                           site_of(c.place),
                           fmt::format("{} '{}'", c.name, name),
                           {},
                           {},
                           "an axis has one drive; gains were added"});
        }
        dof.drive = made;
    }

    void keyframes(const XmlElement& e)
    {
        for (const XmlElement& c : e.children) {
            if (c.name != "key") continue;
            VendorPrim made;
            made.type  = "MjcKeyframe";
            made.place = c.place;
            made.name  = c.get("name", fmt::format("key_{}", tree_.prims.size()));
            c.find("time");
            for (const char* name : {"qpos", "qvel", "act", "ctrl", "mpos", "mquat"})
                if (const auto v = s_.numbers(c, name, 0, 1'000'000); v && !v->empty())
                    made.extras.push_back(mj(std::string("mjc:") + name, "double[]", usda_list(*v), "", c.place));
            tree_.prims.push_back(std::move(made));
        }
    }
};

}  // namespace

void read_mjcf(XmlElement& root, const std::string& file, Source& source)
{
    source.tree.format = "MJCF";
    Mjcf(file, source).read(root);
    source.report_leftovers(root);
}

}  // namespace mechane::sourceformats

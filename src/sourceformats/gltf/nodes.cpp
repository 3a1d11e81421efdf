// The graph of nodes, and their poses in a frame whose z is up.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechane/sourceformats/codes.h"
#include "sourceformats/gltf/scene.h"

namespace mechane::sourceformats {
namespace {

// Recursion goes this deep at most.
constexpr int kMostNodeDepth = 512;
// A bound on what one file may ask for.
constexpr std::size_t kMostNodes = 200'000;

}  // namespace

std::vector<int> GltfScene::children_of(int n) const
{
    std::vector<int> out;
    const Json*      e = d_.entry("nodes", n);
    if (e == nullptr) return out;
    for (const Json& c : gltf_child(*e, "children"))
        if (c.is_number() && c.get<double>() >= 0 && c.get<double>() < static_cast<double>(d_.count("nodes")))
            out.push_back(static_cast<int>(c.get<double>()));
    return out;
}

void GltfScene::parents()
{
    const std::size_t n = std::min(d_.count("nodes"), kMostNodes);
    if (n < d_.count("nodes")) error(kLimit, fmt::format("the file has {} nodes; {} are read", d_.count("nodes"), n));
    parent_.assign(n, -1);
    prims_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const Json* e = d_.entry("nodes", static_cast<double>(i));
        for (const Json& c : gltf_child(*e, "children"))
            if (!c.is_number() || !(c.get<double>() >= 0 && c.get<double>() < static_cast<double>(n)))
                error(kUnknownName,
                      fmt::format("{} has a child that is not a node", called("nodes", static_cast<int>(i))));
        for (const int c : children_of(static_cast<int>(i))) {
            if (at(c) >= n) continue;
            // Nodes are a forest in glTF: every node has one parent at most, and none lies below itself. Files may say
            // anything, so a child is taken only if its own line of parents does not lead back.
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

// The scene that the file names, or its first. Files without scenes are libraries of nodes: all roots are read.
std::vector<int> GltfScene::scene_roots()
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
    for (const Json& v : gltf_child(*scene, "nodes")) {
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

GltfScene::Pose GltfScene::pose_of(int n, bool tell)
{
    Pose        out;
    const Json* e = d_.entry("nodes", n);
    if (e == nullptr) return out;
    bool good = true;
    // Matrices are stored by columns: translation in the last four numbers.
    if (const auto m = gltf_numbers(*e, "matrix"); m.size() == 16) {
        out.t = {m[12], m[13], m[14]};
        // Columns are the images of the axes; their lengths are the scale, their directions the rotation.
        Vec3d c[3] = {{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}};
        for (std::size_t i = 0; i < 3; ++i) {
            out.s[i] = length(c[i]);
            good     = good && out.s[i] > 0;
            if (out.s[i] > 0) c[i] = c[i] / out.s[i];
        }
        // A mirroring has no rotation; all three axes and scales are negated, which leaves their products as they are.
        if (dot(cross(c[0], c[1]), c[2]) < 0)
            for (std::size_t i = 0; i < 3; ++i) c[i] = -c[i], out.s[i] = -out.s[i];
        // A milliradian would be seen; rounding of single precision is below 1e-4.
        const bool sheared =
            std::abs(dot(c[0], c[1])) > 1e-4 || std::abs(dot(c[0], c[2])) > 1e-4 || std::abs(dot(c[1], c[2])) > 1e-4;
        if (sheared && tell)
            lose("shear", Severity::warning, LossAction::approximated, "visual", called("nodes", n), "a sheared matrix",
                 "the nearest rotation and scale", "its axes are not at right angles");
        if (good) out.q = from_matrix(Mat33d::from_columns(c[0], c[1], c[2]));
    } else {
        const auto t = gltf_numbers(*e, "translation"), q = gltf_numbers(*e, "rotation"), s = gltf_numbers(*e, "scale");
        if (t.size() == 3) out.t = {t[0], t[1], t[2]};
        if (q.size() == 4) out.q = {q[0], q[1], q[2], q[3]};
        if (s.size() == 3) out.s = {s[0], s[1], s[2]};
    }
    // A rotation of length zero cannot be normalized.
    good = good && is_finite(out.t) && is_finite(out.q) && is_finite(out.s) && dot(out.q, out.q) > 1e-12;
    if (!good) {
        if (tell)
            error(kNumber, fmt::format("the transform of {} is not finite, or has no rotation", called("nodes", n)));
        return {};
    }
    out.q = normalized(out.q);
    return out;
}

GltfScene::Pose GltfScene::turned(Pose p) const
{
    if (!bake_) return p;
    p.t              = turned(p.t);
    const Vec3d axis = turned(p.q.xyz());  // R q R^-1 turns the axis and keeps the angle
    p.q              = {axis.x, axis.y, axis.z, p.q.w};
    // y and z change places; the sign of an axis does not matter to a scale along it.
    p.s = {p.s.x, p.s.z, p.s.y};
    return p;
}

usd::Matrix4d GltfScene::turned(const usd::Matrix4d& m) const
{
    if (!bake_) return m;
    // M' = R^-1 M R for row vectors: the turn is undone, the matrix applies, the turn is done again.
    const usd::Matrix4d turn = usd::from_pose({{}, R_}), back = usd::from_pose({{}, conjugate(R_)});
    return back * m * turn;
}

double GltfScene::seen(double t)
{
    first_ = std::min(first_, t), last_ = std::max(last_, t);
    return t;
}

// A quarter turn about x: y becomes z, z becomes -y.
Vec3d GltfScene::turned(const Vec3d& v) const { return bake_ ? Vec3d{v.x, -v.z, v.y} : v; }

// glTF is y-up. A single root that does nothing but turn y to z, as exporters of z-up programs write it, is taken for
// that turn: what lies below it is z-up already and stays as it is. Otherwise every pose is turned.
void GltfScene::find_turn(const std::vector<int>& roots)
{
    if (roots.size() != 1) return;
    const Pose p = pose_of(roots[0], false);
    // A root that holds something itself is more than a turn.
    const Json* e = d_.entry("nodes", roots[0]);
    for (const char* own : {"mesh", "camera", "skin", "extensions"})
        if (e->contains(own)) return;
    if (length(p.t) > 1e-9 || length(p.s - Vec3d{1, 1, 1}) > 1e-6 || std::abs(dot(R_ * p.q, Quatd{})) < 1 - 1e-6)
        return;
    bake_        = false;
    single_root_ = roots[0];
}

void GltfScene::node(int n, const std::string& above, int depth)
{
    if (depth > kMostNodeDepth || ++visited_ > kMostNodes) {
        if (depth > kMostNodeDepth)
            error(kLimit, fmt::format("{} is nested more than {} deep", called("nodes", n), kMostNodeDepth));
        return;
    }
    const Json&       e    = *d_.entry("nodes", n);
    const std::string said = gltf_text(e, "name");
    const std::string own  = below_[above].take(said, fmt::format("node_{}", n));
    const std::string path = above + "/" + own;
    if (!said.empty() && said != own) read_.losses.names[said] = own;
    // Paths are kept for skins and animations, which name nodes by number.
    prims_[at(n)] = path;
    sheet_.define(Role::base, path, "Xform", place_);
    const Pose p = turned(pose_of(n));
    place(path, p);
    contents(n, path, depth);
}

void GltfScene::place(const std::string& path, const Pose& p)
{
    sheet_.pose(path, {p.t, p.q});
    // An orient and a translate alone, where there is no scale, keep the file readable.
    if (p.s == Vec3d{1, 1, 1}) return;
    sheet_.set(Role::base, path, "xformOp:scale", "double3", p.s, place_);
    sheet_.order(path, {"xformOp:translate", "xformOp:orient", "xformOp:scale"});
}

void GltfScene::contents(int n, const std::string& path, int depth)
{
    const Json& e          = *d_.entry("nodes", n);
    const Json& extensions = gltf_child(e, "extensions");
    if (e.contains("mesh")) {
        const int   m         = gltf_index(e, "mesh");
        const Json& instances = gltf_child(extensions, "EXT_mesh_gpu_instancing");
        if (m < 0 || d_.entry("meshes", m) == nullptr)
            error(kUnknownName, fmt::format("{} has a mesh that does not exist", called("nodes", n)));
        else if (instances.is_object())
            instancer(n, m, instances, path);
        else
            deformed(n, m, gltf_index(e, "skin"), path);
    }
    if (e.contains("camera")) camera(n, gltf_index(e, "camera"), path);
    if (const Json& l = gltf_child(extensions, "KHR_lights_punctual"); l.is_object())
        light(n, gltf_index(l, "light"), path);
    for (const int c : children_of(n))
        // Only children that accepted this node as their parent: trees, whatever the file says.
        if (at(c) < parent_.size() && parent_[at(c)] == n) node(c, path, depth + 1);
}

void GltfScene::animations()
{
    if (d_.count("animations") > 1)
        lose("animations", Severity::warning, LossAction::dropped, "visual", "animations",
             fmt::format("{}", d_.count("animations")), "1", "the first is read");
    const Json* a = d_.entry("animations", 0);
    if (a == nullptr) return;
    if (const std::string name = gltf_text(*a, "name"); !name.empty())
        lose("animation-name", Severity::info, LossAction::dropped, "metadata", "animations[0]", name, {},
             "samples of prims have no name");
    for (const int n : motion_.unsound())
        n < 0 ? error(kUnknownName, "a channel of animations[0] moves a node that does not exist")
              : error(kMeshInvalid, fmt::format("a sampler of animations[0] for {} is not sound", called("nodes", n)));
    for (const int n : motion_.nodes()) {
        if (at(n) >= prims_.size() || prims_[at(n)].empty()) continue;
        if (n == single_root_) {
            error(kUnsupported, "a channel of animations[0] moves the root that only turns the scene");
            continue;
        }
        const std::string& prim = prims_[at(n)];
        const Pose         rest = pose_of(n, false);
        // Scale needs its op before samples are written. Translate and orient are always there.
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
            sheet_.sample(Role::base, prim, "xformOp:scale", "double3", seen(t), turned(motion_.pose(n, rest, t)).s);
        if (motion_.interpolates(n, "STEP"))
            lose("step", Severity::info, LossAction::approximated, "visual", called("nodes", n), "STEP",
                 "two samples at each step", "samples of a prim are blended");
        if (motion_.interpolates(n, "CUBICSPLINE"))
            lose("spline", Severity::info, LossAction::approximated, "visual", called("nodes", n), "CUBICSPLINE",
                 "eight samples between keys", "samples of a prim are blended linearly");
    }
    if (first_ <= last_) sheet_.time_range(first_, last_);
}

}  // namespace mechane::sourceformats

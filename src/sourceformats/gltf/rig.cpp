// In glTF the joints of a skin place the points, and the node of the mesh does not; so a skinned mesh stands below a
// SkelRoot of its own at the root of the scene. What lies between two joints, or above the first, is part of the
// joint's transform.
//
// glTF's skin has joints (nodes) and inverse bind matrices; UsdSkel's Skeleton has joints as paths, bind transforms
// in the frame of the skeleton and rest transforms against the joint above. Morph targets become BlendShapes.
#include "sourceformats/gltf/rig.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sourceformats/indices.h"

namespace mechane::sourceformats {
namespace {

using Json = nlohmann::json;

// A bound against files that are made to exhaust memory.
constexpr std::size_t kMostTargets = 1024;

// A node's weights go before those of its mesh.
std::vector<double> weights_of(GltfDocument& document, int node)
{
    const Json* n = document.entry("nodes", node);
    if (n == nullptr) return {};
    if (auto own = gltf_numbers(*n, "weights"); !own.empty()) return own;
    const Json* m = document.entry("meshes", gltf_number(*n, "mesh", -1));
    return m == nullptr ? std::vector<double>() : gltf_numbers(*m, "weights");
}

}  // namespace

std::string GltfDeformation::add(GltfDocument& document, const Json& mesh, const Json& primitive, std::size_t base,
                                 std::size_t points, const std::function<Vec3d(Vec3d)>& turned)
{
    std::string       wrong;
    const std::size_t total = base + points;
    // Eight influences a point at most: glTF's sets 0 and 1.
    for (std::size_t set = 0; set < 2; ++set) {
        const auto J = document.attribute(primitive, fmt::format("JOINTS_{}", set).c_str(), 4),
                   W = document.attribute(primitive, fmt::format("WEIGHTS_{}", set).c_str(), 4);
        if (!J && !W) break;
        if (!J || !W || J->size() < 4 * points || W->size() < 4 * points) {
            wrong = fmt::format(
                "JOINTS_{} or WEIGHTS_{} is not a valid accessor, or does not have as many rows as POSITION", set, set);
            break;
        }
        // All points must have equally many influences (elementSize). Those of earlier primitives move to the wider
        // layout.
        if (influences < 4 * (set + 1)) {  // earlier primitives had fewer
            GltfDeformation wider;
            wider.influences = 4 * (set + 1);
            wider.joints.resize(wider.influences * total), wider.weights.resize(wider.influences * total);
            for (std::size_t p = 0; influences > 0 && (p + 1) * influences <= joints.size(); ++p)
                for (std::size_t i = 0; i < influences; ++i)
                    wider.joints[wider.influences * p + i] = joints[influences * p + i],
                                                        wider.weights[wider.influences * p + i] =
                                                            weights[influences * p + i];
            influences = wider.influences, joints = std::move(wider.joints), weights = std::move(wider.weights);
        }
        joints.resize(influences * total), weights.resize(influences * total);
        for (std::size_t p = 0; p < points; ++p)
            for (std::size_t i = 0; i < 4; ++i) {
                const std::size_t to = influences * (base + p) + 4 * set + i;
                const double      j = (*J)[4 * p + i], w = (*W)[4 * p + i];
                // Weights of zero need no joint; an index that comes with one is not looked at.
                if (!(w > 0) || !std::isfinite(w)) continue;
                if (!(j >= 0 && j < 65536)) {
                    wrong = fmt::format("JOINTS_{} has an index that is none", set);
                    continue;
                }
                joints[to] = static_cast<int>(j), weights[to] = w;
            }
    }
    const Json& list  = gltf_child(primitive, "targets");
    const Json& names = gltf_child(gltf_child(mesh, "extras"), "targetNames");
    if (!list.is_array()) return wrong;
    Siblings taken;
    for (std::size_t t = 0; t < std::min(list.size(), kMostTargets); ++t) {
        const std::string said =
            names.is_array() && t < names.size() && names[t].is_string() ? names[t].get<std::string>() : std::string();
        const std::string name = taken.take(said, fmt::format("target_{}", t));
        // Primitives of a mesh must have the same targets; points of a primitive that has fewer do not move.
        if (t >= targets.size()) targets.push_back({name, {}, {}});
        Target& to = targets[t];
        to.offsets.resize(total);
        if (!list[t].is_object()) continue;
        const auto read = [&](const char* key, std::vector<Vec3d>& into) {
            if (!list[t].contains(key)) return;
            const auto v = document.accessor(gltf_number(list[t], key, -1), 3);
            if (!v || v->size() < 3 * points) {
                wrong = fmt::format(
                    "{} of target {} is not a valid accessor, or does not have as many rows as POSITION", key, t);
                return;
            }
            into.resize(total);
            for (std::size_t p = 0; p < points; ++p) {
                const Vec3d d{(*v)[3 * p], (*v)[3 * p + 1], (*v)[3 * p + 2]};
                into[base + p] = is_finite(d) ? turned(d) : Vec3d{};
            }
        };
        read("POSITION", to.offsets);
        read("NORMAL", to.normals);
    }
    return wrong;
}

void GltfDeformation::finish(std::size_t points)
{
    joints.resize(influences * points), weights.resize(influences * points);
    for (std::size_t p = 0; p < points && influences > 0; ++p) {
        // Weights sum up to 1. A point without any follows the first joint, so that it stays with the body.
        double sum = 0;
        for (std::size_t i = 0; i < influences; ++i) sum += weights[influences * p + i];
        for (std::size_t i = 0; i < influences; ++i)
            weights[influences * p + i] = sum > 0 ? weights[influences * p + i] / sum : i == 0 ? 1 : 0;
    }
    for (Target& t : targets) {
        t.offsets.resize(points);
        if (!t.normals.empty()) t.normals.resize(points);
    }
}

void GltfDeformation::write(Sheet& sheet, Role role, const std::string& path, const Place& place) const
{
    if (influences > 0) {
        const auto primvar = [&](const char* name, const char* type, const auto& values) {
            sheet.set(role, path, name, type, values, place);
            sheet.property_field(role, path, name, "interpolation", std::string("vertex"));
            sheet.property_field(role, path, name, "elementSize", static_cast<int>(influences));
        };
        primvar("primvars:skel:jointIndices", "int[]", joints);
        primvar("primvars:skel:jointWeights", "float[]", weights);
        // Points are in the skeleton's frame already.
        sheet.set(role, path, "primvars:skel:geomBindTransform", "matrix4d", usd::Matrix4d{}, place);
    }
    for (const Target& t : targets) {
        const std::string shape = path + "/" + t.name;
        sheet.define(role, shape, "BlendShape", place);
        sheet.set(role, shape, "offsets", "vector3f[]", t.offsets, place, true);
        if (!t.normals.empty()) sheet.set(role, shape, "normalOffsets", "vector3f[]", t.normals, place, true);
    }
}

/// The transform of a node in the frame of `above`, which lies over it; -1: in the scene.
usd::Matrix4d GltfRig::up_to(int node, int above, double time, bool moved) const
{
    usd::Matrix4d out;
    // Row vectors: the node's own transform first, then those above it.
    for (int n = node; n >= 0 && n != above && !s_.left_out(n); n = s_.parents[at(n)]) {
        const GltfPose rest = s_.rest(n);
        out                 = out * to_matrix(moved ? s_.motion.pose(n, rest, time) : rest);
    }
    return s_.turned(out);
}

std::string GltfRig::skin(int index, const std::string& root)
{
    // A skin that several meshes use is one skeleton.
    if (const auto known = roots_.find(index); known != roots_.end()) return known->second;
    std::string& out  = roots_[index];
    const Json*  skin = s_.document.entry("skins", index);
    const auto   list = skin == nullptr ? std::vector<double>() : gltf_numbers(*skin, "joints");
    const auto   what = fmt::format("skins[{}]", index);
    const auto   bad  = [&](const char* why) { return s_.error(what, why), std::string(); };
    if (list.empty()) return bad("there is no such skin, or it has no joints");
    std::map<int, std::size_t> joint_of;  // node -> place in the skin
    for (std::size_t j = 0; j < list.size(); ++j) {
        if (!(list[j] >= 0) || list[j] >= static_cast<double>(s_.parents.size()))
            return bad("a joint is a node that does not exist");
        if (!joint_of.emplace(static_cast<int>(list[j]), j).second) return bad("two of its joints are one node");
    }
    std::vector<usd::Matrix4d> bind(list.size());
    if (skin->contains("inverseBindMatrices")) {
        const auto m = s_.document.accessor(gltf_number(*skin, "inverseBindMatrices", -1), 16);
        if (!m || m->size() < 16 * list.size()) return bad("inverseBindMatrices is not a valid accessor");
        for (std::size_t j = 0; j < list.size(); ++j) {
            // 16 numbers by columns for column vectors are 16 numbers by rows for row vectors: copied as they are.
            usd::Matrix4d one;
            std::copy_n(m->begin() + static_cast<std::ptrdiff_t>(16 * j), 16, one.m.begin());
            const auto plain = usd::inverse(one);
            if (!plain) return bad("a matrix of inverseBindMatrices has no inverse");
            bind[j] = *plain;
        }
    }
    Skeleton made;
    made.tokens.resize(list.size());
    std::map<std::string, Siblings> names;
    std::vector<usd::Matrix4d>      binds, rests;
    // Parents before their children, and otherwise in the order of the skin, as UsdSkel wants its joints.
    const auto above_of = [&](int node) {
        int up = s_.parents[at(node)];
        // The next joint above; nodes between are part of the transform.
        while (up >= 0 && !joint_of.contains(up)) up = s_.parents[at(up)];
        return up;
    };
    std::map<int, int> place;  // node -> joint of the skeleton
    const auto         visit = [&](int start) {
        std::vector<int> chain;
        // A joint may stand in the skin before the one above it, so the chain up to a known one is placed first.
        for (int n = start; n >= 0 && !place.contains(n); n = above_of(n)) chain.push_back(n);
        for (auto n = chain.rbegin(); n != chain.rend(); ++n) {
            const int         up   = above_of(*n);
            const std::string over = up >= 0 ? made.ordered[at(place.at(up))] : std::string();
            const Json*       e    = s_.document.entry("nodes", *n);
            const std::string own  = names[over].take(gltf_text(*e, "name"), fmt::format("joint_{}", *n));
            place[*n]              = static_cast<int>(made.nodes.size());
            made.nodes.push_back(*n);
            made.ordered.push_back(over.empty() ? own : over + "/" + own);
            made.parents.push_back(up >= 0 ? place.at(up) : -1);
            made.tokens[joint_of.at(*n)] = made.ordered.back();
            binds.push_back(s_.turned(bind[joint_of.at(*n)]));
            rests.push_back(up_to(*n, up, 0, false));
        }
    };
    for (const double n : list) visit(static_cast<int>(n));
    out       = root + "/" + s_.take(root, gltf_text(*skin, "name").empty() ? "skin" : gltf_text(*skin, "name"));
    made.path = out + "/skeleton";
    s_.sheet.define(Role::base, out, "SkelRoot", s_.place);
    s_.sheet.define(Role::base, made.path, "Skeleton", s_.place);
    s_.sheet.set(Role::base, made.path, "joints", "token[]", made.ordered, s_.place, true);
    s_.sheet.set(Role::base, made.path, "bindTransforms", "matrix4d[]", binds, s_.place, true);
    s_.sheet.set(Role::base, made.path, "restTransforms", "matrix4d[]", rests, s_.place, true);
    skeletons_[out] = std::move(made);
    return out;
}

// Blend shapes need a skeleton to hang on. Without a skin it has one joint that never moves.
std::string GltfRig::still(const std::string& above)
{
    const std::string root = above + "/" + s_.take(above, "morph");
    Skeleton          made;
    made.path    = root + "/skeleton";
    made.tokens  = {"joint"};
    made.ordered = {"joint"};
    s_.sheet.define(Role::base, root, "SkelRoot", s_.place);
    s_.sheet.define(Role::base, made.path, "Skeleton", s_.place);
    s_.sheet.set(Role::base, made.path, "joints", "token[]", made.ordered, s_.place, true);
    for (const char* name : {"bindTransforms", "restTransforms"})
        s_.sheet.set(Role::base, made.path, name, "matrix4d[]", std::vector<usd::Matrix4d>(1), s_.place, true);
    made.ordered.clear();  // no node moves it
    skeletons_[root] = std::move(made);
    return root;
}

void GltfRig::bind(const std::string& root, const std::string& mesh, int node, const GltfDeformation& how)
{
    Skeleton& skeleton = skeletons_.at(root);
    s_.sheet.apply(Role::base, mesh, "SkelBindingAPI");
    s_.sheet.target(Role::base, mesh, "skel:skeleton", {skeleton.path}, s_.place);
    // The mesh's indices are in the order of the skin; it says that order where the skeleton's differs.
    if (how.influences > 0 && skeleton.tokens != skeleton.ordered && !skeleton.ordered.empty())
        s_.sheet.set(Role::base, mesh, "skel:joints", "token[]", skeleton.tokens, s_.place, true);
    if (how.influences > 0)
        for (const int j : how.joints)
            if (at(j) >= skeleton.tokens.size()) {
                s_.error(mesh, "a point names a joint that the skin does not have");
                break;
            }
    if (how.targets.empty()) return;
    const auto               rest = weights_of(s_.document, node);
    std::vector<std::string> tokens, targets;
    const std::string        prefix = mesh.substr(mesh.rfind('/') + 1);
    for (std::size_t t = 0; t < how.targets.size(); ++t) {
        tokens.push_back(
            fmt::format("{}_{}", prefix, how.targets[t].name));  // one animation has those of several meshes
        targets.push_back(mesh + "/" + how.targets[t].name);
    }
    for (std::size_t t = 0; t < tokens.size(); ++t)
        skeleton.weights.push_back({tokens[t], node, t, t < rest.size() && std::isfinite(rest[t]) ? rest[t] : 0});
    s_.sheet.set(Role::base, mesh, "skel:blendShapes", "token[]", tokens, s_.place, true);
    s_.sheet.target(Role::base, mesh, "skel:blendShapeTargets", targets, s_.place);
}

void GltfRig::animate(Skeleton& skeleton)
{
    // Whatever moves a joint, or a node between two joints, moves the joint.
    std::set<double> moments;
    const auto       add = [&](int node) {
        for (const char* path : {"translation", "rotation", "scale"})
            // All joints of an animation have samples at the same moments: those of any channel that counts.
            for (const double t : s_.motion.times(node, path)) moments.insert(t);
    };
    for (std::size_t j = 0; j < skeleton.ordered.size(); ++j) {
        const int up = skeleton.parents[j] >= 0 ? skeleton.nodes[at(skeleton.parents[j])] : -1;
        for (int n = skeleton.nodes[j]; n >= 0 && n != up && !s_.left_out(n); n = s_.parents[at(n)]) add(n);
    }
    std::set<double> fades;
    for (const Weight& w : skeleton.weights)
        for (const double t : s_.motion.times(w.node, "weights")) fades.insert(t);
    if (moments.empty() && skeleton.weights.empty()) return;
    const std::string path = skeleton.path + "/animation";
    s_.sheet.define(Role::base, path, "SkelAnimation", s_.place);
    s_.sheet.apply(Role::base, skeleton.path, "SkelBindingAPI");
    s_.sheet.target(Role::base, skeleton.path, "skel:animationSource", {path}, s_.place);
    if (!moments.empty()) {
        s_.sheet.set(Role::base, path, "joints", "token[]", skeleton.ordered, s_.place, true);
        for (const double t : moments) {
            std::vector<Vec3d> places, sizes;
            std::vector<Quatd> turns;
            for (std::size_t j = 0; j < skeleton.ordered.size(); ++j) {
                const int up = skeleton.parents[j] >= 0 ? skeleton.nodes[at(skeleton.parents[j])] : -1;
                // UsdSkel wants translation, rotation and scale apart; halves are the schema's type of scales.
                const auto d = usd::decompose(up_to(skeleton.nodes[j], up, t, true));
                places.push_back(d.translation), turns.push_back(d.rotation), sizes.push_back(d.scale);
            }
            const double code = s_.seen(t);
            s_.sheet.sample(Role::base, path, "translations", "float3[]", code, places);
            s_.sheet.sample(Role::base, path, "rotations", "quatf[]", code, turns);
            s_.sheet.sample(Role::base, path, "scales", "half3[]", code, sizes);
        }
    }
    if (skeleton.weights.empty()) return;
    std::vector<std::string> tokens;
    std::vector<double>      rest;
    for (const Weight& w : skeleton.weights) tokens.push_back(w.token), rest.push_back(w.rest);
    s_.sheet.set(Role::base, path, "blendShapes", "token[]", tokens, s_.place, true);
    s_.sheet.set(Role::base, path, "blendShapeWeights", "float[]", rest, s_.place);
    for (const double t : fades) {
        std::vector<double> now;
        for (const Weight& w : skeleton.weights) {
            std::vector<double> all(w.index + 1, w.rest);
            now.push_back(s_.motion.weights(w.node, all, t).back());
        }
        s_.sheet.sample(Role::base, path, "blendShapeWeights", "float[]", s_.seen(t), now);
    }
}

void GltfRig::finish()
{
    for (auto& [root, skeleton] : skeletons_) animate(skeleton);
}

}  // namespace mechane::sourceformats

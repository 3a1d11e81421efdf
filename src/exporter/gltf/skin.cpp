// Skeletons, skins and blend shapes of UsdSkel (export 4.11).
//
// skel:joints    names of joints as paths; a mesh may list them in an order of its own
// geomBind       from the mesh to the space of the skeleton, when it was bound
// influences     joints and weights of a point: glTF has four or eight, USD any number
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "exporter/gltf/writer.h"
#include "mechane/usd/primvar.h"
#include "mechane/usd/start_value.h"

namespace mechane::exporter::gltf {
namespace {

/// The first target of a relationship of the nearest prim at or above that authors it.
/// Bindings of UsdSkel are inherited down the namespace.
usd::Prim inherited_target(const usd::Prim& prim, const char* name)
{
    for (usd::Prim p = prim; p && !p.path().is_root(); p = p.parent()) {
        const auto targets = p.relationship(name).forwarded();
        if (!targets.empty()) return p.stage().prim_at(targets.front());
    }
    return {};
}

std::vector<double> codes_of(std::initializer_list<usd::Attribute> attributes)
{
    std::vector<double> out;
    for (const usd::Attribute& a : attributes) {
        if (!a) continue;
        const auto samples = a.time_samples();
        out.insert(out.end(), samples.begin(), samples.end());
    }
    // Codes that are not finite cannot be written.
    std::erase_if(out, [](double code) { return !std::isfinite(code); });
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// Names of a skeleton's joints are paths; the parent is the longest path above that is a joint.
int parent_of(const std::vector<std::string>& joints, std::size_t j)
{
    std::string path = joints[j];
    for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0; slash = path.rfind('/')) {
        path.resize(slash);
        for (std::size_t k = 0; k < joints.size(); ++k)
            if (k != j && joints[k] == path) return static_cast<int>(k);
    }
    return -1;
}

}  // namespace

usd::Prim Writer::skeleton_of(const usd::Prim& prim) const
{
    const usd::Prim target = inherited_target(prim, "skel:skeleton");
    return target && target.type_name().text() == "Skeleton" ? target : usd::Prim();
}

bool Writer::is_skinned(const usd::Prim& prim) const
{
    if (prim.type_name().text() != "Mesh") return false;
    const usd::Attribute joints  = usd::find_primvar(prim, "skel:jointIndices"),
                         weights = usd::find_primvar(prim, "skel:jointWeights");
    return joints && weights && joints.authored() && weights.authored() && skeleton_of(prim);
}

void Writer::skeleton(const usd::Prim& prim, Json& children)
{
    Skeleton made;
    made.prim = prim;
    for (const usd::Token& joint : list<usd::Token>(prim, "joints")) made.joints.push_back(joint.text());
    made.bind = list<usd::Matrix4d>(prim, "bindTransforms");
    auto rest = list<usd::Matrix4d>(prim, "restTransforms");
    // Joints without transforms cannot be placed; a skeleton without joints is no fault.
    const bool good = made.bind.size() == made.joints.size();
    if (!good && !made.joints.empty()) {
        lose("skeleton", Severity::error, sf::LossAction::dropped, "visual", prim,
             fmt::format("{} joints, {} bind transforms", made.joints.size(), made.bind.size()), {},
             "each joint needs a transform");
        return;
    }
    for (std::size_t j = 0; j < made.joints.size(); ++j) made.parents.push_back(parent_of(made.joints, j));
    // Rest transforms are relative to the parent joint, bind transforms are in the skeleton's space: rest = bind *
    // parent's bind^-1 with row vectors.
    if (rest.size() != made.joints.size()) {  // the pose in which it was bound
        rest = made.bind;
        for (std::size_t j = 0; j < rest.size(); ++j)
            if (made.parents[j] >= 0)
                if (const auto above = usd::inverse(made.bind[gltf::at(made.parents[j])]))
                    rest[j] = made.bind[j] * *above;
    }
    std::vector<Json> below(made.joints.size(), Json::array());
    // All joints get their numbers first, since a parent may stand behind its child in the list.
    for (std::size_t j = 0; j < made.joints.size(); ++j) made.nodes.push_back(out.add("nodes", Json::object()));
    for (std::size_t j = 0; j < made.joints.size(); ++j)
        (made.parents[j] >= 0 ? below[gltf::at(made.parents[j])] : children).push_back(made.nodes[j]);
    for (std::size_t j = 0; j < made.joints.size(); ++j) {
        Json node{{"name", made.joints[j].substr(made.joints[j].rfind('/') + 1)}};
        transform(node, in_metres(rest[j]), prim);
        if (!below[j].empty()) node["children"] = std::move(below[j]);
        out.at("nodes", made.nodes[j]) = std::move(node);
    }
    skeletons_[prim.path()] = std::move(made);
}

/// Skeletons may be met after their meshes, hence skins are written at the end; until then a number stands in.
int Writer::skin(const usd::Prim& prim)
{
    pending_.push_back({prim, skeleton_of(prim).path(), static_cast<int>(pending_.size())});
    return pending_.back().skin;
}

void Writer::influences(const usd::Prim& prim, const Geometry& g, Json& attributes)
{
    const usd::Attribute joint_source  = usd::find_primvar(prim, "skel:jointIndices"),
                         weight_source = usd::find_primvar(prim, "skel:jointWeights");
    const auto           joints        = usd::start_as<std::vector<int>>(joint_source).value_or(std::vector<int>());
    const auto           weights = usd::start_as<std::vector<double>>(weight_source).value_or(std::vector<double>());
    // Constant influences hold for the whole mesh (rigid binding); otherwise each point has elementSize of them.
    const bool rigid = usd::primvar_interpolation(joint_source) == "constant";
    // elementSize is how many influences a point has.
    const std::size_t each =
        rigid ? joints.size()
              : static_cast<std::size_t>(std::max(joint_source.metadata("elementSize").get<int>().value_or(1), 1));
    std::size_t most = 0;
    {
        const usd::Prim skeleton = skeleton_of(prim);
        // The mesh's own list counts, else that of the skeleton.
        most = list<usd::Token>(prim, "skel:joints").size();
        if (most == 0) most = list<usd::Token>(skeleton, "joints").size();
    }
    const std::size_t                       sets = options.influences > 4 ? 2 : 1;
    std::vector<std::vector<std::uint32_t>> J(sets);
    std::vector<std::vector<float>>         W(sets);
    bool                                    cut = false, wrong = false;
    // `source` names the point of the mesh that a vertex was made of.
    for (const std::uint32_t point : g.source) {
        // One joint may be listed twice for a point; glTF forbids that, and the sum says the same.
        std::map<int, double> sum;
        for (std::size_t i = 0; i < each; ++i) {
            const std::size_t k = rigid ? i : point * each + i;
            if (k >= joints.size() || k >= weights.size()) {
                wrong = true;
                continue;
            }
            if (!(weights[k] > 0) || !std::isfinite(weights[k])) continue;
            if (joints[k] < 0 || gltf::at(joints[k]) >= most)
                wrong = true;
            else
                sum[joints[k]] += weights[k];
        }
        // Largest weights first; equal ones by joint, so that the choice is the same in every run.
        std::vector<std::pair<double, int>> rows;
        for (const auto& [joint, weight] : sum) rows.emplace_back(-weight, joint);
        std::sort(rows.begin(), rows.end());
        cut = cut || rows.size() > 4 * sets;
        if (rows.size() > 4 * sets) rows.resize(4 * sets);
        // A point that nothing moves follows the first joint.
        if (rows.empty()) rows.emplace_back(-1.0, 0);
        double total = 0;
        for (const auto& [weight, joint] : rows) total -= weight;
        // The first weight takes what is left, so that the weights add up to one in single precision.
        float rest = 1;
        for (std::size_t i = 1; i < rows.size(); ++i) rest -= static_cast<float>(-rows[i].first / total);
        for (std::size_t i = 0; i < 4 * sets; ++i) {
            const bool  there = i < rows.size();
            const float w     = !there ? 0 : i == 0 ? rest : static_cast<float>(-rows[i].first / total);
            J[i / 4].push_back(there && w > 0 ? static_cast<std::uint32_t>(rows[i].second) : 0);
            W[i / 4].push_back(w);
        }
    }
    if (cut)
        lose("influences", Severity::info, sf::LossAction::approximated, "visual", prim,
             fmt::format("{} joints a point", each), fmt::format("{}", 4 * sets),
             "the largest are kept and add up to one");
    if (wrong)
        lose("influences", Severity::warning, sf::LossAction::dropped, "visual", prim,
             "joints that the skeleton does not have, or too few values", {}, "they move nothing");
    for (std::size_t s = 0; s < sets; ++s) {
        // Joint numbers of more than 256 joints do not fit into a byte.
        attributes[fmt::format("JOINTS_{}", s)] =
            out.whole(J[s], "VEC4", most > 256 ? Component::u16 : Component::u8, Target::vertices);
        attributes[fmt::format("WEIGHTS_{}", s)] = out.numbers(W[s], "VEC4", Target::vertices, false);
    }
}

void Writer::morphs(const usd::Prim& prim, const Geometry& g, Json& primitive, Json& mesh)
{
    const auto names   = list<usd::Token>(prim, "skel:blendShapes");
    const auto targets = prim.relationship("skel:blendShapeTargets").forwarded();
    // Names and targets belong together one by one.
    if (names.empty() || targets.size() != names.size()) return;
    Json rows = Json::array();
    for (const usd::Path& path : targets) {
        const usd::Prim shape   = stage.prim_at(path);
        const auto      offsets = shape ? list<Vec3d>(shape, "offsets") : std::vector<Vec3d>();
        const auto      normals = shape ? list<Vec3d>(shape, "normalOffsets") : std::vector<Vec3d>();
        const auto      where   = shape ? list<int>(shape, "pointIndices") : std::vector<int>();
        // A blend shape may list some points only; all others stay where they are.
        const auto spread = [&](const std::vector<Vec3d>& from, double by) {
            std::vector<Vec3d> points(g.point_count);
            for (std::size_t i = 0; i < from.size(); ++i) {
                const std::size_t p = where.empty() ? i
                                      // Without indices the offsets are those of all points.
                                      : i < where.size() && where[i] >= 0 ? gltf::at(where[i])
                                                                          : points.size();
                if (p < points.size() && is_finite(from[i])) points[p] = by * from[i];
            }
            std::vector<float> flat;
            // Points that the mesh split into several vertices carry their offset to each.
            for (const std::uint32_t p : g.source)
                for (std::size_t c = 0; c < 3; ++c)
                    flat.push_back(static_cast<float>(p < points.size() ? points[p][c] : 0));
            return flat;
        };
        Json row;
        row["POSITION"] = out.numbers(spread(offsets, unit), "VEC3", Target::vertices, true);
        if (!normals.empty() && !g.normals.empty())
            row["NORMAL"] = out.numbers(spread(normals, 1), "VEC3", Target::vertices, false);
        rows.push_back(std::move(row));
        for (const usd::Token& name : shape ? shape.authored_property_names() : std::vector<usd::Token>())
            if (name.text().starts_with("inbetweens:"))
                lose_class("inbetween", Severity::warning, sf::LossAction::dropped, "visual", shape,
                           "shapes in between", "targets of glTF are reached on straight lines");
    }
    primitive["targets"] = std::move(rows);
    if (mesh.contains("weights")) return;
    // Weights at rest are zero; an animation or the node sets others.
    std::vector<double> weights(names.size(), 0);
    Json                said = Json::array();
    for (const double w : weights) said.push_back(w);
    mesh["weights"] = std::move(said);
    Json called     = Json::array();
    for (const usd::Token& name : names) called.push_back(name.text());
    if (options.extras) mesh["extras"] = {{"targetNames", std::move(called)}};
}

void Writer::animate_shapes(const usd::Prim& prim, int node)
{
    const auto names = list<usd::Token>(prim, "skel:blendShapes");
    if (names.empty() || prim.relationship("skel:blendShapeTargets").forwarded().size() != names.size()) return;
    usd::Prim       source   = inherited_target(prim, "skel:animationSource");
    const usd::Prim skeleton = skeleton_of(prim);
    if (skeleton)
        if (const usd::Prim own = inherited_target(skeleton, "skel:animationSource")) source = own;
    // The skeleton's animation counts before the mesh's.
    if (!source) return;
    // Weights are in the order of the animation, targets in that of the mesh.
    const auto                  order = list<usd::Token>(source, "blendShapes");
    std::vector<std::ptrdiff_t> from;
    for (const usd::Token& name : names) {
        const auto hit = std::find(order.begin(), order.end(), name);
        from.push_back(hit == order.end() ? -1 : hit - order.begin());
    }
    const usd::Attribute weights = source.attribute("blendShapeWeights");
    const auto           row     = [&](usd::TimeCode time) {
        const auto         values = weights.get<std::vector<double>>(time).value_or(std::vector<double>());
        std::vector<float> out_row;
        for (const std::ptrdiff_t k : from)
            out_row.push_back(k >= 0 && static_cast<std::size_t>(k) < values.size()
                                  ? static_cast<float>(values[static_cast<std::size_t>(k)])
                                  : 0.0F);
        return out_row;
    };
    const auto codes = codes_of({weights});
    // The value at the start stands in the node, also where nothing is animated.
    if (weights.authored_value().empty() == false) {
        Json still = Json::array();
        for (const float w : row({})) still.push_back(static_cast<double>(w));
        out.at("nodes", node)["weights"] = std::move(still);
    }
    if (codes.size() < 2) return;
    std::vector<float> values;
    for (const double code : codes)
        for (const float w : row(code)) values.push_back(w);
    channel(node, "weights", codes, values, "SCALAR");
}

void Writer::animate_skeletons()
{
    // By path, so that channels come in the same order in every run.
    for (auto& [path, skeleton] : skeletons_) {
        const usd::Prim source = inherited_target(skeleton.prim, "skel:animationSource");
        if (!source || source.type_name().text() != "SkelAnimation") continue;
        const auto           order = list<usd::Token>(source, "joints");
        const usd::Attribute t = source.attribute("translations"), q = source.attribute("rotations"),
                             s     = source.attribute("scales");
        const auto           codes = codes_of({t, q, s});
        for (std::size_t k = 0; k < order.size(); ++k) {
            // An animation may name joints that the skeleton lacks: nothing to move.
            const auto joint = std::find(skeleton.joints.begin(), skeleton.joints.end(), order[k].text());
            if (joint == skeleton.joints.end()) continue;
            const int  node  = skeleton.nodes[static_cast<std::size_t>(joint - skeleton.joints.begin())];
            Json&      still = out.at("nodes", node);
            const auto vec   = [&](const usd::Attribute& a, usd::TimeCode time) -> std::optional<Vec3d> {
                const auto v = a.get<std::vector<Vec3d>>(time);
                return v && k < v->size() && is_finite((*v)[k]) ? std::optional((*v)[k]) : std::nullopt;
            };
            const auto turn = [&](usd::TimeCode time) -> std::optional<Quatd> {
                const auto v = q.get<std::vector<Quatd>>(time);
                return v && k < v->size() && is_finite((*v)[k]) ? std::optional(normalized((*v)[k])) : std::nullopt;
            };
            if (const auto v = vec(t, {})) still["translation"] = json(unit * *v);
            if (const auto v = turn({})) still["rotation"] = json(*v);
            if (const auto v = vec(s, {})) still["scale"] = json(*v);
            if (codes.size() < 2) continue;
            // Where a sample has no number for the joint, it stays as it was: at first as the node stands.
            const auto write = [&](const usd::Attribute& a, const char* name, double by, double rest) {
                // Only what has samples is a channel; other values stand in the node.
                if (!sampled(a)) return;
                std::vector<float> values;
                const Json         at_rest = still.value(name, json(Vec3d{rest, rest, rest}));
                Vec3d              v{at_rest[0].get<double>(), at_rest[1].get<double>(), at_rest[2].get<double>()};
                for (const double code : codes) {
                    if (const auto said = vec(a, code)) v = by * *said;
                    for (std::size_t c = 0; c < 3; ++c) values.push_back(static_cast<float>(v[c]));
                }
                channel(node, name, codes, values, "VEC3");
            };
            write(t, "translation", unit, 0);
            if (sampled(q)) {
                std::vector<float> values;
                const Json         at_rest = still.value("rotation", json(Quatd{}));
                Quatd              last{at_rest[0].get<double>(), at_rest[1].get<double>(), at_rest[2].get<double>(),
                                        at_rest[3].get<double>()};
                for (const double code : codes) {
                    Quatd now = turn(code).value_or(last);
                    // q and -q are one rotation; glTF's interpolation goes the short way only between neighbours of
                    // one sign.
                    if (!values.empty() && dot(now, last) < 0) now = {-now.x, -now.y, -now.z, -now.w};
                    last = now;
                    for (const double v : {now.x, now.y, now.z, now.w}) values.push_back(static_cast<float>(v));
                }
                channel(node, "rotation", codes, values, "VEC4");
            }
            write(s, "scale", 1, 1);
        }
    }
    // Skins, now that all joints have their nodes.
    std::map<int, int> places;
    for (const PendingSkin& p : pending_) {
        const auto skeleton = skeletons_.find(p.skeleton);
        if (skeleton == skeletons_.end()) {
            lose("skin", Severity::error, sf::LossAction::dropped, "visual", p.prim, p.skeleton.text(), {},
                 "its skeleton is not written");
            continue;
        }
        const Skeleton&          s = skeleton->second;
        std::vector<std::string> order;
        for (const usd::Token& joint : list<usd::Token>(p.prim, "skel:joints")) order.push_back(joint.text());
        if (order.empty()) order = s.joints;
        const usd::Matrix4d bind =
            usd::start_as<usd::Matrix4d>(usd::find_primvar(p.prim, "skel:geomBindTransform")).value_or(usd::Matrix4d());
        Json               joints = Json::array();
        std::vector<float> inverses;
        std::set<int>      used;
        bool               good = !order.empty();
        for (const std::string& name : order) {
            const auto joint = std::find(s.joints.begin(), s.joints.end(), name);
            good             = good && joint != s.joints.end();
            if (!good) break;
            const auto j = static_cast<std::size_t>(joint - s.joints.begin());
            good         = used.insert(s.nodes[j]).second;
            joints.push_back(s.nodes[j]);
            // glTF's inverse bind matrix takes the mesh to the joint in the pose in which both were bound.
            // Row vectors: point * geomBindTransform * bind^-1 * joint. glTF's inverse bind matrix is the first two
            // together; written row by row it is the column order that glTF asks for.
            usd::Matrix4d m = in_metres(bind * usd::inverse(s.bind[j]).value_or(usd::Matrix4d()));
            // Rounding must not leave anything in the last column, which glTF's validator checks.
            for (int r = 0; r < 4; ++r) m(r, 3) = r == 3 ? 1 : 0;
            for (const double v : m.m) inverses.push_back(static_cast<float>(v));
        }
        if (!good) {
            lose("skin", Severity::error, sf::LossAction::dropped, "visual", p.prim, "skel:joints", {},
                 "it names joints that the skeleton does not have, or one twice");
            continue;
        }
        places[p.skin] =
            out.add_once("skins", {{"inverseBindMatrices", out.numbers(inverses, "MAT4", Target::none, false)},
                                   {"joints", std::move(joints)}});
    }
    // Nodes hold the number of the pending skin so far.
    for (std::size_t n = 0; n < out.count("nodes"); ++n) {
        Json& node = out.at("nodes", static_cast<int>(n));
        if (!node.contains("skin")) continue;
        const auto place = places.find(node["skin"].get<int>());
        if (place != places.end())
            node["skin"] = place->second;
        else
            node.erase("skin");
    }
    // A mesh that lost its skin stands where its prim does.
    for (const PendingSkin& p : pending_)
        if (!places.contains(p.skin))
            if (const auto own = nodes.find(p.prim.path()); own != nodes.end() && !own->second.empty()) {
                Json& stray                                 = out.at("nodes", p.node);
                out.at("nodes", own->second.back())["mesh"] = stray["mesh"];
                stray.erase("mesh");
            }
}

}  // namespace mechane::exporter::gltf

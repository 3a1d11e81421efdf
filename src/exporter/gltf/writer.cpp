// A stage as glTF 2.0: nodes, meshes, materials, skins, lights and cameras, in metres with y up.
// Physics is no part of glTF and is told as lost; every other loss is an entry of the report as well.
// Calls of room `cli` and the Python module end here; the other files of this folder are its parts.

#include "exporter/gltf/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <tuple>

#include "mechane/exporter/codes.h"
#include "mechane/files/suffix.h"
#include "mechane/geometry/mass.h"
#include "mechane/usd/primvar.h"
#include "mechane/usd/stage_layers.h"
#include "mechane/usd/start_value.h"
#include "mechane/usd/transform_ops.h"

namespace mechane::exporter {

namespace fs = std::filesystem;

namespace gltf {
namespace {

constexpr int kDeepest = 1000;  // of nodes: they call themselves

bool is_gprim(const usd::Prim& prim) { return prim.is_a("Gprim"); }

bool is_light(const std::string& type) { return type.ends_with("Light"); }

Vec3d row(const usd::Matrix4d& m, int i) { return {m(i, 0), m(i, 1), m(i, 2)}; }

std::vector<float> floats(const std::vector<Vec3d>& from)
{
    std::vector<float> out;
    out.reserve(3 * from.size());
    for (const Vec3d& v : from)
        out.insert(out.end(), {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)});
    return out;
}

/// Leaves out vertices that no part names.
/// Viewers count unused vertices into the bounds of a mesh.
void drop_unused(Geometry& g)
{
    std::vector<std::uint32_t> now(g.points.size(), 0);
    for (const Part& part : g.parts)
        for (const std::uint32_t c : part.corners) now[c] = 1;
    std::uint32_t next = 0;
    const auto    keep = [&](auto& list) {
        if (list.size() != now.size()) return;
        std::size_t to = 0;
        for (std::size_t i = 0; i < now.size(); ++i)
            if (now[i] != 0) list[to++] = list[i];
        list.resize(to);
    };
    keep(g.points), keep(g.normals), keep(g.colors), keep(g.source);
    for (UvSet& set : g.uvs) keep(set.values);
    for (std::uint32_t& n : now)
        if (n != 0) n = next++;
    for (Part& part : g.parts)
        for (std::uint32_t& c : part.corners) c = now[c];
}

/// Singular value decomposition A = U S V^T: V and S^2 are the principal axes and values of A^T A, U = A V S^-1.
/// Directions that S flattens are filled up by cross products, and a reflection becomes a negative scale.
std::pair<Trs, Quatd> split_shear(const usd::Matrix4d& m)
{
    const Mat33d A = Mat33d::from_columns(row(m, 0), row(m, 1), row(m, 2));
    const auto   e = geometry::principal_axes(transpose(A) * A);
    const Mat33d V = to_matrix(e.rotation);
    Trs          out;
    out.t = {m(3, 0), m(3, 1), m(3, 2)};
    Vec3d u[3];
    for (std::size_t i = 0; i < 3; ++i) {
        out.s[i] = std::sqrt(std::max(e.values[i], 0.0));
        if (out.s[i] > 1e-9 * std::sqrt(std::max({e.values.x, e.values.y, e.values.z})))
            u[i] = A * V.column(i) / out.s[i];
        else
            out.s[i] = 0;
    }
    for (std::size_t i = 0; i < 3; ++i)
        if (out.s[i] == 0) u[i] = normalized(cross(u[(i + 1) % 3], u[(i + 2) % 3]), any_perpendicular(u[(i + 1) % 3]));
    if (dot(cross(u[0], u[1]), u[2]) < 0) u[2] = -u[2], out.s[2] = -out.s[2];
    out.q = from_matrix(Mat33d::from_columns(u[0], u[1], u[2]));
    return {out, conjugate(normalized(e.rotation))};
}

}  // namespace

/// The rows of the matrix are the images of the axes. Their lengths are the scales; what is left is a rotation if they
/// are perpendicular.
Trs trs_of(const usd::Matrix4d& m)
{
    Trs out;
    out.t = {m(3, 0), m(3, 1), m(3, 2)};
    Vec3d axes[3];
    for (int i = 0; i < 3; ++i) {
        axes[i]            = row(m, i);
        out.s[gltf::at(i)] = length(axes[i]);
    }
    const double most = std::max({out.s.x, out.s.y, out.s.z});
    // What a scale of zero leaves open is filled up to a rotation.
    for (int i = 0; i < 3; ++i) {
        if (out.s[gltf::at(i)] > 1e-12 * most && most > 0)
            axes[i] = axes[i] / out.s[gltf::at(i)];
        else
            out.s[gltf::at(i)] = 0, axes[i] = {};
    }
    for (int pass = 0; pass < 3; ++pass)
        for (int i = 0; i < 3; ++i) {
            if (length(axes[i]) > 0.5) continue;
            const Vec3d a = axes[(i + 1) % 3], b = axes[(i + 2) % 3];
            if (length(a) > 0.5 && length(b) > 0.5)
                axes[i] = normalized(cross(a, b), {1, 0, 0});
            else if (length(a) > 0.5)
                axes[i] = any_perpendicular(a);
            else if (length(b) > 0.5)
                axes[i] = any_perpendicular(b);
            else
                axes[i] = {1, 0, 0};
        }
    for (int i = 0; i < 3; ++i) out.sheared = out.sheared || std::abs(dot(axes[i], axes[(i + 1) % 3])) > 1e-6;
    // A mirror is put into the scale of all axes, so that the rotation is a proper one.
    if (dot(cross(axes[0], axes[1]), axes[2]) < 0)
        for (int i = 0; i < 3; ++i) axes[i] = -axes[i], out.s[gltf::at(i)] = -out.s[gltf::at(i)];
    out.q = from_matrix(Mat33d::from_columns(axes[0], axes[1], axes[2]));
    return out;
}

Json json(const Vec3d& v) { return Json::array({v.x, v.y, v.z}); }
Json json(const Quatd& q) { return Json::array({q.x, q.y, q.z, q.w}); }

Writer::Writer(const usd::Stage& from, std::string name, const GltfOptions& with, sf::LossReport& report)
    : stage(from), options(with), losses(report), materials(*this), file(std::move(name)), kept_(from.prim_count(), -1)
{
    const usd::StageMetadata& meta = stage.metadata();
    unit                           = meta.authored_meters_per_unit ? meta.meters_per_unit : 1;
}

void Writer::lose(std::string code, Severity severity, sf::LossAction action, std::string category,
                  const usd::Prim& prim, std::string from, std::string to, std::string reason)
{
    if (copies_) return lose_class(code, severity, action, category, prim, from, reason);
    losses.add({std::move(code), severity, action, std::move(category), prim.site(), prim.path().text(),
                std::move(from), std::move(to), std::move(reason)});
}

/// Losses that many prims share are one entry with a count.
void Writer::lose_class(const std::string& code, Severity severity, sf::LossAction action, const std::string& category,
                        const usd::Prim& prim, const std::string& what, const std::string& reason)
{
    const auto [slot, fresh] = classes_.try_emplace(code + "\n" + what, losses.entries.size(), 0);
    auto& [entry, count]     = slot->second;
    if (fresh) losses.add({code, severity, action, category, prim.site(), prim.path().text(), what, {}, reason});
    losses.entries[entry].target_value = ++count == 1 ? std::string() : fmt::format("{} times", count);
}

usd::Matrix4d Writer::in_metres(usd::Matrix4d m) const
{
    for (int c = 0; c < 3; ++c) m(3, c) *= unit;
    return m;
}

bool Writer::shows(const usd::Prim& prim) { return options.purposes.contains(stage.purpose(prim).text()); }

/// Whether anything at or below the prim is shown; remembered, since parents ask their children.
bool Writer::keep(const usd::Prim& prim)
{
    signed char& known = kept_[prim.index()];
    if (known >= 0) return known == 1;
    known                  = 0;
    const std::string type = prim.type_name().text();
    if (usd::start_or<std::string>(prim.attribute("visibility"), "inherited") == "invisible") return false;
    // Typed prims that are not imageable (scenes, materials' parts, vendors' prims) have no place in a picture.
    if (!type.empty() && !prim.is_a("Imageable") && (prim.is_a("Typed") || type.starts_with("Mjc"))) return false;
    if (prim.is_a("PhysicsJoint") || type == "GeomSubset" || type == "Material") return false;
    bool below = false;
    if (type != "PointInstancer")
        for (const usd::Prim& child : prim.children()) below = keep(child) || below;
    // Joints stand below their skeleton, which itself shows nothing and is often a guide.
    const bool own = type == "Skeleton"       ? true
                     : prim.is_a("Xformable") ? shows(prim)
                                              : prim.is_a("Scope") && !options.prune;
    known          = own || below ? 1 : 0;
    return known == 1;
}

Quatd Writer::transform(Json& node, const usd::Matrix4d& m, const usd::Prim& prim, bool splits)
{
    Trs   trs = trs_of(m);
    Quatd inner;
    if (trs.sheared) {
        // glTF has no sheared nodes. A = U S V^T is a rotation, then a scale, then a rotation: two nodes.
        std::tie(trs, inner) = split_shear(m);
        if (splits) {
            lose("shear", Severity::info, sf::LossAction::converted, "visual", prim, "a sheared transform", "two nodes",
                 "a node has one rotation and one scale");
        } else {
            trs.q = normalized(trs.q * inner);
            inner = {};
            lose("shear", Severity::warning, sf::LossAction::approximated, "visual", prim, "a sheared transform",
                 "the nearest rotation", "a node has one rotation and one scale");
        }
    }
    if (!(trs.t == Vec3d{})) node["translation"] = json(trs.t);
    if (!(trs.q == Quatd{})) node["rotation"] = json(trs.q);
    if (!(trs.s == Vec3d{1, 1, 1})) node["scale"] = json(trs.s);
    return inner;
}

int Writer::node(const usd::Prim& prim)
{
    const int index = out.add("nodes", Json::object());
    nodes[prim.path()].push_back(index);
    Json node;
    node["name"] = prim.name().text();
    if (options.extras) node["extras"] = {{"path", prim.path().text()}};
    bool resets = false;
    // What is animated alone stands as it does at the start.
    const usd::TimeCode time  = usd::start_of_transform(prim);
    usd::Matrix4d       local = stage.local_matrix(prim, time, &resets);
    // A glTF node always stands in its parent: the world transform is expressed in the parent's.
    if (resets) {
        const auto above = usd::inverse(stage.world_matrix(prim.parent(), time));
        if (above) local = stage.world_matrix(prim, time) * *above;
        lose("reset-xform-stack", Severity::info, sf::LossAction::converted, "visual", prim, "!resetXformStack!",
             "a transform relative to its parent", "nodes of glTF always follow their parents");
    }
    bool finite = true;
    for (const double v : local.m) finite = finite && std::isfinite(v);
    if (!finite) {
        lose("transform", Severity::error, sf::LossAction::dropped, "visual", prim, "a transform that is not finite",
             "none", "its numbers are not finite");
        local = {};
    }
    Quatd inner;
    if (prim.is_a("Xformable")) inner = transform(node, in_metres(local), prim, true);
    const std::string type  = prim.type_name().text();
    Json              below = Json::array();
    if (is_gprim(prim) && shows(prim)) {
        const bool skinned = is_skinned(prim);
        if (const int m = mesh(prim, skinned); m >= 0) {
            const int bones = skinned ? skin(prim) : -1;
            if (bones >= 0) {  // what is above a skinned mesh does not move it: it stands beside the asset
                scene.push_back(
                    out.add("nodes", {{"name", prim.name().text() + "_skin"}, {"mesh", m}, {"skin", bones}}));
                pending_.back().node = scene.back();
                animate_shapes(prim, scene.back());
            } else {
                node["mesh"] = m;
                animate_shapes(prim, index);
            }
        }
    } else if (type == "Camera") {
        camera(prim, node);
    } else if (is_light(type)) {
        light(prim, node);
    } else if (type == "PointInstancer") {
        instancer(prim, below);
    } else if (type == "Skeleton") {
        skeleton(prim, below);
    }
    if (type != "PointInstancer" && depth_ < kDeepest) {
        ++depth_;
        for (const usd::Prim& child : prim.children())
            if (keep(child)) below.push_back(this->node(child));
        --depth_;
    } else if (depth_ >= kDeepest && !prim.children().empty()) {
        lose("depth", Severity::error, sf::LossAction::dropped, "visual", prim, "prims below it", {},
             "nodes are nested at most 1000 deep");
    }
    if (!below.empty()) node["children"] = std::move(below);
    if (!(inner == Quatd{})) {  // what the prim shows and holds hangs on the second node
        Json second{{"name", prim.name().text() + "_shear"}, {"rotation", json(inner)}};
        for (const char* moved : {"mesh", "camera", "extensions", "children"})
            if (node.contains(moved)) second[moved] = std::move(node[moved]), node.erase(moved);
        node["children"] = Json::array({out.add("nodes", std::move(second))});
    }
    out.at("nodes", index) = std::move(node);
    animate(prim, index);
    return index;
}

int Writer::mesh(const usd::Prim& prim, bool skinned)
{
    // What instances share is read once.
    // An instance proxy is known by its prim in the prototype and by its look, since a binding above the instance may
    // differ.
    std::string key;
    if (prim.is_instance_proxy()) {
        usd::Prim at = prim;
        while (at && at.is_instance_proxy()) at = at.parent();
        const usd::Prim source = at ? at.prototype_source() : usd::Prim();
        const usd::Prim look   = bound_look(stage, prim);
        if (source)
            key = source.path().text() + prim.path().text().substr(at.path().text().size()) + "\n" +
                  (look ? look.path().text() : "");
    }
    if (!key.empty())
        if (const auto known = meshes_.find(key); known != meshes_.end()) return known->second;
    const Geometry geometry = read_geometry(*this, prim);
    const int      made     = geometry.parts.empty() ? -1 : mesh_of(prim, geometry, skinned);
    if (!key.empty() && !skinned) meshes_[key] = made;
    return made;
}

int Writer::mesh_of(const usd::Prim& prim, const Geometry& from, bool skinned)
{
    Geometry   g            = from;
    const bool double_sided = prim.attribute("doubleSided").get_or<bool>(false);
    // Texture coordinates that some material reads come first.
    std::vector<usd::Prim> looks;
    std::set<std::string>  wanted;
    std::string            normal_uv;
    for (const Part& part : g.parts) {
        usd::Prim look;
        if (part.subset >= 0) look = bound_look(stage, g.subsets[gltf::at(part.subset)]);
        if (!look) look = bound_look(stage, prim);
        looks.push_back(look);
        if (!look) continue;
        const Look& needs = materials.needs(look);
        wanted.insert(needs.uvs.begin(), needs.uvs.end());
        if (needs.normal_map && normal_uv.empty()) normal_uv = needs.normal_uv;
    }
    std::stable_sort(g.uvs.begin(), g.uvs.end(),
                     [&](const UvSet& a, const UvSet& b) { return wanted.contains(a.name) > wanted.contains(b.name); });
    std::map<std::string, int> uv_sets;
    for (std::size_t u = 0; u < g.uvs.size(); ++u) uv_sets[g.uvs[u].name] = static_cast<int>(u);
    // Tiles of UDIM.
    struct Piece {
        Part part;
        int  tile = -1;
        bool own  = false;  ///< has vertices of its own
    };
    std::vector<Piece>     pieces;
    std::vector<usd::Prim> piece_looks;
    for (std::size_t p = 0; p < g.parts.size(); ++p) {
        const Look* needs = looks[p] ? &materials.needs(looks[p]) : nullptr;
        if (needs == nullptr || !needs->udim || options.udim == Udim::refuse || needs->uvs.empty() ||
            !uv_sets.contains(needs->uvs.front())) {
            pieces.push_back({g.parts[p], -1, false});
            piece_looks.push_back(looks[p]);
            continue;
        }
        const bool atlas           = options.udim == Udim::atlas;
        const auto [columns, rows] = materials.grid(looks[p]);
        lose("udim", Severity::warning, sf::LossAction::approximated, "material", looks[p], "tiles",
             atlas ? "one picture" : "one primitive a tile", "glTF has no tiles; what wraps at their edges is lost");
        UvSet&                                                 set = g.uvs[gltf::at(uv_sets.at(needs->uvs.front()))];
        std::map<int, Part>                                    by_tile;
        std::map<std::pair<std::uint32_t, int>, std::uint32_t> twins;
        for (std::size_t c = 0; c + 2 < g.parts[p].corners.size(); c += 3) {
            Vec2d middle;
            for (std::size_t k = 0; k < 3; ++k)
                middle.x += set.values[g.parts[p].corners[c + k]].x / 3,
                    middle.y += set.values[g.parts[p].corners[c + k]].y / 3;
            const int u    = std::clamp(static_cast<int>(std::floor(middle.x)), 0, 9),
                      v    = std::clamp(static_cast<int>(std::floor(middle.y)), 0, 999),
                      tile = atlas ? -1 : 1001 + u + 10 * v;
            Part&     to   = by_tile[tile];
            to.subset      = g.parts[p].subset;
            for (std::size_t k = 0; k < 3; ++k) {
                const std::uint32_t old  = g.parts[p].corners[c + k];
                const auto [slot, fresh] = twins.try_emplace({old, tile}, 0);
                if (fresh) {  // vertices of its own, in the unit square of its picture
                    slot->second = static_cast<std::uint32_t>(g.points.size());
                    g.points.push_back(Vec3d(g.points[old]));
                    if (!g.normals.empty()) g.normals.push_back(Vec3d(g.normals[old]));
                    if (!g.colors.empty()) g.colors.push_back(std::array<double, 4>(g.colors[old]));
                    if (!g.source.empty()) g.source.push_back(std::uint32_t{g.source[old]});
                    for (UvSet& s : g.uvs) {
                        const Vec2d was = s.values[old];
                        s.values.push_back(&s != &set ? was
                                           : atlas    ? Vec2d{was.x / columns, was.y / rows}
                                                      : Vec2d{was.x - u, was.y - v});
                    }
                }
                to.corners.push_back(slot->second);
            }
        }
        for (auto& [tile, part] : by_tile)
            pieces.push_back({std::move(part), tile, true}), piece_looks.push_back(looks[p]);
    }
    g.parts.clear();
    for (Piece& piece : pieces) g.parts.push_back(std::move(piece.part));
    if (std::any_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.own; })) drop_unused(g);
    if (!normal_uv.empty() && uv_sets.contains(normal_uv)) add_tangents(g, gltf::at(uv_sets[normal_uv]));

    // -- attributes
    Json attributes;
    for (Vec3d& p : g.points) p = unit * p;
    attributes["POSITION"] = out.numbers(floats(g.points), "VEC3", Target::vertices, true);
    if (!g.normals.empty()) attributes["NORMAL"] = out.numbers(floats(g.normals), "VEC3", Target::vertices, false);
    const auto four = [&](const std::vector<std::array<double, 4>>& rows) {
        std::vector<float> flat;
        for (const auto& r : rows)
            for (const double v : r) flat.push_back(static_cast<float>(v));
        return out.numbers(flat, "VEC4", Target::vertices, false);
    };
    if (!g.tangents.empty()) attributes["TANGENT"] = four(g.tangents);
    for (std::size_t u = 0; u < g.uvs.size(); ++u) {
        std::vector<float> flat;
        for (const Vec2d& v : g.uvs[u].values)
            flat.insert(flat.end(), {static_cast<float>(v.x), static_cast<float>(1 - v.y)});
        attributes[fmt::format("TEXCOORD_{}", u)] = out.numbers(flat, "VEC2", Target::vertices, false);
    }
    bool any_plain = false;
    for (const usd::Prim& look : piece_looks) any_plain = any_plain || !look;
    const int colors = !g.colors.empty() && (any_plain || options.keep_colors) ? four(g.colors) : -1;
    if (!g.colors.empty() && colors < 0)
        lose_class("display-color", Severity::info, sf::LossAction::dropped, "visual", prim,
                   "displayColor of a prim with a material", "the material counts; --keep-colors writes both");
    if (skinned) influences(prim, g, attributes);

    // -- primitives
    std::array<double, 4> plain{0.5, 0.5, 0.5, 1};
    if (const auto c = usd::start_as<std::vector<Vec3d>>(usd::find_primvar(prim, "displayColor")); c && !c->empty())
        plain = {c->front().x, c->front().y, c->front().z, 1};
    if (const auto o = usd::start_as<std::vector<double>>(usd::find_primvar(prim, "displayOpacity")); o && !o->empty())
        plain[3] = o->front();
    if (!g.colors.empty())
        plain = {1, 1, 1,
                 std::any_of(g.colors.begin(), g.colors.end(), [](const auto& c) { return c[3] < 1; }) ? 0.999 : 1};
    Json                     primitives = Json::array();
    std::vector<WrittenPart> made;
    Json                     mesh{{"name", prim.name().text()}};
    for (std::size_t p = 0; p < g.parts.size(); ++p) {
        const Part& part = g.parts[p];
        Json        one{{"attributes", attributes}};
        if (colors >= 0 && (!piece_looks[p] || options.keep_colors)) one["attributes"]["COLOR_0"] = colors;
        if (g.mode != 0)
            one["indices"] = out.whole(part.corners, "SCALAR",
                                       // 65535 itself is glTF's restart value and may not be used as an index.
                                       g.points.size() < 65535 ? Component::u16 : Component::u32, Target::corners);
        if (g.mode != 4) one["mode"] = g.mode;
        one["material"] = piece_looks[p] ? materials.write(piece_looks[p], double_sided, uv_sets, pieces[p].tile)
                                         : materials.plain(plain, double_sided, "displayColor");
        morphs(prim, g, one, mesh);
        primitives.push_back(std::move(one));
        made.push_back({part.subset >= 0 ? g.subsets[gltf::at(part.subset)].path() : prim.path(), 0,
                        static_cast<int>(p), double_sided, uv_sets});
    }
    mesh["primitives"] = std::move(primitives);
    // The same numbers under another path are one mesh.
    Json content = mesh;
    if (content.contains("name")) content.erase("name");
    const auto [slot, fresh] =
        meshes_.try_emplace("=" + content.dump(-1, ' ', false, Json::error_handler_t::replace), 0);
    if (fresh) slot->second = out.add("meshes", std::move(mesh));
    for (WrittenPart& part : made) part.mesh = slot->second, parts.push_back(std::move(part));
    return slot->second;
}

Result<Written> Writer::write()
{
    const usd::StageMetadata& meta = stage.metadata();
    const usd::Prim           main = stage.default_prim();
    const int                 root = out.add("nodes", Json::object());
    scene.push_back(root);
    Json node{{"name", main ? main.name().text() : fs::path(file).stem().string()}};
    // Up becomes y: (x, y, z) -> (x, z, -y) from z, (x, y, z) -> (-y, x, z) from x.
    const double h = std::sqrt(0.5);
    if (meta.up_axis == 'Z' && options.front_z)
        node["rotation"] = json(Quatd{-0.5, -0.5, -0.5, 0.5});
    else if (meta.up_axis == 'Z')
        node["rotation"] = json(Quatd{-h, 0, 0, h});
    else if (meta.up_axis == 'X')
        node["rotation"] = json(Quatd{0, 0, h, h});
    Json below = Json::array();
    for (const usd::Prim& prim : stage.pseudo_root().children())
        if (keep(prim)) below.push_back(this->node(prim));
    const bool empty = below.empty();
    if (!empty) node["children"] = std::move(below);
    out.at("nodes", root) = std::move(node);
    if (empty) return make_diagnostic(kEmpty, {.layer = file}, "the stage shows nothing");
    if (meshes_.empty())
        lose("no-shapes", Severity::warning, sf::LossAction::kept, "visual", main ? main : stage.pseudo_root(),
             "no shape is seen", {},
             "no prim of the purposes that are written has a shape, so a picture of the file is empty; --purposes "
             "default,render,guide writes colliders too");
    animate_skeletons();
    finish_animation();
    if (options.material_variants) variants();
    unread();
    Json asset{{"version", "2.0"}, {"generator", "Mechane"}};
    if (main)
        if (const auto copyright = main.metadata("assetInfo:copyright").get<std::string>();
            copyright && !copyright->empty())
            asset["copyright"] = *copyright;
    Json shown{{"name", fs::path(file).stem().string()}, {"nodes", scene}};
    auto files = out.finish(
        file, options.mesh_folder.empty() ? fs::path(file).stem().string() + "_textures" : options.mesh_folder,
        std::move(asset), std::move(shown));
    if (!files) return files.error();
    return Written{*std::move(files), {}};
}

}  // namespace gltf

bool is_gltf(std::string_view file)
{
    const std::string suffix = files::suffix_of(file);
    return suffix == ".gltf" || suffix == ".glb";
}

Result<Written> write_gltf(const usd::Stage& stage, const std::string& file, const GltfOptions& options,
                           sourceformats::LossReport& losses)
{
    losses.target         = "glTF";
    losses.target_version = "2.0";
    return gltf::Writer(stage, file, options, losses).write();
}

}  // namespace mechane::exporter

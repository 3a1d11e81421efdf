// COLLADA 1.4/1.5: geometry under the nodes of the visual scene, in metres with z up. Colours and textures of effects.
// Skins, animations, splines and external references are not read.
//
// A geometry names its parts by links of ids: primitive -> vertices -> source -> numbers. All of it is found through
// one table. The node transforms are applied to the points, so what comes out is one mesh in the frame of the file's
// scene.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "sourceformats/meshes/mesh_file.h"
#include "sourceformats/meshes/scene.h"
#include "sourceformats/xml.h"

namespace mechane::sourceformats {
namespace {

struct DaeSource {
    std::vector<double> values;
    std::size_t         stride = 3;
};

class DaeReader {
  public:
    DaeReader(const XmlElement& root, MeshData& data) : root_(root), data_(data) { index(root, 0); }

    std::string run()
    {
        Affine to_world;
        // The unit and the upward axis of the asset come first, since all nodes lie under them. Y up is COLLADA's
        // default.
        if (const XmlElement* asset = root_.child("asset")) {
            if (const XmlElement* unit = asset->child("unit")) {
                const double metres = parse_number(unit->get("meter", "1")).value_or(1);
                if (metres > 0 && std::isfinite(metres)) to_world.A = metres * Mat33d::identity();
            }
            const XmlElement* up   = asset->child("up_axis");
            const std::string axis = up != nullptr ? std::string(trimmed(up->text)) : "Y_UP";
            // The file's up becomes z; its right hand stays the right hand.
            if (axis == "Y_UP") to_world.A = to_world.A * Mat33d{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}};
            // X up has -y to the right and z towards the viewer: (x, y, z) -> (-y, -z, x).
            if (axis == "X_UP") to_world.A = to_world.A * Mat33d{{0, -1, 0}, {0, 0, -1}, {1, 0, 0}};
        } else {
            to_world.A = Mat33d{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}};
        }
        // The scene that the file names, else the first of its library; a file without any shows its geometries as
        // they are.
        const XmlElement* scene = nullptr;
        if (const XmlElement* s = root_.child("scene"))
            if (const XmlElement* instance = s->child("instance_visual_scene")) scene = by_url(instance->get("url"));
        if (scene == nullptr)
            if (const XmlElement* library = root_.child("library_visual_scenes"))
                scene = library->child("visual_scene");
        if (scene != nullptr)
            for (const XmlElement& child : scene->children)
                if (child.name == "node") node(child, to_world, 0);
        if (data_.counts.empty() && scene == nullptr)
            if (const XmlElement* library = root_.child("library_geometries"))
                for (const XmlElement& g : library->children)
                    if (g.name == "geometry") geometry(g, to_world, {});
        return too_large_ ? "the scene repeats its geometry too often" : std::string();
    }

  private:
    const XmlElement&                                     root_;
    MeshData&                                             data_;
    std::map<std::string, const XmlElement*>              ids_;
    std::map<std::string, int>                            materials_;
    std::map<const XmlElement*, std::optional<DaeSource>> sources_;
    bool                                                  all_normals_ = true, all_uvs_ = true, too_large_ = false;

    void index(const XmlElement& e, int depth)
    {
        if (const std::string* id = e.peek("id")) ids_.emplace(*id, &e);
        // Depth is bounded by the XML reader's own limit.
        for (const XmlElement& c : e.children) index(c, depth + 1);
    }

    const XmlElement* by_url(const std::string& url) const
    {
        const auto at = ids_.find(url.starts_with('#') ? url.substr(1) : url);
        return at == ids_.end() ? nullptr : at->second;
    }

    static Affine transform_of(const XmlElement& e)
    {
        Affine out;
        // COLLADA writes matrices row by row, for column vectors, and angles in degrees.
        const auto v = parse_numbers(e.text).value_or(std::vector<double>());
        if (e.name == "matrix" && v.size() == 16) {
            out.A = {{v[0], v[1], v[2]}, {v[4], v[5], v[6]}, {v[8], v[9], v[10]}};
            out.t = {v[3], v[7], v[11]};
        } else if (e.name == "translate" && v.size() == 3) {
            out.t = {v[0], v[1], v[2]};
        } else if (e.name == "scale" && v.size() == 3) {
            out.A = Mat33d::diagonal({v[0], v[1], v[2]});
        } else if (e.name == "lookat" && v.size() == 9) {
            // Eye, what it looks at, and up: the node's -z looks there (COLLADA 1.4, <lookat>).
            const Vec3d eye{v[0], v[1], v[2]}, z = normalized(eye - Vec3d{v[3], v[4], v[5]}),
                                               x = normalized(cross(Vec3d{v[6], v[7], v[8]}, z));
            if (length(z) > 0 && length(x) > 0) out.A = Mat33d::from_columns(x, cross(z, x), z);
            out.t = eye;
        } else if (e.name == "rotate" && v.size() == 4) {
            const Vec3d axis = normalized(Vec3d{v[0], v[1], v[2]});
            if (length(axis) > 0) out.A = to_matrix(from_axis_angle(axis, v[3] * std::numbers::pi / 180));
        }
        return out;
    }

    void node(const XmlElement& e, Affine at, int depth)
    {
        if (depth > kMostSceneDepth || too_large_) return;
        // The transforms of a node apply in the order of their elements: the first is the outermost.
        for (const XmlElement& c : e.children) {
            if (c.name == "matrix" || c.name == "translate" || c.name == "scale" || c.name == "rotate" ||
                c.name == "lookat")
                at = at * transform_of(c);
        }
        for (const XmlElement& c : e.children) {
            if (c.name == "node") node(c, at, depth + 1);
            if (c.name == "instance_node")
                // A node may stand in the scene several times. Circles end at the bound of depth.
                if (const XmlElement* other = by_url(c.get("url"))) node(*other, at, depth + 1);
            if (c.name == "instance_geometry") {
                // A primitive names its material by a symbol, which the instance binds to a material.
                std::map<std::string, std::string> bound;
                if (const XmlElement* bind = c.child("bind_material"))
                    if (const XmlElement* common = bind->child("technique_common"))
                        for (const XmlElement& m : common->children)
                            if (m.name == "instance_material") bound[m.get("symbol")] = m.get("target");
                if (const XmlElement* g = by_url(c.get("url"))) geometry(*g, at, bound);
            }
        }
    }

    int material(const std::string& target)
    {
        // A material that cannot be read is tried once, and is -1 from then on.
        if (const auto known = materials_.find(target); known != materials_.end()) return known->second;
        int&              slot = materials_[target] = -1;
        const XmlElement* m                         = by_url(target);
        const XmlElement* use                       = m != nullptr ? m->child("instance_effect") : nullptr;
        const XmlElement* fx                        = use != nullptr ? by_url(use->get("url")) : nullptr;
        const XmlElement* profile                   = fx != nullptr ? fx->child("profile_COMMON") : nullptr;
        const XmlElement* technique                 = profile != nullptr ? profile->child("technique") : nullptr;
        if (technique == nullptr) return slot;
        MeshMaterial made;
        made.name = m->get("name", m->get("id"));
        // Whatever the shading is called (phong, lambert, blinn): its diffuse colour is the one that is taken.
        for (const XmlElement& shading : technique->children)
            if (const XmlElement* diffuse = shading.child("diffuse")) {
                if (const XmlElement* color = diffuse->child("color")) {
                    const auto v = parse_numbers(color->text).value_or(std::vector<double>());
                    for (std::size_t i = 0; i < 4 && i < v.size(); ++i) made.rgba[i] = v[i];
                } else if (const XmlElement* texture = diffuse->child("texture")) {
                    made.rgba    = {1, 1, 1, 1};
                    made.texture = image(*profile, texture->get("texture"));
                }
            }
        slot = static_cast<int>(data_.materials.size());
        data_.materials.push_back(std::move(made));
        return slot;
    }

    /// A sampler names a surface, which names an image, which names a file.
    std::string image(const XmlElement& profile, std::string name) const
    {
        for (int step = 0; step < 3; ++step)
            for (const XmlElement& p : profile.children) {
                if (p.name != "newparam" || p.get("sid") != name) continue;
                if (const XmlElement* sampler = p.child("sampler2D"))
                    if (const XmlElement* source = sampler->child("source")) name = trimmed(source->text);
                if (const XmlElement* surface = p.child("surface"))
                    if (const XmlElement* from = surface->child("init_from")) name = trimmed(from->text);
            }
        const XmlElement* e    = by_url(name);
        const XmlElement* from = e != nullptr ? e->child("init_from") : nullptr;
        if (from == nullptr) return {};
        const XmlElement* ref = from->child("ref");
        std::string       file(trimmed(ref != nullptr ? ref->text : from->text));
        if (file.starts_with("file://")) file.erase(0, 7);
        return file;
    }

    /// Numbers of a <source>, read once. A stride above 3 has further numbers that are skipped.
    const DaeSource* source(const XmlElement* e)
    {
        if (e == nullptr) return nullptr;
        auto [at, fresh] = sources_.try_emplace(e);
        if (!fresh) return at->second ? &*at->second : nullptr;
        const XmlElement* array  = e->child("float_array");
        const auto        values = array != nullptr ? parse_numbers(array->text) : std::nullopt;
        if (!values) return nullptr;
        DaeSource s{*values, 3};
        if (const XmlElement* technique = e->child("technique_common"))
            if (const XmlElement* accessor = technique->child("accessor")) {
                const double stride = parse_number(accessor->get("stride", "1")).value_or(0);
                if (!(stride >= 1 && stride <= 64)) return nullptr;
                s.stride = static_cast<std::size_t>(stride);
            }
        at->second = std::move(s);
        return &*at->second;
    }

    void geometry(const XmlElement& g, const Affine& at, const std::map<std::string, std::string>& bound)
    {
        const XmlElement* mesh = g.child("mesh");
        if (mesh == nullptr) return;
        for (const XmlElement& p : mesh->children)
            if (p.name == "triangles" || p.name == "polylist" || p.name == "polygons" || p.name == "tristrips" ||
                p.name == "trifans")
                primitive(p, at, bound);
    }

    void primitive(const XmlElement& p, const Affine& at, const std::map<std::string, std::string>& bound)
    {
        const DaeSource *points = nullptr, *normals = nullptr, *uvs = nullptr;
        // Each corner has one index per input; `stride` is how many stand for a corner in <p>.
        std::size_t point_at = 0, normal_at = 0, uv_at = 0, stride = 1;
        for (const XmlElement& input : p.children) {
            if (input.name != "input") continue;
            const double offset = parse_number(input.get("offset", "0")).value_or(-1);
            // No file has 64 inputs; a larger offset is damage.
            if (!(offset >= 0 && offset < 64)) return;
            const auto        o        = static_cast<std::size_t>(offset);
            const std::string semantic = input.get("semantic");
            stride                     = std::max(stride, o + 1);
            const XmlElement* from     = by_url(input.get("source"));
            if (semantic == "VERTEX" && from != nullptr) {
                for (const XmlElement& v : from->children) {
                    if (v.name != "input") continue;
                    if (v.get("semantic") == "POSITION") points = source(by_url(v.get("source"))), point_at = o;
                    if (v.get("semantic") == "NORMAL") normals = source(by_url(v.get("source"))), normal_at = o;
                    if (v.get("semantic") == "TEXCOORD") uvs = source(by_url(v.get("source"))), uv_at = o;
                }
            } else if (semantic == "NORMAL") {
                normals = source(from), normal_at = o;
            } else if (semantic == "TEXCOORD" && uvs == nullptr) {
                uvs = source(from), uv_at = o;
            }
        }
        if (points == nullptr || points->stride < 3) return;
        if (normals != nullptr && normals->stride < 3) normals = nullptr;
        if (uvs != nullptr && uvs->stride < 2) uvs = nullptr;
        const std::string symbol = p.get("material");
        const auto        target = bound.find(symbol);
        const int         look   = symbol.empty() ? -1 : material(target != bound.end() ? target->second : symbol);
        const auto        base   = data_.points.size();
        const std::size_t count  = points->values.size() / points->stride;
        // A bound on all of the scene, since instances multiply what the file holds.
        if (base + count > kMostSceneCorners) return void(too_large_ = true);
        for (std::size_t i = 0; i < count; ++i) {
            const double* v = &points->values[i * points->stride];
            data_.points.push_back(at.A * Vec3d{v[0], v[1], v[2]} + at.t);
        }
        // Normals go with the inverse transpose. Under a mirror they would point inwards: their sign and the order of
        // corners change.
        const double        mirrored = determinant(at.A) < 0 ? -1 : 1;
        const Mat33d        turn     = mirrored * transpose(inverse(at.A));
        std::vector<double> sizes;
        if (const XmlElement* vcount = p.child("vcount"))
            sizes = parse_numbers(vcount->text).value_or(std::vector<double>());
        for (const XmlElement& list : p.children) {
            if (list.name != "p") continue;
            const auto numbers = parse_numbers(list.text);
            if (!numbers) continue;
            const std::size_t corners = numbers->size() / stride;
            if (data_.corners.size() + 3 * corners > kMostSceneCorners) return void(too_large_ = true);
            // An index that is negative or too large for an int becomes one that lies outside of any source.
            const auto index = [&](std::size_t corner, std::size_t offset) {
                const double v = (*numbers)[corner * stride + offset];
                return v >= 0 && v < 2147483647.0 ? static_cast<std::size_t>(v) : std::size_t{0x7fffffff};
            };
            const auto add = [&](std::size_t corner) {
                // Corners without a point are kept as -1; keep_sound_faces() drops their faces and counts them.
                const std::size_t i = index(corner, point_at);
                data_.corners.push_back(i < count ? static_cast<int>(base + i) : -1);
                Vec3d n;
                if (const std::size_t k = normals != nullptr ? index(corner, normal_at) : 0;
                    normals != nullptr && (k + 1) * normals->stride <= normals->values.size()) {
                    const double* v = &normals->values[k * normals->stride];
                    n               = turn * Vec3d{v[0], v[1], v[2]};
                } else {
                    all_normals_ = false;
                }
                data_.normals.push_back(n);
                Vec2d uv;
                if (const std::size_t k = uvs != nullptr ? index(corner, uv_at) : 0;
                    uvs != nullptr && (k + 1) * uvs->stride <= uvs->values.size())
                    uv = {uvs->values[k * uvs->stride], uvs->values[k * uvs->stride + 1]};
                else
                    all_uvs_ = false;
                data_.uvs.push_back(uv);
            };
            const auto face = [&](const std::vector<std::size_t>& order) {
                for (std::size_t i = 0; i < order.size(); ++i)
                    add(mirrored > 0 ? order[i] : order[order.size() - 1 - i]);
                data_.counts.push_back(static_cast<int>(order.size()));
                data_.face_materials.push_back(look);
            };
            // Strips and fans as in OpenGL: every other triangle of a strip runs the other way.
            if (p.name == "triangles") {
                for (std::size_t c = 0; c + 2 < corners; c += 3) face({c, c + 1, c + 2});
            } else if (p.name == "tristrips") {
                for (std::size_t c = 0; c + 2 < corners; ++c)
                    c % 2 == 0 ? face({c, c + 1, c + 2}) : face({c + 1, c, c + 2});
            } else if (p.name == "trifans") {
                for (std::size_t c = 1; c + 1 < corners; ++c) face({0, c, c + 1});
            } else {
                std::size_t c = 0;
                if (p.name == "polygons" || sizes.empty()) sizes.assign(1, static_cast<double>(corners));
                for (const double size : sizes) {
                    if (!(size >= 0) || c + static_cast<std::size_t>(size) > corners) break;
                    std::vector<std::size_t> order(static_cast<std::size_t>(size));
                    for (std::size_t& o : order) o = c++;
                    face(order);
                }
            }
        }
        finish();
    }

    void finish()
    {
        // Normals and uvs are kept for all corners or for none. Lists of equal length keep the bookkeeping plain
        // until the end.
        if (!all_normals_) data_.normals.assign(data_.corners.size(), {});
        if (!all_uvs_) data_.uvs.assign(data_.corners.size(), {});
    }

  public:
    void drop_incomplete()
    {
        if (!all_normals_) data_.normals.clear();
        if (!all_uvs_) data_.uvs.clear();
    }
};

}  // namespace

std::string parse_dae(std::string_view bytes, MeshData& data)
{
    Diagnostics found;
    const auto  root = parse_xml(bytes, "mesh", found);
    if (!root) return fmt::format("line {}: {}", root.error().site.line, root.error().message);
    if (found.has_errors()) return fmt::format("line {}: {}", found.begin()->site.line, found.begin()->message);
    if (root->name != "COLLADA") return "the file has no <COLLADA>";
    DaeReader   reader(*root, data);
    std::string wrong = reader.run();
    reader.drop_incomplete();
    return wrong;
}

}  // namespace mechane::sourceformats

// Surfaces of cloths and soft bodies, and particles as balls, for drawing.
// Input: triangles and particles of a model. Output: for each object and colour a mesh whose vertices name particles; a
// frame gives their places, and normals are computed from them each time.
// Skins of volumes keep creases of more than 40 degrees at rest; cloths are smooth everywhere, since folds are no
// creases.
// Called by build_scene and draw_items.

#include "soft_scene.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tessellation.h"

namespace mechane::viewer {
namespace {

using Corners = std::array<std::int32_t, 3>;

/// Triangles of one colour and opacity of one object.
struct Patch {
    std::string          label;
    bool                 solid = false;  ///< the skin of a volume: its creases stay sharp
    Vec3f                color;
    float                opacity = 1;
    std::vector<Corners> triangles;
};

std::vector<Patch> patches_of(const model::Model& m)
{
    // Which object a triangle belongs to: by its first particle, as objects have particles of their own.
    std::vector<std::int32_t> owner(m.particle_count(), -1);
    const auto                claim = [&](const model::SoftObject& object, std::size_t index) {
        for (std::int32_t p = object.particle[0]; p < object.particle[1]; ++p)
            owner[static_cast<std::size_t>(p)] = static_cast<std::int32_t>(index);
    };
    for (std::size_t i = 0; i < m.surfaces.size(); ++i) claim(m.surfaces[i], i);
    for (std::size_t i = 0; i < m.volumes.size(); ++i) claim(m.volumes[i], m.surfaces.size() + i);
    std::vector<Patch>                                                          out;
    std::map<std::tuple<std::int32_t, float, float, float, float>, std::size_t> known;
    for (std::size_t t = 0; t < m.tri_indices.size(); ++t) {
        const Corners& c = m.tri_indices[t];
        if (std::any_of(c.begin(), c.end(),
                        [&](std::int32_t p) { return p < 0 || static_cast<std::size_t>(p) >= m.particle_count(); }))
            continue;
        const std::int32_t object = owner[static_cast<std::size_t>(c[0])];
        const Vec3f color   = t < m.tri_color.size() ? static_cast<Vec3f>(m.tri_color[t]) : Vec3f{0.7F, 0.5F, 0.3F};
        const float opacity = t < m.tri_opacity.size() ? static_cast<float>(m.tri_opacity[t]) : 1;
        const auto [place, fresh] = known.try_emplace({object, color.x, color.y, color.z, opacity}, out.size());
        if (fresh) {
            const auto n = static_cast<std::size_t>(std::max(object, 0));
            Patch      patch;
            patch.solid = object >= 0 && n >= m.surfaces.size();
            patch.label = object < 0    ? "triangles"
                          : patch.solid ? m.volumes[n - m.surfaces.size()].label
                                        : m.surfaces[n].label;
            patch.color = color, patch.opacity = opacity;
            out.push_back(std::move(patch));
        }
        out[place->second].triangles.push_back(c);
    }
    return out;
}

Vec3d area_of(const model::Model& m, const Corners& c)
{
    const auto at = [&](std::size_t k) { return static_cast<Vec3d>(m.particle_q[static_cast<std::size_t>(c[k])]); };
    return cross(at(1) - at(0), at(2) - at(0));
}

/// For each corner of each triangle the vertex that draws it: corners of one particle share a vertex where faces that
/// meet there are joined by edges that are not creases.
void split(const model::Model& m, const Patch& patch, DrawMesh& mesh, std::vector<std::int32_t>& particles)
{
    const double               crease = std::cos(40 * kDegrees);
    const auto                 count  = static_cast<std::uint32_t>(3 * patch.triangles.size());
    std::vector<std::uint32_t> parent(count);
    for (std::uint32_t i = 0; i < count; ++i) parent[i] = i;
    // Union-find over corners of triangles, with path halving. The smaller root wins, so vertices come out in the order
    // of triangles.
    const auto find = [&](std::uint32_t i) {
        while (parent[i] != i) i = parent[i] = parent[parent[i]];
        return i;
    };
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::uint32_t>> edges;  // corners that begin there
    for (std::uint32_t t = 0; t < patch.triangles.size(); ++t)
        for (std::uint32_t k = 0; k < 3; ++k)
            edges[std::minmax(patch.triangles[t][k], patch.triangles[t][(k + 1) % 3])].push_back(3 * t + k);
    for (const auto& [ends, corners] : edges)
        for (std::size_t i = 1; i < corners.size(); ++i) {
            const std::uint32_t a = corners[0], b = corners[i];
            if (patch.solid) {
                const Vec3d na = normalized(area_of(m, patch.triangles[a / 3]), {}),
                            nb = normalized(area_of(m, patch.triangles[b / 3]), {});
                if (dot(na, nb) < crease) continue;
            }
            for (const std::int32_t end : {ends.first, ends.second}) {
                const auto corner = [&](std::uint32_t at) {
                    const Corners& c = patch.triangles[at / 3];
                    for (std::uint32_t k = 0; k < 3; ++k)
                        if (c[k] == end) return at / 3 * 3 + k;
                    return at;
                };
                const std::uint32_t x = find(corner(a)), y = find(corner(b));
                parent[std::max(x, y)] = std::min(x, y);
            }
        }
    std::vector<std::int32_t> vertex(count, -1);
    for (std::uint32_t t = 0; t < patch.triangles.size(); ++t) {
        std::array<std::uint32_t, 3> out{};
        for (std::uint32_t k = 0; k < 3; ++k) {
            std::int32_t& v = vertex[find(3 * t + k)];
            if (v < 0) {
                v = static_cast<std::int32_t>(particles.size());
                particles.push_back(patch.triangles[t][k]);
            }
            out[k] = static_cast<std::uint32_t>(v);
        }
        mesh.triangles.push_back(out);
    }
}

}  // namespace

std::vector<Vec3f> soft_normals(const DrawMesh& mesh, const std::vector<Vec3d>& points)
{
    std::vector<Vec3d> sums(points.size());
    for (const auto& t : mesh.triangles) {
        const Vec3d area = cross(points[t[1]] - points[t[0]], points[t[2]] - points[t[0]]);
        if (!is_finite(area)) continue;
        for (const std::uint32_t v : t) sums[v] += area;
    }
    std::vector<Vec3f> out;
    out.reserve(sums.size());
    for (const Vec3d& n : sums) out.push_back(static_cast<Vec3f>(normalized(n, {0, 0, 1})));
    return out;
}

void add_softs(const model::Model& m, Scene& scene)
{
    std::vector<std::uint8_t> on_surface(m.particle_count(), 0);
    for (const Patch& patch : patches_of(m)) {
        DrawMesh mesh;
        DrawSoft soft{patch.label, {}};
        split(m, patch, mesh, soft.particles);
        std::vector<Vec3d> points;
        for (const std::int32_t p : soft.particles) {
            on_surface[static_cast<std::size_t>(p)] = 1;
            points.push_back(static_cast<Vec3d>(m.particle_q[static_cast<std::size_t>(p)]));
            mesh.positions.push_back(static_cast<Vec3f>(points.back()));
        }
        mesh.normals = soft_normals(mesh, points);
        DrawItem item;
        item.mesh    = static_cast<std::int32_t>(scene.meshes.size());
        item.color   = patch.color;
        item.opacity = patch.opacity;
        item.solid   = true;
        item.soft    = static_cast<std::int32_t>(scene.softs.size());
        scene.meshes.push_back(std::move(mesh));
        scene.softs.push_back(std::move(soft));
        scene.items.push_back(item);
    }
    for (std::size_t p = 0; p < m.particle_count(); ++p)
        if (on_surface[p] == 0 && m.particle_radius[p] > 0)
            scene.balls.push_back({static_cast<std::int32_t>(p), static_cast<float>(m.particle_radius[p])});
    // The inner particles of a soft body are inside of its skin.
    std::erase_if(scene.balls, [&](const DrawBall& ball) {
        return std::any_of(m.volumes.begin(), m.volumes.end(), [&](const model::SoftObject& v) {
            return ball.particle >= v.particle[0] && ball.particle < v.particle[1];
        });
    });
    if (scene.balls.empty()) return;
    scene.ball_mesh = static_cast<std::int32_t>(scene.meshes.size());
    scene.meshes.push_back(scene.balls.size() > kFineBalls ? octahedron() : tessellate_ellipsoid({1, 1, 1}));
}

DrawMesh octahedron()
{
    DrawMesh mesh;
    for (const Vec3f& p :
         {Vec3f{1, 0, 0}, Vec3f{-1, 0, 0}, Vec3f{0, 1, 0}, Vec3f{0, -1, 0}, Vec3f{0, 0, 1}, Vec3f{0, 0, -1}}) {
        mesh.positions.push_back(p);
        mesh.normals.push_back(p);
    }
    for (const std::uint32_t z : {4U, 5U})
        for (const std::uint32_t x : {0U, 1U})
            for (const std::uint32_t y : {2U, 3U}) {
                const bool outwards = ((x == 0) == (y == 2)) == (z == 4);
                mesh.triangles.push_back(outwards ? std::array<std::uint32_t, 3>{x, y, z}
                                                  : std::array<std::uint32_t, 3>{y, x, z});
            }
    return mesh;
}

}  // namespace mechane::viewer

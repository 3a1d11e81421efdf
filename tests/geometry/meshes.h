#pragma once
#include <cmath>
#include <map>

#include "mechane/geometry/mesh.h"
#include "support/support.h"

/// Closed meshes for the tests, wound outwards.
namespace mechane::test {

/// An icosahedron whose triangles were split in four `levels` times, all points at the radius.
inline geometry::Mesh icosphere(int levels, double radius)
{
    geometry::Mesh m;
    const double   g = (1 + std::sqrt(5.0)) / 2;
    for (const double s : {-1.0, 1.0})
        for (const double t : {-g, g}) {
            m.points.push_back({0, s, t});
            m.points.push_back({s, t, 0});
            m.points.push_back({t, 0, s});
        }
    // Faces are the triples of points at the least distance, 2.
    for (std::int32_t a = 0; a < 12; ++a)
        for (std::int32_t b = a + 1; b < 12; ++b)
            for (std::int32_t c = b + 1; c < 12; ++c) {
                const Vec3d &p = m.points[static_cast<std::size_t>(a)], &q = m.points[static_cast<std::size_t>(b)],
                            &r = m.points[static_cast<std::size_t>(c)];
                if (distance(p, q) > 2.1 || distance(q, r) > 2.1 || distance(r, p) > 2.1) continue;
                if (dot(cross(q - p, r - p), p) > 0)
                    m.triangles.push_back({a, b, c});
                else
                    m.triangles.push_back({a, c, b});
            }
    for (int level = 0; level < levels; ++level) {
        std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> middle;
        const auto                                                    half = [&](std::int32_t a, std::int32_t b) {
            const auto [at, fresh] = middle.try_emplace(std::minmax(a, b), static_cast<std::int32_t>(m.points.size()));
            if (fresh)
                m.points.push_back(0.5 *
                                   (m.points[static_cast<std::size_t>(a)] + m.points[static_cast<std::size_t>(b)]));
            return at->second;
        };
        std::vector<std::array<std::int32_t, 3>> finer;
        for (const auto& t : m.triangles) {
            const std::int32_t ab = half(t[0], t[1]), bc = half(t[1], t[2]), ca = half(t[2], t[0]);
            finer.push_back({t[0], ab, ca});
            finer.push_back({ab, t[1], bc});
            finer.push_back({ca, bc, t[2]});
            finer.push_back({ab, bc, ca});
        }
        m.triangles = finer;
    }
    for (Vec3d& p : m.points) p = radius * normalized(p);
    return m;
}

/// A ring about z: `rings` x `sides` squares of two triangles.
inline geometry::Mesh torus(double major, double minor, int rings, int sides)
{
    geometry::Mesh m;
    for (int i = 0; i < rings; ++i)
        for (int k = 0; k < sides; ++k) {
            const double a = 2 * kPi * i / rings, b = 2 * kPi * k / sides, r = major + minor * std::cos(b);
            m.points.push_back({r * std::cos(a), r * std::sin(a), minor * std::sin(b)});
        }
    for (int i = 0; i < rings; ++i)
        for (int k = 0; k < sides; ++k) {
            const auto at = [&](int x, int y) { return (x % rings) * sides + y % sides; };
            m.triangles.push_back({at(i, k), at(i + 1, k), at(i + 1, k + 1)});
            m.triangles.push_back({at(i, k), at(i + 1, k + 1), at(i, k + 1)});
        }
    return m;
}

/// A toothed wheel about z of half thickness h: the outline jumps between the two radii, two points each.
inline geometry::Mesh gear(int teeth, double inner, double outer, double h)
{
    geometry::Mesh m;
    const int      n = 4 * teeth;
    for (const double z : {-h, h}) {
        for (int i = 0; i < n; ++i) {
            const double a = 2 * kPi * i / n, r = i % 4 < 2 ? outer : inner;
            m.points.push_back({r * std::cos(a), r * std::sin(a), z});
        }
        m.points.push_back({0, 0, z});
    }
    for (int i = 0; i < n; ++i) {
        const int k = (i + 1) % n, top = n + 1;
        m.triangles.push_back({n, k, i});
        m.triangles.push_back({top + n, top + i, top + k});
        m.triangles.push_back({i, k, top + k});
        m.triangles.push_back({i, top + k, top + i});
    }
    return m;
}

/// Twelve triangles.
inline geometry::Mesh box_mesh(const Vec3d& h)
{
    geometry::Mesh m;
    for (int i = 0; i < 8; ++i) m.points.push_back({i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z});
    m.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                   {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    return m;
}

}  // namespace mechane::test

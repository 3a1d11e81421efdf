// Cuts a mesh by a plane into the parts below and above, without closing them. Crossings are shared by neighbours and
// by both parts, bit for bit.

#include "mesh_cut.h"

#include <algorithm>
#include <unordered_map>

namespace mechane::geometry {

namespace {

/// One part under construction. Points get their number at first use, so the order of hashes reaches no output.
class Side {
  public:
    explicit Side(const Mesh& whole) : whole_(whole), number_(whole.points.size(), -1) {}

    std::int32_t point(std::int32_t i)
    {
        std::int32_t& n = number_[static_cast<std::size_t>(i)];
        if (n < 0) n = add(whole_.points[static_cast<std::size_t>(i)]);
        return n;
    }
    /// The crossing of the edge between two points with the plane, given their heights above it.
    std::int32_t crossing(std::int32_t i, std::int32_t k, double height_i, double height_k)
    {
        // Always from the lower index, so that both neighbours of an edge, and both sides, get the same point.
        if (i > k) return crossing(k, i, height_k, height_i);
        const auto key             = (static_cast<std::uint64_t>(i) << 32) | static_cast<std::uint32_t>(k);
        const auto [entry, is_new] = crossings_.try_emplace(key, 0);
        if (is_new) {
            const Vec3d &a = whole_.points[static_cast<std::size_t>(i)],
                        &b = whole_.points[static_cast<std::size_t>(k)];
            entry->second  = add(a + (height_i / (height_i - height_k)) * (b - a));
        }
        return entry->second;
    }
    void triangle(std::int32_t a, std::int32_t b, std::int32_t c) { part_.triangles.push_back({a, b, c}); }
    Mesh take() { return std::move(part_); }

  private:
    std::int32_t add(const Vec3d& p)
    {
        part_.points.push_back(p);
        return static_cast<std::int32_t>(part_.points.size()) - 1;
    }

    const Mesh&                                     whole_;
    Mesh                                            part_;
    std::vector<std::int32_t>                       number_;
    std::unordered_map<std::uint64_t, std::int32_t> crossings_;
};

}  // namespace

/// Corners on the plane belong to whichever side the triangle is on.
std::pair<Mesh, Mesh> cut(const Mesh& mesh, const Vec3d& normal, double offset)
{
    std::vector<double> height;
    height.reserve(mesh.points.size());
    for (const Vec3d& p : mesh.points) height.push_back(dot(normal, p) - offset);
    const auto at = [&](std::int32_t i) { return height[static_cast<std::size_t>(i)]; };

    Side below(mesh), above(mesh);
    for (auto t : mesh.triangles) {
        const auto [low, high] = std::minmax({at(t[0]), at(t[1]), at(t[2])});
        if (high <= 0 || low >= 0) {
            Side& side = high <= 0 ? below : above;
            side.triangle(side.point(t[0]), side.point(t[1]), side.point(t[2]));
            continue;
        }
        // Turned so that the first corner is alone on its side; a corner on the plane counts as above.
        std::size_t alone = 0;
        for (std::size_t i = 0; i < 3; ++i)
            if ((at(t[i]) < 0) != (at(t[(i + 1) % 3]) < 0) && (at(t[i]) < 0) != (at(t[(i + 2) % 3]) < 0)) alone = i;
        std::ranges::rotate(t, t.begin() + static_cast<std::ptrdiff_t>(alone));
        Side& small = at(t[0]) < 0 ? below : above;
        Side& large = at(t[0]) < 0 ? above : below;
        small.triangle(small.point(t[0]), small.crossing(t[0], t[1], at(t[0]), at(t[1])),
                       small.crossing(t[0], t[2], at(t[0]), at(t[2])));
        const std::int32_t ab = large.crossing(t[0], t[1], at(t[0]), at(t[1])),
                           ac = large.crossing(t[0], t[2], at(t[0]), at(t[2]));
        large.triangle(ab, large.point(t[1]), large.point(t[2]));
        large.triangle(ab, large.point(t[2]), ac);
    }
    return {below.take(), above.take()};
}

}  // namespace mechane::geometry

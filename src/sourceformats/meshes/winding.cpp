// Faces of one mesh that look the same way. Two neighbours agree when they run along their common edge in opposite
// directions.
//
// side    an edge as one face has it; an edge between two faces has two sides
// pair    two faces with a common edge, and whether they agree
// parted  a face that got points of its own, since no turning makes it agree with its neighbours (a Moebius band)
//
// Of the faces that hang together the smaller part is turned. A closed mesh whose volume is negative is turned as a
// whole, so that it looks outwards.
#include "sourceformats/meshes/winding.h"

#include <algorithm>
#include <cstdint>

#include "mechane/geometry/facing.h"
#include "sourceformats/indices.h"

namespace mechane::sourceformats {
namespace {

struct Side {
    std::uint64_t edge;  ///< smaller point, larger point
    std::int32_t  face;
    std::int32_t  corner;  ///< where the edge begins, in MeshAsset::corners
    bool          rises;   ///< it runs from the smaller point to the larger
};

bool has_area(const MeshAsset& mesh, std::size_t begin, std::size_t end)
{
    if (end < begin + 3) return false;
    Vec3d      twice;
    const auto point = [&](std::size_t k) {
        return static_cast<Vec3d>(static_cast<Vec3f>(mesh.points[at(mesh.corners[k])]));
    };  // as USD stores it
    for (std::size_t k = begin + 1; k + 1 < end; ++k)
        // Cross products of the face's fan: their sum is twice its area vector.
        twice = twice + cross(point(k) - point(begin), point(k + 1) - point(begin));
    return length(twice) > 0;
}

/// Edges sorted, each with the sides that have it.
std::vector<Side> sides_of(const MeshAsset& mesh, const std::vector<std::size_t>& begin)
{
    std::vector<Side> out;
    out.reserve(mesh.corners.size());
    for (std::size_t f = 0; f + 1 < begin.size(); ++f) {
        // Points are rounded as they will be stored: a face that vanishes there has no direction.
        if (!has_area(mesh, begin[f], begin[f + 1])) continue;  // readers leave it out
        for (std::size_t k = begin[f]; k < begin[f + 1]; ++k) {
            const auto a = static_cast<std::uint32_t>(mesh.corners[k]),
                       b = static_cast<std::uint32_t>(mesh.corners[k + 1 < begin[f + 1] ? k + 1 : begin[f]]);
            if (a == b) continue;
            // Both points of the edge in one number, the smaller one first: equal edges are equal numbers.
            out.push_back({(static_cast<std::uint64_t>(std::min(a, b)) << 32) | std::max(a, b),
                           static_cast<std::int32_t>(f), static_cast<std::int32_t>(k), a < b});
        }
    }
    // The corner makes the order total, so that equal meshes give equal results on any machine.
    std::sort(out.begin(), out.end(),
              [](const Side& x, const Side& y) { return x.edge != y.edge ? x.edge < y.edge : x.corner < y.corner; });
    return out;
}

void turn(MeshAsset& mesh, std::size_t begin, std::size_t end)
{
    const auto reverse = [&](auto& list) {
        if (list.size() >= end)
            std::reverse(list.begin() + static_cast<std::ptrdiff_t>(begin),
                         list.begin() + static_cast<std::ptrdiff_t>(end));
    };
    reverse(mesh.corners), reverse(mesh.normals), reverse(mesh.uvs);
}

double six_volumes(const MeshAsset& mesh, const std::vector<std::size_t>& begin)
{
    double sum = 0;
    for (std::size_t f = 0; f + 1 < begin.size(); ++f)
        for (std::size_t k = begin[f] + 1; k + 1 < begin[f + 1]; ++k) {
            const Vec3d &a = mesh.points[at(mesh.corners[begin[f]])], &b = mesh.points[at(mesh.corners[k])],
                        &c = mesh.points[at(mesh.corners[k + 1])];
            // Signed volume of the tetrahedra with the origin, times six. For a closed mesh the origin does not
            // matter.
            sum += dot(a, cross(b, c));
        }
    return sum;
}

}  // namespace

Rewound wind_alike(MeshAsset& mesh)
{
    Rewound                  out;
    std::vector<std::size_t> begin{0};
    for (const int n : mesh.counts) {
        if (n < 0 || begin.back() + at(n) > mesh.corners.size()) return out;
        begin.push_back(begin.back() + at(n));
    }
    for (const int c : mesh.corners)
        if (c < 0 || at(c) >= mesh.points.size()) return out;
    const std::size_t               faces = mesh.counts.size();
    auto                            sides = sides_of(mesh, begin);
    std::vector<geometry::FacePair> pairs;
    bool                            closed = !sides.empty();
    for (std::size_t i = 0; i < sides.size();) {
        std::size_t end = i + 1;
        while (end < sides.size() && sides[end].edge == sides[i].edge) ++end;
        // Three faces at an edge, or one, are no closed surface; such edges say nothing about agreement.
        if (end - i != 2)
            closed = false;
        else if (sides[i].face != sides[i + 1].face)
            pairs.push_back({sides[i].face, sides[i + 1].face, sides[i].rises != sides[i + 1].rises});
        i = end;
    }
    if (std::ranges::any_of(pairs, [](const geometry::FacePair& pair) { return !pair.agree; })) {
        const std::vector<bool> lesser = geometry::facing_of(faces, pairs).lesser();
        for (std::size_t f = 0; f < faces; ++f) {
            if (!lesser[f]) continue;
            turn(mesh, begin[f], begin[f + 1]);
            ++out.turned;
        }
        // What cannot agree is parted: the second face gets points of its own along the edge.
        sides = sides_of(mesh, begin);
        for (std::size_t i = 0; i + 1 < sides.size();) {
            std::size_t end = i + 1;
            while (end < sides.size() && sides[end].edge == sides[i].edge) ++end;
            if (end - i == 2 && sides[i].rises == sides[i + 1].rises) {
                const std::size_t f = at(sides[i + 1].face);
                for (std::size_t k = begin[f]; k < begin[f + 1]; ++k) {
                    mesh.points.push_back(mesh.points[at(mesh.corners[k])]);
                    mesh.corners[k] = static_cast<int>(mesh.points.size() - 1);
                    ++out.parted;
                }
                closed = false;
            }
            i = end;
        }
    }
    if (closed && six_volumes(mesh, begin) < 0) {
        for (std::size_t f = 0; f < faces; ++f) turn(mesh, begin[f], begin[f + 1]);
        out.turned += faces;
    }
    return out;
}

}  // namespace mechane::sourceformats

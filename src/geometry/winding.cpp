// Generalised winding numbers (Jacobson et al. 2013) with a tree of dipoles (Barill et al. 2018): the share of the full
// solid angle that a soup of triangles covers, near 1 inside and near 0 outside.

#include "mechane/geometry/winding.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mechane::geometry {

namespace {

constexpr std::size_t kLeaf     = 8;
constexpr double      kFarAway  = 2.5;  ///< in radii of the group; the dipole's error is then below a few per cent
constexpr std::size_t kMaxDepth = 128;

/// Solid angle of the triangle seen from the origin, over 4 pi (van Oosterom and Strackee 1983).
double solid_angle(const Vec3d& a, const Vec3d& b, const Vec3d& c)
{
    const double la = length(a), lb = length(b), lc = length(c);
    const double volume = dot(a, cross(b, c));
    const double along  = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    // Half of the solid angle is atan2(volume, along); over 4 pi that is atan2 / (2 pi).
    return volume == 0 && along == 0 ? 0 : std::atan2(volume, along) / (2 * kPi);
}

}  // namespace

WindingTree::WindingTree(const Mesh& mesh)
{
    for (const auto& t : mesh.triangles)
        triangles_.push_back({mesh.points[static_cast<std::size_t>(t[0])], mesh.points[static_cast<std::size_t>(t[1])],
                              mesh.points[static_cast<std::size_t>(t[2])]});
    if (triangles_.empty()) return;
    nodes_.emplace_back();
    build(0, 0, triangles_.size());
}

void WindingTree::build(std::size_t node, std::size_t begin, std::size_t end)
{
    const auto middle = [](const Triangle& t) { return (t.a + t.b + t.c) / 3.0; };
    Node       made;
    double     area = 0;
    Aabbd      box;
    for (std::size_t i = begin; i < end; ++i) {
        const Triangle& t = triangles_[i];
        const Vec3d     n = 0.5 * cross(t.b - t.a, t.c - t.a);
        made.dipole += n;
        made.centre += length(n) * middle(t);
        area += length(n);
        box.lower = min(box.lower, middle(t)), box.upper = max(box.upper, middle(t));
    }
    made.centre = area > 0 ? made.centre / area : middle(triangles_[begin]);
    for (std::size_t i = begin; i < end; ++i)
        for (const Vec3d& p : {triangles_[i].a, triangles_[i].b, triangles_[i].c})
            made.radius = std::max(made.radius, length(p - made.centre));
    if (end - begin <= kLeaf) {
        made.first = static_cast<std::uint32_t>(begin), made.count = static_cast<std::uint32_t>(end - begin);
        nodes_[node] = made;
        return;
    }
    const Vec3d       size = box.upper - box.lower;
    const std::size_t axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const std::size_t half = begin + (end - begin) / 2;
    // A stable sort: equal centres keep their order, so that they split the same way everywhere.
    std::stable_sort(triangles_.begin() + static_cast<std::ptrdiff_t>(begin),
                     triangles_.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](const Triangle& x, const Triangle& y) { return middle(x)[axis] < middle(y)[axis]; });
    made.first = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
    nodes_.emplace_back();
    nodes_[node] = made;
    build(made.first, begin, half);
    build(made.first + 1, half, end);
}

double WindingTree::at(const Vec3d& p) const
{
    std::array<std::uint32_t, kMaxDepth> stack;
    std::size_t                          top = 0;
    double                               sum = 0;
    if (!nodes_.empty()) stack[top++] = 0;
    while (top > 0) {
        const Node&  node = nodes_[stack[--top]];
        const Vec3d  d    = node.centre - p;
        const double l    = length(d);
        if (l > kFarAway * node.radius) {
            // Far away a group looks like its area vector at its centre: n . d / (4 pi |d|^3).
            sum += dot(node.dipole, d) / (4 * kPi * l * l * l);
        } else if (node.count > 0) {
            for (std::uint32_t i = node.first; i < node.first + node.count; ++i)
                sum += solid_angle(triangles_[i].a - p, triangles_[i].b - p, triangles_[i].c - p);
        } else {
            stack[top++] = node.first + 1;
            stack[top++] = node.first;
        }
    }
    return sum;
}

}  // namespace mechane::geometry

// Penetration depth of an ellipsoid and a box in closed form, called by GJK (gjk.cpp) for cores that overlap.
// The depth is the minimum of the support function of the Minkowski difference over all directions, h(n) = sum |n_i|
// half_i + n . t + sqrt(n . M n). Over one octant the box's support is a single corner, so creases of h are the planes
// n_i = 0.
// Directions with one non-zero component (faces) and with two (edges) are searched exactly. For the interiors of the
// eight octants (corners) is_least proves that nothing there is less; if the proof fails, the general polytope
// (epa.cpp) decides.

#include "ellipsoid_box_depth.h"

#include <algorithm>
#include <cmath>

#include "box_and_round.h"
#include "mechane/math/simd.h"
#include "rim.h"

namespace mechane::collision {

namespace {

/// Everything in the frame of the box. Directions n lead from the box to the ellipsoid; the overlap along n is
/// sum |n_i| half_i + n . t + sqrt(n . M n), with the ellipsoid's half axes squared in M.
class DepthSearch {
  public:
    double depth = kInfinity;
    Vec3d  normal;

    DepthSearch(const Vec3d& half, const Mat33d& M, const Vec3d& t) : half_(half), t_(t), M_(M)
    {
        // root_ is the ellipsoid's half width along an axis, top_ its point there: M e_i / sqrt(e_i . M e_i).
        for (std::size_t i = 0; i < 3; ++i) {
            root_[i] = std::sqrt(M(i, i));
            top_[i]  = (1 / root_[i]) * M.row(i);
            wide_[i] = half[i] + root_[i];
        }
    }

    [[gnu::always_inline]] void over_faces()
    {
        for (std::size_t i = 0; i < 3; ++i) {
            const auto n = axis_vector<double>(static_cast<int>(i));
            offer(wide_[i] + t_[i], n);
            offer(wide_[i] - t_[i], -n);
        }
    }

    /// Directions across the edges along axis k, from one face to the next: there the boundary of the difference, seen
    /// along the edge, is an arc of the ellipsoid's outline about a corner of the box.
    [[gnu::always_inline]] void over_edges(std::size_t k)
    {
        const std::size_t u = (k + 1) % 3, v = (k + 2) % 3;
        const Tangent     on_u{{1, 0}, {top_[u][u], top_[u][v]}}, on_v{{0, 1}, {top_[v][u], top_[v][v]}};
        const Tangent     axes[5] = {on_u, on_v, -on_u, -on_v, on_u};
        for (std::size_t quarter = 0; quarter < 4; ++quarter) {
            const Tangent &first = axes[quarter], &last = axes[quarter + 1];
            const double   su = first.n.u + last.n.u, sv = first.n.v + last.n.v;
            // The sum of two neighbouring axes has the signs of the quarter between them.
            const Flat     corner{su * half_[u] + t_[u], sv * half_[v] + t_[v]};
            if (may_be_less(first.moved(corner), last.moved(corner), depth)) over_edge(u, v, first, last, corner);
        }
    }

    /// Whether over no corner of the box the overlap is less than what is known.
    [[nodiscard, gnu::always_inline]] bool is_least() const
    {
        // The cosines between the ellipsoid's widths along two axes, squared: what a sum of both may lose.
        double loss[3];
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t u = (k + 1) % 3, v = (k + 2) % 3;
            const double      left = 1 - top_[u][v] * top_[v][u] / (root_[u] * root_[v]);
            loss[k]                = left > 0 ? 1 / left : kInfinity;
        }
        for (unsigned corner = 0; corner < 8; ++corner) {
            const Vec3d s{(corner & 1) != 0 ? -1.0 : 1.0, (corner & 2) != 0 ? -1.0 : 1.0,
                          (corner & 4) != 0 ? -1.0 : 1.0};
            if (!is_least_over(s, loss)) return false;
        }
        return true;
    }

  private:
    void offer(double value, const Vec3d& n)
    {
        if (value < depth) depth = value, normal = n;
    }

    void over_edge(std::size_t u, std::size_t v, const Tangent& first, const Tangent& last, const Flat& corner)
    {
        const Rim    rim = Rim::of_height(M_(u, u), M_(u, v), M_(v, v));
        const double su = first.n.u + last.n.u, sv = first.n.v + last.n.v;
        Tangent      ends[3] = {first, last};
        std::size_t  count   = 1;
        const auto   along   = [&](const Flat& way) {
            Vec3d n;
            n[u] = way.u, n[v] = way.v;
            offer(dot(abs(n), half_) + dot(n, t_) + std::sqrt(dot(n, M_ * n)), n);
        };
        // Rim tips: directions across the outline's long axis, where a flat ellipsoid is sharpest. They cut a quarter
        // in parts with one minimum each.
        for (const Flat& across : {Flat{-rim.z.v, rim.z.u}, Flat{rim.z.v, -rim.z.u}})
            if (across.u * su > 0 && across.v * sv > 0) {
                ends[1] = rim.at(across), ends[2] = last, count = 2;
                along(across);  // where an edge lies below a tip, the least overlap is there and in neither part
            }
        for (std::size_t k = 0; k < count; ++k) {
            Flat least;
            if (least_between(rim, corner, ends[k].moved(corner), ends[k + 1].moved(corner), depth, least)) along(least);
        }
    }

    /// The same of the directions with the signs s, on whose rim it is known. Let n be such a one at an angle phi over
    /// the plane across axis k, and w the point of the difference in the direction m below n in that plane. Then the
    /// overlap along n is no less than n . w = cos(phi) m . w + sin(phi) |w_k|, and m . w no less than `depth`: all up
    /// to phi = 2 atan(w_k / depth) is settled. What is left, where each component of n has a least size, is a convex
    /// figure on the sphere, and over that the overlap is no less than q . n with the point q in the middle direction,
    /// which is least at one of the figure's corners.
    [[nodiscard, gnu::always_inline]] bool is_least_over(const Vec3d& s, const double (&loss)[3]) const
    {
        Vec3d sine2;  // of the settled angles, squared
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t u = (k + 1) % 3, v = (k + 2) % 3;
            // Component k of the ellipsoid's outermost points between those along u and v.
            const double from_u = s[k] * s[u] * top_[u][k], from_v = s[k] * s[v] * top_[v][k];
            double       least = std::min(from_u, from_v);
            if (least < 0) {
                least = std::min(from_u, 0.0) + std::min(from_v, 0.0);
                if (s[u] * s[v] * M_(u, v) < 0) least *= loss[k];
                least = std::max(least, -root_[k]);
            }
            const double rise = half_[k] + s[k] * t_[k] + least;
            const double way  = std::min(std::max(rise, 0.0), depth);
            sine2[k]          = square(2 * way * depth / (way * way + depth * depth));
        }
        // Of a unit vector the squares of the components add up to one: if all three must be larger than these, there
        // is no such vector.
        if (sine2.x + sine2.y + sine2.z >= 1) return true;
        const Vec3d  m = M_ * s;
        const double h = std::sqrt(dot(s, m));
        const Vec3d  q = half_ + scale(s, t_) + (h > 0 ? 1 / h : 0) * scale(s, m);
        // With a negative component of q the least value over the figure need not be at the corners looked at below.
        if (q.x < 0 || q.y < 0 || q.z < 0) return false;
        const Vec3d sine{std::sqrt(sine2.x), std::sqrt(sine2.y), std::sqrt(sine2.z)};
        // Corners of the spherical figure: two components at their least size, the third what is left of a unit vector.
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t u = (k + 1) % 3, v = (k + 2) % 3;
            const double      left = std::sqrt(1 - sine2[u] - sine2[v]);
            if (!(left * q[k] + sine[u] * q[u] + sine[v] * q[v] >= depth)) return false;
        }
        return true;
    }

    Vec3d  half_, t_;
    Mat33d M_;
    Vec3d  root_, wide_;  ///< the ellipsoid's half width along an axis; with that of the box
    Vec3d  top_[3];       ///< its point there
};

}  // namespace

MCH_CLONES_AVX2 bool ellipsoid_box_depth(const Difference& difference, CoreDistance& out)
{
    const BoxAndRound pair(difference);
    const Vec3d       size2 = scale(pair.round.size, pair.round.size);
    const Mat33d      M     = pair.R * Mat33d::diagonal(size2) * transpose(pair.R);
    if (!(size2.x > 0 && size2.y > 0 && size2.z > 0)) return false;  // a disc has no single outermost point
    DepthSearch overlap(pair.box.size, M, pair.t);
    overlap.over_faces();
    for (std::size_t k = 0; k < 3; ++k) overlap.over_edges(k);
    const double depth = overlap.depth;
    // A depth below 1e-9 of the ellipsoid is rounding of h, whose terms are of the size of the ellipsoid.
    if (!(depth > 1e-9 * max_component(pair.round.size)) || !(depth < kInfinity) || !overlap.is_least()) return false;
    const Vec3d& n = overlap.normal;
    // The outermost point of a flat ellipsoid tells less of where they meet than the face or edge of the box.
    Vec3d p = pair.R * core_support(pair.round, transpose_times(pair.R, -n)) - pair.t + depth * n;
    // On a face or edge the box's own coordinate is known exactly; only along it the ellipsoid's point counts.
    for (std::size_t i = 0; i < 3; ++i) {
        const double half = pair.box.size[i];
        p[i]              = std::abs(n[i]) > 1e-7 ? std::copysign(half, n[i]) : std::clamp(p[i], -half, half);
    }
    out = pair.answer(depth, n, p);
    return true;
}

}  // namespace mechane::collision

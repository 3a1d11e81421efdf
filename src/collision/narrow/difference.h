#pragma once
#include "core_support.h"

namespace mechane::collision {

/// A point of the Minkowski difference a - b with the points it comes from.
struct MinkowskiPoint {
    Vec3d w, a, b;
};

/// The Minkowski difference of two cores, in the frame of the first: that saves half of the turning.
class Difference {
  public:
    Difference(const Shape& a, const Shape& b)
        : a_(a), b_(b), p_(transpose_times(a.R, b.p - a.p)), R_(transpose(a.R) * b.R)
    { curved = is_curved(a.kind) || is_curved(b.kind); }
    /// The point farthest along d.
    MinkowskiPoint operator()(const Vec3d& d) const;
    /// From the middle of b to the middle of a.
    [[nodiscard]] Vec3d between_centres() const { return transpose_times(a_.R, centre(a_) - centre(b_)); }
    [[nodiscard]] Vec3d direction_in_pair(const Vec3d& d) const { return a_.R * d; }
    [[nodiscard]] Vec3d point_in_pair(const Vec3d& p) const { return a_.p + a_.R * p; }

    bool curved = false;  ///< not a polytope

  private:
    static bool is_curved(ShapeKind kind)
    { return kind == ShapeKind::ellipsoid || kind == ShapeKind::cylinder || kind == ShapeKind::cone; }

    const Shape &a_, &b_;
    Vec3d        p_;  ///< of b in a
    Mat33d       R_;
};

}  // namespace mechane::collision

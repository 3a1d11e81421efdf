#pragma once
#include "core_support.h"

namespace mechane::collision {

/// A point of the Minkowski difference a - b with the point of b it comes from.
struct MinkowskiPoint {
    Vec3d w, b;

    [[nodiscard]] Vec3d a() const { return w + b; }
};

/// The Minkowski difference of two cores, in the frame of the first: that saves half of the turning.
struct Difference {
    const Shape &a, &b;
    Vec3d        p;       ///< of b in a
    Mat33d       R;       ///< likewise
    bool         curved;  ///< not a polytope

    Difference(const Shape& first, const Shape& second)
        : a(first),
          b(second),
          p(transpose_times(a.R, b.p - a.p)),
          R(transpose(a.R) * b.R),
          curved(is_curved(a.kind) || is_curved(b.kind))
    {
    }
    /// The point farthest along d, which may have any length.
    [[gnu::always_inline]] MinkowskiPoint operator()(const Vec3d& d) const { return point<Corners::called>(d); }
    template <Corners kCorners>
    [[gnu::always_inline]] MinkowskiPoint point(const Vec3d& d) const
    {
        const Vec3d on_b = p + R * core_support<kCorners>(b, in_b(d));
        return {core_support<kCorners>(a, d) - on_b, on_b};
    }
    /// The direction in which b is asked for the point farthest along d, in the frame of b.
    [[nodiscard]] Vec3d in_b(const Vec3d& d) const { return -transpose_times(R, d); }
    /// From the middle of b to the middle of a.
    [[nodiscard]] Vec3d between_centres() const { return transpose_times(a.R, centre(a) - centre(b)); }
    [[nodiscard]] Vec3d direction_in_pair(const Vec3d& d) const { return a.R * d; }
    [[nodiscard]] Vec3d point_in_pair(const Vec3d& x) const { return a.p + a.R * x; }

  private:
    static bool is_curved(ShapeKind kind)
    { return kind == ShapeKind::ellipsoid || kind == ShapeKind::cylinder || kind == ShapeKind::cone; }
};

}  // namespace mechane::collision

#pragma once
#include "difference.h"
#include "mechane/collision/gjk.h"

namespace mechane::collision {

/// A box and another shape, in either order, in the frame of the box.
struct BoxAndRound {
    const Difference& difference;
    bool              box_first;
    const Shape &     box, &round;
    Mat33d            R;  ///< of the round shape
    Vec3d             t;  ///< from the middle of the round shape to that of the box

    explicit BoxAndRound(const Difference& d)
        : difference(d),
          box_first(d.a.kind == ShapeKind::box),
          box(box_first ? d.a : d.b),
          round(box_first ? d.b : d.a),
          R(box_first ? d.R : transpose(d.R)),
          t(box_first ? -d.p : transpose_times(d.R, d.p))
    {
    }
    /// In the frame of the first shape.
    /// @param n  from the box to the round shape
    /// @param p  a point of the box; that of the round shape lies `depth` below it along n
    [[nodiscard]] CoreDistance answer(double depth, const Vec3d& n, const Vec3d& p) const
    {
        const Vec3d q = p - depth * n;
        if (box_first) return {-depth, n, p, q};
        return {-depth, -(difference.R * n), difference.p + difference.R * q, difference.p + difference.R * p};
    }
};

}  // namespace mechane::collision

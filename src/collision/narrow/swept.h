#pragma once
#include "../shape_set.h"
#include "mechane/collision/narrow.h"

namespace mechane::collision {

/// One side of a pair in flight: its body keeps velocity and spin over the step.
struct Flight {
    const Shape*      shape  = nullptr;
    const BodyMotion* motion = nullptr;
    Posed             X_BS;
    double            spin = 0;  ///< speed that rotation alone may give to some point of the core [m/s]
};

/// Where two shapes in flight come together. Of shapes that are together already there is the time alone, which is 0.
struct Touch {
    double   time = 0;      ///< [s]
    Manifold manifold;      ///< at that time, relative to `origin`
    Posed    X_WB0, X_WB1;  ///< of the bodies then
    Vec3d    origin;        ///< in the world
    Vec3d    apart;  ///< of convex shapes that do not meet: what told them apart last, a unit direction from a to b
};

/// The first time within `dt` at which the two shapes are about `near` apart [m], by conservative advancement (Mirtich
/// 1996) along planes that separate the two, for each triangle of a surface. False when they do not meet. The sides in
/// table order, and not both meshes.
bool find_touch(const Flight& a, const Flight& b, double dt, double margin, double near, Touch& out);

}  // namespace mechane::collision

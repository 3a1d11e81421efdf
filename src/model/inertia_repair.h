#pragma once
#include <optional>
#include <string>

#include "mechane/math/mat.h"

namespace mechane::model {

struct InertiaRules {
    bool                  balance = true;  ///< enforce I1 + I2 >= I3
    std::optional<double> bound_mass, bound_inertia;
};

struct RepairedInertia {
    double      mass = 0;
    Mat33d      inertia{};
    Vec3d       com;
    std::string reason;  ///< what was wrong, empty when nothing changed
};

/// Mass properties that a solver can divide by: finite, mass not negative, tensor symmetric, positive definite and
/// satisfying the triangle inequality of principal moments. A mass without any tensor becomes a ball of 1000 kg/m^3.
RepairedInertia repair_inertia(double mass, const Vec3d& com, const Mat33d& inertia, const InertiaRules& rules);

}  // namespace mechane::model

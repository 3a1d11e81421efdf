#pragma once
#include <string>
#include <vector>

#include "mechane/math/mat.h"
#include "mechane/model/builder.h"

namespace mechane::model {

struct RepairedInertia {
    double                   mass = 0;
    Mat33d                   inertia{};
    Vec3d                    com;
    std::vector<std::string> faults;  ///< what was wrong, empty when nothing changed
};

/// Mass properties that a solver can divide by: finite, mass not negative, tensor symmetric, positive definite and
/// satisfying the triangle inequality of principal moments. A mass without any tensor becomes a ball of 1000 kg/m^3.
RepairedInertia repair_inertia(double mass, const Vec3d& com, const Mat33d& inertia, const InertiaRules& rules);

}  // namespace mechane::model

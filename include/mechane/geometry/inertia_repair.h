#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mechane/math/mat.h"

namespace mechane::geometry {

/// What makes mass properties ones that a solver can divide by.
struct InertiaRules {
    bool balance = true;  ///< enforce I1 + I2 >= I3
    /// Unset: no bound. A mass of 0 stays 0 whatever the bound.
    std::optional<double> bound_mass, bound_inertia;   ///< least mass [kg] and least principal moment [kg m^2]
    double                relative_tolerance = 1e-6;   ///< smallest principal moment, ratio to the largest
    double                absolute_tolerance = 1e-10;  ///< and absolute [kg m^2]
    double                correction         = 1e-6;   ///< how much further than the bound a repair goes [kg m^2]
    bool                  one_by_one         = false;  ///< a finding for each fault of a body, not for each body
};

struct RepairedInertia {
    double                   mass = 0;
    Mat33d                   inertia{};
    Vec3d                    com;
    std::vector<std::string> faults;  ///< what was wrong, empty when nothing changed
    bool possible = true;  ///< a body could have what was given: nothing but the tolerances of the rules changed it
};

/// Mass properties that a solver can divide by: finite, mass not negative, tensor symmetric, positive definite and
/// satisfying the triangle inequality of principal moments. A mass without any tensor becomes a ball of 1000 kg/m^3.
RepairedInertia repair_inertia(double mass, const Vec3d& com, const Mat33d& inertia, const InertiaRules& rules);

}  // namespace mechane::geometry

// Factors from the units of a stage to SI, for each kind of quantity.
// Times are seconds everywhere; angles of stages are degrees, which stiffness and damping of turns are per.

#include "mechane/physics/units.h"

namespace mechane::physics {

double UnitScale::factor(Dimension dimension) const
{
    const double L = meters_per_unit, M = kilograms_per_unit;
    switch (dimension) {
        case Dimension::none:
            return 1;
        case Dimension::length:
            return L;
        case Dimension::angle:
            return kDegrees;
        case Dimension::mass:
            return M;
        case Dimension::density:
            return M / (L * L * L);
        case Dimension::inertia:
            return M * L * L;
        case Dimension::force:
            return M * L;
        case Dimension::torque:
            return M * L * L;
        case Dimension::linear_stiffness:
            return M;
        case Dimension::linear_damping:
            return M;
        case Dimension::angular_stiffness:
            return M * L * L / kDegrees;
        case Dimension::angular_damping:
            return M * L * L / kDegrees;
        case Dimension::angular_stiffness_radians:
            return M * L * L;
        case Dimension::angular_damping_radians:
            return M * L * L;
        case Dimension::per_angle:
            return 1 / kDegrees;
        case Dimension::volume_stiffness:
            return M / (L * L);
    }
    return 1;
}

}  // namespace mechane::physics

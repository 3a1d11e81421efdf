#include "mechane/physics/units.h"

#include "support/support.h"

namespace mechane::physics {
using test::close_to;

TEST_CASE("each dimension converts by its powers of length and mass, angular gains per radian (PHY-007, PHY-009)")
{
    // centimetres and grams: L = 0.01, M = 0.001
    const UnitScale cgs{0.01, 0.001};
    const double    per_degree = 180 / 3.14159265358979323846;
    struct {
        Dimension dimension;
        double    factor;
    } table[] = {
        {Dimension::none, 1},
        {Dimension::length, 1e-2},
        {Dimension::angle, 1 / per_degree},
        {Dimension::mass, 1e-3},
        {Dimension::density, 1e3},            // g/cm^3 = 1000 kg/m^3
        {Dimension::inertia, 1e-7},           // g cm^2
        {Dimension::force, 1e-5},             // dyn
        {Dimension::torque, 1e-7},            // erg
        {Dimension::linear_stiffness, 1e-3},  // dyn/cm
        {Dimension::linear_damping, 1e-3},
        {Dimension::angular_stiffness, 1e-7 * per_degree},
        {Dimension::angular_damping, 1e-7 * per_degree},
        {Dimension::angular_stiffness_radians, 1e-7},
        {Dimension::angular_damping_radians, 1e-7},
        {Dimension::volume_stiffness, 10},  // dyn/cm^3 = 1e-5 N / 1e-6 m^3
    };
    for (const auto& row : table) {
        CAPTURE(static_cast<int>(row.dimension));
        CHECK(cgs.factor(row.dimension) / row.factor == close_to(1, 1e-14));
        CHECK(cgs.from_si(cgs.to_si(3, row.dimension), row.dimension) == close_to(3, 1e-14));
    }
    CHECK(UnitScale{}.factor(Dimension::density) == 1);
}

}  // namespace mechane::physics

// A quarter turn about z takes x to y; the tolerance is some roundings of float, whose epsilon is 1.2e-7.
#include <cmath>

#include <mechane/math/pose.h>

int main()
{
    const double half = std::sqrt(0.5);
    const auto   v    = mechane::rotate(mechane::Quatd{0, 0, half, half}, mechane::Vec3d{1, 0, 0});
    return std::abs(v.x) < 1e-6 && std::abs(v.y - 1) < 1e-6 ? 0 : 1;
}

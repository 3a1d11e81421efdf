// Repairs of masses and inertias: finite, not negative, symmetric, positive, and principal moments a, b <= c with a + b
// >= c (any real body has that). Repairs add to the diagonal, which keeps the axes.
// Bounds and tolerances are those of InertiaRules; all faults are listed for the finding.

#include "mechane/geometry/inertia_repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "mechane/geometry/mass.h"

namespace mechane::geometry {

namespace {

constexpr double kFloatEps = static_cast<double>(std::numeric_limits<float>::epsilon());

std::array<double, 3> moments(const Mat33d& inertia)
{
    const Vec3d           v = principal_axes(inertia).values;
    std::array<double, 3> sorted{v.x, v.y, v.z};
    std::ranges::sort(sorted);
    return sorted;
}

double largest_entry(const Mat33d& m)
{ return std::max({max_component(abs(m.r0)), max_component(abs(m.r1)), max_component(abs(m.r2))}); }

/// As a model holds it.
Mat33d rounded(const Mat33d& m) { return static_cast<Mat33d>(static_cast<Mat33>(m)); }

}  // namespace

RepairedInertia repair_inertia(double mass, const Vec3d& com, const Mat33d& inertia, const InertiaRules& rules)
{
    RepairedInertia r{mass, inertia, com, {}};
    const auto      fault = [&](std::string why) {
        r.faults.push_back(std::move(why));
        r.possible = false;
    };
    if (!std::isfinite(mass) || !is_finite(com) || !is_finite(inertia)) {
        fault("mass, centre of mass or inertia is not finite");
        r.mass    = 0;
        r.inertia = {};
        if (!is_finite(com)) r.com = {};
    }
    if (r.mass < 0) {
        fault("mass is negative");
        r.mass = 0;
    } else if (r.mass > 0 && rules.bound_mass && r.mass < *rules.bound_mass) {
        r.faults.push_back(fmt::format("Mass {} is below bound {}", r.mass, *rules.bound_mass));
        r.mass = *rules.bound_mass;
    }
    if (r.mass == 0) {
        if (!(r.inertia == Mat33d{})) fault("inertia without mass");
        r.inertia = {};
        return r;
    }
    if (r.inertia == Mat33d{}) {
        fault("mass without inertia");
        // A ball of water of that mass: I = 2/5 m r^2.
        const double radius = std::cbrt(3 * r.mass / (4 * kPi * 1000));
        const double i      = 0.4 * r.mass * radius * radius;
        r.inertia           = Mat33d::diagonal({i, i, i});
    }

    const Mat33d symmetric = 0.5 * (r.inertia + transpose(r.inertia));
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < i; ++j)
            // numpy's allclose.
            if (std::abs(r.inertia(i, j) - r.inertia(j, i)) > 1e-8 + 1e-5 * std::abs(r.inertia(j, i))) {
                fault("inertia is not symmetric");
                i = j = 2;  // one report is enough
            }
    r.inertia = symmetric;

    auto       m   = moments(r.inertia);
    const auto add = [&](double amount, std::string why) {
        r.inertia += amount * Mat33d::identity();
        for (double& x : m) x += amount;
        r.faults.push_back(std::move(why));
    };
    // Stages keep moments in single precision: what is zero there, or equal to the sum of the others, is so up to its
    // rounding.
    if (m[0] <= kFloatEps * m[2] || m[0] + m[1] < (1 - 4 * kFloatEps) * m[2]) r.possible = false;
    // Relative to the largest moment, for conditioning of the inverse.
    const double threshold = std::max(rules.relative_tolerance * m[2], rules.absolute_tolerance);
    if (m[0] < threshold)
        add(threshold - m[0] + rules.correction,
            m[0] > 0 ? fmt::format("the smallest principal moment {:.3g} is below {:.3g}", m[0], threshold)
                     : "inertia is not positive definite");
    if (rules.bound_inertia && m[0] < *rules.bound_inertia)
        add(*rules.bound_inertia - m[0], "inertia is below the bound");
    if (rules.balance && m[0] + m[1] < m[2] - std::max(kFloatEps * m[2], rules.absolute_tolerance))
        // Adding d to all three gains d: (a + d) + (b + d) - (c + d) = a + b - c + d.
        add(m[2] - m[0] - m[1] + rules.correction, "principal moments violate the triangle inequality");
    // Rounding to the model's numbers may take a small moment below zero again; twice is enough for it.
    for (int i = 0; i < 2 && !r.faults.empty(); ++i)
        if (const double smallest = moments(rounded(r.inertia))[0]; smallest <= 0)
            r.inertia += (std::abs(smallest) + std::max(rules.correction, kFloatEps * largest_entry(r.inertia))) *
                         Mat33d::identity();
    return r;
}

}  // namespace mechane::geometry

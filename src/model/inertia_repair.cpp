#include "inertia_repair.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mechane/geometry/mass.h"

namespace mechane::model {

namespace {

constexpr double kRelative   = 1e-6;   // smallest principal moment, relative to the largest
constexpr double kAbsolute   = 1e-10;  // and absolute [kg m^2]
constexpr double kCorrection = 1e-6;   // what is added beyond the bound [kg m^2]
constexpr double kFloatEps   = static_cast<double>(std::numeric_limits<float>::epsilon());

std::array<double, 3> moments(const Mat33d& inertia)
{
    const Vec3d           v = geometry::principal_axes(inertia).values;
    std::array<double, 3> sorted{v.x, v.y, v.z};
    std::ranges::sort(sorted);
    return sorted;
}

double largest_entry(const Mat33d& m)
{ return std::max({max_component(abs(m.r0)), max_component(abs(m.r1)), max_component(abs(m.r2))}); }

void because(std::string& reason, const char* text) { reason += (reason.empty() ? "" : ", ") + std::string(text); }

}  // namespace

RepairedInertia repair_inertia(double mass, const Vec3d& com, const Mat33d& inertia, const InertiaRules& rules)
{
    RepairedInertia r{mass, inertia, com, {}};
    if (!std::isfinite(mass) || !is_finite(com) || !is_finite(inertia)) {
        because(r.reason, "mass, centre of mass or inertia is not finite");
        r.mass    = 0;
        r.inertia = {};
        if (!is_finite(com)) r.com = {};
    }
    if (r.mass < 0) {
        because(r.reason, "mass is negative");
        r.mass = 0;
    } else if (r.mass > 0 && rules.bound_mass && r.mass < *rules.bound_mass) {
        because(r.reason, "mass is below the bound");
        r.mass = *rules.bound_mass;
    }
    if (r.mass == 0) {
        if (!(r.inertia == Mat33d{})) because(r.reason, "inertia without mass");
        r.inertia = {};
        return r;
    }
    if (r.inertia == Mat33d{}) {
        because(r.reason, "mass without inertia");
        const double radius = std::cbrt(3 * r.mass / (4 * kPi * 1000));
        const double i      = 0.4 * r.mass * radius * radius;
        r.inertia           = Mat33d::diagonal({i, i, i});
    }

    const Mat33d symmetric = 0.5 * (r.inertia + transpose(r.inertia));
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (std::abs(r.inertia(i, j) - r.inertia(j, i)) > 1e-8 + 1e-5 * std::abs(r.inertia(j, i))) {
                because(r.reason, "inertia is not symmetric");
                i = j = 2;  // one report is enough
            }
    r.inertia = symmetric;

    auto       m   = moments(r.inertia);
    const auto add = [&](double amount, const char* why) {
        r.inertia += amount * Mat33d::identity();
        for (double& x : m) x += amount;
        because(r.reason, why);
    };
    const double threshold = std::max(kRelative * m[2], kAbsolute);
    if (m[0] < threshold) add(threshold - m[0] + kCorrection, "inertia is not positive definite");
    if (rules.bound_inertia && m[0] < *rules.bound_inertia)
        add(*rules.bound_inertia - m[0], "inertia is below the bound");
    if (rules.balance && m[0] + m[1] < m[2] - std::max(kFloatEps * m[2], kAbsolute))
        add(m[2] - m[0] - m[1] + kCorrection, "principal moments violate the triangle inequality");
    if (!r.reason.empty()) {
        const double smallest = moments(r.inertia)[0];
        if (smallest <= 0)
            r.inertia +=
                (std::abs(smallest) + std::max(kCorrection, kFloatEps * largest_entry(r.inertia))) * Mat33d::identity();
    }
    return r;
}

}  // namespace mechane::model

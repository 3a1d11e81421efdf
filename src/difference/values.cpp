// Numbers of comparisons: how they are printed, and the angle of a rotation. Called by everything in this room that
// tells a difference.

#include "difference/values.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string_view>

namespace mechane::difference {

std::string text(double value, const char* unit)
{
    // Infinity is printed as "none": limits are infinite where there are none.
    return std::isfinite(value) ? fmt::format("{:.7g}{}{}", value, *unit ? " " : "", unit)
           : std::isnan(value)  ? "not a number"
                                : "none";
}
std::string text(const Vec3d& v, const char* unit)
{ return fmt::format("({:.6g}, {:.6g}, {:.6g}){}{}", v.x, v.y, v.z, *unit ? " " : "", unit); }

Parts parts_of(const std::string& text)
{
    Parts out;
    for (const char* at = text.c_str(); *at != 0;) {
        char*        end = nullptr;
        const double v   = std::strtod(at, &end);
        if (end != at) {
            out.numbers.push_back(v);
            at = end;
            continue;
        }
        if (std::string_view(" ,()[]\"").find(*at) == std::string_view::npos) out.words += *at;
        ++at;
    }
    return out;
}

/// The absolute value of w takes the shorter of the two turns that q and -q name. The arc tangent keeps its precision
/// near zero, where the arc cosine of w loses half the digits.
double angle_of(const Quatd& q) { return 2 * std::atan2(length(q.xyz()), std::abs(q.w)); }

}  // namespace mechane::difference

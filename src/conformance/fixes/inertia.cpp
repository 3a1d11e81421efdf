// Inertias: principal axes of a tensor, the nearest inertia that a body can have, and tensors in vendors' attributes.
// A tensor is R D R^T with the principal moments D. Moments of a body satisfy the triangle inequality a <= b + c, since
// b + c - a is twice an integral of squares.
// Called by the repairs of masses.

#include "conformance/fixes/inertia.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "mechane/core/letters.h"
#include "mechane/geometry/mass.h"

namespace mechane::conformance {
namespace {

constexpr std::array<const char*, 6> kEntries{"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};

Mat33d symmetric(const std::array<double, 6>& i)
{ return {{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}}; }

bool is_symmetric(const Mat33d& m)
{
    double size = 0;
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) size = std::max(size, std::abs(m(r, c)));
    const double tolerance = 1e-6 * size;  // authored as float
    return size > 0 && std::isfinite(size) && std::abs(m(0, 1) - m(1, 0)) <= tolerance &&
           std::abs(m(0, 2) - m(2, 0)) <= tolerance && std::abs(m(1, 2) - m(2, 1)) <= tolerance;
}

}  // namespace

Mat33d tensor_of(const Principal& inertia)
{
    const Mat33d r = to_matrix(inertia.axes);
    return r * Mat33d::diagonal(inertia.diagonal) * transpose(r);
}

Principal principal_of(const Mat33d& tensor)
{
    const geometry::PrincipalAxes found = geometry::principal_axes(tensor);
    const Mat33d                  axes  = to_matrix(found.rotation);
    // The eigenvector with the largest share of x comes first, then the one of y: an inertia about the body's own axes
    // keeps the identity.
    std::array<std::size_t, 3> order{0, 1, 2};
    for (std::size_t axis = 0; axis < 2; ++axis)
        for (std::size_t k = axis + 1; k < 3; ++k)
            if (std::abs(axes(axis, order[k])) > std::abs(axes(axis, order[axis]))) std::swap(order[axis], order[k]);
    std::array<Vec3d, 3> columns;
    Principal            out;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        columns[axis]      = axes.column(order[axis]);
        out.diagonal[axis] = found.values[order[axis]];
        if (columns[axis][axis] < 0) columns[axis] = -columns[axis];
    }
    // A right-handed frame: only those have a quaternion.
    if (dot(cross(columns[0], columns[1]), columns[2]) < 0) columns[2] = -columns[2];
    out.axes = normalized(from_matrix(Mat33d::from_columns(columns[0], columns[1], columns[2])));
    if (out.axes.w < 0) out.axes = {-out.axes.x, -out.axes.y, -out.axes.z, -out.axes.w};
    return out;
}

double relative_difference(const Mat33d& a, const Mat33d& b)
{
    double size = 0, off = 0;
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) {
            size = std::max(size, std::abs(b(r, c)));
            off  = std::max(off, std::abs(a(r, c) - b(r, c)));
        }
    return size > 0 ? off / size : off > 0 ? kInfinity : 0;
}

bool is_possible(const Vec3d& m)
{
    const double tall = std::max({m.x, m.y, m.z}), rest = m.x + m.y + m.z - tall;
    // A factor of 1e-3 on the inequality, as the importer allows: values were often rounded when they were exported.
    return std::min({m.x, m.y, m.z}) > 1e-9 * tall && std::isfinite(tall) && tall <= rest * (1 + 1e-3);
}

Vec3d nearest_valid_inertia(Vec3d m)
{
    for (std::size_t i = 0; i < 3; ++i)
        if (!std::isfinite(m[i])) m[i] = 0;
    const double least = 1e-6 * std::max({m.x, m.y, m.z, 1e-12});
    for (std::size_t i = 0; i < 3; ++i) m[i] = std::max(m[i], least);
    // The nearest point of the half-space a <= b + c lies at one third of the excess along (1, -1, -1).
    // The distance to the plane a = b + c, shared by the three (its normal is (1, -1, -1)).
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
        const double      over = m[i] - m[j] - m[k];
        if (over <= 0) continue;
        m[i] -= over / 3, m[j] += over / 3, m[k] += over / 3;
    }
    return m;
}

namespace {

/// The numbers of a value as usda writes it: "( (1, 0, 0), (0, 1, 0), (0, 0, 1) )".
std::vector<double> numbers_of(const std::string& text)
{
    std::vector<double> found;
    for (std::size_t at = text.find_first_of("+-.0123456789"); at != std::string::npos;
         at             = text.find_first_of("+-.0123456789", at)) {
        double     number = 0;
        const auto end    = std::from_chars(text.data() + at + (text[at] == '+'), text.data() + text.size(), number);
        if (end.ec != std::errc()) return {};
        found.push_back(number);
        at = static_cast<std::size_t>(end.ptr - text.data());
    }
    return found;
}

}  // namespace

std::optional<Mat33d> custom_inertia(const usd::Prim& prim, const usd::Token& property,
                                     std::vector<usd::Token>& sources)
{
    std::optional<Mat33d> found;
    if (property.empty()) {
        std::array<double, 6> entries{};
        for (const usd::Token& name : prim.authored_property_names()) {
            const std::string text = lower_case(name.text());
            for (std::size_t i = 0; i < 6; ++i)
                if (text.substr(text.rfind(':') + 1) == kEntries[i]) {
                    entries[i] = prim.attribute(name).authored_as<double>().value_or(0);
                    sources.push_back(name);
                }
        }
        if (sources.size() == 6) found = symmetric(entries);
    } else {
        sources.push_back(property);
        const usd::Value value = prim.attribute(property).authored_value();
        auto             list  = value.get<std::vector<double>>();
        if (!list && value.type_name().starts_with("matrix3")) list = numbers_of(value.to_text());
        if (list && list->size() == 6)
            found = symmetric({(*list)[0], (*list)[1], (*list)[2], (*list)[3], (*list)[4], (*list)[5]});
        else if (list && list->size() == 9)
            found = Mat33d{{(*list)[0], (*list)[1], (*list)[2]},
                           {(*list)[3], (*list)[4], (*list)[5]},
                           {(*list)[6], (*list)[7], (*list)[8]}};
    }
    return found && is_symmetric(*found) ? found : std::nullopt;
}

}  // namespace mechane::conformance

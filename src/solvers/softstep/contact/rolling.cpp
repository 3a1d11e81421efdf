// Shapes that roll: the point at which a cylinder, cone or ellipsoid touches along a direction, for contacts whose
// normal is kept over the step while the body turns. Points and directions in body axes [m].
// The section is an ellipsoid with the matrix M of its squared half axes: farthest(d) = c + M d / sqrt(d . M d).

#include "solvers/softstep/contact/rolling.h"

#include <cmath>

#include "mechane/math/mat.h"
#include "mechane/math/pose.h"

namespace mechane::solvers::softstep {

namespace {

Vec3d times(const std::array<double, 6>& M, const Vec3d& d)
{
    return {M[0] * d.x + M[1] * d.y + M[2] * d.z, M[1] * d.x + M[3] * d.y + M[4] * d.z,
            M[2] * d.x + M[4] * d.y + M[5] * d.z};
}

}  // namespace

Vec3d Rolling::farthest(const Vec3d& d) const
{
    const Vec3d  m  = times(M, d);
    const double dd = dot(d, m);
    return dd > 0 ? centre + m / std::sqrt(dd) : centre;
}

bool can_roll(model::GeoType type)
{ return type == model::GeoType::cylinder || type == model::GeoType::cone || type == model::GeoType::ellipsoid; }

/// Of a cylinder or cone it is the circle through the point about the axis; flat along the axis, so M has rank two.
Rolling surface_at(const model::Model& model, std::int32_t shape, const Vec3d& p_B)
{
    // A disc that rocks by less has its lowest point lag behind by nothing that matters; one that lies has none.
    constexpr double kLeastAcross = 3e-4;  ///< sine of the angle to the axis [-]
    const auto       i            = static_cast<std::size_t>(shape);
    const Posed      X_BS         = static_cast<Posed>(model.shape_transform[i]);
    const Mat33d     R            = to_matrix(X_BS.q);
    const Vec3d      size         = static_cast<Vec3d>(model.shape_scale[i]);
    Rolling          out;
    Vec3d            square_of;  // of the semi-axes
    if (model.shape_type[i] == model::GeoType::ellipsoid) {
        out.centre = X_BS.p;
        square_of  = {size.x * size.x, size.y * size.y, size.z * size.z};
    } else {
        const Vec3d  p  = transpose_times(R, p_B - X_BS.p);
        const double rr = p.x * p.x + p.y * p.y;
        out.centre      = X_BS * Vec3d{0, 0, p.z};
        out.least       = kLeastAcross * kLeastAcross * rr;
        square_of       = {rr, rr, 0};
    }
    const Vec3d x = R.column(0), y = R.column(1), z = R.column(2);
    const auto  entry = [&](std::size_t a, std::size_t b) {
        return square_of.x * x[a] * x[b] + square_of.y * y[a] * y[b] + square_of.z * z[a] * z[b];
    };
    out.M = {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
    return out;
}

std::optional<Rolling> rolling_at(const model::Model& model, std::int32_t shape, const Vec3d& p_B, const Quatd& q_WB,
                                  const Vec3d& d_W)
{
    constexpr double kAside = 3e-3;  ///< of the way from the centre: single precision, and normals of meshes
    if (!can_roll(model.shape_type[static_cast<std::size_t>(shape)])) return {};
    Rolling     at  = surface_at(model, shape, p_B);
    const Vec3d d_B = rotate(conjugate(q_WB), d_W);
    at.toward       = d_W;
    if (!(dot(d_B, times(at.M, d_B)) > at.least)) {
        // It stands on a face. A point of the rim is where the circle is farthest along the way from the axis to it; any
        // other point of the face is a corner or an edge of what touches it, and belongs to that.
        const Vec3d  out    = p_B - at.centre;
        const double across = length(out), rim = static_cast<double>(model.shape_scale[static_cast<std::size_t>(shape)].x);
        if (!(across > (1 - kAside) * rim)) return {};
        at.toward = rotate(q_WB, out / across);
        return at;
    }
    // Only a point that is where the round surface is farthest rolls; corners of clipped faces ride with the body.
    const double aside2 = length_squared(p_B - at.farthest(d_B));
    return aside2 <= kAside * kAside * length_squared(p_B - at.centre) ? std::optional(at) : std::nullopt;
}

}  // namespace mechane::solvers::softstep

// Round colliders that a transform stretches unevenly, exactly: spheres as ellipsoids, others as hulls of points on the
// stretched surface; and their masses. Used where the prim or the caller asks for it; otherwise round shapes stay round
// (physics/colliders).

#include "exact_round.h"

#include <algorithm>
#include <cmath>

#include "mechane/physics/mass.h"
#include "mechane/physics/solid_size.h"

namespace mechane::importer {
namespace {

using physics::Collider;
using physics::ShapeKind;

constexpr double kEven = 1e-6;  ///< relative difference of scales that counts as none

bool is_round(ShapeKind kind)
{
    switch (kind) {
        case ShapeKind::sphere:
        case ShapeKind::capsule:
        case ShapeKind::capsule_1:
        case ShapeKind::cylinder:
        case ShapeKind::cylinder_1:
        case ShapeKind::cone:
            return true;
        case ShapeKind::cube:
        case ShapeKind::plane:
        case ShapeKind::mesh:
        case ShapeKind::sphere_points:
        case ShapeKind::custom:
            return false;
    }
    return false;
}

/// The collider as it is authored, before any scale: radii and height along z of the shape frame.
struct Authored {
    double radius = 0, radius_top = 0, half_height = 0;
};
/// The reader has multiplied by the largest scale across; that is undone.
Authored authored_of(const Collider& c)
{
    const Vec3d s = abs(c.scale);
    if (c.kind == ShapeKind::sphere) return {c.radius / max_component(s), 0, 0};
    const auto   a      = static_cast<std::size_t>(c.axis);
    const double across = std::max(s[(a + 1) % 3], s[(a + 2) % 3]);
    return {c.radius / across, c.radius_top / across, c.half_height / s[a]};
}

/// Takes vectors of the prim's space into the shape frame.
/// Columns are the prim's axes in the shape frame, with shear.
Mat33d into_shape(const Import& run, const Collider& c)
{
    const Posed X_WS = c.body == physics::kNone ? c.X_BS : run.body(c.body).X_WB * c.X_BS;
    const auto  row = [&](int i) { return rotate_inverse(X_WS.q, Vec3d{c.world(i, 0), c.world(i, 1), c.world(i, 2)}); };
    return Mat33d::from_columns(row(0), row(1), row(2));
}

}  // namespace

bool keeps_uneven_scale(const Import& run, const Collider& c)
{
    if (run.conventions.round_shapes_inexact || !c.valid || !is_round(c.kind)) return false;
    if (c.sheared) return run.options.exact_shapes;
    const Vec3d  s    = abs(c.scale);
    const auto   a    = static_cast<std::size_t>(c.axis);
    const bool   caps = c.kind == ShapeKind::sphere || c.kind == ShapeKind::capsule || c.kind == ShapeKind::capsule_1;
    const double low = std::min(s[(a + 1) % 3], s[(a + 2) % 3]), high = std::max(s[(a + 1) % 3], s[(a + 2) % 3]);
    const bool   uneven = high - low > kEven * high ||
                          (caps && std::max(high, s[a]) - std::min(low, s[a]) > kEven * std::max(high, s[a]));
    return uneven && (run.options.exact_shapes || is_exact(c.prim));
}

bool is_exact(const usd::Prim& prim)
{ return prim.metadata(usd::Token("customData:mechane:exactShape")).get<bool>().value_or(false); }

ExactRound exact_round(const Import& run, const Collider& c)
{
    const Authored from = authored_of(c);
    ExactRound     out;
    if (c.kind == ShapeKind::sphere && !c.sheared) {
        out.semi_axes = from.radius * abs(c.scale);
        return out;
    }
    const Mat33d  A    = into_shape(run, c);
    const Quatd   turn = rotation_between(Vec3d{0, 0, 1}, physics::unit_vector(c.axis));
    constexpr int kRim = 64, kAround = 24, kRings = 5;
    const auto    ring = [&](double radius, double height, int count) {
        for (int i = 0; i < count; ++i) {
            const double angle = 2 * kPi * i / count;
            out.points.push_back(A * rotate(turn, Vec3d{radius * std::cos(angle), radius * std::sin(angle), height}));
        }
    };
    const double h   = from.half_height;
    const auto   cap = [&](double own, double other, double up) {
        const physics::CapsuleCap ball = physics::capsule_cap(own, other, h);
        const double              rim  = std::asin(ball.rise);
        if (rim < 0) ring(ball.radius, up * ball.centre, kAround);
        for (int r = 0; r < kRings; ++r) {
            const double latitude = rim + r * (kPi / 2 - rim) / kRings;
            ring(ball.radius * std::cos(latitude), up * (ball.centre + ball.radius * std::sin(latitude)), kAround);
        }
        out.points.push_back(A * rotate(turn, Vec3d{0, 0, up * (ball.centre + ball.radius)}));
    };
    if (c.kind == ShapeKind::sphere || c.kind == ShapeKind::capsule || c.kind == ShapeKind::capsule_1) {
        const double top = c.kind == ShapeKind::capsule_1 ? from.radius_top : from.radius;
        cap(from.radius, top, -1);
        cap(top, from.radius, 1);
        return out;
    }
    ring(from.radius, -h, kRim);
    if (c.kind == ShapeKind::cone)
        out.points.push_back(A * rotate(turn, Vec3d{0, 0, h}));
    else
        ring(c.kind == ShapeKind::cylinder_1 ? from.radius_top : from.radius, h, kRim);
    return out;
}

std::optional<geometry::MassProperties> exact_round_solid(const Import& run, const Collider& c)
{
    const Authored from  = authored_of(c);
    Collider       plain = c;
    plain.radius         = from.radius;
    plain.radius_top  = c.kind == ShapeKind::capsule || c.kind == ShapeKind::cylinder ? from.radius : from.radius_top;
    plain.half_height = from.half_height;
    const physics::MassInfo info = physics::primitive_mass_info(plain);
    if (!(info.volume > 0)) return std::nullopt;
    // Second moments of area go along with a linear map; the inertia is their trace less themselves.
    const Mat33d A       = into_shape(run, c);
    const double scale   = std::abs(determinant(A));
    const auto   trace   = [](const Mat33d& m) { return m(0, 0) + m(1, 1) + m(2, 2); };
    const Mat33d moments = 0.5 * trace(info.inertia) * Mat33d::identity() - info.inertia;
    const Mat33d mapped  = scale * (A * (moments * transpose(A)));
    return geometry::MassProperties{scale * info.volume, A * info.com, trace(mapped) * Mat33d::identity() - mapped};
}

}  // namespace mechane::importer

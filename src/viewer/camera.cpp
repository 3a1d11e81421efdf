// Places the camera so that what moves fills the picture.
// Inputs: a scene and a frame (or points), the view by name or eye and target [m, world]. Output: eye, axes and the
// tangent of half the vertical field of view.
// The camera is right-handed with `forward` into the picture and `up` towards its top.
// Called by render, CameraWork and Portrait.

#include "camera.h"

#include <algorithm>
#include <cmath>

namespace mechane::viewer {
namespace {

/// The rest of the picture is a margin.
constexpr double kFill = 0.84;

struct Basis {
    Vec3d front, left, up;
};

/// The world's axes on the ground: x to the front and y to the left when z is up.
Basis basis_of(int up_axis)
{
    const Vec3d up = axis_vector<double>(up_axis), front = axis_vector<double>(up_axis == 0 ? 1 : 0);
    return {front, cross(up, front), up};
}

/// From the target to the eye.
Vec3d direction_to_eye(NamedView view, const Basis& b)
{
    switch (view) {
        case NamedView::three_quarter:
            return normalized(0.72 * b.front + -0.95 * b.left + 0.52 * b.up);
        case NamedView::front:
            return normalized(b.front + 0.12 * b.up);
        case NamedView::side:
            return normalized(-b.left + 0.12 * b.up);
        case NamedView::top:
            return b.up;
    }
    return b.up;
}

Camera look(const Vec3d& eye, const Vec3d& target, const Basis& basis, double tan_half_fov)
{
    const Vec3d forward = normalized(target - eye, -basis.front);
    Vec3d       right   = cross(forward, basis.up);
    // Straight up or down: the front of the world is the top of the picture.
    right = length(right) > 1e-6 ? normalized(right) : normalized(cross(forward, basis.front), basis.left);
    return {eye, right, cross(right, forward), forward, tan_half_fov};
}

}  // namespace

std::vector<Vec3d> focus_points(const Scene& scene, const record::Frame& frame)
{
    std::vector<Vec3d> points;
    const auto         add_particle = [&](std::int32_t p) {
        if (static_cast<std::size_t>(p) < frame.particle_q.size() &&
            is_finite(frame.particle_q[static_cast<std::size_t>(p)]))
            points.push_back(static_cast<Vec3d>(frame.particle_q[static_cast<std::size_t>(p)]));
    };
    for (const DrawSoft& soft : scene.softs)
        for (const std::int32_t p : soft.particles) add_particle(p);
    for (const DrawBall& ball : scene.balls) add_particle(ball.particle);
    const auto collect = [&](bool moving) {
        for (const DrawItem& item : scene.items) {
            if (!item.solid || item.soft >= 0 || (item.body >= 0) != moving) continue;
            const Posed X = world_pose(item.body, item.X_BS, frame.body_q);
            if (!is_finite(X)) continue;
            for (const Vec3f& p : scene.meshes[static_cast<std::size_t>(item.mesh)].positions)
                points.push_back(X * static_cast<Vec3d>(p));
        }
    };
    // Static shapes, which may be as large as a hall, count only where nothing moves.
    collect(true);
    if (points.empty()) collect(false);
    return points;
}

Focus focus_of(const std::vector<Vec3d>& points)
{
    if (points.empty()) return {};
    Vec3d lower = points.front(), upper = lower;
    for (const Vec3d& p : points) {
        lower = min(lower, p);
        upper = max(upper, p);
    }
    Focus out{0.5 * (lower + upper), 0};
    for (const Vec3d& p : points) out.radius = std::max(out.radius, length(p - out.centre));
    out.radius = std::max(out.radius, 1e-3);
    return out;
}

Camera make_camera(const RenderOptions& options, int up_axis, const std::vector<Vec3d>& points)
{
    const Basis  basis  = basis_of(up_axis);
    const double tan_y  = std::tan(0.5 * std::clamp(options.fov, 1.0, 150.0) * kDegrees);
    const double tan_x  = tan_y * options.width / options.height;
    const Focus  focus  = focus_of(points);
    Vec3d        target = options.target.value_or(focus.centre);
    if (options.eye) return look(*options.eye, target, basis, tan_y);

    const Vec3d back     = direction_to_eye(options.view, basis);
    double      distance = 0;
    // A box's centre is not its picture's: after a first look the target moves to the middle of what is seen.
    for (int pass = 0; pass < 3; ++pass) {
        const Camera camera = look(target + back, target, basis, tan_y);
        distance            = 0.05 * focus.radius;
        double left = 0, right = 0, low = 0, high = 0;
        for (const Vec3d& p : points) {
            const Vec3d  d = p - target;
            // A point with the offset x from the axis is inside if distance - nearer >= |x| / tan_x; the largest such
            // distance shows all points.
            const double x = dot(d, camera.right), y = dot(d, camera.up), nearer = -dot(d, camera.forward);
            distance =
                std::max({distance, nearer + std::abs(x) / (kFill * tan_x), nearer + std::abs(y) / (kFill * tan_y)});
        }
        if (options.target || points.empty()) break;
        for (const Vec3d& p : points) {
            const Vec3d  d = p - target;
            const double z = distance + dot(d, camera.forward), x = dot(d, camera.right) / z, y = dot(d, camera.up) / z;
            left = std::min(left, x), right = std::max(right, x), low = std::min(low, y), high = std::max(high, y);
        }
        target += 0.5 * distance * ((left + right) * camera.right + (low + high) * camera.up);
    }
    return look(target + std::max(distance, 1e-3) * back, target, basis, tan_y);
}

Vec3d sun_direction(int up_axis)
{
    const Basis b = basis_of(up_axis);
    return normalized(0.55 * b.front + -0.35 * b.left + b.up);
}

}  // namespace mechane::viewer

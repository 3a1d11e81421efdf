// Perspective projection and clipping of triangles, lines, discs and arrow heads.
// Inputs: points in the world [m]. Outputs: triangles on the screen [samples, y down] with nearness = 1 / depth.
// Nearness is linear on the screen while depth is not, so it can be interpolated without perspective correction and
// compared directly.
// Called by draw_items, overlay.cpp and Shading.

#include "projection.h"

#include <array>
#include <cmath>

namespace mechane::viewer {

Projection::Projection(const Camera& camera, int width, int height, double near)
    : camera_(camera),
      centre_x_(0.5 * width),
      centre_y_(0.5 * height),
      focal_(0.5 * height / camera.tan_half_fov),
      near_(near)
{
}

Vec3d Projection::to_view(const Vec3d& p) const
{
    const Vec3d d = p - camera_.eye;
    return {dot(d, camera_.right), dot(d, camera_.up), dot(d, camera_.forward)};
}

Projection::Point Projection::to_screen(const Vec3d& v) const
{
    const double nearness = 1 / v.z;
    return {centre_x_ + focal_ * v.x * nearness, centre_y_ - focal_ * v.y * nearness, nearness};
}

/// Also true for coordinates that are not numbers, where the comparison fails.
bool Projection::clip(Vec3d& a, Vec3d& b) const
{
    if (!(a.z >= near_) && !(b.z >= near_)) return false;
    if (a.z < near_) a += ((near_ - a.z) / (b.z - a.z)) * (b - a), a.z = near_;
    if (b.z < near_) b += ((near_ - b.z) / (a.z - b.z)) * (a - b), b.z = near_;
    return true;
}

/// Sutherland and Hodgman against one plane: a triangle becomes one of three or four corners, cut into a fan.
void Projection::add_triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c, std::uint32_t id,
                              std::vector<ScreenTriangle>& out) const
{
    const std::array<Vec3d, 3> corners{to_view(a), to_view(b), to_view(c)};
    std::array<Point, 4>       points{};
    std::size_t                count = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const Vec3d& from = corners[i];
        const Vec3d& to   = corners[(i + 1) % 3];
        if (from.z >= near_) points[count++] = to_screen(from);
        if ((from.z >= near_) != (to.z >= near_)) {
            Vec3d crossing  = from + ((near_ - from.z) / (to.z - from.z)) * (to - from);
            crossing.z      = near_;
            points[count++] = to_screen(crossing);
        }
    }
    for (std::size_t i = 2; i < count; ++i)
        out.push_back({{points[0].x, points[i - 1].x, points[i].x},
                       {points[0].y, points[i - 1].y, points[i].y},
                       {points[0].nearness, points[i - 1].nearness, points[i].nearness},
                       id});
}

/// Lines have a constant width on the screen, hence two triangles there and not in the world.
void Projection::add_line(const Vec3d& a, const Vec3d& b, double width, double lift, std::uint32_t id,
                          std::vector<ScreenTriangle>& out) const
{
    Vec3d from = to_view(a), to = to_view(b);
    if (!clip(from, to)) return;
    const Point  p = to_screen(from), q = to_screen(to);
    const double dx = q.x - p.x, dy = q.y - p.y, length = std::hypot(dx, dy);
    if (!(length > 1e-9)) return;
    const double nx = -dy / length * width / 2, ny = dx / length * width / 2, np = lift * p.nearness,
                 nq = lift * q.nearness;
    out.push_back({{p.x + nx, p.x - nx, q.x - nx}, {p.y + ny, p.y - ny, q.y - ny}, {np, np, nq}, id});
    out.push_back({{p.x + nx, q.x - nx, q.x + nx}, {p.y + ny, q.y - ny, q.y + ny}, {np, nq, nq}, id});
}

void Projection::add_disc(const Vec3d& centre, double radius, double lift, std::uint32_t id,
                          std::vector<ScreenTriangle>& out) const
{
    const Vec3d view = to_view(centre);
    if (!(view.z >= near_)) return;
    const Point   p      = to_screen(view);
    const double  n      = lift * p.nearness;
    constexpr int kSides = 14;
    for (int i = 0; i < kSides; ++i) {
        const double a = 2 * kPi * i / kSides, b = 2 * kPi * ((i + 1) % kSides) / kSides;
        out.push_back({{p.x, p.x + radius * std::cos(a), p.x + radius * std::cos(b)},
                       {p.y, p.y + radius * std::sin(a), p.y + radius * std::sin(b)},
                       {n, n, n},
                       id});
    }
}

void Projection::add_head(const Vec3d& a, const Vec3d& b, double size, double lift, std::uint32_t id,
                          std::vector<ScreenTriangle>& out) const
{
    Vec3d from = to_view(a), to = to_view(b);
    if (!clip(from, to)) return;
    const Point  p = to_screen(from), q = to_screen(to);
    const double dx = q.x - p.x, dy = q.y - p.y, length = std::hypot(dx, dy);
    if (!(length > 1e-9)) return;
    const double ux = dx / length, uy = dy / length, n = lift * q.nearness;
    out.push_back({{q.x + size * ux, q.x - size * ux - 0.7 * size * uy, q.x - size * ux + 0.7 * size * uy},
                   {q.y + size * uy, q.y - size * uy + 0.7 * size * ux, q.y - size * uy - 0.7 * size * ux},
                   {n, n, n},
                   id});
}

}  // namespace mechane::viewer

#pragma once
#include "mechane/geometry/hull.h"
#include "reference.h"

/// Pairs of all kinds in drawn poses that are special more often than not: faces parallel, edge on edge, a segment on a
/// face, on one axis, rim on rim, flush, concentric; touching, deep or apart; each of them exactly, nearly or not.
namespace mechane::test {

inline double decade(Random& r, double low, double high) { return std::pow(10.0, r.uniform(low, high)); }

/// A kind of shape that is drawn. `hollow` is a channel: a box with a groove along y; `field` a height field.
enum class Drawn { plane, rectangle, sphere, capsule, ellipsoid, cylinder, box, cone, hull, hollow, field };
inline constexpr Drawn kDrawn[] = {Drawn::plane, Drawn::rectangle, Drawn::sphere, Drawn::capsule,
                                   Drawn::ellipsoid, Drawn::cylinder, Drawn::box, Drawn::cone,
                                   Drawn::hull, Drawn::hollow, Drawn::field};
inline std::string drawn_name(Drawn d)
{
    static const char* const names[] = {"plane", "rectangle", "sphere", "capsule", "ellipsoid", "cylinder",
                                        "box",   "cone",      "hull",   "hollow",  "field"};
    return names[static_cast<int>(d)];
}
/// Shapes without a back, which never meet each other.
inline bool is_ground(Drawn d) { return d == Drawn::plane || d == Drawn::rectangle || d == Drawn::field; }
/// Solid and convex, so that the signed distance is known everywhere.
inline bool is_convex(Drawn d) { return d != Drawn::hollow && d != Drawn::field; }

/// One of the two, with what it is made of.
struct Specimen {
    Drawn                kind = Drawn::sphere;
    Shape                shape;
    collision::HullShape hull;
    collision::MeshShape mesh;
    std::vector<Shape>   parts;       ///< convex shapes in the frame of the whole that it is the union of
    std::vector<Vec3d>   directions;  ///< special ones: normals of faces, of edges and corners, unit, outward
    std::vector<Vec3d>   axes;        ///< to turn about the direction by
    double               size = 0;    ///< radius of a ball about the origin that holds it, of grounds what is of use [m]
};

inline geometry::Mesh drawn_cloud_hull(Random& r)
{
    std::vector<Vec3d>  points;
    const std::uint32_t which = r.below(4), n = 3 + r.below(9);
    if (which == 0)
        for (std::uint32_t i = 0; i < n + 5; ++i) points.push_back(r.direction());
    if (which == 1 || which == 2)  // a prism, a frustum
        for (std::uint32_t i = 0; i < n; ++i) {
            const double t = 2 * kPi * i / n, k = which == 1 ? 1 : 0.5;
            points.push_back({k * std::cos(t), k * std::sin(t), 0.8}), points.push_back({std::cos(t), std::sin(t), -0.8});
        }
    if (which == 3)  // a wedge
        for (const double y : {-1.0, 1.0}) points.push_back({-1, y, -0.4}), points.push_back({1, y, -0.4}), points.push_back({1, y, 0.4});
    auto hull = geometry::build_hull(points);
    REQUIRE(hull.has_value());
    return *std::move(hull);
}

/// A channel along y: outer half extents h, a groove from the top of half width g and depth 2 e below the top.
inline geometry::Mesh channel(const Vec3d& h, double g, double e)
{
    const double         z = h.z - 2 * e;
    const Vec2d          profile[] = {{-h.x, -h.z}, {h.x, -h.z}, {h.x, h.z}, {g, h.z}, {g, z}, {-g, z}, {-g, h.z}, {-h.x, h.z}};
    geometry::Mesh       m;
    for (const double y : {-h.y, h.y})
        for (const Vec2d& p : profile) m.points.push_back({p.x, y, p.y});
    for (std::int32_t i = 0; i < 8; ++i) {
        const std::int32_t k = (i + 1) % 8;
        m.triangles.push_back({i, i + 8, k}), m.triangles.push_back({k, i + 8, k + 8});
    }
    const std::int32_t cap[][3] = {{0, 1, 5}, {1, 4, 5}, {1, 2, 4}, {2, 3, 4}, {0, 5, 7}, {5, 6, 7}};
    for (const auto& t : cap) {
        m.triangles.push_back({t[0], t[1], t[2]});
        m.triangles.push_back({t[0] + 8, t[2] + 8, t[1] + 8});
    }
    return m;
}

inline void draw_specimen(Random& r, Drawn kind, double unit, Specimen& s)
{
    const auto size = [&] { return unit * decade(r, -0.7, 0); };
    s.kind          = kind;
    s.shape         = shape(ShapeKind::sphere, {size(), size(), size()});
    if (r.below(8) == 0) s.shape.size[r.below(3)] *= decade(r, -2.5, -0.5);
    if (r.below(3) == 0) s.shape.size.y = s.shape.size.x;
    Vec3d&       h    = s.shape.size;
    const double t    = r.below(2) ? 0.25 * kPi * r.below(8) : r.uniform(0, 2 * kPi);
    const Vec3d  side = {std::cos(t), std::sin(t), 0}, up{0, 0, 1};
    s.axes            = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, side};
    const auto boxlike = [&] {
        for (int i = 0; i < 3; ++i) s.directions.push_back(axis_vector<double>(i)), s.directions.push_back(-axis_vector<double>(i));
        for (int i = 0; i < 4; ++i)
            s.directions.push_back(normalized(Vec3d{i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, 0}, up)),
                s.directions.push_back(normalized(Vec3d{i & 1 ? 1.0 : -1.0, 0, i & 2 ? 1.0 : -1.0}, up));
        s.directions.push_back(normalized(Vec3d{1, 1, 1}, up));
    };
    switch (kind) {
        case Drawn::plane:
            s.shape.kind = ShapeKind::plane;
            h            = {};
            s.directions = {up};
            s.size       = unit;
            return;
        case Drawn::rectangle:
            s.shape.kind = ShapeKind::rectangle;
            h.z          = 0;
            s.directions = {up, up, {1, 0, 0}, {0, -1, 0}, normalized(Vec3d{1, 0, 1}, up), normalized(Vec3d{0, -1, 0.3}, up),
                            normalized(Vec3d{1, 1, 1}, up), normalized(Vec3d{1, 0, -0.2}, up)};
            break;
        case Drawn::sphere:
            s.directions = {up};
            h            = {h.x, h.x, h.x};
            break;
        case Drawn::capsule:
            s.shape.kind = ShapeKind::capsule;
            s.directions = {side, side, up, -up};
            break;
        case Drawn::ellipsoid:
            s.shape.kind = ShapeKind::ellipsoid;
            s.directions = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}};
            break;
        case Drawn::cylinder:
            s.shape.kind = ShapeKind::cylinder;
            s.directions = {side, side, up, -up, normalized(side + up), normalized(side - up)};
            break;
        case Drawn::box:
            s.shape.kind = ShapeKind::box;
            boxlike();
            break;
        case Drawn::cone:
            s.shape.kind = ShapeKind::cone;
            s.directions = {normalized(Vec3d{2 * h.y * side.x, 2 * h.y * side.y, h.x}), -up, up, side,
                            normalized(side - up)};
            break;
        case Drawn::hull: {
            geometry::Mesh mesh = drawn_cloud_hull(r);
            for (Vec3d& p : mesh.points) p = scale(h, p);
            s.hull        = collision::make_hull_shape(mesh, {1, 1, 1});
            s.shape       = hull_shape(s.hull);
            for (const Vec3d& n : s.hull.face_normals) s.directions.push_back(n);
            for (const Vec3d& v : s.hull.vertices) s.directions.push_back(normalized(v - s.hull.centre, up));
            break;
        }
        case Drawn::hollow: {
            const double g = h.x * r.uniform(0.2, 0.8), e = h.z * r.uniform(0.2, 0.8);
            s.mesh         = collision::make_mesh_shape(channel(h, g, e), {1, 1, 1}, false);
            const Vec3d outer = h;
            s.shape        = mesh_shape(s.mesh);
            boxlike();
            s.directions.push_back(up);
            const double z = outer.z - 2 * e, wall = 0.5 * (outer.x - g);
            s.parts = {shape(ShapeKind::box, {outer.x, outer.y, 0.5 * (z + outer.z)}, {0, 0, 0.5 * (z - outer.z)}),
                       shape(ShapeKind::box, {wall, outer.y, outer.z}, {g + wall, 0, 0}),
                       shape(ShapeKind::box, {wall, outer.y, outer.z}, {-g - wall, 0, 0})};
            s.size  = length(outer);
            return;
        }
        case Drawn::field: {
            geometry::Mesh grid = tiled_plane(6, 2 * unit);
            const bool     flat = r.below(2) != 0;
            for (Vec3d& p : grid.points) p.z = flat ? 0 : 0.1 * unit * r.uniform();
            s.mesh       = collision::make_mesh_shape(grid, {1, 1, 1}, false, unit);
            s.shape      = mesh_shape(s.mesh);
            s.directions = {up};
            s.size       = unit;
            return;
        }
    }
    s.size = collision::bounding_radius(s.shape) + length(collision::centre(s.shape) - s.shape.p);
}

/// The farthest along a unit direction of the specimen's frame [m].
inline double reach_along(const Specimen& s, const Vec3d& u)
{
    if (s.kind == Drawn::plane || s.kind == Drawn::field) return 0;
    if (s.kind == Drawn::rectangle) return std::abs(u.x) * s.shape.size.x + std::abs(u.y) * s.shape.size.y;
    if (s.parts.empty()) return extent_along(s.shape, u);
    double most = -kInfinity;
    for (const Shape& part : s.parts) most = std::max(most, dot(u, part.p) + extent_along(part, u));
    return most;
}

struct Meeting {
    Specimen a, b;
    double   size  = 0;  ///< of the larger one [m]
    double   small = 0;  ///< of the smaller one
    double   reach = 0;  ///< [m]
};

inline void draw_meeting(Random& r, Drawn first, Drawn second, Meeting& m)
{
    const double unit = decade(r, -2, 2), other = r.below(3) == 0 ? unit * decade(r, -1.5, 1.5) : unit;
    m.a = {}, m.b = {};
    draw_specimen(r, first, unit, m.a), draw_specimen(r, second, other, m.b);
    m.size  = std::max(m.a.size, m.b.size);
    m.small = std::min(m.a.size, m.b.size);
    m.reach = r.uniform(0, 0.3) * m.small;
    Shape &a = m.a.shape, &b = m.b.shape;
    a.R                = r.below(2) ? Mat33d::identity() : to_matrix(r.rotation());
    const auto special = [&](const Specimen& s) {
        const bool any = r.below(5) == 0 && !is_ground(s.kind);
        return any ? r.direction() : s.directions[r.below(static_cast<std::uint32_t>(s.directions.size()))];
    };
    const Vec3d u = special(m.a), v = special(m.b);
    const auto  frame = [&](const Vec3d& n, const std::vector<Vec3d>& axes) {
        Vec3d x = axes[r.below(static_cast<std::uint32_t>(axes.size()))];
        x       = x - dot(x, n) * n;
        x       = length(x) > 1e-3 ? normalized(x) : normalized(any_perpendicular(n));
        const Vec3d y = cross(n, x);
        return Mat33d::from_columns(x, y, n);
    };
    const Mat33d fa = frame(u, m.a.axes), fb = frame(v, m.b.axes);
    const double turns[] = {0, 0, 90, 45, 180, 360 * r.uniform(), decade(r, -9, 0)};
    const Mat33d spin    = to_matrix(turn('z', turns[r.below(7)])), flip = to_matrix(turn('x', 180));
    b.R                  = a.R * fa * spin * flip * transpose(fb);
    const Vec3d n        = a.R * u;
    if (const std::uint32_t tilt = r.below(6); tilt < 2)
        b.R = to_matrix(from_axis_angle(r.direction(), tilt ? decade(r, -9, -1) : r.uniform(-0.5, 0.5))) * b.R;
    a.p                = r.vec(unit);
    const double touch = reach_along(m.a, u) + reach_along(m.b, -transpose_times(b.R, n));
    double       apart = 0;
    switch (r.below(5)) {
        case 0:
            break;
        case 1:
            apart = (r.below(2) ? 1 : -1) * m.small * decade(r, -9, -2);
            break;
        case 2:
            apart = -r.uniform(0, 0.1) * m.small;
            break;
        case 3:
            apart = m.reach * r.uniform(0, 1.2);
            break;
        default:
            apart = -r.uniform() * touch;
            break;
    }
    Vec3d aside;
    if (const std::uint32_t how = r.below(4); how > 0) {
        // Flush, or one rim over the other, along an axis; or anywhere.
        const Vec3d  e = a.R * fa.column(0), f = a.R * fa.column(1);
        const double wa = reach_along(m.a, fa.column(0)), wb = reach_along(m.b, transpose_times(b.R, e));
        const double places[] = {wa - wb, wa + wb, wa, 0.5 * wa, wa + wb * r.uniform(-1, 0.2), (wa + wb) * (1 - decade(r, -9, -1))};
        aside = places[r.below(6)] * (is_ground(first) && first != Drawn::rectangle ? 0.1 : 1.0) * e;
        if (how == 2) aside += r.uniform(-0.5, 0.5) * m.small * f;
        if (how == 3) aside = r.vec(0.7 * (first == Drawn::rectangle ? m.a.size : m.small)), aside -= dot(aside, n) * n;
    }
    b.p = a.p + (touch + apart) * n + aside;
    if (r.below(25) == 0 && !is_ground(first)) b.p = a.p;
}

}  // namespace mechane::test

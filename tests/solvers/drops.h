#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "mechane/geometry/hull.h"
#include "mechane/geometry/mesh.h"
#include "mechane/model/builder.h"
#include "support/support.h"

/// Bodies of every kind drawn by chance, let go above what carries them.
namespace mechane::test {

enum class Dropped {
    hull,
    chamfered_box,
    facet_wheel,
    thin_plate,
    box,
    torus,       ///< a hollow mesh
    bracket,     ///< a hollow mesh with flat sides
    cylinder,
    cone,
    capsule,
    ellipsoid,
    sphere,
    pressed_box,  ///< pressure contact, on a block that has it too
    pressed_ball,
    count
};
enum class Carrier { plane, box, rectangle, sheet, body, count };

inline const char* name_of(Dropped d)
{
    constexpr const char* names[] = {"hull",    "chamfered box", "facet wheel", "thin plate", "box",
                                     "torus",   "bracket",       "cylinder",    "cone",       "capsule",
                                     "ellipsoid", "sphere",      "pressed box", "pressed ball"};
    return names[static_cast<std::size_t>(d)];
}
/// Whether it may roll on for longer than the test looks.
inline bool can_roll(Dropped d)
{
    constexpr Dropped rollers[] = {Dropped::facet_wheel, Dropped::torus,     Dropped::cylinder, Dropped::cone,
                                   Dropped::capsule,     Dropped::ellipsoid, Dropped::sphere,   Dropped::pressed_ball};
    return std::find(std::begin(rollers), std::end(rollers), d) != std::end(rollers);
}
inline const char* name_of(Carrier c)
{
    constexpr const char* names[] = {"plane", "box", "rectangle", "sheet", "body"};
    return names[static_cast<std::size_t>(c)];
}

/// A scene of one body, or of two of which the second falls on the first.
struct Drop {
    model::ModelBuilder builder;
    Dropped             kind{};
    Carrier             carrier{};
    double              size     = 0;  ///< largest extent of the body [m]
    double              pressure = 0;  ///< stiffness of the pair [N/m^3], 0: points
    double              area     = 0;  ///< of a pressed box's flat side, if it lands on that: by axis below [m^2]
    Vec3d               half;          ///< of a pressed box
    double              density = 0;
};

namespace drops {

inline std::shared_ptr<const geometry::Mesh> hull_of(const std::vector<Vec3d>& points)
{
    auto made = geometry::build_hull(points, {.max_vertices = 1000});
    REQUIRE(made.has_value());
    made->is_convex = true;
    return std::make_shared<const geometry::Mesh>(*std::move(made));
}

/// Points on a ball or in a box, as many as a thrown stone or a casting has.
inline std::vector<Vec3d> stone(Random& r, double size)
{
    std::vector<Vec3d>  points;
    const std::uint32_t n = 6 + r.below(40);
    const Vec3d         half{size, size * r.uniform(0.3, 1), size * r.uniform(0.3, 1)};
    for (std::uint32_t i = 0; i < n; ++i) points.push_back(0.5 * scale(half, r.below(2) ? r.direction() : r.vec(1)));
    return points;
}

/// A box whose edges below and above are cut off by little.
inline std::vector<Vec3d> chamfered(Random& r, double size)
{
    const Vec3d        h = 0.5 * Vec3d{size, size * r.uniform(0.3, 1), size * r.uniform(0.2, 0.8)};
    const double       cut = size * std::pow(10.0, r.uniform(-2.5, -1)), rise = cut * std::pow(10.0, r.uniform(-1.3, 0));
    std::vector<Vec3d> points;
    for (int i = 0; i < 8; ++i) {
        const double x = i & 1 ? 1 : -1, y = i & 2 ? 1 : -1, z = i & 4 ? 1 : -1;
        points.push_back({x * (h.x - cut), y * (h.y - cut), z * h.z});
        points.push_back({x * h.x, y * h.y, z * (h.z - rise)});
    }
    return points;
}

inline std::vector<Vec3d> wheel(Random& r, double size)
{
    std::vector<Vec3d>  points;
    const std::uint32_t facets = 6 + r.below(120);
    const double        width  = size * r.uniform(0.05, 0.4);
    for (std::uint32_t i = 0; i < facets; ++i) {
        const double t = 2 * kPi * i / facets;
        for (const double y : {-0.5, 0.5}) points.push_back({0.5 * size * std::cos(t), y * width, 0.5 * size * std::sin(t)});
    }
    return points;
}

inline std::shared_ptr<const geometry::Mesh> torus(Random& r, double size)
{
    geometry::Mesh mesh;
    const int      around = 12 + static_cast<int>(r.below(30)), tube = 6 + static_cast<int>(r.below(14));
    const double   small = size * r.uniform(0.08, 0.2), large = 0.5 * size - small;
    for (int i = 0; i < around; ++i)
        for (int k = 0; k < tube; ++k) {
            const double a = 2 * kPi * i / around, t = 2 * kPi * k / tube, rho = large + small * std::cos(t);
            mesh.points.push_back({rho * std::cos(a), rho * std::sin(a), small * std::sin(t)});
        }
    const auto at = [&](int i, int k) { return (i % around) * tube + k % tube; };
    for (int i = 0; i < around; ++i)
        for (int k = 0; k < tube; ++k) {
            mesh.triangles.push_back({at(i, k), at(i + 1, k), at(i + 1, k + 1)});
            mesh.triangles.push_back({at(i, k), at(i + 1, k + 1), at(i, k + 1)});
        }
    return std::make_shared<const geometry::Mesh>(std::move(mesh));
}

/// The profile of an L drawn out along y.
inline std::shared_ptr<const geometry::Mesh> bracket(Random& r, double size)
{
    const double w = 0.5 * size * r.uniform(0.4, 1), t = size * r.uniform(0.15, 0.4), h = size * r.uniform(0.5, 1);
    const std::pair<double, double> profile[] = {{0, 0}, {size, 0}, {size, t}, {t, t}, {t, h}, {0, h}};
    geometry::Mesh                  mesh;
    for (const double y : {-w, w})
        for (const auto& [x, z] : profile) mesh.points.push_back({x - 0.5 * size, y, z - 0.5 * h});
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}, {6, 8, 7}, {6, 9, 8}, {6, 10, 9}, {6, 11, 10}};
    for (int i = 0; i < 6; ++i) {
        const int k = (i + 1) % 6;
        mesh.triangles.push_back({i, i + 6, k + 6});
        mesh.triangles.push_back({i, k + 6, k});
    }
    return std::make_shared<const geometry::Mesh>(std::move(mesh));
}

/// [-half, half]^2 at z = 0 in uneven cells, cut either way.
inline std::shared_ptr<const geometry::Mesh> sheet(Random& r, double half)
{
    geometry::Mesh mesh;
    const int      n = 1 + static_cast<int>(r.below(16));
    for (int y = 0; y <= n; ++y)
        for (int x = 0; x <= n; ++x) {
            const bool rim = x == 0 || y == 0 || x == n || y == n;
            const auto by  = r.vec(rim ? 0 : 0.24);
            mesh.points.push_back({half * (2 * (x + by.x) / n - 1), half * (2 * (y + by.y) / n - 1), 0});
        }
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            const int a = y * (n + 1) + x, b = a + 1, c = a + n + 1, d = c + 1;
            if (r.below(2))
                mesh.triangles.push_back({a, b, d}), mesh.triangles.push_back({a, d, c});
            else
                mesh.triangles.push_back({a, b, c}), mesh.triangles.push_back({b, d, c});
        }
    return std::make_shared<const geometry::Mesh>(std::move(mesh));
}

/// What lies on a field needs one with cells that are small beside it.
inline void give_field(model::ShapeConfig& c, double kh, double extent)
{
    c.is_hydroelastic            = true;
    c.kh                         = kh;
    c.sdf                        = model::SdfConfig{};
    c.sdf->sdf_target_voxel_size = extent / 48;
    c.sdf->sdf_narrow_band_inner = -0.1 * extent;
    c.sdf->sdf_narrow_band_outer = 0.1 * extent;
    c.sdf->sdf_padding           = 0.1 * extent;
}

/// Adds a shape of the kind; returns its largest extent.
inline double add_shape(model::ModelBuilder& b, std::int32_t body, Random& r, Dropped kind, double size,
                        model::ShapeConfig c, Drop& out)
{
    const auto mesh = [&](std::shared_ptr<const geometry::Mesh> m) {
        b.add_shape_mesh(body, {}, {1, 1, 1}, std::move(m), c);
        return size;
    };
    const double slim = r.uniform(0.15, 0.9);
    switch (kind) {
        case Dropped::hull:
            return mesh(hull_of(stone(r, size)));
        case Dropped::chamfered_box:
            return mesh(hull_of(chamfered(r, size)));
        case Dropped::facet_wheel:
            return mesh(hull_of(wheel(r, size)));
        case Dropped::torus:
            return mesh(torus(r, size));
        case Dropped::bracket:
            return mesh(bracket(r, size));
        case Dropped::thin_plate:
            b.add_shape_box(body, {}, 0.5 * Vec3d{size, size * slim, size * r.uniform(0.01, 0.05)}, c);
            return size;
        case Dropped::box:
            b.add_shape_box(body, {}, 0.5 * Vec3d{size, size * slim, size * r.uniform(0.2, 1)}, c);
            return size;
        case Dropped::cylinder:
            b.add_shape_cylinder(body, {}, 0.5 * size * slim, 0.5 * size * r.uniform(0.1, 1), c);
            return size;
        case Dropped::cone:
            b.add_shape_cone(body, {}, 0.5 * size * slim, 0.5 * size * r.uniform(0.3, 1), c);
            return size;
        case Dropped::capsule:
            b.add_shape_capsule(body, {}, 0.25 * size * slim, 0.5 * size * (1 - 0.5 * slim), c);
            return size;
        case Dropped::ellipsoid:
            b.add_shape_ellipsoid(body, {}, 0.5 * Vec3d{size, size * r.uniform(0.3, 1), size * r.uniform(0.3, 1)}, c);
            return size;
        case Dropped::pressed_ball:
        case Dropped::sphere:
            b.add_shape_sphere(body, {}, 0.5 * size, c);
            return size;
        case Dropped::pressed_box:
            out.half = 0.5 * Vec3d{size, size * r.uniform(0.5, 1), size * r.uniform(0.5, 1)};
            b.add_shape_box(body, {}, out.half, c);
            return size;
        case Dropped::count:
            break;
    }
    return size;
}

}  // namespace drops

/// The drop with this number; the same on every machine.
inline Drop draw_drop(std::uint64_t number)
{
    Random r(0x5eed0000 + number);
    Drop   out;
    out.kind    = static_cast<Dropped>(number % static_cast<std::uint64_t>(Dropped::count));
    out.carrier = static_cast<Carrier>(r.below(static_cast<std::uint32_t>(Carrier::count)));
    const bool pressed = out.kind == Dropped::pressed_box || out.kind == Dropped::pressed_ball;
    if (pressed) out.carrier = Carrier::box;
    const double size = std::pow(10.0, r.uniform(-1.3, 0));
    out.size          = size;
    out.density       = std::pow(10.0, r.uniform(2.3, 3.7));

    model::ShapeConfig c;
    c.density    = out.density;
    c.gap        = 0.02 * size;
    c.mu         = r.uniform(0.4, 1);
    c.mu_rolling = 0.01 * size, c.mu_torsional = 0.01 * size;
    model::ShapeConfig ground = c;
    ground.density            = 0;
    if (pressed) {
        // As stiff as lets a cube sink by two hundredths of its size, a cell of its field or so.
        out.pressure = 9.81 * out.density / 0.02;
        drops::give_field(c, out.pressure, size);
        drops::give_field(ground, out.pressure, size);
    }
    model::ModelBuilder& b    = out.builder;
    const double         half = 4 * size;
    switch (out.carrier) {
        case Carrier::plane:
            b.add_shape_plane(-1, {}, 0, 0, ground, "ground");
            break;
        case Carrier::rectangle:
            b.add_shape_plane(-1, {}, 2 * half, 2 * half, ground, "ground");
            break;
        case Carrier::sheet:
            b.add_shape_mesh(-1, {}, {1, 1, 1}, drops::sheet(r, half), ground, "ground");
            break;
        case Carrier::box:
        case Carrier::body:
        case Carrier::count: {
            const double wide = pressed ? size : half, thick = pressed ? 0.15 * size : 0.5 * size;
            b.add_shape_box(-1, {{0, 0, -thick}, {}}, {wide, wide, thick}, ground, "ground");
            break;
        }
    }
    double height = 0;
    if (out.carrier == Carrier::body) {
        // A slab at rest below, wide enough that what falls on it mostly stays there.
        const auto slab = b.add_body({{0, 0, 0.15 * size}, {}}, "slab");
        b.add_shape_box(slab, {}, {1.5 * size, 1.5 * size, 0.15 * size}, c);
        height = 0.3 * size;
    }
    // Some are let go a hair above their lowest point, lying or standing; most fall and tumble.
    const bool  lies = r.below(4) == 0;
    const Quatd q    = lies ? from_axis_angle(Vec3d{1, 0, 0}, 0.5 * kPi * r.below(2)) : r.rotation();
    const Vec3d p{r.uniform(-0.2, 0.2) * size, r.uniform(-0.2, 0.2) * size,
                  height + size * (pressed && !lies ? 1.0 : 0.9 + r.uniform(0, 0.5))};
    const auto  body = b.add_body({p, q}, "body");
    drops::add_shape(b, body, r, out.kind, size, c, out);
    return out;
}

}  // namespace mechane::test

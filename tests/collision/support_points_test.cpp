#include <algorithm>
#include <set>

#include "mechane/collision/narrow.h"
#include "mechane/geometry/hull.h"
#include "shapes.h"

/// Which of many points a manifold keeps: those that carry.
using namespace mechane;
using namespace mechane::test;

namespace {

/// A convex body with what its names refer to.
struct Body {
    std::vector<Vec3d>   points;
    collision::HullShape hull;
    collision::MeshShape mesh;  ///< the same, met triangle by triangle

    explicit Body(std::vector<Vec3d> given) : points(std::move(given))
    {
        auto made = geometry::build_hull(points, {.max_vertices = 1000});
        REQUIRE(made.has_value());
        hull = collision::make_hull_shape(*made, {1, 1, 1});
        mesh = collision::make_mesh_shape(*made, {1, 1, 1}, false);
        mesh.hull.reset();
    }
};

/// A plate whose lower edges are cut off: a sole of half widths (x, y) at z = 0, and `rise` above it the rim, `cut`
/// farther out.
std::vector<Vec3d> foot(double x, double y, double cut, double rise, double height)
{
    std::vector<Vec3d> points;
    for (const double sx : {-1.0, 1.0})
        for (const double sy : {-1.0, 1.0}) {
            points.push_back({sx * x, sy * y, 0});
            points.push_back({sx * (x + cut), sy * (y + cut), rise});
            points.push_back({sx * (x + cut), sy * (y + cut), height});
        }
    return points;
}

/// A wheel about y that stands on one of its facets at z = 0.
std::vector<Vec3d> wheel(int facets, double radius, double width)
{
    std::vector<Vec3d> points;
    const double       level = radius * std::cos(kPi / facets);
    for (int i = 0; i < facets; ++i) {
        const double t = 2 * kPi * (i + 0.5) / facets - 0.5 * kPi;
        for (const double y : {-0.5, 0.5}) points.push_back({radius * std::cos(t), y * width, radius * std::sin(t) + level});
    }
    return points;
}

/// Twice the area of the convex outline of the contacts' places across z.
double area(const std::vector<Vec3d>& at)
{
    std::vector<std::pair<double, double>> p;
    for (const Vec3d& x : at) p.emplace_back(x.x, x.y);
    std::sort(p.begin(), p.end());
    std::vector<std::pair<double, double>> outline;
    const auto                             left = [](auto a, auto b, auto c) {
        return (b.first - a.first) * (c.second - a.second) - (b.second - a.second) * (c.first - a.first);
    };
    for (int pass = 0; pass < 2; ++pass) {
        const std::size_t from = outline.size();
        for (const auto& q : p) {
            while (outline.size() >= from + 2 && left(outline[outline.size() - 2], outline.back(), q) <= 0)
                outline.pop_back();
            outline.push_back(q);
        }
        outline.pop_back();
        std::reverse(p.begin(), p.end());
    }
    double twice = 0;
    for (std::size_t i = 0; i < outline.size(); ++i) {
        const auto &a = outline[i], &b = outline[(i + 1) % outline.size()];
        twice += a.first * b.second - a.second * b.first;
    }
    return 0.5 * twice;
}

struct Touch {
    int                touching = 0, hovering = 0;
    std::vector<Vec3d> at;  ///< of those that touch
};
Touch touches(const Manifold& m, double within)
{
    Touch out;
    for (int i = 0; i < m.count; ++i) {
        const ContactPoint& p = m.points[static_cast<std::size_t>(i)];
        if (p.distance <= within) ++out.touching, out.at.push_back(p.p1);
        else ++out.hovering;
    }
    return out;
}

/// What the body stands on, with its surface at z = 0.
const char* const kCarriers[] = {"plane", "rectangle", "box", "sheet"};
Manifold          on(const std::string& carrier, const Shape& body, double reach)
{
    static const collision::MeshShape tiles = collision::make_mesh_shape(tiled_plane(7, 3), {1, 1, 1}, false);
    if (carrier == "plane") return contacts(shape(ShapeKind::plane, {}), body, reach);
    if (carrier == "rectangle") return contacts(shape(ShapeKind::rectangle, {3, 3, 0}), body, reach);
    if (carrier == "box") return contacts(shape(ShapeKind::box, {3, 3, 1}, {0, 0, -1}), body, reach);
    return contacts(mesh_shape(tiles), body, reach);
}

}  // namespace

TEST_CASE("a chamfered sole is carried by its four corners, on whatever it stands and however little it tilts (COL-095)")
{
    const struct {
        const char* name;
        double      x, y, cut, rise;
    } table[] = {{"foot", 0.097, 0.047, 0.003, 0.003},
                 {"dish", 0.3, 0.3, 0.2, 0.015},
                 {"flat bevel", 0.4, 0.2, 0.02, 0.0005},
                 {"narrow rib under a plate", 0.5, 0.002, 0.2, 0.05}};
    for (const auto& row : table)
        for (const char* carrier : kCarriers)
            for (const double tilt : {0.0, 1e-7, 1e-5, 3e-4})
                for (const double axis : {0.0, 0.3, 1.2}) {
                    CAPTURE(std::string(row.name));
                    CAPTURE(std::string(carrier));
                    CAPTURE(tilt);
                    const Body  body(foot(row.x, row.y, row.cut, row.rise, 0.2));
                    const Vec3d about{std::cos(axis), std::sin(axis), 0};
                    for (const bool surface : {false, true}) {
                        CAPTURE(surface);
                        if (surface && std::string(carrier) == "sheet" && row.y < 0.01) continue;
                        const Quatd    q = from_rotation_vector(tilt * about);
                        const Shape    s = surface ? mesh_shape(body.mesh, {}, q) : hull_shape(body.hull, {}, q);
                        const Manifold m = on(carrier, s, 0.2);
                        const double   within = 1.1 * tilt * (row.x + row.y) + 1e-9;
                        const Touch    t = touches(m, within);
                        CHECK(t.touching >= 4);
                        CHECK(area(t.at) >= 0.9 * 4 * row.x * row.y);
                    }
                }
}

TEST_CASE("a wheel of many facets stands on the four corners of one of them (COL-095, COL-096)")
{
    for (const int facets : {6, 16, 64, 128, 256})
        for (const char* carrier : kCarriers) {
            CAPTURE(facets);
            CAPTURE(std::string(carrier));
            const Body     body(wheel(facets, 0.3, 0.2));
            const Manifold m     = on(carrier, hull_shape(body.hull), 0.05);
            const Touch    t     = touches(m, 1e-6);
            const double   facet = 2 * 0.3 * std::sin(kPi / facets);
            CHECK(t.touching >= 4);
            CHECK(area(t.at) >= 0.99 * facet * 0.2);
            CHECK(m.count <= 5);
        }
}

TEST_CASE("a flat side of very many points is held over as much as five of them can span (COL-095, COL-103)")
{
    // 41 x 41 points at one height under a ridge: a mesh that is met vertex by vertex.
    geometry::Mesh mesh = tiled_plane(40, 0.5);
    for (auto& t : mesh.triangles) std::swap(t[1], t[2]);  // seen from below
    const auto n = static_cast<std::int32_t>(mesh.points.size());
    mesh.points.push_back({0, 0, 0.3});
    for (int i = 0; i < 40; ++i) {
        mesh.triangles.push_back({i, i + 1, n});
        mesh.triangles.push_back({40 * 41 + i + 1, 40 * 41 + i, n});
        mesh.triangles.push_back({(i + 1) * 41, i * 41, n});
        mesh.triangles.push_back({i * 41 + 40, (i + 1) * 41 + 40, n});
    }
    auto made = collision::make_mesh_shape(mesh, {1, 1, 1}, false);
    made.hull.reset();
    for (const char* carrier : {"plane", "rectangle", "sheet"}) {
        CAPTURE(std::string(carrier));
        const Manifold m = on(carrier, mesh_shape(made), 0.02);
        CHECK(m.count <= collision::Manifold::kCapacity);
        CHECK(area(touches(m, 1e-9).at) >= 0.99);
    }
}

TEST_CASE(
    "a body that falls over is held where it will land: about the edge on which it stands the next corners on either "
    "side are kept (COL-096)")
{
    // A cube on one of its edges.
    const Body     cube(foot(0.2, 0.2, 0, 0.1, 0.4));
    const Manifold m = on("plane", hull_shape(cube.hull, {0, 0, 0}, turn('y', 30)), 1.0);
    std::set<std::pair<int, int>> sides;
    for (int i = 0; i < m.count; ++i) {
        const ContactPoint& p = m.points[static_cast<std::size_t>(i)];
        sides.insert({p.p1.x < 0 ? -1 : p.p1.x > 0.3 ? 1 : 0, p.p1.y < 0 ? -1 : 1});
    }
    CHECK(m.count >= 4);
    CHECK(sides.size() >= 4);
    // Stones on a corner: the lowest of their points is there, with four to land on.
    Random r(3);
    for (int i = 0; i < 200; ++i) {
        std::vector<Vec3d> points;
        for (int k = 0; k < 40; ++k) points.push_back(r.direction());
        const Body     stone(points);
        const Quatd    q = r.rotation();
        const Manifold found = on("plane", hull_shape(stone.hull, {0, 0, 1}, q), 2.5);
        double         lowest = kInfinity;
        for (const Vec3d& p : points) lowest = std::min(lowest, rotate(q, p).z + 1);
        double kept = kInfinity;
        for (int k = 0; k < found.count; ++k) kept = std::min(kept, found.points[static_cast<std::size_t>(k)].distance);
        CHECK(kept <= lowest + 1e-5);
        CHECK(found.count >= 4);
        CHECK(found.count <= 5);
    }
}

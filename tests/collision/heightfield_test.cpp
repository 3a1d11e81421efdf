#include "mechane/geometry/heightfield.h"

#include <algorithm>

#include "mechane/collision/pipeline.h"
#include "mechane/geometry/codes.h"
#include "mechane/model/builder.h"
#include "shapes.h"

using namespace mechane;
using namespace mechane::test;

namespace {

geometry::Mesh field_of(int n, double half, const std::function<double(double, double)>& height)
{
    std::vector<double> z;
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) z.push_back(height(half * (2.0 * c / (n - 1) - 1), half * (2.0 * r / (n - 1) - 1)));
    auto mesh = geometry::heightfield_mesh({.rows = n, .columns = n, .half_x = half, .half_y = half, .elevations = z});
    REQUIRE(mesh.has_value());
    return std::move(*mesh);
}
Shape field_shape(const collision::MeshShape& mesh) { return mesh_shape(mesh); }

/// An L of two boxes, closed and hollow at its inner edge: 1 x 1 x 1 with the quarter x > 0, z > 0 taken away.
geometry::Mesh step_mesh()
{
    geometry::Mesh            m;
    const std::pair<int, int> outline[] = {{-1, -1}, {1, -1}, {1, 0}, {0, 0}, {0, 1}, {-1, 1}};  // x, z in half units
    for (const double y : {-0.5, 0.5})
        for (const auto& [x, z] : outline) m.points.push_back({0.5 * x, y, 0.5 * z});
    for (std::int32_t i = 0; i < 6; ++i) {  // walls: the outline runs counter-clockwise seen from -y
        const std::int32_t k = (i + 1) % 6;
        m.triangles.push_back({i, k, k + 6});
        m.triangles.push_back({i, k + 6, i + 6});
    }
    for (const auto& t : {std::array{0, 1, 2}, std::array{0, 2, 3}, std::array{0, 3, 4}, std::array{0, 4, 5}}) {
        m.triangles.push_back({t[0], t[2], t[1]});
        m.triangles.push_back({t[0] + 6, t[1] + 6, t[2] + 6});
    }
    for (auto& t : m.triangles) std::swap(t[1], t[2]);
    return m;
}

}  // namespace

TEST_CASE("a height field is cut from its lowest corner and its triangles are numbered cell by cell (COL-105)")
{
    const double z[] = {0, 1, 2, 3, 4, 5};
    const auto   m   = geometry::heightfield_mesh({.rows = 2, .columns = 3, .half_x = 2, .half_y = 1, .elevations = z});
    REQUIRE(m.has_value());
    CHECK(m->points[0] == Vec3d{-2, -1, 0});
    CHECK(m->points[2] == Vec3d{2, -1, 2});
    CHECK(m->points[3] == Vec3d{-2, 1, 3});
    REQUIRE(m->triangles.size() == 4);
    for (std::size_t c = 0; c < 2; ++c) {  // cell (0, c), triangle 2 c and 2 c + 1
        const auto i = static_cast<std::int32_t>(c);
        CHECK(m->triangles[2 * c] == std::array<std::int32_t, 3>{i, i + 1, i + 4});
        CHECK(m->triangles[2 * c + 1] == std::array<std::int32_t, 3>{i, i + 4, i + 3});
    }
    for (const auto& t : m->triangles) {
        const auto p = [&](std::size_t k) { return m->points[static_cast<std::size_t>(t[k])]; };
        CHECK(cross(p(1) - p(0), p(2) - p(0)).z > 0);
    }
}

TEST_CASE("elevations are stretched to the range, equal ones lie at its lower end, without a range they are metres")
{
    const auto z_of = [](std::vector<double> z, std::optional<std::pair<double, double>> range) {
        const auto m = geometry::heightfield_mesh({.rows = 2, .columns = 2, .elevations = z, .range = range});
        REQUIRE(m.has_value());
        std::vector<double> out;
        for (const Vec3d& p : m->points) out.push_back(p.z);
        return out;
    };
    CHECK(z_of({2, 4, 3, 2}, std::pair{10.0, 20.0}) == std::vector<double>{10, 20, 15, 10});
    CHECK(z_of({7, 7, 7, 7}, std::pair{1.0, 2.0}) == std::vector<double>{1, 1, 1, 1});
    CHECK(z_of({7, 7, 7, 7}, std::pair{2.0, 2.0}) == std::vector<double>{2, 2, 2, 2});
    CHECK(z_of({7, 7, 7, 7}, {}) == std::vector<double>{7, 7, 7, 7});
}

TEST_CASE("a grid that is none is refused")
{
    const double               z[] = {0, 0, 0, NAN}, ok[] = {0, 0, 0, 0};
    const geometry::HeightGrid table[] = {
        {.rows = 1, .columns = 4, .elevations = ok},
        {.rows = 2, .columns = 3, .elevations = ok},
        {.rows = 2, .columns = 2, .elevations = z},
        {.rows = 2, .columns = 2, .half_x = 0, .elevations = ok},
        {.rows = 2, .columns = 2, .elevations = ok, .range = std::pair{2.0, 1.0}},
    };
    for (const auto& grid : table) {
        const auto m = geometry::heightfield_mesh(grid);
        REQUIRE(!m.has_value());
        CHECK(m.error().id == geometry::kHeightfield.id);
    }
}

TEST_CASE(
    "shapes on a flat field stand as on a plane, and what has sunk in is lifted out (COL-078 H, COL-100, COL-104)")
{
    const auto mesh =
        collision::make_mesh_shape(field_of(11, 1, [](double, double) { return 0.0; }), {1, 1, 1}, false, 1);
    struct {
        const char* id;
        Shape       s;
        int         least, most;
        double      distance;
    } table[] = {
        {"H01", shape(ShapeKind::sphere, {0.25, 0, 0}, {0.07, 0.03, 0.24}), 1, 1, -0.01},
        {"H02", shape(ShapeKind::box, {0.15, 0.15, 0.15}, {0.05, 0.05, 0.14}), 4, 8, -0.01},
        {"H03", shape(ShapeKind::capsule, {0.1, 0.2, 0}, {0.05, 0.05, 0.09}, turn('y', 90)), 2, 3, -0.01},
        {"H04", shape(ShapeKind::sphere, {0.1, 0, 0}, {0.07, 0.03, -0.5}), 1, 1, -0.6},
        {"H05", shape(ShapeKind::sphere, {0.1, 0, 0}, {1.5, 0, 0}), 0, 0, 0},
        // at the end of the solid, 1 m down, and beyond it
        {"deep", shape(ShapeKind::box, {0.1, 0.1, 0.1}, {0.05, 0.05, -0.8}), 1, 8, -0.9},
        {"below", shape(ShapeKind::sphere, {0.1, 0, 0}, {0.07, 0.03, -1.3}), 0, 0, 0},
        {"beside", shape(ShapeKind::sphere, {0.1, 0, 0}, {1.3, 0, -0.5}), 0, 0, 0},
    };
    for (const auto& row : table) {
        CAPTURE(row.id);
        const Manifold m = contacts(field_shape(mesh), row.s);
        CHECK(m.count >= row.least);
        CHECK(m.count <= row.most);
        if (m.count == 0 || row.most == 0) continue;
        CHECK(deepest(m) == close_to(row.distance, 2e-5));
        for (int i = 0; i < m.count; ++i)
            CHECK(length(m.points[static_cast<std::size_t>(i)].normal - Vec3d{0, 0, 1}) < 1e-3);
    }
}

TEST_CASE("a ball on a slope of a field has the slope's normal wherever it lies, also when its centre is below")
{
    const double slope = 0.4, c = 1 / std::hypot(1, slope);
    const auto   mesh =
        collision::make_mesh_shape(field_of(21, 2, [&](double x, double) { return slope * x; }), {1, 1, 1}, false, 1);
    const Vec3d n = c * Vec3d{-slope, 0, 1};
    for_seeds(200, [&](Random& r) {
        const double d = r.uniform(-0.3, 0.05), radius = 0.1;  // signed distance of the ball
        const Vec3d  foot{r.uniform(-1, 1), r.uniform(-1, 1), 0};
        const Vec3d  at = Vec3d{foot.x, foot.y, slope * foot.x} + (radius + d) * n;
        const auto   m  = contacts(field_shape(mesh), shape(ShapeKind::sphere, {radius, 0, 0}, at));
        CAPTURE(d);
        REQUIRE(m.count == 1);
        CHECK(deepest(m) == close_to(d, 1e-6));
        CHECK(length(m.points[0].normal - n) < 1e-6);
    });
}

TEST_CASE("a mesh stands on a field: on its corners, and over the field's own ridge (COL-106)")
{
    const auto flat =
        collision::make_mesh_shape(field_of(11, 1, [](double, double) { return 0.0; }), {1, 1, 1}, false, 1);
    const auto ridge = collision::make_mesh_shape(field_of(21, 1, [](double x, double) { return 0.3 - std::abs(x); }),
                                                  {1, 1, 1}, false, 1);
    const auto step  = collision::make_mesh_shape(step_mesh(), {1, 1, 1}, true);
    REQUIRE(step.closed);
    REQUIRE(!step.convex);
    REQUIRE(step.hull == nullptr);
    for (const collision::MeshShape* mesh : {&cube_surface(), &step}) {
        const auto m = contacts(field_shape(flat), mesh_shape(*mesh, {0.03, 0.02, 0.49}));
        CHECK(m.count >= 4);
        CHECK(deepest(m) == close_to(-0.01, 2e-5));
        for (int i = 0; i < m.count; ++i) CHECK(m.points[static_cast<std::size_t>(i)].normal.z > 0.9999);
        // Both flat bottom over an edge of the field: the contact is the ridge's.
        const auto over = contacts(field_shape(ridge), mesh_shape(*mesh, {0, 0, 0.79}));
        CHECK(over.count >= 2);
        CHECK(deepest(over) == close_to(-0.01, 2e-5));
    }
}

TEST_CASE("two hollow meshes touch where their surfaces do, not where their hulls would (COL-102)")
{
    const auto step = collision::make_mesh_shape(step_mesh(), {1, 1, 1}, true);
    // Upside down and shifted, the second fills the notch of the first: 1 mm apart, no contact within half of that.
    const Quatd over = turn('y', 180);
    CHECK(contacts(mesh_shape(step), mesh_shape(step, {0.001, 0, 0.001}, over), 5e-4).count == 0);
    // The faces of the notch: 1 mm apart along z and x.
    const auto apart = contacts(mesh_shape(step), mesh_shape(step, {0.001, 0, 0.001}, over), 2e-3);
    REQUIRE(apart.count >= 6);
    int up = 0, along = 0;
    for (int i = 0; i < apart.count; ++i) {
        const ContactPoint& p = apart.points[static_cast<std::size_t>(i)];
        CHECK(p.distance == close_to(0.001, 1e-6));
        up += p.normal.z > 0.9999 ? 1 : 0;
        along += p.normal.x > 0.9999 ? 1 : 0;
    }
    CHECK(up >= 3);
    CHECK(along >= 3);
    CHECK(up + along == apart.count);
    // One on top of the other, 1 cm deep over half of the top.
    const auto on_top = contacts(mesh_shape(step), mesh_shape(step, {0, 0, 0.99}), 0.05);
    CHECK(on_top.count >= 4);
    CHECK(deepest(on_top) == close_to(-0.01, 2e-5));
    double low = kInfinity, high = -kInfinity;
    for (int i = 0; i < on_top.count; ++i) {
        const ContactPoint& p = on_top.points[static_cast<std::size_t>(i)];
        CHECK(p.normal.z > 0.9999);
        low = std::min(low, p.p0.x), high = std::max(high, p.p0.x);
    }
    CHECK(high - low > 0.45);
}

TEST_CASE("a field in a model holds what falls on it, and its mass is none (COL-104)")
{
    model::ModelBuilder b;
    b.rigid_gap      = 0.01;
    const auto mesh  = std::make_shared<geometry::Mesh>(field_of(11, 1, [](double, double) { return 0.0; }));
    const auto field = b.add_shape_heightfield({{0, 0, 2}, {}}, {1, 1, 1}, mesh, b.default_shape);
    b.add_shape_sphere(b.add_body({{0.07, 0.03, 2.24}, {}}, "on"), {}, 0.25, b.default_shape);
    b.add_shape_sphere(b.add_body({{-0.5, 0.03, 1.2}, {}}, "sunk"), {}, 0.1, b.default_shape);
    b.add_shape_sphere(b.add_body({{1.5, 0, 2}, {}}, "beside"), {}, 0.1, b.default_shape);
    Diagnostics out;
    const auto  m = b.finalize({}, out);
    REQUIRE(m.has_value());
    CHECK(out.empty());
    collision::CollisionPipeline pipeline(*m);
    auto                         c = pipeline.make_contacts();
    pipeline.collide(model::make_state(*m), 0, c);
    REQUIRE(c.rigid_contact_count == 2);
    CHECK(c.rigid_contact_shape0[0] == field);  // the field comes first
    CHECK(static_cast<double>(c.rigid_contact_distance[0]) == close_to(-0.01, 1e-5));
    CHECK(static_cast<double>(c.rigid_contact_distance[1]) == close_to(-0.9, 1e-5));
}

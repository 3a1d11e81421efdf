#include <algorithm>

#include "field_scene.h"
#include "mechane/model/types.h"

using namespace mechane;
using namespace mechane::test;
using model::GeoType;

namespace {

std::int32_t pairs_of(const model::ModelBuilder& b) { return press(frozen_scene(b)).status.candidate_pairs; }

}  // namespace

TEST_CASE("types of shapes have the numbers of the table, and no part of a mesh is a type (COL-001)")
{
    const std::pair<GeoType, int> table[] = {
        {GeoType::none, 0},    {GeoType::plane, 1},     {GeoType::heightfield, 2},  {GeoType::sphere, 3},
        {GeoType::capsule, 4}, {GeoType::ellipsoid, 5}, {GeoType::cylinder, 6},     {GeoType::box, 7},
        {GeoType::mesh, 8},    {GeoType::cone, 9},      {GeoType::convex_mesh, 10}, {GeoType::gaussian, 11}};
    for (const auto& [type, value] : table) CHECK(static_cast<int>(type) == value);
    // A model of every kind that can be made, in contact so that triangles were in use.
    model::ModelBuilder b;
    const auto          mesh = std::make_shared<geometry::Mesh>(cube_mesh(0.5));
    auto                open = std::make_shared<geometry::Mesh>(*mesh);
    open->is_convex          = false;
    const auto body          = [&] { return b.add_body({}, "body"); };
    b.add_ground_plane();
    b.add_shape_heightfield({}, {1, 1, 1}, std::make_shared<geometry::Mesh>(tiled_plane(4, 1)), b.default_shape);
    b.add_shape_sphere(body(), {}, 0.5, b.default_shape);
    b.add_shape_capsule(body(), {}, 0.5, 0.5, b.default_shape);
    b.add_shape_ellipsoid(body(), {}, {0.5, 0.4, 0.3}, b.default_shape);
    b.add_shape_cylinder(body(), {}, 0.5, 0.5, b.default_shape);
    b.add_shape_box(body(), {}, {0.5, 0.5, 0.5}, b.default_shape);
    b.add_shape_mesh(body(), {}, {1, 1, 1}, open, b.default_shape);
    b.add_shape_cone(body(), {}, 0.5, 0.5, b.default_shape);
    b.add_shape_mesh(body(), {}, {1, 1, 1}, mesh, b.default_shape);
    const auto m = frozen_scene(b);
    CHECK(press(m).contacts.rigid_contact_count > 0);
    for (std::size_t i = 0; i < m.shape_count(); ++i)
        CHECK(static_cast<int>(m.shape_type[i]) == static_cast<int>(i) + 1);
}

TEST_CASE("a shape stands at the pose of its body times its own, and without a body at its own (COL-002)")
{
    for_seeds(50, [](Random& r) {
        const Posed         X_WB{r.vec(2), r.rotation()}, X_BS{r.vec(0.5), r.rotation()};
        const Vec3d         tip{0, 0, 0.4};  // of the capsule's core
        const Vec3d         there = X_WB * (X_BS * tip);
        model::ModelBuilder b;
        b.add_shape_capsule(b.add_body(X_WB, "body"), X_BS, 0.1, 0.4, b.default_shape);
        // A static ball just beyond the end of the capsule, along its axis.
        const Vec3d along = rotate((X_WB * X_BS).q, Vec3d{0, 0, 1});
        b.add_shape_sphere(-1, {there + 0.25 * along, r.rotation()}, 0.1, b.default_shape);
        const auto c = press(frozen_scene(b)).contacts;
        REQUIRE(c.rigid_contact_count == 1);
        CHECK(c.rigid_contact_shape0[0] == 1);                                                        // the ball
        CHECK(distance(static_cast<Vec3d>(c.rigid_contact_point0[0]), there + 0.25 * along) < 4e-6);  // in the world
        CHECK(distance(static_cast<Vec3d>(c.rigid_contact_point1[0]), X_BS * tip) < 4e-6);            // in the body
        CHECK(static_cast<double>(c.rigid_contact_distance[0]) == close_to(0.05, 4e-6));
    });
}

TEST_CASE("the axis of round shapes is z, and a cone's apex is up (COL-003)")
{
    for (const ShapeKind kind : {ShapeKind::capsule, ShapeKind::cylinder, ShapeKind::cone}) {
        const Shape s = shape(kind, {0.2, 0.7, 0});
        CHECK(support(s, {0, 0, 1}).z == 0.7);
        CHECK(support(s, {0, 0, -1}).z == -0.7);
        const double radius = kind == ShapeKind::capsule ? 0 : 0.2;  // of the core
        CHECK(support(s, {1, 0, -1e-3}).x == close_to(radius, 1e-12));
        CHECK(support(s, {0, 1, -1e-3}).y == close_to(radius, 1e-12));
    }
    const Shape cone = shape(ShapeKind::cone, {0.2, 0.7, 0});
    CHECK(support(cone, {0.1, 0.1, 1}) == Vec3d{0, 0, 0.7});
    CHECK(support(cone, {1, 0, 0}).z == -0.7);
}

TEST_CASE("a corner of a box does not depend on the rounding noise of a direction (COL-007)")
{
    const Shape box = shape(ShapeKind::box, {1, 2, 3});
    for (const double scale : {1e-8, 1.0, 1e8}) {
        CHECK(support(box, scale * Vec3d{1, -0.99e-10, 0}) == Vec3d{1, 2, 3});
        CHECK(support(box, scale * Vec3d{-0.99e-10, -1, -0.5}) == Vec3d{1, -2, -3});
        CHECK(support(box, scale * Vec3d{1, -1.01e-10, -2e-10}) == Vec3d{1, -2, -3});
    }
}

TEST_CASE("boxes grow by margin and gap, no more and no less (COL-012)")
{
    // Everything is a sum of powers of two, so the sums are exact and touching is decided exactly.
    struct {
        double margin_a, gap_a, margin_b, gap_b;
    } const table[] = {
        {0, 0, 0, 0}, {0.125, 0, 0, 0}, {0, 0.25, 0, 0.125}, {0.0625, 0.25, 0.03125, 0.5}, {-0.125, 0.25, 0, 0}};
    for (const auto& row : table)
        for (const double beyond : {0.0, 0x1p-20}) {
            CAPTURE(row.gap_a);
            CAPTURE(beyond);
            model::ModelBuilder b;
            model::ShapeConfig  a, k;
            a.margin = row.margin_a, a.gap = row.gap_a, k.margin = row.margin_b, k.gap = row.gap_b;
            const double grown = row.margin_a + row.gap_a + row.margin_b + row.gap_b;
            b.add_shape_sphere(b.add_body({}, "a"), {}, 0.5, a);
            b.add_shape_sphere(b.add_body({{1 + grown + beyond, 0, 0}, {}}, "b"), {}, 0.5, k);
            CHECK(pairs_of(b) == (beyond > 0 ? 0 : 1));
        }
}

TEST_CASE("a negative gap is warned of, and overlapping shapes stay a candidate pair (COL-026)")
{
    model::ModelBuilder b;
    model::ShapeConfig  c;
    c.gap = -3;
    b.add_shape_sphere(b.add_body({}, "a"), {}, 0.5, c);
    b.add_shape_sphere(b.add_body({{0.9, 0, 0}, {}}, "b"), {}, 0.5, c);
    Diagnostics found;
    REQUIRE(b.finalize({}, found).has_value());
    CHECK(found.count("MODEL_NEG_GAP") == 2);
    CHECK(pairs_of(b) == 1);
}

TEST_CASE("surfaces that touch make a contact without any gap (COL-027)")
{
    model::ModelBuilder b;
    model::ShapeConfig  c;
    c.gap = 0.0;
    b.add_shape_sphere(b.add_body({}, "a"), {}, 0.5, c);
    b.add_shape_sphere(b.add_body({{1, 0, 0}, {}}, "b"), {}, 0.5, c);
    const auto r = press(frozen_scene(b)).contacts;
    REQUIRE(r.rigid_contact_count == 1);
    CHECK(r.rigid_contact_distance[0] == 0);
}

TEST_CASE("shape 0 is the one of the lower kind, a mesh always, and of equals the lower index (COL-076)")
{
    auto open       = std::make_shared<geometry::Mesh>(cube_mesh(0.5));
    open->is_convex = false;
    const auto hull = std::make_shared<geometry::Mesh>(cube_mesh(0.5));
    using Add       = std::function<void(model::ModelBuilder&, double)>;
    const auto body = [](model::ModelBuilder& b, double x) { return b.add_body({{x, 0, 0.45}, {}}, "body"); };
    // In the order of the types, the mesh moved to the front.
    const std::vector<std::pair<const char*, Add>> kinds = {
        {"mesh", [&](auto& b, double x) { b.add_shape_mesh(body(b, x), {}, {1, 1, 1}, open, b.default_shape); }},
        {"plane", [&](auto& b, double) { b.add_ground_plane(); }},
        {"sphere", [&](auto& b, double x) { b.add_shape_sphere(body(b, x), {}, 0.5, b.default_shape); }},
        {"capsule", [&](auto& b, double x) { b.add_shape_capsule(body(b, x), {}, 0.5, 0.5, b.default_shape); }},
        {"ellipsoid",
         [&](auto& b, double x) { b.add_shape_ellipsoid(body(b, x), {}, {0.5, 0.5, 0.5}, b.default_shape); }},
        {"cylinder", [&](auto& b, double x) { b.add_shape_cylinder(body(b, x), {}, 0.5, 0.5, b.default_shape); }},
        {"box", [&](auto& b, double x) { b.add_shape_box(body(b, x), {}, {0.5, 0.5, 0.5}, b.default_shape); }},
        {"cone", [&](auto& b, double x) { b.add_shape_cone(body(b, x), {}, 0.5, 0.5, b.default_shape); }},
        {"hull", [&](auto& b, double x) { b.add_shape_mesh(body(b, x), {}, {1, 1, 1}, hull, b.default_shape); }}};
    for (std::size_t i = 0; i < kinds.size(); ++i)
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            if (i == 1 && k == 1) continue;  // two planes never meet
            CAPTURE(std::string(kinds[i].first));
            CAPTURE(std::string(kinds[k].first));
            model::ModelBuilder b;
            kinds[i].second(b, 0);
            kinds[k].second(b, 0.9);
            const auto c = press(frozen_scene(b)).contacts;
            REQUIRE(c.rigid_contact_count > 0);
            CHECK(c.rigid_contact_shape0[0] == (i <= k ? 0 : 1));
            CHECK(c.rigid_contact_shape1[0] == (i <= k ? 1 : 0));
            if (i == 0 && k == 1) CHECK(c.rigid_contact_normal[0].z == -1);  // from the mesh down into the plane
        }
}

TEST_CASE("a shape by itself and in a pipeline has the same contacts (COL-083)")
{
    for_seeds(300, [](Random& r) {
        const auto random_shape = [&] {
            const ShapeKind kinds[] = {ShapeKind::sphere,   ShapeKind::capsule, ShapeKind::ellipsoid,
                                       ShapeKind::cylinder, ShapeKind::box,     ShapeKind::cone};
            return shape(kinds[r.below(6)], {r.uniform(0.2, 0.5), r.uniform(0.2, 0.5), r.uniform(0.2, 0.5)},
                         static_cast<Vec3d>(static_cast<Vec3>(r.vec(0.5))), r.rotation());
        };
        Shape               a = random_shape(), k = random_shape();
        model::ModelBuilder b;
        for (Shape* s : {&a, &k}) {
            // The model keeps its numbers in Real: the shape alone is given the same ones.
            const Quatd q = normalized(static_cast<Quatd>(static_cast<Quat>(r.rotation())));
            s->R          = to_matrix(q);
            for (std::size_t i = 0; i < 3; ++i) s->size[i] = static_cast<double>(static_cast<Real>(s->size[i]));
            const auto body = b.add_body({s->p, q}, "body");
            auto       c    = b.default_shape;
            c.gap           = 0.05;
            if (s->kind == ShapeKind::sphere) b.add_shape_sphere(body, {}, s->size.x, c);
            if (s->kind == ShapeKind::capsule) b.add_shape_capsule(body, {}, s->size.x, s->size.y, c);
            if (s->kind == ShapeKind::ellipsoid) b.add_shape_ellipsoid(body, {}, s->size, c);
            if (s->kind == ShapeKind::cylinder) b.add_shape_cylinder(body, {}, s->size.x, s->size.y, c);
            if (s->kind == ShapeKind::box) b.add_shape_box(body, {}, s->size, c);
            if (s->kind == ShapeKind::cone) b.add_shape_cone(body, {}, s->size.x, s->size.y, c);
        }
        const Manifold alone = contacts(a, k, static_cast<double>(2 * static_cast<Real>(0.05)));
        const auto     m     = frozen_scene(b);
        const auto     r_    = press(m).contacts;
        REQUIRE(r_.rigid_contact_count == alone.count);
        std::vector<double> here, there;
        for (int i = 0; i < alone.count; ++i) {
            here.push_back(alone.points[static_cast<std::size_t>(i)].distance);
            there.push_back(static_cast<double>(r_.rigid_contact_distance[static_cast<std::size_t>(i)]));
        }
        std::sort(here.begin(), here.end());
        std::sort(there.begin(), there.end());
        // Quaternions are rounded once more on their way; 1e-6 of a metre-sized shape.
        for (std::size_t i = 0; i < here.size(); ++i) CHECK(there[i] == close_to(here[i], 2e-6));
    });
}

TEST_CASE("a mesh on a plane touches with vertices within reach, along the plane's normal (COL-103)")
{
    for_seeds(40, [](Random& r) {
        geometry::Mesh ring = tiled_plane(6, 0.5);
        for (Vec3d& p : ring.points) p += r.vec(0.08);
        model::ModelBuilder b;
        b.rigid_gap   = 0.02;
        const Posed X = {{r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(-0.1, 0.3)}, r.rotation()};
        b.add_shape_mesh(b.add_body(X, "sheet"), {}, {1, 1, 1}, std::make_shared<geometry::Mesh>(ring),
                         b.default_shape);
        b.add_ground_plane();
        const auto m      = frozen_scene(b);
        const auto c      = press(m).contacts;
        double     lowest = kInfinity;
        for (const Vec3d& p : ring.points) lowest = std::min(lowest, (X * p).z);
        CHECK((c.rigid_contact_count > 0) == (lowest <= 0.04));
        for (std::size_t i = 0; i < static_cast<std::size_t>(c.rigid_contact_count); ++i) {
            CHECK(c.rigid_contact_shape0[i] == 0);
            CHECK(distance(static_cast<Vec3d>(c.rigid_contact_normal[i]), Vec3d{0, 0, -1}) < 1e-6);
            CHECK(static_cast<double>(c.rigid_contact_distance[i]) <= 0.04 + 1e-6);
            const Vec3d at   = static_cast<Vec3d>(c.rigid_contact_point0[i]);
            double      near = kInfinity;
            for (const Vec3d& p : ring.points) near = std::min(near, distance(p, at));
            CHECK(near < 1e-6);
        }
    });
}

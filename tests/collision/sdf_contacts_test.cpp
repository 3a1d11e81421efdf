#include "field_scene.h"
#include "mechane/collision/queries.h"
#include "mechane/collision/sdf_shape.h"
#include "mechane/tasks/parallel.h"

using namespace mechane;
using namespace mechane::test;
using collision::CollisionPipeline;

namespace {

/// A ring about z in `rings` x `sides` squares, wound outwards: hollow, so that no hull stands in for it.
geometry::Mesh ring(double major, double minor, int rings, int sides)
{
    geometry::Mesh m;
    for (int i = 0; i < rings; ++i)
        for (int k = 0; k < sides; ++k) {
            const double a = 2 * kPi * i / rings, b = 2 * kPi * k / sides, r = major + minor * std::cos(b);
            m.points.push_back({r * std::cos(a), r * std::sin(a), minor * std::sin(b)});
        }
    for (int i = 0; i < rings; ++i)
        for (int k = 0; k < sides; ++k) {
            const auto at = [&](int x, int y) { return (x % rings) * sides + y % sides; };
            m.triangles.push_back({at(i, k), at(i + 1, k), at(i + 1, k + 1)});
            m.triangles.push_back({at(i, k), at(i + 1, k + 1), at(i, k + 1)});
        }
    return m;
}

model::Model two_meshes(const geometry::Mesh& mesh, const Posed& X_b, const model::ShapeConfig& c)
{
    model::ModelBuilder builder;
    const auto          shared = std::make_shared<geometry::Mesh>(mesh);
    builder.add_shape_mesh(builder.add_body({}, "a"), {}, {1, 1, 1}, shared, c);
    builder.add_shape_mesh(builder.add_body(X_b, "b"), {}, {1, 1, 1}, shared, c);
    return frozen_scene(builder);
}

geometry::Mesh hollow_cube()
{
    geometry::Mesh m = cube_mesh(0.5);
    m.is_convex      = false;
    return m;
}

}  // namespace

TEST_CASE("the search along an edge finds the least of a field within a quarter of a voxel (COL-107)")
{
    geometry::SdfOptions o;
    o.max_resolution = 64, o.storage = geometry::SdfStorage::float32;
    const std::function<double(const Vec3d&)> table[] = {
        [](const Vec3d& p) { return length(p) - 0.4; },
        [](const Vec3d& p) { return std::hypot(std::hypot(p.x, p.y) - 0.3, p.z) - 0.12; },
        [](const Vec3d& p) {
            const Vec3d q = abs(p) - Vec3d{0.4, 0.3, 0.2};
            return length(max(q, Vec3d{})) + std::min(0.0, max_component(q));
        },
    };
    for (const auto& f : table) {
        const auto sdf = geometry::build_sdf({{-0.45, -0.45, -0.45}, {0.45, 0.45, 0.45}}, 3, f, o);
        REQUIRE(sdf.has_value());
        Random r(1);
        for (int i = 0; i < 2000; ++i) {
            // Short edges, as those of a mesh beside a field: several valleys on one of them are not looked for.
            const Vec3d from = r.vec(0.45), to = from + r.uniform(0.02, 0.2) * r.direction();
            double      least = kInfinity;
            for (int k = 0; k <= 400; ++k) least = std::min(least, f(from + k / 400.0 * (to - from)));
            if (std::abs(least) > 0.08) continue;  // the band
            const double t = collision::least_along(*sdf, from, to);
            CHECK(t >= 0);
            CHECK(t <= 1);
            CHECK(f(from + t * (to - from)) <= least + 0.25 * sdf->voxel());
        }
    }
}

TEST_CASE("two meshes with fields touch where their surfaces do, within the class of fields")
{
    // Rings in planes at right angles: b's centre circle passes a's at a distance known in closed form.
    const double voxel = 0.03, major = 0.6, minor = 0.2;
    const auto   mesh = ring(major, minor, 32, 24);
    for (const double overlap : {0.03, -0.02}) {
        CAPTURE(overlap);
        // b stands upright beyond a on x: the circles are nearest on the x axis, x = major and x = X - major.
        const Posed X{{2 * (major + minor) - overlap, 0, 0}, turn('x', 90)};
        auto        c = with_field(voxel, 0.06);
        c.gap         = 0.02;
        const auto m  = two_meshes(mesh, X, c);
        const auto r  = press(m);
        REQUIRE(r.contacts.rigid_contact_count > 0);
        CHECK(CollisionPipeline(m).sdf_count() == 1);  // one mesh, one size: one field
        double      deepest = kInfinity;
        std::size_t which   = 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(r.contacts.rigid_contact_count); ++i)
            if (static_cast<double>(r.contacts.rigid_contact_distance[i]) < deepest)
                deepest = static_cast<double>(r.contacts.rigid_contact_distance[i]), which = i;
        CHECK(std::abs(deepest + overlap) <= 0.25 * voxel);
        // Two degrees of the class, and half the angle between the facets of the rings, 15 degrees.
        CHECK(dot(static_cast<Vec3d>(r.contacts.rigid_contact_normal[which]), Vec3d{1, 0, 0}) >
              std::cos(9.5 * kDegrees));
    }
    // A ring that hangs in another: nothing touches, though the boxes are inside each other.
    auto c = with_field(voxel, 0.06);
    CHECK(press(two_meshes(mesh, {{major, 0, 0}, turn('x', 90)}, c)).contacts.rigid_contact_count == 0);
}

TEST_CASE("stacked cubes with fields stand on their faces and push in no other direction")
{
    auto c         = with_field(0.004, 0.03);
    c.gap          = 0.001;
    const auto m   = two_meshes(hollow_cube(), {{0, 0, 0.99}, {}}, c);
    const auto r   = press(m);
    double     low = 1, high = -1;
    REQUIRE(r.contacts.rigid_contact_count >= 4);
    for (std::size_t i = 0; i < static_cast<std::size_t>(r.contacts.rigid_contact_count); ++i) {
        CHECK(static_cast<double>(r.contacts.rigid_contact_distance[i]) == close_to(-0.01, 0.25 * 0.004));
        CHECK(static_cast<double>(r.contacts.rigid_contact_normal[i].z) > std::cos(0.5 * kDegrees));
        const Vec3d p = static_cast<Vec3d>(r.contacts.rigid_contact_point0[i]);
        low = std::min(low, p.x + p.y), high = std::max(high, p.x + p.y);
    }
    // Samples of a face keep its depth and some voxels away from the rim, towards the middle of their triangle.
    CHECK(high - low >= 0.92 * 2);
}

TEST_CASE("a field is no worse for being turned: contacts move with the pair")
{
    const auto mesh = ring(0.6, 0.2, 32, 16);
    auto       c    = with_field(0.04, 0.06);
    c.gap           = 0.01;
    const Posed X{{1.57, 0.02, 0.01}, turn('x', 90)};
    const auto  here = press(two_meshes(mesh, X, c));
    for_seeds(3, [&](Random& r) {
        const Posed         Y{r.vec(3), r.rotation()};
        model::ModelBuilder b;
        const auto          shared = std::make_shared<geometry::Mesh>(mesh);
        b.add_shape_mesh(b.add_body(Y, "a"), {}, {1, 1, 1}, shared, c);
        b.add_shape_mesh(b.add_body(Y * X, "b"), {}, {1, 1, 1}, shared, c);
        const auto there = press(frozen_scene(b));
        REQUIRE(there.contacts.rigid_contact_count == here.contacts.rigid_contact_count);
        for (std::size_t i = 0; i < static_cast<std::size_t>(here.contacts.rigid_contact_count); ++i)
            CHECK(distance(there.contacts.rigid_contact_point0[i], here.contacts.rigid_contact_point0[i]) < 1e-4);
    });
}

TEST_CASE("with fields off the same meshes still touch, and a reduced pair has at most 240 contacts (COL-118, COL-121)")
{
    const auto mesh = ring(1, 0.2, 48, 24);
    auto       c    = with_field(0.05, 0.08);
    c.gap           = 0.05;
    // One ring lying in the other, a little turned: contact all around.
    const auto m       = two_meshes(mesh, {{0, 0, 0.39}, {}}, c);
    const auto reduced = press(m);
    const auto all     = press(m, {.reduce_contacts = false});
    CHECK(reduced.contacts.rigid_contact_count <= 240);
    CHECK(reduced.contacts.rigid_contact_count > 20);
    // Every corner within reach is a candidate, and so a contact when nothing is reduced.
    const auto state   = model::make_state(m);
    int        corners = 0;
    for (const Vec3d& p : mesh.points)
        if (std::hypot(std::hypot(p.x, p.y) - 1, p.z - 0.39) - 0.2 < 0.1 - 0.01) ++corners;
    CHECK(all.contacts.rigid_contact_count > 2 * corners);
    const auto deepest = [](const Pressed& r) {
        return *std::min_element(r.contacts.rigid_contact_distance.begin(),
                                 r.contacts.rigid_contact_distance.begin() + r.contacts.rigid_contact_count);
    };
    CHECK(deepest(reduced) == deepest(all));
    c.sdf.reset();
    c.gap = 0.01;
    CHECK(press(two_meshes(hollow_cube(), {{0, 0, 0.99}, {}}, c)).contacts.rigid_contact_count >= 4);
}

TEST_CASE("two meshes of many edges without fields are told to be slow, with their number of edges")
{
    // A torus of n x m squares has n m points, 2 n m triangles, and so 3 n m edges: 12 288, and 9 408.
    model::ShapeConfig plain;
    const auto         slow = two_meshes(ring(1, 0.2, 64, 64), {{5, 0, 0}, {}}, plain);
    CollisionPipeline  pipeline(slow);
    REQUIRE(pipeline.diagnostics().count("COL_MESH_PAIR_SLOW") == 2);
    CHECK(pipeline.diagnostics().find("COL_MESH_PAIR_SLOW")->message.find("12288") != std::string::npos);
    const model::Model alone = two_meshes(ring(1, 0.2, 56, 56), {{5, 0, 0}, {}}, plain);
    CHECK(CollisionPipeline(alone).diagnostics().size() == 0);
}

TEST_CASE("what a field cannot be built for is said, and the shape makes point contacts")
{
    auto c                    = with_field(0.02, 0.1);
    c.sdf->sdf_max_resolution = 60;
    c.sdf->sdf_target_voxel_size.reset();
    const auto        m = two_meshes(hollow_cube(), {{0, 0, 0.99}, {}}, c);
    CollisionPipeline pipeline(m);
    REQUIRE(pipeline.diagnostics().count("GEOMETRY_SDF_OPTIONS") > 0);
    CHECK(pipeline.sdf_count() == 0);
    CHECK(press(m).contacts.rigid_contact_count >= 4);
}

TEST_CASE("pipelines with fields give the same bytes for any number of threads (COL-066)")
{
    model::ModelBuilder b;
    const auto          mesh = std::make_shared<geometry::Mesh>(ring(0.3, 0.08, 24, 12));
    auto                c    = with_field(0.02, 0.05);
    c.gap                    = 0.02;
    auto soft                = c;
    soft.is_hydroelastic     = true;
    Random r(4);
    for (int i = 0; i < 24; ++i)
        b.add_shape_mesh(b.add_body({r.vec(0.5), r.rotation()}, "ring"), {}, {1, 1, 1}, mesh, i % 2 ? c : soft);
    const auto                       m = frozen_scene(b);
    std::vector<std::vector<double>> runs;
    for (const int threads : {1, 2, 8}) {
        const tasks::Pool pool(threads);
        const auto        p = press(m, {.pool = &pool});
        REQUIRE(p.contacts.rigid_contact_count > 50);
        std::vector<double> numbers;
        for (std::size_t i = 0; i < static_cast<std::size_t>(p.contacts.rigid_contact_count); ++i) {
            numbers.push_back(static_cast<double>(p.contacts.rigid_contact_feature[i]));
            numbers.push_back(static_cast<double>(p.contacts.rigid_contact_distance[i]));
            numbers.push_back(static_cast<double>(p.contacts.rigid_contact_stiffness[i]));
            numbers.push_back(static_cast<double>(p.contacts.rigid_contact_point0[i].x));
            numbers.push_back(static_cast<double>(p.contacts.rigid_contact_normal[i].y));
        }
        runs.push_back(numbers);
    }
    CHECK(runs[1] == runs[0]);
    CHECK(runs[2] == runs[0]);
}

TEST_CASE(
    "a mesh may bring its field; what is said of how to build one is then refused, and the field is kept (GAP-040)")
{
    // The field that is brought is that of a cube thicker by 0.1 on each side, so the two tell apart which one counts:
    // cubes of 1 m whose centres are 0.99 m apart overlap by 0.01, and by 0.11 in that field.
    geometry::SdfOptions o;
    o.max_resolution = 64, o.padding = 0.2, o.storage = geometry::SdfStorage::float32;
    const auto field = geometry::build_sdf(
        {{-0.6, -0.6, -0.6}, {0.6, 0.6, 0.6}}, 9,
        [](const Vec3d& p) {
            const Vec3d q = abs(p) - Vec3d{0.6, 0.6, 0.6};
            return length(max(q, Vec3d{})) + std::min(0.0, max_component(q));
        },
        o);
    REQUIRE(field.has_value());
    model::ShapeConfig c = with_field(0.02, 0.1);
    const Posed        apart{{0, 0, 0.99}, {}};
    const auto         deepest = [](const Pressed& pressed) {
        double least = kInfinity;
        for (std::int32_t i = 0; i < pressed.contacts.rigid_contact_count; ++i)
            least = std::min(least,
                             static_cast<double>(pressed.contacts.rigid_contact_distance[static_cast<std::size_t>(i)]));
        return least;
    };
    // A field is exact to a voxel: 0.02 as built here, 1.6 / 64 as brought.
    CHECK(std::abs(deepest(press(two_meshes(hollow_cube(), apart, c))) + 0.01) < 0.02);

    c.sdf->field = std::make_shared<geometry::Sdf>(*field);
    model::ModelBuilder builder;
    const auto          mesh = std::make_shared<geometry::Mesh>(hollow_cube());
    builder.add_shape_mesh(builder.add_body({}, "a"), {}, {1, 1, 1}, mesh, c);
    builder.add_shape_mesh(builder.add_body(apart, "b"), {}, {1, 1, 1}, mesh, c);
    Diagnostics found;
    const auto  m = builder.finalize({}, found);
    REQUIRE(m.has_value());
    CHECK(found.count("MODEL_SDF_CARRIED") == 2);  // with_field says voxel and padding
    CHECK(std::abs(deepest(press(*m)) + 0.11) < 0.025);

    // A scale makes the field another one: it is built anew, from the mesh.
    model::ModelBuilder scaled;
    scaled.add_shape_mesh(scaled.add_body({}, "a"), {}, {2, 2, 2}, mesh, c);
    scaled.add_shape_mesh(scaled.add_body({{0, 0, 1.98}, {}}, "b"), {}, {2, 2, 2}, mesh, c);
    Diagnostics ignored;
    CHECK(std::abs(deepest(press(*scaled.finalize({}, ignored))) + 0.02) < 0.04);
}

#include <algorithm>
#include <map>
#include <tuple>

#include "mechane/collision/pipeline.h"
#include "mechane/geometry/heightfield.h"
#include "mechane/model/builder.h"
#include "models.h"
#include "unseen.h"

/// What must stay as it is while something else changes: the gap, the order of shapes, a turn about the normal.
using namespace mechane;
using namespace mechane::test;
using collision::CollisionPipeline;

namespace {

model::Contacts contacts_of(const model::Model& m, const collision::PipelineOptions& options = {})
{
    CollisionPipeline pipeline(m, options);
    auto              contacts = pipeline.make_contacts();
    pipeline.collide(model::make_state(m), 0, contacts);
    return contacts;
}

/// Mixed shapes of random sizes, close together; `order` says in which order they are added. Labels name them.
model::ModelBuilder heap(const std::vector<int>& order, std::uint64_t seed = 0)
{
    model::ModelBuilder b;
    b.rigid_gap = 0.01;
    for (const int i : order) {
        Random      r(1000 * seed + static_cast<std::uint64_t>(i) + 1);
        const Posed X{r.vec(0.5), r.rotation()};
        const auto  label = std::to_string(i);
        const auto  body  = b.add_body(X, label);
        const auto  size  = [&] { return r.uniform(0.08, 0.2); };
        const auto& c     = b.default_shape;
        switch (i % 8) {
            case 0:
                b.add_shape_sphere(body, {}, size(), c, label);
                break;
            case 1:
                b.add_shape_capsule(body, {}, size(), size(), c, label);
                break;
            case 2:
                b.add_shape_box(body, {}, {size(), size(), size()}, c, label);
                break;
            case 3:
                b.add_shape_cylinder(body, {}, size(), size(), c, label);
                break;
            case 4:
                b.add_shape_cone(body, {}, size(), size(), c, label);
                break;
            case 5:
                b.add_shape_ellipsoid(body, {}, {size(), size(), size()}, c, label);
                break;
            default: {
                auto hull = geometry::build_hull(unseen_cloud(r));
                REQUIRE(hull.has_value());
                b.add_shape({.label  = label,
                             .type   = i % 8 == 6 ? model::GeoType::convex_mesh : model::GeoType::mesh,
                             .body   = body,
                             .scale  = {size(), size(), size()},
                             .source = std::make_shared<geometry::Mesh>(*std::move(hull)),
                             .config = c});
                break;
            }
        }
    }
    return b;
}
std::vector<int> counting(int n)
{
    std::vector<int> order;
    for (int i = 0; i < n; ++i) order.push_back(i);
    return order;
}

/// Area of the hull of points in the plane z = 0 (Andrew's chain).
double spanned_area(std::vector<Vec3d> p)
{
    std::sort(p.begin(), p.end(),
              [](const Vec3d& a, const Vec3d& b) { return std::tie(a.x, a.y) < std::tie(b.x, b.y); });
    const auto turn = [](const Vec3d& a, const Vec3d& b, const Vec3d& c) {
        return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    };
    double area = 0;
    for (const bool lower : {true, false}) {
        std::vector<Vec3d> chain;
        for (const Vec3d& q : p) {
            while (chain.size() > 1 && turn(chain[chain.size() - 2], chain.back(), q) <= 0) chain.pop_back();
            chain.push_back(q);
        }
        for (std::size_t i = 0; i + 1 < chain.size(); ++i)
            area += 0.5 * (chain[i].x * chain[i + 1].y - chain[i + 1].x * chain[i].y);
        if (lower) std::reverse(p.begin(), p.end());
    }
    return area;
}

}  // namespace

TEST_CASE("a wider gap leaves every contact that there was as it was, to the last bit (COL-024)")
{
    model::Model m    = frozen(heap(counting(120)));
    const auto   with = [&](double gap) {
        std::fill(m.shape_gap.begin(), m.shape_gap.end(), static_cast<Real>(gap));
        return contacts_of(m);
    };
    using Key         = std::tuple<std::int32_t, std::int32_t, std::uint64_t>;
    const auto narrow = with(0.001), wide = with(0.05);
    CHECK(wide.rigid_contact_count > narrow.rigid_contact_count);
    std::map<Key, std::size_t> rows;
    for (std::size_t i = 0; i < static_cast<std::size_t>(wide.rigid_contact_count); ++i)
        rows[{wide.rigid_contact_shape0[i], wide.rigid_contact_shape1[i], wide.rigid_contact_feature[i]}] = i;
    int compared = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(narrow.rigid_contact_count); ++i) {
        const auto found = rows.find(
            {narrow.rigid_contact_shape0[i], narrow.rigid_contact_shape1[i], narrow.rigid_contact_feature[i]});
        CAPTURE(narrow.rigid_contact_shape0[i]);
        CAPTURE(narrow.rigid_contact_shape1[i]);
        CHECK(found != rows.end());
        if (found == rows.end()) continue;
        const std::size_t k = found->second;
        CHECK(wide.rigid_contact_distance[k] == narrow.rigid_contact_distance[i]);
        CHECK(wide.rigid_contact_normal[k] == narrow.rigid_contact_normal[i]);
        CHECK(wide.rigid_contact_point0[k] == narrow.rigid_contact_point0[i]);
        CHECK(wide.rigid_contact_point1[k] == narrow.rigid_contact_point1[i]);
        ++compared;
    }
    CHECK(compared > 100);
}

TEST_CASE("the order in which shapes are added changes nothing between two kinds but their numbers (COL-079)")
{
    const std::vector<int> order = counting(120);
    using Row                    = std::tuple<std::string, std::string, std::uint64_t, Real, Real, Real>;
    const auto named             = [](const model::Model& m) {
        const auto       c = contacts_of(m);
        std::vector<Row> rows;
        for (std::size_t i = 0; i < static_cast<std::size_t>(c.rigid_contact_count); ++i) {
            const auto a = static_cast<std::size_t>(c.rigid_contact_shape0[i]),
                       b = static_cast<std::size_t>(c.rigid_contact_shape1[i]);
            if (m.shape_type[a] == m.shape_type[b]) continue;  // of equal kinds the first is the one added first
            rows.emplace_back(m.shape_label[a], m.shape_label[b], c.rigid_contact_feature[i],
                              c.rigid_contact_distance[i], c.rigid_contact_normal[i].x, c.rigid_contact_point0[i].y);
        }
        std::sort(rows.begin(), rows.end());
        return rows;
    };
    for_seeds(8, [&](Random& r) {
        const std::uint64_t seed  = r.next();
        std::vector<int>    mixed = order;
        for (std::size_t i = mixed.size() - 1; i > 0; --i)
            std::swap(mixed[i], mixed[r.below(static_cast<std::uint32_t>(i + 1))]);
        const auto rows = named(frozen(heap(order, seed)));
        CHECK(rows.size() > 200);
        CHECK(rows == named(frozen(heap(mixed, seed))));
    });
}

TEST_CASE("a box that turns about the normal is held over its whole face at every tenth of a degree (COL-097)")
{
    // On whatever is larger than the face: the contact polygon is the face, 0.4 m x 0.3 m.
    static const collision::MeshShape tiles = collision::make_mesh_shape(tiled_plane(20, 1), {1, 1, 1}, false);
    const std::vector<double>         flat(121, 0.0);
    const auto                        grid =
        geometry::heightfield_mesh({.rows = 11, .columns = 11, .half_x = 1, .half_y = 1, .elevations = flat});
    REQUIRE(grid.has_value());
    static const collision::MeshShape   field     = collision::make_mesh_shape(*grid, {1, 1, 1}, false, 1);
    Shape                               hull      = hull_shape(cube_hull(), {0, 0, -0.5});
    const std::pair<const char*, Shape> grounds[] = {{"plane", shape(ShapeKind::plane, {})},
                                                     {"rectangle", shape(ShapeKind::rectangle, {1, 1, 0})},
                                                     {"box", shape(ShapeKind::box, {1, 1, 0.5}, {0, 0, -0.5})},
                                                     {"hull", hull},
                                                     {"tiles", mesh_shape(tiles)},
                                                     {"field", mesh_shape(field)}};
    for (const auto& [name, ground] : grounds) {
        CAPTURE(name);
        double least = kInfinity;
        for (int i = 0; i < 3600; ++i) {
            const Shape box = shape(ShapeKind::box, {0.2, 0.15, 0.1}, {0.013, 0.021, 0.0995}, turn('z', 0.1 * i));
            const auto  m   = contacts(ground, box, 0.01);
            std::vector<Vec3d> points;
            for (int k = 0; k < m.count; ++k) points.push_back(m.points[static_cast<std::size_t>(k)].p0);
            least = std::min(least, spanned_area(points));
        }
        CHECK(least > 0.9 * 0.4 * 0.3);
    }
}

TEST_CASE(
    "faces are held over nine tenths of what they share, up to five corners all but exactly, discs over 63 % (COL-095)")
{
    // Boxes turned about the normal share a polygon of three to eight corners, found here by cutting one rectangle with
    // the sides of the other. At most five points are kept (COL-096), and five cannot hold nine tenths of all larger
    // polygons: the area of what they span is linear in each of them, so the most is spanned by corners, and of a
    // regular polygon with n corners five at steps s1..s5 span the sum of sin(2 pi si / n) / (n sin(2 pi / n)) of it.
    // Equal steps are best: 5/6 for n = 6 (2, 1, 1, 1, 1), 0.780 for n = 8, 5 sin(2 pi / 5) / (2 pi) = 0.757 for a
    // disc, below which no convex figure needs to fall (Sas 1939). A choice step by step stays a little under it.
    double least[9] = {}, found[9] = {};
    std::fill(std::begin(least), std::end(least), 1.0);
    for_seeds(3000, [&](Random& r) {
        const Vec3d        ha{r.uniform(0.2, 1), r.uniform(0.2, 1), 0.5}, hb{r.uniform(0.2, 1), r.uniform(0.2, 1), 0.5};
        const double       angle = r.uniform(0, 360);
        const Vec3d        at{r.uniform(-1, 1), r.uniform(-1, 1), 0.995};
        std::vector<Vec3d> polygon;
        for (const auto& [x, y] : {std::pair{1, 1}, std::pair{-1, 1}, std::pair{-1, -1}, std::pair{1, -1}})
            polygon.push_back(Vec3d{at.x, at.y, 0} + rotate(turn('z', angle), {x * hb.x, y * hb.y, 0}));
        for (int side = 0; side < 4; ++side) {
            const std::size_t  axis = static_cast<std::size_t>(side) / 2;
            const double       sign = side % 2 == 0 ? 1 : -1;
            std::vector<Vec3d> cut;
            for (std::size_t i = 0; i < polygon.size(); ++i) {
                const Vec3d &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
                const double u = sign * p[axis] - ha[axis], v = sign * q[axis] - ha[axis];
                if (u <= 0) cut.push_back(p);
                if ((u <= 0) != (v <= 0)) cut.push_back(p + (u / (u - v)) * (q - p));
            }
            polygon = cut;
        }
        if (polygon.size() < 3 || spanned_area(polygon) < 0.01) return;
        const auto m = contacts(shape(ShapeKind::box, ha), shape(ShapeKind::box, hb, at, turn('z', angle)), 0.01);
        std::vector<Vec3d> points;
        for (int k = 0; k < m.count; ++k) points.push_back(m.points[static_cast<std::size_t>(k)].p0);
        for (Vec3d& p : points) p.z = 0;
        CHECK(m.count <= 5);
        const std::size_t corners = polygon.size();
        found[corners] += 1;
        least[corners] = std::min(least[corners], spanned_area(points) / spanned_area(polygon));
    });
    for (std::size_t corners = 3; corners <= 5; ++corners) {
        CHECK(found[corners] > 100);
        CHECK(least[corners] > 0.9);
    }
    CHECK(least[3] > 0.999);
    CHECK(least[4] > 0.998);
    for (std::size_t corners = 6; corners <= 8; ++corners) CHECK(least[corners] > 0.74);

    // A disc is held by a square at least: 2 / pi of it.
    const std::pair<const char*, Shape> grounds[] = {{"plane", shape(ShapeKind::plane, {})},
                                                     {"box", shape(ShapeKind::box, {1, 1, 0.5}, {0, 0, -0.5})},
                                                     {"hull", hull_shape(cube_hull(), {0, 0, -0.5})}};
    for (const auto& [name, ground] : grounds)
        for (const ShapeKind kind : {ShapeKind::cylinder, ShapeKind::cone})
            for (int i = 0; i < 90; ++i) {
                CAPTURE(name);
                CAPTURE(i);
                const Shape        round = shape(kind, {0.3, 0.2, 0}, {0.02, 0.01, 0.199}, turn('z', i));
                const auto         m     = contacts(ground, round, 0.01);
                std::vector<Vec3d> points;
                for (int k = 0; k < m.count; ++k) points.push_back(m.points[static_cast<std::size_t>(k)].p0);
                CHECK(spanned_area(points) >= 0.63 * kPi * 0.3 * 0.3);
            }
}

TEST_CASE("a finite plane ends at its rim, unless it is told to be as in Newton 1.8 (COL-088)")
{
    model::ModelBuilder b;
    b.rigid_gap = 0.1;
    b.add_shape_plane(-1, {}, 2, 2, b.default_shape);
    const auto ball = b.add_shape_sphere(b.add_body({{1.3, 0, 0.45}, {}}, "ball"), {}, 0.5, b.default_shape);
    const auto box  = b.add_shape_box(b.add_body({{1.2, 0, 0.49}, {}}, "box"), {}, {0.5, 0.5, 0.5}, b.default_shape);
    b.add_shape_collision_filter_pair(ball, box);
    const model::Model m = frozen(b);
    for (const bool compat : {false, true}) {
        CAPTURE(compat);
        const auto c = contacts_of(m, {.finite_plane_compat = compat});
        REQUIRE(c.rigid_contact_count == 5);
        int beyond = 0;
        for (std::size_t i = 0; i < 5; ++i) {
            const auto d = static_cast<double>(c.rigid_contact_distance[i]);
            if (c.rigid_contact_shape1[i] == ball)
                // B18: the rim at x = 1 is nearest, sqrt(0.3^2 + 0.45^2) - 0.5
                CHECK(d == close_to(compat ? -0.05 : std::sqrt(0.2925) - 0.5, 2e-6));
            else
                CHECK(d == close_to(-0.01, 1e-5));
            if (c.rigid_contact_shape1[i] == box && c.rigid_contact_point0[i].x > Real(1.0001)) ++beyond;
        }
        CHECK(beyond == (compat ? 2 : 0));  // B19: two corners are at x = 1.7
    }
}

TEST_CASE("margins of two boxes shift the distance of all four corners (COL-078 E10)")
{
    model::ModelBuilder b;
    model::ShapeConfig  c0 = b.default_shape, c1 = b.default_shape;
    c0.margin = 0.01, c1.margin = 0.02;
    b.add_shape_box(b.add_body({}, "lower"), {}, {0.5, 0.5, 0.5}, c0);
    b.add_shape_box(b.add_body({{0, 0, 1.02}, {}}, "upper"), {}, {0.5, 0.5, 0.5}, c1);
    const auto c = contacts_of(frozen(b));
    REQUIRE(c.rigid_contact_count == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(static_cast<double>(c.rigid_contact_distance[i]) == close_to(-0.01, 1e-5));  // 1.02 - 1 - 0.03
        CHECK(static_cast<double>(c.rigid_contact_normal[i].z) == close_to(1, 1e-6));
        CHECK(static_cast<double>(c.rigid_contact_margin0[i]) == close_to(0.01, 1e-7));
        CHECK(static_cast<double>(c.rigid_contact_margin1[i]) == close_to(0.02, 1e-7));
    }
}

TEST_CASE("the vertex found by lanes is the one that a plain loop finds, bit for bit")
{
    // Hulls of all remainders of the lanes; equal heights go to the first vertex either way.
    for_seeds(40, [](Random& r) {
        std::vector<Vec3d> points;
        const int          n = 4 + static_cast<int>(r.uniform(0, 30));
        for (int i = 0; i < n; ++i) points.push_back(r.direction());
        const auto mesh = geometry::build_hull(points);
        REQUIRE(mesh.has_value());
        const collision::HullShape hull = collision::make_hull_shape(*mesh, {1, 1, 1});
        const Shape                s    = hull_shape(hull);
        for (int k = 0; k < 500; ++k) {
            const Vec3d d =
                k % 5 == 0 ? hull.face_normals[static_cast<std::size_t>(k) % hull.face_normals.size()] : r.direction();
            Vec3d first = hull.vertices[0];
            for (const Vec3d& v : hull.vertices)
                if (v.x * d.x + v.y * d.y + v.z * d.z > first.x * d.x + first.y * d.y + first.z * d.z) first = v;
            CHECK(collision::support(s, d) == first);
        }
    });
}

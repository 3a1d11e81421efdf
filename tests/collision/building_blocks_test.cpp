#include <map>

#include "field_scene.h"
#include "mechane/collision/narrow_phase.h"
#include "mechane/collision/primitives.h"

using namespace mechane;
using namespace mechane::test;
using namespace mechane::collision;

namespace {

/// Rows of a primitive function against those of the narrow phase for the same two shapes.
template <std::size_t N>
void agree(const PrimitiveContacts<N>& found, const Shape& a, const Shape& b, double reach)
{
    Manifold manifold;
    collide(a, b, reach, manifold);
    REQUIRE(found.count() == static_cast<std::size_t>(manifold.count));
    // A frame about an axis is not unique: points on a rim may come in another order, but not the set of distances.
    std::vector<double> ours(found.distance.begin(), found.distance.begin() + manifold.count), theirs;
    for (int i = 0; i < manifold.count; ++i) theirs.push_back(manifold.points[static_cast<std::size_t>(i)].distance);
    std::sort(ours.begin(), ours.end());
    std::sort(theirs.begin(), theirs.end());
    for (std::size_t i = 0; i < ours.size(); ++i) CHECK(ours[i] == close_to(theirs[i], 1e-9));
    for (std::size_t i = 0; i < found.count(); ++i) {
        CHECK(length(found.normal[i]) == close_to(1, 1e-9));
        CHECK(found.distance[i] < kUnusedContact);
    }
    for (std::size_t i = found.count(); i < N; ++i) CHECK(found.distance[i] >= kUnusedContact);
}

BoxArgs     box_args(const Shape& s) { return {s.p, s.R, s.size}; }
CapsuleArgs round_args(const Shape& s) { return {s.p, s.R.column(2), s.size.x, s.size.y}; }
SphereArgs  sphere_args(const Shape& s) { return {s.p, s.size.x}; }

}  // namespace

TEST_CASE(
    "functions of simple shapes give what the narrow phase gives, and mark the slots they leave (COL-083, COL-084)")
{
    for_seeds(100, [](Random& r) {
        const auto  at = [&](ShapeKind kind, const Vec3d& size) { return shape(kind, size, r.vec(0.4), r.rotation()); };
        const auto  size  = [&] { return r.uniform(0.1, 0.5); };
        const Shape plane = at(ShapeKind::plane, {});
        const PlaneArgs p{plane.R.column(2), plane.p};
        const Shape     ball = at(ShapeKind::sphere, {size(), 0, 0}), ball2 = at(ShapeKind::sphere, {size(), 0, 0});
        const Shape     capsule  = at(ShapeKind::capsule, {size(), size(), 0}),
                        capsule2 = at(ShapeKind::capsule, {size(), size(), 0});
        const Shape     cylinder = at(ShapeKind::cylinder, {size(), size(), 0});
        const Shape     box      = at(ShapeKind::box, {size(), size(), size()}),
                        box2     = at(ShapeKind::box, {size(), size(), size()});
        const Shape     egg      = at(ShapeKind::ellipsoid, {size(), size(), size()});

        agree(collide_plane_sphere(p, sphere_args(ball)), plane, ball, kInfinity);
        agree(collide_plane_capsule(p, round_args(capsule)), plane, capsule, kInfinity);
        agree(collide_plane_ellipsoid(p, box_args(egg)), plane, egg, kInfinity);
        agree(collide_plane_box(p, box_args(box), 0.1), plane, box, 0.1);
        agree(collide_sphere_sphere(sphere_args(ball), sphere_args(ball2)), ball, ball2, kInfinity);
        agree(collide_sphere_capsule(sphere_args(ball), round_args(capsule)), ball, capsule, kInfinity);
        agree(collide_sphere_cylinder(sphere_args(ball), round_args(cylinder)), ball, cylinder, kInfinity);
        agree(collide_sphere_box(sphere_args(ball), box_args(box)), ball, box, kInfinity);
        agree(collide_capsule_capsule(round_args(capsule), round_args(capsule2)), capsule, capsule2, kInfinity);
        agree(collide_capsule_box(round_args(capsule), box_args(box)), capsule, box, kInfinity);
        agree(collide_box_box(box_args(box), box_args(box2), 0.05), box, box2, 0.05);
    });
}

TEST_CASE("an upright cylinder touches a plane with its rim, a lying one with its side (COL-083)")
{
    const PlaneArgs ground{{0, 0, 1}, {}};
    const auto      upright = collide_plane_cylinder(ground, {{0, 0, 0.5}, {0, 0, 1}, 0.3, 0.5});
    REQUIRE(upright.count() == 4);
    for (std::size_t i = 0; i < 4; ++i) CHECK(upright.distance[i] == close_to(0, 1e-12));
    const auto lying = collide_plane_cylinder(ground, {{0, 0, 0.29}, {1, 0, 0}, 0.3, 0.5});
    REQUIRE(lying.count() >= 2);
    double left = kUnusedContact, right = kUnusedContact;
    for (std::size_t i = 0; i < lying.count(); ++i) {
        if (lying.position[i].x < -0.49) left = std::min(left, lying.distance[i]);
        if (lying.position[i].x > 0.49) right = std::min(right, lying.distance[i]);
    }
    CHECK(left == close_to(-0.01, 1e-12));
    CHECK(right == close_to(-0.01, 1e-12));
}

TEST_CASE("shapes far from the origin keep their distance")
{
    const Vec3d far{1e6, -1e6, 1e6};
    const auto  near_by =
        collide_box_box({{}, Mat33d::identity(), {1, 1, 1}}, {{0, 0, 1.99}, Mat33d::identity(), {1, 1, 1}});
    const auto away =
        collide_box_box({far, Mat33d::identity(), {1, 1, 1}}, {far + Vec3d{0, 0, 1.99}, Mat33d::identity(), {1, 1, 1}});
    REQUIRE(near_by.count() == away.count());
    for (std::size_t i = 0; i < away.count(); ++i) CHECK(away.distance[i] == close_to(near_by.distance[i], 1e-9));
}

namespace {

/// Shapes of a model as rows of the narrow phase, in the world.
struct Rows {
    std::vector<NarrowPhaseShape> shapes;
    std::vector<ShapePair>        pairs;  ///< all
};
Rows random_rows(Random& r)
{
    Rows            rows;
    const ShapeKind kinds[] = {ShapeKind::sphere, ShapeKind::capsule, ShapeKind::box, ShapeKind::cylinder,
                               ShapeKind::cone};
    for (int i = 0; i < 10; ++i) {
        NarrowPhaseShape row;
        row.shape  = shape(kinds[i % 5], {0.2, 0.3, 0.25}, r.vec(0.5), r.rotation());
        row.margin = r.uniform(0, 0.02);
        row.gap    = r.uniform(0, 0.02);
        for (int k = 0; k < i; ++k) rows.pairs.push_back({k, i});
        rows.shapes.push_back(row);
    }
    return rows;
}

/// The same shapes as bodies of a model.
model::Model model_of(const Rows& rows)
{
    model::ModelBuilder b;
    for (const NarrowPhaseShape& row : rows.shapes) {
        model::ShapeConfig c;
        c.margin              = row.margin;
        c.gap                 = row.gap;
        const std::int32_t at = b.add_body({row.shape.p, from_matrix(row.shape.R)}, "body");
        const Vec3d&       s  = row.shape.size;
        if (row.shape.kind == ShapeKind::sphere) b.add_shape_sphere(at, {}, s.x, c);
        if (row.shape.kind == ShapeKind::capsule) b.add_shape_capsule(at, {}, s.x, s.y, c);
        if (row.shape.kind == ShapeKind::box) b.add_shape_box(at, {}, s, c);
        if (row.shape.kind == ShapeKind::cylinder) b.add_shape_cylinder(at, {}, s.x, s.y, c);
        if (row.shape.kind == ShapeKind::cone) b.add_shape_cone(at, {}, s.x, s.y, c);
    }
    return frozen_scene(b);
}

}  // namespace

TEST_CASE("a narrow phase without a model makes the contacts of a pipeline, and a writer sees each once (COL-083)")
{
    for_seeds(20, [](Random& r) {
        const Rows                                            rows = random_rows(r);
        NarrowPhase                                           narrow;
        std::map<std::pair<ShapePair, std::uint64_t>, double> seen;
        const auto status = narrow.launch_custom_write(rows.shapes, rows.pairs, [&](const ContactData& c) {
            CHECK(seen.emplace(std::pair{ShapePair{c.shape0, c.shape1}, c.feature}, c.distance).second);
            CHECK(c.distance <= c.gap_sum);
        });
        CHECK(status.contact_count == seen.size());
        const auto pressed = press(model_of(rows));
        REQUIRE(static_cast<std::size_t>(pressed.contacts.rigid_contact_count) == seen.size());
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const auto found =
                seen.find({{pressed.contacts.rigid_contact_shape0[i], pressed.contacts.rigid_contact_shape1[i]},
                           pressed.contacts.rigid_contact_feature[i]});
            REQUIRE(found != seen.end());
            // The model holds poses in Real.
            CHECK(static_cast<double>(pressed.contacts.rigid_contact_distance[i]) == close_to(found->second, 1e-5));
        }
    });
}

TEST_CASE("too little room keeps the first contacts and says the demand; pairs beyond the limit are not looked at")
{
    std::vector<NarrowPhaseShape> shapes;
    for (const double x : {0.0, 0.9, 1.8})
        shapes.push_back({.shape = shape(ShapeKind::sphere, {0.5, 0, 0}, {x, 0, 0}), .margin = 0.01, .gap = 0.05});
    const std::vector<ShapePair> pairs{{0, 1}, {1, 2}};
    std::vector<double>          few(1), all(4, 7);
    std::vector<Vec3d>           middle(4), normal(4);
    std::vector<ShapePair>       of(4);
    NarrowPhase                  narrow;
    CHECK(narrow
              .launch(shapes, pairs,
                      {.contact_pair = {}, .contact_position = {}, .contact_normal = {}, .contact_penetration = few})
              .contact_count == 2);
    const auto status = narrow.launch(
        shapes, pairs,
        {.contact_pair = of, .contact_position = middle, .contact_normal = normal, .contact_penetration = all});
    CHECK(status.contact_count == 2);
    CHECK(status.dropped_pairs == 0);
    CHECK(few[0] == all[0]);
    CHECK(all[0] == close_to(0.9 - 1 - 0.02, 1e-12));  // negative in overlap, margins subtracted
    CHECK(all[2] == 7);                                // not touched
    CHECK(of[1] == ShapePair{1, 2});
    CHECK(distance(middle[0], Vec3d{0.45, 0, 0}) < 1e-12);
    CHECK(distance(normal[0], Vec3d{1, 0, 0}) < 1e-12);
    NarrowPhase one({.max_candidate_pairs = 1});
    const auto  cut = one.launch(shapes, pairs, {});
    CHECK(cut.contact_count == 1);
    CHECK(cut.dropped_pairs == 1);
}

#include "field_scene.h"
#include "mechane/collision/soft_contacts.h"

using namespace mechane;
using namespace mechane::test;
using namespace mechane::collision;

namespace {

/// A solid of each kind that reaches from -0.5 to 0.5 along x and z; the planes lie at z = 0.
Shape standard(ShapeKind kind)
{
    Shape s = shape(kind, {0.5, 0.5, 0.5});
    if (kind == ShapeKind::capsule) s.size = {0.5, 0.01, 0};
    if (kind == ShapeKind::plane) s.size = {};
    if (kind == ShapeKind::rectangle) s.size = {2, 2, 0};
    if (kind == ShapeKind::hull) s.hull = &cube_hull();
    if (kind == ShapeKind::mesh) s.mesh = &cube_surface();
    return s;
}

constexpr ShapeKind kKinds[] = {ShapeKind::plane,     ShapeKind::rectangle, ShapeKind::sphere, ShapeKind::capsule,
                                ShapeKind::ellipsoid, ShapeKind::cylinder,  ShapeKind::box,    ShapeKind::mesh,
                                ShapeKind::cone,      ShapeKind::hull};

}  // namespace

TEST_CASE("two kinds have a route if and only if overlapping shapes of them have a contact (GAP-058)")
{
    for (const ShapeKind a : kKinds)
        for (const ShapeKind b : kKinds) {
            CAPTURE(static_cast<int>(a));
            CAPTURE(static_cast<int>(b));
            CHECK(route_of(a, b) == route_of(b, a));
            // Whatever stands on a plane or on the other: 2 cm deep, a little aside.
            const bool flat  = a == ShapeKind::plane || a == ShapeKind::rectangle;
            Shape      first = standard(a), second = standard(b);
            second.p = {0.013, 0.007, flat ? 0.48 : 0.98};
            if (b == ShapeKind::plane || b == ShapeKind::rectangle) second.p = {0, 0, flat ? 0 : -0.48};
            if (!in_table_order(first.kind, second.kind)) std::swap(first, second);
            Manifold found;
            collide(first, second, 0.01, found);
            CHECK((found.count > 0) == !route_of(a, b).empty());
        }
}

TEST_CASE("a height field and shapes with distance fields meet every solid (GAP-058)")
{
    const auto add = [](model::ModelBuilder& b, int kind, const Posed& at) {
        const std::int32_t body = b.add_body(at, "body");
        auto               mesh = std::make_shared<geometry::Mesh>(cube_mesh(0.5));
        const auto         c    = b.default_shape;
        if (kind == 0) return b.add_shape_sphere(body, {}, 0.5, c);
        if (kind == 1) return b.add_shape_capsule(body, {}, 0.5, 0.01, c);
        if (kind == 2) return b.add_shape_ellipsoid(body, {}, {0.5, 0.5, 0.5}, c);
        if (kind == 3) return b.add_shape_cylinder(body, {}, 0.5, 0.5, c);
        if (kind == 4) return b.add_shape_box(body, {}, {0.5, 0.5, 0.5}, c);
        if (kind == 5) return b.add_shape_cone(body, {}, 0.5, 0.5, c);
        mesh->is_convex = kind == 6;
        return b.add_shape_mesh(body, {}, {1, 1, 1}, mesh, kind == 8 ? with_field(0.05, 0.2) : c);
    };
    auto below       = std::make_shared<geometry::Mesh>(cube_mesh(0.5));
    below->is_convex = false;
    for (int kind = 0; kind < 9; ++kind) {
        CAPTURE(kind);
        model::ModelBuilder field;
        field.rigid_gap = 0;
        field.add_shape_heightfield({}, {1, 1, 1}, std::make_shared<geometry::Mesh>(tiled_plane(8, 2)),
                                    field.default_shape);
        add(field, kind, {{0.013, 0.007, 0.48}, {}});
        CHECK(press(frozen_scene(field)).contacts.rigid_contact_count > 0);

        model::ModelBuilder sdf;
        sdf.rigid_gap = 0;
        sdf.add_shape_mesh(sdf.add_body({}, "below"), {}, {1, 1, 1}, below, with_field(0.05, 0.2));
        add(sdf, kind, {{0.013, 0.007, 0.98}, {}});
        CHECK(press(frozen_scene(sdf)).contacts.rigid_contact_count > 0);
    }
}

TEST_CASE("a particle meets shapes of every type (GAP-058)")
{
    for (int kind = 0; kind < 11; ++kind) {
        CAPTURE(kind);
        model::ModelBuilder b;
        const std::int32_t  body = b.add_body({{0, 0, -0.5}, {}}, "body");
        auto                mesh = std::make_shared<geometry::Mesh>(cube_mesh(0.5));
        const auto          c    = b.default_shape;
        mesh->is_convex          = kind == 6;
        if (kind == 0) b.add_shape_sphere(body, {}, 0.5, c);
        if (kind == 1) b.add_shape_capsule(body, {}, 0.25, 0.25, c);
        if (kind == 2) b.add_shape_ellipsoid(body, {}, {0.4, 0.3, 0.5}, c);
        if (kind == 3) b.add_shape_cylinder(body, {}, 0.5, 0.5, c);
        if (kind == 4) b.add_shape_box(body, {}, {0.5, 0.5, 0.5}, c);
        if (kind == 5) b.add_shape_cone(body, {}, 0.5, 0.5, c);
        if (kind == 6 || kind == 7) b.add_shape_mesh(body, {}, {1, 1, 1}, mesh, c);
        if (kind == 8) b.add_ground_plane();
        if (kind == 9) b.add_shape_plane(model::kWorldBody, {}, 2, 2, c);
        if (kind == 10) b.add_shape_heightfield({}, {1, 1, 1}, std::make_shared<geometry::Mesh>(tiled_plane(8, 2)), c);
        const auto          m        = frozen_scene(b);
        const Vec3          at[]     = {{Real(0.001), Real(0.002), Real(0.05)}};
        const Real          radius[] = {Real(0.06)};
        model::SoftContacts out;
        SoftContactFinder(m).find(model::make_state(m), {.position = at, .radius = radius}, 0, out);
        CHECK(out.soft_contact_count == 1);
    }
}

#include <cmath>

#include "mechane/collision/gjk.h"
#include "mechane/collision/pipeline.h"
#include "mechane/geometry/hull.h"
#include "mechane/model/state.h"
#include "models.h"
#include "shapes.h"

/// Pairs that are followed along their way: they have contacts where they meet within the step, and only there.
using namespace mechane;
using namespace mechane::test;

namespace {

constexpr double kDt = 1.0 / 60;

std::shared_ptr<const geometry::Mesh> pointed_hull()
{
    auto hull =
        geometry::build_hull(std::vector<Vec3d>{{0, 0, 0.3}, {0.2, 0, 0}, {-0.2, 0, 0}, {0, 0.2, 0}, {0, -0.2, 0}});
    REQUIRE(hull);
    return std::make_shared<geometry::Mesh>(*std::move(hull));
}

/// Tiles of 0.5 m with hills of 0.6 m.
std::shared_ptr<const geometry::Mesh> hills()
{
    geometry::Mesh m = tiled_plane(16, 4);
    for (Vec3d& p : m.points) p.z = 0.3 * std::sin(2 * p.x) * std::cos(1.5 * p.y);
    return std::make_shared<geometry::Mesh>(std::move(m));
}

/// A body in the collision tests' own terms.
struct Flier {
    Shape shape;  ///< its own frame is that of the body, the origin is the centre of mass
    Posed X;
    Vec3d v, w;

    [[nodiscard]] Shape at(double t) const
    {
        Shape       s = shape;
        const Posed now{X.p + t * v, normalized(from_rotation_vector(t * w) * X.q)};
        s.p = now.p + rotate(now.q, shape.p);
        s.R = to_matrix(now.q) * shape.R;
        return s;
    }
};

const collision::HullShape& pointed()
{
    static const collision::HullShape hull = collision::make_hull_shape(*pointed_hull(), {1, 1, 1});
    return hull;
}

/// One of five convex shapes, onto a body of a model that rotates about the frame's origin.
Shape any_shape(std::uint32_t which, model::ModelBuilder& b, std::int32_t body)
{
    model::ShapeConfig weightless;
    weightless.density = 0;
    switch (which) {
        case 0:
            b.add_shape_sphere(body, {}, 0.15, weightless);
            return shape(ShapeKind::sphere, {0.15, 0, 0});
        case 1:
            b.add_shape_capsule(body, {}, 0.05, 0.3, weightless);
            return shape(ShapeKind::capsule, {0.05, 0.3, 0});
        case 2:
            b.add_shape_box(body, {}, {0.3, 0.1, 0.02}, weightless);
            return shape(ShapeKind::box, {0.3, 0.1, 0.02});
        case 3:
            b.add_shape_cylinder(body, {}, 0.1, 0.2, weightless);
            return shape(ShapeKind::cylinder, {0.1, 0.2, 0});
        default:
            b.add_shape_mesh(body, {}, {1, 1, 1}, pointed_hull(), weightless);
            return hull_shape(pointed());
    }
}

double distance_of(const Shape& a, const Shape& b)
{
    if (a.kind != ShapeKind::mesh)
        return collision::core_distance_apart(a, b).distance - a.core_radius() - b.core_radius();
    double least = kInfinity;
    Shape  triangle;
    triangle.kind = ShapeKind::triangle;
    for (const auto& corners : a.mesh->triangles) {
        for (std::size_t i = 0; i < 3; ++i)
            triangle.corners[i] = a.p + a.R * a.mesh->points[static_cast<std::size_t>(corners[i])];
        least = std::min(
            least, collision::core_distance_apart(triangle, b, least + b.core_radius()).distance - b.core_radius());
    }
    return least;
}

/// The least distance on the way, at so many moments.
double nearest_pass(const Flier& a, const Flier& b, int moments)
{
    double least = kInfinity;
    for (int i = 0; i <= moments && least > 0; ++i)
        least = std::min(least, distance_of(a.at(kDt * i / moments), b.at(kDt * i / moments)));
    return least;
}

std::int32_t contacts_of(const model::Model& model, const std::vector<Flier>& fliers)
{
    model::State state = model::make_state(model);
    for (std::size_t i = 0; i < fliers.size(); ++i) {
        state.body_q[i]  = static_cast<Pose>(fliers[i].X);
        state.body_qd[i] = static_cast<Spatial>(Spatiald{fliers[i].v, fliers[i].w});
    }
    collision::CollisionPipeline pipeline(model, {});
    model::Contacts              contacts = pipeline.make_contacts();
    static_cast<void>(pipeline.collide(state, kDt, contacts));
    return contacts.rigid_contact_count;
}

/// What moves between two moments is less than this: of those that pass so near nothing is said.
double uncertain(const Flier& a, const Flier& b, int moments)
{
    const auto lever = [](const Flier& x) { return x.shape.kind == ShapeKind::mesh ? 6 : 0.5; };
    return (length(b.v - a.v) + lever(a) * length(a.w) + lever(b) * length(b.w)) * kDt / moments + 2e-3;
}

}  // namespace

TEST_CASE("two convex shapes in flight have contacts where they meet in the step, and only there (DYN-079, DYN-103)")
{
    constexpr int kMoments = 200;
    Random        r(7);
    int           met = 0, missed = 0;
    for (int i = 0; i < 3000; ++i) {
        CAPTURE(i);
        model::ModelBuilder b;
        b.rigid_gap = 0;
        std::vector<Flier> f(2);
        for (std::size_t s = 0; s < 2; ++s) {
            const auto body = b.add_link({}, std::to_string(s), 1, {}, Mat33d::identity());
            f[s].shape      = any_shape(r.below(5), b, body);
            f[s].X          = {(s == 0 ? 0.0 : r.uniform(0.6, 1.2)) * r.direction(), r.rotation()};
            f[s].w          = r.uniform(0, 30) * r.direction();
        }
        // One flies about towards the other, both with the world.
        f[0].v           = r.vec(3);
        f[1].v           = f[0].v - r.uniform(20, 70) * normalized(f[1].X.p + r.vec(0.5));
        const auto model = frozen(b);
        // As the pipeline sees it, in single precision.
        for (Flier& x : f) {
            x.X   = static_cast<Posed>(static_cast<Pose>(x.X));
            x.X.q = normalized(x.X.q);
        }
        const double pass = nearest_pass(f[0], f[1], kMoments);
        const auto   rows = contacts_of(model, f);
        if (pass <= 0) {
            CHECK(rows > 0);
            ++met;
        } else if (pass > uncertain(f[0], f[1], kMoments)) {
            CHECK(rows == 0);
            ++missed;
        }
    }
    CHECK(met > 500);
    CHECK(missed > 500);
}

TEST_CASE("what flies over hills has contacts where it meets them in the step, and only there (DYN-079, DYN-103)")
{
    constexpr int kMoments = 100;
    const auto    ground   = hills();
    const auto    surface  = collision::make_mesh_shape(*ground, {1, 1, 1}, true);
    Random        r(8);
    int           met = 0, missed = 0;
    for (int i = 0; i < 600; ++i) {
        CAPTURE(i);
        const bool          moving = i % 2 != 0;  // the hills as well
        model::ModelBuilder b;
        b.rigid_gap = 0;
        std::vector<Flier> f(1);
        const auto         body = b.add_link({}, "flier", 1, {}, Mat33d::identity());
        f[0].shape              = any_shape(r.below(5), b, body);
        f[0].X                  = {{r.uniform(-2, 2), r.uniform(-2, 2), r.uniform(0.3, 1.2)}, r.rotation()};
        f[0].w                  = r.uniform(0, 30) * r.direction();
        f[0].v   = r.uniform(20, 60) * normalized(Vec3d{r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(-1, 0.3)});
        f[0].X   = static_cast<Posed>(static_cast<Pose>(f[0].X));
        f[0].X.q = normalized(f[0].X.q);
        Flier hilly{mesh_shape(surface), {}, {}, {}};
        if (distance_of(hilly.at(0), f[0].at(0)) < 0.01) continue;  // starts in the ground
        model::ShapeConfig weightless;
        weightless.density = 0;
        b.add_shape_mesh(moving ? b.add_link({}, "hills", 1, {}, Mat33d::identity()) : -1, {}, {1, 1, 1}, ground,
                         weightless, "hills");
        if (moving) {
            hilly.v = r.vec(10);
            hilly.w = r.uniform(0, 3) * r.direction();
            f.push_back(hilly);
        }
        const auto   model = frozen(b);
        const double pass  = nearest_pass(hilly, f[0], kMoments);
        const auto   rows  = contacts_of(model, f);
        if (pass <= 0) {
            CHECK(rows > 0);
            ++met;
        } else if (pass > uncertain(hilly, f[0], kMoments)) {
            CHECK(rows == 0);
            ++missed;
        }
    }
    CHECK(met > 100);
    CHECK(missed > 100);
}

TEST_CASE("a ball or a capsule that spins about its axis reaches no farther than one that does not (COL-028)")
{
    for (const std::uint32_t which : {0U, 1U}) {
        CAPTURE(which);
        model::ModelBuilder b;
        b.rigid_gap = 0;
        b.add_ground_plane(0);
        const auto body = b.add_link({}, "body", 1, {}, Mat33d::identity());
        Flier      f{any_shape(which, b, body), {{0, 0, 0.5}, {}}, {}, {0, 0, 400}};
        // Lying: the axis along x.
        f.X.q            = turn('y', 90);
        f.w              = {400, 0, 0};
        f.X.p.z          = (which == 0 ? 0.15 : 0.05) + 0.001;
        const auto model = frozen(b);
        CHECK(contacts_of(model, {f}) == 0);
        // Coming down by more than the distance in the step.
        f.v = {0, 0, -0.12};
        CHECK(contacts_of(model, {f}) > 0);
    }
}

// Queries of the public interface: rays, nearest points, distances, overlaps and sweeps over collision::SceneQueries.
// World frame, metres; only shapes that collide are found.
// A query sees the poses of the last `update`.

#include "mechane/queries.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechane/collision/scene_queries.h"
#include "mechane/model/belongs.h"
#include "mechane/model/model.h"
#include "mechane/simulation/codes.h"
#include "simulation/require.h"

namespace mechane {

using simulation::index_of;
using simulation::own;

namespace {

const std::shared_ptr<const Model>& not_null(const std::shared_ptr<const Model>& model, const char* function)
{
    MCH_REQUIRE(model != nullptr, function, "model", "a model, not null");
    return model;
}

}  // namespace

struct Queries::Impl {
    explicit Impl(std::shared_ptr<const Model> m) : model(std::move(m)), scene(model->arrays()) {}
    std::shared_ptr<const Model> model;
    collision::SceneQueries      scene;

    std::int32_t world(WorldId world, const char* function) const
    { return simulation::world_of(world, model->world_count(), function); }
    const collision::Shape* shape(ShapeId shape, const char* function, const char* argument) const
    {
        return scene.shape(
            static_cast<std::int32_t>(index_of(shape, model->arrays().shape_count(), function, argument)));
    }
    std::int32_t world_of(ShapeId shape, WorldId otherwise) const
    {
        const std::int32_t own = model->arrays().shape_world[shape.index()];
        // Shapes of a world meet that world alone; shared shapes are asked about in the world given.
        return own >= 0 ? own : otherwise.value;
    }
};

Queries::Queries(std::shared_ptr<const Model> model) : impl_(std::make_unique<Impl>(not_null(model, "Queries"))) {}
Queries::~Queries()                             = default;
Queries::Queries(Queries&&) noexcept            = default;
Queries& Queries::operator=(Queries&&) noexcept = default;

void Queries::update(const State& state)
{
    Impl& self = own(impl_, "Queries::update");
    simulation::require_same_model(self.model, state.model(), "Queries::update", "state");
    if (!model::fits(self.model->arrays(), state.arrays())) simulation::refuse_sizes("Queries::update", "state");
    const auto& poses = state.arrays().body_q;
    MCH_REQUIRE(std::all_of(poses.begin(), poses.end(), [](const Pose& X) { return is_finite(X.p) && is_finite(X.q); }),
                "Queries::update", "state", "finite poses");
    self.scene.update(state.arrays());
}

std::optional<RayHit> Queries::ray(WorldId world, const Vec3d& origin, const Vec3d& direction,
                                   double max_distance) const
{
    Impl&              self   = own(impl_, "Queries::ray");
    const std::int32_t w      = self.world(world, "Queries::ray");
    const double       length = mechane::length(direction);
    MCH_REQUIRE(is_finite(origin), "Queries::ray", "origin", "a finite point");
    MCH_REQUIRE(std::isfinite(length) && length > 0, "Queries::ray", "direction",
                "a finite direction that is not zero");
    MCH_REQUIRE(max_distance >= 0, "Queries::ray", "max_distance", "a number that is not negative");
    // Distances are metres whatever the length of the direction.
    const Vec3d                   unit = direction / length;
    const collision::QueryOptions options{.max_distance = max_distance};
    const collision::RayHit       hit = self.scene.cast_ray(origin, unit, w, options);
    if (hit.shape < 0) return std::nullopt;
    const ShapeId shape(hit.shape);
    return RayHit{shape, self.model->body_of(shape), hit.distance + 0.0, origin + hit.distance * unit, hit.normal};
}

std::optional<NearestHit> Queries::nearest(WorldId world, const Vec3d& point, double max_distance) const
{
    Impl&              self = own(impl_, "Queries::nearest");
    const std::int32_t w    = self.world(world, "Queries::nearest");
    MCH_REQUIRE(is_finite(point), "Queries::nearest", "point", "a finite point");
    MCH_REQUIRE(max_distance >= 0, "Queries::nearest", "max_distance", "a number that is not negative");
    const auto hit = self.scene.nearest(point, w, {.max_distance = max_distance});
    if (hit.shape < 0) return std::nullopt;
    const ShapeId shape(hit.shape);
    return NearestHit{shape, self.model->body_of(shape), hit.point.distance, hit.point.point, hit.point.normal};
}

Result<Separation> Queries::distance(ShapeId a, ShapeId b) const
{
    Impl&                   self   = own(impl_, "Queries::distance");
    const collision::Shape* first  = self.shape(a, "Queries::distance", "a");
    const collision::Shape* second = self.shape(b, "Queries::distance", "b");
    const auto              bad    = [&](ShapeId shape, const char* why) {
        return make_diagnostic(simulation::kDistance, {.prim = self.model->label(shape)}, why);
    };
    if (first == nullptr) return bad(a, "a: the shape does not collide");
    if (second == nullptr) return bad(b, "b: the shape does not collide");
    const auto d      = collision::shape_distance(*first, *second);
    const bool planes = first->kind == collision::ShapeKind::plane && second->kind == collision::ShapeKind::plane;
    if (!d) return bad(a, planes ? "a, b: both are planes" : "a, b: the pose of one is not finite");
    return Separation{d->distance, d->on_a, d->on_b, d->normal};
}

bool Queries::overlap(ShapeId a, ShapeId b) const
{
    Impl&                   self   = own(impl_, "Queries::overlap");
    const collision::Shape* first  = self.shape(a, "Queries::overlap", "a");
    const collision::Shape* second = self.shape(b, "Queries::overlap", "b");
    return first != nullptr && second != nullptr && collision::overlap(*first, *second);
}

std::vector<ShapeId> Queries::overlaps(ShapeId shape, WorldId world) const
{
    Impl& self = own(impl_, "Queries::overlaps");
    (void)self.world(world, "Queries::overlaps");
    const collision::Shape* asked = self.shape(shape, "Queries::overlaps", "shape");
    std::vector<ShapeId>    found;
    if (asked == nullptr) return found;
    for (const std::int32_t other :
         self.scene.overlaps(*asked, self.world_of(shape, world), {.exclude_shape = shape.value}))
        found.push_back(ShapeId(other));
    return found;
}

std::optional<CastHit> Queries::cast(ShapeId shape, const Vec3d& travel, WorldId world) const
{
    Impl& self = own(impl_, "Queries::cast");
    (void)self.world(world, "Queries::cast");
    MCH_REQUIRE(is_finite(travel), "Queries::cast", "travel", "a finite way");
    const collision::Shape* moving = self.shape(shape, "Queries::cast", "shape");
    MCH_REQUIRE(
        // Meshes and planes cannot be swept: conservative advancement needs a support function.
        moving != nullptr && moving->kind != collision::ShapeKind::mesh && moving->kind != collision::ShapeKind::plane,
        "Queries::cast", "shape", "a convex shape that collides");
    const auto hit = self.scene.cast(*moving, travel, self.world_of(shape, world),
                                     // Other shapes of the body move along.
                                     {.exclude_shape = shape.value, .exclude_body = self.model->body_of(shape).value});
    if (hit.shape < 0) return std::nullopt;
    const ShapeId met(hit.shape);
    return CastHit{met, self.model->body_of(met), hit.hit.fraction, hit.hit.point, hit.hit.normal};
}

}  // namespace mechane

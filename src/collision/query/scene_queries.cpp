// Queries of a whole scene: rays, overlaps, nearest points and casts against all shapes of a world, through one tree of
// boxes that is rebuilt by `update`.
// Answers depend on the scene only: ties go to the shape of the lower index, so neither the tree nor threads show.

#include "mechane/collision/scene_queries.h"

#include <algorithm>

#include "../shape_set.h"
#include "mechane/tasks/parallel.h"

namespace mechane::collision {

struct SceneQueries::Impl {
    explicit Impl(const model::Model& m) : set(m) {}

    ShapeSet                  set;
    geometry::Bvh             tree;
    std::vector<std::int32_t> boxed;   ///< shape of each item of the tree
    std::vector<std::int32_t> planes;  ///< infinite ones lie in no box

    [[nodiscard]] bool seen(std::int32_t shape, std::int32_t world, const QueryOptions& options) const
    {
        const auto          i = static_cast<std::size_t>(shape);
        const model::Model& m = set.model();
        if (!set.motion_of(shape).sound) return false;
        if (shape == options.exclude_shape) return false;
        if (options.exclude_body >= 0 && m.shape_body[i] == options.exclude_body) return false;
        if (m.shape_world[i] < 0 ? !options.with_global : m.shape_world[i] != world) return false;
        if (options.mask == QueryMask::visible) return (m.shape_flags[i] & model::shape_flag::visible) != 0;
        return true;  // the set holds what collides
    }
};

SceneQueries::SceneQueries(const model::Model& model) : impl_(std::make_unique<Impl>(model))
{ update(model::make_state(model)); }
SceneQueries::~SceneQueries()                                   = default;
SceneQueries::SceneQueries(SceneQueries&&) noexcept            = default;
SceneQueries& SceneQueries::operator=(SceneQueries&&) noexcept = default;

const Shape* SceneQueries::shape(std::int32_t index) const
{
    MCH_REQUIRE(index >= 0 && static_cast<std::size_t>(index) < impl_->set.size(), "SceneQueries::shape", "index",
                "the index of a shape of the model");
    const Shape& shape = impl_->set.shapes[static_cast<std::size_t>(index)];
    return shape.kind == ShapeKind::triangle ? nullptr : &shape;
}

void SceneQueries::update(const model::State& state)
{
    ShapeSet& set = impl_->set;
    require_state(set.model(), state, "SceneQueries::update");
    set.place(state, 0, 0);
    impl_->planes.clear();
    impl_->boxed.clear();
    std::vector<geometry::Aabbd> boxes;
    for (std::size_t i = 0; i < set.size(); ++i) {
        if (set.shapes[i].kind == ShapeKind::triangle) continue;  // never collides
        const auto shape = static_cast<std::int32_t>(i);
        if (set.shapes[i].kind == ShapeKind::plane) {
            impl_->planes.push_back(shape);
        } else if (set.motion_of(shape).sound) {
            boxes.push_back(bounds(set.shapes[i]));
            impl_->boxed.push_back(shape);
        }
    }
    impl_->tree = geometry::Bvh(boxes);
}

RayHit SceneQueries::cast_ray(const Vec3d& origin, const Vec3d& direction, std::int32_t world,
                              const QueryOptions& options) const
{
    RayHit best;
    if (!is_finite(origin) || !is_finite(direction) || direction == Vec3d{}) return best;
    double     least = options.max_distance;
    const auto ask   = [&](std::int32_t shape) {
        if (!impl_->seen(shape, world, options)) return;
        // Two shapes hit within 1e-6 count as equal: of a box on a floor at one height the lower index is reported.
        const double slack = best.shape < 0 ? 0 : 1e-6 * std::max(1.0, best.distance);
        const auto   hit   = collision::cast_ray(impl_->set.shapes[static_cast<std::size_t>(shape)], origin, direction,
                                                 least + slack, options.cull_back);
        if (!hit) return;
        if (best.shape >= 0 && hit->t > best.distance - slack && shape > best.shape) return;
        best  = {hit->t, shape, hit->normal};
        least = std::max(least < hit->t ? least : hit->t, 0.0);
    };
    for (const std::int32_t p : impl_->planes) ask(p);
    impl_->tree.for_each_along(origin, direction, least, [&](std::int32_t item) {
        ask(impl_->boxed[static_cast<std::size_t>(item)]);
        return best.shape < 0 ? least : least + 1e-6 * std::max(1.0, best.distance);
    });
    return best;
}

void SceneQueries::cast_rays(std::span<const Vec3d> origins, std::span<const Vec3d> directions,
                             std::span<const std::int32_t> worlds, std::span<RayHit> out, const QueryOptions& options,
                             const tasks::Pool* pool) const
{
    const std::size_t n = origins.size();
    MCH_REQUIRE(directions.size() == n, "SceneQueries::cast_rays", "directions", "as many as origins");
    MCH_REQUIRE(worlds.empty() || worlds.size() == n, "SceneQueries::cast_rays", "worlds", "none, or as many as origins");
    MCH_REQUIRE(out.size() == n, "SceneQueries::cast_rays", "out", "room for as many as origins");
    const auto        ask = [&](std::size_t i) {
        out[i] = cast_ray(origins[i], directions[i], i < worlds.size() ? worlds[i] : -1, options);
    };
    if (pool)
        pool->for_each(n, 256, ask);
    else
        for (std::size_t i = 0; i < n; ++i) ask(i);
}

bool SceneQueries::any_hit(const Vec3d& origin, const Vec3d& direction, std::int32_t world,
                           const QueryOptions& options) const
{
    if (!is_finite(origin) || !is_finite(direction) || direction == Vec3d{}) return false;
    bool       met = false;
    const auto ask = [&](std::int32_t shape) {
        met = met || (impl_->seen(shape, world, options) &&
                      collision::cast_ray(impl_->set.shapes[static_cast<std::size_t>(shape)], origin, direction,
                                          options.max_distance, options.cull_back));
    };
    for (const std::int32_t p : impl_->planes) ask(p);
    impl_->tree.for_each_along(origin, direction, options.max_distance, [&](std::int32_t item) {
        ask(impl_->boxed[static_cast<std::size_t>(item)]);
        return met ? -1.0 : options.max_distance;
    });
    return met;
}

std::vector<std::int32_t> SceneQueries::overlaps(const Shape& shape, std::int32_t world,
                                                 const QueryOptions& options) const
{
    std::vector<std::int32_t> out;
    const auto                ask = [&](std::int32_t other) {
        if (impl_->seen(other, world, options) && overlap(shape, impl_->set.shapes[static_cast<std::size_t>(other)]))
            out.push_back(other);
    };
    for (const std::int32_t p : impl_->planes) ask(p);
    impl_->tree.for_each_overlap(bounds(shape),
                                 [&](std::int32_t item) { ask(impl_->boxed[static_cast<std::size_t>(item)]); });
    std::sort(out.begin(), out.end());
    return out;
}

SceneQueries::Nearest SceneQueries::nearest(const Vec3d& p, std::int32_t world, const QueryOptions& options) const
{
    Nearest    best;
    const auto ask = [&](std::int32_t shape) {
        if (!impl_->seen(shape, world, options)) return;
        const double bound = best.shape < 0 ? options.max_distance : best.point.distance;
        const auto   hit   = nearest_point(impl_->set.shapes[static_cast<std::size_t>(shape)], p, bound);
        if (!hit || (best.shape >= 0 && hit->distance == best.point.distance && shape > best.shape)) return;
        best = {shape, *hit};
    };
    const auto bound = [&] {
        const double d = best.shape < 0 ? options.max_distance : std::max(0.0, best.point.distance);
        return d < 1e150 ? d * d : kInfinity;
    };
    for (const std::int32_t s : impl_->planes) ask(s);
    impl_->tree.for_each_near(p, bound(), [&](std::int32_t item) {
        ask(impl_->boxed[static_cast<std::size_t>(item)]);
        return bound();
    });
    return best;
}

SceneQueries::CastHit SceneQueries::cast(const Shape& moving, const Vec3d& travel, std::int32_t world,
                                         const QueryOptions& options) const
{
    CastHit    best;
    const auto ask = [&](std::int32_t shape) {
        if (!impl_->seen(shape, world, options)) return;
        const auto hit = cast_shape(moving, travel, impl_->set.shapes[static_cast<std::size_t>(shape)]);
        if (!hit) return;
        if (best.shape >= 0 &&
            (hit->fraction > best.hit.fraction || (hit->fraction == best.hit.fraction && shape > best.shape)))
            return;
        best = {shape, *hit};
    };
    for (const std::int32_t p : impl_->planes) ask(p);
    const geometry::Aabbd box = bounds(moving);
    impl_->tree.for_each_overlap({min(box.lower, box.lower + travel), max(box.upper, box.upper + travel)},
                                 [&](std::int32_t item) { ask(impl_->boxed[static_cast<std::size_t>(item)]); });
    return best;
}

}  // namespace mechane::collision

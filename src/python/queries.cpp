// Rays, nearest points and the functions below the pipeline, for tests and for programs that bring their own shapes.
// `Queries` has a tree over the shapes of one model, asked in the world frame. collide_rows, primitive_distances and
// broad_phase work on rows of numbers without a model.
// A shape's row has 15 numbers: position (3), rotation row by row (9), size (3) as of collision::Shape. Kinds are
// numbers of collision::ShapeKind, given to Python as `shape_kinds`.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "mechane/collision/broad_phase.h"
#include "mechane/collision/narrow.h"
#include "mechane/collision/queries.h"
#include "mechane/collision/scene_queries.h"
#include "mechane/collision/shape.h"
#include "python/arrays.h"
#include "python/errors.h"
#include "python/indices.h"
#include "python/module.h"
#include "python/pool.h"
#include "python/values.h"

namespace mechane::python {

namespace {

/// A tree over a model's shapes; `update` after the bodies have moved.
class BoundQueries {
  public:
    explicit BoundQueries(std::shared_ptr<model::Model> model)
        : model_(std::move(model)), pool_(current_pool()), queries_((check_indices(*model_), *model_))
    {
    }

    void update(const model::State& state)
    {
        if (state.body_q.size() != model_->body_count()) throw nb::value_error("state: of another model");
        check_indices(*model_);
        queries_.update(state);
    }

    /// Distances, shapes and normals of the nearest hits.
    nb::tuple cast(const DoublesIn& origins, const DoublesIn& directions, const IntsIn& worlds, bool visible,
                   bool cull_back, bool with_global, double max_distance) const
    {
        const std::size_t  n = origins.size() / 3;
        std::vector<Vec3d> from(n), along(n);
        for (std::size_t i = 0; i < n; ++i) {
            from[i]  = {origins.data()[3 * i], origins.data()[3 * i + 1], origins.data()[3 * i + 2]};
            along[i] = {directions.data()[3 * i], directions.data()[3 * i + 1], directions.data()[3 * i + 2]};
        }
        std::vector<collision::RayHit> hits(n);
        {
            const nb::gil_scoped_release released;
            queries_.cast_rays(from, along, {worlds.data(), worlds.size()}, hits,
                               {.mask      = visible ? collision::QueryMask::visible : collision::QueryMask::collidable,
                                .cull_back = cull_back,
                                .with_global  = with_global,
                                .max_distance = max_distance},
                               pool_.get());
        }
        std::vector<Real>         distance, normal;
        std::vector<std::int32_t> shape;
        for (const collision::RayHit& hit : hits) {
            distance.push_back(static_cast<Real>(hit.distance));
            shape.push_back(hit.shape);
            for (const double x : {hit.normal.x, hit.normal.y, hit.normal.z}) normal.push_back(static_cast<Real>(x));
        }
        return nb::make_tuple(owned(std::move(distance), {n}), owned(std::move(shape), {n}),
                              owned(std::move(normal), {n, std::size_t{3}}));
    }

    nb::object nearest(const Numbers3& p, std::int32_t world, double max_distance) const
    {
        const auto found = queries_.nearest(vec3(p), world, {.max_distance = max_distance});
        if (found.shape < 0) return nb::none();
        return nb::make_tuple(found.shape, found.point.distance, to_python(found.point.point),
                              to_python(found.point.normal));
    }

  private:
    std::shared_ptr<model::Model>      model_;
    std::shared_ptr<const tasks::Pool> pool_;
    collision::SceneQueries            queries_;
};

/// One shape of a row: position, rotation row by row, size.
collision::Shape shape_of(std::int32_t kind, const double* row)
{
    collision::Shape shape;
    shape.kind = static_cast<collision::ShapeKind>(kind);
    shape.p    = {row[0], row[1], row[2]};
    shape.R    = {{row[3], row[4], row[5]}, {row[6], row[7], row[8]}, {row[9], row[10], row[11]}};
    shape.size = {row[12], row[13], row[14]};
    return shape;
}

/// Contacts of pairs of primitives, [pairs, slots]: distances, points midway between the surfaces, normals from the
/// first to the second. Slots without a contact keep `unused`.
/// A fixed number of slots for each pair gives arrays of one size, whatever number of contacts a pair has.
nb::tuple collide_rows(std::int32_t kind_a, const DoublesIn& a, std::int32_t kind_b, const DoublesIn& b, double reach,
                       std::size_t slots, double unused)
{
    const std::size_t   n = a.size() / 15;
    std::vector<double> distance(n * slots, unused), point(n * slots * 3, 0.0), normal(n * slots * 3, 0.0);
    {
        const nb::gil_scoped_release released;
        for (std::size_t i = 0; i < n; ++i) {
            collision::Manifold found;
            collision::collide(shape_of(kind_a, a.data() + 15 * i), shape_of(kind_b, b.data() + 15 * i), reach, found);
            for (std::size_t k = 0; k < std::min(slots, static_cast<std::size_t>(found.count)); ++k) {
                const collision::ContactPoint& c   = found.points[k];
                const Vec3d                    mid = 0.5 * (c.p0 + c.p1);
                const std::size_t              at  = i * slots + k;
                distance[at]                       = c.distance;
                for (const auto& [out, v] : {std::pair(&point, &mid), std::pair(&normal, &c.normal)}) {
                    (*out)[3 * at]     = v->x;
                    (*out)[3 * at + 1] = v->y;
                    (*out)[3 * at + 2] = v->z;
                }
            }
        }
    }
    return nb::make_tuple(owned(std::move(distance), {n, slots}), owned(std::move(point), {n, slots, std::size_t{3}}),
                          owned(std::move(normal), {n, slots, std::size_t{3}}));
}

/// Signed distances of points to a primitive, in its own frame.
nb::object distances(std::int32_t kind, const Numbers3& size, const DoublesIn& points)
{
    collision::Shape shape;
    shape.kind            = static_cast<collision::ShapeKind>(kind);
    shape.size            = vec3(size);
    const std::size_t   n = points.size() / 3;
    std::vector<double> out(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double* p     = points.data() + 3 * i;
        const auto    found = collision::nearest_point(shape, {p[0], p[1], p[2]});
        out[i]              = found ? found->distance : std::numeric_limits<double>::infinity();
    }
    return owned(std::move(out), {n});
}

/// Pairs of boxes that share a point and whose filters agree: (demand, pairs).
nb::tuple broad_phase(const std::string& mode, const DoublesIn& lower, const DoublesIn& upper, const IntsIn& worlds,
                      const IntsIn& groups, const BytesIn& active, const std::vector<collision::ShapePair>& excluded,
                      std::size_t limit)
{
    const std::size_t                   n = worlds.size();
    std::vector<collision::ShapeFilter> filters(n);
    std::vector<geometry::Aabbd>        boxes(n);
    for (std::size_t i = 0; i < n; ++i) {
        filters[i]     = {.body   = static_cast<std::int32_t>(i),
                          .world  = worlds.data()[i],
                          .group  = groups.data()[i],
                          .active = active.data()[i] != 0,
                          .mobile = true,
                          .plane  = false};
        boxes[i].lower = {lower.data()[3 * i], lower.data()[3 * i + 1], lower.data()[3 * i + 2]};
        boxes[i].upper = {upper.data()[3 * i], upper.data()[3 * i + 1], upper.data()[3 * i + 2]};
    }
    const auto phase =
        collision::make_broad_phase(unwrap(collision::broad_phase_mode(mode)), std::move(filters), excluded);
    std::vector<collision::ShapePair> found;
    phase->find_pairs(boxes, {}, found);
    // The number found is told beside the pairs that fit, so that a caller can repeat with enough room.
    const std::size_t         kept = std::min(found.size(), limit);
    std::vector<std::int32_t> rows;
    for (std::size_t i = 0; i < kept; ++i) rows.insert(rows.end(), {found[i].first, found[i].second});
    return nb::make_tuple(found.size(), owned(std::move(rows), {kept, std::size_t{2}}));
}

}  // namespace

void bind_queries(nb::module_& m)
{
    nb::class_<BoundQueries>(m, "Queries")
        .def(nb::init<std::shared_ptr<model::Model>>())
        .def("update", &BoundQueries::update)
        .def("cast", &BoundQueries::cast)
        .def("nearest", &BoundQueries::nearest);
    m.def("collide_rows", &collide_rows);
    m.def("primitive_distances", &distances);
    m.def("broad_phase", &broad_phase);
    nb::dict          kinds;
    // In the order of the enumerators of collision::ShapeKind.
    const char* const names[] = {"plane",    "rectangle", "sphere", "capsule", "ellipsoid",
                                 "cylinder", "box",       "mesh",   "cone"};
    for (int i = 0; i < 9; ++i) kinds[names[i]] = i;
    m.attr("shape_kinds") = kinds;
}

}  // namespace mechane::python

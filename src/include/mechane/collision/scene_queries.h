#pragma once
#include <memory>

#include "mechane/collision/queries.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::tasks {
class Pool;
}

namespace mechane::collision {

enum class QueryMask : std::uint8_t { collidable, visible };

struct QueryOptions {
    QueryMask mask         = QueryMask::collidable;
    bool      cull_back    = false;                                    ///< rays pass planes and open meshes from behind
    bool      with_global  = true;                                     ///< shapes of no world are seen too
    double    max_distance = std::numeric_limits<double>::infinity();  ///< [m], in lengths of the direction for rays
    std::int32_t exclude_shape = -1, exclude_body = -1;  ///< not seen; -1: none
};

struct RayHit {
    double       distance = -1;  ///< in lengths of the direction; -1: nothing was met
    std::int32_t shape    = -1;
    Vec3d        normal;  ///< unit, outwards; zero when nothing was met
};

/// The shapes of a model as a tree that rays and other questions walk, at first where the model starts. `update` after
/// the bodies have moved. The model lives as long. Questions
/// are const and may be asked from many threads at once. A world sees its own shapes and those of no world; world -1
/// sees only the latter.
class SceneQueries {
  public:
    explicit SceneQueries(const model::Model& model);
    explicit SceneQueries(const model::Model&& model) = delete;
    ~SceneQueries();
    SceneQueries(SceneQueries&&) noexcept;
    SceneQueries& operator=(SceneQueries&&) noexcept;

    /// @param state  of the model; another one is a mistake that the failure handler is told
    void update(const model::State& state);

    /// The nearest hit; of hits within 1e-6 of each other the shape with the smallest index.
    [[nodiscard]] RayHit cast_ray(const Vec3d& origin, const Vec3d& direction, std::int32_t world = -1,
                                  const QueryOptions& options = {}) const;
    /// Spans of equal length; `worlds` may be empty (world -1 for all). The same result for any pool.
    void cast_rays(std::span<const Vec3d> origins, std::span<const Vec3d> directions,
                   std::span<const std::int32_t> worlds, std::span<RayHit> out, const QueryOptions& options = {},
                   const tasks::Pool* pool = nullptr) const;
    /// A shape of the model where it is now, or nothing for one that does not collide. Valid until the next `update`.
    [[nodiscard]] const Shape* shape(std::int32_t index) const;
    /// Whether the ray meets anything at all.
    [[nodiscard]] bool any_hit(const Vec3d& origin, const Vec3d& direction, std::int32_t world = -1,
                               const QueryOptions& options = {}) const;
    /// Shapes that share a point with the given one, ascending.
    [[nodiscard]] std::vector<std::int32_t> overlaps(const Shape& shape, std::int32_t world = -1,
                                                     const QueryOptions& options = {}) const;
    struct Nearest {
        std::int32_t shape = -1;
        NearestPoint point;
    };
    /// The surface nearest to p, within options.max_distance.
    [[nodiscard]] Nearest nearest(const Vec3d& p, std::int32_t world = -1, const QueryOptions& options = {}) const;
    struct CastHit {
        std::int32_t shape = -1;
        ShapeCastHit hit;
    };
    /// The first shape that `moving` touches on its way.
    [[nodiscard]] CastHit cast(const Shape& moving, const Vec3d& travel, std::int32_t world = -1,
                               const QueryOptions& options = {}) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mechane::collision

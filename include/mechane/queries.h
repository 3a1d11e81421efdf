#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "mechane/math.h"
#include "mechane/model.h"
#include "mechane/state.h"

namespace mechane {

/// Where a ray meets a shape.
/// From the inside of a closed shape a ray hits where it leaves. Planes and open meshes are hit from both sides.
struct RayHit {
    /// Ids of those that were hit; `Model::label` names them.
    ShapeId shape{};
    BodyId  body{};        ///< of the shape
    double  distance = 0;  ///< from the origin [m]
    Vec3d   point{};       ///< world [m]
    /// Against the ray, but for a hit from behind or from inside, where it points the way of the ray.
    Vec3d normal{};  ///< unit, outwards; dimensionless
};

/// The surface nearest to a point.
struct NearestHit {
    ShapeId shape{};
    BodyId  body{};
    double  distance = 0;  ///< [m], negative inside of a solid
    Vec3d   point{};       ///< on the surface, world [m]
    Vec3d   normal{};      ///< unit, outwards; dimensionless
};

/// How far two shapes are from each other.
/// For two meshes that overlap the distance is 0, and the points say only where.
struct Separation {
    double distance = 0;    ///< [m]; negative for convex shapes that overlap: how far b has to move along the normal
    Vec3d  on_a{}, on_b{};  ///< the two points, world [m]
    Vec3d  normal{};        ///< unit, from a to b; dimensionless
};

/// The first touch of a shape on its way.
/// At `fraction` times the way the two touch.
struct CastHit {
    ShapeId shape{};
    BodyId  body{};
    double  fraction = 0;  ///< of the way, 0..1; 0: it touches where it starts
    Vec3d   point{};       ///< of the touch, world [m]
    Vec3d   normal{};      ///< unit, from the shape that was met; dimensionless
};

/// What is where: rays, nearest surfaces, distances, overlaps, shapes on their way. Sees what collides: neither shapes
/// built with `Surface::collides` = false nor those of which an edit said so, in any of its functions. A world sees its
/// own shapes and those that all share; kShared sees the latter alone.
///
/// `Simulation::queries` is kept up to date by its steps; one of your own shows the model's start until `update`.
/// Asking is const and may be done from many threads; `update` may not be called meanwhile. Worlds and shapes that the
/// model does not have, and numbers that are not finite, are mistakes that the failure handler is told.
/// Shapes lie in a tree, so that a question costs about the logarithm of their number. Margins of surfaces do not
/// count: a query sees the shapes as they were given.
class Queries {
  public:
    /// Builds the hulls and trees of all shapes that collide; shares the model. Null is a mistake.
    explicit Queries(std::shared_ptr<const Model> model);
    ~Queries();
    Queries(Queries&&) noexcept;
    Queries& operator=(Queries&&) noexcept;

    /// @param state  of the model
    /// Places the shapes where the state has their bodies, which costs one pass over them.
    void update(const State& state);

    /// The first surface along a ray; of hits within 1e-6 of each other the shape with the smallest id. Nothing: no
    /// surface is within `max_distance`.
    /// @param origin  world [m]
    /// @param direction  world, of any length but 0: distances are metres whatever it is
    /// @param max_distance  [m], not negative
    [[nodiscard]] std::optional<RayHit> ray(WorldId world, const Vec3d& origin, const Vec3d& direction,
                                            double max_distance = kInfinity) const;
    /// Nothing where no shape is within `max_distance` [m]. Inside of a solid the distance is negative.
    [[nodiscard]] std::optional<NearestHit> nearest(WorldId world, const Vec3d& point,
                                                    double max_distance = kInfinity) const;
    /// Of two shapes, whatever their worlds. A mesh that overlaps has distance 0.
    /// @error SIM_DISTANCE  for two planes, and shapes that do not collide
    [[nodiscard]] Result<Separation> distance(ShapeId a, ShapeId b) const;
    /// False for shapes that do not collide; `overlaps` finds none for them, `cast` refuses to carry one.
    [[nodiscard]] bool overlap(ShapeId a, ShapeId b) const;
    /// Shapes that share a point with this one, in its world or, of a shared shape, in `world`; ascending.
    /// Shapes of one body are among them, and so are pairs that contacts leave out (`ModelBuilder::disable_contacts`).
    [[nodiscard]] std::vector<ShapeId> overlaps(ShapeId shape, WorldId world = kShared) const;
    /// What a convex shape of the model meets first when it is carried along `travel` [m] without turning. For planning
    /// a straight move. Neither the shape itself nor, of a shape with a body, the body's other shapes are in the way:
    /// they go with it. Meshes and planes cannot be carried; naming one is a mistake. Nothing: the way is free.
    [[nodiscard]] std::optional<CastHit> cast(ShapeId shape, const Vec3d& travel, WorldId world = kShared) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mechane

#pragma once
#include <array>
#include <memory>
#include <vector>

#include "mechane/collision/broad_phase.h"
#include "mechane/collision/sdf_shape.h"
#include "mechane/collision/shape.h"
#include "mechane/core/failure.h"
#include "mechane/math/four.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::collision {

/// A body as the contacts need it, in double: everything below is relative to the world.
struct BodyMotion {
    Posed  X_WB;
    Mat33d R_WB = Mat33d::identity();
    Vec3d  com, v, w;     ///< centre of mass [m], its velocity [m/s], angular velocity [rad/s]
    double speed = 0;     ///< length of v [m/s]
    bool   sound = true;  ///< finite, with a unit quaternion
};

/// Where the boxes of shapes may be in a step [s, m], as ShapeSet::place says.
struct Ahead {
    double dt, speculative_max;
    bool   sweep;
};
/// What never changes of a shape: its pose on the body, its dimensions, the middle in its own frame where that is not
/// the origin, the radius of the ball about it, and margin and gap together, at least 0. N: double, or Four.
template <class N>
struct OwnShape {
    Vec3T<N>  p;
    Mat33T<N> R;
    Vec3T<N>  size, middle;
    N         radius, reach;
};
/// Four shapes of one kind.
struct FourShapes {
    ShapeKind                   kind = ShapeKind::sphere;
    std::array<std::int32_t, 4> shape{};
    OwnShape<Four>              own;
};

/// A point of the world in the frame of a body.
inline Vec3d in_body(const BodyMotion& m, const Vec3d& p) { return transpose_times(m.R_WB, p - m.X_WB.p); }

/// The arrays of a state that collision reads have the sizes of the model; a mistake of the caller otherwise.
inline void require_state(const model::Model& model, const model::State& state, const char* function)
{
    MCH_REQUIRE(state.body_q.size() == model.body_count() && state.body_qd.size() == model.body_count() &&
                    state.particle_q.size() == model.particle_count(),
                function, "state", "a state of the model, with an entry for each of its bodies and particles");
}

/// Fast bodies are followed for at most so far in one step [m].
inline constexpr double kLongestFlight = 100;

/// The shapes of a model for collision: what is fixed at construction, and where everything is in the present state.
class ShapeSet {
  public:
    /// @param pool  builds distance fields; null: one thread
    /// @param flag  the shape flag of those that take part; fields are built for contacts of shapes only
    /// @param like  what it has made of meshes is shared, and added to; not by two threads at a time. Null: nothing is
    explicit ShapeSet(const model::Model& model, const tasks::Pool* pool = nullptr,
                      std::int32_t flag = model::shape_flag::collide_shapes, const ShapeSet* like = nullptr);
    [[nodiscard]] const model::Model& model() const { return *model_; }

    /// Takes `shape_transform` from the model again.
    void reread_transforms();
    /// Moves all shapes to the state; grows the boxes by margin, gap and what the motion may cover in `dt` (at most
    /// `speculative_max`, or with `sweep` all of it). Over the pool, if there is one.
    void place(const model::State& state, double dt, double speculative_max, bool sweep = false,
               const tasks::Pool* pool = nullptr);

    [[nodiscard]] std::size_t size() const { return shapes.size(); }
    /// @param with_kinematic  pairs of a kinematic shape with a static or kinematic one count as well
    [[nodiscard]] std::vector<ShapeFilter> filters(bool with_kinematic) const;
    [[nodiscard]] const BodyMotion&        motion_of(std::int32_t shape) const
    { return motion[static_cast<std::size_t>(body[static_cast<std::size_t>(shape)] + 1)]; }

    std::vector<Shape>           shapes;  ///< `p` and `R` in the world
    std::vector<ShapeKind>       kinds;   ///< those of `shapes`, side by side
    std::vector<Posed>           X_BS;
    std::vector<std::int32_t>    body;
    std::vector<double>          margin, gap, radius;  ///< [m]; radius of the ball about the centre
    std::vector<double>          ball, extent;         ///< radius about the origin; no more than the least width [m]
    std::vector<double>          spin;  ///< speed that rotation alone may give to some point of the core [m/s]
    std::vector<geometry::Aabbd> boxes;
    std::vector<RaisedPlane>     planes;
    std::vector<BodyMotion>      motion;  ///< [1 + bodies]; the first is the world
    std::int32_t                 unsound_bodies = 0;
    std::vector<std::uint8_t>    hydroelastic;  ///< wants pressure contact and has a field
    std::vector<double>          kh;            ///< [N/m^3]
    Diagnostics                  found;         ///< what is wrong with distance fields
    [[nodiscard]] std::size_t    sdf_count() const;

  private:
    /// What one task places: bodies of `motion`, and shapes of theirs by their place in `by_body_`.
    struct Batch {
        std::size_t body_begin = 0, body_end = 0, shape_begin = 0, shape_end = 0;
        std::size_t four_begin = 0, four_end = 0, alone = 0;  ///< in `fours_`; from where on its shapes go one by one
    };
    void list_batches();
    void build_fields(const tasks::Pool* pool);
    /// @return how many bodies of it are out of order
    std::int32_t place_batch(const Batch& batch, const model::State& state, const Ahead& ahead);
    void         place_body(const model::State& state, std::size_t b);
    void         place_bodies(const model::State& state, std::size_t b);
    void         place_shape(std::size_t i, const Ahead& ahead);
    void         place_shapes(const FourShapes& four, const Ahead& ahead);
    void         warn_of_slow_meshes();
    void         own_shapes();
    void         list_fours();

    const model::Model*           model_;
    std::vector<OwnShape<double>> own_;    ///< what `shapes` never change of
    std::vector<FourShapes>       fours_;  ///< of each batch, as many as there are of a kind
    std::vector<std::int32_t>
        by_body_;  ///< shapes in the order of their bodies, the world first; in a batch those of `fours_` first
    std::vector<Batch>       batches_;
    std::vector<std::size_t> crowded_;  ///< bodies whose shapes are shared by several tasks
    struct Prepared;                    ///< what is made of meshes
    std::shared_ptr<Prepared> prepared_;
};

}  // namespace mechane::collision

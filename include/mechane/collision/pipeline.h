#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "mechane/collision/broad_phase.h"
#include "mechane/collision/hydroelastic.h"
#include "mechane/collision/narrow.h"
#include "mechane/collision/pair_cache.h"
#include "mechane/model/contacts.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::tasks {
class Pool;
}

namespace mechane::collision {

/// What to do when there are more contacts than the buffer holds.
enum class OverflowPolicy : std::uint8_t {
    grow,    ///< make the buffer larger, up to `rigid_contact_limit`; the default while `rigid_contact_max` is 0
    report,  ///< keep the deepest, say so in the status; the default for a fixed capacity
    error    ///< leave the buffer empty, say so in the status
};

enum class ContactMatching : std::uint8_t {
    disabled,
    latest,  ///< rows say which row of the last call they continue
    sticky   ///< and a touching row that goes on keeps the points and the normal that it had
};

class CollisionPipeline;

/// Names that Newton has are Newton's. Every choice gives the same contacts for any number of threads; choices of the
/// broad phase change the cost alone.
struct PipelineOptions {
    /// What that pipeline has made of meshes is shared instead of made again: hulls, trees, distance fields. Not by two
    /// threads at a time.
    const CollisionPipeline* like = nullptr;
    const tasks::Pool*       pool = nullptr;  ///< null: one thread. The contacts are the same for any number of threads
    std::size_t              rigid_contact_max = 0;  ///< capacity; 0: estimated from the model
    /// To how many contacts a buffer grows, beyond which the deepest are kept: 2000 boxes in one place have 16 million,
    /// and each takes about 1 kB with its rows. 0: four million, or 64 a shape where that is more.
    std::size_t rigid_contact_limit = 0;
    double      speculative_max     = 0.1;  ///< cap of the speculative reach max(gap, |v_rel| dt) [m]
    /// Pairs that may cross more than `speculative_max` in a step are followed along their way, so that nothing flies
    /// through anything; not pairs of two meshes, distance fields or pressure.
    bool           sweep_fast_bodies = true;
    BroadPhaseMode broad_phase       = BroadPhaseMode::automatic;
    /// Finders of one's own in place of both phases: pairs of the model's shapes from boxes, and the contacts of a pair
    /// (as `collide` of narrow.h, with `a` before `b` in the order of the table; called from several threads). Neither
    /// goes without the other. Pressure, distance fields and swept pairs stay the pipeline's.
    std::shared_ptr<BroadPhase>                                              user_broad_phase{};
    std::function<void(const Shape&, const Shape&, double reach, Manifold&)> user_narrow_phase{};
    /// Most candidate pairs that are looked at, at least 1; unset: 2^26.
    std::optional<std::int64_t> shape_pairs_max{};
    /// Contacts of kinematic bodies with static or kinematic ones; no solver needs them.
    bool                          include_static_kinematic_pairs = false;
    std::optional<OverflowPolicy> overflow{};  ///< by `rigid_contact_max` when unset
    ContactMatching               contact_matching                      = ContactMatching::disabled;
    double                        contact_matching_pos_threshold        = 5e-4;   ///< [m]
    double                        contact_matching_normal_dot_threshold = 0.995;  ///< least cosine, dimensionless
    bool                          contact_report = false;  ///< lists of new and broken rows; needs matching
    /// Rectangles act as infinite planes within their boxes, as in Newton 1.8: nothing is clipped at the rim.
    bool finite_plane_compat = false;
    /// Keep at most 240 contacts of two shapes with distance fields, and of the vertices of a mesh that are below an
    /// infinite plane, or above it by no more than margins and gaps, those that carry.
    bool                reduce_contacts = true;
    HydroelasticOptions hydroelastic{};           ///< of pairs that both are
    double              soft_contact_gap = 0.01;  ///< how far beyond touching particles meet shapes [m], at least 0
    /// Most contacts of particles with shapes, for which there is room from the start; 0: none are looked for. Unset:
    /// as many as there are.
    std::optional<std::size_t> soft_contact_max{};
    /// Edges and triangles of particles meet shapes as well (`Model::edge_indices`, `tri_indices`), in rows behind
    /// those of the particles. For solvers that know such rows; others refuse them.
    bool enable_rigid_soft_full_surface_contact = false;
};
/// @error COL_OPTION_INVALID  names the option and its value
Result<void> validate(const PipelineOptions& options);

/// How much one stage of a call had to hold.
/// `dropped` is what was needed and not done.
struct StageStatus {
    /// Counts of this call.
    std::int64_t needed = 0, capacity = 0, dropped = 0;
};

/// What a call did, and what it had to leave out. Times are for looking at and change from run to run.
struct CollideStatus {
    std::int32_t contacts        = 0;      ///< rows written
    std::int32_t candidate_pairs = 0;      ///< pairs after the broad phase
    std::int32_t kept_pairs      = 0;      ///< of those, with the contacts of the last call
    std::int32_t unsound_bodies  = 0;      ///< bodies left out: not finite, beyond 1e8 m, or without a unit quaternion
    std::int32_t unsound_rows    = 0;      ///< contacts left out because a number of theirs was not finite
    bool         overflow        = false;  ///< some stage had to drop something
    StageStatus  pairs, rows;  ///< candidate pairs (`needed` is a lower bound when some were dropped), contacts
    StageStatus  faces;        ///< of pressure contact: most of one pair, room for one pair, dropped in all
    StageStatus  soft;         ///< contacts of particles with shapes
    double       broad_phase_s = 0, narrow_phase_s = 0;  ///< wall time [s]
    double       sort_s = 0, match_s = 0;  ///< [s], of the narrow phase: rows into order; with the last call

    /// Nothing was dropped for want of room.
    [[nodiscard]] bool ok() const { return !overflow; }
};

/// Says of each stage that had to drop something what it needed, what it had, and which option raises that.
void report_overflow(const CollideStatus& status, Diagnostics& out);

/// A pipeline keeps hulls, trees and distance fields of the model's meshes, made once. It allocates nothing once its
/// buffers have grown. One thread at a time may call it; the threads of its pool it uses itself. The method of each
/// pair is in docs/collision_method.md. Finds the contacts of a state: world AABBs, broad phase, narrow phase, sorted
/// by (shape0, shape1, feature); then those of particles with shapes, where the model has particles.
class CollisionPipeline {
  public:
    /// The options must be valid (`validate`). The model lives as long.
    CollisionPipeline(const model::Model& model, const PipelineOptions& options = {});
    CollisionPipeline(const model::Model&& model, const PipelineOptions& options = {}) = delete;
    ~CollisionPipeline();
    CollisionPipeline(CollisionPipeline&&) noexcept;
    CollisionPipeline& operator=(CollisionPipeline&&) noexcept;

    /// Contacts with distance <= gap_a + gap_b, or reachable within `dt` [s] at the present velocities.
    /// @param state  of the pipeline's model; another one is a mistake that the failure handler is told
    /// @param cache  of a simulation: pairs that have hardly moved since the last call with it keep their contacts
    /// @error API_FOREIGN, API_ARGUMENT  to the failure handler; what found no room is in the status, for which
    /// `report_overflow` has COL_OVERFLOW
    CollideStatus collide(const model::State& state, double dt, model::Contacts& contacts, PairCache* cache = nullptr);
    /// Rows for this model and these options. One buffer for each state that is collided by itself.
    [[nodiscard]] model::Contacts make_contacts() const;
    /// Reads where shapes are in their bodies again, after the model's `shape_transform` was written to. Whatever else
    /// of a shape changes needs a new pipeline.
    void reread_transforms();
    /// How far beyond touching particles meet shapes from the next call on [m], at least 0.
    void set_soft_contact_gap(double gap);
    /// What was found when the pipeline was made: fields that could not be built, whose shapes make point contacts, and
    /// meshes that are slow without one.
    [[nodiscard]] const Diagnostics& diagnostics() const;
    /// The broad phase in use, chosen by size where the options name none.
    [[nodiscard]] BroadPhaseMode broad_phase() const;
    /// What happens to contacts that do not fit.
    [[nodiscard]] OverflowPolicy overflow_policy() const;
    /// How many distance fields were built; shapes of one mesh, size and configuration share theirs.
    [[nodiscard]] std::size_t sdf_count() const;
    /// The surfaces of pressure contact of the last call; empty unless hydroelastic.output_contact_surface is set.
    [[nodiscard]] std::span<const ContactFace> contact_surface() const;
    /// Forgets what was matched against, of all worlds or of those marked; the last entry of the mask stands for shapes
    /// of no world. Shape [world_count + 1] or empty.
    void reset_contact_matching(std::span<const std::uint8_t> worlds = {});

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The two surface points of each contact in the world, margins included, and their separation along the normal [m];
/// recomputed from the poses of the state with normals as they were. Spans of `rigid_contact_count` entries or empty.
/// For sensors and pictures: what a solver moved since `collide` is in the poses, and so in the points.
void contact_points_world(const model::Model& model, const model::State& state, const model::Contacts& contacts,
                          std::span<Vec3> point0, std::span<Vec3> point1, std::span<Real> separation = {});

}  // namespace mechane::collision

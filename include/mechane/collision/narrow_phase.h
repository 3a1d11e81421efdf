#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "mechane/collision/broad_phase.h"
#include "mechane/collision/shape.h"

/// The narrow phase by itself: pairs of any broad phase in, contacts out, into the caller's memory or one by one. It
/// needs no model. The contacts are those that a pipeline makes of shapes at rest, pressure contact left out.
namespace mechane::collision {

/// A shape in the world, and how it makes contacts.
struct NarrowPhaseShape {
    /// With its pose in the world; what it points to lives during the call.
    Shape  shape;
    double margin = 0;  ///< where the surface is offset [m]
    double gap    = 0;  ///< how much earlier a contact is made [m]
};

/// One contact on its way to wherever it is kept.
/// All of it is in the world and in double precision, as the narrow phase computed it.
struct ContactData {
    Vec3d  centre;        ///< world, midway between the two surfaces, margins included [m]
    Vec3d  normal;        ///< unit, from shape 0 to shape 1, world; dimensionless
    double distance = 0;  ///< [m], margins subtracted, negative in penetration
    /// Of spheres and capsules, which are points and segments with a radius; 0 for all others.
    double        radius0 = 0, radius1 = 0;  ///< of round shapes [m]
    double        margin0 = 0, margin1 = 0;  ///< [m]
    double        gap_sum = 0;               ///< of both shapes [m]
    std::int32_t  shape0 = -1, shape1 = -1;  ///< a mesh is always shape 0
    std::uint64_t feature = 0;               ///< names the pair of features
};

/// What is looked at, and how many points are kept.
struct NarrowPhaseOptions {
    std::size_t max_candidate_pairs = std::size_t{1} << 26;  ///< pairs beyond these are not looked at
    bool        reduce_contacts     = true;  ///< of two fields 240, of a mesh on a plane those that carry
};

/// Where contacts are written, structure of arrays; a span may be empty. Slots that are not used stay as they were.
struct NarrowPhaseOutput {
    std::span<ShapePair> contact_pair;
    std::span<Vec3d>     contact_position, contact_normal;  ///< world; midway [m], unit from shape 0 to 1
    std::span<double>    contact_penetration;               ///< [m], negative in overlap
};

/// `contact_count` beyond the length of the output says how long it should have been.
struct NarrowPhaseStatus {
    std::size_t contact_count = 0;  ///< admitted, those without room included
    /// Candidates beyond `max_candidate_pairs`.
    std::size_t dropped_pairs = 0;
};

/// Keeps its memory between calls; not for two threads at once.
class NarrowPhase {
  public:
    explicit NarrowPhase(const NarrowPhaseOptions& options = {});
    ~NarrowPhase();
    NarrowPhase(NarrowPhase&&) noexcept;

    /// Contacts in the order of the pairs.
    /// A pair may come in either order; the record has the order of the table of pair functions. Filters, bodies and
    /// worlds are the business of whoever lists the pairs.
    /// @param shapes  indexed by the pairs
    NarrowPhaseStatus launch(std::span<const NarrowPhaseShape> shapes, std::span<const ShapePair> candidate_pairs,
                             const NarrowPhaseOutput& out);
    /// Gives every admitted contact to `write` once instead.
    NarrowPhaseStatus launch_custom_write(std::span<const NarrowPhaseShape>              shapes,
                                          std::span<const ShapePair>                     candidate_pairs,
                                          const std::function<void(const ContactData&)>& write);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mechane::collision

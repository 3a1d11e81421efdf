#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "mechane/model/contacts.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"

namespace mechane::tasks {
class Pool;
}

/// Contacts of particles, and of the edges and triangles between them, with shapes.
namespace mechane::collision {

/// Particles, structure of arrays; all spans [n] or, where it says so, empty.
struct ParticleSpans {
    std::span<const Vec3>         position;  ///< world [m]
    std::span<const Real>         radius;    ///< [m]
    std::span<const std::int32_t> flags;     ///< model::particle_flag bits; empty: all are active
    std::span<const std::int32_t> world;     ///< -1: meets the shapes of every world; empty: all -1
    /// Surfaces of particles, laid out as in Model; empty: contacts of particles alone. An edge or a triangle is in the
    /// world of its first corner, as thick as the thickest of its particles, and in play while one of them is.
    std::span<const std::array<std::int32_t, 4>> edges;
    std::span<const std::array<std::int32_t, 3>> triangles;
};

/// The particles of a model where they are in a state of it.
/// @param full_surface  and its edges and triangles
ParticleSpans particles_of(const model::Model& model, const model::State& state, bool full_surface = false);

/// Finds which particles are near which shapes: those with signed distance < gap + margin + radius, where the shape
/// collides with particles and shares the particle's world. A closed mesh and a height field have an inside; an open
/// mesh is met from both sides. Sorted by particle, then shape. Edges follow, then triangles: each has one row for each
/// shape, where it is nearest to it or deepest in it.
class SoftContactFinder {
  public:
    /// @param pool  null: one thread; the rows are the same for any number
    explicit SoftContactFinder(const model::Model& model, const tasks::Pool* pool = nullptr);
    ~SoftContactFinder();

    /// Rows are added to `out` as they are needed, those beyond `most` are counted only.
    /// @param gap  how far beyond touching a contact is made, the shapes' own gaps are not used [m]
    void find(const model::State& state, const ParticleSpans& particles, double gap, model::SoftContacts& out,
              std::size_t most = std::size_t{std::numeric_limits<std::int32_t>::max()});
    /// Takes `shape_transform` from the model again.
    /// After an edit has moved shapes in their bodies.
    void reread_transforms();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Contacts of the model's particles with its shapes and nothing else: the rigid part of `contacts` stays. The pipeline
/// does the same in each of its calls; a `SoftContactFinder` is quicker for many.
/// @param gap           how far beyond touching a contact is made [m]
/// @param full_surface  of its edges and triangles as well
void create_soft_contacts(const model::Model& model, const model::State& state, model::SoftContacts& contacts,
                          double gap = 0.01, bool full_surface = false);

}  // namespace mechane::collision

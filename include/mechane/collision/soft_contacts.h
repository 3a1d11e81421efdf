#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mechane/model/model.h"
#include "mechane/model/state.h"

/// Contacts of particles with shapes.
namespace mechane::collision {

/// Particles, structure of arrays; all spans [n] or, where it says so, empty.
struct ParticleSpans {
    std::span<const Vec3>         position;  ///< world [m]
    std::span<const Real>         radius;    ///< [m]
    std::span<const std::uint8_t> active;    ///< 0: out of play; empty: all are in
    std::span<const std::int32_t> world;     ///< -1: meets the shapes of every world; empty: all -1
};

/// Contacts of one call under Newton's names; rows beyond the count are undefined.
struct SoftContacts {
    std::int32_t                             soft_contact_count = 0;
    std::vector<std::int32_t>                soft_contact_particle;
    std::vector<std::array<std::int32_t, 3>> soft_contact_indices;      ///< (particle, -1, -1)
    std::vector<Vec3>                        soft_contact_barycentric;  ///< (1, 0, 0)
    std::vector<std::int32_t>                soft_contact_shape;
    std::vector<Vec3> soft_contact_body_pos;  ///< on the raw surface, body frame (world for static shapes) [m]
    std::vector<Vec3> soft_contact_body_vel;  ///< of the surface against its body, body frame [m/s]
    std::vector<Vec3> soft_contact_normal;    ///< unit, world, from the shape to the particle
};

/// Finds which particles are near which shapes: those with signed distance < gap + margin + radius, where the shape
/// collides with particles and shares the particle's world. A closed mesh and a height field have an inside; an open
/// mesh is met from both sides. Sorted by particle, then shape.
class SoftContactFinder {
  public:
    explicit SoftContactFinder(const model::Model& model);
    ~SoftContactFinder();

    /// @param gap  how far beyond touching a contact is made, the shapes' own gaps are not used [m]
    void find(const model::State& state, const ParticleSpans& particles, double gap, SoftContacts& out);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mechane::collision

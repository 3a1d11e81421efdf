#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mechane/model/model.h"

namespace mechane::collision {

/// How far the two shapes of a pair may have moved against each other since their contacts were found. Normals are then
/// right to `turn`, depths on faces to `turn` times the way that points have gone: 1e-6 of the size.
/// Smaller numbers look at pairs more often, and follow their contacts more closely.
struct PairCacheOptions {
    double way  = 1e-3;  ///< ratio to the smaller shape's least extent
    double turn = 1e-3;  ///< [rad]
    /// For both, where a shape touches with another point of itself as soon as it turns: cylinders, cones, ellipsoids,
    /// distance fields.
    double curved = 1e-4;  ///< in place of both: ratio to the least extent, and [rad]
};

/// What a simulation remembers of the pairs of its last call of `CollisionPipeline::collide`. A pair whose shapes have
/// hardly moved against each other keeps its points, which ride with their bodies, and its normals, which ride with the
/// body whose face they belong to; distances are those of now along these normals. What has moved farther since its
/// contacts were found is looked at anew, so that nothing adds up. Closed forms, swept pairs and pressure never are
/// kept. For calls with one model, of which only poses and velocities change; whatever else changes asks for `clear`.
class PairCache {
  public:
    explicit PairCache(const PairCacheOptions& options = {});
    ~PairCache();
    PairCache(PairCache&&) noexcept;
    PairCache& operator=(PairCache&&) noexcept;

    /// Forgets all pairs.
    void clear();
    /// Forgets those of shapes of the marked worlds; the last entry stands for shapes of no world. Shape
    /// [world_count + 1], or empty for all.
    void reset(const model::Model& model, std::span<const std::uint8_t> worlds = {});
    /// Pairs that may be kept by the next call.
    [[nodiscard]] std::size_t pair_count() const;

    /// Everything that the next call depends on.
    /// Part of a checkpoint: a run that goes on without it has other last bits.
    [[nodiscard]] std::vector<std::byte> save() const;
    /// Nothing at all stands for a cache that remembers nothing.
    /// @return false, with the cache empty, when the bytes are of another model or damaged
    bool restore(std::span<const std::byte> bytes, const model::Model& model);

  private:
    friend class CollisionPipeline;
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mechane::collision

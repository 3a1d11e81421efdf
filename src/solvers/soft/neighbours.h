#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "mechane/model/model.h"

/// Particles that meet as balls.
namespace mechane::solvers::soft {

/// Which particles may meet, and those that do.
class Neighbours {
  public:
    /// Who is left out besides particles that are out of play and those of other worlds.
    enum class Leave {
        nobody,      ///< as Newton 1.8
        rings,       ///< particles within two elements of each other, and those of one body that start too near
        components,  ///< particles that elements hold together, and pairs that are both part of surfaces
    };
    Neighbours() = default;
    Neighbours(const model::Model& model, Leave leave);

    /// Pairs, the smaller index first, ascending, whose balls are nearer than `reach` to each other [m]. Places that
    /// are not finite meet nobody.
    void find(const model::Model& model, const std::vector<Vec3d>& x, double reach);
    [[nodiscard]] const std::vector<std::array<std::int32_t, 2>>& pairs() const { return pairs_; }
    /// Whether there is anything to look for.
    [[nodiscard]] bool any() const { return any_; }

    friend std::size_t overlapping_at_start(const model::Model& model);

  private:
    [[nodiscard]] bool may_meet(const model::Model& model, std::int32_t a, std::int32_t b) const;
    void               find_rings(const model::Model& model);
    void               find_components(const model::Model& model);

    Leave                                               leave_ = Leave::nobody;
    bool                                                any_   = false;
    double                                              most_  = 0;  ///< largest radius [m]
    std::vector<std::vector<std::int32_t>>              rings_;      ///< ascending
    std::vector<std::int32_t>                           component_;
    std::vector<std::uint8_t>                           on_surface_;
    std::vector<std::array<std::int32_t, 2>>            pairs_;
    std::vector<std::pair<std::uint64_t, std::int32_t>> cells_;  ///< key and particle, sorted
};

/// Whether a particle meets others.
inline bool meets(const model::Model& m, std::size_t p)
{
    return (m.particle_flags[p] & model::particle_flag::active) != 0 &&
           (m.particle_flags[p] & model::particle_flag::passes_through) == 0;
}

}  // namespace mechane::solvers::soft

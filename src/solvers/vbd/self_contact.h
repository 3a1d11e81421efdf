#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "mechane/model/model.h"
#include "solvers/soft/laws.h"
#include "solvers/vbd/options.h"

/// Triangles and edges of particles that keep their distance from each other.
///
/// Points against triangles and edges against edges that are nearer than a radius at the start of the step are pairs of
/// it. With r the margin and t = r/2, a pair at the distance d is pushed apart by k (r - d) from r to t, and by
/// k t^2 / d below, a logarithmic barrier that joins with the same value and slope -k. No particle moves further in the
/// step than 0.85 times half its distance from all features of its pairs, so that none passes through another.
namespace mechane::solvers::vbd {

class SelfContact {
  public:
    SelfContact(const model::Model& model, const Options& options);

    /// The pairs of a step. @param guess  where particles go if nothing stops them
    void find(const std::vector<Vec3d>& start, const std::vector<Vec3d>& guess, double dt);
    /// Adds what the pairs of one particle do to it.
    void add(std::size_t particle, const std::vector<Vec3d>& x, const std::vector<Vec3d>& start, double dt,
             soft::Block& out) const;
    /// Whether a particle is in a pair of this step.
    [[nodiscard]] bool touches(std::size_t particle) const
    { return particle + 1 < pair_start_.size() && pair_start_[particle] != pair_start_[particle + 1]; }
    /// `to`, or the point on the way there from the start that the particle may reach.
    [[nodiscard]] Vec3d bounded(std::size_t particle, const std::vector<Vec3d>& start, const Vec3d& to) const;

  private:
    /// Two features: of a point and a triangle (p; a, b, c), of two edges (a, b; c, d).
    struct Pair {
        std::array<std::int32_t, 4> points;
        bool                        edges;
    };
    /// Between closest points: weights of the four particles, negative on the second feature; the way from the second
    /// to the first.
    struct Closest {
        std::array<double, 4> weights;
        Vec3d                 apart;
    };
    [[nodiscard]] static Closest closest(const Pair& pair, const std::vector<Vec3d>& x);
    [[nodiscard]] bool           near_in_mesh(std::int32_t a, std::int32_t b) const;
    void                         list_pairs();

    const model::Model&                      model_;
    Options                                  options_;
    std::vector<std::array<std::int32_t, 3>> triangles_;
    std::vector<std::array<std::int32_t, 2>> edges_;
    std::vector<std::int32_t>                corners_;  ///< particles of triangles, each once
    std::vector<std::vector<std::int32_t>>   rings_;    ///< particles within two edges, ascending
    std::vector<Pair>                        pairs_;
    std::vector<std::int32_t>                pair_start_, pair_lists_;  ///< 4 pair + corner, by particle
    std::vector<double>                      bound_;
};

}  // namespace mechane::solvers::vbd

#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mechane/geometry/bvh.h"

namespace mechane::collision {

/// What the broad phase knows of a shape that never changes.
struct Filter {
    std::int32_t body   = -1;
    std::int32_t world  = -1;
    std::int32_t group  = 1;
    bool         active = false;  ///< collides with anything at all
    bool         mobile = false;  ///< belongs to a dynamic body
    bool         plane  = false;  ///< infinite: tested against every box of its worlds
};

/// Integer groups: 0 never; equal positive ones; a negative one with everything but itself.
constexpr bool groups_collide(std::int32_t a, std::int32_t b)
{
    if (a == 0 || b == 0) return false;
    return a > 0 ? a == b || b < 0 : a != b;
}
constexpr bool worlds_collide(std::int32_t a, std::int32_t b) { return a < 0 || b < 0 || a == b; }

/// An infinite plane in the world, already raised by its own reach.
struct RaisedPlane {
    Vec3d n;
    Vec3d origin;
};

using ShapePair = std::pair<std::int32_t, std::int32_t>;

/// Sweep and prune (Cohen et al. 1995) per world along the axis of greatest variance; shapes of no world take part in
/// every one. The result is sorted, each pair once, smaller index first. Keeps its memory between calls.
class SweepAndPrune {
  public:
    SweepAndPrune(std::vector<Filter> filters, std::vector<ShapePair> excluded);

    /// @param boxes   expanded boxes, empty for a shape that is out of order
    /// @param planes  by shape; read where the filter says so
    void find_pairs(std::span<const geometry::Aabbd> boxes, std::span<const RaisedPlane> planes,
                    std::vector<ShapePair>& out);

    [[nodiscard]] const std::vector<Filter>& filters() const { return filters_; }

  private:
    struct Entry {
        double       lower;
        std::int32_t shape;
    };
    [[nodiscard]] bool allowed(std::int32_t i, std::int32_t k) const;
    void               sweep(std::span<const std::int32_t> own, std::span<const std::int32_t> shared,
                             std::span<const geometry::Aabbd> boxes, std::vector<ShapePair>& out);

    std::vector<Filter>                    filters_;
    std::vector<ShapePair>                 excluded_;
    std::vector<std::int32_t>              global_, planes_;
    std::vector<std::vector<std::int32_t>> worlds_;
    std::vector<Entry>                     entries_;
};

}  // namespace mechane::collision

#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

// Which geoms of a world meet, in MuJoCo's terms: two masks of 32 bits for each geom, bodies that are excluded from
// each other, and where both do not suffice every pair that meets by name.

namespace mechane::solvers::mujoco {

/// A geom as filters see it.
struct FilterGeom {
    std::int32_t body  = -1;  ///< -1: the world
    std::int32_t weld  = -1;  ///< the first of the bodies that hang together without a joint; -1: the world
    std::int32_t group = 1;   ///< as in collision/broad_phase.h
    std::int32_t world = 0;
};

struct Filter {
    std::vector<std::int32_t>                contype, conaffinity;  ///< per geom
    std::vector<std::array<std::int32_t, 2>> excludes;              ///< bodies
    std::vector<std::array<std::int32_t, 2>> pairs;                 ///< geoms, where masks do not suffice
    /// Bodies that a joint connects do not meet by MuJoCo's rule; here some do, so the rule must be off.
    bool parents_meet = false;
};

/// @param filtered   pairs of geoms that do not meet, each once
/// @param parent_of  weld that a weld hangs on, by the body that names it; -1: the world
Filter make_filter(std::span<const FilterGeom> geoms, std::vector<std::pair<std::int32_t, std::int32_t>> filtered,
                   std::span<const std::int32_t> parent_of);
/// Whether MuJoCo lets two geoms meet, by what a filter says: the same weld and excludes aside.
bool masks_meet(const Filter& filter, std::size_t a, std::size_t b);

}  // namespace mechane::solvers::mujoco

#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "mechane/model/model.h"
#include "mechane/model/state.h"

// Some of the worlds of a model that follow one another, as a model of their own. Worlds that share nothing but static
// shapes can be stepped part by part.

namespace mechane::model {

struct WorldRange {
    std::int32_t first = 0, count = 0;

    [[nodiscard]] std::int32_t end() const { return first + count; }
    bool                       operator==(const WorldRange&) const = default;
};

/// Where the entities of some worlds lie in the arrays of the model.
struct WorldPlaces {
    struct Part {
        std::size_t begin = 0, end = 0;

        [[nodiscard]] std::size_t size() const { return end - begin; }
    };
    Part bodies, joints, dofs, coords, articulations, shapes;
    /// Static shapes of no world: before those of all worlds, and behind them.
    std::size_t leading = 0;
    Part        trailing;

    WorldPlaces(const Model& model, WorldRange worlds);

    /// The number of a shape among those of the worlds and the static ones; of one of other worlds: -1.
    [[nodiscard]] std::int32_t shape_here(std::int32_t shape) const;
    /// And back.
    [[nodiscard]] std::int32_t shape_in_model(std::int32_t shape) const;
};

/// Whether what the worlds have in common are static shapes and nothing else: every body, joint and articulation is of
/// some world, in the order of the worlds, and there are no particles.
bool worlds_are_apart(const Model& model);

/// The worlds as a model, numbered from 0 on: all arrays that a solver or a collision pipeline reads. Meshes are
/// shared. Custom attributes are left out. The worlds of the model must be apart.
Model model_of_worlds(const Model& model, WorldRange worlds);

/// Whether the models of both ranges would have the same structure: everything but labels, colours, custom attributes,
/// the initial state, and the numbers that `copy_world_numbers` copies.
bool worlds_are_alike(const Model& model, WorldRange a, WorldRange b);
/// Whether they would have the same numbers as well.
bool world_numbers_are_equal(const Model& model, WorldRange a, WorldRange b);
/// Whether they would begin in the same state.
bool world_starts_are_equal(const Model& model, WorldRange a, WorldRange b);

/// What a solver reads anew at every step: gains, limits, armature, friction, gravity, materials of shapes. `to` is
/// the model of worlds that are alike.
void copy_world_numbers(const Model& model, WorldRange worlds, Model& to);
/// The initial state.
void copy_world_start(const Model& model, WorldRange worlds, Model& to);

/// State and commands of the worlds, without custom attributes; `to` keeps its memory.
void copy_world_state(const State& from, const WorldPlaces& worlds, State& to);
void copy_world_control(const Control& from, const WorldPlaces& worlds, Control& to);
/// Poses, velocities and coordinates back; not the loads, which are the caller's, nor the time.
void put_world_state(const State& from, const WorldPlaces& worlds, State& to);

}  // namespace mechane::model

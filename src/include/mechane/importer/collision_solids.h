#pragma once
#include <memory>

#include "mechane/core/diagnostic.h"
#include "mechane/resolve/mass_rules.h"
#include "mechane/usd/stage.h"

namespace mechane::importer {

/// What weighs of the colliders of a stage that the importer alone knows: the hulls of convex decompositions, and round
/// shapes that keep an unequal scale. For those who compute the masses that a model of the stage has without making the
/// model; a collider is known by its path. Nothing is done before it is asked for.
/// @param found  what could not be made of a collider as it asks for, or why none could; must live as long as the
/// result
resolve::MeshSolid collision_solids(std::shared_ptr<const usd::Stage> stage, Diagnostics& found);

}  // namespace mechane::importer

#pragma once
#include <optional>

#include "mechane/core/result.h"
#include "mechane/exporter/export.h"
#include "mechane/resolve/mass_rules.h"
#include "mechane/sourceformats/convert.h"
#include "mechane/usd/stage.h"

namespace mechane::exporter {

/// The robot of a stage as the writers of other formats need it: metres, kilograms, seconds, radians, Z up, whatever
/// the stage has. The zero pose of a joint comes from its two frames, never from the poses of the bodies; where these
/// differ the joint's `initial` says where it stands. Joints run from the root of each tree to its leaves, so a joint
/// whose bodies are authored the other way round is turned: poses inverted, axis negated. What the conversion of
/// another format has left for the way back (mechane/sourceformats/hints.h) is used where it agrees with the stage.
///
/// A body has the mass, centre and inertia that the model of a simulation has; where the robot has another, as the
/// source said one that no body can have, or as the model adds something to a moment that is nearly zero, an entry of
/// the losses says so.
///
/// @param mesh_solid  what colliders weigh whose collision geometry the importer alone makes
///                    (`importer::collision_solids`); without it convex decompositions weigh as their connected parts
/// @param format      whose writer gets the robot: what it has no word for, of all that the stage says in attributes of
///                    vendors, is lost; none: nothing is written
/// @error EXPORT_EMPTY
Result<sourceformats::ReadRobot> robot_of_stage(const usd::Stage& stage, const resolve::MeshSolid& mesh_solid = {},
                                                std::optional<Format> format = {});

}  // namespace mechane::exporter

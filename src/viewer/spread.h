#pragma once
#include <vector>

#include "mechane/collision/hydroelastic.h"
#include "mechane/model/model.h"
#include "mechane/simulation/recording.h"

/// Copies of a world, which are simulated in one place, drawn side by side.
namespace mechane::viewer {

/// How far each world is moved along the ground [m], [world_count]: a square of rows, a little farther apart than what
/// moves is wide. Empty where there is one world.
std::vector<Vec3d> places_of_worlds(const model::Model& model, const std::vector<Pose>& body_q);

/// The place of a world; zero of what belongs to none.
Vec3d place_of(const std::vector<Vec3d>& places, std::int32_t world);

/// What does not move of a model, and joints on the world, each at the place of its world. Infinite planes stay.
void move_apart(const std::vector<Vec3d>& places, model::Model& model);
/// Bodies, particles and contacts of a frame.
void move_apart(const std::vector<Vec3d>& places, const model::Model& model, record::Frame& frame);
/// Surfaces of pressure contact.
void move_apart(const std::vector<Vec3d>& places, const model::Model& model,
                std::vector<collision::ContactFace>& faces);

}  // namespace mechane::viewer

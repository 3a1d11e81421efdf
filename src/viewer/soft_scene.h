#pragma once
#include "mechane/model/model.h"
#include "mechane/viewer/scene.h"

namespace mechane::viewer {

/// More balls than this are drawn as octahedra.
inline constexpr std::size_t kFineBalls = 500;

/// Surfaces of particles as items of the scene, one for each colour of an object, and loose particles as balls.
void add_softs(const model::Model& model, Scene& scene);

/// With eight faces, corners at a distance of 1.
DrawMesh octahedron();

}  // namespace mechane::viewer

#pragma once
#include <cstddef>

#include "mechane/math/mat.h"
#include "mechane/math/vec.h"

/// What the readers of scenes (COLLADA, glTF) share when they make one mesh of all that their nodes place.
namespace mechane::sourceformats {

/// Nodes refer to children and to geometry by name, so a file of a few hundred bytes can ask for a deep or an endless
/// scene. Both limits lie far above what modelling programs write.
inline constexpr int         kMostSceneDepth   = 64;
inline constexpr std::size_t kMostSceneCorners = 50'000'000;

/// p' = A p + t. The matrices of nodes may scale and shear, which a pose cannot hold.
struct Affine {
    Mat33d A = Mat33d::identity();
    Vec3d  t;
};
inline Affine operator*(const Affine& a, const Affine& b) { return {a.A * b.A, a.A * b.t + a.t}; }

}  // namespace mechane::sourceformats

#pragma once
#include <array>
#include <string>
#include <vector>

#include "mechane/math/vec.h"

namespace mechane::sourceformats {

/// Points and triangles; without triangles the points stand for their convex hull.
struct BuiltinMesh {
    std::vector<Vec3d>              points;
    std::vector<std::array<int, 3>> triangles;
    bool                            shell = false;  ///< its mass lies in the surface, whatever else is said
    std::string                     fault;          ///< why there is no mesh
};

/// A mesh that MuJoCo's compiler makes of parameters (XML reference, asset/mesh/builtin).
BuiltinMesh builtin_mesh(const std::string& kind, const std::vector<double>& params);

}  // namespace mechane::sourceformats

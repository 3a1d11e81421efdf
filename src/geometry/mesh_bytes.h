#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "mechane/geometry/mesh.h"

namespace mechane::geometry {

std::vector<std::byte> to_bytes(std::span<const Mesh> meshes);
/// Nothing for bytes that are no meshes, or meshes whose triangles name points that are not there.
std::optional<std::vector<Mesh>> meshes_from_bytes(std::span<const std::byte> bytes);

}  // namespace mechane::geometry

#pragma once
#include <memory>
#include <span>
#include <vector>

#include "mechane/geometry/preparation.h"

/// What takes long to build from a mesh, kept for other runs and other processes. Each of these functions gives, byte
/// for byte, what the function behind it gives; with a cache it may be read instead of built. A key holds the whole
/// input, the options and the build of the program, so another of any of them finds nothing.
namespace mechane::geometry {

/// The cache of this process; null, as it is at first: none. Set before work begins.
void                       set_shared_cache(std::shared_ptr<BlobCache> cache);
std::shared_ptr<BlobCache> shared_cache();

/// build_hull. Hulls of few points are built faster than they are read.
Result<Mesh> kept_hull(std::span<const Vec3d> points, const HullOptions& options = {});
/// decompose, unless it may be stopped.
Result<std::vector<Mesh>> kept_decomposition(const Mesh& mesh, const DecompositionOptions& options = {});
/// simplified.
Mesh kept_simplification(const Mesh& mesh, const SimplificationOptions& options = {});
/// build_sdf.
Result<Sdf> kept_sdf(const Mesh& mesh, const SdfOptions& options = {}, const tasks::Pool* pool = nullptr);

}  // namespace mechane::geometry

#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "mechane/files/cache_folder.h"
#include "mechane/geometry/decomposition.h"
#include "mechane/geometry/sdf.h"
#include "mechane/geometry/simplification.h"

namespace mechane::geometry {

/// What a mesh is made into for collision.
enum class Preparation : std::uint8_t { decomposition, hull, box, simplification };

/// Options of the method, and of those that it may hand over to.
struct PreparationOptions {
    Preparation           method = Preparation::decomposition;
    HullOptions           hull{};
    DecompositionOptions  decomposition{};
    SimplificationOptions simplification{};
    /// After it no further cut is begun [s]; unset: none. What was cut short is not put into the cache.
    std::optional<double> time_limit{};
};

/// Keeps bytes by key. May be used by many threads.
/// For meshes that take seconds: a key is made of the mesh and of every option that counts.
class BlobCache {
  public:
    BlobCache()                            = default;
    BlobCache(const BlobCache&)            = delete;
    BlobCache& operator=(const BlobCache&) = delete;
    virtual ~BlobCache()                   = default;
    /// The bytes that were stored under the key, or nothing.
    virtual std::optional<std::vector<std::byte>> load(std::uint64_t key) = 0;
    /// Failing to store is no error: the next one builds again.
    virtual void store(std::uint64_t key, std::span<const std::byte> bytes) = 0;
};

/// One file for each key in a folder that any number of processes may share (files/cache_folder.h): a damaged file
/// counts as none, and beyond `most_bytes` those go that were not used for longest.
class DiskCache final : public BlobCache {
  public:
    /// The folder is made at the first entry; 4 GiB at most unless said otherwise.
    explicit DiskCache(std::filesystem::path folder, std::uint64_t most_bytes = std::uint64_t{4} << 30);
    std::optional<std::vector<std::byte>> load(std::uint64_t key) override;
    void                                  store(std::uint64_t key, std::span<const std::byte> bytes) override;
    [[nodiscard]] std::filesystem::path   file_of(std::uint64_t key) const;

  private:
    files::CacheFolder folder_;
};

/// `method` is another than the one asked for where that could not deal with the mesh.
struct PreparedMesh {
    std::vector<Mesh> parts;                                ///< one, but for a decomposition
    Preparation       method = Preparation::decomposition;  ///< that succeeded
    /// It came from the cache; the time limit ended it, so that it may differ from machine to machine.
    bool cached = false, cut_short = false;
};

/// Prepares a mesh. A method that cannot deal with the mesh hands over to the next simpler one, decomposition to hull
/// to box, with a GEOMETRY_FALLBACK each.
/// @param cache  may be null
/// @error GEOMETRY_FIT_EMPTY  no points, or not finite: nothing fits
Result<PreparedMesh> prepare_mesh(const Mesh& mesh, const PreparationOptions& options, BlobCache* cache,
                                  Diagnostics& found);

/// build_sdf through a cache. @error GEOMETRY_SDF_OPTIONS, GEOMETRY_SDF_MEMORY
Result<Sdf> cached_sdf(const Mesh& mesh, const SdfOptions& options, BlobCache* cache,
                       const tasks::Pool* pool = nullptr);

}  // namespace mechane::geometry

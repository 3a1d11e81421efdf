// Hulls, decompositions, simplifications and fields from the shared cache, if the program set one. The key hashes the
// input, the options and the build's identity: another build of the algorithms never reads old results.
// A second digest is stored with the entry. An entry whose digest differs is a collision or damage, and the value is
// built.

#include "mechane/geometry/kept.h"

#include <mutex>
#include <string_view>
#include <utility>

#include "geometry/mesh_bytes.h"
#include "mechane/core/build_identity.h"
#include "mechane/core/bytes.h"
#include "mechane/core/hash.h"

namespace mechane::geometry {
namespace {

std::mutex                 g_mutex;
std::shared_ptr<BlobCache> g_cache;

constexpr std::size_t kFewPoints = 1000, kFewTriangles = 1000;  ///< of which something is built faster than read

/// Two digests of one input: the first names the entry, the second stands in it.
struct Key {
    std::uint64_t a = 0, b = 0;
};

template <class... Parts>
Key key_of(std::string_view what, const Parts&... parts)
{
    static const std::uint64_t kBuild = hash_text(build_identity());
    Key                        key{hash_text(what, kBuild), hash_text(what, kBuild + 1)};
    const auto                 add = [&](const auto& part) {
        key.a = hash_combine(key.a, hash_bytes(part.data(), part.size() * sizeof(part[0]), 1));
        key.b = hash_combine(key.b, hash_bytes(part.data(), part.size() * sizeof(part[0]), 2));
    };
    (add(parts), ...);
    return key;
}

std::array<double, 3> numbers_of(const HullOptions& options)
{ return {static_cast<double>(options.max_vertices), options.merge_tolerance, options.extrude_flat ? 1.0 : 0.0}; }

/// `build`, or what it gave earlier. An error is not kept.
/// `put` gives no bytes for errors, which are therefore not stored.
template <class Value, class Build, class Put, class Get>
Value kept(const Key& key, Build&& build, Put&& put, Get&& get)
{
    const auto cache = shared_cache();
    if (cache == nullptr) return build();
    if (const auto bytes = cache->load(key.a)) {
        ByteReader in(*bytes);
        if (in.take<std::uint64_t>() == key.b)
            if (auto value = get(std::span(*bytes).subspan(sizeof(std::uint64_t)))) return *std::move(value);
    }
    Value value = build();
    if (const std::vector<std::byte> bytes = put(value); !bytes.empty()) {
        ByteWriter out;
        out.put(key.b);
        std::vector<std::byte> whole = out.bytes();
        whole.insert(whole.end(), bytes.begin(), bytes.end());
        cache->store(key.a, whole);
    }
    return value;
}

/// Nothing where there is another number of meshes.
std::optional<Mesh> one_mesh(std::span<const std::byte> bytes)
{
    auto meshes = meshes_from_bytes(bytes);
    if (!meshes || meshes->size() != 1) return std::nullopt;
    return std::move(meshes->front());
}

}  // namespace

void set_shared_cache(std::shared_ptr<BlobCache> cache)
{
    const std::scoped_lock lock(g_mutex);
    g_cache = std::move(cache);
}

std::shared_ptr<BlobCache> shared_cache()
{
    const std::scoped_lock lock(g_mutex);
    return g_cache;
}

Result<Mesh> kept_hull(std::span<const Vec3d> points, const HullOptions& options)
{
    if (points.size() < kFewPoints) return build_hull(points, options);
    return kept<Result<Mesh>>(
        key_of("hull", points, numbers_of(options)), [&] { return build_hull(points, options); },
        [](const Result<Mesh>& hull) { return hull ? to_bytes(std::span(&*hull, 1)) : std::vector<std::byte>(); },
        one_mesh);
}

Result<std::vector<Mesh>> kept_decomposition(const Mesh& mesh, const DecompositionOptions& options)
{
    if (options.stop) return decompose(mesh, options);
    const std::array<double, 2> numbers{options.concavity, static_cast<double>(options.max_hulls)};
    return kept<Result<std::vector<Mesh>>>(
        key_of("decomposition", mesh.points, mesh.triangles, numbers, numbers_of(options.hull)),
        [&] { return decompose(mesh, options); },
        [](const Result<std::vector<Mesh>>& hulls) { return hulls ? to_bytes(*hulls) : std::vector<std::byte>(); },
        meshes_from_bytes);
}

Mesh kept_simplification(const Mesh& mesh, const SimplificationOptions& options)
{
    if (mesh.triangles.size() < kFewTriangles) return simplified(mesh, options);
    const std::array<double, 3> numbers{options.ratio, options.max_error, mesh.is_convex ? 1.0 : 0.0};
    return kept<Mesh>(
        key_of("simplification", mesh.points, mesh.triangles, numbers), [&] { return simplified(mesh, options); },
        [](const Mesh& made) { return to_bytes(std::span(&made, 1)); }, one_mesh);
}

Result<Sdf> kept_sdf(const Mesh& mesh, const SdfOptions& options, const tasks::Pool* pool)
{
    const std::array<std::uint64_t, 1> own{sdf_key(mesh, options)};
    return kept<Result<Sdf>>(
        key_of("field", mesh.points, mesh.triangles, own), [&] { return build_sdf(mesh, options, pool); },
        [](const Result<Sdf>& sdf) { return sdf ? sdf->to_bytes() : std::vector<std::byte>(); },
        [](std::span<const std::byte> bytes) { return Sdf::from_bytes(bytes); });
}

}  // namespace mechane::geometry

// Collision geometry of a mesh by a chosen method, with a fallback: decomposition, then hull, then box. Each fallback
// is reported with the reason.
// Results may come from a cache, whose key holds the input, all options and the build.

#include "mechane/geometry/preparation.h"

#include <chrono>
#include <cmath>

#include "geometry/mesh_bytes.h"
#include "mechane/core/build_identity.h"
#include "mechane/core/bytes.h"
#include "mechane/core/hash.h"
#include "mechane/geometry/codes.h"

namespace mechane::geometry {

namespace {

constexpr std::uint64_t kFormat = 2;  ///< of what is cached

/// The algorithms are those of one build.
std::uint64_t built(std::uint64_t key)
{
    static const std::uint64_t kBuild = hash_text(build_identity(), kFormat);
    return hash_combine(key, kBuild);
}

std::uint64_t key_of(const Mesh& mesh, const PreparationOptions& o)
{
    std::uint64_t key =
        hash_combine(hash_span<Vec3d>(mesh.points), hash_span<std::array<std::int32_t, 3>>(mesh.triangles));
    const double numbers[] = {static_cast<double>(o.method),
                              static_cast<double>(o.hull.max_vertices),
                              o.hull.merge_tolerance,
                              o.hull.extrude_flat ? 1.0 : 0.0,
                              o.decomposition.concavity,
                              static_cast<double>(o.decomposition.max_hulls),
                              static_cast<double>(o.decomposition.hull.max_vertices),
                              o.decomposition.hull.merge_tolerance,
                              o.decomposition.hull.extrude_flat ? 1.0 : 0.0,
                              o.simplification.ratio,
                              o.simplification.max_error};
    return built(hash_combine(key, hash_span<double>(numbers)));
}

std::vector<std::byte> to_bytes(const PreparedMesh& prepared)
{
    ByteWriter out;
    out.put(prepared.method);
    std::vector<std::byte>       whole = out.bytes();
    const std::vector<std::byte> parts = to_bytes(prepared.parts);
    whole.insert(whole.end(), parts.begin(), parts.end());
    return whole;
}

std::optional<PreparedMesh> from_bytes(std::span<const std::byte> bytes)
{
    ByteReader   in(bytes);
    PreparedMesh out;
    in.get(out.method);
    if (!in.good()) return std::nullopt;
    auto parts = meshes_from_bytes(bytes.subspan(sizeof(out.method)));
    if (!parts || parts->empty() || out.method > Preparation::simplification) return std::nullopt;
    out.parts  = *std::move(parts);
    out.cached = true;
    return out;
}

/// The axis-aligned box around the points as a closed mesh.
Mesh box_around(const Mesh& mesh)
{
    const Aabbd box = bounds(mesh);
    Mesh        out;
    for (int i = 0; i < 8; ++i)
        out.points.push_back(
            {i & 1 ? box.upper.x : box.lower.x, i & 2 ? box.upper.y : box.lower.y, i & 4 ? box.upper.z : box.lower.z});
    out.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                     {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    out.is_convex = true;
    return out;
}

/// One method; the diagnostic says why it does not do.
Result<PreparedMesh> attempt(const Mesh& mesh, const PreparationOptions& o, Preparation method)
{
    PreparedMesh out;
    out.method = method;
    switch (method) {
        case Preparation::decomposition: {
            const auto           start   = std::chrono::steady_clock::now();
            DecompositionOptions options = o.decomposition;
            // What a time limit cut short depends on the machine: it is marked, and not cached.
            if (o.time_limit)
                options.stop = [&] {
                    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
                    out.cut_short                             = out.cut_short || spent.count() >= *o.time_limit;
                    return out.cut_short;
                };
            auto hulls = decompose(mesh, options);
            if (!hulls) return hulls.error();
            out.parts = *std::move(hulls);
            return out;
        }
        case Preparation::hull: {
            auto hull = build_hull(mesh.points, o.hull);
            if (!hull) return hull.error();
            out.parts.push_back(*std::move(hull));
            return out;
        }
        case Preparation::simplification:
            if (mesh.triangles.empty()) return make_diagnostic(kFitEmpty, {}, "the mesh has no triangles");
            out.parts.push_back(simplified(mesh, o.simplification));
            return out;
        case Preparation::box:
            break;
    }
    out.parts.push_back(box_around(mesh));
    return out;
}

}  // namespace

Result<PreparedMesh> prepare_mesh(const Mesh& mesh, const PreparationOptions& options, BlobCache* cache,
                                  Diagnostics& found)
{
    if (mesh.points.empty() || !is_finite(mesh) || !has_valid_indices(mesh))
        return make_diagnostic(kFitEmpty, {}, "the mesh has no points, a point is not finite, or an index names none");
    const std::uint64_t key = key_of(mesh, options);
    if (cache)
        if (const auto bytes = cache->load(key))
            if (auto prepared = from_bytes(*bytes)) return *std::move(prepared);

    constexpr const char* kNames[] = {"decomposition", "convex hull", "box", "simplification"};
    Preparation           method   = options.method;
    for (;;) {
        auto prepared = attempt(mesh, options, method);
        if (prepared) {
            // What a simpler method made comes with words that are not kept.
            if (cache && !prepared->cut_short && method == options.method) cache->store(key, to_bytes(*prepared));
            return prepared;
        }
        const Preparation next = method == Preparation::decomposition ? Preparation::hull : Preparation::box;
        found.add(kFallback, {},
                  std::string(kNames[static_cast<std::size_t>(method)]) + ": " + prepared.error().message + "; a " +
                      kNames[static_cast<std::size_t>(next)] + " stands in");
        method = next;
    }
}

Result<Sdf> cached_sdf(const Mesh& mesh, const SdfOptions& options, BlobCache* cache, const tasks::Pool* pool)
{
    const std::uint64_t key = built(sdf_key(mesh, options));
    if (cache)
        if (const auto bytes = cache->load(key))
            if (auto sdf = Sdf::from_bytes(*bytes)) return *std::move(sdf);
    auto sdf = build_sdf(mesh, options, pool);
    if (sdf && cache) cache->store(key, sdf->to_bytes());
    return sdf;
}

}  // namespace mechane::geometry

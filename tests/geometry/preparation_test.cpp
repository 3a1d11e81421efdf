#include "mechane/geometry/preparation.h"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "mechane/geometry/mass.h"
#include "mechane/geometry/mesh_report.h"
#include "meshes.h"

using namespace mechane;
using namespace mechane::test;
using namespace mechane::geometry;

namespace {

/// Keeps blobs in memory and counts.
class MemoryCache final : public BlobCache {
  public:
    std::optional<std::vector<std::byte>> load(std::uint64_t key) override
    {
        const auto found = blobs.find(key);
        if (found == blobs.end()) return std::nullopt;
        ++hits;
        return found->second;
    }
    void store(std::uint64_t key, std::span<const std::byte> bytes) override
    { blobs[key].assign(bytes.begin(), bytes.end()); }
    std::map<std::uint64_t, std::vector<std::byte>> blobs;
    int                                             hits = 0;
};

/// Two boxes crossing like a plus sign: one mesh that no convex shape covers closely.
Mesh cross_of_boxes()
{
    Mesh       m = box_mesh({0.5, 0.1, 0.1});
    const Mesh k = box_mesh({0.1, 0.5, 0.1});
    for (const Vec3d& p : k.points) m.points.push_back(p);
    for (const auto& t : k.triangles) m.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
    return m;
}

}  // namespace

TEST_CASE("the report of a mesh names what a collider must not have, and which way it faces (COL-149)")
{
    const auto turned = [](Mesh m, std::size_t every) {
        for (std::size_t t = 0; t < m.triangles.size(); t += every) std::swap(m.triangles[t][1], m.triangles[t][2]);
        return m;
    };
    const Mesh cube = box_mesh({0.5, 0.5, 0.5});
    const auto good = inspect_mesh(cube);
    CHECK(good.watertight());
    CHECK(good.orientation == Orientation::outward);
    CHECK(good.volume == close_to(1, 1e-12));
    CHECK(good.area == close_to(6, 1e-12));
    CHECK(good.components == 1);
    CHECK(good.self_intersections == 0);
    // Inertia of the unit cube of density 1: mass 1, centre at the origin, 1/6 on the diagonal, wound either way.
    for (const Mesh& m : {cube, turned(cube, 1)}) {
        const auto mass = mesh_mass(m, {1, 1, 1}, 1);
        CHECK(mass.mass == close_to(1, 1e-12));
        CHECK(length(mass.com) < 1e-12);
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t k = 0; k < 3; ++k) CHECK(mass.inertia(i, k) == close_to(i == k ? 1.0 / 6 : 0, 1e-12));
    }
    const auto inward = inspect_mesh(turned(cube, 1));
    CHECK(inward.watertight());
    CHECK(inward.orientation == Orientation::inward);
    CHECK(inward.volume == close_to(-1, 1e-12));
    const auto mixed = inspect_mesh(turned(cube, 5));
    CHECK(mixed.orientation == Orientation::mixed);
    CHECK(mixed.faults.winding_edges > 0);
    CHECK(!mixed.watertight());
    Mesh open = cube;
    open.triangles.resize(10);  // without the face +x
    CHECK(!inspect_mesh(open).watertight());
    CHECK(inspect_mesh(open).faults.boundary_edges == 4);
    CHECK(inspect_mesh(open).orientation == Orientation::open);
    Mesh split;  // every triangle has points of its own, as exporters write seams
    for (const auto& t : cube.triangles) {
        const auto first = static_cast<std::int32_t>(split.points.size());
        for (const std::int32_t v : t) split.points.push_back(cube.points[static_cast<std::size_t>(v)]);
        split.triangles.push_back({first, first + 1, first + 2});
    }
    CHECK(inspect_mesh(split).watertight());
    CHECK(inspect_mesh(cross_of_boxes()).self_intersections > 0);
    CHECK(inspect_mesh(cross_of_boxes()).components == 2);
    // Two boxes whose edges meet each other's faces on their diagonals: no edge goes through the inside of a triangle.
    const auto beside = [&](const Vec3d& by) {
        Mesh both = cube;
        for (const Vec3d& p : cube.points) both.points.push_back(p + by);
        for (const auto& t : cube.triangles) both.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
        return inspect_mesh(both).self_intersections;
    };
    const double half = 0.5 * (bounds(cube).upper.x - bounds(cube).lower.x);
    CHECK(beside({half, half, half}) > 0);
    CHECK(beside({half, half, 2 * half}) == 0);           // face on face
    CHECK(beside({2 * half, 2 * half, 0}) == 0);          // edge on edge
    CHECK(beside({2 * half + 1e-3, half, half}) == 0);    // apart
    CHECK(beside({2 * half - 1e-3, 0.9 * half, 0}) > 0);  // a little in each other
    Mesh fin = cube;
    fin.points.push_back({0, 0, 2});
    fin.triangles.push_back({0, 1, 8});
    CHECK(inspect_mesh(fin).faults.non_manifold_edges == 1);
}

TEST_CASE("each method gives what it says, and what it cannot do a simpler one does (COL-145)")
{
    Diagnostics        found;
    PreparationOptions o;
    const auto         parts = prepare_mesh(gear(6, 0.3, 0.5, 0.1), o, nullptr, found);
    REQUIRE(parts.has_value());
    CHECK(parts->method == Preparation::decomposition);
    CHECK(parts->parts.size() > 1);
    o.method        = Preparation::hull;
    const auto hull = prepare_mesh(gear(6, 0.3, 0.5, 0.1), o, nullptr, found);
    REQUIRE(hull.has_value());
    CHECK(hull->parts.size() == 1);
    CHECK(hull->parts[0].is_convex);
    o.method               = Preparation::simplification;
    o.simplification.ratio = 0.25;
    const Mesh ball        = icosphere(3, 0.5);
    const auto fewer       = prepare_mesh(ball, o, nullptr, found);
    REQUIRE(fewer.has_value());
    CHECK(fewer->parts[0].triangles.size() <= ball.triangles.size() / 3);
    CHECK(is_closed(fewer->parts[0]));
    CHECK(found.size() == 0);
    // Three times the same point spans nothing: no parts, no hull, and at last the box.
    Mesh line;
    line.points    = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    line.triangles = {{0, 1, 2}};
    o.method       = Preparation::decomposition;
    const auto box = prepare_mesh(line, o, nullptr, found);
    REQUIRE(box.has_value());
    CHECK(box->method == Preparation::box);
    CHECK(found.count("GEOMETRY_FALLBACK") == 2);
    CHECK(!prepare_mesh(Mesh{}, o, nullptr, found).has_value());
}

TEST_CASE("a limit of vertices is one of each hull, not of their number (COL-144)")
{
    Diagnostics        found;
    PreparationOptions o;
    o.decomposition.concavity         = 0.01;
    o.decomposition.hull.max_vertices = 8;
    const auto parts                  = prepare_mesh(gear(12, 0.35, 0.5, 0.1), o, nullptr, found);
    REQUIRE(parts.has_value());
    CHECK(parts->parts.size() > 8);
    for (const Mesh& part : parts->parts) CHECK(part.points.size() <= 8);
}

TEST_CASE("a time limit ends the cutting with the hulls so far, and nothing unfinished is kept")
{
    MemoryCache        cache;
    Diagnostics        found;
    PreparationOptions o;
    o.time_limit    = 0;
    const auto none = prepare_mesh(gear(6, 0.3, 0.5, 0.1), o, &cache, found);
    REQUIRE(none.has_value());
    CHECK(none->cut_short);
    CHECK(none->parts.size() == 1);  // one component, not cut at all
    CHECK(cache.blobs.empty());
    o.time_limit = 1e9;
    CHECK(prepare_mesh(gear(6, 0.3, 0.5, 0.1), o, &cache, found)->parts.size() > 1);
    CHECK(cache.blobs.size() == 1);
}

TEST_CASE("a cached field is bit-identical, and another vertex or option finds nothing (COL-116)")
{
    const TemporaryFolder folder;
    DiskCache             cache(folder.path() / "fields");
    Mesh                  mesh = gear(5, 0.3, 0.5, 0.1);
    SdfOptions            o;
    o.max_resolution = 32;
    const auto built = cached_sdf(mesh, o, nullptr);
    REQUIRE(built.has_value());
    const auto stored = cached_sdf(mesh, o, &cache);
    const auto files  = [&] {
        std::size_t n = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path() / "fields")) {
            if (!entry.is_regular_file() || entry.path().filename() == "CACHEDIR.TAG") continue;
            CHECK(entry.path().extension() == ".blob");  // nothing written aside is left
            ++n;
        }
        return n;
    };
    CHECK(files() == 1);
    const auto again = cached_sdf(mesh, o, &cache);
    CHECK(files() == 1);
    CHECK(again->to_bytes() == built->to_bytes());
    CHECK(stored->to_bytes() == built->to_bytes());
    mesh.points[3].z += 1e-9;
    CHECK(cached_sdf(mesh, o, &cache).has_value());
    CHECK(files() == 2);
    o.band_outer = 0.11;
    CHECK(cached_sdf(mesh, o, &cache).has_value());
    CHECK(files() == 3);
    // A damaged file counts as none: the field is built again, and right.
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path() / "fields")) {
        if (entry.path().extension() != ".blob") continue;
        std::fstream f(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
        f.seekp(200);
        f.put('!');
    }
    mesh = gear(5, 0.3, 0.5, 0.1), o.band_outer = 0.1;
    CHECK(cached_sdf(mesh, o, &cache)->to_bytes() == built->to_bytes());
}

TEST_CASE("prepared meshes come back from the cache as they were")
{
    MemoryCache        cache;
    Diagnostics        found;
    PreparationOptions o;
    const Mesh         mesh  = gear(6, 0.3, 0.5, 0.1);
    const auto         first = prepare_mesh(mesh, o, &cache, found), second = prepare_mesh(mesh, o, &cache, found);
    CHECK(!first->cached);
    CHECK(second->cached);
    REQUIRE(first->parts.size() == second->parts.size());
    for (std::size_t i = 0; i < first->parts.size(); ++i) {
        CHECK(first->parts[i].points == second->parts[i].points);
        CHECK(first->parts[i].triangles == second->parts[i].triangles);
    }
    o.decomposition.concavity = 0.02;
    CHECK(!prepare_mesh(mesh, o, &cache, found)->cached);
}

TEST_CASE("processes that fill one cache at once leave whole files only")
{
    const TemporaryFolder  folder;
    std::vector<std::byte> blob(1 << 20);
    for (std::size_t i = 0; i < blob.size(); ++i) blob[i] = static_cast<std::byte>(i * 31);
    std::vector<pid_t> children;
    for (int child = 0; child < 4; ++child) {
        const pid_t pid = fork();
        if (pid == 0) {
            DiskCache cache(folder.path());
            bool      sound = true;
            for (int i = 0; i < 50; ++i) {
                cache.store(7, blob);
                const auto read = cache.load(7);
                sound           = sound && read && *read == blob;
            }
            _exit(sound ? 0 : 1);
        }
        children.push_back(pid);
    }
    for (const pid_t pid : children) {
        int status = 0;
        waitpid(pid, &status, 0);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
    }
}

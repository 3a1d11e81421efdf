#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <vector>

#include "mechane/geometry/kept.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::geometry;
namespace fs = std::filesystem;

namespace {

/// A bumpy ball of many triangles, another one for each seed.
Mesh ball(Random& random, int rings)
{
    Mesh      mesh;
    const int around = 2 * rings;
    for (int r = 0; r <= rings; ++r)
        for (int a = 0; a < around; ++a) {
            const double polar = kPi * r / rings, turn = 2 * kPi * a / around;
            const double size = r == 0 || r == rings ? 1 : 1 + random.uniform(0, 0.2);
            mesh.points.push_back(
                size * Vec3d{std::sin(polar) * std::cos(turn), std::sin(polar) * std::sin(turn), std::cos(polar)});
        }
    const auto at = [&](int r, int a) { return static_cast<std::int32_t>(r * around + a % around); };
    for (int r = 0; r < rings; ++r)
        for (int a = 0; a < around; ++a) {
            mesh.triangles.push_back({at(r, a), at(r + 1, a), at(r + 1, a + 1)});
            mesh.triangles.push_back({at(r, a), at(r + 1, a + 1), at(r, a + 1)});
        }
    return mesh;
}

/// Everything that is kept of a mesh, as bytes.
std::vector<std::byte> all_of(const Mesh& mesh)
{
    std::vector<std::byte> out;
    const auto             add = [&](const Mesh& made) {
        const auto points = std::as_bytes(std::span(made.points)), triangles = std::as_bytes(std::span(made.triangles));
        out.insert(out.end(), points.begin(), points.end());
        out.insert(out.end(), triangles.begin(), triangles.end());
        out.push_back(static_cast<std::byte>(made.is_convex));
    };
    const auto hull = kept_hull(mesh.points, {.max_vertices = 100});
    REQUIRE(hull);
    add(*hull);
    const auto parts = kept_decomposition(mesh, {.concavity = 0.2, .max_hulls = 4});
    REQUIRE(parts);
    for (const Mesh& part : *parts) add(part);
    add(kept_simplification(mesh));
    SdfOptions options;
    options.max_resolution = 16;
    const auto field       = kept_sdf(mesh, options);
    REQUIRE(field);
    const auto bytes = field->to_bytes();
    out.insert(out.end(), bytes.begin(), bytes.end());
    return out;
}

std::vector<fs::path> entries_of(const fs::path& folder)
{
    std::vector<fs::path> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".blob") out.push_back(entry.path());
    return out;
}

/// The cache of this process for the length of a test.
struct Shared {
    explicit Shared(const fs::path& folder) { set_shared_cache(std::make_shared<DiskCache>(folder)); }
    ~Shared() { set_shared_cache(nullptr); }
    Shared(const Shared&)            = delete;
    Shared& operator=(const Shared&) = delete;
};

}  // namespace

TEST_CASE(
    "hulls, parts, simplified meshes and fields have the same bytes without a cache, at its first use and at its "
    "second")
{
    test::for_seeds(4, [](Random& random) {
        const test::TemporaryFolder folder;
        const Mesh                  mesh    = ball(random, 24);
        const auto                  without = all_of(mesh);
        const Shared                shared(folder.path());
        CHECK(all_of(mesh) == without);
        CHECK(entries_of(folder.path()).size() == 4);
        CHECK(all_of(mesh) == without);
        CHECK(entries_of(folder.path()).size() == 4);
    });
}

TEST_CASE("a point, a triangle or an option that differs finds nothing that was kept of another")
{
    test::for_seeds(4, [](Random& random) {
        const test::TemporaryFolder folder;
        Mesh                        mesh = ball(random, 24);
        const Shared                shared(folder.path());
        (void)all_of(mesh);
        Mesh other = mesh;
        other.points[random.below(static_cast<std::uint32_t>(other.points.size()))].x += 1e-9;
        const auto kept = all_of(other);
        CHECK(entries_of(folder.path()).size() == 8);
        set_shared_cache(nullptr);
        CHECK(all_of(other) == kept);
    });
}

TEST_CASE("damaged entries of prepared geometry are ignored and made again")
{
    test::for_seeds(6, [](Random& random) {
        const test::TemporaryFolder folder;
        const Mesh                  mesh    = ball(random, 24);
        const auto                  without = all_of(mesh);
        const Shared                shared(folder.path());
        (void)all_of(mesh);
        for (const fs::path& file : entries_of(folder.path())) {
            const auto size = static_cast<std::uint32_t>(fs::file_size(file));
            if (random.below(2) == 0) {
                fs::resize_file(file, random.below(size));
            } else {
                std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
                stream.seekp(random.below(size));
                stream.put('!');
                stream.put('?');
            }
        }
        CHECK(all_of(mesh) == without);
        CHECK(all_of(mesh) == without);
    });
}

TEST_CASE("processes that prepare the same meshes at once get the same bytes, and leave whole entries only")
{
    const test::TemporaryFolder folder;
    Random                      random(5);
    const Mesh                  mesh    = ball(random, 24);
    const auto                  without = all_of(mesh);
    std::vector<pid_t>          children;
    for (int child = 0; child < 4; ++child) {
        const pid_t pid = fork();
        if (pid == 0) {
            set_shared_cache(std::make_shared<DiskCache>(folder.path()));
            bool same = true;
            for (int i = 0; i < 3; ++i) same = same && all_of(mesh) == without;
            _exit(same ? 0 : 1);
        }
        children.push_back(pid);
    }
    for (const pid_t pid : children) {
        int status = 0;
        waitpid(pid, &status, 0);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
    }
    CHECK(entries_of(folder.path()).size() == 4);
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
        CHECK(!entry.path().filename().string().starts_with(".mechane-"));
}

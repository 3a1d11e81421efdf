#include "mechane/files/side_files.h"

#include <filesystem>

#include "mechane/files/codes.h"
#include "mechane/files/read.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::files;
namespace fs = std::filesystem;

namespace {

struct Folder : test::TemporaryFolder {
    [[nodiscard]] std::string at(const std::string& name) const { return (path() / name).string(); }
    [[nodiscard]] bool        has(const std::string& name) const { return fs::exists(path() / name); }
    [[nodiscard]] std::string read(const std::string& name) const { return files::read(at(name)).value_or("nothing"); }
};

}  // namespace

TEST_CASE("side files never replace what no earlier result of the same name left")
{
    const Folder f;
    f.write("r_meshes/a.obj", "precious");
    const auto refused = replace_with_sides(f.at("r.urdf"), "robot", {{"r_meshes/a.obj", "mesh"}});
    REQUIRE(!refused);
    CHECK(refused.error().id == kFolder.id);
    CHECK(f.read("r_meshes/a.obj") == "precious");
    CHECK(!f.has("r.urdf"));
    // The same bytes are no loss.
    CHECK(replace_with_sides(f.at("r.urdf"), "robot", {{"r_meshes/a.obj", "precious"}}));
}

TEST_CASE("a result replaces its own side files, and what it no longer needs goes")
{
    const Folder f;
    REQUIRE(replace_with_sides(f.at("r.urdf"), "one", {{"r_meshes/a.obj", "a1"}, {"r_meshes/b.obj", "b1"}}));
    REQUIRE(replace_with_sides(f.at("r.urdf"), "two", {{"r_meshes/a.obj", "a2"}}));
    CHECK(f.read("r.urdf") == "two");
    CHECK(f.read("r_meshes/a.obj") == "a2");
    CHECK(!f.has("r_meshes/b.obj"));
    // What somebody changed since stays, and is not replaced.
    f.write("r_meshes/a.obj", "by hand");
    CHECK(!replace_with_sides(f.at("r.urdf"), "three", {{"r_meshes/a.obj", "a3"}}));
    CHECK(f.read("r.urdf") == "two");
    CHECK(replace_with_sides(f.at("r.urdf"), "four", {{"r_meshes/c.obj", "c"}}));
    CHECK(f.read("r_meshes/a.obj") == "by hand");
}

TEST_CASE("two results may share side files of equal bytes, and neither changes those of the other")
{
    const Folder f;
    REQUIRE(replace_with_sides(f.at("r.urdf"), "urdf", {{"r_meshes/a.obj", "a"}}));
    REQUIRE(replace_with_sides(f.at("r.sdf"), "sdf", {{"r_meshes/a.obj", "a"}, {"r_meshes/b.obj", "b"}}));
    CHECK(!replace_with_sides(f.at("r.sdf"), "sdf", {{"r_meshes/a.obj", "other"}}));
    CHECK(f.read("r_meshes/a.obj") == "a");
    // A file that one of them gives up stays for the other.
    REQUIRE(replace_with_sides(f.at("r.sdf"), "sdf", {{"r_meshes/b.obj", "b"}}));
    CHECK(f.read("r_meshes/a.obj") == "a");
}

TEST_CASE("a side file without a folder goes with its result alone")
{
    const Folder f;
    f.write("r.bin", "precious");
    CHECK(!replace_with_sides(f.at("r.gltf"), "scene", {{"r.bin", "bytes"}}));
    CHECK(f.read("r.bin") == "precious");
    fs::remove(f.at("r.bin"));
    REQUIRE(replace_with_sides(f.at("r.gltf"), "scene", {{"r.bin", "bytes"}}));
    REQUIRE(replace_with_sides(f.at("r.gltf"), "scene 2", {{"r.bin", "other"}}));
    CHECK(f.read("r.bin") == "other");
}

#include "support/support.h"

#include "mechane/sourceformats/codes.h"
#include "mechane/sourceformats/convert.h"

using namespace mechane;
using namespace mechane::sourceformats;
using mechane::test::close_to;

namespace {

std::string       robot(const std::string& inside) { return "<robot name=\"r\">\n" + inside + "\n</robot>\n"; }
const std::string kMass =
    "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";

}  // namespace

TEST_CASE("a document type is refused, whatever it declares")
{
    for (const char* doctype : {"<!DOCTYPE robot [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>",
                                "<!DOCTYPE robot SYSTEM \"file:///etc/passwd\">", "<!DOCTYPE robot>"}) {
        CAPTURE(doctype);
        const auto read = read_robot_text(std::string(doctype) + robot("<link name=\"a\"/>"), ".");
        REQUIRE(!read);
        CHECK(read.error().id == kXmlRefused.id);
    }
}

TEST_CASE("of a file that ends in the middle what stands before is read, and the line of the fault is named")
{
    const auto read =
        read_robot_text("<robot name=\"r\">\n<link name=\"a\">" + kMass + "</link>\n<link name=\"b\">\n<oops", ".");
    REQUIRE(read);
    CHECK(read->tree.links.size() == 2);
    const Diagnostic* d = read->found.find(kXmlInvalid.id);
    REQUIRE(d != nullptr);
    CHECK(d->site.line >= 4);
}

TEST_CASE("what is no XML, or no robot, is refused")
{
    for (const char* text : {"", "   ", "hello", "<", "\xff\xfe\x00", "<a/>", "<svg/>"}) {
        CAPTURE(text);
        CHECK(!read_robot_text(text, "."));
    }
}

TEST_CASE("elements that are nested without end are cut off with a finding")
{
    std::string deep = "<robot name=\"r\"><link name=\"a\"/>";
    for (int i = 0; i < 100000; ++i) deep += "<x>";
    const auto read = read_robot_text(deep, ".");
    REQUIRE(read);
    CHECK(read->found.find(kLimit.id) != nullptr);
}

TEST_CASE("numbers that are none give a finding with the line, and the default counts")
{
    for (const char* value : {"nan", "inf", "1e999", "one", "1,5", "1 2", ""}) {
        CAPTURE(value);
        const auto read = read_robot_text(
            robot("<link name=\"a\">\n<inertial><mass value=\"" + std::string(value) + "\"/></inertial></link>"), ".");
        REQUIRE(read);
        const Diagnostic* d = read->found.find(kNumber.id);
        REQUIRE(d != nullptr);
        CHECK(d->site.line == 3);
        CHECK(!read->tree.links[0].inertial);
    }
}

TEST_CASE(
    "names that come twice, links that are not there, two parents and cycles cost what they concern and nothing else")
{
    const auto read =
        read_robot_text(robot("<link name=\"a\">" + kMass + "</link><link name=\"a\">" + kMass +
                              "</link><link name=\"b\">" + kMass + "</link><link name=\"c\">" + kMass +
                              "</link>"
                              "<joint name=\"ab\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>"
                              "<joint name=\"bc\" type=\"fixed\"><parent link=\"b\"/><child link=\"c\"/></joint>"
                              "<joint name=\"ca\" type=\"fixed\"><parent link=\"c\"/><child link=\"a\"/></joint>"
                              "<joint name=\"ac\" type=\"fixed\"><parent link=\"a\"/><child link=\"c\"/></joint>"
                              "<joint name=\"self\" type=\"fixed\"><parent link=\"a\"/><child link=\"a\"/></joint>"
                              "<joint name=\"none\" type=\"fixed\"><parent link=\"a\"/><child link=\"zz\"/></joint>"),
                        ".");
    REQUIRE(read);
    CHECK(read->tree.links.size() == 4);
    CHECK(read->tree.joints.size() == 2);
    CHECK(read->found.count(kDuplicate.id) == 1);
    CHECK(read->found.count(kTree.id) == 4);  // two parents, the cycle, the joint with itself, two roots
    CHECK(read->found.count(kUnknownName.id) == 1);
}

TEST_CASE("hostile numbers of mesh files never reach memory that is not there")
{
    const test::TemporaryFolder folder;
    std::string                 stl(84, '\0');
    stl[80] = stl[81] = stl[82] = stl[83] = '\xff';
    folder.write("a.stl", stl);
    folder.write("b.obj", "v 0 0 0\nv 1 0 0\nf 1 2 3\nf -9 -8 -7\nf 99999999999 1 2\n");
    folder.write("c.ply",
                 "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nend_header\n");
    folder.write("d.glb", std::string("glTF\x02\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff", 16) + "JSON{}");
    folder.write(
        "e.gltf",
        R"({"asset":{},"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":7}]}],"accessors":[{"count":9e9,"componentType":5126,"type":"VEC3","bufferView":0}]})");
    folder.write("f.dae",
                 "<COLLADA><library_geometries><geometry><mesh><triangles><p>9 9 "
                 "9</p></triangles></mesh></geometry></library_geometries></COLLADA>");
    folder.write("g.msh", std::string("\xff\xff\xff\x7f\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\x7f", 16));
    std::string text;
    for (const char* file : {"a.stl", "b.obj", "c.ply", "d.glb", "e.gltf", "f.dae", "g.msh"})
        text += "<visual><geometry><mesh filename=\"" + std::string(file) + "\"/></geometry></visual>\n";
    const auto read = read_robot_text(robot("<link name=\"a\">" + text + "</link>"), folder.path().string());
    REQUIRE(read);
    CHECK(read->tree.shapes.empty());
    CHECK(read->found.count(kMeshInvalid.id) == 7);
}

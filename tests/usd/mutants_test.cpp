// A thousand damaged crates: each is refused or read, and the program goes on.
#include <algorithm>
#include <fstream>
#include <iterator>

#include "mechane/math/random.h"
#include "mechane/usd/edit.h"
#include "mechane/usd/layer.h"
#include "mechane/usd/stage.h"
#include "support/support.h"

using namespace mechane;

namespace {

/// What crates hold in ways of their own: compressed integers and floats, time samples, dictionaries, list operations,
/// references, payloads, variants, strings, asset paths, matrices, long token lists.
constexpr const char* kRich = R"(#usda 1.0
(
    defaultPrim = "r"
    metersPerUnit = 1
    customLayerData = {
        dictionary nested = {
            string author = "nobody"
            int[] numbers = [1, 2, 3]
        }
    }
)
def Xform "r" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    prepend variantSets = "shape"
    variants = {
        string shape = "round"
    }
)
{
    float physics:mass = 2
    matrix4d xformOp:transform = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (4, 5, 6, 1) )
    uniform token[] xformOpOrder = ["xformOp:transform"]
    int[] many = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584, 4181, 6765, 10946]
    float[] reals = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]
    double3 moving.timeSamples = {
        0: (0, 0, 0),
        1: (1, 0, 0),
        2: None,
        3: (1, 2, 3),
    }
    string said = "something"
    asset picture = @./picture.png@
    def Mesh "mesh"
    {
        int[] faceVertexCounts = [3, 3]
        int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
        rel material:binding = </r/material>
    }
    def Material "material"
    {
        token outputs:surface.connect = </r/material/shader.outputs:surface>
        def Shader "shader"
        {
            token outputs:surface
        }
    }
    def "other" (
        prepend references = </r/mesh>
        prepend payload = </r/material>
        inherits = </c>
    )
    {
    }
    variantSet "shape" = {
        "round" {
            def Sphere "ball"
            {
                double radius = 0.25
            }
        }
        "flat" {
            def Cube "box"
            {
            }
        }
    }
}
class "c"
{
    custom bool flag = 1
}
)";

std::string contents(const std::string& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// One or two wounds: flipped bits, overwritten bytes and words, copied stretches; now and then a hole or a cut end.
std::string wounded(std::string bytes, Random& random)
{
    const auto below = [&](std::size_t end) { return random.below(static_cast<std::uint32_t>(end)); };
    for (std::size_t wounds = 1 + below(2); wounds-- > 0 && bytes.size() > 64;) {
        const std::size_t at = below(bytes.size() - 16);
        switch (below(16)) {
            case 0:
                bytes.erase(at, 1 + below(3));
                break;  // everything behind it moves
            case 1:
                bytes.resize(at);
                break;
            case 2:
            case 3:
                bytes.replace(at, 4, std::string(4, below(2) == 0 ? '\xff' : '\0'));
                break;
            case 4:
            case 5:
                bytes.replace(at, 8, std::string(7, '\0') + static_cast<char>(below(256)));
                break;
            case 6:
            case 7:
                bytes.replace(at, 16, bytes.substr(below(bytes.size() - 16), 16));
                break;
            case 8:
            case 9:
                bytes[at] = static_cast<char>(below(256));
                break;
            default:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
                break;
        }
    }
    return bytes;
}

/// Touches everything that a reader would.
std::size_t read_all(const usd::Stage& stage)
{
    std::size_t values = 0;
    for (const usd::Prim& prim : stage.traverse({.all = true})) {
        (void)prim.metadata("kind");
        for (const usd::Token& name : prim.authored_property_names()) {
            values += prim.attribute(name).value().empty() ? 0U : 1U;
            (void)prim.attribute(name).value(1.5);
            (void)prim.attribute(name).connections();
            (void)prim.relationship(name).targets();
        }
    }
    return values;
}

}  // namespace

TEST_CASE("a thousand mutants of good crates are refused or read, and none ends the program")
{
    const test::TemporaryFolder folder;
    const std::string           rich  = (folder.path() / "rich.usdc").string();
    const auto                  layer = usd::Layer::from_text(kRich);
    REQUIRE_MESSAGE(layer, (layer ? "" : layer.error().message));
    REQUIRE(layer->save(rich));
    std::vector<std::string> good{contents(rich)};
    if (const auto corpus = test::corpus())
        for (const char* file : {"robots-mjcf/newton/nv_ant/ant.usdc", "robots-mjcf/dm_control/cheetah/cheetah.usdc"})
            if (std::string bytes = contents((*corpus / file).string()); !bytes.empty()) good.push_back(bytes);
    int    opened = 0, refused = 0;
    Random random(20260711);
    for (int i = 0; i < 1000; ++i) {
        CAPTURE(i);
        const std::string bytes = wounded(good[static_cast<std::size_t>(i) % good.size()], random);
        const auto        stage = usd::Stage::open(folder.write("mutant.usdc", bytes));
        if (stage) {
            ++opened;
            (void)read_all(**stage);
        } else {
            ++refused;
            CHECK_FALSE(stage.error().message.empty());
        }
    }
    MESSAGE("opened ", opened, ", refused ", refused);
    CHECK(opened > 50);  // many wounds hit a value's bytes only
    CHECK(refused > 100);
}

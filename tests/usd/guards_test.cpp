// Files that are damaged or made to do harm: refused with a finding, or opened, never worse.
#include <cstdint>
#include <fstream>
#include <iterator>

#include "mechane/usd/edit.h"
#include "mechane/usd/stage.h"
#include "support/support.h"

using namespace mechane;
using usd::Path;

namespace {

std::string nested(const std::string& open, int levels, const std::string& close)
{
    std::string out;
    for (int i = 0; i < levels; ++i) out += open;
    for (int i = 0; i < levels; ++i) out += close;
    return out;
}

/// Touches everything that a reader would.
void read_all(const usd::Stage& stage)
{
    for (const usd::Prim& prim : stage.traverse({.all = true})) {
        (void)prim.metadata("kind");
        for (const usd::Token& name : prim.authored_property_names()) {
            (void)prim.attribute(name).value();
            (void)prim.attribute(name).value(1.0);
            (void)prim.relationship(name).targets();
        }
    }
}

std::string contents(const std::string& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// A crate with every kind of section: prims below prims, targets, samples, tokens, arrays, API schemas.
std::string sample_crate(const test::TemporaryFolder& folder)
{
    usd::LayerWriter writer;
    writer.set_default_prim("r");
    writer.define_prim(Path("/r"), "Xform");
    writer.apply_api(Path("/r"), "PhysicsRigidBodyAPI");
    writer.set_tokens(Path("/r.xformOpOrder"), {"xformOp:translate"}, true);
    for (int i = 0; i < 20; ++i) writer.set_vec3_sample(Path("/r.xformOp:translate"), "double3", i, {1.0 * i, 2, 3});
    for (int i = 0; i < 10; ++i) {
        const Path child = Path("/r").child("c" + std::to_string(i));
        writer.define_prim(child, "Sphere");
        writer.set_double(child.property("radius"), "double", 0.5 + i);
        writer.set_targets(child.property("physics:simulationOwner"), {Path("/r"), child});
    }
    const std::string file = (folder.path() / "good.usdc").string();
    REQUIRE(writer.save(file));
    return contents(file);
}

}  // namespace

TEST_CASE("text nested too deeply is refused before the parser sees it, whatever nests")
{
    const std::string head = "#usda 1.0\ndef \"a\"\n{\n", tail = "\n}\n";
    const struct {
        const char* what;
        std::string text;
    } table[] = {
        {"tuples", head + "custom double x = " + nested("(", 5000, ")") + tail},
        {"lists", head + "custom int[] x = " + nested("[", 5000, "]") + tail},
        {"prims", "#usda 1.0\n" + nested("def \"a\"\n{\n", 5000, "}\n")},
        {"dictionaries", "#usda 1.0\n(\ncustomLayerData = {\n" + nested("dictionary a = {\n", 5000, "}\n") + "}\n)\n"},
        {"path expressions", head + "custom pathExpression x = \"" + nested("(", 20000, ")") + "\"" + tail},
        {"unclosed", head + "custom double x = " + std::string(5000, '(') + tail},
    };
    for (const auto& row : table) {
        CAPTURE(row.what);
        const auto stage = usd::Stage::open_text(row.text);
        REQUIRE_FALSE(stage);
        CHECK(stage.error().id == "STAGE_LIMIT");
        CHECK(stage.error().site.line >= 2);
    }
}

TEST_CASE("brackets in strings, comments and asset paths do not count as nesting")
{
    const std::string brackets(1000, '(');
    const auto        stage = usd::Stage::open_text(
        "#usda 1.0\n# " + brackets + "\ndef \"a\"\n{\n    custom string s = \"" + brackets +
        "\"\n    custom string t = '''\n" + brackets + "'\\'\n'''\n" + "    custom asset f = @./a#[" + brackets +
        "@\n    custom asset g = @@@b@" + brackets + "@@@\n    custom double x = 2\n}\n");
    REQUIRE_MESSAGE(stage, (stage ? "" : stage.error().message));
    CHECK((*stage)->prim_at(Path("/a")).attribute("x").get<double>() == 2.0);
}

TEST_CASE("a layer that an arc leads to is guarded like the root, and named in the finding")
{
    const test::TemporaryFolder folder;
    folder.write("deep.usda", "#usda 1.0\ndef \"a\"\n{\n    custom double x = " + std::string(5000, '(') + "\n}\n");
    folder.write("liar.usdc", "PXR-USDC" + std::string(8, '\0') + std::string(8, '\x7f') + std::string(200, '\0'));
    for (const char* arc :
         {"references = @./deep.usda@</a>", "payload = @./deep.usda@</a>", "references = @./liar.usdc@</a>"}) {
        CAPTURE(arc);
        const auto stage = usd::Stage::open(
            folder.write("root.usda", std::string("#usda 1.0\ndef \"a\" (\n    ") + arc + "\n)\n{\n}\n"));
        if (std::string(arc).find("deep") != std::string::npos) {  // a limit is an error (GAP-107)
            REQUIRE_FALSE(stage);
            CHECK(stage.error().id == "STAGE_LIMIT");
            CHECK(stage.error().site.layer.ends_with("deep.usda"));
            continue;
        }
        REQUIRE(stage);
        CHECK((*stage)->prim_at(Path("/a")));
        const auto* finding = (*stage)->diagnostics().find("STAGE_OPEN_FAILED");
        REQUIRE(finding != nullptr);
        CHECK(finding->site.layer.ends_with("liar.usdc"));
        CHECK((*stage)->diagnostics().count("COMP_ASSET_MISSING") == 1);
    }
    const auto sublayered = usd::Stage::open(
        folder.write("sub.usda", "#usda 1.0\n(\n    subLayers = [@./deep.usda@]\n)\ndef \"b\"\n{\n}\n"));
    REQUIRE_FALSE(sublayered);
    CHECK(sublayered.error().id == "STAGE_LIMIT");
}

TEST_CASE("a file that was refused opens once it is repaired")
{
    const test::TemporaryFolder folder;
    const std::string           file =
        folder.write("a.usda", "#usda 1.0\ndef \"a\"\n{\n    custom double x = " + std::string(5000, '(') + "\n}\n");
    CHECK_FALSE(usd::Stage::open(file));
    folder.write("a.usda", "#usda 1.0\ndef \"a\"\n{\n}\n");
    CHECK(usd::Stage::open(file));
}

TEST_CASE("folders, pipes and empty files are refused with their cause (STG-014, STG-015)")
{
    const test::TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() / "folder.usda");
    CHECK(usd::Stage::open((folder.path() / "folder.usda").string()).error().message == "this is a folder");
    CHECK(usd::Stage::open(folder.write("empty.usd", "")).error().message == "the file is empty");
    CHECK(usd::Stage::open(folder.write("random.usd", "neither text nor crate")).error().id == "STAGE_OPEN_FAILED");
    CHECK(usd::Stage::open(folder.write("bad.usdz", "PK\3\4 but no more")).error().id == "STAGE_OPEN_FAILED");
    CHECK(usd::Stage::open(folder.write("cookie.usdc", "#usda 1.0\n")).error().id == "STAGE_OPEN_FAILED");
}

TEST_CASE(
    "a crate cut at any length, or with any eight bytes replaced, is refused or read, and nothing worse (STG-132)")
{
    const test::TemporaryFolder folder;
    const std::string           good   = sample_crate(folder);
    int                         opened = 0, refused = 0;
    const auto                  attempt = [&](const std::string& bytes) {
        const auto stage = usd::Stage::open(folder.write("mutant.usdc", bytes));
        ++(stage ? opened : refused);
        if (stage)
            read_all(**stage);
        else
            CHECK_FALSE(stage.error().message.empty());
    };
    for (std::size_t size = 0; size < good.size(); size += 97) attempt(good.substr(0, size));
    CHECK(opened == 0);  // the table of contents is at the end
    constexpr std::uint64_t kValues[] = {0, 1, ~0ull, std::uint64_t{1} << 40, 0x7fffffffull, 0x8000000080000000ull};
    std::size_t             k         = 0;
    for (std::size_t at = 0; at + 8 <= good.size(); at += 8) {
        std::string         bytes = good;
        const std::uint64_t value = kValues[k++ % std::size(kValues)];
        bytes.replace(at, 8, reinterpret_cast<const char*>(&value), 8);
        CAPTURE(at);
        attempt(bytes);
    }
    CHECK(refused > 100);
}

TEST_CASE("every hostile file of the corpus has the outcome that its manifest states, within five seconds")
{
    MCH_NEEDS_CORPUS();
    enum Outcome { ok, compose_error, open_error, any };
    const struct {
        const char* file;
        Outcome     outcome;
    } table[] = {
        {"array_count_2e40.usdc", any},
        {"bad_magic.usdc", open_error},
        {"bitflips_a.usdc", any},
        {"bomb.usdz", open_error},
        {"count_lies.usdz", any},
        {"duplicate_entries.usdz", any},
        {"header_only.usdc", open_error},
        {"inherit_cycle.usda", compose_error},
        {"joint_cycle.usda", ok},
        {"latin1.usda", any},
        {"list_nesting.usda", open_error},
        {"long_tokens.usda", ok},
        {"many_sublayers.usda", compose_error},
        {"mesh_bad_indices.usda", ok},
        {"missing_payload.usda", compose_error},
        {"nan_values.usda", ok},
        {"nesting_400.usda", ok},
        {"nul_bytes.usda", any},
        {"number_overflow.usda", any},
        {"path_escape.usda", compose_error},
        {"self_reference.usda", compose_error},
        {"slip.usdz", any},
        {"sublayer_cycle/root.usda", compose_error},
        {"toc_count_huge.usdc", open_error},
        {"toc_offset_past_end.usdc", open_error},
        {"truncated.usdz", any},
        {"truncated_half.usdc", open_error},
        {"tuple_nesting.usda", open_error},
        {"unaligned.usdz", any},
        {"unterminated_string.usda", open_error},
        {"utf16.usda", open_error},
        {"zero_tail.usdc", any},
    };
    for (const auto& row : table) {
        CAPTURE(row.file);
        const auto stage = usd::Stage::open((*test::corpus() / "hostile" / row.file).string());
        if (stage) read_all(**stage);
        if (!stage) {
            CHECK(row.outcome != ok);
            CHECK(row.outcome != compose_error);
            CHECK_FALSE(stage.error().message.empty());
            continue;
        }
        CHECK(row.outcome != open_error);
        const bool composes = (*stage)->diagnostics().count("COMP_CYCLE") +
                                  (*stage)->diagnostics().count("COMP_ASSET_MISSING") +
                                  (*stage)->diagnostics().count("COMP_TARGET_PRIM_MISSING") ==
                              0;
        if (row.outcome == compose_error) CHECK_FALSE(composes);
        if (row.outcome == ok) CHECK(composes);
    }
}

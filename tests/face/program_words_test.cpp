#include "face/program_words.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "mechane/mechane.h"
#include "support/support.h"

using namespace mechane;
using face::in_program_words;

namespace {

std::string content(const std::filesystem::path& file)
{
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The first option of the command line that stands alone: outside of what is in backticks, and of 'mechane ...'.
std::string bare_option(std::string text)
{
    text = std::regex_replace(text, std::regex("`[^`]*`|'mechane [^']*'"), "");
    std::smatch found;
    return std::regex_search(text, found, std::regex("(^|[^A-Za-z0-9-])(--[a-z][a-z-]*)")) ? found[2].str() : "";
}

}  // namespace

TEST_CASE("an option of the command line becomes the field that a program writes")
{
    const struct {
        const char *shell, *program;
    } rows[] = {
        {"Set --option nested_bodies=schema.", "Set LoadOptions::options = {{\"nested_bodies\", \"schema\"}}."},
        {"leave --option xform=[x,y,z,qx,qy,qz,qw].",
         "leave LoadOptions::options = {{\"xform\", \"[x,y,z,qx,qy,qz,qw]\"}}."},
        {"or go on without them: --option allow_missing=true.",
         "or go on without them: LoadOptions::allow_missing = true."},
        {"Set --resolvers auto, or --option schema_resolvers=newton,physx.",
         "Set LoadOptions::resolvers = {\"auto\"}, or LoadOptions::resolvers = {\"newton\", \"physx\"}."},
        {"(--resolvers newton,mjc)", "(LoadOptions::resolvers = {\"newton\", \"mjc\"})"},
        {"Give its folder with --package NAME=FOLDER.",
         "Give its folder with packages[\"NAME\"] = \"FOLDER\" of LoadOptions or AssetOptions."},
        {"where they are: --search-path.", "where they are: search_paths of LoadOptions or AssetOptions."},
        {"or give --dt.", "or give SimulationOptions::dt."},
        {"no solver counts; --substeps refines a step", "no solver counts; SimulationOptions::substeps refines a step"},
        {"Give a height, as in --ground 0, to add one",
         "Give a height, as in LoadOptions::ground_height = 0, to add one"},
        {"--stage-limit prims=... allows more.",
         "usd::OpenOptions::limits (prims=...), a building block, allows more."},
        {"a value is chosen; --unsafe does it", "a value is chosen; FixSettings::unsafe does it"},
        {"--ignore RULE leaves it out.", "ignore of CheckSettings or FixSettings leaves it out."},
        // What only a command does is told with the command, once.
        {"--phases P8 splits the asset", "`mechane fix --phases P8` splits the asset"},
        {"as fix --realign-joints does", "as `mechane fix --realign-joints` does"},
        {"the states (--variants each)", "the states (`mechane check --variants each`)"},
        // Whole commands, dashes of words and what is no option stay.
        {"`mechane doctor --solvers` lists them", "`mechane doctor --solvers` lists them"},
        {"'mechane sim --help' has units", "'mechane sim --help' has units"},
        {"a well--known -- and old -o, --", "a well--known -- and old -o, --"},
        {"", ""},
    };
    for (const auto& [shell, program] : rows) CHECK(in_program_words(shell) == program);
    for (const auto& [shell, program] : rows)
        CHECK(in_program_words(program) == program);  // a second time changes nothing
}

TEST_CASE("no text of the rooms beneath names an option of the command line to a program")
{
    // Every text of a source that has an option in it, whether or not a program meets it.
    int                         texts = 0;
    const std::regex            literal("\"((?:[^\"\\\\]|\\\\.)*)\"");
    const std::filesystem::path root = MECHANE_SOURCE_DIR;
    for (const char* top : {"src", "include"})
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
            const auto file = entry.path();
            const auto room = std::filesystem::relative(file, root).string();
            if (room.starts_with("src/cli") || room.starts_with("src/python") || room.starts_with("src/face")) continue;
            if (file.extension() != ".cpp" && file.extension() != ".h") continue;
            const std::string text = content(file);
            // Texts that are continued on the next line are one.
            const std::string joined = std::regex_replace(text, std::regex("\"\\s*\\n\\s*\""), "");
            for (auto it = std::sregex_iterator(joined.begin(), joined.end(), literal); it != std::sregex_iterator();
                 ++it) {
                const std::string one = (*it)[1];
                if (bare_option(one).empty()) continue;
                CAPTURE(file.string());
                CAPTURE(one);
                ++texts;
                CHECK(bare_option(in_program_words(one)) == "");
            }
        }
    CHECK(texts > 40);
    // The simulation says nothing of a command line in the first place: its diagnostics pass no translation.
    for (const char* codes : {"src/include/mechane/simulation/codes.h", "include/mechane/solvers/codes.h",
                              "src/include/mechane/model/codes.h", "src/include/mechane/collision/codes.h",
                              "src/include/mechane/dynamics/codes.h", "src/include/mechane/device/codes.h",
                              "src/include/mechane/files/codes.h", "include/mechane/core/codes.h"})
        if (std::filesystem::exists(root / codes) && std::string(codes) != "src/include/mechane/files/codes.h")
            CHECK(bare_option(std::regex_replace(content(root / codes), std::regex("\"\\s*\\n\\s*\""), "")) == "");
}

TEST_CASE("what load, open, check and fix say names the fields of their options")
{
    const test::TemporaryFolder folder;
    const std::string           file = folder.write("robot.usda", R"(#usda 1.0
(
    defaultPrim = "robot"
)
def Xform "robot" (
    prepend references = @package://nowhere_at_all/arm.usda@
)
{
    def Cube "trunk" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
    )
    {
        double physxRigidBody:linearDamping = 0.1
    }
}
)");
    Diagnostics                 notes;
    const auto                  refused = load(file, {}, notes);
    REQUIRE(!refused);
    std::string all   = to_text(refused.error());
    const auto  model = load(file, {.resolvers = {"newton"}, .allow_missing = true}, notes);
    REQUIRE(model);
    for (const Diagnostic& one : notes) all += '\n' + to_text(one);
    CHECK(all.find("LoadOptions::allow_missing = true") != std::string::npos);
    CHECK(all.find("packages[\"NAME\"] = \"FOLDER\"") != std::string::npos);
    CHECK(all.find("LoadOptions::options = {{\"unauthored_units\", \"usd\"}}") != std::string::npos);
    CHECK(bare_option(all) == "");

    const Asset asset = Asset::open(file).expect();
    std::string more;
    for (const Diagnostic& one : asset.notes()) more += to_text(one) + '\n';
    for (const Finding& one : asset.check().expect()) more += to_text(one) + '\n';
    CHECK(more.find("packages[\"NAME\"]") != std::string::npos);
    if (const auto fixed = asset.fix((folder.path() / "fixed").string())) {
        for (const Finding& one : fixed->left) more += to_text(one) + '\n';
        for (const Diagnostic& one : fixed->notes) more += to_text(one) + '\n';
    } else {
        more += to_text(fixed.error());
    }
    CHECK(bare_option(more) == "");
}

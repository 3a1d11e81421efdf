// Crates of version 0.0.1, which nobody writes any more, hold their tables plainly. This one is made here.
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/usd/codes.h"
#include "mechane/usd/stage.h"
#include "mechane/usd/untrusted.h"
#include "support/support.h"

using namespace mechane;
using usd::Path;

namespace {

template <class T>
std::string number(T value)
{ return {reinterpret_cast<const char*>(&value), sizeof(T)}; }

std::string words(std::initializer_list<std::uint32_t> values)
{
    std::string out;
    for (const std::uint32_t value : values) out += number(value);
    return out;
}

/// A crate with one prim, `def "a"`. The numbers are indices, each of which a damaged file may have wrong.
struct OldCrate {
    std::uint32_t field_name = 0, string = 0, field = 0, spec_path = 1, spec_fields = 2, spec_kind = 6, tree_path = 1,
                  tree_name = 2;

    [[nodiscard]] std::string bytes() const
    {
        // Tokens: the names of two fields and of the prim.
        const std::string tokens = std::string("specifier") + '\0' + "primChildren" + '\0' + "a" + '\0';
        // Values: 64 bits, inlined (bit 62), type 42 (specifier) in bits 48 to 55, the specifier def is 0; and type 41
        // (a vector of tokens) at the place of the bytes behind the head of the file.
        const std::uint64_t is_def = (std::uint64_t{1} << 62) | (std::uint64_t{42} << 48);
        const std::uint64_t names  = (std::uint64_t{41} << 48) | 88;
        const std::vector<std::pair<std::string, std::string>> sections{
            {"TOKENS", number<std::uint64_t>(3) + number<std::uint64_t>(tokens.size()) + tokens},
            {"STRINGS", number<std::uint64_t>(1) + words({string})},
            {"FIELDS",
             number<std::uint64_t>(2) + words({0, field_name}) + number(is_def) + words({0, 1}) + number(names)},
            {"FIELDSETS", number<std::uint64_t>(4) + words({1, ~0u, field, ~0u})},
            // Depth-first: padding, index, name, flags (1: a child follows), padded to 16 bytes.
            {"PATHS", number<std::uint64_t>(2) + words({0, 0, 0, 1}) + words({0, tree_path, tree_name, 0})},
            // Padding, path, where its fields begin, kind (7: the layer's root, 6: a prim).
            {"SPECS", number<std::uint64_t>(2) + words({0, 0, 0, 7}) + words({0, spec_path, spec_fields, spec_kind})}};
        std::string body  = number<std::uint64_t>(1) + words({2}) + words({0});  // the names of the root's children
        std::string table = number<std::uint64_t>(sections.size());
        const std::size_t begin = 88;
        for (const auto& [name, content] : sections) {
            std::string padded = name;
            padded.resize(16, '\0');
            table += padded + number<std::int64_t>(static_cast<std::int64_t>(begin + body.size())) +
                     number<std::int64_t>(static_cast<std::int64_t>(content.size()));
            body += content;
        }
        std::string head = std::string("PXR-USDC") + std::string("\0\0\1\0\0\0\0\0", 8) +
                           number<std::int64_t>(static_cast<std::int64_t>(begin + body.size()));
        head.resize(begin, '\0');
        return head + body + table;
    }
};

}  // namespace

TEST_CASE("a crate of version 0.0.1 opens, and is refused when an index in its tables is wrong")
{
    const test::TemporaryFolder folder;
    const auto open = [&](const OldCrate& crate) { return usd::Stage::open(folder.write("old.usdc", crate.bytes())); };
    {  // as long as it is open, the layer is found under its name and not read again
        const auto good = open({});
        REQUIRE_MESSAGE(good, (good ? "" : good.error().message));
        REQUIRE((*good)->prim_at(Path("/a")));
        CHECK((*good)->prim_at(Path("/a")).specifier() == usd::Specifier::def);
    }
    const struct {
        const char* what;
        OldCrate    crate;
    } table[] = {
        {"a field's name", {.field_name = 3}},  // one byte of it ended the program once
        {"a field's name, far", {.field_name = 0x7fffffff}},
        {"a string's token", {.string = 3}},
        {"a set's field", {.field = 2}},
        {"a path's index, beyond the table", {.tree_path = 0x7fffffff}},  // and so did this one
        {"a path's index, twice", {.tree_path = 0}},
        {"a path's name", {.tree_name = 3}},
        {"a spec's path", {.spec_path = 2}},
        {"a spec's path, far", {.spec_path = 0xfffffff0}},
        {"a spec's fields", {.spec_fields = 4}},
        {"a spec's fields, in the middle of a set", {.spec_fields = 3}},
        {"a spec's kind", {.spec_kind = 12}},
    };
    for (const auto& row : table) {
        CAPTURE(row.what);
        const auto stage = open(row.crate);
        REQUIRE_FALSE(stage);
        CHECK(stage.error().id == "STAGE_OPEN_FAILED");
        CHECK(stage.error().message.find("damaged crate") == 0);
    }
}

TEST_CASE(
    "before a layer that the checks cannot look into is opened the first reader is asked, whatever arc leads to it")
{
    const test::TemporaryFolder folder;
    const std::string           old = folder.write("old.usdc", OldCrate().bytes());
    struct Asked {
        std::vector<std::string> files;
        bool                     dies = false;
    } asked;
    // One reader at a time is asked here, since each stage has one such layer.
    usd::set_first_reader([&](const std::string& file) -> std::optional<Diagnostic> {
        asked.files.push_back(file);
        if (!asked.dies) return std::nullopt;
        return make_diagnostic(usd::kReaderDied, {.layer = file}, "it died");
    });
    const std::string checked = folder.write("new.usda", "#usda 1.0\ndef \"a\"\n{\n}\n");
    REQUIRE(usd::Stage::open(checked));
    CHECK(asked.files.empty());
    for (const char* arc : {"references = @./old.usdc@</a>", "payload = @./old.usdc@</a>"}) {
        CAPTURE(arc);
        const std::string root =
            folder.write("root.usda", std::string("#usda 1.0\ndef \"b\" (\n    ") + arc + "\n)\n{\n}\n");
        for (const bool dies : {false, true}) {
            asked            = {{}, dies};
            const auto stage = usd::Stage::open(root);
            REQUIRE(stage);
            CHECK(asked.files == std::vector<std::string>{root});  // all of it is read, by way of the layer that is odd
            CHECK((*stage)->diagnostics().count("STAGE_READER_DIED") == (dies ? 1 : 0));
            CHECK((*stage)->diagnostics().count("COMP_ASSET_MISSING") == (dies ? 1 : 0));
            if (dies) CHECK((*stage)->diagnostics().find("STAGE_READER_DIED")->site.layer.ends_with("old.usdc"));
        }
    }
    const std::string sub = folder.write("sub.usda", "#usda 1.0\n(\n    subLayers = [@./old.usdc@]\n)\n");
    asked                 = {{}, true};
    const auto above      = usd::Stage::open(sub);
    REQUIRE(above);
    CHECK((*above)->diagnostics().count("STAGE_READER_DIED") == 1);
    CHECK_FALSE((*above)->prim_at(Path("/a")));
    const auto alone = usd::Stage::open(old);
    REQUIRE_FALSE(alone);
    CHECK(alone.error().id == "STAGE_READER_DIED");
    usd::set_first_reader({});
    CHECK(usd::Stage::open(old));
}

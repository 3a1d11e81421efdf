// Layers that the checks of their bytes do not cover are read by somebody else first (untrusted.h).
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/usd/codes.h"
#include "mechane/usd/layer.h"
#include "mechane/usd/stage.h"
#include "mechane/usd/untrusted.h"
#include "support/support.h"

using namespace mechane;

namespace {

/// While it lives, who is asked first is this one.
struct Reader {
    explicit Reader(bool died) : dies(died)
    {
        usd::set_first_reader([this](const std::string& file) -> std::optional<Diagnostic> {
            asked.push_back(file);
            if (!dies) return std::nullopt;
            return make_diagnostic(usd::kReaderDied, {.layer = file}, "it died");
        });
    }
    ~Reader() { usd::set_first_reader({}); }
    Reader(const Reader&)            = delete;
    Reader& operator=(const Reader&) = delete;

    bool                     dies;
    std::vector<std::string> asked;  // stages are opened by one thread here
};

}  // namespace

TEST_CASE("a layer with relocates is read by somebody else first, in every format")
{
    const test::TemporaryFolder folder;
    const std::string           world = "def \"w\"\n{\n    def \"a\"\n    {\n    }\n}\n";
    const struct {
        const char* what;
        std::string text;
        bool        relocates;
    } table[] = {
        {"of the layer", "#usda 1.0\n(\n    relocates = {\n        </w/a>: </w/b>\n    }\n)\n" + world, true},
        {"spelt widely", "#usda 1.0\n(\n    relocates  = { </w/a>: </w/b> }\n)\n" + world, true},
        {"the word alone", "#usda 1.0\n(\n    doc = \"nothing relocates\"\n)\n" + world, false},
        {"a prim of that name", "#usda 1.0\ndef \"relocates\"\n{\n}\n" + world, false},
    };
    int number = 0;
    for (const auto& row : table) {
        CAPTURE(row.what);
        const std::string stem  = std::to_string(number++);
        const std::string text  = folder.write(stem + ".usda", row.text);
        const auto        layer = usd::Layer::open(text);
        REQUIRE(layer);
        for (const char* suffix : {".usda", ".usdc", ".usdz"}) {
            const std::string file = (folder.path() / ("saved" + stem + suffix)).string();
            REQUIRE(layer->save(file));
            for (const bool dies : {false, true}) {
                CAPTURE(file);
                const Reader reader(dies);
                const auto   stage = usd::Stage::open(file);
                CHECK(reader.asked.size() == (row.relocates ? 1 : 0));
                CHECK(stage.has_value() == !(row.relocates && dies));
                if (!stage) CHECK(stage.error().id == "STAGE_READER_DIED");
            }
        }
    }
}

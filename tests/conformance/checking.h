#pragma once
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <string_view>

#include "mechane/conformance/check.h"
#include "mechane/usd/layer.h"
#include "support/support.h"

/// Checks of stages and folders that a test writes.
namespace mechane::conformance {

using Files = std::map<std::string, std::string>;

/// Stages written to a folder; "robot.usda" or "robot/robot.usda" is the entry.
inline Report checked_files(const Files& files, const usd::OpenOptions& options = {})
{
    const test::TemporaryFolder folder;
    std::string                 entry;
    for (const auto& [name, text] : files) {
        const std::string path = folder.write(name, text.starts_with("#usda") ? fixture_stage(text) : text);
        if (name.ends_with("robot.usda")) entry = path;
        if (!text.starts_with("#binary\n")) continue;
        auto layer = usd::Layer::from_text(fixture_stage(text.substr(8)));
        REQUIRE_MESSAGE(layer, (layer ? "" : layer.error().message));
        REQUIRE(layer->save(path, {.format = usd::SaveOptions::Format::binary}));
    }
    const auto stage = usd::Stage::open(entry, options);
    REQUIRE_MESSAGE(stage, (stage ? "" : stage.error().message));
    return *check(**stage, {});
}

inline Report checked(const std::string& usda)
{
    const auto stage = usd::Stage::open_text(fixture_stage(usda));
    REQUIRE_MESSAGE(stage, (stage ? "" : stage.error().message));
    return *check(**stage, {});
}

inline std::size_t count(const Report& report, std::string_view id, std::string_view variant = {})
{
    std::size_t n = 0;
    for (const Finding& f : report.findings) n += f.rule->id == id && (variant.empty() || f.variant == variant);
    return n;
}

inline const Finding* find(const Report& report, std::string_view id)
{
    for (const Finding& f : report.findings)
        if (f.rule->id == id) return &f;
    return nullptr;
}

inline std::string listed(const Report& report)
{
    std::string text;
    for (const Finding& f : report.findings)
        text += std::string(f.rule->id) + (f.variant.empty() ? "" : "/" + f.variant) + " " + f.site.prim + ": " +
                f.message + "\n";
    return text;
}

inline constexpr const char* kMeta =
    "#usda 1.0\n(\n    defaultPrim = \"robot\"\n    kilogramsPerUnit = 1\n    metersPerUnit = 1\n    "
    "timeCodesPerSecond = 1\n    upAxis = \"Z\"\n)\n";

inline std::string entry(const std::string& arcs)
{
    return std::string(kMeta) +
           "def Xform \"robot\" (\n    assetInfo = { string identifier = \"urn:example:robot\"\n"
           "        string version = \"1.0.0\" }\n    kind = \"component\"\n    " +
           arcs + "\n)\n{\n}\n";
}

inline std::string layer(const std::string& text) { return kMeta + text; }

inline std::string zeros(int n)
{
    std::string text = "0";
    for (int i = 1; i < n; ++i) text += ", 0";
    return text;
}

}  // namespace mechane::conformance

// Rules of REP-0158 1.1 about metadata of the root layer: metres, kilograms, seconds, Z up, all authored.
// Composed getters return fallbacks (0.01 m, 24 codes a second), so the rules read what is authored.

#include <array>

#include "conformance/family.h"

/// REP-0158 1.1, first half: units, time and the up axis of the root layer.
namespace mechane::conformance {
namespace {

constexpr Rule kMeters{
    .id      = "REP-1.1-a",
    .slug    = "meters-per-unit",
    .summary = "The root layer says metersPerUnit = 1.",
    .why     = "Without it OpenUSD reads the asset in centimetres, and other tools in whatever they assume.",
    .fix     = "Lengths are scaled by the authored unit, then 1 is written. An unauthored unit is not guessed.",
    .bad     = R"(#usda 1.0
(
    defaultPrim = "robot"
    kilogramsPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"
)
def Xform "robot" (
    <<identity>>
)
{
}
)",
    .good    = "",
};
constexpr Rule kKilograms{
    .id      = "REP-1.1-b",
    .slug    = "kilograms-per-unit",
    .summary = "The root layer says kilogramsPerUnit = 1.",
    .why = "Masses of an asset that says nothing about their unit cannot be trusted when it is combined with others.",
    .fix =
        "Absent: 1 is written, which is what readers assume. Another value: masses, densities and inertias are scaled.",
    .fixable = true,
    .bad     = R"(#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Z"
)
def Xform "robot" (
    <<identity>>
)
{
}
)",
    .good    = "",
};
constexpr Rule kTimeCodes{
    .id      = "REP-1.1-c",
    .slug    = "time-codes",
    .summary = "The root layer says timeCodesPerSecond = 1, so that time codes are seconds.",
    .why     = "Recorded motion plays at another speed wherever the rate is assumed to be 1.",
    .fix     = "Sample times are divided by the layer's rate, then 1 is written in every layer of the asset.",
    .fixable = true,
    .bad     = R"(#usda 1.0
(
    defaultPrim = "robot"
    framesPerSecond = 1
    kilogramsPerUnit = 1
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "robot" (
    <<identity>>
)
{
}
)",
    .good    = "",
};
constexpr Rule kUpAxis{
    .id      = "REP-1.1-e",
    .slug    = "up-axis",
    .summary = "The root layer says upAxis = \"Z\".",
    .why     = "A robot that is Y-up lies on its back in a Z-up world: references do not rotate.",
    .fix     = "A Y-up asset is rotated by 90 degrees about X in its data. An absent axis is not guessed.",
    .fixable = true,
    .bad     = R"(#usda 1.0
(
    defaultPrim = "robot"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    timeCodesPerSecond = 1
    upAxis = "Y"
)
def Xform "robot" (
    <<identity>>
)
{
}
)",
    .good    = "",
};

Site root_site(const Facts& facts) { return {.layer = facts.stage.source()}; }

/// A field of the root layer that shall have one value; the composed getters cannot tell absence from a fallback.
void expect_field(const Facts& facts, Sink& sink, const Rule& rule, const char* field, double wanted,
                  const char* fallback)
{
    sink.applies(rule);
    const auto authored = facts.stage.root_metadata(field).get<double>();
    if (authored && *authored == wanted) return;
    sink.report(rule, {.site     = root_site(facts),
                       .message  = authored ? std::string(field) + " is " + number(*authored)
                                            : std::string(field) + " is not authored (" + fallback + ")",
                       .observed = authored ? number(*authored) : "not authored",
                       .expected = number(wanted),
                       .hint     = std::string("write `") + field + " = " + number(wanted) + "` in the root layer" +
                                   (authored ? ", after scaling what it measures" : ""),
                       .variant  = authored ? "value" : "absent"});
}

void check(const Facts& facts, Sink& sink)
{
    expect_field(facts, sink, kMeters, "metersPerUnit", 1, "OpenUSD falls back to 0.01");
    expect_field(facts, sink, kKilograms, "kilogramsPerUnit", 1,
                 "OpenUSD falls back to 1, which no reader can tell from intent");
    expect_field(facts, sink, kTimeCodes, "timeCodesPerSecond", 1, "OpenUSD falls back to 24");
    sink.applies(kUpAxis);
    const auto axis = facts.stage.root_metadata("upAxis").get<std::string>();
    if (!axis || *axis != "Z")
        sink.report(kUpAxis, {.site     = root_site(facts),
                              .message  = axis ? "upAxis is \"" + *axis + "\""
                                               : "upAxis is not authored (OpenUSD falls back to \"Y\")",
                              .observed = axis.value_or("not authored"),
                              .expected = "Z",
                              .hint     = axis ? "rotate the asset by 90 degrees about X, then write `upAxis = \"Z\"`"
                                               : "write `upAxis = \"Z\"` in the root layer if the data are Z-up",
                              .variant  = axis ? "value" : "absent"});
}

constexpr std::array<const Rule*, 4> kRules{&kMeters, &kKilograms, &kTimeCodes, &kUpAxis};

}  // namespace

constexpr Family kUnitRules{kRules, check};

}  // namespace mechane::conformance

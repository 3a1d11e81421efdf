// Writes a comparison as text, JSON or a page.
// Inputs: a Comparison, and a Rollout where motions were compared too. Outputs: text for a terminal (what is unexpected
// first, then what was announced, one verdict at the end), JSON with a schema for scripts, and one self-contained HTML
// page with the two robots drawn side by side.
// Lengths are metres and angles radians in JSON; the text gives a rollout in millimetres and degrees.
// JSON has no infinity and no NaN, so number() writes null for them.
// Called by `mechane diff`.

#include "mechane/difference/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/markup.h"

namespace mechane::difference {
namespace {

using nlohmann::ordered_json;

/// A file and line where the format has lines (XML), else the prim.
std::string place_of(const Site& site)
{
    if (site.layer.empty()) return site.prim;
    return site.line > 0       ? fmt::format("{}:{}", site.layer, site.line)
           : site.prim.empty() ? site.layer
                               : fmt::format("{} {}", site.layer, site.prim);
}

std::string places_of(const Difference& d)
{
    std::string out;
    for (const auto* side : {&d.a, &d.b}) {
        if (!*side) continue;
        const std::string place = place_of((*side)->site);
        if (place.empty()) continue;
        if (!out.empty()) out += " | ";
        out += place;
    }
    return out;
}

std::string values_of(const Difference& d)
{
    if (!d.a) return fmt::format("{}", d.b->value);
    if (!d.b) return fmt::format("{}", d.a->value);
    return fmt::format("{} -> {}", d.a->value, d.b->value);
}

ordered_json site_json(const Site& site)
{
    ordered_json out = ordered_json::object();
    if (!site.layer.empty()) out["file"] = site.layer;
    if (site.line > 0) out["line"] = site.line;
    if (!site.prim.empty()) out["prim"] = site.prim;
    if (!site.property.empty()) out["property"] = site.property;
    return out;
}

ordered_json number(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

ordered_json rollout_json(const Rollout& r)
{
    ordered_json out{{"solver", r.solver},
                     {"duration", r.duration},
                     {"bodies", r.bodies},
                     {"joints", r.joints},
                     {"refused", r.refused.empty() ? ordered_json(nullptr) : ordered_json(r.refused)},
                     {"diverged", ordered_json::array({r.diverged_a, r.diverged_b})}};
    out["first"] = nullptr;
    if (r.first) {
        const Divergence& d = *r.first;
        ordered_json      one{{"t", d.t}};
        one["joint"] = d.joint.empty() ? ordered_json(nullptr)
                                       : ordered_json{{"name", d.joint},
                                                      {"a", number(d.joint_a)},
                                                      {"b", number(d.joint_b)},
                                                      {"unit", d.joint_turns ? "rad" : "m"}};
        one["body"] =
            d.body.empty()
                ? ordered_json(nullptr)
                : ordered_json{{"name", d.body}, {"metres", number(d.metres)}, {"radians", number(d.radians)}};
        one["tolerance"] = d.tolerance;
        one["a"] = site_json(d.a), one["b"] = site_json(d.b);
        out["first"] = std::move(one);
    }
    out["end"]     = ordered_json{{"body", r.farthest}, {"metres", number(r.metres)}, {"radians", number(r.radians)}};
    out["largest"] = ordered_json{{"body", r.most_of}, {"metres", number(r.most)}};
    out["judged"]  = r.judged;
    out["size"]    = r.size;
    out["sensitive_from"] = r.sensitive ? ordered_json(*r.sensitive) : ordered_json(nullptr);
    out["expected"]       = r.expected.empty() ? ordered_json(nullptr) : ordered_json(r.expected);
    return out;
}

std::string rollout_text(const Rollout& r)
{
    if (!r.refused.empty()) return fmt::format("rollout      {}\n", r.refused);
    std::string out;
    if (r.first) {
        const Divergence& d = *r.first;
        out                 = fmt::format("rollout      diverges at {:.3f} s", d.t);
        if (!d.joint.empty()) {
            const double off = std::abs(d.joint_a - d.joint_b);
            out += d.joint_turns ? fmt::format(": {} differs by {:.3g} degrees", d.joint, off * 180 / 3.141592653589793)
                                 : fmt::format(": {} differs by {:.3g} mm", d.joint, off * 1000);
        } else {
            out += fmt::format(": {} is {:.3g} mm and {:.3g} degrees off", d.body, d.metres * 1000,
                               d.radians * 180 / 3.141592653589793);
        }
        const std::string a = place_of(d.a), b = place_of(d.b);
        if (!a.empty() || !b.empty()) out += fmt::format("  {} | {}", a, b);
        out += fmt::format("; {} by {:.3g} mm at {:.3g} s", r.farthest, r.metres * 1000, r.judged);
        if (!r.expected.empty()) out += fmt::format("\n             as announced: {}", r.expected);
        out += "\n";
    } else {
        out = fmt::format(
            "rollout      {} bodies and {} joints move alike for {:.3g} s ({}); largest difference {:.3g} mm ({}), of "
            "what is {:.3g} m large\n",
            r.bodies, r.joints, r.judged, r.solver, r.most * 1000, r.most_of, r.size);
    }
    if (r.sensitive)
        out += fmt::format(
            "             not compared from {:.3g} s on: a change of gravity by 1e-5 moves "
            "the first one as far as any difference\n",
            *r.sensitive);
    if (r.diverged_a || r.diverged_b)
        out += fmt::format("             the {} diverged\n", r.diverged_a && r.diverged_b ? "simulations"
                                                             : r.diverged_a               ? "first simulation"
                                                                                          : "second simulation");
    return out;
}

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>mechane diff</title>
<style>
:root { color-scheme: light dark; --text: #1b1f24; --page: #fff; --line: #d8dee4; --faint: #57606a; --changed: #9a5b00; --gone: #b42318 }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --page: #14171a; --line: #353b42; --faint: #9aa4ae; --changed: #f0b45a; --gone: #ff8a7a } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 110rem; padding: 0 1.5rem; color: var(--text); background: var(--page) }
h1 { font-size: 1.4rem; overflow-wrap: anywhere } h2 { font-size: 1.1rem; margin-top: 2rem }
iframe { width: 100%; height: 60vh; border: 1px solid var(--line); border-radius: 6px }
.sides { display: grid; grid-template-columns: 1fr 1fr; text-align: center; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .25rem .6rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
th { color: var(--faint); font-weight: 600 } small { color: var(--faint) } .changed { color: var(--changed) } .gone { color: var(--gone) }
tr.announced { opacity: .65 }
.scroll { overflow-x: auto }
</style>
</head>
<body>
)";

}  // namespace

/// Two runs that both diverge are alike as far as can be judged.
bool is_equal(const Comparison& comparison, const Rollout* rollout)
{
    return comparison.equal() &&
           (rollout == nullptr || (!rollout->first && rollout->diverged_a == rollout->diverged_b));
}

/// A rollout is excused if the loss report holds something that changes motion.
bool as_announced(const Comparison& comparison, const Rollout* rollout)
{
    return comparison.first_unexpected() == nullptr &&
           (rollout == nullptr || !rollout->expected.empty() ||
            (!rollout->first && rollout->diverged_a == rollout->diverged_b));
}

std::string to_json(const Named& names, const Comparison& comparison, const Rollout* rollout, const char* schema)
{
    ordered_json out{{"schema", schema},
                     {"a", names.a},
                     {"b", names.b},
                     {"equal", is_equal(comparison, rollout)},
                     {"as_announced", as_announced(comparison, rollout)}};
    out["counts"] = ordered_json::object();
    for (std::size_t q = 0; q < comparison.counts.size(); ++q) {
        const Count& c = comparison.counts[q];
        if (c.compared + c.different == 0) continue;
        out["counts"][std::string(to_string(static_cast<Quantity>(q)))] = {
            {"compared", c.compared}, {"different", c.different}, {"announced", c.expected}};
    }
    out["tolerances"] = ordered_json::object();
    for (const Tolerance& t : tolerances())
        if (const auto q = static_cast<std::size_t>(t.quantity);
            (q < comparison.counts.size() && comparison.counts[q].compared > 0) ||
            (rollout != nullptr && t.quantity == Quantity::rollout))
            out["tolerances"][std::string(to_string(t.quantity))] = {{"absolute", t.absolute},
                                                                     {"relative", t.relative},
                                                                     {"of", std::string(t.of)},
                                                                     {"reason", std::string(t.reason)}};
    out["differences"] = ordered_json::array();
    for (const Difference& d : comparison.differences) {
        ordered_json one{{"quantity", std::string(to_string(d.quantity))}, {"item", d.item}, {"field", d.field}};
        for (const auto& [key, side] : {std::pair{"a", &d.a}, std::pair{"b", &d.b}})
            one[key] = *side ? ordered_json{{"value", (*side)->value}, {"site", site_json((*side)->site)}}
                             : ordered_json(nullptr);
        one["amount"]    = number(d.amount);
        one["tolerance"] = number(d.tolerance);
        one["note"]      = d.note;
        one["expected"]  = d.expected.empty() ? ordered_json(nullptr) : ordered_json(d.expected);
        out["differences"].push_back(std::move(one));
    }
    out["rollout"] = rollout != nullptr ? rollout_json(*rollout) : ordered_json(nullptr);
    // Names come from files and need not be UTF-8. Replaced bytes are better than an exception at the end of a long
    // run.
    return out.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string to_text(const Comparison& comparison, const Rollout* rollout, std::size_t most)
{
    std::string out;
    std::size_t told = 0, announced = 0;
    // Two passes: unexpected differences first, so that a limit on lines never hides one behind those announced.
    for (const bool expected : {false, true})
        for (const Difference& d : comparison.differences) {
            if (d.expected.empty() == expected) continue;
            announced += expected ? 1 : 0;
            if (told >= most) continue;
            ++told;
            out += fmt::format("{:<12} {}: {}  {}{}", to_string(d.quantity), d.item, d.field, values_of(d),
                               d.note.empty() ? "" : fmt::format("  ({})", d.note));
            if (const std::string places = places_of(d); !places.empty()) out += "\n             " + places;
            if (expected) out += fmt::format("\n             as announced: {}", d.expected);
            out += "\n";
        }
    if (comparison.differences.size() > told)
        out += fmt::format("             ... {} more\n", comparison.differences.size() - told);
    if (rollout != nullptr) out += rollout_text(*rollout);
    out += verdict(comparison, rollout);
    return out;
}

std::string verdict(const Comparison& comparison, const Rollout* rollout)
{
    std::size_t compared = 0;
    for (const Count& c : comparison.counts) compared += c.compared;
    const Difference* first    = comparison.first_unexpected();
    std::size_t       expected = 0;
    for (const Difference& d : comparison.differences) expected += d.expected.empty() ? 0 : 1;
    if (first == nullptr) {
        std::string values = fmt::format("{} values within their tolerances", compared - std::min(compared, expected));
        if (expected > 0) values += fmt::format("; {} differ as the loss report announces", expected);
        if (rollout == nullptr || as_announced(comparison, rollout)) return fmt::format("equal        {}\n", values);
        const std::string how = rollout->first ? fmt::format("they part at {:.3f} s", rollout->first->t)
                                               : std::string("one simulation diverged");
        return fmt::format("different    motion: {}; {}\n", how, values);
    }
    std::string out = fmt::format("different    {} of {} values", comparison.differences.size() - expected, compared);
    if (expected > 0) out += fmt::format(", {} more as the loss report announces", expected);
    out += fmt::format("; first {}: {} {}{}", first->item, first->field, values_of(*first),
                       first->note.empty() ? "" : " (" + first->note + ")");
    if (const std::string places = places_of(*first); !places.empty()) out += "  " + places;
    return out + "\n";
}

std::string to_html(const Named& names, const Comparison& comparison, const Rollout* rollout, const std::string& drawn)
{
    std::string out(kHead);
    out += fmt::format("<h1>{} and {}</h1>\n", markup_escaped(names.a), markup_escaped(names.b));
    out += fmt::format("<p>{}</p>\n", markup_escaped(verdict(comparison, rollout)));
    if (rollout != nullptr) out += fmt::format("<p>{}</p>\n", markup_escaped(rollout_text(*rollout)));
    if (!drawn.empty()) {
        out += fmt::format("<div class=\"sides\"><span>left: {}</span><span>right: {}</span></div>\n",
                           markup_escaped(names.a), markup_escaped(names.b));
        out += fmt::format("<iframe title=\"both models\" srcdoc=\"{}\"></iframe>\n", markup_escaped(drawn));
    }
    if (!comparison.differences.empty()) {
        out +=
            "<h2>What differs</h2>\n<div "
            "class=\"scroll\"><table><thead><tr><th>quantity</th><th>what</th><th>field</th><th>first</th><th>second</"
            "th><th>note</th></tr></thead><tbody>\n";
        for (const bool expected : {false, true})
            for (const Difference& d : comparison.differences) {
                if (d.expected.empty() == expected) continue;
                const auto cell = [](const std::optional<Side>& side) {
                    if (!side) return std::string("<td class=\"gone\">-</td>");
                    return fmt::format("<td>{}<br><small>{}</small></td>", markup_escaped(side->value),
                                       markup_escaped(place_of(side->site)));
                };
                out += fmt::format(
                    "<tr{}><td>{}</td><td>{}</td><td>{}</td>{}{}<td class=\"changed\">{}{}</td></tr>\n",
                    expected ? " class=\"announced\"" : "", to_string(d.quantity), markup_escaped(d.item),
                    markup_escaped(d.field), cell(d.a), cell(d.b), markup_escaped(d.note),
                    expected ? fmt::format("<br><small>announced: {}</small>", markup_escaped(d.expected)) : "");
            }
        out += "</tbody></table></div>\n";
    }
    out +=
        "<h2>What was compared</h2>\n<div "
        "class=\"scroll\"><table><thead><tr><th>quantity</th><th>values</th><th>different</th><th>tolerance</th></tr></"
        "thead><tbody>\n";
    for (const Tolerance& t : tolerances()) {
        const auto q = static_cast<std::size_t>(t.quantity);
        if (q >= comparison.counts.size() || comparison.counts[q].compared == 0) continue;
        out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{} + {} of {}: {}</td></tr>\n",
                           to_string(t.quantity), comparison.counts[q].compared, comparison.counts[q].different,
                           t.absolute, t.relative, markup_escaped(t.of), markup_escaped(t.reason));
    }
    out += "</tbody></table></div>\n</body>\n</html>\n";
    return out;
}

}  // namespace mechane::difference

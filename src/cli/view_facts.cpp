// What the page shows of a picked shape: its values, where each comes from, and the ledger of its prim; and findings of
// check. Output: JSON, with at most 400 rows an entity and 2000 findings. Called by view.cpp.

#include "cli/view_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "mechane/conformance/check.h"

namespace mechane::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kMostRows = 400, kMostFindings = 2000;

std::string at_line(const Site& site)
{ return site.line > 0 ? fmt::format("{}:{}", site.layer, site.line) : site.layer; }

/// "physics:mass = 1.5   robot.usda:12"; or what stands in for an authored value.
std::string origin(const importer::Explanation& x)
{
    std::vector<std::string> parts;
    for (const importer::Candidate& c : x.won) {
        parts.push_back(fmt::format("{} = {}   {}", c.property, c.value, at_line(c.site)));
        if (!c.note.empty() && c.note != x.array) parts.push_back(c.note);
    }
    if (x.won.empty() || x.source != "authored") parts.push_back(x.source);
    for (const importer::Candidate& c : x.lost) parts.push_back(fmt::format("not {} = {}   {}", c.property, c.value, at_line(c.site)));
    return fmt::format("{}", fmt::join(parts, "\n"));
}

json entity(const importer::ExplainInput& input, const char* kind, const std::string& label)
{
    json out{{"kind", kind}, {"label", label}, {"values", json::array()}, {"ledger", json::array()}};
    if (const auto all = importer::explain(input, label))
        for (const importer::Explanation& x : *all) {
            if (out["values"].size() == kMostRows) break;
            out["values"].push_back({{"field", x.dof.empty() ? x.field : fmt::format("{} [{}]", x.field, x.dof)},
                                     {"value", x.value},
                                     {"unit", x.unit},
                                     {"from", origin(x)}});
        }
    for (const importer::LedgerEntry& entry : input.imported.ledger) {
        if (entry.prim != label || out["ledger"].size() == kMostRows) continue;
        out["ledger"].push_back({{"property", entry.property},
                                 {"value", entry.value},
                                 {"verdict", importer::to_string(entry.verdict)},
                                 {"note", entry.note},
                                 {"place", at_line(entry.site)}});
    }
    return out;
}

}  // namespace

std::string picked_facts(const importer::ExplainInput& input, std::int32_t shape)
{
    const model::Model& model = input.model;
    const auto          s     = static_cast<std::size_t>(shape);
    const std::int32_t  body  = model.shape_body[s];
    json                out   = json::array({entity(input, "shape", model.shape_label[s])});
    if (body >= 0) out.push_back(entity(input, "body", model.body_label[static_cast<std::size_t>(body)]));
    for (std::size_t j = 0; body >= 0 && j < model.joint_count(); ++j)
        if (model.joint_child[j] == body) out.push_back(entity(input, "joint", model.joint_label[j]));
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string view_findings(const usd::Stage& stage, int threads)
{
    const tasks::Pool pool(threads);
    const auto        report = conformance::check(stage, {.pool = &pool});
    json              out    = json::array();
    if (!report) return json::array({{{"id", report.error().id}, {"severity", "warning"}, {"message", report.error().message}, {"prim", ""}, {"place", ""}, {"hint", report.error().hint}}})
                      .dump(-1, ' ', false, json::error_handler_t::replace);
    for (const conformance::Finding& finding : report->findings) {
        if (out.size() == kMostFindings) break;
        out.push_back({{"id", finding.rule->id},
                       {"severity", to_string(finding.severity)},
                       {"message", finding.message},
                       {"prim", finding.site.prim},
                       {"place", at_line(finding.site)},
                       {"hint", finding.hint}});
    }
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace mechane::cli

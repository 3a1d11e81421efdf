// What a conversion did not carry over one to one. An entry says what was found, what became of it, and why; those
// that are marked with `motion` change how the robot moves, and are told on the terminal as well. The order is that
// of the source file, by line, and of reading within a line; so two runs give the same bytes.
#include "mechane/sourceformats/loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mechane/core/visible.h"

namespace mechane::sourceformats {
namespace {

std::vector<const Loss*> in_order(const LossReport& report)
{
    std::vector<const Loss*> out;
    for (const Loss& loss : report.entries) out.push_back(&loss);
    std::stable_sort(out.begin(), out.end(), [](const Loss* a, const Loss* b) {
        return std::tie(a->site.layer, a->site.line) < std::tie(b->site.layer, b->site.line);
    });
    return out;
}

constexpr LossAction kActions[] = {LossAction::kept,   LossAction::converted, LossAction::approximated,
                                   LossAction::merged, LossAction::renamed,   LossAction::dropped};

}  // namespace

std::string_view to_string(LossAction action) noexcept
{
    switch (action) {
        case LossAction::kept:
            return "kept";
        case LossAction::converted:
            return "converted";
        case LossAction::approximated:
            return "approximated";
        case LossAction::merged:
            return "merged";
        case LossAction::renamed:
            return "renamed";
        case LossAction::dropped:
            break;
    }
    return "dropped";
}

std::size_t LossReport::count(LossAction action) const
{
    const auto listed =
        std::count_if(entries.begin(), entries.end(), [&](const Loss& l) { return l.action == action; });
    return static_cast<std::size_t>(listed) + (action == LossAction::kept ? kept : 0);
}

std::size_t LossReport::count(Severity severity) const
{
    return static_cast<std::size_t>(
        std::count_if(entries.begin(), entries.end(), [&](const Loss& l) { return l.severity == severity; }));
}

bool LossReport::at_least(Severity severity) const
{
    return std::any_of(entries.begin(), entries.end(), [&](const Loss& l) { return l.severity >= severity; });
}

// The schema's fields are stable; new ones may come. Exports write the same schema, with `variantState` filled.
std::string to_json(const LossReport& report)
{
    using Json   = nlohmann::ordered_json;
    Json entries = Json::array();
    for (const Loss* l : in_order(report)) {
        Json row{{"code", l->code},
                 {"severity", to_string(l->severity)},
                 {"action", to_string(l->action)},
                 {"category", l->category},
                 {"file", l->site.layer},
                 {"line", l->site.line},
                 {"what", l->what}};
        if (!l->site.prim.empty()) row["prim"] = l->site.prim;
        if (!l->site.property.empty()) row["property"] = l->site.property;
        if (!l->source_value.empty()) row["sourceValue"] = l->source_value;
        if (!l->target_value.empty()) row["targetValue"] = l->target_value;
        row["reason"] = l->reason;
        entries.push_back(std::move(row));
    }
    Json summary;
    for (const LossAction a : kActions) summary[std::string(to_string(a))] = report.count(a);
    for (const Severity s : {Severity::error, Severity::warning, Severity::info})
        summary[std::string(to_string(s)) + "s"] = report.count(s);
    const Json document{{"schema", "mechane.loss/1"},
                        {"source", report.source},
                        {"target", report.target},
                        {"targetVersion", report.target_version},
                        {"variantState", Json::object()},
                        {"nameMap", report.names},
                        {"entries", entries},
                        {"summary", summary}};
    // Texts of a source may hold bytes that are no UTF-8. They are replaced, JSON must be valid.
    return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// For a terminal: one line an entry, control characters made visible, the tail only counted.
std::string to_text(const LossReport& report, std::size_t most)
{
    std::string out;
    std::size_t shown = 0;
    for (const Loss* l : in_order(report)) {
        if (++shown > most) continue;
        const std::string line = l->site.line > 0 ? fmt::format(":{}", l->site.line) : std::string();
        out += fmt::format("{:12} {}{}  {}", to_string(l->action), l->site.layer, line, visible_in_line(l->what));
        if (!l->source_value.empty()) out += fmt::format("  {}", visible_in_line(l->source_value));
        if (!l->target_value.empty()) out += fmt::format(" -> {}", visible_in_line(l->target_value));
        out += fmt::format(": {}\n", visible_in_line(l->reason));
    }
    if (shown > most) out += fmt::format("             ... and {} more (--loss FILE lists all)\n", shown - most);
    std::string counts;
    for (const LossAction a : kActions)
        if (const std::size_t n = report.count(a); n > 0)
            counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", n, to_string(a));
    return out + fmt::format("values       {}\n", counts.empty() ? "none" : counts);
}

}  // namespace mechane::sourceformats

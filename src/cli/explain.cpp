// `mechane explain`: where a number of the model comes from, why a pair does not collide, what a rule or a diagnostic
// means.
// The import keeps a ledger of all opinions for a value; this prints the one that won, those that lost and why, and
// conventions that were decided.
// Input: FILE and PATH in either order, or an id. Ids of rules are tried before files.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/diagnostic_table.h"
#include "mechane/conformance/formats.h"
#include "mechane/core/nearest.h"
#include "mechane/importer/explain.h"
#include "mechane/run/behaviour.h"
#include "mechane/usd/selections.h"

namespace mechane::cli {
namespace {

using importer::Candidate;
using importer::Decision;
using importer::Explanation;
using importer::PairExplanation;
using nlohmann::json;

struct ExplainArgs {
    std::vector<std::string> what;  ///< FILE and PATH in either order
    std::vector<std::string> pair;
};

std::string place_of(const Site& site)
{ return site.line > 0 ? fmt::format("{}:{}", site.layer, site.line) : site.layer; }

json site_json(const Site& site) { return {{"layer", site.layer}, {"line", site.line}}; }

json candidate_json(const Candidate& c)
{
    json weaker = json::array();
    for (const Site& site : c.weaker) weaker.push_back(site_json(site));
    return {{"prim", c.prim},      {"property", c.property},
            {"value", c.value},    {"verdict", importer::to_string(c.verdict)},
            {"note", c.note},      {"resolver", c.resolver},
            {"rank", c.rank},      {"layer", c.site.layer},
            {"line", c.site.line}, {"weaker", weaker}};
}

json value_json(const Explanation& x)
{
    json out{{"subject", x.subject},  {"field", x.field},  {"array", x.array},   {"dof", x.dof},
             {"value", x.value},      {"unit", x.unit},    {"source", x.source}, {"won", json::array()},
             {"lost", json::array()}, {"absent", x.absent}};
    for (const Candidate& c : x.won) out["won"].push_back(candidate_json(c));
    for (const Candidate& c : x.lost) out["lost"].push_back(candidate_json(c));
    out["conventions"] = json::array();
    for (const Decision& d : x.decisions)
        out["conventions"].push_back({{"name", d.convention},
                                      {"question", d.question},
                                      {"answer", d.answer},
                                      {"otherwise", d.otherwise},
                                      {"instead", d.instead}});
    return out;
}

std::string candidate_text(const Explanation& x, const Candidate& c, const char* heading)
{
    std::string rank;
    if (!c.resolver.empty())
        rank = c.rank > 0 ? fmt::format("   resolver {} of {} ({})", c.rank, x.resolver_count, c.resolver)
                          : fmt::format("   resolver {}", c.resolver);
    const std::string name = c.prim == x.subject ? c.property : fmt::format("<{}.{}>", c.prim, c.property);
    std::string       out  = fmt::format("  {:<8} {} = {}   {}{}\n", heading, name, c.value, place_of(c.site), rank);
    if (!c.note.empty() && c.note != x.array)
        out += fmt::format("  {:<8} {}\n", std::string(heading) == "won" ? "how" : "why", c.note);
    for (const Site& site : c.weaker) out += fmt::format("  {:<8} the opinion of {}\n", "weaker", place_of(site));
    return out;
}

std::string value_text(const Explanation& x)
{
    const std::string dof = x.dof.empty() ? "" : fmt::format("[{}]", x.dof);
    std::string out = fmt::format("{}.{}{} = {}{}{}{}\n", x.subject, x.field, dof, x.value, x.unit.empty() ? "" : " ",
                                  x.unit, x.array.empty() || x.array == x.field ? "" : fmt::format("   ({})", x.array));
    for (const Candidate& c : x.won) out += candidate_text(x, c, "won");
    for (const Candidate& c : x.lost)
        out += candidate_text(x, c, to_string(c.verdict) == "ignored" ? "ignored" : "lost");
    if (x.won.empty() || x.source != "authored") out += fmt::format("  {:<8} {}\n", "from", x.source);
    for (const Decision& d : x.decisions)
        out += fmt::format("  {:<8} of rule {}: {}: {} (with \"{}\" {})\n", "because", d.convention, d.question,
                           d.answer, d.otherwise,
                           d.instead.empty() ? "there would be none" : fmt::format("it would be {}", d.instead));
    if (!x.absent.empty()) out += fmt::format("  {:<8} {}\n", "absent", fmt::join(x.absent, ", "));
    return out;
}

json pair_json(const PairExplanation& x)
{ return {{"a", x.a}, {"b", x.b}, {"collide", x.collide}, {"reasons", x.reasons}, {"remarks", x.remarks}}; }

std::string pair_text(const PairExplanation& x)
{
    std::string out = fmt::format("{}  {}: {}\n", x.a, x.b, x.collide ? "collide" : "do not collide");
    for (const std::string& reason : x.reasons) out += fmt::format("  {}\n", reason);
    for (const std::string& remark : x.remarks) out += fmt::format("  {}\n", remark);
    return out;
}

/// Which of the words names the file: the one that exists, else the one that is not a prim path.
bool sort_words(const ExplainArgs& args, std::string& file, std::string& path)
{
    std::vector<std::string> rest;
    for (const std::string& word : args.what) {
        std::error_code unused;
        const bool      is_path = word.starts_with('/') && !std::filesystem::exists(word, unused);
        // A prim path may be a file's name by chance; a file that exists wins.
        if (!is_path && file.empty())
            file = word;
        else
            rest.push_back(word);
    }
    if (!rest.empty()) path = rest.front();
    return !file.empty() && rest.size() <= 1;
}

json row_json(const DiagnosticRow& row)
{
    const Code& code = *row.code;
    json        out{{"schema", "mechane.explain/1"},        {"id", code.id},           {"module", row.module},
                    {"severity", to_string(code.severity)}, {"meaning", code.meaning}, {"remedy", code.remedy}};
    if (!code.alias.empty()) out["alias"] = code.alias;
    return out;
}

/// "REP-1.3-l", "PHY_MESH_EMPTY": capitals, digits and signs, and no file of that name.
bool looks_like_an_id(const std::string& word)
{
    std::error_code failed;
    const bool      sign = word.find('-') != std::string::npos || word.find('_') != std::string::npos;
    return sign && word.front() >= 'A' && word.front() <= 'Z' && word.find('/') == std::string::npos &&
           (word.starts_with("REP-") || word.find('.') == std::string::npos) && !std::filesystem::exists(word, failed);
}

int run_explain(const ExplainArgs& args, Context& context)
{
    if (args.what.size() == 1 && args.pair.empty())
        if (const conformance::Rule* rule = conformance::find_rule(args.what.front())) {
            context.io.out(conformance::explain(*rule));
            return kExitClean;
        }
    if (args.what.size() == 1 && args.pair.empty())
        for (const run::BehaviourRule& rule : run::behaviour_rules())
            if (args.what.front() == rule.id) {
                context.io.out(
                    fmt::format("{}\n\n{}\n\nWhy: {}\n\nHow: {}\n", rule.id, rule.question, rule.why, rule.how));
                return kExitClean;
            }
    if (args.what.size() == 1 && args.pair.empty())
        if (const DiagnosticRow* row = find_diagnostic(args.what.front())) {
            context.io.out(context.global.json ? row_json(*row).dump(1) + "\n" : explain_diagnostic(*row));
            return kExitClean;
        }
    if (args.what.size() == 1 && args.pair.empty() && looks_like_an_id(args.what.front())) {
        std::vector<std::string> ids;
        for (const conformance::Rule* rule : conformance::rules()) ids.emplace_back(rule->id);
        for (const run::BehaviourRule& rule : run::behaviour_rules()) ids.emplace_back(rule.id);
        for (const DiagnosticRow& row : diagnostic_table()) ids.emplace_back(row.code->id);
        context.io.say_error(fmt::format("there is no rule and no diagnostic {}\n  {}\n", args.what.front(),
                                         did_you_mean(args.what.front(), ids)));
        return kExitUsage;
    }
    std::string file, path;
    if (!sort_words(args, file, path) || path.empty() == args.pair.empty()) {
        context.io.say_error(
            "explain needs a file and either a path (/robot/hinge.armature) or --pair A B, or the id of a rule or of a "
            "diagnostic (REP-1.3-l, PHY_MESH_EMPTY)\n");
        return kExitUsage;
    }
    auto options = scene_options(context);
    if (!options) return kExitUsage;
    options->import.ledger = true;
    options->incomplete    = true;
    Diagnostics found;
    const auto  scene = run::load_scene(file, *options, found);
    if (!scene) {
        context.io.report(found);
        return context.io.fail(scene.error());
    }
    const importer::ExplainInput input{*scene->stage, options->import, scene->imported, scene->model};
    json                         document{{"schema", "mechane.explain/1"}, {"asset", file}};
    std::string                  text;
    if (args.pair.empty()) {
        auto answer = importer::explain(input, path);
        if (!answer) {
            context.io.report(answer.error());
            return kExitUsage;
        }
        // Conventions are found by importing again with each of them turned to its other answer.
        importer::find_decisions(input, path, *answer);
        document["values"] = json::array();
        for (const Explanation& x : *answer) {
            document["values"].push_back(value_json(x));
            text += value_text(x);
        }
    } else {
        const auto answer = importer::explain_pair(input, args.pair[0], args.pair[1]);
        if (!answer) {
            context.io.report(answer.error());
            return kExitUsage;
        }
        document["pairs"] = json::array();
        for (const PairExplanation& x : *answer) {
            document["pairs"].push_back(pair_json(x));
            text += pair_text(x);
        }
    }
    context.io.out(context.global.json ? document.dump(1) + "\n" : text);
    // The missing part may be the one in question, so its absence is reported.
    for (const Diagnostic& one : found)
        if (one.severity == Severity::error && usd::is_missing_part(one.id)) context.io.report(one);
    return exit_after(found, context) == kExitInput ? kExitInput : kExitClean;
}

}  // namespace

void add_explain(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<ExplainArgs>();
    CLI::App* verb =
        app.add_subcommand("explain", "Show where a number of the model comes from, or why a pair does not collide");
    verb->add_option("what", args->what,
                     "FILE and PATH[.property], in either order, or the id of a rule or of a diagnostic")
        ->required()
        ->expected(1, 2);
    verb->add_option("--pair", args->pair, "Two colliders, bodies or subtrees")->expected(2);
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_explain(*args, context); });
}

}  // namespace mechane::cli

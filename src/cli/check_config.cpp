#include "cli/check_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/toml.h"
#include "mechane/conformance/codes.h"

namespace mechane::cli {
namespace {

using Json = nlohmann::json;

/// * any text, ? any character.
bool matches(std::string_view glob, std::string_view text)
{
    std::size_t g = 0, t = 0, star = std::string_view::npos, mark = 0;
    while (t < text.size()) {
        if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
            ++g, ++t;
        } else if (g < glob.size() && glob[g] == '*') {
            star = g++, mark = t;
        } else if (star != std::string_view::npos) {
            g = star + 1, t = ++mark;
        } else {
            return false;
        }
    }
    while (g < glob.size() && glob[g] == '*') ++g;
    return g == glob.size();
}

std::string text_of(const Json& table, const char* key, std::string otherwise)
{ return table.contains(key) && table[key].is_string() ? table[key].get<std::string>() : std::move(otherwise); }

std::vector<std::string> texts_of(const Json& table, const char* key)
{
    std::vector<std::string> out;
    if (!table.contains(key)) return out;
    if (table[key].is_string()) out.push_back(table[key].get<std::string>());
    if (table[key].is_array())
        for (const Json& item : table[key])
            if (item.is_string()) out.push_back(item.get<std::string>());
    return out;
}

}  // namespace

std::optional<CheckConfig> read_check_config(const std::string& file, const Io& io)
{
    const std::string name   = file.empty() ? "mechane.toml" : file;
    const auto        refuse = [&](const std::string& why) -> std::optional<CheckConfig> {
        io.say_error(fmt::format("{}: {}\n", name, why));
        return std::nullopt;
    };
    std::error_code error;
    if (!std::filesystem::exists(name, error))
        return file.empty() ? std::optional(CheckConfig{}) : refuse("there is no such file");
    std::ifstream     in(name);
    std::stringstream text;
    text << in.rdbuf();
    std::string fault;
    const auto  root = read_toml(text.str(), fault);
    if (!root) return refuse(fault);
    CheckConfig config;
    const Json  check = root->value("check", Json::object());
    if (!check.is_object()) return refuse("[check] is no table");
    config.profile = text_of(check, "profile", "");
    config.fail_on = text_of(check, "fail_on", "");
    if (!config.fail_on.empty() && config.fail_on != "error" && config.fail_on != "warning" && config.fail_on != "info")
        return refuse("fail_on is error, warning or info");
    config.select = texts_of(check, "select");
    config.ignore = texts_of(check, "ignore");
    if (check.contains("severity") && check["severity"].is_object())
        for (const auto& [rule, level] : check["severity"].items()) {
            const std::string word = level.is_string() ? level.get<std::string>() : "";
            if (conformance::find_rule(rule) == nullptr)
                return refuse(fmt::format("severity: there is no rule {}", rule));
            if (word != "error" && word != "warning" && word != "info")
                return refuse(fmt::format("severity of {}: error, warning or info", rule));
            config.severities.emplace_back(conformance::find_rule(rule)->id, word == "error"     ? Severity::error
                                                                             : word == "warning" ? Severity::warning
                                                                                                 : Severity::info);
        }
    const Json list = check.contains("suppress") ? check["suppress"] : root->value("suppress", Json::array());
    for (const Json& entry : list) {
        if (!entry.is_object()) return refuse("[[suppress]] is no table");
        Suppression one;
        one.rule    = text_of(entry, "rule", "");
        one.prim    = text_of(entry, "prim", "*");
        one.layer   = text_of(entry, "layer", "*");
        one.reason  = text_of(entry, "reason", "");
        one.expires = text_of(entry, "expires", "");
        if (one.rule.empty()) return refuse("a suppression names no rule");
        if (one.reason.find_first_not_of(" \t") == std::string::npos)
            return refuse(fmt::format("the suppression of {} gives no reason", one.rule));
        config.suppressions.push_back(std::move(one));
    }
    return config;
}

void suppress(conformance::Report& report, const std::vector<Suppression>& suppressions, const std::string& day)
{
    std::erase_if(report.findings, [&](const conformance::Finding& finding) {
        for (const Suppression& s : suppressions) {
            if (!s.expires.empty() && s.expires < day) continue;
            if (!conformance::selects(s.rule, *finding.rule) || !matches(s.prim, finding.site.prim) ||
                !matches(s.layer, finding.site.layer))
                continue;
            ++s.used, ++report.suppressed;
            return true;
        }
        return false;
    });
}

void report_unused(const std::vector<Suppression>& suppressions, const std::string& day, const Io& io)
{
    for (const Suppression& s : suppressions) {
        const bool expired = !s.expires.empty() && s.expires < day;
        if (!expired && s.used > 0) continue;
        io.report(make_diagnostic(
            conformance::codes::kSuppression, {},
            expired ? fmt::format("the suppression of {} expired on {} ({})", s.rule, s.expires, s.reason)
                    : fmt::format("the suppression of {} hid nothing ({})", s.rule, s.reason)));
    }
}

std::string today()
{
    const std::time_t now = std::time(nullptr);
    std::tm           utc{};
    gmtime_r(&now, &utc);
    return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

}  // namespace mechane::cli

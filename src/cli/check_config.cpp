// The configuration of check: mechane.toml with the tables [check] and [[suppress]].
// Inputs: a TOML file. Outputs: profile, selection, severities, suppressions. Every key must be known and have its
// type, since a misspelt key would silently weaken a check; the first mistake is told with its line.
// A suppression needs a reason, may expire, and is told if it matches nothing any more.
// Called by run_check.

#include "cli/check_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <filesystem>

#include "cli/toml.h"
#include "mechane/conformance/check.h"
#include "mechane/conformance/codes.h"
#include "mechane/conformance/rule.h"
#include "mechane/core/nearest.h"

namespace mechane::cli {
namespace {

/// * any text, ? any character.
bool matches(std::string_view glob, std::string_view text)
{
    std::size_t g = 0, t = 0, star = std::string_view::npos, mark = 0;
    while (t < text.size()) {
        if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
            ++g, ++t;
        } else if (g < glob.size() && glob[g] == '*') {
            // The last star is remembered and takes one character more each time the rest does not fit. Earlier stars
            // need no second try, so the time is bounded by the product of both lengths.
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

/// Reads the keys of one table. Each must be known and have its type; the first mistake is kept.
class Table {
  public:
    Table(const std::string& file, std::string name, const toml::table& table, std::vector<std::string> known,
          std::optional<Diagnostic>& mistake)
        : file_(file), name_(std::move(name)), table_(table), mistake_(mistake)
    {
        for (const auto& [key, value] : table) {
            const std::string word(key.str());
            if (std::find(known.begin(), known.end(), word) != known.end()) continue;
            const auto near = nearest(word, known);
            refuse(key.source(), fmt::format("{} has no key '{}'", name_, word),
                   near.empty() ? fmt::format("It has {}.", fmt::join(known, ", "))
                                : fmt::format("Did you mean {}?", fmt::join(near, ", ")));
        }
    }

    [[nodiscard]] std::string text(const char* key, std::string otherwise = {}) const
    {
        const toml::node* node = table_.get(key);
        if (node == nullptr) return otherwise;
        if (const auto* text = node->as_string()) return text->get();
        wrong(key, *node, "a string");
        return otherwise;
    }
    /// A string, or an array of them.
    [[nodiscard]] std::vector<std::string> texts(const char* key) const
    {
        std::vector<std::string> out;
        const toml::node*        node = table_.get(key);
        if (node == nullptr) return out;
        if (const auto* text = node->as_string()) {
            out.push_back(text->get());
        } else if (const toml::array* array = node->as_array()) {
            for (const toml::node& item : *array)
                if (const auto* text_in = item.as_string())
                    out.push_back(text_in->get());
                else
                    wrong(key, item, "an array of strings");
        } else {
            wrong(key, *node, "a string or an array of strings");
        }
        return out;
    }
    /// A date, or a string that is one: "2026-12-31".
    [[nodiscard]] std::string date(const char* key) const
    {
        const toml::node* node = table_.get(key);
        if (node == nullptr) return {};
        if (const auto* date = node->as_date())
            return fmt::format("{:04}-{:02}-{:02}", date->get().year, date->get().month, date->get().day);
        const auto*       text  = node->as_string();
        const std::string value = text != nullptr ? text->get() : std::string();
        bool              good  = value.size() == 10 && value[4] == '-' && value[7] == '-';
        for (const std::size_t i : {0, 1, 2, 3, 5, 6, 8, 9})
            good = good && std::isdigit(static_cast<unsigned char>(value[i])) != 0;
        if (!good) wrong(key, *node, "a date like 2026-12-31");
        return value;
    }
    [[nodiscard]] const toml::table* table(const char* key) const
    {
        const toml::node* node = table_.get(key);
        if (node != nullptr && !node->is_table()) wrong(key, *node, "a table");
        return node == nullptr ? nullptr : node->as_table();
    }
    /// An array of tables; any other element is a mistake.
    [[nodiscard]] std::vector<const toml::table*> tables(const char* key) const
    {
        std::vector<const toml::table*> out;
        const toml::node*               node = table_.get(key);
        if (node == nullptr) return out;
        const toml::array* array = node->as_array();
        if (array == nullptr) return wrong(key, *node, "an array of tables"), out;
        for (const toml::node& item : *array)
            if (item.is_table())
                out.push_back(item.as_table());
            else
                wrong(key, item, "an array of tables");
        return out;
    }
    void refuse(const toml::source_region& place, std::string message, std::string hint = {}) const
    {
        if (!mistake_) mistake_ = toml_mistake(file_, place, std::move(message), std::move(hint));
    }
    [[nodiscard]] const toml::source_region& place() const { return table_.source(); }
    [[nodiscard]] const toml::source_region& place(const char* key) const
    { return table_.contains(key) ? table_.get(key)->source() : table_.source(); }

  private:
    void wrong(const char* key, const toml::node& node, const char* expected) const
    { refuse(node.source(), fmt::format("{} of {} is not {}", key, name_, expected)); }

    const std::string&         file_;
    std::string                name_;
    const toml::table&         table_;
    std::optional<Diagnostic>& mistake_;
};

const std::vector<std::string> kLevels{"error", "warning", "info"};

bool is_level(const std::string& word) { return std::find(kLevels.begin(), kLevels.end(), word) != kLevels.end(); }

void read_severities(const std::string& file, const toml::table& table, CheckConfig& config,
                     std::optional<Diagnostic>& mistake)
{
    for (const auto& [key, value] : table) {
        const std::string        rule(key.str());
        const conformance::Rule* known = conformance::find_rule(rule);
        const auto*              text  = value.as_string();
        const std::string        word  = text != nullptr ? text->get() : std::string();
        if (known == nullptr) {
            std::vector<std::string> ids;
            for (const conformance::Rule* each : conformance::rules()) ids.emplace_back(each->id);
            if (!mistake)
                mistake =
                    toml_mistake(file, key.source(), fmt::format("there is no rule {}", rule), did_you_mean(rule, ids));
        } else if (!is_level(word)) {
            if (!mistake)
                mistake = toml_mistake(file, value.source(),
                                       fmt::format("the severity of {} is error, warning or info", rule));
        } else {
            config.severities.emplace_back(known->id, word == "error"     ? Severity::error
                                                      : word == "warning" ? Severity::warning
                                                                          : Severity::info);
        }
    }
}

void read_suppression(const Table& entry, CheckConfig& config)
{
    Suppression one;
    one.rule    = entry.text("rule");
    one.prim    = entry.text("prim", "*");
    one.layer   = entry.text("layer", "*");
    one.reason  = entry.text("reason");
    one.expires = entry.date("expires");
    if (one.rule.empty()) entry.refuse(entry.place(), "a suppression has no rule");
    if (one.reason.find_first_not_of(" \t") == std::string::npos)
        entry.refuse(entry.place(), fmt::format("the suppression of {} gives no reason", one.rule));
    config.suppressions.push_back(std::move(one));
}

std::optional<Diagnostic> read_config(const std::string& file, const toml::table& document, CheckConfig& config)
{
    std::optional<Diagnostic> mistake;
    const Table               root(file, "the file", document, {"check", "suppress"}, mistake);
    static const toml::table  kNone;
    const toml::table*        given = root.table("check");
    const Table               check(file, "[check]", given == nullptr ? kNone : *given,
                                    {"profile", "fail_on", "select", "ignore", "severity", "suppress"}, mistake);
    config.profile      = check.text("profile");
    const auto profiles = conformance::profiles();
    if (!config.profile.empty() && std::find(profiles.begin(), profiles.end(), config.profile) == profiles.end())
        check.refuse(check.place("profile"), fmt::format("there is no profile '{}'", config.profile),
                     fmt::format("The profiles are {}.", fmt::join(profiles, ", ")));
    config.fail_on = check.text("fail_on");
    if (!config.fail_on.empty() && !is_level(config.fail_on))
        check.refuse(check.place("fail_on"), "fail_on is error, warning or info");
    config.select = check.texts("select");
    config.ignore = check.texts("ignore");
    if (const toml::table* severities = check.table("severity")) read_severities(file, *severities, config, mistake);
    for (const Table* where : {&check, &root})
        for (const toml::table* entry : where->tables("suppress"))
            read_suppression(
                Table(file, "[[suppress]]", *entry, {"rule", "prim", "layer", "reason", "expires"}, mistake), config);
    return mistake;
}

}  // namespace

std::optional<CheckConfig> read_check_config(const std::string& file, const Io& io)
{
    const std::string name = file.empty() ? "mechane.toml" : file;
    std::error_code   error;
    CheckConfig       config;
    if (file.empty() && !std::filesystem::exists(name, error)) return config;
    const auto document = read_toml(name);
    if (!document) return io.report(document.error()), std::nullopt;
    if (const auto mistake = read_config(name, *document, config)) return io.report(*mistake), std::nullopt;
    return config;
}

void suppress(conformance::Report& report, const std::vector<Suppression>& suppressions, const std::string& day)
{
    std::erase_if(report.findings, [&](const conformance::Finding& finding) {
        for (const Suppression& s : suppressions) {
            // Dates of the form YYYY-MM-DD compare as texts.
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
                    : fmt::format("the suppression of {} matches no finding ({})", s.rule, s.reason)));
    }
}

std::string today()
{
    const std::time_t now = std::time(nullptr);
    std::tm           utc{};
    // In UTC, so that machines in different places agree about the day.
    gmtime_r(&now, &utc);
    return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

}  // namespace mechane::cli

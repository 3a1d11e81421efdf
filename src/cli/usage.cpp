// Messages for mistakes on the command line, in this program's words instead of the parser's.
// The parser (CLI11) gives a text for each kind of error; it is taken apart here. What is not recognised is passed on
// unchanged, so a new version of the parser only costs the better wording.
// Called by parse_and_run.

#include "cli/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/shells.h"
#include "mechane/core/nearest.h"

namespace mechane::cli {
namespace {

/// "a, b or c".
std::string one_of(const std::vector<std::string>& words)
{
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i)
        out += fmt::format("{}{}", i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
    return out;
}

std::vector<std::string> split(std::string_view text, std::string_view separator)
{
    std::vector<std::string> out;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(separator, from), text.size());
        out.emplace_back(text.substr(from, to - from));
        from = to + separator.size();
    }
    return out;
}

/// What is between the first `open` and the `close` after it.
std::optional<std::string_view> between(std::string_view text, std::string_view open, std::string_view close)
{
    const std::size_t from = text.find(open);
    if (from == std::string_view::npos) return std::nullopt;
    const std::size_t to = text.find(close, from + open.size());
    if (to == std::string_view::npos) return std::nullopt;
    return text.substr(from + open.size(), to - from - open.size());
}

const CLI::Option* option_named(const CLI::App& verb, std::string_view name)
{
    for (const CLI::Option* option : verb.get_options())
        if (option->get_name() == name) return option;
    return nullptr;
}

/// "WHAT (interfaces, channels or tf)", "FILE", "--out".
std::string asked_for(const CLI::Option& option)
{
    std::string name = option.get_name();
    if (option.get_positional()) std::transform(name.begin(), name.end(), name.begin(), ::toupper);
    const std::string type    = option.get_type_name();
    const auto        choices = between(type, "{", "}");
    return choices ? fmt::format("{} ({})", name, one_of(split(*choices, ","))) : name;
}

std::string missing(const CLI::App& verb, const std::string& otherwise)
{
    std::vector<std::string> names;
    for (const CLI::Option* option : verb.get_options())
        if (option->get_required() && option->count() == 0) names.push_back(asked_for(*option));
    if (names.empty()) return otherwise;
    return fmt::format("mechane {} needs {}", verb.get_name(), fmt::join(names, " and "));
}

/// "Could not convert: --duration = 4x".
std::string not_converted(const CLI::App& verb, const std::string& text)
{
    constexpr std::string_view kHead  = "Could not convert: ";
    const std::size_t          equals = text.find(" = ");
    if (!text.starts_with(kHead) || equals == std::string::npos) return text;
    const std::string  name = text.substr(kHead.size(), equals - kHead.size()), value = text.substr(equals + 3);
    const CLI::Option* option = option_named(verb, name);
    const bool         whole  = option != nullptr && option->get_type_name().find("INT") != std::string::npos;
    const std::string  type   = option == nullptr ? std::string() : option->get_type_name();
    if (type.find("BOOL") != std::string::npos || (option != nullptr && option->get_items_expected_max() == 0))
        return fmt::format("{} '{}': expected true or false", name, value);
    const bool digits = !value.empty() && value.find_first_not_of("+-0123456789") == std::string::npos;
    if (whole && digits) return fmt::format("{} {}: the number is too large", name, value);
    return fmt::format("{} '{}' is not a {}", name, value, whole ? "whole number" : "number");
}

/// "--threads: Value 9999 not in range 0 to 1024", "what: pais not in {pairs,materials}", or a check of our own.
std::string not_valid(const CLI::App& verb, const std::string& text)
{
    const std::size_t colon = text.find(": ");
    if (colon == std::string::npos) return text;
    std::string       name = text.substr(0, colon);
    const std::string rest = text.substr(colon + 2);
    if (const CLI::Option* option = option_named(verb, name); option != nullptr && option->get_positional())
        std::transform(name.begin(), name.end(), name.begin(), ::toupper);
    // "Check foo value in {allow->2,warn->0} OR {2,0} FAILED": words that stand for values, which no user knows.
    if (const auto pairs = between(rest, " value in {", "}"); pairs && rest.starts_with("Check ")) {
        std::vector<std::string> known;
        for (const std::string& pair : split(*pairs, ",")) known.push_back(pair.substr(0, pair.find("->")));
        const std::string value(*between(rest, "Check ", " value in {"));
        return fmt::format("{} '{}': expected {}", name, value, one_of(known));
    }
    if (const std::size_t at = rest.find(" not in {"); at != std::string::npos) {
        const auto choices = between(rest, " not in {", "}");
        if (!choices) return text;
        const auto  known = split(*choices, ",");
        std::string out   = fmt::format("{} '{}': expected {}", name, rest.substr(0, at), one_of(known));
        const auto  near  = nearest(rest.substr(0, at), known, 1);
        if (!near.empty() && known.size() > 3) out += fmt::format("\n  did you mean {}?", near.front());
        return out;
    }
    if (const auto value = between(rest, "Value ", " not finite"); value && rest.starts_with("Value "))
        return fmt::format("{} {}: expected a finite number", name, *value);
    if (const auto value = between(rest, "Value ", " not in range "); value && rest.starts_with("Value ")) {
        const CLI::Option* option = option_named(verb, text.substr(0, colon));
        const std::string  type   = option == nullptr ? std::string() : option->get_type_name();
        if (type.find("NONNEGATIVE") != std::string::npos)
            return fmt::format("{} {}: expected a number from 0 on", name, *value);
        if (type.find("POSITIVE") != std::string::npos)
            return fmt::format("{} {}: expected a number above 0", name, *value);
        std::string range = rest.substr(rest.find(" not in range ") + 14);
        for (const char bracket : {'[', ']'}) std::erase(range, bracket);
        if (const auto dash = range.find(" - "); dash != std::string::npos) range.replace(dash, 3, " to ");
        return fmt::format("{} {}: expected a number from {}", name, *value, range);
    }
    return text;
}

/// "--dt: 1 required FLOAT missing", "--dt: At Most 1 required but received 2".
std::string wrong_count(const std::string& text)
{
    const std::size_t colon = text.find(": ");
    if (colon == std::string::npos) return text;
    const std::string name = text.substr(0, colon);
    if (text.ends_with(" missing")) return fmt::format("{} needs a value", name);
    if (text.find("At Most 1 required") != std::string::npos) return fmt::format("{} may be given only once", name);
    return text;
}

}  // namespace

const CLI::App& verb_of(const CLI::App& app)
{
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : *chosen.back();
}

std::string unexpected_word(const CLI::App& app)
{
    for (const CLI::App* from : {&verb_of(app), &app})
        if (const auto words = from->remaining(); !words.empty()) {
            // What follows "--" is no option, whatever it begins with.
            for (const std::string& one : words) {
                if (one == "--") break;
                if (one.starts_with('-')) return one;
            }
            for (const std::string& one : words)
                if (one != "--") return one;
        }
    return {};
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error)
{
    const CLI::App&   verb = verb_of(app);
    const std::string text = error.what(), word = unexpected_word(app);
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !word.empty()) {
        if (&verb == &app)
            return fmt::format("{} is not {} of mechane", word, word.starts_with('-') ? "an option" : "a verb");
        const auto left   = verb.remaining();
        const auto marked = std::find(left.begin(), left.end(), "--");
        if (word.starts_with('-') && std::find(left.begin(), marked, word) != marked)
            return fmt::format("{} is not an option of mechane {}", word, verb.get_name());
        return fmt::format("mechane {}: unexpected argument '{}'", verb.get_name(), word);
    }
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return missing(verb, text);
    if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) return not_converted(verb, text);
    if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return not_valid(verb, text);
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return wrong_count(text);
    return text;
}

/// "nan" and "inf" are numbers to the parser; no option here has a use for them.
void refuse_not_finite(CLI::App& app)
{
    for (CLI::App* verb : app.get_subcommands(nullptr)) {
        for (CLI::Option* option : verb->get_options()) {
            if (option->get_type_name().find("FLOAT") == std::string::npos) continue;
            option->check([](const std::string& text) {
                double     value = 0;
                const auto end   = text.data() + text.size();
                const auto read  = std::from_chars(text.data(), end, value);
                const bool odd   = read.ec == std::errc{} && read.ptr == end && !std::isfinite(value);
                return odd ? fmt::format("Value {} not finite", text) : std::string();
            });
        }
        refuse_not_finite(*verb);
    }
}

void add_help(CLI::App& app, Context& context)
{
    const auto about = std::make_shared<std::string>(), part = std::make_shared<std::string>();
    CLI::App*  verb = app.add_subcommand("help", "Show what a verb does and which options it has");
    verb->add_option("verb", *about, "Verb");
    verb->add_option("part", *part, "Word after the verb, as in ros bridge; the page of the verb describes it");
    verb->callback([&app, &context, about, part] {
        const auto shown = [](const CLI::App& one, const std::string& before) {
            return one.get_formatter()->make_help(&one, before, CLI::AppFormatMode::Normal);
        };
        if (about->empty()) return context.io.out(shown(app, "mechane"));
        std::vector<std::string> known;
        for (const CLI::App* one : app.get_subcommands({})) {
            if (one->get_name() == *about) {
                if (knows_part(command_table(app), *about, *part, context.io))
                    return context.io.out(shown(*one, "mechane " + *about));
                context.exit = kExitUsage;
                return;
            }
            if (!one->get_group().empty()) known.push_back(one->get_name());
        }
        context.io.say_error(fmt::format("{} is not a verb of mechane\n", *about));
        if (const auto near = nearest(*about, known); !near.empty())
            context.io.say(fmt::format("  did you mean {}?\n", fmt::join(near, ", ")));
        context.exit = kExitUsage;
    });
}

}  // namespace mechane::cli

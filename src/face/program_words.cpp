// The words of diagnostics on their way to a C++ program: options of the command line become fields of the interface.
// One table of options; nothing else of a text is touched. The inner rooms know one caller, the command line, so that
// their texts can be pasted into a shell; the interface translates once, where a diagnostic leaves it.

#include "face/program_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace mechane::face {

namespace {

/// An option of the command line and what a program writes. In `words`, {} is the argument and {{}} the argument as a
/// list of texts. Options without a row are told as those of a command.
struct Row {
    std::string_view option;
    bool             argument;  ///< one follows, after a blank or =
    std::string_view words;
    std::string_view alone{};  ///< where the argument is left out in the text; empty: `words`
};

constexpr Row kRows[] = {
    {"package", true, "packages[{}] of LoadOptions or AssetOptions", "packages of LoadOptions or AssetOptions"},
    {"search-path", true, "search_paths {} of LoadOptions or AssetOptions",
     "search_paths of LoadOptions or AssetOptions"},
    {"resolvers", true, "LoadOptions::resolvers = {{}}", "LoadOptions::resolvers"},
    {"ground", true, "LoadOptions::ground_height = {}", "LoadOptions::ground"},
    {"hold", true, "LoadOptions::hold = {{}}", "LoadOptions::hold"},
    {"worlds", true, "LoadOptions::worlds = {}", "LoadOptions::worlds"},
    {"threads", true, "threads = {}", "threads"},
    {"floating", false, "LoadOptions::floating"},
    {"dt", true, "SimulationOptions::dt = {}", "SimulationOptions::dt"},
    {"substeps", true, "SimulationOptions::substeps = {}", "SimulationOptions::substeps"},
    {"solver", true, "SimulationOptions::solver = {}", "SimulationOptions::solver"},
    {"sleeping", false, "SimulationOptions::sleeping"},
    {"stage-limit", true, "usd::OpenOptions::limits ({}), a building block,",
     "usd::OpenOptions::limits, a building block,"},
    {"profile", true, "profile = {} of CheckSettings or FixSettings", "profile of CheckSettings or FixSettings"},
    {"select", true, "select = {{}} of CheckSettings or FixSettings", "select of CheckSettings or FixSettings"},
    {"ignore", true, "ignore = {{}} of CheckSettings or FixSettings", "ignore of CheckSettings or FixSettings"},
    {"unsafe", false, "FixSettings::unsafe"},
};

/// Options that one command has and the interface has not.
constexpr std::pair<std::string_view, std::string_view> kCommands[] = {
    {"variants", "check"},
    {"strict-payloads", "check"},
    {"list-rules", "check"},
    {"manual", "check"},
    {"phases", "fix"},
    {"in-place", "fix"},
    {"identifier", "fix"},
    {"version-string", "fix"},
    {"assume-units", "fix"},
    {"assume-up-axis", "fix"},
    {"no-localize", "fix"},
    {"localize", "fix"},
    {"realign-joints", "fix"},
    {"port-physx-sdf", "fix"},
    {"default-mass", "convert"},
    {"keep-frames", "convert"},
    {"approx-lights", "convert"},
    {"keep-colors", "convert"},
    {"openpbr", "convert"},
    {"udim", "convert"},
    {"mjcf-sdf", "convert"},
    {"loss", "convert"},
    {"controllers", "ros interfaces"},
    {"interfaces", "ros interfaces"},
    {"root", "fix"},
    {"outside", "fix"},
    {"isolate", "info"},
    {"overlay", "render"},
    {"port", "view"},
};

/// Those of the two tables above whose argument belongs to the command, in the texts.
constexpr std::string_view kWithArgument[] = {"variants", "phases", "udim"};

// Names of options have small letters and dashes only.
bool is_name(char c) { return std::islower(static_cast<unsigned char>(c)) != 0 || c == '-'; }

/// Up to what ends an argument in a sentence.
std::string_view argument_at(std::string_view text, std::size_t at)
{
    std::size_t end   = at;
    int         depth = 0;
    for (; end < text.size(); ++end) {
        const char c = text[end];
        const bool last =
            end + 1 == text.size() || text[end + 1] == ' ' || text[end + 1] == '\n' || text[end + 1] == ')';
        if (c == '[' || c == '{') ++depth;
        if (c == ']' || c == '}') --depth;
        if (depth > 0) continue;
        if (c == ' ' || c == '\n' || c == ';' || c == ')' || c == '\'' || c == '"' || c == '`') break;
        if ((c == ',' || c == ':' || (c == '.' && (end == at || text[end - 1] != '.'))) && last) break;
    }
    return text.substr(at, end - at);
}

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

/// "a,b" as "a", "b".
std::string listed(std::string_view text)
{
    std::string out;
    while (true) {
        const std::size_t comma = text.find(',');
        out += quoted(text.substr(0, comma));
        if (comma == std::string_view::npos) return out;
        out += ", ";
        text.remove_prefix(comma + 1);
    }
}

bool is_number(std::string_view text)
{ return !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-' || text == "N"); }

/// An import option, NAME=VALUE: a field where LoadOptions has one.
std::string import_option(std::string_view argument)
{
    const std::size_t equals = argument.find('=');
    if (equals == std::string_view::npos) return "LoadOptions::options";
    const std::string_view name = argument.substr(0, equals), value = argument.substr(equals + 1);
    if (name == "schema_resolvers") return "LoadOptions::resolvers = {" + listed(value) + '}';
    if (name == "allow_missing" || name == "floating")
        return "LoadOptions::" + std::string(name) + " = " + std::string(value);
    return "LoadOptions::options = {{" + quoted(name) + ", " + quoted(value) + "}}";
}

std::string filled(std::string_view words, std::string_view option, std::string_view argument)
{
    std::string out(words);
    if (const auto list = out.find("{{}}"); list != std::string::npos)
        return out.replace(list, 4, '{' + (option == "hold" ? std::string(argument) : listed(argument)) + '}');
    const auto at = out.find("{}");
    if (at == std::string::npos) return out;
    if (option == "package") {
        const std::size_t equals = argument.find('=');
        const std::string name   = quoted(argument.substr(0, equals));
        out.replace(at, 2, name);
        if (equals != std::string_view::npos) {
            const auto close = out.find(']');
            out.insert(close + 1, " = " + quoted(argument.substr(equals + 1)));
        }
        return out;
    }
    return out.replace(at, 2,
                       is_number(argument) || option == "stage-limit" ? std::string(argument) : quoted(argument));
}

/// What stands for an option whose two dashes are at the beginning of `text`, and how much of the text that replaces.
std::pair<std::string, std::size_t> said(std::string_view text)
{
    std::size_t end = 2;
    while (end < text.size() && is_name(text[end])) ++end;
    const std::string_view name = text.substr(2, end - 2);
    const bool             gap  = end < text.size() && (text[end] == ' ' || text[end] == '=');
    const std::string_view next = gap ? argument_at(text, end + 1) : std::string_view{};
    const std::size_t      with = end + 1 + next.size();
    if (name == "option" && next.find('=') != std::string_view::npos) return {import_option(next), with};
    for (const Row& row : kRows) {
        if (row.option != name) continue;
        if (!row.argument) return {std::string(row.words), end};
        // In a sentence a word may follow that is no argument: what has = in it, a list, a number, or the word auto is.
        const bool given = !next.empty() && (text[end] == '=' || next.find('=') != std::string_view::npos ||
                                             next.find(',') != std::string_view::npos || is_number(next) ||
                                             next == "auto" || next == "refuse");
        // Arguments in capitals are places to fill in.
        const bool place = !next.empty() && std::all_of(next.begin(), next.end(), [](char c) {
            return std::isupper(static_cast<unsigned char>(c)) != 0;
        });
        if (given && !place) return {filled(row.words, row.option, next), with};
        return {std::string(row.alone.empty() ? row.words : row.alone), place ? with : end};
    }
    std::string command = "mechane";
    for (const auto& [option, verb] : kCommands)
        if (option == name) command += ' ' + std::string(verb);
    const bool whole =
        !next.empty() && std::find(std::begin(kWithArgument), std::end(kWithArgument), name) != std::end(kWithArgument);
    return {'`' + command + ' ' + std::string(text.substr(0, whole ? with : end)) + '`', whole ? with : end};
}

/// Where a whole command ends that begins at `at`: behind its backtick or quotation mark.
std::size_t end_of_command(std::string_view text, std::size_t at)
{
    const char mark = text[at];
    const auto end  = text.find(mark, at + 1);
    return end == std::string_view::npos ? at + 1 : end + 1;
}

}  // namespace

std::string in_program_words(std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '`' || (c == '\'' && text.substr(at + 1).starts_with("mechane "))) {
            const std::size_t end = end_of_command(text, at);
            out += text.substr(at, end - at);
            at = end;
            continue;
        }
        // Dashes within a word, as in "left--right", begin no option.
        const bool begins =
            at == 0 || !(std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0 || text[at - 1] == '-');
        if (c != '-' || !begins || !text.substr(at).starts_with("--") || at + 2 >= text.size() ||
            std::islower(static_cast<unsigned char>(text[at + 2])) == 0) {
            out += c;
            ++at;
            continue;
        }
        auto [words, length] = said(text.substr(at));
        // "as fix --realign-joints does" names the verb already.
        if (words.starts_with("`mechane ")) {
            const std::string verb = words.substr(9, words.find(" --") - 9) + ' ';
            if (words.find(" --") > 9 && out.ends_with(verb) &&
                (out.size() == verb.size() || out[out.size() - verb.size() - 1] == ' '))
                out.resize(out.size() - verb.size());
        }
        out += words;
        at += length;
    }
    return out;
}

Diagnostic in_program_words(Diagnostic diagnostic)
{
    diagnostic.message = in_program_words(std::string_view(diagnostic.message));
    diagnostic.hint    = in_program_words(std::string_view(diagnostic.hint));
    return diagnostic;
}

Diagnostics in_program_words(const Diagnostics& diagnostics)
{
    Diagnostics out;
    for (const Diagnostic& one : diagnostics) out.add(in_program_words(one));
    return out;
}

Finding in_program_words(Finding finding)
{
    finding.message = in_program_words(std::string_view(finding.message));
    finding.hint    = in_program_words(std::string_view(finding.hint));
    return finding;
}

}  // namespace mechane::face

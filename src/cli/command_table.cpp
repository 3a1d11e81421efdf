// The verbs and options of the program as a table, read from the parser itself, so that help, manual and completions
// cannot disagree with what is parsed. Hidden options and verbs (without a group) are left out. Sorted by name.
// Called by completions.cpp and man.cpp.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/shells.h"
#include "mechane/solvers/solver.h"

namespace mechane::cli {
namespace {

/// The words of "TEXT:{a,b,c}", as the parser writes the values that it takes.
std::vector<std::string> choices_of(const CLI::Option& option)
{
    const std::string type  = option.get_type_name();
    const std::size_t begin = type.find('{'), end = type.find('}', begin == std::string::npos ? 0 : begin);
    if (begin == std::string::npos || end == std::string::npos) return {};
    std::vector<std::string> out;
    for (std::size_t at = begin + 1; at < end;) {
        const std::size_t next = std::min(type.find(',', at), end);
        out.push_back(type.substr(at, next - at));
        at = next + 1;
    }
    return out;
}

ShownOption shown(const CLI::Option& option)
{
    ShownOption out{.description = option.get_description(), .takes_value = option.get_items_expected_max() > 0};
    for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
    out.choices = choices_of(option);
    // The parser takes any text, as parameters may follow the name.
    if (std::find(out.names.begin(), out.names.end(), "--solver") != out.names.end())
        for (const std::string_view solver : solvers::solver_names()) out.choices.emplace_back(solver);
    return out;
}

ShownVerb shown(const CLI::App& verb)
{
    ShownVerb out{.name = verb.get_name(), .description = verb.get_description()};
    for (const CLI::Option* option : verb.get_options()) {
        if (option->get_group().empty()) continue;
        if (option->get_positional()) {
            if (out.positionals.empty()) out.choices = choices_of(*option);
            out.positionals.push_back(option->get_name(true));
        } else {
            out.options.push_back(shown(*option));
        }
    }
    out.below = command_table(verb);
    return out;
}

}  // namespace

std::vector<ShownVerb> command_table(const CLI::App& app)
{
    std::vector<ShownVerb> out;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
        out.push_back(shown(*verb));
    std::sort(out.begin(), out.end(), [](const ShownVerb& a, const ShownVerb& b) { return a.name < b.name; });
    return out;
}

bool knows_part(const std::vector<ShownVerb>& table, const std::string& verb, const std::string& part, const Io& io)
{
    if (part.empty()) return true;
    const auto one = std::find_if(table.begin(), table.end(), [&](const ShownVerb& v) { return v.name == verb; });
    std::vector<std::string> parts;
    if (one != table.end()) {
        parts = one->choices;
        for (const ShownVerb& below : one->below) parts.push_back(below.name);
    }
    if (std::find(parts.begin(), parts.end(), part) != parts.end()) return true;
    io.say_error(parts.empty()
                     ? fmt::format("{} has no parts, such as {}\n", verb, part)
                     : fmt::format("{} has no part {}\n  it has {}\n", verb, part, fmt::join(parts, ", ")));
    return false;
}

}  // namespace mechane::cli

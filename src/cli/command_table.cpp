// The verbs and options of the program as a table, read from the parser itself, so that help, manual and completions
// cannot disagree with what is parsed. Hidden options and verbs (without a group) are left out. Sorted by name.
// Called by completions.cpp and man.cpp.

#include <algorithm>

#include "cli/shells.h"

namespace mechane::cli {
namespace {

ShownOption shown(const CLI::Option& option)
{
    ShownOption out{.description = option.get_description(), .takes_value = option.get_items_expected_max() > 0};
    for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
    return out;
}

ShownVerb shown(const CLI::App& verb)
{
    ShownVerb out{.name = verb.get_name(), .description = verb.get_description()};
    for (const CLI::Option* option : verb.get_options()) {
        if (option->get_group().empty()) continue;
        if (option->get_positional())
            out.positionals.push_back(option->get_name(true));
        else
            out.options.push_back(shown(*option));
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

}  // namespace mechane::cli

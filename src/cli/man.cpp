// The manual page in roff, made of the command table. Called by `mechane man` and when the program is installed.
// The page has sections NAME, SYNOPSIS, COMMANDS and EXIT STATUS; see man(7) for the requests.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "cli/command.h"
#include "cli/shells.h"
#include "mechane/core/nearest.h"

namespace mechane::cli {
namespace {

/// A text of roff: no line is a request, and a minus is one that can be copied.
std::string roff(std::string_view text)
{
    std::string out;
    bool        begins = true;
    for (const char c : text) {
        // A line that begins with a dot or an apostrophe would be a request; \& is an empty character.
        if (begins && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
        begins = c == '\n';
    }
    return out;
}

// .TP: an indented paragraph with its tag.
std::string options_of(const ShownVerb& verb)
{
    std::string out;
    for (const ShownOption& option : verb.options)
        out += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(fmt::format("{}", fmt::join(option.names, ", "))),
                           option.takes_value ? " \\fIvalue\\fR" : "", roff(option.description));
    return out;
}

std::string usage_of(const std::string& before, const ShownVerb& verb)
{
    std::string out = fmt::format("\\fB{} {}\\fR", roff(before), roff(verb.name));
    if (!verb.options.empty()) out += " [\\fIoptions\\fR]";
    for (const std::string& name : verb.positionals) out += fmt::format(" \\fI{}\\fR", roff(name));
    return out;
}

// Verbs below a verb follow it with their full name.
std::string section_of(const std::string& before, const ShownVerb& verb)
{
    std::string out = fmt::format(".SS {}\n{}\n.PP\n{}.\n{}", roff(before + " " + verb.name), usage_of(before, verb),
                                  roff(verb.description), options_of(verb));
    for (const ShownVerb& below : verb.below) out += section_of(before + " " + verb.name, below);
    return out;
}

// The numbers are those of exit_codes.h.
constexpr const char* kStatus =
    ".SH EXIT STATUS\n0 done; 1 something to look at; 2 usage; 3 input; 4 diverged; 5 output; 6 not in this build; 70 "
    "a bug; 130 interrupted.\n";

}  // namespace

std::string manual_page(const std::vector<ShownVerb>& table, const std::string& name)
{
    std::string title = "MECHANE", out;
    for (const ShownVerb& verb : table) {
        if (!name.empty() && verb.name != name) continue;
        out += section_of("mechane", verb);
    }
    std::string about = "opens robots in OpenUSD, checks them, and simulates them";
    if (!name.empty()) {
        title += "-" + name;
        for (const ShownVerb& verb : table)
            if (verb.name == name) about = verb.description;
        for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    const std::string command = name.empty() ? "mechane" : "mechane-" + name;
    return fmt::format(
        ".TH {} 1 \"\" \"mechane {}\" \"Mechane\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n\\fBmechane\\fR {}\n"
        ".SH COMMANDS\n{}{}",
        roff(title), MECHANE_VERSION, roff(command), roff(about),
        name.empty() ? "\\fIverb\\fR [\\fIoptions\\fR]" : "\\fB" + roff(name) + "\\fR [\\fIoptions\\fR]", out, kStatus);
}

void add_man(CLI::App& app, Context& context)
{
    const auto about = std::make_shared<std::string>(), part = std::make_shared<std::string>();
    CLI::App*  verb  = app.add_subcommand("man", "Print the manual page: mechane man | man -l -");
    verb->add_option("verb", *about, "Page of one verb");
    verb->add_option("part", *part, "Word after the verb, as in ros bridge; the page of the verb describes it");
    verb->callback([&app, &context, about, part] {
        const auto               table = command_table(app);
        std::vector<std::string> known;
        for (const ShownVerb& one : table) known.push_back(one.name);
        if (!about->empty() && std::find(known.begin(), known.end(), *about) == known.end()) {
            context.io.say_error(fmt::format("{} is not a verb of mechane\n", *about));
            if (const auto near = nearest(*about, known); !near.empty())
                context.io.say(fmt::format("  did you mean {}?\n", fmt::join(near, ", ")));
            context.exit = kExitUsage;
            return;
        }
        if (!knows_part(table, *about, *part, context.io)) {
            context.exit = kExitUsage;
            return;
        }
        context.io.out(manual_page(table, *about));
    });
}

}  // namespace mechane::cli

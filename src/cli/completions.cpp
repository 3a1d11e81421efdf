// Completion scripts for bash, zsh and fish, made of the command table.
// Descriptions go between single quotes of each shell, whose rules of quoting differ.
// Called by `mechane completions`.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "cli/command.h"
#include "cli/shells.h"

namespace mechane::cli {
namespace {

/// A text between single quotes of a shell.
std::string shell_quoted(std::string_view text)
{
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}
/// The same inside of zsh's specifications, where brackets and colons have a meaning.
std::string specified(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}
/// fish knows \' and \\ between single quotes.
std::string fish_quoted(std::string_view text)
{
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + "'";
}

std::string names(const ShownVerb& verb)
{
    std::string out;
    for (const ShownVerb& below : verb.below) out += below.name + " ";
    for (const ShownOption& option : verb.options)
        for (const std::string& name : option.names) out += name + " ";
    for (const ShownVerb& below : verb.below)
        for (const ShownOption& option : below.options)
            for (const std::string& name : option.names) out += name + " ";
    return out;
}

std::string listed(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

/// What may stand behind the verb: verbs below it, values of its first positional, or verbs again.
std::vector<std::string> places(const ShownVerb& verb, const std::vector<ShownVerb>& table)
{
    std::vector<std::string> out = verb.choices;
    for (const ShownVerb& below : verb.below) out.push_back(below.name);
    if (verb.name == "help" || verb.name == "man")
        for (const ShownVerb& one : table) out.push_back(one.name);
    return out;
}

/// Options of a verb and of the verbs below it.
std::vector<ShownOption> all_options(const ShownVerb& verb)
{
    std::vector<ShownOption> out = verb.options;
    for (const ShownVerb& below : verb.below) out.insert(out.end(), below.options.begin(), below.options.end());
    return out;
}

}  // namespace

std::string bash_completion(const std::vector<ShownVerb>& table)
{
    std::string out = "# Completion of mechane for bash:  source <(mechane completions bash)\n_mechane()\n{\n"
                      "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words= places= "
                      "values=\n"
                      "    if ((COMP_CWORD == 1)); then\n        words='";
    for (const ShownVerb& verb : table) out += verb.name + " ";
    out += "--help --version'\n    else\n        case ${COMP_WORDS[1]} in\n";
    std::string valued;
    for (const ShownVerb& verb : table) {
        out += fmt::format("            {}) words={} places={} ;;\n", verb.name, shell_quoted(names(verb)),
                           shell_quoted(listed(places(verb, table))));
        for (const ShownOption& option : all_options(verb))
            for (const std::string& name : option.names)
                if (!option.choices.empty())
                    valued += fmt::format("            {}:{}) values={} ;;\n", verb.name, name,
                                          shell_quoted(listed(option.choices)));
    }
    out += "        esac\n        case ${COMP_WORDS[1]}:$previous in\n" + valued +
           "        esac\n    fi\n"
           "    if ((COMP_CWORD == 1)) || [[ $current == -* ]]; then\n"
           "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
           "    elif [[ -n $values ]]; then\n"
           "        COMPREPLY=($(compgen -W \"$values\" -- \"$current\"))\n"
           "    elif ((COMP_CWORD == 2)) && [[ -n $places ]]; then\n"
           "        COMPREPLY=($(compgen -W \"$places\" -- \"$current\"))\n"
           "    else\n"
           "        COMPREPLY=($(compgen -f -- \"$current\"))\n"
           "    fi\n}\ncomplete -o filenames -F _mechane mechane\n";
    return out;
}

std::string zsh_completion(const std::vector<ShownVerb>& table)
{
    std::string out = "#compdef mechane\n# Completion of mechane for zsh:  mechane completions zsh > ~/.zfunc/_mechane\n"
                      "_mechane() {\n    local -a verbs\n    verbs=(\n";
    for (const ShownVerb& verb : table) out += fmt::format("        {}\n", shell_quoted(verb.name + ":" + specified(verb.description)));
    out += "    )\n    if (( CURRENT == 2 )); then\n        _describe verb verbs\n        return\n    fi\n    case $words[2] in\n";
    for (const ShownVerb& verb : table) {
        out += fmt::format("        {})\n            _arguments", verb.name);
        const auto add = [&](const ShownOption& option) {
            for (const std::string& name : option.names)
                out += fmt::format(" \\\n                {}",
                                   shell_quoted(fmt::format("*{}[{}]{}", name, specified(option.description),
                                                      !option.takes_value      ? ""
                                                      : option.choices.empty() ? ":value:_files"
                                                                               : ":value:(" + listed(option.choices) + ")")));
        };
        for (const ShownOption& option : verb.options) add(option);
        for (const ShownVerb& below : verb.below)
            for (const ShownOption& option : below.options)
                if (option.names.front() != "-h") add(option);
        const std::string inner = listed(places(verb, table));
        if (!inner.empty()) out += fmt::format(" \\\n                {}", shell_quoted("2:verb:(" + inner + ")"));
        out += " \\\n                '*:file:_files'\n            ;;\n";
    }
    return out + "    esac\n}\nif [[ $funcstack[1] == _mechane ]]; then _mechane \"$@\"; else compdef _mechane mechane; fi\n";
}

std::string fish_completion(const std::vector<ShownVerb>& table)
{
    std::string out = "# Completion of mechane for fish:  mechane completions fish > ~/.config/fish/completions/mechane.fish\n";
    for (const ShownVerb& verb : table) {
        out += fmt::format("complete -c mechane -n __fish_use_subcommand -f -a {} -d {}\n", verb.name,
                           fish_quoted(verb.description));
        const std::string when = fish_quoted("__fish_seen_subcommand_from " + verb.name);
        for (const ShownVerb& below : verb.below)
            out += fmt::format("complete -c mechane -n {} -a {} -d {}\n", when, below.name, fish_quoted(below.description));
        if (verb.below.empty())
            for (const std::string& place : places(verb, table))
                out += fmt::format("complete -c mechane -n {} -f -a {}\n", when, fish_quoted(place));
        const auto add = [&](const ShownOption& option) {
            out += fmt::format("complete -c mechane -n {}", when);
            for (const std::string& name : option.names)
                out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            if (!option.choices.empty()) out += " -f -a " + fish_quoted(listed(option.choices));
            out += fmt::format("{} -d {}\n", option.takes_value ? " -r" : "", fish_quoted(option.description));
        };
        for (const ShownOption& option : verb.options) add(option);
        for (const ShownVerb& below : verb.below)
            for (const ShownOption& option : below.options)
                if (option.names.front() != "-h") add(option);
    }
    return out;
}

void add_completions(CLI::App& app, Context& context)
{
    const auto shell = std::make_shared<std::string>();
    CLI::App*  verb  = app.add_subcommand("completions", "Print what a shell needs to complete verbs and options");
    verb->add_option("shell", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
    verb->callback([&app, &context, shell] {
        const auto table = command_table(app);
        context.io.out(*shell == "bash"  ? bash_completion(table)
                       : *shell == "zsh" ? zsh_completion(table)
                                         : fish_completion(table));
    });
}

}  // namespace mechane::cli

#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/io.h"

namespace mechane::cli {

/// An option of a verb, as completions and manual pages name it.
struct ShownOption {
    std::vector<std::string> names;  ///< "-o", "--output"
    std::string              description;
    bool                     takes_value = false;
    std::vector<std::string> choices{};  ///< what its value may be; empty: many things
};
/// A verb, or a verb below a verb.
struct ShownVerb {
    std::string              name, description;
    std::vector<std::string> positionals;
    std::vector<std::string> choices;  ///< what the first positional may be; empty: many things
    std::vector<ShownOption> options;
    std::vector<ShownVerb>   below;
};

/// The command table, sorted by name; verbs that help does not show are left out.
std::vector<ShownVerb> command_table(const CLI::App& app);

/// Whether `part` may stand behind a verb, as in "ros bridge": its page tells of it. Says so where it may not.
bool knows_part(const std::vector<ShownVerb>& table, const std::string& verb, const std::string& part, const Io& io);

std::string bash_completion(const std::vector<ShownVerb>& table);
std::string zsh_completion(const std::vector<ShownVerb>& table);
std::string fish_completion(const std::vector<ShownVerb>& table);
/// A manual page of section 1: of one verb, or of all where `verb` is empty.
std::string manual_page(const std::vector<ShownVerb>& table, const std::string& verb);

}  // namespace mechane::cli

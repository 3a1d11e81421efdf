#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace mechane::cli {

/// The verb that a command line names; the program itself where it names none.
const CLI::App& verb_of(const CLI::App& app);

/// What is wrong with a command line, in one line: which option or argument, what was given, what is expected.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

/// The first unknown word; empty if there is none.
std::string unexpected_word(const CLI::App& app);

/// Every option that takes a number refuses what is none or endless, and says its name. After all verbs are added.
void refuse_not_finite(CLI::App& app);

/// mechane help [VERB]
void add_help(CLI::App& app, struct Context& context);

}  // namespace mechane::cli

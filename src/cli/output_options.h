#pragma once
#include <optional>
#include <string>

#include "cli/command.h"

/// Options that name what a verb writes. Before the verb begins, each is looked at: a format that nobody knows, a
/// folder that is not there, two results of one name, and a file that the run reads end it at once. What a run reads
/// besides is found out as it reads; no writer replaces it (mechane/files/inputs.h).
namespace mechane::cli {

/// Says that an option names a file that is written; the help says so too.
/// @param known    by its name; null: any name
/// @param formats  that are known, for the message
void is_output_file(CLI::Option* option, bool (*known)(const std::string& file) = nullptr, std::string formats = {});
/// The same of a folder that is written into.
void is_output_folder(CLI::Option* option);
/// The same of what the verb looks at itself.
void is_output(CLI::Option* option);

/// Remembers the files that the options of a verb name, and looks at its outputs.
/// @return the exit status when one cannot be; what is wrong has been said
std::optional<ExitCode> check_outputs(const CLI::App& verb, Context& context);

/// Asks again when the verb has read its asset, before it computes: what an asset depends on is known then.
/// @error FILES_INPUT
Result<void> refuse_read_outputs(const Context& context);

}  // namespace mechane::cli

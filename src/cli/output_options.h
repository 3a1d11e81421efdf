#pragma once
#include <optional>
#include <string>

#include "cli/command.h"

/// Options that name outputs of a verb. They are checked before the verb begins. An unknown format, a missing folder,
/// two outputs of one name, or a file that the run reads is an error at once. Further inputs become known as the run
/// reads them; no writer replaces them (mechane/files/inputs.h).
namespace mechane::cli {

/// Declares that an option names an output file; the help shows it.
/// @param known    by its name; null: any name
/// @param formats  that are known, for the message
void is_output_file(CLI::Option* option, bool (*known)(const std::string& file) = nullptr, std::string formats = {});
/// The same for an output folder.
void is_output_folder(CLI::Option* option);
/// The same for an output that the verb checks itself.
void is_output(CLI::Option* option);

/// Records the files that the options of a verb name, and checks its outputs.
/// @return the exit status if an output is impossible; the message has been printed
std::optional<ExitCode> check_outputs(const CLI::App& verb, Context& context);

/// Checks again after the verb has read its asset, before it computes: the asset's dependencies are known then.
/// @error FILES_INPUT
Result<void> refuse_read_outputs(const Context& context);

}  // namespace mechane::cli

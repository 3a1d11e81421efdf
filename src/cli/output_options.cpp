// Options that name outputs: which they are, and whether their files can be written, before anything is computed.
// An option is an output by the name of its value's type, which the help shows as well. All other values are noted as
// inputs, so that no output may replace them.
// Called by all verbs through the parser.

#include "cli/output_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/movie.h"
#include "mechane/files/inputs.h"
#include "mechane/files/replace.h"
#include "mechane/files/suffix.h"
#include "mechane/files/within.h"
#include "mechane/record/codes.h"

namespace mechane::cli {
namespace {

namespace fs = std::filesystem;

/// The name of such options' value in the help; it also identifies them.
constexpr std::string_view kFile = "OUTPUT", kFolder = "OUTPUT_FOLDER", kOther = "RESULT";

/// An output that may replace what another option reads.
constexpr std::pair<std::string_view, std::string_view> kRewritten{"--write-baseline", "--baseline"};

bool is_stream(const std::string& file) { return file.empty() || file.starts_with("-") || file == "/dev/null"; }

bool names_output(const CLI::Option& option)
{
    const std::string name = option.get_type_name();
    return name == kFile || name == kFolder || name == kOther;
}

/// An output in the folder that another output makes as a whole; empty if there is none.
std::string output_within_another(const CLI::App& verb)
{
    std::vector<std::string> folders;
    for (const CLI::Option* option : verb.get_options())
        if (option->get_type_name() == kOther)
            for (const std::string& folder : option->results())
                if (!is_stream(folder)) folders.push_back(files::real_place(folder));
    for (const CLI::Option* option : verb.get_options())
        if (names_output(*option))
            for (const std::string& file : option->results())
                if (!is_stream(file) &&
                    std::any_of(folders.begin(), folders.end(), [place = files::real_place(file)](const std::string& f) {
                        return place != f && files::is_within(place, f);
                    }))
                    return file;
    return {};
}

/// Whether an option may write over this file although the run reads it.
bool may_rewrite(const CLI::App& verb, const CLI::Option& option, const std::string& place)
{
    if (!option.check_name(std::string(kRewritten.first))) return false;
    const CLI::Option* read = verb.get_option_no_throw(std::string(kRewritten.second));
    return read != nullptr && !read->results().empty() && files::real_place(read->results().front()) == place;
}

Result<void> try_output(const std::string& file, bool is_folder, bool may_be_input)
{
    const bool numbered = files::has_suffix(file, {".png"}) && file.find('%') != std::string::npos;
    if (!is_folder && !numbered) return files::try_target(file, {.may_be_input = may_be_input});
    std::error_code failed;
    const fs::path  folder = is_folder ? fs::path(file) : fs::path(file).parent_path();
    if (fs::exists(folder, failed) && !fs::is_directory(folder, failed))
        return make_diagnostic(record::kWriteFailed, {.layer = file},
                               fmt::format("'{}' is not a folder", folder.string()));
    return files::try_target((folder / ".mechane").string(), {.make_folders = true});
}

}  // namespace

void is_output_file(CLI::Option* option, bool (*known)(const std::string& file), std::string formats)
{
    option->type_name(std::string(kFile));
    if (known == nullptr) return;
    option->check(CLI::Validator(
        [known, formats = std::move(formats)](std::string& file) {
            return known(file) ? std::string()
                               : fmt::format("unknown output format '{}'\n  formats by extension: {}", file, formats);
        },
        ""));
}

void is_output_folder(CLI::Option* option) { option->type_name(std::string(kFolder)); }
void is_output(CLI::Option* option) { option->type_name(std::string(kOther)); }

std::optional<ExitCode> check_outputs(const CLI::App& verb, Context& context)
{
    for (const CLI::Option* option : verb.get_options())
        if (!names_output(*option))
            for (const std::string& value : option->results()) files::note_read(value);
    // Such a folder holds its files and no others: the second run would refuse it, or the one would replace the other.
    if (const std::string within = output_within_another(verb); !within.empty()) {
        context.io.say_error(fmt::format("'{}' lies in the folder that -o makes\n  Write it beside that folder.\n", within));
        return kExitUsage;
    }
    std::set<std::string> places;
    for (const CLI::Option* option : verb.get_options()) {
        if (!names_output(*option)) continue;
        for (const std::string& file : option->results()) {
            if (is_stream(file)) continue;
            const std::string place = files::real_place(file);
            std::error_code   unknown;
            if (!places.insert(place).second && !fs::is_other(place, unknown)) {
                context.io.say_error(fmt::format("two outputs have the same name '{}'\n", file));
                return kExitUsage;
            }
            const bool may_be_input = may_rewrite(verb, *option, place);
            if (option->get_type_name() == kFile && !may_be_input) context.outputs.push_back(file);
            if (option->get_type_name() == kOther) continue;
            if (const auto possible = movies_possible(file); !possible) return context.io.fail(possible.error());
            if (const auto possible = try_output(file, option->get_type_name() == kFolder, may_be_input); !possible)
                return context.io.fail(possible.error());
        }
    }
    return std::nullopt;
}

Result<void> refuse_read_outputs(const Context& context)
{
    for (const std::string& file : context.outputs)
        if (auto refused = files::refuse_input(file); !refused) return refused;
    return {};
}

}  // namespace mechane::cli

// Chooses the format of a recording by the file's extension and writes it.
// "-" is standard output. A name without extension is taken for JSON if it is a pipe or a device. Called by `mechane
// sim` and the bindings.

#include "mechane/record/write.h"

#include <fmt/format.h>

#include <filesystem>

#include "mechane/files/suffix.h"
#include "mechane/record/codes.h"
#include "mechane/simulation/atomic_file.h"

namespace mechane::record {

std::optional<Format> format_of(std::string_view file)
{
    namespace fs = std::filesystem;
    if (file == "-") return Format::json;
    const std::string extension = files::suffix_of(file);
    if (extension == ".json") return Format::json;
    if (extension == ".csv") return Format::csv;
    if (extension == ".usda" || extension == ".usdc" || extension == ".usd") return Format::usd;
    std::error_code ignored;
    if (extension.empty() && fs::is_other(file, ignored)) return Format::json;
    return {};
}

Result<void> write(const model::Model& model, const Recording& recording, const std::string& file,
                   const WriteOptions& options, Diagnostics& found)
{
    const auto format = format_of(file);
    if (!format)
        return make_diagnostic(kFormatUnknown, {.layer = file},
                               fmt::format("'{}' has no extension of a recording", file));
    switch (*format) {
        case Format::json:
            return write_file(file, to_json(model, recording, options.json));
        case Format::csv:
            return write_file(file, to_csv(model, recording, options.json.sensors));
        case Format::usd:
            return to_layer(model, recording, file, options.usd, found).save(file);
    }
    return {};
}

}  // namespace mechane::record

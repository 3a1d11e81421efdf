// Writing layers: text, crate or package by the suffix and the options, and always by way of a temporary file that
// takes the target's place in the end.
// A file that nobody edited is copied byte by byte, so that comments and layout of hand-written text stay.

#include <fmt/format.h>
#include <pxr/sdf/fileFormat.h>
#include <pxr/tf/errorMark.h>

#include <cstdio>
#include <filesystem>

#include "mechane/files/inputs.h"
#include "mechane/files/read.h"
#include "mechane/files/replace.h"
#include "mechane/files/suffix.h"
#include "mechane/usd/layer_files.h"
#include "usd/export.h"
#include "usd/layer_impl.h"
#include "usd/runtime.h"
#include "usd/text_writer.h"

namespace mechane::usd {
namespace {

using namespace pxr;
namespace fs = std::filesystem;

bool is_binary(const fs::path& file)
{
    std::FILE* stream   = std::fopen(file.c_str(), "rb");
    char       magic[8] = {};
    const bool read     = stream != nullptr && std::fread(magic, 1, 8, stream) == 8;
    if (stream != nullptr) std::fclose(stream);
    return read && std::string_view(magic, 8) == "PXR-USDC";
}

}  // namespace

Result<void> replace_file(const std::string& file, const std::function<bool(const std::string& temporary)>& write)
{
    // Whether it is an input has been asked: that opens layers, which nobody may who is writing one.
    auto done = files::replace_with(file, write, {.may_be_input = true});
    if (done) return done;
    Diagnostic error = done.error();
    return make_diagnostic(kWriteFailed, std::move(error.site), std::move(error.message));
}

bool export_layer(const SdfLayerRefPtr& layer, const std::string& file, bool text)
{
    if (text) {  // written by us, who look at whether the disk took it
        const std::string content = text_of(layer);
        return !content.empty() && files::replace(file, content, {.may_be_input = true}).has_value();
    }
    TfErrorMark                   errors;
    SdfLayer::FileFormatArguments arguments;
    if (files::has_suffix(file, {".usd"})) arguments["format"] = "usdc";
    return layer->Export(file, {}, arguments) && errors.IsClean();
}

Result<void> Layer::save(const std::string& file, const SaveOptions& options) const
{
    if (auto refused = files::refuse_input(file); !refused) return refused;
    return save_in_place(*this, file, options);
}

Result<void> save_in_place(const Layer& layer, const std::string& file, const SaveOptions& options)
{
    using Format              = SaveOptions::Format;
    const Layer::Impl& impl   = layer.impl();
    const std::string  suffix = files::suffix_of(file);
    if (suffix == ".usdz") {
        Diagnostics found;
        return write_package(layer, file, {}, found);
    }
    if (suffix != ".usda" && suffix != ".usdc" && suffix != ".usd")
        return make_diagnostic(kWriteFailed, {.layer = file}, fmt::format("cannot write the format '{}'", suffix),
                               "Use .usda, .usdc, .usd or .usdz.");
    if ((suffix == ".usda" && options.format == Format::binary) ||
        (suffix == ".usdc" && options.format == Format::text))
        return make_diagnostic(kWriteFailed, {.layer = file}, "the format and the suffix contradict each other",
                               "Use the suffix .usd, which may hold either.");
    const bool binary = suffix == ".usdc" || (suffix == ".usd" && options.format != Format::text);
    // A file that nobody edited keeps its comments and its layout.
    std::error_code failed;
    const fs::path  read = impl.origin;
    if (!impl.edited && !impl.origin.empty() && fs::is_regular_file(read, failed) && is_binary(read) == binary &&
        // Only if the file on the disk is still the one that was read.
        fs::last_write_time(read, failed) == impl.read_time)
        return replace_file(
            file, [&](const std::string& temporary) { return files::copy(read.string(), temporary).has_value(); });
    const MessageScope messages;
    return replace_file(file,
                        [&](const std::string& temporary) { return export_layer(impl.layer, temporary, !binary); });
}

}  // namespace mechane::usd

#include <fcntl.h>
#include <fmt/format.h>
#include <pxr/sdf/fileFormat.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "usd/layer_impl.h"
#include "usd/runtime.h"

namespace mechane::usd {
namespace {

using namespace pxr;
namespace fs = std::filesystem;

/// What has been written stands on the disk before it gets its name, so that a crash leaves the old file or the new.
bool flush_to_disk(const std::string& file)
{
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    const bool done = ::fsync(descriptor) == 0;
    ::close(descriptor);
    return done;
}

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
    std::error_code failed;
    fs::path        target = fs::absolute(file, failed);
    if (fs::is_symlink(target, failed)) target = fs::weakly_canonical(target, failed);
    if (fs::is_directory(target, failed)) return make_diagnostic(kWriteFailed, {.layer = file}, "this is a folder");
    if (!fs::is_directory(target.parent_path(), failed))
        return make_diagnostic(kWriteFailed, {.layer = file}, "the folder does not exist");
    if (::access(target.parent_path().c_str(), W_OK) != 0)
        return make_diagnostic(kWriteFailed, {.layer = file}, "the folder cannot be written");
    const fs::path temporary = target.parent_path() / fmt::format(".{}.{}.part{}", target.stem().string(), ::getpid(),
                                                                  target.extension().string());
    struct stat    before    = {};
    const bool     exists    = ::stat(target.c_str(), &before) == 0;
    std::string    why       = "the layer could not be written";
    bool           done      = write(temporary.string()) && flush_to_disk(temporary.string());
    if (done && exists) ::chmod(temporary.c_str(), before.st_mode & 07777);
    if (done) {
        fs::rename(temporary, target, failed);
        if (failed) why = failed.message();
        done = !failed;
    }
    if (done) return {};
    fs::remove(temporary, failed);
    return make_diagnostic(kWriteFailed, {.layer = file}, why);
}

Result<void> Layer::save(const std::string& file, const SaveOptions& options) const
{
    using Format             = SaveOptions::Format;
    const std::string suffix = fs::path(file).extension().string();
    if (suffix == ".usdz") {
        Diagnostics found;
        return write_package(*this, file, {}, found);
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
    const fs::path  read = impl_->origin;
    if (!impl_->edited && !impl_->origin.empty() && fs::is_regular_file(read, failed) && is_binary(read) == binary &&
        fs::last_write_time(read, failed) == impl_->read_time)
        return replace_file(file, [&](const std::string& temporary) {
            return fs::copy_file(read, temporary, fs::copy_options::overwrite_existing, failed);
        });
    const MessageScope messages;
    return replace_file(file, [&](const std::string& temporary) {
        SdfLayer::FileFormatArguments arguments;
        if (suffix == ".usd") arguments["format"] = binary ? "usdc" : "usda";
        return impl_->layer->Export(temporary, {}, arguments);
    });
}

}  // namespace mechane::usd

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "mechane/usd/layer.h"
#include "mechane/usd/schemas.h"
#include "mechane/usd/stage.h"
#include "support/support.h"

using namespace mechane;

namespace {

/// Everything that this process writes to stdout and stderr while it lives, the C library's buffers included.
class Overheard {
  public:
    Overheard()
    {
        std::fflush(nullptr);
        out_ = dup(STDOUT_FILENO);
        err_ = dup(STDERR_FILENO);
        dup2(fileno(file_), STDOUT_FILENO);
        dup2(fileno(file_), STDERR_FILENO);
    }
    ~Overheard()
    {
        restore();
        std::fclose(file_);
    }
    Overheard(const Overheard&)             = delete;
    Overheard&  operator=(const Overheard&) = delete;
    std::string text()
    {
        restore();
        std::string out(4096, '\0');
        std::rewind(file_);
        out.resize(std::fread(out.data(), 1, out.size(), file_));
        return out;
    }

  private:
    void restore()
    {
        if (out_ < 0) return;
        std::fflush(nullptr);
        dup2(out_, STDOUT_FILENO);
        dup2(err_, STDERR_FILENO);
        close(out_);
        close(err_);
        out_ = err_ = -1;
    }
    std::FILE* file_ = std::tmpfile();
    int        out_ = -1, err_ = -1;
};

/// Files that are wrong in many ways; in the corpus' hostile folder more of them.
std::vector<std::string> broken_files(const test::TemporaryFolder& folder)
{
    const std::string        crate(200, 'x');
    std::vector<std::string> files{
        folder.write("empty.usda", ""),
        folder.write("cookie.usda", "#sdf 1.4.32\n"),
        folder.write("syntax.usda", "#usda 1.0\ndef \"a\"\n{\n    double x = = 1\n}\n"),
        folder.write("list.usda", "#usda 1.0\ndef \"a\" (\n    apiSchemas = [\"A\", \"A\"]\n)\n{\n}\n"),
        folder.write("noise.usd", crate),
        folder.write("short.usdc", "PXR-USDC"),
        folder.write("long.usdc", "PXR-USDC" + crate),
        folder.write("zip.usdz", "PK\x03\x04" + crate),
        folder.write("missing.usda", "#usda 1.0\ndef \"a\" (\n    references = @./none.usda@</p>\n)\n{\n}\n"),
        folder.write("arcs.usda", "#usda 1.0\ndef \"a\" (\n    references = @./long.usdc@</p>\n)\n{\n}\n"),
        folder.write("field.usda", "#usda 1.0\ndef \"a\" (\n    nobodysField = 1\n)\n{\n}\n"),
        (folder.path() / "absent.usda").string()};
    if (test::corpus() && std::filesystem::is_directory(*test::corpus() / "hostile"))
        for (const auto& entry : std::filesystem::recursive_directory_iterator(*test::corpus() / "hostile"))
            if (entry.is_regular_file() && entry.file_size() < 200'000) files.push_back(entry.path().string());
    return files;
}

}  // namespace

TEST_CASE("opening a stage, sound or broken, prints nothing (STG-003)")
{
    const test::TemporaryFolder folder;
    for (const std::string& file : broken_files(folder)) {
        Overheard overheard;
        (void)usd::Stage::open(file);
        (void)usd::Layer::open(file);
        const std::string text = overheard.text();
        CAPTURE(file);
        CHECK(text == "");
    }
}

TEST_CASE("no Python interpreter is started by opening stages, though OpenUSD's libraries are linked to one (STG-002)")
{
    (void)usd::Stage::open_text("#usda 1.0\ndef Xform \"a\"\n{\n}\n");
    using IsInitialized       = int (*)();
    const auto is_initialized = reinterpret_cast<IsInitialized>(dlsym(RTLD_DEFAULT, "Py_IsInitialized"));
    if (is_initialized == nullptr) return;  // not even linked
    CHECK(is_initialized() == 0);
}

TEST_CASE("OpenUSD declares the fields of layers without a complaint: every field comes from one plug-in (STG-004)")
{
    if (std::getenv("PXR_PLUGINPATH_NAME") != nullptr) return;  // somebody else's plug-ins
    for (const std::string& complaint : usd::startup_complaints()) CHECK(complaint == "");
}

#include "support/support.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace mechane::test {

std::ostream& operator<<(std::ostream& out, const CloseTo& c) { return out << c.value << " +- " << c.tolerance; }

void for_seeds(int n, const std::function<void(Random&)>& body)
{
    for (int seed = 1; seed <= n; ++seed) {
        CAPTURE(seed);
        Random random(static_cast<std::uint64_t>(seed));
        body(random);
    }
}

std::optional<std::filesystem::path> corpus()
{
    namespace fs = std::filesystem;
    if (const char* named = std::getenv("MECHANE_CORPUS")) {
        if (fs::is_directory(named)) return fs::path(named);
        return std::nullopt;
    }
    const fs::path beside = fs::path(MECHANE_SOURCE_DIR) / ".." / "shared" / "corpus";
    if (fs::is_directory(beside)) return fs::weakly_canonical(beside);
    return std::nullopt;
}

std::optional<std::filesystem::path> golden()
{
    const auto root = corpus();
    if (!root) return std::nullopt;
    const auto folder = root->parent_path() / "oracle" / "golden";
    if (std::filesystem::is_directory(folder)) return folder;
    return std::nullopt;
}

TemporaryFolder::TemporaryFolder()
{
    std::string pattern = (std::filesystem::temp_directory_path() / "mechane-test-XXXXXX").string();
    path_               = mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const
{
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
}

}  // namespace mechane::test

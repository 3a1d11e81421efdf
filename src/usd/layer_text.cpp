#include "usd/layer_text.h"

#include <filesystem>
#include <fstream>
#include <string_view>

namespace mechane::usd {

std::string usda_text(const std::string& file)
{
    constexpr std::string_view kMagic = "#usda";
    std::ifstream              stream(file, std::ios::binary);
    std::string                text(kMagic.size(), '\0');
    if (!stream.read(text.data(), static_cast<std::streamsize>(text.size())) || text != kMagic) return {};
    std::error_code failed;
    const auto      size = std::filesystem::file_size(file, failed);
    if (failed || size < kMagic.size()) return {};
    text.resize(size);
    stream.read(text.data() + kMagic.size(), static_cast<std::streamsize>(size - kMagic.size()));
    text.resize(kMagic.size() + static_cast<std::size_t>(stream.gcount()));
    return text;
}

}  // namespace mechane::usd

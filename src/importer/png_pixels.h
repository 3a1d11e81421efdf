#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mechane::importer {

/// Eight-bit rgba rows from the top, numbers as the file has them: no gamma is applied.
struct Pixels {
    int                       width = 0, height = 0;
    std::vector<std::uint8_t> rgba;
};

/// A PNG file; nothing when it cannot be read as one or has more than 64 million pixels.
std::optional<Pixels> read_png(const std::string& file);

}  // namespace mechane::importer

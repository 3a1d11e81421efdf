#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Pictures that stages name: PNG (ISO/IEC 15948) and JPEG (ISO/IEC 10918), by libpng and libjpeg.
namespace mechane::usd {

/// Eight-bit rgba, rows from the top, as the file has the numbers: no curve of a colour space is applied.
struct Picture {
    int                       width = 0, height = 0;
    std::vector<std::uint8_t> rgba;
    bool                      alpha = false;  ///< the file has opacity
    int                       bits  = 8;      ///< of a component of the file
};

/// Nothing for other formats, for damaged files, and for more than 64 million pixels.
std::optional<Picture> decode_picture(std::string_view bytes);

/// A PNG of eight bits. Empty when it cannot be made.
/// @param alpha  four channels, else three
std::string encode_png(const Picture& picture, bool alpha);

}  // namespace mechane::usd

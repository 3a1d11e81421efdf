// What kind of picture a file holds, by its first bytes, and for PNG and JPEG its bits, size and channels.
// The picture is not decoded: rules only ask about format and channels, and 64 KiB hold the headers.
// Called by the rules of textures.

#include "conformance/image_header.h"

#include <string_view>

#include "mechane/usd/asset_bytes.h"

namespace mechane::conformance {
namespace {

using std::string_view_literals::operator""sv;

/// Frame headers of JPEG: precision, size and number of channels (T.81, B.2.2).
void read_jpeg(std::string_view bytes, ImageHeader& out)
{
    out.format     = "jpeg";
    std::size_t at = 2;
    const auto  u8 = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(bytes[i])); };
    while (at + 9 < bytes.size() && u8(at) == 0xff) {
        const unsigned marker = u8(at + 1);
        if (marker == 0xff) {
            ++at;
            continue;
        }
        const bool frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
        if (frame) {
            out.bits     = static_cast<int>(u8(at + 4));
            out.channels = static_cast<int>(u8(at + 9));
            return;
        }
        at += 2 + (marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8) ? 0 : (u8(at + 2) << 8) + u8(at + 3));
    }
}

}  // namespace

ImageHeader read_image_header(const std::string& file)
{
    ImageHeader            out;
    const std::string      start = usd::first_bytes(file, 64 * 1024);
    const std::string_view bytes = start;
    const std::size_t      size  = start.size();
    out.readable                 = size > 0;
    if (bytes.starts_with("\x89PNG\r\n\x1a\n"sv)) {
        out.format = "png";
        if (size >= 26) {
            const auto type = static_cast<unsigned char>(bytes[25]);
            out.bits        = static_cast<unsigned char>(bytes[24]);
            out.palette     = type == 3;
            out.alpha       = type == 4 || type == 6;
        }
    } else if (bytes.starts_with("\xff\xd8"sv)) {
        read_jpeg(bytes, out);
    } else if (bytes.starts_with("\x76\x2f\x31\x01"sv)) {
        out.format = "exr";
    } else if (bytes.starts_with("#?RADIANCE"sv) || bytes.starts_with("#?RGBE"sv)) {
        out.format = "hdr";
    } else if (bytes.starts_with("II*\0"sv) || bytes.starts_with("MM\0*"sv)) {
        out.format = "tiff";
    } else if (bytes.starts_with("\xabKTX 20"sv)) {
        out.format = "ktx2";
    } else if (bytes.starts_with("DDS "sv)) {
        out.format = "dds";
    } else if (bytes.starts_with("BM"sv)) {
        out.format = "bmp";
    } else if (bytes.starts_with("GIF8"sv)) {
        out.format = "gif";
    } else if (size >= 12 && bytes.starts_with("RIFF"sv) && bytes.substr(8, 4) == "WEBP"sv) {
        out.format = "webp";
    } else if (size >= 12 && bytes.substr(4, 8) == "ftypavif"sv) {
        out.format = "avif";
    }
    return out;
}

}  // namespace mechane::conformance

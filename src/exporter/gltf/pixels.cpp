// Pictures in formats that glTF does not take (OpenEXR, TGA) and the sRGB curve; PNG and JPEG are decoded in room
// `usd`.
// Readers refuse what they do not know and check every length before they use it.

#include "exporter/gltf/pixels.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "mechane/usd/picture.h"

namespace mechane::exporter::gltf {
namespace {

/// A picture of more would need more than 256 MiB as RGBA.
constexpr std::uint64_t kMostPixels = std::uint64_t{64} << 20;

std::optional<Pixels> room_for(std::uint64_t width, std::uint64_t height)
{
    if (width == 0 || height == 0 || width > kMostPixels || height > kMostPixels || width * height > kMostPixels)
        return std::nullopt;
    Pixels out;
    out.width  = static_cast<int>(width);
    out.height = static_cast<int>(height);
    out.rgba.assign(4 * width * height, 255);
    return out;
}

std::uint32_t word(std::string_view bytes, std::size_t at)
{
    std::uint32_t v = 0;
    std::memcpy(&v, bytes.data() + at, 4);
    return v;
}

// -- OpenEXR: one part, scan lines (openexr.com, "OpenEXR file layout")

/// Infinity becomes the largest half, and what is no number zero.
double half_value(std::uint16_t h)
{
    // IEEE half: 1 sign, 5 exponent (bias 15), 10 mantissa bits. Infinity becomes the largest half, NaN zero.
    const int    exponent = (h >> 10) & 31, mantissa = h & 1023;
    const double sign = (h & 0x8000) != 0 ? -1 : 1;
    if (exponent == 0) return sign * std::ldexp(mantissa, -24);
    if (exponent == 31) return mantissa == 0 ? sign * 65504 : 0;
    return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

/// Bytes of a block whose deltas and halves are undone.
/// OpenEXR's ZIP and RLE blocks are split into even and odd bytes and stored as differences + 128: undone in reverse.
std::string unfiltered(std::string in)
{
    for (std::size_t i = 1; i < in.size(); ++i)
        // OpenEXR stores differences to the byte before, offset by 128, and the even bytes before the odd ones.
        in[i] = static_cast<char>(static_cast<unsigned char>(in[i - 1]) + static_cast<unsigned char>(in[i]) - 128);
    std::string       out(in.size(), '\0');
    const std::size_t half = (in.size() + 1) / 2;
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i % 2 == 0 ? i / 2 : half + i / 2];
    return out;
}

std::string unpacked(std::string_view block, int compression, std::size_t size)
{
    if (compression == 0 || block.size() == size) return std::string(block.substr(0, size));
    std::string out;
    if (compression == 1) {
        // Run lengths: a negative count copies bytes as they are, another repeats the next one count + 1 times.
        for (std::size_t i = 0; i < block.size();) {
            const int n = static_cast<signed char>(block[i++]);
            if (n < 0) {
                out += block.substr(i, static_cast<std::size_t>(-n)), i += static_cast<std::size_t>(-n);
            } else if (i < block.size()) {
                out.append(static_cast<std::size_t>(n) + 1, block[i++]);
            }
            if (out.size() > size) return {};
        }
    } else {
        out.resize(size);
        uLongf length = size;
        if (uncompress(reinterpret_cast<Bytef*>(out.data()), &length, reinterpret_cast<const Bytef*>(block.data()),
                       block.size()) != Z_OK)
            return {};
        out.resize(length);
    }
    return out.size() == size ? unfiltered(std::move(out)) : std::string();
}

struct ExrChannel {
    std::string name;
    int         type = 0;  // 0 whole, 1 half, 2 float
};

std::optional<Pixels> decode_exr(std::string_view bytes)
{
    if (bytes.size() < 12 || (word(bytes, 4) & 0x1e00) != 0)
        return std::nullopt;  // tiles, long names, deep data, parts
    std::vector<ExrChannel> channels;
    int                     compression = 0;
    std::int32_t            box[4]      = {};
    const auto              text        = [&](std::size_t& at) {
        const std::size_t end = bytes.find('\0', at);
        if (end == std::string_view::npos) return at = bytes.size(), std::string();
        std::string out(bytes.substr(at, end - at));
        at = end + 1;
        return out;
    };
    std::size_t at = 8;
    while (at < bytes.size()) {
        const std::string name = text(at);
        if (name.empty()) break;
        text(at);
        if (at + 4 > bytes.size()) return std::nullopt;
        const std::size_t size = word(bytes, at), begin = at + 4;
        if (size > bytes.size() - begin) return std::nullopt;
        at = begin + size;
        if (name == "compression" && size == 1) compression = static_cast<unsigned char>(bytes[begin]);
        if (name == "dataWindow" && size == 16) std::memcpy(box, bytes.data() + begin, 16);
        if (name == "channels")
            for (std::size_t c = begin; c + 1 < at && channels.size() < 64;) {
                ExrChannel one{text(c), 0};
                if (c + 16 > at) return std::nullopt;
                one.type = static_cast<int>(word(bytes, c));
                // Sampling other than one of a channel (x, y) is refused: chroma channels of luminance pictures have
                // it.
                if (word(bytes, c + 8) != 1 || word(bytes, c + 12) != 1 || one.type > 2) return std::nullopt;
                c += 16;
                channels.push_back(std::move(one));
            }
    }
    if (compression > 3 || channels.empty()) return std::nullopt;
    const std::int64_t width = std::int64_t{box[2]} - box[0] + 1, height = std::int64_t{box[3]} - box[1] + 1;
    if (width <= 0 || height <= 0) return std::nullopt;
    auto out = room_for(static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(height));
    if (!out) return std::nullopt;
    std::size_t row = 0;
    for (const ExrChannel& c : channels) row += (c.type == 1 ? 2 : 4) * static_cast<std::size_t>(width);
    // ZIP packs sixteen scan lines into a block, the other methods one.
    const std::size_t lines  = compression == 3 ? 16 : 1,
                      blocks = (static_cast<std::size_t>(height) + lines - 1) / lines;
    if (bytes.size() < at + 8 * blocks) return std::nullopt;
    const bool single = channels.size() == 1;
    for (std::size_t b = 0; b < blocks; ++b) {
        std::uint64_t place = 0;
        // The offset table follows the header; offsets are from the start of the file. Blocks say which line they begin
        // with, so their order does not matter.
        std::memcpy(&place, bytes.data() + at + 8 * b, 8);
        if (place > bytes.size() || bytes.size() - place < 8) return std::nullopt;
        const std::int64_t first = static_cast<std::int32_t>(word(bytes, place)) - std::int64_t{box[1]};
        const std::size_t  size  = word(bytes, place + 4);
        if (first < 0 || first >= height || size > bytes.size() - place - 8) return std::nullopt;
        const std::size_t n    = std::min<std::size_t>(lines, static_cast<std::size_t>(height - first));
        const std::string data = unpacked(bytes.substr(place + 8, size), compression, n * row);
        if (data.size() != n * row) return std::nullopt;
        std::size_t from = 0;
        for (std::size_t y = 0; y < n; ++y)
            for (const ExrChannel& c : channels) {
                const std::size_t to = c.name == "R" || c.name == "Y" ? 0
                                       : c.name == "G"                ? 1
                                       : c.name == "B"                ? 2
                                       : c.name == "A"                ? 3
                                                                      : 9;
                for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x, from += c.type == 1 ? 2 : 4) {
                    double v = 0;
                    if (c.type == 1) {
                        std::uint16_t h = 0;
                        std::memcpy(&h, data.data() + from, 2);
                        v = half_value(h);
                    } else if (c.type == 2) {
                        float f = 0;
                        std::memcpy(&f, data.data() + from, 4);
                        v = static_cast<double>(f);
                    } else {
                        v = word(data, from);
                    }
                    // High dynamic range is cut off at 1: glTF's pictures have eight bits.
                    const auto byte =
                        static_cast<std::uint8_t>(std::lround(255 * std::clamp(std::isfinite(v) ? v : 0.0, 0.0, 1.0)));
                    std::uint8_t* p = out->rgba.data() +
                                      4 * ((static_cast<std::size_t>(first) + y) * static_cast<std::size_t>(width) + x);
                    if (to < 4) p[to] = byte;
                    if (single || c.name == "Y") p[0] = p[1] = p[2] = byte;
                    out->alpha = out->alpha || to == 3;
                }
            }
    }
    out->bits = 32;
    out->wide = true;
    return out;
}

// -- TGA: colours and greys, with and without runs (Truevision TGA 2.0)

std::optional<Pixels> decode_tga(std::string_view bytes)
{
    if (bytes.size() < 18) return std::nullopt;
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
    const std::size_t type = byte(2), width = byte(12) | byte(13) << 8, height = byte(14) | byte(15) << 8,
                      depth = byte(16);
    const bool        grey = type == 3 || type == 11, runs = type >= 9;
    if (byte(1) != 0 || !(type == 2 || type == 3 || type == 10 || type == 11) ||
        (grey ? depth != 8 : depth != 24 && depth != 32))
        return std::nullopt;
    auto out = room_for(width, height);
    if (!out) return std::nullopt;
    const std::size_t size = depth / 8;
    std::size_t       at   = 18 + byte(0);
    for (std::size_t i = 0; i < width * height;) {
        std::size_t n = 1, repeat = 1;
        if (runs) {
            if (at >= bytes.size()) return std::nullopt;
            const std::size_t head = byte(at++);
            // A packet: bit 7 tells a run, the others its length minus one.
            ((head & 128) != 0 ? repeat : n) = (head & 127) + 1;
        }
        for (std::size_t k = 0; k < n; ++k, at += size) {
            if (at + size > bytes.size()) return std::nullopt;
            for (std::size_t r = 0; r < repeat && i < width * height; ++r, ++i) {
                // Bits 5 and 4 of the descriptor: rows from the top, columns from the right. TGA begins at the bottom
                // otherwise.
                const std::size_t y = (byte(17) & 32) != 0 ? i / width : height - 1 - i / width,
                                  x = (byte(17) & 16) != 0 ? width - 1 - i % width : i % width;
                std::uint8_t*     p = out->rgba.data() + 4 * (y * width + x);
                // TGA stores blue, green, red.
                for (std::size_t c = 0; c < 3; ++c) p[c] = static_cast<std::uint8_t>(byte(grey ? at : at + 2 - c));
                if (size == 4) p[3] = static_cast<std::uint8_t>(byte(at + 3));
            }
        }
    }
    out->alpha = size == 4;
    return out;
}

}  // namespace

std::uint8_t Pixels::at(double u, double v, std::size_t channel) const
{
    const auto x = static_cast<std::size_t>(std::clamp(static_cast<int>(u * width), 0, width - 1)),
               y = static_cast<std::size_t>(std::clamp(static_cast<int>(v * height), 0, height - 1));
    return rgba[4 * (y * static_cast<std::size_t>(width) + x) + channel];
}

PictureKind kind_of(std::string_view bytes)
{
    if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return PictureKind::png;
    if (bytes.starts_with("\xff\xd8\xff")) return PictureKind::jpeg;
    if (bytes.starts_with("\x76\x2f\x31\x01")) return PictureKind::exr;
    // TGA has no signature; type and palette bytes are all there is, hence it comes last.
    if (bytes.size() > 18 && bytes[1] == 0 && (bytes[2] == 2 || bytes[2] == 3 || bytes[2] == 10 || bytes[2] == 11))
        return PictureKind::tga;
    return PictureKind::other;
}

int png_bits(std::string_view bytes) { return bytes.size() > 24 ? static_cast<unsigned char>(bytes[24]) : 8; }

std::optional<Pixels> decode(std::string_view bytes)
{
    switch (kind_of(bytes)) {
        case PictureKind::png:
        case PictureKind::jpeg:
            if (auto p = usd::decode_picture(bytes))
                return Pixels{p->width, p->height, std::move(p->rgba), p->alpha, p->bits, false};
            break;
        case PictureKind::exr:
            return decode_exr(bytes);
        case PictureKind::tga:
            return decode_tga(bytes);
        case PictureKind::other:
            break;
    }
    return std::nullopt;
}

std::string encode_png(const Pixels& pixels, bool alpha)
{ return usd::encode_png({pixels.width, pixels.height, pixels.rgba, pixels.alpha, 8}, alpha); }

/// The curve of IEC 61966-2-1 and its inverse.
double to_linear(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }
double to_curve(double v) { return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055; }

}  // namespace mechane::exporter::gltf

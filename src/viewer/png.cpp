// Encodes PNG and APNG (W3C PNG third edition): 8 bits RGB, filters chosen by row, zlib.
// Inputs: pictures from the top row down. An animation stores for each further frame only the rectangle that changed.
// Invariant: the same picture gives the same bytes with the same zlib.
// Called by the commands that write pictures, and by html.cpp.

#include "png.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace mechane::viewer {
namespace {

constexpr int kBytes = 3;  ///< a pixel

void push32(std::string& out, std::uint32_t v)
{
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(v >> shift & 255);
}
void push16(std::string& out, std::uint16_t v)
{
    out += static_cast<char>(v >> 8);
    out += static_cast<char>(v & 255);
}

void chunk(std::string& out, std::string_view type, std::string_view data)
{
    push32(out, static_cast<std::uint32_t>(data.size()));
    const std::size_t begin = out.size();
    out += type;
    out += data;
    push32(out, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(out.data() + begin),
                                                 static_cast<uInt>(out.size() - begin))));
}

struct Rectangle {
    int x = 0, y = 0, width = 0, height = 0;
};

/// The predictor of the specification: the neighbour that is nearest to left + above - corner. Ties go in this order.
std::uint8_t paeth(int left, int above, int corner)
{
    const int p = left + above - corner, a = std::abs(p - left), b = std::abs(p - above), c = std::abs(p - corner);
    return static_cast<std::uint8_t>(a <= b && a <= c ? left : b <= c ? above : corner);
}

/// The rectangle's rows, each with the filter whose bytes are smallest, compressed.
std::string deflated(const Image& image, const Rectangle& r)
{
    const auto                size = static_cast<std::size_t>(r.width) * kBytes;
    std::vector<std::uint8_t> raw, zero(size);
    raw.reserve((size + 1) * static_cast<std::size_t>(r.height));
    std::array<std::vector<std::uint8_t>, 3> tries{zero, zero, zero};
    for (int y = 0; y < r.height; ++y) {
        const auto row = [&](int at) {
            return image.pixels.data() +
                   kBytes * (static_cast<std::size_t>(at) * static_cast<std::size_t>(image.width) +
                             static_cast<std::size_t>(r.x));
        };
        const std::uint8_t*     here  = row(r.y + y);
        const std::uint8_t*     above = y > 0 ? row(r.y + y - 1) : zero.data();
        std::array<unsigned, 3> cost{};
        for (std::size_t i = 0; i < size; ++i) {
            const std::uint8_t left   = i >= kBytes ? here[i - kBytes] : std::uint8_t{0},
                               corner = i >= kBytes ? above[i - kBytes] : std::uint8_t{0};
            tries[0][i]               = static_cast<std::uint8_t>(here[i] - left);
            tries[1][i]               = static_cast<std::uint8_t>(here[i] - above[i]);
            tries[2][i]               = static_cast<std::uint8_t>(here[i] - paeth(left, above[i], corner));
            for (std::size_t k = 0; k < 3; ++k)
                // The usual heuristic: the smallest sum of absolute values, bytes taken as signed, compresses best.
                cost[k] += static_cast<unsigned>(std::abs(static_cast<std::int8_t>(tries[k][i])));
        }
        static constexpr std::uint8_t kFilter[] = {1, 2, 4};
        const auto best = static_cast<std::size_t>(std::min_element(cost.begin(), cost.end()) - cost.begin());
        raw.push_back(kFilter[best]);
        raw.insert(raw.end(), tries[best].begin(), tries[best].end());
    }
    uLongf      length = compressBound(static_cast<uLong>(raw.size()));
    std::string out(length, '\0');
    // Cannot fail: the buffer has the bound's size and the level is valid.
    compress2(reinterpret_cast<Bytef*>(out.data()), &length, raw.data(), static_cast<uLong>(raw.size()), 5);
    out.resize(length);
    return out;
}

void header(std::string& out, int width, int height)
{
    out += "\x89PNG\r\n\x1a\n";
    std::string data;
    push32(data, static_cast<std::uint32_t>(width));
    push32(data, static_cast<std::uint32_t>(height));
    data += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, RGB, deflate, adaptive filters, not interlaced
    chunk(out, "IHDR", data);
    chunk(out, "sRGB", std::string_view("\0", 1));
}

/// The smallest rectangle outside of which two pictures of one size agree; one pixel when they agree everywhere.
Rectangle difference(const Image& a, const Image& b)
{
    int x0 = a.width, x1 = -1, y0 = a.height, y1 = -1;
    for (int y = 0; y < a.height; ++y) {
        const auto row =
            static_cast<std::ptrdiff_t>(kBytes * static_cast<std::size_t>(y) * static_cast<std::size_t>(a.width));
        const auto from = a.pixels.begin() + row, to = from + kBytes * a.width, other = b.pixels.begin() + row;
        const auto first = std::mismatch(from, to, other).first;
        if (first == to) continue;
        // The last column that differs in this row, from the right.
        const auto last = std::mismatch(std::make_reverse_iterator(to), std::make_reverse_iterator(from),
                                        std::make_reverse_iterator(other + kBytes * a.width))
                              .first;
        x0              = std::min(x0, static_cast<int>((first - from) / kBytes));
        x1              = std::max(x1, static_cast<int>((last.base() - 1 - from) / kBytes));
        y0              = std::min(y0, y);
        y1              = y;
    }
    return x1 < 0 ? Rectangle{0, 0, 1, 1} : Rectangle{x0, y0, x1 - x0 + 1, y1 - y0 + 1};
}

}  // namespace

std::string encode_png(const Image& image)
{
    std::string out;
    header(out, image.width, image.height);
    chunk(out, "IDAT", deflated(image, {0, 0, image.width, image.height}));
    chunk(out, "IEND", {});
    return out;
}

AnimatedPng::AnimatedPng(int width, int height, std::uint32_t frame_count, double frames_per_second)
    // The delay is a fraction with the denominator 1000, so it is a number of milliseconds in 16 bits.
    : delay_(static_cast<std::uint16_t>(std::clamp(std::lround(1000 / frames_per_second), 1L, 60000L)))
{
    header(out_, width, height);
    std::string control;
    push32(control, frame_count);
    push32(control, 0);
    chunk(out_, "acTL", control);
}

void AnimatedPng::add(const Image& image)
{
    const bool      first = last_.pixels.empty();
    const Rectangle r     = first ? Rectangle{0, 0, image.width, image.height} : difference(last_, image);
    std::string     control;
    push32(control, sequence_++);
    for (const int v : {r.width, r.height, r.x, r.y}) push32(control, static_cast<std::uint32_t>(v));
    push16(control, delay_);
    push16(control, 1000);
    control.append(2, '\0');  // dispose: none; blend: source
    chunk(out_, "fcTL", control);
    if (first) {
        chunk(out_, "IDAT", deflated(image, r));
    } else {
        std::string data;
        push32(data, sequence_++);
        data += deflated(image, r);
        chunk(out_, "fdAT", data);
    }
    last_ = image;
}

std::string AnimatedPng::finish() &&
{
    chunk(out_, "IEND", {});
    return std::move(out_);
}

}  // namespace mechane::viewer

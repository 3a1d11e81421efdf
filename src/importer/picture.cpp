#include "mechane/importer/picture.h"

#include <png.h>

#include <array>
#include <cmath>
#include <csetjmp>
#include <cstdio>  // which jpeglib.h needs and does not include
#include <memory>
#include <vector>

#include <jpeglib.h>

#include "color.h"
#include "mechane/usd/asset_bytes.h"

namespace mechane::importer {
namespace {

constexpr std::uint64_t kMostPixels = std::uint64_t{64} << 20;
constexpr std::size_t   kMostBytes  = std::size_t{256} << 20;

std::optional<model::Pixels> room_for(std::uint64_t width, std::uint64_t height)
{
    if (width == 0 || height == 0 || width > kMostPixels || height > kMostPixels || width * height > kMostPixels)
        return std::nullopt;
    return model::Pixels{static_cast<int>(width), static_cast<int>(height),
                         std::vector<std::uint8_t>(4 * width * height)};
}

// -- PNG (ISO/IEC 15948), by libpng

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

/// libpng's state; freed whichever way reading ends.
struct PngReader {
    png_structp png  = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, on_error, on_warning);
    png_infop   info = png != nullptr ? png_create_info_struct(png) : nullptr;

    PngReader() = default;
    ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
    PngReader(const PngReader&)            = delete;
    PngReader& operator=(const PngReader&) = delete;

    [[noreturn]] static void on_error(png_structp png, png_const_charp) { png_longjmp(png, 1); }
    static void              on_warning(png_structp, png_const_charp) {}
};

// The two halves of reading hold nothing that a jump out of libpng would have to destroy.
bool read_header(const PngReader& reader, std::FILE* file)
{
    if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
    png_init_io(reader.png, file);
    png_read_info(reader.png, reader.info);
    png_set_strip_16(reader.png);
    png_set_expand(reader.png);
    png_set_gray_to_rgb(reader.png);
    png_set_add_alpha(reader.png, 0xff, PNG_FILLER_AFTER);
    png_set_interlace_handling(reader.png);
    png_read_update_info(reader.png, reader.info);
    return true;
}
bool read_rows(const PngReader& reader, png_bytepp rows)
{
    if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
    png_read_image(reader.png, rows);
    return true;
}

std::optional<model::Pixels> decode_png(std::string_view bytes)
{
    // libpng only reads; the buffer of a stream for reading is not written.
    const std::unique_ptr<std::FILE, Close> stream(fmemopen(const_cast<char*>(bytes.data()), bytes.size(), "rb"));
    const PngReader                         reader;
    if (!stream || reader.info == nullptr || !read_header(reader, stream.get())) return std::nullopt;
    const std::uint64_t width  = png_get_image_width(reader.png, reader.info),
                        height = png_get_image_height(reader.png, reader.info);
    auto out                   = room_for(width, height);
    if (!out || png_get_rowbytes(reader.png, reader.info) != 4 * width) return std::nullopt;
    std::vector<png_bytep> rows(height);
    for (std::size_t y = 0; y < height; ++y) rows[y] = out->rgba.data() + 4 * width * y;
    if (!read_rows(reader, rows.data())) return std::nullopt;
    return out;
}

// -- JPEG (ISO/IEC 10918), by libjpeg

struct JpegReader {
    jpeg_decompress_struct jpeg{};
    jpeg_error_mgr         errors{};
    jpeg_progress_mgr      progress{};
    std::jmp_buf           jump{};

    JpegReader()
    {
        jpeg.err                  = jpeg_std_error(&errors);
        errors.error_exit         = on_error;
        errors.output_message     = [](j_common_ptr) {};
        jpeg.client_data          = this;
        progress.progress_monitor = on_progress;
    }
    ~JpegReader() { jpeg_destroy_decompress(&jpeg); }
    JpegReader(const JpegReader&)            = delete;
    JpegReader& operator=(const JpegReader&) = delete;

    [[noreturn]] static void on_error(j_common_ptr jpeg)
    { std::longjmp(static_cast<JpegReader*>(jpeg->client_data)->jump, 1); }
    /// A small file may hold thousands of scans, each of which costs as much as the whole picture.
    static void on_progress(j_common_ptr jpeg)
    {
        constexpr int kMostScans = 100;
        if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number > kMostScans) on_error(jpeg);
    }
};

// As for PNG: nothing in these halves would have to be destroyed.
bool read_header(JpegReader& reader, std::string_view bytes)
{
    if (setjmp(reader.jump) != 0) return false;
    jpeg_create_decompress(&reader.jpeg);
    reader.jpeg.progress = &reader.progress;
    jpeg_mem_src(&reader.jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&reader.jpeg, TRUE);
    if (reader.jpeg.num_components != 1 && reader.jpeg.num_components != 3) return false;
    reader.jpeg.out_color_space = JCS_RGB;
    return true;
}
bool read_rows(JpegReader& reader, std::uint8_t* const rgba, std::uint8_t* const row, int width, int height)
{
    if (setjmp(reader.jump) != 0) return false;
    jpeg_start_decompress(&reader.jpeg);
    if (reader.jpeg.output_components != 3 || static_cast<int>(reader.jpeg.output_width) != width ||
        static_cast<int>(reader.jpeg.output_height) != height)
        return false;
    while (reader.jpeg.output_scanline < reader.jpeg.output_height) {
        const std::size_t   above = static_cast<std::size_t>(width) * reader.jpeg.output_scanline;
        std::uint8_t* const begin = rgba + 4 * above;
        std::uint8_t*       line  = row;
        jpeg_read_scanlines(&reader.jpeg, &line, 1);
        for (int x = 0; x < width; ++x) {
            for (int k = 0; k < 3; ++k) begin[4 * x + k] = row[3 * x + k];
            begin[4 * x + 3] = 255;
        }
    }
    return true;
}

std::optional<model::Pixels> decode_jpeg(std::string_view bytes)
{
    JpegReader reader;
    if (!read_header(reader, bytes)) return std::nullopt;
    auto out = room_for(reader.jpeg.image_width, reader.jpeg.image_height);
    if (!out) return std::nullopt;
    std::vector<std::uint8_t> row(3 * static_cast<std::size_t>(out->width));
    if (!read_rows(reader, out->rgba.data(), row.data(), out->width, out->height)) return std::nullopt;
    return out;
}

}  // namespace

std::optional<model::Pixels> decode_picture(std::string_view bytes)
{
    if (bytes.starts_with("\x89PNG")) return decode_png(bytes);
    if (bytes.starts_with("\xff\xd8\xff")) return decode_jpeg(bytes);
    return std::nullopt;
}

std::optional<model::Pixels> read_picture(const std::string& file, bool linear)
{
    auto pixels = decode_picture(usd::first_bytes(file, kMostBytes));
    if (!pixels || !linear) return pixels;
    static const auto kDisplay = [] {
        std::array<std::uint8_t, 256> table{};
        for (std::size_t i = 0; i < table.size(); ++i) {
            const double value = static_cast<double>(i) / 255;
            table[i]           = static_cast<std::uint8_t>(std::lround(255 * to_display({value, value, value}).x));
        }
        return table;
    }();
    for (std::size_t i = 0; i < pixels->rgba.size(); ++i)
        if (i % 4 != 3) pixels->rgba[i] = kDisplay[pixels->rgba[i]];
    return pixels;
}

}  // namespace mechane::importer

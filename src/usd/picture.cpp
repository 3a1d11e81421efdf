// Pictures as RGBA bytes: PNG and JPEG decoded, PNG encoded. Sizes are bounded, since a header of few bytes may ask for
// any.
// The C libraries report errors by longjmp, which skips destructors: functions that may be left that way own nothing.
//
// RGBA with 8 bits; `alpha` and `bits` say what the file had.

#include "mechane/usd/picture.h"

#include <png.h>

#include <csetjmp>
#include <cstdio>  // which jpeglib.h needs and does not include
#include <cstring>
#include <memory>

#include <jpeglib.h>

namespace mechane::usd {
namespace picture {
namespace {

// 64 Mi pixels are 256 MiB.
constexpr std::uint64_t kMostPixels = std::uint64_t{64} << 20;

std::optional<Picture> room_for(std::uint64_t width, std::uint64_t height)
{
    if (width == 0 || height == 0 || width > kMostPixels || height > kMostPixels || width * height > kMostPixels)
        return std::nullopt;
    Picture out;
    out.width  = static_cast<int>(width);
    out.height = static_cast<int>(height);
    out.rgba.assign(4 * width * height, 255);
    return out;
}

// -- PNG

struct CloseStream {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

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

// The halves hold nothing that a jump out of libpng would have to destroy.
bool read_header(const PngReader& reader, std::FILE* file, bool* alpha, int* bits)
{
    // libpng jumps back here on any error.
    if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
    png_init_io(reader.png, file);
    png_read_info(reader.png, reader.info);
    *alpha = (png_get_color_type(reader.png, reader.info) & PNG_COLOR_MASK_ALPHA) != 0 ||
             png_get_valid(reader.png, reader.info, PNG_INFO_tRNS) != 0;
    *bits  = png_get_bit_depth(reader.png, reader.info);
    // Every kind of PNG becomes RGBA of 8 bits: palettes, grey, 16 bits, transparency by colour.
    png_set_scale_16(reader.png);
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

std::optional<Picture> decode_png(std::string_view bytes)
{
    // The library reads from a stream; memory serves as one.
    const std::unique_ptr<std::FILE, CloseStream> stream(fmemopen(const_cast<char*>(bytes.data()), bytes.size(), "rb"));
    const PngReader                               reader;
    bool                                          alpha = false;
    int                                           bits  = 8;
    if (!stream || reader.info == nullptr || !read_header(reader, stream.get(), &alpha, &bits)) return std::nullopt;
    // Memory is taken only after the size in the header was found to be bearable.
    auto out = room_for(png_get_image_width(reader.png, reader.info), png_get_image_height(reader.png, reader.info));
    // A row must be as long as the memory that was taken for it.
    if (!out || png_get_rowbytes(reader.png, reader.info) != 4 * static_cast<std::size_t>(out->width))
        return std::nullopt;
    std::vector<png_bytep> rows(static_cast<std::size_t>(out->height));
    for (std::size_t y = 0; y < rows.size(); ++y)
        rows[y] = out->rgba.data() + 4 * y * static_cast<std::size_t>(out->width);
    if (!read_rows(reader, rows.data())) return std::nullopt;
    out->alpha = alpha;
    out->bits  = bits;
    return out;
}

// -- JPEG

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
        progress.progress_monitor = [](j_common_ptr state) {  // a small file may hold thousands of scans
            if (reinterpret_cast<j_decompress_ptr>(state)->input_scan_number > 100) on_error(state);
        };
    }
    ~JpegReader() { jpeg_destroy_decompress(&jpeg); }
    JpegReader(const JpegReader&)            = delete;
    JpegReader& operator=(const JpegReader&) = delete;

    [[noreturn]] static void on_error(j_common_ptr jpeg)
    { std::longjmp(static_cast<JpegReader*>(jpeg->client_data)->jump, 1); }
};

bool read_header(JpegReader& reader, std::string_view bytes)
{
    if (setjmp(reader.jump) != 0) return false;
    // The decoder's own memory is released by the reader's destructor.
    jpeg_create_decompress(&reader.jpeg);
    reader.jpeg.progress = &reader.progress;
    jpeg_mem_src(&reader.jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&reader.jpeg, TRUE);
    // CMYK and other forms are not decoded.
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
        std::uint8_t* const to   = rgba + 4 * static_cast<std::size_t>(width) * reader.jpeg.output_scanline;
        std::uint8_t*       line = row;
        jpeg_read_scanlines(&reader.jpeg, &line, 1);
        // Three bytes each; the fourth is 255 since room_for().
        for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x) std::memcpy(to + 4 * x, row + 3 * x, 3);
    }
    return true;
}

std::optional<Picture> decode_jpeg(std::string_view bytes)
{
    JpegReader reader;
    if (!read_header(reader, bytes)) return std::nullopt;
    auto out = room_for(reader.jpeg.image_width, reader.jpeg.image_height);
    if (!out) return std::nullopt;
    std::vector<std::uint8_t> row(3 * static_cast<std::size_t>(out->width));
    if (!read_rows(reader, out->rgba.data(), row.data(), out->width, out->height)) return std::nullopt;
    return out;
}

void append(png_structp png, png_bytep data, png_size_t size)
{ static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<char*>(data), size); }

bool write_rows(png_structp png, png_infop info, const Picture& pixels, bool alpha, png_bytepp rows)
{
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_set_IHDR(png, info, static_cast<png_uint_32>(pixels.width), static_cast<png_uint_32>(pixels.height), 8,
                 alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    png_write_image(png, rows);
    png_write_end(png, info);
    return true;
}

}  // namespace
}  // namespace picture

std::optional<Picture> decode_picture(std::string_view bytes)
{
    // By content: suffixes lie.
    if (bytes.starts_with("\x89PNG")) return picture::decode_png(bytes);
    if (bytes.starts_with("\xff\xd8\xff")) return picture::decode_jpeg(bytes);
    return std::nullopt;
}

std::string encode_png(const Picture& pixels, bool alpha)
{
    const std::size_t width = static_cast<std::size_t>(pixels.width), height = static_cast<std::size_t>(pixels.height),
                      n = alpha ? 4 : 3;
    std::vector<std::uint8_t> packed(n * width * height);
    // Opaque pictures are written without alpha.
    for (std::size_t i = 0; i < width * height; ++i) std::memcpy(packed.data() + n * i, pixels.rgba.data() + 4 * i, n);
    std::vector<png_bytep> rows(height);
    for (std::size_t y = 0; y < height; ++y) rows[y] = packed.data() + n * width * y;
    std::string out;
    png_structp png  = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, picture::PngReader::on_error,
                                               picture::PngReader::on_warning);
    png_infop   info = png != nullptr ? png_create_info_struct(png) : nullptr;
    if (info != nullptr) {
        png_set_write_fn(png, &out, picture::append, nullptr);
        if (!picture::write_rows(png, info, pixels, alpha, rows.data())) out.clear();
    }
    png_destroy_write_struct(&png, &info);
    return out;
}

}  // namespace mechane::usd

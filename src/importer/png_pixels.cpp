#include "png_pixels.h"

#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "mechane/files/read.h"

namespace mechane::importer {
namespace {

constexpr std::uint64_t kMostPixels = std::uint64_t{64} << 20;

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

/// libpng's state; freed whichever way reading ends.
struct Reader {
    png_structp png  = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, on_error, on_warning);
    png_infop   info = png != nullptr ? png_create_info_struct(png) : nullptr;

    Reader() = default;
    ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
    Reader(const Reader&)            = delete;
    Reader& operator=(const Reader&) = delete;

    [[noreturn]] static void on_error(png_structp png, png_const_charp) { png_longjmp(png, 1); }
    static void              on_warning(png_structp, png_const_charp) {}
};

// The two halves of reading hold nothing that a jump out of libpng would have to destroy.
bool read_header(const Reader& reader, std::FILE* file)
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
bool read_rows(const Reader& reader, png_bytepp rows)
{
    if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
    png_read_image(reader.png, rows);
    return true;
}

}  // namespace

std::optional<Pixels> read_png(const std::string& file)
{
    auto bytes = files::read(file);
    if (!bytes || bytes->empty()) return std::nullopt;
    const std::unique_ptr<std::FILE, Close> stream(fmemopen(bytes->data(), bytes->size(), "rb"));
    const Reader                            reader;
    if (!stream || reader.info == nullptr || !read_header(reader, stream.get())) return std::nullopt;
    const std::uint64_t width  = png_get_image_width(reader.png, reader.info),
                        height = png_get_image_height(reader.png, reader.info);
    if (width * height > kMostPixels || png_get_rowbytes(reader.png, reader.info) != 4 * width) return std::nullopt;
    Pixels out{static_cast<int>(width), static_cast<int>(height), std::vector<std::uint8_t>(4 * width * height)};
    std::vector<png_bytep> rows(height);
    for (std::size_t y = 0; y < height; ++y) rows[y] = out.rgba.data() + 4 * width * y;
    if (!read_rows(reader, rows.data())) return std::nullopt;
    return out;
}

}  // namespace mechane::importer

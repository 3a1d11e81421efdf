// Encodes a picture as JPEG (quality 85) with libjpeg. Empty where that fails.
// libjpeg reports errors by a function that must not return; it jumps back into compress(), which therefore holds no
// object with a destructor. The Encoder lives outside and is destroyed in the usual way.
// Called by html.cpp for large textures.

#include "jpeg.h"

#include <csetjmp>
#include <cstdio>  // which jpeglib.h needs and does not include
#include <cstdlib>

#include <jpeglib.h>

namespace mechane::viewer {
namespace {

struct Encoder {
    jpeg_compress_struct jpeg{};
    jpeg_error_mgr       errors{};
    std::jmp_buf         jump{};
    unsigned char*       bytes = nullptr;  ///< malloc'ed by libjpeg
    unsigned long        size  = 0;        // NOLINT(google-runtime-int): libjpeg's type

    Encoder()
    {
        jpeg.err              = jpeg_std_error(&errors);
        errors.error_exit     = [](j_common_ptr c) { std::longjmp(static_cast<Encoder*>(c->client_data)->jump, 1); };
        errors.output_message = [](j_common_ptr) {};
        jpeg.client_data      = this;
    }
    ~Encoder()
    {
        jpeg_destroy_compress(&jpeg);
        std::free(bytes);
    }
    Encoder(const Encoder&)            = delete;
    Encoder& operator=(const Encoder&) = delete;
};

// Nothing in here would have to be destroyed when libjpeg jumps out.
bool compress(Encoder& to, const unsigned char* pixels, int width, int height)
{
    if (setjmp(to.jump) != 0) return false;
    jpeg_create_compress(&to.jpeg);
    jpeg_mem_dest(&to.jpeg, &to.bytes, &to.size);
    to.jpeg.image_width      = static_cast<JDIMENSION>(width);
    to.jpeg.image_height     = static_cast<JDIMENSION>(height);
    to.jpeg.input_components = 3;
    to.jpeg.in_color_space   = JCS_RGB;
    jpeg_set_defaults(&to.jpeg);
    jpeg_set_quality(&to.jpeg, 85, TRUE);
    jpeg_start_compress(&to.jpeg, TRUE);
    while (to.jpeg.next_scanline < to.jpeg.image_height) {
        auto* row = const_cast<unsigned char*>(pixels + 3 * static_cast<std::size_t>(width) * to.jpeg.next_scanline);
        jpeg_write_scanlines(&to.jpeg, &row, 1);
    }
    jpeg_finish_compress(&to.jpeg);
    return true;
}

}  // namespace

std::string encode_jpeg(const Image& image)
{
    Encoder encoder;
    if (!compress(encoder, image.pixels.data(), image.width, image.height)) return {};
    return {reinterpret_cast<const char*>(encoder.bytes), encoder.size};
}

}  // namespace mechane::viewer

#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Pictures that are taken apart and put together anew.
namespace mechane::exporter::gltf {

/// Eight-bit rgba, rows from the top, as the file has the numbers: no curve of a colour space is applied.
struct Pixels {
    int                       width = 0, height = 0;
    std::vector<std::uint8_t> rgba;
    bool                      alpha = false;  ///< the file has opacity
    int                       bits  = 8;      ///< of a component of the file
    bool                      wide  = false;  ///< floating-point numbers, cut to 0 to 1

    [[nodiscard]] std::uint8_t at(double u, double v,
                                  std::size_t channel) const;  ///< nearest, u and v in 0 to 1 from the top left
};

enum class PictureKind { png, jpeg, exr, tga, other };
PictureKind kind_of(std::string_view bytes);
/// Bits of a component of a PNG file, from its header.
int png_bits(std::string_view bytes);

/// PNG, JPEG, OpenEXR (scan lines without compression, or by RLE or ZIP), TGA. Nothing for other or damaged files.
std::optional<Pixels> decode(std::string_view bytes);
/// @param alpha  four channels, else three
std::string encode_png(const Pixels& pixels, bool alpha);

double to_linear(double v);  ///< from the curve of sRGB
double to_curve(double v);   ///< to it

}  // namespace mechane::exporter::gltf

#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/usd/stage.h"

namespace mechane::importer {

/// The picture that colours a shape. Its colours are for display: of a file that holds linear ones the
/// pixels are here, encoded by the sRGB curve; any other file is to be shown as it is.
struct Texture {
    std::string               file;  ///< resolved, or as authored when it was not found
    bool                      linear = false;
    int                       width = 0, height = 0;
    std::vector<std::uint8_t> pixels;  ///< rgba, rows from the top; empty: the file as it is
};

/// What a UsdUVTexture shows. The colour space is that of `usd::texture_color_space`. A linear file that is no readable
/// PNG is reported (IMPORT_TEXTURE_LINEAR) and keeps its path.
/// Reads the file only where it is linear; all others are named and left to whoever draws.
Texture read_texture(const usd::Prim& shader, Diagnostics& found);

}  // namespace mechane::importer

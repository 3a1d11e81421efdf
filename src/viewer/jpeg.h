#pragma once
#include <string>

#include "mechane/viewer/render.h"

namespace mechane::viewer {

/// A JPEG file of quality 85; empty when the encoder refuses.
std::string encode_jpeg(const Image& image);

}  // namespace mechane::viewer

#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "mechane/model/paint.h"

namespace mechane::importer {

/// The numbers of a PNG or JPEG file, eight bits each: no gamma and no colour space is applied. Nothing for other
/// formats, for damaged files, and for more than 64 million pixels.
std::optional<model::Pixels> decode_picture(std::string_view bytes);

/// The same of a file, which may lie in a package ("robot.usdz[tex/wood.png]").
/// @param linear  the file holds linear colours: they are encoded by the sRGB curve, as displays take them
std::optional<model::Pixels> read_picture(const std::string& file, bool linear = false);

}  // namespace mechane::importer

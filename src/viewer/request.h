#pragma once
#include <optional>

#include "mechane/viewer/render.h"

namespace mechane::viewer {

/// What is wrong with a request for a picture, if anything.
std::optional<Diagnostic> check_request(const record::Recording& recording, std::size_t frame,
                                        const RenderOptions& options, const std::string& file);

}  // namespace mechane::viewer

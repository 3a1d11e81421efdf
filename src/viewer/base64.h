#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace mechane::viewer {

/// RFC 4648 with padding.
std::string base64(std::span<const std::byte> bytes);

}  // namespace mechane::viewer

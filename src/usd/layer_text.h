#pragma once
#include <string>

namespace mechane::usd {

/// The text of a usda file, or nothing for another one or an unreadable one; only the first bytes of those are read.
std::string usda_text(const std::string& file);

}  // namespace mechane::usd

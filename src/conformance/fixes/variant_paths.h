#pragma once
#include <string>

#include "mechane/usd/path.h"

namespace mechane::conformance {

/// "/rob{k=a}j" -> "/rob/j": what a variant holds is about the prims of the same names outside of it.
inline usd::Path without_variants(const usd::Path& path)
{
    std::string text = path.text();
    for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{')) {
        const std::size_t close = text.find('}', open);
        const bool        last  = close == std::string::npos || close + 1 == text.size() || text[close + 1] == '{';
        text.replace(open, close == std::string::npos ? close : close + 1 - open, last ? "" : "/");
    }
    return usd::Path(text);
}

}  // namespace mechane::conformance

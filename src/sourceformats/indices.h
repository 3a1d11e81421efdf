#pragma once
#include <cstddef>

namespace mechane::sourceformats {

/// An index of a file's or a tree's list as one of a container. What is negative means "none" and is asked for before.
inline std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace mechane::sourceformats

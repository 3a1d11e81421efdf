#pragma once
#include <string>

namespace mechane {

/// Names the machine code of this process: the program and every library that it was loaded with, by their build ids,
/// or, where a linker made none, by size and time. Another build of any of them has another name.
const std::string& build_identity();

}  // namespace mechane

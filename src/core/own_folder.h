#pragma once
#include <filesystem>

namespace mechane {

/// The folder of the program or module that holds the library's code: of the Python extension where Python loaded it,
/// else of the executable. Files that are looked up beside the library are looked up from there. Empty where the loader
/// does not say.
std::filesystem::path own_folder();

}  // namespace mechane

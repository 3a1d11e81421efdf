#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "mechane/record/recording_file.h"

/// Recordings, damaged or cut off.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    // One file a process: several may run side by side.
    static const std::string file =
        (std::filesystem::temp_directory_path() / ("mechane_fuzz_" + std::to_string(getpid()) + ".mrec")).string();
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    (void)mechane::record::read_recording(file);
    return 0;
}

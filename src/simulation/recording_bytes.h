#pragma once
#include <string>

#include "mechane/simulation/recording_file.h"

namespace mechane::record {

/// Header, hashes and frames in the format of the file.
std::string bytes_of(const RecordingFile& file);
/// One frame; equal frames, and no others, have equal bytes.
std::string bytes_of(const Frame& frame);

}  // namespace mechane::record

#pragma once
#include <string>

#include "mechane/record/recording_file.h"

namespace mechane::record {

/// Header, hashes and frames as the file keeps them.
std::string bytes_of(const RecordingFile& file);
/// One frame; equal frames, and no others, have equal bytes.
std::string bytes_of(const Frame& frame);

}  // namespace mechane::record

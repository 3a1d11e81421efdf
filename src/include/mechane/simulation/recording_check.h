#pragma once
#include <optional>
#include <string>

#include "mechane/model/model.h"
#include "mechane/simulation/recording_file.h"

namespace mechane::record {

/// Whether a recording can be one of this model: every frame has a pose and a velocity of each body and a value of each
/// coordinate, contacts name shapes, times ascend within what was recorded. A checksum says only that a file is what
/// somebody wrote.
/// @param name   of the file, for the finding
/// @return RECORD_INCONSISTENT, or nothing
std::optional<Diagnostic> check_recording(const RecordingFile& file, const model::Model& model,
                                          const std::string& name);

/// SHA-256 of everything that a recording holds, as hexadecimal digits; with a key its HMAC (RFC 2104), which who does
/// not have the key cannot make.
std::string recording_digest(const RecordingFile& file, const std::string& key = {});

/// True when two frames agree to the last bit.
bool same(const Frame& a, const Frame& b);

}  // namespace mechane::record

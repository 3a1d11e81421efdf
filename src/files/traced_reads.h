#pragma once
#include <string>

namespace mechane::files {

/// A file is about to be read: the current trace hears of it (trace.h).
void note_traced_read(const std::string& file);

}  // namespace mechane::files

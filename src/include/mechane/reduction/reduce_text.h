#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "mechane/reduction/reduce.h"

namespace mechane::reduction {

struct ReducedText {
    std::string              text;
    std::size_t              elements_before = 0, elements = 0;
    std::size_t              runs        = 0;
    bool                     interrupted = false, exhausted = false;
    std::vector<std::string> kept_names;     ///< names that the fault needs
    std::vector<std::string> untried_names;  ///< names that stayed because the search was cut short
};

/// The smallest file of XML (URDF, xacro, MJCF, SDFormat) that still shows a fault: elements go level by level, then
/// attributes, comments and texts, and names become hashes. The file is only read; candidates stand where its relative
/// paths lead to the same files. Calls of `shows` are one after the other.
/// @error REDUCE_NO_FAULT, REDUCE_SCRATCH, FILES_READ_FAILED
Result<ReducedText> reduce_text(const std::string& file, const ReduceOptions& options);

}  // namespace mechane::reduction

#pragma once
#include "mechane/core/diagnostic.h"

namespace mechane::reduction {

// clang-format off
inline constexpr Code kNoFault{"REDUCE_NO_FAULT", Severity::error, "The command does not succeed with the whole asset, so there is no fault to keep.", "Write the command so that it ends with status 0 while the fault shows: 'mechane sim {} ; test $? -eq 70'."};
inline constexpr Code kNotInUsd{"REDUCE_NOT_IN_USD", Severity::error, "The fault shows with the file, and not with the OpenUSD that is made of it.", "It is a fault of reading this format: name a result of the file's own suffix (-o small.urdf), which is reduced as text."};
inline constexpr Code kScratch{"REDUCE_SCRATCH", Severity::error, "No working folder could be made.", "Set TMPDIR to a folder that can be written."};
// clang-format on

}  // namespace mechane::reduction

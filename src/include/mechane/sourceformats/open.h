#pragma once
#include <memory>
#include <string>

#include "mechane/sourceformats/convert.h"
#include "mechane/usd/stage.h"

namespace mechane::sourceformats {

/// Opens a robot or scene of another format as a stage of one layer, read with options of its own. Findings about the
/// stage, and losses of what is written of it, name the file and line of the source.
///
/// @param read  gets what the reader found and lost, and the robot as the source says it
/// @error SOURCE_READ_FAILED, SOURCE_FORMAT_UNKNOWN, and what `usd::Stage::open` fails with
Result<std::shared_ptr<const usd::Stage>> open_as_stage(const std::string& file, const ReadOptions& options,
                                                        const usd::OpenOptions& open, ReadRobot& read);

}  // namespace mechane::sourceformats

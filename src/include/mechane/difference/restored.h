#pragma once
#include <cstddef>

#include "mechane/exporter/export.h"
#include "mechane/sourceformats/loss.h"
#include "mechane/sourceformats/robot_tree.h"

namespace mechane::difference {

/// Corrects a report for what a conversion through OpenUSD has brought back: a robot is read into OpenUSD, which has no
/// word for some of its values, and the way out finds them again (mechane/sourceformats/hints.h). Entries that announce
/// a difference which is not there go; those of MuJoCo's layer, which no robot format but MJCF has, become losses.
/// @param losses  those of the first half, source to OpenUSD
/// @param from    the robot as the source has it
/// @param to      the robot as it is written
/// @param format  as which it is written
/// @return how many values of the source the entries that are gone were about: they are kept after all
std::size_t correct_restored(sourceformats::LossReport& losses, const sourceformats::RobotTree& from,
                             const sourceformats::RobotTree& to, exporter::Format format);

}  // namespace mechane::difference

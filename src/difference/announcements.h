#pragma once
#include <string_view>

#include "mechane/difference/compare.h"
#include "mechane/sourceformats/loss.h"

/// What each entry of a loss report is about.
namespace mechane::difference {

/// Whether an entry announces a difference of one value, given that it names the item. An entry speaks for the values
/// that are listed for its code and for no others: a drive that is dropped says nothing of the armature.
/// @param field  as Difference::field has it
bool announces(const sourceformats::Loss& loss, Quantity quantity, std::string_view field);

/// Whether an entry may be why a robot moves otherwise.
bool changes_motion(const sourceformats::Loss& loss);

/// The reason of the first entry that announces a value of a part of one of these names, each in quotes or at the end
/// of a prim path; an entry that names nothing speaks of the whole file. Empty: none does.
std::string announced_by_name(const sourceformats::LossReport* losses, Quantity quantity, std::string_view field,
                              const std::vector<std::string>& names);

}  // namespace mechane::difference

#pragma once
#include "mechane/model/custom.h"

namespace mechane::model {

/// Whether both hold arrays of the same names and types with the same values, to the bit: a NaN is equal to itself.
bool same_values(const CustomArrays& a, const CustomArrays& b) noexcept;
/// Takes over the values of the arrays of `from`, which may hold fewer arrays than `into`.
/// @return false where an array of `from` has none of its name, type and size in `into`; that one is passed by
bool take_values(CustomArrays& into, const CustomArrays& from);

}  // namespace mechane::model

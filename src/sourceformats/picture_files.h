#pragma once
#include "mechane/sourceformats/convert.h"

namespace mechane::sourceformats {

/// Pictures of 16 bits a channel become pictures of the result with 8: no renderer of OpenUSD's preview surfaces
/// promises more (REP-3.2-b).
/// @param losses  gets "texture-bits"
void pictures_of_eight_bits(UsdRobot& robot, LossReport& losses);

}  // namespace mechane::sourceformats

#pragma once
#include <string>

#include "conformance/fixes/repair.h"

namespace mechane::conformance {

/// Why a linear map cannot go from a Gprim's placement into its own form, as the end of a sentence; empty where it can.
/// Points take any map. A primitive takes what leaves it one: a cube a uniform scale and quarter turns, a cylinder
/// another scale along its axis too.
///
/// @param linear  of the prim's own space, row vectors; its translation does not count
std::string fault_of_baking(const usd::Prim& gprim, const usd::Matrix4d& linear);

/// Writes the form of a Gprim anew, so that `linear` is no longer needed in front of its placement: points, normals,
/// extents and sizes, at all times. A mirror turns the orientation of a mesh over.
void bake(Repair& repair, const usd::Prim& gprim, const usd::Matrix4d& linear);

}  // namespace mechane::conformance

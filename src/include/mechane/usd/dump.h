#pragma once
#include <cstddef>
#include <string>

#include "mechane/usd/stage.h"

namespace mechane::usd {

/// Everything that a stage composes, as JSON (docs/schemas/dump.stage.schema.json, `mechane dump stage`): metadata of
/// the stage, every prim with its schemas, flags, transforms, materials and authored properties, and the fallbacks of
/// each set of schemas once. Keys are sorted.
/// @param limit  arrays of more scalars than this become a hash; 0 prints all
std::string dump_stage(const Stage& stage, std::size_t limit = 64);

}  // namespace mechane::usd

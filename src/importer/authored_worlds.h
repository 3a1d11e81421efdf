#pragma once
#include "import.h"

namespace mechane::importer {

/// Reads newton:world of colliders into `Import::world_of_body` and `world_of_collider`: -1 is global. A body and what
/// joints tie to it live in one world, which any of its colliders may name; contradictions are refused (IMPORT_WORLD_MIXED)
/// and leave the bodies global.
/// @return how many worlds there are to make; 0 when none is authored, or none can be made here (IMPORT_WORLD_IGNORED)
std::int32_t read_authored_worlds(Import& run);

}  // namespace mechane::importer

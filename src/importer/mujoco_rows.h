#pragma once
#include "import.h"

namespace mechane::importer {

/// MuJoCo's actuators, tendons and equalities as rows of custom attributes, once all entities have their final indices.
void add_mujoco_rows(Import& run);

}  // namespace mechane::importer

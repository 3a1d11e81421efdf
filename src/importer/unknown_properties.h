#pragma once
#include "import.h"

namespace mechane::importer {

/// Says once for each name that prims author a property in a namespace of physics which no schema, no resolver in use
/// and no declaration knows; and once for each vendor whose attributes are authored and not read.
void report_unknown_properties(Import& run);
void report_unread_vendors(Import& run);
/// Says once for each attribute of UsdPhysics that prims author it without the API which has it.
void report_unapplied_schemas(Import& run);

}  // namespace mechane::importer

#pragma once
#include <cstddef>
#include <string>

#include "mechane/core/result.h"
#include "mechane/importer/options.h"
#include "mechane/usd/stage.h"

namespace mechane::importer {

/// The import of a stage and the finalized model as JSON, "mechane.dump.model/1" (docs/schemas/dump.model.schema.json):
/// "result" (maps, units, vendor attributes), "builder" (counts, labels, filter pairs), "model" (every array under its
/// name), "warnings". Keys are sorted, numbers are widened from single precision and printed in their shortest form.
/// Numbers that are not finite are "nan", "inf", "-inf".
///
/// A refused finalize is part of the answer ("finalize"). Under `newton_1_8`, which refuses joints outside
/// articulations, the arrays are there all the same.
/// @param limit  arrays of more scalars become a hash with their first values; 0: never
/// @error those of `import_usd`
Result<std::string> dump_model(const usd::Stage& stage, const ImportOptions& options, std::size_t limit = 4096);

}  // namespace mechane::importer

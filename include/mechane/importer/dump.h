#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/core/result.h"
#include "mechane/importer/options.h"
#include "mechane/usd/stage.h"

namespace mechane::importer {

struct DumpOptions {
    ImportOptions                                    import;
    std::vector<std::pair<std::string, std::string>> given;         ///< options as the user wrote them, echoed under "options"
    std::size_t                                      limit = 4096;  ///< arrays of more scalars become a hash; 0: never
};

/// The import of a stage and the finalized model as JSON, "mechane.dump.model/1" (docs/contracts.md): "result" (maps, units,
/// vendor attributes), "builder" (counts, labels, filter pairs), "model" (every array under its name). Keys are sorted, numbers
/// are widened from single precision and printed in their shortest form, not finite ones are "nan", "inf", "-inf".
///
/// A refused import or a refused finalize is part of the answer ("error", "finalize"), not a failure of this function.
/// @param failed  set when "error" stands in for the result
std::string dump_model(const usd::Stage& stage, const DumpOptions& options, Diagnostics& found, bool* failed = nullptr);

}  // namespace mechane::importer

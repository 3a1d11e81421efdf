#pragma once
#include "cli/io.h"

namespace mechane::cli {

/// The final exit status of a run. A failed write to stdout is reported, and a run that met an error does not end with
/// 0. If the reader of stdout has gone, the process ends quietly, as the system's tools do.
[[nodiscard]] int finish(const Io& io, int exit);

}  // namespace mechane::cli

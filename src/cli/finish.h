#pragma once
#include "cli/io.h"

namespace mechane::cli {

/// What stays of a run's exit status when all has been said: what stdout did not take is told, and a run that met an
/// error does not end as if it had not. Ends the process quietly, as the system's tools do, when the reader of stdout
/// has gone.
[[nodiscard]] int finish(const Io& io, int exit);

}  // namespace mechane::cli

#pragma once

namespace mechane::cli {

/// What a command's exit status means; it never depends on the output format (docs/cli.md).
enum ExitCode : int {
    kExitClean = 0,  ///< done, nothing to look at
    kExitFindings =
        1,  ///< done, and there is something to look at: findings, a difference, a hash that is not the expected one
    kExitUsage       = 2,    ///< wrong usage
    kExitInput       = 3,    ///< input could not be opened, parsed or composed
    kExitDiverged    = 4,    ///< the simulation diverged
    kExitOutput      = 5,    ///< output could not be written
    kExitUnsupported = 6,    ///< not supported in this build
    kExitBug         = 70,   ///< a bug in Mechane
    kExitInterrupted = 130,  ///< interrupted; partial output is named
};

}  // namespace mechane::cli

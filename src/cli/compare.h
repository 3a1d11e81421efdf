#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/model/model.h"
#include "mechane/simulation/simulate.h"

namespace mechane::cli {

/// One solver's run beside the first one's.
struct Comparison {
    std::string solver;
    std::string refused;  ///< why there is no run; empty: there is one
    bool        diverged = false;
    double      end      = 0;             ///< time of the last state [s]
    double      lowest = 0, fastest = 0;  ///< at the end: origin of the lowest body along gravity's opposite [m]; [m/s]
    double      beyond_limits = 0;        ///< over the run, the most that a coordinate was outside [m or rad]
    double      drive_error   = 0;        ///< at the end, the largest distance from a driven target [m or rad]
    double      energy_start = 0, energy_end = 0;  ///< kinetic and potential [J]
    double      contact_force = 0;                 ///< sum of the sizes at the end [N]
    double      penetration   = 0;                 ///< deepest over the run [m]
    double      step_us       = 0;                 ///< wall time a step [us]
    std::vector<std::string>    not_honoured;      ///< features of the model, with the prims' number
    std::optional<std::int32_t> differs;           ///< first body that is elsewhere than under the first solver
    double                      differs_at = 0;    ///< [s]
};

/// Distance and turn from which a body counts as elsewhere.
struct Elsewhere {
    double metres = 0.01, radians = 0.05;
};

/// Runs the model under each solver, one after the other, with the same options.
std::vector<Comparison> compare_solvers(const model::Model& model, const run::SimulateOptions& options,
                                        const std::vector<std::string>& solvers, const Elsewhere& elsewhere = {});
/// As a table for people.
std::string comparison_text(const model::Model& model, const std::vector<Comparison>& rows);
/// As JSON, schema mechane.compare/1.
std::string comparison_json(const model::Model& model, const std::vector<Comparison>& rows);

}  // namespace mechane::cli

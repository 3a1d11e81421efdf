#pragma once
#include <memory>
#include <optional>
#include <string>

#include "mechane/core/result.h"
#include "mechane/importer/import_usd.h"
#include "mechane/model/builder.h"
#include "mechane/model/model.h"
#include "mechane/simulation/simulate.h"
#include "mechane/usd/stage.h"

namespace mechane::run {

/// Gains that hold every joint at its start: stiffness [N/m or N m/rad] and damping [N s/m or N m s/rad].
struct Hold {
    double ke = 0, kd = 0;
};

/// What is changed between import and simulation.
struct SceneOptions {
    usd::OpenOptions        open{};
    importer::ImportOptions import{};
    bool                    ground = false;  ///< add a static plane
    std::optional<double>   ground_height{};  ///< along the up axis [m]; just below the lowest collider when unset
    std::optional<Hold>     hold{};
    int                     worlds = 1;  ///< copies of the whole scene, each a world of its own
    /// What could not be composed stays an error, and the rest is loaded all the same: for looking at, not for running.
    bool incomplete = false;
    /// Authored values without effect are a warning, RUN_VALUES_IGNORED, for whom they are findings; needs the ledger.
    bool tell_ignored = false;
};

/// A stage and the model that was made of it.
struct Scene {
    std::shared_ptr<const usd::Stage> stage;
    importer::ImportResult            imported;
    model::ModelBuilder               builder;  ///< as finalized: ground, hold and copies included
    model::Model                      model;
};

/// Opens a stage, imports it, applies the options, finalizes.
/// What could not be composed is an error that ends this with IMPORT_STAGE_COMPOSITION, unless `incomplete` is set; a warning
/// under `ImportOptions::allow_missing`.
/// @error those of usd::Stage::open, STAGE_VARIANT_UNKNOWN, importer::import_usd and model::ModelBuilder::finalize; RUN_ARGUMENT
Result<Scene> load_scene(const std::string& file, const SceneOptions& options, Diagnostics& found);

/// One warning, RUN_VALUES_IGNORED, for all values that the ledger of an import calls ignored and that `found` has no
/// warning of, at the place of the first.
void tell_ignored(const importer::ImportResult& imported, Diagnostics& found);

/// What the stage animates, for SimulateOptions::follow; empty when it animates nothing. The scene must live as long.
Follow follower(const Scene& scene);

/// An external step and where it comes from.
struct StepSize {
    double      dt = 1.0 / 60;  ///< [s]
    std::string source;         ///< "</scene.newton:timeStepsPerSecond> robot.usda:12", "given", or "default"
};
/// The given step; else that of the first scene, where the stage authors one for the resolvers in use; else 1/60 s.
StepSize step_size(const Scene& scene, std::optional<double> given = {});
/// The same in the options of a run.
void set_step(SimulateOptions& options, const StepSize& step);

/// Height of the lowest point of any collider along the up axis [m], infinite planes left out; nothing when there is
/// none. Conservative for meshes.
std::optional<double> lowest_collider(const model::Model& model);

}  // namespace mechane::run

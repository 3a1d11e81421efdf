#include "mechane/load.h"

#include <algorithm>
#include <utility>

#include "mechane/core/codes.h"
#include "mechane/run/scene.h"
#include "mechane/simulation/model_parts.h"

namespace mechane {

Result<std::shared_ptr<const Model>> load(const std::string& file, const LoadOptions& options, Diagnostics& notes)
{
    if (options.threads < 0 || options.threads > 4096)
        return make_diagnostic(kApiArgument, {.property = "load(options.threads)"},
                               "threads: expected 0 (all cores) to 4096");
    run::SceneOptions how;
    how.open.variant_selections = options.variants;
    how.open.packages           = options.packages;
    how.open.search_paths       = options.search_paths;
    how.open.threads            = options.threads;
    how.import.schema_resolvers = options.resolvers;
    how.import.own_resolvers    = options.tables;
    // A table that is given and not named comes before the others.
    auto& names = how.import.schema_resolvers;
    for (auto table = options.tables.rbegin(); table != options.tables.rend(); ++table)
        if (std::find(names.begin(), names.end(), table->name) == names.end()) names.insert(names.begin(), table->name);
    how.import.floating         = options.floating;
    how.import.allow_missing    = options.allow_missing;
    how.import.threads          = options.threads;
    how.ground                  = options.ground;
    how.ground_height           = options.ground_height;
    how.worlds                  = options.worlds;
    if (options.ground_height) how.ground = true;
    if (options.hold) how.hold = run::Hold{options.hold->stiffness, options.hold->damping};

    auto scene = run::load_scene(file, how, notes);
    if (!scene) return scene.error();
    simulation::ModelParts parts;
    parts.dt        = run::step_size(*scene).dt;
    parts.animation = run::follower(*scene);
    // The animation reads the stage while it plays; what else the scene holds is not needed any more.
    if (parts.animation) parts.keeps = scene->stage;
    parts.arrays = std::move(scene->model);
    return Model::make(std::move(parts));
}

Result<std::shared_ptr<const Model>> load(const std::string& file, const LoadOptions& options)
{
    Diagnostics notes;
    return load(file, options, notes);
}

}  // namespace mechane

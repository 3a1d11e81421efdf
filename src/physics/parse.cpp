#include "mechane/physics/parse.h"

#include "reader.h"

namespace mechane::physics {

PhysicsModel parse(const usd::Stage& stage, const ParseOptions& options, Diagnostics& found, ReadLog* log)
{
    PhysicsModel model;
    model.options = options;
    // OpenUSD's own rules come as a bundle: what its parser does about MassAPI on Xforms goes with the rest.
    if (options.conventions.mass_above_bodies_ignored) model.options.mass_on_xforms = MassOnXforms::ignore;
    model.units = {stage.metadata().meters_per_unit, stage.metadata().kilograms_per_unit};
    if (!(model.units.meters_per_unit > 0) || !std::isfinite(model.units.meters_per_unit))
        model.units.meters_per_unit = 0.01;
    if (!(model.units.kilograms_per_unit > 0) || !std::isfinite(model.units.kilograms_per_unit))
        model.units.kilograms_per_unit = 1;

    const tasks::Pool pool(options.threads);
    Swept             swept;
    Reader            reader{stage, model.options, model, found, log, pool, swept, swept.records};
    sweep(reader);
    check_names(reader);
    read_scenes(reader);
    read_groups(reader);
    read_materials(reader);
    read_bodies(reader);
    read_colliders(reader);
    read_joints(reader);
    read_articulations(reader);
    read_filtered_pairs(reader);
    apply_owner_filter(model, options.owners);
    return model;
}

}  // namespace mechane::physics

// The whole parse: one sweep over the stage, then each kind of entity in an order in which it finds what it refers to.
// Bodies look up scenes; colliders look up bodies, groups and materials; joints look up bodies; articulations look up
// joints.
// Input is an opened stage, output a PhysicsModel in the stage's units. Faults are findings: none stops the parse.

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
    // A scale that is no positive number counts as not authored: OpenUSD's fallbacks are a centimetre and a kilogram.
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
    // Last, because what is left out still decides what the rest belongs to.
    apply_owner_filter(model, options.owners);
    return model;
}

}  // namespace mechane::physics

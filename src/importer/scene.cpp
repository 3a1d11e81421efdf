// Scenes and units of a stage: gravity, step, iterations, and how stage units become those of the model. Sets
// run.context.scale, X_WS and the builder's up axis and gravity.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "import.h"

namespace mechane::importer {
namespace {

int axis_index(char axis) { return axis == 'X' ? 0 : axis == 'Y' ? 1 : 2; }

/// Gravity of a scene in the builder's units and world.
Vec3d gravity_of(const Import& run, const physics::Scene& scene, bool enabled)
{
    if (!enabled) return {};
    double magnitude = 9.81;
    if (run.conventions.gravity_as_parsed) {
        magnitude = scene.gravity_magnitude;
    } else {
        // What the parser filled in for an unauthored magnitude rests on OpenUSD's reading of the length unit; ask
        // again.
        const auto authored =
            scene.prim ? scene.prim.attribute("physics:gravityMagnitude").authored_as<double>() : std::nullopt;
        const bool earth = !authored || !std::isfinite(*authored) || *authored < 0;
        if (!earth) magnitude = *authored * run.length();
        if (earth && run.options.units == Units::stage) magnitude = 9.81 / run.result.linear_unit;
    }
    const Quatd turn = run.options.override_root_xform ? run.up_rotation : run.X_WS.q;
    Vec3d       down = rotate(turn, scene.gravity_direction);
    // Turning an axis onto an axis leaves rounding dust.
    for (std::size_t i = 0; i < 3; ++i)
        // -9.81 and not -9.80999999.
        if (const double whole = std::round(down[i]); std::abs(down[i] - whole) < 1e-12) down[i] = whole + 0.0;
    return magnitude * down;
}

ImportedScene read_scene(Import& run, const physics::Scene& scene)
{
    using resolve::Key;
    using resolve::Value;
    ImportedScene out;
    out.path = scene.path.text();
    if (!scene.prim) {
        out.gravity = gravity_of(run, scene, true);
        return out;
    }
    const auto rate =
        run.resolvers.get(scene.prim, Key::scene_time_steps_per_second, run.context, Value(1000.0), &run.found);
    const auto hz     = rate.number_or(1000);
    const bool usable = hz > 0 && std::isfinite(hz) && std::isfinite(1 / hz);
    // Newton's default of 1000 Hz; a run takes it only if it is authored.
    out.physics_dt          = usable ? 1 / hz : 0.001;
    out.physics_dt_authored = rate.authored() && usable;
    if (out.physics_dt_authored) out.physics_dt_site = rate.site;
    if (rate.authored() && !usable) {
        run.found.add(codes::kStepRate, rate.site,
                      fmt::format("{} = {} is not a valid number of steps per second", rate.attribute, hz));
        if (run.log) run.log->correct(scene.prim, rate.attribute, physics::Use::ignored, "it is not a positive number");
    }
    const auto iterations =
        run.resolvers.get(scene.prim, Key::scene_max_solver_iterations, run.context, {}, &run.found);
    if (const auto n = iterations.number()) out.max_solver_iterations = static_cast<std::int64_t>(*n);
    if (run.log && iterations.authored() && !run.conventions.iterations_honoured)
        run.log->correct(scene.prim, iterations.attribute, physics::Use::ignored,
                         "softstep counts no iterations; sim --solver xpbd and vbd take it");
    const bool enabled =
        run.resolvers.get(scene.prim, Key::scene_gravity_enabled, run.context, Value(true), &run.found).flag_or(true);
    out.gravity = gravity_of(run, scene, enabled);
    if (run.log && !enabled) run.log->dismiss(scene.prim, "physics:gravity", "gravity is switched off");
    if (!run.conventions.first_scene_only || run.result.scenes.empty()) run.collect(scene.prim);
    return out;
}

/// A run has one step: that of the first scene. Says so where another scene asks for its own.
void report_step_rates(Import& run)
{
    const ImportedScene& first = run.result.scenes.front();
    for (const ImportedScene& scene : run.result.scenes) {
        if (!scene.physics_dt_authored || scene.physics_dt == first.physics_dt) continue;
        run.found.add(
            codes::kStepRate, scene.physics_dt_site,
            fmt::format("the step is that of <{}>, {:g} s; <{}> asks for {:g} s", first.path,
                        first.physics_dt_authored ? first.physics_dt : 1.0 / 60, scene.path, scene.physics_dt));
        if (run.log)
            run.log->correct(run.stage.prim_at(usd::Path(scene.path)), scene.physics_dt_site.property,
                             physics::Use::ignored, "the step of the first scene counts");
    }
}

/// Gravity of a scene that simulates nothing pulls at nothing: bodies without an owner belong to the first scene.
void report_idle_scenes(Import& run)
{
    if (run.conventions.first_scene_only || run.scope != physics::kNone) return;
    const ImportedScene& first = run.result.scenes.front();
    for (const ImportedScene& scene : run.result.scenes) {
        const usd::Path path(scene.path);
        const bool      owns = std::ranges::any_of(run.physics.bodies, [&](const physics::Body& body) {
            return std::ranges::find(body.owners, path) != body.owners.end();
        });
        if (scene.path == first.path || owns) continue;
        const usd::Prim prim = run.stage.prim_at(path);
        if (run.log) run.log->dismiss(prim, "physics:gravity", "the scene simulates no body");
        if (length(scene.gravity - first.gravity) > 1e-6 * length(first.gravity))
            run.found.add(codes::kSceneIdle, prim.site(),
                          fmt::format("<{}> simulates no body, so its gravity acts on none; that of <{}> counts",
                                      scene.path, first.path));
    }
}

}  // namespace

void read_units(Import& run)
{
    const usd::StageMetadata& meta = run.stage.metadata();
    run.result.fps                 = meta.frames_per_second;
    run.result.duration            = meta.end_time_code - meta.start_time_code;
    run.result.up_axis             = meta.up_axis;
    // Newton takes one metre for an unauthored unit, OpenUSD 0.01 m.
    run.result.linear_unit = meta.authored_meters_per_unit ? meta.meters_per_unit : 1.0;
    run.result.mass_unit   = meta.authored_kilograms_per_unit ? meta.kilograms_per_unit : 1.0;

    const auto         root = [](const char* property) { return Site{.layer = {}, .prim = "/", .property = property}; };
    physics::UnitScale scale{run.result.linear_unit, run.result.mass_unit};
    if (!run.conventions.keeps_stage_units && !meta.authored_meters_per_unit) {
        if (run.options.unauthored_units == UnauthoredUnits::usd) scale.meters_per_unit = meta.meters_per_unit;
        run.found.add(
            codes::kUnitsUnauthored, root("metersPerUnit"),
            fmt::format("metersPerUnit is not authored; one unit is taken as {} m (OpenUSD's fallback is 0.01)",
                        scale.meters_per_unit));
    }
    const bool keep = run.conventions.keeps_stage_units || run.options.units == Units::stage;
    const auto note = [&](const Code& code, const char* property, double unit, const char* name) {
        if (std::abs(unit - 1) <= 1e-9) return;
        run.found.add(code, root(property),
                      keep ? fmt::format("{} is {}; numbers are kept in stage units", property, unit)
                           : fmt::format("{} is {}; converted by this factor to {}", property, unit, name));
    };
    note(codes::kLinearUnit, "metersPerUnit", scale.meters_per_unit, "metres");
    note(codes::kMassUnit, "kilogramsPerUnit", scale.kilograms_per_unit, "kilograms");
    if (!run.conventions.keeps_stage_units) run.physics.units = scale;
    run.context.scale = keep ? physics::UnitScale{} : scale;

    if (run.options.apply_up_axis_from_stage) {
        // What pulled down still does; a scene may say otherwise.
        // Gravity keeps its component along the old up axis as one along the new.
        const auto old = axis_vector<double>(run.builder.up_axis), now = axis_vector<double>(axis_index(meta.up_axis));
        const double along  = dot(run.builder.gravity, old);
        run.builder.gravity = run.builder.gravity - along * old + along * now;
        run.builder.up_axis = axis_index(meta.up_axis);
    } else {
        run.up_rotation =
            rotation_between(axis_vector<double>(axis_index(meta.up_axis)), axis_vector<double>(run.builder.up_axis));
    }
    run.X_WS                   = run.options.xform.value_or(Posed{}) * Posed{{}, run.up_rotation};
    run.result.X_WS            = run.X_WS;
    run.result.meters_per_unit = run.context.scale.meters_per_unit;
    run.result.unit_in_metres  = scale.meters_per_unit;
    run.result.material_count  = run.physics.materials.size();
}

Result<void> choose_scene(Import& run)
{
    if (run.conventions.first_scene_only || run.options.scene == "all") return {};
    for (std::size_t i = 0; i < run.physics.scenes.size(); ++i) {
        const physics::Scene& scene = run.physics.scenes[i];
        if (scene.synthesized || !scene.valid || scene.path.text() != run.options.scene) continue;
        run.scope = static_cast<physics::Index>(i);
        return {};
    }
    std::vector<std::string> known{"all"};
    for (const physics::Scene& scene : run.physics.scenes)
        if (!scene.synthesized && scene.valid) known.push_back(scene.path.text());
    return make_diagnostic(codes::kScenePath, {}, fmt::format("there is no physics scene '{}'", run.options.scene),
                           fmt::format("Name one of {}.", fmt::join(known, ", ")));
}

void read_scenes(Import& run)
{
    if (run.physics.scenes.empty() || run.physics.scenes.front().synthesized) return;
    for (std::size_t i = 0; i < run.physics.scenes.size(); ++i) {
        const physics::Scene& scene = run.physics.scenes[i];
        if (run.scope != physics::kNone && run.scope != static_cast<physics::Index>(i)) continue;
        if (scene.valid) run.result.scenes.push_back(read_scene(run, scene));
    }
    if (run.result.scenes.empty()) return;
    report_step_rates(run);
    report_idle_scenes(run);
    const ImportedScene& first       = run.result.scenes.front();
    run.scene                        = run.stage.prim_at(usd::Path(first.path));
    run.result.physics_scene_path    = first.path;
    run.result.physics_dt            = first.physics_dt;
    run.result.max_solver_iterations = first.max_solver_iterations;
    if (run.world == model::kGlobalWorld)
        run.builder.gravity = first.gravity;
    else
        run.builder.world_gravity[static_cast<std::size_t>(run.world)] = first.gravity;
    for (const usd::Token& name : run.scene.property_names())
        if (const usd::Attribute attribute = run.scene.attribute(name))
            run.result.scene_attributes[name.text()] = attribute.value();
    run.gains_scaling = run.options.joint_drive_gains_scaling;
    if (const auto s = run.scene.attribute("newton:joint_drive_gains_scaling").authored_as<double>();
        s && std::isfinite(*s)) {
        run.gains_scaling = *s;
        run.took(run.scene, "newton:joint_drive_gains_scaling", physics::Use::used,
                 "scales the gains of angular drives");
    }
}

}  // namespace mechane::importer

// `import_usd`: an OpenUSD stage into a ModelBuilder. This file orders the passes and holds what they share (Import);
// each pass is a file of its own. The builder is changed only if all of it succeeds.
// Units: read_units decides whether numbers become SI (default) or stay those of the stage; run.length(), run.si() and
// run.scaled() convert. X_WS places the stage in the builder's world.
// Order matters: indices of bodies, joints and shapes follow from it and are promised (import_entities), and later
// passes need the maps of earlier ones.

#include "mechane/importer/import_usd.h"

#include <fmt/format.h>

#include <algorithm>

#include "approximation.h"
#include "authored_worlds.h"
#include "exact_round.h"
#include "import.h"
#include "ledger.h"
#include "mechane/core/nearest.h"
#include "mechane/geometry/mass.h"
#include "mechane/importer/mujoco_attributes.h"
#include "mechane/physics/codes.h"
#include "mechane/resolve/joint_values.h"
#include "mechane/usd/codes.h"
#include "mechane/usd/instancer_copies.h"
#include "mechane/usd/selections.h"
#include "mujoco_flags.h"
#include "mujoco_rows.h"
#include "not_simulated.h"
#include "paint.h"
#include "unknown_properties.h"
#include "unusable_values.h"

namespace mechane::importer {
namespace {

resolve::Rules rules_of(const ImportOptions& options, const physics::Conventions& conventions)
{
    resolve::Rules rules;
    rules.conventions       = conventions;
    rules.legacy_margin_gap = options.legacy_margin_gap;
    const auto older        = [&](std::string_view name) {
        return std::find(options.legacy.begin(), options.legacy.end(), name) != options.legacy.end();
    };
    rules.mjc_solref_limits           = older("mjc-solref-limits");
    rules.physx_contact_offset_margin = older("physx-contact-offset-margin");
    rules.mass_pair_rule              = older("mass-pair-rule");
    rules.hull_vertex_limit_name      = older("hull-vertex-limit-name");
    rules.move_scaled_tensor          = options.move_scaled_tensor;
    return rules;
}

/// The first error that keeps a part of the stage away; a value that cannot be read is another matter.
const Diagnostic* composition_error(const usd::Stage& stage, bool allow_missing)
{
    // What is composed otherwise than authored is not imported by silence.
    for (const Diagnostic& d : stage.diagnostics())
        if (d.severity == Severity::error &&
            (allow_missing ? d.id == usd::kLimit.id : usd::is_composition_finding(d.id)))
            return &d;
    return nullptr;
}

/// Paths of everything on the stage, for suggestions.
std::vector<std::string> paths_of(const usd::Stage& stage)
{
    std::vector<std::string> out;
    for (const usd::Prim& prim : stage.traverse()) out.push_back(prim.path().text());
    return out;
}

/// Compiles the expressions of ignore_paths; a faulty one is an argument error.
Result<void> compile_ignored(Import& run)
{
    for (const std::string& text : run.options.ignore_paths) {
        try {
            run.ignore.emplace_back(text, std::regex::ECMAScript | std::regex::optimize);
        } catch (const std::regex_error&) {
            return make_diagnostic(codes::kArgOption, {},
                                   fmt::format("ignore_paths: '{}' is not a regular expression", text));
        }
    }
    return {};
}

physics::PhysicsModel parse_physics(Import& run)
{
    physics::ParseOptions options;
    options.conventions   = run.conventions;
    options.nested_bodies = run.options.nested_bodies;
    options.reset_stack   = run.options.reset_stack;
    options.threads       = run.options.threads;
    options.lenient_names = run.options.lenient_names;
    options.animation     = run.options.animation && !run.conventions.animation_unread;
    if (run.options.root_path != "/") options.roots.emplace_back(run.options.root_path);
    // An entry without wildcards also prunes its subtree before anything below it is read.
    for (const std::string& text : run.options.ignore_paths)
        if (const usd::Path path(text); text.find(".*") == std::string::npos && !path.empty())
            // The parser prunes; Import::ignored is asked again for single prims.
            options.exclude.push_back(path);
    options.exclude.insert(options.exclude.end(), run.deformable.begin(), run.deformable.end());
    Diagnostics           said;
    physics::PhysicsModel model = physics::parse(run.stage, options, said, run.log.get());
    for (const Diagnostic& one : said)
        // Whoever asks keeps the unequal scale of round shapes, and so does a prim that says so itself.
        if (one.id != physics::kShapeNonuniform.id || run.conventions.round_shapes_inexact ||
            !(run.options.exact_shapes || is_exact(run.stage.prim_at(usd::Path(one.site.prim)))))
            run.found.add(one);
    return model;
}

/// The resolvers that the options name, those that "auto" stands for among them.
Result<void> choose_resolvers(Import& run)
{
    const ImportOptions& options = run.options;
    run.result.resolvers = resolve::without_automatic(options.schema_resolvers, run.stage, run.physics.authored_names);
    auto resolvers       = resolve::resolvers_named(run.result.resolvers, run.context.rules, options.own_resolvers);
    if (!resolvers) return resolvers.error();
    run.resolvers = *std::move(resolvers);
    // As Newton: its solver needs them.
    if (run.resolvers.has("mjc") && !options.register_mujoco && !has_mujoco_attributes(run.builder))
        return make_diagnostic(codes::kMjcNotRegistered, {},
                               "the resolver mjc is listed, and the builder has no MuJoCo attributes");
    for (const resolve::Resolver& r : run.resolvers.resolvers()) run.result.schema_attrs[r.name];
    const auto& names = run.physics.authored_names;
    if (std::any_of(names.begin(), names.end(),
                    [](const usd::Token& name) { return !resolve::shared_attribute(name.text()).empty(); }))
        for (const auto dof : {physics::Dof::trans_x, physics::Dof::trans_y, physics::Dof::trans_z, physics::Dof::rot_x,
                               physics::Dof::rot_y, physics::Dof::rot_z}) {
            const std::string axis(physics::to_string(dof));
            run.axis_resolvers.emplace(axis, resolve::for_axis(run.resolvers, axis, names));
        }
    run.resolvers.rest_unauthored(names);
    return {};
}

/// Poses of all bodies in the builder's world, before any joint has a say.
void place_bodies(Import& run)
{
    run.X_WB.resize(run.physics.bodies.size());
    for (std::size_t i = 0; i < run.physics.bodies.size(); ++i) {
        const physics::Body& body = run.physics.bodies[i];
        // World of the builder = root transform, offset that undoes an articulation root if it is overridden, pose on
        // the stage.
        run.X_WB[i] = run.X_WS * run.root_offset(static_cast<physics::Index>(i)) * run.scaled(body.X_WB);
        if (run.ignored(body.path)) run.ignored_bodies.insert(static_cast<physics::Index>(i));
    }
}

void compute_masses(Import& run)
{
    resolve::MassOptions options;
    options.scale           = run.context.scale;
    options.default_density = run.builder.default_shape.density;
    options.rules           = run.context.rules;
    options.log             = run.log.get();
    options.threads         = run.options.threads;
    if (!run.conventions.approximations_weigh_as_authored) {
        // What collides also weighs: the hull, the hulls, the box or the ball instead of the authored mesh.
        options.mesh_solid = [&run](const physics::Collider& collider) { return mesh_solid(run, collider); };
    }
    // What is ignored has no weight either.
    if (!run.ignore.empty())
        for (physics::Body& body : run.physics.bodies)
            std::erase_if(body.colliders, [&](physics::Index i) { return run.ignored(run.collider(i).path); });
    run.masses = resolve::compute_masses(run.physics, run.resolvers, options, run.found);
}

/// One world's worth of entities, in the order in which indices are promised.
void import_entities(Import& run)
{
    // Bodies of articulations first, so that their indices are contiguous; colliders after bodies; base joints when it
    // is known who holds whom.
    for (const auto pass :
         {add_articulations, add_remaining_bodies, add_orphan_joints, add_static_visuals, add_colliders,
          add_surface_velocities, add_base_joints, add_deformables, add_excluded_joints}) {
        pass(run);
        if (run.fatal) return;
    }
}

/// Scenes that own a body or a static collider: each is a simulation of its own.
std::vector<physics::Index> populated_scenes(const Import& run)
{
    std::vector<physics::Index> scenes;
    for (std::size_t s = 0; s < run.physics.scenes.size(); ++s) {
        const auto owns = [&](const auto& entity) {
            return entity.valid && entity.scene == static_cast<physics::Index>(s);
        };
        if (std::any_of(run.physics.bodies.begin(), run.physics.bodies.end(), owns) ||
            std::any_of(run.physics.colliders.begin(), run.physics.colliders.end(), owns))
            scenes.push_back(static_cast<physics::Index>(s));
    }
    return scenes;
}

/// What colliders say about their world: the global one first, then each, empty ones too.
void import_worlds(Import& run)
{
    // Worlds that colliders name (newton:world); without any this is one pass.
    const std::int32_t worlds = read_authored_worlds(run);
    if (worlds == 0) {
        run.world_of_body.clear();
        run.world_of_collider.clear();
    }
    import_entities(run);
    for (std::int32_t w = 0; w < worlds && !run.fatal; ++w) {
        run.world = run.builder.begin_world();
        import_entities(run);
        run.builder.end_world();
        run.world = model::kGlobalWorld;
    }
    run.world_of_body.clear();
    run.world_of_collider.clear();
}

void import_all(Import& run)
{
    if (run.scope != physics::kNone) {
        import_entities(run);
        run.scope = physics::kNone;
        return;
    }
    const std::vector<physics::Index> scenes = populated_scenes(run);
    if (run.conventions.first_scene_only) return import_entities(run);
    if (scenes.size() <= 1) return import_worlds(run);
    if (run.builder.current_world() != model::kGlobalWorld) {
        const usd::Prim second = run.physics.scenes[static_cast<std::size_t>(scenes[1])].prim;
        // A world of the caller's cannot hold several.
        run.fatal =
            make_diagnostic(codes::kSceneWorld, second ? second.site() : Site{},
                            fmt::format("{} scenes own bodies or colliders, and a world is open", scenes.size()));
        return;
    }
    for (const physics::Index s : scenes) {
        const std::string path  = run.physics.scenes[static_cast<std::size_t>(s)].path.text();
        const auto        scene = std::find_if(run.result.scenes.begin(), run.result.scenes.end(),
                                               [&](const ImportedScene& i) { return i.path == path; });
        run.scope               = s;
        run.world =
            run.builder.begin_world(scene != run.result.scenes.end() ? std::optional(scene->gravity) : std::nullopt);
        if (scene != run.result.scenes.end()) scene->world = run.world;
        import_entities(run);
        run.builder.end_world();
        if (run.fatal) return;
    }
    run.scope = physics::kNone;
}

}  // namespace

std::optional<geometry::MassProperties> mesh_solid(const Import& run, const physics::Collider& collider)
{
    if (keeps_uneven_scale(run, collider)) return exact_round_solid(run, collider);
    // Hulls of a decomposition weigh together, overlaps twice.
    if (collider.kind != physics::ShapeKind::mesh ||
        approximation_of(run, collider) != physics::Approximation::convex_decomposition)
        return std::nullopt;
    const auto parts = run.collision_parts.find(static_cast<physics::Index>(&collider - run.physics.colliders.data()));
    if (parts == run.collision_parts.end()) return std::nullopt;
    geometry::MassProperties whole;
    for (const CollisionPart& part : parts->second) {
        if (part.type != model::GeoType::convex_mesh) return std::nullopt;
        whole = geometry::combined(whole,
                                   geometry::transformed(geometry::mesh_mass(*part.source, part.scale, 1), part.X_SP));
    }
    return whole.mass > 0 ? std::optional(whole) : std::nullopt;
}

Result<void> begin_import(Import& run)
{
    run.context.rules = rules_of(run.options, run.conventions);
    run.physics       = parse_physics(run);
    if (auto chosen = choose_resolvers(run); !chosen) return chosen;
    read_units(run);
    return {};
}

void Import::refuse(const Code& code, const Site& site, std::string message)
{
    if (conventions.faults_refuse_import) {
        if (!fatal) fatal = make_diagnostic(code, site, std::move(message));
    } else {
        found.add(code, site, std::move(message));
    }
}

bool Import::ignored(const std::string& path) const
{
    // Matched at the beginning of the path, as Python's re.match.
    return std::any_of(ignore.begin(), ignore.end(), [&](const std::regex& expression) {
        return std::regex_search(path, expression, std::regex_constants::match_continuous);
    });
}

Posed Import::root_offset(const usd::Prim& articulation) const
{
    if (!options.override_root_xform || !articulation) return {};
    const usd::Decomposition root = usd::decompose(stage.world_matrix(articulation));
    return inverse(scaled(Posed{root.translation, root.rotation}));
}

Posed Import::root_offset(physics::Index index) const
{
    const physics::Index articulation = body(index).articulation;
    return articulation == physics::kNone
               ? Posed{}
               : root_offset(physics.articulations[static_cast<std::size_t>(articulation)].prim);
}

void Import::note_texture(const std::string& label, const Appearance& look)
{
    const auto texture = texture_of(look);
    if (texture == nullptr) return;
    const auto [place, fresh] = plain_textures.try_emplace(texture.get());
    if (fresh) place->second = std::make_shared<const Texture>(plain_texture(*texture, found));
    result.path_shape_texture[label] = place->second;
}

void Import::note_unplaced(const std::string& label, const Appearance& look)
{
    const auto texture = look.textured ? texture_of(look) : nullptr;
    if (texture == nullptr || texture->missing) return;  // what is missing is reported as such
    if (paint.unplaced++ > 0) return;
    paint.first_unplaced = label;
    paint.unplaced_file  = texture->file;
}

std::shared_ptr<const TextureLook> Import::texture_of(const Appearance& look)
{
    if (!look.texture && !look.texture_input) return nullptr;
    const usd::Prim owner     = look.texture ? look.texture : look.texture_input.prim();
    const auto [place, fresh] = textures.try_emplace(
        {owner.index(), look.texture ? std::string() : std::string(look.texture_input.name().text())});
    if (fresh)
        place->second = std::make_shared<const TextureLook>(look.texture ? look_of_texture(look.texture, found)
                                                                         : look_of_input(look.texture_input, found));
    return place->second;
}

void Import::collect(const usd::Prim& prim, bool even_none)
{
    const std::string path = prim.path().text();
    // Once a prim: collecting is slow.
    if (resolvers.empty() || result.schema_attrs[resolvers.resolvers().front().name].count(path) != 0) return;
    const std::vector<resolve::Collected> collected = resolvers.collect(prim, &owners);
    for (std::size_t r = 0; r < collected.size(); ++r)
        if (even_none || !collected[r].empty()) result.schema_attrs[resolvers.resolvers()[r].name][path] = collected[r];
}

Result<void> check_arguments(const ImportOptions& options, const model::ModelBuilder& builder)
{
    if (options.floating && options.base_joint)
        return make_diagnostic(codes::kArgBase, {}, "floating and base_joint are both given");
    if (options.base_joint) {
        const model::BuilderJoint plain, &base = *options.base_joint;
        if (base.parent != plain.parent || base.child != plain.child || !(base.parent_xform == plain.parent_xform) ||
            !(base.child_xform == plain.child_xform))
            return make_diagnostic(codes::kArgBase, {}, "base_joint names bodies or frames, which are the importer's");
    }
    if (options.floating.value_or(false) && options.parent_body >= 0)
        return make_diagnostic(codes::kArgBase, {}, "floating = true with parent_body");
    if (options.override_root_xform && !options.xform)
        return make_diagnostic(codes::kArgRootXform, {}, "override_root_xform is set, xform is not");
    if (options.parent_body < 0) return {};
    const bool in_latest = options.parent_body < std::ssize(builder.bodies) && !builder.articulations.empty() &&
                           std::any_of(
                               builder.articulations.back().joints.begin(), builder.articulations.back().joints.end(),
                               [&](std::int32_t j) {
                                   const model::BuilderJoint& joint = builder.joints[static_cast<std::size_t>(j)];
                                   return joint.child == options.parent_body || joint.parent == options.parent_body;
                               });
    if (!in_latest)
        return make_diagnostic(
            codes::kArgParent, {},
            fmt::format("parent_body {} is not a body of the latest articulation", options.parent_body));
    return {};
}

Result<ImportResult> import_usd(const usd::Stage& stage, const ImportOptions& options, model::ModelBuilder& builder,
                                Diagnostics& found)
{ return import_by(stage, options, conventions_of(options.compat), builder, found); }

Result<ImportResult> import_by(const usd::Stage& authored, const ImportOptions& options,
                               const physics::Conventions& conventions, model::ModelBuilder& builder,
                               Diagnostics& found)
{
    // Arguments first, so that a mistake costs nothing.
    if (const auto ok = check_arguments(options, builder); !ok) return ok.error();
    if (const Diagnostic* error = composition_error(authored, options.allow_missing); error != nullptr)
        return make_diagnostic(codes::kStageComposition, error->site,
                               fmt::format("the stage is not composed as authored: {}", error->message));
    std::shared_ptr<const usd::Stage> with_items;
    if (options.point_instancers == PointInstancers::expand && !conventions.instancers_not_expanded) {
        std::vector<usd::InstancerComplaint> complaints;
        auto made = usd::with_instancer_copies(authored, options.load_visual_shapes, complaints);
        if (!made) return made.error();
        for (usd::InstancerComplaint& one : complaints)
            found.add(codes::kInstancerItems, std::move(one.site), std::move(one.text));
        with_items = *std::move(made);
    }
    const usd::Stage& stage = with_items ? *with_items : authored;
    const usd::Path   root(options.root_path);
    if (root.empty() || (!root.is_root() && !stage.prim_at(root)))
        return make_diagnostic(codes::kRootPath, {}, fmt::format("there is no prim {}", options.root_path),
                               did_you_mean(options.root_path, paths_of(stage)));

    // What is wrong with names and tables is said before anything is read.
    std::vector<std::string> named = options.schema_resolvers;
    std::erase(named, resolve::kAutomatic);
    if (const auto usable = resolve::resolvers_named(named, rules_of(options, conventions), options.own_resolvers);
        !usable)
        return usable.error();

    // All work goes into a copy, so that a failure leaves the caller's builder as it was.
    model::ModelBuilder work = builder;
    Import              run(stage, options, conventions, work, found);
    run.context.rules = rules_of(options, conventions);
    if (options.ledger) run.log = std::make_unique<physics::ReadLog>();
    run.context.log               = run.log.get();
    run.gains_scaling             = options.joint_drive_gains_scaling;
    run.world                     = work.current_world();
    run.first_joint               = work.joints.size();
    const std::size_t first_shape = work.shapes.size();
    run.first_articulation        = work.articulations.size();
    if (const auto ok = compile_ignored(run); !ok) return ok.error();

    usd::report_authored_selections(stage, found);
    find_deformables(run);
    run.physics = parse_physics(run);
    if (const auto ok = choose_resolvers(run); !ok) return ok.error();
    if (const auto ok = choose_scene(run); !ok) return ok.error();
    read_units(run);
    read_scenes(run);
    declare_custom_attributes(run);
    if (run.fatal) return *run.fatal;
    if (options.default_friction) work.default_shape.mu = *options.default_friction;
    run.body_of.assign(run.physics.bodies.size(), -1);
    // -1: not imported.
    run.joint_of.assign(run.physics.joints.size(), -1);
    run.shape_of.assign(run.physics.colliders.size(), -1);
    place_bodies(run);
    // In parallel, before masses need the hulls.
    prepare_approximations(run);
    compute_masses(run);
    import_all(run);
    if (run.fatal) return *run.fatal;
    add_unplaced_attachments(run);
    add_filters(run);
    if (options.convert_mjc_equality_constraints && !switched_off(run, "equality")) add_equalities(run);
    add_mimics(run);
    add_actuators(run);
    // After mujoco's, which may have set gains that these add to.
    add_newton_actuators(run);
    apply_mujoco_flags(run, first_shape);
    read_custom_values(run);
    report_unusable_values(run);
    report_unknown_properties(run);
    report_unapplied_schemas(run);
    report_unread_vendors(run);
    report_not_simulated(run);
    report_missing_pictures(run);
    settle_initial_state(run);
    find_animation(run);
    // Last of all that knows bodies by number; what follows is renumbered.
    if (!run.fatal) collapse(run);
    if (!run.fatal) renumber_deformables(run);
    if (!run.fatal) number_actuators(run);
    if (!run.fatal) add_mujoco_rows(run);
    if (run.fatal) return *run.fatal;
    if (run.log) run.result.ledger = make_ledger(run);
    run.result.stage   = std::move(with_items);
    work.default_shape = builder.default_shape;
    builder            = std::move(work);
    return std::move(run.result);
}

}  // namespace mechane::importer

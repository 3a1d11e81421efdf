// Loading a stage for a run: open, import, ground, copies, finalize. The result holds stage, builder, import maps and
// model; everything in metres, world frame.
// Findings carry file and line of the prim that they are about. Called by cli, viewer and bindings.

#include "mechane/run/scene.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "mechane/dynamics/kinematics.h"
#include "mechane/importer/codes.h"
#include "mechane/model/joint_table.h"
#include "mechane/model/state.h"
#include "mechane/physics/value_fault.h"
#include "mechane/run/codes.h"
#include "mechane/run/stage_solver.h"
#include "mechane/simulation/codes.h"
#include "mechane/solvers/parameters.h"
#include "mechane/usd/inspect.h"
#include "mechane/usd/selections.h"

namespace mechane::run {
namespace {

using model::GeoType;

/// How far below the lowest collider the default ground lies: enough that nothing starts in contact by rounding [m].
constexpr double kGroundClearance = 1e-4;
/// Poses of a stage that are this far from their joints are the stage's own fault, as where a run begins [m, rad].
constexpr double kApartLinear = 1e-3, kApartAngular = 0.5 * kDegrees;

bool is_infinite_plane(const model::Model& model, std::size_t shape)
{
    return model.shape_type[shape] == GeoType::plane && model.shape_scale[shape].x == 0 &&
           model.shape_scale[shape].y == 0;
}

bool collides(const model::Model& model, std::size_t shape)
{ return (model.shape_flags[shape] & model::shape_flag::collide_shapes) != 0; }

bool has_ground(const model::Model& model)
{
    for (std::size_t i = 0; i < model.shape_count(); ++i)
        if (collides(model, i) && model.shape_body[i] < 0 && is_infinite_plane(model, i)) return true;
    return false;
}

/// Drives every joint axis to its start position. An axis outside its limits starts at the nearest limit: no drive
/// could hold it outside, and the limit would overturn the robot on the way back. Free, distance and rod joints have no
/// drives.
void hold_joints(model::ModelBuilder& builder, const Hold& hold)
{
    for (model::BuilderJoint& joint : builder.joints) {
        const auto& info = model::joint_type_info(joint.type);
        if (info.free_like || info.quaternion) continue;
        std::size_t entry = 0;
        for (auto* axes : {&joint.linear_axes, &joint.angular_axes})
            for (model::JointDofConfig& dof : *axes) {
                double& start     = entry < joint.q.size() ? joint.q[entry] : dof.initial_q;
                start             = std::max(dof.limit_lower, std::min(start, dof.limit_upper));
                dof.target_ke     = hold.ke;
                dof.target_kd     = hold.kd;
                dof.target_q      = start;
                dof.target_qd     = 0;
                dof.drive_type    = model::DriveType::force;
                dof.actuator_mode = model::TargetMode::position;
                ++entry;
            }
    }
}

/// Has the bodies start where held joints put them, so that they are not taken for poses that the stage got wrong.
/// Where the stage did, it is left to be told.
/// @param authored  before the joints were held
Result<void> start_held(model::ModelBuilder& builder, model::ModelBuilder authored, Diagnostics& found)
{
    std::size_t moved = 0, worst = 0;
    double      most = 0;
    for (std::size_t j = 0; j < builder.joints.size(); ++j) {
        double own = 0;
        for (std::size_t k = 0; k < builder.joints[j].q.size(); ++k)
            own = std::max(own, std::abs(builder.joints[j].q[k] - authored.joints[j].q[k]));
        if (own > 0) ++moved;
        if (own > most) most = own, worst = j;
    }
    if (moved == 0) return {};
    Diagnostics quiet;  // the final finalize reports
    const auto  before = authored.finalize({}, quiet), after = builder.finalize({}, quiet);
    if (!before) return before.error();
    if (!after) return after.error();
    model::State start = model::make_state(*before), held = model::make_state(*after);
    const auto   own = dynamics::project_to_joints(*before, start, true);
    if (own.linear > kApartLinear || own.angular > kApartAngular) return {};
    dynamics::project_to_joints(*after, held, true);
    for (std::size_t b = 0; b < builder.bodies.size(); ++b) builder.bodies[b].q = static_cast<Posed>(held.body_q[b]);
    found.add(kStartLimit, {.prim = builder.joints[worst].label},
              fmt::format("{} held at {}, where the stage has {} beyond, this one by {:.3g} m or rad",
                          moved == 1 ? "a joint is" : fmt::format("{} joints are", moved),
                          moved == 1 ? "its limit" : "their limits", moved == 1 ? "it" : "them", most));
    return {};
}

/// A finding about an entity of the model, with the file and line of its prim or of the property that decides.
Diagnostic with_place(const usd::Stage& stage, Diagnostic finding)
{
    if (!finding.site.layer.empty() || finding.site.prim.empty()) return finding;
    const usd::Path path(finding.site.prim);
    const usd::Prim prim = path.empty() || path.is_property() ? usd::Prim() : stage.prim_at(path);
    if (!prim) return finding;
    Site site = prim.site();
    if (finding.site.property == "body_inertia" || finding.site.property == "body_mass")
        // Inertia can come from several attributes: the first that is authored is shown.
        for (const char* name : {"newton:inertia", "physics:diagonalInertia", "physics:mass"})
            if (const usd::Attribute attribute = prim.attribute(name); attribute && attribute.authored()) {
                site = attribute.site();
                break;
            }
    finding.site.layer  = site.layer;
    finding.site.line   = site.line;
    finding.site.column = site.column;
    return finding;
}

}  // namespace

Follow follower(const Scene& scene)
{
    // Nothing animated means no function: an engine without one may use blocks of worlds.
    if (scene.imported.animation.empty()) return {};
    return [animation = importer::Animation(*scene.stage, scene.imported.animation, scene.model)](
               double begin, double end, const model::State& state, model::Model& model, model::Control& control) {
        return animation.apply(begin, end, state, model, control);
    };
}

StepSize step_size(const Scene& scene, std::optional<double> given)
{
    if (given) return {*given, "given"};
    const auto& scenes = scene.imported.scenes;
    if (scenes.empty() || !scenes.front().physics_dt_authored) return {SimulateOptions{}.dt, "default"};
    const Site& site = scenes.front().physics_dt_site;
    return {scenes.front().physics_dt,
            fmt::format("<{}.{}>{}{}", site.prim, site.property, site.layer.empty() ? "" : " " + site.layer,
                        site.line > 0 ? fmt::format(":{}", site.line) : "")};
}

namespace {

/// "jointLinearCompliance" -> "joint_linear_compliance".
std::string in_snake_case(std::string_view name)
{
    std::string out;
    for (const char c : name) {
        if (c >= 'A' && c <= 'Z') {
            out += '_';
            out += static_cast<char>(c - 'A' + 'a');
        } else {
            out += c;
        }
    }
    return out;
}

}  // namespace

std::string solver_of_stage(const Scene& scene, const std::string& solver, std::string_view given,
                            std::vector<std::string>& taken, Diagnostics& found)
{
    const auto& resolvers = scene.imported.resolvers;
    auto        choice    = solvers::choose_solver(solver);
    if (!choice || scene.imported.scenes.empty() || (choice->name != "xpbd" && choice->name != "vbd") ||
        std::find(resolvers.begin(), resolvers.end(), "newton") == resolvers.end())
        return solver;
    const usd::Prim prim = scene.stage->prim_at(usd::Path(scene.imported.scenes.front().path));
    if (!prim) return solver;
    const auto take = [&](const std::string& property, const std::string& parameter) {
        for (const char before : {':', ','})
            if (given.find(before + parameter + "=") != std::string_view::npos) return;
        const usd::Attribute attribute = prim.attribute(property);
        if (!attribute.authored() || physics::value_fault(prim, usd::Token(property))) return;
        const usd::Value value  = attribute.authored_value();
        const auto       number = value.get<double>();
        const auto       flag   = value.get<bool>();
        if (!number && !flag) return;
        // -1 leaves the number of iterations to the solver.
        if (parameter == "iterations" && number && *number == -1) return;
        // A float as it was written: 0.7 and not 0.699999988.
        const std::string text    = !number ? fmt::format("{}={}", parameter, *flag ? "true" : "false")
                                    : value.type_name() == "float"
                                        ? fmt::format("{}={}", parameter, static_cast<float>(*number))
                                        : fmt::format("{}={}", parameter, *number);
        auto              setting = solvers::read_setting(choice->name, text);
        if (!setting) {
            Diagnostic one = setting.error();
            one.severity   = Severity::warning;
            one.site       = attribute.site();
            found.add(std::move(one));
            return;
        }
        taken.push_back(text);
        choice->settings.push_back(*std::move(setting));
    };
    take("newton:maxSolverIterations", "iterations");
    constexpr std::string_view kXpbd = "newton:xpbd:";
    if (choice->name == "xpbd")
        for (const usd::Token& name : prim.authored_property_names())
            if (name.text().starts_with(kXpbd)) {
                // The one name that differs.
                const std::string own = in_snake_case(std::string_view(name.text()).substr(kXpbd.size()));
                take(name.text(), own == "restitution_enabled" ? "enable_restitution" : own);
            }
    if (taken.empty()) return solver;
    // Defaults are left out and the order is that of the table, as for the command line.
    const auto whole = solvers::choose_solver(solvers::to_text(*choice));
    return whole ? solvers::to_text(*whole) : solver;
}

void set_step(SimulateOptions& options, const StepSize& step)
{
    options.dt        = step.dt;
    options.dt_source = step.source;
}

std::optional<double> lowest_collider(const model::Model& model)
{
    model::State start = model::make_state(model);
    dynamics::project_to_joints(model, start, true);  // where the first step will find the bodies
    const auto            up = static_cast<std::size_t>(model.up_axis);
    std::optional<double> lowest;
    for (std::size_t i = 0; i < model.shape_count(); ++i) {
        if (!collides(model, i) || is_infinite_plane(model, i)) continue;
        const std::int32_t body = model.shape_body[i];
        const Posed        X_WB = body < 0 ? Posed{} : static_cast<Posed>(start.body_q[static_cast<std::size_t>(body)]);
        const Posed        X_WS = X_WB * static_cast<Posed>(model.shape_transform[i]);
        const Vec3d        lower  = static_cast<Vec3d>(model.shape_collision_aabb_lower[i]),
                           upper  = static_cast<Vec3d>(model.shape_collision_aabb_upper[i]);
        const Vec3d        centre = X_WS * (0.5 * (lower + upper)), half = 0.5 * (upper - lower);
        // Reach of a turned box along up: sum of |R_up,k| half_k.
        const Vec3d row   = to_matrix(X_WS.q).row(up);
        double      reach = dot(abs(row), half);  // of the box that bounds the shape
        // Round shapes reach less far than their boxes: exact where the reach has a closed form.
        const Vec3d  scale  = static_cast<Vec3d>(model.shape_scale[i]);
        const double radial = std::sqrt(std::max(0.0, 1 - row.z * row.z));
        if (model.shape_type[i] == GeoType::sphere) reach = scale.x;
        // Capsule: radius plus the half length along the axis. Cylinder: radius times the sine plus half length times
        // the cosine of the axis to up.
        if (model.shape_type[i] == GeoType::capsule) reach = scale.x + std::abs(row.z) * scale.y;
        // A barrel: where its arc, of radius scale.z, has up as a normal that is the lowest point, else its rim is.
        if (model.shape_type[i] == GeoType::cylinder)
            reach = scale.z >= scale.y && scale.z > 0 && scale.z * std::abs(row.z) <= scale.y
                        ? radial * (half.x - scale.z) + scale.z
                        : radial * scale.x + std::abs(row.z) * scale.y;
        const double height = centre[up] - reach;
        if (std::isfinite(height) && (!lowest || height < *lowest)) lowest = height;
    }
    return lowest;
}

void tell_ignored(const importer::ImportResult& imported, Diagnostics& found)
{
    constexpr std::size_t                         kNamed = 5;
    std::set<std::pair<std::string, std::string>> told;
    for (const Diagnostic& d : found)
        if (d.severity != Severity::info) told.emplace(d.site.prim, d.site.property);
    std::vector<std::string>     names;
    const importer::LedgerEntry* first = nullptr;
    std::size_t                  count = 0;
    for (const importer::LedgerEntry& entry : imported.ledger) {
        if (entry.verdict != importer::Verdict::ignored || told.contains({entry.prim, entry.property})) continue;
        if (first == nullptr) first = &entry;
        if (++count <= kNamed) names.push_back(fmt::format("{}.{} ({})", entry.prim, entry.property, entry.note));
    }
    if (count == 0) return;
    found.add(kValuesIgnored, first->site,
              fmt::format("{} authored physics value{} {} no effect: {}{}", count, count == 1 ? "" : "s",
                          count == 1 ? "has" : "have", fmt::join(names, "; "), count > kNamed ? "; ..." : ""));
}

Result<Scene> load_scene(const std::string& file, const SceneOptions& options, Diagnostics& found)
{
    if (options.worlds < 1) return make_diagnostic(kArgument, {}, fmt::format("{} worlds", options.worlds));
    if (options.hold && !(options.hold->ke >= 0 && options.hold->kd >= 0 && std::isfinite(options.hold->ke) &&
                          std::isfinite(options.hold->kd)))
        return make_diagnostic(
            kArgument, {},
            fmt::format("hold gains {}, {} must be finite and not negative", options.hold->ke, options.hold->kd));

    auto stage = usd::Stage::open(file, options.open);
    if (!stage) return stage.error();
    if (const Diagnostics wrong = usd::check_selections(**stage, options.open.variant_selections); !wrong.empty())
        return *wrong.begin();
    // With allow_missing a missing part is a warning.
    for (Diagnostic one : (*stage)->diagnostics()) {
        if (options.import.allow_missing && usd::is_missing_part(one.id) && one.severity == Severity::error)
            one.severity = Severity::warning;
        found.add(std::move(one));
    }

    usd::inspect_lists(**stage, found);

    Scene scene;
    scene.stage                 = *stage;
    importer::ImportOptions how = options.import;
    how.allow_missing           = how.allow_missing || options.incomplete;
    auto imported               = importer::import_usd(**stage, how, scene.builder, found);
    if (!imported) return imported.error();
    scene.imported = *std::move(imported);
    // The importer may have made another stage (parts left out): findings must point there.
    if (scene.imported.stage) scene.stage = scene.imported.stage;

    if (options.tell_ignored) tell_ignored(scene.imported, found);

    if (options.hold) {
        model::ModelBuilder authored = scene.builder;
        hold_joints(scene.builder, *options.hold);
        if (const auto started = start_held(scene.builder, std::move(authored), found); !started)
            return with_place(*scene.stage, started.error());
    }
    if (options.ground) {
        // Heights are known from the finalized model only.
        Diagnostics quiet;  // the final finalize reports; this one only measures
        const auto  measured = scene.builder.finalize({}, quiet);
        if (!measured) return measured.error();
        if (!options.ground_height && has_ground(*measured)) {
            found.add(kGroundKept, {.layer = file}, "no ground was added: the stage has an infinite plane");
        } else {
            const double height =
                options.ground_height.value_or(lowest_collider(*measured).value_or(0.0) - kGroundClearance);
            if (!std::isfinite(height)) return make_diagnostic(kArgument, {}, "the height of the ground is not finite");
            scene.builder.add_ground_plane(height);
        }
    }
    if (options.worlds > 1 && !scene.builder.world_gravity.empty())
        return make_diagnostic(kArgument, {.layer = file},
                               fmt::format("{} worlds were requested, and the stage has {} of its own (newton:world)",
                                           options.worlds, scene.builder.world_gravity.size()));
    if (options.worlds > 1) {
        model::ModelBuilder many;
        // The copies' shared world gets axis and gravity of the scene.
        many.up_axis = scene.builder.up_axis;
        many.gravity = scene.builder.gravity;
        if (const auto ok = many.replicate(scene.builder, options.worlds); !ok) return ok.error();
        scene.builder = std::move(many);
    }

    Diagnostics repaired;
    auto        model = scene.builder.finalize({}, repaired);
    for (Diagnostic one : repaired) found.add(with_place(*scene.stage, std::move(one)));
    if (!model) return with_place(*scene.stage, model.error());
    scene.model = *std::move(model);

    const auto loose = [](const std::vector<Real>& inverse_masses) {
        return std::any_of(inverse_masses.begin(), inverse_masses.end(), [](Real m) { return m > 0; });
    };
    const bool bodies = loose(scene.model.body_inv_mass), moves = bodies || loose(scene.model.particle_inv_mass);
    if (!moves)
        found.add(kNothingMoves, {.layer = file}, "no body can move");
    else if (bodies && !lowest_collider(scene.model) && found.count(importer::codes::kMujocoFlag.id) == 0)
        found.add(kNoColliders, {.layer = file}, "no body has a collider");
    return scene;
}

}  // namespace mechane::run

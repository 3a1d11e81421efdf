// `mechane info`: what is in a file: units, schemas, counts, masses, and the ledger of all authored physics values.
// Input: a stage. Output: a summary, one line for each value with --ledger, or JSON (mechane.info/1).
// The model is imported even if parts are missing, because this is the command that shows what is missing.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/counted.h"

namespace mechane::cli {
namespace {

using model::Model;

struct InfoArgs {
    std::string file;
    bool        mass   = false;
    bool        assets = false;
    bool        ledger = false;
    std::string only;  ///< verdict of the ledger's rows to list; empty: all
};

/// Families of schemas and how to recognise their members by name.
struct Family {
    const char* name;
    const char* prefix;
};
// A member is known by the beginning of its name, also where this build has no definition of its schema.
constexpr Family kFamilies[] = {
    {"UsdPhysics", "Physics"}, {"Newton", "Newton"}, {"PhysX", "Physx"}, {"MuJoCo", "Mjc"}, {"ROS", "Ros"}};

/// How often prims of the stage use the schemas of each family.
std::map<std::string, int> schema_counts(const usd::Stage& stage)
{
    std::map<std::string, int> counts;
    for (const Family& family : kFamilies) counts[family.name] = 0;
    for (const usd::Prim& prim : stage.traverse())
        for (const Family& family : kFamilies) {
            // A prim counts once for its type and once for each schema that it applies, so the number is that of uses.
            if (prim.type_name().text().starts_with(family.prefix)) ++counts[family.name];
            for (const usd::Token& api : prim.authored_apis())
                if (api.text().starts_with(family.prefix)) ++counts[family.name];
        }
    return counts;
}

std::map<std::string, int> shape_counts(const Model& model)
{
    std::map<std::string, int> counts;
    // Shapes that are only seen are no colliders.
    for (std::size_t i = 0; i < model.shape_count(); ++i)
        if ((model.shape_flags[i] & model::shape_flag::collide_shapes) != 0)
            ++counts[std::string(model::to_string(model.shape_type[i]))];
    return counts;
}

std::map<std::string, int> joint_counts(const Model& model)
{
    std::map<std::string, int> counts;
    for (const auto type : model.joint_type) ++counts[std::string(model::to_string(type))];
    return counts;
}

bool is_listed(const InfoArgs& args, const importer::LedgerEntry& entry)
{ return args.only.empty() || importer::to_string(entry.verdict) == args.only; }

/// "arm.usda:12", or only the layer if it has no lines.
std::string site_line(const Site& site)
{ return site.line > 0 ? fmt::format("{}:{}", site.layer, site.line) : site.layer; }

// Totals always, rows with --ledger.
nlohmann::json ledger_json(const InfoArgs& args, const importer::ImportResult& imported)
{
    const importer::LedgerTotals t = importer::totals(imported.ledger);
    nlohmann::json               ledger{{"properties", t.all()},
                                        {"used", t.used},
                                        {"converted", t.converted},
                                        {"overridden", t.overridden},
                                        {"ignored", t.ignored}};
    if (!args.ledger) return ledger;
    // All rows have all fields, so that a reader needs no defaults.
    ledger["rows"] = nlohmann::json::array();
    for (const importer::LedgerEntry& entry : imported.ledger)
        if (is_listed(args, entry))
            ledger["rows"].push_back({{"prim", entry.prim},
                                      {"property", entry.property},
                                      {"value", entry.value},
                                      {"verdict", importer::to_string(entry.verdict)},
                                      {"note", entry.note},
                                      {"layer", entry.site.layer},
                                      {"line", entry.site.line}});
    return ledger;
}

std::string ledger_text(const InfoArgs& args, const importer::ImportResult& imported)
{
    // Widths of the columns are found in a first pass.
    std::size_t name_width = 0, place_width = 0;
    for (const importer::LedgerEntry& e : imported.ledger) {
        if (!is_listed(args, e)) continue;
        name_width  = std::max(name_width, e.property.size() + e.value.size() + 3);
        place_width = std::max(place_width, site_line(e.site).size());
    }
    // A few long values must not push the columns of all others off the screen.
    // 60 columns leave room for place and verdict on a usual screen.
    name_width = std::min<std::size_t>(name_width, 60);
    std::string out, prim;
    for (const importer::LedgerEntry& e : imported.ledger) {
        if (!is_listed(args, e)) continue;
        if (e.prim != prim) out += (prim = e.prim) + "\n";
        out += fmt::format("  {:<{}}  {:<{}}  {}{}{}\n", fmt::format("{} = {}", e.property, e.value), name_width,
                           site_line(e.site), place_width, importer::to_string(e.verdict), e.note.empty() ? "" : ": ",
                           e.note);
    }
    return out;
}

template <class Counts>
std::string counts_text(const Counts& counts, const char* separator)
{
    std::vector<std::string> parts;
    for (const auto& [name, count] : counts) parts.push_back(fmt::format("{} {}", name, count));
    return fmt::format("{}", fmt::join(parts, separator));
}

/// The rule that gave a body its inertia, "" for bodies without a prim.
std::string rule_of(const run::Scene& scene, const std::string& body)
{
    const auto rule = scene.imported.mass_rules.find(body);
    return rule == scene.imported.mass_rules.end() ? std::string() : std::string(rule->second);
}

/// How many bodies each rule gave its mass.
std::map<std::string, int> rule_counts(const run::Scene& scene)
{
    std::map<std::string, int> counts;
    for (const auto& [body, rule] : scene.imported.mass_rules) ++counts[std::string(rule)];
    return counts;
}

// Limits by dof, in the order of the model's; free joints have them too, without effect.
nlohmann::json joints_json(const Model& model)
{
    nlohmann::json joints = nlohmann::json::array();
    for (std::size_t j = 0; j < model.joint_count(); ++j) {
        const auto label = [&](std::int32_t b) { return b < 0 ? "" : model.body_label[static_cast<std::size_t>(b)]; };
        nlohmann::json lower = nlohmann::json::array(), upper = nlohmann::json::array();
        for (std::int32_t d = model.joint_qd_start[j]; d < model.joint_qd_start[j + 1]; ++d) {
            lower.push_back(model.joint_limit_lower[static_cast<std::size_t>(d)]);
            upper.push_back(model.joint_limit_upper[static_cast<std::size_t>(d)]);
        }
        joints.push_back({{"prim", model.joint_label[j]},
                          {"type", model::to_string(model.joint_type[j])},
                          {"parent", label(model.joint_parent[j])},
                          {"child", label(model.joint_child[j])},
                          {"articulation", model.joint_articulation[j]},
                          {"lower", lower},
                          {"upper", upper}});
    }
    return joints;
}

nlohmann::json to_json(const InfoArgs& args, const run::Scene& scene, const Diagnostics& found)
{
    const Model&   model  = scene.model;
    const auto&    meta   = scene.stage->metadata();
    nlohmann::json bodies = nlohmann::json::array(), findings = nlohmann::json::array();
    // In SI units; inertia about the centre of mass, in axes of the body.
    for (std::size_t b = 0; b < model.body_count(); ++b) {
        const Vec3&  c = model.body_com[b];
        const Mat33& i = model.body_inertia[b];
        bodies.push_back({{"prim", model.body_label[b]},
                          {"mass", model.body_mass[b]},
                          {"rule", rule_of(scene, model.body_label[b])},
                          {"com", {c.x, c.y, c.z}},
                          {"inertia", {{i.r0.x, i.r0.y, i.r0.z}, {i.r1.x, i.r1.y, i.r1.z}, {i.r2.x, i.r2.y, i.r2.z}}},
                          {"kinematic", model.body_flags[b] == model::body_flag::kinematic}});
    }
    for (const Diagnostic& d : found) {
        findings.push_back({{"id", d.id},
                            {"severity", to_string(d.severity)},
                            {"message", d.message},
                            {"prim", d.site.prim},
                            {"layer", d.site.layer},
                            {"line", d.site.line},
                            {"hint", d.hint},
                            {"count", d.count}});
        if (!d.alias.empty()) findings.back()["alias"] = d.alias;
    }
    double total = 0;
    for (const Real m : model.body_mass) total += static_cast<double>(m);
    return {{"schema", "mechane.info/1"},
            {"asset", args.file},
            {"stage",
             {{"layers", scene.stage->used_layers().size()},
              {"prims", scene.stage->prim_count()},
              {"defaultPrim", meta.default_prim},
              {"upAxis", std::string(1, meta.up_axis)},
              {"metersPerUnit", meta.meters_per_unit},
              {"metersPerUnitUsed", scene.imported.unit_in_metres},
              {"kilogramsPerUnit", meta.kilograms_per_unit},
              {"authoredMetersPerUnit", meta.authored_meters_per_unit}}},
            {"schemas", schema_counts(*scene.stage)},
            {"resolvers", scene.imported.resolvers},
            {"model",
             {{"articulations", model.articulation_count()},
              {"scenes", scene.imported.scenes.size()},
              {"materials", scene.imported.material_count},
              {"collisionGroups", scene.imported.path_collision_group_map.size()},
              {"bodies", model.body_count()},
              {"joints", joint_counts(model)},
              {"dofs", model.joint_dof_count()},
              {"colliders", shape_counts(model)},
              {"shapes", model.shape_count()},
              {"worlds", model.world_count},
              {"mass", total}}},
            {"bodies", bodies},
            {"joints", joints_json(model)},
            {"units", {{"linear", scene.imported.linear_unit}, {"mass", scene.imported.mass_unit}}},
            {"massRules", rule_counts(scene)},
            {"ledger", ledger_json(args, scene.imported)},
            {"findings", findings}};
}

/// The assumed length unit if none is authored, and the one that OpenUSD assumes.
std::string unit_remark(const usd::StageMetadata& meta, double used)
{
    if (meta.authored_meters_per_unit) return {};
    return used == meta.meters_per_unit
               ? " (not authored)"
               : fmt::format(" (not authored; OpenUSD's {} m: --unauthored-units usd)", meta.meters_per_unit);
}

std::string to_text(const InfoArgs& args, const run::Scene& scene, const Diagnostics& found)
{
    const Model& model = scene.model;
    const auto&  meta  = scene.stage->metadata();
    double       total = 0;
    for (const Real m : model.body_mass) total += static_cast<double>(m);
    const auto  layers    = scene.stage->used_layers();
    const auto  kinematic = std::count(model.body_flags.begin(), model.body_flags.end(), model::body_flag::kinematic);
    std::string out;
    out +=
        fmt::format("{}   {} · {} · defaultPrim {} · {}-up · {} m{} · {} kg\n", args.file,
                    counted(layers.size(), "layer"), counted(scene.stage->prim_count(), "prim"),
                    meta.default_prim.empty() ? "none" : meta.default_prim, meta.up_axis, scene.imported.unit_in_metres,
                    unit_remark(meta, scene.imported.unit_in_metres), meta.kilograms_per_unit);
    out += fmt::format("schemas    {}\n", counts_text(schema_counts(*scene.stage), " · "));
    out += fmt::format("resolvers  {}\n", scene.imported.resolvers.empty()
                                              ? "none"
                                              : fmt::format("{}", fmt::join(scene.imported.resolvers, ", ")));
    out += fmt::format("physics    {} · {} · {}\n", counted(scene.imported.scenes.size(), "scene"),
                       counted(scene.imported.material_count, "material"),
                       counted(scene.imported.path_collision_group_map.size(), "collision group"));
    out += fmt::format(
        "model      {} · {}{} · {} · {} DOF · {} · {:.6g} kg\n", counted(model.articulation_count(), "articulation"),
        counted(model.body_count(), "body", "bodies"), kinematic > 0 ? fmt::format(" ({} kinematic)", kinematic) : "",
        counted(model.joint_count(), "joint"), model.joint_dof_count(), counted(model.shape_count(), "shape"), total);
    if (model.joint_count() > 0) out += fmt::format("joints     {}\n", counts_text(joint_counts(model), " · "));
    if (const auto shapes = shape_counts(model); !shapes.empty())
        out += fmt::format("colliders  {}\n", counts_text(shapes, " · "));
    if (const auto rules = rule_counts(scene); !rules.empty())
        out += fmt::format("mass       {}\n", counts_text(rules, " · "));
    const importer::LedgerTotals t = importer::totals(scene.imported.ledger);
    out += fmt::format("ledger     {}: {} used · {} converted · {} overridden · {} ignored{}\n",
                       counted(t.all(), "authored physics value"), t.used, t.converted, t.overridden, t.ignored,
                       args.ledger ? "" : "   (--ledger)");
    out +=
        fmt::format("findings   {} · {} · {}\n", counted(found.count(Severity::error), "error"),
                    counted(found.count(Severity::warning), "warning"), counted(found.count(Severity::info), "note"));
    if (args.mass)
        for (std::size_t b = 0; b < model.body_count(); ++b)
            out += fmt::format("{:12.6g} kg  com {:.4g} {:.4g} {:.4g}  inertia {:.4g} {:.4g} {:.4g}  {}  ({})\n",
                               static_cast<double>(model.body_mass[b]), static_cast<double>(model.body_com[b].x),
                               static_cast<double>(model.body_com[b].y), static_cast<double>(model.body_com[b].z),
                               static_cast<double>(model.body_inertia[b].r0.x),
                               static_cast<double>(model.body_inertia[b].r1.y),
                               static_cast<double>(model.body_inertia[b].r2.z), model.body_label[b],
                               rule_of(scene, model.body_label[b]));
    if (args.assets)
        for (const std::string& layer : layers) out += fmt::format("layer      {}\n", layer);
    return out;
}

int run_info(const InfoArgs& args, Context& context)
{
    auto options = scene_options(context);
    if (!options) return kExitUsage;
    // Needed for the totals too, not for --ledger alone.
    options->import.ledger = true;
    // What is missing becomes a finding and not the end: see above.
    options->incomplete = true;
    Diagnostics found;
    const auto  scene = run::load_scene(args.file, *options, found);
    context.io.report(found);
    if (!scene) return context.io.fail(scene.error());
    if (context.global.json)
        context.io.out(to_json(args, *scene, found).dump(1) + "\n");
    else if (args.ledger)
        context.io.out(ledger_text(args, scene->imported));
    else
        context.io.out(to_text(args, *scene, found));
    return exit_after(found, context);
}

}  // namespace

void add_info(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<InfoArgs>();
    CLI::App* verb = app.add_subcommand("info", "Show what is in a file: units, schemas, counts, mass");
    verb->add_option("file", args->file, "Stage")->required();
    verb->add_flag("--ledger", args->ledger,
                   "List every authored physics value: used, converted, overridden or ignored, and where");
    verb->add_option("--only", args->only, "Only ledger rows with this verdict")
        ->check(CLI::IsMember({"used", "converted", "overridden", "ignored"}));
    verb->add_flag("--mass", args->mass, "List mass, centre of mass and inertia of every body");
    verb->add_flag("--assets", args->assets, "List every layer that was read");
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_info(*args, context); });
}

}  // namespace mechane::cli

// `mechane schema`: tables of what the program knows: pairs of shapes, materials, options, conventions, schemas.
// All tables come from the code that uses them, not from texts of their own.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/schema_show.h"
#include "mechane/collision/narrow.h"
#include "mechane/importer/options.h"
#include "mechane/solvers/materials.h"
#include "mechane/solvers/solver.h"

namespace mechane::cli {
namespace {

using collision::ShapeKind;
using nlohmann::json;

/// A row and column of the table of pairs: a type of shape under its public name.
struct Column {
    std::string_view name;
    ShapeKind        kind  = ShapeKind::sphere;
    bool             still = false;  ///< always belongs to the world
    bool             field = false;  ///< carries a distance field
};
constexpr std::array<Column, 12> kColumns{{{"PLANE", ShapeKind::plane, true},
                                           {"PLANE finite", ShapeKind::rectangle, true},
                                           {"HFIELD", ShapeKind::mesh, true},
                                           {"SPHERE", ShapeKind::sphere},
                                           {"CAPSULE", ShapeKind::capsule},
                                           {"ELLIPSOID", ShapeKind::ellipsoid},
                                           {"CYLINDER", ShapeKind::cylinder},
                                           {"BOX", ShapeKind::box},
                                           {"CONE", ShapeKind::cone},
                                           {"CONVEX_MESH", ShapeKind::hull},
                                           {"MESH", ShapeKind::mesh},
                                           {"SDF", ShapeKind::mesh, false, true}}};

struct Cell {
    std::string route;  ///< "static": both belong to the world, so they never meet
    bool        slow = false;
};

/// The same function that the narrow phase asks names the route, so the table cannot differ from what happens.
Cell cell_of(const Column& a, const Column& b)
{
    if (a.still && b.still) return {"static", false};
    if (a.field && b.field) return {"field", false};
    const bool triangles = a.kind == ShapeKind::mesh && b.kind == ShapeKind::mesh;
    return {std::string(collision::route_of(a.kind, b.kind)), triangles};
}
/// Particles collide with the nearest point of the surface; for a mesh it has to be searched.
Cell particle_cell(const Column& a) { return {"nearest point", a.kind == ShapeKind::mesh && !a.still}; }

// The table is symmetric: half of it is printed.
void print_pairs(const Context& context)
{
    if (context.global.json) {
        auto cells = json::array();
        for (std::size_t i = 0; i < kColumns.size(); ++i) {
            for (std::size_t k = i; k < kColumns.size(); ++k) {
                const Cell cell = cell_of(kColumns[i], kColumns[k]);
                cells.push_back(
                    {{"a", kColumns[i].name}, {"b", kColumns[k].name}, {"route", cell.route}, {"slow", cell.slow}});
            }
            const Cell cell = particle_cell(kColumns[i]);
            cells.push_back({{"a", kColumns[i].name}, {"b", "particle"}, {"route", cell.route}, {"slow", cell.slow}});
        }
        context.io.out(json{{"schema", "mechane.pairs/1"}, {"pairs", cells}}.dump(1) + "\n");
        return;
    }
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
        context.io.out(fmt::format("{}\n", kColumns[i].name));
        for (std::size_t k = i; k < kColumns.size(); ++k) {
            const Cell cell = cell_of(kColumns[i], kColumns[k]);
            context.io.out(fmt::format("  {:13} {}{}\n", kColumns[k].name,
                                       cell.route == "static" ? "- [1]" : cell.route, cell.slow ? " (slow)" : ""));
        }
        const Cell cell = particle_cell(kColumns[i]);
        context.io.out(fmt::format("  {:13} {}{}\n", "particle", cell.route, cell.slow ? " (slow)" : ""));
    }
    context.io.out(
        "particle\n  particle      - [2]\n\n"
        "[1] both belong to the world; static shapes never collide with each other\n"
        "[2] particles among themselves belong to the solver\n"
        "(slow) with many triangles; a distance field on both meshes helps (NewtonSDFCollisionAPI)\n");
}

// Rows with "static" as their route never happen in a simulation.
void print_materials(const Context& context)
{
    auto rows = json::array();
    for (const solvers::MaterialCoefficient& c : solvers::material_coefficients()) {
        json        users = json::object();
        std::string text;
        // Only solvers that say something about the coefficient.
        for (const std::string_view solver : solvers::solver_names()) {
            const solvers::SupportRow* row = solvers::support_of(solver, c);
            if (row == nullptr) continue;
            users[std::string(solver)] = solvers::to_string(row->support);
            text += fmt::format(" {} {}", solver, solvers::to_string(row->support));
        }
        if (context.global.json)
            rows.push_back({{"field", c.field},
                            {"unit", c.unit},
                            {"default", c.initial},
                            {"array", c.array},
                            {"meaning", c.meaning},
                            {"solvers", users}});
        else
            context.io.out(
                fmt::format("{:13} {:6} {:<8g} {:28}{:24} {}\n", c.field, c.unit, c.initial, c.array, text, c.meaning));
    }
    if (context.global.json)
        context.io.out(json{{"schema", "mechane.materials/1"}, {"coefficients", rows}}.dump(1) + "\n");
}

// One line for each option of the importer, in the order of their table.
void print_options(const Context& context)
{
    auto rows = json::array();
    for (const importer::OptionInfo& o : importer::import_options()) {
        if (context.global.json)
            rows.push_back({{"name", o.name},
                            {"type", o.type},
                            {"default", o.initial},
                            {"unit", o.unit},
                            {"meaning", o.meaning},
                            {"values", o.values}});
        else
            context.io.out(fmt::format(
                "{:34} {:8} {:12} {:4} {}{}\n", o.name, o.type, o.initial, o.unit, o.meaning,
                o.values.empty() || o.type == "flag" ? "" : fmt::format(" ({})", fmt::join(o.values, ", "))));
    }
    if (context.global.json) context.io.out(json{{"schema", "mechane.options/1"}, {"options", rows}}.dump(1) + "\n");
}

void print_conventions(const Context& context)
{
    auto rows = json::array();
    // Rows of a group stand together in the table, so the group is printed when it changes.
    std::string_view group;
    for (const physics::Convention& c : physics::convention_table()) {
        if (context.global.json) {
            rows.push_back({{"name", c.name},
                            {"group", c.group},
                            {"question", c.question},
                            {"mechane", c.mechane},
                            {"other", c.other},
                            {"openusd", c.openusd}});
            continue;
        }
        if (group != c.group) context.io.out(fmt::format("{}{}\n", group.empty() ? "" : "\n", c.group));
        group = c.group;
        context.io.out(fmt::format("  {} ({})\n    mechane      {}\n    {}  {}\n", c.question, c.name, c.mechane,
                                   c.openusd ? "the others " : "newton-1.8 ", c.other));
    }
    if (context.global.json)
        context.io.out(json{{"schema", "mechane.conventions/1"}, {"conventions", rows}}.dump(1) + "\n");
}

}  // namespace

void add_schema(CLI::App& app, Context& context)
{
    struct Args {
        std::string              what;
        std::vector<std::string> names;
    };
    const auto args = std::make_shared<Args>();
    CLI::App*  verb = app.add_subcommand(
        "schema",
        "Show tables: how pairs of shapes collide, which solver uses which contact material, what "
        "--option can set, where OpenUSD and Newton read a stage differently, the properties of a schema, "
        "attributes of two vendors with the same meaning");
    verb->add_option("what", args->what, "pairs, materials, options, conventions, show or map")
        ->required()
        ->check(CLI::IsMember({"pairs", "materials", "options", "conventions", "show", "map"}));
    verb->add_option("names", args->names,
                     "With show: schemas (default all); with map: two resolvers, such as physx newton");
    add_global_options(*verb, context);
    verb->callback([args, &context] {
        const bool listed = args->what == "show" || args->what == "map";
        if (!listed && !args->names.empty()) {
            context.io.say_error(fmt::format("schema {} takes no names\n", args->what));
            context.exit = kExitUsage;
            return;
        }
        if (args->what == "pairs") print_pairs(context);
        if (args->what == "materials") print_materials(context);
        if (args->what == "options") print_options(context);
        if (args->what == "conventions") print_conventions(context);
        if (args->what == "show") context.exit = show_schemas(args->names, context);
        if (args->what == "map") context.exit = map_resolvers(args->names, context);
    });
}

}  // namespace mechane::cli

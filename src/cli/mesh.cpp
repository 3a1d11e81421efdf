// `mechane mesh`: faults of the meshes of a stage or mesh file, their repair, and the forms in which they would
// collide. Inputs: what is to be read and what to compute (repair, hull, decomposition, simplification, distance
// field). Outputs: counts of faults by kind, volumes and areas in units of the stage, sizes of the results; the meshes
// themselves as a file.
// Meshes are taken with scale and shear of the stage but without their rotation, since boxes of fields lie along their
// axes.
// Exit status: findings where a form could not be made, or a mesh is open under --watertight.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "cli/command.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
#include "cli/seconds.h"
#include "mechane/core/hash.h"
#include "mechane/core/nearest.h"
#include "mechane/exporter/mesh_file.h"
#include "mechane/files/suffix.h"
#include "mechane/geometry/kept.h"
#include "mechane/geometry/mass.h"
#include "mechane/geometry/mesh_report.h"
#include "mechane/geometry/preparation.h"
#include "mechane/geometry/repair.h"
#include "mechane/record/codes.h"
#include "mechane/resolve/mesh_source.h"
#include "mechane/resolve/resolvers.h"
#include "mechane/resolve/shape_values.h"
#include "mechane/tasks/parallel.h"
#include "mechane/usd/foreign.h"
#include "mechane/usd/units.h"

namespace mechane::cli {
namespace {

using Json = nlohmann::json;

// Zero stands for "not given" in simplify, time_limit, voxel and resolution.
struct MeshArgs {
    std::string              file, output;
    std::vector<std::string> prims;
    bool                     watertight = false, hull = false, decompose = false, sdf = false;
    bool                     repair = false, keep_holes = false, triangulate = false, layer = false;
    double                   simplify = 0, time_limit = 0, voxel = 0;
    int                      max_vertices = 64, max_hulls = 32, resolution = 0;
};

const char* to_string(geometry::Orientation orientation)
{
    switch (orientation) {
        case geometry::Orientation::outward:
            return "outward";
        case geometry::Orientation::inward:
            return "inward";
        case geometry::Orientation::mixed:
            return "mixed";
        case geometry::Orientation::open:
            break;
    }
    return "open";
}

const char* to_string(geometry::Preparation method)
{
    switch (method) {
        case geometry::Preparation::decomposition:
            return "decomposition";
        case geometry::Preparation::hull:
            return "hull";
        case geometry::Preparation::box:
            return "box";
        case geometry::Preparation::simplification:
            break;
    }
    return "simplification";
}

// Numbers of points and edges, area and volume are of the mesh as placed, so in units of the stage squared and cubed.
Json report_json(const geometry::MeshReport& r)
{
    return {{"points", r.points},
            {"triangles", r.triangles},
            {"components", r.components},
            {"watertight", r.watertight()},
            {"orientation", to_string(r.orientation)},
            {"boundary_edges", r.faults.boundary_edges},
            {"non_manifold_edges", r.faults.non_manifold_edges},
            {"winding_edges", r.faults.winding_edges},
            {"degenerate_triangles", r.faults.degenerate_triangles},
            {"self_intersections", r.self_intersections},
            {"area", r.area},
            {"volume", r.volume}};
}

double seconds_since(std::chrono::steady_clock::time_point start)
{ return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }

/// The result of one preparation.
/// @param parts_made  gets the meshes
// What is known of a mesh is taken from the cache by its contents.
Json prepare(const geometry::Mesh& mesh, const MeshArgs& args, geometry::Preparation method, geometry::BlobCache* cache,
             const std::string& path, const Context& context, std::vector<geometry::Mesh>& parts_made)
{
    geometry::PreparationOptions options;
    options.method                          = method;
    options.hull.max_vertices               = args.max_vertices;
    options.decomposition.hull.max_vertices = args.max_vertices;
    options.decomposition.max_hulls         = args.max_hulls;
    if (args.simplify > 0) options.simplification.ratio = args.simplify;
    if (args.time_limit > 0) options.time_limit = args.time_limit;
    Diagnostics found;
    const auto  start    = std::chrono::steady_clock::now();
    const auto  prepared = geometry::prepare_mesh(mesh, options, cache, found);
    // Findings of the geometry name no prim; here it is known.
    for (Diagnostic d : found.items()) {
        d.site.prim = path;
        context.io.report(d);
    }
    if (!prepared) return {{"error", prepared.error().message}};
    double volume = 0;
    // The volume of all parts together tells how much a decomposition adds to the solid.
    std::size_t triangles = 0;
    Json        parts     = Json::array();
    for (const geometry::Mesh& part : prepared->parts) {
        const double own = geometry::inspect_mesh(part).volume;
        volume += own;
        triangles += part.triangles.size();
        parts.push_back({{"points", part.points.size()}, {"triangles", part.triangles.size()}, {"volume", own}});
    }
    Json out{{"method", to_string(prepared->method)},
             {"parts", std::move(parts)},
             {"triangles", triangles},
             {"volume", volume},
             {"cut_short", prepared->cut_short}};
    // Times and hits of the cache differ from run to run, so --reproducible leaves them out.
    if (!context.global.reproducible) out["seconds"] = seconds_since(start), out["cached"] = prepared->cached;
    parts_made = prepared->parts;
    return out;
}

/// Repairs a mesh in place. @return what was done, and what the mesh is now
Json repair(geometry::Mesh& mesh, const MeshArgs& args)
{
    geometry::MeshRepair done;
    mesh             = geometry::repaired(mesh, {.fill_holes = !args.keep_holes}, done);
    std::size_t open = 0;
    // The longest rim that stays open shows whether a hole is a slit or a side that is missing.
    double rim   = 0;
    Json   holes = Json::array();
    for (const geometry::Hole& hole : done.holes) {
        holes.push_back({{"edges", hole.edges}, {"length", hole.length}, {"filled", hole.filled}});
        if (!hole.filled) ++open, rim = std::max(rim, hole.length);
    }
    return {{"joined_points", done.joined_points},
            {"dropped_triangles", done.dropped},
            {"turned_triangles", done.turned},
            {"filled_holes", done.holes.size() - open},
            {"open_holes", open},
            {"longest_open_rim", rim},
            {"holes", std::move(holes)},
            {"report", report_json(geometry::inspect_mesh(mesh))}};
}

/// The mesh in its size on the stage: with the scale, mirrors and shear of its transform, without its rotation.
geometry::Mesh as_placed(geometry::Mesh mesh, const usd::Matrix4d& world)
{
    const Quatd turn = usd::decompose(world).rotation;
    for (Vec3d& p : mesh.points) p = rotate_inverse(turn, usd::transform_vector(world, p));
    // A mirrored mesh turns inside out; two corners are exchanged.
    if (usd::determinant3(world) < 0)
        for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
    return mesh;
}

/// The prim's own settings of a distance field, in units of the stage.
/// The same resolver as the importer's, so a field has the size that it would have in a simulation.
geometry::SdfOptions authored_field(const usd::Prim& prim, Diagnostics& found)
{
    geometry::SdfOptions options;
    const std::string    names[] = {"newton"};
    const auto           newton  = resolve::resolvers_named(names);
    if (!newton) return options;
    physics::Collider collider;
    collider.prim    = prim;
    collider.path    = prim.path();
    collider.kind    = physics::ShapeKind::mesh;
    const auto asked = resolve::sdf_settings(*newton, collider, {}, false, found);
    if (!asked.has_sdf) return options;
    options.max_resolution    = asked.max_resolution;
    options.target_voxel_size = asked.target_voxel_size;
    options.band_inner        = asked.band_inner;
    options.band_outer        = asked.band_outer;
    options.padding           = asked.padding.value_or(options.padding);
    options.storage           = asked.texture_format == "uint8"     ? geometry::SdfStorage::uint8
                                : asked.texture_format == "float32" ? geometry::SdfStorage::float32
                                                                    : geometry::SdfStorage::uint16;
    return options;
}

Json field(const usd::Prim& prim, const geometry::Mesh& mesh, const MeshArgs& args, geometry::BlobCache* cache,
           const Context& context)
{
    Diagnostics          found;
    geometry::SdfOptions options = authored_field(prim, found);
    context.io.report(found);
    // The command line goes before the prim. A voxel size goes before a resolution, so that of the prim is dropped
    // here.
    if (args.resolution != 0) options.target_voxel_size.reset();
    if (args.resolution != 0) options.max_resolution = args.resolution;
    if (args.voxel > 0) options.target_voxel_size = args.voxel;
    const tasks::Pool pool(context.global.threads);
    const auto        start = std::chrono::steady_clock::now();
    const auto        sdf   = geometry::cached_sdf(mesh, options, cache, &pool);
    if (!sdf) return {{"error", sdf.error().message}};
    // A block has 8 cells along each axis; only blocks near the surface are stored as bricks.
    Json out{{"voxel", sdf->voxel()},
             {"cells", {8 * sdf->blocks()[0], 8 * sdf->blocks()[1], 8 * sdf->blocks()[2]}},
             {"bricks", sdf->brick_count()},
             {"bytes", sdf->memory()}};
    if (!context.global.reproducible) out["seconds"] = seconds_since(start);
    return out;
}

/// A line for each kind of fault that a report counts.
std::string faults_of(const Json& report, std::string_view indent)
{
    std::string text;
    for (const char* fault :
         {"boundary_edges", "non_manifold_edges", "winding_edges", "degenerate_triangles", "self_intersections"})
        if (report[fault].get<std::int64_t>() > 0)
            text += fmt::format("{}{} {}\n", indent, report[fault].get<std::int64_t>(), fault);
    return text;
}

std::string line_of(const Json& row)
{
    const Json& r = row["report"];
    std::string text =
        fmt::format("{}\n  {} points, {} triangles, {} components, {}{}, volume {:.6g}, area {:.6g}\n",
                    row["prim"].get<std::string>(), r["points"].get<std::size_t>(), r["triangles"].get<std::size_t>(),
                    r["components"].get<std::size_t>(), r["watertight"].get<bool>() ? "watertight, " : "",
                    r["orientation"].get<std::string>(), r["volume"].get<double>(), r["area"].get<double>());
    text += faults_of(r, "  ");
    if (row.contains("repair")) {
        const Json& m     = row["repair"];
        const Json& after = m["report"];
        text += fmt::format("  repair: {} points joined, {} triangles dropped, {} turned, {} holes filled, {} open{}\n",
                            m["joined_points"].get<std::size_t>(), m["dropped_triangles"].get<std::size_t>(),
                            m["turned_triangles"].get<std::size_t>(), m["filled_holes"].get<std::size_t>(),
                            m["open_holes"].get<std::size_t>(),
                            m["open_holes"].get<std::size_t>() == 0
                                ? ""
                                : fmt::format(" (longest rim {:.6g})", m["longest_open_rim"].get<double>()));
        text +=
            fmt::format("    now {} points, {} triangles, {}{}, volume {:.6g}\n", after["points"].get<std::size_t>(),
                        after["triangles"].get<std::size_t>(), after["watertight"].get<bool>() ? "watertight, " : "",
                        after["orientation"].get<std::string>(), after["volume"].get<double>());
        text += faults_of(after, "    ");
    }
    for (const char* made : {"hull", "decomposition", "simplification"})
        if (row.contains(made)) {
            const Json& p = row[made];
            text += p.contains("error")
                        ? fmt::format("  {}: {}\n", made, p["error"].get<std::string>())
                        : fmt::format("  {}: {} parts, {} triangles, volume {:.6g}{}\n", p["method"].get<std::string>(),
                                      p["parts"].size(), p["triangles"].get<std::size_t>(), p["volume"].get<double>(),
                                      p["cut_short"].get<bool>() ? " (cut short)" : "");
        }
    if (row.contains("sdf")) {
        const Json& s = row["sdf"];
        text += s.contains("error") ? fmt::format("  sdf: {}\n", s["error"].get<std::string>())
                                    : fmt::format("  sdf: {} x {} x {} cells of {:.6g}, {} bricks, {} bytes\n",
                                                  s["cells"][0].get<int>(), s["cells"][1].get<int>(),
                                                  s["cells"][2].get<int>(), s["voxel"].get<double>(),
                                                  s["bricks"].get<std::size_t>(), s["bytes"].get<std::size_t>());
    }
    return text;
}

/// The meshes of a stage with what was asked of each, as they are met.
class MeshRun {
  public:
    MeshRun(const MeshArgs& args, const Context& context, const usd::Stage& stage)
        : args_(args), context_(context), stage_(stage), cache_(geometry::shared_cache())
    {
    }

    void add(const usd::Prim& prim)
    {
        const std::string path = prim.path().text();
        // All meshes are noted, also those that are left out, for the suggestion after a wrong --prim.
        paths.push_back(path);
        if (!args_.prims.empty() && std::ranges::find(args_.prims, path) == args_.prims.end()) return;
        Diagnostics         found;
        const usd::Matrix4d world = stage_.world_matrix(prim);
        geometry::Mesh      mesh  = as_placed(resolve::read_mesh(prim, false, found), world);
        context_.io.report(found);
        // The inspection walks edges by index, so a mesh with wrong indices is reported as an empty one.
        if (!geometry::has_valid_indices(mesh) || !geometry::is_finite(mesh)) mesh = {};
        Json row{{"prim", path}, {"report", report_json(geometry::inspect_mesh(mesh))}};
        bool changed = args_.triangulate || args_.hull || args_.simplify > 0;
        if (args_.repair) {
            const geometry::Mesh before = mesh;
            row["repair"]               = repair(mesh, args_);
            changed                     = changed || before.points != mesh.points || before.triangles != mesh.triangles;
        }
        faulty = faulty || !(args_.repair ? row["repair"] : row)["report"]["watertight"].get<bool>();
        std::vector<geometry::Mesh> parts{mesh};
        const auto                  make = [&](bool asked, const char* key, geometry::Preparation method) {
            if (asked) row[key] = prepare(mesh, args_, method, cache_.get(), path, context_, parts);
        };
        make(args_.hull, "hull", geometry::Preparation::hull);
        make(args_.decompose, "decomposition", geometry::Preparation::decomposition);
        make(args_.simplify > 0, "simplification", geometry::Preparation::simplification);
        if (args_.sdf) row["sdf"] = field(prim, mesh, args_, cache_.get(), context_);
        for (const char* made : {"hull", "decomposition", "simplification", "sdf"})
            failed = failed || (row.contains(made) && row[made].contains("error"));
        rows.push_back(std::move(row));
        if (args_.layer && changed && !parts.empty()) place(prim, world, parts.front());
        keep(prim, world, std::move(parts));
    }

    Json                              rows = Json::array();
    std::vector<std::string>          paths;      ///< of all meshes of the stage
    std::vector<exporter::NamedMesh>  meshes;     ///< in the stage's world [m]
    std::vector<exporter::PlacedMesh> replaced;   ///< those that became others, in the frames of their prims
    std::vector<std::string>          unreached;  ///< that no layer can change: in instances, or without a size
    bool                              faulty = false, failed = false;

  private:
    /// The way back of `as_placed`.
    void place(const usd::Prim& prim, const usd::Matrix4d& world, geometry::Mesh mesh)
    {
        const auto  back = usd::inverse(world);
        const Quatd turn = usd::decompose(world).rotation;
        if (!back || prim.is_instance_proxy() || prim.type_name().text() != "Mesh") {
            unreached.push_back(prim.path().text());
            return;
        }
        for (Vec3d& p : mesh.points) p = usd::transform_vector(*back, rotate(turn, p));
        if (usd::determinant3(world) < 0)
            for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
        replaced.push_back({prim, std::move(mesh), args_.hull});
    }
    void keep(const usd::Prim& prim, const usd::Matrix4d& world, std::vector<geometry::Mesh> parts)
    {
        const bool               collider = args_.hull || args_.decompose;
        const usd::Decomposition placed   = usd::decompose(world);
        const double             unit     = usd::meters_per_unit(stage_);
        const std::string        name     = prim.path().name().text();
        // as_placed took rotation and position away; the file gets them back, in metres.
        for (std::size_t i = 0; i < parts.size(); ++i) {
            for (Vec3d& p : parts[i].points) p = unit * (rotate(placed.rotation, p) + placed.translation);
            // A mesh that is drawn and collides stands there twice.
            const std::uint64_t key =
                hash_combine(hash_span(std::span<const Vec3d>(parts[i].points)),
                             hash_span(std::span<const std::array<std::int32_t, 3>>(parts[i].triangles)));
            if (!written_.insert(key).second) continue;
            meshes.push_back({parts.size() == 1 ? name : fmt::format("{}_{}", name, i), std::move(parts[i]), collider});
        }
    }

    const MeshArgs& args_;
    const Context&  context_;
    // Written is told by contents and not by path.
    const usd::Stage&                    stage_;
    std::shared_ptr<geometry::BlobCache> cache_;
    std::set<std::uint64_t>              written_;  ///< hashes of the meshes
};

// A mesh file holds one form of each mesh. Which one was meant cannot be guessed.
int check_mesh_args(const MeshArgs& args, const CLI::App& verb, const Io& io)
{
    const int made = (args.hull ? 1 : 0) + (args.decompose ? 1 : 0) + (args.simplify > 0 ? 1 : 0);
    if (exporter::is_mesh_file(args.output) && made > 1)
        return io.say_error(
                   fmt::format("'{}' holds one result: give one of --hull, --decompose, --simplify\n", args.output)),
               kExitUsage;
    if (args.layer) {
        const std::string suffix = files::suffix_of(args.output);
        if (suffix != ".usda" && suffix != ".usdc" && suffix != ".usd")
            return io.say_error("--layer needs -o FILE with .usda, .usdc or .usd\n"), kExitUsage;
        if (args.decompose)
            return io.say_error(
                       "--layer puts one mesh in the place of one, and --decompose makes several: author "
                       "physics:approximation = \"convexDecomposition\" instead\n"),
                   kExitUsage;
        if (!args.repair && !args.triangulate && !args.hull && args.simplify == 0)
            return io.say_error("--layer needs what changes meshes: --repair, --triangulate, --simplify or --hull\n"),
                   kExitUsage;
    }
    // An option of something that was not asked for would be left without a word.
    const std::tuple<const char*, bool, const char*> needs[] = {
        {"--keep-holes", args.repair, "--repair"},
        {"--resolution", args.sdf, "--sdf"},
        {"--voxel", args.sdf, "--sdf"},
        {"--max-vertices", args.hull || args.decompose, "--hull or --decompose"},
        {"--max-hulls", args.decompose, "--decompose"},
        {"--time-limit", args.decompose, "--decompose"}};
    for (const auto& [option, works, what] : needs)
        if (!works && verb.count(option) > 0)
            return io.say_error(fmt::format("{} needs {}\n", option, what)), kExitUsage;
    return kExitClean;
}

/// The meshes as a file of their own, or as a layer over the stage.
Result<void> write_meshes(const MeshArgs& args, const MeshRun& run, const usd::Stage& stage, const Io& io)
{
    if (!args.layer) return exporter::write_mesh_file(run.meshes, args.output, stage.metadata().up_axis);
    if (usd::is_foreign(stage.source()))
        return make_diagnostic(record::kWriteFailed, {.layer = args.output},
                               fmt::format("a layer lies over one of OpenUSD, and {} is none", stage.source()),
                               fmt::format("Make one first: mechane convert {} -o robot/", stage.source()));
    std::vector<std::string> blocked;
    auto                     done = exporter::write_mesh_layer(run.replaced, stage, args.output, blocked);
    const auto               told = [&](const char* what, const std::vector<std::string>& paths, const char* why) {
        if (!paths.empty())
            io.say(fmt::format("{} {}{}: {}\n", what, paths.front(),
                               paths.size() > 1 ? fmt::format(" and {} more", paths.size() - 1) : "", why));
    };
    told("blocked  ", blocked, "it belongs to points or faces that are no more");
    told("left     ", run.unreached, "no layer can change it: it lies in an instance, or its transform has no inverse");
    return done;
}

int run_mesh(const MeshArgs& args, const CLI::App& verb, Context& context)
{
    if (const int wrong = check_mesh_args(args, verb, context.io); wrong != kExitClean) return wrong;
    const auto options = scene_options(context);
    if (!options) return kExitUsage;
    const auto stage = open_stage(args.file, options->open, context);
    if (!stage) return context.io.fail(stage.error());
    MeshRun run(args, context, **stage);
    // The root path of the import options bounds the search.
    const usd::Path root(options->import.root_path);
    for (const usd::Prim& prim : (*stage)->traverse())
        if (prim.type_name().text() == "Mesh" && prim.path().has_prefix(root)) run.add(prim);
    // A path that is no mesh is a mistake of the command line. It is found out at the end, when all meshes are known.
    for (const std::string& wanted : args.prims)
        if (std::ranges::find(run.paths, wanted) == run.paths.end()) {
            const std::string near = did_you_mean(wanted, run.paths);
            context.io.say_error(fmt::format("--prim: there is no mesh '{}'\n{}", wanted,
                                             near.empty() ? "" : fmt::format("  {}\n", near)));
            return kExitUsage;
        }
    std::string text;
    if (context.global.json)
        text = Json{{"schema", "mechane.mesh/1"}, {"file", args.file}, {"meshes", run.rows}}.dump(1) + "\n";
    else
        for (const Json& row : run.rows) text += line_of(row);
    // Either the report or the meshes go to the output; with meshes the report is printed.
    const bool as_meshes = exporter::is_mesh_file(args.output);
    if (as_meshes) {
        if (auto refused = refuse_read_outputs(context); !refused) return context.io.fail(refused.error());
        if (const auto done = write_meshes(args, run, **stage, context.io); !done) return context.io.fail(done.error());
        if (!context.global.json) text += fmt::format("wrote {}\n", args.output);
    }
    const ExitCode written = write_text(as_meshes ? "" : args.output, text, context.io);
    if (written != kExitClean) return written;
    const ExitCode looked_at = exit_after((*stage)->diagnostics(), context);
    return looked_at == kExitClean && (run.failed || (args.watertight && run.faulty)) ? kExitFindings : looked_at;
}

}  // namespace

void add_mesh(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<MeshArgs>();
    CLI::App* verb =
        app.add_subcommand("mesh", "Inspect and repair the meshes of a stage, and compute their collision shapes");
    verb->add_option("file", args->file, "Stage, robot, or mesh: .stl .obj .ply .dae .msh .glb")->required();
    verb->add_option("--prim", args->prims, "Only the mesh at this path; may repeat");
    verb->add_flag("--watertight", args->watertight, "Exit with status 1 if a mesh is not watertight");
    verb->add_flag("--repair", args->repair,
                   "Join points, drop triangles without area, wind the others consistently, fill holes; other options "
                   "use the repaired mesh");
    verb->add_flag("--keep-holes", args->keep_holes, "With --repair: leave holes open");
    verb->add_flag("--triangulate", args->triangulate,
                   "Split faces into triangles, in the order of the faces; every mesh that is written has triangles");
    verb->add_flag("--layer", args->layer,
                   "Write a layer over the stage (-o) in which the results replace their meshes");
    verb->add_flag("--hull", args->hull, "Compute the convex hull");
    verb->add_flag("--decompose", args->decompose, "Compute a convex decomposition");
    verb->add_option("--simplify", args->simplify, "Simplify to this fraction of the triangles")
        ->check(CLI::Range(1e-6, 1.0));
    verb->add_flag("--sdf", args->sdf, "Build the signed distance field");
    verb->add_option("--resolution", args->resolution, "Cells of the field along its longest side, a multiple of 8")
        ->check([](const std::string& text) {
            int        cells = 0;
            const auto read  = std::from_chars(text.data(), text.data() + text.size(), cells);
            const bool fits  = read.ec == std::errc{} && cells > 0 && cells % 8 == 0;
            return fits ? std::string() : fmt::format("'{}' is not a positive multiple of 8", text);
        });
    verb->add_option("--voxel", args->voxel, "Edge of a cell, in units of the stage; overrides --resolution")
        ->check(CLI::PositiveNumber);
    verb->add_option("--max-vertices", args->max_vertices, "Maximum number of vertices of a hull")
        ->check(CLI::Range(4, 100000));
    verb->add_option("--max-hulls", args->max_hulls, "Maximum number of convex parts")->check(CLI::Range(1, 100000));
    verb->add_option("--time-limit", args->time_limit, "Time limit of a decomposition [s]")
        ->transform(in_seconds)
        ->check(CLI::PositiveNumber);
    is_output_file(
        verb->add_option("-o,--output", args->output,
                         "The report, .gz compresses (stdout by default); or the meshes, in metres: .obj .stl .ply "
                         ".usda .usdc .usd"));
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, verb, &context] { context.exit = run_mesh(*args, *verb, context); });
}

}  // namespace mechane::cli

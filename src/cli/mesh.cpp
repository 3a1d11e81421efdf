// `mechane mesh`: faults of the meshes of a stage, and the forms in which they would collide.
// Inputs: a stage and what to compute (hull, decomposition, simplification, distance field). Outputs: counts of faults
// by kind, volumes and areas in units of the stage, sizes of the results.
// Meshes are taken with scale and shear of the stage but without their rotation, since boxes of fields lie along their
// axes.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output_options.h"
#include "cli/outputs.h"
#include "mechane/core/nearest.h"
#include "mechane/geometry/kept.h"
#include "mechane/geometry/mass.h"
#include "mechane/geometry/mesh_report.h"
#include "mechane/geometry/preparation.h"
#include "mechane/resolve/mesh_source.h"
#include "mechane/resolve/resolvers.h"
#include "mechane/resolve/shape_values.h"
#include "mechane/tasks/parallel.h"

namespace mechane::cli {
namespace {

using Json = nlohmann::json;

struct MeshArgs {
    std::string              file, output;
    std::vector<std::string> prims;
    bool                     watertight = false, hull = false, decompose = false, sdf = false;
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
Json prepare(const geometry::Mesh& mesh, const MeshArgs& args, geometry::Preparation method, geometry::BlobCache* cache,
             const std::string& path, const Context& context)
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
    for (Diagnostic d : found.items()) {
        d.site.prim = path;
        context.io.report(d);
    }
    if (!prepared) return {{"error", prepared.error().message}};
    double      volume    = 0;
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
    if (!context.global.reproducible) out["seconds"] = seconds_since(start), out["cached"] = prepared->cached;
    return out;
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
    if (args.resolution != 0) options.target_voxel_size.reset();
    if (args.resolution != 0) options.max_resolution = args.resolution;
    if (args.voxel > 0) options.target_voxel_size = args.voxel;
    const tasks::Pool pool(context.global.threads);
    const auto        start = std::chrono::steady_clock::now();
    const auto        sdf   = geometry::cached_sdf(mesh, options, cache, &pool);
    if (!sdf) return {{"error", sdf.error().message}};
    Json out{{"voxel", sdf->voxel()},
             {"cells", {8 * sdf->blocks()[0], 8 * sdf->blocks()[1], 8 * sdf->blocks()[2]}},
             {"bricks", sdf->brick_count()},
             {"bytes", sdf->memory()}};
    if (!context.global.reproducible) out["seconds"] = seconds_since(start);
    return out;
}

std::string line_of(const Json& row)
{
    const Json& r = row["report"];
    std::string text =
        fmt::format("{}\n  {} points, {} triangles, {} components, {}{}, volume {:.6g}, area {:.6g}\n",
                    row["prim"].get<std::string>(), r["points"].get<std::size_t>(), r["triangles"].get<std::size_t>(),
                    r["components"].get<std::size_t>(), r["watertight"].get<bool>() ? "watertight, " : "",
                    r["orientation"].get<std::string>(), r["volume"].get<double>(), r["area"].get<double>());
    for (const char* fault :
         {"boundary_edges", "non_manifold_edges", "winding_edges", "degenerate_triangles", "self_intersections"})
        if (r[fault].get<std::int64_t>() > 0) text += fmt::format("  {} {}\n", r[fault].get<std::int64_t>(), fault);
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

int run_mesh(const MeshArgs& args, Context& context)
{
    const auto options = scene_options(context);
    if (!options) return kExitUsage;
    const auto stage = open_stage(args.file, options->open, context);
    if (!stage) return context.io.fail(stage.error());
    const auto                 shared = geometry::shared_cache();
    geometry::BlobCache* const cache  = shared.get();

    Json                     rows   = Json::array();
    bool                     faulty = false, failed = false;
    std::vector<std::string> meshes;
    const usd::Path          root(options->import.root_path);
    for (const usd::Prim& prim : (*stage)->traverse()) {
        const std::string path = prim.path().text();
        if (prim.type_name().text() != "Mesh" || !prim.path().has_prefix(root)) continue;
        meshes.push_back(path);
        if (!args.prims.empty() && std::find(args.prims.begin(), args.prims.end(), path) == args.prims.end()) continue;
        Diagnostics          found;
        const geometry::Mesh mesh = as_placed(resolve::read_mesh(prim, false, found), (*stage)->world_matrix(prim));
        context.io.report(found);
        // The inspection walks edges by index, so a mesh with wrong indices is reported as an empty one.
        const bool sound = geometry::has_valid_indices(mesh) && geometry::is_finite(mesh);
        Json row{{"prim", path}, {"report", report_json(geometry::inspect_mesh(sound ? mesh : geometry::Mesh{}))}};
        faulty = faulty || !row["report"]["watertight"].get<bool>();
        if (args.hull) row["hull"] = prepare(mesh, args, geometry::Preparation::hull, cache, path, context);
        if (args.decompose)
            row["decomposition"] = prepare(mesh, args, geometry::Preparation::decomposition, cache, path, context);
        if (args.simplify > 0)
            row["simplification"] = prepare(mesh, args, geometry::Preparation::simplification, cache, path, context);
        if (args.sdf) row["sdf"] = field(prim, mesh, args, cache, context);
        for (const char* made : {"hull", "decomposition", "simplification", "sdf"})
            failed = failed || (row.contains(made) && row[made].contains("error"));
        rows.push_back(std::move(row));
    }
    for (const std::string& wanted : args.prims)
        if (std::find(meshes.begin(), meshes.end(), wanted) == meshes.end()) {
            const std::string near = did_you_mean(wanted, meshes);
            context.io.say_error(fmt::format("--prim: there is no mesh '{}'\n{}", wanted,
                                             near.empty() ? "" : fmt::format("  {}\n", near)));
            return kExitUsage;
        }
    std::string text;
    if (context.global.json)
        text = Json{{"schema", "mechane.mesh/1"}, {"file", args.file}, {"meshes", rows}}.dump(1) + "\n";
    else
        for (const Json& row : rows) text += line_of(row);
    const ExitCode written = write_text(args.output, text, context.io);
    if (written != kExitClean) return written;
    const ExitCode looked_at = exit_after((*stage)->diagnostics(), context);
    return looked_at == kExitClean && (failed || (args.watertight && faulty)) ? kExitFindings : looked_at;
}

}  // namespace

void add_mesh(CLI::App& app, Context& context)
{
    auto      args = std::make_shared<MeshArgs>();
    CLI::App* verb =
        app.add_subcommand("mesh", "Inspect the meshes of a stage: faults, and the form in which they collide");
    verb->add_option("file", args->file, "Stage")->required();
    verb->add_option("--prim", args->prims, "Only the mesh at this path; may repeat");
    verb->add_flag("--watertight", args->watertight, "Exit with status 1 if a mesh is not watertight");
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
    verb->add_option("--time-limit", args->time_limit, "Time limit of a decomposition [s]")->check(CLI::PositiveNumber);
    is_output_file(verb->add_option("-o,--output", args->output, "Output file, .gz compresses; stdout by default"));
    add_import_options(*verb, context);
    add_global_options(*verb, context);
    verb->callback([args, &context] { context.exit = run_mesh(*args, context); });
}

}  // namespace mechane::cli

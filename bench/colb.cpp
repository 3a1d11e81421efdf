#include <sys/resource.h>

#include <cstring>

#include "colb_scenes.h"
#include "mechane/collision/pipeline.h"
#include "mechane/collision/scene_queries.h"
#include "mechane/collision/soft_contacts.h"
#include "mechane/geometry/sdf.h"
#include "mechane/tasks/parallel.h"

/// The scenes COLB-01 to COLB-14 of the collision specification, without a window, with fixed seeds, as CSV:
///     scene,variant,threads,shapes,pairs,contacts,ms,peak_mib[,broad_ms,order_ms]
/// `ms` is the least wall time of a call: of one collide, of one build of a field (07), of all rays (12), of one search
/// for soft contacts (13), of one finalize (14). What a scene has no use for is 0. The peak is that of the process so
/// far.
///
///     bench_colb [--threads N] [--quick] [NAME...]      NAME as 01 or 08; --quick leaves out what takes minutes
namespace {

using namespace bench;
using collision::BroadPhaseMode;

struct Settings {
    int  threads = 1;
    bool quick   = false;
};

void row(const char* scene, const std::string& variant, const Settings& s, std::size_t shapes, std::int64_t pairs,
         std::int64_t contacts, double seconds, const collision::CollideStatus* status = nullptr)
{
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    std::printf("COLB-%s,%s,%d,%zu,%lld,%lld,%.4f,%.0f", scene, variant.c_str(), s.threads, shapes,
                static_cast<long long>(pairs), static_cast<long long>(contacts), 1e3 * seconds,
                static_cast<double>(use.ru_maxrss) / 1024);
    if (status) std::printf(",%.4f,%.4f", 1e3 * status->broad_phase_s, 1e3 * status->sort_s);
    std::printf("\n");
    std::fflush(stdout);
}
/// Calls until a fifth of a second has passed, at least three times.
template <class Call>
double least_wall(Call&& call)
{
    const auto now = [] {
        timespec t{};
        clock_gettime(CLOCK_MONOTONIC, &t);
        return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    };
    double       best  = 1e30;
    const double begin = now();
    for (int i = 0; i < 3 || (now() - begin < 0.2 && i < 1000); ++i) {
        const double start = now();
        call();
        best = std::min(best, now() - start);
    }
    return best;
}

void collide(const char* scene, const std::string& variant, const Settings& s, const model::ModelBuilder& builder,
             BroadPhaseMode mode = BroadPhaseMode::automatic)
{
    Diagnostics out;
    const auto  model = builder.finalize({}, out);
    if (!model) return;
    const tasks::Pool            pool(s.threads);
    collision::CollisionPipeline pipeline(*model, {.pool = s.threads > 1 ? &pool : nullptr, .broad_phase = mode});
    const auto                   state    = model::make_state(*model);
    auto                         contacts = pipeline.make_contacts();
    auto                         status   = pipeline.collide(state, 1.0 / 60, contacts);
    const double                 time     = least_wall([&] { status = pipeline.collide(state, 1.0 / 60, contacts); });
    row(scene, variant, s, model->shape_count(), status.candidate_pairs, status.contacts, time, &status);
}

void sdf_builds(const Settings& s)
{
    const tasks::Pool pool(s.threads);
    for (int divisions = 5; divisions <= (s.quick ? 5 : 7); ++divisions) {
        const geometry::Mesh ball = icosphere(divisions);
        for (const int resolution : {32, 64, 128, 256}) {
            if (s.quick && resolution > 64) continue;
            std::size_t  memory = 0;
            const double time   = least_wall([&] {
                const auto field =
                    geometry::build_sdf(ball, {.max_resolution = resolution}, s.threads > 1 ? &pool : nullptr);
                memory = field ? field->memory() : 0;
            });
            row("07", std::to_string(ball.triangles.size()) + " triangles at " + std::to_string(resolution), s, 1, 0,
                static_cast<std::int64_t>(memory), time);
        }
    }
}

void rays(const Settings& s, const char* variant, const model::ModelBuilder& builder, const Vec3d& from,
          const Vec3d& to)
{
    Diagnostics out;
    const auto  model = builder.finalize({}, out);
    if (!model) return;
    const tasks::Pool       pool(s.threads);
    collision::SceneQueries queries(*model);
    queries.update(model::make_state(*model));
    Random                         r(12);
    std::vector<Vec3d>             origins, directions;
    std::vector<collision::RayHit> hits(s.quick ? 100'000 : 1'000'000);
    for (std::size_t i = 0; i < hits.size(); ++i) {
        origins.push_back({r.uniform(from.x, to.x), r.uniform(from.y, to.y), r.uniform(from.z, to.z)});
        directions.push_back(r.direction());
    }
    const double time =
        least_wall([&] { queries.cast_rays(origins, directions, {}, hits, {}, s.threads > 1 ? &pool : nullptr); });
    const auto met = std::count_if(hits.begin(), hits.end(), [](const collision::RayHit& h) { return h.shape >= 0; });
    row("12", std::string(variant) + " " + std::to_string(hits.size()) + " rays", s, model->shape_count(), 0, met,
        time);
}

/// A sheet of particles that lies over 50 shapes.
void cloth(const Settings& s)
{
    model::ModelBuilder b;
    Random              r(13);
    const MeshPointer   hull = irregular_hull(r, 32, 0.3);
    for (int i = 0; i < 50; ++i)
        add_convex(b, b.add_body({{0.4 * (i % 10), 0.4 * (i / 10), 0}, r.rotation()}, "shape"), i % 7, 0.3, hull);
    Diagnostics out;
    const auto  model = b.finalize({}, out);
    if (!model) return;
    const auto        state = model::make_state(*model);
    std::vector<Vec3> points;
    std::vector<Real> radii(100'000, Real(0.005));
    for (int i = 0; i < 100'000; ++i) {
        const double x = -0.2 + 4.0 * (i % 400) / 400, y = -0.2 + 2.0 * (i / 400) / 250,
                     z = 0.1 + 0.03 * std::sin(9 * x) * std::cos(7 * y);
        points.push_back({static_cast<Real>(x), static_cast<Real>(y), static_cast<Real>(z)});
    }
    model::ModelBuilder                      sheet;
    std::vector<std::array<std::int32_t, 3>> triangles;
    for (std::int32_t i = 0; i + 400 < 100'000; ++i)
        if (i % 400 < 399) triangles.push_back({i, i + 1, i + 401}), triangles.push_back({i, i + 401, i + 400});
    sheet.add_particle_surface(triangles);
    const tasks::Pool            pool(s.threads);
    collision::SoftContactFinder finder(*model, &pool);
    for (const bool full_surface : {false, true}) {
        collision::ParticleSpans spans{.position = points, .radius = radii};
        if (full_surface) spans.edges = sheet.edge_indices, spans.triangles = sheet.tri_indices;
        model::SoftContacts found;
        const double        time = least_wall([&] { finder.find(state, spans, 0.01, found); });
        row("13", full_surface ? "full surface" : "particles", s, model->shape_count(), 0, found.soft_contact_count,
            time);
    }
}

void finalize(const Settings& s)
{
    const auto   builder = filtered(10'000, 200, 50'000);
    std::size_t  shapes  = 0;
    const double time    = least_wall([&] {
        Diagnostics out;
        const auto  model = builder.finalize({}, out);
        shapes            = model ? model->shape_count() : 0;
    });
    row("14", "finalize", s, shapes, 0, 0, time);
    collide("14", "collide", s, builder);
}

struct Scene {
    const char* name;
    void (*run)(const Settings&);
};
constexpr Scene kScenes[] = {
    {"01",
     [](const Settings& s) {
         collide("01", "mixed", s, mixed_convex(191));
         collide("01", "hulls x 56", s, hull_pairs(56, false));
         collide("01", "hulls duplicate x 192", s, hull_pairs(192, true));
     }},
    {"02",
     [](const Settings& s) {
         collide("02", "walls base 20 x 4", s, pyramids(20, 4));
         collide("02", "square 15 levels", s, square_pyramid(15));
     }},
    {"03",
     [](const Settings& s) {
         collide("03", "200 on 100 x 100", s, heightfield_rain(200, 100));
         if (!s.quick) collide("03", "2000 on 1024 x 1024", s, heightfield_rain(2000, 1024));
     }},
    {"04", [](const Settings& s) { collide("04", "20000 triangles", s, over_terrain(100, 21, false)); }},
    {"05",
     [](const Settings& s) {
         if (!s.quick) collide("05", "1000000 triangles", s, over_terrain(707, 66, true));
     }},
    {"06",
     [](const Settings& s) {
         const int resolution = s.quick ? 64 : 256;
         collide("06", "sdf", s, nut_and_bolt(s.quick ? 4 : 100, false, resolution));
         collide("06", "hydroelastic", s, nut_and_bolt(s.quick ? 2 : 20, true, resolution));
     }},
    {"07", sdf_builds},
    {"08",
     [](const Settings& s) {
         for (const int n : {1000, 10'000, 100'000}) {
             if (s.quick && n > 10'000) continue;
             const auto gas = sphere_gas(n);
             const auto of  = [&](const char* mode) { return std::string(mode) + " " + std::to_string(n); };
             if (n <= 10'000) collide("08", of("nxn"), s, gas, BroadPhaseMode::all_pairs);
             collide("08", of("sap"), s, gas, BroadPhaseMode::sweep);
             collide("08", of("tree"), s, gas, BroadPhaseMode::tree);
         }
     }},
    {"09",
     [](const Settings& s) {
         for (const int n : {64, 1024, 16'384}) {
             if (s.quick && n > 1024) continue;
             const auto all = walkers(n);
             const auto of  = [&](const char* mode) { return std::string(mode) + " " + std::to_string(n); };
             collide("09", of("explicit"), s, all, BroadPhaseMode::explicit_pairs);
             collide("09", of("nxn"), s, all, BroadPhaseMode::all_pairs);
             collide("09", of("sap"), s, all, BroadPhaseMode::sweep);
         }
     }},
    {"10", [](const Settings& s) { collide("10", "5000 hulls", s, hull_pile(5000)); }},
    {"11", [](const Settings& s) { collide("11", "hand", s, hand()); }},
    {"12",
     [](const Settings& s) {
         if (!s.quick) rays(s, "1000000 triangles", over_terrain(707, 66, true), {1, 1, 0.3}, {69, 69, 1});
         rays(s, "10000 balls", sphere_gas(10'000), {0, 0, 0}, {8, 8, 8});
     }},
    {"13", cloth},
    {"14", finalize},
};

}  // namespace

int main(int argc, char** argv)
{
    Settings                 settings;
    std::vector<std::string> names;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--quick") == 0)
            settings.quick = true;
        else if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            settings.threads = std::max(1, std::atoi(argv[++i]));
        else
            names.emplace_back(argv[i]);
    }
    std::printf("scene,variant,threads,shapes,pairs,contacts,ms,peak_mib,broad_ms,order_ms\n");
    for (const Scene& scene : kScenes)
        if (names.empty() || std::find(names.begin(), names.end(), scene.name) != names.end()) scene.run(settings);
}

// What may take how long, by processor time and by the clock: for a machine that does nothing else. Tests count instead.
// Prints what was measured; exits with 1 where a limit is passed. Build and run: make limits
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "colb_scenes.h"
#include "mechane/collision/pipeline.h"
#include "mechane/model/builder.h"
#include "mechane/run/builtin_scenes.h"
#include "mechane/simulation/simulate.h"
#include "mechane/solvers/solver.h"
#include "mechane/tasks/parallel.h"

using namespace mechane;

namespace {

int g_passed_over = 0;

void judge(const char* what, double measured, const char* relation, double limit, bool good)
{
    std::printf("%-72s %10.4g %s %-8.4g %s\n", what, measured, relation, limit, good ? "" : "TOO SLOW");
    g_passed_over += good ? 0 : 1;
}
void at_most(const char* what, double measured, double limit)
{ judge(what, measured, "<=", limit, measured <= limit); }
void at_least(const char* what, double measured, double limit)
{ judge(what, measured, ">=", limit, measured >= limit); }

double seconds(clockid_t clock)
{
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// The least of some runs [s].
template <class Work>
double least(int runs, clockid_t clock, Work&& work)
{
    double best = 1e300;
    for (int i = 0; i < runs; ++i) {
        const double start = seconds(clock);
        work();
        best = std::min(best, seconds(clock) - start);
    }
    return best;
}

model::Model frozen(const model::ModelBuilder& builder)
{
    Diagnostics found;
    auto        model = builder.finalize({}, found);
    if (!model) std::abort();
    return *std::move(model);
}

/// COL-162: up to eight threads share a scene.
void shared_scenes()
{
    const int threads = std::min(8, tasks::available_threads());
    if (threads == 1) return void(std::printf("one processor: threads are not judged\n"));
    struct {
        const char*         name;
        model::ModelBuilder builder;
    } rows[] = {{"COLB-01", bench::mixed_convex(191)},
                {"COLB-04", bench::over_terrain(100, 21, false)},
                {"COLB-09", bench::walkers(1024)},
                {"COLB-10", bench::hull_pile(5000)}};
    const tasks::Pool pool(threads);
    for (const auto& row : rows) {
        const model::Model           m     = frozen(row.builder);
        const auto                   state = model::make_state(m);
        collision::CollisionPipeline alone(m), together(m, {.pool = &pool});
        auto                         contacts = alone.make_contacts();
        const auto                   time     = [&](collision::CollisionPipeline& pipeline) {
            return least(15, CLOCK_MONOTONIC, [&] { pipeline.collide(state, 1.0 / 60, contacts); });
        };
        const double one = time(alone), all = time(together);
        at_least((std::string(row.name) + ": share of the threads' time that is used").c_str(), one / (all * threads),
                 0.8);
    }
}

/// COL-163: order and matching of a hundred thousand contacts.
void ordered_contacts()
{
    model::ModelBuilder b;
    b.rigid_gap = 0.005;
    for (int i = 0; i < 25'000; ++i)
        b.add_shape_box(b.add_body({{0.5 * (i % 160), 0.5 * (i / 160), 0.1}, {}}, "box"), {}, {0.1, 0.1, 0.1},
                        b.default_shape);
    b.add_ground_plane();
    const model::Model           m = frozen(b);
    collision::CollisionPipeline pipeline(m, {.contact_matching = collision::ContactMatching::latest});
    auto                         contacts = pipeline.make_contacts();
    const auto                   state    = model::make_state(m);
    double                       share    = 1;
    for (int i = 0; i < 12; ++i) {
        const auto status = pipeline.collide(state, 0, contacts);
        if (i > 0)
            share = std::min(share, (status.sort_s + status.match_s) / (status.broad_phase_s + status.narrow_phase_s));
    }
    at_most("100,000 contacts: order and matching against finding them", share, 0.1);
}

/// COL-160: by the cost model a shape takes 29 ns in the broad phase, a pair 3 ns there and 0.9 us in the narrow phase, a
/// row 12 ns to sort.
void bounded_pairs()
{
    model::ModelBuilder b;
    for (int i = 0; i < 1000; ++i)
        b.add_shape_box(b.add_body({{0, 0, 0}, {}}, "b" + std::to_string(i)), {}, {0.5, 0.5, 0.5}, b.default_shape);
    const model::Model           m = frozen(b);
    collision::CollisionPipeline pipeline(m, {.rigid_contact_max = 1000, .shape_pairs_max = 20'000});
    auto                         rows  = pipeline.make_contacts();
    const auto                   state = model::make_state(m);
    const double                 model_time = 1000 * 29e-9 + 20'000 * (3e-9 + 0.9e-6) + 4 * 20'000 * 12e-9;
    at_most("1000 boxes at one point, room for 20,000 pairs [s]",
            least(5, CLOCK_THREAD_CPUTIME_ID, [&] { pipeline.collide(state, 0, rows); }), 4 * model_time);
}

/// DYN-100: pairs that share no lanes took fourteen times as long.
void heaps()
{
    const auto step_of = [](int count) {
        model::ModelBuilder b;
        b.gravity = {};
        for (int i = 0; i < count; ++i)
            b.add_shape_box(b.add_body({{0, 0, 1}, {}}, "b" + std::to_string(i)), {}, {0.1, 0.1, 0.1}, b.default_shape);
        const model::Model           m = frozen(b);
        Diagnostics                  found;
        collision::CollisionPipeline pipeline(m);
        auto                         contacts = pipeline.make_contacts();
        return least(2, CLOCK_PROCESS_CPUTIME_ID, [&, control = model::make_control(m)] {
            auto state  = model::make_state(m);
            auto solver = *solvers::make_solver("softstep", m, {}, found);
            pipeline.collide(state, 1.0 / 60, contacts);
            (void)solver->step(state, state, control, &contacts, 1.0 / 60);
        });
    };
    at_most("400 cubes at one point against 200, four times the pairs", step_of(400) / step_of(200), 8);
}

/// DYN-154.
void chains()
{
    const auto run_of = [](const char* name) {
        const model::Model m = frozen(*run::builtin_scene(name));
        return least(7, CLOCK_PROCESS_CPUTIME_ID, [&] {
            Diagnostics found;
            if (!run::simulate(m, {.dt = 0.002, .frames = 40, .every = 40, .substeps = 1, .threads = 1}, found))
                std::abort();
        });
    };
    at_most("a chain of 100 links against one of 10", run_of("chain:100") / run_of("chain:10"), 14);
}

}  // namespace

int main()
{
    shared_scenes();
    ordered_contacts();
    bounded_pairs();
    heaps();
    chains();
    return g_passed_over > 0;
}

// What Simulation costs beside the loose objects that it is made of: broad and narrow phase, contact cache and solver
// stepped by hand. The two take turns, on one thread; times are processor times.
//
//     bench_step_face [--rounds N] [SCENE ...]                     medians of N rounds (default 9), CSV
//     bench_step_face --only face|loose --steps N [SCENE]          one of the two alone, to count instructions:
//                                                                  valgrind --tool=callgrind, perf stat -e
//                                                                  instructions:u
//     bench_step_face --count [SCENE ...]                          instructions a step by the processor's own counter
//
// SCENE is a built-in scene (mechane bench --help): ant, humanoid, pyramid:8.
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mechane/collision/pipeline.h"
#include "mechane/collision/rest_overlaps.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/model/builder.h"
#include "mechane/model/model.h"
#include "mechane/run/builtin_scenes.h"
#include "mechane/simulation.h"
#include "mechane/simulation/model_parts.h"
#include "mechane/tasks/parallel.h"

using namespace mechane;

namespace {

constexpr double kDt = 1.0 / 200;

/// The loop that a program would write with the building blocks.
class Loose {
  public:
    explicit Loose(std::shared_ptr<const Model> model)
        : model_(std::move(model)),
          pool_(1),
          pipeline_(model_->arrays(), {.pool = &pool_}),
          contacts_(pipeline_.make_contacts()),
          state_(model::make_state(model_->arrays())),
          control_(model::make_control(model_->arrays()))
    {
        Diagnostics notes;
        solver_ = solvers::make_solver("softstep", model_->arrays(), {.pool = &pool_}, notes).expect();
        dynamics::project_to_joints(model_->arrays(), state_, true);
        pipeline_.collide(state_, 0, contacts_);
        rest_.emplace(model_->arrays(), contacts_);
    }
    void step()
    {
        pipeline_.collide(state_, kDt, contacts_, &cache_);
        rest_->apply(model_->arrays(), state_, contacts_);
        (void)solver_->step(state_, state_, control_, &contacts_, kDt);
        state_.time = kDt * static_cast<double>(++steps_);
    }
    [[nodiscard]] const model::State& state() const { return state_; }

  private:
    std::shared_ptr<const Model>           model_;
    tasks::Pool                            pool_;
    collision::CollisionPipeline           pipeline_;
    collision::PairCache                   cache_;
    model::Contacts                        contacts_;
    model::State                           state_;
    model::Control                         control_;
    std::unique_ptr<Solver>                solver_;
    std::optional<collision::RestOverlaps> rest_;
    std::int64_t                           steps_ = 0;
};

double processor_time()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Instructions of this thread in user mode, where the kernel lets one count them.
class Counter {
  public:
    Counter()
    {
        perf_event_attr what{};
        what.type           = PERF_TYPE_HARDWARE;
        what.size           = sizeof what;
        what.config         = PERF_COUNT_HW_INSTRUCTIONS;
        what.exclude_kernel = 1;
        what.exclude_hv     = 1;
        file_               = static_cast<int>(syscall(SYS_perf_event_open, &what, 0, -1, -1, 0));
    }
    ~Counter()
    {
        if (file_ >= 0) close(file_);
    }
    Counter(const Counter&)                        = delete;
    Counter&             operator=(const Counter&) = delete;
    [[nodiscard]] bool   works() const { return file_ >= 0; }
    [[nodiscard]] double now() const
    {
        std::uint64_t count = 0;
        return read(file_, &count, sizeof count) == sizeof count ? static_cast<double>(count) : 0;
    }

  private:
    int file_ = -1;
};

std::shared_ptr<const Model> scene_of(const std::string& name)
{
    const auto  builder = run::builtin_scene(name).expect();
    Diagnostics notes;
    return Model::make({.arrays = builder.finalize({}, notes).expect()});
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Rounds of both, in turns, each from the start; what a round costs is what `clock` says.
template <class Clock>
void compare(const std::string& name, int rounds, double scale, const char* unit, Clock&& clock)
{
    const auto          model = scene_of(name);
    const int           steps = model->body_count() > 100 ? 150 : 1500;
    std::vector<double> loose_costs, face_costs;
    bool                equal = true;
    for (int round = 0; round < rounds; ++round) {
        Loose      loose(model);
        Simulation face(model, {.dt = kDt, .threads = 1});
        const auto measured = [&](auto& one) {
            const double begin = clock();
            for (int i = 0; i < steps; ++i) (void)one.step();
            return scale * (clock() - begin) / steps;
        };
        // Whoever comes second finds the caches warm: they take turns at that too.
        if (round % 2 == 0)
            loose_costs.push_back(measured(loose)), face_costs.push_back(measured(face));
        else
            face_costs.push_back(measured(face)), loose_costs.push_back(measured(loose));
        const auto &a = loose.state().body_q, &b = face.state().arrays().body_q;
        equal = equal && std::equal(a.begin(), a.end(), b.begin(), b.end(),
                                    [](const Pose& x, const Pose& y) { return x.p == y.p && x.q == y.q; });
    }
    const double loose = median(loose_costs), face = median(face_costs);
    fmt::print("{},{},{:.3f},{:.3f},{:.4f},{}\n", name, unit, loose, face, face / loose, equal ? "equal" : "DIFFERENT");
}

}  // namespace

int main(int argc, char** argv)
{
    int                      rounds = 9, steps = 0;
    bool                     count = false;
    std::string              only;
    std::vector<std::string> scenes;
    for (int i = 1; i < argc; ++i) {
        const std::string word  = argv[i];
        const char*       value = i + 1 < argc ? argv[i + 1] : "";
        if (word == "--rounds")
            rounds = std::atoi(value), ++i;
        else if (word == "--steps")
            steps = std::atoi(value), ++i;
        else if (word == "--only")
            only = value, ++i;
        else if (word == "--count")
            count = true;
        else
            scenes.push_back(word);
    }
    if (scenes.empty()) scenes = {"ant", "humanoid", "pyramid:8"};
    if (!only.empty()) {
        const auto model = scene_of(scenes.front());
        Loose      loose(model);
        Simulation face(model, {.dt = kDt, .threads = 1});
        for (int i = 0; i < steps; ++i) only == "face" ? (void)face.step() : loose.step();
        return 0;
    }
    fmt::print("scene,unit,loose,face,ratio,states\n");
    const Counter counter;
    if (count && !counter.works()) {
        fmt::print(stderr, "the kernel lets nobody count instructions here: use valgrind\n");
        return 1;
    }
    for (const std::string& name : scenes) {
        if (count)
            compare(name, 3, 1, "instructions/step", [&] { return counter.now(); });
        else
            compare(name, rounds, 1e6, "us/step", processor_time);
    }
    return 0;
}

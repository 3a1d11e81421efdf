// What the solver mujoco costs over MuJoCo's own mj_step, on built-in scenes.
// usage: bench_step_mujoco [SCENE:DT:STEPS ...]
// Both step the same mjModel from the same state in turns of 50 steps, on one thread. Prints CSV: microseconds of
// processor time a step of either, the median of the turns, and the ratio. The ratio may be 1.10 at most.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "mechane/dynamics/kinematics.h"
#include "mechane/run/builtin_scenes.h"
#include "mechane/solvers/mujoco.h"

using namespace mechane;

namespace {

constexpr int kTurn = 50;

double median(std::vector<double> values)
{
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

template <class Step>
double microseconds(Step&& step)
{
    // Of the thread alone, so that others on the machine count little.
    const auto now = [] {
        timespec t{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
    };
    const double start = now();
    for (int k = 0; k < kTurn; ++k) step();
    return (now() - start) / kTurn;
}

bool measure(const std::string& name, double dt, int steps)
{
    const auto scene = run::builtin_scene(name);
    if (!scene) return false;
    Diagnostics found;
    const auto  model = scene->finalize({}, found);
    if (!model) return false;
    model::State         state   = model::make_state(*model);
    const model::Control control = model::make_control(*model);
    dynamics::project_to_joints(*model, state);
    const auto made = solvers::make_solver("mujoco", *model, {.substeps = 1}, found);
    if (!made) {
        std::fprintf(stderr, "%s\n", made.error().message.c_str());
        return false;
    }
    solvers::Solver&       solver = **made;
    solvers::MujocoSolver& inside = dynamic_cast<solvers::MujocoSolver&>(solver);
    std::vector<double>    bare, ours;
    for (int k = 0; k < steps; k += kTurn) {
        // The same stretch of the same motion, by one and then by the other.
        const auto memory = solver.save();
        bare.push_back(microseconds([&] { inside.bare_step(0); }));
        if (!solver.restore(memory)) return false;
        ours.push_back(microseconds([&] { static_cast<void>(solver.step(state, state, control, nullptr, dt)); }));
    }
    const double a = median(bare), b = median(ours);
    std::printf("%s,%g,%d,%.3f,%.3f,%.3f\n", name.c_str(), dt, steps, a, b, b / a);
    return true;
}

}  // namespace

int main(int argc, char** argv)
{
    std::vector<std::string> rows(argv + 1, argv + argc);
    if (rows.empty()) rows = {"humanoid:0.005:2000", "ant:0.01:2000", "humanoid_100:0.005:100", "chain_100:0.002:500"};
    std::printf("scene,dt_s,steps,mj_step_us,solver_us,ratio\n");
    for (const std::string& row : rows) {
        const auto a = row.rfind(':'), b = row.rfind(':', a - 1);
        if (a == std::string::npos || b == std::string::npos ||
            !measure(row.substr(0, b), std::atof(row.c_str() + b + 1), std::atoi(row.c_str() + a + 1))) {
            std::fprintf(stderr, "usage: bench_step_mujoco [SCENE:DT:STEPS ...]; cannot run '%s'\n", row.c_str());
            return 2;
        }
    }
    return 0;
}

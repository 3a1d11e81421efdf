// A robot under a controller of one's own: a stage is loaded, a joint is driven beside the stage's animation, the run is
// recorded, published and computed once more. Shows load, Simulation::on_step, record, touching and replay.
//
//     sample_cpp_controller samples/quadruped/quadruped.usda [run.mrec]
#include <mechane/mechane.h>

#include <cstdio>

using namespace mechane;

int main(int argc, char** argv)
{
    const std::string file = argc > 1 ? argv[1] : "samples/quadruped/quadruped.usda";
    const std::string run  = argc > 2 ? argv[2] : "run.mrec";

    Diagnostics notes;
    auto        model = load(file, {.ground = true}, notes).expect();
    for (const Diagnostic& n : notes) std::fprintf(stderr, "%s\n", to_text(n).c_str());

    Simulation  sim(model, {.dt = 1e-3, .threads = 0});
    const DofId knee = model->find_dof("/quadruped/front_left/knee_joint").expect();
    sim.on_step([&](const State& s, Control& u) {
        u.force(knee) = 60 * (Real(-0.5) - s.position(knee)) - 2 * s.velocity(knee);
    });
    sim.record(run, {.source = file}).expect();
    sim.run_for(0.5).expect();
    sim.finish_recording().expect();

    for (const Contact& c : sim.touching())
        std::printf("%s on %s: %.1f N\n", model->label(c.body0).c_str(), model->label(c.body1).c_str(),
                    double(length(c.force)));
    const Replay again = replay(run, *model).expect();
    std::printf("replayed %d steps: %s\n", int(again.steps), again.equal ? "equal" : "different");
    return again.equal && !sim.touching().empty() ? 0 : 1;
}

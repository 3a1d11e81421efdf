// Many worlds without a file: a scene is built, copied into a hundred worlds over one terrain, and each world starts
// again by itself. Shows ModelBuilder, Replicas, Simulation::reset, Queries and Dynamics.
#include <mechane/simulation.h>

#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

using namespace mechane;

int main()
{
    const std::vector<Real> heights(std::size_t{21} * 21, Real(0));

    ModelBuilder one, all;
    const BodyId box = one.add_body({.position = {0, 0, 1}, .label = "box"});
    one.add_box(box, {.half = {0.2, 0.2, 0.2}});
    all.add_heightfield({.rows = 21, .columns = 21, .half_x = 4, .half_y = 4, .elevations = heights});
    const Replicas robots = all.replicate(one, 100);

    Simulation sim(all.finalize().expect(), {.dt = 0.005});
    int        again = 0;
    for (int i = 0; i < 100; ++i) {
        sim.step().expect();
        for (const WorldId w : sim.worlds())
            if (sim.pose(robots.body(w, box)).position.z < Real(0.3)) {
                sim.reset(w);
                ++again;
            }
    }
    const auto hit = sim.queries().ray(WorldId{3}, {0, 0, 5}, {0, 0, -1});
    Dynamics   dynamics(sim.model());
    const auto jacobian = dynamics.at(sim.state()).jacobian(robots.body(WorldId{3}, box), {0, 0, 0.1}).expect();

    std::printf("%d worlds, %d of them began again\n", int(sim.worlds().size()), again);
    std::printf("in world 3 a ray from 5 m meets '%s' after %.3f m\n", sim.model()->label(hit->body).c_str(),
                hit->distance);
    std::printf("its Jacobian has %d rows and %d columns\n", int(jacobian.rows), int(jacobian.columns));
    // A box that falls from 1 m passes 0.3 m after sqrt(2 * 0.7 / g) = 0.38 s, so each world began again once.
    const bool good = again == 100 && hit && sim.model()->label(hit->body) == "box" && jacobian.columns == 6;
    return good ? 0 : 1;
}

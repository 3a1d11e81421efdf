#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "mechane/physics/parse.h"
#include "mechane/usd/stage.h"

/// Time that the physics parse takes on a stage that is open, in milliseconds, the least and the median of some runs.
///
/// usage: bench_physics_parse FILE [RUNS] [THREADS]
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start)
{ return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count(); }

}  // namespace

int main(int argc, char** argv)
{
    using namespace mechane;
    if (argc < 2) {
        std::fputs("usage: bench_physics_parse FILE [RUNS] [THREADS]\n", stderr);
        return 2;
    }
    const int  runs  = argc > 2 ? std::max(1, std::atoi(argv[2])) : 7;
    auto       start = std::chrono::steady_clock::now();
    const auto stage = usd::Stage::open(argv[1]);
    if (!stage) {
        std::fprintf(stderr, "%s\n", stage.error().message.c_str());
        return 1;
    }
    const double          opened = milliseconds_since(start);
    physics::ParseOptions options;
    options.threads = argc > 3 ? std::atoi(argv[3]) : 0;
    std::vector<double> times;
    std::size_t         bodies = 0, colliders = 0;
    for (int i = 0; i < runs; ++i) {
        Diagnostics found;
        start                             = std::chrono::steady_clock::now();
        const physics::PhysicsModel model = physics::parse(**stage, options, found);
        times.push_back(milliseconds_since(start));
        bodies    = model.bodies.size();
        colliders = model.colliders.size();
    }
    std::sort(times.begin(), times.end());
    std::puts("file,bodies,colliders,open_ms,least_ms,median_ms");
    std::printf("%s,%zu,%zu,%.1f,%.1f,%.1f\n", argv[1], bodies, colliders, opened, times.front(),
                times[times.size() / 2]);
    return 0;
}

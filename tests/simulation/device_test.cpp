// Simulations on a device, by its kernels on the host: the executor `host`.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "mechane/device/device_solver.h"
#include "mechane/recording.h"
#include "simulation/scenes.h"

using namespace face_tests;

namespace {

/// Copies of a ball of 0.1 m that falls from 0.5 m on a plane, each in a world of its own.
std::shared_ptr<const Model> balls(int worlds, BodyId* first = nullptr, WorldId* world = nullptr)
{
    ModelBuilder one;
    const BodyId ball = one.add_body({.position = {0, 0, 0.5}, .label = "ball"});
    one.add_sphere(ball, {.radius = 0.1});
    ModelBuilder many;
    many.add_ground();
    const Replicas copies = many.replicate(one, worlds);
    if (first != nullptr) *first = copies.body(copies.world(0), ball);
    if (world != nullptr) *world = copies.world(0);
    return many.finalize().expect();
}

}  // namespace

TEST_CASE("a simulation on a device falls as on the CPU, lands and rests with the weight in its contacts")
{
    BodyId     ball;
    const auto model = balls(3, &ball);
    Simulation cpu(model, {.dt = 0.005}), device(model, {.dt = 0.005, .device = "host"});
    for (int i = 0; i < 40; ++i) {
        cpu.step().expect();
        device.step().expect();
    }
    // In the air: z = 0.5 - g t^2 / 2 at 0.2 s, up to one substep.
    CHECK(device.position(ball).z == doctest::Approx(0.5 - 0.5 * 9.81 * 0.04).epsilon(2e-3));
    CHECK(device.position(ball).z == doctest::Approx(cpu.position(ball).z).epsilon(1e-5));
    device.run_for(2).expect();
    CHECK(device.position(ball).z == doctest::Approx(0.1).epsilon(2e-2));
    CHECK(device.time() == doctest::Approx(2.2));
    double up = 0;
    for (const Contact& c : device.touching()) up += std::abs(static_cast<double>(c.force.z));
    const double mass = 4.0 / 3 * kPi * 0.001 * 1000;
    CHECK(up == doctest::Approx(3 * mass * 9.81).epsilon(0.02));
}

TEST_CASE("a simulation on a device repeats its bits for any number of threads, and a replay steps where it did")
{
    const auto        model = balls(5);
    const std::string file  = (std::filesystem::temp_directory_path() / "mechane_device.mrec").string();
    std::uint64_t     hash  = 0;
    for (const int threads : {1, 3}) {
        Simulation sim(model, {.dt = 0.01, .threads = threads, .device = "host"});
        if (threads == 1) sim.record(file).expect();
        for (int i = 0; i < 60; ++i) sim.step().expect();
        if (threads == 1) sim.finish_recording().expect();
        if (threads == 3) CHECK(sim.hash() == hash);
        hash = sim.hash();
    }
    const auto verified = replay(file, *model);
    REQUIRE(verified.has_value());
    CHECK(verified.value().equal);
    std::filesystem::remove(file);
}

TEST_CASE("worlds of a device are reset and written to, and the others go on")
{
    BodyId     ball;
    WorldId    world;
    const auto model = balls(2, &ball, &world);
    Simulation sim(model, {.dt = 0.01, .device = "host"});
    sim.run_for(0.2).expect();
    const double low = sim.position(ball).z;
    sim.reset(world);
    CHECK(sim.position(ball).z == doctest::Approx(0.5));
    sim.step().expect();
    CHECK(sim.position(ball).z > low);
    sim.set_pose(ball, {{0, 0, 3}, {}});
    sim.step().expect();
    CHECK(sim.position(ball).z == doctest::Approx(3).epsilon(1e-2));
}

TEST_CASE("what a device cannot do is refused with what it is")
{
    const auto model = balls(1);
    const auto id    = [&](const SimulationOptions& options) {
        return Simulation::make(model, options).has_value() ? "" : Simulation::make(model, options).error().id;
    };
    CHECK(id({.device = "moon"}) == "DEV_NAME");
    CHECK(id({.solver = "xpbd", .device = "host"}) == "DEV_NOT_SUPPORTED");
    CHECK(id({.sleeping = true, .device = "host"}) == "DEV_NOT_SUPPORTED");
    CHECK(id({.solver = "softstep@cuda:0", .device = "host"}) == "DEV_OPTION");
    device::set_driver_library("/nowhere/libcuda.so.1");
    CHECK(id({.device = "cuda"}) == "DEV_UNAVAILABLE");
    CHECK(Simulation::make(model, {.device = "cuda:1"}).error().message.find("/nowhere/libcuda.so.1") !=
          std::string::npos);
    device::set_driver_library("");
    CHECK(id({.device = "cpu"}).empty());
}

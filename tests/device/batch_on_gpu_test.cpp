#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>

#include "mechane/device/device_batch.h"
#include "mechane/device/driver.h"
#include "robots.h"
#include "solvers/world.h"

using namespace mechane;
using namespace test;
using device::Array;
using device::BatchOptions;
using device::DeviceBatch;

namespace {

/// Whether there are a device and kernels for it; without MECHANE_TEST_CUDA a test is skipped where they are missing.
bool at_hand()
{
    const bool required = std::getenv("MECHANE_TEST_CUDA") != nullptr;
    const auto driver   = device::driver_info();
    const bool there    = driver && driver->devices > 0 && device::find_kernels(driver->version).has_value();
    if (!there && !required) MESSAGE("skipped: no CUDA device, or no kernels");
    if (required) REQUIRE(there);
    return there;
}

DeviceBatch made(const model::Model& m, const BatchOptions& options)
{
    auto batch = DeviceBatch::make(m, options);
    REQUIRE_MESSAGE(batch.has_value(), (batch.has_value() ? "" : to_text(batch.error())));
    return *std::move(batch);
}

}  // namespace

TEST_CASE("robots on a GPU stay with the host for 200 steps, with the same bits each time")
{
    if (!at_hand()) return;
    for (const auto& robot : {ant(), humanoid(), dog()}) {
        model::ModelBuilder all;
        REQUIRE(all.replicate(robot, 40));
        const model::Model m = finalized(all);
        BatchOptions       options{.dt = 0.005, .substeps = 2};
        DeviceBatch        host = made(m, options);
        options.executor        = device::Executor::cuda(0);
        DeviceBatch        first = made(m, options), second = made(m, options);
        std::vector<float> x(m.joint_coord_count()), y = x, z = x;
        for (int i = 0; i < 200; i += 20) {
            for (DeviceBatch* batch : {&host, &first, &second}) REQUIRE(batch->step(20));
            REQUIRE(host.read(Array::joint_q, std::span(x)));
            REQUIRE(first.read(Array::joint_q, std::span(y)));
            REQUIRE(second.read(Array::joint_q, std::span(z)));
            CHECK(std::memcmp(y.data(), z.data(), sizeof(float) * y.size()) == 0);
            // As the host's kernels beside softstep.
            for (std::size_t k = 0; k < x.size(); ++k) CHECK(std::abs(x[k] - y[k]) < 5e-3F);
        }
        CHECK(first.faults()->empty());
    }
}

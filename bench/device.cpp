// Steps of many alike worlds on a device, or by the same kernels on the host.
//
//   bench_device [--cuda N | --host] [--robot ant|humanoid|dog]... [--worlds N]... [--steps N] [--substeps N] [--dt S]
//                [--lanes 8|16|32] [--contacts N] [--near N] [--double] [--kernels FILE] [--threads N] [--check STEPS]
//
// Prints one line of CSV a robot and number of worlds: the median of five runs. Actions are new target positions (or
// forces, where there are no drives) in every world before each run. --check steps the host and the device side by side
// instead and prints by how much coordinates differ, and whether a second run on the device has the same bits.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "device/robots.h"
#include "mechane/device/device_batch.h"
#include "mechane/math/random.h"
#include "mechane/tasks/parallel.h"

using namespace mechane;
using device::Array;
using device::BatchOptions;
using device::DeviceBatch;

namespace {

struct Settings {
    std::vector<std::string>  robots;
    std::vector<std::int32_t> worlds;
    BatchOptions              batch;
    int                       steps = 200, check = 0, threads = 1;
};

template <class T>
T must(Result<T> result)
{
    if (result) return *std::move(result);
    fmt::print(stderr, "{}\n", to_text(result.error()));
    std::exit(1);
}
void must(const Result<void>& result)
{
    if (result) return;
    fmt::print(stderr, "{}\n", to_text(result.error()));
    std::exit(1);
}

model::Model model_of(const std::string& robot, std::int32_t worlds)
{
    const model::ModelBuilder one = robot == "ant" ? test::ant() : robot == "humanoid" ? test::humanoid() : test::dog();
    model::ModelBuilder       all;
    must(all.replicate(one, worlds));
    Diagnostics out;
    return must(all.finalize({}, out));
}

/// Forces on the joints, others in each world: nothing of two worlds is alike for long.
std::vector<float> actions(const model::Model& m, std::uint64_t seed)
{
    Random             r(seed);
    std::vector<float> f(m.joint_dof_count(), 0);
    for (std::size_t j = 0; j < m.joint_count(); ++j)
        if (m.joint_type[j] != model::JointType::free)
            for (std::int32_t k = m.joint_qd_start[j]; k < m.joint_qd_start[j + 1]; ++k)
                f[static_cast<std::size_t>(k)] = static_cast<float>(r.uniform(-5, 5));
    return f;
}

void measure(const Settings& s, const std::string& robot, std::int32_t worlds)
{
    const model::Model  m     = model_of(robot, worlds);
    DeviceBatch         batch = must(DeviceBatch::make(m, s.batch));
    std::vector<double> rates;
    for (int run = 0; run < 6; ++run) {  // the first one warms up
        must(batch.write(Array::joint_f, actions(m, static_cast<std::uint64_t>(run + 1))));
        must(batch.synchronize());
        const auto start = std::chrono::steady_clock::now();
        must(batch.step(s.steps));
        must(batch.synchronize());
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (run > 0) rates.push_back(static_cast<double>(worlds) * s.steps / seconds);
    }
    std::sort(rates.begin(), rates.end());
    std::vector<std::int32_t> counts(static_cast<std::size_t>(worlds));
    must(batch.read(Array::contact_count, std::span(counts)));
    double contacts = 0;
    for (const std::int32_t n : counts) contacts += n;
    int        bits[3] = {};
    const auto faults  = must(batch.faults());
    for (const auto& fault : faults)
        for (int b = 0; b < 3; ++b) bits[b] += (fault.bits >> b) & 1;
    fmt::print("{},{},{},{},{:.6g},{:.4g},{:.4g},{:.4g},{:.2f},{},{},{},{},\"{}\"\n", robot, worlds, s.batch.substeps,
               s.batch.dt, rates[2], rates[0], rates[4], 1e6 * worlds / rates[2], contacts / worlds, bits[0], bits[1],
               bits[2], batch.bytes_per_world(), batch.where());
    std::fflush(stdout);
}

void check(const Settings& s, const std::string& robot, std::int32_t worlds)
{
    const model::Model m = model_of(robot, worlds);
    const tasks::Pool  pool(s.threads);
    BatchOptions       host = s.batch, exact = s.batch;
    host.executor = exact.executor = device::Executor::host();
    host.pool = exact.pool     = &pool;
    exact.precision            = device::Precision::double_precision;
    DeviceBatch              a = must(DeviceBatch::make(m, host)), b = must(DeviceBatch::make(m, s.batch)),
                             c = must(DeviceBatch::make(m, s.batch)), d = must(DeviceBatch::make(m, exact));
    const std::vector<float> f = actions(m, 7);
    for (DeviceBatch* batch : {&a, &b, &c, &d}) must(batch->write(Array::joint_f, f));
    std::vector<float>        x(m.joint_coord_count()), y = x, z = x, t = x;
    std::vector<std::int32_t> n(static_cast<std::size_t>(worlds)), k = n;
    double                    off = 0, off_exact = 0, middle = 0;
    int                       counts = 0;
    bool                      same   = true;
    for (int i = 0; i < s.check; ++i) {
        for (DeviceBatch* batch : {&a, &b, &c, &d}) must(batch->step(1));
        must(a.read(Array::joint_q, std::span(x))), must(b.read(Array::joint_q, std::span(y)));
        must(c.read(Array::joint_q, std::span(z))), must(d.read(Array::joint_q, std::span(t)));
        must(a.read(Array::contact_count, std::span(n))), must(b.read(Array::contact_count, std::span(k)));
        same = same && std::memcmp(y.data(), z.data(), 4 * y.size()) == 0;
        std::vector<double> worst(static_cast<std::size_t>(worlds), 0);
        const std::size_t   each = x.size() / worst.size();
        for (std::size_t j = 0; j < x.size(); ++j) {
            off             = std::max(off, std::abs(static_cast<double>(x[j]) - y[j]));
            off_exact       = std::max(off_exact, std::abs(static_cast<double>(t[j]) - y[j]));
            worst[j / each] = std::max(worst[j / each], std::abs(static_cast<double>(x[j]) - y[j]));
        }
        std::sort(worst.begin(), worst.end());
        middle = std::max(middle, worst[worst.size() / 2]);
        for (std::size_t w = 0; w < n.size(); ++w) counts += n[w] != k[w] ? 1 : 0;
    }
    fmt::print(
        "{}: {} worlds, {} steps: device from host {:.3g} at most, {:.3g} in the median world; device from host in "
        "double {:.3g}; world-steps with other counts of contacts {} of {}; second run {}\n",
        robot, worlds, s.check, off, middle, off_exact, counts, static_cast<std::int64_t>(worlds) * s.check,
        same ? "same bits" : "OTHER BITS");
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv)
{
    Settings s;
    s.batch.dt = 0.005, s.batch.substeps = 1;
    for (int i = 1; i < argc; ++i) {
        const std::string flag = argv[i];
        const auto        next = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
        if (flag == "--cuda")
            s.batch.executor = device::Executor::cuda(std::stoi(next()));
        else if (flag == "--host")
            s.batch.executor = device::Executor::host();
        else if (flag == "--robot")
            s.robots.push_back(next());
        else if (flag == "--worlds")
            s.worlds.push_back(std::stoi(next()));
        else if (flag == "--steps")
            s.steps = std::stoi(next());
        else if (flag == "--substeps")
            s.batch.substeps = std::stoi(next());
        else if (flag == "--dt")
            s.batch.dt = std::stod(next());
        else if (flag == "--lanes")
            s.batch.lanes = std::stoi(next());
        else if (flag == "--contacts")
            s.batch.contacts_per_world = std::stoi(next());
        else if (flag == "--near")
            s.batch.near_contacts = std::stoi(next());
        else if (flag == "--double")
            s.batch.precision = device::Precision::double_precision;
        else if (flag == "--kernels")
            s.batch.kernels = next();
        else if (flag == "--threads")
            s.threads = std::stoi(next());
        else if (flag == "--check")
            s.check = std::stoi(next());
        else {
            fmt::print(stderr, "unknown option {}\n", flag);
            return 2;
        }
    }
    if (s.robots.empty()) s.robots = {"ant", "humanoid", "dog"};
    if (s.worlds.empty()) s.worlds = {4096};
    const tasks::Pool pool(s.threads);
    s.batch.pool = &pool;
    if (s.check == 0)
        fmt::print(
            "robot,worlds,substeps,dt,world_steps_per_s,least,most,us_per_step,contacts,diverged,contacts_full,slowed,"
            "bytes_per_world,where\n");
    for (const std::string& robot : s.robots)
        for (const std::int32_t worlds : s.worlds) s.check > 0 ? check(s, robot, worlds) : measure(s, robot, worlds);
    return 0;
}

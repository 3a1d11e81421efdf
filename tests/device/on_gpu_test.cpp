#include <cstdlib>
#include <fstream>
#include <iterator>

#include "mechane/device/driver.h"
#include "support/support.h"

// What the stand-in for the driver cannot show: that a real driver takes what the compilers make. Skipped where there
// is no device, but for `make test-cuda`, which sets MECHANE_TEST_CUDA and fails then.

namespace mechane::device {
namespace {

bool device_here()
{
    if (const auto info = driver_info(); info && info.value().devices > 0) return true;
    REQUIRE_MESSAGE(std::getenv("MECHANE_TEST_CUDA") == nullptr, to_text(driver_info().error()));
    MESSAGE("skipped: no CUDA device");
    return false;
}

template <class T>
T take(Result<T> result)
{
    REQUIRE_MESSAGE(result.has_value(), (result ? "" : to_text(result.error())));
    return *std::move(result);
}
void take(const Result<void>& result) { REQUIRE_MESSAGE(result.has_value(), (result ? "" : to_text(result.error()))); }

}  // namespace

TEST_CASE("compiled kernels run on a GPU, alone and in a graph, with the numbers of the host")
{
    if (!device_here()) return;
    const char* const file = std::getenv("MECHANE_SMOKE_KERNELS");
    if (file == nullptr) {
        MESSAGE("skipped: MECHANE_SMOKE_KERNELS names no file");
        return;
    }
    std::ifstream     in(file, std::ios::binary);
    const std::string image{std::istreambuf_iterator<char>(in), {}};
    const Context     context = take(Context::open(0));
    MESSAGE(context.info().name << ", CUDA " << context.driver_version() / 1000 << "."
                                << context.driver_version() % 1000 / 10);
    const Module module = take(Module::load(context, std::as_bytes(std::span(image.c_str(), image.size() + 1)), file));
    const Kernel kernel = take(module.kernel("add_scaled"));
    const Stream stream = take(Stream::make(context));

    constexpr int      kCount = 100003;
    std::vector<float> x(kCount), y(kCount), back(kCount);
    Random             random(7);
    for (int k = 0; k < kCount; ++k) {
        x[static_cast<std::size_t>(k)] = static_cast<float>(random.uniform(-1, 1));
        y[static_cast<std::size_t>(k)] = static_cast<float>(random.uniform(-1, 1));
    }
    const std::size_t bytes = kCount * sizeof(float);
    const Buffer      dx = take(Buffer::make(context, bytes)), dy = take(Buffer::make(context, bytes));
    take(upload(stream, dx, 0, std::as_bytes(std::span(x))));
    take(upload(stream, dy, 0, std::as_bytes(std::span(y))));
    const LaunchShape shape{.blocks = (kCount + 255) / 256, .threads = 256};
    const auto        once = [&] {
        return launch(stream, kernel, shape, dx.as<float>(), dx.as<float>(), dy.as<float>(), 0.5F, kCount);
    };
    take(once());
    const Graph graph = take(Graph::capture(stream, once));
    const Event a = take(Event::make(context)), b = take(Event::make(context));
    take(a.record(stream));
    take(graph.launch(stream));
    take(b.record(stream));
    take(download(stream, std::as_writable_bytes(std::span(back)), dx, 0));
    take(stream.synchronize());
    CHECK(take(a.seconds_to(b)) > 0);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < back.size(); ++k)
        wrong += back[k] != (x[k] + 0.5F * y[k]) + 0.5F * y[k] ? 1U : 0U;  // halving is exact
    CHECK(wrong == 0);
    CHECK(take(kernel.resources()).registers > 0);
}

TEST_CASE("what is wrong with an image or a launch on a GPU is told, not crashed on")
{
    if (!device_here()) return;
    const Context         context = take(Context::open(0));
    const Context::Memory memory  = take(context.memory());
    const auto            more    = Buffer::make(context, 2 * memory.total);
    REQUIRE_FALSE(more.has_value());
    CHECK(more.error().id == "DEV_MEMORY");
    const std::string newer = ".version 99.9\n.target sm_90\n.address_size 64\n.visible .entry none() { ret; }\n";
    const auto old = Module::load(context, std::as_bytes(std::span(newer.c_str(), newer.size() + 1)), "newer.ptx");
    REQUIRE_FALSE(old.has_value());
    CHECK(old.error().id == "DEV_DRIVER");
    const std::string bad =
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry none() { nonsense; }          \n";
    CHECK(Module::load(context, std::as_bytes(std::span(bad.c_str(), bad.size() + 1)), "bad.ptx").error().id ==
          "DEV_KERNELS");
    CHECK(device_info(1000).error().id == "DEV_UNAVAILABLE");
}

}  // namespace mechane::device

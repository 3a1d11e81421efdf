#include "mechane/device/driver.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "mechane/device/codes.h"
#include "support/support.h"

namespace mechane::device {
namespace {

// Expected values are those that the fake library answers (fake_cuda.cpp), or follow from what it was given.

constexpr int kOutOfMemory = 2, kIllegalAddress = 700, kLaunchOutOfResources = 701;

/// The stand-in for libcuda.so.1, as the test's own view of it.
class Fake {
  public:
    explicit Fake(const char* path = MECHANE_FAKE_CUDA)
    {
        set_driver_library(path);
        library_ = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        REQUIRE(library_ != nullptr);
    }
    ~Fake()
    {
        set("devices", 1);
        set("version", 13000);
        set("memory", 64LL << 20);
        set("mend", 0);
        set_driver_library("");
    }
    Fake(const Fake&)            = delete;
    Fake& operator=(const Fake&) = delete;

    void set(const char* what, long long value) { at<void(const char*, long long)>("fake_cuda_set")(what, value); }
    void fail(const char* call, int answer, int after = 0)
    { at<void(const char*, int, int)>("fake_cuda_fail")(call, answer, after); }
    int calls(const char* call) { return at<int(const char*)>("fake_cuda_calls")(call); }
    enum { bytes, objects, contexts, current };
    long long alive(int which) { return at<long long(int)>("fake_cuda_alive")(which); }

  private:
    template <class F>
    F* at(const char* name)
    { return reinterpret_cast<F*>(dlsym(library_, name)); }
    void* library_ = nullptr;
};

constexpr const char* kPtx =
    ".version 12.0\n.target fake\n.entry add_scaled ()\n.entry other ()\n// more than a header has, so that it is an "
    "image\n";

std::span<const std::byte> with_end(const char* text)
{ return std::as_bytes(std::span(text, std::string_view(text).size() + 1)); }

template <class T>
T take(Result<T> result)
{
    REQUIRE_MESSAGE(result.has_value(), (result ? "" : to_text(result.error())));
    return *std::move(result);
}
void take(const Result<void>& result) { REQUIRE_MESSAGE(result.has_value(), (result ? "" : to_text(result.error()))); }

template <class T>
Buffer filled(const Context& context, const Stream& stream, const std::vector<T>& values)
{
    Buffer buffer = take(Buffer::make(context, values.size() * sizeof(T)));
    take(upload(stream, buffer, 0, std::as_bytes(std::span(values))));
    return buffer;
}
std::vector<float> content(const Stream& stream, const Buffer& buffer)
{
    std::vector<float> values(buffer.size() / sizeof(float));
    take(download(stream, std::as_writable_bytes(std::span(values)), buffer, 0));
    take(stream.synchronize());
    return values;
}

}  // namespace

TEST_CASE("without the driver's library a device is refused with what is missing")
{
    set_driver_library("/nowhere/libcuda.so.1");
    const auto info = driver_info();
    REQUIRE_FALSE(info.has_value());
    CHECK(info.error().id == "DEV_UNAVAILABLE");
    CHECK(info.error().message.find("/nowhere/libcuda.so.1") != std::string::npos);
    CHECK(info.error().hint.find("driver") != std::string::npos);
    CHECK(Context::open(0).error().id == "DEV_UNAVAILABLE");
    set_driver_library("libm.so.6");
    CHECK(driver_info().error().message == "no CUDA device: 'libm.so.6' is not the library of NVIDIA's driver");
    set_driver_library("");
}

TEST_CASE("a driver that sees no device, or not that one, says how many there are")
{
    Fake fake;
    CHECK(take(driver_info()).devices == 1);
    CHECK(take(driver_info()).version == 13000);
    CHECK(device_info(1).error().message == "no device cuda:1: the driver sees 1, the last is cuda:0");
    CHECK(device_info(-1).error().id == "DEV_UNAVAILABLE");
    const DeviceInfo info = take(device_info(0));
    CHECK(info.name == "Fake GPU");
    CHECK(info.major == 9);
    CHECK(info.minor == 0);
    CHECK(info.multiprocessors == 132);
    CHECK(info.memory == std::size_t{64} << 20U);

    const Context gone = take(Context::open(0));
    fake.fail("cuDevicePrimaryCtxRetain", 46);  // CUDA_ERROR_DEVICE_UNAVAILABLE: exclusive mode
    CHECK(Context::open(0).error().id == "DEV_UNAVAILABLE");
    fake.fail("cuDevicePrimaryCtxRetain", kOutOfMemory);
    CHECK(Context::open(0).error().id == "DEV_MEMORY");
}

TEST_CASE("a driver without a device says so, and one that lacks functions is too old")
{
    setenv("MECHANE_FAKE_CUDA_NO_DEVICE", "1", 1);
    set_driver_library(MECHANE_FAKE_CUDA_OLD);
    const auto none = driver_info();
    unsetenv("MECHANE_FAKE_CUDA_NO_DEVICE");
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().id == "DEV_UNAVAILABLE");
    CHECK(none.error().message.find("is installed and sees none") != std::string::npos);
    set_driver_library(MECHANE_FAKE_CUDA_OLD);  // what failed is tried anew
    const auto old = driver_info();
    REQUIRE_FALSE(old.has_value());
    CHECK(old.error().id == "DEV_DRIVER");
    CHECK(old.error().message.find("speaks CUDA 13.0 and has no cuGraphInstantiateWithFlags") != std::string::npos);
    set_driver_library("");
}

TEST_CASE("what is made of a device is freed, and no context stays current")
{
    Fake fake;
    {
        const Context context = take(Context::open(0));
        Buffer        a       = take(Buffer::make(context, 1000));
        const Buffer  empty   = take(Buffer::make(context, 0));
        CHECK(empty.address() == 0);
        Buffer     b    = std::move(a);
        HostBuffer host = take(HostBuffer::make(context, 64));
        CHECK(host.bytes().size() == 64);
        a = take(Buffer::make(context, 24));
        CHECK(fake.alive(Fake::bytes) == 1024);
        a = std::move(b);
        CHECK(a.size() == 1000);
        CHECK(fake.alive(Fake::bytes) == 1000);
        const Stream stream = take(Stream::make(context));
        const Event  event  = take(Event::make(context));
        const Module module = take(Module::load(context, with_end(kPtx), "test.ptx"));
        take(stream.wait(event));
        CHECK(fake.alive(Fake::current) == 0);
        const Graph graph = take(Graph::capture(stream, [] { return Result<void>{}; }));
        CHECK(graph.nodes() == 0);
    }
    CHECK(fake.alive(Fake::bytes) == 0);
    CHECK(fake.alive(Fake::objects) == 0);
    CHECK(fake.alive(Fake::contexts) == 0);
    CHECK(fake.alive(Fake::current) == 0);
}

TEST_CASE("a buffer outlives the context it was made with")
{
    Fake   fake;
    Buffer buffer;
    {
        const Context context = take(Context::open(0));
        buffer                = take(Buffer::make(context, 8));
    }
    CHECK(fake.alive(Fake::contexts) == 1);
    buffer = Buffer();
    CHECK(fake.alive(Fake::contexts) == 0);
    CHECK(fake.alive(Fake::bytes) == 0);
}

TEST_CASE("more memory than there is, is refused with what was asked for and what is free")
{
    Fake          fake;
    const Context context = take(Context::open(0));
    const Buffer  most    = take(Buffer::make(context, 60U << 20U));
    CHECK(take(context.memory()).free == 4U << 20U);
    const auto more = Buffer::make(context, 5U << 20U);
    REQUIRE_FALSE(more.has_value());
    CHECK(more.error().id == "DEV_MEMORY");
    CHECK(more.error().message ==
          "5 MiB were asked for: Fake GPU: cuMemAlloc_v2 answered CUDA_ERROR_OUT_OF_MEMORY (2: out of memory); 4 MiB "
          "of 64 MiB are free");
    CHECK(Buffer::make(context, 4U << 20U).has_value());
}

TEST_CASE("bytes come back from the device as they were given, and no copy leaves a buffer")
{
    Fake          fake;
    const Context context = take(Context::open(0));
    const Stream  stream  = take(Stream::make(context));
    const Buffer  buffer  = filled<float>(context, stream, {1, 2, 3, 4});
    CHECK(content(stream, buffer) == std::vector<float>{1, 2, 3, 4});
    take(fill_words(stream, buffer, 1, 2, 0x40A00000U));  // 5.0f
    CHECK(content(stream, buffer) == std::vector<float>{1, 5, 5, 4});
    take(copy(stream, buffer.address() + 12, buffer.address() + 4, 4));
    CHECK(content(stream, buffer) == std::vector<float>{1, 5, 5, 5});
    take(fill_bytes(stream, buffer, 0));
    CHECK(content(stream, buffer) == std::vector<float>{0, 0, 0, 0});
    std::array<std::byte, 8> eight{};
    CHECK(upload(stream, buffer, 12, eight).error().id == "DEV_FAILURE");
    CHECK(upload(stream, buffer, ~std::size_t{0} - 3, eight).error().id == "DEV_FAILURE");
    CHECK(download(stream, eight, buffer, 9).error().id == "DEV_FAILURE");
    CHECK(fill_words(stream, buffer, 2, 3, 0).error().id == "DEV_FAILURE");
}

TEST_CASE("a kernel gets the values of its parameters, and its failure is told by what waits for it")
{
    Fake          fake;
    const Context context = take(Context::open(0));
    const Stream  stream  = take(Stream::make(context));
    const Module  module  = take(Module::load(context, with_end(kPtx), "test.ptx"));
    const Kernel  kernel  = take(module.kernel("add_scaled"));
    CHECK(take(kernel.resources()).registers == 40);
    const Buffer x = filled<float>(context, stream, {1, 2, 3}), y = filled<float>(context, stream, {10, 20, 30});
    const Buffer out = take(Buffer::make(context, 12));
    take(launch(stream, kernel, {.blocks = 1, .threads = 32}, out.address(), x.address(), y.address(), 0.5F, 3));
    CHECK(content(stream, out) == std::vector<float>{6, 12, 18});

    const auto none = module.kernel("not_there");
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().id == "DEV_KERNELS");
    CHECK(none.error().message == "'test.ptx' has no kernel not_there: it is of another version");
    CHECK(take(module.variable("table")).size == 16);
    CHECK(module.variable("chair").error().id == "DEV_KERNELS");

    CHECK(kernel.allow_shared(1U << 20U).error().id == "DEV_FAILURE");
    const auto too_much = launch(stream, kernel, {.blocks = 1, .threads = 32, .shared_bytes = 60000}, out.address(),
                                 x.address(), y.address(), 0.5F, 3);
    REQUIRE_FALSE(too_much.has_value());
    CHECK(too_much.error().message.find("kernel add_scaled, 1 blocks of 32 threads, 60000 bytes of shared memory") !=
          std::string::npos);
    take(kernel.allow_shared(60000));
    take(launch(stream, kernel, {.blocks = 1, .threads = 32, .shared_bytes = 60000}, out.address(), x.address(),
                y.address(), 0.5F, 3));
    fake.fail("cuLaunchKernel", kLaunchOutOfResources);
    CHECK(
        launch(stream, kernel, {}, out.address(), x.address(), y.address(), 0.5F, 3).error().message.find("(701: )") !=
        std::string::npos);

    // One element too many is beyond the buffers: the launch itself succeeds.
    take(launch(stream, kernel, {.blocks = 1, .threads = 32}, out.address(), x.address(), y.address(), 0.5F, 4));
    const auto failed = stream.synchronize();
    REQUIRE_FALSE(failed.has_value());
    CHECK(failed.error().id == "DEV_FAILURE");
    CHECK(failed.error().message ==
          "Fake GPU: cuStreamSynchronize answered CUDA_ERROR_ILLEGAL_ADDRESS (700: an illegal memory access was "
          "encountered)");
    CHECK(Buffer::make(context, 4).error().id == "DEV_FAILURE");
}

TEST_CASE("a graph does again what its capture took down, and nothing before it is launched")
{
    Fake          fake;
    const Context context = take(Context::open(0));
    const Stream  stream  = take(Stream::make(context));
    const Module  module  = take(Module::load(context, with_end(kPtx), "test.ptx"));
    const Kernel  kernel  = take(module.kernel("add_scaled"));
    const Buffer  x = filled<float>(context, stream, {1, 0}), y = filled<float>(context, stream, {1, 2});
    const Graph   graph = take(Graph::capture(stream, [&]() -> Result<void> {
        for (int k = 0; k < 3; ++k)
            if (Result<void> put = launch(stream, kernel, {.blocks = 1, .threads = 32}, x.address(), x.address(),
                                          y.address(), 1.0F, 2);
                !put)
                return put;
        return {};
    }));
    CHECK(graph.nodes() == 3);
    CHECK(content(stream, x) == std::vector<float>{1, 0});
    take(graph.launch(stream));
    take(graph.launch(stream));
    CHECK(content(stream, x) == std::vector<float>{7, 12});

    // A wait has no place in a capture: it fails, the stream goes on as before.
    const auto bad = Graph::capture(stream, [&] { return stream.synchronize(); });
    REQUIRE_FALSE(bad.has_value());
    CHECK(bad.error().id == "DEV_FAILURE");
    CHECK(content(stream, x) == std::vector<float>{7, 12});
    fake.fail("cuGraphInstantiateWithFlags", kOutOfMemory);
    CHECK(Graph::capture(stream, [] { return Result<void>{}; }).error().id == "DEV_MEMORY");
    CHECK(content(stream, x) == std::vector<float>{7, 12});
}

TEST_CASE("times between events are those of the work between them, in seconds")
{
    Fake          fake;
    const Context context = take(Context::open(0));
    const Stream  stream  = take(Stream::make(context));
    const Event   a = take(Event::make(context)), b = take(Event::make(context)), never = take(Event::make(context));
    const Buffer  buffer = take(Buffer::make(context, 4));
    take(a.record(stream));
    take(fill_bytes(stream, buffer, 0));
    take(b.record(stream));
    take(b.synchronize());
    CHECK(take(a.seconds_to(b)) == test::close_to(1e-3, 1e-9));  // two pieces of work of 0.5 ms
    CHECK(a.seconds_to(never).error().id == "DEV_FAILURE");
}

TEST_CASE("bytes that are no image, cut short or for another device never reach the driver or say why they do not fit")
{
    Fake          fake;
    const Context context = take(Context::open(0));
    const int     before  = fake.calls("cuModuleLoadData");
    CHECK(Module::load(context, {}, "empty").error().message ==
          "'empty' has 0 bytes, which is not an image of kernels");
    const std::string text(100, 'x');
    CHECK(Module::load(context, with_end(text.c_str()), "text").error().id == "DEV_KERNELS");
    CHECK(Module::load(context, std::as_bytes(std::span(kPtx, 100)), "open")
              .error()
              .message.find("lacks the zero byte") != std::string::npos);
    std::vector<std::uint8_t>          fat(80, 0);  // magic, version 1, header of 16 bytes, 64 bytes that follow
    const std::array<std::uint8_t, 16> head{0x50, 0xED, 0x55, 0xBA, 1, 0, 16, 0, 64, 0, 0, 0, 0, 0, 0, 0};
    std::copy(head.begin(), head.end(), fat.begin());
    CHECK(Module::load(context, std::as_bytes(std::span(fat)).first(79), "cut.fatbin").error().message ==
          "'cut.fatbin' is cut short");
    fat[15] = 0xFF;  // a size near 2^64
    CHECK(Module::load(context, std::as_bytes(std::span(fat)), "cut.fatbin").error().message ==
          "'cut.fatbin' is cut short");
    std::vector<std::uint8_t>         elf(80, 0);
    const std::array<std::uint8_t, 4> magic{0x7F, 'E', 'L', 'F'};
    std::copy(magic.begin(), magic.end(), elf.begin());
    elf[40] = 64;  // section headers from byte 64 on, two of 64 bytes
    elf[58] = 64;
    elf[60] = 2;
    CHECK(Module::load(context, std::as_bytes(std::span(elf)), "cut.cubin").error().message ==
          "'cut.cubin' is cut short");
    CHECK(fake.calls("cuModuleLoadData") == before);

    const std::string other = std::string(".version 12.0\n.target sm_1\n") + text;
    CHECK(Module::load(context, with_end(other.c_str()), "other.ptx").error().id == "DEV_KERNELS");
    const std::string newer = std::string(".version 14.0\n.target fake\n") + text;
    const auto        old   = Module::load(context, with_end(newer.c_str()), "newer.ptx");
    REQUIRE_FALSE(old.has_value());
    CHECK(old.error().id == "DEV_DRIVER");
    CHECK(old.error().message.find("driver of CUDA 13.0, Fake GPU of compute capability 9.0") != std::string::npos);
}

TEST_CASE("kernels are found where MECHANE_CUDA_KERNELS says, those first that suit the driver")
{
    Fake                        fake;
    const test::TemporaryFolder folder;
    setenv("MECHANE_CUDA_KERNELS", folder.path().c_str(), 1);
    const auto none = find_kernels(13000);
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().id == "DEV_KERNELS");
    CHECK(none.error().message.find(folder.path().string()) != std::string::npos);
    const std::string old = folder.write("mechane_kernels_cu12.ptx", kPtx);
    CHECK(take(find_kernels(13000)) == std::vector<std::string>{old});
    const std::string text(100, ' ');
    const std::string now =
        folder.write("mechane_kernels.fatbin", ".version 13.0\n.target fake\n.entry add_scaled ()\n" + text);
    CHECK(take(find_kernels(13000)) == std::vector<std::string>{now, old});
    CHECK(take(find_kernels(12040)) == std::vector<std::string>{old, now});

    const Context context = take(Context::open(0));
    CHECK(take(Module::load_kernels(context)).name() == now);
    folder.write("mechane_kernels.fatbin",
                 ".version 14.0\n.target fake\n" + text);  // too new for the driver: the other one is taken
    CHECK(take(Module::load_kernels(context)).name() == old);
    folder.write("mechane_kernels_cu12.ptx", text);
    CHECK(Module::load_kernels(context).error().id == "DEV_DRIVER");
    setenv("MECHANE_CUDA_KERNELS", now.c_str(), 1);
    CHECK(take(find_kernels(12040)) == std::vector<std::string>{now});
    unsetenv("MECHANE_CUDA_KERNELS");
}

TEST_CASE("whoever works on a device shares its stream, and it goes with the last of them")
{
    Fake fake;
    {
        const auto a = take(place(0)), b = take(place(0));
        CHECK(a == b);
        CHECK(fake.alive(Fake::objects) == 1);
        CHECK(place(1).error().id == "DEV_UNAVAILABLE");
    }
    CHECK(fake.alive(Fake::objects) == 0);
    CHECK(fake.alive(Fake::contexts) == 0);
    CHECK(take(place(0))->stream.synchronize().has_value());
}

TEST_CASE("a stream of somebody else is used and not destroyed")
{
    Fake          fake;
    const Context context = take(Context::open(0));
    const Stream  own     = take(Stream::make(context));
    const auto    before  = fake.alive(Fake::objects);
    {
        const Stream borrowed = Stream::borrow(context, own.handle());
        take(borrowed.synchronize());
        const Stream legacy = Stream::borrow(context, 1);
        take(fill_bytes(legacy, take(Buffer::make(context, 4)), 0));
    }
    CHECK(fake.alive(Fake::objects) == before);
}

}  // namespace mechane::device

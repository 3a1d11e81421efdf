#include "mechane/device/memory.h"

#include <array>

#include "mechane/device/device_solver.h"
#include "support/support.h"

namespace mechane::device {

TEST_CASE("devices have three kinds of names, and everything else is refused")
{
    CHECK_FALSE(parse_device("").value().has_value());
    CHECK_FALSE(parse_device("cpu").value().has_value());
    CHECK(to_text(*parse_device("host").value()) == "host");
    CHECK(to_text(*parse_device("cuda").value()) == "cuda:0");
    CHECK(to_text(*parse_device("cuda:12").value()) == "cuda:12");
    for (const char* wrong :
         {"cuda:", "cuda:-1", "cuda:x", "cuda:1x", "cuda:99999999999", "CUDA", "gpu", "cuda 0", " cpu"}) {
        CAPTURE(wrong);
        REQUIRE_FALSE(parse_device(wrong).has_value());
        CHECK(parse_device(wrong).error().id == "DEV_NAME");
    }
}

TEST_CASE("a solver's name carries where it steps")
{
    CHECK(with_device("softstep", "").value() == "softstep");
    CHECK(with_device("softstep", "cuda").value() == "softstep@cuda:0");
    CHECK(with_device("softstep@cuda:0", "cuda").value() == "softstep@cuda:0");
    CHECK(with_device("softstep@host", "cuda").error().id == "DEV_OPTION");
    CHECK(parse_solver("xpbd:iterations=4").value().solver == "xpbd:iterations=4");
    CHECK_FALSE(parse_solver("xpbd").value().device.has_value());
    CHECK(parse_solver("softstep@host").value().solver == "softstep");
    CHECK(to_text(*parse_solver("softstep@cuda:3").value().device) == "cuda:3");
    CHECK(parse_solver("softstep@moon").error().id == "DEV_NAME");
}

namespace {

void holds_what_is_written(const Executor& executor)
{
    const auto where = Where::of(executor).value();
    auto       a = Memory::make(where, 16).value(), b = Memory::make(where, 16).value();
    CHECK(reinterpret_cast<std::uintptr_t>(a->data()) % 256 == 0);
    std::array<std::uint32_t, 4> now{9, 9, 9, 9};
    const auto look = [&](const Memory& m) { REQUIRE(m.read(0, std::as_writable_bytes(std::span(now))).has_value()); };
    look(*a);
    CHECK(now == std::array<std::uint32_t, 4>{0, 0, 0, 0});
    const std::array<std::uint32_t, 2> two{5, 6};
    CHECK(a->write(4, std::as_bytes(std::span(two))).has_value());
    CHECK(a->fill(3, 1, 0x3F800000U).has_value());
    look(*a);
    CHECK(now == std::array<std::uint32_t, 4>{0, 5, 6, 0x3F800000U});
    CHECK(where->copy(b->data(), static_cast<std::byte*>(a->data()) + 4, 8).has_value());
    look(*b);
    CHECK(now == std::array<std::uint32_t, 4>{5, 6, 0, 0});
    CHECK(a->write(12, std::as_bytes(std::span(two))).error().id == "DEV_OPTION");
    CHECK(a->read(1, std::as_writable_bytes(std::span(now))).error().id == "DEV_OPTION");
    CHECK(a->fill(3, 2, 0).error().id == "DEV_OPTION");
    CHECK(Memory::make(where, 0).value()->data() == nullptr);
    CHECK(where->synchronize().has_value());
    CHECK(where->let_wait(0).has_value());
}

}  // namespace

TEST_CASE("memory of the host and of a device holds what is written, and no access leaves it")
{
    holds_what_is_written(Executor::host());
    set_driver_library(MECHANE_FAKE_CUDA);
    holds_what_is_written(Executor::cuda(0));
    const auto where = Where::of(Executor::cuda(0)).value();
    const auto other = Stream::make(where->place()->context).value();
    CHECK(where->let_wait(other.handle()).has_value());
    CHECK(Memory::make(where, std::size_t{1} << 40).error().id == "DEV_MEMORY");
    set_driver_library("");
}

}  // namespace mechane::device

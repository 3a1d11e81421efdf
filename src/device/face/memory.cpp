// Names of devices, and memory that lies on one. A program asks for a device by name ("cpu", "host", "cuda",
// "cuda:N"); `Where` is that place while it is used, `Memory` a block of bytes there that Python's arrays and torch
// share. On the host the same calls work on ordinary memory, so that all callers are tested without a GPU.
#include "mechane/device/memory.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <new>
#include <utility>

#include "mechane/device/codes.h"

namespace mechane::device {

namespace {

constexpr std::size_t kAlignment = 256;  // as CUDA's allocator, so that views are as aligned here as there

void free_aligned(std::byte* memory) { ::operator delete[](memory, std::align_val_t{kAlignment}); }

/// Nothing when [offset, offset + bytes) lies within `size`. The sum is not formed, since it could overflow.
Result<void> beyond(std::size_t offset, std::size_t bytes, std::size_t size)
{
    if (offset <= size && bytes <= size - offset) return {};
    return make_diagnostic(kOption, {},
                           fmt::format("{} bytes from byte {} on are beyond {} bytes of memory", bytes, offset, size));
}

}  // namespace

/// No executor means the solvers of the CPU. "host" is the device's kernels on the CPU's threads, which is another
/// thing.
Result<std::optional<Executor>> parse_device(std::string_view name)
{
    if (name.empty() || name == "cpu") return std::optional<Executor>{};
    if (name == "host") return std::optional{Executor::host()};
    if (name == "cuda") return std::optional{Executor::cuda(0)};
    constexpr std::string_view kPrefix = "cuda:";
    if (name.starts_with(kPrefix)) {
        const std::string_view digits = name.substr(kPrefix.size());
        int                    number = 0;
        const auto [end, error]       = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        // The whole rest must be a number: "cuda:1x", "cuda:" and "cuda:-1" are no names.
        if (error == std::errc() && end == digits.data() + digits.size() && number >= 0 && digits.front() != '-')
            return std::optional{Executor::cuda(number)};
    }
    return make_diagnostic(kDeviceName, {}, fmt::format("'{}' is not the name of a device", name));
}

std::string to_text(const Executor& executor)
{ return executor.kind == Executor::Kind::host ? "host" : fmt::format("cuda:{}", executor.ordinal); }

Result<std::shared_ptr<const Where>> Where::of(const Executor& executor)
{
    auto made       = std::make_shared<Where>();
    made->executor_ = executor;
    if (executor.kind == Executor::Kind::cuda) {
        Result<std::shared_ptr<Place>> there = device::place(executor.ordinal);
        if (!there) return there.error();
        made->place_ = *std::move(there);
    }
    return std::shared_ptr<const Where>(std::move(made));
}

Result<void> Where::synchronize() const { return is_cuda() ? place_->stream.synchronize() : Result<void>{}; }

Result<void> Where::let_wait(std::uintptr_t stream) const
{
    // 0 and 1 both name the legacy default stream (CU_STREAM_LEGACY is 1). Ours is in order with it already.
    if (!is_cuda() || stream <= 1) return {};
    // The event is destroyed on return while the other stream may still wait for it. The driver keeps what it needs.
    const Result<Event> event = Event::make(place_->context, false);
    if (!event) return event.error();
    if (Result<void> done = event->record(place_->stream); !done) return done;
    return Stream::borrow(place_->context, stream).wait(*event);
}

Result<void> Where::copy(void* to, const void* from, std::size_t bytes) const
{
    if (bytes == 0 || to == from) return {};
    if (is_cuda())
        return device::copy(place_->stream, reinterpret_cast<std::uintptr_t>(to),
                            reinterpret_cast<std::uintptr_t>(from), bytes);
    // Ranges may overlap, when rows of one array are assigned to others of it.
    std::memmove(to, from, bytes);
    return {};
}

Result<std::shared_ptr<Memory>> Memory::make(std::shared_ptr<const Where> where, std::size_t bytes)
{
    auto made    = std::make_shared<Memory>();
    made->where_ = std::move(where);
    made->size_  = bytes;
    // No bytes, no allocation: `data()` stays null, and reads and writes of nothing succeed.
    if (bytes == 0) return made;
    if (made->where_->is_cuda()) {
        Result<Buffer> buffer = Buffer::make(made->where_->place()->context, bytes);
        if (!buffer) return buffer.error();
        made->buffer_ = *std::move(buffer);
        made->data_   = made->buffer_.as<void>();
        // Memory begins as zeros on either side, as NumPy's zeros and Warp's arrays do.
        if (Result<void> zero = fill_bytes(made->where_->place()->stream, made->buffer_, 0); !zero) return zero.error();
        return made;
    }
    auto* const memory = static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{kAlignment}, std::nothrow));
    if (memory == nullptr)
        return make_diagnostic(kDeviceMemory, {}, fmt::format("the host has no {} MiB", bytes >> 20U));
    std::memset(memory, 0, bytes);
    made->host_ = {memory, &free_aligned};
    made->data_ = memory;
    return made;
}

Result<void> Memory::write(std::size_t offset, std::span<const std::byte> from)
{
    if (Result<void> fits = beyond(offset, from.size(), size_); !fits || from.empty()) return fits;
    if (where_->is_cuda()) return upload(where_->place()->stream, buffer_, offset, from);
    std::memmove(host_.get() + offset, from.data(), from.size());
    return {};
}

Result<void> Memory::read(std::size_t offset, std::span<std::byte> to) const
{
    if (Result<void> fits = beyond(offset, to.size(), size_); !fits || to.empty()) return fits;
    if (where_->is_cuda()) {
        // The copy is asynchronous, the caller looks at the bytes at once.
        if (Result<void> asked = download(where_->place()->stream, to, buffer_, offset); !asked) return asked;
        return where_->place()->stream.synchronize();
    }
    std::memmove(to.data(), host_.get() + offset, to.size());
    return {};
}

Result<void> Memory::fill(std::size_t first, std::size_t count, std::uint32_t word)
{
    if (Result<void> fits = beyond(4 * first, 4 * count, size_); !fits || count == 0) return fits;
    if (where_->is_cuda()) return fill_words(where_->place()->stream, buffer_, first, count, word);
    // memcpy, since the block has no type: a float32 array is filled with the bits of the number.
    for (std::size_t k = first; k < first + count; ++k) std::memcpy(host_.get() + 4 * k, &word, 4);
    return {};
}

}  // namespace mechane::device

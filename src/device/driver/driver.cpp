// NVIDIA's driver API behind owners: buffers, streams, events, modules, kernels and graphs that release what they
// hold. Each call pushes the context of its object and pops it after, since other libraries of the process (PyTorch,
// JAX) have contexts of their own current. An answer that is not "ok" becomes a diagnostic with the name of the call.
//
// Assigning to an owner moves its old content into `gone`, whose destructor releases it. Nothing here throws.
// Destructors ignore the driver's answers: at the end of a process it may be gone already.
#include "mechane/device/driver.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "device/driver/entries.h"
#include "mechane/device/codes.h"

namespace mechane::device {

namespace {

Handle         handle_of(std::uintptr_t handle) { return reinterpret_cast<Handle>(handle); }
std::uintptr_t number_of(Handle handle) { return reinterpret_cast<std::uintptr_t>(handle); }

/// Makes one call with the context current.
template <class Call, class... Args>
Result<void> call(const ContextState& context, std::string_view name, Call function, Args... args)
{
    const Current here(context);
    if (const int answer = function(args...); answer != status::ok) return failure(context, name, answer);
    return {};
}

Result<void> within(const Buffer& buffer, std::size_t offset, std::size_t bytes)
{
    if (offset <= buffer.size() && bytes <= buffer.size() - offset) return {};
    return make_diagnostic(
        kDeviceFailure, {},
        fmt::format("{} bytes from byte {} on are beyond a buffer of {}", bytes, offset, buffer.size()));
}

// Bytes of a file have no alignment: numbers are copied out.
template <class T>
T number_at(std::span<const std::byte> bytes, std::size_t at)
{
    T value{};
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

/// Why bytes are no image that the driver may see, or nothing. It learns the size of an image from the image itself, so
/// one that is cut short would have it read beyond the end.
std::string wrong_with(std::span<const std::byte> image)
{
    constexpr std::size_t kSmallest = 64;  // of an ELF header
    // An image comes from a file. Offsets below are those of the fat binary's header and of ELF64's (e_shoff,
    // e_shentsize, e_shnum).
    constexpr std::uint32_t kFat = 0xBA55ED50U, kElf = 0x464C457FU;
    if (image.size() < kSmallest) return fmt::format("has {} bytes, which is not an image of kernels", image.size());
    const auto magic = number_at<std::uint32_t>(image, 0);
    if (magic == kFat) {  // magic, version, size of the header, size of what follows
        const auto header = number_at<std::uint16_t>(image, 6);
        const auto body   = number_at<std::uint64_t>(image, 8);
        return header <= image.size() && body <= image.size() - header ? "" : "is cut short";
    }
    if (magic == kElf) {  // where the section headers begin, their size and number
        const auto begin = number_at<std::uint64_t>(image, 40);
        const auto size  = std::uint64_t{number_at<std::uint16_t>(image, 58)} * number_at<std::uint16_t>(image, 60);
        return begin <= image.size() && size <= image.size() - begin ? "" : "is cut short";
    }
    // PTX is text, and the driver looks for the zero at its end.
    if (image.back() != std::byte{0})
        return "is neither a fat binary nor a cubin, and as PTX it lacks the zero byte at its end";
    const std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
    return text.find(".version") != std::string_view::npos
               ? ""
               : "is not an image of kernels: neither a fat binary, nor a cubin, nor PTX";
}

}  // namespace

// -- Buffer

Result<Buffer> Buffer::make(const Context& context, std::size_t bytes)
{
    Buffer made;
    made.context_ = context.state();
    if (bytes == 0) return made;
    const Current here(*made.context_);
    if (const int answer = made.context_->entries->allocate(&made.address_, bytes); answer != status::ok) {
        made.address_ = 0;
        Diagnostic d  = failure(*made.context_, "cuMemAlloc_v2", answer);
        // How much was asked for is what helps here; failure() adds how much is free.
        if (answer == status::out_of_memory)
            d.message = fmt::format("{} MiB were asked for: {}", (bytes + (1U << 20U) - 1) >> 20U, d.message);
        return d;
    }
    made.size_ = bytes;
    return made;
}

Buffer::Buffer(Buffer&& other) noexcept
    : context_(std::move(other.context_)),
      address_(std::exchange(other.address_, 0)),
      size_(std::exchange(other.size_, 0))
{
}

Buffer& Buffer::operator=(Buffer&& other) noexcept
{
    Buffer gone(std::move(*this));
    context_ = std::move(other.context_);
    address_ = std::exchange(other.address_, 0);
    size_    = std::exchange(other.size_, 0);
    return *this;
}

Buffer::~Buffer()
{
    if (address_ == 0) return;
    const Current here(*context_);
    context_->entries->release(address_);
}

// -- HostBuffer

Result<HostBuffer> HostBuffer::make(const Context& context, std::size_t bytes)
{
    HostBuffer made;
    made.context_ = context.state();
    if (bytes == 0) return made;
    void*              data = nullptr;
    const Result<void> done =
        call(*made.context_, "cuMemHostAlloc", made.context_->entries->host_allocate, &data, bytes, 0U);
    if (!done) return done.error();
    made.data_ = static_cast<std::byte*>(data);
    made.size_ = bytes;
    return made;
}

HostBuffer::HostBuffer(HostBuffer&& other) noexcept
    : context_(std::move(other.context_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0))
{
}

HostBuffer& HostBuffer::operator=(HostBuffer&& other) noexcept
{
    HostBuffer gone(std::move(*this));
    context_ = std::move(other.context_);
    data_    = std::exchange(other.data_, nullptr);
    size_    = std::exchange(other.size_, 0);
    return *this;
}

HostBuffer::~HostBuffer()
{
    if (data_ == nullptr) return;
    const Current here(*context_);
    context_->entries->host_release(data_);
}

// -- Stream

Result<Stream> Stream::make(const Context& context, bool with_default)
{
    Stream made;
    made.context_ = context.state();
    Handle handle = nullptr;
    // CU_STREAM_NON_BLOCKING.
    constexpr unsigned kNonBlocking = 1;  // work of the legacy default stream does not wait for it, nor it for that
    const Result<void> done = call(*made.context_, "cuStreamCreate", made.context_->entries->stream_create, &handle,
                                   with_default ? 0U : kNonBlocking);
    if (!done) return done.error();
    made.handle_ = number_of(handle);
    made.owned_  = true;
    return made;
}

Stream Stream::borrow(const Context& context, std::uintptr_t handle)
{
    Stream made;
    made.context_ = context.state();
    made.handle_  = handle;
    return made;
}

Stream::Stream(Stream&& other) noexcept
    : context_(std::move(other.context_)),
      handle_(std::exchange(other.handle_, 0)),
      owned_(std::exchange(other.owned_, false))
{
}

Stream& Stream::operator=(Stream&& other) noexcept
{
    Stream gone(std::move(*this));
    context_ = std::move(other.context_);
    handle_  = std::exchange(other.handle_, 0);
    owned_   = std::exchange(other.owned_, false);
    return *this;
}

Stream::~Stream()
{
    if (!owned_) return;
    const Current here(*context_);
    context_->entries->stream_destroy(handle_of(handle_));
}

Result<void> Stream::synchronize() const
{ return call(*context_, "cuStreamSynchronize", context_->entries->stream_synchronize, handle_of(handle_)); }

Result<void> Stream::wait(const Event& event) const
{
    return call(*context_, "cuStreamWaitEvent", context_->entries->stream_wait, handle_of(handle_),
                handle_of(event.handle()), 0U);
}

// -- Event

Result<Event> Event::make(const Context& context, bool timed)
{
    Event made;
    made.context_ = context.state();
    Handle handle = nullptr;
    // CU_EVENT_DISABLE_TIMING: an event for order alone is cheaper.
    constexpr unsigned kDisableTiming = 2;
    const Result<void> done = call(*made.context_, "cuEventCreate", made.context_->entries->event_create, &handle,
                                   timed ? 0U : kDisableTiming);
    if (!done) return done.error();
    made.handle_ = number_of(handle);
    return made;
}

Event::Event(Event&& other) noexcept : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, 0)) {}

Event& Event::operator=(Event&& other) noexcept
{
    Event gone(std::move(*this));
    context_ = std::move(other.context_);
    handle_  = std::exchange(other.handle_, 0);
    return *this;
}

Event::~Event()
{
    if (handle_ == 0) return;
    const Current here(*context_);
    context_->entries->event_destroy(handle_of(handle_));
}

Result<void> Event::record(const Stream& stream) const
{
    return call(*context_, "cuEventRecord", context_->entries->event_record, handle_of(handle_),
                handle_of(stream.handle()));
}

Result<void> Event::synchronize() const
{ return call(*context_, "cuEventSynchronize", context_->entries->event_synchronize, handle_of(handle_)); }

Result<double> Event::seconds_to(const Event& later) const
{
    float              milliseconds = 0;
    const Result<void> done = call(*context_, "cuEventElapsedTime", context_->entries->event_elapsed, &milliseconds,
                                   handle_of(handle_), handle_of(later.handle_));
    // The driver counts in milliseconds.
    if (!done) return done.error();
    return 1e-3 * static_cast<double>(milliseconds);
}

// -- Place

Result<std::shared_ptr<Place>> place(int ordinal)
{
    // One place for each device, shared by all that use it: their work is then in one stream, and in order. It lives
    // as long as somebody holds it. The table itself is never freed, for objects that go at the end of the process.
    struct Known {
        std::mutex                                                     mutex;
        std::map<std::pair<const Entries*, int>, std::weak_ptr<Place>> places;  // of a driver: tests use several
    };
    static Known* const known   = new Known;
    Result<Context>     context = Context::open(ordinal);
    if (!context) return context.error();
    const std::lock_guard lock(known->mutex);
    std::weak_ptr<Place>& entry = known->places[{context->state()->entries.get(), ordinal}];
    if (std::shared_ptr<Place> there = entry.lock()) return there;
    Result<Stream> stream = Stream::make(*context, true);
    if (!stream) return stream.error();
    auto made     = std::make_shared<Place>();
    made->context = *std::move(context);
    made->stream  = *std::move(stream);
    entry         = made;
    return made;
}

// -- copies

// Copies are asynchronous. From pageable memory the driver copies the source before it returns; into pageable memory
// the bytes are there after a synchronize.
Result<void> upload(const Stream& stream, const Buffer& to, std::size_t offset, std::span<const std::byte> from)
{
    if (Result<void> fits = within(to, offset, from.size()); !fits || from.empty()) return fits;
    const ContextState& c = *stream.context();
    return call(c, "cuMemcpyHtoDAsync_v2", c.entries->copy_to_device, to.address() + offset,
                static_cast<const void*>(from.data()), from.size(), handle_of(stream.handle()));
}

Result<void> download(const Stream& stream, std::span<std::byte> to, const Buffer& from, std::size_t offset)
{
    if (Result<void> fits = within(from, offset, to.size()); !fits || to.empty()) return fits;
    const ContextState& c = *stream.context();
    return call(c, "cuMemcpyDtoHAsync_v2", c.entries->copy_to_host, static_cast<void*>(to.data()),
                from.address() + offset, to.size(), handle_of(stream.handle()));
}

Result<void> copy(const Stream& stream, std::uint64_t to, std::uint64_t from, std::size_t bytes)
{
    if (bytes == 0) return {};
    const ContextState& c = *stream.context();
    return call(c, "cuMemcpyDtoDAsync_v2", c.entries->copy_on_device, to, from, bytes, handle_of(stream.handle()));
}

Result<void> fill_bytes(const Stream& stream, const Buffer& buffer, std::uint8_t value)
{
    if (buffer.size() == 0) return {};
    const ContextState& c = *stream.context();
    return call(c, "cuMemsetD8Async", c.entries->fill_bytes, buffer.address(), value, buffer.size(),
                handle_of(stream.handle()));
}

// Counts and offsets are in words of four bytes.
Result<void> fill_words(const Stream& stream, const Buffer& buffer, std::size_t first, std::size_t count,
                        std::uint32_t value)
{
    if (Result<void> fits = within(buffer, 4 * first, 4 * count); !fits || count == 0) return fits;
    const ContextState& c = *stream.context();
    return call(c, "cuMemsetD32Async", c.entries->fill_words, buffer.address() + 4 * first, value, count,
                handle_of(stream.handle()));
}

// -- kernels

Result<Kernel::Resources> Kernel::resources() const
{
    Resources r;
    // CUfunction_attribute: 0 threads a block, 1 static shared memory, 3 local memory, 4 registers.
    for (const auto& [value, attribute] : {std::pair{&r.most_threads, 0}, std::pair{&r.shared_bytes, 1},
                                           std::pair{&r.local_bytes, 3}, std::pair{&r.registers, 4}})
        if (Result<void> done = call(*context_, "cuFuncGetAttribute", context_->entries->function_attribute, value,
                                     attribute, handle_of(handle_));
            !done)
            return done.error();
    return r;
}

Result<void> Kernel::allow_shared(std::size_t bytes) const
{
    // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES.
    constexpr int kMaxDynamicShared = 8;
    return call(*context_, "cuFuncSetAttribute", context_->entries->function_set_attribute, handle_of(handle_),
                kMaxDynamicShared, static_cast<int>(bytes));
}

Result<void> launch_raw(const Stream& stream, const Kernel& kernel, LaunchShape shape, void** arguments)
{
    const ContextState& c = *stream.context();
    const Current       here(c);
    const int           answer =
        c.entries->launch(handle_of(kernel.handle_), shape.blocks, 1U, 1U, shape.threads, 1U, 1U,
                          static_cast<unsigned>(shape.shared_bytes), handle_of(stream.handle()), arguments, nullptr);
    if (answer == status::ok) return {};
    Diagnostic d = failure(c, "cuLaunchKernel", answer);
    // A launch mostly fails for its shape. It is said in full.
    d.message += fmt::format("; kernel {}, {} blocks of {} threads, {} bytes of shared memory", kernel.name_,
                             shape.blocks, shape.threads, shape.shared_bytes);
    return d;
}

// -- Module

Result<Module> Module::load(const Context& context, std::span<const std::byte> image, const std::string& name)
{
    Module made;
    made.context_    = context.state();
    made.name_       = name;
    const Entries& e = *made.context_->entries;
    if (const std::string wrong = wrong_with(image); !wrong.empty())
        return make_diagnostic(kDeviceKernels, {.layer = name}, fmt::format("'{}' {}", name, wrong));
    Handle        handle = nullptr;
    const Current here(*made.context_);
    // The driver compiles PTX here, which can take seconds; machine code loads at once.
    const int answer = e.module_load(&handle, image.data());
    if (answer == status::ok) {
        made.handle_ = number_of(handle);
        return made;
    }
    // Three causes need three remedies: a newer driver, other kernels, or neither.
    const std::string driver =
        fmt::format("driver of CUDA {}.{}, {} of compute capability {}.{}", e.version / 1000, e.version % 1000 / 10,
                    context.info().name, context.info().major, context.info().minor);
    if (answer == status::unsupported_ptx)
        return make_diagnostic(kDeviceDriver, {.layer = name},
                               fmt::format("'{}' was made by a compiler that is newer than the driver: {} ({})", name,
                                           failed(e, "cuModuleLoadData", answer), driver));
    if (answer == status::no_binary || answer == status::invalid_image || answer == status::invalid_ptx)
        return make_diagnostic(kDeviceKernels, {.layer = name},
                               fmt::format("'{}' has no kernels that this device can run: {} ({})", name,
                                           failed(e, "cuModuleLoadData", answer), driver));
    return failure(*made.context_, "cuModuleLoadData", answer);
}

Module::Module(Module&& other) noexcept
    : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, 0)), name_(std::move(other.name_))
{
}

Module& Module::operator=(Module&& other) noexcept
{
    Module gone(std::move(*this));
    context_ = std::move(other.context_);
    handle_  = std::exchange(other.handle_, 0);
    name_    = std::move(other.name_);
    return *this;
}

Module::~Module()
{
    if (handle_ == 0) return;
    const Current here(*context_);
    context_->entries->module_unload(handle_of(handle_));
}

Result<Kernel> Module::kernel(const std::string& name) const
{
    Kernel made;
    made.context_ = context_;
    made.name_    = name;
    const Current here(*context_);
    Handle        handle = nullptr;
    const int     answer = context_->entries->module_function(&handle, handle_of(handle_), name.c_str());
    // A file of another version has other names; that is told apart from a failure of the device.
    if (answer == status::not_found)
        return make_diagnostic(kDeviceKernels, {.layer = name_},
                               fmt::format("'{}' has no kernel {}: it is of another version", name_, name));
    if (answer != status::ok) return failure(*context_, "cuModuleGetFunction", answer);
    made.handle_ = number_of(handle);
    return made;
}

Result<Module::Variable> Module::variable(const std::string& name) const
{
    Variable      v;
    const Current here(*context_);
    const int     answer = context_->entries->module_global(&v.address, &v.size, handle_of(handle_), name.c_str());
    if (answer == status::not_found)
        return make_diagnostic(kDeviceKernels, {.layer = name_},
                               fmt::format("'{}' has no variable {}: it is of another version", name_, name));
    if (answer != status::ok) return failure(*context_, "cuModuleGetGlobal_v2", answer);
    return v;
}

// -- Graph

Result<Graph> Graph::capture(const Stream& stream, const std::function<Result<void>()>& body)
{
    Graph made;
    made.context_                    = stream.context();
    const ContextState& c            = *made.context_;
    constexpr int       kThreadLocal = 1;  // calls of other threads, and of other libraries in them, go on as ever
    if (Result<void> begun = call(c, "cuStreamBeginCapture_v2", c.entries->stream_begin_capture,
                                  handle_of(stream.handle()), kThreadLocal);
        !begun)
        return begun.error();
    // The body only takes down. Capture must end also where the body failed, or the stream stays unusable.
    const Result<void> told  = body();
    Handle             graph = nullptr;
    const Result<void> ended =
        call(c, "cuStreamEndCapture", c.entries->stream_end_capture, handle_of(stream.handle()), &graph);
    const auto remove = [&] {
        if (graph != nullptr) c.entries->graph_destroy(graph);
    };
    if (!told || !ended) {
        remove();
        // The number of nodes is counted for tests and reports. The captured graph itself is not needed after
        // instantiation.
        return told ? ended.error() : told.error();
    }
    Handle       exec = nullptr;
    Result<void> done =
        call(c, "cuGraphGetNodes", c.entries->graph_nodes, graph, static_cast<Handle*>(nullptr), &made.nodes_);
    if (done) done = call(c, "cuGraphInstantiateWithFlags", c.entries->graph_instantiate, &exec, graph, 0ULL);
    remove();
    if (!done) return done.error();
    made.handle_ = number_of(exec);
    return made;
}

Graph::Graph(Graph&& other) noexcept
    : context_(std::move(other.context_)),
      handle_(std::exchange(other.handle_, 0)),
      nodes_(std::exchange(other.nodes_, 0))
{
}

Graph& Graph::operator=(Graph&& other) noexcept
{
    Graph gone(std::move(*this));
    context_ = std::move(other.context_);
    handle_  = std::exchange(other.handle_, 0);
    nodes_   = std::exchange(other.nodes_, 0);
    return *this;
}

Graph::~Graph()
{
    if (handle_ == 0) return;
    const Current here(*context_);
    context_->entries->graph_exec_destroy(handle_of(handle_));
}

Result<void> Graph::launch(const Stream& stream) const
{
    const ContextState& c = *context_;
    return call(c, "cuGraphLaunch", c.entries->graph_launch, handle_of(handle_), handle_of(stream.handle()));
}

}  // namespace mechane::device

#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "mechane/core/result.h"

/// A CUDA device by its driver, `libcuda.so.1`, which is loaded when it is first asked for: nothing of CUDA is linked,
/// and a program runs where there is none. Names and numbers are those of the driver API (CUDA Driver API reference).
/// Every failure is a Diagnostic: DEV_UNAVAILABLE (no library, no device), DEV_DRIVER and DEV_KERNELS (kernels
/// that do not fit), DEV_MEMORY, DEV_FAILURE (everything else, kernels that failed among it).
///
/// What a Context made keeps the context alive. Handles may be used from any thread, by one thread at a time.
namespace mechane::device {

struct Entries;       // the functions of the driver
struct ContextState;  // a retained context

/// What the driver says of a device.
struct DeviceInfo {
    int         ordinal = 0;
    std::string name;                  ///< "NVIDIA H100 80GB HBM3"
    int         major = 0, minor = 0;  ///< compute capability
    int         multiprocessors            = 0;
    int         threads_per_multiprocessor = 0;
    std::size_t shared_bytes_per_block     = 0;  ///< with opt-in
    std::size_t memory                     = 0;  ///< [byte]
};
struct DriverInfo {
    std::string path;         ///< of the library
    int         version = 0;  ///< of CUDA that it speaks, 1000 major + 10 minor
    int         devices = 0;
};

/// Loads the driver, once a process: MECHANE_CUDA_DRIVER, or libcuda.so.1 of the system.
/// @error DEV_UNAVAILABLE
Result<DriverInfo> driver_info();
/// @error DEV_UNAVAILABLE  with the number of devices that there are
Result<DeviceInfo> device_info(int ordinal);
/// Has the next call load this library; empty for the usual one. What was made before keeps its own.
void set_driver_library(std::string path);

/// The device's primary context, which it shares with every library of the process that uses the CUDA runtime (PyTorch,
/// JAX, Warp), so that they may exchange pointers.
class Context {
  public:
    Context() = default;
    /// @error DEV_UNAVAILABLE
    static Result<Context> open(int ordinal);

    explicit                        operator bool() const noexcept { return state_ != nullptr; }
    [[nodiscard]] const DeviceInfo& info() const;
    [[nodiscard]] int               driver_version() const;
    struct Memory {
        std::size_t free = 0, total = 0;  ///< [byte]
    };
    [[nodiscard]] Result<Memory> memory() const;
    /// Waits for all that the process gave to the device.
    [[nodiscard]] Result<void>                         synchronize() const;
    [[nodiscard]] const std::shared_ptr<ContextState>& state() const { return state_; }

  private:
    std::shared_ptr<ContextState> state_;
};

/// Memory of the device, freed with the object.
class Buffer {
  public:
    Buffer() = default;
    /// Its content is undefined. 0 bytes make an empty buffer.
    /// @error DEV_MEMORY  with what was asked for and what is free
    static Result<Buffer> make(const Context& context, std::size_t bytes);
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&& other) noexcept;
    ~Buffer();

    [[nodiscard]] std::uint64_t address() const { return address_; }  ///< on the device; 0 of an empty buffer
    [[nodiscard]] std::size_t   size() const { return size_; }        ///< [byte]
    template <class T>
    [[nodiscard]] T* as() const  ///< to be handed to a kernel
    { return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address_)); }

  private:
    std::shared_ptr<ContextState> context_;
    std::uint64_t                 address_ = 0;
    std::size_t                   size_    = 0;
};

/// Memory of the host that the device copies to and from without a detour (page-locked).
class HostBuffer {
  public:
    HostBuffer() = default;
    static Result<HostBuffer> make(const Context& context, std::size_t bytes);
    HostBuffer(HostBuffer&& other) noexcept;
    HostBuffer& operator=(HostBuffer&& other) noexcept;
    ~HostBuffer();

    [[nodiscard]] std::span<std::byte> bytes() const { return {data_, size_}; }

  private:
    std::shared_ptr<ContextState> context_;
    std::byte*                    data_ = nullptr;
    std::size_t                   size_ = 0;
};

class Event;

/// A queue of the device: what is put in is done in order, while the caller goes on.
class Stream {
  public:
    Stream() = default;
    /// @param with_default  in order with CUDA's legacy default stream, which most libraries use (PyTorch, CuPy,
    /// Numba): what
    ///                      they give to the device before counts before, what after, after
    static Result<Stream> make(const Context& context, bool with_default = false);
    /// A stream of somebody else (PyTorch's, say), which is not destroyed with the object; 0 and 1 are CUDA's legacy
    /// default stream, 2 the one of the thread.
    static Stream borrow(const Context& context, std::uintptr_t handle);
    Stream(Stream&& other) noexcept;
    Stream& operator=(Stream&& other) noexcept;
    ~Stream();

    /// Waits until all is done.
    /// @error DEV_FAILURE  a kernel failed: the message says how
    [[nodiscard]] Result<void> synchronize() const;
    /// What comes after waits for the event.
    [[nodiscard]] Result<void>                         wait(const Event& event) const;
    [[nodiscard]] std::uintptr_t                       handle() const { return handle_; }
    [[nodiscard]] const std::shared_ptr<ContextState>& context() const { return context_; }

  private:
    std::shared_ptr<ContextState> context_;
    std::uintptr_t                handle_ = 0;
    bool                          owned_  = false;
};

/// A point of a stream.
class Event {
  public:
    Event() = default;
    /// @param timed  whether times between events are asked for
    static Result<Event> make(const Context& context, bool timed = true);
    Event(Event&& other) noexcept;
    Event& operator=(Event&& other) noexcept;
    ~Event();

    [[nodiscard]] Result<void> record(const Stream& stream) const;
    [[nodiscard]] Result<void> synchronize() const;
    /// Time from this event to a later one, both recorded and done [s].
    [[nodiscard]] Result<double> seconds_to(const Event& later) const;
    [[nodiscard]] std::uintptr_t handle() const { return handle_; }

  private:
    std::shared_ptr<ContextState> context_;
    std::uintptr_t                handle_ = 0;
};

/// A device as this process uses it: one context and one stream, so that whoever works on its arrays is in order; in
/// order with CUDA's legacy default stream, too.
struct Place {
    Context context;
    Stream  stream;
    bool    capturing = false;  ///< a capture of the stream is under way: no waiting, no allocation
};
/// The same object for everybody, as long as somebody holds it.
/// @error DEV_UNAVAILABLE
Result<std::shared_ptr<Place>> place(int ordinal);

/// Copies between host and device, in the order of the stream. Memory of the host that is not of a HostBuffer is copied
/// before the call returns (upload), or may be read after `synchronize` (download).
Result<void> upload(const Stream& stream, const Buffer& to, std::size_t offset, std::span<const std::byte> from);
Result<void> download(const Stream& stream, std::span<std::byte> to, const Buffer& from, std::size_t offset);
/// Copies within the device, addresses of which may be of somebody else.
Result<void> copy(const Stream& stream, std::uint64_t to, std::uint64_t from, std::size_t bytes);
Result<void> fill_bytes(const Stream& stream, const Buffer& buffer, std::uint8_t value);
/// @param count  of 32-bit words, from the word `first` on
Result<void> fill_words(const Stream& stream, const Buffer& buffer, std::size_t first, std::size_t count,
                        std::uint32_t value);

/// A kernel of a Module, which must live as long.
class Kernel {
  public:
    Kernel() = default;
    explicit operator bool() const noexcept { return handle_ != 0; }
    struct Resources {
        int registers = 0, local_bytes = 0, shared_bytes = 0;  ///< local memory a thread: spills and arrays
        int most_threads = 0;                                  ///< a block
    };
    [[nodiscard]] Result<Resources> resources() const;
    /// Allows so many bytes of dynamic shared memory a block; more than 48 KiB must be asked for.
    [[nodiscard]] Result<void>       allow_shared(std::size_t bytes) const;
    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    friend class Module;
    friend Result<void>           launch_raw(const Stream&, const Kernel&, struct LaunchShape, void**);
    std::shared_ptr<ContextState> context_;
    std::uintptr_t                handle_ = 0;
    std::string                   name_;
};

struct LaunchShape {
    unsigned    blocks = 1, threads = 1;  ///< along x
    std::size_t shared_bytes = 0;         ///< dynamic shared memory a block
};

/// @param arguments  pointers to the values of the kernel's parameters
/// @error DEV_FAILURE  it could not start; a failure while it runs is told by the next synchronize
Result<void> launch_raw(const Stream& stream, const Kernel& kernel, LaunchShape shape, void** arguments);

/// Starts a kernel with values of exactly the types of its parameters.
template <class... Args>
Result<void> launch(const Stream& stream, const Kernel& kernel, LaunchShape shape, Args... args)
{
    static_assert((std::is_trivially_copyable_v<Args> && ...), "parameters of kernels are copied as bytes");
    void* arguments[sizeof...(Args) + 1] = {static_cast<void*>(&args)..., nullptr};
    return launch_raw(stream, kernel, shape, arguments);
}

/// Compiled kernels on a device.
class Module {
  public:
    Module() = default;
    /// @param image  a fat binary, a cubin, or PTX that ends with a zero byte
    /// @param name   of the image, for messages
    /// @error DEV_DRIVER  too old for the image; DEV_KERNELS  nothing in it for this device, or no image at all
    static Result<Module> load(const Context& context, std::span<const std::byte> image, const std::string& name);
    /// Finds the kernels of this library (see `find_kernels`), and loads those that fit.
    static Result<Module> load_kernels(const Context& context);
    Module(Module&& other) noexcept;
    Module& operator=(Module&& other) noexcept;
    ~Module();

    /// @error DEV_KERNELS  there is none of this name
    [[nodiscard]] Result<Kernel> kernel(const std::string& name) const;
    struct Variable {
        std::uint64_t address = 0;
        std::size_t   size    = 0;  ///< [byte]
    };
    /// A variable of the device, `__constant__` ones among them.
    [[nodiscard]] Result<Variable>   variable(const std::string& name) const;
    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    std::shared_ptr<ContextState> context_;
    std::uintptr_t                handle_ = 0;
    std::string                   name_;
};

/// Calls taken down from a stream, launched as one.
class Graph {
  public:
    Graph() = default;
    /// Runs `body`, which puts its calls into `stream`: they are taken down and not done. A failure of `body` is handed
    /// on, and the stream is as before.
    static Result<Graph> capture(const Stream& stream, const std::function<Result<void>()>& body);
    Graph(Graph&& other) noexcept;
    Graph& operator=(Graph&& other) noexcept;
    ~Graph();

    explicit                   operator bool() const noexcept { return handle_ != 0; }
    [[nodiscard]] Result<void> launch(const Stream& stream) const;
    [[nodiscard]] std::size_t  nodes() const { return nodes_; }

  private:
    std::shared_ptr<ContextState> context_;
    std::uintptr_t                handle_ = 0;
    std::size_t                   nodes_  = 0;
};

/// Files of compiled kernels, those first that suit a driver of this version: what MECHANE_CUDA_KERNELS names (a file,
/// or a folder), or `mechane_kernels.fatbin` and `mechane_kernels_cu12.ptx` beside the library or program, in
/// ../lib/mechane of it, and in the folder `cuda` of a build.
/// @error DEV_KERNELS  there is none; the message lists where it was looked for
Result<std::vector<std::string>> find_kernels(int driver_version);

}  // namespace mechane::device

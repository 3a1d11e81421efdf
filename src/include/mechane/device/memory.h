#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mechane/core/result.h"
#include "mechane/device/device_batch.h"
#include "mechane/device/driver.h"

/// Memory and order of the machine that steps are made on: of a CUDA device, or of the host.
namespace mechane::device {

/// "cpu" or nothing: no executor, the solvers of the host; "host": the device's kernels on the host; "cuda", "cuda:N".
/// @error DEV_NAME
Result<std::optional<Executor>> parse_device(std::string_view name);
/// "host", "cuda:0".
std::string to_text(const Executor& executor);

/// What everything on one executor shares.
class Where {
  public:
    /// @error DEV_UNAVAILABLE
    static Result<std::shared_ptr<const Where>> of(const Executor& executor);

    [[nodiscard]] const Executor& executor() const { return executor_; }
    [[nodiscard]] bool            is_cuda() const { return place_ != nullptr; }
    [[nodiscard]] Place*          place() const { return place_.get(); }  ///< null on the host
    /// Waits for all that was asked for.
    [[nodiscard]] Result<void> synchronize() const;
    /// Has what is given to another library's stream from now on come after what was asked for so far. Streams that are
    /// in order with CUDA's legacy default stream are so anyway.
    [[nodiscard]] Result<void> let_wait(std::uintptr_t stream) const;
    /// Copies between two places of this executor's memory, in order.
    [[nodiscard]] Result<void> copy(void* to, const void* from, std::size_t bytes) const;

  private:
    Executor               executor_;
    std::shared_ptr<Place> place_;
};

/// Memory on an executor, zero at first, freed with the object.
class Memory {
  public:
    /// @error DEV_MEMORY
    static Result<std::shared_ptr<Memory>> make(std::shared_ptr<const Where> where, std::size_t bytes);

    [[nodiscard]] void*                               data() const { return data_; }
    [[nodiscard]] std::size_t                         size() const { return size_; }
    [[nodiscard]] const std::shared_ptr<const Where>& where() const { return where_; }
    /// Copies from the host; the source may change afterwards. In order. @error DEV_OPTION  beyond the end
    [[nodiscard]] Result<void> write(std::size_t offset, std::span<const std::byte> from);
    /// Copies to the host, and waits for it.
    [[nodiscard]] Result<void> read(std::size_t offset, std::span<std::byte> to) const;
    /// The same 32-bit word everywhere from word `first` on.
    [[nodiscard]] Result<void> fill(std::size_t first, std::size_t count, std::uint32_t word);

  private:
    std::shared_ptr<const Where>                       where_;
    Buffer                                             buffer_;
    std::unique_ptr<std::byte[], void (*)(std::byte*)> host_{nullptr, nullptr};
    void*                                              data_ = nullptr;
    std::size_t                                        size_ = 0;
};

}  // namespace mechane::device

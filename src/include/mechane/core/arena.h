#pragma once
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace mechane {

/// Scratch memory of one step: allocation moves a pointer, `reset` gives everything back at once. Blocks are kept, so
/// an arena that has warmed up allocates nothing. Holds trivially destructible types only. Not thread-safe: one per
/// task.
class Arena {
  public:
    explicit Arena(std::size_t first_block_bytes = std::size_t{1} << 16) : next_block_bytes_(first_block_bytes) {}
    Arena(Arena&&) noexcept            = default;
    Arena& operator=(Arena&&) noexcept = default;

    /// `count` default-initialised elements; indeterminate values for fundamental types.
    template <class T>
    std::span<T> allocate(std::size_t count)
    {
        static_assert(std::is_trivially_destructible_v<T>, "an arena never runs destructors");
        if (count == 0) return {};
        T* first = static_cast<T*>(raw(count * sizeof(T), alignof(T)));
        std::uninitialized_default_construct_n(first, count);
        return {first, count};
    }
    /// `count` value-initialised (zero) elements.
    template <class T>
    std::span<T> zeros(std::size_t count)
    {
        static_assert(std::is_trivially_destructible_v<T>, "an arena never runs destructors");
        if (count == 0) return {};
        T* first = static_cast<T*>(raw(count * sizeof(T), alignof(T)));
        std::uninitialized_value_construct_n(first, count);
        return {first, count};
    }

    /// Makes all memory available again; pointers handed out before are dangling from here on.
    void reset() noexcept;
    /// Bytes of all blocks.
    [[nodiscard]] std::size_t capacity() const noexcept;

  private:
    void* raw(std::size_t bytes, std::size_t alignment);

    struct Block {
        std::unique_ptr<std::byte[]> data;
        std::size_t                  bytes = 0;
    };
    std::vector<Block> blocks_;
    std::size_t        block_ = 0;  ///< block in use
    std::size_t        used_  = 0;  ///< bytes used of that block
    std::size_t        next_block_bytes_;
};

}  // namespace mechane

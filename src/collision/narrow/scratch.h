#pragma once
#include <cstddef>
#include <new>
#include <type_traits>

namespace mechane::collision {

/// An array that is not cleared when it comes into being: the large ones on the stack of a kernel cost more to clear
/// than to use. Elements must be written before they are read.
template <class T, std::size_t N>
class Scratch {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  public:
    Scratch() {}  // NOLINT: leaves the bytes as they are
    T*       data() { return std::launder(reinterpret_cast<T*>(bytes_)); }
    const T* data() const { return std::launder(reinterpret_cast<const T*>(bytes_)); }
    T&       operator[](std::size_t i) { return data()[i]; }
    const T& operator[](std::size_t i) const { return data()[i]; }

  private:
    alignas(T) std::byte bytes_[N * sizeof(T)];
};

}  // namespace mechane::collision

#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace mechane {

/// Appends plain values, arrays and texts to a buffer, in the byte order of the machine.
class ByteWriter {
  public:
    template <class T>
        requires std::is_trivially_copyable_v<T>
    void put(const T& value)
    {
        const auto* from = reinterpret_cast<const std::byte*>(&value);
        bytes_.insert(bytes_.end(), from, from + sizeof(T));
    }
    template <class T>
    void put(const std::vector<T>& values)
    {
        put(static_cast<std::uint64_t>(values.size()));
        for (const T& value : values) put(value);
    }
    void put(const std::string& text)
    {
        put(static_cast<std::uint64_t>(text.size()));
        for (const char c : text) put(c);
    }
    [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

  private:
    std::vector<std::byte> bytes_;
};

/// Reads them back. After the first value that is not there every further one is zero and `good()` is false.
class ByteReader {
  public:
    explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    template <class T>
        requires std::is_trivially_copyable_v<T>
    void get(T& value)
    {
        good_ = good_ && bytes_.size() - at_ >= sizeof(T);
        if (!good_) {
            value = T{};
            return;
        }
        std::memcpy(&value, bytes_.data() + at_, sizeof(T));
        at_ += sizeof(T);
    }
    template <class T>
    void get(std::vector<T>& values)
    {
        const std::size_t count = size(sizeof(T));
        values.assign(count, T{});
        for (T& value : values) get(value);
    }
    void get(std::string& text)
    {
        text.assign(size(1), '\0');
        for (char& c : text) get(c);
    }
    template <class T>
    T take()
    {
        T value{};
        get(value);
        return value;
    }
    [[nodiscard]] bool good() const { return good_; }
    /// Everything was read, and there was enough of it.
    [[nodiscard]] bool done() const { return good_ && at_ == bytes_.size(); }

  private:
    /// A count of elements that can still be there; a damaged one must not allocate the world.
    std::size_t size(std::size_t element)
    {
        const auto count = take<std::uint64_t>();
        good_            = good_ && count <= (bytes_.size() - at_) / element;
        return good_ ? static_cast<std::size_t>(count) : 0;
    }

    std::span<const std::byte> bytes_;
    std::size_t                at_   = 0;
    bool                       good_ = true;
};

}  // namespace mechane

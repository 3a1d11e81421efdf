#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "mechane/core/result.h"

namespace mechane::files {

/// Keeps many texts for the length of a run: in memory, and what is beyond a bound in a nameless file of the folder for
/// temporary files.
class Overflow {
  public:
    explicit Overflow(std::size_t memory = std::size_t{16} << 20) : memory_(memory) {}
    ~Overflow();
    Overflow(const Overflow&)            = delete;
    Overflow& operator=(const Overflow&) = delete;

    /// Where a text is.
    struct Place {
        std::uint64_t at   = 0;
        std::uint64_t size = 0;
        bool          out  = false;
    };
    /// @error FILES_WRITE_FAILED
    Result<Place> put(std::string_view text);
    /// @error FILES_READ_FAILED
    Result<std::string> get(const Place& place);

  private:
    std::mutex    mutex_;
    std::size_t   memory_;
    std::string   held_;
    int           descriptor_ = -1;
    std::uint64_t end_        = 0;
};

}  // namespace mechane::files

#pragma once
#include <cstddef>
#include <functional>

namespace mechane::tasks {

/// Runs work on a fixed number of threads. The chunks of a loop depend on its length and grain only, never on the
/// number of threads, so a loop that writes to disjoint places, or merges per-chunk results in order, gives equal bytes
/// for any count.
class Pool {
  public:
    /// @param threads  number of threads including the caller; 0 means all cores
    explicit Pool(int threads = 0);
    ~Pool();
    Pool(const Pool&)            = delete;
    Pool& operator=(const Pool&) = delete;

    [[nodiscard]] int threads() const noexcept { return threads_; }

    /// Calls body(begin, end, chunk) for consecutive chunks of `grain` elements of [0, count); returns when all are
    /// done. Runs inline when there is one chunk or one thread. The body must not throw.
    void for_chunks(std::size_t count, std::size_t grain,
                    const std::function<void(std::size_t begin, std::size_t end, std::size_t chunk)>& body) const;
    /// Calls body(i) for every i of [0, count).
    void for_each(std::size_t count, std::size_t grain, const std::function<void(std::size_t i)>& body) const;

  private:
    struct Impl;
    Impl* impl_ = nullptr;
    int   threads_;
};

/// Number of chunks that `for_chunks` makes.
constexpr std::size_t chunk_count(std::size_t count, std::size_t grain)
{ return grain == 0 ? 0 : (count + grain - 1) / grain; }

/// Number of cores this process may use, at least 1.
int available_threads() noexcept;

}  // namespace mechane::tasks

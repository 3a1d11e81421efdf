#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>

namespace mechane::tasks {

/// Whose threads a pool takes.
enum class Threads {
    shared,  ///< the process's own, which come when they have nothing else to do
    own      ///< its own, made at its first loop; after a loop they stay awake for 0.2 ms: for steps, whose loops take
             ///< microseconds and follow one another
};

/// Runs work on a fixed number of threads. The chunks of a loop depend on its length and grain only, never on the
/// number of threads, so a loop that writes to disjoint places, or merges per-chunk results in order, gives equal bytes
/// for any count.
class Pool {
  public:
    /// @param threads  number of threads including the caller; 0 means all cores
    explicit Pool(int threads = 0, Threads kind = Threads::shared);
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

/// Calls work(begin, end, chunk) for the same chunks, on the pool, or on this thread where there is none. Allocates
/// nothing, however much the work captures.
template <class Work>
void for_chunks(const Pool* pool, std::size_t count, std::size_t grain, const Work& work)
{
    const std::size_t chunks = chunk_count(count, grain);
    if (pool && pool->threads() > 1 && chunks > 1) return pool->for_chunks(count, grain, std::cref(work));
    for (std::size_t c = 0; c < chunks; ++c) work(c * grain, std::min(count, (c + 1) * grain), c);
}

/// Number of cores this process may use, at least 1.
int available_threads() noexcept;

}  // namespace mechane::tasks

#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>

namespace mechane::tasks {

/// How the chunks of a loop are handed out.
enum class Chunks {
    shared,  ///< who is done takes more
    /// Each thread has an equal share, the same one in every loop: it finds in its cache what it wrote there.
    by_thread
};

/// Runs work on a fixed number of threads. The chunks of a loop depend on its length and grain only, never on the
/// number of threads, so a loop that writes to disjoint places, or merges per-chunk results in order, gives equal bytes
/// for any count.
class Pool {
  public:
    /// @param threads  number of threads including the caller; 0 means all cores
    explicit Pool(int threads = 0);
    /// Waits for its threads, which have nothing to do outside of a loop.
    ~Pool();
    Pool(const Pool&)            = delete;
    Pool& operator=(const Pool&) = delete;

    /// As asked for, and with 0 as many as `available_threads` said.
    [[nodiscard]] int threads() const noexcept { return threads_; }

    /// Calls body(begin, end, chunk) for consecutive chunks of `grain` elements of [0, count); returns when all are
    /// done. Runs inline when there is one chunk or one thread. The body must not throw.
    void for_chunks(std::size_t count, std::size_t grain,
                    const std::function<void(std::size_t begin, std::size_t end, std::size_t chunk)>& body,
                    Chunks chunks = Chunks::shared) const;
    /// Calls body(i) for every i of [0, count).
    void for_each(std::size_t count, std::size_t grain, const std::function<void(std::size_t i)>& body,
                  Chunks chunks = Chunks::shared) const;

  private:
    friend class Phase;
    struct Impl;
    Impl* impl_ = nullptr;
    int   threads_;
};

/// While it lives the threads of a pool stay at hand between loops: for loops of microseconds that follow one another.
class Phase {
  public:
    explicit Phase(const Pool* pool);  ///< null: does nothing
    ~Phase();
    Phase(const Phase&)            = delete;
    Phase& operator=(const Phase&) = delete;

  private:
    const Pool* pool_;
};

/// Number of chunks that `for_chunks` makes.
constexpr std::size_t chunk_count(std::size_t count, std::size_t grain)
{ return grain == 0 ? 0 : (count + grain - 1) / grain; }

/// Calls work(begin, end, chunk) for the same chunks, on the pool, or on this thread where there is none. Allocates
/// nothing, however much the work captures.
template <class Work>
void for_chunks(const Pool* pool, std::size_t count, std::size_t grain, const Work& work,
                Chunks chunks = Chunks::shared)
{
    const std::size_t all = chunk_count(count, grain);
    if (pool && pool->threads() > 1 && all > 1) return pool->for_chunks(count, grain, std::cref(work), chunks);
    for (std::size_t c = 0; c < all; ++c) work(c * grain, std::min(count, (c + 1) * grain), c);
}

/// Number of cores this process may use, at least 1.
/// What the affinity of the process allows, which may be less than the machine has: `taskset`, containers.
int available_threads() noexcept;

}  // namespace mechane::tasks

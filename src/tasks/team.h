#pragma once
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mechane::tasks {

/// Threads for loops of microseconds, one after the other. Between two of them they stay awake for a while, so that a
/// loop begins at once, and each thread begins where it began the last time: in loops over the same things each finds
/// what it wrote in its own cache. Who is done takes from those who are not. Nobody is waited for who has not begun.
class Team {
  public:
    using Work = std::function<void(std::size_t chunk)>;
    /// @param threads  including the caller's, at least 2
    explicit Team(int threads);
    ~Team();
    Team(const Team&)            = delete;
    Team& operator=(const Team&) = delete;

    /// Calls work(c) for each c of [0, chunks) and returns when all are done. From any thread, also from within a loop.
    void run(std::size_t chunks, const Work& work);

  private:
    /// What is left of the part of one thread: first chunk in the upper half, end in the lower one.
    struct alignas(64) Part {
        std::atomic<std::uint64_t> left{0};
    };
    /// A loop that runs. Threads join while it is open; what it is made of stays until the last has left.
    struct alignas(64) Job {
        std::atomic<bool>          taken{false};
        std::atomic<std::uint32_t> state{0};  ///< kOpen, and how many have joined
        const Work*                work = nullptr;
        std::vector<Part>          parts;  ///< one a thread
    };

    void        start();
    void        stay(std::size_t number);
    bool        help(std::size_t number);
    void        wake(std::size_t count);
    static void work_on(Job& job, std::size_t number);

    std::array<Job, 8> jobs_;
    alignas(64) std::atomic<std::uint32_t> news_{0};  ///< counts loops that were opened
    alignas(64) std::atomic<int> asleep_{0};
    std::atomic<bool>        stop_{false};
    std::mutex               mutex_;
    std::condition_variable  bell_;
    std::once_flag           started_;
    std::size_t              threads_;
    std::vector<std::thread> workers_;
    long                     process_ = 0;  ///< in which they were started
};

}  // namespace mechane::tasks

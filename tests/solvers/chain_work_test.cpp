// How much work a step is, counted in instructions: this process steps a child of its own one instruction at a time.
// A count does not depend on what else the machine does.

#include <string>
#include <vector>

#include "support/allocations.h"
#include "world.h"

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#define MCH_CAN_COUNT 1
#else
#define MCH_CAN_COUNT 0
#endif

using namespace mechane;
using namespace mechane::test;

namespace {

/// A chain of links of 0.1 m and 0.1 kg that hangs from the world. Hinges about x and y take turns.
model::ModelBuilder hanging_chain(int links)
{
    model::ModelBuilder       b;
    std::vector<std::int32_t> joints;
    for (int i = 0; i < links; ++i) {
        const auto  link   = b.add_link({{0, 0, -0.1 * i}, {}}, fmt::format("link{}", i), 0.1, {0, 0, -0.05},
                                        Mat33d::diagonal({1e-4, 1e-4, 1e-5}));
        const auto  parent = i == 0 ? model::kWorldBody : link - 1;
        const Posed at{{0, 0, i == 0 ? 0 : -0.1}, {}};
        joints.push_back(b.add_joint_revolute(parent, link, at, {}, dof(i % 2 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0})));
    }
    b.add_articulation(joints, "chain");
    return b;
}

#if MCH_CAN_COUNT
/// Instructions of one call of `work` in a child of this process; -1 where the system does not let it be watched.
template <class Work>
long instructions(Work&& work)
{
    const pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
        raise(SIGSTOP);
        work();
        _exit(0);
    }
    int  status = 0;
    long count  = 0;
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return -1;
    for (;; ++count) {
        if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) break;
        if (waitpid(child, &status, 0) != child || WIFEXITED(status) || WIFSIGNALED(status)) break;
    }
    if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? count : -1;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return -1;
}
#endif

}  // namespace

TEST_CASE("a step of a chain of 100 links is at most fourteen times the work of one of 10 (DYN-154)")
{
    long work[2] = {};
    for (const int k : {0, 1}) {
        World w(hanging_chain(k == 0 ? 10 : 100), 1);
        for (int i = 0; i < 3; ++i) w.step(1e-3);
        // What a step allocates it would also have to fill.
        const std::size_t before = allocations();
        w.step(1e-3);
        CHECK(allocations() - before == 0);
#if MCH_CAN_COUNT
        const long empty = instructions([] {});
        const long full  = empty < 0 ? -1 : instructions([&] { w.step(1e-3); });
        work[k]          = full < 0 ? -1 : full - empty;
#endif
    }
    if (work[0] <= 0 || work[1] <= 0) {
        MESSAGE("skipped: instructions cannot be counted here");
        return;
    }
    CAPTURE(work[0]);
    CAPTURE(work[1]);
    CHECK(static_cast<double>(work[1]) <= 14.0 * static_cast<double>(work[0]));
}

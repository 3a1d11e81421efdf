// The message of a process that ends by a fault: what it was doing and whose fault it is.
// While files are read, a crash is that of a damaged file (exit status of input), otherwise a bug of this program. The
// message is written by a signal handler on a stack of its own, with system calls only, since the heap may be broken.
// Called by run_program; say_no_last_words by the child that reads first.

#include "cli/last_words.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include "cli/exit_codes.h"
#include "mechane/core/visible.h"
#include "mechane/usd/threads.h"
#include "mechane/usd/untrusted.h"

namespace mechane::cli {
namespace {

/// The command line, stored in advance because a signal handler may not allocate.
std::array<char, 512> g_doing{};
std::atomic<void (*)()> g_before{nullptr};
std::atomic_flag        g_speaking = ATOMIC_FLAG_INIT;

/// A text on the stack that uses only calls allowed in a signal handler.
class Line {
  public:
    void add(const char* text)
    {
        while (*text != '\0' && size_ < text_.size()) text_[size_++] = *text++;
    }
    void write_to(int file) const
    {
        for (std::size_t done = 0; done < size_;) {
            const ssize_t some = ::write(file, text_.data() + done, size_ - done);
            if (some <= 0) return;
            done += static_cast<std::size_t>(some);
        }
    }

  private:
    std::array<char, 1024> text_{};
    std::size_t            size_ = 0;
};

const char* name_of(int signal)
{
    switch (signal) {
        case SIGSEGV:
            return "a segmentation fault";
        case SIGBUS:
            return "a bus error";
        case SIGFPE:
            return "an arithmetic exception";
        case SIGILL:
            return "an illegal instruction";
        default:
            return "an abort";
    }
}

extern "C" void on_fault(int signal)
{
    if (void (*const before)() = g_before.exchange(nullptr); before != nullptr) before();
    end_with_last_words(name_of(signal));
}

[[noreturn]] void on_terminate()
{
    const char* cause = "an unexpected exception";
    if (const std::exception_ptr thrown = std::current_exception()) try {
            std::rethrow_exception(thrown);
        } catch (const std::bad_alloc&) {
            cause = "out of memory";
        } catch (...) {  // NOLINT(bugprone-empty-catch): the cause stands already
        }
    end_with_last_words(cause);
}

}  // namespace

void before_last_words(void (*what)()) { g_before = what; }

void end_with_last_words(const char* cause)
{
    if (g_speaking.test_and_set())
        for (;;) pause();  // another thread prints the message
    const bool reading = usd::is_reading();
    Line       line;
    line.add(reading ? "error[STAGE_READER_DIED]: " : "mechane: internal error: ");
    line.add(cause);
    line.add(reading ? " while reading files for: " : " in: ");
    line.add(g_doing.data());
    line.add(reading ? "\n   = help: The file is damaged or malicious; write it again with the program that made it.\n"
                     : "\n  This is a bug in Mechane. Please report it with the command line and, if you can, the file.\n");
    line.write_to(STDERR_FILENO);
    _exit(reading ? kExitInput : kExitBug);
}

void say_no_last_words()
{
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, SIG_DFL);
    std::set_terminate(std::abort);
}

void speak_last_words(int argc, char** argv)
{
    std::string doing;
    for (int i = 0; i < argc; ++i) doing.append(i == 0 ? "" : " ").append(argv[i]);
    doing = visible(doing);
    if (doing.size() >= g_doing.size()) doing = doing.substr(0, g_doing.size() - 4) + "...";
    std::copy(doing.begin(), doing.end(), g_doing.begin());
// Sanitizers print a better report than this one.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    // This thread, and those that read files, may have run out of stack.
    constexpr std::size_t           kStack = 64 << 10;
    static std::array<char, kStack> stack;
    const stack_t                   own{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = kStack};
    sigaltstack(&own, nullptr);
    usd::give_threads_a_second_stack();
    struct sigaction action{};
    action.sa_handler = on_fault;
    // A second fault in the handler ends the process at once.
    action.sa_flags   = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
    std::set_terminate(on_terminate);
#endif
}

}  // namespace mechane::cli

#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// What a piece of work depends on outside of its arguments: files whose bytes it read, places where it looked whether
/// something is there, and answers to questions that are put to the environment. A result that is kept with these is
/// good as long as all of them are as they were (kept_results.h).
namespace mechane::files {

/// What lies at a place; links are followed.
enum class Kind : std::uint8_t { nothing, file, folder, other };

/// By what a file is known again without reading it. Zero of what is no regular file.
struct Stamp {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t  modified = 0, changed = 0;  ///< of the content, and of anything about it [ns since 1970]

    bool operator==(const Stamp&) const = default;
};

/// One thing that work depended on.
struct Dependency {
    enum class What : std::uint8_t { content, kind, answer };
    What        what = What::kind;
    std::string name;    ///< an absolute path, or a question
    std::string digest;  ///< content: SHA-256; answer: the answer
    Kind        kind = Kind::nothing;
    Stamp       stamp{};
    bool        settled = false;  ///< content: the stamp was old enough that a later change cannot have the same one
};

/// Collects the dependencies of one piece of work. May be told by many threads.
class Trace {
  public:
    /// The bytes of a file took part.
    void read(const std::string& file);
    /// So did what lies at a place.
    void probed(const std::string& place, Kind kind);
    /// So did the answer to a question (`set_answerer`).
    void asked(const std::string& question, const std::string& answer);
    /// So did something that cannot be written down.
    void spoil();
    /// Digests everything.
    /// @return nothing when a file changed since the work read it, or might have: the result is not to be kept
    [[nodiscard]] std::optional<std::vector<Dependency>> finish();

  private:
    struct Answered {
        Dependency::What what = Dependency::What::kind;
        Kind             kind = Kind::nothing;
        std::string      answer{};
    };
    std::mutex                      mutex_;
    std::map<std::string, Answered> seen_;
    bool                            spoiled_ = false;
};

/// While it lives, what this thread does is noted in a trace, and, where that is asked for, what threads without a
/// trace of their own do.
class TraceScope {
  public:
    explicit TraceScope(Trace* trace, bool others = false);
    ~TraceScope();
    TraceScope(const TraceScope&)            = delete;
    TraceScope& operator=(const TraceScope&) = delete;

  private:
    Trace *before_, *others_before_ = nullptr;
    bool   others_;
};

/// The trace that this thread's accesses are noted in; null for none.
Trace* current_trace();

/// What lies at a place, noted in the current trace.
Kind probe(const std::string& place);
/// Notes an answer of the current environment.
void note_answer(const std::string& question, const std::string& answer);

/// Answers questions anew. One for the process.
using Answerer = std::function<std::string(const std::string& question)>;
void set_answerer(Answerer answerer);

/// Whether all is as it was. A file whose stamp is the same, and was settled, is not read again unless `reread`.
/// @param refreshed  gets whether a digest had to be made though the content is the same: `dependencies` have new
/// stamps
///                   then and are worth keeping
bool still_hold(std::span<Dependency> dependencies, bool reread, bool& refreshed);

}  // namespace mechane::files

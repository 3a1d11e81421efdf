#pragma once
#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "mechane/files/cache_folder.h"
#include "mechane/files/trace.h"

namespace mechane::files {

/// Results of work, each kept with what it depended on (trace.h) and found again as long as all of that is as it was.
/// Of one work the results for several states of its files are kept, so that going back to an earlier state finds its
/// result too. May be used by many threads and processes.
class KeptResults {
  public:
    /// @param configuration  all that the work depends on besides files: program, options, environment
    /// @param reread         every file is read again, whatever its size and times say
    KeptResults(CacheFolder folder, std::string configuration, bool reread = false)
        : folder_(std::move(folder)), configuration_(std::move(configuration)), reread_(reread)
    {
    }

    std::optional<std::string> find(const std::string& work);
    /// Keeps a result, unless its files changed meanwhile.
    void keep(const std::string& work, Trace& trace, std::string_view result);

    [[nodiscard]] std::size_t found() const { return found_; }
    [[nodiscard]] std::size_t kept() const { return kept_; }

  private:
    CacheFolder              folder_;
    std::string              configuration_;
    bool                     reread_;
    std::atomic<std::size_t> found_{0}, kept_{0};
};

}  // namespace mechane::files

#pragma once
#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/check_args.h"
#include "cli/command.h"
#include "mechane/conformance/check.h"
#include "mechane/files/kept_results.h"
#include "mechane/files/overflow.h"

namespace mechane::cli {

/// The verdict on one file.
struct Judged {
    std::string                        file;      ///< as it was named
    std::vector<std::string>           layers{};  ///< that its stage uses
    std::optional<conformance::Report> report{};
    Diagnostics                        found{};
    ExitCode                           exit = kExitClean;
    std::optional<Diagnostic>          lacks{};  ///< a selection of --variant that it does not have
};

/// Verdicts of many files, in their order. In memory lies a few dozen bytes for each; the verdicts themselves are put
/// aside.
class Verdicts {
  public:
    Verdicts(std::vector<std::string> files, CheckArgs args, usd::OpenOptions open, conformance::CheckOptions options,
             Context& context);

    /// Judges every file; what a cache knows is not judged again.
    /// @param cache  null: none
    /// @error FILES_WRITE_FAILED  there is no room to put verdicts aside
    Result<void> judge(files::KeptResults* cache);
    /// How many files were opened and judged; the others came from the cache.
    [[nodiscard]] std::size_t judged() const { return judged_; }

    /// Files of folders that another file there brings in as a layer are left out: they are checked as parts of it.
    [[nodiscard]] std::size_t size() const { return kept_.size(); }
    [[nodiscard]] std::size_t parts() const { return files_.size() - kept_.size(); }
    /// @error FILES_READ_FAILED
    Result<Judged> at(std::size_t i);

  private:
    struct Name {  ///< digest of a canonical path
        std::uint64_t a = 0, b = 0;
        auto          operator<=>(const Name&) const = default;
    };
    struct Row {
        files::Overflow::Place place{};
        Name                   name{};
        std::vector<Name>      uses{};
        bool                   given = false;
    };

    void         judge_window(std::size_t begin, std::size_t end, files::KeptResults* cache);
    Judged       judge_one(std::size_t i);
    void         note(std::size_t i, const std::vector<std::string>& layers);
    Result<void> put(std::size_t i, const std::string& bytes);
    Name         name_of(const std::string& file);
    void         drop_parts();

    std::vector<std::string>           files_;
    CheckArgs                          args_;
    usd::OpenOptions                   open_;
    conformance::CheckOptions          options_;
    Context&                           context_;
    std::vector<Row>                   rows_;
    std::vector<std::size_t>           kept_;
    files::Overflow                    aside_;
    std::atomic<std::size_t>           judged_{0};
    std::size_t                        done_ = 0;
    std::mutex                         mutex_;
    std::optional<Diagnostic>          failure_;
    std::map<std::string, std::string> folders_;  ///< canonical, by how they were named
};

/// All that a verdict depends on besides the asset's files: the program's build, its rules, the options, user's schemas
/// and the environment that the libraries read.
std::string check_configuration(const CheckArgs& args, const conformance::CheckOptions& options,
                                const Context& context);

}  // namespace mechane::cli

#pragma once
#include <memory>
#include <string>
#include <vector>

#include "mechane/core/result.h"

/// Replacing several files of a folder as one. Before the first of them changes, all new contents lie on the disk
/// beside their targets and a journal in the folder lists them. A run that is ended in between leaves the journal, and
/// the next one undoes what was begun or does the rest: the files are all old or all new.
namespace mechane::files {

class Transaction {
  public:
    /// Takes the folder for this run, and brings what an interrupted one left to its end.
    /// @param found  gets FILES_RECOVERED
    /// @error FILES_BUSY, FILES_NOT_RECOVERED, FILES_WRITE_FAILED
    static Result<Transaction> begin(const std::string& folder, Diagnostics& found);
    Transaction(Transaction&&) noexcept;
    Transaction& operator=(Transaction&&) noexcept;
    ~Transaction();  ///< undoes what was not committed

    /// Names a file of the folder, relative to it, and where its new content lies. Nothing is written yet.
    void replace(const std::string& name, const std::string& content);
    /// Names a file that goes.
    void remove(const std::string& name);
    /// Does it all, or nothing.
    /// @error FILES_WRITE_FAILED
    /// @error FILES_CHANGED  a target changed after `begin`
    Result<void> commit();

  private:
    struct Impl;
    explicit Transaction(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Brings what an interrupted run left in the folder of `file`, or above it, to its end, and waits for one that is at
/// it. Called before an asset is read.
/// @param found  gets FILES_RECOVERED
/// @error FILES_BUSY, FILES_NOT_RECOVERED
Result<void> recover(const std::string& file, Diagnostics& found);

}  // namespace mechane::files

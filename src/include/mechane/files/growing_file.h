#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "mechane/core/result.h"

namespace mechane::files {

/// A file that is written while a run goes on, so that what is there can be read whatever ends the run. Where nothing
/// has its name yet, it grows there; a file that exists is replaced when this one is finished.
class GrowingFile {
  public:
    /// @error FILES_WRITE_FAILED, FILES_INPUT
    /// @error FILES_BUSY  another GrowingFile, of whatever process, has this name
    static Result<GrowingFile> create(const std::string& file);
    GrowingFile(GrowingFile&&) noexcept;
    GrowingFile& operator=(GrowingFile&&) noexcept;
    ~GrowingFile();  ///< what was not finished goes

    /// Failures are told by `finish`.
    void append(std::span<const std::byte> bytes);
    /// Hands what was appended to the system.
    void flush();
    /// It is whole, and has its name.
    /// @error FILES_WRITE_FAILED
    Result<void> finish();

  private:
    struct Impl;
    explicit GrowingFile(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace mechane::files

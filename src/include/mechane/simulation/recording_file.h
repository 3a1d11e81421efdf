#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/core/result.h"
#include "mechane/files/growing_file.h"
#include "mechane/simulation/recording.h"

namespace mechane::record {

/// What it takes to compute a recording once more: how the model was stepped, and from what.
struct RecordingHeader {
    std::string              program;       ///< name and version of what wrote it
    std::string              source;        ///< file that was simulated
    std::string              scene;         ///< how the source was opened and changed, in the words of who wrote it
    std::uint64_t            model = 0;     ///< model_hash
    std::string              solver;        ///< name
    double                   dt       = 0;  ///< [s]
    std::int32_t             substeps = 0;
    bool                     sleeping = false, keep_pairs = true, sweep_fast = true;
    std::vector<std::string> set;      ///< settings before the first step
    std::string              control;  ///< text of the table of commands, empty without one
    std::vector<std::byte>   start;    ///< checkpoint that was gone on from, empty without one
};

/// A recording that lies on disk step by step: chunks with a length and a checksum each. Whatever ends the program, the
/// chunks written so far can be read: at the name itself where that was free, else in a file `.mechane-*.part` beside
/// the old one, which keeps its name until `finish`. A writer that goes without `finish` leaves nothing.
class RecordingWriter {
  public:
    /// Begins the file with the header.
    /// @error RECORD_WRITE_FAILED, FILES_INPUT
    /// @error FILES_BUSY  somebody else is recording to it
    static Result<RecordingWriter> create(const std::string& file, const RecordingHeader& header);

    /// The hash chained up to a step; step 0 is the start.
    void step(std::int64_t step, std::uint64_t hash);
    void frame(const Frame& frame);
    /// What was written before the next step.
    void input(const StepInput& input);
    /// Says that nothing is missing.
    /// @error RECORD_WRITE_FAILED  when any part could not be written
    Result<void> finish();

  private:
    explicit RecordingWriter(files::GrowingFile file) : file_(std::move(file)) {}
    void chunk(char kind, const std::vector<std::byte>& payload);

    files::GrowingFile file_;
};

/// What lies in such a file.
struct RecordingFile {
    RecordingHeader            header;
    std::vector<StepInput>     inputs;            ///< what a program wrote between steps, ascending
    Recording                  recording;         ///< its frames; `hash` is that of the last step that was read
    std::int64_t               first_step = 0;    ///< steps that were done before it began
    std::vector<std::uint64_t> hashes;            ///< chained hash at first_step, first_step + 1, ...
    bool                       complete = false;  ///< it was finished
    std::optional<Diagnostic>  damage;            ///< RECORD_CUT_OFF or RECORD_DAMAGED: what follows was left out
};

/// @error RECORD_FILE  no such file, not a recording, of a newer version or another precision, or damaged in its header
Result<RecordingFile> read_recording(const std::string& file);

}  // namespace mechane::record

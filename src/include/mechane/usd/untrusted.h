#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "mechane/core/diagnostic.h"

namespace mechane::usd {

struct OpenOptions;

/// Reads a stage in a process of its own, which may die of it.
/// @return what that process died of, as a finding about the file, or nothing when it lived
using FirstReader = std::function<std::optional<Diagnostic>(const std::string& file)>;

/// The checks that every layer goes through before OpenUSD's parsers see it do not cover everything: not crates older
/// than 0.4 or newer than 0.14, and not relocates, which OpenUSD's composition may recurse over without end. From now
/// on `reader` is asked before such a layer is opened, whatever arc leads to it, with the name of the stage that is
/// being opened; when the reader died the layer is refused. May be called by several threads at once. Without a reader
/// (the default) nobody is asked.
void set_first_reader(FirstReader reader);

/// True while a stage or layer is being opened on some thread. May be asked in a signal handler.
bool is_reading();

/// What this process may spend on files that it reads, whatever they are made of. Reaching one is STAGE_LIMIT.
struct ProcessLimits {
    std::uint64_t memory      = std::uint64_t{8} << 30;  ///< in use by the process while it reads [bytes]
    std::uint64_t unpacked    = 0;                       ///< that one crate's packed values may take [bytes]; 0: 16 MiB
                                                         ///< and 64 times the size of the file
    std::uint64_t expressions = std::uint64_t{1} << 20;  ///< text that evaluating one expression variable goes through
                                                         ///< [bytes]
};
void          set_process_limits(const ProcessLimits& limits);
ProcessLimits process_limits();

/// Memory that this process has in use [bytes]; 0 where the system does not say. May be asked at any time.
std::uint64_t memory_in_use();

/// How much reading has come along: layers and prims, in steps that only grow. Who watches a reader can tell by it
/// whether it still gets on.
std::uint64_t reading_progress();
/// Bytes of the layers that were let through to the library's parsers since the process began.
std::uint64_t bytes_let_through();

/// Opens a stage, and composes and reads everything on it, then its root layer, which it writes as text: what a process of its own does with a file that is not
/// trusted. Whatever is wrong with it, the stage says when it is opened again.
void read_everything(const std::string& source, const OpenOptions& options);

}  // namespace mechane::usd

#pragma once
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
/// than 0.4 or newer than 0.13, and not relocates, which OpenUSD's composition may recurse over without end. From now
/// on `reader` is asked before such a layer is opened, whatever arc leads to it, with the name of the stage that is
/// being opened; when the reader died the layer is refused. May be called by several threads at once. Without a reader
/// (the default) nobody is asked.
void set_first_reader(FirstReader reader);

/// True while a stage or layer is being opened on some thread. May be asked in a signal handler.
bool is_reading();

/// Opens a stage, and composes and reads everything on it: what a process of its own does with a file that is not
/// trusted. Whatever is wrong with it, the stage says when it is opened again.
void read_everything(const std::string& source, const OpenOptions& options);

}  // namespace mechane::usd

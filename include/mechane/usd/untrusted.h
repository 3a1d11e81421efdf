#pragma once
#include <string>

namespace mechane::usd {

struct OpenOptions;

/// Why a file should first be read by another process: the checks that every layer goes through before OpenUSD's
/// parsers see it cannot look into all of it (crates older than 0.4 or newer than 0.13, also inside a package).
/// @param source  path of a usda, usdc, usd or usdz file
/// @return an empty text when the checks suffice, or when the file cannot be read at all
std::string unchecked_part(const std::string& source);

/// Opens a stage, and composes and reads everything on it: what a process of its own does with a file that is not
/// trusted. Whatever is wrong with it, the stage says when it is opened again.
void read_everything(const std::string& source, const OpenOptions& options);

}  // namespace mechane::usd

#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace mechane::cli {

/// Adds --cache and --cache-size to a verb. They hold for the process, as what they are about does.
void add_cache_options(CLI::App& verb, const char* group);
/// The folder that keeps what takes long to make, with this name in it; empty when nothing is to be kept.
std::string cache_folder(const char* of);
/// What each kind of it may take [bytes].
std::uint64_t cache_bytes();
/// Has prepared geometry kept there.
void keep_geometry();

}  // namespace mechane::cli

#pragma once
#include "mechane/files/suffix.h"

/// Which names OpenUSD's own formats have.
namespace mechane::usd {

/// A layer: one file of text or binary.
[[nodiscard]] inline bool is_layer_name(const std::filesystem::path& file)
{ return files::has_suffix(file, {".usd", ".usda", ".usdc"}); }

/// A package: layers and what they name in one file.
[[nodiscard]] inline bool is_package_name(const std::filesystem::path& file)
{ return files::has_suffix(file, {".usdz"}); }

/// What can be opened as a stage.
[[nodiscard]] inline bool is_stage_name(const std::filesystem::path& file)
{ return is_layer_name(file) || is_package_name(file); }

}  // namespace mechane::usd

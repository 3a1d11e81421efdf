#pragma once
#include <string>
#include <vector>

#include "mechane/files/roots.h"
#include "mechane/usd/layer.h"
#include "mechane/usd/stage.h"

/// Layers as results of a run that reads files (mechane/files/inputs.h). `Layer::save` and `write_package` refuse to
/// replace a file that was read while a files::ReadWatch lives.
namespace mechane::usd {

/// Writes a layer also over what it was made of: for repairs in place.
/// @error STAGE_WRITE_FAILED
Result<void> save_in_place(const Layer& layer, const std::string& file, const SaveOptions& options = {});

/// Folders whose files a result may take in: those that are given, and those that a stage is opened with.
files::Roots roots_of(const std::vector<std::string>& folders, files::Outside outside, const OpenOptions& open);

/// `write_package` that looks at where the files come from.
/// @param roots  folders besides the layer's own
/// @param found  gets FILES_OUTSIDE_ROOT too, for each file from elsewhere
/// @error STAGE_WRITE_FAILED, FILES_INPUT
/// @error FILES_OUTSIDE_ROOT  where that is refused
Result<void> write_package_within(const Layer& layer, const std::string& file, const PackageOptions& options,
                                  const files::Roots& roots, Diagnostics& found);

/// Writes files of a folder into a usdz package as they are, uncompressed and aligned; the first one is its default
/// layer. For results that replace what they were made of `may_be_input` is true.
/// @error STAGE_WRITE_FAILED, FILES_INPUT
Result<void> pack_files(const std::string& folder, const std::vector<std::string>& names, const std::string& file,
                        bool may_be_input = false);

}  // namespace mechane::usd

#pragma once
#include <string>
#include <vector>

#include "mechane/conformance/fix.h"
#include "mechane/files/roots.h"
#include "mechane/files/transaction.h"

/// Where a repaired asset goes. Whatever ends the process, what was there is whole, or what comes is.
namespace mechane::conformance {

/// Name of the report in a folder of results. It lists every other file of the folder with its SHA-256.
inline constexpr const char* kReportName = "fix-report.json";

/// Whether a result may go to this folder: it is new, empty, or an earlier result that nobody changed, and holds
/// nothing that this run reads.
/// @error FILES_FOLDER, FILES_INPUT, FILES_WRITE_FAILED
Result<void> try_folder(const std::string& folder);

/// Files that the result takes in from outside the asset's folder and the other roots.
/// @param found  gets FILES_OUTSIDE_ROOT for each
/// @error FILES_OUTSIDE_ROOT  where that is refused
Result<void> admit_sources(const FixResult& result, const std::string& asset, files::Roots roots, Diagnostics& found);

/// The repaired asset and its report become the folder.
/// @return the files that were written
/// @error FILES_WRITE_FAILED, FILES_INPUT, FILES_BUSY
Result<std::vector<std::string>> publish_folder(const FixResult& result, const std::string& folder);

/// The files that were repaired replace those of the asset, all or none. `asset` was begun before it was read.
/// @error FILES_WRITE_FAILED, FILES_CHANGED
Result<std::vector<std::string>> publish_in_place(const FixResult& result, const std::string& asset,
                                                  files::Transaction& transaction);

/// The repaired asset as a package, its files as they are.
/// @param in_place  the package may be the one that was repaired
/// @error STAGE_WRITE_FAILED, FILES_INPUT
Result<std::vector<std::string>> publish_package(const FixResult& result, const std::string& file, bool in_place = false);

/// The entry layer of an asset that is one file.
/// @error FILES_WRITE_FAILED, FILES_INPUT
Result<std::vector<std::string>> publish_file(const FixResult& result, const std::string& file);

}  // namespace mechane::conformance

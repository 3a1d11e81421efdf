#pragma once
#include <map>
#include <string>

#include "mechane/core/result.h"

/// Results that are a folder.
namespace mechane::files {

/// Regular files below a folder, by their path from it ("deps/t.png"), with their SHA-256.
using Listing = std::map<std::string, std::string>;

/// @error FILES_FOLDER       it holds something that is neither a regular file nor a folder with one, or a link
/// @error FILES_READ_FAILED
Result<Listing> list_folder(const std::string& folder);

/// Whether a folder may get a new result: it is new, empty, or holds exactly the files of `earlier`, and neither is nor
/// holds a file that this run reads. Restores what an interrupted publish_folder left.
/// @param report   name of the file in it that is not listed
/// @param earlier  what `report` lists; nothing is known of a folder without it
/// @error FILES_FOLDER, FILES_INPUT, FILES_WRITE_FAILED
Result<void> try_folder(const std::string& folder, const std::string& report,
                        Result<Listing> (*earlier)(const std::string& report));

/// What lies in `made`, beside `folder`, becomes `folder`, all at once: they are exchanged, and the old content goes. A
/// mount point and the working directory cannot be exchanged; they are filled as transaction.h does.
/// @error FILES_WRITE_FAILED, FILES_BUSY
Result<void> publish_folder(const std::string& made, const std::string& folder);

}  // namespace mechane::files

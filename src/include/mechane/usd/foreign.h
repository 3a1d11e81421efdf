#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/usd/layer.h"
#include "mechane/usd/stage.h"

namespace mechane::usd {

/// A file of another format as a layer in memory.
struct ForeignStage {
    Layer                       layer;
    std::map<std::string, Site> places;  ///< path of a prim or property -> file and line that say it
    Diagnostics                 found;   ///< what was wrong with the file; becomes findings of the stage
};
using ForeignReader = std::function<Result<ForeignStage>(const std::string& file, const OpenOptions& options)>;

/// From now on `Stage::open` gives files with these suffixes (".urdf") to the reader, and findings about such a stage
/// name the places that the reader gave. Called before stages are opened; the last reader of a suffix counts.
void set_foreign_reader(const std::vector<std::string>& suffixes, ForeignReader reader);

/// Whether a reader is set for the file's suffix.
bool is_foreign(const std::string& file);

/// The hint of a finding about such a file, in words that its author can follow: who writes URDF, MJCF or SDFormat has
/// no attributes of OpenUSD and cannot author one.
/// @param id    of the finding, or of a rule
/// @param hint  that the finding has for OpenUSD
std::string foreign_hint(std::string_view id, const std::string& hint);

}  // namespace mechane::usd

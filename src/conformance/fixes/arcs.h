#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "conformance/fixes/repair.h"

namespace mechane::conformance {

/// How a layer of the asset brings another one in.
struct LayerUse {
    enum Kind { sublayer, reference, payload } kind = sublayer;
    EditPlace by;   ///< the layer that does, and its prim; of a sublayer the root
    usd::Arc  arc;  ///< of a sublayer only the asset
};

/// Every way in which layers of the asset bring this one in.
std::vector<LayerUse> uses_of(Repair& repair, const std::filesystem::path& file);

/// "./parts/a.usda" of a file as seen from a layer.
std::string relative_to(const std::filesystem::path& file, const std::filesystem::path& layer);
/// The file that an authored path of a layer means.
std::filesystem::path named_by(const std::string& authored, const std::filesystem::path& layer);

/// Gives a layer another file; what names it follows. Nothing is done where a file of that name exists.
bool rename_layer(Repair& repair, const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace mechane::conformance

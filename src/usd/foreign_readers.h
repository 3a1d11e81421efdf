#pragma once
#include <pxr/sdf/layer.h>
#include <pxr/sdf/path.h>
#include <pxr/tf/token.h>

#include <map>
#include <optional>
#include <string>

#include "mechane/usd/foreign.h"

namespace mechane::usd {

/// The reader that is set for the file's suffix; empty when there is none.
ForeignReader foreign_reader_of(const std::string& file);

/// Remembers, as long as the layer lives, where the file that it was made of says what.
void keep_places(const pxr::SdfLayerRefPtr& layer, std::map<std::string, Site> places);
/// Where that file speaks of a property, else of its prim or one above it; nothing for a layer of USD's own.
std::optional<Site> place_in_source(const pxr::SdfLayerRefPtr& layer, const pxr::SdfPath& prim,
                                    const pxr::TfToken& property);

}  // namespace mechane::usd

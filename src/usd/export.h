#pragma once
#include <pxr/sdf/layer.h>

#include <string>

namespace mechane::usd {

/// Writes a layer to a new file as text or binary; false when the disk did not take all of it (layer_save.cpp).
bool export_layer(const pxr::SdfLayerRefPtr& layer, const std::string& file, bool text);

}  // namespace mechane::usd

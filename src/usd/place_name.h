#pragma once
#include <string>

#include "usd/stage_impl.h"

namespace mechane::usd {

/// The name by which an edit finds a layer: its file, whatever the working folder. What people read is `shown`.
inline std::string file_of_layer(const Stage::Impl& stage, const pxr::SdfLayerHandle& layer)
{
    const bool written = layer && get_pointer(layer) != get_pointer(stage.root) && !layer->GetRealPath().empty();
    return written ? layer->GetRealPath() : shown(stage, layer);
}

}  // namespace mechane::usd

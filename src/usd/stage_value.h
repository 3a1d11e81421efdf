#pragma once
#include <pxr/pcp/node.h>
#include <pxr/sdf/layer.h>
#include <pxr/sdf/layerOffset.h>

#include "usd/stage_impl.h"

namespace mechane::usd {

/// Where an opinion was found.
struct OpinionPlace {
    const pxr::SdfLayerRefPtr& layer;
    const pxr::PcpNodeRef&     node;
    const pxr::SdfPath&        path;    ///< of the property in that layer, or of its prim
    pxr::SdfLayerOffset        offset;  ///< layer time to stage time
};

/// Says what a value means on the stage, whichever layer it is authored in. Asset paths: expressions evaluated with the
/// variables of the layer stack, anchored to the layer, resolved. Time codes: mapped to stage time. Path expressions:
/// mapped into the stage's namespace. So in dictionaries, at any depth. Other values stay as they are.
void to_stage(const Stage::Impl& stage, const PrimRecord& prim, const OpinionPlace& from, pxr::VtValue& value);

}  // namespace mechane::usd

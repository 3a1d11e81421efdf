#pragma once
#include <pxr/sdf/abstractData.h>
#include <pxr/sdf/fileFormat.h>
#include <pxr/sdf/layer.h>

namespace mechane::usd {

/// The storage behind a layer, which file formats may read. A layer asks its storage twice for what is not there, and
/// knows no way to ask for all fields that are.
struct LayerStorage : pxr::SdfFileFormat {
    static const pxr::SdfAbstractData* of(const pxr::SdfLayer& layer) { return get_pointer(_GetLayerData(layer)); }
};

}  // namespace mechane::usd

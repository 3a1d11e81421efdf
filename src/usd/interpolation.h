#pragma once
#include <pxr/sdf/layer.h>
#include <pxr/vt/value.h>

namespace mechane::usd {

/// The value at a part u in [0, 1] of the way from a to b: linear where the type allows it (quaternions spherically,
/// arrays of equal length element by element), else a is held. A block at either end holds a too.
pxr::VtValue interpolate(double u, const pxr::VtValue& a, const pxr::VtValue& b);

/// The samples of a property of one layer at a time of that layer; the ends are held, with `held` every sample until
/// the next. Empty when there are no samples.
pxr::VtValue sample_layer(const pxr::SdfLayerRefPtr& layer, const pxr::SdfPath& path, double time, bool held);

}  // namespace mechane::usd

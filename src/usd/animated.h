#pragma once
#include "usd/stage_impl.h"

namespace mechane::usd {

/// Whether samples, a spline or value clips decide the attribute's values at numeric times.
bool is_animated(const Stage::Impl& stage, const PrimRecord& prim, const pxr::TfToken& name);  ///< start_value.cpp
/// The spline that decides the attribute's values, at stage times, or nothing; `strongest` is the layer with the
/// strongest opinion of any kind.
pxr::VtValue stage_spline(const PrimRecord& prim, const pxr::TfToken& name,
                          pxr::SdfLayerRefPtr& strongest);  ///< start_value.cpp

}  // namespace mechane::usd

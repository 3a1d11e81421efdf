#pragma once
#include "mechane/usd/layer.h"
#include "mechane/usd/stage.h"

namespace mechane::usd {

struct FlattenOptions {
    bool absolute_assets = true;  ///< asset paths as they resolve; false: as they are authored
};

/// One layer that says what the stage composes, without arcs: every composed opinion once, times mapped through
/// offsets, expressions evaluated. Instances keep sharing: each refers to "/Flattened_Prototype_<n>", an `over` root
/// with what lies below the first instance of its kind. Classes and overs stay what they are; inactive prims stay as
/// leaves; what a mask or the load rules leave out is left out.
Layer flatten(const Stage& stage, const FlattenOptions& options = {});

/// The root layer and its sublayers as one layer; references, payloads, variants and classes stay arcs. The session
/// layer is not part of it. Asset paths become absolute.
Layer flatten_layer_stack(const Stage& stage);

}  // namespace mechane::usd

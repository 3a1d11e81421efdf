#pragma once
#include <string>

#include "mechane/core/diagnostic.h"
#include "mechane/usd/stage.h"

namespace mechane::usd {

/// What gives a shading input its value. `Attribute::value` of a connected input would give the local one.
struct ShadingSource {
    Attribute          attribute;         ///< where the value is, or the output of a shader that computes it
    bool               computed = false;  ///< `attribute` is a shader's output: there is no value to read
    [[nodiscard]] bool from(const Attribute& input) const
    { return attribute.prim() == input.prim() && attribute.name() == input.name(); }
};

/// Follows the connections of an input or output through material interfaces and node graphs: the first connection that
/// exists counts. One that leads nowhere falls back to the value of the attribute it starts from, with
/// SHADE_CONNECTION_BROKEN; a cycle falls back to the input's own, with SHADE_CYCLE.
ShadingSource shading_source(const Attribute& input, Diagnostics* found = nullptr);

/// Colour space of an attribute: its own metadata `colorSpace`, else `colorSpace:name` of the nearest prim at or above
/// that applies ColorSpaceAPI and authors it, else empty, which means linear Rec. 709 by convention.
std::string color_space(const Attribute& attribute);

/// Colour space of the picture that a UsdUVTexture reads: `inputs:sourceColorSpace` when it is authored and not "auto",
/// else what `color_space` says of `inputs:file`, else "sRGB".
std::string texture_color_space(const Prim& texture);

/// The surface shader of a material: what outputs:surface (or MDL's) is connected to; invalid when there is none.
Prim surface_shader(const Prim& material, Diagnostics* found = nullptr);

}  // namespace mechane::usd

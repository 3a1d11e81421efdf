#pragma once
#include <string>
#include <vector>

#include "mechane/usd/layer.h"

namespace mechane::usd {

/// Edits of the arcs that a layer has already. What is not said to change keeps its strength, its place in the list and
/// the kind of list (prepended, appended, explicit).

/// A reference right before one that the prim has, so that it is the next stronger one.
/// @error STAGE_EDIT_REFUSED where the prim has no such reference
Result<void> add_reference_beside(Layer& layer, const Path& prim, const Arc& known, const Arc& arc);

/// A payload becomes the weakest reference of the prim; a reference its strongest payload.
/// @error STAGE_EDIT_REFUSED where the prim has no such arc
Result<void> turn_into_reference(Layer& layer, const Path& prim, const Arc& payload);
Result<void> turn_into_payload(Layer& layer, const Path& prim, const Arc& reference);

/// Takes a reference out, or a payload.
/// @error STAGE_EDIT_REFUSED where the prim has no such arc
Result<void> remove_reference(Layer& layer, const Path& prim, const Arc& reference);
Result<void> remove_payload(Layer& layer, const Path& prim, const Arc& payload);

/// A sublayer right before another one, or, where that is empty, before all; the offsets of the others stay.
void insert_sublayer(Layer& layer, const std::string& file, const std::string& before = {});
/// Classes that a prim inherits or specializes, as the layer names them.
std::vector<Path> class_arcs(const Layer& layer, const Path& prim);

/// Takes a sublayer out.
void remove_sublayer(Layer& layer, const std::string& file);

}  // namespace mechane::usd

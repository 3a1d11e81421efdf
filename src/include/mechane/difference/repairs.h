#pragma once
#include <string>

#include "mechane/conformance/fix.h"
#include "mechane/core/diagnostic.h"
#include "mechane/run/scene.h"

namespace mechane::difference {

/// Says of a repaired copy what it simulates otherwise than the asset, whichever repair did it: a DIFFERENCE_REPAIR for
/// each value, with both values and the place. Each repair is checked by where things are, but a mesh that is cut
/// otherwise, or a value in another schema, moves nothing and may still weigh or follow otherwise.
/// Nothing is said of a repair without edits, and of an asset that is no robot that could be compared.
/// @param opening  how both are opened and imported; resolvers should be those with which the asset is run
void report_repairs(const std::string& asset, const conformance::FixResult& repaired, const run::SceneOptions& opening,
                    Diagnostics& found);

/// The first thing that two files simulate otherwise, in words; empty where they simulate the same, or cannot be
/// compared.
std::string first_change(const std::string& before, const std::string& after, const run::SceneOptions& opening);

}  // namespace mechane::difference

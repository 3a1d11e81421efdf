#pragma once
#include <optional>

#include "mechane/core/result.h"
#include "solvers/mujoco/attributes.h"
#include "solvers/mujoco/convert.h"

namespace mechane::solvers::mujoco {

/// MuJoCo's reference of a spring and damper at a unit mass [1/s^2], [1/s]; its default where one of them is not
/// positive.
Solref solref_of(double ke, double kd);

/// A shape as a geom without its name; adds its surface to the description. Nothing where MuJoCo has no such geom.
/// @error SOLVER_MODEL  an infinite plane on a body that is not static
Result<std::optional<GeomItem>> make_geom(const model::Model& model, const Attributes& attributes, std::int32_t shape,
                                          std::int32_t body, const ConvertOptions& options, Description& what,
                                          Surfaces& surfaces, Shortfalls& shortfalls);
SiteItem                        make_site(const model::Model& model, std::int32_t shape, std::int32_t body);

}  // namespace mechane::solvers::mujoco

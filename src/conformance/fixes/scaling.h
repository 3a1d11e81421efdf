#pragma once
#include <optional>
#include <string>

#include "mechane/usd/layer.h"

namespace mechane::conformance {

/// What a number counts, as powers of length and mass; time is in seconds already.
struct Dimension {
    int length = 0, mass = 0;

    bool operator==(const Dimension&) const = default;
};

/// The dimension of an attribute by its name; `angular` says that the prim is a revolute or spherical joint, whose
/// plain limits and drive gains are those of a rotation. Nothing for an attribute without lengths or masses. Sources:
/// UsdPhysics and UsdGeom schema definitions, rep-0158 5.4.
std::optional<Dimension> dimension_of(const std::string& attribute, bool angular);

/// The value times a factor, of the same type; nothing when it holds no numbers.
usd::Value scaled(const usd::Value& value, double factor);

}  // namespace mechane::conformance

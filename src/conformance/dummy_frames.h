#pragma once
#include <optional>

#include "facts.h"
#include "mechane/core/diagnostic.h"

namespace mechane::conformance {

/// How sure it is that a rigid body is a coordinate frame and nothing more: an error where it says so itself, by
/// RosFrameAPI or by its name, a warning where only its emptiness does; nothing for a real body.
std::optional<Severity> dummy_frame(const Facts& facts, const physics::Body& body);

}  // namespace mechane::conformance

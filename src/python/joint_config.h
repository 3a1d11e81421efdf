#pragma once
#include <nanobind/nanobind.h>

#include "mechane/model/builder.h"

namespace mechane::python {

namespace nb = nanobind;

/// Degrees of freedom from objects with the fields of `mechane.ModelBuilder.JointDofConfig`.
std::vector<model::JointDofConfig> dof_configs(nb::handle list);

/// Type and axes of a joint; bodies and frames are the caller's. Throws ValueError for a number that is no type, and
/// for more axes than the type has.
model::BuilderJoint joint_of(std::int32_t type, nb::handle linear_axes, nb::handle angular_axes);

}  // namespace mechane::python

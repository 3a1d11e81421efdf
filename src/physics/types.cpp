// Names of the kinds of the model as messages, dumps and schemas spell them, and what counts as authored of masses and
// limits.
// The schema has sentinels in place of "not authored": zero for masses and moments, -inf for a centre, infinite or huge
// limits.

#include "mechane/physics/types.h"

#include <cmath>

namespace mechane::physics {

namespace {
// Beyond this a float limit means "unlimited".
constexpr double kUnlimited = 0.5e38;
}  // namespace

Vec3d unit_vector(Axis axis) { return axis_vector<double>(static_cast<int>(axis)); }

std::string_view to_string(Axis axis)
{
    switch (axis) {
        case Axis::x:
            return "X";
        case Axis::y:
            return "Y";
        case Axis::z:
            return "Z";
    }
    return "";
}

bool MassValues::has_mass() const { return std::isfinite(mass) && mass > 0; }
bool MassValues::has_density() const { return std::isfinite(density) && density > 0; }
bool MassValues::has_com() const { return is_finite(com); }
bool MassValues::has_diagonal() const
{ return is_finite(diagonal) && diagonal.x >= 0 && diagonal.y >= 0 && diagonal.z >= 0 && max_component(diagonal) > 0; }
bool MassValues::has_axes() const { return dot(axes, axes) > 0; }

bool Limit::has_lower() const { return std::isfinite(lower) && lower > -kUnlimited; }
bool Limit::has_upper() const { return std::isfinite(upper) && upper < kUnlimited; }

std::string_view to_string(ShapeKind kind)
{
    switch (kind) {
        case ShapeKind::sphere:
            return "sphere";
        case ShapeKind::cube:
            return "cube";
        case ShapeKind::capsule:
            return "capsule";
        case ShapeKind::capsule_1:
            return "capsule_1";
        case ShapeKind::cylinder:
            return "cylinder";
        case ShapeKind::cylinder_1:
            return "cylinder_1";
        case ShapeKind::cone:
            return "cone";
        case ShapeKind::plane:
            return "plane";
        case ShapeKind::mesh:
            return "mesh";
        case ShapeKind::sphere_points:
            return "sphere_points";
        case ShapeKind::custom:
            return "custom";
    }
    return "";
}

std::string_view to_string(Approximation approximation)
{
    switch (approximation) {
        case Approximation::none:
            return "none";
        case Approximation::convex_decomposition:
            return "convexDecomposition";
        case Approximation::convex_hull:
            return "convexHull";
        case Approximation::bounding_sphere:
            return "boundingSphere";
        case Approximation::bounding_cube:
            return "boundingCube";
        case Approximation::mesh_simplification:
            return "meshSimplification";
    }
    return "";
}

std::string_view to_string(JointKind kind)
{
    switch (kind) {
        case JointKind::fixed:
            return "fixed";
        case JointKind::revolute:
            return "revolute";
        case JointKind::prismatic:
            return "prismatic";
        case JointKind::spherical:
            return "spherical";
        case JointKind::distance:
            return "distance";
        case JointKind::d6:
            return "d6";
        case JointKind::custom:
            return "custom";
    }
    return "";
}

std::string_view to_string(Dof dof)
{
    switch (dof) {
        case Dof::distance:
            return "distance";
        case Dof::trans_x:
            return "transX";
        case Dof::trans_y:
            return "transY";
        case Dof::trans_z:
            return "transZ";
        case Dof::rot_x:
            return "rotX";
        case Dof::rot_y:
            return "rotY";
        case Dof::rot_z:
            return "rotZ";
    }
    return "";
}

}  // namespace mechane::physics

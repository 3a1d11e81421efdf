#pragma once
#include "mechane/geometry/mesh.h"
#include "mechane/math/pose.h"

namespace mechane::geometry {

/// Mass properties in some frame.
struct MassProperties {
    double mass = 0;   ///< [kg], or the volume [m^3] where the density is 1
    Vec3d  com;        ///< centre of mass [m]
    Mat33d inertia{};  ///< about `com`, in the frame's axes [kg m^2]
};

/// Solid shapes of uniform density [kg/m^3] about their own centre of mass; formulas of the classical solids.
/// `half_height` is half the cylinder's (or cone's) height along z, caps of the capsule excluded.
MassProperties sphere_mass(double radius, double density);
MassProperties box_mass(const Vec3d& half_extents, double density);
MassProperties capsule_mass(double radius, double half_height, double density);
MassProperties cylinder_mass(double radius, double half_height, double density);
/// Apex at +half_height, base at -half_height; the centre of mass lies at -half_height/2.
MassProperties cone_mass(double radius, double half_height, double density);
MassProperties ellipsoid_mass(const Vec3d& semi_axes, double density);
/// Solid bounded by a closed mesh whose points are multiplied by `scale`: signed tetrahedra to the origin (Mirtich
/// 1996). A mesh wound inwards gives the same result as one wound outwards. The sums of an open mesh depend on the
/// origin; `is_closed` (geometry/mesh.h) tells.
MassProperties mesh_mass(const Mesh& mesh, const Vec3d& scale, double density);
/// A wall of `2 * thickness` [m], centred on the surface of the scaled mesh: one prism per triangle. Overlaps at edges
/// count twice.
MassProperties mesh_shell_mass(const Mesh& mesh, const Vec3d& scale, double thickness, double density);

/// What remains of `outer` when `inner`, given in the same frame and contained in it, is taken away.
MassProperties hollow(const MassProperties& outer, const MassProperties& inner);

/// The same body seen from frame A, when it is given in frame B with pose X_AB.
MassProperties transformed(const MassProperties& body, const Posed& X_AB);
/// Two bodies as one, by the parallel-axis theorem.
MassProperties combined(const MassProperties& a, const MassProperties& b);

/// Eigenvalues of a symmetric matrix, ascending in no particular order, with the rotation whose columns are the
/// eigenvectors: `m = R diag(values) R^T`, R proper.
struct PrincipalAxes {
    Vec3d values;
    Quatd rotation;
};
PrincipalAxes principal_axes(const Mat33d& symmetric);

}  // namespace mechane::geometry

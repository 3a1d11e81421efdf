#pragma once
#include "mechane/model/types.h"
#include "mechane/physics/types.h"

namespace mechane::importer {

/// The turn that takes +z onto an axis: model shapes with an axis have it along z.
inline Quatd onto_axis(physics::Axis axis) { return rotation_between(Vec3d{0, 0, 1}, physics::unit_vector(axis)); }

/// `rotation` followed, in its own frame, by the turn onto `axis`. With `single` the product is formed in single
/// precision, as Newton does: half turns come out exact there, while the doubles of two rounded factors keep a residue
/// of 2e-8.
inline Quatd turned_onto(const Quatd& rotation, physics::Axis axis, bool single)
{
    if (!single) return rotation * onto_axis(axis);
    return Quatd(QuatT<float>(rotation) * QuatT<float>(onto_axis(axis)));
}

/// A matrix as position, rotation and lengths of its rows; a mirroring one gets a negative first length.
struct PlacedScale {
    Posed pose;
    Vec3d scale{1, 1, 1};
};
PlacedScale placed_scale(const usd::Matrix4d& m);

}  // namespace mechane::importer

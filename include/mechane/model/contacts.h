#pragma once
#include <cstdint>
#include <vector>

#include "mechane/math/vec.h"
#include "mechane/model/custom.h"

namespace mechane::model {

/// Contacts of one collide call, structure of arrays under Newton's names. Rows beyond `rigid_contact_count` are
/// undefined.
///
/// With X0, X1 the poses of the two bodies: the distance, margins subtracted, is
/// `dot(n, X1*point1 - X0*point0) - margin0 - margin1`, and the effective surface points are `X0*(point0 + offset0)`,
/// `X1*(point1 + offset1)`. Points are stored in body frames and so stay valid while the bodies move.
struct Contacts {
    std::int32_t rigid_contact_count  = 0;  ///< valid rows
    std::int32_t rigid_contact_needed = 0;  ///< demand; above `capacity()` the deepest contacts were kept
    std::int32_t contact_generation   = 0;  ///< collide counter

    std::vector<std::int32_t> rigid_contact_shape0, rigid_contact_shape1;
    std::vector<Vec3>         rigid_contact_point0, rigid_contact_point1;  ///< body frame (world frame for static) [m]
    std::vector<Vec3>         rigid_contact_offset0, rigid_contact_offset1;  ///< body frame [m]
    std::vector<Vec3>         rigid_contact_normal;                          ///< world, from shape 0 to shape 1
    std::vector<Real>         rigid_contact_margin0, rigid_contact_margin1;  ///< effective radius plus shape margin [m]
    std::vector<Real>         rigid_contact_distance;  ///< margins subtracted, negative in penetration [m]
    std::vector<std::uint64_t>
                      rigid_contact_feature;  ///< stable between steps for one pair of features; key of warm starting
    std::vector<Vec3> rigid_contact_force;    ///< on body 1 by body 0, world axes [N]; filled by the solver

    CustomArrays custom_arrays;  ///< one entry for each row of the capacity

    /// Values of a custom attribute of contacts. @error MODEL_CUSTOM_UNKNOWN
    template <class T>
    [[nodiscard]] Result<std::span<T>> custom(std::string_view key)
    { return custom_values<T>(custom_arrays, key, CustomAssignment::contact); }
    /// Fills the custom attributes with their defaults, at the length of the capacity, as each collide call does.
    void reset_custom(const CustomArrays& declared);

    [[nodiscard]] std::size_t capacity() const { return rigid_contact_shape0.size(); }
    void                      resize(std::size_t capacity);
};

}  // namespace mechane::model

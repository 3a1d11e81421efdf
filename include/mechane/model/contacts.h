#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "mechane/math/vec.h"
#include "mechane/model/custom.h"

namespace mechane::model {

/// Contacts of particles with shapes, under Newton's names; rows beyond the count are undefined.
/// Rows grow as they are needed unless the pipeline has a bound for them.
struct SoftContacts {
    std::int32_t soft_contact_count  = 0;  ///< valid rows
    std::int32_t soft_contact_needed = 0;  ///< demand; above the count some found no room
    /// Edges and triangles have been looked at as well; solvers that know particles alone refuse such contacts.
    bool                      soft_contact_full_surface = false;
    std::vector<std::int32_t> soft_contact_particle;  ///< -1 for an edge or a triangle
    /// Particles, with -1 behind them: (p, -1, -1), of an edge (v0, v1, -1), of a triangle (v0, v1, v2).
    std::vector<std::array<std::int32_t, 3>> soft_contact_indices;
    /// Weights of those, sum 1: the place of the contact. A weight of exactly 0 says that the place is on a smaller
    /// feature, which has a row of its own.
    std::vector<Vec3> soft_contact_barycentric;  ///< [-]
    /// Index in the model.
    std::vector<std::int32_t> soft_contact_shape;
    std::vector<Vec3>         soft_contact_body_pos;  ///< on the raw surface, body frame (world for static shapes) [m]
    std::vector<Vec3>         soft_contact_body_vel;  ///< of the surface against its body, body frame [m/s]
    std::vector<Vec3>         soft_contact_normal;    ///< unit, world, from the shape to the particle; dimensionless

    /// Rows that there is room for.
    [[nodiscard]] std::size_t soft_capacity() const { return soft_contact_particle.size(); }
    /// Makes room; rows that are there stay. New ones hold zeros.
    void resize_soft(std::size_t capacity);
};

/// Contacts of one collide call, structure of arrays under Newton's names. Rows beyond `rigid_contact_count` are
/// undefined.
///
/// With X0, X1 the poses of the two bodies: the distance, margins subtracted, is
/// `dot(n, X1*point1 - X0*point0) - margin0 - margin1`, and the effective surface points are `X0*(point0 + offset0)`,
/// `X1*(point1 + offset1)`. Points are stored in body frames and so stay valid while the bodies move.
struct Contacts : SoftContacts {
    std::int32_t rigid_contact_count  = 0;  ///< valid rows
    std::int32_t rigid_contact_needed = 0;  ///< demand; above `capacity()` the deepest contacts were kept
    std::int32_t contact_generation   = 0;  ///< collide counter

    /// Indices in the model; which of a pair is shape 0 follows from their kinds.
    std::vector<std::int32_t> rigid_contact_shape0, rigid_contact_shape1;
    std::vector<Vec3>         rigid_contact_point0, rigid_contact_point1;  ///< body frame (world frame for static) [m]
    /// From the point to the effective surface: the radius of a round shape and the margin, along the normal.
    std::vector<Vec3> rigid_contact_offset0, rigid_contact_offset1;  ///< body frame [m]
    std::vector<Vec3> rigid_contact_normal;  ///< unit, world, from shape 0 to shape 1; dimensionless
    std::vector<Real> rigid_contact_margin0, rigid_contact_margin1;  ///< effective radius plus shape margin [m]
    std::vector<Real> rigid_contact_distance;  ///< margins subtracted, negative in penetration [m]
    /// Stable between steps for one pair of features; key of warm starting.
    std::vector<std::uint64_t> rigid_contact_feature;
    std::vector<Vec3>          rigid_contact_force;  ///< on body 1 by body 0, world axes [N]; filled by the solver
    /// The couple of friction against spinning and rolling, on body 1 by body 0, world axes [N m]; filled by the
    /// solver.
    std::vector<Vec3> rigid_contact_torque;  ///< [N m]
    /// Of pressure contacts; empty where the pipeline makes none. Stiffness [N/m] and damping [N s/m] of this contact,
    /// 0: those of the materials; factor of the friction coefficient, 0: none.
    std::vector<Real> rigid_contact_stiffness, rigid_contact_damping, rigid_contact_friction;  ///< [N/m], [N s/m], [-]

    // -- matching with the call before, where the pipeline does it
    /// Row of the call before that this row continues; -1: no contact of this pair before; -2: none close enough.
    std::vector<std::int32_t> rigid_contact_match_index;
    std::int32_t rigid_contact_match_generation = -1;  ///< generation that the indices mean; -1: none or another buffer
    std::vector<std::int32_t> rigid_contact_new_indices, rigid_contact_broken_indices;  ///< of this call, of the last

    CustomArrays custom_arrays;  ///< one entry for each row of the capacity

    /// Values of a custom attribute of contacts. @error MODEL_CUSTOM_UNKNOWN
    template <class T>
    [[nodiscard]] Result<std::span<T>> custom(std::string_view key)
    { return custom_values<T>(custom_arrays, key, CustomAssignment::contact); }
    /// Fills the custom attributes with their defaults, at the length of the capacity, as each collide call does.
    void reset_custom(const CustomArrays& declared);

    /// Rows that there is room for, whether they are valid or not.
    [[nodiscard]] std::size_t capacity() const { return rigid_contact_shape0.size(); }
    /// Makes room for so many rows, or cuts them; rows within it stay.
    void resize(std::size_t capacity);
    /// Rows with a stiffness of their own from here on.
    void with_stiffness();
    /// Forgets all rows; the arrays keep their length. One more generation.
    void clear();
    /// The generation after this one: never negative.
    [[nodiscard]] std::int32_t next_generation() const
    { return contact_generation == std::numeric_limits<std::int32_t>::max() ? 0 : contact_generation + 1; }
};

}  // namespace mechane::model

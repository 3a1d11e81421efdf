#pragma once
#include <cstdint>

/// What a model of alike worlds is to the kernels: plain arrays. The structure is one for all worlds; numbers lie in
/// sets, one for all worlds or one for each.
namespace mechane::device {

enum class LinkKind : std::int16_t { free, ball, axes };

/// A body that moves with the joint that holds it; indices are those of one world.
struct LinkPlan {
    LinkKind     kind   = LinkKind::axes;
    std::int16_t parent = -1;  ///< link, -1 at a root
    std::int16_t root   = 0;   ///< link of the root of its tree
    std::int16_t single = 0;   ///< a free body by itself
    std::int16_t dof = 0, dofs = 0, linear = 0;
    std::int16_t coord = 0, coords = 0;                   ///< in the kernel's own coordinates
    std::int16_t body = 0;                                ///< in body_q
    std::int16_t q = 0, qd = 0;                           ///< of its joint, in joint_q and joint_qd
    std::int16_t child_begin = 0, child_end = 0;          ///< in `children`
    std::int16_t last_dof                          = -1;  ///< the last dof on the way from the root, its own included
    bool         operator==(const LinkPlan&) const = default;
};
struct DofPlan {
    std::int16_t link = 0, axis = 0;
    std::int16_t depth                            = 0;   ///< dofs above it
    std::int16_t end                              = 0;   ///< dofs [itself, end) hang on it
    std::int16_t qd                               = -1;  ///< in joint_qd; -1: of a free link
    std::int16_t coord                            = -1;  ///< in the kernel's coordinates, of scalar dofs
    std::int16_t target_q                         = -1;  ///< in joint_target_q, of scalar dofs
    std::int32_t row                              = 0;   ///< its row of depth + 1 numbers, and its path in `paths`
    bool         operator==(const DofPlan&) const = default;
};
struct TreePlan {
    std::int16_t link_begin = 0, link_end = 0, dof_begin = 0, dof_end = 0;
    bool         operator==(const TreePlan&) const = default;
};

enum class PairKind : std::int16_t {
    plane_sphere,
    plane_capsule,
    plane_box,
    plane_cylinder,
    plane_vertices,  ///< of a hull
    vertices_plane,  ///< of a mesh, which comes first
    sphere_sphere,
    sphere_capsule,
    sphere_cylinder,
    sphere_box,
    capsule_capsule,
    capsule_box,
    box_box
};
struct ShapePlan {
    std::int16_t link         = -1;  ///< -1: static
    std::int16_t rolls        = 0;   ///< 1: a cylinder
    std::int32_t vertex_begin = 0, vertex_end = 0;
    bool         operator==(const ShapePlan&) const = default;
};
struct PairPlan {
    PairKind     kind   = PairKind::plane_sphere;
    std::int16_t shape0 = 0, shape1 = 0;
    bool         operator==(const PairPlan&) const = default;
};

/// What is done with a world between steps.
enum PlaceMode : unsigned char { kLeave = 0, kPlaceAndForget = 1, kPlace = 2, kReset = 3 };

/// Numbers of a link, dof, shape and pair in a set.
namespace link_number {
inline constexpr int com = 0, mass = 3, inertia = 4 /* xx xy xz yy yz zz */, X_PJ = 10, X_CJ = 17, axis = 24,
                     count = 33;
}
namespace dof_number {
inline constexpr int armature = 0, friction = 1, damping = 2, stiffness = 3, ke = 4, kd = 5,
                     rated = 6 /* 1: asks for a rate */, effort = 7, fastest = 8, lower = 9, upper = 10, limit_ke = 11,
                     limit_kd = 12, rest = 13, flags = 14 /* DofFlag */, rest_y = 15, rest_z = 16,
                     rest_w = 17 /* of a ball's first dof */, count = 18;
}
enum DofFlag : int { kHasLower = 1, kHasUpper = 2, kStiffLimit = 4, kAcceleration = 8 };
namespace shape_number {
inline constexpr int p = 0, q = 3, size = 7, margin = 10, gap = 11, radius = 12 /* about the origin */, core = 13,
                     middle = 14, reach = 17 /* of the ball about the middle */, touching = 18, count = 19;
}
namespace pair_number {
inline constexpr int mu_static = 0, mu_dynamic = 1, restitution = 2, torsional = 3, rolling = 4, count = 5;
}

/// A contact that a step found, and what the step did with it.
template <class T>
struct FoundContact {
    std::int32_t  pair    = 0;
    std::int32_t  turns   = 0;  ///< few enough points of the pair touch for friction against turning
    std::uint64_t feature = 0;
    T             point[2][3];  ///< core points in the frames of the bodies
    T             start[2][3];  ///< where they were at the start of the step
    T             normal[3];
    T             margin[2];
    T             distance;  ///< at the start of the step
    T             force[3];  ///< mean over the step, world [N]
};
/// What a contact remembers from step to step: forces and drift as world vectors.
template <class T>
struct ContactMemory {
    std::int32_t  pair    = 0;
    std::uint64_t feature = 0;
    T             normal[3], force, friction[3], drift[3], torque[3];
};
/// What a dof remembers: impulses of its rows, and on which side its drive is saturated.
namespace dof_memory {
inline constexpr int lower = 0, upper = 1, friction = 2, saturated = 3, count = 4;
}

/// Sizes of a world, and where its arrays begin in the workspace [numbers].
struct Layout {
    int links = 0, dofs = 0, coords = 0, trees = 0, levels = 0, shapes = 0, pairs = 0, entries = 0, bodies = 0;
    int joint_coords = 0, joint_dofs = 0, deepest = 0;  ///< most dofs on a way
    int contacts = 0, rows = 0;                         ///< room
    int near_contacts = 0, near_rows = 0;  ///< of these, in the workspace; the others lie in Batch::far_room
    int far_rows = 0, far_size = 0;        ///< where their rows begin there [numbers], and its size for a world
    int params = 0, gravity = 0, link_params = 0, dof_params = 0, shape_params = 0, pair_params = 0;  ///< of a set
    // workspace
    int pose = 0, turn = 0, com = 0, twist = 0, velocity = 0, inertia = 0, accel = 0, force = 0, composite = 0,
        column = 0, momentum = 0, q = 0, v = 0, x = 0, tau = 0, diagonal = 0, gains = 0, error = 0, roots = 0, u = 0,
        mass = 0, factor = 0, white = 0, dof_rows = 0, active = 0, law = 0, row = 0, arms = 0, shape_pose = 0, size = 0;
};

/// Everything a kernel reads and writes, by value.
template <class T>
struct Batch {
    Layout              at;
    const LinkPlan*     links;
    const DofPlan*      dofs;
    const TreePlan*     trees;
    const std::int16_t *level_begin, *level_links, *children;  ///< links by level, roots first
    const std::int16_t* paths;                                 ///< dofs from the root, for each dof [entries]
    const std::int16_t* entry_dof;                             ///< [entries]
    const ShapePlan*    shapes;
    const PairPlan*     pairs;
    const T*            vertices;  ///< of hulls and meshes
    const T*            params;    ///< sets of numbers
    const std::int32_t* set_of;    ///< [worlds]
    // state, layout of the model
    float *       joint_q, *joint_qd, *body_q, *body_qd;
    const float * target_q, *target_qd, *joint_f, *body_f;
    const float * start_q, *start_qd;
    std::int32_t *contact_count, *faults;
    // from step to step
    T*                dof_memory;  ///< [worlds, dofs, dof_memory::count]
    ContactMemory<T>* memory;      ///< [worlds, contacts]
    std::int32_t*     memory_count;
    FoundContact<T>*  found;       ///< [worlds, contacts]
    T*                far_room;    ///< [worlds, far_size]
    std::int16_t*     near_pairs;  ///< [worlds, pairs]
    int               worlds, substeps;
    double            dt, speculative;
};

}  // namespace mechane::device

#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mechane/model/builder.h"

/// Chains and graphs of segments as rigid capsules that rod joints hold together.
namespace mechane::importer {

/// How a rod resists at one joint [N/m], [N m/rad]; damping [N s/m], [N m s/rad].
struct RodGains {
    double stretch = 1e5, shear = 1e5, bend = 0, twist = 0;
    double stretch_damping = 0, shear_damping = 0, bend_damping = 0, twist_damping = 0;
};

/// Straight segments between nodes, in the builder's world.
struct RodGraph {
    std::vector<Vec3d>                       nodes;
    std::vector<std::array<std::int32_t, 2>> edges;       ///< from node to node
    std::vector<double>                      radii;       ///< of each edge [m]
    std::vector<Quatd>                       frames;      ///< of each edge: +z along it
    std::vector<Vec3d>                       rest_nodes;  ///< at rest; empty: as now
    std::vector<Quatd> rest_frames;                       ///< of each edge at rest; empty: carried along with the edges
    bool               closed = false;                    ///< the last edge ends where the first begins
    std::string        label;
    model::ShapeConfig shape;
    Vec3d              color;
    /// The node that another joint than a FREE one holds, and what makes that joint: from the body and the anchor in it
    /// to the joint's index.
    std::int32_t                                                     root = -1;
    std::function<std::int32_t(std::int32_t body, const Posed& X_C)> add_root;
    std::int32_t root_articulation = -1;  ///< the articulation that the root joint extends; -1: a new one
};

/// What a graph became, indices of the builder.
struct RodParts {
    std::vector<std::int32_t>                bodies;                ///< of each edge
    std::vector<std::int32_t>                joints;                ///< the rod joints
    std::vector<std::array<std::int32_t, 2>> joint_edges;           ///< parent and child edge of each of them
    std::vector<std::int32_t>                joint_nodes;           ///< the node of each of them
    std::vector<std::int32_t>                roots, articulations;  ///< of each tree
    std::vector<double>                      rest_lengths;          ///< of each edge [m]
};

/// The frame of a segment along a unit vector with the least turn from +z, and one that turns about the segment so that
/// +y points to `normal`; a normal along the segment leaves the least turn.
Quatd segment_frame(const Vec3d& direction);
Quatd segment_frame(const Vec3d& direction, const Vec3d& normal);
/// A frame carried along from one direction to another by the least turn.
Quatd carried(const Quatd& frame, const Vec3d& from, const Vec3d& to);

/// Adds the bodies, their capsules, the root joints, the rod joints by breadth from each tree's first edge, and an
/// articulation for each tree; a joint that closes a ring stays outside of it.
RodParts add_rod_graph(model::ModelBuilder& builder, const RodGraph& graph);
void     set_rod_gains(model::BuilderJoint& joint, const RodGains& gains);
/// A segment's mass, and the inertia of its capsule with that mass.
void set_segment_mass(model::ModelBuilder& builder, std::int32_t body, double mass);

}  // namespace mechane::importer

#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/math/pose.h"

namespace mechane::model {

class ModelBuilder;

/// What became of bodies and joints when fixed joints were collapsed. Indices before and after.
/// For callers that hold indices of the builder, such as the maps of an import.
struct CollapseResult {
    std::vector<std::int32_t>            body_remap;  ///< by old index; of a merged body its survivor, -1 for the world
    std::vector<std::int32_t>            joint_remap;         ///< by old index; -1: gone
    std::map<std::int32_t, std::int32_t> body_merged_parent;  ///< old index -> old index of the survivor, -1: the world
    std::map<std::int32_t, Posed>        body_merged_transform;  ///< old index -> pose in the survivor, or in the world
};

/// What stays although a fixed joint holds it.
struct CollapseKeep {
    std::vector<std::string>  joints;  ///< labels
    std::vector<std::int32_t> bodies;  ///< indices of bodies that something else needs as a frame
};

/// About which point the inertia of a merged body is added to its survivor's.
enum class MergedInertia {
    center_of_mass,   ///< of the two together (parallel-axis theorem)
    survivor_origin,  ///< as Newton 1.8 does, whatever the centres of mass of the two are
};

/// Merges every body that an enabled FIXED joint of an articulation holds into that joint's parent: shapes move with
/// it, mass, centre of mass and inertia are combined, other joints are anchored to the
/// survivor, custom attributes follow their entities. A body held to the world becomes part of it. Articulations
/// without joints vanish. FIXED joints outside articulations stay and are reported, as are joints that both ends of
/// which end up on one body, which go.
CollapseResult collapse_fixed_joints(ModelBuilder& builder, const CollapseKeep& keep, Diagnostics& found,
                                     MergedInertia inertia = MergedInertia::center_of_mass);

}  // namespace mechane::model

#pragma once
#include <cstdint>
#include <vector>

#include "device/kernels/plan.h"
#include "mechane/device/device_batch.h"

/// A model of alike worlds flattened into the arrays of device/kernels/plan.h.
namespace mechane::device {

/// The structure, which all worlds share.
struct Structure {
    std::vector<LinkPlan>     links;
    std::vector<DofPlan>      dofs;
    std::vector<TreePlan>     trees;
    std::vector<std::int16_t> level_begin, level_links, children, paths, entry_dof;
    std::vector<ShapePlan>    shapes;
    std::vector<PairPlan>     pairs;
    std::vector<double>       vertices;
    bool                      operator==(const Structure&) const = default;
};

/// Numbers and start state of all worlds. Computed in double, narrowed where the kernels' are single.
struct Plan {
    Structure                 structure;
    Layout                    at;  ///< without the workspace, which depends on the precision
    std::vector<double>       sets;
    std::vector<std::int32_t> set_of;                              ///< [worlds]
    std::vector<std::int32_t> shape_of;                            ///< [worlds, shapes]: of the model
    std::vector<std::int32_t> body_begin, coord_begin, dof_begin;  ///< [worlds]: where a world's lie in the model
    std::vector<float>        start_q, start_qd;                   ///< layout of the model
    std::int32_t              worlds = 0;
};

/// @error DEV_NOT_SUPPORTED, DEV_NOT_ALIKE, DEV_OPTION
Result<Plan> make_plan(const model::Model& model, const BatchOptions& options);

/// Fills in where the arrays of the workspace begin, for numbers of type T.
/// @param near  for how many contacts it has room; those beyond lie in Batch::far_room
template <class T>
Layout with_workspace(Layout at, int near);

}  // namespace mechane::device

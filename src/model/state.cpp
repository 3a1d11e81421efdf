#include "mechane/model/state.h"

#include <algorithm>

#include "mechane/model/model.h"

namespace mechane::model {

namespace {

CustomArrays arrays_of(const Model& model, CustomAssignment assignment)
{
    CustomArrays out;
    out.declared = model.custom_arrays.declared;
    for (const CustomArray& array : model.custom_arrays.arrays)
        if (array.assignment == assignment) out.arrays.push_back(array);
    return out;
}

}  // namespace

State make_state(const Model& model)
{
    State state;
    state.body_q        = model.body_q;
    state.body_qd       = model.body_qd;
    state.body_f        = std::vector<Spatial>(model.body_count());
    state.joint_q       = model.joint_q;
    state.joint_qd      = model.joint_qd;
    state.custom_arrays = arrays_of(model, CustomAssignment::state);
    return state;
}

Control make_control(const Model& model)
{
    return {.joint_target_q  = model.joint_target_q,
            .joint_target_qd = model.joint_target_qd,
            .joint_f         = model.joint_f,
            .joint_act       = model.joint_act,
            .custom_arrays   = arrays_of(model, CustomAssignment::control)};
}

void clear(Control& control, const Model& model)
{
    control.joint_target_q = model.joint_target_q;
    control.joint_target_qd.assign(model.joint_dof_count(), 0);
    control.joint_f.assign(model.joint_dof_count(), 0);
    control.joint_act.assign(model.joint_dof_count(), 0);
    control.custom_arrays = arrays_of(model, CustomAssignment::control);
}

void clear_forces(State& state) { std::ranges::fill(state.body_f, Spatial{}); }

bool same_layout(const State& a, const State& b)
{
    return a.body_q.size() == b.body_q.size() && a.body_qd.size() == b.body_qd.size() &&
           a.body_f.size() == b.body_f.size() && a.joint_q.size() == b.joint_q.size() &&
           a.joint_qd.size() == b.joint_qd.size() &&
           std::ranges::equal(a.custom_arrays.arrays, b.custom_arrays.arrays,
                              [](const CustomArray& x, const CustomArray& y) {
                                  return x.key == y.key && x.type == y.type && x.size() == y.size();
                              });
}

}  // namespace mechane::model

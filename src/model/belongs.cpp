// Whether a state, commands or contacts fit a model: sizes of arrays and indices of shapes. Called at every boundary
// where a caller may have resized arrays; numbers are not looked at.

#include "mechane/model/belongs.h"

namespace mechane::model {

bool fits(const Model& model, const State& state) noexcept
{
    const std::size_t bodies = model.body_count(), particles = model.particle_count();
    return state.body_q.size() == bodies && state.body_qd.size() == bodies &&
           (state.body_f.empty() || state.body_f.size() == bodies) &&
           state.joint_q.size() == model.joint_coord_count() && state.joint_qd.size() == model.joint_dof_count() &&
           state.particle_q.size() == particles && state.particle_qd.size() == particles &&
           (state.particle_f.empty() || state.particle_f.size() == particles);
}

bool fits(const Model& model, const Control& control) noexcept
{
    // Empty arrays of commands stand for those of the model.
    const auto either = [](std::size_t size, std::size_t wanted) { return size == 0 || size == wanted; };
    return either(control.joint_target_q.size(), model.joint_coord_count()) &&
           either(control.joint_target_qd.size(), model.joint_dof_count()) &&
           either(control.joint_f.size(), model.joint_dof_count()) &&
           either(control.joint_act.size(), model.joint_dof_count()) &&
           either(control.body_target_q.size(), model.body_count()) &&
           either(control.tri_activations.size(), model.tri_activations.size()) &&
           either(control.tet_activations.size(), model.tet_activations.size());
}

bool fits(const Model& model, const Contacts& contacts) noexcept
{
    if (contacts.rigid_contact_count < 0 ||
        static_cast<std::size_t>(contacts.rigid_contact_count) > contacts.capacity())
        return false;
    const auto known = [&](std::int32_t shape) {
        return shape >= 0 && static_cast<std::size_t>(shape) < model.shape_count();
    };
    for (std::size_t i = 0; i < static_cast<std::size_t>(contacts.rigid_contact_count); ++i)
        if (!known(contacts.rigid_contact_shape0[i]) || !known(contacts.rigid_contact_shape1[i])) return false;
    return true;
}

}  // namespace mechane::model

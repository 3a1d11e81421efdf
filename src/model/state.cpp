// State and Control of a model: making, clearing, copying of selected worlds. Arrays are those of the model's start;
// forces are zero.

#include "mechane/model/state.h"

#include <algorithm>

#include "mechane/core/failure.h"
#include "mechane/model/belongs.h"
#include "mechane/model/model.h"

namespace mechane::model {

namespace {

// Only what belongs to the object; `declared` lets anybody ask for what exists.
CustomArrays arrays_of(const Model& model, CustomAssignment assignment)
{
    CustomArrays out;
    out.declared = model.custom_arrays.declared;
    for (const CustomArray& array : model.custom_arrays.arrays)
        if (array.assignment == assignment) out.arrays.push_back(array);
    return out;
}

}  // namespace

// The start of the model: states are equal until they are stepped.
State make_state(const Model& model)
{
    State state;
    state.body_q        = model.body_q;
    state.body_qd       = model.body_qd;
    state.body_f        = std::vector<Spatial>(model.body_count());
    state.joint_q       = model.joint_q;
    state.joint_qd      = model.joint_qd;
    state.particle_q    = model.particle_q;
    state.particle_qd   = model.particle_qd;
    state.particle_f    = std::vector<Vec3>(model.particle_count());
    state.custom_arrays = arrays_of(model, CustomAssignment::state);
    return state;
}

Control make_control(const Model& model)
{
    // Commands of the model: targets that were imported, forces of zero unless said.
    return {.joint_target_q  = model.joint_target_q,
            .joint_target_qd = model.joint_target_qd,
            .joint_f         = model.joint_f,
            .joint_act       = model.joint_act,
            .tri_activations = model.tri_activations,
            .tet_activations = model.tet_activations,
            .custom_arrays   = arrays_of(model, CustomAssignment::control)};
}

void clear(Control& control, const Model& model)
{
    // Targets of positions go back to the model's, as zero would be a command.
    control.joint_target_q = model.joint_target_q;
    control.joint_target_qd.assign(model.joint_dof_count(), 0);
    control.joint_f.assign(model.joint_dof_count(), 0);
    control.joint_act.assign(model.joint_dof_count(), 0);
    control.body_target_q.clear();
    std::ranges::fill(control.tri_activations, Real(0));
    std::ranges::fill(control.tet_activations, Real(0));
    control.custom_arrays = arrays_of(model, CustomAssignment::control);
}

void clear_forces(State& state)
{
    std::ranges::fill(state.body_f, Spatial{});
    std::ranges::fill(state.particle_f, Vec3{});
}

namespace {

/// Where bodies, joints and particles are copied from; a model and a state have the same arrays.
template <class From>
void copy_selected(State& state, const From& from, const Model& model, std::span<const std::uint8_t> selected)
{
    // A world beyond the mask is not selected.
    const auto chosen = [&](std::int32_t world) {
        return world >= 0 && static_cast<std::size_t>(world) < selected.size() &&
               selected[static_cast<std::size_t>(world)];
    };
    for (std::size_t b = 0; b < model.body_count(); ++b) {
        if (!chosen(model.body_world[b])) continue;
        state.body_q[b]  = from.body_q[b];
        state.body_qd[b] = from.body_qd[b];
        // Forces belong to what was there before.
        if (b < state.body_f.size()) state.body_f[b] = {};
    }
    // Coordinates of a joint are a range.
    const auto copy = [](const std::vector<Real>& source, std::vector<Real>& to, std::int32_t begin, std::int32_t end) {
        std::copy(source.begin() + begin, source.begin() + end, to.begin() + begin);
    };
    for (std::size_t j = 0; j < model.joint_count(); ++j) {
        if (!chosen(model.joint_world[j])) continue;
        copy(from.joint_q, state.joint_q, model.joint_q_start[j], model.joint_q_start[j + 1]);
        copy(from.joint_qd, state.joint_qd, model.joint_qd_start[j], model.joint_qd_start[j + 1]);
    }
    for (std::size_t i = 0; i < model.particle_count(); ++i) {
        if (!chosen(model.particle_world[i])) continue;
        state.particle_q[i]  = from.particle_q[i];
        state.particle_qd[i] = from.particle_qd[i];
        if (i < state.particle_f.size()) state.particle_f[i] = {};
    }
}

}  // namespace

void reset_worlds(State& state, const Model& model, std::span<const std::uint8_t> selected)
{
    MCH_REQUIRE(fits(model, state), "reset_worlds", "state", "a state of the model");
    copy_selected(state, model, model, selected);
}

void copy_worlds(State& to, const State& from, const Model& model, std::span<const std::uint8_t> selected)
{
    MCH_REQUIRE(fits(model, to), "copy_worlds", "to", "a state of the model");
    MCH_REQUIRE(fits(model, from), "copy_worlds", "from", "a state of the model");
    copy_selected(to, from, model, selected);
}

/// Two states may be exchanged only with equal sizes, custom arrays included.
bool same_layout(const State& a, const State& b)
{
    return a.body_q.size() == b.body_q.size() && a.body_qd.size() == b.body_qd.size() &&
           a.body_f.size() == b.body_f.size() && a.joint_q.size() == b.joint_q.size() &&
           a.joint_qd.size() == b.joint_qd.size() && a.particle_q.size() == b.particle_q.size() &&
           std::ranges::equal(a.custom_arrays.arrays, b.custom_arrays.arrays,
                              [](const CustomArray& x, const CustomArray& y) {
                                  return x.key == y.key && x.type == y.type && x.size() == y.size();
                              });
}

}  // namespace mechane::model

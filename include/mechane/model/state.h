#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mechane/math/pose.h"
#include "mechane/math/spatial.h"
#include "mechane/model/custom.h"

namespace mechane::model {

struct Model;

/// What changes from step to step. Layouts as in Model.
/// A plain value: copy it to keep it. Arrays have the sizes of the model that it was made of, and every function that
/// is given one checks that (`fits`, in every build).
struct State {
    std::vector<Pose>    body_q;   ///< pose of the body frame in the world
    std::vector<Spatial> body_qd;  ///< velocity of the centre of mass [m/s], angular velocity [rad/s]; world axes
    /// External wrench [N, N m] about the centre of mass, world axes; the caller clears it.
    std::vector<Spatial> body_f;
    /// Where both are written, the coordinates win for all bodies but free ones whose body_q alone was written.
    std::vector<Real> joint_q, joint_qd;        ///< [m] or [rad] or quaternions [-]; [m/s] or [rad/s]
    std::vector<Vec3> particle_q, particle_qd;  ///< position [m] and velocity [m/s], world
    std::vector<Vec3> particle_f;               ///< external force [N], world; the caller clears it
    double            time = 0;                 ///< [s]
    CustomArrays      custom_arrays;

    /// Values of a custom attribute of states. @error MODEL_CUSTOM_UNKNOWN
    template <class T>
    [[nodiscard]] Result<std::span<T>> custom(std::string_view key)
    { return custom_values<T>(custom_arrays, key, CustomAssignment::state); }
};

/// What the user commands.
/// Persists from step to step until it is written again. Numbers beyond 1e18 are refused by the face.
struct Control {
    std::vector<Real> joint_target_q;   ///< [m] or [rad], coordinate layout
    std::vector<Real> joint_target_qd;  ///< [m/s] or [rad/s], dof layout
    std::vector<Real> joint_f;    ///< dof layout; on FREE-like joints a world wrench at the child's centre of mass
    std::vector<Real> joint_act;  ///< [N] or [N m], dof layout; kept for programs, no solver here reads it
    /// [body_count] or empty: where kinematic bodies are to be at the end of the next step. Their velocity over the
    /// step is what takes them there; entries of other bodies are not read. Empty: kinematic bodies move along their
    /// body_qd.
    std::vector<Pose> body_target_q;
    std::vector<Real> tri_activations, tet_activations;  ///< [-], of triangles and tetrahedra; empty: as the model
    CustomArrays      custom_arrays;

    /// Values of a custom attribute of controls. @error MODEL_CUSTOM_UNKNOWN
    template <class T>
    [[nodiscard]] Result<std::span<T>> custom(std::string_view key)
    { return custom_values<T>(custom_arrays, key, CustomAssignment::control); }
};

/// The model's initial state; body poses as imported.
/// A free body may lie beside its joint's coordinates only where the importer left it so; `dynamics::project_to_joints`
/// brings them together.
State make_state(const Model& model);
/// The targets, forces and activations that the model stores.
Control make_control(const Model& model);
/// Zero velocities, forces and activations, and no targets of kinematic bodies; position targets of joints come back
/// from the model, so that quaternions stay unit length.
void clear(Control& control, const Model& model);
/// Zero external wrenches of bodies and forces of particles.
void clear_forces(State& state);
/// The initial state again, in the worlds whose entry is not zero [world_count]; the time stays. Custom attributes of
/// bodies and joints are left as they are.
void reset_worlds(State& state, const Model& model, std::span<const std::uint8_t> selected);
/// The worlds whose entry is not zero [world_count] as another state of the model has them; the time stays. Custom
/// attributes are left as they are.
void copy_worlds(State& to, const State& from, const Model& model, std::span<const std::uint8_t> selected);
/// Whether both hold arrays of the same sizes, so that one may be assigned to the other.
/// Says nothing about whether they are of one model.
bool same_layout(const State& a, const State& b);

}  // namespace mechane::model

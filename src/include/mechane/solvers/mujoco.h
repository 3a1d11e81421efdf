#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/solvers/solver.h"

/// MuJoCo's C library as a solver ("mujoco"). Nothing of it is linked: it is loaded when the first such solver is made.
/// It must be of a version that this build has headers of, because the fields of its structures differ.
namespace mechane::solvers {

/// What is known of the library, for those who ask before they make a solver.
struct MujocoLibrary {
    std::vector<std::string> built_for;  ///< versions that this build has headers of; empty: the solver was not built
    std::string              path;       ///< of the library that is or would be loaded; empty: none was found
    std::string              version;    ///< of that library, "3.17.0"; empty where it cannot be loaded
    std::string              problem;    ///< why no solver can be made; empty: one can
};
/// Finds and loads the library, once for the process.
MujocoLibrary mujoco_library();
/// Where to look first: the library, or a folder that holds it or a folder "mujoco" with it. After it comes the
/// environment variable MECHANE_MUJOCO, then a folder "mujoco" beside the program, then .deps/mujoco in a folder above
/// it. Without effect once the library is loaded.
void set_mujoco_library(std::string path);

/// Attributes of the namespace "mujoco" that a model has no arrays for: of tendons, actuators, equalities and contact
/// pairs, and those of more than four numbers. Names, types and meanings are those that Newton 1.8 registers; a table
/// comes before the model's own array of that name.
struct MujocoTable {
    std::size_t              columns = 1;
    std::vector<double>      numbers;  ///< row by row; flags are 0 or 1; a quaternion is x y z w
    std::vector<std::string> texts;    ///< of attributes that are texts
};
using MujocoTables = std::map<std::string, MujocoTable, std::less<>>;

/// An array of the mjModel that a solver steps, under MuJoCo's name; numbers as double.
struct MujocoField {
    std::string         name;
    std::size_t         rows = 0, columns = 0;
    std::vector<double> numbers;
};

/// A solver of MuJoCo's, to look into.
class MujocoSolver {
  public:
    virtual ~MujocoSolver() = default;
    /// mjModels that are stepped: one a world, or one for all.
    [[nodiscard]] virtual std::size_t world_count() const = 0;
    /// Its arrays as they are now.
    [[nodiscard]] virtual std::vector<MujocoField> fields(std::size_t world) const = 0;
    /// Names by id of "body", "joint", "geom", "site", "actuator", "equality", "tendon" or "mesh".
    [[nodiscard]] virtual std::vector<std::string> names(std::size_t world, std::string_view object) const = 0;
    /// What of the model each "body", "geom", "joint" or "dof" stands for, by MuJoCo's id: a body, shape, joint or dof;
    /// -1: none, as the world has. A joint of the model is what all of a body's joints stand for. "equality" and
    /// "tendon": rows of the model; "loop" and "follower": the joint that an equality holds; "control": 1 for an
    /// actuator with a control of its own, 0 for a drive; "actuator": row of that control, or the dof that a drive
    /// holds by position, or -2 less the dof that it holds by velocity.
    [[nodiscard]] virtual std::vector<std::int32_t> origins(std::size_t world, std::string_view object) const = 0;
    /// Forces of the last step in the dofs of the model, [joint_dof_count] [N, N m]: "actuator", "bias" (Coriolis,
    /// centrifugal and gravity forces), "constraint", and "frictionloss", which is part of it. Of free joints the force
    /// and the torque about the centre of mass, of ball joints the torque in the parent's anchor, both in world axes.
    [[nodiscard]] virtual std::vector<double> dof_forces(std::string_view kind) const = 0;
    /// Of each world 1 where contacts or rows of the last step found no room; the next step has more.
    [[nodiscard]] virtual std::vector<std::uint8_t> overflows() const = 0;
    /// The model that is stepped as MJCF.
    /// @error SOLVER_MODEL
    virtual Result<std::string> mjcf(std::size_t world) = 0;
    /// Takes over now what was written to the model, instead of at the next step.
    /// @error SOLVER_MODEL
    virtual Result<void> refresh() = 0;
    /// The mjModel in MuJoCo's binary format (MJB).
    [[nodiscard]] virtual std::vector<std::byte> binary(std::size_t world) const = 0;
    /// qpos and then qvel as they are now.
    [[nodiscard]] virtual std::vector<double> numbers(std::size_t world) const = 0;
    /// Contacts that were given to the last step and touched, 24 numbers each: two geoms, dimensions, distance,
    /// position, normal, 5 of friction, solref, solref of friction, solimp.
    [[nodiscard]] virtual std::vector<double> contacts(std::size_t world) const = 0;
    /// qpos and then qvel of a state in MuJoCo's conventions.
    [[nodiscard]] virtual std::vector<double> push(std::size_t world, const model::State& in) = 0;
    /// What qpos and qvel of MuJoCo's stand for. @return false, with nothing changed, for another number of them
    virtual bool pull(std::size_t world, const std::vector<double>& numbers, model::State& out) = 0;
    /// mj_step alone, for measurements: no state of the caller's follows it. @return false where MuJoCo gave up
    virtual bool bare_step(std::size_t world) = 0;
    /// Other tables; the next step goes by them.
    virtual void set_tables(MujocoTables tables) = 0;
    /// Values of control of actuators that no drive stands for, one a row of "actuator_trntype"; held until changed.
    virtual void set_direct_control(const std::vector<double>& values) = 0;
};

/// A solver of a model with tables.
/// @param choice  "mujoco", or "mujoco:integrator=euler,..."
/// @error SOLVER_UNAVAILABLE  the library is not built in, not found, or of another version; SOLVER_PARAMETER;
/// SOLVER_MODEL  the model has something that MuJoCo cannot step
Result<std::unique_ptr<Solver>> make_mujoco(std::string_view choice, const model::Model& model,
                                            const SolverOptions& options, MujocoTables tables, Diagnostics& out);

}  // namespace mechane::solvers

#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/math/spatial.h"
#include "solvers/mujoco/description.h"

// MuJoCo's library behind an interface without its headers. An adapter of each version implements it; nothing is
// linked, every function is looked up at run time.

namespace mechane::solvers::mujoco {

/// Where things of a Description are in a compiled model.
struct Addresses {
    std::vector<std::int32_t> body, geom, joint, equality;  ///< ids
    std::vector<std::int32_t> qpos, qvel;                   ///< first number of each joint
    std::vector<std::int32_t> ctrl;                         ///< first control of each actuator
    std::vector<std::int32_t> geom_of;                      ///< by MuJoCo's id: index of the description, -1: none
};

/// An array of a compiled model under MuJoCo's name, for looking at.
struct Field {
    std::string_view name;
    enum class Type : std::uint8_t { real, integer, flag } type = Type::real;
    const void* data                                            = nullptr;
    std::size_t rows = 0, columns = 0;
};

/// A contact as MuJoCo has it, with the force of the last step.
struct FoundContact {
    std::int32_t geom0 = -1, geom1 = -1;  ///< of the description
    Vec3d        position, normal;        ///< midpoint; from geom0 to geom1, world
    double       distance = 0;            ///< margins not subtracted
    Vec3d        force, torque;           ///< on geom1, world [N], [N m]
};

/// A contact that somebody else found, where its bodies are.
struct GivenContact {
    std::int32_t          geom0 = -1, geom1 = -1;  ///< of the description
    Vec3d                 position, normal;        ///< midpoint; from geom0 to geom1, world
    double                distance   = 0;          ///< margins subtracted
    std::int32_t          dimensions = 3;          ///< 1, 3, 4 or 6
    std::array<double, 5> friction{};              ///< two tangents, spin, two of rolling
    Solref                solref = kSolref;
    Solimp                solimp = kSolimp;
    Solref                solref_friction{};  ///< zero: as `solref`
    Vec3d                 force, torque;      ///< filled by the step: on geom1, world [N], [N m]
};

/// Numbers of one world that a caller reads and writes; valid as long as the world lives.
struct Numbers {
    std::span<double> qpos, qvel, ctrl, qfrc_applied, xfrc_applied;  ///< xfrc: force and torque of each body
    std::span<double> qfrc_actuator, qfrc_bias, qfrc_constraint;
};

/// What a step came to.
struct Outcome {
    bool        failed   = false;  ///< MuJoCo gave up; the text says why
    bool        unstable = false;  ///< MuJoCo found numbers beyond bounds
    bool        full     = false;  ///< contacts or rows found no room
    std::string text;
};

/// One mjData.
class World {
  public:
    virtual ~World()                               = default;
    [[nodiscard]] virtual const Numbers& numbers() = 0;
    /// A step with MuJoCo's own contacts, by the time that the model has.
    virtual Outcome step() = 0;
    /// The same with contacts of others; fills in their forces.
    virtual Outcome step(std::span<GivenContact> contacts) = 0;
    /// Contacts of the last step that are constraints, in MuJoCo's order, with forces.
    virtual void found(std::vector<FoundContact>& out) = 0;
    /// What constrained the last step.
    struct Rows {
        std::int32_t contacts = 0, limits = 0, equalities = 0;
        double       deepest = 0;  ///< penetration [m], positive
    };
    [[nodiscard]] virtual Rows rows() const = 0;
    /// What of qfrc_constraint is friction of dofs, of the last step, [nv].
    [[nodiscard]] virtual std::vector<double> friction_forces() const = 0;
    /// Accelerations and joint wrenches of the last step, to be asked for body by body afterwards.
    virtual Outcome prepare_inner_forces() = 0;
    /// @param body          of the description
    /// @param acceleration  of the centre of mass, angular: world axes, gravity included
    /// @param inbound       by the parent on the body, about its centre of mass
    virtual void inner_forces(std::int32_t body, Spatiald& acceleration, Spatiald& inbound) = 0;
    virtual void set_active(std::int32_t equality, bool active)                             = 0;
    /// Forgets what steps hand on, the warm start among it.
    virtual void reset() = 0;
    /// Everything that a step hands on to the next besides qpos and qvel.
    [[nodiscard]] virtual std::vector<double> memory() const = 0;
    /// @return false, with nothing changed, for numbers of another length
    virtual bool remember(std::span<const double> numbers) = 0;
};

/// One mjModel; worlds of it may step on several threads, while nothing is written to it.
class Compiled {
  public:
    virtual ~Compiled()                                      = default;
    [[nodiscard]] virtual const Addresses& addresses() const = 0;
    /// @error SOLVER_MODEL  no memory
    [[nodiscard]] virtual Result<std::unique_ptr<World>> make_world() = 0;
    /// [s]
    virtual void set_time_step(double h) = 0;
    /// Takes over the numbers of a description that differs in numbers alone.
    virtual void                                          update(const Description& what)         = 0;
    [[nodiscard]] virtual std::vector<Field>              fields() const                          = 0;
    [[nodiscard]] virtual std::vector<std::string>        names(std::string_view object) const    = 0;
    [[nodiscard]] virtual double                          body_invweight(std::int32_t body) const = 0;
    [[nodiscard]] virtual const std::vector<std::string>& warnings() const                        = 0;
    /// The model in MuJoCo's binary format.
    [[nodiscard]] virtual std::vector<std::byte> binary() const = 0;
};

/// A loaded library.
class Backend {
  public:
    virtual ~Backend()                                     = default;
    [[nodiscard]] virtual std::string_view version() const = 0;  ///< "3.17.0"
    /// @error SOLVER_MODEL  MuJoCo's compiler refuses; its words are in the message
    [[nodiscard]] virtual Result<std::unique_ptr<Compiled>> compile(const Description& what) const = 0;
    /// The model as MJCF, with what is known after compilation alone: limits given by stiffness and damping.
    /// @error SOLVER_MODEL  as of `compile`
    [[nodiscard]] virtual Result<std::string> mjcf(const Description& what) const = 0;
};

/// Makes the adapter of a version from a handle of dlopen; null where a function is missing, named in `problem`.
using MakeBackend = std::unique_ptr<Backend> (*)(void* handle, std::string& problem);

}  // namespace mechane::solvers::mujoco

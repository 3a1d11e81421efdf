#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechane/math/pose.h"
#include "mechane/model/changes.h"
#include "mechane/model/state.h"
#include "mechane/usd/stage.h"

namespace mechane::importer {

class AnimatedMasses;

/// What of a model an animated attribute sets.
/// Everything else that is animated is held at its first value.
enum class Animated : std::uint8_t {
    target_position,
    target_velocity,
    drive_stiffness,
    drive_damping,
    drive_force,  ///< the largest force of the drive
    limit_lower,
    limit_upper,
    cone,         ///< half angle of a ball's cone; `axis` says which of the two
    break_force,  ///< of a joint
    break_torque,
    joint_enabled,  ///< also whether the joint keeps its sides from colliding
    shape_enabled,
    friction,
    static_friction,
    restitution
};

/// An attribute with samples or a spline, and the number in the model that follows it.
/// One row for each attribute, bound to the model by labels, so that copies of a world follow it too.
struct AnimatedValue {
    Animated                 what = Animated::target_position;
    std::vector<std::string> labels;           ///< of the joint, or of the shapes, in the model
    bool                     angular = false;  ///< of joints: the axis is one of the angular ones
    std::size_t              axis    = 0;      ///< place among the joint's axes of that kind
    usd::Path                prim;
    /// The attribute that is read, on the stage.
    usd::Token property;
    double     unit = 1, offset = 0;  ///< model = unit * authored + offset; SI, radians
    double     largest = kInfinity;   ///< of a drive's force: what bounds it besides
    /// Pairs of shapes, by label, that nothing but this joint keeps from colliding.
    std::vector<std::pair<std::string, std::string>> filtered;
};

/// A body that is moved, or switched, by samples.
struct AnimatedBody {
    std::string label;
    usd::Path   prim;
    bool        moves     = false;  ///< its transform, or that of a prim above
    bool        enabled   = false;  ///< physics:rigidBodyEnabled; while it is off the body stands where it is
    bool        kinematic = false;  ///< physics:kinematicEnabled
};

/// A collider that samples move against its body, or in the world when it has none.
struct AnimatedShape {
    std::string label;
    usd::Path   prim, body;           ///< body: empty for static ones
    Vec3d       body_scale{1, 1, 1};  ///< of the body's world matrix
    Posed       X_BS, X_SG;           ///< collider at import [m]; what the model adds to it (axes, parts)
};

/// From what a prim says of the surfaces below it, in its own axes and about its own origin or in the stage's axes, to
/// the velocity of a shape's surface as the model has it.
struct SurfaceFrame {
    Quatd turn;  ///< of what is said, into the frame that the shape is placed in
    Vec3d arm;   ///< from the prim's origin to the shape's, in that frame
    Quatd back;  ///< into the shape's own frame
    /// @param said  linear and angular velocity [m/s, rad/s]
    [[nodiscard]] Spatiald of(const Spatiald& said) const
    {
        const Vec3d w = rotate(turn, said.angular);
        return {rotate(back, rotate(turn, said.linear) + cross(w, arm)), rotate(back, w)};
    }
};

/// A shape whose surface moves with sampled velocity.
struct AnimatedSurface {
    std::string  label;
    usd::Path    prim;  ///< that says so
    SurfaceFrame frame;
};

/// Gravity of a scene whose direction or magnitude has samples.
struct AnimatedGravity {
    usd::Path                   scene;
    std::optional<std::int32_t> world;  ///< its world in the model; unset: all of them
    Vec3d                       down;   ///< unit, dimensionless: direction when none is authored, stage frame
    Quatd                       turn;   ///< stage frame into the model's world
    double                      unit = 1, earth = 9.81;  ///< of the magnitude; what stands for the earth's
};

/// What a simulation follows of what a stage animates. Everything else that is animated is held at its first value, and
/// the ledger says so.
struct AnimationTracks {
    std::vector<AnimatedValue>            values;
    std::vector<AnimatedBody>             bodies;
    std::vector<AnimatedShape>            shapes;
    std::vector<AnimatedSurface>          surfaces;
    std::vector<AnimatedGravity>          gravity;
    std::shared_ptr<const AnimatedMasses> masses;  ///< of bodies whose mass properties follow; null: none do
    Posed                                 X_WS;    ///< stage frame in the world
    double                                length            = 1;      ///< metres in a unit of the stage
    bool                                  position_velocity = false;  ///< drives with both gains follow both targets
    bool                                  kinematic_rests   = true;   ///< see ImportOptions::kinematic_velocity
    std::vector<std::pair<usd::Path, usd::Token>> followed;           ///< every attribute that one of the above samples

    [[nodiscard]] bool empty() const
    { return values.empty() && bodies.empty() && shapes.empty() && surfaces.empty() && gravity.empty() && !masses; }
    /// Whether the attribute is one of `followed`.
    [[nodiscard]] bool follows(const usd::Path& prim, const usd::Token& property) const;
};

/// What following an animation changed in a model.
using AnimationChanges = model::ModelChanges;

/// The tracks of a stage, bound to a model that was made of it: every copy of a world follows.
class Animation {
  public:
    /// The stage must live as long. The model is as it was made.
    Animation(const usd::Stage& stage, AnimationTracks tracks, const model::Model& model);

    /// Sets what holds for a step from `begin` to `end` [s]: kinematic poses are those to be reached at its end, all
    /// else is as at its begin. Second 0 is the stage's startTimeCode, or time code 0.
    /// @param model  what was bound, or a copy of it
    /// Const, and safe for several models at once. Called before a step finds its contacts.
    AnimationChanges apply(double begin, double end, const model::State& state, model::Model& model,
                           model::Control& control) const;

  private:
    struct Bound;
    std::shared_ptr<const Bound> bound_;
};

}  // namespace mechane::importer

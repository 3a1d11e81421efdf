#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mechane/math/pose.h"
#include "mechane/model/state.h"
#include "mechane/usd/stage.h"

namespace mechane::importer {

/// A drive's target that has samples or a spline.
struct AnimatedTarget {
    std::string joint;             ///< label in the model
    bool        angular  = false;  ///< the axis is one of the joint's angular ones
    std::size_t axis     = 0;      ///< place among the joint's axes of that kind
    bool        velocity = false;  ///< target velocity, else position
    usd::Path   prim;
    usd::Token  property;
    double      unit = 1;  ///< what the authored number is multiplied with: SI, radians
};

/// A kinematic body whose transform, or that of a prim above, has samples.
struct AnimatedBody {
    std::string label;
    usd::Path   prim;
};

/// What a simulation follows of what a stage animates. Everything else that is animated is held at its first value, and
/// the ledger says so.
struct AnimationTracks {
    std::vector<AnimatedTarget> targets;
    std::vector<AnimatedBody>   bodies;
    Posed                       X_WS;        ///< stage frame in the world
    double                      length = 1;  ///< metres in a unit of the stage

    [[nodiscard]] bool empty() const { return targets.empty() && bodies.empty(); }
};

/// The tracks of a stage, bound to a model that was made of it: every copy of a world follows.
class Animation {
  public:
    /// The stage must live as long.
    Animation(const usd::Stage& stage, AnimationTracks tracks, const model::Model& model);

    /// Sets the commands of a step from `begin` to `end` [s]: targets as they are at its begin, kinematic poses as they
    /// are to be at its end. Second 0 is the stage's startTimeCode, or time code 0.
    void apply(double begin, double end, model::Control& control) const;

  private:
    struct Target {
        usd::Attribute            attribute;
        double                    unit     = 1;
        bool                      velocity = false;
        std::vector<std::int32_t> places;  ///< in the control's arrays
    };
    struct Body {
        usd::Prim                 prim;
        std::vector<std::int32_t> bodies;
    };
    [[nodiscard]] double time_code(double seconds) const;

    const usd::Stage&   stage_;
    AnimationTracks     tracks_;
    std::vector<Target> targets_;
    std::vector<Body>   bodies_;
    std::size_t         body_count_ = 0;
};

}  // namespace mechane::importer

#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mechane/importer/animation.h"
#include "mechane/physics/physics_model.h"
#include "mechane/resolve/mass_rules.h"

namespace mechane::importer {

/// Bodies whose mass properties follow samples, and all that the mass rules ask about them.
class AnimatedMasses {
  public:
    struct Row {
        std::string                 label;
        resolve::BodyMassProperties mass;
    };
    using Setter = std::function<void(physics::PhysicsModel&, const usd::Stage&, usd::TimeCode)>;

    /// @param model    these bodies alone with their colliders, all materials
    /// @param solids   by collider: unit-density solids that cost much to make, else nothing
    /// @param setters  each writes one sampled thing into the model
    AnimatedMasses(physics::PhysicsModel model, std::vector<std::string> labels,
                   std::vector<std::optional<geometry::MassProperties>> solids, std::vector<Setter> setters,
                   resolve::ResolverList resolvers, resolve::MassOptions options);

    /// The mass properties at a time.
    [[nodiscard]] std::vector<Row> at(const usd::Stage& stage, usd::TimeCode time) const;

  private:
    physics::PhysicsModel                                model_;
    std::vector<std::string>                             labels_;
    std::vector<std::optional<geometry::MassProperties>> solids_;
    std::vector<Setter>                                  setters_;
    resolve::ResolverList                                resolvers_;
    resolve::MassOptions                                 options_;
};

struct Import;

/// What the ledger says of an attribute that a simulation samples.
inline constexpr const char* kFollowed = "followed: sampled at every step";

/// Finds the bodies whose mass changes over time: by attributes, by colliders that move or are switched.
/// `run.result.animation.shapes` must be complete.
void find_animated_masses(Import& run);

/// Where samples put a collider: in its body's scale-free frame, in the world when it is static [stage units].
Posed collider_pose(const usd::Stage& stage, const AnimatedShape& shape, usd::TimeCode time);

}  // namespace mechane::importer

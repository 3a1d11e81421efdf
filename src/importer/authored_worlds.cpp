// Worlds that colliders name by newton:world, for stages that hold several copies of a scene.
// In: colliders with the attribute authored. Out: a world for each body and collider (kGlobalWorld = -1 is shared by
// all) and their number. The import then goes world by world, because the entities of one world of a builder are
// contiguous.
// Invariant: bodies that enabled joints tie together belong to one world; a contradiction within such a group refuses
// the import (code kWorldMixed), since no choice of one name would be right.

#include "authored_worlds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mechane::importer {
namespace {

using physics::Index;

/// Bodies that joints tie together, as the smallest index of each group.
/// Union-find with path halving; the root of a group is its smallest index, so that the result does not depend on the
/// order of the joints.
class Groups {
  public:
    explicit Groups(const physics::PhysicsModel& model) : first_(model.bodies.size())
    {
        std::iota(first_.begin(), first_.end(), Index{0});
        for (const physics::Joint& joint : model.joints)
            if (joint.valid && joint.enabled && joint.body0 != physics::kNone && joint.body1 != physics::kNone)
                join(joint.body0, joint.body1);
    }
    Index of(Index body)
    {
        while (first_[static_cast<std::size_t>(body)] != body) {
            Index& up = first_[static_cast<std::size_t>(body)];
            up        = first_[static_cast<std::size_t>(up)];
            body      = up;
        }
        return body;
    }

  private:
    void join(Index a, Index b)
    {
        a = of(a), b = of(b);
        first_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
    std::vector<Index> first_;
};

/// The world that a collider names; nothing when it names none that can be.
std::optional<std::int32_t> named_world(Import& run, const physics::Collider& collider)
{
    // A bound that keeps a mistyped number from making a million worlds.
    constexpr double        kMost  = 1 << 20;
    const resolve::Resolved answer = run.resolvers.get(collider.prim, resolve::Key::shape_world, run.context);
    const auto              number = answer.number();
    if (!number || answer.layer != resolve::Layer::authored) return std::nullopt;
    if (*number >= -1 && *number < kMost && *number == std::floor(*number)) return static_cast<std::int32_t>(*number);
    run.found.add(codes::kWorldIgnored, answer.site, fmt::format("{} is not a world number", *number));
    return std::nullopt;
}

}  // namespace

std::int32_t read_authored_worlds(Import& run)
{
    const std::size_t bodies = run.physics.bodies.size(), colliders = run.physics.colliders.size();
    run.world_of_body.assign(bodies, model::kGlobalWorld);
    run.world_of_collider.assign(colliders, model::kGlobalWorld);
    Groups                                   groups(run.physics);
    std::vector<std::optional<std::int32_t>> of_group(bodies);
    std::vector<char>                        mixed(bodies, 0);
    std::int32_t                             worlds = 0;
    for (std::size_t i = 0; i < colliders; ++i) {
        const physics::Collider& collider = run.physics.colliders[i];
        if (!collider.valid || run.ignored(collider.path)) continue;
        const auto world = named_world(run, collider);
        if (!world) continue;
        // Worlds of one builder come either from the caller (begin_world, replicate) or from the stage.
        if (run.builder.current_world() != model::kGlobalWorld || !run.builder.world_gravity.empty()) {
            run.found.add(
                codes::kWorldIgnored, collider.prim.attribute("newton:world").site(),
                fmt::format("{} names world {}, and the builder has worlds already", collider.path.text(), *world));
            run.took(collider.prim, "newton:world", physics::Use::ignored, "the builder has worlds already");
            continue;
        }
        if (collider.body == physics::kNone) {
            run.world_of_collider[i] = *world;
        } else {
            const auto group = static_cast<std::size_t>(groups.of(collider.body));
            if (of_group[group] && *of_group[group] != *world && mixed[group] == 0) {
                mixed[group] = 1;
                run.refuse(codes::kWorldMixed, collider.prim.attribute("newton:world").site(),
                           fmt::format("{} names world {}, other colliders of its body or of bodies that joints tie to "
                                       "it name {}",
                                       collider.path.text(), *world, *of_group[group]));
            }
            of_group[group] = *world;
        }
        worlds = std::max(worlds, *world + 1);
    }
    for (std::size_t b = 0; b < bodies; ++b) {
        const auto group = static_cast<std::size_t>(groups.of(static_cast<Index>(b)));
        if (mixed[group] == 0) run.world_of_body[b] = of_group[group].value_or(model::kGlobalWorld);
    }
    for (std::size_t i = 0; i < colliders; ++i)
        if (const Index body = run.physics.colliders[i].body; body != physics::kNone)
            run.world_of_collider[i] = run.world_of_body[static_cast<std::size_t>(body)];
    return worlds;
}

}  // namespace mechane::importer

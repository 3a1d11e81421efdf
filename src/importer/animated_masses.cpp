// Masses that follow animated attributes (mass, density, colliders that move or are switched off): a reduced physics
// model of the bodies concerned, computed anew at each time by the rules of the import (resolve::compute_masses).
// Stage units in, SI out through MassOptions::scale. Called by animation.cpp.

#include "animated_masses.h"

#include <algorithm>
#include <map>
#include <set>

#include "import.h"

namespace mechane::importer {
namespace {

using physics::Index;
using physics::MassValues;
using physics::PhysicsModel;

/// Takes the bodies with animated mass out of the imported model, and lists what samples set in them.
class MassTracks {
  public:
    explicit MassTracks(Import& run) : run_(run) {}

    void find()
    {
        for (std::size_t i = 0; i < run_.physics.bodies.size(); ++i)
            if (run_.body_of[i] >= 0 && changes(run_.physics.bodies[i])) add(static_cast<Index>(i));
        if (model_.bodies.empty()) return;
        model_.materials    = run_.physics.materials;
        model_.xform_masses = run_.physics.xform_masses;
        model_.units        = run_.physics.units;
        model_.options      = run_.physics.options;
        for (std::size_t i = 0; i < model_.materials.size(); ++i)
            for (const physics::Collider& c : model_.colliders)
                if (c.own_material == static_cast<Index>(i)) {
                    follow<double>(model_.materials[i].prim, "physics:density",
                                   // Negative densities count as none, as at import.
                                   [i](PhysicsModel& m, double d) { m.materials[i].density = std::max(d, 0.0); });
                    break;
                }
        resolve::MassOptions options;
        options.scale                = run_.context.scale;
        options.default_density      = run_.builder.default_shape.density;
        options.rules                = run_.context.rules;
        options.threads              = run_.options.threads;
        run_.result.animation.masses = std::make_shared<const AnimatedMasses>(
            std::move(model_), std::move(labels_), std::move(solids_), std::move(setters_), run_.resolvers, options);
    }

  private:
    bool varies(const usd::Prim& prim, const char* name) const
    {
        const usd::Token property(name);
        return run_.physics.authored_names.contains(property) && prim.attribute(property).varying();
    }
    bool values_vary(const usd::Prim& prim) const
    {
        return std::any_of(std::begin(kMassNames), std::end(kMassNames),
                           [&](const char* name) { return varies(prim, name); });
    }
    [[nodiscard]] const AnimatedShape* moved(const physics::Collider& collider) const
    {
        const auto& shapes = run_.result.animation.shapes;
        const auto  found =
            std::find_if(shapes.begin(), shapes.end(), [&](const AnimatedShape& s) { return s.prim == collider.path; });
        return found == shapes.end() ? nullptr : &*found;
    }
    bool changes(const physics::Body& body) const
    {
        if (body.mass.applied && values_vary(body.prim)) return true;
        return std::any_of(body.colliders.begin(), body.colliders.end(), [&](Index i) {
            const physics::Collider& c = run_.collider(i);
            return moved(c) != nullptr || varies(c.prim, "physics:collisionEnabled") ||
                   (c.mass.applied && values_vary(c.prim)) ||
                   (c.own_material != physics::kNone &&
                    varies(run_.physics.materials[static_cast<std::size_t>(c.own_material)].prim, "physics:density"));
        });
    }

    /// Lets `set` have the attribute's value at every time, if the attribute varies.
    template <class T, class Set>
    void follow(const usd::Prim& prim, const char* name, Set set)
    {
        if (!varies(prim, name)) return;
        const usd::Token property(name);
        setters_.push_back(
            // Only paths and indices are kept: the model is copied for each time.
            [path = prim.path(), property, set](PhysicsModel& model, const usd::Stage& stage, usd::TimeCode time) {
                if (const auto value = stage.prim_at(path).attribute(property).get<T>(time)) set(model, *value);
            });
        if (run_.log) run_.log->correct(prim, property, physics::Use::converted, kFollowed);
        run_.result.animation.followed.emplace_back(prim.path(), property);
    }

    /// The values of a MassAPI; `of` gives their place in the model.
    template <class Of>
    void follow_mass(const usd::Prim& prim, Of of)
    {
        follow<double>(prim, kMassNames[0], [of](PhysicsModel& m, double v) { of(m).mass = v; });
        follow<double>(prim, kMassNames[1], [of](PhysicsModel& m, double v) { of(m).density = v; });
        follow<Vec3d>(prim, kMassNames[2], [of](PhysicsModel& m, const Vec3d& v) { of(m).com = v; });
        follow<Vec3d>(prim, kMassNames[3], [of](PhysicsModel& m, const Vec3d& v) { of(m).diagonal = v; });
        follow<Quatd>(prim, kMassNames[4], [of](PhysicsModel& m, const Quatd& v) {
            // All zero means that axes are not authored.
            of(m).axes = dot(v, v) > 0 ? normalized(v) : Quatd{0, 0, 0, 0};
        });
    }

    void add(Index index)
    {
        physics::Body body = run_.body(index);
        const auto    slot = model_.bodies.size();
        if (body.mass.applied)
            follow_mass(body.prim, [slot](PhysicsModel& m) -> MassValues& { return m.bodies[slot].mass; });
        std::vector<Index> colliders;
        for (const Index i : body.colliders) {
            physics::Collider c  = run_.collider(i);
            const auto        at = model_.colliders.size();
            colliders.push_back(static_cast<Index>(at));
            c.body = static_cast<Index>(slot);
            if (c.mass.applied)
                follow_mass(c.prim, [at](PhysicsModel& m) -> MassValues& { return m.colliders[at].mass; });
            follow<bool>(c.prim, "physics:collisionEnabled",
                         [at](PhysicsModel& m, bool on) { m.colliders[at].enabled = on; });
            if (const AnimatedShape* shape = moved(c))
                setters_.push_back([at, track = *shape](PhysicsModel& m, const usd::Stage& stage, usd::TimeCode time) {
                    m.colliders[at].X_BS = collider_pose(stage, track, time);
                });
            // Volumes of meshes do not change and are expensive.
            solids_.push_back(c.kind == physics::ShapeKind::mesh ? solid_of(run_.collider(i)) : std::nullopt);
            model_.colliders.push_back(std::move(c));
        }
        body.colliders = std::move(colliders);
        labels_.push_back(
            run_.builder.bodies[static_cast<std::size_t>(run_.body_of[static_cast<std::size_t>(index)])].label);
        model_.bodies.push_back(std::move(body));
    }

    [[nodiscard]] std::optional<geometry::MassProperties> solid_of(const physics::Collider& mesh) const
    {
        Diagnostics unused;
        const auto  decomposed = mesh_solid(run_, mesh);
        return decomposed ? decomposed : resolve::collider_solid(mesh, false, unused);
    }

    static constexpr const char* kMassNames[] = {"physics:mass", "physics:density", "physics:centerOfMass",
                                                 "physics:diagonalInertia", "physics:principalAxes"};

    Import&                                              run_;
    PhysicsModel                                         model_;
    std::vector<std::string>                             labels_;
    std::vector<std::optional<geometry::MassProperties>> solids_;
    std::vector<AnimatedMasses::Setter>                  setters_;
};

}  // namespace

AnimatedMasses::AnimatedMasses(physics::PhysicsModel model, std::vector<std::string> labels,
                               std::vector<std::optional<geometry::MassProperties>> solids, std::vector<Setter> setters,
                               resolve::ResolverList resolvers, resolve::MassOptions options)
    : model_(std::move(model)),
      labels_(std::move(labels)),
      solids_(std::move(solids)),
      setters_(std::move(setters)),
      resolvers_(std::move(resolvers)),
      options_(std::move(options))
{
    // From here on only the time says what is switched on.
    for (physics::Collider& c : model_.colliders) c.starts_disabled = false;
}

std::vector<AnimatedMasses::Row> AnimatedMasses::at(const usd::Stage& stage, usd::TimeCode time) const
{
    physics::PhysicsModel now = model_;
    for (const Setter& set : setters_) set(now, stage, time);
    resolve::MassOptions options = options_;
    options.mesh_solid           = [&](const physics::Collider& c) {
        // The row of the collider in the copy is its row in the list.
        return solids_[static_cast<std::size_t>(&c - now.colliders.data())];
    };
    Diagnostics              unused;  // the import has said what is wrong
    const resolve::MassTable table = resolve::compute_masses(now, resolvers_, options, unused);
    std::vector<Row>         rows;
    for (std::size_t i = 0; i < labels_.size(); ++i) rows.push_back({labels_[i], table.bodies[i]});
    return rows;
}

void find_animated_masses(Import& run) { MassTracks(run).find(); }

Posed collider_pose(const usd::Stage& stage, const AnimatedShape& shape, usd::TimeCode time)
{
    const usd::Matrix4d world = stage.world_matrix(stage.prim_at(shape.prim), time);
    if (shape.body.empty()) {
        const usd::Decomposition at = usd::decompose(world);
        return {at.translation, at.rotation};
    }
    const auto to_body = usd::inverse(stage.world_matrix(stage.prim_at(shape.body), time));
    // A body scaled to zero has no inverse: the pose of the start holds.
    if (!to_body) return shape.X_BS;
    const usd::Decomposition local = usd::decompose(world * *to_body);
    return {scale(local.translation, shape.body_scale), local.rotation};
}

}  // namespace mechane::importer

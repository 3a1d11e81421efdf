// What colliders weigh whose collision geometry the importer makes, for those who compute masses without a model.
// An import is begun, up to the units, when the first such collider is asked for; hulls are made for that collider
// alone.

#include "mechane/importer/collision_solids.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "approximation.h"
#include "exact_round.h"
#include "import.h"
#include "mechane/resolve/resolvers.h"

namespace mechane::importer {
namespace {

/// The beginning of an import, which nobody finishes.
class Beginning {
  public:
    Beginning(std::shared_ptr<const usd::Stage> stage, Diagnostics& told)
        : told_(told), stage_(std::move(stage)), run_(*stage_, options_, conventions_, builder_, found_)
    {
    }

    std::optional<geometry::MassProperties> solid(const physics::Collider& asked)
    {
        const std::scoped_lock lock(mutex_);
        if (!begun_) begin();
        const auto known = by_path_.find(asked.path.text());
        if (known == by_path_.end()) return std::nullopt;
        const physics::Collider& collider = run_.collider(known->second);
        if (collider.kind == physics::ShapeKind::mesh)
            if (const MeshData* data = run_.meshes.read(collider.prim, found_))
                (void)approximate(run_, collider, *data);
        auto solid = mesh_solid(run_, collider);
        told_.append(std::exchange(found_, {}));
        return solid;
    }

  private:
    static ImportOptions as_simulated()
    {
        ImportOptions options;
        options.schema_resolvers = {std::string(resolve::kAutomatic)};
        return options;
    }

    void begin()
    {
        begun_          = true;
        const bool made = begin_import(run_).has_value();
        // What an import begins with is told by whoever reads the stage. Without an import colliders weigh by another
        // rule, and nobody else says why.
        if (!made) told_.append(found_);
        found_ = {};
        if (!made) return;
        for (std::size_t i = 0; i < run_.physics.colliders.size(); ++i)
            by_path_.emplace(run_.physics.colliders[i].path.text(), static_cast<physics::Index>(i));
    }

    std::mutex                            mutex_;
    Diagnostics&                          told_;
    std::shared_ptr<const usd::Stage>     stage_;
    ImportOptions                         options_     = as_simulated();
    physics::Conventions                  conventions_ = conventions_of(options_.compat);
    model::ModelBuilder                   builder_;
    Diagnostics                           found_;
    Import                                run_;
    bool                                  begun_ = false;
    std::map<std::string, physics::Index> by_path_;
};

/// Whether the built-in rule could differ. Asked of every collider that weighs, so that most stages need no import.
bool is_ours(const physics::Collider& collider)
{
    return collider.kind == physics::ShapeKind::mesh
               ? collider.approximation == physics::Approximation::convex_decomposition
               : is_exact(collider.prim);
}

}  // namespace

resolve::MeshSolid collision_solids(std::shared_ptr<const usd::Stage> stage, Diagnostics& found)
{
    const auto begun = std::make_shared<Beginning>(std::move(stage), found);
    return [begun](const physics::Collider& collider) {
        return is_ours(collider) ? begun->solid(collider) : std::nullopt;
    };
}

}  // namespace mechane::importer

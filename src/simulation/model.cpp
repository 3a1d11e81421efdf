// mechane::Model: the immutable model of the public interface, with lookup by label, world and type. Shared by
// simulations, states and queries.
// Invariant: arrays never change after `make`; an edited simulation makes a new Model of the same family.
// Several threads may read one Model at once: the only thing that is made late, the map of labels, is made under a
// once_flag.

#include "mechane/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mechane/core/nearest.h"
#include "mechane/model/builder.h"
#include "mechane/model/joint_table.h"
#include "mechane/model/model.h"
#include "mechane/simulation/codes.h"
#include "mechane/simulation/model_parts.h"
#include "simulation/require.h"

namespace mechane {

using simulation::index_of;

namespace {

/// Labels of one kind, and who has them.
class Labels {
  public:
    // A multimap: replicas share labels, so a label without a world may be ambiguous.
    // The vectors are members of the same Impl and outlive this object; it keeps addresses only.
    Labels(const std::vector<std::string>& labels, const std::vector<std::int32_t>& worlds)
        : labels_(&labels), worlds_(&worlds)
    {
    }

    /// @param kind  one of them; @param kinds  several
    Result<std::int32_t> find(const char* kind, const char* kinds, std::string_view label, std::optional<WorldId> world,
                              int world_count) const
    {
        if (world && (world->value < -1 || world->value >= world_count))
            return make_diagnostic(simulation::kLabel, {.prim = std::string(label)},
                                   fmt::format("world: there is no world {} among {}", world->value, world_count));
        std::call_once(once_, [&] {  // an edit makes a model anew, of which few are asked for a label
            by_label_.reserve(labels_->size());
            for (std::size_t i = 0; i < labels_->size(); ++i)
                by_label_.emplace(std::string_view((*labels_)[i]), static_cast<std::int32_t>(i));
        });
        const auto [begin, end] = by_label_.equal_range(label);
        // equal_range has no order of its own; what is listed for the user is sorted below.
        std::vector<std::int32_t> found;
        for (auto at = begin; at != end; ++at)
            if (!world || (*worlds_)[static_cast<std::size_t>(at->second)] == world->value) found.push_back(at->second);
        if (found.size() == 1) return found.front();
        if (found.empty()) {
            std::vector<std::string> known;
            for (const std::string& name : *labels_)
                // Neighbours only are compared: labels of a world lie together, and the list is for a suggestion.
                if (known.empty() || known.back() != name) known.push_back(name);
            return make_diagnostic(simulation::kLabel, {.prim = std::string(label)},
                                   fmt::format("label: no {} is called '{}'{}", kind, label,
                                               world ? fmt::format(" in world {}", world->value) : std::string()),
                                   did_you_mean(label, known));
        }
        std::sort(found.begin(), found.end());
        std::vector<std::int32_t> worlds;
        for (const std::int32_t i : found) worlds.push_back((*worlds_)[static_cast<std::size_t>(i)]);
        worlds.erase(std::unique(worlds.begin(), worlds.end()), worlds.end());
        // Eight worlds are enough to see the pattern of a scene of thousands of replicas.
        const std::size_t listed = std::min<std::size_t>(worlds.size(), 8);
        return make_diagnostic(
            simulation::kLabel, {.prim = std::string(label)},
            fmt::format("label: {} {} of the model are called '{}'", found.size(), kinds, label),
            worlds.size() > 1
                ? fmt::format("Name one of the worlds {}{}.",
                              fmt::join(worlds.begin(), worlds.begin() + static_cast<std::ptrdiff_t>(listed), ", "),
                              listed < worlds.size() ? ", ..." : "")
                : std::string("Give them labels of their own."));
    }

  private:
    const std::vector<std::string>*                                 labels_;
    const std::vector<std::int32_t>*                                worlds_;
    mutable std::once_flag                                          once_;
    mutable std::unordered_multimap<std::string_view, std::int32_t> by_label_;
};

}  // namespace

struct Model::Impl {
    explicit Impl(simulation::ModelParts made)
        : parts(std::move(made)),
          bodies(parts.arrays.body_label, parts.arrays.body_world),
          joints(parts.arrays.joint_label, parts.arrays.joint_world),
          shapes(parts.arrays.shape_label, parts.arrays.shape_world),
          dofs(static_cast<std::size_t>(parts.arrays.world_count) + 1)
    {
        const model::Model& m = parts.arrays;
        // Dofs are listed once: by world for dynamics and control, all of them for callers that name no world.
        choose_parents();
        for (std::size_t j = 0; j < m.joint_count(); ++j)
            for (std::int32_t d = m.joint_qd_start[j]; d < m.joint_qd_start[j + 1]; ++d) {
                dof_joint.push_back(static_cast<std::int32_t>(j));
                if (m.world_count > 0) all.push_back(DofId(d));
                // World -1 is what the worlds share, so its list comes first.
                dofs[static_cast<std::size_t>(m.joint_world[j] + 1)].push_back(DofId(d));
            }
    }

    simulation::ModelParts parts;
    Labels                 bodies, joints, shapes;
    /// Of several joints the one of a tree holds a body; one between bodies that joints tie together already closes a
    /// loop. In the order of dynamics::build_forest, so that both agree on the roots.
    void choose_parents()
    {
        const model::Model& m = parts.arrays;
        body_joint.assign(m.body_count(), -1);
        std::vector<std::int32_t> tied(m.body_count());  // by body: another one that it is tied to, or itself
        std::iota(tied.begin(), tied.end(), 0);
        // Union-find with halved paths: the representative of a group of bodies that joints tie together.
        const auto first = [&](std::int32_t b) {
            while (tied[static_cast<std::size_t>(b)] != b)
                b = tied[static_cast<std::size_t>(b)] =
                    tied[static_cast<std::size_t>(tied[static_cast<std::size_t>(b)])];
            return b;
        };
        enum class Round : std::uint8_t { articulated, loose, excluded };
        // The joints of articulations first, then loose ones, and those that are excluded from articulations last:
        // the first that reaches a body holds it.
        for (const Round round : {Round::articulated, Round::loose, Round::excluded})
            for (std::size_t j = 0; j < m.joint_count(); ++j) {
                const std::int32_t p = m.joint_parent[j], c = m.joint_child[j];
                const Round        own = m.joint_exclude_from_articulation[j] != 0 ? Round::excluded
                                         : m.joint_articulation[j] >= 0            ? Round::articulated
                                                                                   : Round::loose;
                if (own != round || c < 0 || c == p || body_joint[static_cast<std::size_t>(c)] >= 0) continue;
                if (p >= 0) {
                    // Both are in one group already: the joint closes a loop and holds nothing.
                    if (first(p) == first(c)) continue;
                    tied[static_cast<std::size_t>(first(c))] = first(p);
                }
                body_joint[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(j);
            }
    }

    std::vector<std::vector<DofId>> dofs;  ///< by world + 1
    std::vector<DofId>              all;   ///< of a model with worlds
    std::vector<std::int32_t>       dof_joint, body_joint;
    std::string                     world_label = "world";
};

Model::Model(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Model::~Model() = default;

std::shared_ptr<const Model> Model::make(simulation::ModelParts parts)
{ return std::shared_ptr<const Model>(new Model(std::make_unique<Impl>(std::move(parts)))); }

const simulation::ModelParts& Model::parts() const noexcept { return impl_->parts; }
const model::Model&           Model::arrays() const noexcept { return impl_->parts.arrays; }
double                        Model::default_dt() const noexcept { return impl_->parts.dt; }

int Model::body_count() const noexcept { return static_cast<int>(arrays().body_count()); }
int Model::joint_count() const noexcept { return static_cast<int>(arrays().joint_count()); }
int Model::dof_count() const noexcept { return static_cast<int>(arrays().joint_dof_count()); }
int Model::shape_count() const noexcept { return static_cast<int>(arrays().shape_count()); }
int Model::world_count() const noexcept { return arrays().world_count; }

Result<BodyId> Model::find_body(std::string_view label, std::optional<WorldId> world) const
{
    const auto found = impl_->bodies.find("body", "bodies", label, world, world_count());
    // A body that is called "world" goes before the world itself.
    if (!found && label == impl_->world_label && (!world || *world == kShared)) return kWorld;
    return found.transform([](std::int32_t i) { return BodyId(i); });
}
Result<JointId> Model::find_joint(std::string_view label, std::optional<WorldId> world) const
{
    return impl_->joints.find("joint", "joints", label, world, world_count()).transform([](std::int32_t i) {
        return JointId(i);
    });
}
Result<ShapeId> Model::find_shape(std::string_view label, std::optional<WorldId> world) const
{
    return impl_->shapes.find("shape", "shapes", label, world, world_count()).transform([](std::int32_t i) {
        return ShapeId(i);
    });
}

// An axis may be left out only where there is one, so that nobody commands the wrong one of two.
Result<DofId> Model::find_dof(JointId joint, std::optional<int> axis) const
{
    const std::size_t j   = index_of(joint, arrays().joint_count(), "Model::find_dof", "joint");
    const int         n   = arrays().joint_qd_start[j + 1] - arrays().joint_qd_start[j];
    const auto        bad = [&](std::string message, std::string hint) {
        return make_diagnostic(simulation::kDof, {.prim = arrays().joint_label[j]}, std::move(message),
                               std::move(hint));
    };
    if (n == 0) return bad("joint: it has no degree of freedom", "Fixed joints do not move.");
    if (!axis && n > 1)
        return bad(fmt::format("axis: the joint has {} degrees of freedom", n),
                   fmt::format("Name one of the axes 0 to {}.", n - 1));
    if (axis && (*axis < 0 || *axis >= n))
        return bad(fmt::format("axis: {} is none of the joint's {}", *axis, n),
                   fmt::format("Name one of the axes 0 to {}.", n - 1));
    return DofId(arrays().joint_qd_start[j] + axis.value_or(0));
}

Result<DofId> Model::find_dof(std::string_view joint_label, std::optional<int> axis, std::optional<WorldId> world) const
{
    return find_joint(joint_label, world).and_then([&](JointId joint) { return find_dof(joint, axis); });
}

const std::string& Model::label(BodyId body) const
{
    if (body == kWorld) return impl_->world_label;
    return arrays().body_label[index_of(body, arrays().body_count(), "Model::label", "body")];
}
const std::string& Model::label(JointId joint) const
{ return arrays().joint_label[index_of(joint, arrays().joint_count(), "Model::label", "joint")]; }
const std::string& Model::label(ShapeId shape) const
{ return arrays().shape_label[index_of(shape, arrays().shape_count(), "Model::label", "shape")]; }

WorldId Model::world_of(BodyId body) const
{
    if (body == kWorld) return kShared;
    return WorldId(arrays().body_world[index_of(body, arrays().body_count(), "Model::world_of", "body")]);
}
BodyId Model::body_of(ShapeId shape) const
{ return BodyId(arrays().shape_body[index_of(shape, arrays().shape_count(), "Model::body_of", "shape")]); }

// The world is as heavy as it needs to be to stay where it is.
double Model::mass(BodyId body) const
{
    if (body == kWorld) return std::numeric_limits<double>::infinity();
    return static_cast<double>(arrays().body_mass[index_of(body, arrays().body_count(), "Model::mass", "body")]);
}

JointId Model::joint_of(DofId dof) const
{ return JointId(impl_->dof_joint[index_of(dof, arrays().joint_dof_count(), "Model::joint_of", "dof")]); }

std::optional<JointId> Model::parent_joint(BodyId body) const
{
    const std::int32_t joint = impl_->body_joint[index_of(body, arrays().body_count(), "Model::parent_joint", "body")];
    return joint < 0 ? std::nullopt : std::optional(JointId(joint));
}

bool Model::is_scalar(DofId dof) const
{
    const auto& info = model::joint_type_info(arrays().joint_type[joint_of(dof).index()]);
    // The coordinates of a ball joint, and part of those of a free one, are a quaternion: four numbers for three
    // dofs.
    return !info.quaternion;
}

std::span<const DofId> Model::dofs(std::optional<WorldId> world) const
{
    if (!world && world_count() > 0) return impl_->all;
    const std::int32_t w = simulation::world_of(world.value_or(kShared), world_count(), "Model::dofs");
    return impl_->dofs[static_cast<std::size_t>(w + 1)];
}

JointType Model::type(JointId joint) const
{ return arrays().joint_type[index_of(joint, arrays().joint_count(), "Model::type", "joint")]; }
GeoType Model::type(ShapeId shape) const
{ return arrays().shape_type[index_of(shape, arrays().shape_count(), "Model::type", "shape")]; }
BodyId Model::parent(JointId joint) const
{ return BodyId(arrays().joint_parent[index_of(joint, arrays().joint_count(), "Model::parent", "joint")]); }
BodyId Model::child(JointId joint) const
{ return BodyId(arrays().joint_child[index_of(joint, arrays().joint_count(), "Model::child", "joint")]); }

Limits Model::limits(DofId dof) const
{
    const std::size_t d = index_of(dof, arrays().joint_dof_count(), "Model::limits", "dof");
    // kMaxValue of the arrays is infinity of the interface.
    const auto open = [](Real x) { return std::abs(static_cast<double>(x)) >= model::kMaxValue; };
    const Real low = arrays().joint_limit_lower[d], high = arrays().joint_limit_upper[d];
    const Real speed = arrays().joint_velocity_limit[d], effort = arrays().joint_effort_limit[d];
    // As solvers take it: from the builder's own number on a speed has no limit.
    const bool fast = speed <= 0 || static_cast<double>(speed) >= model::JointDofConfig{}.velocity_limit;
    return {.lower    = open(low) ? -kInfinity : static_cast<double>(low),
            .upper    = open(high) ? kInfinity : static_cast<double>(high),
            .velocity = fast ? kInfinity : static_cast<double>(speed),
            .effort   = open(effort) ? kInfinity : static_cast<double>(effort)};
}

}  // namespace mechane

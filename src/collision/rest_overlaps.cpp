// Overlaps that a model has at rest within one mechanism: links of a robot whose shapes are drawn into each other.
// Their depth at the start is subtracted from contacts, so that the simulation does not push them apart.

#include "mechane/collision/rest_overlaps.h"

#include <algorithm>
#include <map>
#include <utility>

#include "mechane/core/disjoint_sets.h"
#include "mechane/model/joint_table.h"

namespace mechane::collision {
namespace {

/// For each body the first body of its mechanism. A mechanism is connected by joints other than free ones.
/// Union-find over joints; a free joint ties a body to nothing.
std::vector<std::size_t> mechanisms(const model::Model& model)
{
    DisjointSets sets(model.body_count());
    for (std::size_t j = 0; j < model.joint_count(); ++j) {
        if (model.joint_enabled[j] == 0 || model::joint_type_info(model.joint_type[j]).free_like) continue;
        if (model.joint_parent[j] < 0 || model.joint_child[j] < 0) continue;
        sets.join(static_cast<std::size_t>(model.joint_parent[j]), static_cast<std::size_t>(model.joint_child[j]));
    }
    std::vector<std::size_t> root(model.body_count());
    for (std::size_t b = 0; b < root.size(); ++b) root[b] = sets.find(b);
    return root;
}

}  // namespace

RestOverlaps::RestOverlaps(const model::Model& model, const model::Contacts& contacts)
{
    const auto                                            mechanism = mechanisms(model);
    std::map<std::pair<std::int32_t, std::int32_t>, Real> deepest;
    for (std::size_t i = 0; i < static_cast<std::size_t>(contacts.rigid_contact_count); ++i) {
        const std::int32_t s0 = contacts.rigid_contact_shape0[i], s1 = contacts.rigid_contact_shape1[i];
        const std::int32_t b0 = model.shape_body[static_cast<std::size_t>(s0)],
                           b1 = model.shape_body[static_cast<std::size_t>(s1)];
        // Parts of one mechanism are drawn into each other on purpose. Between mechanisms, and with the world, an overlap
        // is a collision and is pushed apart.
        if (b0 < 0 || b1 < 0 || mechanism[static_cast<std::size_t>(b0)] != mechanism[static_cast<std::size_t>(b1)])
            continue;
        if (contacts.rigid_contact_distance[i] >= 0) continue;
        Real& depth = deepest[{s0, s1}];
        depth       = std::max(depth, -contacts.rigid_contact_distance[i]);
    }
    for (const auto& [shapes, depth] : deepest) pairs_.push_back({shapes.first, shapes.second, depth});
}

/// Pairs are sorted by (shape 0, shape 1), as the rows are.
void RestOverlaps::apply(const model::Model& model, const model::State& state, model::Contacts& contacts) const
{
    if (pairs_.empty()) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(contacts.rigid_contact_count); ++i) {
        const auto key  = std::pair(contacts.rigid_contact_shape0[i], contacts.rigid_contact_shape1[i]);
        const auto pair = std::lower_bound(pairs_.begin(), pairs_.end(), key, [](const Pair& p, const auto& k) {
            return std::pair(p.shape0, p.shape1) < k;
        });
        if (pair == pairs_.end() || std::pair(pair->shape0, pair->shape1) != key) continue;
        const std::int32_t body = model.shape_body[static_cast<std::size_t>(pair->shape0)];
        // The surface of shape 0 moves inwards by the depth. Margin, offset and distance change together, so that
        // what Contacts says of them still holds.
        contacts.rigid_contact_margin0[i] -= pair->depth;
        contacts.rigid_contact_distance[i] += pair->depth;
        contacts.rigid_contact_offset0[i] -= rotate_inverse(state.body_q[static_cast<std::size_t>(body)].q,
                                                            pair->depth * contacts.rigid_contact_normal[i]);
    }
}

}  // namespace mechane::collision

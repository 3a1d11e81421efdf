// Lookups of the parsed model by path, and the orders in which `dump physics` lists colliders and joints.

#include "mechane/physics/physics_model.h"

#include <algorithm>

namespace mechane::physics {

namespace {

Index find(const std::unordered_map<usd::Path, Index>& lookup, const usd::Path& path)
{
    const auto it = lookup.find(path);
    return it == lookup.end() ? kNone : it->second;
}

template <class T>
std::vector<Index> by_kind(const std::vector<T>& entries)
{
    std::vector<Index> order(entries.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
    // Stable: within a kind the order of traversal stays.
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
        return entries[static_cast<std::size_t>(a)].kind < entries[static_cast<std::size_t>(b)].kind;
    });
    return order;
}

}  // namespace

/// True where nothing is known of the prim, so that a wrong answer costs time and no value.
bool PhysicsModel::may_inherit(const usd::Prim& prim, Inherited what) const
{
    const std::size_t i = prim.index();
    return i >= inherited.size() || (inherited[i] & static_cast<std::uint8_t>(what)) != 0;
}

Index PhysicsModel::body_at(const usd::Path& path) const { return find(lookup.bodies, path); }
Index PhysicsModel::collider_at(const usd::Path& path) const { return find(lookup.colliders, path); }
Index PhysicsModel::joint_at(const usd::Path& path) const { return find(lookup.joints, path); }
Index PhysicsModel::material_at(const usd::Path& path) const { return find(lookup.materials, path); }
Index PhysicsModel::articulation_at(const usd::Path& path) const { return find(lookup.articulations, path); }
Index PhysicsModel::group_at(const usd::Path& path) const { return find(lookup.groups, path); }

std::vector<Index> PhysicsModel::colliders_by_kind() const { return by_kind(colliders); }
std::vector<Index> PhysicsModel::joints_by_kind() const { return by_kind(joints); }

}  // namespace mechane::physics

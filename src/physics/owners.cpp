// Keeps only what belongs to some simulation owners.
#include <algorithm>

#include "reader.h"

namespace mechane::physics {

namespace {

using Keep = std::vector<char>;

// Moves kept entries together and returns the new index of each old one.
template <class T>
std::vector<Index> compact(std::vector<T>& entries, const Keep& keep)
{
    std::vector<Index> now(entries.size(), kNone);
    std::vector<T>     kept;
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (keep[i]) {
            now[i] = static_cast<Index>(kept.size());
            kept.push_back(std::move(entries[i]));
        }
    entries = std::move(kept);
    return now;
}

Index renamed(Index index, const std::vector<Index>& now)
{ return index == kNone ? kNone : now[static_cast<std::size_t>(index)]; }

void rename(std::vector<Index>& indices, const std::vector<Index>& now)
{
    for (Index& index : indices) index = renamed(index, now);
    std::erase(indices, kNone);
}

template <class T>
void relist(std::unordered_map<usd::Path, Index>& lookup, const std::vector<T>& entries)
{
    lookup.clear();
    for (std::size_t i = 0; i < entries.size(); ++i) lookup.emplace(entries[i].path, static_cast<Index>(i));
}

}  // namespace

void apply_owner_filter(PhysicsModel& model, const std::vector<usd::Path>& owners)
{
    if (owners.empty()) return;
    const auto listed = [&](const usd::Path& path) {
        return std::find(owners.begin(), owners.end(), path) != owners.end();
    };
    const bool unowned = listed(usd::Path());
    const auto wanted  = [&](const std::vector<usd::Path>& of) {
        return of.empty() ? unowned : std::any_of(of.begin(), of.end(), listed);
    };

    Keep scenes, bodies, colliders, joints, articulations;
    for (const Scene& scene : model.scenes) scenes.push_back(!scene.path.empty() && listed(scene.path));
    // An entity with several owners stays if one of them is wanted.
    for (const Body& body : model.bodies) bodies.push_back(wanted(body.owners));
    const auto body_kept = [&](Index body) { return body == kNone || bodies[static_cast<std::size_t>(body)]; };
    for (const Collider& c : model.colliders)
        colliders.push_back(c.body != kNone ? body_kept(c.body) : wanted(c.owners));
    for (const Joint& joint : model.joints) joints.push_back(body_kept(joint.body0) && body_kept(joint.body1));
    for (const Articulation& a : model.articulations)
        // An articulation goes as a whole: half a tree would move otherwise than it was authored.
        articulations.push_back(std::all_of(a.links.begin(), a.links.end(), body_kept));

    const auto scene_now = compact(model.scenes, scenes), body_now = compact(model.bodies, bodies),
               collider_now = compact(model.colliders, colliders), joint_now = compact(model.joints, joints),
               articulation_now = compact(model.articulations, articulations);
    for (Body& body : model.bodies) {
        rename(body.colliders, collider_now);
        body.scene        = renamed(body.scene, scene_now);
        body.articulation = renamed(body.articulation, articulation_now);
        body.parent_body  = renamed(body.parent_body, body_now);
    }
    for (Collider& collider : model.colliders) {
        collider.body  = renamed(collider.body, body_now);
        collider.scene = renamed(collider.scene, scene_now);
    }
    for (Joint& joint : model.joints) {
        joint.body0 = renamed(joint.body0, body_now);
        joint.body1 = renamed(joint.body1, body_now);
    }
    for (Articulation& a : model.articulations) {
        rename(a.links, body_now);
        rename(a.joints, joint_now);
        for (Tree& tree : a.trees) {
            tree.root_body  = renamed(tree.root_body, body_now);
            tree.root_joint = renamed(tree.root_joint, joint_now);
            rename(tree.links, body_now);
            rename(tree.joints, joint_now);
            rename(tree.closures, joint_now);
        }
    }
    relist(model.lookup.bodies, model.bodies);
    relist(model.lookup.colliders, model.colliders);
    relist(model.lookup.joints, model.joints);
    relist(model.lookup.articulations, model.articulations);
    std::erase_if(model.filtered_pairs, [&](const auto& pair) {
        const auto gone = [&](const usd::Path& p) {
            return model.body_at(p) == kNone && model.collider_at(p) == kNone && model.articulation_at(p) == kNone;
        };
        return gone(pair.first) || gone(pair.second);
    });
}

}  // namespace mechane::physics

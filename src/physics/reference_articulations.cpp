// The answer of OpenUSD's own parser for an articulation root, with its peculiarities, for comparisons under the
// convention `articulations_as_parsed`.
// It replaces roots, links and joints that `Roots` found; the trees stay, because the reference has none.

#include "reference_articulations.h"

#include <algorithm>
#include <limits>
#include <set>

namespace mechane::physics {

namespace {

// Beyond so many links no walks are made from each of them; all then count as equally far from the others.
constexpr std::size_t kLargest = 4096;

}  // namespace

ReferenceArticulations::ReferenceArticulations(const Reader& reader)
    : reader_(reader), joints_of_(reader.model.bodies.size())
{
    const PhysicsModel& model = reader.model;
    std::vector<Index>  order;
    for (std::size_t j = 0; j < model.joints.size(); ++j)
        if (model.joints[j].enabled) order.push_back(static_cast<Index>(j));
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
        return model.joints[static_cast<std::size_t>(a)].path < model.joints[static_cast<std::size_t>(b)].path;
    });
    for (const Index j : order)
        for (const Index body :
             {model.joints[static_cast<std::size_t>(j)].body0, model.joints[static_cast<std::size_t>(j)].body1})
            if (body != kNone) joints_of_[static_cast<std::size_t>(body)].push_back(j);
}

ReferenceArticulations::Component ReferenceArticulations::reach(Index start, std::vector<char>& seen) const
{
    Component          out;
    std::vector<Index> stack{start};
    while (!stack.empty()) {
        const Index body = stack.back();
        stack.pop_back();
        if (seen[static_cast<std::size_t>(body)] != 0) continue;
        seen[static_cast<std::size_t>(body)] = 1;
        Link               link{.body = body, .across = {}};
        std::vector<Index> next;
        for (const Index j : joints_of_[static_cast<std::size_t>(body)]) {
            const Joint& joint = reader_.model.joints[static_cast<std::size_t>(j)];
            const Index  other = joint.body0 == body ? joint.body1 : joint.body0;
            link.across.push_back(other);
            link.weight += joint.excluded ? 1000 : other == kNone ? 100000 : 100;
            if (joint.excluded) continue;
            if (other == kNone)
                // The last one by path stays.
                link.world_joint = j;
            else
                next.push_back(other);
        }
        stack.insert(stack.end(), next.rbegin(), next.rend());
        out.push_back(std::move(link));
    }
    return out;
}

// The body whose farthest body is the least far; of equals the one with most joints, then the first. A depth-first walk
// counts the joints between, so loops look longer than they are, and excluded joints lead on within a component.
Index ReferenceArticulations::center_of(const Component& component) const
{
    std::vector<Index> link_of(reader_.model.bodies.size(), kNone);
    for (std::size_t i = 0; i < component.size(); ++i)
        link_of[static_cast<std::size_t>(component[i].body)] = static_cast<Index>(i);
    Index       center = kNone;
    int         least  = std::numeric_limits<int>::max();
    std::size_t most   = 0;
    for (const Link& start : component) {
        int farthest = 0;
        if (component.size() <= kLargest) {
            std::vector<char>                  seen(component.size(), 0);
            std::vector<std::pair<Index, int>> stack{{link_of[static_cast<std::size_t>(start.body)], 0}};
            while (!stack.empty()) {
                const auto [link, distance] = stack.back();
                stack.pop_back();
                if (seen[static_cast<std::size_t>(link)] != 0) continue;
                seen[static_cast<std::size_t>(link)] = 1;
                farthest                             = std::max(farthest, distance);
                const std::vector<Index>& across     = component[static_cast<std::size_t>(link)].across;
                for (auto other = across.rbegin(); other != across.rend(); ++other)
                    if (*other != kNone && link_of[static_cast<std::size_t>(*other)] != kNone)
                        stack.emplace_back(link_of[static_cast<std::size_t>(*other)], distance + 1);
            }
        }
        if (farthest < least || (farthest == least && start.across.size() > most)) {
            center = start.body;
            least  = farthest;
            most   = start.across.size();
        }
    }
    return center;
}

const usd::Path& ReferenceArticulations::root_of(const Component& component) const
{
    const Link* heaviest = nullptr;
    for (const Link& link : component) {
        if (link.world_joint == kNone) continue;
        if (heaviest == nullptr || link.weight > heaviest->weight ||
            (link.weight == heaviest->weight && path_of(link.body) < path_of(heaviest->body)))
            heaviest = &link;
    }
    if (heaviest != nullptr) return reader_.model.joints[static_cast<std::size_t>(heaviest->world_joint)].path;
    const usd::Path& first = path_of(component.front().body);
    const bool       below = std::all_of(component.begin(), component.end(),
                                         [&](const Link& link) { return path_of(link.body).has_prefix(first); });
    return below ? first : path_of(center_of(component));
}

void ReferenceArticulations::answer(std::size_t record, Articulation& out) const
{
    const PhysicsModel& model = reader_.model;
    out.roots.clear();
    out.reference_bodies.clear();
    out.joints.clear();
    out.links.clear();

    // A body is its own root, on or off, and so is a joint with a side in the world: the search begins at its other
    // side.
    usd::Path start = out.path;
    if (reader_.records[record].body != kNone) {
        out.roots.push_back(out.path);
    } else if (const Index j = model.joint_at(out.path); j != kNone) {
        const Joint& joint = model.joints[static_cast<std::size_t>(j)];
        if (joint.frame_body0.empty() || joint.frame_body1.empty()) {
            out.roots.push_back(out.path);
            const usd::Path& body = joint.frame_body0.empty() ? joint.frame_body1 : joint.frame_body0;
            if (!body.empty()) start = body;
        }
    }

    std::vector<char>      seen(model.bodies.size(), 0);
    std::vector<Component> components;
    const usd::Prim        prim  = reader_.stage.prim_at(start);
    const Record*          first = prim ? reader_.record(prim) : nullptr;
    usd::Path              pruned;
    const std::size_t      begin =
        first == nullptr ? reader_.records.size() : static_cast<std::size_t>(first - reader_.records.data());
    for (std::size_t i = begin; i < reader_.records.size() && reader_.records[i].prim.path().has_prefix(start); ++i) {
        const Record& at = reader_.records[i];
        if (!pruned.empty() && at.prim.path().has_prefix(pruned)) continue;
        if (at.body == kNone) continue;
        // What another component has reached already is not searched below.
        if (seen[static_cast<std::size_t>(at.body)] != 0)
            pruned = at.prim.path();
        else
            components.push_back(reach(at.body, seen));
    }

    std::set<usd::Path> bodies;
    std::set<Index>     joints;
    const bool          authored = !out.roots.empty();
    for (const Component& component : components) {
        for (const Link& link : component) {
            for (const Index other : link.across) bodies.insert(other == kNone ? usd::Path() : path_of(other));
            const std::vector<Index>& own = joints_of_[static_cast<std::size_t>(link.body)];
            joints.insert(own.begin(), own.end());
        }
        if (!authored) out.roots.push_back(root_of(component));
    }
    out.reference_bodies.assign(bodies.begin(), bodies.end());
    for (const usd::Path& path : bodies)
        if (!path.empty()) out.links.push_back(model.body_at(path));
    out.joints.assign(joints.begin(), joints.end());
    std::sort(out.joints.begin(), out.joints.end(), [&](Index a, Index b) {
        return model.joints[static_cast<std::size_t>(a)].path < model.joints[static_cast<std::size_t>(b)].path;
    });
}

}  // namespace mechane::physics

// The tree of links and joints, when all poses are known.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "mechane/geometry/mass.h"
#include "mechane/sourceformats/codes.h"
#include "sourceformats/sdformat/reader.h"

namespace mechane::sourceformats {

void SdformatReader::place()
{
    for (std::size_t l = 0; l < tree_.links.size(); ++l) tree_.links[l].X_WL = pose_of(link_nodes_[l]);
    self_collision();
    for (const PendingShape& s : shapes_) shape(s);
    for (const auto& [link, e] : auto_masses_) automatic_mass(link, *e);
    for (const PendingJoint& j : joints_) joint(j);
    for (const PendingJoint& j : joints_) mimics(j);
    base();
    order_joints();
    // What is fixed to the world and was given no mass is a part of it.
    for (const Joint& j : tree_.joints)
        if (j.parent < 0 && !j.loop && j.kind == Joint::Kind::fixed && by_default_.contains(j.child))
            tree_.links[at(j.child)].inertial.reset();
    apart();
    for (const PendingThing& f : frames_) {
        const int link = link_of(f.node, *f.e);
        if (link < -1) continue;
        Frame made;
        made.name =
            s_.unique(frame_names_, scopes_[at(f.scope)].prefix + f.e->get("name", "frame"), *f.e, "frame", false);
        made.link  = link;
        made.X_LS  = below(link, f.node);
        made.place = f.e->place;
        tree_.sites.push_back(std::move(made));
    }
    for (const PendingThing& s : sensors_) read_sensor(s);
    for (const PendingThing& l : pending_lights_) read_light(l);
    groups();
}

// Links of one top model do not touch each other unless it says self_collide. Where all models agree the articulation
// says it; where they differ, pairs are left out one by one.
void SdformatReader::self_collision()
{
    std::set<int> open, shut;
    for (std::size_t l = 0; l < link_scopes_.size(); ++l) {
        int top = link_scopes_[l];
        while (scopes_[at(top)].parent > 0) top = scopes_[at(top)].parent;
        (scopes_[at(top)].self_collide ? open : shut).insert(top);
    }
    tree_.self_collision = shut.empty();
    if (open.empty() || shut.empty()) return;
    tree_.self_collision = true;
    for (std::size_t a = 0; a < tree_.links.size(); ++a)
        for (std::size_t b = a + 1; b < tree_.links.size(); ++b) {
            const auto top = [&](std::size_t l) {
                int t = link_scopes_[l];
                while (scopes_[at(t)].parent > 0) t = scopes_[at(t)].parent;
                return t;
            };
            if (top(a) == top(b) && shut.contains(top(a)))
                tree_.exclusions.push_back({static_cast<int>(a), static_cast<int>(b), tree_.links[a].place});
        }
}

/// Links of a model never touch each other, also where no joint connects them: OpenUSD says that of articulations.
void SdformatReader::apart()
{
    if (tree_.self_collision) return;
    std::vector<int> tree(tree_.links.size());
    for (std::size_t l = 0; l < tree.size(); ++l) tree[l] = static_cast<int>(l);
    for (const Joint& j : tree_.joints) {
        // A link that is part of the world holds no tree together, and one that is moved from outside is none's.
        if (j.loop || j.parent < 0 || !tree_.links[at(j.parent)].inertial || tree_.links[at(j.parent)].kinematic ||
            tree_.links[at(j.child)].kinematic)
            continue;
        const int from = tree[at(j.child)], to = tree[at(j.parent)];
        for (int& t : tree) t = t == from ? to : t;
    }
    const auto top = [&](std::size_t l) {
        int t = link_scopes_[l];
        while (scopes_[at(t)].parent > 0) t = scopes_[at(t)].parent;
        return t;
    };
    for (std::size_t a = 0; a < tree.size(); ++a)
        for (std::size_t b = a + 1; b < tree.size(); ++b)
            if (tree[a] != tree[b] && top(a) == top(b))
                tree_.exclusions.push_back({static_cast<int>(a), static_cast<int>(b), tree_.links[a].place});
}

// Two collisions meet if collide_bitmask of one and of the other share a bit; without a mask all 16 bits are set
// (0xffff).
void SdformatReader::groups()
{
    std::map<unsigned, int> of;
    for (std::size_t s = 0; s < masks_.size(); ++s)
        if (tree_.shapes[s].collider) of.try_emplace(masks_[s], 0);
    if (of.size() < 2 && !of.contains(0)) return;
    for (auto& [mask, index] : of) {
        index = static_cast<int>(tree_.groups.size());
        tree_.groups.push_back({fmt::format("mask_{:x}", mask), {}, {}});
    }
    for (std::size_t s = 0; s < masks_.size(); ++s)
        if (tree_.shapes[s].collider) tree_.groups[at(of[masks_[s]])].shapes.push_back(static_cast<int>(s));
    for (const auto& [a, i] : of)
        for (const auto& [b, j] : of)
            if ((a & b) == 0) tree_.groups[at(i)].filtered.push_back(j);
}

// A solid cone along z whose middle of the height is the origin: the centre of mass lies a quarter of the height above
// the base, the moments about it are 3/10 m r^2 along the axis and 3/80 m (4 r^2 + h^2) across.
MjcfMass SdformatReader::cone_mass(double radius, double half, double density)
{
    const double h = 2 * half, m = density * std::numbers::pi * radius * radius * h / 3;
    const double across = 3.0 / 80 * m * (4 * radius * radius + h * h);
    return {m, {0, 0, -0.5 * half}, Mat33d::diagonal({across, across, 0.3 * m * radius * radius})};
}

// <inertial auto="true">: mass, centre and tensor follow from the collisions and their densities, 1000 kg/m^3 where
// none is told (SDFormat 1.11).
void SdformatReader::automatic_mass(int link, const XmlElement& e)
{
    std::optional<geometry::MassProperties> sum;
    double                                  density = 1000;
    if (const auto d = number(e, "density"); d && *d > 0) density = *d;
    for (std::size_t i = 0; i < tree_.shapes.size(); ++i) {
        const Shape& s = tree_.shapes[i];
        if (s.link != link || !s.collider) continue;
        const double   own  = densities_[i] != 1000 ? densities_[i] : density;
        const auto     cone = s.kind == Shape::Kind::mesh ? cones_.find(s.mesh) : cones_.end();
        const MjcfMass m    = cone != cones_.end() ? cone_mass(cone->second.first, cone->second.second, own)
                                                   : mjcf_mass(s, tree_, std::nullopt, own, false, "legacy");
        const Mat33d   R    = to_matrix(s.X_LS.q);
        const geometry::MassProperties part{m.mass, s.X_LS * m.com, R * m.inertia * transpose(R)};
        sum = sum ? geometry::combined(*sum, part) : part;
    }
    Link& to = tree_.links[at(link)];
    if (!sum || !(sum->mass > 0))
        return s_.error(
            kMassMissing, e.place,
            fmt::format("the mass of link '{}' is to be computed, and it has no collision with a volume", to.name));
    to.inertial = Inertial{sum->mass, sum->com, sum->inertia, true, e.place};
    s_.losses.add({"computed-inertia", Severity::info, LossAction::converted, "inertia", site_of(e.place),
                   fmt::format("link '{}'", to.name), "auto", fmt::format("{} kg", sum->mass),
                   "computed from the collisions"});
}

void SdformatReader::base()
{
    if (s_.options.base == Base::floating) {
        std::vector<int>   place(tree_.joints.size(), -1);
        std::vector<Joint> kept;
        for (std::size_t i = 0; i < tree_.joints.size(); ++i)
            if (tree_.joints[i].parent >= 0 || tree_.joints[i].kind != Joint::Kind::fixed)
                place[i] = static_cast<int>(kept.size()), kept.push_back(tree_.joints[i]);
        for (Joint& k : kept)
            if (k.mimic) k.mimic->joint = place[at(k.mimic->joint)];
        tree_.joints = std::move(kept);
    }
    if (s_.options.base == Base::fixed)
        for (std::size_t l = 0; l < tree_.links.size(); ++l) {
            if (std::any_of(tree_.joints.begin(), tree_.joints.end(),
                            [&](const Joint& k) { return k.child == static_cast<int>(l); }))
                continue;
            Joint made;
            made.name = "world_joint";
            for (int i = 1; !joint_names_.insert(made.name).second; ++i) made.name = fmt::format("world_joint_{}", i);
            made.child = static_cast<int>(l);
            made.X_PJ  = tree_.links[l].X_WL;
            made.place = tree_.links[l].place;
            tree_.joints.push_back(std::move(made));
        }
}

void SdformatReader::order_joints()
{
    std::vector<int> above(tree_.links.size(), -1);  // joint
    const auto       root = [&](int link) {
        while (link >= 0 && above[at(link)] >= 0) link = tree_.joints[at(above[at(link)])].parent;
        return link;
    };
    for (std::size_t j = 0; j < tree_.joints.size(); ++j) {
        Joint& joint = tree_.joints[j];
        // The graph of joints becomes a forest in the order of the file. A joint within one tree closes a loop. A joint
        // whose child has a parent already is turned around if its own parent is still free; otherwise it closes a
        // loop, too.
        const int a = joint.parent, b = joint.child;
        const int top_a = root(a), top_b = root(b);
        if (a >= 0 && top_a == top_b) {
            joint.loop = true;
        } else if (above[at(b)] < 0) {
            above[at(b)] = static_cast<int>(j);
        } else if (a >= 0 && above[at(a)] < 0 && top_b != a) {
            turn(joint);
            above[at(a)] = static_cast<int>(j);
            s_.losses.add({"turned", Severity::info, LossAction::converted, "kinematics", site_of(joint.place),
                           fmt::format("joint '{}'", joint.name), tree_.links[at(b)].name, tree_.links[at(a)].name,
                           "another joint moves its child already; parent and child change places"});
        } else {
            joint.loop = true;
        }
    }
    std::vector<std::vector<int>> below(tree_.links.size());
    std::vector<int>              order, todo;
    for (std::size_t l = 0; l < tree_.links.size(); ++l)
        if (above[l] >= 0 && tree_.joints[at(above[l])].parent >= 0)
            below[at(tree_.joints[at(above[l])].parent)].push_back(above[l]);
    for (std::size_t l = tree_.links.size(); l-- > 0;)
        if (above[l] < 0 || tree_.joints[at(above[l])].parent < 0) todo.push_back(static_cast<int>(l));
    while (!todo.empty()) {
        const int l = todo.back();
        todo.pop_back();
        if (above[at(l)] >= 0 && tree_.joints[at(above[at(l)])].parent < 0) order.push_back(above[at(l)]);
        for (const int j : below[at(l)]) order.push_back(j);
        for (std::size_t i = below[at(l)].size(); i-- > 0;) todo.push_back(tree_.joints[at(below[at(l)][i])].child);
    }
    for (std::size_t j = 0; j < tree_.joints.size(); ++j)
        if (tree_.joints[j].loop) order.push_back(static_cast<int>(j));
    std::vector<int>   place(tree_.joints.size(), -1);
    std::vector<Joint> sorted;
    for (const int j : order) place[at(j)] = static_cast<int>(sorted.size()), sorted.push_back(tree_.joints[at(j)]);
    for (Joint& j : sorted)
        if (j.mimic) {
            j.mimic->joint = place[at(j.mimic->joint)];
            if (j.mimic->joint < 0) j.mimic.reset();
        }
    tree_.joints = std::move(sorted);
}

}  // namespace mechane::sourceformats

// Trees of joints for xpbd, solved in one sweep from the leaves to the roots and back: the method of Baraff,
// "Linear-time dynamics using Lagrange multipliers" (1996), for rows with softness.
// A joint's rows see the child with all that hangs on it as one body with a mass of six directions; eliminated, they
// add to the mass and to the motion of the parent. Loops are left to passes over the joints that close them.
// Impulses [N s, N m s], changes of velocity [m/s, rad/s] about the centres of mass. Linear parts are in world axes.
// Angular parts are in the axes of each body: there its inertia is constant, and an axis about which nothing turns it
// is one of the six directions.

#include "solvers/xpbd/joint_trees.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace mechane::solvers::xpbd {

namespace {

using namespace shared;

/// Linear part in world axes, angular part in those of the body that turns by `q`.
Six to_six(const Spatiald& s, const Quatd& q)
{
    const Vec3d turn = rotate_inverse(q, s.angular);
    return {s.linear.x, s.linear.y, s.linear.z, turn.x, turn.y, turn.z};
}

double product(const Six& a, const Six& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < 6; ++i) sum += a[i] * b[i];
    return sum;
}

bool is_movable(const Bodies& bodies, std::int32_t b)
{ return b >= 0 && bodies.inv_mass[static_cast<std::size_t>(b)] > 0; }

}  // namespace

std::vector<JointGroup> group_joints(const std::vector<JointLayout>& joints, const Bodies& bodies)
{
    const model::Model&                              m = *bodies.model;
    std::map<std::int32_t, std::vector<std::size_t>> by_world;
    bool                                             apart = true;
    for (std::size_t i = 0; i < joints.size(); ++i) {
        const auto j = static_cast<std::size_t>(joints[i].joint);
        // What nothing moves depends on nobody.
        const std::int32_t p = m.joint_parent[j], c = m.joint_child[j],
                           world = m.body_world[static_cast<std::size_t>(c)];
        apart = apart && (!is_movable(bodies, p) || m.body_world[static_cast<std::size_t>(p)] == world);
        by_world[world].push_back(i);
    }
    std::vector<std::vector<std::size_t>> sets;
    for (auto& [world, set] : by_world)
        if (apart || sets.empty())
            sets.push_back(std::move(set));
        else
            sets.front().insert(sets.front().end(), set.begin(), set.end());
    // The first joint that holds a body as its child is the tree's; a body that would be above itself is not.
    std::vector<std::int32_t> held_by(bodies.inv_mass.size(), -1);
    std::vector<JointGroup>   out;
    for (std::vector<std::size_t>& set : sets) {
        std::sort(set.begin(), set.end());
        JointGroup                                       group;
        std::vector<std::pair<std::size_t, std::size_t>> by_depth;
        const auto                                       ends = [&](std::size_t i) {
            const auto j = static_cast<std::size_t>(joints[i].joint);
            return std::pair(m.joint_parent[j], m.joint_child[j]);
        };
        for (const std::size_t i : set) {
            const auto [p, c] = ends(i);
            bool tree         = is_movable(bodies, c) && held_by[static_cast<std::size_t>(c)] < 0;
            for (std::int32_t at = p; tree && at >= 0;) {
                if (at == c) tree = false;
                const std::int32_t by = held_by[static_cast<std::size_t>(at)];
                at                    = by < 0 ? -1 : ends(static_cast<std::size_t>(by)).first;
            }
            if (tree)
                held_by[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(i);
            else
                group.rest.push_back(i);
        }
        for (const std::size_t i : set) {
            if (std::binary_search(group.rest.begin(), group.rest.end(), i)) continue;  // both go upwards
            std::size_t depth = 0;
            for (std::int32_t at = ends(i).first; at >= 0; ++depth) {
                const std::int32_t by = held_by[static_cast<std::size_t>(at)];
                at                    = by < 0 ? -1 : ends(static_cast<std::size_t>(by)).first;
            }
            by_depth.emplace_back(depth, i);
        }
        std::sort(by_depth.begin(), by_depth.end());
        for (const auto& [depth, i] : by_depth) group.tree.push_back(i);
        out.push_back(std::move(group));
    }
    return out;
}

void JointTrees::resize(std::size_t joints, std::size_t bodies)
{
    links_.assign(joints, {});
    mass_.assign(bodies, {});
    bias_.assign(bodies, {});
    change_.assign(bodies, {});
    of_body_.assign(bodies, {});
    known_.assign(bodies, 0);
}

void JointTrees::begin_body(std::size_t b, const Bodies& bodies)
{
    bias_[b]  = {};
    known_[b] = 0;
    mass_[b]  = {};
    // A body that nothing turns is as heavy to turn as nothing else.
    constexpr double kRigid = 1e20;
    const double     mass   = 1 / bodies.inv_mass[b];
    const Vec3d      axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (std::size_t k = 0; k < 3; ++k) {
        mass_[b][k][k]      = mass;
        const Vec3d inertia = bodies.inertia[b] * axes[k];
        mass_[b][3][3 + k]  = inertia.x;
        mass_[b][4][3 + k]  = inertia.y;
        mass_[b][5][3 + k]  = inertia.z;
        if (bodies.inv_inertia[b] * axes[k] == Vec3d{}) mass_[b][3 + k][3 + k] += kRigid * mass;
    }
}

void JointTrees::solve(const JointGroup& group, const std::vector<JointPlace>& places, double h, const Bodies& bodies)
{
    for (const std::size_t i : group.tree)
        for (const std::int32_t b : {places[i].parent, places[i].child})
            if (is_movable(bodies, b)) begin_body(static_cast<std::size_t>(b), bodies);
    for (std::size_t at = group.tree.size(); at-- > 0;) {
        const std::size_t i    = group.tree[at];
        Link&             link = links_[i];
        const auto        c    = static_cast<std::size_t>(places[i].child);
        const std::size_t n    = link.system.count;
        of_body_[c].make(mass_[c], 6);
        link.own = of_body_[c].solve(bias_[c]);
        Square joint{};
        for (std::size_t r = 0; r < n; ++r) {
            const Six& row = link.on_child[r];
            link.yield[r]  = of_body_[c].solve(row);
            link.asked[r]  = link.system.asked[r] - h * product(row, link.own);
            // What is off has no pivot and takes no impulse.
            for (std::size_t s = 0; s <= r && !link.system.off[r]; ++s)
                joint[r][s] = joint[s][r] = link.system.off[s] ? 0 : h * product(row, link.yield[s]);
            if (!link.system.off[r]) joint[r][r] += link.system.softness[r];
        }
        link.factor.make(joint, n);
        if (!is_movable(bodies, places[i].parent)) continue;
        // The parent feels the child through the joint: J^T (h J M^-1 J^T + softness)^-1 of what it asks and of h J.
        const auto p   = static_cast<std::size_t>(places[i].parent);
        const Six  own = link.factor.solve(link.asked);
        for (std::size_t k = 0; k < 6; ++k) {
            Six column{};
            for (std::size_t r = 0; r < n; ++r) column[r] = h * link.on_parent[r][k];
            column = link.factor.solve(column);
            for (std::size_t r = 0; r < n; ++r) {
                const Six& row = link.on_parent[r];
                for (std::size_t l = 0; l < 6; ++l) mass_[p][l][k] += row[l] * column[r];
                bias_[p][k] += row[k] * own[r];
            }
        }
    }
    for (const std::size_t i : group.tree) {
        Link&      link  = links_[i];
        const auto c     = static_cast<std::size_t>(places[i].child);
        Six        asked = link.asked;
        if (is_movable(bodies, places[i].parent)) {
            const auto p = static_cast<std::size_t>(places[i].parent);
            if (known_[p] == 0) {  // nothing holds it but what hangs on it
                of_body_[p].make(mass_[p], 6);
                change_[p] = of_body_[p].solve(bias_[p]);
                known_[p]  = 1;
            }
            for (std::size_t r = 0; r < link.system.count; ++r) asked[r] -= h * product(link.on_parent[r], change_[p]);
        }
        link.x     = link.factor.solve(asked);
        change_[c] = link.own;
        known_[c]  = 1;
        for (std::size_t r = 0; r < link.system.count; ++r)
            for (std::size_t k = 0; k < 6; ++k) change_[c][k] += link.x[r] * link.yield[r][k];
    }
}

void JointTrees::hold(const JointGroup& group, const std::vector<JointLayout>& joints, const model::Control& control,
                      const JointSettings& settings, double h, std::vector<JointPlace>& places,
                      std::vector<double>& near, std::vector<JointMemory>& memory, Bodies& bodies)
{
    const model::Model& m = *bodies.model;
    for (const std::size_t i : group.tree) {
        places[i] = place_joint(joints[i], bodies, near);
        if (!m.joint_enabled[static_cast<std::size_t>(joints[i].joint)]) {
            links_[i].system.count = 0;
            continue;
        }
        if (joints[i].turn == JointLayout::Turn::single)
            near[static_cast<std::size_t>(joints[i].q + joints[i].axes.linear)] = places[i].angular[0].value;
        Link& link  = links_[i];
        link.system = system_of(joints[i], places[i], bodies, control, settings, h, memory[i]);
        for (std::size_t r = 0; r < link.system.count; ++r) {
            link.on_parent[r] = to_six(link.system.row[r].on_a, bodies.pose(places[i].parent).q);
            link.on_child[r]  = to_six(link.system.row[r].on_b, bodies.pose(places[i].child).q);
        }
    }
    // A limit pushes only. One that would pull is let go, and the others are solved again; a few rounds find most.
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round) {
        solve(group, places, h, bodies);
        bool let_go = false;
        for (const std::size_t i : group.tree) let_go = links_[i].system.let_go(links_[i].x) || let_go;
        if (!let_go) break;
    }
    for (const std::size_t i : group.tree)
        for (const std::int32_t b : {places[i].parent, places[i].child})
            if (is_movable(bodies, b)) bias_[static_cast<std::size_t>(b)] = {};
    for (const std::size_t i : group.tree) {
        const Link& link = links_[i];
        for (std::size_t r = 0; r < link.system.count; ++r) {
            memory[i][link.system.of[r]] += link.x[r];
            const auto give = [&](std::int32_t b, const Six& impulse) {
                if (!is_movable(bodies, b)) return;
                for (std::size_t k = 0; k < 6; ++k) bias_[static_cast<std::size_t>(b)][k] += link.x[r] * impulse[k];
            };
            give(places[i].parent, link.on_parent[r]);
            give(places[i].child, link.on_child[r]);
        }
    }
    for (const std::size_t i : group.tree)
        for (const std::int32_t b : {places[i].parent, places[i].child}) {
            if (!is_movable(bodies, b)) continue;
            Six& s = bias_[static_cast<std::size_t>(b)];
            push(bodies, static_cast<std::size_t>(b),
                 {{s[0], s[1], s[2]}, rotate(bodies.pose(b).q, Vec3d{s[3], s[4], s[5]})}, h);
            s = {};
        }
}

}  // namespace mechane::solvers::xpbd

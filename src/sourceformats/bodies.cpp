// Which links of a read robot become rigid bodies. USD's bodies must have a mass to move freely, and robot
// descriptions are full of links that have none: frames, tool points, dummies between two joints.
//
// body     a link with an inertial, one that a movable joint holds, or a kinematic one
// frame    any other link; its shapes and joints belong to its home
// home     the body that a frame is fixed to, or -1 for the world; X_HL is the frame's pose in it
// merged   a link whose mass went elsewhere: to the link that holds it, or to nothing where it was too small
//
// Every decision that changes what the source says is an entry of the loss report.
#include "sourceformats/bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "mechane/geometry/mass.h"
#include "mechane/sourceformats/hints.h"
#include "sourceformats/indices.h"

namespace mechane::sourceformats {
namespace {

Inertial moved(const Inertial& of, const Posed& X_AB)
{
    Inertial     out = of;
    const Mat33d R   = to_matrix(X_AB.q);
    out.com          = X_AB * of.com;
    // About the new axes: I' = R I R^T. The centre of mass moves with the frame, and the tensor is about that centre.
    out.inertia = R * of.inertia * transpose(R);
    return out;
}

Inertial combined(const Inertial& a, const Inertial& b)
{
    const geometry::MassProperties both = geometry::combined({a.mass, a.com, a.inertia}, {b.mass, b.com, b.inertia});
    Inertial                       out  = a;
    out.mass                            = both.mass;
    out.com                             = both.com;
    out.inertia                         = both.inertia;
    out.has_inertia                     = a.has_inertia && b.has_inertia;
    return out;
}

Inertial stand_in(double mass)
{
    // A solid ball: 2/5 m r^2 about each axis.
    const double moment = 0.4 * mass * kStandInRadius * kStandInRadius;
    return {mass, {}, Mat33d::diagonal(Vec3d{1, 1, 1} * moment), true, {}};
}

}  // namespace

void give_masses(RobotTree& tree, double mass, LossReport& losses)
{
    // The losses of this look were reported, or will be, by the writer that asks again.
    LossReport   unused;
    const Bodies bodies = find_bodies(tree, unused);
    for (std::size_t l = 0; l < tree.links.size(); ++l) {
        if (!bodies.is_body[l] || tree.links[l].inertial || bodies.merged[l] || tree.links[l].kinematic) continue;
        if (bodies.inertial[l] && bodies.inertial[l]->mass != kStandInMass) continue;  // that of what is fixed to it
        tree.links[l].inertial = stand_in(mass);
        losses.add({"default-mass", Severity::info, LossAction::converted, "inertia", site_of(tree.links[l].place),
                    fmt::format("link '{}'", tree.links[l].name), "no mass", fmt::format("{} kg, a ball of 5 cm", mass),
                    "the link moves and has no mass; it is the default mass that was asked for"});
    }
}

// UsdPhysics' kinematic bodies are moved from outside one by one. A base that carries other links would have to carry
// a tree; a fixed joint to the world stands for that.
void hold_kinematic_roots(RobotTree& tree, LossReport& losses)
{
    std::vector<bool> below(tree.links.size(), false), above(tree.links.size(), false), held(tree.links.size(), false);
    std::set<std::string> names;
    for (const Joint& j : tree.joints) {
        names.insert(j.name);
        if (j.loop) continue;
        // What no joint of MJCF moves is fixed to the world already.
        const bool fixed                    = j.parent < 0 && j.kind == Joint::Kind::fixed;
        (fixed ? held : below)[at(j.child)] = true;
        if (j.parent >= 0) above[at(j.parent)] = true;
    }
    for (std::size_t l = 0; l < tree.links.size(); ++l) {
        Link& link = tree.links[l];
        if (!link.kinematic || below[l] || !above[l]) continue;
        link.kinematic = false;
        Extra told;
        told.name  = hints::kKinematic;
        told.type  = "bool";
        told.text  = "true";
        told.place = link.place;
        link.extras.push_back(std::move(told));
        losses.add({"kinematic-base", Severity::warning, LossAction::converted, "kinematics", site_of(link.place),
                    fmt::format("link '{}'", link.name), "moved from outside", "fixed to the world",
                    "a base that carries other links is fixed by a joint; only single bodies are kinematic"});
        if (held[l]) continue;
        Joint made;
        made.name = link.name + "_anchor";
        for (int i = 1; !names.insert(made.name).second; ++i) made.name = fmt::format("{}_anchor_{}", link.name, i);
        made.child = static_cast<int>(l);
        made.X_PJ  = link.X_WL;
        made.place = link.place;
        // Joints lie parents first, so the anchor is put in front. All references to joints by index move by one.
        tree.joints.insert(tree.joints.begin(), std::move(made));
        for (Joint& j : tree.joints)
            if (j.mimic) ++j.mimic->joint;
        const auto shift = [](Relation& r) {
            for (Ref& ref : r.targets)
                if (ref.kind == Ref::Kind::joint) ++ref.index;
        };
        for (VendorPrim& p : tree.prims)
            for (Relation& r : p.relations) shift(r);
        for (JointRelation& r : tree.joint_relations) ++r.joint, shift(r.relation);
    }
}

// Principal axes are free up to their order and signs: 24 right-handed choices. The one nearest to the link's own
// axes (largest |w| of its quaternion) is taken, so that a diagonal tensor stays unrotated and files stay readable.
Principal principal(const Mat33d& inertia)
{
    const geometry::PrincipalAxes axes          = geometry::principal_axes(inertia);
    const Mat33d                  R             = to_matrix(axes.rotation);
    static constexpr int          kOrders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    Principal                     best{axes.values, axes.rotation};
    double                        most = -1;
    for (const auto& order : kOrders)
        for (int signs = 0; signs < 8; ++signs) {
            Vec3d column[3];
            for (std::size_t i = 0; i < 3; ++i) column[i] = ((signs >> i) & 1 ? -1.0 : 1.0) * R.column(at(order[i]));
            const Mat33d turned = Mat33d::from_columns(column[0], column[1], column[2]);
            if (determinant(turned) < 0) continue;
            const Quatd q = from_matrix(turned);
            // Equal choices keep the first, in the order of the table. 1e-9 is above the rounding of a quaternion.
            if (std::abs(q.w) <= most + 1e-9) continue;
            most = std::abs(q.w);
            best = {{axes.values[at(order[0])], axes.values[at(order[1])], axes.values[at(order[2])]},
                    q.w < 0 ? Quatd{-q.x, -q.y, -q.z, -q.w} : q};
        }
    return best;
}

Bodies find_bodies(const RobotTree& tree, LossReport& losses)
{
    const std::size_t links = tree.links.size(), joints = tree.joints.size();
    Bodies            out;
    out.is_body.assign(links, false);
    out.home.assign(links, -1);
    out.X_HL.resize(links);
    out.parent.assign(links, -1);
    out.joint_merged.assign(joints, false);
    out.inertial.resize(links);
    out.merged.assign(links, false);
    std::vector<int> above(links, -1);  // the joint that holds the link in the tree
    for (std::size_t j = 0; j < joints; ++j)
        if (!tree.joints[j].loop) above[at(tree.joints[j].child)] = static_cast<int>(j);
    for (std::size_t l = 0; l < links; ++l) out.inertial[l] = tree.links[l].inertial;
    const auto fixed_to = [&](std::size_t l) {
        const int j = above[l];
        return j >= 0 && tree.joints[at(j)].kind == Joint::Kind::fixed;
    };
    const auto moving_child = [&](std::size_t l) {
        return std::any_of(tree.joints.begin(), tree.joints.end(), [&](const Joint& j) {
            return !j.loop && j.parent == static_cast<int>(l) && j.kind != Joint::Kind::fixed;
        });
    };
    // A frame that a source gives a gram at most: nothing of it can be seen or touched, and what holds it has a mass.
    constexpr double kFrameMass = 1e-3;
    const auto       is_tiny    = [&](std::size_t l) {
        return tree.links[l].inertial && tree.links[l].inertial->mass <= kFrameMass;
    };
    std::vector<bool> shaped(links, false);
    for (const Shape& s : tree.shapes)
        if (s.link >= 0) shaped[at(s.link)] = true;
    // A frame's holder is the first link upwards over fixed joints that has a real mass.
    for (std::size_t l = 0; l < links; ++l) {
        if (!is_tiny(l) || shaped[l] || tree.links[l].kinematic || !fixed_to(l)) continue;
        int holder = tree.joints[at(above[l])].parent;
        // At most as many steps as there are links: a chain that closes upon itself ends too.
        for (std::size_t steps = 0;
             holder >= 0 && (!tree.links[at(holder)].inertial || is_tiny(at(holder))) && steps < links; ++steps)
            holder = fixed_to(at(holder)) ? tree.joints[at(above[at(holder)])].parent : -1;
        if (holder < 0) continue;
        losses.add(
            {"frame-mass", Severity::warning, LossAction::dropped, "inertia", site_of(tree.links[l].place),
             fmt::format("link '{}'", tree.links[l].name), fmt::format("{} kg", tree.links[l].inertial->mass),
             "a frame",
             fmt::format("a link that a fixed joint holds, with no shape and at most a gram, is a frame of link '{}'",
                         tree.links[at(holder)].name)});
        out.inertial[l].reset();
        out.merged[l] = true;
    }
    // A link without mass that moves, or is a root, takes the mass of what is fixed to it.
    for (std::size_t l = 0; l < links; ++l) {
        if (out.inertial[l] || fixed_to(l)) continue;
        bool any = false;
        // Depth first over fixed joints, with the pose of each link in the link that takes the mass.
        const auto absorb = [&](std::size_t link, const Posed& X, const auto& self) -> void {
            for (const Joint& j : tree.joints) {
                if (j.loop || j.parent != static_cast<int>(link) || j.kind != Joint::Kind::fixed) continue;
                const std::size_t child = at(j.child);
                // X_PJ places the joint in its parent, X_CJ in its child; at zero both are one: X_LC = X_LP X_PJ
                // X_CJ^-1.
                const Posed X_LC = X * j.X_PJ * inverse(j.X_CJ);
                if (out.inertial[child]) {
                    const Inertial part = moved(*out.inertial[child], X_LC);
                    out.inertial[l]     = any ? combined(*out.inertial[l], part) : part;
                    any                 = true;
                    losses.add({"merged-mass", Severity::info, LossAction::merged, "inertia",
                                site_of(tree.links[child].place), fmt::format("link '{}'", tree.links[child].name),
                                fmt::format("{} kg", part.mass), fmt::format("link '{}'", tree.links[l].name),
                                "the link that holds it moves and has no mass of its own; both are one body"});
                    out.inertial[child].reset();
                    out.merged[child] = true;
                }
                self(child, X_LC, self);
            }
        };
        absorb(l, {}, absorb);
    }
    // The decision proper. A root without mass is no body: what hangs on it is fixed to the world.
    for (std::size_t l = 0; l < links; ++l) {
        const bool root = above[l] < 0;
        if (out.inertial[l] || tree.links[l].kinematic)
            out.is_body[l] = true;
        else if (!root && !fixed_to(l))
            out.is_body[l] = true;
        if (out.is_body[l] && !out.inertial[l] && !tree.links[l].kinematic) {
            const bool solid = std::any_of(tree.shapes.begin(), tree.shapes.end(),
                                           [&](const Shape& s) { return s.collider && s.link == static_cast<int>(l); });
            // Nothing could compute a mass of what has no collider: it gets one that moves next to nothing.
            if (!solid) out.inertial[l] = stand_in(kStandInMass);
            losses.add({"missing-mass", Severity::error, solid ? LossAction::kept : LossAction::approximated, "inertia",
                        site_of(tree.links[l].place), fmt::format("link '{}'", tree.links[l].name), "no mass",
                        solid ? std::string() : fmt::format("{} kg", kStandInMass),
                        solid ? "the link moves and has no mass; a simulation computes one from its shapes"
                              : "the link moves and has no mass, and nothing to compute one from; a default mass gives "
                                "another"});
        }
        if (root && !out.is_body[l] && moving_child(l))
            losses.add({"massless-root", Severity::warning, LossAction::converted, "kinematics",
                        site_of(tree.links[l].place), fmt::format("link '{}'", tree.links[l].name),
                        "a root without mass", "fixed to the world", "what has no mass cannot move freely"});
    }
    // Homes from the roots down: joints lie parents first.
    for (std::size_t l = 0; l < links; ++l) {
        if (out.is_body[l]) out.home[l] = static_cast<int>(l);
        if (!out.is_body[l] && above[l] < 0) out.X_HL[l] = tree.links[l].X_WL;
    }
    for (std::size_t j = 0; j < joints; ++j) {
        const Joint& joint = tree.joints[j];
        if (joint.loop) continue;
        const std::size_t child = at(joint.child);
        if (out.is_body[child]) continue;
        out.joint_merged[j] = true;
        out.parent[child]   = joint.parent;
        const Posed X_PC    = joint.X_PJ * inverse(joint.X_CJ);
        out.home[child]     = joint.parent >= 0 ? out.home[at(joint.parent)] : -1;
        out.X_HL[child]     = joint.parent >= 0 ? out.X_HL[at(joint.parent)] * X_PC : X_PC;
        int holder          = joint.parent;  // the body that the link became part of
        while (holder >= 0 && !out.is_body[at(holder)])
            holder = above[at(holder)] >= 0 ? tree.joints[at(above[at(holder)])].parent : -1;
        losses.add(
            {"merged-frame", Severity::info, LossAction::merged, "kinematics", site_of(joint.place),
             fmt::format("joint '{}'", joint.name), "fixed", "a frame",
             !out.merged[child]
                 ? fmt::format("link '{}' has no mass; it is a frame of what holds it", tree.links[child].name)
             : holder >= 0
                 ? fmt::format("link '{}' has no mass of its own and takes that of link '{}', which is a frame of it",
                               tree.links[at(holder)].name, tree.links[child].name)
                 : fmt::format("the mass of link '{}' went to what holds it, of which it is a frame",
                               tree.links[child].name)});
    }
    // Joints of frames are told in the frame of the home.
    out.joint_parent.assign(joints, -1);
    out.X_PJ.resize(joints);
    for (std::size_t j = 0; j < joints; ++j) {
        const Joint& joint = tree.joints[j];
        out.X_PJ[j]        = joint.X_PJ;
        if (joint.parent < 0) continue;
        out.joint_parent[j] = out.home[at(joint.parent)];
        out.X_PJ[j]         = out.X_HL[at(joint.parent)] * joint.X_PJ;
    }
    // What is part of the world on both sides is held already.
    for (std::size_t j = 0; j < joints; ++j) {
        const Joint& joint = tree.joints[j];
        if (!joint.loop || out.joint_parent[j] >= 0 || out.home[at(joint.child)] >= 0) continue;
        out.joint_merged[j] = true;
        losses.add({"loop-joint",
                    Severity::info,
                    LossAction::dropped,
                    "kinematics",
                    site_of(joint.place),
                    fmt::format("joint '{}'", joint.name),
                    {},
                    {},
                    "both of its sides are part of the world, which nothing moves"});
    }
    return out;
}

}  // namespace mechane::sourceformats

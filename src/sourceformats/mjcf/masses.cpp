// Masses of bodies by the rules of <compiler>, and bodies that nothing moves.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mechane/geometry/mass.h"
#include "mechane/sourceformats/codes.h"
#include "sourceformats/mjcf/reader.h"

namespace mechane::sourceformats {

geometry::MassProperties MjcfReader::sum_of(const std::vector<GeomMass>& geoms)
{
    geometry::MassProperties sum;
    for (const GeomMass& g : geoms) {
        const auto part = geometry::transformed({g.mass.mass, g.mass.com, g.mass.inertia}, g.X_LS);
        sum             = &g == geoms.data() ? part : geometry::combined(sum, part);
    }
    return sum;
}

void MjcfReader::masses()
{
    double total = 0;
    for (std::size_t l = 0; l < tree_.links.size(); ++l) {
        Link&               link = tree_.links[l];
        const auto          own  = own_compilers_.find(static_cast<int>(l));
        const MjcfCompiler& file = own != own_compilers_.end() ? own->second : compiler_;
        // The geoms of a body add up: their masses, centres and tensors by the theorem of parallel axes.
        if (!link.inertial || !link.inertial->has_inertia || file.inertiafromgeom == "true") {
            const auto& geoms = geom_masses_[static_cast<int>(l)];
            const auto  sum   = sum_of(geoms);
            // "false": what no <inertial> tells has no mass, whatever its shapes weigh.
            if (!geoms.empty() && !link.inertial && file.inertiafromgeom != "false") {
                link.inertial = Inertial{sum.mass, sum.com, sum.inertia, true, link.place};
                s_.losses.add({"mass-from-shapes",
                               Severity::info,
                               LossAction::converted,
                               "inertia",
                               site_of(link.place),
                               fmt::format("body '{}'", link.name),
                               {},
                               fmt::format("{} kg", sum.mass),
                               "computed as MuJoCo does"});
            }
        }
        if (!link.inertial && file.boundmass > 0) {
            // MuJoCo's bound is the mass of bodies that tell of none, too. Where no inertial frame is told, its
            // compiler takes the body's own pose in its parent for one.
            const auto  held = stands_.find(static_cast<int>(l));
            const Posed X    = held == stands_.end() ? link.X_WL : held->second;
            link.inertial    = Inertial{0, X.p, {}, file.boundinertia > 0, link.place};
            s_.losses.add({"bound-mass", Severity::info, LossAction::converted, "inertia", site_of(link.place),
                           fmt::format("body '{}'", link.name), "no mass", fmt::format("{} kg", file.boundmass),
                           "boundmass, as MuJoCo has it"});
        }
        if (!link.inertial) continue;
        Inertial& in = *link.inertial;
        // boundmass and boundinertia are lower bounds for what the file says and for what was computed.
        in.mass = std::max(in.mass, file.boundmass);
        if (in.has_inertia && (file.boundinertia > 0 || file.balanceinertia)) {
            auto   axes = geometry::principal_axes(in.inertia);
            Vec3d& d    = axes.values;
            for (std::size_t i = 0; i < 3; ++i) d[i] = std::max(d[i], file.boundinertia);
            // No body has a principal moment larger than the sum of the other two (the triangle inequality of I =
            // integral of r^2). balanceinertia replaces the three by their mean.
            if (file.balanceinertia && (d.x + d.y < d.z || d.x + d.z < d.y || d.y + d.z < d.x))
                d = (d.x + d.y + d.z) / 3 * Vec3d{1, 1, 1};
            const Mat33d R = to_matrix(axes.rotation);
            in.inertia     = R * Mat33d::diagonal(d) * transpose(R);
        }
        if (!(in.mass > 0)) {
            if (in.mass < 0)
                s_.error(kInertia, in.place, fmt::format("the mass of body '{}' is {}", link.name, in.mass));
            link.inertial.reset();
            continue;
        }
        if (in.has_inertia && !is_inertia(in.inertia)) {
            s_.error(kInertia, in.place,
                     fmt::format("the inertia of body '{}' is that of no body; {}", link.name, kInertiaOtherwise));
            in.has_inertia = false;
            if (is_finite(in.inertia)) link.unused = in;  // for the way back
        }
        total += in.mass;
    }
    // All masses and inertias are scaled by one factor, after the bounds.
    if (compiler_.settotalmass > 0 && total > 0)
        for (Link& link : tree_.links)
            if (link.inertial)
                link.inertial->mass *= compiler_.settotalmass / total,
                    link.inertial->inertia *= compiler_.settotalmass / total;
}

// A body that is welded to the world by all joints above it, and that carries nothing that moves, is a part of the
// world for MuJoCo. A rigid body of USD at that place would fall, so its inertia is set aside and it becomes a static
// collider.
void MjcfReader::static_bodies()
{
    std::vector<bool> carries(tree_.links.size(), false), welded(tree_.links.size(), true);
    for (const Joint& j : tree_.joints)
        if (!j.loop && j.kind != Joint::Kind::fixed) welded[at(j.child)] = false;
    for (const auto& [l, armature] : floating_) welded[at(l)] = false;
    std::vector<int> parent(tree_.links.size(), -1);
    for (const Joint& j : tree_.joints)
        if (!j.loop) parent[at(j.child)] = j.parent;
    // Children lie behind their parents: one pass backwards tells each body whether something below it moves.
    for (std::size_t l = tree_.links.size(); l-- > 0;)
        if (parent[l] >= 0 && (carries[l] || !welded[l])) carries[at(parent[l])] = true;
    std::vector<bool> still(tree_.links.size(), false);
    for (std::size_t l = 0; l < tree_.links.size(); ++l) {
        still[l] = welded[l] && (parent[l] < 0 || still[at(parent[l])]) && !floating_.contains(static_cast<int>(l));
        if (still[l] && !carries[l] && tree_.links[l].inertial && !tree_.links[l].kinematic) {
            s_.losses.add({"static-body", Severity::info, LossAction::converted, "inertia",
                           site_of(tree_.links[l].place), fmt::format("body '{}'", tree_.links[l].name),
                           fmt::format("{} kg", tree_.links[l].inertial->mass), "part of the world",
                           "nothing moves it"});
            tree_.links[l].unused = std::exchange(tree_.links[l].inertial, std::nullopt);
        }
    }
    // MuJoCo leaves parent and child out of contacts unless the parent stands in the world.
    for (Joint& j : tree_.joints)
        if (!j.loop && j.parent >= 0 && j.kind != Joint::Kind::fixed && still[at(j.parent)] &&
            !tree_.links[at(j.parent)].kinematic)
            j.collide = true;
}

// Bodies that are welded together are one body for MuJoCo's contacts: no two of them touch, and none touches the parent
// of the whole group. In USD they stay bodies of their own, so each of these pairs is written as an exclusion.
void MjcfReader::welded_pairs()
{
    const std::size_t n = tree_.links.size();
    std::vector<int>  head(n), above(n, -1);  // the first of those that are welded to each other; joint
    for (std::size_t j = 0; j < tree_.joints.size(); ++j)
        if (!tree_.joints[j].loop) above[at(tree_.joints[j].child)] = static_cast<int>(j);
    std::vector<bool> still(n, false), collides(n, false);
    for (const Shape& s : tree_.shapes)
        if (s.link >= 0 && s.collider) collides[at(s.link)] = true;
    std::map<int, std::vector<int>> members;
    // head[l] is the topmost body of the group that l is welded to; still[l] tells that the group stands on the world.
    for (std::size_t l = 0; l < n; ++l) {  // parents lie first
        const bool floats = floating_.contains(static_cast<int>(l)) || above[l] < 0;
        const bool fixed  = !floats && tree_.joints[at(above[l])].kind == Joint::Kind::fixed;
        const int  parent = floats ? -1 : tree_.joints[at(above[l])].parent;
        head[l]           = fixed && parent >= 0 ? head[at(parent)] : static_cast<int>(l);
        still[l]          = fixed && (parent < 0 || still[at(parent)]);
        if (collides[l]) members[head[l]].push_back(static_cast<int>(l));
    }
    const auto joined = [&](int a, int b) {
        const auto holds = [&](int up, int down) {
            return above[at(down)] >= 0 && tree_.joints[at(above[at(down)])].parent == up;
        };
        return holds(a, b) || holds(b, a);  // the joint leaves them out
    };
    std::size_t made = 0;
    const auto  put  = [&](int a, int b) {
        if (a == b || joined(a, b) || ++made > 10'000) return;
        tree_.exclusions.push_back({a, b, tree_.links[at(b)].place});
    };
    for (const auto& [h, own] : members) {
        if (still[at(h)]) continue;
        for (std::size_t i = 0; i < own.size(); ++i)
            for (std::size_t k = i + 1; k < own.size(); ++k) put(own[i], own[k]);
        const int parent = above[at(h)] >= 0 && !floating_.contains(h) ? tree_.joints[at(above[at(h)])].parent : -1;
        // The filter between parent and child does not hold for the world (MuJoCo, Computation, section Collision).
        if (parent < 0 || still[at(parent)] || off("filterparent")) continue;
        if (const auto others = members.find(head[at(parent)]); others != members.end())
            for (const int a : others->second)
                for (const int b : own) put(a, b);
    }
}

void MjcfReader::anchor()
{
    for (const auto& [l, armature] : floating_) {
        Joint made;
        made.name  = s_.unique(joint_names_, tree_.links[at(l)].name + "_anchor", {}, "joint", false);
        made.child = l;
        made.X_PJ  = tree_.links[at(l)].X_WL;
        made.place = tree_.links[at(l)].place;
        tree_.joints.push_back(std::move(made));
    }
}

}  // namespace mechane::sourceformats

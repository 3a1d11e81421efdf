// Merges bodies that fixed joints weld (Newton's collapse_fixed_joints): shapes, masses, joints, custom attributes and
// attachments go to the survivor, and everything is numbered anew.
// Poses X of fates are of the merged body in its survivor. Mass and centre are exact sums; the inertia is about the new
// centre, or by Newton's rule (MergedInertia). Called by the importer and by programs.

#include "mechane/model/collapse.h"
#include "mechane/model/custom_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "mechane/geometry/mass.h"
#include "mechane/model/builder.h"
#include "mechane/model/codes.h"
#include "mechane/model/joint_table.h"

namespace mechane::model {

namespace {

/// Where a body goes: itself, or merged into a survivor.
struct Fate {
    std::int32_t survivor = -1;  ///< old index, -1: the world
    Posed        pose;           ///< of the body in the survivor, or in the world
    bool         merged = false;
};

std::int32_t dofs_of(const BuilderJoint& joint)
{
    const auto& info = joint_type_info(joint.type);
    return info.dofs >= 0 ? info.dofs : static_cast<std::int32_t>(joint.linear_axes.size() + joint.angular_axes.size());
}
std::int32_t coord_count(const BuilderJoint& joint)
{
    const auto& info = joint_type_info(joint.type);
    return info.coords >= 0 ? info.coords : dofs_of(joint);
}

class Collapse {
  public:
    Collapse(ModelBuilder& builder, const CollapseKeep& keep, Diagnostics& found, MergedInertia inertia)
        : b_(builder), keep_(keep), found_(found), inertia_(inertia)
    {
    }

    CollapseResult run()
    {
        decide();
        anchor_joints();
        merge_shapes_and_masses();
        renumber();
        return std::move(result_);
    }

  private:
    BuilderBody& body(std::int32_t i) { return b_.bodies[static_cast<std::size_t>(i)]; }
    Fate&        fate(std::int32_t i) { return fates_[static_cast<std::size_t>(i)]; }

    [[nodiscard]] bool is_kept(const BuilderJoint& joint) const
    {
        return joint.type == JointType::fixed &&
               std::find(keep_.joints.begin(), keep_.joints.end(), joint.label) != keep_.joints.end();
    }

    /// A fixed joint that closes a loop welds two bodies of which one is held otherwise. One outside every articulation
    /// is such a joint if an articulation holds its child.
    [[nodiscard]] bool collapses(const BuilderJoint& joint, const std::vector<bool>& is_articulated) const
    {
        // A joint that is switched off may be switched on later.
        if (joint.type != JointType::fixed || !joint.enabled || joint.child < 0 || is_kept(joint)) return false;
        if (std::find(keep_.bodies.begin(), keep_.bodies.end(), joint.child) != keep_.bodies.end()) return false;
        return joint.articulation >= 0 || !is_articulated[static_cast<std::size_t>(joint.child)];
    }

    void decide()
    {
        const std::size_t n = b_.bodies.size();
        for (std::size_t i = 0; i < n; ++i) fates_.push_back({static_cast<std::int32_t>(i), {}, false});
        gone_.assign(b_.joints.size(), false);
        std::vector<bool> is_articulated(n, false);
        for (const BuilderJoint& joint : b_.joints)
            if (joint.articulation >= 0 && joint.child >= 0)
                is_articulated[static_cast<std::size_t>(joint.child)] = true;

        std::vector<std::int32_t> holder(n, -1);  // the joint that merges a body into its parent
        for (std::size_t j = 0; j < b_.joints.size(); ++j) {
            const BuilderJoint& joint = b_.joints[j];
            // A child that is the world is reported by finalize.
            if (is_kept(joint) && joint.child >= 0 && !(body(joint.child).mass > 0))
                found_.add(kCollapseKeptMassless, Site{.layer = {}, .prim = joint.label, .property = {}},
                           fmt::format("Skipped joint {} has a child {} with zero or negative mass", joint.label,
                                       body(joint.child).label));
            if (!collapses(joint, is_articulated)) continue;
            std::int32_t& of_child = holder[static_cast<std::size_t>(joint.child)];
            // Two fixed joints to one body: the first merges, the second closes a loop.
            if (of_child < 0) of_child = static_cast<std::int32_t>(j);
        }
        settle(holder);

        std::vector<std::string> loops;
        for (std::size_t j = 0; j < b_.joints.size(); ++j) {
            const BuilderJoint& joint = b_.joints[j];
            if (joint.type == JointType::fixed && joint.enabled && joint.articulation < 0 && !gone_[j])
                loops.push_back(joint.label);
        }
        if (!loops.empty())
            found_.add(kCollapseLoopWeld, Site{.layer = {}, .prim = loops.front(), .property = {}},
                       fmt::format("FIXED loop-closing joints ('{}') weld bodies outside every articulation and stay",
                                   fmt::join(loops, "', '")));
    }

    /// Fates from the top down, in whatever order the joints are listed. A ring is cut at the body that is met first.
    void settle(std::vector<std::int32_t>& holder)
    {
        const auto joint_of = [&](std::int32_t b) -> std::int32_t& { return holder[static_cast<std::size_t>(b)]; };
        std::vector<bool>         met(holder.size(), false);
        std::vector<std::int32_t> chain;
        for (std::int32_t first = 0; first < std::ssize(holder); ++first) {
            chain.clear();
            std::int32_t b = first;
            while (b >= 0 && !met[static_cast<std::size_t>(b)]) {
                met[static_cast<std::size_t>(b)] = true;
                chain.push_back(b);
                b = joint_of(b) < 0 ? -1 : b_.joints[static_cast<std::size_t>(joint_of(b))].parent;
            }
            // `b` is met again within this walk only on a ring.
            if (std::find(chain.begin(), chain.end(), b) != chain.end()) joint_of(b) = -1;
            for (auto one = chain.rbegin(); one != chain.rend(); ++one) {
                if (joint_of(*one) < 0) continue;
                const auto          j     = static_cast<std::size_t>(joint_of(*one));
                const BuilderJoint& joint = b_.joints[j];
                const Fate          above = joint.parent < 0 ? Fate{} : fate(joint.parent);
                // A fixed joint: X_parent X_p = X_child X_c, so the child lies at X_p X_c^-1 in the parent.
                fate(*one) = {above.survivor, above.pose * (joint.parent_xform * inverse(joint.child_xform)), true};
                gone_[j]   = true;
            }
        }
    }

    /// The ends of all other joints on the survivors.
    void anchor_joints()
    {
        for (std::size_t j = 0; j < b_.joints.size(); ++j) {
            if (gone_[j]) continue;
            BuilderJoint& joint = b_.joints[j];
            const auto    move  = [&](std::int32_t& end, Posed& xform) {
                if (end < 0 || !fate(end).merged) return;
                xform = fate(end).pose * xform;
                end   = fate(end).survivor;
            };
            move(joint.parent, joint.parent_xform);
            move(joint.child, joint.child_xform);
            // Both ends merged into one.
            if (joint.parent == joint.child) {
                gone_[j] = true;
                found_.add(
                    kCollapseLoopWeld, Site{.layer = {}, .prim = joint.label, .property = {}},
                    fmt::format("both ends of {} are one body now; it has no effect and is left out", joint.label));
            } else if (joint.child < 0) {
                // The world is always the parent. Coordinates of these joints are those of the inverse motion.
                std::swap(joint.parent, joint.child);
                std::swap(joint.parent_xform, joint.child_xform);
                for (auto* axes : {&joint.linear_axes, &joint.angular_axes})
                    for (JointDofConfig& dof : *axes) dof.axis = -dof.axis;
            }
        }
    }

    void merge_shapes_and_masses()
    {
        for (BuilderShape& shape : b_.shapes) {
            if (shape.body < 0 || !fate(shape.body).merged) continue;
            shape.xform = fate(shape.body).pose * shape.xform;
            shape.body  = fate(shape.body).survivor;
        }
        for (std::size_t i = 0; i < b_.bodies.size(); ++i) {
            const Fate& f = fates_[i];
            if (!f.merged) continue;
            const auto old = static_cast<std::int32_t>(i);
            // The maps let a caller find merged bodies.
            result_.body_merged_parent[old]    = f.survivor;
            result_.body_merged_transform[old] = f.pose;
            if (f.survivor < 0) continue;
            BuilderBody&       into = body(f.survivor);
            const BuilderBody& from = b_.bodies[i];
            const auto sum = geometry::combined({into.mass, into.com, into.inertia},
                                                geometry::transformed({from.mass, from.com, from.inertia}, f.pose));
            // Velocities are of the centre of mass: v' = v + w x (c' - c).
            const Vec3d moved = rotate(into.q.q, sum.com - into.com);
            carry_velocity(f.survivor, cross(into.qd.angular, moved));
            if (inertia_ == MergedInertia::survivor_origin) {
                const Vec3d& p = f.pose.p;
                // Newton adds the child's inertia by the parallel-axis rule about the survivor's origin.
                into.inertia += geometry::transformed({from.mass, {}, from.inertia}, {Vec3d{}, f.pose.q}).inertia +
                                from.mass * (dot(p, p) * Mat33d::identity() - Mat33d::outer(p, p));
            } else {
                into.inertia = sum.inertia;
            }
            into.mass = sum.mass;
            into.com  = sum.com;
        }
    }

    /// The linear velocity of a body is that of its centre of mass, which lies elsewhere now.
    void carry_velocity(std::int32_t survivor, const Vec3d& change)
    {
        body(survivor).qd.linear += change;
        for (std::size_t j = 0; j < b_.joints.size(); ++j) {
            BuilderJoint& joint = b_.joints[j];
            // A free root carries the velocity a second time in its rates.
            if (gone_[j] || joint.child != survivor || joint.parent >= 0 || joint.qd.size() != 6 ||
                !joint_type_info(joint.type).free_like)
                continue;
            const Vec3d own = rotate_inverse(joint.parent_xform.q, change);
            for (std::size_t k = 0; k < 3; ++k) joint.qd[k] += own[k];
        }
    }

    void renumber()
    {
        // Bodies.
        std::vector<std::int32_t> kept(b_.bodies.size(), -1);
        std::int32_t              next = 0;
        for (std::size_t i = 0; i < b_.bodies.size(); ++i)
            if (!fates_[i].merged) kept[i] = next++;
        for (std::size_t i = 0; i < b_.bodies.size(); ++i) {
            const std::int32_t survivor = fates_[i].survivor;
            result_.body_remap.push_back(survivor < 0 ? -1 : kept[static_cast<std::size_t>(survivor)]);
        }
        // Joints, and the starts of their entries before anything moves.
        // Entry by entry, as custom attributes may be of dofs, coordinates and constraints.
        std::vector<std::int32_t> dof_map, coord_map, row_map;
        std::int32_t              dofs = 0, coords = 0, rows = 0, joints = 0;
        for (std::size_t j = 0; j < b_.joints.size(); ++j) {
            const BuilderJoint& joint = b_.joints[j];
            const bool          gone  = gone_[j];
            result_.joint_remap.push_back(gone ? -1 : joints++);
            for (std::int32_t k = 0; k < dofs_of(joint); ++k) dof_map.push_back(gone ? -1 : dofs++);
            for (std::int32_t k = 0; k < coord_count(joint); ++k) coord_map.push_back(gone ? -1 : coords++);
            for (std::int32_t k = 0; k < 6 - dofs_of(joint); ++k) row_map.push_back(gone ? -1 : rows++);
        }
        std::vector<std::int32_t> body_map = kept;
        const auto                tree_map = renumber_trees();
        // Before joints are erased: the maps count the old ones.
        move_custom(body_map, dof_map, coord_map, row_map, tree_map);

        const auto shifted = [&](std::int32_t b) { return b < 0 ? b : kept[static_cast<std::size_t>(b)]; };
        for (std::size_t j = 0; j < b_.joints.size(); ++j) {
            BuilderJoint& joint = b_.joints[j];
            joint.parent        = shifted(joint.parent);
            joint.child         = shifted(joint.child);
            // A leader that is gone was fixed: it moves nothing.
            if (joint.mimic_joint >= 0)
                joint.mimic_joint = result_.joint_remap[static_cast<std::size_t>(joint.mimic_joint)];
            if (joint.articulation >= 0) joint.articulation = tree_map[static_cast<std::size_t>(joint.articulation)];
        }
        std::size_t at = 0;
        std::erase_if(b_.joints, [&](const BuilderJoint&) { return gone_[at++]; });
        at = 0;
        std::erase_if(b_.bodies, [&](const BuilderBody&) { return fates_[at++].merged; });
        for (BuilderBody& one : b_.bodies) one.shapes.clear();
        for (std::size_t s = 0; s < b_.shapes.size(); ++s) {
            b_.shapes[s].body = shifted(b_.shapes[s].body);
            if (b_.shapes[s].body >= 0) body(b_.shapes[s].body).shapes.push_back(static_cast<std::int32_t>(s));
        }
        for (BuilderAttachment& held : b_.attachments) {
            if (held.body < 0) continue;
            const Fate& f = fates_[static_cast<std::size_t>(held.body)];
            // Points ride along into the survivor's frame.
            if (f.merged) held.body_point = f.pose * held.body_point;
            held.body = shifted(f.merged ? f.survivor : held.body);
        }
        renumber_curves(kept);
        b_.joints_renumbered();
    }

    /// Segments of cables are never merged; joints in front of them may be.
    void renumber_curves(const std::vector<std::int32_t>& bodies)
    {
        const auto moved = [](SoftObject::Range& range, const std::vector<std::int32_t>& to) {
            std::int32_t first = -1, last = -1;
            for (std::int32_t i = range[0]; i < range[1]; ++i)
                if (const std::int32_t at = to[static_cast<std::size_t>(i)]; at >= 0)
                    first = first < 0 ? at : first, last = at;
            range = first < 0 ? SoftObject::Range{} : SoftObject::Range{first, last + 1};
        };
        for (CurveObject& curve : b_.curves) {
            moved(curve.body, bodies);
            moved(curve.joint, result_.joint_remap);
        }
    }

    std::vector<std::int32_t> renumber_trees()
    {
        std::vector<std::int32_t> map;
        std::int32_t              next = 0;
        for (BuilderArticulation& tree : b_.articulations) {
            std::erase_if(tree.joints, [&](std::int32_t j) { return gone_[static_cast<std::size_t>(j)]; });
            for (std::int32_t& j : tree.joints) j = result_.joint_remap[static_cast<std::size_t>(j)];
            map.push_back(tree.joints.empty() ? -1 : next++);
        }
        std::erase_if(b_.articulations, [](const BuilderArticulation& tree) { return tree.joints.empty(); });
        return map;
    }

    void move_custom(const std::vector<std::int32_t>& bodies, const std::vector<std::int32_t>& dofs,
                     const std::vector<std::int32_t>& coords, const std::vector<std::int32_t>& rows,
                     const std::vector<std::int32_t>& trees)
    {
        const auto map_of = [&](CustomFrequency frequency) -> const std::vector<std::int32_t>* {
            if (frequency == CustomFrequency::body) return &bodies;
            if (frequency == CustomFrequency::joint) return &result_.joint_remap;
            if (frequency == CustomFrequency::joint_dof) return &dofs;
            if (frequency == CustomFrequency::joint_coord) return &coords;
            if (frequency == CustomFrequency::joint_constraint) return &rows;
            if (frequency == CustomFrequency::articulation) return &trees;
            return nullptr;
        };
        const auto moved = [](const std::vector<std::int32_t>& map, std::int32_t index) {
            return index >= 0 && index < std::ssize(map) ? map[static_cast<std::size_t>(index)] : -1;
        };
        for (CustomAttribute& attribute : b_.custom_attributes) {
            if (attribute.references && attribute.type == CustomType::int32)
                if (const auto* map = *attribute.references == CustomFrequency::body ? &result_.body_remap
                                                                                     : map_of(*attribute.references))
                    for (auto& [index, value] : attribute.values)
                        if (value[0] >= 0) value[0] = moved(*map, static_cast<std::int32_t>(value[0]));
            const bool  wide = is_rows(attribute.frequency) && row_kind(attribute.frequency) == RowKind::joint_dof;
            const auto* map  = wide ? &dofs : map_of(attribute.frequency);
            if (map == nullptr) continue;
            // Rows of several columns move as whole rows.
            const std::int32_t                  n = wide ? row_columns(attribute.frequency) : 1;
            std::map<std::int32_t, CustomValue> values;
            for (const auto& [index, value] : attribute.values)
                if (const std::int32_t to = moved(*map, index / n); to >= 0) values[to * n + index % n] = value;
            attribute.values = std::move(values);
        }
    }

    ModelBuilder&       b_;
    const CollapseKeep& keep_;
    Diagnostics&        found_;
    MergedInertia       inertia_;
    std::vector<Fate>   fates_;  ///< by old body
    std::vector<bool>   gone_;   ///< by old joint
    CollapseResult      result_;
};

}  // namespace

CollapseResult collapse_fixed_joints(ModelBuilder& builder, const CollapseKeep& keep, Diagnostics& found,
                                     MergedInertia inertia)
{ return Collapse(builder, keep, found, inertia).run(); }

void ModelBuilder::joints_renumbered()
{
    joints_of_.assign(bodies.size() + 1, {});
    for (std::size_t j = 0; j < joints.size(); ++j)
        for (const std::int32_t b : {joints[j].parent, joints[j].child})
            if (b >= kWorldBody && b < std::ssize(bodies))
                joints_of_[static_cast<std::size_t>(b + 1)].push_back(static_cast<std::int32_t>(j));
}

}  // namespace mechane::model

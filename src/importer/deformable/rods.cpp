// Graphs of segments as bodies, rod joints and articulations. A segment's body has +z along it, its origin in the
// middle; a joint sits at the node and turns frames back where a segment runs against the walk.
// Order: breadth first from the root or the first segment, so a parent joint comes before its children.
//
// edge   a segment between two nodes;  walk  from a tree's first edge outwards
// back   a frame turned by half a turn about y, where the edge runs against the walk

#include "rods.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "mechane/geometry/mass.h"

namespace mechane::importer {
namespace {

constexpr Vec3d kAlong{0, 0, 1};

/// About +y, so that +z becomes -z.
constexpr Quatd kTurnedBack{0, 1, 0, 0};

class Rods {
  public:
    Rods(model::ModelBuilder& builder, const RodGraph& graph) : b_(builder), g_(graph) {}

    RodParts run()
    {
        measure();
        add_segments();
        if (g_.closed)
            join_ring();
        else
            join_trees();
        filter_junctions();
        return std::move(out_);
    }

  private:
    [[nodiscard]] Vec3d vector(const std::vector<Vec3d>& nodes, std::size_t e) const
    {
        const auto [u, v] = g_.edges[e];
        return nodes[static_cast<std::size_t>(v)] - nodes[static_cast<std::size_t>(u)];
    }

    // Rest lengths and frames are kept beside the present ones: bodies start where the stage has them, joints pull to
    // rest.
    void measure()
    {
        incident_.resize(g_.nodes.size());
        for (std::size_t e = 0; e < g_.edges.size(); ++e) {
            const Vec3d now  = vector(g_.nodes, e);
            const Vec3d rest = g_.rest_nodes.empty() ? now : vector(g_.rest_nodes, e);
            out_.rest_lengths.push_back(length(rest));
            if (!g_.rest_frames.empty())
                rest_frames_.push_back(g_.rest_frames[e]);
            else if (!g_.rest_nodes.empty())
                // The frame that turns with the segment from its present to its rest direction.
                rest_frames_.push_back(carried(g_.frames[e], normalized(now), normalized(rest)));
            else
                rest_frames_.push_back(g_.frames[e]);
            for (const std::int32_t node : g_.edges[e])
                incident_[static_cast<std::size_t>(node)].push_back(static_cast<std::int32_t>(e));
        }
    }

    void add_segments()
    {
        for (std::size_t e = 0; e < g_.edges.size(); ++e) {
            const auto [u, v]  = g_.edges[e];
            const Vec3d middle = 0.5 * (g_.nodes[static_cast<std::size_t>(u)] + g_.nodes[static_cast<std::size_t>(v)]);
            const std::int32_t  body = b_.add_link({middle, g_.frames[e]}, fmt::format("{}_edge_body_{}", g_.label, e));
            model::BuilderShape shape;
            shape.label = fmt::format("{}_edge_capsule_{}", g_.label, e);
            shape.type  = model::GeoType::capsule;
            shape.body  = body;
            // A capsule with its core as long as the segment at rest.
            shape.scale  = {g_.radii[e], 0.5 * out_.rest_lengths[e], 0};
            shape.config = g_.shape;
            shape.color  = g_.color;
            b_.add_shape(std::move(shape));
            out_.bodies.push_back(body);
        }
    }

    /// Where a node is in the frame of an edge's body, its +z away from the node's parent side or towards it.
    [[nodiscard]] Posed anchor(std::size_t e, std::int32_t node, bool turned_back) const
    {
        const double half = 0.5 * out_.rest_lengths[e];
        return {{0, 0, node == g_.edges[e][0] ? -half : half}, turned_back ? kTurnedBack : Quatd{}};
    }

    [[nodiscard]] const Posed& pose_of(std::size_t e) const
    { return b_.bodies[static_cast<std::size_t>(out_.bodies[e])].q; }

    std::int32_t join(std::size_t parent, std::size_t child, std::int32_t node, bool parent_back, bool child_back)
    {
        Quatd qp = rest_frames_[parent], qc = rest_frames_[child];
        if (parent_back) qp = qp * kTurnedBack;
        // Along the walk both frames have +z from the parent through the node to the child.
        if (child_back) qc = qc * kTurnedBack;
        model::BuilderJoint joint;
        joint.label        = fmt::format("{}_cable_{}", g_.label, out_.joints.size() + 1);
        joint.type         = model::JointType::rod;
        joint.parent       = out_.bodies[parent];
        joint.child        = out_.bodies[child];
        joint.parent_xform = anchor(parent, node, parent_back);
        joint.child_xform  = anchor(child, node, child_back);
        // Rotation of the child in the parent at rest: q_P^-1 q_C.
        joint.rest_rotation = conjugate(qp) * qc;
        // Where the curve lies, and not where the joint would be at zero.
        const Posed X_PC = inverse(pose_of(parent) * joint.parent_xform) * (pose_of(child) * joint.child_xform);
        joint.q          = {X_PC.p.x, X_PC.p.y, X_PC.p.z, X_PC.q.x, X_PC.q.y, X_PC.q.z, X_PC.q.w};
        // Gains are set later from the material; these are the defaults.
        set_rod_gains(joint, {});
        const std::int32_t index = b_.add_joint(std::move(joint));
        out_.joints.push_back(index);
        out_.joint_edges.push_back({static_cast<std::int32_t>(parent), static_cast<std::int32_t>(child)});
        out_.joint_nodes.push_back(node);
        joined_.insert(std::minmax(out_.bodies[parent], out_.bodies[child]));
        return index;
    }

    /// A ring: a chain, and a joint outside of its articulation that closes it.
    void join_ring()
    {
        const std::size_t n = g_.edges.size();
        // A free joint for the first segment; the ring closes outside the tree.
        std::vector<std::int32_t> tree{b_.add_joint_free(out_.bodies[0], g_.label + "_free_joint")};
        out_.roots = tree;
        for (std::size_t e = 1; e < n; ++e) tree.push_back(join(e - 1, e, g_.edges[e][0], false, false));
        out_.articulations.push_back(b_.add_articulation(std::move(tree), g_.label + "_articulation"));
        // The joint that closes the ring is outside of the articulation: a loop.
        if (n > 1) join(n - 1, 0, g_.edges[0][0], false, false);
    }

    void join_trees()
    {
        std::vector<std::size_t> starts;
        // The rooted edge comes first, the others in the order of the graph.
        for (std::size_t e = 0; e < g_.edges.size(); ++e) starts.push_back(e);
        if (g_.root >= 0) {
            const auto first = static_cast<std::size_t>(incident_[static_cast<std::size_t>(g_.root)].front());
            std::erase(starts, first);
            starts.insert(starts.begin(), first);
        }
        std::vector<bool> visited(g_.edges.size(), false);
        for (const std::size_t start : starts)
            if (!visited[start]) join_tree(start, visited);
    }

    void join_tree(std::size_t start, std::vector<bool>& visited)
    {
        const std::size_t tree_index = out_.articulations.size();
        const std::string suffix     = tree_index > 0 ? fmt::format("_{}", tree_index) : "";
        // A tree of its own for each connected part.
        std::vector<std::int32_t> tree;
        const bool                rooted = g_.root >= 0 && tree_index == 0;
        tree.push_back(rooted ? g_.add_root(out_.bodies[start], anchor(start, g_.root, g_.root == g_.edges[start][1]))
                              : b_.add_joint_free(out_.bodies[start], g_.label + "_free_joint" + suffix));
        out_.roots.push_back(tree.front());
        std::deque<std::size_t> queue{start};
        visited[start] = true;
        while (!queue.empty()) {
            const std::size_t parent = queue.front();
            queue.pop_front();
            // All edges at either end of the parent that were not reached yet.
            for (const std::int32_t node : g_.edges[parent])
                for (const std::int32_t next : incident_[static_cast<std::size_t>(node)]) {
                    const auto child = static_cast<std::size_t>(next);
                    if (visited[child]) continue;
                    // +z must run from parent to child through the node on both sides.
                    tree.push_back(join(parent, child, node, node == g_.edges[parent][0], node == g_.edges[child][1]));
                    visited[child] = true;
                    queue.push_back(child);
                }
        }
        // The cable becomes a branch of the articulation that it hangs on.
        if (rooted && g_.root_articulation >= 0) {
            out_.articulations.push_back(g_.root_articulation);
            auto& extended = b_.articulations[static_cast<std::size_t>(g_.root_articulation)].joints;
            for (const std::int32_t j : tree) {
                b_.joints[static_cast<std::size_t>(j)].articulation = g_.root_articulation;
                extended.push_back(j);
            }
            return;
        }
        out_.articulations.push_back(b_.add_articulation(std::move(tree), g_.label + "_articulation" + suffix));
    }

    /// Segments that meet at a node of three and more do not collide there.
    void filter_junctions()
    {
        // Neighbours on a joint are filtered by it; others at the node touch too.
        for (const auto& edges : incident_) {
            if (edges.size() < 3) continue;
            std::set<std::int32_t> bodies;
            for (const std::int32_t e : edges) bodies.insert(out_.bodies[static_cast<std::size_t>(e)]);
            for (auto x = bodies.begin(); x != bodies.end(); ++x)
                for (auto y = std::next(x); y != bodies.end(); ++y) {
                    if (joined_.contains({*x, *y})) continue;
                    for (const std::int32_t i : b_.bodies[static_cast<std::size_t>(*x)].shapes)
                        for (const std::int32_t j : b_.bodies[static_cast<std::size_t>(*y)].shapes)
                            b_.add_shape_collision_filter_pair(i, j);
                }
        }
    }

    model::ModelBuilder&                            b_;
    const RodGraph&                                 g_;
    RodParts                                        out_;
    std::vector<Quatd>                              rest_frames_;
    std::vector<std::vector<std::int32_t>>          incident_;  ///< edges of each node
    std::set<std::pair<std::int32_t, std::int32_t>> joined_;    ///< bodies
};

}  // namespace

Quatd segment_frame(const Vec3d& direction)
{
    // Opposite to +z any axis across will do; Newton takes the one that is x turned.
    // Near -z the shortest rotation is not defined.
    if (length(direction + kAlong) < 1e-4) return {0, 1, 0, 0};
    return rotation_between(kAlong, direction);
}

Quatd segment_frame(const Vec3d& direction, const Vec3d& normal)
{
    const Quatd least  = segment_frame(direction);
    const Vec3d across = normal - dot(normal, direction) * direction;
    if (!(length(across) > 1e-8)) return least;
    const Vec3d y = rotate(least, Vec3d{0, 1, 0}), wanted = normalized(across);
    // Angle about the segment from the least frame's y to the normal.
    const double roll = std::atan2(dot(cross(y, wanted), direction), dot(y, wanted));
    return from_axis_angle(direction, roll) * least;
}

Quatd carried(const Quatd& frame, const Vec3d& from, const Vec3d& to)
{
    // Opposite directions have no shortest rotation: half a turn about any axis across.
    if (length(from + to) < 1e-4) {
        const Vec3d across = normalized(cross(from, std::abs(from.x) < 0.9 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0}));
        return from_axis_angle(across, kPi) * frame;
    }
    return normalized(rotation_between(from, to) * frame);
}

RodParts add_rod_graph(model::ModelBuilder& builder, const RodGraph& graph) { return Rods(builder, graph).run(); }

void set_rod_gains(model::BuilderJoint& joint, const RodGains& gains)
{
    const auto axis = [](const Vec3d& along, double ke, double kd) {
        model::JointDofConfig dof;
        dof.axis          = along;
        dof.target_ke     = ke;
        dof.target_kd     = kd;
        dof.actuator_mode = model::TargetMode::none;
        return dof;
    };
    // Linear axes: two across (shear), one along (stretch).
    joint.linear_axes = {axis({1, 0, 0}, gains.shear, gains.shear_damping),
                         axis({0, 1, 0}, gains.shear, gains.shear_damping),
                         axis({0, 0, 1}, gains.stretch, gains.stretch_damping)};
    // Angular axes: two bend, the third twists.
    joint.angular_axes = {axis({1, 0, 0}, gains.bend, gains.bend_damping),
                          axis({0, 1, 0}, gains.bend, gains.bend_damping),
                          axis({0, 0, 1}, gains.twist, gains.twist_damping)};
}

void set_segment_mass(model::ModelBuilder& builder, std::int32_t body, double mass)
{
    model::BuilderBody&        segment = builder.bodies[static_cast<std::size_t>(body)];
    const model::BuilderShape& shape   = builder.shapes[static_cast<std::size_t>(segment.shapes.front())];
    // The inertia of a capsule, scaled to the mass.
    const geometry::MassProperties unit = geometry::capsule_mass(shape.scale.x, shape.scale.y, 1);
    segment.mass                        = mass;
    segment.com                         = {};
    segment.inertia                     = unit.mass > 0 ? (mass / unit.mass) * unit.inertia : Mat33d{};
}

}  // namespace mechane::importer

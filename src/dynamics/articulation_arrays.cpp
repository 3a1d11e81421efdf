// Jacobians and mass matrices of articulations as Newton lays them out: arrays [articulation, rows, columns] filled up
// with zeros, six rows a joint in the order of joints.
// Rows are velocity of the child's centre of mass [m/s] and angular velocity [rad/s] in world axes, per unit of the
// model's joint_qd, with bodies where the state's body_q has them.

#include "mechane/dynamics/articulation_arrays.h"

#include <fmt/format.h>

#include <algorithm>

#include "mechane/dynamics/codes.h"
#include "mechane/dynamics/forest.h"
#include "mechane/dynamics/joint_motion.h"
#include "mechane/model/belongs.h"

namespace mechane::dynamics {

namespace {

Posed pose_of(const model::State& state, std::int32_t body)
{
    if (body < 0) return {};
    Posed X = static_cast<Posed>(state.body_q[static_cast<std::size_t>(body)]);
    X.q     = normalized(X.q);
    return X;
}

Vec3d centre_of(const model::Model& model, const model::State& state, std::int32_t body)
{ return pose_of(state, body) * static_cast<Vec3d>(model.body_com[static_cast<std::size_t>(body)]); }

/// How the dofs of one joint move what hangs on it, world axes: directions, linear before angular, and the point that
/// the angular ones turn about. Bodies stand where `body_q` has them. Only the axes of a joint of several dofs, each
/// of which is carried by those before it, need its coordinates.
struct WorldAxes {
    JointAxes            axes;
    std::array<Vec3d, 6> direction;
    Vec3d                pivot;

    WorldAxes(const model::Model& model, const model::State& state, std::int32_t joint) : axes(joint_axes(model, joint))
    {
        const auto            j      = static_cast<std::size_t>(joint);
        Posed                 anchor = pose_of(state, model.joint_parent[j]) * static_cast<Posed>(model.joint_X_p[j]);
        std::array<double, 7> q{};
        for (std::size_t k = 0; k < static_cast<std::size_t>(axes.coords); ++k)
            q[k] = static_cast<double>(state.joint_q[static_cast<std::size_t>(model.joint_q_start[j]) + k]);
        const JointMotion motion = joint_motion(axes, q);
        for (std::size_t k = 0; k < direction.size(); ++k) direction[k] = rotate(anchor.q, motion.column[k]);
        // A joint of three linear and three angular rates turns its child about the child's centre of mass.
        pivot = axes.free_like()                      ? centre_of(model, state, model.joint_child[j])
                : axes.type == model::JointType::ball ? anchor.p
                                                      : anchor * motion.X_PC.p;
    }

    /// Twist at the point `p` per unit rate of dof k.
    [[nodiscard]] Spatiald at(std::int32_t k, const Vec3d& p) const
    {
        const Vec3d& e = direction[static_cast<std::size_t>(k)];
        return k < axes.linear ? Spatiald{e, {}} : Spatiald{cross(e, p - pivot), e};
    }
};

/// The link that carries another one, -1: none that moves. A free joint's rates are relative to its parent, so the
/// parent carries its child as with any other joint, although each is the root of a tree of the forest.
std::int32_t carrier(const model::Model& model, const Forest& f, const Link& link)
{
    if (!link.free || link.joint < 0) return link.parent;
    const std::int32_t parent = model.joint_parent[static_cast<std::size_t>(link.joint)];
    return parent < 0 ? -1 : f.body_link[static_cast<std::size_t>(parent)];
}

}  // namespace

Result<ArticulationArray> eval_jacobian(const model::Model& model, const model::State& state,
                                        std::span<const std::uint8_t> mask)
{
    if (!model::fits(model, state))
        return make_diagnostic(kSize, {.property = "state"}, "the state's arrays do not have the sizes of the model");
    const std::size_t count = model.articulation_count();
    if (!mask.empty() && mask.size() != count)
        return make_diagnostic(kSelection, {},
                               fmt::format("the mask has {} flags, the model {} articulations", mask.size(), count));
    ArticulationArray out;
    out.rows    = 6 * static_cast<std::size_t>(model.max_joints_per_articulation);
    out.columns = static_cast<std::size_t>(model.max_dofs_per_articulation);
    out.values.assign(count * out.rows * out.columns, 0);
    const Forest f = build_forest(model);
    for (std::size_t a = 0; a < count; ++a) {
        if (!mask.empty() && !mask[a]) continue;
        const std::int32_t     begin = model.articulation_start[a], end = model.articulation_end[a];
        const std::int32_t     dof0 = model.joint_qd_start[static_cast<std::size_t>(begin)];
        std::vector<WorldAxes> joints;
        joints.reserve(static_cast<std::size_t>(end - begin));
        for (std::int32_t j = begin; j < end; ++j) joints.emplace_back(model, state, j);
        for (std::int32_t j = begin; j < end; ++j) {
            const std::int32_t l = f.joint_link[static_cast<std::size_t>(j)];
            if (l < 0) continue;
            const Vec3d p = centre_of(model, state, model.joint_child[static_cast<std::size_t>(j)]);
            double* block = out.values.data() + (a * out.rows + 6 * static_cast<std::size_t>(j - begin)) * out.columns;
            // Only dofs between the link and the root of its articulation move it.
            // A ring of free joints has no root: no more links are visited than there are.
            for (std::int32_t at = l, left = static_cast<std::int32_t>(f.links.size()); at >= 0 && left > 0; --left) {
                const Link& link = f.links[static_cast<std::size_t>(at)];
                at               = carrier(model, f, link);
                if (link.joint < begin || link.joint >= end) continue;
                const WorldAxes& moved = joints[static_cast<std::size_t>(link.joint - begin)];
                for (std::int32_t k = 0; k < link.dofs; ++k) {
                    const Spatiald s = moved.at(k, p);
                    const auto     column =
                        static_cast<std::size_t>(model.joint_qd_start[static_cast<std::size_t>(link.joint)] + k - dof0);
                    for (std::size_t i = 0; i < 3; ++i) {
                        block[i * out.columns + column]       = s.linear[i];
                        block[(3 + i) * out.columns + column] = s.angular[i];
                    }
                }
            }
        }
    }
    return out;
}

/// M = sum over bodies of J^T diag(m, I) J plus the armature: the definition, and independent of the recursions that
/// JointSpace uses.
Result<ArticulationArray> eval_mass_matrix(const model::Model& model, const model::State& state,
                                           std::span<const std::uint8_t> mask)
{
    auto jacobians = eval_jacobian(model, state, mask);
    if (!jacobians) return jacobians.error();
    const ArticulationArray& J = *jacobians;
    ArticulationArray        out;
    out.rows = out.columns = J.columns;
    out.values.assign(model.articulation_count() * out.rows * out.columns, 0);
    for (std::size_t a = 0; a < model.articulation_count(); ++a) {
        if (!mask.empty() && !mask[a]) continue;
        const std::int32_t begin = model.articulation_start[a], end = model.articulation_end[a];
        double*            M = out.values.data() + a * out.rows * out.columns;
        for (std::int32_t j = begin; j < end; ++j) {
            const auto   body = static_cast<std::size_t>(model.joint_child[static_cast<std::size_t>(j)]);
            const Quatd  q    = static_cast<Posed>(state.body_q[body]).q;
            const Mat33d R    = to_matrix(normalized(q));
            const Mat33d I    = R * static_cast<Mat33d>(model.body_inertia[body]) * transpose(R);
            const double m    = static_cast<double>(model.body_mass[body]);
            const auto   row  = 6 * static_cast<std::size_t>(j - begin);
            const auto   v    = [&](std::size_t k) {
                return Vec3d{J.at(a, row, k), J.at(a, row + 1, k), J.at(a, row + 2, k)};
            };
            const auto w = [&](std::size_t k) {
                return Vec3d{J.at(a, row + 3, k), J.at(a, row + 4, k), J.at(a, row + 5, k)};
            };
            for (std::size_t k = 0; k < out.columns; ++k) {
                const Vec3d p = m * v(k), L = I * w(k);
                for (std::size_t i = 0; i < out.columns; ++i) M[i * out.columns + k] += dot(v(i), p) + dot(w(i), L);
            }
        }
        const auto dof0 = static_cast<std::size_t>(model.joint_qd_start[static_cast<std::size_t>(begin)]);
        const auto dofs = static_cast<std::size_t>(model.joint_qd_start[static_cast<std::size_t>(end)]) - dof0;
        for (std::size_t k = 0; k < dofs; ++k)
            M[k * out.columns + k] += static_cast<double>(model.joint_armature[dof0 + k]);
    }
    return out;
}

namespace {

/// Accelerations of links whose joint rates do not change.
class CarriedRoots {
  public:
    CarriedRoots(const model::Model& model, JointSpace& space)
        : model_(model), space_(space), asked_(space.forest().trees.size(), 0)
    {
    }

    /// Of the root of a tree; zero unless a free joint's parent carries it.
    Spatiald of(std::int32_t t)
    {
        const auto  first = static_cast<std::size_t>(space_.forest().trees[static_cast<std::size_t>(t)].link_begin);
        const Link& root  = space_.forest().links[first];
        if (!root.free || root.joint < 0 || asked_[static_cast<std::size_t>(t)]) return {};
        const std::int32_t parent = model_.joint_parent[static_cast<std::size_t>(root.joint)];
        if (parent < 0) return {};
        asked_[static_cast<std::size_t>(t)] = 1;  // a ring of free joints ends where it began
        const Carrier p                     = carrier_of(parent);
        asked_[static_cast<std::size_t>(t)] = 0;
        const Spatiald twist                = space_.motion().twist[first];
        const Vec3d    r                    = space_.motion().com_W[first] - p.com;
        // v = v_p + w_p x r + R u and w = w_p + R x, with R, which w_p turns, and constant rates u and x.
        const Vec3d& w       = p.twist.angular;
        const Vec3d  own     = twist.linear - p.twist.linear - cross(w, r);
        const Vec3d  angular = p.acceleration.angular + cross(w, twist.angular - w);
        return {p.acceleration.linear + cross(p.acceleration.angular, r) + cross(w, twist.linear - p.twist.linear) +
                    cross(w, own),
                angular};
    }

    /// Of the dofs of a tree, in the order of the forest.
    std::vector<double> dofs(std::int32_t t)
    {
        const Tree&         tree = space_.forest().trees[static_cast<std::size_t>(t)];
        std::vector<double> qdd(static_cast<std::size_t>(tree.dof_count()), 0.0);
        if (const Spatiald a = of(t); a != Spatiald{})
            for (std::size_t i = 0; i < 3; ++i) {
                qdd[i]     = a.linear[i];
                qdd[3 + i] = a.angular[i];
            }
        return qdd;
    }

  private:
    struct Carrier {
        Vec3d    com;
        Spatiald twist, acceleration;
    };

    const Link& link_at(std::int32_t l) const { return space_.forest().links[static_cast<std::size_t>(l)]; }

    /// A prescribed body moves on uniformly.
    Carrier carrier_of(std::int32_t body)
    {
        const std::int32_t l = space_.forest().body_link[static_cast<std::size_t>(body)];
        const Motion&      m = space_.motion();
        const auto         b = static_cast<std::size_t>(body);
        if (l < 0) return {m.base_com[b], m.base_twist[b], {}};
        const std::int32_t t     = link_at(l).tree;
        const auto         of_t  = space_.accelerations(t, dofs(t));
        const auto         first = space_.forest().trees[static_cast<std::size_t>(t)].link_begin;
        const auto         i     = static_cast<std::size_t>(l);
        return {m.com_W[i], m.twist[i], of_t[static_cast<std::size_t>(l - first)]};
    }

    const model::Model&       model_;
    JointSpace&               space_;
    std::vector<std::uint8_t> asked_;  ///< by tree
};

}  // namespace

std::vector<double> velocity_force(const model::Model& model, JointSpace& space, std::int32_t tree)
{
    std::vector<double>       tau = space.coriolis_force(tree);
    const std::vector<double> qdd = CarriedRoots(model, space).dofs(tree);
    if (std::all_of(qdd.begin(), qdd.end(), [](double a) { return a == 0; })) return tau;
    const std::vector<double> moved = space.inverse_dynamics(tree, qdd), held = space.inverse_dynamics(tree, {});
    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += moved[k] - held[k];
    return tau;
}

void load_carriers(const model::Model& model, const JointSpace& space, std::vector<std::vector<double>>& forces)
{
    const Forest&             f = space.forest();
    std::vector<std::int32_t> carrying(f.trees.size(), -1), waiting(f.trees.size(), 0), ready;
    const auto                tree_of = [&](std::int32_t l) {
        return static_cast<std::size_t>(f.links[static_cast<std::size_t>(l)].tree);
    };
    for (std::size_t t = 0; t < f.trees.size(); ++t) {
        const Link& root = f.links[static_cast<std::size_t>(f.trees[t].link_begin)];
        carrying[t]      = carrier(model, f, root);
        if (carrying[t] >= 0) ++waiting[tree_of(carrying[t])];
    }
    for (std::size_t t = 0; t < f.trees.size(); ++t)
        if (waiting[t] == 0) ready.push_back(static_cast<std::int32_t>(t));
    // A tree hands on its own load and that of what it carries: those that carry nothing come first.
    while (!ready.empty()) {
        const auto t = static_cast<std::size_t>(ready.back());
        ready.pop_back();
        if (carrying[t] < 0) continue;
        const auto                 to   = tree_of(carrying[t]);
        const std::vector<double>& from = forces[t];
        const Spatiald             load{{from[0], from[1], from[2]}, {from[3], from[4], from[5]}};
        visit_point_columns(
            f, space.motion(), carrying[t], space.motion().com_W[static_cast<std::size_t>(f.trees[t].link_begin)],
            [&](std::int32_t dof, const Vec3d& v, const Vec3d& w) {
                forces[to][static_cast<std::size_t>(dof - f.trees[to].dof_begin)] += dot(Spatiald{v, w}, load);
            });
        if (--waiting[to] == 0) ready.push_back(static_cast<std::int32_t>(to));
    }
}

}  // namespace mechane::dynamics

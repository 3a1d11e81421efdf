// Publishing: trees are rounded to Real before the last kinematics of a step, so that the pose in double belongs to the
// published coordinates bit by bit. The next step would place them again from these coordinates; so it starts from what
// this one has placed, as long as nobody writes to the state.

#include <algorithm>
#include <array>
#include <limits>

#include "mechane/math/four.h"
#include "solvers/softstep/state/publish.h"

namespace mechane::solvers::softstep {

bool is_pose(const Mechanism& system, const Tree& tree)
{
    const Link& root = system.forest.links[tree.link_begin];
    return tree.single && root.X_PJ == Posed{} && root.X_CJ == Posed{} && !root.from_body && root.base < 0 &&
           system.groups[tree.group].row_count == 0;
}

namespace {

/// Of single bodies those whose coordinates are their pose; what hangs on a prescribed body also depends on that.
bool is_published_place(const Mechanism& system, const Tree& tree)
{
    const Link& root = system.forest.links[tree.link_begin];
    return (!tree.single || is_pose(system, tree)) && !root.from_body && root.base < 0 &&
           system.groups[tree.group].row_count == 0;
}

/// A link's coordinates and rates, as they will be published, of one that hangs on a joint.
void round_link(Mechanism& system, const Link& link)
{
    const model::Model& m = *system.model;
    const std::int32_t  j = link.joint;
    double *const q = system.motion.q.data() + link.coord, *const v = system.motion.v.data() + link.dof;
    Real *const to = system.next_q.data() + m.joint_q_start[j], *const tod =
                                                                    system.next_qd.data() + m.joint_qd_start[j];
    // Rounded and widened again: coordinates of the next step.
    for (std::int32_t k = 0; k < link.coords; ++k) q[k] = static_cast<double>(to[k] = static_cast<Real>(q[k]));
    for (std::int32_t k = 0; k < link.dofs; ++k) v[k] = static_cast<double>(tod[k] = static_cast<Real>(v[k]));
    if (link.axes.type != model::JointType::ball) return;
    const Quatd unit = normalized(Quatd{q[0], q[1], q[2], q[3]});
    q[0] = unit.x, q[1] = unit.y, q[2] = unit.z, q[3] = unit.w;
}

/// The joint of a free root: anchors in the world and on the body as the model has them, then as the forest has them;
/// and the centre of mass.
template <class N>
struct FreeJoint {
    PoseT<N> X_p, X_c, X_PJ, X_CJ;
    Vec3T<N> com;
};
template <class N>
struct FreeState {
    PoseT<N>    X;  ///< of the body, or coordinates
    SpatialT<N> rate;
};

/// A unit quaternion, as `normalized` makes it.
template <class N>
MCH_INLINE QuatT<N> unit_of(const QuatT<N>& q)
{
    const N    n = root(dot(q, q));
    const auto ok =
        simd::both(n > N(std::numeric_limits<double>::min()), n < N(std::numeric_limits<double>::infinity()));
    return {choose(ok, q.x / n, N(0)), choose(ok, q.y / n, N(0)), choose(ok, q.z / n, N(0)), choose(ok, q.w / n, N(1))};
}

MCH_INLINE double kept(double x) { return static_cast<double>(static_cast<Real>(x)); }
MCH_INLINE Four   kept(const Four& x) { return simd::rounded<Real>(x.v); }
template <class N>
MCH_INLINE Vec3T<N> kept(const Vec3T<N>& x)
{ return {kept(x.x), kept(x.y), kept(x.z)}; }

/// The coordinates and rates of the joint of a free root as they will be published, of one and of four: as joint_state
/// and load make them, step by step. `body` becomes what they say of the body; `pose`: it is the coordinates already.
/// Anchors that are the identity: coordinates and pose are the same numbers.
template <class N>
MCH_INLINE FreeState<N> round_free(const FreeJoint<N>& joint, FreeState<N>& body, bool pose)
{
    FreeState<N> out = body;
    if (!pose) {
        const PoseT<N>    X_WJ = PoseT<N>{} * joint.X_p, X_WA = body.X * joint.X_c;
        const Vec3T<N>    at  = body.X * joint.com;
        // The same operations as joint_state of a body on the world, so that both give the same bits.
        const SpatialT<N> rel = shift_twist(body.rate, at - at) - shift_twist(SpatialT<N>{}, at - Vec3T<N>{});
        const Vec3T<N>    v = rotate_inverse(X_WJ.q, rel.linear), w = rotate_inverse(X_WJ.q, rel.angular);
        const auto        along = [](const Vec3T<N>& x) MCH_INLINE_LAMBDA {
            return Vec3T<N>{dot(axis_vector<N>(0), x), dot(axis_vector<N>(1), x), dot(axis_vector<N>(2), x)};
        };
        out.X    = inverse(X_WJ) * X_WA;
        out.X.q  = unit_of(out.X.q);
        out.rate = {along(v), along(w)};
    }
    out       = {{kept(out.X.p), {kept(out.X.q.x), kept(out.X.q.y), kept(out.X.q.z), kept(out.X.q.w)}},
                 {kept(out.rate.linear), kept(out.rate.angular)}};
    body.X    = joint.X_PJ * PoseT<N>{out.X.p, unit_of(out.X.q)} * inverse(joint.X_CJ);
    body.X.q  = unit_of(body.X.q);
    body.rate = {rotate(joint.X_PJ.q, out.rate.linear), rotate(joint.X_PJ.q, out.rate.angular)};
    return out;
}

FreeJoint<double> free_joint(const Mechanism& system, const Link& link)
{
    const model::Model& m = *system.model;
    return {static_cast<Posed>(m.joint_X_p[link.joint]), static_cast<Posed>(m.joint_X_c[link.joint]), link.X_PJ,
            link.X_CJ, static_cast<Vec3d>(m.body_com[link.body])};
}

void put_free(Mechanism& system, const Link& link, const FreeState<double>& joint)
{
    const model::Model& m = *system.model;
    Real *const q = system.next_q.data() + m.joint_q_start[link.joint], *const qd = system.next_qd.data() +
                                                                                    m.joint_qd_start[link.joint];
    const double* const from = &joint.X.p.x;
    for (int k = 0; k < 7; ++k) q[k] = static_cast<Real>(from[k]);
    for (int k = 0; k < 6; ++k) qd[k] = static_cast<Real>(from[7 + k]);
}
static_assert(sizeof(FreeState<double>) == 13 * sizeof(double) && sizeof(FreeJoint<double>) == 31 * sizeof(double));

/// The coordinates and rates of a tree, as they will be published.
void round_published(Mechanism& system, const Tree& tree)
{
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link& link = system.forest.links[l];
        if (!link.free) {
            round_link(system, link);
            continue;
        }
        double *const q = system.motion.q.data() + link.coord, *const v = system.motion.v.data() + link.dof;
        FreeState<double> body{{{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}},
                               {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}}};
        put_free(system, link, round_free(free_joint(system, link), body, is_pose(system, tree)));
        const double* const from = &body.X.p.x;
        std::copy_n(from, 7, q);
        std::copy_n(from + 7, 6, v);
    }
}

/// Of four that are alike: only their roots may be free.
[[gnu::flatten]] MCH_CLONES_AVX2 void round_roots(const std::array<FreeJoint<double>, 4>& joints,
                                                  std::array<FreeState<double>, 4>&       bodies,
                                                  std::array<FreeState<double>, 4>&       out)
{
    FreeJoint<Four> joint;
    FreeState<Four> body;
    gather(Places<const FreeJoint<double>>{&joints[0], &joints[1], &joints[2], &joints[3]}, joint);
    gather(Places<const FreeState<double>>{&bodies[0], &bodies[1], &bodies[2], &bodies[3]}, body);
    const FreeState<Four> published = round_free(joint, body, false);
    scatter(published, Places<FreeState<double>>{&out[0], &out[1], &out[2], &out[3]});
    scatter(body, Places<FreeState<double>>{&bodies[0], &bodies[1], &bodies[2], &bodies[3]});
}

void round_published(Mechanism& system, const dynamics::FourTrees& trees)
{
    const Forest& f     = system.forest;
    const auto    every = [&](const auto& visit) {
        for (std::size_t i = 0; i < 4; ++i) visit(f.trees[trees[i]], i);
    };
    every([&](const Tree& tree, std::size_t) {
        for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l)
            if (!f.links[l].free) round_link(system, f.links[l]);
    });
    if (!f.links[f.trees[trees[0]].link_begin].free) return;
    std::array<FreeJoint<double>, 4> joints;
    std::array<FreeState<double>, 4> bodies, published;
    every([&](const Tree& tree, std::size_t i) {
        const Link& link = f.links[tree.link_begin];
        joints[i]        = free_joint(system, link);
        std::copy_n(system.motion.q.data() + link.coord, 7, &bodies[i].X.p.x);
        std::copy_n(system.motion.v.data() + link.dof, 6, &bodies[i].rate.linear.x);
    });
    round_roots(joints, bodies, published);
    every([&](const Tree& tree, std::size_t i) {
        const Link& link = f.links[tree.link_begin];
        put_free(system, link, published[i]);
        std::copy_n(&bodies[i].X.p.x, 7, system.motion.q.data() + link.coord);
        std::copy_n(&bodies[i].rate.linear.x, 6, system.motion.v.data() + link.dof);
    });
}

}  // namespace

bool place_published(Mechanism& system, const Tree& tree)
{
    if (!is_published_place(system, tree)) return false;
    round_published(system, tree);
    dynamics::forward_kinematics(system.forest, tree, system.motion);
    return true;
}

bool place_published(Mechanism& system, const dynamics::FourTrees& trees)
{
    const auto& all = system.forest.trees;
    if (!std::all_of(trees.begin(), trees.end(), [&](std::int32_t t) { return is_published_place(system, all[t]); }))
        return false;
    round_published(system, trees);
    dynamics::forward_kinematics(system.forest, trees, system.motion);
    return true;
}

}  // namespace mechane::solvers::softstep

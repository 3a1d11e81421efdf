// Bodies of contact batches at the start and the end of a step, four at a time. See contact_batch.h for the storage and
// docs/softstep_method.md, "Batches".
// Start: rotation, inverse inertia, inverse mass, velocity in `Real`, one row a body. End: coordinates and rates
// rounded to what is published, and the body placed there.
// Invariant: the bits of a body depend on no other body, and equal those of the path for one body
// (mechanism/predict.cpp, state/publish.cpp).

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "solvers/softstep/contact/batch_kernels.h"
#include "solvers/softstep/mechanism/predict.h"
#include "solvers/softstep/state/system.h"

namespace mechane::solvers::softstep {

using namespace simd;

namespace {

constexpr double kSlow = 1e-7;  ///< [rad/s]: what turns a velocity by less in a substep is not worth its arithmetic
constexpr double kFast = 0.25;  ///< [rad]: what turns by more in a substep is the business of `gyrate`

MCH_INLINE simd::View<Real, kLanes>& reals(Real* at) { return view<kLanes>(at); }

/// Four numbers of each of four bodies, and the same number of all four: either is made of the other.
using Rows = Packs<Lanes, kLanes>;
MCH_INLINE Rows turned(Rows r)
{
    transpose(r);
    return r;
}
MCH_INLINE Rows turned(Lanes a, Lanes b, Lanes c, Lanes d) { return turned(Rows{{a, b, c, d}}); }
using Sources = std::array<const double*, kLanes>;
MCH_INLINE Rows take(const Sources& from, std::size_t first)
{ return simd::gather<kLanes>([&](std::size_t i) MCH_INLINE_LAMBDA { return from[i] + first; }); }

struct Vec {
    Lanes x, y, z;
};
MCH_INLINE Vec   operator+(const Vec& a, const Vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
MCH_INLINE Vec   operator-(const Vec& a, const Vec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
MCH_INLINE Vec   operator*(Lanes s, const Vec& a) { return {s * a.x, s * a.y, s * a.z}; }
MCH_INLINE Lanes dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
MCH_INLINE Vec   cross(const Vec& a, const Vec& b)
{ return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

struct Mat {
    Vec r0, r1, r2;
};
MCH_INLINE Vec operator*(const Mat& m, const Vec& v) { return {dot(m.r0, v), dot(m.r1, v), dot(m.r2, v)}; }
MCH_INLINE Vec transpose_times(const Mat& m, const Vec& v) { return v.x * m.r0 + v.y * m.r1 + v.z * m.r2; }
/// Of four matrices in row-major order.
MCH_INLINE Mat matrix(const Sources& from)
{
    const Rows  a = take(from, 0), b = take(from, 4);
    const Lanes last{from[0][8], from[1][8], from[2][8], from[3][8]};
    return {{a[0], a[1], a[2]}, {a[3], b[0], b[1]}, {b[2], b[3], last}};
}

struct Quat {
    Lanes x, y, z, w;
};
MCH_INLINE Quat operator*(const Quat& a, const Quat& b)
{
    return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
MCH_INLINE Quat normalized(const Quat& q)
{
    const Lanes n    = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    const auto  good = (n > std::numeric_limits<double>::min()) & (n < std::numeric_limits<double>::infinity());
    const Lanes none{}, one = none + 1;
    return {good ? q.x / n : none, good ? q.y / n : none, good ? q.z / n : none, good ? q.w / n : one};
}
MCH_INLINE Vec rotate(const Quat& q, const Vec& v)
{
    const Vec u{q.x, q.y, q.z}, t = (Lanes{} + 2) * cross(u, v);
    return v + q.w * t + cross(u, t);
}
MCH_INLINE Mat to_matrix(const Quat& q)
{
    const Lanes none{}, one = none + 1;
    const Vec   x = rotate(q, {one, none, none}), y = rotate(q, {none, one, none}), z = rotate(q, {none, none, one});
    return {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
}
MCH_INLINE Quat identity() { return {Lanes{}, Lanes{}, Lanes{}, Lanes{} + 1}; }

/// The first three numbers.
MCH_INLINE void put_three(double* to, Lanes x)
{
    for (int k = 0; k < 3; ++k) to[k] = x[k];
}

/// Bodies that stand in the lanes from `i` on; lanes beyond the last have the last, too.
struct Seats {
    std::array<std::size_t, kLanes>     body;
    std::array<std::int32_t, kLanes>    link;
    std::array<const BatchLink*, kLanes> of;

    MCH_INLINE Seats(const System& system, const ContactBatch& batch, std::size_t i, std::size_t end)
    {
        // Lanes behind the last body repeat it: they compute the same and write the same.
        for (std::size_t k = 0; k < kLanes; ++k) {
            body[k] = std::min(i + k, end - 1);
            link[k] = batch.links[body[k]];
            of[k]   = &system.batch_links[link[k]];
        }
    }
    template <class Get>
    MCH_INLINE Sources all(const Get& get) const
    { return {get(0), get(1), get(2), get(3)}; }
};

/// As `gyrate`, of what does not turn far.
/// Midpoint step of Euler's equation, rescaled so that |I w| stays.
MCH_INLINE Vec gyrated(const Mat& I, const Mat& I_inv, const Vec& w, double h)
{
    const Lanes all{};
    const Vec   L = I * w, middle = w + (all + 0.5 * h) * (I_inv * cross(L, w)),
                next = w + (all + h) * (I_inv * cross(I * middle, middle)), turned_L = I * next;
    const Lanes before = sqrt(dot(L, L)), after = sqrt(dot(turned_L, turned_L));
    const auto  moves = after > 0;
    return (moves ? before / (moves ? after : all + 1) : all + 1) * next;
}

}  // namespace

/// Rotation, inverse inertia and inverse mass of bodies [begin, end) for their rows, and their velocities, which turn
/// by themselves.
MCH_CLONES_AVX2 static void start_part(const System& system, ContactBatch& batch, double h, std::size_t begin, std::size_t end)
{
    const Motion& motion = system.motion;
    for (std::size_t i = begin; i < end; i += kLanes) {
        const Seats   at(system, batch, i, end);
        const Sources turns = at.all([&](std::size_t k) MCH_INLINE_LAMBDA { return &motion.R_WB[at.link[k]].r0.x; });
        const Mat     R     = matrix(turns);
        const Mat     I_inv = matrix(at.all([&](std::size_t k) MCH_INLINE_LAMBDA { return &at.of[k]->inverse_inertia.r0.x; }));
        const Mat     A{transpose_times(I_inv, R.r0), transpose_times(I_inv, R.r1), transpose_times(I_inv, R.r2)};
        const Lanes   inverse_mass{at.of[0]->inverse_mass, at.of[1]->inverse_mass, at.of[2]->inverse_mass,
                                   at.of[3]->inverse_mass};
        const Rows    pose[4]{turned(R.r0.x, R.r0.y, R.r0.z, R.r1.x), turned(R.r1.y, R.r1.z, R.r2.x, R.r2.y),
                              turned(R.r2.z, dot(A.r0, R.r0), dot(A.r0, R.r1), dot(A.r0, R.r2)),
                              turned(dot(A.r1, R.r1), dot(A.r1, R.r2), dot(A.r2, R.r2), inverse_mass)};
        const Lanes   none{};
        for (std::size_t k = 0; k < kLanes; ++k) {
            Real* to = batch.pose.data() + kPoseStride * at.body[k];
            for (std::size_t part = 0; part < 4; ++part) reals(to + kLanes * part) = convert<Real>(pose[part][k]);
            const double* u     = motion.v.data() + at.of[k]->dof;
            const Lanes   first = lanes(u), second = __builtin_shufflevector(lanes(u + 2), none, 2, 3, 4, 5);
            for (auto* velocity : {&batch.velocity, &batch.unconstrained}) {
                reals(velocity->data() + kWide * at.body[k])          = convert<Real>(first);
                reals(velocity->data() + kWide * at.body[k] + kLanes) = convert<Real>(second);
            }
        }
        const Sources speeds = at.all([&](std::size_t k) MCH_INLINE_LAMBDA { return motion.v.data() + at.of[k]->dof + 2; });
        const Rows    last   = take(speeds, 0);
        // As the velocities are in the batch.
        // Rounded first: the batch keeps velocities in Real, and the turn must be of those.
        const Vec      w{rounded<Real>(last[1]), rounded<Real>(last[2]), rounded<Real>(last[3])};
        const LaneMask may{at.of[0]->gyrates ? -1 : 0, at.of[1]->gyrates ? -1 : 0, at.of[2]->gyrates ? -1 : 0,
                           at.of[3]->gyrates ? -1 : 0};
        const Lanes    ww   = dot(w, w);
        const LaneMask does = may & ~(h * ww < kSlow);
        if (!any(does)) continue;
        const Mat  I   = matrix(at.all([&](std::size_t k) MCH_INLINE_LAMBDA { return &at.of[k]->inertia.r0.x; }));
        const Vec  w_B = transpose_times(R, w), now = R * gyrated(I, I_inv, w_B, h);
        const Rows body = turned(now.x, now.y, now.z, none);
        const auto fast = h * sqrt(dot(w_B, w_B)) > kFast;
        for (std::size_t k = 0; k < kLanes; ++k) {
            if (!does[k]) continue;
            Real* v = batch.velocity.data() + kWide * at.body[k] + 3;
            // Fast bodies take the Newton step of `gyrate`, one by one: they are rare.
            if (!fast[k]) {
                for (int c = 0; c < 3; ++c) v[c] = static_cast<Real>(body[k][c]);
                continue;
            }
            const Mat33d& turn = motion.R_WB[at.link[k]];
            const Vec3d   own  = turn * gyrate(at.of[k]->inertia, at.of[k]->inverse_inertia,
                                               transpose_times(turn, Vec3d{w.x[k], w.y[k], w.z[k]}), h);
            for (std::size_t c = 0; c < 3; ++c) v[c] = static_cast<Real>(own[c]);
        }
    }
}

/// Coordinates and rates of bodies [begin, end) after the step, rounded to what will be published, and the bodies
/// placed there, as dynamics::load and forward_kinematics would (place_published).
MCH_CLONES_AVX2 static void finish_part(System& system, const ContactBatch& batch, std::size_t begin, std::size_t end)
{
    Motion& motion = system.motion;
    for (std::size_t i = begin; i < end; i += kLanes) {
        const Seats at(system, batch, i, end);
        const auto  number = [&](const std::vector<Real>& from, std::size_t first) MCH_INLINE_LAMBDA {
            Rows out;
            for (std::size_t k = 0; k < kLanes; ++k) out[k] = convert<double>(load<kLanes>(from.data() + kWide * at.body[k] + first));
            return turned(out);
        };
        const Sources coords = at.all([&](std::size_t k) MCH_INLINE_LAMBDA { return motion.q.data() + at.of[k]->coord; });
        const Sources coms   = at.all([&](std::size_t k) MCH_INLINE_LAMBDA { return &at.of[k]->com.x; });
        const Rows    p0 = take(coords, 0), q0 = take(coords, 3), way = number(batch.displacement, 0), turn = number(batch.displacement, 3),
                      v0 = number(batch.velocity, 0), v1 = number(batch.velocity, 2), centre = take(coms, 0);
        const Vec     com{centre[0], centre[1], centre[2]};
        const Quat    old{q0[0], q0[1], q0[2], q0[3]};
        // Rotation of the step on the left of the one at its start.
        const Quat    q = normalized(normalized(Quat{turn[0], turn[1], turn[2], turn[3]}) * old);
        const Vec  p = Vec{p0[0], p0[1], p0[2]} + (Vec{way[0], way[1], way[2]} + (rotate(old, com) - rotate(q, com)));
        const Rows own[4]{turned(p.x, p.y, p.z, q.x), turned(q.x, q.y, q.z, q.w), turned(v0[0], v0[1], v0[2], v0[3]),
                          turned(v1[0], v1[1], v1[2], v1[3])};
        // Loading also turns by anchors that turn nothing: that changes the signs of zeros.
        const Lanes none{};
        const Vec   linear  = rotate(identity(), {v0[0], v0[1], v0[2]}),
                    angular = rotate(identity(), {v0[3], v1[2], v1[3]});
        const Quat  read    = identity() * normalized(Quat{rounded<Real>(q.x), rounded<Real>(q.y), rounded<Real>(q.z), rounded<Real>(q.w)});
        const Quat  X_q     = normalized(read * Quat{-none, -none, -none, none + 1});
        const Vec   X_p     = Vec{rounded<Real>(p.x), rounded<Real>(p.y), rounded<Real>(p.z)} + Vec{none, none, none};
        const Mat   R       = to_matrix(X_q);
        const Vec   com_W   = X_p + R * com;
        const Rows  pose[2]{turned(X_p.x, X_p.y, X_p.z, X_q.x), turned(X_q.x, X_q.y, X_q.z, X_q.w)},
            twist[2]{turned(linear.x, linear.y, linear.z, angular.x),
                     turned(linear.z, angular.x, angular.y, angular.z)},
            matrix[2]{turned(R.r0.x, R.r0.y, R.r0.z, R.r1.x), turned(R.r1.y, R.r1.z, R.r2.x, R.r2.y)},
            place = turned(com_W.x, com_W.y, com_W.z, none);
        for (std::size_t k = 0; k < kLanes; ++k) {
            const BatchLink& link = *at.of[k];
            const auto      l    = static_cast<std::size_t>(at.link[k]);
            const auto      two  = [](double* to, const Lanes& first, Lanes second, int offset) MCH_INLINE_LAMBDA {
                lanes(to)          = first;
                lanes(to + offset) = second;
            };
            double *q_of = motion.q.data() + link.coord, *v_of = motion.v.data() + link.dof;
            if (!link.is_pose) {
                two(q_of, own[0][k], own[1][k], 3);
                two(v_of, own[2][k], own[3][k], 2);
                dynamics::forward_kinematics(system.forest, system.forest.trees[link.tree], motion);
                continue;
            }
            Real *next_q = system.next_q.data() + link.joint_coord, *next_qd = system.next_qd.data() + link.joint_dof;
            reals(next_q)      = convert<Real>(own[0][k]);
            reals(next_q + 3)  = convert<Real>(own[1][k]);
            reals(next_qd)     = convert<Real>(own[2][k]);
            reals(next_qd + 2) = convert<Real>(own[3][k]);
            two(q_of, pose[0][k], pose[1][k], 3);
            two(&motion.X_WB[l].p.x, pose[0][k], pose[1][k], 3);
            two(v_of, twist[0][k], twist[1][k], 2);
            two(&motion.twist[l].linear.x, twist[0][k], twist[1][k], 2);
            two(&motion.link_velocity[l].linear.x, twist[0][k], twist[1][k], 2);
            two(&motion.R_WB[l].r0.x, matrix[0][k], matrix[1][k], 4);
            motion.R_WB[l].r2.z = R.r2.z[k];
            put_three(&motion.com_W[l].x, place[k]);
            put_three(&motion.reference[link.tree].x, place[k]);
            system.placed[link.tree] = 1;
        }
    }
}

void pose_prescribed(ContactBatch& batch, std::size_t body, const Mat33d& R)
{
    Real* to = batch.pose.data() + kPoseStride * body;
    std::fill_n(to, kPoseStride, Real(0));
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) *to++ = static_cast<Real>(R(r, c));
}

void start_bodies(const System& system, ContactBatch& batch, double h)
{
    const std::size_t moving = batch.links.size(), count = moving + batch.prescribed.size(),
                      all = (count + kWide - 1) / kWide * kWide;
    for (auto* numbers : {&batch.velocity, &batch.unconstrained, &batch.push, &batch.displacement}) numbers->resize(kWide * all);
    batch.pose.resize(kPoseStride * all);
    batch.prescribed_turn.resize(batch.prescribed.size());
    const auto put = [](Real* to, const Spatiald& v) {
        const double from[kWide] = {v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z};
        for (std::size_t k = 0; k < kWide; ++k) to[k] = static_cast<Real>(from[k]);
    };
    for (std::size_t i = moving; i < all; ++i) {
        const std::int32_t b = i < count ? batch.prescribed[i - moving] : -1;
        const Spatiald     v = b >= 0 ? system.motion.base_twist[b] : Spatiald{};
        for (auto* velocity : {&batch.velocity, &batch.unconstrained}) put(velocity->data() + kWide * i, v);
        put(batch.push.data() + kWide * i, {});
        if (i >= count) continue;
        const Mat33d R                   = b >= 0 ? mechane::to_matrix(system.motion.base_X[b].q) : Mat33d::identity();
        batch.prescribed_turn[i - moving] = R;
        pose_prescribed(batch, i, R);
    }
    tasks::for_chunks(system.batch_pool(), (all + kWide - 1) / kWide, kPart,
                      [&](std::size_t begin, std::size_t end, std::size_t) {
                          for (std::size_t i = kWide * begin; i < kWide * end; ++i) {
                              Real* way = batch.displacement.data() + kWide * i;
                              std::fill_n(way, kWide, Real(0));
                              way[6] = 1;
                              if (i >= moving) continue;
                              // Bodies of the batch: gravity and given wrenches as accelerations, constant over the
                              // step.
                              const std::int32_t l    = batch.links[i];
                              const BatchLink&    link = system.batch_links[l];
                              const Spatiald&    f    = system.wrench[l];
                              Spatiald           push{static_cast<Vec3d>(system.model->gravity_of(link.world)), {}};
                              if (!(f == Spatiald{})) {
                                  const Mat33d& R = system.motion.R_WB[l];
                                  push += {link.inverse_mass * f.linear,
                                           R * (link.inverse_inertia * mechane::transpose_times(R, f.angular))};
                              }
                              put(batch.push.data() + kWide * i, push);
                          }
                          const std::size_t last = std::min(moving, kWide * end);
                          if (kWide * begin < last) start_part(system, batch, h, kWide * begin, last);
                      });
}

void finish_bodies(System& system, const ContactBatch& batch)
{
    const std::size_t count = batch.links.size();
    tasks::for_chunks(system.batch_pool(), (count + kWide - 1) / kWide, kPart,
                      [&](std::size_t begin, std::size_t end, std::size_t) {
                          finish_part(system, batch, kWide * begin, std::min(count, kWide * end));
                      });
}

}  // namespace mechane::solvers::softstep

#include "mechane/dynamics/kinematics.h"

#include <algorithm>

#include "mechane/core/assert.h"
#include "mechane/tasks/parallel.h"
#include "random_tree.h"

using namespace mechane;
using namespace mechane::test;

namespace {
/// A unit in the last place of Real at the magnitudes of these scenes (a few metres, a few rad/s), times the depth of
/// the products.
const double kRound = sizeof(Real) == 4 ? 2e-5 : 1e-12;
}  // namespace

TEST_CASE(
    "inverse kinematics undoes forward kinematics for every joint type under a moving parent (DYN-030, DYN-031, "
    "DYN-032, T-93, T-95)")
{
    using enum model::JointType;
    const struct {
        model::JointType type;
        int              linear, angular;
    } kinds[] = {{revolute, 0, 0}, {prismatic, 0, 0}, {ball, 0, 0}, {fixed, 0, 0}, {free, 0, 0},
                 {distance, 0, 0}, {d6, 1, 0},        {d6, 2, 0},   {d6, 3, 0},    {d6, 0, 1},
                 {d6, 0, 2},       {d6, 0, 3},        {d6, 2, 1},   {d6, 3, 3}};
    for (const auto& kind : kinds) {
        CAPTURE(static_cast<int>(kind.type));
        CAPTURE(kind.linear);
        CAPTURE(kind.angular);
        for_seeds(20, [&](Random& r) {
            model::ModelBuilder b;
            const auto          base = add_random_link(b, r), body = add_random_link(b, r);
            const auto          j0 = b.add_joint(random_joint(r, free, -1, base)),
                                j1 = b.add_joint(random_joint(r, kind.type, base, body, kind.linear, kind.angular));
            b.add_articulation({j0, j1}, "pair");
            const model::Model m = finalized(b);
            model::State       s = model::make_state(m);
            randomize(m, r, s);
            REQUIRE(dynamics::eval_fk(m, s.joint_q, s.joint_qd, s));
            std::vector<Real> q(s.joint_q.size()), qd(s.joint_qd.size());
            REQUIRE(dynamics::eval_ik(m, s, q, qd));
            for (std::size_t j = 0; j < m.joint_count(); ++j) {
                const auto nq   = m.joint_q_start[j + 1] - m.joint_q_start[j],
                           nv   = m.joint_qd_start[j + 1] - m.joint_qd_start[j];
                double     sign = 1;  // q and -q are the same rotation
                if (nq > nv)
                    sign = static_cast<double>(q[m.joint_q_start[j + 1] - 1]) *
                                       static_cast<double>(s.joint_q[m.joint_q_start[j + 1] - 1]) <
                                   0
                               ? -1
                               : 1;
                for (int k = 0; k < nq; ++k) {
                    const auto i = m.joint_q_start[j] + k;
                    CHECK((nq > nv && k >= nq - 4 ? sign : 1.0) * static_cast<double>(q[i]) ==
                          close_to(static_cast<double>(s.joint_q[i]), kRound));
                }
                for (int k = 0; k < nv; ++k) {
                    const auto i = m.joint_qd_start[j] + k;
                    // The middle angle of a three-angle D6 stays below 1.2 rad, so rates lose at most a factor
                    // 1/cos(1.2) = 2.8.
                    CHECK(static_cast<double>(qd[i]) == close_to(static_cast<double>(s.joint_qd[i]), 6 * kRound));
                }
            }
        });
    }
}

TEST_CASE("both angles of a two-axis D6 are found over the full turn (DYN-032)")
{
    Random r(7);
    for (double a = -3.1; a < 3.14; a += 0.31)
        for (double c = -3.1; c < 3.14; c += 0.31) {
            model::ModelBuilder b;
            const auto          body = add_random_link(b, r);
            b.add_articulation({b.add_joint(random_joint(r, model::JointType::d6, -1, body, 0, 2))}, "u");
            const model::Model m = finalized(b);
            model::State       s = model::make_state(m);
            s.joint_q            = {static_cast<Real>(a), static_cast<Real>(c)};
            REQUIRE(dynamics::eval_fk(m, s.joint_q, s.joint_qd, s));
            std::vector<Real> q(2), qd(2);
            REQUIRE(dynamics::eval_ik(m, s, q, qd));
            CHECK(static_cast<double>(q[0]) == close_to(a, kRound));
            CHECK(static_cast<double>(q[1]) == close_to(c, kRound));
        }
}

TEST_CASE("velocities of forward kinematics are the rate of change of its poses (DYN-025, T-87)")
{
    for_seeds(10, [](Random& r) {
        const model::Model m = random_robot(r, r.uniform() < 0.5);
        model::State       s = model::make_state(m);
        randomize(m, r, s);
        REQUIRE(dynamics::eval_fk(m, s.joint_q, s.joint_qd, s));
        // One scalar coordinate at a time: d(pose)/dq_k * qd_k summed over k is the velocity; checked for the revolute
        // at joint 1.
        const double h = sizeof(Real) == 4 ? 1e-2 : 1e-5, tolerance = sizeof(Real) == 4 ? 2e-3 : 1e-8;
        for (std::size_t j = 0; j < m.joint_count(); ++j) {
            if (m.joint_q_start[j + 1] - m.joint_q_start[j] != m.joint_qd_start[j + 1] - m.joint_qd_start[j]) continue;
            for (auto k = m.joint_q_start[j]; k < m.joint_q_start[j + 1]; ++k) {
                model::State unit = s, plus = s, minus = s;
                std::fill(unit.joint_qd.begin(), unit.joint_qd.end(), Real(0));
                unit.joint_qd[m.joint_qd_start[j] + (k - m.joint_q_start[j])] = 1;
                plus.joint_q[k] += static_cast<Real>(h);
                minus.joint_q[k] -= static_cast<Real>(h);
                REQUIRE(dynamics::eval_fk(m, unit.joint_q, unit.joint_qd, unit));
                REQUIRE(dynamics::eval_fk(m, plus.joint_q, plus.joint_qd, plus));
                REQUIRE(dynamics::eval_fk(m, minus.joint_q, minus.joint_qd, minus));
                const double step = static_cast<double>(plus.joint_q[k]) - static_cast<double>(minus.joint_q[k]);
                for (std::size_t b = 0; b < m.body_count(); ++b) {
                    const Posed A = static_cast<Posed>(plus.body_q[b]), B = static_cast<Posed>(minus.body_q[b]);
                    const Vec3d com = static_cast<Vec3d>(m.body_com[b]);
                    CHECK(length((A * com - B * com) / step - static_cast<Vec3d>(unit.body_qd[b].linear)) < tolerance);
                    CHECK(length(to_rotation_vector(normalized(A.q * conjugate(B.q))) / step -
                                 static_cast<Vec3d>(unit.body_qd[b].angular)) < tolerance);
                }
            }
        }
    });
}

TEST_CASE("forward kinematics leaves what is not selected bit for bit as it was (DYN-026, DYN-027, DYN-028)")
{
    Random             r(3);
    const model::Model m = random_robot(r, true);
    model::State       s = model::make_state(m);
    randomize(m, r, s);
    const model::State        before = s;
    std::vector<std::uint8_t> mask(m.joint_count(), 0);
    mask[2] = 1;
    REQUIRE(dynamics::eval_fk(m, s.joint_q, s.joint_qd, s, {.joint_mask = mask}));
    for (std::size_t b = 0; b < m.body_count(); ++b)
        if (static_cast<std::int32_t>(b) != m.joint_child[2]) CHECK(s.body_q[b] == before.body_q[b]);
    REQUIRE(dynamics::eval_fk(m, s.joint_q, s.joint_qd, s, {.body_flag_filter = model::body_flag::kinematic}));
    CHECK(s.body_q[0] == before.body_q[0]);
    const std::vector<std::uint8_t> all(m.articulation_count(), 1);
    const std::vector<std::int32_t> first{0};
    const auto                      refused =
        dynamics::eval_fk(m, s.joint_q, s.joint_qd, s, {.articulation_mask = all, .articulation_indices = first});
    REQUIRE(!refused);
    CHECK(refused.error().id == "DYN_SELECTION");
}

TEST_CASE("forward kinematics does not move what loop joints and rods hold elastically (DYN-029)")
{
    // Two arms on hinges; a loop joint and a rod, outside the articulation, lead from one tip to the other.
    using enum model::JointType;
    for (const model::JointType type : {revolute, ball, d6, rod}) {
        CAPTURE(static_cast<int>(type));
        model::ModelBuilder b;
        const auto          left  = b.add_link({}, "left", 1, {}, Mat33d::identity()),
                            right = b.add_link({{2, 0, 0}, {}}, "right", 1, {}, Mat33d::identity());
        b.add_articulation({b.add_joint_revolute(-1, left, {}, {}, dof({0, 0, 1}))}, "left arm");
        b.add_articulation({b.add_joint_revolute(-1, right, {{2, 0, 0}, {}}, {}, dof({0, 0, 1}))}, "right arm");
        model::BuilderJoint closing;
        closing.type        = type;
        closing.parent      = left;
        closing.child       = right;
        closing.child_xform = {{-2, 0, 0}, {}};
        closing.label       = "closing";
        for (int k = 0; k < (type == revolute ? 1 : 3); ++k) {
            if (type == rod || type == d6) closing.linear_axes.push_back(dof(axis_vector<double>(k)));
            if (type != d6) closing.angular_axes.push_back(dof(axis_vector<double>(type == revolute ? 2 : k)));
        }
        const auto         joint = b.add_joint(closing);
        const model::Model m     = finalized(b);
        REQUIRE(m.joint_articulation[joint] < 0);
        model::State s = model::make_state(m);
        REQUIRE(dynamics::eval_fk(m, s.joint_q, s.joint_qd, s));
        const model::State before = s;
        // Whatever the coordinates of the closing joint say, the arms stay where their hinges put them.
        s.joint_q[m.joint_q_start[joint]] = Real(0.7);
        for (auto k = m.joint_qd_start[joint]; k < m.joint_qd_start[joint + 1]; ++k) s.joint_qd[k] = 1;
        REQUIRE(dynamics::eval_fk(m, s.joint_q, s.joint_qd, s));
        for (std::size_t i = 0; i < m.body_count(); ++i) {
            CHECK(s.body_q[i] == before.body_q[i]);
            CHECK(s.body_qd[i] == before.body_qd[i]);
        }
    }
}

TEST_CASE("projection moves bodies to their joints and says how far (DYN-124)")
{
    model::ModelBuilder b;
    // The body is authored 0.3 m away from where its hinge holds it.
    const auto body = b.add_link({{0.3, 0, 0}, {}}, "off", 1, {}, Mat33d::diagonal({1, 1, 1}));
    b.add_articulation({b.add_joint_revolute(-1, body, {}, {}, dof({0, 0, 1}))}, "hinge");
    const model::Model m     = finalized(b);
    model::State       s     = model::make_state(m);
    const auto         moved = dynamics::project_to_joints(m, s);
    CHECK(moved.linear == close_to(0.3, 1e-6));
    CHECK(moved.body == body);
    CHECK(length(static_cast<Vec3d>(s.body_q[0].p)) < 1e-7);
    CHECK(dynamics::project_to_joints(m, s).linear < 1e-7);
}

TEST_CASE("a mimic follower is offset plus multiple of its leader, one level a call (DYN-035)")
{
    model::ModelBuilder b;
    const auto a = b.add_link({}, "a", 1, {}, Mat33d::identity()), c = b.add_link({}, "c", 1, {}, Mat33d::identity());
    const auto j0 = b.add_joint_revolute(-1, a, {}, {}, dof({0, 0, 1})),
               j1 = b.add_joint_revolute(-1, c, {}, {}, dof({0, 0, 1}));
    b.add_articulation({j0, j1}, "pair");
    b.joints[1].mimic_joint  = j0;
    b.joints[1].mimic_coeffs = {0.5, 2};
    const model::Model m     = finalized(b);
    std::vector<Real>  q{3, 0}, qd{1, 0};
    dynamics::eval_mimic(m, q, qd);
    CHECK(q[1] == Real(6.5));  // 0.5 + 2 * 3
    CHECK(qd[1] == Real(2));
}

TEST_CASE("articulations may be placed on any number of threads, with the bits of one (DYN-045)")
{
    Random              r(45);
    model::ModelBuilder b;
    constexpr int       kRobots = 12;
    for (int i = 0; i < kRobots; ++i) {
        std::vector<std::int32_t> joints;
        std::int32_t              parent = -1;
        for (int k = 0; k < 6; ++k) {
            const auto link = add_random_link(b, r);
            joints.push_back(b.add_joint(
                random_joint(r, k == 0 ? model::JointType::free : model::JointType::revolute, parent, link)));
            parent = link;
        }
        b.add_articulation(joints, "robot");
    }
    const model::Model m     = finalized(b);
    model::State       start = model::make_state(m);
    randomize(m, r, start);
    model::State serial = start;
    REQUIRE(dynamics::eval_fk(m, start.joint_q, start.joint_qd, serial));
    std::vector<Real> q(start.joint_q), qd(start.joint_qd);
    REQUIRE(dynamics::eval_ik(m, serial, q, qd));
    for (const int threads : {1, 2, 8}) {
        CAPTURE(threads);
        const tasks::Pool pool(threads);
        model::State      s = start;
        std::vector<Real> own_q(start.joint_q), own_qd(start.joint_qd);
        pool.for_each(kRobots, 1, [&](std::size_t i) {
            const std::int32_t index = static_cast<std::int32_t>(i);
            const bool         placed =
                dynamics::eval_fk(m, start.joint_q, start.joint_qd, s, {.articulation_indices = {&index, 1}})
                    .has_value() &&
                dynamics::eval_ik(m, s, own_q, own_qd, {.articulation_indices = {&index, 1}}).has_value();
            MCH_CHECK(placed);
        });
        CHECK(s.body_q == serial.body_q);
        CHECK(s.body_qd == serial.body_qd);
        CHECK(own_q == q);
        CHECK(own_qd == qd);
    }
}

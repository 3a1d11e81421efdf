#include <algorithm>
#include <limits>

#include "hand_contacts.h"
#include "mechane/core/hash.h"
#include "support/allocations.h"

using namespace mechane;
using namespace mechane::test;

namespace {

constexpr double kDt = 1.0 / 60;

std::uint64_t hash(const model::State& s)
{
    std::uint64_t h = hash_span(std::span<const Pose>(s.body_q));
    h               = hash_span(std::span<const Spatial>(s.body_qd), h);
    h               = hash_span(std::span<const Real>(s.joint_q), h);
    return hash_span(std::span<const Real>(s.joint_qd), h);
}

/// Eight stacks of four boxes and eight pendulum chains with drives, limits and dry friction.
struct Yard {
    static constexpr int kStacks = 8, kBoxes = 4;
    World                w;
    HandContacts         c;
    Vec3d                half{0.1, 0.1, 0.1};

    static model::ModelBuilder builder()
    {
        auto b = ground(0.6, 0.2);
        for (int s = 0; s < kStacks; ++s)
            for (int k = 0; k < kBoxes; ++k)
                add_box(b, {{1.0 * s, 0, 0.1 + 0.2 * k + 0.01 * k}, {}}, {0.1, 0.1, 0.1}, 1 + k);
        for (int s = 0; s < 8; ++s) {
            std::vector<std::int32_t> joints;
            std::int32_t              before = -1;
            for (int k = 0; k < 3; ++k) {
                const auto body =
                    b.add_link({}, fmt::format("p{}_{}", s, k), 1, {0, 0, -0.2}, 0.01 * Mat33d::identity());
                auto d        = dof({0, 1, 0});
                d.friction    = 0.01;
                d.limit_lower = -0.5;
                d.limit_upper = 0.4;
                d.target_ke   = 5;
                d.target_kd   = 0.1;
                d.target_q    = 0.1 * s;
                joints.push_back(b.add_joint_revolute(before, body,
                                                      {{0, before < 0 ? 5.0 + s : 0.0, before < 0 ? 3.0 : -0.4}, {}},
                                                      {}, d, fmt::format("h{}_{}", s, k)));
                before = body;
            }
            b.add_articulation(joints, fmt::format("chain{}", s));
        }
        return b;
    }
    explicit Yard(const tasks::Pool* pool) : w(builder(), 8, pool) {}
    void step()
    {
        c.clear();
        for (int s = 0; s < kStacks; ++s) c.box_plane(w, 0, 1 + s * kBoxes, half);
        for (int s = 0; s < kStacks; ++s)
            for (int k = 1; k < kBoxes; ++k) c.box_on_box(w, s * kBoxes + k, s * kBoxes + k + 1, half, half);
        w.step(kDt, &c.contacts);
    }
};

}  // namespace

TEST_CASE("the state is the same to the last bit for any number of threads (DYN-099, DYN-131, T-99)")
{
    std::uint64_t expected = 0;
    for (const int threads : {1, 2, 5}) {
        CAPTURE(threads);
        const tasks::Pool pool(threads);
        Yard              yard(&pool);
        for (int i = 0; i < 120; ++i) yard.step();
        REQUIRE(!yard.w.report.diverged);
        const std::uint64_t h = hash(yard.w.state);
        if (threads == 1) expected = h;
        CHECK(h == expected);
    }
    Yard inline_yard(nullptr);
    for (int i = 0; i < 120; ++i) inline_yard.step();
    CHECK(hash(inline_yard.w.state) == expected);
}

TEST_CASE("in place and into another state, a step gives the same bits (rule 3.0)")
{
    Yard a(nullptr), b(nullptr);
    for (int i = 0; i < 10; ++i) {
        a.step();
        b.c.clear();
        for (int s = 0; s < Yard::kStacks; ++s) b.c.box_plane(b.w, 0, 1 + s * Yard::kBoxes, b.half);
        for (int s = 0; s < Yard::kStacks; ++s)
            for (int k = 1; k < Yard::kBoxes; ++k)
                b.c.box_on_box(b.w, s * Yard::kBoxes + k, s * Yard::kBoxes + k + 1, b.half, b.half);
        model::State out;
        CHECK(!b.w.solver->step(b.w.state, out, b.w.control, &b.c.contacts, kDt).diverged);
        b.w.state = out;
    }
    CHECK(hash(a.w.state) == hash(b.w.state));
}

TEST_CASE("a step that has warmed up allocates nothing (DYN-138)")
{
    Yard yard(nullptr);
    for (int i = 0; i < 100; ++i) yard.step();
    const std::size_t before = allocations();
    for (int i = 0; i < 20; ++i) yard.step();
    CHECK(allocations() == before);
}

TEST_CASE("a state that is not finite is handed back with the body's name (DYN-141, T-103)")
{
    Yard               yard(nullptr);
    const model::State good  = yard.w.state;
    const Real         nan   = std::numeric_limits<Real>::quiet_NaN();
    yard.w.state.joint_qd[2] = nan;
    model::State out;
    const auto   report = yard.w.solver->step(yard.w.state, out, yard.w.control, nullptr, kDt);
    CHECK(report.diverged);
    CHECK(report.culprit_body == 0);
    CHECK(report.culprit.find("box0") != std::string::npos);
    CHECK(out.joint_q == good.joint_q);
    // The next step from a good state is as if nothing had been.
    yard.w.state = good;
    yard.step();
    CHECK(!yard.w.report.diverged);
}

TEST_CASE("commands that are not finite count as none (DYN-140, T-103)")
{
    Yard a(nullptr), b(nullptr);
    a.w.control.joint_f[a.w.control.joint_f.size() - 1] = std::numeric_limits<Real>::infinity();
    a.w.state.body_f[3].linear.x                        = std::numeric_limits<Real>::quiet_NaN();
    a.step();
    b.step();
    CHECK(!a.w.report.diverged);
    CHECK(hash(a.w.state) == hash(b.w.state));
}

TEST_CASE("an explosion is undone and blamed on a joint (DYN-141, 10.4)")
{
    auto  b = unit_hinge(dof({0, 0, 1}));
    World w(b);
    w.control.joint_f[0]      = Real(1e12);  // 1e12 rad/s^2
    const model::State before = w.state;
    w.step(kDt);
    CHECK(w.report.diverged);
    CHECK(w.report.culprit_body == 0);
    CHECK(w.report.culprit_joint == 0);
    CHECK(w.report.culprit.find("hinge") != std::string::npos);
    CHECK(w.state.joint_q == before.joint_q);
    CHECK(w.state.joint_qd == before.joint_qd);
}

TEST_CASE("strange time steps do nothing or say so (DYN-145, T-109)")
{
    World w(unit_hinge(dof({0, 0, 1})));
    w.state.joint_qd[0]       = 1;
    const model::State before = w.state;
    w.step(0);
    CHECK(!w.report.diverged);
    CHECK(w.state.joint_q == before.joint_q);
    for (const double dt : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
        w.step(dt);
        CHECK(w.report.diverged);
        CHECK(w.report.culprit.find("dt") != std::string::npos);
        CHECK(w.state.joint_q == before.joint_q);
    }
    w.step(1);
    CHECK(!w.report.diverged);
    CHECK(w.q(0) == close_to(1, 1e-6));
}

TEST_CASE("an unknown solver or too many substeps is refused with what there is")
{
    const model::Model m = finalized(unit_hinge(dof({0, 0, 1})));
    Diagnostics        out;
    const auto         unknown = solvers::make_solver("magic", m, {}, out);
    REQUIRE(!unknown);
    CHECK(unknown.error().id == "SOLVER_UNKNOWN");
    CHECK(unknown.error().hint.find("softstep") != std::string::npos);
    for (const int substeps : {0, 65, -1}) {
        const auto refused = solvers::make_solver("softstep", m, {.substeps = substeps}, out);
        REQUIRE(!refused);
        CHECK(refused.error().id == "SOLVER_MODEL");
    }
}

TEST_CASE("a body of no mass stands still and a joint that moves none is named (DYN-142, DYN-148, T-104)")
{
    model::ModelBuilder b;
    const auto          ghost = b.add_link({{0, 0, 1}, {}}, "ghost");
    const auto          held  = b.add_link({}, "held");
    b.add_articulation({b.add_joint_revolute(-1, held, {}, {}, dof({0, 0, 1}), "idle")}, "a");
    World w(b);
    w.run(0.5, kDt);
    CHECK(w.position(static_cast<std::size_t>(ghost)).z == 1);
    CHECK(w.q(0) == 0);
    const auto* found = w.notices.find("SOLVER_MASSLESS_DOF");
    REQUIRE(found);
    CHECK(found->site.prim == "idle");
}

TEST_CASE("small random models step without a crash, and never to NaN in silence (DYN-150)")
{
    using enum model::JointType;
    for_seeds(150, [](Random& r) {
        model::ModelBuilder b;
        const int           bodies = 1 + static_cast<int>(r.below(8));
        for (int k = 0; k < bodies; ++k) {
            const double m = r.uniform() < 0.1 ? 0 : std::pow(10, r.uniform(-3, 3));
            b.add_link({r.vec(1), r.rotation()}, fmt::format("b{}", k), m, r.vec(0.2),
                       (m * 0.01) * Mat33d::diagonal({1, 1.2, 0.9}));
        }
        const int joints = static_cast<int>(r.below(10));
        for (int k = 0; k < joints; ++k) {
            const model::JointType types[] = {prismatic, revolute, ball, fixed, d6, distance, free};
            model::BuilderJoint    j;
            j.type   = types[r.below(7)];
            j.parent = static_cast<std::int32_t>(r.below(static_cast<std::uint32_t>(bodies + 1))) - 1;
            j.child  = static_cast<std::int32_t>(r.below(static_cast<std::uint32_t>(bodies)));
            if (j.parent == j.child) continue;
            j.parent_xform        = {r.vec(0.5), r.rotation()};
            j.child_xform         = {r.vec(0.5), r.rotation()};
            const auto random_dof = [&](int axis) {
                auto d = dof(axis_vector<double>(axis));
                if (r.uniform() < 0.5) {
                    d.limit_lower = -r.uniform();
                    d.limit_upper = r.uniform();
                }
                if (r.uniform() < 0.5) {
                    d.target_ke = std::pow(10, r.uniform(-2, 8));
                    d.target_kd = std::pow(10, r.uniform(-2, 5));
                    d.target_q  = r.uniform(-3, 3);
                }
                if (r.uniform() < 0.3) d.effort_limit = r.uniform(0, 10);
                if (r.uniform() < 0.3) d.friction = r.uniform(0, 1);
                if (r.uniform() < 0.3) d.drive_type = model::DriveType::acceleration;
                return d;
            };
            const int linear  = j.type == prismatic                    ? 1
                                : j.type == d6                         ? static_cast<int>(r.below(4))
                                : j.type == distance || j.type == free ? 3
                                                                       : 0;
            const int angular = j.type == revolute                                       ? 1
                                : j.type == d6                                           ? static_cast<int>(r.below(4))
                                : j.type == distance || j.type == free || j.type == ball ? 3
                                                                                         : 0;
            for (int a = 0; a < linear; ++a) j.linear_axes.push_back(random_dof(a));
            for (int a = 0; a < angular; ++a) j.angular_axes.push_back(random_dof(a));
            if (j.type == ball && r.uniform() < 0.5) j.cone_limit = {r.uniform(0.1, 2), r.uniform(0.1, 2)};
            j.label                     = fmt::format("j{}", k);
            j.exclude_from_articulation = r.uniform() < 0.2;
            b.add_joint(j);
        }
        Diagnostics out;
        auto        finished = b.finalize({}, out);
        if (!finished) return;  // refused with a diagnostic, which is an answer
        model::State state = model::make_state(*finished);
        dynamics::project_to_joints(*finished, state);
        auto solver = solvers::make_solver("softstep", *finished, {}, out);
        REQUIRE(solver);
        for (int i = 0; i < 100; ++i) {
            const auto report = (*solver)->step(state, state, {}, nullptr, kDt);
            for (const Pose& X : state.body_q) REQUIRE(is_finite(X));
            for (const Spatial& v : state.body_qd) REQUIRE(is_finite(v));
            if (report.diverged) {
                CHECK(!report.culprit.empty());
                break;
            }
        }
    });
}

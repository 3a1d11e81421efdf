#include "mechane/solvers/materials.h"

#include "hand_contacts.h"
#include "mechane/solvers/contact_wrench.h"

using namespace mechane;
using namespace mechane::test;
using solvers::MaterialCombine;

namespace {

constexpr double kDt = 1.0 / 240;

std::unique_ptr<solvers::Solver> solver_with(const model::Model& model, MaterialCombine rule)
{
    Diagnostics out;
    auto        made = solvers::make_solver("softstep", model, {.combine = rule}, out);
    REQUIRE(made.has_value());
    return std::move(*made);
}

/// Bodies and the contacts that the pipeline finds, for `seconds`.
struct Scene {
    World                        world;
    collision::CollisionPipeline pipeline;
    model::Contacts              contacts;

    explicit Scene(const model::ModelBuilder& b) : world(b), pipeline(world.model), contacts(pipeline.make_contacts())
    {
    }
    void run(double seconds)
    {
        for (int i = 0; i < static_cast<int>(std::round(seconds / kDt)); ++i) {
            pipeline.collide(world.state, kDt, contacts);
            world.step(kDt, &contacts);
        }
    }
};

}  // namespace

TEST_CASE("friction of 0.2 on 0.8 is 0.5, 0.4 or 0.8 by the rule of the solver, and a box slides as far (COL-150)")
{
    struct {
        const char* solver;
        double      mu;
    } table[] = {{"softstep", 0.5},     {"xpbd", 0.5}, {"semi_implicit", 0.5},
                 {"featherstone", 0.5}, {"vbd", 0.4},  {"mujoco", 0.8}};
    for (const auto& row : table) {
        CAPTURE(row.solver);
        const auto rule = solvers::friction_rule_of(row.solver);
        REQUIRE(rule.has_value());
        CHECK(solvers::combine(*rule, 0.2, 0.8) == close_to(row.mu, 1e-12));
        auto b             = ground(0.8);
        b.default_shape.mu = 0.2;
        const Vec3d half{0.2, 0.2, 0.1};
        add_box(b, {{0, 0, 0.1}, {}}, half, 3);
        World w(b);
        w.solver            = solver_with(w.model, *rule);
        w.state.joint_qd[0] = 2;
        HandContacts contacts;
        for (int i = 0; i < 240; ++i) {
            contacts.clear();
            contacts.box_plane(w, 0, 1, half);
            w.step(kDt, &contacts.contacts);
        }
        CHECK(w.position(0).x == close_to(2.0 * 2.0 / (2 * row.mu * 9.81), 0.01));  // v^2 / (2 mu g)
    }
    CHECK(solvers::combine(MaterialCombine::minimum, 0.2, 0.8) == 0.2);
    CHECK(solvers::combine(MaterialCombine::multiply, 0.2, 0.8) == close_to(0.16, 1e-12));
    CHECK(!solvers::friction_rule_of("nobody").has_value());
}

TEST_CASE("a contact's own stiffness carries the weight, its friction is a factor, and zero is neither (COL-151)")
{
    const Vec3d half{0.2, 0.2, 0.1};
    struct {
        double stiffness, damping, friction;
        double sink, mu;
    } table[] = {
        {0, 0, 0, 0, 0.5},             // as if nothing had been said
        {1000, 0, 0, 7.3575e-3, 0.5},  // 3 kg x 9.81 m/s^2 on four springs
        {4000, 50, 0, 1.839375e-3, 0.5},
        {0, 0, 0.5, 0, 0.25},
        {1000, 20, 2, 7.3575e-3, 1.0},
    };
    for (const auto& row : table) {
        CAPTURE(row.stiffness);
        CAPTURE(row.friction);
        auto b = ground(0.5);
        add_box(b, {{0, 0, 0.1}, {}}, half, 3);
        World        w(b);
        HandContacts c;
        c.contacts.with_stiffness();
        std::fill(c.contacts.rigid_contact_stiffness.begin(), c.contacts.rigid_contact_stiffness.end(),
                  static_cast<Real>(row.stiffness));
        std::fill(c.contacts.rigid_contact_damping.begin(), c.contacts.rigid_contact_damping.end(),
                  static_cast<Real>(row.damping));
        std::fill(c.contacts.rigid_contact_friction.begin(), c.contacts.rigid_contact_friction.end(),
                  static_cast<Real>(row.friction));
        const auto run = [&](int steps) {
            for (int i = 0; i < steps; ++i) {
                c.clear();
                c.box_plane(w, 0, 1, half);
                w.step(kDt, &c.contacts);
            }
        };
        run(720);
        CHECK(0.1 - w.position(0).z == doctest::Approx(row.sink).epsilon(0.005).scale(row.sink > 0 ? 0 : 1e-1));
        w.state.joint_qd[0] = 1;
        run(360);
        CHECK(w.position(0).x == close_to(1.0 / (2 * row.mu * 9.81), 0.02));
    }
}

TEST_CASE("a ball that resists rolling rests on a contact of its own stiffness (COL-151)")
{
    auto b = ground(0.5);
    REQUIRE(b.default_shape.mu_rolling > 0);
    add_ball(b, {0, 0, 0.2}, 0.2, 3);
    World        w(b);
    HandContacts c;
    c.contacts.with_stiffness();
    c.contacts.rigid_contact_stiffness[0] = Real(1000);
    c.contacts.rigid_contact_damping[0]   = Real(50);
    for (int i = 0; i < 720; ++i) {
        c.clear();
        c.sphere_plane(w, 0, 1, 0.2);
        w.step(kDt, &c.contacts);
    }
    CHECK(0.2 - w.position(0).z == doctest::Approx(29.43e-3).epsilon(0.005));  // 3 kg x 9.81 m/s^2 on one spring
}

TEST_CASE("what rests on static balls and capsules is held at their full radius (COL-152)")
{
    for (const bool capsules : {false, true}) {
        CAPTURE(capsules);
        model::ModelBuilder b;
        b.rigid_gap             = 0.01;
        b.default_shape.density = 500;
        for (int i = 0; i < 3; ++i) {
            const double turn = 2 * kPi * i / 3;
            const Vec3d  at{0.2 * std::cos(turn), 0.2 * std::sin(turn), 0.25};
            const Quatd  lying{std::sqrt(0.5), 0, 0, std::sqrt(0.5)};  // z along -y
            if (capsules)
                b.add_shape_capsule(-1, {at, lying}, 0.25, 0.05, b.default_shape);
            else
                b.add_shape_sphere(-1, {at, {}}, 0.25, b.default_shape);
        }
        const auto body = b.add_body({{0, 0, 0.605}, {}}, "box");
        b.add_shape_box(body, {}, {0.4, 0.4, 0.1}, b.default_shape);
        Scene s(b);
        s.run(1);
        // The tops are 0.5 m high, the middle of the box 0.1 m higher. Cores alone would hold it at 0.35 m.
        CHECK(s.world.position(body).z == close_to(0.6, 1e-3));
        CHECK(length(s.world.velocity(body)) < 1e-3);
        double weight = 0;
        for (int i = 0; i < s.contacts.rigid_contact_count; ++i)
            weight += std::abs(static_cast<double>(s.contacts.rigid_contact_force[i].z));
        CHECK(weight == close_to(500 * 0.8 * 0.8 * 0.2 * 9.81, 0.01));
    }
}

TEST_CASE("the wrench of a contact is that on body 0 about its centre of mass, and what acts reacts (COL-153)")
{
    // A box on a box that is pushed aside by a third with a lever, all in contact.
    model::ModelBuilder b;
    b.rigid_gap             = 0.01;
    b.default_shape.density = 500;
    b.default_shape.mu      = 0.8;
    b.add_ground_plane();
    const auto lower = b.add_body({{0, 0, 0.1}, {}}, "lower"), upper = b.add_body({{0.05, 0.02, 0.3}, {}}, "upper");
    b.add_shape_box(lower, {{0.03, 0, 0}, {}}, {0.2, 0.15, 0.1}, b.default_shape);  // its middle is not the origin
    b.add_shape_box(upper, {}, {0.1, 0.1, 0.1}, b.default_shape);
    Scene s(b);
    for (int i = 0; i < 240; ++i) {
        s.pipeline.collide(s.world.state, kDt, s.contacts);
        s.world.state.body_f[static_cast<std::size_t>(upper)].linear = {10, 3, 0};  // it does not slip
        s.world.step(kDt, &s.contacts);
    }
    const auto           count = static_cast<std::size_t>(s.contacts.rigid_contact_count);
    std::vector<Spatial> on0(count), on1(count);
    solvers::contact_wrenches(s.world.model, s.world.state, s.contacts, on0, on1);
    const auto com = [&](std::int32_t shape) {
        const auto body = s.world.model.shape_body[shape];
        return body < 0
                   ? Vec3d{}
                   : static_cast<Posed>(s.world.state.body_q[body]) * static_cast<Vec3d>(s.world.model.body_com[body]);
    };
    Spatiald on_upper, on_lower;
    for (std::size_t i = 0; i < count; ++i) {
        const auto     s0 = s.contacts.rigid_contact_shape0[i], s1 = s.contacts.rigid_contact_shape1[i];
        const Spatiald w0{static_cast<Vec3d>(on0[i].linear), static_cast<Vec3d>(on0[i].angular)},
            w1{static_cast<Vec3d>(on1[i].linear), static_cast<Vec3d>(on1[i].angular)};
        CHECK(w0.linear == -static_cast<Vec3d>(s.contacts.rigid_contact_force[i]));
        // About the origin of the world both of a contact add up to nothing.
        CHECK(length(w0.linear + w1.linear) == 0);
        const Vec3d moment = w0.angular + cross(com(s0), w0.linear) + w1.angular + cross(com(s1), w1.linear);
        CHECK(length(moment) < 1e-4);
        for (const auto& [shape, w] : {std::pair{s0, w0}, std::pair{s1, w1}}) {
            if (s.world.model.shape_body[shape] == upper) on_upper += w;
            if (s.world.model.shape_body[shape] == lower) on_lower += w;
        }
    }
    // Nothing moves: the contacts carry weight and push, and their moments about the centres of mass balance. The push
    // acts at the centre of mass.
    const double m_upper = 500 * 0.2 * 0.2 * 0.2, m_lower = 500 * 0.4 * 0.3 * 0.2;
    CHECK(distance(on_upper.linear, {-10, -3, m_upper * 9.81}) < 0.2);
    CHECK(distance(on_lower.linear, {0, 0, m_lower * 9.81}) < 0.6);
    CHECK(length(on_upper.angular) < 0.05);
    CHECK(length(on_lower.angular) < 0.15);
}

namespace {

/// The five rules, as numbers 0.2 and 0.8 make them.
struct RuleRow {
    MaterialCombine rule;
    double          mu;
};
constexpr RuleRow kRules[] = {{MaterialCombine::average, 0.5},
                              {MaterialCombine::minimum, 0.2},
                              {MaterialCombine::maximum, 0.8},
                              {MaterialCombine::multiply, 0.16},
                              {MaterialCombine::geometric_mean, 0.4}};

}  // namespace

TEST_CASE("a box slides as far as the rule that its material names says, whatever the solver's rule (usd-physics 6.6)")
{
    for (const RuleRow& row : kRules)
        for (const bool on_ground : {false, true}) {
            CAPTURE(static_cast<int>(row.rule));
            CAPTURE(on_ground);
            auto b             = ground(0.8);
            b.default_shape.mu = 0.2;
            const Vec3d half{0.2, 0.2, 0.1};
            add_box(b, {{0, 0, 0.1}, {}}, half, 3);
            for (model::BuilderShape& shape : b.shapes)
                if ((shape.body < 0) == on_ground) shape.config.friction_combine = row.rule;
            World w(b);
            w.solver            = solver_with(w.model, MaterialCombine::average);
            w.state.joint_qd[0] = 1;
            HandContacts contacts;
            for (int i = 0; i < 240; ++i) {
                contacts.clear();
                contacts.box_plane(w, 0, 1, half);
                w.step(kDt, &contacts.contacts);
            }
            CHECK(w.position(0).x == close_to(1.0 / (2 * row.mu * 9.81), 0.01));  // v^2 / (2 mu g)
        }
}

TEST_CASE("a ball rebounds by the rule that its material names, alone and among many (usd-physics 6.6)")
{
    // One ball, and many in one step.
    for (const int count : {1, 64})
        for (const RuleRow& row : kRules) {
            CAPTURE(count);
            CAPTURE(static_cast<int>(row.rule));
            model::ModelBuilder b;
            b.rigid_gap                            = 0.01;
            b.default_shape.mu                     = 0;
            b.default_shape.restitution            = 0.8;
            b.default_shape.restitution_combine    = row.rule;
            b.add_ground_plane();
            b.default_shape.restitution         = 0.2;
            b.default_shape.restitution_combine = std::nullopt;
            b.default_shape.density             = 1000;
            for (int i = 0; i < count; ++i) {
                const auto body = b.add_body({{1.0 * (i % 8), 1.0 * (i / 8), 0.1 + 0.5}, {}}, fmt::format("ball{}", i));
                b.add_shape_sphere(body, {}, 0.1, b.default_shape);
            }
            Scene  s(b);
            double top = 0;
            bool   fell = false;
            for (int i = 0; i < 240; ++i) {
                s.run(kDt);
                fell = fell || s.world.velocity(0).z > 0;
                if (fell) top = std::max(top, s.world.position(0).z - 0.1);
            }
            // Falls 0.5 m, rebounds to e^2 of it.
            CHECK(top == close_to(0.5 * row.mu * row.mu, 0.012));
        }
}

TEST_CASE("of two rules the later of average, geometric mean, minimum, multiply, maximum counts (usd-physics 6.6)")
{
    constexpr MaterialCombine kOrder[] = {MaterialCombine::average, MaterialCombine::geometric_mean,
                                          MaterialCombine::minimum, MaterialCombine::multiply, MaterialCombine::maximum};
    const auto of = [](MaterialCombine r) { return static_cast<std::int32_t>(r); };
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(solvers::rule_of_pair(MaterialCombine::maximum, of(kOrder[i]), model::kNoCombine) == kOrder[i]);
        for (std::size_t k = 0; k < 5; ++k)
            CHECK(solvers::rule_of_pair(MaterialCombine::average, of(kOrder[i]), of(kOrder[k])) == kOrder[std::max(i, k)]);
    }
    CHECK(solvers::rule_of_pair(MaterialCombine::minimum, model::kNoCombine, model::kNoCombine) == MaterialCombine::minimum);
}

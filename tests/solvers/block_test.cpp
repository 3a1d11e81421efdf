#include <algorithm>
#include <memory>

#include "hand_contacts.h"

using namespace mechane;
using namespace mechane::test;

namespace {
constexpr double kDt = 1.0 / 60;
const Vec3d      kHalf{0.1, 0.1, 0.1};

/// A stack on the ground; the masses from below.
struct Tower {
    World        w;
    HandContacts c;
    std::size_t  count;

    explicit Tower(const std::vector<double>& masses) : w(boxes(masses)), count(masses.size()) {}
    void step()
    {
        c.clear();
        c.box_plane(w, 0, 1, kHalf);
        for (int k = 1; k < static_cast<int>(count); ++k) c.box_on_box(w, k, k + 1, kHalf, kHalf);
        w.step(kDt, &c.contacts);
    }

  private:
    static model::ModelBuilder boxes(const std::vector<double>& masses)
    {
        auto   b = ground(0.5);
        double z = 0.1;
        for (const double mass : masses) {
            add_box(b, {{0, 0, z}, {}}, kHalf, mass);
            z += 0.2;
        }
        return b;
    }
};

/// Sum of the vertical forces of the first `count` contacts.
double carried(const model::Contacts& contacts, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += static_cast<double>(contacts.rigid_contact_force[i].z);
    return sum;
}
}  // namespace

TEST_CASE("light boxes carry a heavy one for ten seconds, solved directly in every substep (DYN-102, DYN-094, T-44)")
{
    for (const auto& [load, sink] : {std::pair{100.0, 0.015}, std::pair{1000.0, 0.005}}) {
        CAPTURE(load);
        Tower tower({1, 1, 1, 1, load});
        for (int i = 0; i < 600; ++i) {
            tower.step();
            CHECK(tower.w.report.block_solves == 8 * 2);
            CHECK(tower.w.report.block_fallbacks == 0);
            CHECK(tower.w.report.sweeps == 0);
        }
        CHECK(0.9 - tower.w.position(4).z < sink);
        for (std::size_t k = 0; k < 5; ++k) {
            CHECK(std::hypot(tower.w.position(k).x, tower.w.position(k).y) < 1e-3);
            CHECK(length(tower.w.velocity(k)) < 1e-3);
        }
        // What the ground bears is the weight of all; each of its four points bears a part.
        CHECK(carried(tower.c.contacts, 4) == close_to((4 + load) * 9.81, 0.005 * load * 9.81));
        for (int i = 0; i < 4; ++i) CHECK(static_cast<double>(tower.c.contacts.rigid_contact_force[i].z) > 0);
    }
}

TEST_CASE("the direct solve is for islands of few rows whose masses differ by more than fifty (DYN-102)")
{
    const auto solves = [](const std::vector<double>& masses) {
        Tower tower(masses);
        tower.step();
        return tower.w.report.block_solves + tower.w.report.block_fallbacks;
    };
    CHECK(solves({1, 49}) == 0);
    CHECK(solves({1, 51}) == 16);
    CHECK(solves({51, 1}) == 16);
    CHECK(solves({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 60}) == 16);  // 48 contacts
    Tower large({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 60});       // 52: left to sweeps
    large.step();
    CHECK(large.w.report.block_solves == 0);
    CHECK(large.w.report.sweeps > 0);
}

TEST_CASE("islands with closed loops are solved directly whatever their masses (DYN-102)")
{
    // Two boxes side by side on the ground, which a fixed joint outside every articulation ties together.
    auto b = ground(0.5);
    for (const double x : {0.0, 0.3}) add_box(b, {{x, 0, 0.1}, {}}, kHalf, 1);
    model::BuilderJoint weld;
    weld.type                      = model::JointType::fixed;
    weld.parent                    = 0;
    weld.child                     = 1;
    weld.parent_xform.p            = {0.3, 0, 0};
    weld.exclude_from_articulation = true;
    weld.label                     = "weld";
    b.add_joint(weld);
    World        w(b);
    HandContacts c;
    for (int i = 0; i < 120; ++i) {
        c.clear();
        for (int k = 1; k <= 2; ++k) c.box_plane(w, 0, k, kHalf);
        w.step(kDt, &c.contacts);
        CHECK(w.report.loop_rows == 6);
        CHECK(w.report.block_solves == 16);
    }
    CHECK(carried(c.contacts, 8) == close_to(2 * 9.81, 0.005 * 2 * 9.81));
    CHECK(w.position(1).x - w.position(0).x == close_to(0.3, 1e-6));
}

TEST_CASE("in a direct solve a heavy box slides on a light plate as friction says (DYN-102, T-25)")
{
    // The plate of 1 kg is held by the ground, whose friction can bear more (101 kg) than the load's (100 kg) asks for.
    // The load stops after v^2 / (2 mu g).
    auto        b = ground(0.5);
    const Vec3d plate{2, 0.5, 0.05}, load{0.1, 0.1, 0.1};
    add_box(b, {{0, 0, 0.05}, {}}, plate, 1);
    add_box(b, {{-0.5, 0, 0.2}, {}}, load, 100);
    World w(b);
    w.state.joint_qd[6] = 2;
    HandContacts c;
    for (int i = 0; i < 60; ++i) {
        c.clear();
        c.box_plane(w, 0, 1, plate);
        c.box_on_box(w, 1, 2, plate, load);
        w.step(kDt, &c.contacts);
        CHECK(w.report.block_solves == 16);
    }
    const double way = 2 * 2 / (2 * 0.5 * 9.81);
    CHECK(w.position(1).x + 0.5 == close_to(way, 0.01 * way));
    CHECK(std::abs(w.position(0).x) < 1e-3);
    CHECK(length(w.velocity(1)) < 1e-3);
    CHECK(std::abs(w.position(1).y) < 1e-3);
}

TEST_CASE("a direct solve has the rows of trees too: a press of 500 kg in its guide stands on a light box (DYN-102)")
{
    auto b = ground(0.5);
    add_box(b, {{0, 0, 0.1}, {}}, kHalf, 1);
    const auto            press = b.add_link({{0, 0, 0.3}, {}}, "press", 500, {}, 10.0 * Mat33d::identity());
    model::JointDofConfig along = dof({0, 0, 1});
    along.limit_lower           = -1;
    along.limit_upper           = 0.5;
    along.friction              = 20;
    const std::int32_t guide    = b.add_joint_prismatic(-1, press, {{0, 0, 0.3}, {}}, {}, along, "guide");
    b.add_articulation({guide}, "machine");
    model::ShapeConfig massless = b.default_shape;
    massless.density            = 0;
    b.add_shape_box(press, {}, kHalf, massless);
    World        w(b);
    HandContacts c;
    for (int i = 0; i < 180; ++i) {
        c.clear();
        c.box_plane(w, 0, 1, kHalf);
        c.box_on_box(w, 1, 2, kHalf, kHalf);
        w.step(kDt, &c.contacts);
        CHECK(w.report.block_solves == 16);
    }
    CHECK(0.3 - w.position(1).z < 1e-4);
    // Friction of the guide may bear up to 20 N of it.
    CHECK(carried(c.contacts, 4) == close_to(501 * 9.81, 0.005 * 501 * 9.81));
}

TEST_CASE("direct solves of many islands give the same bits on any number of threads (DYN-102, DYN-099)")
{
    const auto run = [](std::size_t threads) {
        auto b = ground(0.5);
        for (int k = 0; k < 6; ++k) {
            add_box(b, {{2.0 * k, 0, 0.1}, {}}, kHalf, 1);
            add_box(
                b, {{2.0 * k + 0.01 * k, 0, 0.31}, rotation_between(Vec3d{0, 0, 1}, normalized(Vec3d{0.02 * k, 0, 1}))},
                kHalf, 60 + 100 * k);
        }
        const auto   pool = std::make_unique<tasks::Pool>(threads);
        World        w(b, 8, threads > 1 ? pool.get() : nullptr);
        HandContacts c;
        int          solves = 0;
        for (int i = 0; i < 120; ++i) {
            c.clear();
            for (int k = 0; k < 6; ++k) c.box_plane(w, 0, 2 * k + 1, kHalf);
            for (int k = 0; k < 6; ++k) c.box_on_box(w, 2 * k + 1, 2 * k + 2, kHalf, kHalf);
            w.step(kDt, &c.contacts);
            solves += w.report.block_solves;
        }
        CHECK(solves > 0);
        return w.state;
    };
    const model::State one = run(1);
    for (const std::size_t threads : {2u, 5u, 8u}) {
        const model::State other = run(threads);
        CHECK(std::equal(one.body_q.begin(), one.body_q.end(), other.body_q.begin()));
        CHECK(std::equal(one.body_qd.begin(), one.body_qd.end(), other.body_qd.begin()));
    }
}

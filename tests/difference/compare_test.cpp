#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <numbers>

#include "difference/random_robot.h"
#include "mechane/difference/report.h"
#include "mechane/difference/rollout.h"
#include "mechane/exporter/export.h"
#include "mechane/exporter/robot_of_stage.h"
#include "mechane/files/scratch_folder.h"
#include "mechane/usd/stage.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::difference;
namespace sf = mechane::sourceformats;
using mechane::test::Draw;
using mechane::test::for_seeds;
using mechane::test::random_robot;

namespace {

bool has(const Comparison& c, Quantity q, const std::string& item, const std::string& field)
{
    return std::any_of(c.differences.begin(), c.differences.end(), [&](const Difference& d) {
        return d.quantity == q && d.item.find("'" + item + "'") != std::string::npos && d.field == field;
    });
}

std::string said(const Comparison& c) { return to_text(c, nullptr, 10); }

/// As OpenUSD and back, by the layers in memory.
sf::RobotTree through_usd(const sf::RobotTree& tree, sf::Layout layout, sf::LossReport& losses)
{
    auto made = sf::to_usd(tree, layout, losses);
    REQUIRE(made);
    const auto stage = usd::Stage::open_text(made->layers[0].layer.to_text());
    REQUIRE(stage);
    auto robot = exporter::robot_of_stage(**stage);
    REQUIRE(robot);
    return std::move(robot->tree);
}

/// As a file of another format and back.
sf::RobotTree through_file(const sf::RobotTree& tree, exporter::Format format, const std::string& name,
                           sf::LossReport& losses)
{
    const files::ScratchFolder folder = files::ScratchFolder::temporary(".");
    auto                       done   = exporter::write_robot(tree, format, name, {}, losses);
    REQUIRE(done);
    const std::string file = (folder.path() / name).string();
    REQUIRE(exporter::write_files(*done, file));
    CAPTURE(done->files[0].content);
    auto again = sf::read_robot(file);
    REQUIRE(again);
    return std::move(again->tree);
}

sf::RobotTree pendulum()
{
    auto read = sf::read_robot_text(
        R"(<robot name="p"><link name="world"/><link name="arm"><inertial><origin xyz="0.3 0 0"/><mass value="2"/><inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision name="c"><origin xyz="0.3 0 0"/><geometry><box size="0.6 0.1 0.1"/></geometry></collision></link>
        <joint name="hinge" type="revolute"><parent link="world"/><child link="arm"/><axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="5" velocity="3"/></joint></robot>)",
        ".");
    REQUIRE(read);
    return std::move(read->tree);
}

}  // namespace

TEST_CASE("a robot drawn by chance does not differ from itself")
{
    for_seeds(60, [](Random& r) {
        const auto tree = random_robot(r, {.turned_frames = true, .drives = true, .balls = true, .round_shapes = true});
        const auto same = compare(tree, tree);
        CHECK_MESSAGE(same.equal(), said(same));
        CHECK(same.counts[static_cast<std::size_t>(Quantity::kinematics)].compared == 100 * tree.links.size());
    });
}

TEST_CASE("one changed value of a robot is named with its item, and no other value before it")
{
    struct Change {
        Quantity                            quantity;
        const char *                        item, *field;
        std::function<void(sf::RobotTree&)> make;
    };
    const Change changes[] = {
        {Quantity::mass, "arm", "mass", [](sf::RobotTree& t) { t.links.back().inertial->mass *= 1.001; }},
        {Quantity::center_of_mass, "arm", "centre of mass",
         [](sf::RobotTree& t) { t.links.back().inertial->com.x += 1e-4; }},
        {Quantity::inertia, "arm", "Ixy",
         [](sf::RobotTree& t) {
             t.links.back().inertial->inertia.r0.y = t.links.back().inertial->inertia.r1.x = 1e-5;
         }},
        {Quantity::limit, "hinge", "upper limit", [](sf::RobotTree& t) { t.joints[0].dofs[0].upper += 1e-3; }},
        {Quantity::limit, "hinge", "speed limit", [](sf::RobotTree& t) { t.joints[0].dofs[0].velocity_limit = 4; }},
        {Quantity::gain, "hinge", "largest force", [](sf::RobotTree& t) { t.joints[0].dofs[0].drive->max_force = 6; }},
        {Quantity::gain, "hinge", "stiffness", [](sf::RobotTree& t) { t.joints[0].dofs[0].drive->stiffness = 10; }},
        {Quantity::passive, "hinge", "damping", [](sf::RobotTree& t) { t.joints[0].dofs[0].damping = 0.1; }},
        {Quantity::joint, "hinge", "axis", [](sf::RobotTree& t) { t.joints[0].dofs[0].axis = {0, 0.6, 0.8}; }},
        {Quantity::collider, "c", "bounds", [](sf::RobotTree& t) { t.shapes[0].size.y *= 1.01; }},
        {Quantity::contact, "c", "friction",
         [](sf::RobotTree& t) { t.shapes[0].contact = sf::Contact{1, 0.7, 0, {}, {}}; }},
        {Quantity::frame, "arm", "position", [](sf::RobotTree& t) { t.joints[0].X_PJ.p.z += 0.01; }},
    };
    for (const Change& change : changes) {
        CAPTURE(std::string(change.field));
        const sf::RobotTree before = pendulum();
        sf::RobotTree       after  = before;
        change.make(after);
        const Comparison found = compare(before, after);
        CHECK_MESSAGE(has(found, change.quantity, change.item, change.field), said(found));
        REQUIRE(found.first_unexpected() != nullptr);
        // Where a link stands decides where its mass is, seen from the root: that is told first.
        if (change.quantity != Quantity::frame) CHECK(found.first_unexpected()->quantity == change.quantity);
    }
}

TEST_CASE("gains that were read per degree are noted as such")
{
    sf::RobotTree a = pendulum(), b = a;
    a.joints[0].dofs[0].damping = 0.1;
    b.joints[0].dofs[0].damping = 0.1 * 180 / std::numbers::pi;
    const Comparison found      = compare(a, b);
    REQUIRE(found.differences.size() == 1);
    CHECK(found.differences[0].note.find("degrees read as radians") != std::string::npos);
}

TEST_CASE("where a floating robot stands changes its place in the world and nothing else")
{
    for_seeds(20, [](Random& r) {
        const auto  a = random_robot(r, {.turned_frames = true});
        auto        b = a;
        const Posed X = test::random_pose(r);
        for (sf::Link& l : b.links) l.X_WL = X * l.X_WL;
        const auto found = compare(a, b);
        REQUIRE_MESSAGE(found.differences.size() == 1, said(found));
        CHECK(found.differences[0].quantity == Quantity::frame);
        CHECK(found.differences[0].note.find("in the world") != std::string::npos);
    });
}

TEST_CASE("a joint that is told from its other end is the same joint")
{
    // F0 M(q) F1^-1 from parent to child is F1 M(q)^-1 F0^-1 back, and M(q)^-1 about an axis is M(q) about its
    // negative.
    for_seeds(20, [](Random& r) {
        auto a = random_robot(r, {.turned_frames = true});
        a.links.resize(2), a.joints.resize(1);
        std::erase_if(a.shapes, [](const sf::Shape& s) { return s.link > 1; });
        a.joints[0].mimic.reset();
        auto       b = a;
        sf::Joint& j = b.joints[0];
        std::swap(j.parent, j.child);
        std::swap(j.X_PJ, j.X_CJ);
        for (sf::Dof& d : j.dofs) d.axis = -d.axis;
        const auto found = compare(a, b);
        CHECK_MESSAGE(found.equal(), said(found));
    });
}

TEST_CASE("two points on an axis that hold two links are the hinge about it, and points beside it are not")
{
    // MJCF has no hinge that closes a loop: two connects hold two points of its axis.
    const auto points = sf::read_robot_text(R"(<mujoco><worldbody>
        <body name="a" pos="0 0 1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
        <body name="b" pos="0.3 0 1"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody>
        <equality><connect name="h" body1="a" body2="b" anchor="0.15 0.1 0"/>
        <connect name="h_axis" body1="a" body2="b" anchor="0.15 -0.1 0"/></equality></mujoco>)",
                                            ".");
    REQUIRE(points);
    REQUIRE(points->tree.joints.back().name == "h_axis");
    const auto hinge = [&](Vec3d axis) {
        sf::RobotTree tree = points->tree;
        tree.joints.pop_back();
        sf::Joint& joint = tree.joints.back();
        joint.kind       = sf::Joint::Kind::revolute;
        joint.dofs.assign(1, {});
        joint.dofs[0].axis = axis;
        return tree;
    };
    const sf::RobotTree right = hinge({0, 1, 0}), wrong = hinge({1, 0, 0});
    for (const auto& [a, b] : {std::pair(&points->tree, &right), std::pair(&right, &points->tree)}) {
        const auto same = compare(*a, *b);
        CHECK_MESSAGE(same.equal(), said(same));
    }
    for (const auto& [a, b] : {std::pair(&points->tree, &wrong), std::pair(&wrong, &points->tree)}) {
        const auto other = compare(*a, *b);
        CHECK_MESSAGE(has(other, Quantity::loop, "h", "kind"), said(other));
    }
}

TEST_CASE("robots drawn by chance come through OpenUSD as they were (EXP-074)")
{
    for_seeds(60, [](Random& r) {
        const auto tree = random_robot(r, {.turned_frames = true, .drives = true, .balls = true, .round_shapes = true});
        sf::LossReport losses;
        const auto     back  = through_usd(tree, sf::Layout::single, losses);
        const auto     found = compare(tree, back, {.losses = &losses});
        CHECK_MESSAGE(found.first_unexpected() == nullptr, said(found));
    });
}

TEST_CASE("a plane without end comes through OpenUSD as the plane that is drawn of it (EXP-074)")
{
    auto      tree = pendulum();
    sf::Shape floor;
    floor.name = "floor";
    floor.kind = sf::Shape::Kind::plane;
    floor.size = {0, 3, 0};
    tree.shapes.push_back(floor);
    sf::LossReport losses;
    const auto     back  = through_usd(tree, sf::Layout::single, losses);
    const auto     found = compare(tree, back, {.losses = &losses});
    CHECK_MESSAGE(found.first_unexpected() == nullptr, said(found));
    CHECK(!compare(pendulum(), back, {.losses = &losses}).equal());
}

TEST_CASE("robots drawn by chance come through URDF as they were, but for what the report announces (EXP-039, EXP-074)")
{
    for_seeds(60, [](Random& r) {
        const auto tree = random_robot(
            r, {.turned_frames = r.below(2) == 0, .drives = r.below(2) == 0, .round_shapes = r.below(2) == 0});
        sf::LossReport losses;
        const auto     back  = through_file(tree, exporter::Format::urdf, "r.urdf", losses);
        const auto     found = compare(tree, back, {.losses = &losses});
        CHECK_MESSAGE(found.first_unexpected() == nullptr, said(found));
        for (const Difference& d : found.differences) CHECK_MESSAGE(d.quantity != Quantity::mass, d.item);
    });
}

TEST_CASE("robots drawn by chance come through MJCF as they were, but for what the report announces (EXP-057, EXP-074)")
{
    for_seeds(60, [](Random& r) {
        const auto tree = random_robot(r, {.turned_frames = true, .drives = true, .balls = true, .round_shapes = true});
        sf::LossReport losses;
        const auto     back  = through_file(tree, exporter::Format::mjcf, "r.xml", losses);
        const auto     found = compare(tree, back, {.losses = &losses});
        CHECK_MESSAGE(found.first_unexpected() == nullptr, said(found));
    });
}

TEST_CASE("a chain of formats ends where it began: URDF, OpenUSD, MJCF, OpenUSD, URDF")
{
    for_seeds(30, [](Random& r) {
        const auto     tree = random_robot(r);
        sf::LossReport losses;
        auto           now = through_file(tree, exporter::Format::urdf, "r.urdf", losses);
        now                = through_usd(now, sf::Layout::single, losses);
        now                = through_file(now, exporter::Format::mjcf, "r.xml", losses);
        now                = through_usd(now, sf::Layout::single, losses);
        now                = through_file(now, exporter::Format::urdf, "r.urdf", losses);
        const auto found   = compare(tree, now, {.losses = &losses});
        CHECK_MESSAGE(found.first_unexpected() == nullptr, said(found));
    });
}

TEST_CASE("two pendulums that differ in damping part at their hinge, and equal ones do not")
{
    const auto scene = [](double damping) {
        sf::RobotTree tree             = pendulum();
        tree.joints[0].dofs[0].damping = damping;
        sf::LossReport losses;
        auto           made = sf::to_usd(tree, sf::Layout::single, losses);
        REQUIRE(made);
        auto stage = usd::Stage::open_text(made->layers[0].layer.to_text());
        REQUIRE(stage);
        Diagnostics found;
        auto        out = scene_of(*stage, {}, found);
        REQUIRE(out);
        return *std::move(out);
    };
    Diagnostics found;
    const auto  same = compare_rollouts(scene(0.05), scene(0.05), {}, found);
    REQUIRE(same);
    CHECK(!same->first);
    CHECK(same->bodies == 1);
    CHECK(same->joints == 1);
    const auto other = compare_rollouts(scene(0.05), scene(0.5), {}, found);
    REQUIRE(other);
    REQUIRE(other->first);
    CHECK(other->first->joint == "hinge");
    CHECK(other->first->t > 0);
    CHECK(other->first->t < 1);
    // Both stand the same at the start, so that the difference grows from nothing: it is small when it is first told.
    CHECK(std::abs(other->first->joint_a - other->first->joint_b) < 0.1);
}

TEST_CASE("an entry of the loss report announces the values that it speaks for, and no other of the same joint")
{
    const sf::RobotTree a        = pendulum();
    sf::RobotTree       b        = a;
    b.joints[0].dofs[0].armature = 0.5;
    b.joints[0].dofs[0].damping  = 0.1;
    b.joints[0].dofs[0].upper    = 1.5;
    const std::vector<std::pair<const char*, const char*>> entries{{"drive", ""},
                                                                   {"armature", "armature"},
                                                                   {"ball-damping", "damping"},
                                                                   {"one-sided-limit", "upper limit"},
                                                                   {"drive-target", ""},
                                                                   {"velocity-limit", ""},
                                                                   {"a code that nobody knows", ""}};
    for (const auto& [code, field] : entries) {
        CAPTURE(code);
        sf::LossReport losses;
        losses.add({code, Severity::warning, sf::LossAction::dropped, "kinematics", {}, "joint 'hinge'", {}, {}, {}});
        const auto found = compare(a, b, {.losses = &losses, .only = {Quantity::passive, Quantity::limit}});
        CHECK(found.differences.size() == 3);
        for (const Difference& d : found.differences) CHECK((d.expected.empty()) == (d.field != field));
    }
}

TEST_CASE("frames that another up axis has turned are the same robot, and frames that are turned otherwise are not")
{
    for_seeds(20, [](Random& r) {
        const auto tree = random_robot(r, {.turned_frames = true, .drives = true, .balls = true, .round_shapes = true});
        const bool upright = r.uniform(0, 1) < 0.6;
        const Quatd   turn = upright
                                 ? from_axis_angle(axis_vector<double>(r.uniform(0, 1) < 0.5 ? 0 : 1),
                                                   r.uniform(0, 1) < 0.5 ? std::numbers::pi / 2 : -std::numbers::pi / 2)
                                 : from_axis_angle(Vec3d{0, 0, 1}, 0.3);
        const Posed   old{{}, turn}, back = inverse(old);
        const Mat33d  R   = to_matrix(back.q);
        sf::RobotTree now = tree;
        for (sf::Link& l : now.links) {
            l.X_WL = l.X_WL * old;
            if (l.inertial)
                l.inertial->com = R * l.inertial->com, l.inertial->inertia = R * l.inertial->inertia * transpose(R);
            if (l.unused) l.unused->com = R * l.unused->com, l.unused->inertia = R * l.unused->inertia * transpose(R);
        }
        for (sf::Joint& j : now.joints) {
            if (j.parent >= 0) j.X_PJ = back * j.X_PJ;
            j.X_CJ = back * j.X_CJ;
        }
        for (sf::Shape& s : now.shapes)
            if (s.link >= 0) s.X_LS = back * s.X_LS;
        for (sf::Frame& f : now.sites)
            if (f.link >= 0) f.X_LS = back * f.X_LS * old;
        for (sf::Camera& c : now.cameras)
            if (c.link >= 0) c.X_LC = back * c.X_LC;
        const auto found = compare(tree, now);
        if (upright)
            CHECK_MESSAGE(found.equal(), said(found));
        else if (tree.links.size() > 1)
            CHECK(std::all_of(found.differences.begin(), found.differences.end(),
                              [](const Difference& d) { return d.quantity == Quantity::frame; }));
    });
}

namespace {

/// A body that stands still, and ends `far` metres off along x in a straight line.
Motion sliding(double far, int base)
{
    Motion out;
    out.solver = "softstep";
    out.bodies.push_back({"body", {}, base == 0, base, {}, 0.1});
    for (int f = 0; f <= 10; ++f) {
        record::Frame frame;
        frame.t = 0.1 * f;
        frame.body_q.push_back(Pose{{Real(0.1 * f * far), 0, 2}, {}});
        out.recording.frames.push_back(frame);
    }
    return out;
}

}  // namespace

TEST_CASE("motions that are metres apart are not called alike, however sensitive the first one is")
{
    const auto sensitive = sliding(1, 0);
    const auto out       = compare_motions(sliding(0, 0), sliding(2, 0), &sensitive, {});
    // At 0.1 s the change of gravity has moved it by 0.1 m, ten times of which is more than it is large.
    REQUIRE(out.sensitive);
    CHECK(*out.sensitive == doctest::Approx(0.1));
    CHECK(out.judged < 0.1);
    CHECK(out.most <= 5e-3);
    CHECK(!out.first);
    // Without such a change, what is apart is told.
    const auto same = sliding(0, 0);
    const auto told = compare_motions(sliding(0, 0), sliding(2, 0), &same, {});
    REQUIRE(told.first);
    CHECK(told.first->t == doctest::Approx(0.1));
    CHECK(!told.sensitive);
}

TEST_CASE("a body whose tree hangs on the world in one motion and floats in the other is not apart at the start")
{
    const auto still = compare_motions(sliding(0, -1), sliding(0, 0), nullptr, {});
    CHECK(!still.first);
    CHECK(still.judged == doctest::Approx(1));
    const auto moves = compare_motions(sliding(0, -1), sliding(1, 0), nullptr, {});
    REQUIRE(moves.first);
    CHECK(moves.first->t > 0);
}

TEST_CASE("a pose or a coordinate that is no number is where motions differ first")
{
    const auto spoilt = [](auto&& spoil) {
        Motion motion = sliding(0, 0);
        spoil(motion.recording.frames[4]);
        return compare_motions(sliding(0, 0), motion, nullptr, {});
    };
    constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();
    for (const auto& out : {spoilt([](record::Frame& f) { f.body_q[0].p.x = kNan; }),
                            spoilt([](record::Frame& f) { f.body_q[0].q.z = kNan; })}) {
        REQUIRE(out.first);
        CHECK(out.first->t == doctest::Approx(0.4));
        CHECK(out.first->body == "body");
    }
}

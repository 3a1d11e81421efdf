#include <cmath>
#include <cstring>
#include <regex>

#include "mechane/viewer/html.h"
#include "mechane/viewer/live_page.h"
#include "viewer/admission.h"
#include "viewer/scenes.h"
#include "viewer/spread.h"

using namespace mechane;
using viewer::Admission;

TEST_CASE("a request is let in by its token, its host and, for sockets, its origin")
{
    struct {
        const char *host, *origin, *target;
        bool        socket;
        Admission   answer;
    } table[] = {
        {"127.0.0.1:80", "", "/?token=abc", false, Admission::page},
        {"127.0.0.1", "", "/?token=abc", false, Admission::page},
        {"localhost", "http://localhost", "/socket?x=1&token=abc", true, Admission::socket},
        {"localhost:80", "http://localhost", "/socket?token=abc", true, Admission::forbidden},  // not the same host
        {"localhost", "", "/socket?token=abc", true, Admission::forbidden},
        {"localhost", "null", "/socket?token=abc", true, Admission::forbidden},
        {"localhost", "http://evil.example", "/?token=abc", false, Admission::forbidden},
        {"evil.example", "http://evil.example", "/socket?token=abc", true, Admission::forbidden},
        {"localhost", "", "/", false, Admission::forbidden},
        {"localhost", "", "/?token=", false, Admission::forbidden},
        {"localhost", "", "/?token=abcd", false, Admission::forbidden},
        {"localhost", "", "/?mytoken=abc", false, Admission::forbidden},
        {"localhost", "", "/a?token=abc", false, Admission::missing},
        {"localhost", "http://localhost", "/?token=abc", true, Admission::missing},
    };
    for (const auto& row : table) {
        CAPTURE(row.host);
        CAPTURE(row.origin);
        CAPTURE(row.target);
        CHECK(viewer::admit({row.host, row.origin, row.target, row.socket}, 80, "abc") == row.answer);
    }
    CHECK(viewer::admit({"localhost", "", "/?token=", false}, 80, "") == Admission::forbidden);  // no token at all
}

TEST_CASE("a client without a token is let in by its host, and by its origin where it names one")
{
    const std::vector<std::string> origins{"https://studio.example"};
    struct {
        const char *host, *origin;
        bool        socket;
        Admission   answer;
    } table[] = {
        {"127.0.0.1:9090", "", true, Admission::socket},
        {"localhost:9090", "http://localhost:3000", true, Admission::socket},
        {"localhost:9090", "https://127.0.0.1", true, Admission::socket},
        {"localhost:9090", "https://studio.example", true, Admission::socket},
        {"localhost:9090", "https://studio.example.evil", true, Admission::forbidden},
        {"localhost:9090", "http://studio.example", true, Admission::forbidden},
        {"localhost:9090", "http://localhost.evil", true, Admission::forbidden},
        {"localhost:9090", "http://localhost:80.evil", true, Admission::forbidden},
        {"localhost:9090", "http://localhost:", true, Admission::forbidden},
        {"localhost:9090", "null", true, Admission::forbidden},
        {"evil.example:9090", "", true, Admission::forbidden},
        {"127.0.0.1:9091", "", true, Admission::forbidden},
        {"127.0.0.1:9090", "", false, Admission::missing},
    };
    for (const auto& row : table) {
        CAPTURE(row.host);
        CAPTURE(row.origin);
        CHECK(viewer::admit_client({row.host, row.origin, "/", row.socket}, 9090, origins) == row.answer);
    }
}

TEST_CASE("words of the system's random numbers differ")
{
    const std::string a = viewer::random_word(), b = viewer::random_word();
    CHECK(a.size() == 32);
    CHECK(a != b);
}

TEST_CASE("a pull is a critically damped spring for what a free body opposes, within the bound of a step")
{
    model::ModelBuilder builder;
    const auto          body = builder.add_body({}, "/ball");
    builder.add_shape_sphere(body, {}, 0.1, {}, "/ball/shape");
    const auto   model = test::finalized(builder);
    model::State state = model::make_state(model);
    const double mass = static_cast<double>(model.body_mass[0]), w = 4 * std::acos(-1.0);
    // At the centre 1/m = 1/mass. A short step leaves the bound of 2 Hz, k = m (4 pi)^2; a long one k = m (0.5/dt)^2.
    const viewer::Pull pull{0, {}, {0, 0, 1}};
    CHECK(viewer::pull_wrench(model, state, pull, 1e-3).linear.z == doctest::Approx(mass * w * w));
    CHECK(viewer::pull_wrench(model, state, pull, 0.5).linear.z == doctest::Approx(mass));
    state.body_qd[0].linear = {0, 0, 1};  // damping 2 sqrt(k m) = 2 m w
    CHECK(viewer::pull_wrench(model, state, pull, 1e-3).linear.z == doctest::Approx(mass * (w * w - 2 * w)));
    state.body_qd[0] = {};
    // Off the centre: torque = arm x force, and 1/m = 1/mass + r^2 / I.
    const viewer::Pull off{0, {0.1, 0, 0}, {0.1, 0, 1}};
    const auto         wrench  = viewer::pull_wrench(model, state, off, 0.5);
    const double       inertia = static_cast<double>(model.body_inertia[0](0, 0));
    CHECK(wrench.linear.z == doctest::Approx(1 / (1 / mass + 0.01 / inertia)));
    CHECK(wrench.angular.y == doctest::Approx(-0.1 * static_cast<double>(wrench.linear.z)));
    CHECK(viewer::pull_wrench(model, state, {7, {}, {}}, 1e-3).linear.z == 0);
    CHECK(viewer::pull_wrench(model, state, {0, {}, {0, 0, INFINITY}}, 1e-3).linear.z == 0);
}

TEST_CASE("worlds are drawn apart: bodies, what stands still and contacts move together, endless planes stay")
{
    model::ModelBuilder one, many;
    const auto          body = one.add_body({{0, 0, 1}, {}}, "/box");
    one.add_shape_box(body, {}, {0.5, 0.25, 0.1}, {}, "/box/shape");
    one.add_shape_box(-1, {{2, 0, 0}, {}}, {0.1, 0.1, 0.1}, {}, "/wall");
    many.add_ground_plane();
    REQUIRE(many.replicate(one, 5));
    const auto   model  = test::finalized(many);
    model::State state  = model::make_state(model);
    const auto   places = viewer::places_of_worlds(model, state.body_q);
    REQUIRE(places.size() == 5);
    CHECK(length(places[0]) == 0);
    for (std::size_t a = 0; a < 5; ++a)
        for (std::size_t b = 0; b < a; ++b) {
            // The largest box is a metre long.
            CHECK(std::max(std::abs(places[a].x - places[b].x), std::abs(places[a].y - places[b].y)) > 1);
            CHECK(places[a].z == 0);
        }
    model::Model  drawn = model;
    record::Frame frame;
    frame.body_q     = state.body_q;
    const auto shape = [&](std::int32_t world, std::int32_t of_body) {
        for (std::size_t s = 0; s < model.shape_count(); ++s)
            if (model.shape_world[s] == world && (model.shape_body[s] >= 0) == (of_body >= 0))
                return static_cast<std::int32_t>(s);
        return -1;
    };
    frame.contacts.push_back({.point    = {0, 0, 0},
                              .normal   = {0, 0, 1},
                              .force    = {},
                              .distance = 0,
                              .shape0   = shape(-1, -1),
                              .shape1   = shape(3, 0)});
    viewer::move_apart(places, drawn);
    viewer::move_apart(places, model, frame);
    std::vector<collision::ContactFace> faces{
        {{Vec3d{}, {}, {}}, 0, frame.contacts[0].shape0, frame.contacts[0].shape1}};
    viewer::move_apart(places, model, faces);
    CHECK(length(faces[0].points[2] - places[3]) < 1e-12);
    CHECK(length(Vec3d(frame.body_q[3].p) - Vec3d(state.body_q[3].p) - places[3]) < 1e-5);
    CHECK(length(Vec3d(frame.contacts[0].point) - places[3]) < 1e-5);
    const auto wall = static_cast<std::size_t>(shape(3, -1)), plane = static_cast<std::size_t>(shape(-1, -1));
    CHECK(length(Vec3d(drawn.shape_transform[wall].p) - Vec3d(model.shape_transform[wall].p) - places[3]) < 1e-5);
    CHECK(drawn.shape_transform[plane].p == model.shape_transform[plane].p);
    CHECK(viewer::places_of_worlds(test::finalized(one), {}).empty());
}

TEST_CASE("a frame has the length that its head says, whatever is asked for")
{
    const auto                                model     = test::walker();
    const auto                                recording = test::sway(model, 0.1);
    const auto                                control   = model::make_control(model);
    const std::vector<collision::ContactFace> patch(3, {{Vec3d{0, 0, 0}, {1, 0, 0}, {0, 1, NAN}}, -0.1, 0, 1});
    for (const std::int32_t first : {-5, 0, 3, 1000})
        for (const std::int32_t count : {-1, 0, 2, 1000}) {
            const std::string bytes =
                viewer::live_frame(model, recording.frames.back(), control, {}, true, first, count, patch);
            std::uint32_t head[15];
            std::memcpy(head, bytes.data(), sizeof head);
            CHECK(head[7] == model.body_count());
            CHECK(head[13] == 3);
            CHECK(head[14] == model.body_count());
            CHECK(bytes.size() == 60 + 12 * head[12] + 20 * head[14] + 30 * head[8] + 40 * head[13] + 12 * head[11]);
        }
}

TEST_CASE("a body that is fixed to another is sent only where it stands elsewhere")
{
    model::ModelBuilder       builder;
    std::vector<std::int32_t> bodies;
    for (int i = 0; i < 4; ++i) {
        bodies.push_back(builder.add_body({.p = {0, 0, 1}}, "/b" + std::to_string(i)));
        builder.add_shape_sphere(bodies.back(), {}, 0.1, {}, "");
    }
    // 3 holds 1, which holds 0: parents stand behind their children.
    builder.add_joint_free(bodies[3]);
    builder.add_joint_fixed(bodies[3], bodies[1], {.p = {1, 0, 0}}, {});
    builder.add_joint_fixed(bodies[1], bodies[0], {.p = {0, 1, 0}}, {.p = {0, 0, 1}});
    builder.add_joint_free(bodies[2]);
    const auto model = test::finalized(builder);
    const auto fixed = viewer::fixed_bodies(model);
    REQUIRE(fixed.size() == 2);
    CHECK(fixed[0].body == bodies[1]);
    CHECK(fixed[1].body == bodies[0]);
    CHECK(length(fixed[1].X_PB.p - Vec3d{0, 1, -1}) < 1e-9);

    record::Frame frame;
    frame.body_q                 = model.body_q;
    frame.body_q[std::size_t{1}] = {.p = frame.body_q[3].p + Vec3{1, 0, 0}, .q = frame.body_q[3].q};
    frame.body_q[std::size_t{0}] = {.p = frame.body_q[1].p + Vec3{0, 1, -1}, .q = frame.body_q[3].q};
    const auto sent              = [&] {
        const std::string bytes =
            viewer::live_frame(model, frame, model::make_control(model), {}, false, 0, 0, {}, fixed);
        std::uint32_t head[15];
        std::memcpy(head, bytes.data(), sizeof head);
        CHECK(bytes.size() == 60 + 20 * head[14] + (head[14] < 4 ? 1 : 0));
        return head[14];
    };
    CHECK(sent() == 2);
    frame.body_q[0].p.x += Real(0.001);
    CHECK(sent() == 3);
}

TEST_CASE("bodies that are fixed in a circle are sent")
{
    model::ModelBuilder builder;
    const auto          a = builder.add_body({}, "/a"), b = builder.add_body({}, "/b");
    builder.add_shape_sphere(a, {}, 0.1, {}, ""), builder.add_shape_sphere(b, {}, 0.1, {}, "");
    builder.add_joint_free(a);
    builder.add_joint_fixed(a, b, {}, {});
    auto model = test::finalized(builder);
    // What no builder makes, a model that was written to may hold.
    model.joint_type[0]   = model::JointType::fixed;
    model.joint_parent[0] = b;
    CHECK(viewer::fixed_bodies(model).size() == 1);
}

TEST_CASE("scripts and styles of a page carry the nonce of its policy, and nothing else is called so")
{
    const auto        model = test::walker();
    const std::string page =
        viewer::to_html(model, test::still(model), {.nonce = "0123abcd", .live = R"({"dt":0.01})"});
    const std::string head = page.substr(0, page.find("<body"));
    const std::regex  element("<(script|style)[ >]");
    const auto count = std::distance(std::sregex_iterator(head.begin(), head.end(), element), std::sregex_iterator());
    CHECK(count == 3);
    std::size_t marked = 0;
    for (std::size_t at = head.find("nonce=\"0123abcd\""); at != std::string::npos;
         at             = head.find("nonce=\"0123abcd\"", at + 1))
        ++marked;
    CHECK(marked == 3);
}

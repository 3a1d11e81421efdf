#include "mechane/solvers/sensor_contact.h"

#include "world.h"

using namespace mechane;
using namespace mechane::test;

namespace {

/// Boxes of 1 kg on top of each other on the ground, after a second.
struct Stack {
    World                        world;
    collision::CollisionPipeline pipeline;
    model::Contacts              contacts;

    explicit Stack(const model::ModelBuilder& b) : world(b), pipeline(world.model), contacts(pipeline.make_contacts())
    {
        for (int i = 0; i < 240; ++i) {
            pipeline.collide(world.state, 1.0 / 240, contacts);
            world.step(1.0 / 240, &contacts);
        }
    }
};

model::ModelBuilder boxes(int count)
{
    model::ModelBuilder b;
    b.rigid_gap             = 0.01;
    b.default_shape.density = 125;  // 0.2 m cubes of 1 kg
    b.add_ground_plane();
    for (int i = 0; i < count; ++i)
        b.add_shape_box(b.add_body({{0, 0, 0.1 + 0.2 * i}, {}}, "/box_" + std::to_string(i)), {}, {0.1, 0.1, 0.1},
                        b.default_shape, "/box_" + std::to_string(i) + "/shape");
    b.add_shape_sphere(b.add_body({{2, 0, 0.1}, {}}, "/ball"), {}, 0.1, b.default_shape, "/ball/shape");
    return b;
}

}  // namespace

TEST_CASE("a contact sensor reads the weight that rests on each body, and from whom (GAP-048)")
{
    Stack stack(boxes(2));
    auto sensor = solvers::SensorContact::make(stack.world.model,
                                               {.bodies             = {"/box_*"},
                                                .shapes             = {},
                                                .counterpart_bodies = {},
                                                .counterpart_shapes = {"ground_plane", "/box_?/shape", "/ball/shape"}});
    REQUIRE(sensor.has_value());
    sensor->update(stack.contacts);
    REQUIRE(sensor->sensing() == std::vector<std::string>{"/box_0", "/box_1"});
    REQUIRE(sensor->counterparts() ==
            std::vector<std::string>{"ground_plane", "/box_0/shape", "/box_1/shape", "/ball/shape"});
    const auto force = [&](std::size_t row, std::size_t column) { return sensor->force_matrix()[4 * row + column]; };
    // The ground carries both boxes, the lower one the upper: 2 x 9.81 and 9.81 N, within half a per cent.
    CHECK(double(force(0, 0).z) == close_to(19.62, 0.005));
    CHECK(double(force(1, 1).z) == close_to(9.81, 0.005));
    CHECK(double(force(0, 2).z) == close_to(-9.81, 0.005));
    CHECK(length(force(0, 3)) == 0);
    CHECK(length(force(1, 0)) == 0);
    for (const Vec3& net : sensor->net_force()) CHECK(double(net.z) == close_to(9.81, 0.005));

    // With the roles swapped the force has the other sign.
    auto swapped = solvers::SensorContact::make(
        stack.world.model,
        {.bodies = {}, .shapes = {"ground_plane"}, .counterpart_bodies = {"/box_0"}, .counterpart_shapes = {}});
    REQUIRE(swapped.has_value());
    swapped->update(stack.contacts);
    CHECK(length(swapped->force_matrix()[0] + force(0, 0)) == 0);
}

TEST_CASE("a contact sensor of one box at rest reads its weight from the ground and nothing else (GAP-048)")
{
    Stack stack(boxes(1));
    auto  sensor = solvers::SensorContact::make(
        stack.world.model,
        {.bodies = {"/box_0"}, .shapes = {}, .counterpart_bodies = {}, .counterpart_shapes = {"ground*", "/ball*"}});
    REQUIRE(sensor.has_value());
    sensor->update(stack.contacts);
    CHECK(double(sensor->force_matrix()[0].z) == close_to(9.81, 0.005));
    CHECK(length(sensor->force_matrix()[1]) == 0);
}

TEST_CASE("a contact sensor that nothing matches is refused by its pattern")
{
    const World world(boxes(1));
    struct {
        solvers::SensorContactOptions options;
        const char*                   said;
    } const table[] = {
        {{}, "no pattern says what senses"},
        {{.bodies = {"/box_0", "/bocks"}, .shapes = {}, .counterpart_bodies = {}, .counterpart_shapes = {}},
         "no body is called '/bocks'"},
        {{.bodies = {"*"}, .shapes = {"*"}, .counterpart_bodies = {}, .counterpart_shapes = {}},
         "patterns of bodies and of shapes are given"}};
    for (const auto& row : table) {
        const auto sensor = solvers::SensorContact::make(world.model, row.options);
        REQUIRE(!sensor.has_value());
        CHECK(sensor.error().message == row.said);
    }
}

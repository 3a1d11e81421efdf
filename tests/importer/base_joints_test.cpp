#include <nlohmann/json.hpp>

#include "import_support.h"
#include "mechane/importer/dump.h"
#include "robot_text.h"

namespace mechane::importer::test {
using mechane::test::close_to;
using mechane::test::distance;

namespace {

/// Five bodies whose joints are authored against the order of their paths.
std::string five_links()
{
    std::string inside;
    for (int i = 0; i < 5; ++i) inside += body(fmt::format("b{}", i), i);
    for (const char* pair : {"34", "02", "13", "01"})
        inside += joint("PhysicsRevoluteJoint", std::string("j") + pair, "/robot", std::string("b") + pair[0],
                        std::string("b") + pair[1]);
    return stage_text(robot(inside));
}

}  // namespace

TEST_CASE("without an ordering joints stay in path order, and loops are not looked for (IMP-011)")
{
    ImportOptions options  = newton_options();
    options.joint_ordering = JointOrdering::none;
    const Imported in      = import_text(five_links(), options);
    REQUIRE(in.result);
    CHECK(in.joint_labels() ==
          std::vector<std::string>{"joint_1", "/robot/j01", "/robot/j02", "/robot/j13", "/robot/j34"});

    std::string loop;
    for (int i = 0; i < 3; ++i) loop += body(fmt::format("b{}", i), i);
    loop += joint("PhysicsRevoluteJoint", "j01", "/robot", "b0", "b1") +
            joint("PhysicsRevoluteJoint", "j12", "/robot", "b1", "b2") +
            joint("PhysicsRevoluteJoint", "j20", "/robot", "b2", "b0");
    CHECK(import_text(stage_text(robot(loop)), options).error != "IMPORT_ART_CYCLE");
}

TEST_CASE("bodies keep their path order when they need not follow the joints (IMP-012)")
{
    ImportOptions options                = newton_options();
    options.bodies_follow_joint_ordering = false;
    const Imported in                    = import_text(five_links(), options);
    REQUIRE(in.result);
    CHECK(in.body_labels() ==
          std::vector<std::string>{"/robot/b0", "/robot/b1", "/robot/b2", "/robot/b3", "/robot/b4"});
    CHECK(in.joint_labels() ==
          std::vector<std::string>{"joint_1", "/robot/j01", "/robot/j13", "/robot/j34", "/robot/j02"});
}

TEST_CASE("any joint can be the base joint (IMP-023)")
{
    ImportOptions       options;
    model::BuilderJoint base;
    base.type = model::JointType::d6;
    base.linear_axes.resize(2);
    base.linear_axes[1].axis = {0, 1, 0};
    options.base_joint       = base;
    const Imported in        = import_text(five_links(), options);
    REQUIRE(in.result);
    const model::BuilderJoint& first = in.builder.joints.front();
    CHECK(first.type == model::JointType::d6);
    CHECK(first.parent == model::kWorldBody);
    CHECK(first.child == static_cast<std::int32_t>(in.body("/robot/b0")));
    CHECK(first.linear_axes.size() == 2);
    CHECK(in.builder.articulations.at(0).joints.front() == 0);
}

TEST_CASE("below a root without joints every body is an articulation of its own (IMP-030)")
{
    for (const ImportOptions& options : {ImportOptions{}, newton_options()}) {
        const Imported in = import_text(stage_text(robot(body("a") + body("b", 1))), options);
        REQUIRE(in.result);
        REQUIRE(in.builder.articulations.size() == 2);
        for (const auto& tree : in.builder.articulations) CHECK(tree.joints.size() == 1);
        for (const auto& j : in.builder.joints) CHECK(j.type == model::JointType::free);
    }
}

TEST_CASE("a body that no joint reaches is an articulation labelled with the root above it (IMP-031)")
{
    const Imported in = import_text(stage_text(robot(body("a") + body("b", 1) + body("loose", 5) +
                                                     joint("PhysicsRevoluteJoint", "hinge", "/robot", "a", "b"))),
                                    newton_options());
    REQUIRE(in.result);
    REQUIRE(in.builder.articulations.size() == 2);
    CHECK(in.builder.articulations[1].label == "/robot");
    CHECK(in.builder.joints[static_cast<std::size_t>(in.builder.articulations[1].joints.at(0))].child ==
          static_cast<std::int32_t>(in.body("/robot/loose")));
}

TEST_CASE("under Newton's rules a body that is only tied to the world makes no articulation")
{
    // OpenUSD's parser lists the neighbours of bodies; the world is an empty path among them.
    const std::string text   = stage_text(robot(body("a") + joint("PhysicsFixedJoint", "anchor", "/robot", "", "a")));
    const Imported    newton = import_text(text, newton_options());
    REQUIRE(newton.result);
    CHECK(newton.builder.articulations.empty());
    CHECK(newton.joint_at("/robot/anchor").articulation == -1);
    CHECK(import_text(text).joint_at("/robot/anchor").articulation == 0);
}

TEST_CASE("the result has an entry for everything that Newton's promises (IMP-002)")
{
    const Imported in   = import_text(five_links());
    const auto     text = dump_model(*in.stage, {});
    REQUIRE(text);
    const auto result = nlohmann::json::parse(*text).at("result");
    for (const char* key :
         {"fps", "duration", "up_axis", "path_body_map", "path_joint_map", "path_shape_map", "path_shape_scale",
          "mass_unit", "linear_unit", "scene_attributes", "physics_scene_path", "physics_dt", "max_solver_iterations",
          "collapse_results", "schema_attrs", "path_body_relative_transform", "particle_scene_path",
          "path_particle_map", "actuator_count"}) {
        CAPTURE(key);
        CHECK(result.contains(key));
    }
    for (const char* key : {"path_cable_map", "path_cloth_map", "path_soft_map", "path_attachment_map"})
        CHECK_FALSE(result.contains(key));
}

}  // namespace mechane::importer::test

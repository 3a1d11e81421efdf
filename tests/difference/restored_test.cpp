#include "mechane/difference/restored.h"

#include <algorithm>

#include "mechane/difference/compare.h"
#include "mechane/exporter/robot_of_stage.h"
#include "mechane/sourceformats/convert.h"
#include "mechane/usd/stage.h"
#include "support/support.h"

using namespace mechane;
namespace sf = mechane::sourceformats;

namespace {

/// A robot of a source, what OpenUSD made of it, and what the first half of the conversion lost.
struct Halves {
    sf::RobotTree  from, to;
    sf::LossReport losses;

    [[nodiscard]] bool tells(const std::string& code) const
    {
        return std::any_of(losses.entries.begin(), losses.entries.end(),
                           [&](const sf::Loss& loss) { return loss.code == code; });
    }
    [[nodiscard]] Halves corrected(exporter::Format format) const
    {
        Halves out = *this;
        difference::correct_restored(out.losses, from, to, format);
        return out;
    }
};

Halves halves(const std::string& source)
{
    auto read = sf::read_robot_text(source, ".");
    REQUIRE(read);
    auto made = sf::to_usd(read->tree, sf::Layout::single, read->losses);
    REQUIRE(made);
    const auto stage = usd::Stage::open_text(made->layers[0].layer.to_text());
    REQUIRE(stage);
    auto robot = exporter::robot_of_stage(**stage);
    REQUIRE(robot);
    return {std::move(read->tree), std::move(robot->tree), std::move(read->losses)};
}

constexpr const char* kModel =
    "<mujoco model='m'><worldbody><body name='b.0'><joint name='root' type='free' damping='2'/><geom size='.1'/>"
    "<body name='c' gravcomp='1'><joint name='j 1' axis='1 0 0' damping='1' range='-1 1'/><joint name='j2' "
    "type='slide' "
    "axis='0 1 .1' damping='3'/><joint name='j3' axis='.1 0 1' pos='0 0 .1'/><geom "
    "size='.1'/></body></body></worldbody>"
    "<actuator><cylinder name='a' joint='j2' timeconst='1'/></actuator><sensor><clock name='t'/></sensor></mujoco>";

}  // namespace

TEST_CASE("what the way out of OpenUSD brings back is no loss of MJCF")  // GAP-098, EXP-037
{
    const Halves model = halves(kModel), mjcf = model.corrected(exporter::Format::mjcf);
    for (const char* code : {"joint-order", "shared-values", "axes-not-orthogonal", "joint-pivots", "joints-merged",
                             "name", "free-joint-values", "gravcomp", "actuator", "sensor"}) {
        CAPTURE(code);
        CHECK(model.tells(code));
        CHECK(!mjcf.tells(code));
    }
    CHECK(mjcf.losses.names.empty());
    CHECK(mjcf.tells("mass-from-shapes"));  // a value that is told where the source computes it
}

TEST_CASE("a loss stays where the result lacks the value, and other formats lose what stands in MuJoCo's layer")
{
    Halves model = halves(kModel);
    for (sf::Joint& joint : model.to.joints)
        for (sf::Dof& dof : joint.dofs) dof.damping = 1;
    for (sf::Link& link : model.to.links) link.extras.clear();
    const Halves mjcf = model.corrected(exporter::Format::mjcf);
    CHECK(mjcf.tells("shared-values"));
    CHECK(mjcf.tells("free-joint-values"));
    const Halves urdf  = model.corrected(exporter::Format::urdf);
    const auto   found = std::find_if(urdf.losses.entries.begin(), urdf.losses.entries.end(),
                                      [](const sf::Loss& loss) { return loss.code == "actuator"; });
    REQUIRE(found != urdf.losses.entries.end());
    CHECK(found->action == sf::LossAction::dropped);
    CHECK(found->target_value.empty());
}

TEST_CASE("a link without mass is that which a simulation gives it")  // GAP-098
{
    const auto robot = [](const std::string& inertial) {
        auto read = sf::read_robot_text("<robot name='r'><link name='a'>" + std::string(R"(<inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>)") +
                                            "</link><link name='b'>" + inertial +
                                            "</link><joint name='j' type='continuous'><parent link='a'/><child "
                                            "link='b'/></joint></robot>",
                                        ".");
        REQUIRE(read);
        return std::move(read->tree);
    };
    const auto with = [&](const char* mass, const char* moment) {
        return robot(std::string("<inertial><mass value='") + mass + "'/><inertia ixx='" + moment + "' iyy='" + moment +
                     "' izz='" + moment + "' ixy='0' ixz='0' iyz='0'/></inertial>");
    };
    CHECK(difference::compare(robot(""), with("0.001", "1e-6")).equal());
    CHECK(difference::compare(with("0.001", "1e-6"), robot("")).equal());
    CHECK(!difference::compare(robot(""), with("0.001", "2e-6")).equal());
    CHECK(!difference::compare(robot(""), with("0.002", "1e-6")).equal());
}

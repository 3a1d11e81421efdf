#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "mechane/usd/stage.h"
#include "support/support.h"

using namespace mechane;

namespace {

/// An environment variable for the time of a test.
class Variable {
  public:
    Variable(const char* name, const std::string& value) : name_(name)
    {
        if (const char* before = std::getenv(name)) before_ = before;
        setenv(name, value.c_str(), 1);
    }
    ~Variable() { before_.empty() ? unsetenv(name_) : setenv(name_, before_.c_str(), 1); }
    Variable(const Variable&)            = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    const char* name_;
    std::string before_;
};

constexpr const char* kArm =
    "#usda 1.0\n(\n    defaultPrim = \"arm\"\n)\ndef Xform \"arm\" (\n    references = "
    "@./hand.usda@\n)\n{\n}\n";
constexpr const char* kHand =
    "#usda 1.0\n(\n    defaultPrim = \"hand\"\n)\ndef Xform \"hand\" {\n    def Xform \"finger\" {\n    }\n}\n";

bool has_finger(const std::string& address)
{
    const auto stage = usd::Stage::open_text("#usda 1.0\ndef \"a\" (\n    references = @" + address + "@\n)\n{\n}\n");
    REQUIRE(stage);
    return static_cast<bool>((*stage)->prim_at(usd::Path("/a/finger")));
}

}  // namespace

TEST_CASE("packages are found as ROS finds them, and what they name stays inside (REP-T-059, REP-T-060)")
{
    const test::TemporaryFolder folder;
    folder.write("install/share/ament_index/resource_index/packages/installed_arm", "");
    folder.write("install/share/installed_arm/usd/arm.usda", kArm);
    folder.write("install/share/installed_arm/usd/hand.usda", kHand);
    folder.write("install/share/no_package/usd/arm.usda", kHand);  // not in the index
    folder.write("src/robots/source_arm/package.xml", "<package/>");
    folder.write("src/robots/source_arm/usd/arm.usda", kArm);
    folder.write("src/robots/source_arm/usd/hand.usda", kHand);
    folder.write("src/old/AMENT_IGNORE", "");
    folder.write("src/old/retired_arm/package.xml", "<package/>");
    folder.write("src/old/retired_arm/arm.usda", kHand);
    const std::string root = folder.path().string();
    const Variable    installed("AMENT_PREFIX_PATH", root + "/nothing:" + root + "/install");
    const Variable    sources("ROS_PACKAGE_PATH", root + "/src");

    CHECK(has_finger("package://installed_arm/usd/arm.usda"));
    CHECK(has_finger("package://source_arm/usd/arm.usda"));
    CHECK(has_finger("package://installed_arm/usd/../usd/arm.usda"));
    CHECK_FALSE(has_finger("package://no_package/usd/arm.usda"));
    CHECK_FALSE(has_finger("package://retired_arm/arm.usda"));
    // A file that is there, but above the package.
    CHECK_FALSE(has_finger("package://installed_arm/../no_package/usd/arm.usda"));
    CHECK_FALSE(has_finger("package://../share/no_package/usd/arm.usda"));

    SUBCASE("a folder that the caller gives comes first")
    {
        folder.write("mine/usd/arm.usda", "#usda 1.0\n(\n    defaultPrim = \"arm\"\n)\ndef Xform \"arm\" {\n}\n");
        usd::OpenOptions options;
        options.packages["given_arm"] = root + "/mine";
        folder.write("install/share/ament_index/resource_index/packages/given_arm", "");
        folder.write("install/share/given_arm/usd/arm.usda", kHand);
        const auto stage = usd::Stage::open_text(
            "#usda 1.0\ndef \"a\" (\n    references = @package://given_arm/usd/arm.usda@\n)\n{\n}\n", {}, options);
        REQUIRE(stage);
        CHECK_FALSE((*stage)->prim_at(usd::Path("/a/finger")));
        CHECK((*stage)->prim_at(usd::Path("/a")).type_name().text() == "Xform");
    }
}

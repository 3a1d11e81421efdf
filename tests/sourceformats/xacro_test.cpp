#include "support/support.h"

#include <numbers>

#include "mechane/sourceformats/codes.h"
#include "mechane/sourceformats/convert.h"
#include "sourceformats/expression.h"

using namespace mechane;
using namespace mechane::sourceformats;
using mechane::test::close_to;

TEST_CASE("expressions give what Python gives")
{
    // Right sides are Python 3.11's str() of the expression.
    struct { const char* expression; const char* python; } table[] = {
        {"1 + 2 * 3", "7"}, {"7 / 2", "3.5"}, {"7 // 2", "3"}, {"-7 // 2", "-4"}, {"-7 % 3", "2"}, {"2 ** 10", "1024"}, {"2 ** -1", "0.5"}, {"-2 ** 2", "-4"},
        {"0.1 + 0.2", "0.30000000000000004"}, {"1.0", "1.0"}, {"1e16", "1e+16"}, {"1e-5", "1e-05"}, {"10 ** 20 / 10 ** 20", "1.0"},
        {"'a' + 'b'", "ab"}, {"'ab' * 2", "abab"}, {"[1, 2][1]", "2"}, {"[1, 2, 3][-1]", "3"}, {"{'a': 5}['a']", "5"}, {"len([1, 2])", "2"},
        {"1 if 2 > 1 else 0", "1"}, {"1/0 if False else 4", "4"}, {"5 if True else 1/0", "5"}, {"1 < 2 < 3", "True"}, {"3 > 2 > 2", "False"},
        {"not 0 and 1", "1"}, {"0 or 'x'", "x"}, {"'b' in 'abc'", "True"}, {"4 not in [1, 2]", "True"}, {"max(1, 2.5)", "2.5"}, {"min([3, 2])", "2"},
        {"round(2.5)", "2"}, {"abs(-3)", "3"}, {"int('7') + 1", "8"}, {"float(2)", "2.0"}, {"str(1) + '2'", "12"}, {"'a b'.split()[1]", "b"}, {"math.pi", "3.141592653589793"},
        {"sum([1, 2, 3])", "6"}, {"True + 1", "2"}, {"(1, 2)[0]", "1"}, {"1 if False else 2 if False else 3", "3"}, {"9 ** 0.5", "3.0"},
    };
    const NameLookup none = [](const std::string&, std::string&) -> const Value* { return nullptr; };
    for (const auto& row : table) {
        CAPTURE(row.expression);
        const Evaluated e = evaluate(row.expression, none);
        CHECK(e.why == "");
        CHECK(e.value.str() == row.python);
    }
    CHECK(evaluate("sin(pi / 6)", none).value.number() == close_to(0.5, 1e-15));
    for (const char* wrong : {"1 +", "(1", "1 / 0", "x", "'a' - 1", "__import__('os')", "open('/etc/passwd')", "[i for i in [1]]", "lambda: 1", "1 1", "[1][5]", "sqrt(-1)", "@", "'open", "{1", "a.b"}) {
        CAPTURE(wrong);
        CHECK(evaluate(wrong, none).why != "");
    }
}

TEST_CASE("expressions that are nested or long without end come to an end")
{
    const NameLookup none = [](const std::string&, std::string&) -> const Value* { return nullptr; };
    CHECK(evaluate(std::string(100000, '('), none).why != "");
    CHECK(evaluate(std::string(100000, '-') + "1", none).why != "");
    std::string chain = "1";
    for (int i = 0; i < 60; ++i) chain = "(" + chain + ")";
    CHECK(evaluate(chain, none).value.str() == "1");
    CHECK(evaluate("'aaaaaaaaaaaaaaaa' * 1000000000", none).why != "");
    CHECK(evaluate("9 ** 9 ** 9", none).why.size() < 1000);
}

TEST_CASE("properties, macros with defaults and blocks, conditions and arguments expand")
{
    const auto read = read_robot_text(R"X(<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="count" default="2"/>
  <xacro:property name="m" value="${2 * k}"/>
  <xacro:property name="k" value="3"/>
  <xacro:macro name="part" params="name mass:=${m} *where **more">
    <link name="${name}_$(arg count)"><inertial><xacro:insert_block name="where"/><mass value="${mass}"/><xacro:insert_block name="more"/></inertial></link>
  </xacro:macro>
  <xacro:part name="a"><origin xyz="1 2 3"/><x><inertia ixx="1" iyy="1" izz="1"/></x></xacro:part>
  <xacro:part name="b" mass="1.5"><origin/><x><inertia ixx="1" iyy="1" izz="1"/></x></xacro:part>
  <xacro:if value="${k == 3}"><link name="yes"/></xacro:if>
  <xacro:unless value="true"><link name="no"/></xacro:unless>
  <link name="$${k}"/>
</robot>)X", ".");
    REQUIRE(read);
    CHECK(read->found.find(kXacro.id) == nullptr);
    const auto& links = read->tree.links;
    REQUIRE(links.size() == 4);
    CHECK(links[0].name == "a_2");
    CHECK(links[0].inertial->mass == 6);
    CHECK(links[0].inertial->com == Vec3d{1, 2, 3});
    CHECK(links[1].inertial->mass == 1.5);
    CHECK(links[2].name == "yes");
    CHECK(links[3].name == "${k}");
    CHECK(links[0].place.line == 6);  // a finding names the line of the macro
}

TEST_CASE("what xacro cannot do here is refused by name, and the rest is expanded")
{
    const auto read = read_robot_text(R"X(<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="y" value="${xacro.load_yaml('a.yaml')}"/>
  <link name="${y}"/>
  <xacro:nothing a="1"/>
  <xacro:property name="loop" value="${loop2}"/><xacro:property name="loop2" value="${loop}"/>
  <link name="l${loop}"/>
  <xacro:macro name="again" params=""><xacro:again/></xacro:macro>
  <link name="ok"/>
  <xacro:include filename="missing.xacro"/>
  <xacro:again/>
</robot>)X", ".");
    REQUIRE(read);
    CHECK(read->found.count(kXacro.id) >= 3);
    CHECK(read->found.count(kInclude.id) == 1);
    CHECK(read->found.count(kLimit.id) == 1);
    bool named = false, has = false;
    for (const Diagnostic& d : read->found) named = named || d.message.find("'nothing'") != std::string::npos || d.message.find("<xacro:nothing>") != std::string::npos;
    for (const Link& l : read->tree.links) has = has || l.name == "ok";
    CHECK(named);
    CHECK(has);
}

TEST_CASE("a file that includes itself is named once and read once")
{
    const test::TemporaryFolder folder;
    const std::string file = folder.write("a.xacro", R"X(<robot name="r" xmlns:xacro="x"><link name="a"/><xacro:include filename="a.xacro"/></robot>)X");
    const auto read = read_robot(file);
    REQUIRE(read);
    CHECK(read->found.count(kInclude.id) == 1);
    CHECK(read->tree.links.size() == 1);
}

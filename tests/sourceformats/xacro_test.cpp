#include "support/support.h"

#include <fmt/format.h>

#include <numbers>

#include "mechane/sourceformats/codes.h"
#include "mechane/sourceformats/convert.h"
#include "sourceformats/expression.h"
#include "sourceformats/yaml.h"

using namespace mechane;
using namespace mechane::sourceformats;
using mechane::test::close_to;

TEST_CASE("expressions give what Python gives")
{
    // Right sides are Python 3.11's str() of the expression.
    struct {
        const char* expression;
        const char* python;
    } table[] = {
        {"1 + 2 * 3", "7"},
        {"7 / 2", "3.5"},
        {"7 // 2", "3"},
        {"-7 // 2", "-4"},
        {"-7 % 3", "2"},
        {"1.0 // 0.1", "9.0"},
        {"-1.0 // 0.1", "-10.0"},
        {"7 // 0.05", "139.0"},
        {"-7.5 // 2", "-4.0"},
        {"-0.0 % 3", "0.0"},
        {"-6.0 % 3", "0.0"},
        {"1 % 0.1", "0.09999999999999995"},
        {"-1e-3 % 3", "2.999"},
        {"0.0 // -2", "-0.0"},
        {"6 // -4.0", "-2.0"},
        {"round(0.15, 1)", "0.1"},
        {"round(2.675, 2)", "2.67"},
        {"round(1.005, 2)", "1.0"},
        {"round(0.285, 2)", "0.28"},
        {"round(7, 1)", "7"},
        {"round(1250, -2)", "1200"},
        {"round(1350, -2)", "1400"},
        {"round(-1250.0, -2)", "-1200.0"},
        {"round(1234.5, -2)", "1200.0"},
        {"round(2.5)", "2"},
        {"round(-3.5)", "-4"},
        {"round(1e300, -300)", "1e+300"},
        {"round(12345.678, 20)", "12345.678"},
        {"round(1.45, 1)", "1.4"},
        {"round(5e-324, 3)", "0.0"},
        {"round(0.5, 0)", "0.0"},
        {"2 ** 10", "1024"},
        {"2 ** -1", "0.5"},
        {"-2 ** 2", "-4"},
        {"0.1 + 0.2", "0.30000000000000004"},
        {"1.0", "1.0"},
        {"1e16", "1e+16"},
        {"1e-5", "1e-05"},
        {"10 ** 20 / 10 ** 20", "1.0"},
        {"'a' + 'b'", "ab"},
        {"'ab' * 2", "abab"},
        {"[1, 2][1]", "2"},
        {"[1, 2, 3][-1]", "3"},
        {"{'a': 5}['a']", "5"},
        {"len([1, 2])", "2"},
        {"1 if 2 > 1 else 0", "1"},
        {"1/0 if False else 4", "4"},
        {"5 if True else 1/0", "5"},
        {"1 < 2 < 3", "True"},
        {"3 > 2 > 2", "False"},
        {"not 0 and 1", "1"},
        {"0 or 'x'", "x"},
        {"'b' in 'abc'", "True"},
        {"4 not in [1, 2]", "True"},
        {"max(1, 2.5)", "2.5"},
        {"min([3, 2])", "2"},
        {"round(2.5)", "2"},
        {"abs(-3)", "3"},
        {"int('7') + 1", "8"},
        {"float(2)", "2.0"},
        {"str(1) + '2'", "12"},
        {"'a b'.split()[1]", "b"},
        {"math.pi", "3.141592653589793"},
        {"sum([1, 2, 3])", "6"},
        {"True + 1", "2"},
        {"(1, 2)[0]", "1"},
        {"1 if False else 2 if False else 3", "3"},
        {"9 ** 0.5", "3.0"},
        {"[x * 2 for x in [1, 2, 3]]", "[2, 4, 6]"},
        {"[a for a in range(5) if a % 2]", "[1, 3]"},
        {"[k + str(v) for k, v in {'a': 1, 'b': 2}.items()]", "['a1', 'b2']"},
        {"', '.join([str(i) for i in [1, 2]])", "1, 2"},
        {"dict(a=1, b='c')['b']", "c"},
        {"'%03d|%.2f|%s' % (7, 1.5, 'x')", "007|1.50|x"},
        {"'%d%%' % 5", "5%"},
        {"[c for c in 'ab']", "['a', 'b']"},
        {"[1, 2, 3, 4][1:]", "[2, 3, 4]"},
        {"[1, 2, 3, 4][:-1]", "[1, 2, 3]"},
        {"[1, 2, 3, 4][::2]", "[1, 3]"},
        {"[1, 2, 3, 4][::-1]", "[4, 3, 2, 1]"},
        {"[1, 2, 3][5:]", "[]"},
        {"[1, 2, 3][-9:2]", "[1, 2]"},
        {"'abcdef'[1:4]", "bcd"},
        {"'abcdef'[-2:]", "ef"},
        {"'abcdef'[4:1:-2]", "ec"},
        {"[1, 2, 3][:]", "[1, 2, 3]"},
        {"[1, 2, 3][2:1]", "[]"},
        {"'name_joint'[:-len('_joint')]", "name"},
        {"[1, 2, 3][None:2]", "[1, 2]"},
        {"[[1, 2], [3, 4]][1][:1]", "[3]"},
        {"[1, 2, 3][-9:-9:-1]", "[]"},
        {"[1, 2, 3][9:-9:-1]", "[3, 2, 1]"},
    };
    const NameLookup none = [](const std::string&, std::string&) -> const Value* { return nullptr; };
    for (const auto& row : table) {
        CAPTURE(row.expression);
        const Evaluated e = evaluate(row.expression, none);
        CHECK(e.why == "");
        CHECK(e.value.str() == row.python);
    }
    CHECK(evaluate("sin(pi / 6)", none).value.number() == close_to(0.5, 1e-15));
    for (const char* wrong : {"1 +",
                              "(1",
                              "1 / 0",
                              "x",
                              "'a' - 1",
                              "__import__('os')",
                              "open('/etc/passwd')",
                              "[i for i in 1]",
                              "[i for i]",
                              "[i for a, b in [1]]",
                              "'%d' % 'a'",
                              "'%q' % 1",
                              "dict(1)",
                              "load_yaml('x')",
                              "lambda: 1",
                              "1 1",
                              "[1][5]",
                              "[1][]",
                              "[1][::0]",
                              "[1]['a':]",
                              "1[1:]",
                              "[1][1:2:3:4]",
                              "sqrt(-1)",
                              "@",
                              "'open",
                              "{1",
                              "a.b"}) {
        CAPTURE(wrong);
        CHECK(evaluate(wrong, none).why != "");
    }
}

TEST_CASE("whole numbers have no end, as Python's")
{
    // Right sides are Python 3.11's str() of the expression with the module math, which xacro evaluates with.
    struct {
        const char* expression;
        const char* python;
    } table[] = {
        {"10 ** 20", "100000000000000000000"},
        {"2 ** 64", "18446744073709551616"},
        {"-(2 ** 63)", "-9223372036854775808"},
        {"2 ** 63 - 1", "9223372036854775807"},
        {"-2 ** 63 - 1", "-9223372036854775809"},
        {"10 ** 20 + 1", "100000000000000000001"},
        {"10 ** 20 % 7", "2"},
        {"-10 ** 20 // 7", "-14285714285714285715"},
        {"-10 ** 20 % 7", "5"},
        {"10 ** 40 // 10 ** 38", "100"},
        {"10 ** 40 / 10 ** 38", "100.0"},
        {"(10 ** 20 + 1) / 3", "3.333333333333333e+19"},
        {"12345678901234567890 * 98765432109876543210", "1219326311370217952237463801111263526900"},
        {"2 ** 100 - 2 ** 99", "633825300114114700748351602688"},
        {"10 ** 20 == 1e20", "True"},
        {"2 ** 53 + 1 == 2.0 ** 53", "False"},
        {"2 ** 53 + 1 > 2.0 ** 53", "True"},
        {"9007199254740993", "9007199254740993"},
        {"9007199254740993 / 1", "9007199254740992.0"},
        {"0xFFFFFFFFFFFFFFFFFF", "4722366482869645213695"},
        {"abs(-10 ** 19)", "10000000000000000000"},
        {"int(1e20)", "100000000000000000000"},
        {"int('12345678901234567890')", "12345678901234567890"},
        {"float(10 ** 20)", "1e+20"},
        {"round(10 ** 20 + 55, -2)", "100000000000000000100"},
        {"round(15, -1)", "20"},
        {"round(25, -1)", "20"},
        {"round(-15, -1)", "-20"},
        {"floor(1e20)", "100000000000000000000"},
        {"'%d' % 10 ** 2", "100"},
        {"'%d' % (10 ** 20)", "100000000000000000000"},
        {"'%d' % 3.7", "3"},
        {"max(2 ** 64, 1.5)", "18446744073709551616"},
        {"sorted([2 ** 64, 1, 2 ** 65])[0]", "1"},
        {"sum([2 ** 63, 2 ** 63])", "18446744073709551616"},
        {"pow(3, 50)", "7.178979876918526e+23"},
        {"3 ** 50", "717897987691852588770249"},
        {"(-3) ** 41", "-36472996377170786403"},
        {"2 ** -2", "0.25"},
        {"True + 2 ** 64", "18446744073709551617"},
        {"1 if 10 ** 30 else 0", "1"},
        {"str(10 ** 25)", "10000000000000000000000000"},
        {"7 // -2 ** 70", "-1"},
        {"-7 // 2 ** 70", "-1"},
        {"-7 % 2 ** 70", "1180591620717411303417"},
        {"2 ** 1000 / 2 ** 999", "2.0"},
        {"10 ** 400 / 10 ** 399", "10.0"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"9223372036854775808", "9223372036854775808"},
        {"-9223372036854775808 // -1", "9223372036854775808"},
        {"(2 ** 63) * -1", "-9223372036854775808"},
        {"1e20 // 1", "1e+20"},
        {"5 % -10 ** 20", "-99999999999999999995"},
        {"hypot(10 ** 20, 0)", "1e+20"},
        {"sqrt(10 ** 20)", "10000000000.0"},
    };
    const NameLookup none = [](const std::string&, std::string&) -> const Value* { return nullptr; };
    for (const auto& row : table) {
        CAPTURE(row.expression);
        const Evaluated e = evaluate(row.expression, none);
        CHECK(e.why == "");
        CHECK(e.value.str() == row.python);
    }
    // Where Python has no number either, or more digits than it writes, there is a reason instead of a number.
    for (const char* wrong :
         {"10 ** 400 * 1.0", "float(10 ** 400)", "sqrt(10 ** 400)", "2 ** 100000", "2 ** 2 ** 40", "10 ** 20 // 0",
          "10 ** 20 % 0", "int(1e400)", "int(inf)", "[1, 2][10 ** 20]", "'%20d' % 10 ** 20 ** 20"}) {
        CAPTURE(std::string(wrong));
        CHECK(evaluate(wrong, none).why != "");
    }
    CHECK(literal("100000000000000000000").str() == "100000000000000000000");
    CHECK(literal("-100000000000000000000").str() == "-100000000000000000000");
    // Base 8 and 2 as PyYAML reads YAML 1.1.
    const Evaluated yaml = parse_yaml("{a: 010, b: 0b11, c: -0x1F, d: 18446744073709551616, e: 0x1.5, f: 0, g: 1_000}");
    CHECK(yaml.why == "");
    CHECK(yaml.value.str() == "{'a': 8, 'b': 3, 'c': -31, 'd': 18446744073709551616, 'e': '0x1.5', 'f': 0, 'g': 1000}");
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
</robot>)X",
                                      ".");
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
</robot>)X",
                                      ".");
    REQUIRE(read);
    CHECK(read->found.count(kXacro.id) >= 3);
    CHECK(read->found.count(kInclude.id) == 1);
    CHECK(read->found.count(kLimit.id) == 1);
    bool named = false, has = false;
    for (const Diagnostic& d : read->found)
        named = named || d.message.find("'nothing'") != std::string::npos ||
                d.message.find("<xacro:nothing>") != std::string::npos;
    for (const Link& l : read->tree.links) has = has || l.name == "ok";
    CHECK(named);
    CHECK(has);
}

TEST_CASE("a file that includes itself is named once and read once")
{
    const test::TemporaryFolder folder;
    const std::string           file = folder.write(
        "a.xacro", R"X(<robot name="r" xmlns:xacro="x"><link name="a"/><xacro:include filename="a.xacro"/></robot>)X");
    const auto read = read_robot(file);
    REQUIRE(read);
    CHECK(read->found.count(kInclude.id) == 1);
    CHECK(read->tree.links.size() == 1);
}

TEST_CASE("YAML that robots' packages have reads as its definition says")
{
    const auto e = parse_yaml(R"Y(# a comment
%YAML 1.1
---
joints: {hip: {lower: -1.5, upper: 0x10}, 'knee joint': [1, "two", 3.0e0, ~]}
names:
- left
- right  # another
nested:
  - name: a
    size: [1, 2,
           3]
  -
    name: b
    on: yes
base: &base {mass: 2.5, color: "re\"d"}
link:
  <<: *base
  mass: 3
angle: !degrees 90
length: !millimeters 250
sum: !radians pi/2
text: |
  two
  lines
folded: plain
  text
empty:
number: 1_000
word: 1.2.3
)Y");
    REQUIRE(e.why == "");
    const auto in = [&](const char* expression) {
        const Evaluated found = evaluate(expression, [&](const std::string& name, std::string&) -> const Value* {
            return name == "y" ? &e.value : nullptr;
        });
        return found.why.empty() ? found.value.str() : found.why;
    };
    CHECK(in("y.joints.hip.lower") == "-1.5");
    CHECK(in("y['joints']['hip']['upper'] + 1") == "17");
    CHECK(in("y['joints']['knee joint']") == "[1, 'two', 3.0, None]");
    CHECK(in("y.names") == "['left', 'right']");
    CHECK(in("y.nested[0]") == "{'name': 'a', 'size': [1, 2, 3]}");
    CHECK(in("y.nested[1]") == "{'name': 'b', 'True': True}");
    CHECK(in("y.link.mass") == "3");
    CHECK(in("y.link.color") == "re\"d");
    CHECK(in("abs(y.angle - pi / 2) < 1e-12") == "True");
    CHECK(in("y.length") == "0.25");
    CHECK(in("abs(y['sum'] - pi / 2) < 1e-12") == "True");
    CHECK(in("y.text") == "two\nlines\n");
    CHECK(in("y.folded") == "plain text");
    CHECK(in("y.empty") == "None");
    CHECK(in("y.number") == "1000");
    CHECK(in("y.word") == "1.2.3");
    for (const char* wrong : {"a: [1, 2", "a: 1\n   b: 2", "a: !python/object 1", "a: *nowhere", "- 1\nb: 2",
                              "a: {b: 1} c", "\ta: 1", "a: 1\n---\nb: 2"}) {
        CAPTURE(wrong);
        CHECK(parse_yaml(wrong).why.starts_with("line "));
    }
    CHECK(parse_yaml(std::string(100000, '[')).why != "");
    CHECK(parse_yaml("").why == "");
    std::string laughs = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (int i = 1; i < 12; ++i) {
        std::string ten;
        for (int k = 0; k < 10; ++k) ten += fmt::format("{}*a{}", k == 0 ? "" : ", ", i - 1);
        laughs += fmt::format("a{}: &a{} [{}]\n", i, i, ten);
    }
    CHECK(parse_yaml(laughs).why.find("too many values") != std::string::npos);
}

TEST_CASE("a property of xacro may be a file of YAML, found as other files are")
{
    const test::TemporaryFolder folder;
    folder.write("a.yaml", "mass: 2.5\nlinks: [arm, hand]\n");
    const auto file = folder.write("r.urdf.xacro", R"X(<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="y" value="${xacro.load_yaml('a.yaml')}"/>
  <link name="${y.links[1]}"><inertial><mass value="${y['mass'] * 2}"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link></robot>)X");
    const auto read = read_robot(file, {});
    REQUIRE(read);
    CHECK(read->found.empty());
    REQUIRE(read->tree.links.size() == 1);
    CHECK(read->tree.links[0].name == "hand");
    CHECK(read->tree.links[0].inertial->mass == 5);
}

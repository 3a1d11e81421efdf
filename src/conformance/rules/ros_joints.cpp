#include <array>
#include <map>

#include "conformance/family.h"
#include "mechane/ros/interfaces.h"

/// REP-0158 2.10: names of joints in ROS.
namespace mechane::conformance {
namespace {

#define MECHANE_NAMED_JOINT(prim, lines)                                                              \
    "def PhysicsFixedJoint \"" prim                                                                   \
    "\" (\n    prepend apiSchemas = [\"PhysicsArticulationRootAPI\"]\n)\n{\n    rel physics:body1 = " \
    "</robot/a>\n" lines "}\n"

constexpr Rule kType{
    .id      = "REP-2.10-a",
    .slug    = "joint-name-type",
    .summary = "ros:joint:name is a string without blanks on a joint.",
    .why     = "Controllers look joints up by it.",
    .fix     = "None: the name is the author's to say.",
    .bad     = "<<body a>>\n" MECHANE_NAMED_JOINT("base", "    custom string ros:joint:name = \"\"\n"),
    .good    = "<<body a>>\n" MECHANE_NAMED_JOINT("base", "    custom string ros:joint:name = \"base\"\n"),
};
constexpr Rule kUnique{
    .id      = "REP-2.10-b",
    .slug    = "joint-name-unique",
    .summary = "Joints of one robot have different names.",
    .why     = "A command reaches the wrong joint.",
    .fix     = "None: names are the author's to say.",
    .bad     = R"(
<<body a>>
<<body b>>

<<root j1 a b>>

def Scope "arm"
{
    <<body c>>

    <<joint j1 b arm/c>>
}
)",
    .good    = R"(
<<body a>>
<<body b>>

<<root j1 a b>>
)",
};
constexpr Rule kAligned{
    .id       = "REP-2.10-c",
    .slug     = "joint-name-aligned",
    .keyword  = Keyword::should,
    .severity = Severity::info,
    .summary  = "The ROS name of a joint is its prim's name where that is possible.",
    .why      = "Two names for one thing have to be kept in step.",
    .fix      = "None: renaming a prim changes its path.",
    .bad      = "<<body a>>\n" MECHANE_NAMED_JOINT("j_1", "    custom string ros:joint:name = \"elbow\"\n"),
    .good     = "<<body a>>\n" MECHANE_NAMED_JOINT("elbow", "    custom string ros:joint:name = \"elbow\"\n"),
};

#undef MECHANE_NAMED_JOINT

void check(const Facts& facts, Sink& sink)
{
    std::map<std::pair<std::string, std::string>, const PrimFacts*> seen;
    static const usd::Token                                         kName("ros:joint:name");
    for (const PrimFacts& prim : facts.prims) {
        const usd::Attribute attribute = prim.prim.attribute(kName);
        const bool           authored  = !attribute.authored_value().empty();
        if (!prim.is(kJoint) && !authored) continue;
        const auto        text = ros::text(prim.prim, kName);
        const std::string name = text.value_or("");
        if (authored) {
            sink.applies(kType);
            const char* wrong = !prim.is(kJoint)                    ? "stands on a prim that is no joint"
                                : attribute.type_name() != "string" ? "is no string"
                                : name.empty()                      ? "is empty"
                                : name.find_first_of(" \t\n\r") != std::string::npos ? "holds a blank"
                                                                                     : nullptr;
            if (wrong != nullptr) {
                sink.report(kType, {.site     = attribute.site(),
                                    .message  = std::string("ros:joint:name ") + wrong,
                                    .observed = attribute.authored_value().to_text(),
                                    .expected = "a string without blanks on a joint",
                                    .hint     = "correct or remove it"});
                continue;
            }
        }
        if (!prim.is(kJoint)) continue;
        const std::string effective = authored ? name : prim.prim.name().text();
        sink.applies(kUnique);
        const usd::Prim robot  = ros::outermost_context(prim.prim);
        const auto [at, fresh] = seen.try_emplace({robot ? robot.path().text() : "", effective}, &prim);
        // Without a context nobody says what one robot is, and two of them may well have equal names.
        if (!fresh && robot)
            sink.report(kUnique, {.site     = prim.prim.site(),
                                  .message  = "two joints of one robot are called \"" + effective + "\"",
                                  .observed = at->second->prim.path().text(),
                                  .expected = "a name of its own",
                                  .hint     = "write another ros:joint:name"});
        if (!authored) continue;
        sink.applies(kAligned);
        if (name != prim.prim.name().text() && usd::Path("/" + name).name().text() == name)
            sink.report(kAligned, {.site     = attribute.site(),
                                   .message  = "the joint has two names",
                                   .observed = prim.prim.name().text() + ", " + name,
                                   .expected = "one",
                                   .hint     = "rename the prim to " + name});
    }
}

constexpr std::array<const Rule*, 3> kRules{&kType, &kUnique, &kAligned};

}  // namespace

constexpr Family kRosJointRules{kRules, check};

}  // namespace mechane::conformance

// Rules of REP-0158 2.10 about names of joints in ROS: a string, unique within a robot, and told apart from prim names
// only where that is needed.

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
    .fix     = "Blanks around a name are removed, and an empty name; a token becomes a string.",
    .fixable = true,
    .bad     = "<<body a>>\n" MECHANE_NAMED_JOINT("base", "    custom string ros:joint:name = \"\"\n"),
    .good    = "<<body a>>\n" MECHANE_NAMED_JOINT("base", "    custom string ros:joint:name = \"base\"\n"),
};
constexpr Rule kUnique{
    .id      = "REP-2.10-b",
    .slug    = "joint-name-unique",
    .summary = "Joints of one robot have different names.",
    .why     = "A command reaches the wrong joint.",
    .fix     = "None: the author must choose the names.",
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

/// Names that joints of one robot have already. Without a context nobody says what one robot is: joints of one
/// kinematic tree are compared then, and only where somebody has named one of the two for ROS.
class Names {
  public:
    Names(const Facts& facts, Sink& sink) : facts_(facts), sink_(sink)
    {
        for (std::size_t t = 0; t < facts.trees.size(); ++t)
            for (const auto* joints : {&facts.trees[t].joints, &facts.trees[t].world_joints})
                for (const physics::Index j : *joints) tree_of_[j] = t;
    }

    void add(const PrimFacts& joint, const std::string& name, bool authored)
    {
        sink_.applies(kUnique);
        const usd::Prim   robot = ros::outermost_context(joint.prim);
        const std::string group = robot ? robot.path().text() : tree(joint);
        if (group.empty()) return;
        auto&            same  = seen_[{group, name}];
        const PrimFacts* other = nullptr;
        for (const auto& [prim, named] : same)
            if (robot || named || authored) other = prim;
        same.emplace_back(&joint, authored);
        if (other != nullptr)
            sink_.report(kUnique, {.site     = joint.prim.site(),
                                   .message  = "two joints of one robot are called \"" + name + "\"",
                                   .observed = other->prim.path().text(),
                                   .expected = "a name of its own",
                                   .hint     = "write another ros:joint:name"});
    }

  private:
    const Facts&                                                                                  facts_;
    Sink&                                                                                         sink_;
    std::map<physics::Index, std::size_t>                                                         tree_of_;
    std::map<std::pair<std::string, std::string>, std::vector<std::pair<const PrimFacts*, bool>>> seen_;

    [[nodiscard]] std::string tree(const PrimFacts& joint) const
    {
        const auto known = tree_of_.find(facts_.physics.joint_at(joint.prim.path()));
        return known == tree_of_.end() ? "" : std::to_string(known->second);
    }
};

void check(const Facts& facts, Sink& sink)
{
    static const usd::Token kName("ros:joint:name");
    Names                   names(facts, sink);
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
        names.add(prim, effective, authored);
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

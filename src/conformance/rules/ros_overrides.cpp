// Rules of REP-0158 2.1.1 about namespaces of parts and of several robots: where they are overridden, and that two
// copies of a part differ.
// The arc that brings a part in is found from the path of an opinion elsewhere: names that both paths end in were below
// the arc.

#include <array>
#include <map>
#include <set>

#include "conformance/family.h"
#include "conformance/instance_copies.h"
#include "mechane/ros/interfaces.h"
#include "mechane/usd/stage_layers.h"

/// REP-0158 2.1.1: namespaces of parts that are brought into a robot, and of robots that are brought into a scene.
namespace mechane::conformance {
namespace {

#define MECHANE_EYES(left, right)                                                             \
    "class Xform \"_eye\" (\n    prepend apiSchemas = [\"RosContextAPI\"]\n)\n{\n    string " \
    "ros:context:namespace = \"eye\"\n    <<topic image>>\n}\n"                               \
    "def Xform \"left\" (\n    prepend references = </robot/_eye>\n)\n{\n" left               \
    "}\n"                                                                                     \
    "def Xform \"right\" (\n    prepend references = </robot/_eye>\n)\n{\n" right "}\n"
#define MECHANE_SPACE(name) "    string ros:context:namespace = \"" name "\"\n"

constexpr Rule kSite{
    .id      = "REP-2.1.1-e",
    .slug    = "override-site",
    .summary = "A part's namespace is overridden on the prim that brings the part in.",
    .why     = "An override further down breaks when the part is exchanged.",
    .fix     = "None: move the opinion to the prim with the arc.",
    .bad     = R"(
class Xform "_mast"
{
    def Xform "eye" (
        prepend apiSchemas = ["RosContextAPI"]
    )
    {
        string ros:context:namespace = "eye"
        <<topic image>>
    }
}

def Xform "mast" (
    prepend references = </robot/_mast>
)
{
    over "eye"
    {
        string ros:context:namespace = "left_eye"
    }
}
)",
    .good    = MECHANE_EYES(MECHANE_SPACE("left"), MECHANE_SPACE("right")),
};
constexpr Rule kParts{
    .id      = "REP-2.1.1-f",
    .slug    = "duplicate-subassets",
    .summary = "Two copies of a part in one robot have different namespaces.",
    .why     = "Their interfaces have the same names, and nobody can tell the left camera from the right.",
    .fix     = "None: the author must choose the names.",
    .bad     = MECHANE_EYES("", ""),
    .good    = MECHANE_EYES(MECHANE_SPACE("left"), MECHANE_SPACE("right")),
};
constexpr Rule kPrimName{
    .id       = "REP-2.1.1-k",
    .slug     = "namespace-prim-name",
    .keyword  = Keyword::should,
    .severity = Severity::info,
    .summary  = "Among several robots, each is named on the stage like its namespace.",
    .why      = "Whoever sees a topic finds the robot, and the other way round.",
    .fix      = "None: the author must choose the names.",
    .bad      = "<<hall>>\n{\n<<robot left robot_1 scan>>\n<<robot robot_2 robot_2 scan>>\n}\n",
    .good     = "<<hall>>\n{\n<<robot robot_1 robot_1 scan>>\n<<robot robot_2 robot_2 scan>>\n}\n",
};

#undef MECHANE_SPACE
#undef MECHANE_EYES

/// Where an arc brings a part in.
struct Brought {
    usd::Path   at;      ///< the prim with the arc
    std::string source;  ///< layer and path of what it brings
};

/// The arc behind an opinion that was authored elsewhere: the names that both paths end in were below it.
Brought brought_by(const usd::Path& prim, const usd::ArcPlace& place)
{
    usd::Path here = prim, there = place.path;
    while (there.parent() != usd::Path::root() && !there.parent().empty() && here.name() == there.name() &&
           here.parent() != usd::Path::root() && here.parent() != there.parent()) {
        here  = here.parent();
        there = there.parent();
    }
    return {here, place.layer + there.text()};
}

/// Opinions on the namespace that come by an arc, the strongest one first.
std::vector<usd::ArcPlace> foreign(const usd::Prim& prim)
{
    std::vector<usd::ArcPlace> found;
    for (usd::ArcPlace& place : usd::arc_places(prim, usd::Token("ros:context:namespace")))
        if (place.path.prim() != prim.path()) found.push_back(std::move(place));
    for (usd::ArcPlace& place : found) place.path = place.path.prim();
    return found;
}

void check_parts(const Facts& facts, Sink& sink)
{
    std::map<std::pair<std::string, std::string>, usd::Path> seen;  // by what is brought in and its namespace
    for (std::size_t i = 0; i < facts.prims.size(); ++i) {
        const PrimFacts& prim = facts.prims[i];
        if (!prim.is(kContext) || is_copy(prim.prim)) continue;
        const std::vector<usd::ArcPlace> others = foreign(prim.prim);
        if (others.empty()) continue;
        const Brought arc = brought_by(prim.prim.path(), others.front());
        sink.applies(kSite);
        const auto all = usd::arc_places(prim.prim, usd::Token("ros:context:namespace"));
        if (all.front().path.prim() == prim.prim.path() && arc.at != prim.prim.path())
            sink.report(kSite,
                        {.site     = site_of(prim.prim, "ros:context:namespace"),
                         .message  = "the namespace is overridden below the prim that brings the part in",
                         .observed = prim.prim.path().text(),
                         .expected = arc.at.text(),
                         .hint = "give the part a context on its default prim and override it at " + arc.at.text()});
        // Robots side by side are REP-2.1.1-c's.
        if (facts.nearest(prim.parent, kContext) == nullptr) continue;
        bool used = false;
        for (auto below = static_cast<std::int32_t>(i); below < prim.end; ++below)
            used |= facts.prims[static_cast<std::size_t>(below)].is(kInterface);
        if (!used) continue;
        sink.applies(kParts);
        const std::string space = ros::namespace_of(prim.prim);
        const auto [at, fresh]  = seen.try_emplace({arc.source, space}, prim.prim.path());
        if (!fresh)
            sink.report(kParts, {.site     = prim.prim.site(),
                                 .message  = "the part is there twice in the namespace " + space,
                                 .observed = at->second.text() + ", " + prim.prim.path().text(),
                                 .expected = "a namespace of its own",
                                 .hint     = "override ros:context:namespace on " + arc.at.text()});
    }
}

void check_names(const Facts& facts, Sink& sink)
{
    std::vector<const PrimFacts*>      robots;
    std::map<std::string, std::size_t> spaces;
    for (std::size_t i = 0; i < facts.prims.size(); ++i) {
        const PrimFacts& prim = facts.prims[i];
        if (!prim.is(kContext) || facts.nearest(prim.parent, kContext) != nullptr) continue;
        bool used = false;
        for (auto below = static_cast<std::int32_t>(i); below < prim.end; ++below)
            used |= facts.prims[static_cast<std::size_t>(below)].is(kInterface | kFrame);
        if (!used) continue;
        robots.push_back(&prim);
        ++spaces[ros::namespace_of(prim.prim)];
    }
    if (robots.size() < 2) return;
    sink.applies(kPrimName);
    for (const PrimFacts* robot : robots) {
        const std::string space = ros::namespace_of(robot->prim), name = robot->prim.name().text();
        // Equal or missing ones are REP-2.1.1-c's.
        if (space == "/" || spaces[space] > 1 || space.substr(space.rfind('/') + 1) == name) continue;
        sink.report(kPrimName, {.site     = robot->prim.site(),
                                .message  = "the robot " + name + " speaks in the namespace " + space,
                                .observed = name,
                                .expected = space.substr(space.rfind('/') + 1),
                                .hint     = "name the prim like the namespace"});
    }
}

void check(const Facts& facts, Sink& sink)
{
    if (!facts.has(kContext)) return;
    check_parts(facts, sink);
    check_names(facts, sink);
}

constexpr std::array<const Rule*, 3> kRules{&kSite, &kParts, &kPrimName};

}  // namespace

constexpr Family kRosOverrideRules{kRules, check};

}  // namespace mechane::conformance

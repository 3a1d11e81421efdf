// Rules of REP-0158 2.1 about contexts: one at the root of a robot, namespaces, domains, names of several robots.
// Namespaces are compared as they resolve, since two spellings may mean one name.

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>

#include "conformance/family.h"
#include "mechane/ros/interfaces.h"
#include "mechane/ros/names.h"
#include "mechane/usd/stage_layers.h"

/// REP-0158 2.1: contexts, their namespaces and what they resolve to.
namespace mechane::conformance {
namespace {

constexpr Rule kRootContext{
    .id       = "REP-2.1-a",
    .slug     = "root-context",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "Interfaces and frames stand below a RosContextAPI.",
    .why      = "Without a namespace two copies of the robot talk over each other.",
    .fix      = "On demand: applied to the default prim.",
    .bad      = R"(<<layer>>
def Xform "robot" (
    <<identity>>
)
{
    <<topic scan>>
}
)",
    .good     = "<<topic scan>>",
};
constexpr Rule kDomain{
    .id      = "REP-2.1-b",
    .slug    = "domain-id",
    .summary = "A domain id lies in 0..232.",
    .why     = "DDS derives port numbers from it; beyond 232 there are none.",
    .fix     = "None: the author must choose the number.",
    .bad     = R"(
def Xform "arm" (
    prepend apiSchemas = ["RosContextAPI"]
)
{
    int ros:context:domain_id = 300
    string ros:context:namespace = "arm"
}
)",
    .good    = R"(
def Xform "arm" (
    prepend apiSchemas = ["RosContextAPI"]
)
{
    int ros:context:domain_id = 30
    string ros:context:namespace = "arm"
}
)",
};
constexpr Rule kParentFrame{
    .id       = "REP-2.1-c",
    .slug     = "parent-frame-nested",
    .keyword  = Keyword::must_not,
    .severity = Severity::warning,
    .summary  = "Only the outermost context names a parent frame.",
    .why      = "On inner contexts it is ignored, which the author will not expect.",
    .fix      = "The opinion is blocked.",
    .fixable  = true,
    .bad      = R"(
def Xform "arm" (
    prepend apiSchemas = ["RosContextAPI"]
)
{
    string ros:context:namespace = "arm"
    string ros:context:parent_frame = "map"
}
)",
    .good     = R"(
def Xform "arm" (
    prepend apiSchemas = ["RosContextAPI"]
)
{
    string ros:context:namespace = "arm"
}
)",
};
constexpr Rule kNamespace{
    .id      = "REP-2.1.1-a",
    .slug    = "namespace-grammar",
    .summary = "A namespace is made of tokens and slashes and does not end in one.",
    .why     = "ROS refuses the names below it.",
    .fix     = "Trailing slashes are trimmed.",
    .fixable = true,
    .bad     = R"(
def Xform "arm" (
    prepend apiSchemas = ["RosContextAPI"]
)
{
    string ros:context:namespace = "arm/"
}
)",
    .good    = R"(
def Xform "arm" (
    prepend apiSchemas = ["RosContextAPI"]
)
{
    string ros:context:namespace = "arm"
}
)",
};
constexpr Rule kAbsolute{
    .id       = "REP-2.1.1-b",
    .slug     = "namespace-absolute",
    .keyword  = Keyword::should_not,
    .severity = Severity::info,
    .summary  = "A context inside another has a relative namespace.",
    .why      = "An absolute one starts anew, so that copies of the robot collide there.",
    .fix      = "None: it may be meant.",
    .bad      = R"(
def Xform "arm" (
    prepend apiSchemas = ["RosContextAPI"]
)
{
    string ros:context:namespace = "/shared"
}
)",
    .good     = R"(
def Xform "arm" (
    prepend apiSchemas = ["RosContextAPI"]
)
{
    string ros:context:namespace = "shared"
}
)",
};
constexpr Rule kUnique{
    .id      = "REP-2.1.1-c",
    .slug    = "unique-robots",
    .summary = "Robots on one stage have different, non-empty namespaces.",
    .why     = "They publish on the same topics and overwrite each other's transforms.",
    .fix     = "None: the author must choose the names of robots.",
    .bad     = "<<hall>>\n{\n<<robot robot_1 robot scan_1>>\n<<robot robot_2 robot scan_2>>\n}\n",
    .good    = "<<hall>>\n{\n<<robot robot_1 robot_1 scan>>\n<<robot robot_2 robot_2 scan>>\n}\n",
};
constexpr Rule kDefaultPrim{
    .id      = "REP-2.1.1-d",
    .slug    = "namespace-on-default-prim",
    .summary = "The outermost context of an asset is its default prim.",
    .why     = "Whoever references the asset overrides its namespace there, and nowhere else.",
    .fix     = "The schema and its properties move to the default prim.",
    .fixable = true,
    .bad     = R"(<<layer>>
def Xform "robot" (
    <<identity>>
)
{
    def Xform "base" (
        prepend apiSchemas = ["RosContextAPI"]
    )
    {
        string ros:context:namespace = "robot"

        <<topic scan>>
    }
}
)",
    .good    = "<<topic scan>>",
};
constexpr Rule kTf{
    .id       = "REP-2.1.1-i",
    .slug     = "tf-topic",
    .keyword  = Keyword::should_not,
    .severity = Severity::warning,
    .summary  = "No asset declares the topics of transforms.",
    .why      = "The simulator publishes them itself.",
    .fix      = "None: remove the interface.",
    .bad      = R"(
def Xform "tf_source" (
    prepend apiSchemas = ["RosTopicAPI"]
)
{
    string ros:topic:name = "tf"
    double ros:topic:publish_rate = 10
    token ros:topic:role = "publisher"
    string ros:topic:type = "tf2_msgs/msg/TFMessage"
}
)",
    .good     = "<<topic scan>>",
};
constexpr Rule kCollision{
    .id       = "REP-2.1.1-j",
    .slug     = "name-collision",
    .keyword  = Keyword::must_not,
    .severity = Severity::error,
    .summary  = "No two publishers of different types, and no two servers, resolve to one name.",
    .why      = "Subscribers receive what they cannot read; only one server is reached.",
    .fix      = "None: the author must choose the names.",
    .bad      = R"(
<<topic scan>>

def Xform "other" (
    prepend apiSchemas = ["RosTopicAPI"]
)
{
    string ros:topic:name = "scan"
    double ros:topic:publish_rate = 10
    token ros:topic:role = "publisher"
    string ros:topic:type = "sensor_msgs/msg/PointCloud2"
}
)",
    .good     = R"(
<<topic scan>>
<<topic cloud>>
)",
};

struct Context {
    const PrimFacts* prim;
    std::string      space;  ///< resolved
    bool             outermost;
    bool             used;  ///< some interface, frame or link below
};

std::vector<Context> contexts(const Facts& facts)
{
    // Contexts in the order of the stage, so that findings are too.
    std::vector<Context> found;
    for (std::size_t i = 0; i < facts.prims.size(); ++i) {
        const PrimFacts& prim = facts.prims[i];
        if (!prim.is(kContext)) continue;
        bool used = false;
        // The subtree of a prim is contiguous in the facts: [i, end).
        for (auto b = static_cast<std::int32_t>(i); b < prim.end; ++b)
            used |= facts.prims[static_cast<std::size_t>(b)].is(kInterface | kFrame | kBody);
        found.push_back({&prim, ros::namespace_of(prim.prim), facts.nearest(prim.parent, kContext) == nullptr, used});
    }
    return found;
}

/// The domain that a context above states; nothing where none does.
/// Above means above in the namespace of prims, over references as well: that is what a simulator resolves.
std::optional<std::int64_t> outer_domain(const usd::Prim& context)
{
    for (usd::Prim prim = context.parent(); prim; prim = prim.parent())
        if (const auto id = prim.attribute("ros:context:domain_id").authored_as<std::int64_t>()) return id;
    return std::nullopt;
}

void check_context(const Context& context, Sink& sink)
{
    const usd::Prim& prim = context.prim->prim;
    sink.applies(kDomain);
    sink.applies(kNamespace);
    if (const auto id = prim.attribute("ros:context:domain_id").authored_as<std::int64_t>()) {
        // The highest domain whose ports are valid in DDS.
        // DDS port = 7400 + 250 * domain + ...: beyond 232 it passes 65535. Linux hands out ports from 32768 on, which
        // domain 102 reaches.
        if (*id < 0 || *id > 232)
            sink.report(kDomain, {.site     = site_of(prim, "ros:context:domain_id"),
                                  .message  = "the domain id is out of range",
                                  .observed = std::to_string(*id),
                                  .expected = "0 to 232",
                                  .hint     = "write a number from 0 to 232; up to 101 is safe everywhere"});
        else if (*id > 101)
            sink.report(kDomain, {.site     = site_of(prim, "ros:context:domain_id"),
                                  .message  = "domain ids above 101 may meet ports that the system hands out",
                                  .observed = std::to_string(*id),
                                  .expected = "0 to 101",
                                  .hint     = "write a number up to 101",
                                  .variant  = "ephemeral",
                                  .severity = Severity::info});
        // An inner domain that differs cuts the part off from its robot. Both may be meant, hence an info.
        const auto outer = outer_domain(prim);
        if (outer && *outer != *id)
            sink.report(kDomain,
                        {.site     = site_of(prim, "ros:context:domain_id"),
                         .message  = fmt::format("the domain is {}, that of the context above is {}", *id, *outer),
                         .observed = std::to_string(*id),
                         .expected = std::to_string(*outer),
                         .hint     = "write the same domain, unless the part shall not hear its robot",
                         .variant  = "nested",
                         .severity = Severity::info});
    }
    if (!context.outermost && prim.attribute("ros:context:parent_frame").authored())
        sink.report(kParentFrame, {.site     = site_of(prim, "ros:context:parent_frame"),
                                   .message  = "a context inside another names a parent frame",
                                   .observed = "authored",
                                   .expected = "only on the outermost context",
                                   .hint     = "remove it"});
    if (!context.outermost) sink.applies(kParentFrame), sink.applies(kAbsolute);
    const auto text = ros::text(prim, "ros:context:namespace");
    if (!text) return;
    const ros::NameFault fault = ros::check_namespace(*text);
    // Faults by weight: no name at all, reserved underscores, a reset of the chain, several parts in one.
    if (fault != ros::NameFault::none && !ros::is_tolerable(fault))
        sink.report(kNamespace,
                    {.site     = site_of(prim, "ros:context:namespace"),
                     .message  = "\"" + *text + "\" is no namespace (" + std::string(ros::to_string(fault)) + ")",
                     .observed = *text,
                     .expected = "token or token/token",
                     .hint     = "use letters, digits and underscores, not beginning with a digit; no slash at the end",
                     .variant  = std::string(ros::to_string(fault))});
    else if (fault == ros::NameFault::double_underscore)
        sink.report(kNamespace, {.site     = site_of(context.prim->prim, "ros:context:namespace"),
                                 .message  = "\"" + *text + "\" holds __, which is reserved",
                                 .observed = *text,
                                 .expected = "single underscores",
                                 .hint     = "write one underscore",
                                 .variant  = "double-underscore",
                                 .severity = Severity::warning});
    else if (fault == ros::NameFault::absolute && !context.outermost)
        sink.report(kAbsolute, {.site     = site_of(prim, "ros:context:namespace"),
                                .message  = "the namespace of an inner context is absolute",
                                .observed = *text,
                                .expected = "a relative namespace",
                                .hint     = "remove the leading slash if the part shall follow its robot"});
    else if (fault == ros::NameFault::none && text->find('/') != std::string::npos)
        sink.report(kNamespace, {.site     = site_of(prim, "ros:context:namespace"),
                                 .message  = "the namespace \"" + *text + "\" has several parts",
                                 .observed = *text,
                                 .expected = "one part a context",
                                 .hint     = "give each part a context of its own, if it stands for a thing of its own",
                                 .variant  = "parts",
                                 .severity = Severity::info});
}

void check_robots(const Facts& facts, const std::vector<Context>& all, Sink& sink)
{
    // Robots are outermost contexts with something in them; by their resolved namespaces.
    std::map<std::string, std::vector<const Context*>> by_space;
    std::size_t                                        robots = 0;
    for (const Context& context : all) {
        if (!context.outermost || !context.used) continue;
        ++robots;
        by_space[context.space].push_back(&context);
        if (facts.root < 0) continue;
        const PrimFacts&  root = facts.prims[static_cast<std::size_t>(facts.root)];
        const std::string kind = root.prim.metadata("kind").get<std::string>().value_or("");
        sink.applies(kDefaultPrim);
        // A scene of several robots is no robot: its default prim needs no context.
        if (&root != context.prim && context.prim->prim.path().has_prefix(root.prim.path()) && kind != "assembly" &&
            kind != "group")
            sink.report(kDefaultPrim, {.site     = context.prim->prim.site(),
                                       .message  = "the outermost context is not the default prim",
                                       .observed = context.prim->prim.path().text(),
                                       .expected = root.prim.path().text(),
                                       .hint     = "apply RosContextAPI to the default prim"});
    }
    if (robots > 0) sink.applies(kUnique);
    // One robot alone in "/" works; two copies of it would not.
    if (robots == 1 && by_space.count("/") != 0)
        sink.report(kUnique, {.site     = by_space.at("/").front()->prim->prim.site(),
                              .message  = "the robot has no namespace",
                              .observed = "/",
                              .expected = "a namespace of its own",
                              .hint     = "author ros:context:namespace; two such robots on one stage would be one",
                              .variant  = "single",
                              .severity = Severity::warning});
    if (robots < 2) return;
    for (const auto& [space, same] : by_space)
        if (same.size() > 1 || space == "/")
            // Of those that share a name the first keeps it. In "/" each is told, the first too.
            for (std::size_t i = space == "/" ? 0 : 1; i < same.size(); ++i)
                sink.report(kUnique, {.site     = same[i]->prim->prim.site(),
                                      .message  = space == "/" ? "a robot among several has no namespace"
                                                               : "two robots share the namespace " + space,
                                      .observed = space,
                                      .expected = "a namespace of its own",
                                      .hint = "override ros:context:namespace on the prim that brings the robot in"});
}

/// True when both prims come from one place, by different arcs.
bool are_copies(const usd::Prim& a, const usd::Prim& b)
{
    const auto one = usd::arc_places(a), other = usd::arc_places(b);
    return !one.empty() && !other.empty() && one.back().layer == other.back().layer &&
           one.back().path == other.back().path;
}

void check_names(const std::vector<ros::Interface>& all, Sink& sink)
{
    std::map<std::string, std::vector<const ros::Interface*>> publishers, servers;
    for (const ros::Interface& i : all) {
        sink.applies(kTf);
        sink.applies(kCollision);
        // By name or by type: a renamed topic of transforms is one all the same.
        if (i.kind == ros::Api::topic &&
            (i.name == "tf" || i.name == "tf_static" || i.type == "tf2_msgs/msg/TFMessage"))
            sink.report(kTf, {.site     = site_of(i.prim, "ros:topic:name"),
                              .message  = "the asset declares a topic of transforms",
                              .observed = i.resolved,
                              .expected = "no such interface",
                              .hint     = "remove it"});
        if (i.name.empty()) continue;
        // Only publishers and servers can collide; subscriptions and clients may be many.
        if (i.kind == ros::Api::topic && i.role == "publisher") publishers[i.resolved].push_back(&i);
        if (i.kind != ros::Api::topic && i.role == "server") servers[i.resolved].push_back(&i);
    }
    const auto say = [&](const ros::Interface& i, std::string message, std::string observed, const char* variant,
                         Severity severity) {
        sink.report(kCollision, {.site     = i.prim.site(),
                                 .message  = std::move(message),
                                 .observed = std::move(observed),
                                 .expected = "a name of its own",
                                 .hint     = "rename one of them",
                                 .variant  = variant,
                                 .severity = severity});
    };
    for (const auto& [name, same] : publishers)
        for (std::size_t i = 1; i < same.size(); ++i)
            // Copies of one asset differ by namespace, which is a rule of its own.
            if (are_copies(same[0]->prim, same[i]->prim))
                continue;  // REP-2.1.1-f's
            else if (same[i]->type != same[0]->type)
                say(*same[i], "two publishers of " + name + " have different types",
                    same[0]->type + ", " + same[i]->type, "type", Severity::error);
            else
                say(*same[i], "two publishers share " + name, same[0]->prim.path().text(), "shared", Severity::warning);
    for (const auto& [name, same] : servers)
        for (std::size_t i = 1; i < same.size(); ++i)
            if (!are_copies(same[0]->prim, same[i]->prim))
                say(*same[i], "two servers share " + name, same[0]->prim.path().text(), "server", Severity::error);
}

void check(const Facts& facts, Sink& sink)
{
    // Every interface is resolved once and compared with all others at the end.
    const std::vector<Context> all = contexts(facts);
    for (const Context& context : all) check_context(context, sink);
    check_robots(facts, all, sink);
    std::vector<ros::Interface> interfaces;
    bool                        said = false;
    for (std::size_t i = 0; i < facts.prims.size(); ++i) {
        const PrimFacts& prim = facts.prims[i];
        if (!prim.is(kInterface | kFrame)) continue;
        sink.applies(kRootContext);
        for (ros::Interface& interface : ros::interfaces(prim.prim)) interfaces.push_back(std::move(interface));
        // One message for the asset: a single context cures all.
        if (facts.nearest(static_cast<std::int32_t>(i), kContext) != nullptr || said) continue;
        said = true;
        sink.report(kRootContext, {.site     = prim.prim.site(),
                                   .message  = "interfaces or frames stand below no RosContextAPI",
                                   .observed = "no context",
                                   .expected = "RosContextAPI on the default prim",
                                   .hint = "apply RosContextAPI to the default prim and write ros:context:namespace"});
    }
    check_names(interfaces, sink);
}

constexpr std::array<const Rule*, 9> kRules{&kRootContext, &kDomain,      &kParentFrame, &kNamespace, &kAbsolute,
                                            &kUnique,      &kDefaultPrim, &kTf,          &kCollision};

}  // namespace

constexpr Family kRosContextRules{kRules, check};

}  // namespace mechane::conformance

#pragma once
#include <fmt/format.h>

#include <string>

namespace mechane::importer::test {

// Text of small robots: boxes of 0.2 m in a row, one metre apart, joined half way.

inline std::string body(const std::string& name, double x = 0, const std::string& more = {})
{
    return fmt::format(R"(
def Cube "{}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{{
    double size = 0.2
    double3 xformOp:translate = ({}, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    {}
}}
)",
                       name, x, more);
}

/// A joint prim of `type` between two bodies below `root`; an empty name is the world. Anchors lie at body0 + 0.5 and
/// body1 - 0.5.
inline std::string joint(const std::string& type, const std::string& name, const std::string& root,
                         const std::string& b0, const std::string& b1, const std::string& more = {})
{
    const auto rel = [&](const char* which, const std::string& target) {
        return target.empty() ? std::string{} : fmt::format("rel physics:{} = <{}/{}>\n    ", which, root, target);
    };
    return fmt::format(
        "def {} \"{}\" {{\n    {}{}point3f physics:localPos0 = (0.5, 0, 0)\n    point3f physics:localPos1 = (-0.5, 0, "
        "0)\n    {}\n}}\n",
        type, name, rel("body0", b0), rel("body1", b1), more);
}

inline std::string robot(const std::string& inside)
{ return "def Xform \"robot\" (prepend apiSchemas = [\"PhysicsArticulationRootAPI\"]) {\n" + inside + "}\n"; }

}  // namespace mechane::importer::test

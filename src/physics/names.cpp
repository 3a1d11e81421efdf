// Names that look like UsdPhysics and are not, and APIs on prims that they say nothing about.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "mechane/physics/codes.h"
#include "reader.h"

namespace mechane::physics {

namespace {

struct Rename {
    std::string_view wrong, right;
};
constexpr Rename kTypes[] = {
    {"RevoluteJoint", "PhysicsRevoluteJoint"},          {"PrismaticJoint", "PhysicsPrismaticJoint"},
    {"SphericalJoint", "PhysicsSphericalJoint"},        {"FixedJoint", "PhysicsFixedJoint"},
    {"DistanceJoint", "PhysicsDistanceJoint"},          {"DistancePhysicsJoint", "PhysicsDistanceJoint"},
    {"RevolutePhysicsJoint", "PhysicsRevoluteJoint"},   {"PrismaticPhysicsJoint", "PhysicsPrismaticJoint"},
    {"SphericalPhysicsJoint", "PhysicsSphericalJoint"}, {"FixedPhysicsJoint", "PhysicsFixedJoint"}};

void suspect(const Reader& reader, Site site, std::string_view wrong, std::string_view right)
{
    reader.found.add(kNameSuspect, std::move(site), fmt::format("\"{}\" has no effect", wrong),
                     fmt::format("Did you mean \"{}\"? --option lenient_names=true reads it so.", right));
}

void check_spelling(const Reader& reader, const Record& record)
{
    const usd::Prim&   prim = record.prim;
    const std::string& type = prim.type_name().text();
    if (!type.empty() && !record.joint)
        for (const Rename& row : kTypes)
            if (type == row.wrong) suspect(reader, prim.site(), row.wrong, row.right);
    if (type.empty() && !reader.options.lenient_names)
        for (const usd::Token& api : prim.authored_apis())
            if (api.text() == "PhysicsCollisionGroup")
                suspect(reader, prim.site(), "apiSchemas = PhysicsCollisionGroup", "def PhysicsCollisionGroup");
    if (reader.options.lenient_names || !(record.is_scene || record.has_body || record.has_collision)) return;
    static const usd::Token kGravity("gravity"), kVelocity("velocity"), kGroup("physics:collisionGroup"),
        kGroups("physics:collisionGroups");
    if (record.is_scene && reader.maybe_authored(prim, kGravity))
        suspect(reader, prim.attribute(kGravity).site(), "gravity",
                "physics:gravityDirection, physics:gravityMagnitude");
    if (record.has_body && reader.maybe_authored(prim, kVelocity))
        suspect(reader, prim.attribute(kVelocity).site(), "velocity", "physics:velocity");
    if (record.has_collision)
        for (const usd::Token& name : {kGroup, kGroups})
            if (reader.maybe_authored(prim, name))
                suspect(reader, prim.relationship(name).site(), name.text(),
                        "collection:colliders:includes on the group");
}

void misplaced(const Reader& reader, const Record& record, std::string_view api, std::string_view expected)
{
    reader.found.add(kApiMisplaced, record.prim.site(),
                     fmt::format("{} on <{}>, expected {}", api, record.prim.path().text(), expected));
}

void check_placement(const Reader& reader, const Record& record)
{
    static const usd::Token kMesh("Mesh"), kMaterial("Material");
    if (record.has_mesh_collision && !record.prim.is_a(kMesh))
        misplaced(reader, record, "PhysicsMeshCollisionAPI", "a Mesh");
    else if (record.has_mesh_collision && !record.has_collision)
        misplaced(reader, record, "PhysicsMeshCollisionAPI", "PhysicsCollisionAPI beside it");
    if (record.one_of_several)
        misplaced(reader, record, "PhysicsMaterialAPI beside another physics schema",
                  "one of them: the first applied one is read");
    else if (record.has_material && !record.prim.is_a(kMaterial))
        misplaced(reader, record, "PhysicsMaterialAPI", "a Material");
    if (record.is_scene || record.is_group)
        for (const char* api :
             {"PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsArticulationRootAPI", "PhysicsMaterialAPI"})
            if (record.prim.has_api(usd::Token(api))) misplaced(reader, record, api, "no scene or collision group");
    if (record.joint) {
        if (record.has_body) misplaced(reader, record, "PhysicsRigidBodyAPI", "no joint");
        if (record.has_collision) misplaced(reader, record, "PhysicsCollisionAPI", "no joint");
        return;
    }
    if (record.has_limit_or_drive) misplaced(reader, record, "PhysicsLimitAPI or PhysicsDriveAPI", "a joint");
}

}  // namespace

void check_names(const Reader& reader)
{
    for (const Record& record : reader.records) {
        check_spelling(reader, record);
        check_placement(reader, record);
    }
}

}  // namespace mechane::physics

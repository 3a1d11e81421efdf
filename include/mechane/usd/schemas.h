#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mechane::usd {

enum class SchemaKind { typed, abstract_typed, single_apply, multiple_apply, not_applied };

/// A schema that this build knows.
struct SchemaInfo {
    std::string_view identifier;  ///< as a type name or in apiSchemas: "PhysicsScene", "PhysicsDriveAPI"
    std::string_view module;      ///< who defines it: "usdPhysics", "PhysxSchema", "mjcPhysics", ...
    SchemaKind       kind = SchemaKind::not_applied;
};

/// Every bundled schema, by module and identifier. What a prim of a schema brings is asked of a prim
/// (`Prim::property_names`).
std::vector<SchemaInfo> bundled_schemas();

/// Identifiers of the bundled schemas that bring a property of this name, sorted; for a multiple-apply schema any
/// instance counts ("drive:linear:physics:damping"). The first call reads every schema.
std::vector<std::string> schemas_with(std::string_view property);

}  // namespace mechane::usd

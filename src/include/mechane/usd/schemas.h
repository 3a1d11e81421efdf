#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/usd/stage.h"

namespace mechane::usd {

enum class SchemaKind { typed, abstract_typed, single_apply, multiple_apply, not_applied };

/// A schema that this build knows.
struct SchemaInfo {
    std::string_view identifier;  ///< as a type name or in apiSchemas: "PhysicsScene", "PhysicsDriveAPI"
    std::string_view module;      ///< who defines it: "usdPhysics", "PhysxSchema", "mjcPhysics", ...
    SchemaKind       kind = SchemaKind::not_applied;
};

/// Names what the user's schemas are made of: the files that were read for them, with their content. Empty when that
/// cannot be said. Registers them, as opening a stage does.
std::string schema_identity();

/// Registers the schemas of a user's codeless plug-ins (plugInfo.json and generatedSchema.usda) for the whole process,
/// beside those of OpenUSD's own environment variable PXR_PLUGINPATH_NAME. To be called before any stage is opened.
///
/// @param path  a plugInfo.json, or the folder of one; * and ** are wildcards, as in that variable
/// @error STAGE_SCHEMA_LATE  a stage was opened already; nothing changes
Result<void> add_schemas(const std::string& path);
/// What was wrong with the plug-ins that were added, or that the environment names; what a finding is about is left
/// out, all else is registered. After this call nothing can be added.
const Diagnostics& schema_findings();

/// What OpenUSD complained about while it read its plug-in files and declared the fields of layers; nothing on a sound
/// installation.
const std::vector<std::string>& startup_complaints();

/// Every bundled schema, by module and identifier. What a prim of a schema brings is asked of a prim
/// (`Prim::property_names`).
std::vector<SchemaInfo> bundled_schemas();

/// Identifiers of the bundled schemas that bring a property of this name, sorted; for a multiple-apply schema any
/// instance counts ("drive:linear:physics:damping"). The first call reads every schema.
std::vector<std::string> schemas_with(std::string_view property);

/// Names of all properties that bundled schemas bring, for suggestions: of multiple-apply schemas with the instance
/// that `property` has ("drive:linear:physics:dampng" finds "drive:linear:physics:damping").
std::vector<std::string> properties_like(std::string_view property);

/// Whether a prim's type or one of its applied schemas, a user's too, brings the property.
bool brings(const Prim& prim, const Token& property);

}  // namespace mechane::usd

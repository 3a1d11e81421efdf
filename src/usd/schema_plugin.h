#pragma once
#include <pxr/sdf/layer.h>

#include <deque>
#include <string>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "usd/schema_tables.h"

namespace mechane::usd {

/// A schema of a user's plug-in, with the layer that holds its class.
struct UserSchema {
    std::string         module;  ///< the plug-in's name
    std::string         file;    ///< its plugInfo.json
    std::string         identifier, type, kind;
    std::string         bases, auto_apply, can_only_apply_to;  ///< names, separated by spaces
    pxr::SdfLayerRefPtr layer;                                 ///< generatedSchema.usda

    [[nodiscard]] SchemaRow row() const
    {
        return {module.c_str(),
                identifier.c_str(),
                type.c_str(),
                kind.c_str(),
                bases.c_str(),
                auto_apply.c_str(),
                can_only_apply_to.c_str(),
                ""};
    }
};

/// An automatic application that a plug-in states apart from its schemas.
struct AutoApply {
    std::string api, types;  ///< types: names, separated by spaces
};

/// What the plug-ins of some paths define. A deque: rows point into its strings.
struct PluginSchemas {
    std::deque<UserSchema>   schemas;
    std::vector<AutoApply>   auto_apply;
    std::vector<std::string> bundled;  ///< identifiers of those that are this program's own
    std::vector<std::string> files;    ///< plugInfo.json files of plug-ins that were read without a finding
};

/// Reads codeless schema plug-ins as OpenUSD finds them. A path names a plugInfo.json or the folder of one, and may
/// hold the wildcards * (within a name) and ** (any folders); a plugInfo.json may include others. Library code is never
/// loaded. What cannot be read is left out with one finding.
/// @error SCHEMA_PLUGIN_INVALID
void read_plugins(const std::string& path, PluginSchemas& out, Diagnostics& found);

}  // namespace mechane::usd

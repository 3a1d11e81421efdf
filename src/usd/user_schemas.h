#pragma once
#include <functional>
#include <string>

#include "usd/schema_plugin.h"

namespace mechane::usd {

/// What is defined already when the user's schemas come.
struct KnownSchemas {
    std::function<bool(const std::string&)> type, identifier;
};

/// The schemas of the plug-ins that add_schemas() named, then of those in PXR_PLUGINPATH_NAME, without the faulty ones.
/// To be called once; from then on nothing can be added.
PluginSchemas sound_user_schemas(const KnownSchemas& known, Diagnostics& found);

}  // namespace mechane::usd

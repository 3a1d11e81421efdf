#pragma once
#include <functional>
#include <string_view>
#include <unordered_set>

#include "mechane/core/diagnostic.h"
#include "mechane/usd/stage.h"

namespace mechane::resolve {

/// Whether a name lies in a namespace of physics or of one of its vendors.
bool is_physics_property(std::string_view name);
/// Whether no schema of this build and no row of a resolver's table has the property.
bool is_unknown_property(std::string_view property);

/// What is asked about the names of a stage.
struct NameQuestion {
    const usd::Stage&                     stage;
    const std::unordered_set<usd::Token>& authored;  ///< every name of a property that the stage authors
    /// A name that something reads although no schema has it; may be empty.
    std::function<bool(const std::string& name)> is_read{};
    /// A prim whose names are not judged; may be empty.
    std::function<bool(const usd::Prim& prim)> leaves_out{};
};

/// Says once for each name that prims author a property in a namespace of physics which no schema, no resolver and no
/// declaration knows, or one that is a slip of the pen of a name that the prim could have. The nearest names are in the
/// hint. It says what has no effect; it judges nothing.
void report_unknown_names(const NameQuestion& question, Diagnostics& found);
/// Says once for each attribute of UsdPhysics that prims author it without the API which has it.
void report_unapplied_schemas(const NameQuestion& question, Diagnostics& found);

}  // namespace mechane::resolve

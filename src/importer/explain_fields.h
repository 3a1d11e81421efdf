#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/importer/import_usd.h"
#include "mechane/model/model.h"
#include "mechane/physics/units.h"
#include "mechane/resolve/key.h"

namespace mechane::importer {

enum class EntityKind { body, joint, dof, shape, scene, articulation };

/// One number of the model: where it lies, what it measures, and which properties have a say in it.
struct FieldRow {
    EntityKind       kind;
    std::string_view field, array;
    /// Of a linear and of a rotary degree of freedom; equal for everything else.
    physics::Dimension linear, angular;
    /// Keys of resolver tables; "*" in a key's place is not needed: keys of single axes are all listed.
    std::vector<resolve::Key> keys;
    /// UsdPhysics properties on the entity's prim; "{}" stands for the degree of freedom, "{drive}" for its drive.
    std::vector<std::string_view> properties;
    /// True for properties of the bound physics material; keys are then the material's.
    bool on_material = false;
    /// True when prims below the body have a say too (masses of colliders).
    bool below = false;
    /// The value as text: index of the entity; index of the degree of freedom.
    std::function<std::string(const model::Model&, std::size_t, std::size_t)> value;
    /// The same of what the model has no array for: scenes and articulations, by path.
    std::function<std::string(const ImportResult&, const std::string&)> of_import = {};
    std::string_view                                                    unit      = {};  ///< not empty: instead of that of the dimension
};

/// Every field that can be explained, in the order in which they are printed.
const std::vector<FieldRow>& explain_fields();

}  // namespace mechane::importer

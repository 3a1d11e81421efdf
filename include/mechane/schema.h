#pragma once
/// Attributes of vendors, and tables of one's own: which attribute of a prim says what of the simulation, in which
/// unit. A table that `LoadOptions::tables` names takes part in the order of priority like those that ship.
#include <string>
#include <vector>

#include "mechane/resolve/key.h"
#include "mechane/resolve/resolver.h"
#include "mechane/result.h"

namespace mechane {

/// What an attribute can say: joint_armature, joint_friction, shape_margin, ...; mechane/resolve/key.h lists them.
using Property = resolve::Key;
/// In which unit it is authored; it is converted to SI and radians once.
using AttributeUnit = resolve::Unit;
/// A table of attributes, in order.
using Resolver = resolve::Resolver;

/// An attribute that is one number, or one flag, times a factor.
/// A value is multiplied by `factor` and converted from its unit: -1 turns a sign round, 0.5 makes a radius of a
/// diameter. A flag passes as it is.
struct AttributeRow {
    /// What it says; its unit is that of the property in the model.
    Property      property{};
    std::string   attribute{};  ///< full name, "acme:joint:rotorInertia"
    AttributeUnit unit   = AttributeUnit::si;
    double        factor = 1;  ///< of the value in its unit, dimensionless
};

/// A table of the caller's own.
/// @param name  by which LoadOptions::resolvers names it; one that ships may be replaced so. Attributes have full
/// names, of any namespace
/// @error RESOLVER_TABLE  a name is empty or not one word, a property is none, or a factor is not finite
/// Rows for one property are tried in their order; the first one that a prim authors counts. What needs more than one
/// attribute is a `resolve::Row` with a `convert` of its own, a building block.
Result<Resolver> make_resolver(const std::string& name, const std::vector<AttributeRow>& rows);

/// What a table that ships reads.
/// To learn by example, or to make a table of one's own that differs from a shipped one in a few rows.
struct AttributeInfo {
    std::string attribute{};
    /// One attribute may stand in several rows, for several properties.
    Property      property{};
    AttributeUnit unit = AttributeUnit::si;
};
/// @param resolver  "newton", "physx" or "mjc"
/// @error RESOLVER_UNKNOWN
Result<std::vector<AttributeInfo>> attributes_of(const std::string& resolver);

}  // namespace mechane

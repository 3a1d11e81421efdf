#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "mechane/usd/value.h"

namespace mechane::usd {

/// What the bundled schemas say of an attribute.
struct DeclaredAttribute {
    std::string              type;      ///< "float", "quatf", "token[]"
    Value                    fallback;  ///< empty where the schema has none
    std::vector<std::string> tokens;    ///< the values that it allows; empty: any
};
/// The attribute of this name, with any instance of a multiple-apply schema; null for relationships and for names that
/// no bundled schema has. Of several schemas the first by identifier counts.
const DeclaredAttribute* declared_attribute(std::string_view property);

/// Whether a bundled schema brings an attribute or a relationship of this name; like schemas_with(), without reading
/// every schema.
bool is_brought(std::string_view property);

}  // namespace mechane::usd

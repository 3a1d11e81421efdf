#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "usd/crate_values.h"

namespace mechane::usd {

/// One path of a crate's tree of paths.
struct CratePath {
    static constexpr std::uint32_t kNone          = ~0u;
    std::uint32_t                  parent         = kNone;  ///< index of a path; none for the root
    std::uint32_t                  name           = 0;      ///< token of the last element
    bool                           names_property = false;  ///< the element is a property of a prim
    bool                           known          = false;  ///< the tree reaches it
};

/// Specs of a crate, one list a column: index of the path, start of the set of fields, kind.
struct CrateSpecs {
    std::vector<std::int32_t> paths, sets, types;
};

/// What the tree of specs is made of.
struct CrateSpecTables {
    const CrateSpecs&                    specs;
    const std::vector<CratePath>&        paths;
    const std::vector<std::string_view>& texts;       ///< of the tokens
    const std::vector<std::int32_t>&     names;       ///< of the fields: tokens
    const std::vector<std::uint64_t>&    values;      ///< of the fields
    const std::vector<std::int32_t>&     field_sets;  ///< runs of fields, each ended by -1
    const CrateValues&                   lists;       ///< reads lists of names
};

/// Checks that every path has one spec at most, of a kind that fits the path, and that the children that a spec lists
/// are there, once each. OpenUSD follows the lists without asking.
/// @return an empty text, or what is wrong
std::string check_spec_tree(const CrateSpecTables& crate);

}  // namespace mechane::usd

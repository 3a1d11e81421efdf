#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "mechane/usd/collection.h"

namespace mechane::usd {

/// One relationship material:binding...
struct MaterialBinding {
    std::string     purpose;   ///< empty: all-purpose
    Prim            material;  ///< null when the target is no Material; bindings above are hidden all the same
    bool            stronger        = false;  ///< than what descendants bind
    bool            from_collection = false;
    CollectionQuery members;  ///< of a collection binding
};

/// All material bindings of a stage, found in one pass on first use. Prims without a binding of their own know the
/// nearest one above, so a query costs as many steps as there are binding prims above the asked one.
struct BindingTable {
    static constexpr std::uint32_t kNone = 0xffffffff;

    std::vector<std::uint32_t> nearest;  ///< by prim: itself or the nearest prim above that binds; kNone
    std::unordered_map<std::uint32_t, std::vector<MaterialBinding>> at;  ///< in the order in which they count
    Diagnostics                                                     found;
};

BindingTable build_binding_table(const Stage& stage);

}  // namespace mechane::usd

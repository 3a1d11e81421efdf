#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mechane::usd {

/// A list of metadata that names an item twice.
struct ListDuplicate {
    int         line, column;  ///< of the list, 1-based
    std::string field, item;   ///< "apiSchemas", "PhysicsMassAPI"
};

/// The lists of names in usda text ("prepend apiSchemas = [...]") that repeat an item: OpenUSD's parser drops such a
/// list whole and says nothing (for arcs, targets and connections it reports an error by itself). Text that is not well
/// formed gives findings or none, never worse.
std::vector<ListDuplicate> find_list_duplicates(std::string_view text);

}  // namespace mechane::usd

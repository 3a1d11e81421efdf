// Authored values that cannot be the value of their attribute: of a wrong type, not finite, a word that the schema does
// not allow. Nobody reads them, so they are reported here for all readers, folded by attribute and fault.

#include "unusable_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "mechane/importer/ledger.h"
#include "mechane/physics/value_fault.h"

namespace mechane::importer {
namespace {

/// Vendors' attributes that nothing here reads are no fault: the ledger says why they have no effect.
bool is_read_by_someone(const Import& run, const std::string& name)
{
    if (!is_physics_property(name)) return false;
    for (const char* space : {"physics:", "drive:", "limit:", "newton:"})
        if (name.starts_with(space)) return true;
    const auto& resolvers = run.resolvers.resolvers();
    return std::any_of(resolvers.begin(), resolvers.end(), [&](const resolve::Resolver& r) { return r.owns(name); });
}

}  // namespace

void report_unusable_values(Import& run)
{
    std::unordered_set<usd::Token> names;
    for (const usd::Token& name : run.physics.authored_names)
        if (is_read_by_someone(run, name.text())) names.insert(name);
    if (names.empty()) return;
    // What the readers have said already.
    std::set<std::pair<std::string, std::string>> said;
    for (const Diagnostic& one : run.found)
        if (!one.site.property.empty()) said.emplace(one.site.prim, one.site.property);

    struct Place {
        const Code* code = nullptr;
        Site        first;
        std::string text;
        std::size_t count = 0;
    };
    std::map<std::pair<std::string, std::string_view>, Place> places;
    const usd::Path                                           root(run.options.root_path);
    for (const usd::Prim& prim : run.stage.traverse()) {
        if (!prim.path().has_prefix(root) || run.ignored(prim.path())) continue;
        for (const usd::Token& name : prim.authored_property_names()) {
            if (names.count(name) == 0 || prim.relationship(name).authored()) continue;
            const auto fault = physics::value_fault(prim, name);
            if (!fault || said.count({prim.path().text(), name.text()}) != 0) continue;
            Place& place = places[{name.text(), fault->code->id}];
            if (place.count++ > 0) continue;
            place.code  = fault->code;
            place.first = prim.attribute(name).site();
            place.text  = fault->text;
        }
    }
    for (const auto& [key, place] : places)
        run.found.add(*place.code, place.first,
                      fmt::format("{} {}{}", key.first, place.text,
                                  place.count > 1 ? fmt::format(" ({} prims)", place.count) : ""));
}

}  // namespace mechane::importer

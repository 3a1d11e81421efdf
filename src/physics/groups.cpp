// Collision groups and the table of which of them meet.
// Groups with the same `physics:mergeGroup` act as one: they share a row of the table.
// The table is symmetric. A group that filters another stops both, whoever says it.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "groups.h"
#include "mechane/physics/codes.h"
#include "reader.h"

namespace mechane::physics {

std::vector<std::vector<Index>> merged_groups(const PhysicsModel& model)
{
    std::vector<std::vector<Index>>    out;
    std::map<std::string, std::size_t> place_of;
    std::vector<Index>                 left;
    for (std::size_t i = 0; i < model.groups.size(); ++i) left.push_back(static_cast<Index>(i));
    for (std::size_t i = 0; i < left.size();) {
        const std::string& name   = model.groups[static_cast<std::size_t>(left[i])].merge_name;
        const auto [place, first] = name.empty() ? std::pair(place_of.end(), true) : place_of.emplace(name, out.size());
        if (first) {
            out.push_back({left[i++]});
            continue;
        }
        out[place->second].push_back(left[i]);
        // OpenUSD's parser erases a merged group by moving the last one into its place, which changes the order of
        // those that follow.
        if (model.options.conventions.groups_merged_by_swapping) {
            left[i] = left.back();
            left.pop_back();
        } else {
            ++i;
        }
    }
    return out;
}

void read_groups(Reader& reader)
{
    static const usd::Token kFiltered("physics:filteredGroups"), kInvert("physics:invertFilteredGroups"),
        kMerge("physics:mergeGroup"), kIncludes("collection:colliders:includes");
    PhysicsModel& model = reader.model;
    for (const Record& record : reader.records) {
        if (!record.is_group) continue;
        Group group;
        group.path                       = record.prim.path();
        group.prim                       = record.prim;
        group.filtered                   = reader.targets(record.prim, kFiltered);
        group.inverted                   = reader.flag(record.prim, kInvert, false);
        group.merge_name                 = reader.value(record.prim, kMerge).get<std::string>().value_or("");
        const usd::Relationship includes = record.prim.relationship(kIncludes);
        for (const usd::Path& target : includes.authored() ? includes.targets() : std::vector<usd::Path>())
            if (!reader.stage.prim_at(target.prim()))
                reader.found.add(
                    kGroupIncludeMissing, includes.site(),
                    fmt::format("<{}> includes <{}>, which does not exist", group.path.text(), target.text()));
        model.lookup.groups.emplace(group.path, static_cast<Index>(model.groups.size()));
        model.groups.push_back(std::move(group));
    }

    for (Group& group : model.groups)
        std::erase_if(group.filtered, [&](const usd::Path& target) {
            if (model.group_at(target) != kNone) return false;
            reader.found.add(
                kGroupTargetInvalid, group.prim.relationship(kFiltered).site(),
                fmt::format("<{}> filters <{}>, which is not a collision group", group.path.text(), target.text()));
            return !reader.options.conventions.invalid_group_targets_kept;  // the reference keeps it in the descriptor
        });
    // Rows: one for each group, merged groups share one.
    Index rows = 0;
    for (const std::vector<Index>& members : merged_groups(model)) {
        std::vector<usd::Path> paths;
        for (const Index i : members) paths.push_back(model.groups[static_cast<std::size_t>(i)].path);
        for (const Index i : members) {
            Group& group      = model.groups[static_cast<std::size_t>(i)];
            group.table_index = rows;
            if (!group.merge_name.empty()) group.merged = paths;
        }
        ++rows;
    }
    model.group_table = make_group_table(model.groups);
}

GroupTable make_group_table(const std::vector<Group>& groups)
{
    std::size_t rows = 0;
    for (const Group& group : groups) rows = std::max(rows, static_cast<std::size_t>(group.table_index) + 1);
    GroupTable table(rows);
    const auto row_at = [&](const usd::Path& path) {
        for (const Group& group : groups)
            if (group.path == path) return static_cast<std::size_t>(group.table_index);
        return rows;
    };
    for (const Group& group : groups) {
        const auto        own = static_cast<std::size_t>(group.table_index);
        std::vector<char> named(rows + 1, 0);
        // The row past the last one takes targets that are no groups; it is read by nobody.
        for (const usd::Path& target : group.filtered) named[row_at(target)] = 1;
        for (std::size_t other = 0; other < rows; ++other)
            // An inverted group meets only those it names, and itself only if it is among them.
            if ((named[other] != 0) != group.inverted) table.disable(own, other);
    }
    return table;
}

}  // namespace mechane::physics

// What a repair changed of what is simulated: the asset and its repaired copy, compared as `mechane diff` compares two
// robots and two scenes.
// Input: the name of the asset, the result of conformance::fix, and how both are opened. Output: a warning for each
// value that differs.
// Called by all three faces of the repair: the command line, Python and C++.

#include "mechane/difference/repairs.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "mechane/difference/animations.h"
#include "mechane/difference/codes.h"
#include "mechane/difference/compare.h"
#include "mechane/difference/scenes.h"

namespace mechane::difference {
namespace {

/// What two files simulate otherwise. Nothing of what is no robot that could be compared.
std::vector<Difference> changes(const std::string& before_file, const std::string& after_file,
                                const run::SceneOptions& opening)
{
    using enum Quantity;
    const auto before = open_robot(before_file, {}, opening.open);
    const auto after  = open_robot(after_file, {}, opening.open);
    if (!before || !after) return {};
    CompareOptions how;
    // What a repair may move without a change of what is simulated is left out: frames, visuals and properties.
    how.only          = {mass, center_of_mass, inertia, joint, limit, gain, passive, mimic,
                         loop, collider,       contact, scene, state, pair, soft};
    auto        apart = compare(before->tree, after->tree, how);
    Diagnostics quiet;  // both were reported when they were checked
    const auto  run_before = run::load_scene(before_file, opening, quiet);
    const auto  run_after  = run::load_scene(after->file, opening, quiet);
    if (run_before && run_after) {
        compare_scenes(apart, *run_before, *run_after, how);
        compare_animations(apart, *run_before, *run_after, how);
    }
    return std::move(apart.differences);
}

std::string told(const Difference& d)
{
    const auto value = [](const std::optional<Side>& side) { return side ? side->value : std::string("nothing"); };
    return fmt::format("{} of {}: {} was {}", d.field, d.item, value(d.b), value(d.a));
}

}  // namespace

void report_repairs(const std::string& asset, const conformance::FixResult& repaired, const run::SceneOptions& opening,
                    Diagnostics& found)
{
    if (repaired.edits.empty()) return;
    for (const Difference& d :
         changes(asset, (std::filesystem::path(repaired.folder) / repaired.entry).string(), opening))
        found.add(kRepairChanges, d.a ? d.a->site : d.b ? d.b->site : Site{}, told(d));
}

std::string first_change(const std::string& before, const std::string& after, const run::SceneOptions& opening)
{
    const auto apart = changes(before, after, opening);
    return apart.empty() ? std::string() : told(apart.front());
}

}  // namespace mechane::difference

// What a repair changed of what is simulated: the asset and its repaired copy, compared as `mechane diff` compares two
// robots and two scenes.
// Input: the name of the asset, the result of conformance::fix, and how both are opened. Output: a warning for each
// value that differs.
// Called by all three faces of the repair: the command line, Python and C++.

#include "mechane/difference/repairs.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "mechane/difference/animations.h"
#include "mechane/difference/codes.h"
#include "mechane/difference/compare.h"
#include "mechane/difference/scenes.h"

namespace mechane::difference {

void report_repairs(const std::string& asset, const conformance::FixResult& repaired, const run::SceneOptions& opening,
                    Diagnostics& found)
{
    using enum Quantity;
    if (repaired.edits.empty()) return;
    const auto before = open_robot(asset, {}, opening.open);
    const auto after = open_robot((std::filesystem::path(repaired.folder) / repaired.entry).string(), {}, opening.open);
    if (!before || !after) return;
    CompareOptions how;
    // What a repair may move without a change of what is simulated is left out: frames, visuals and properties.
    how.only          = {mass, center_of_mass, inertia, joint, limit, gain, passive, mimic,
                         loop, collider,       contact, scene, state, pair, soft};
    auto        apart = compare(before->tree, after->tree, how);
    Diagnostics quiet;  // both were reported when they were checked
    const auto  run_before = run::load_scene(asset, opening, quiet);
    const auto  run_after  = run::load_scene(after->file, opening, quiet);
    if (run_before && run_after) {
        compare_scenes(apart, *run_before, *run_after, how);
        compare_animations(apart, *run_before, *run_after, how);
    }
    const auto value = [](const std::optional<Side>& side) { return side ? side->value : std::string("nothing"); };
    for (const Difference& d : apart.differences)
        found.add(kRepairChanges,
                  d.a   ? d.a->site
                  : d.b ? d.b->site
                        : Site{},
                  fmt::format("{} of {}: {} was {}", d.field, d.item, value(d.b), value(d.a)));
}

}  // namespace mechane::difference

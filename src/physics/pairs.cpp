// Pairs that `physics:filteredPairs` names, as paths of bodies, colliders or articulations on both sides.
// Which colliders they stand for is decided in filter.cpp, when all of them are known.

#include <fmt/format.h>

#include <algorithm>

#include "mechane/physics/codes.h"
#include "reader.h"

namespace mechane::physics {

void read_filtered_pairs(Reader& reader)
{
    static const usd::Token kPairs("physics:filteredPairs");
    PhysicsModel&           model = reader.model;
    const auto              known = [&](const usd::Path& path) {
        return model.body_at(path) != kNone || model.collider_at(path) != kNone || model.articulation_at(path) != kNone;
    };
    for (const Record& record : reader.records) {
        // The relationship alone says what is meant, with or without PhysicsFilteredPairsAPI.
        const bool authored =
            std::find(record.authored.begin(), record.authored.end(), kPairs) != record.authored.end();
        if (!record.has_pairs && !authored) continue;
        const usd::Path& path = record.prim.path();
        if (!record.has_pairs && !known(path)) continue;
        if (!known(path)) {
            reader.found.add(
                kApiMisplaced, record.prim.site(),
                fmt::format("PhysicsFilteredPairsAPI on <{}>, expected a body, collider or articulation", path.text()));
            continue;
        }
        for (const usd::Path& target : reader.targets(record.prim, kPairs)) {
            if (known(target))
                model.filtered_pairs.emplace_back(path, target);
            else
                reader.found.add(kPairTargetInvalid, record.prim.relationship(kPairs).site(),
                                 fmt::format("<{}> filters <{}>", path.text(), target.text()));
        }
    }
}

}  // namespace mechane::physics

#pragma once
// Articulations as OpenUSD 26.11's parser answers them, for Conventions::articulations_as_parsed (usd-physics section
// 10).
#include <vector>

#include "reader.h"

namespace mechane::physics {

class ReferenceArticulations {
  public:
    explicit ReferenceArticulations(const Reader& reader);

    /// Replaces `roots`, `reference_bodies`, `links` (those bodies) and `joints` of the articulation of a record. No
    /// roots: it is invalid.
    void answer(std::size_t record, Articulation& out) const;

  private:
    // A body of a graph, in the order in which a depth-first walk over joints that are not excluded reaches it.
    struct Link {
        Index              body = kNone;
        std::vector<Index> across;               ///< what its joints lead to, kNone is the world
        long               weight      = 0;      ///< the heaviest link with a joint to the world gives the root
        Index              world_joint = kNone;  ///< the last one by path that is not excluded
    };
    using Component = std::vector<Link>;

    [[nodiscard]] Component        reach(Index start, std::vector<char>& seen) const;
    [[nodiscard]] const usd::Path& root_of(const Component& component) const;
    [[nodiscard]] Index            center_of(const Component& component) const;
    [[nodiscard]] const usd::Path& path_of(Index body) const
    { return reader_.model.bodies[static_cast<std::size_t>(body)].path; }

    const Reader& reader_;
    std::vector<std::vector<Index>>
        joints_of_;  ///< enabled joints of each body that is on, by path; twice if with itself
};

}  // namespace mechane::physics

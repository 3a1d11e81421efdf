#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Which faces of a surface look the same way.
namespace mechane::geometry {

/// Two faces that share an edge, and whether they run along it against each other, as faces of one orientation do.
struct FacePair {
    std::int32_t a, b;
    bool         agree;
};

/// The pieces of a surface, and within each the faces that look another way than its first.
struct Facing {
    std::vector<std::int32_t> piece;    ///< by face, counted from 0 in the order of their first faces
    std::vector<bool>         against;  ///< by face: it looks another way than the first face of its piece
    std::int32_t              pieces    = 0;
    bool                      one_sided = false;  ///< no turning makes all pairs agree, as of a Moebius strip

    /// The faces to turn so that each piece looks one way, and as few as possible turn; with equal numbers those that
    /// look another way than the first.
    [[nodiscard]] std::vector<bool> lesser() const;
};

/// Follows the pairs from each face that no other has reached, breadth first. Pairs name faces below `faces`.
[[nodiscard]] Facing facing_of(std::size_t faces, std::span<const FacePair> pairs);

}  // namespace mechane::geometry

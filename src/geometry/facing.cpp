// Which faces of a surface look the same way: a search through the pairs of faces that share an edge. Two faces agree
// if they run along their edge against each other. From the first face of a piece the answer spreads to its neighbours;
// a pair that contradicts what is known already makes the piece one-sided, like a Moebius strip. Pieces are numbered in
// the order of their first faces, so the result depends on nothing but the input.

#include "mechane/geometry/facing.h"

namespace mechane::geometry {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

std::vector<bool> Facing::lesser() const
{
    std::vector<std::size_t> faces(at(pieces)), other(at(pieces));
    for (std::size_t f = 0; f < piece.size(); ++f) ++faces[at(piece[f])], other[at(piece[f])] += against[f] ? 1 : 0;
    std::vector<bool> turn(piece.size());
    // The smaller half of each piece turns; where both are equal, those that differ from the first face.
    for (std::size_t f = 0; f < piece.size(); ++f)
        turn[f] = against[f] != (2 * other[at(piece[f])] > faces[at(piece[f])]);
    return turn;
}

Facing facing_of(std::size_t faces, std::span<const FacePair> pairs)
{
    struct Neighbour {
        std::int32_t face;
        bool         agrees;
    };
    std::vector<std::vector<Neighbour>> beside(faces);
    for (const FacePair& pair : pairs) {
        beside[at(pair.a)].push_back({pair.b, pair.agree});
        beside[at(pair.b)].push_back({pair.a, pair.agree});
    }
    Facing                    out{std::vector<std::int32_t>(faces, -1), std::vector<bool>(faces), 0, false};
    std::vector<std::int32_t> reached;
    for (std::size_t first = 0; first < faces; ++first) {
        if (out.piece[first] >= 0) continue;
        out.piece[first] = out.pieces;
        // Breadth first without recursion: surfaces may have millions of faces.
        reached.assign(1, static_cast<std::int32_t>(first));
        for (std::size_t k = 0; k < reached.size(); ++k)
            for (const auto& [next, agrees] : beside[at(reached[k])]) {
                // Neighbours that agree look the same way, others the other way.
                const bool against = out.against[at(reached[k])] == agrees;
                if (out.piece[at(next)] < 0) {
                    out.piece[at(next)]   = out.pieces;
                    out.against[at(next)] = against;
                    reached.push_back(next);
                } else if (out.against[at(next)] != against) {
                    out.one_sided = true;
                }
            }
        ++out.pieces;
    }
    return out;
}

}  // namespace mechane::geometry

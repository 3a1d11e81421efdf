#pragma once
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace mechane {

/// The representative of a member's set, in an array of parents whose roots are their own; ways to it are halved.
template <class Index>
[[nodiscard]] Index find_root(std::vector<Index>& parent, Index a)
{
    const auto at = [&](Index i) -> Index& { return parent[static_cast<std::size_t>(i)]; };
    while (at(a) != a) a = at(a) = at(at(a));
    return a;
}

/// Joins two sets. The smaller root wins, so that the result does not depend on the order of joining.
template <class Index>
void join_roots(std::vector<Index>& parent, Index a, Index b)
{
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a != b) parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
}

/// Disjoint sets of the numbers below a count, whose representative is their smallest member.
template <class Index = std::size_t>
class DisjointSets {
  public:
    explicit DisjointSets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), Index{0}); }

    [[nodiscard]] Index find(Index a) { return find_root(parent_, a); }
    void                join(Index a, Index b) { join_roots(parent_, a, b); }
    /// Puts `above` over the representative of `below`, which need not be the larger.
    void hang(Index below, Index above)
    { parent_[static_cast<std::size_t>(find(below))] = find(above); }

  private:
    std::vector<Index> parent_;
};

}  // namespace mechane

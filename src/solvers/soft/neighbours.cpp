// Pairs of particles that meet as balls, by a hashed grid whose cell is the largest reach. Pairs are listed as (lower,
// higher) in order, whatever the order of the cells.

#include "solvers/soft/neighbours.h"

#include <algorithm>
#include <cmath>

#include "mechane/core/disjoint_sets.h"
#include "solvers/soft/overlap.h"

namespace mechane::solvers::soft {
namespace {

/// Calls for each two particles that an element holds together.
template <class Call>
void for_each_link(const model::Model& m, const Call& call)
{
    for (std::size_t s = 0; s + 1 < m.spring_indices.size(); s += 2) call(m.spring_indices[s], m.spring_indices[s + 1]);
    const auto all = [&](const auto& rows) {
        for (const auto& row : rows)
            for (std::size_t a = 0; a < row.size(); ++a)
                for (std::size_t b = a + 1; b < row.size(); ++b)
                    if (row[a] >= 0 && row[b] >= 0) call(row[a], row[b]);
    };
    all(m.tri_indices);
    all(m.tet_indices);
}

constexpr std::int64_t kCellOffset = std::int64_t{1} << 20;

/// One number for a cell of the grid; cells far away share numbers, which costs time and nothing else.
std::uint64_t key_of(std::int64_t x, std::int64_t y, std::int64_t z)
{
    // 21 bits for each coordinate of the cell.
    constexpr std::uint64_t kMask = (std::uint64_t{1} << 21) - 1;
    const auto              part  = [&](std::int64_t c) { return static_cast<std::uint64_t>(c + kCellOffset) & kMask; };
    return (part(x) << 42) | (part(y) << 21) | part(z);
}

std::int64_t cell(double x, double size)
{ return static_cast<std::int64_t>(std::clamp(std::floor(x / size), -1e15, 1e15)); }

/// Which particles elements hold together, directly or through others: one number for each such body.
std::vector<std::int32_t> components(const model::Model& m)
{
    DisjointSets<std::int32_t> sets(m.particle_count());
    for_each_link(m, [&](std::int32_t a, std::int32_t b) { sets.join(a, b); });
    std::vector<std::int32_t> out;
    for (std::size_t p = 0; p < m.particle_count(); ++p) out.push_back(sets.find(static_cast<std::int32_t>(p)));
    return out;
}

/// Whether the balls of two particles overlap where the model starts.
bool overlap_at_start(const model::Model& m, std::size_t i, std::size_t j)
{
    const double near = static_cast<double>(m.particle_radius[i]) + static_cast<double>(m.particle_radius[j]);
    return length_squared(static_cast<Vec3d>(m.particle_q[i]) - static_cast<Vec3d>(m.particle_q[j])) < near * near;
}

}  // namespace

Neighbours::Neighbours(const model::Model& m, Leave leave) : leave_(leave)
{
    std::size_t movable = 0;
    for (std::size_t p = 0; p < m.particle_count(); ++p) {
        if (!meets(m, p) || !(m.particle_radius[p] > 0)) continue;
        ++movable;
        most_ = std::max(most_, static_cast<double>(m.particle_radius[p]));
    }
    any_ = movable > 1 && most_ > 0;
    if (!any_) return;
    if (leave == Leave::rings) find_rings(m);
    if (leave == Leave::components) find_components(m);
}

void Neighbours::find_rings(const model::Model& m)
{
    component_ = components(m);
    std::vector<std::vector<std::int32_t>> near(m.particle_count());
    for_each_link(m, [&](std::int32_t a, std::int32_t b) {
        near[static_cast<std::size_t>(a)].push_back(b);
        near[static_cast<std::size_t>(b)].push_back(a);
    });
    for (auto& of : near) {
        std::sort(of.begin(), of.end());
        of.erase(std::unique(of.begin(), of.end()), of.end());
    }
    rings_.resize(near.size());
    for (std::size_t p = 0; p < near.size(); ++p) {
        rings_[p] = near[p];
        for (const std::int32_t q : near[p]) {
            // Rings: neighbours by elements and their neighbours.
            const auto& further = near[static_cast<std::size_t>(q)];
            rings_[p].insert(rings_[p].end(), further.begin(), further.end());
        }
        std::sort(rings_[p].begin(), rings_[p].end());
        rings_[p].erase(std::unique(rings_[p].begin(), rings_[p].end()), rings_[p].end());
    }
}

void Neighbours::find_components(const model::Model& m)
{
    component_ = components(m);
    on_surface_.assign(m.particle_count(), 0);
    for (const auto& t : m.tri_indices)
        for (const std::int32_t p : t) on_surface_[static_cast<std::size_t>(p)] = 1;
    for (const auto& t : m.tet_indices)
        for (const std::int32_t p : t) on_surface_[static_cast<std::size_t>(p)] = 1;
    // A model that is all cloth and soft bodies has nothing that meets as balls.
    any_ = std::find(on_surface_.begin(), on_surface_.end(), 0) != on_surface_.end();
}

bool Neighbours::may_meet(const model::Model& m, std::int32_t a, std::int32_t b) const
{
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    if (!meets(m, j) || (m.particle_inv_mass[i] == 0 && m.particle_inv_mass[j] == 0)) return false;
    const std::int32_t wi = m.particle_world[i], wj = m.particle_world[j];
    if (wi >= 0 && wj >= 0 && wi != wj) return false;
    if (leave_ == Leave::rings)
        return !std::binary_search(rings_[i].begin(), rings_[i].end(), b) &&
               !(component_[i] == component_[j] && overlap_at_start(m, i, j));
    if (leave_ == Leave::components) return component_[i] != component_[j] && !(on_surface_[i] && on_surface_[j]);
    return true;
}

void Neighbours::find(const model::Model& m, const std::vector<Vec3d>& x, double reach)
{
    pairs_.clear();
    if (!any_) return;
    const double size = 2 * most_ + reach;
    cells_.clear();
    for (std::size_t p = 0; p < x.size(); ++p)
        if (meets(m, p) && m.particle_radius[p] > 0 && is_finite(x[p]))
            cells_.emplace_back(key_of(cell(x[p].x, size), cell(x[p].y, size), cell(x[p].z, size)),
                                static_cast<std::int32_t>(p));
    std::sort(cells_.begin(), cells_.end());
    for (std::size_t p = 0; p < x.size(); ++p) {
        if (!meets(m, p) || !(m.particle_radius[p] > 0) || !is_finite(x[p])) continue;
        const std::size_t before = pairs_.size();
        for (std::int64_t dx = -1; dx <= 1; ++dx)
            for (std::int64_t dy = -1; dy <= 1; ++dy)
                for (std::int64_t dz = -1; dz <= 1; ++dz) {
                    const std::uint64_t key =
                        key_of(cell(x[p].x, size) + dx, cell(x[p].y, size) + dy, cell(x[p].z, size) + dz);
                    // Only partners with a higher index: each pair once.
                    auto at = std::lower_bound(cells_.begin(), cells_.end(),
                                               std::pair{key, static_cast<std::int32_t>(p + 1)});
                    for (; at != cells_.end() && at->first == key; ++at) {
                        const auto   q    = static_cast<std::size_t>(at->second);
                        const double near = static_cast<double>(m.particle_radius[p]) +
                                            static_cast<double>(m.particle_radius[q]) + reach;
                        if (length_squared(x[p] - x[q]) > near * near) continue;
                        if (may_meet(m, static_cast<std::int32_t>(p), at->second))
                            pairs_.push_back({static_cast<std::int32_t>(p), at->second});
                    }
                }
        std::sort(pairs_.begin() + static_cast<std::ptrdiff_t>(before), pairs_.end());
    }
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
}

std::size_t overlapping_at_start(const model::Model& m)
{
    if (m.spring_indices.empty() && m.tri_indices.empty() && m.tet_indices.empty()) return 0;
    std::vector<Vec3d> x;
    for (const Vec3& p : m.particle_q) x.push_back(static_cast<Vec3d>(p));
    Neighbours all(m, Neighbours::Leave::nobody), rings;
    all.find(m, x, 0);
    rings.find_rings(m);
    std::size_t count = 0;
    for (const auto& [a, b] : all.pairs()) {
        const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
        if (rings.component_[i] == rings.component_[j] && overlap_at_start(m, i, j) &&
            !std::binary_search(rings.rings_[i].begin(), rings.rings_[i].end(), b))
            ++count;
    }
    return count;
}

}  // namespace mechane::solvers::soft

// Contact matching between two calls of collide: which row of the last call a row continues (Newton's
// `contact_matching`).
// Result per row of this call: index of the old row; -1 where the pair had no rows; -2 where the pair is known and the
// row is not.
// Rows are sorted by pair in both lists, so matching is one walk over both. A match needs the same pair, middles within
// `contact_matching_pos_threshold` [m] and normals within `contact_matching_normal_dot_threshold`.

#include "matching.h"

#include <algorithm>

namespace mechane::collision {

Posed ContactMatcher::pose_of(const model::State& state, std::int32_t shape) const
{
    const std::int32_t body = model_->shape_body[static_cast<std::size_t>(shape)];
    return body < 0 ? Posed{} : static_cast<Posed>(state.body_q[static_cast<std::size_t>(body)]);
}

/// Sticky mode: points and normal of the old row are used again, in the frames of their bodies, so that friction
/// anchors do not creep. Only what touches is replayed: a hovering row has nothing to hold.
void ContactMatcher::replay(const model::State& state, model::Contacts& c, std::size_t row, const Vec3d& normal,
                            const Witness& old) const
{
    if (c.rigid_contact_distance[row] > 0) return;
    const Posed X0 = pose_of(state, c.rigid_contact_shape0[row]), X1 = pose_of(state, c.rigid_contact_shape1[row]);
    const Vec3d p0 = X0 * static_cast<Vec3d>(old.point0), p1 = X1 * static_cast<Vec3d>(old.point1);
    // A witness that slid away says nothing of the surface any more: the fresh one stays.
    const double limit = options_->contact_matching_pos_threshold;
    if (length(p0 - X0 * static_cast<Vec3d>(c.rigid_contact_point0[row])) > limit ||
        length(p1 - X1 * static_cast<Vec3d>(c.rigid_contact_point1[row])) > limit)
        return;
    c.rigid_contact_point0[row]  = old.point0;
    c.rigid_contact_point1[row]  = old.point1;
    c.rigid_contact_offset0[row] = old.offset0;
    c.rigid_contact_offset1[row] = old.offset1;
    c.rigid_contact_normal[row]  = old.normal;
    c.rigid_contact_distance[row] =
        static_cast<Real>(dot(normal, p1 - p0)) - c.rigid_contact_margin0[row] - c.rigid_contact_margin1[row];
}

void ContactMatcher::match(const model::State& state, model::Contacts& c)
{
    const auto n = static_cast<std::size_t>(c.rigid_contact_count);
    now_.clear();
    Posed X0, X1;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t s0 = c.rigid_contact_shape0[i], s1 = c.rigid_contact_shape1[i];
        // Rows of a pair follow each other.
        if (i == 0 || s0 != c.rigid_contact_shape0[i - 1]) X0 = pose_of(state, s0);
        if (i == 0 || s1 != c.rigid_contact_shape1[i - 1]) X1 = pose_of(state, s1);
        const Vec3d middle = 0.5 * (X0 * static_cast<Vec3d>(c.rigid_contact_point0[i]) +
                                    X1 * static_cast<Vec3d>(c.rigid_contact_point1[i]));
        // The key of a pair is both shape indices in one number; the order of keys is that of the rows.
        now_.push_back(
            {(static_cast<std::uint64_t>(static_cast<std::uint32_t>(s0)) << 32) | static_cast<std::uint32_t>(s1),
             middle, static_cast<Vec3d>(c.rigid_contact_normal[i]), false});
    }
    c.rigid_contact_match_index.resize(std::max(c.rigid_contact_match_index.size(), c.capacity()));
    claims_.assign(old_.size(), {kInfinity, -1});
    std::size_t first = 0;  // both lists are sorted by pair
    for (std::size_t i = 0; i < n; ++i) {
        while (first < old_.size() && old_[first].pair < now_[i].pair) ++first;
        double       least = options_->contact_matching_pos_threshold;
        std::int32_t best  = -1;
        bool         known = false;
        for (std::size_t k = first; k < old_.size() && old_[k].pair == now_[i].pair; ++k) {
            if (old_[k].forgotten) continue;
            known          = true;
            const double d = length(old_[k].middle - now_[i].middle);
            if (d > least || (best >= 0 && d == least) ||
                dot(old_[k].normal, now_[i].normal) < options_->contact_matching_normal_dot_threshold)
                continue;
            least = d;
            best  = static_cast<std::int32_t>(k);
        }
        c.rigid_contact_match_index[i] = best >= 0 ? best : known ? -2 : -1;
        if (best < 0) continue;
        // One to one: of several rows that would continue the same old one the nearest does, of equally near ones the
        // first. The others are new rows of a known pair.
        Claim& claim = claims_[static_cast<std::size_t>(best)];
        if (least < claim.distance) {
            if (claim.row >= 0) c.rigid_contact_match_index[static_cast<std::size_t>(claim.row)] = -2;
            claim = {least, static_cast<std::int32_t>(i)};
        } else {
            c.rigid_contact_match_index[i] = -2;
        }
    }
    c.rigid_contact_new_indices.clear();
    c.rigid_contact_broken_indices.clear();
    if (options_->contact_report) {
        c.rigid_contact_new_indices.reserve(c.capacity());
        c.rigid_contact_broken_indices.reserve(c.capacity());
        for (std::size_t i = 0; i < n; ++i)
            if (c.rigid_contact_match_index[i] < 0) c.rigid_contact_new_indices.push_back(static_cast<std::int32_t>(i));
        for (std::size_t k = 0; k < old_.size(); ++k)
            if (claims_[k].row < 0) c.rigid_contact_broken_indices.push_back(static_cast<std::int32_t>(k));
    }
    // The indices speak of the rows of one generation of one buffer. In another buffer, or after a call in between,
    // they mean nothing, which -1 says.
    c.rigid_contact_match_generation = buffer_ == &c ? generation_ : -1;
    buffer_                          = &c;
    generation_                      = c.contact_generation;
    if (options_->contact_matching == ContactMatching::sticky) {
        now_witness_.clear();
        for (std::size_t i = 0; i < n; ++i) {
            if (const std::int32_t k = c.rigid_contact_match_index[i]; k >= 0) {
                const auto old = static_cast<std::size_t>(k);
                replay(state, c, i, old_[old].normal, old_witness_[old]);
                now_[i].normal = static_cast<Vec3d>(c.rigid_contact_normal[i]);
            }
            now_witness_.push_back({c.rigid_contact_point0[i], c.rigid_contact_point1[i], c.rigid_contact_offset0[i],
                                    c.rigid_contact_offset1[i], c.rigid_contact_normal[i]});
        }
        std::swap(old_witness_, now_witness_);
        now_witness_.reserve(old_witness_.capacity());
    }
    std::swap(old_, now_);
    now_.reserve(old_.capacity());
    claims_.reserve(old_.capacity());
}

/// Forgets the rows of some worlds, for instance after an environment was reset. The rows stay in place, so that
/// indices of other worlds remain valid. The last entry of `worlds` stands for shapes of no world.
void ContactMatcher::reset(std::span<const std::uint8_t> worlds)
{
    for (Old& row : old_) {
        const auto marked = [&](std::uint64_t shape) {
            const std::int32_t world = model_->shape_world[static_cast<std::size_t>(shape)];
            const std::size_t  entry = world < 0 ? worlds.size() - 1 : static_cast<std::size_t>(world);
            return entry < worlds.size() && worlds[entry] != 0;
        };
        if (worlds.empty() || marked(row.pair >> 32) || marked(row.pair & 0xffffffffu)) row.forgotten = true;
    }
}

}  // namespace mechane::collision

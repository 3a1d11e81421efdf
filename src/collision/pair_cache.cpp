// Contacts kept between calls (PairCache): a pair that has hardly moved keeps its rows, which are moved along with the
// bodies instead of being found again.
// A row remembers its points in the frames of the bodies, its normal in the frame of the body that owns it, and a
// constant `shift` of the distance (radii and margins). RowMotion gives normal and distance of now:
//     distance = shift + n . (p1 - p0)
// A pair is kept while relative way and turn stay below bounds (KeptMotion) and within the reach with which it was
// looked at: contacts that were farther than the reach cannot have come within it.
// Checkpoints hold the cache, because a replay must find the same rows. save and restore are its format.

#include "mechane/collision/pair_cache.h"

#include <algorithm>
#include <cmath>

#include "mechane/core/bytes.h"
#include "narrow/feature_codes.h"
#include "narrow/pairs.h"
#include "narrow/sdf_contacts.h"
#include "pair_rows.h"

namespace mechane::collision {

namespace {

/// Raised whenever what follows changes.
constexpr std::uint32_t kVersion = 1;

template <class Bytes, class Pair>
void visit_pair(Bytes&& bytes, Pair& p)
{
    bytes(p.shape0);
    bytes(p.shape1);
    bytes(p.count);
    bytes(p.found);
    bytes(p.reach);
}

/// What the next call writes anew is left out.
template <class Bytes, class SomeRow>
void visit_row(Bytes&& bytes, SomeRow& r)
{
    bytes(r.feature);
    bytes(r.point0);
    bytes(r.point1);
    bytes(r.owner);
    bytes(r.fixed_normal);
    bytes(r.shift);
}

/// Of a face of the shape, to rounding.
bool is_face_normal(const Shape& s, const Vec3d& n, std::uint64_t feature)
{
    constexpr double kAlong   = 1 - 1e-12;  // 1e-6 rad
    const Vec3d      local    = transpose_times(s.R, n);
    // Either sign: the row's normal may lead into the face or out of it.
    const auto       of_faces = [&](const HullShape& hull) {
        return std::any_of(hull.face_normals.begin(), hull.face_normals.end(),
                           [&](const Vec3d& face) { return std::abs(dot(face, local)) >= kAlong; });
    };
    switch (s.kind) {
        case ShapeKind::plane:
        case ShapeKind::rectangle:
        case ShapeKind::cylinder:
        case ShapeKind::cone:
            return std::abs(local.z) >= kAlong;
        case ShapeKind::box:
            return max_component(abs(local)) >= kAlong;
        case ShapeKind::hull:
            return of_faces(*s.hull);
        case ShapeKind::mesh: {
            if (s.mesh->hull) return of_faces(*s.mesh->hull);
            const std::int64_t triangle = triangle_of_name(feature);
            return triangle >= 0 && triangle < static_cast<std::int64_t>(s.mesh->normals.size()) &&
                   std::abs(dot(s.mesh->normals[static_cast<std::size_t>(triangle)], local)) >= kAlong;
        }
        case ShapeKind::sphere:
        case ShapeKind::capsule:
        case ShapeKind::ellipsoid:
        case ShapeKind::triangle:
            break;
    }
    return false;
}

/// The body that the normal turns with.
/// A face's normal turns with its body; a normal between two curved or edged features turns with both, by half.
NormalOwner owner_of(const Shape& a, const Shape& b, const Row& row)
{
    // A ball looks the same however it turns.
    if (a.kind == ShapeKind::sphere) return NormalOwner::second;
    if (b.kind == ShapeKind::sphere) return NormalOwner::first;
    const bool both_meshes = a.kind == ShapeKind::mesh && b.kind == ShapeKind::mesh;
    const bool turned      = both_meshes && second_is_surface(a, b);  // names are those of the surface and the other
    const auto surface     = turned ? NormalOwner::second : NormalOwner::first;
    const auto other       = turned ? NormalOwner::first : NormalOwner::second;
    // What clip_faces and collide_face put there: the reference face is that of one or the other, or a point lies
    // straight under a triangle. Not every triangle that is the reference is named.
    const Found  how  = has_field_route(a, b) ? Found::closed_form : how_found(row.feature);
    const Shape&        mesh = turned ? b : a;
    if (mesh.kind == ShapeKind::mesh && !mesh.mesh->hull && (how == Found::on_first_face || how == Found::through_a_face)) return surface;
    if (is_face_normal(a, row.normal, row.feature)) return NormalOwner::first;
    if (is_face_normal(b, row.normal, row.feature)) return NormalOwner::second;
    return how == Found::on_first_face    ? surface
           : how == Found::on_second_face ? other
                                          : NormalOwner::both;
}

/// Touches with another point of itself as soon as it turns.
bool is_curved(ShapeKind k) { return k == ShapeKind::cylinder || k == ShapeKind::cone || k == ShapeKind::ellipsoid; }

/// Angle between two rotations that are close together [rad].
/// For close unit quaternions |a - b| is half the angle, up to third order; the sign makes both of one hemisphere.
double angle_between(const Quatd& a, const Quatd& b)
{
    const double s = dot(a, b) < 0 ? -1 : 1;
    const Quatd  d{a.x - s * b.x, a.y - s * b.y, a.z - s * b.z, a.w - s * b.w};
    return 2 * std::sqrt(dot(d, d));
}

}  // namespace

PairCache::PairCache(const PairCacheOptions& options) : impl_(std::make_unique<Impl>()) { impl_->options = options; }
PairCache::~PairCache()                               = default;
PairCache::PairCache(PairCache&&) noexcept            = default;
PairCache& PairCache::operator=(PairCache&&) noexcept = default;

void PairCache::clear()
{
    impl_->used = 0;
    impl_->pairs.clear();
}

void PairCache::reset(const model::Model& model, std::span<const std::uint8_t> worlds)
{
    if (worlds.empty()) return clear();
    const auto marked = [&](std::int32_t shape) {
        const std::int32_t world = model.shape_world[static_cast<std::size_t>(shape)];
        const std::size_t  entry = world < 0 ? worlds.size() - 1 : static_cast<std::size_t>(world);
        return entry < worlds.size() && worlds[entry] != 0;
    };
    for (std::size_t c = 0; c < impl_->used; ++c)
        for (PairRows& pair : impl_->chunks[c].pairs)
            // The pair stays in the list, since other pairs are found by position; it only counts as unknown.
            if (marked(pair.shape0) || marked(pair.shape1)) pair.reach = kNotKept, pair.apart = {};
}

std::size_t PairCache::pair_count() const
{
    std::size_t count = 0;
    for (std::size_t c = 0; c < impl_->used; ++c)
        for (const PairRows& pair : impl_->chunks[c].pairs) count += pair.reach > kNotKept ? 1 : 0;
    return count;
}

std::vector<std::byte> PairCache::save() const
{
    ByteWriter out;
    out.put(kVersion);
    out.put(static_cast<std::uint64_t>(pair_count()));
    const auto put = [&](const auto& value) { out.put(value); };
    for (std::size_t c = 0; c < impl_->used; ++c) {
        const RowChunk& chunk = impl_->chunks[c];
        for (const PairRows& pair : chunk.pairs) {
            if (pair.reach == kNotKept) continue;
            visit_pair(put, pair);
            for (std::uint32_t i = 0; i < pair.count; ++i) visit_row(put, chunk.rows[pair.first + i]);
        }
    }
    return out.bytes();
}

/// Bytes may come from a file: every count and index is checked, and a faulty image leaves an empty cache.
bool PairCache::restore(std::span<const std::byte> bytes, const model::Model& model)
{
    clear();
    if (bytes.empty()) return true;
    ByteReader in(bytes);
    if (in.take<std::uint32_t>() != kVersion) return false;
    const auto pairs  = in.take<std::uint64_t>();
    const auto shapes = static_cast<std::int32_t>(model.shape_count());
    if (pairs > bytes.size()) return false;
    impl_->chunks.resize((static_cast<std::size_t>(pairs) + kPairsPerChunk - 1) / kPairsPerChunk);
    for (RowChunk& chunk : impl_->chunks) chunk.pairs.clear(), chunk.rows.clear(), chunk.near.clear();
    const auto    get  = [&](auto& value) { in.get(value); };
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < pairs; ++i) {
        RowChunk& chunk = impl_->chunks[i / kPairsPerChunk];
        PairRows  pair;
        visit_pair(get, pair);
        pair.first = static_cast<std::uint32_t>(chunk.rows.size());
        if (pair.shape0 < 0 || pair.shape1 < 0 || pair.shape0 >= shapes || pair.shape1 >= shapes) return clear(), false;
        // Keys must rise: cursors search by them.
        if ((i > 0 && pair.key() <= last) || pair.count > bytes.size()) return clear(), false;
        last = pair.key();
        chunk.pairs.push_back(pair);
        impl_->pairs.emplace_back(pair.shape0, pair.shape1);
        for (std::uint32_t r = 0; r < pair.count && in.good(); ++r) visit_row(get, chunk.rows.emplace_back());
        if (!in.good()) return clear(), false;
    }
    if (!in.done()) {
        clear();
        return false;
    }
    impl_->used = impl_->chunks.size();
    return true;
}

/// Pairs are asked for in rising order, so the cursor only moves forward after the first binary search.
const PairRows* PairCursor::find(std::uint64_t key)
{
    if (!begun_) {
        begun_          = true;
        const auto from = std::partition_point(chunks_.begin(), chunks_.end(),
                                               [&](const RowChunk& c) { return c.pairs.back().key() < key; });
        chunk_          = static_cast<std::size_t>(from - chunks_.begin());
    }
    for (; chunk_ < chunks_.size(); ++chunk_, index_ = 0) {
        const auto& pairs = chunks_[chunk_].pairs;
        while (index_ < pairs.size() && pairs[index_].key() < key) ++index_;
        if (index_ < pairs.size()) return pairs[index_].key() == key ? &pairs[index_] : nullptr;
    }
    return nullptr;
}

bool worth_keeping(const Shape& a, const Shape& b)
{
    if (a.kind == ShapeKind::plane || b.kind == ShapeKind::plane) return false;
    const auto round = [](const Shape& s) { return s.kind == ShapeKind::sphere || s.kind == ShapeKind::capsule; };
    if (round(a) && round(b)) return false;
    // A ball meets a box or a cylinder in a few operations.
    return !(a.kind == ShapeKind::sphere && (b.kind == ShapeKind::box || b.kind == ShapeKind::cylinder));
}

std::int32_t smaller_of(const ShapeSet& set, std::int32_t shape0, std::int32_t shape1)
{ return set.ball[static_cast<std::size_t>(shape0)] < set.ball[static_cast<std::size_t>(shape1)] ? shape0 : shape1; }

PairPose pair_pose(const ShapeSet& set, std::int32_t shape0, std::int32_t shape1)
{
    const BodyMotion & m0 = set.motion_of(shape0), &m1 = set.motion_of(shape1);
    const std::int32_t small = smaller_of(set, shape0, shape1);
    return {in_body(small == shape1 ? m0 : m1, set.shapes[static_cast<std::size_t>(small)].p),
            conjugate(m0.X_WB.q) * m1.X_WB.q};
}

KeptMotion kept_motion(const PairCacheOptions& options, const ShapeSet& set, std::int32_t shape0, std::int32_t shape1)
{
    const auto i = static_cast<std::size_t>(shape0), k = static_cast<std::size_t>(shape1),
               s = static_cast<std::size_t>(smaller_of(set, shape0, shape1));
    const bool curved =
        is_curved(set.kinds[i]) || is_curved(set.kinds[k]) || has_field_route(set.shapes[i], set.shapes[k]);
    const auto most = [&](double straight) { return curved ? std::min(options.curved, straight) : straight; };
    return {most(options.way) * set.extent[s], most(options.turn), set.ball[s]};
}

/// A point of the smaller shape moves by at most way + turn * ball relative to the other body.
bool may_keep(const KeptMotion& most, const PairPose& now, const PairRows& old, double reach)
{
    const double way = length(now.p - old.found.p);
    if (!(way <= most.way)) return false;
    const double turn = angle_between(now.q, old.found.q);
    return turn <= most.turn && reach + way + turn * most.ball <= old.reach;
}

void bind(const ShapeSet& set, const PairRows& pair, const Shape& a, const Shape& b, Row& row)
{
    const BodyMotion &m0 = set.motion_of(pair.shape0), &m1 = set.motion_of(pair.shape1);
    row.owner = owner_of(a, b, row);
    row.fixed_normal =
        static_cast<Vec3>(transpose_times((row.owner == NormalOwner::second ? m1 : m0).R_WB, row.normal));
    // The distance of now is shift + n . (p1 - p0): radius and margin are in the shift.
    row.shift = row.distance - dot(row.normal, m1.R_WB * static_cast<Vec3d>(row.point1) -
                                                   m0.R_WB * static_cast<Vec3d>(row.point0) + (m1.X_WB.p - m0.X_WB.p));
}

RowMotion::RowMotion(const ShapeSet& set, const PairRows& pair, const PairPose& now)
    : set_(&set),
      pair_(&pair),
      now_(&now),
      body0_(&set.motion_of(pair.shape0)),
      body1_(&set.motion_of(pair.shape1)),
      p01_(body1_->X_WB.p - body0_->X_WB.p)
{
}

void RowMotion::apply(Row& row) const
{
    auto n = static_cast<Vec3d>(row.fixed_normal);
    if (row.owner == NormalOwner::both) {
        // By half of what the second body has turned against the first since. A capsule does not show how it turns
        // about its axis: that part is the other's alone, all of it or nothing.
        // Half of a rotation q is normalize(q + 1): (axis, w + 1).
        Quatd turned = now_->q * conjugate(pair_->found.q);
        if (turned.w < 0) turned = {-turned.x, -turned.y, -turned.z, -turned.w};
        Vec3d        axis{turned.x, turned.y, turned.z};
        const Shape &a = set_->shapes[static_cast<std::size_t>(pair_->shape0)],
                    &b = set_->shapes[static_cast<std::size_t>(pair_->shape1)];
        if (a.kind == ShapeKind::capsule || b.kind == ShapeKind::capsule) {
            const bool  first = a.kind == ShapeKind::capsule;
            const Vec3d core  = transpose_times(body0_->R_WB, (first ? a : b).R.column(2));
            axis += (first ? dot(axis, core) : -dot(axis, core)) * core;
        }
        n = rotate(normalized(Quatd{axis.x, axis.y, axis.z, turned.w + 1}), n);
    }
    row.normal   = (row.owner == NormalOwner::second ? body1_ : body0_)->R_WB * n;
    row.distance = row.shift + dot(row.normal, body1_->R_WB * static_cast<Vec3d>(row.point1) -
                                                   body0_->R_WB * static_cast<Vec3d>(row.point0) + p01_);
}

Vec3d RowMotion::middle(const Row& row) const
{
    const double r0 = set_->shapes[static_cast<std::size_t>(pair_->shape0)].core_radius(),
                 r1 = set_->shapes[static_cast<std::size_t>(pair_->shape1)].core_radius();
    return body0_->X_WB.p + 0.5 * (body0_->R_WB * static_cast<Vec3d>(row.point0) + p01_ +
                                   body1_->R_WB * static_cast<Vec3d>(row.point1) + (r0 - r1) * row.normal);
}

}  // namespace mechane::collision

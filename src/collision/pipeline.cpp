#include "mechane/collision/pipeline.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "matching.h"
#include "mechane/collision/narrow.h"
#include "mechane/collision/soft_contacts.h"
#include "mechane/core/assert.h"
#include "mechane/tasks/parallel.h"
#include "narrow/pressure_patch.h"
#include "narrow/sdf_contacts.h"
#include "narrow/swept.h"
#include "radix_sort.h"
#include "shape_set.h"

namespace mechane::collision {

namespace {

/// A row before it is stored.
struct Row {
    std::int32_t  shape0, shape1;
    std::uint64_t feature;
    Vec3d         normal, point0, point1;  ///< normal in the world, core points in body frames
    double        distance;                ///< margins subtracted
    double        stiffness = 0, friction = 0;
    bool          pressure = false;  ///< the points lie on neither surface: no radii and margins
};

/// Memory for contacts of distance fields, made when a task first meets such a pair.
struct FieldWork {
    FieldScratch                 fields;
    PatchScratch                 patch;
    std::vector<ContactPoint>    points;
    std::vector<PressureContact> contacts;
    std::vector<ContactFace>     surface;
};

struct RowRef {
    std::uint64_t pair, feature;
    std::uint32_t chunk, index;  ///< where the row lies; also the last word between rows of one feature
    double        distance;
};

/// What one task finds.
struct Chunk {
    std::vector<Row>           rows;
    std::vector<RowRef>        order, turned;  ///< of the rows by pair and feature; where the second shape comes first
    std::int32_t               unsound = 0;    ///< contacts with a number that is not finite
    StageStatus                faces;
    std::unique_ptr<FieldWork> work;

    FieldWork& field_work()
    {
        if (!work) work = std::make_unique<FieldWork>();
        return *work;
    }
};

/// A total order: by pair, feature, and at last by place of origin, which no thread changes.
bool by_key(const RowRef& x, const RowRef& y)
{
    if (x.pair != y.pair) return x.pair < y.pair;
    if (x.feature != y.feature) return x.feature < y.feature;
    return x.chunk != y.chunk ? x.chunk < y.chunk : x.index < y.index;
}
bool by_depth(const RowRef& x, const RowRef& y)
{ return x.distance != y.distance ? x.distance < y.distance : by_key(x, y); }

using Place = std::pair<std::uint32_t, std::uint32_t>;  ///< of a row: its first shape, where it lies

constexpr std::size_t  kPairsPerChunk = 16, kRowsPerChunk = 256, kRowsAtOnce = 2048;
constexpr std::int64_t kMostPairs = std::int64_t{1} << 26;

double seconds_since(std::chrono::steady_clock::time_point start)
{ return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }

Vec3d velocity_at(const BodyMotion& m, const Vec3d& p) { return m.v + cross(m.w, p - m.com); }

}  // namespace

struct CollisionPipeline::Impl {
    Impl(const model::Model& m, const PipelineOptions& o)
        : options(o),
          set(m, o.pool),
          mode(o.broad_phase == BroadPhaseMode::automatic
                   ? broad_phase_for(set.filters(o.include_static_kinematic_pairs))
                   : o.broad_phase),
          broad(o.user_broad_phase ? o.user_broad_phase
                                   : make_broad_phase(mode, set.filters(o.include_static_kinematic_pairs),
                                                      m.shape_collision_filter_pairs)),
          matcher(m, options),
          policy(o.overflow.value_or(o.rigid_contact_max == 0 ? OverflowPolicy::grow : OverflowPolicy::report))
    {
        // A box deep in a pyramid has 17 rows.
        capacity = o.rigid_contact_max > 0 ? o.rigid_contact_max : std::max<std::size_t>(1000, 20 * m.shape_count());
        if (policy != OverflowPolicy::grow) make_room();
        any_pressure = std::find(set.hydroelastic.begin(), set.hydroelastic.end(), 1) != set.hydroelastic.end();
        if (m.particle_count() > 0 && o.soft_contact_max != 0) soft = std::make_unique<SoftContactFinder>(m, o.pool);
    }

    void collide_pair(const ShapePair& pair, Chunk& chunk);
    bool sweep_pair(std::int32_t i, std::int32_t k, Chunk& chunk);
    void press(const Shape& a, const Shape& b, const Vec3d& origin, std::int32_t i, std::int32_t k, Chunk& chunk);
    void collide_chunk(std::size_t begin, std::size_t end, std::size_t chunk)
    {
        chunks[chunk].rows.clear();
        chunks[chunk].unsound = 0;
        chunks[chunk].faces   = {};
        if (chunks[chunk].work) chunks[chunk].work->surface.clear();
        for (std::size_t i = begin; i < end; ++i) collide_pair(pairs[i], chunks[chunk]);
        order_rows(chunk);
    }
    void order_rows(std::size_t chunk);
    /// Over the pool, or one chunk after the other.
    template <class Work>
    void in_chunks(std::size_t count, std::size_t size, Work&& work)
    {
        const std::size_t n = tasks::chunk_count(count, size);
        if (options.pool && n > 1) return options.pool->for_chunks(count, size, work);
        for (std::size_t c = 0; c < n; ++c) work(c * size, std::min(count, (c + 1) * size), c);
    }
    /// For as many pairs and rows as there may be contacts, so that later calls allocate nothing.
    void make_room()
    {
        pairs.reserve(capacity);
        for (auto* list : {&order, &turned, &merged}) list->reserve(capacity);
        for (auto* list : {&places, &sorted_places}) list->reserve(capacity);
        chunks.resize(tasks::chunk_count(capacity, kPairsPerChunk));
        for (Chunk& chunk : chunks) {
            chunk.rows.reserve(kPairsPerChunk * Manifold::kCapacity / 2);
            for (auto* list : {&chunk.order, &chunk.turned}) list->reserve(kPairsPerChunk * Manifold::kCapacity / 2);
        }
    }
    void collide_all();
    void join(std::vector<RowRef> Chunk::* part, std::vector<RowRef>& all);
    void sort_turned();
    void gather();
    void select(model::Contacts& contacts, CollideStatus& status);
    void find_soft(const model::State& state, model::Contacts& contacts, CollideStatus& status);
    void store(std::size_t row, const RowRef& ref, model::Contacts& contacts) const;

    PipelineOptions                    options;
    ShapeSet                           set;
    BroadPhaseMode                     mode;
    std::shared_ptr<BroadPhase>        broad;
    ContactMatcher                     matcher;
    OverflowPolicy                     policy;
    std::size_t                        capacity = 0;
    double                             dt       = 0;
    std::vector<ShapePair>             pairs;
    std::vector<Chunk>                 chunks;
    std::vector<RowRef>                order, turned, merged;
    std::vector<Place>                 places, sorted_places;  ///< of `turned`
    std::vector<std::size_t>           placed;                 ///< by chunk: where its rows begin in a joint list
    std::vector<ContactFace>           surface;
    bool                               any_pressure = false;
    std::unique_ptr<SoftContactFinder> soft;  ///< where there are particles to be looked at
};

namespace {

bool is_sound(const ContactPoint& p)
{
    return is_finite(p.p0) && is_finite(p.p1) && std::isfinite(p.distance) &&
           std::abs(length_squared(p.normal) - 1) < 1e-4;
}

}  // namespace

/// Pressure contact: margins are part of the field, and only the gap itself is looked ahead.
void CollisionPipeline::Impl::press(const Shape& a, const Shape& b, const Vec3d& origin, std::int32_t i, std::int32_t k,
                                    Chunk& chunk)
{
    const auto         i_ = static_cast<std::size_t>(i), k_ = static_cast<std::size_t>(k);
    FieldWork&         work = chunk.field_work();
    const PressureSide side_a{&a, set.kh[i_], set.margin[i_], i}, side_b{&b, set.kh[k_], set.margin[k_], k};
    const bool         keep_surface = options.hydroelastic.output_contact_surface;
    const std::size_t  first        = work.surface.size();
    find_patch(side_a, side_b, set.gap[i_] + set.gap[k_], options.hydroelastic, work.patch,
               keep_surface ? &work.surface : nullptr);
    for (std::size_t f = first; f < work.surface.size(); ++f)
        for (Vec3d& p : work.surface[f].points) p += origin;
    chunk.faces.needed   = std::max(chunk.faces.needed, static_cast<std::int64_t>(work.patch.needed));
    chunk.faces.capacity = static_cast<std::int64_t>(face_capacity(options.hydroelastic));
    chunk.faces.dropped += static_cast<std::int64_t>(work.patch.needed - work.patch.faces.size());
    patch_contacts(side_a, side_b, options.hydroelastic, work.patch, work.contacts);
    for (const PressureContact& c : work.contacts) {
        if (!is_sound(c.point)) {
            ++chunk.unsound;
            continue;
        }
        chunk.rows.push_back({i, k, c.point.feature, c.point.normal,
                              inverse_times(set.motion_of(i).X_WB, origin + c.point.p0),
                              inverse_times(set.motion_of(k).X_WB, origin + c.point.p1), c.point.distance, c.stiffness,
                              c.friction, true});
    }
}

/// A pair that may cross more than the speculative reach in this step: the contact is that of the moment of touch, as
/// seen from now. False when the two are close already and are looked at as usual.
bool CollisionPipeline::Impl::sweep_pair(std::int32_t i, std::int32_t k, Chunk& chunk)
{
    const auto        i_ = static_cast<std::size_t>(i), k_ = static_cast<std::size_t>(k);
    const BodyMotion &ma = set.motion_of(i), &mb = set.motion_of(k);
    const double      m = set.margin[i_] + set.margin[k_], near = 1e-4;  // farther off the normal would be another
    const Flight      a{&set.shapes[i_], &ma, set.X_BS[i_], set.spin[i_]},
        b{&set.shapes[k_], &mb, set.X_BS[k_], set.spin[k_]};
    const double way = (length(mb.v - ma.v) + a.spin + b.spin) * dt;
    Touch        touch;
    if (!find_touch(a, b, dt * std::min(1.0, kLongestFlight / way), m, near, touch)) return true;
    if (touch.time == 0) return false;
    const double r0 = a.shape->core_radius(), r1 = b.shape->core_radius();
    for (const ContactPoint& p :
         std::span(touch.manifold.points).first(static_cast<std::size_t>(touch.manifold.count))) {
        if (!is_sound(p)) {
            ++chunk.unsound;
            continue;
        }
        const Vec3d  on0 = inverse_times(touch.X_WB0, touch.origin + p.p0),
                     on1 = inverse_times(touch.X_WB1, touch.origin + p.p1);
        const double d   = dot(p.normal, mb.X_WB * on1 - ma.X_WB * on0) - m;
        chunk.rows.push_back({i, k, p.feature, p.normal,
                              inverse_times(touch.X_WB0, touch.origin + p.p0 - r0 * p.normal),
                              inverse_times(touch.X_WB1, touch.origin + p.p1 + r1 * p.normal), d, 0, 0, false});
    }
    return true;
}

void CollisionPipeline::Impl::collide_pair(const ShapePair& pair, Chunk& chunk)
{
    std::int32_t i = pair.first, k = pair.second;
    if (!in_table_order(set.shapes[static_cast<std::size_t>(i)].kind, set.shapes[static_cast<std::size_t>(k)].kind))
        std::swap(i, k);
    const auto i_ = static_cast<std::size_t>(i), k_ = static_cast<std::size_t>(k);
    // Everything is computed relative to the first shape, so far away is as accurate as near by.
    Shape a = set.shapes[i_], b = set.shapes[k_];
    if (options.finite_plane_compat)
        for (Shape* s : {&a, &b})
            if (s->kind == ShapeKind::rectangle) s->kind = ShapeKind::plane;
    const Vec3d origin = a.kind == ShapeKind::plane ? b.p : a.p;
    a.p -= origin, b.p -= origin;
    const BodyMotion &ma = set.motion_of(i), &mb = set.motion_of(k);
    const double      m = set.margin[i_] + set.margin[k_], g = set.gap[i_] + set.gap[k_];
    const double      way    = (length(mb.v - ma.v) + set.spin[i_] + set.spin[k_]) * dt,
                      travel = std::min(way, options.speculative_max);
    if (set.hydroelastic[i_] && set.hydroelastic[k_]) return press(a, b, origin, i, k, chunk);
    if (way > travel && options.sweep_fast_bodies && !has_field_route(a, b) && b.kind != ShapeKind::mesh &&
        sweep_pair(i, k, chunk))
        return;
    Manifold                      manifold;
    std::span<const ContactPoint> found;
    if (has_field_route(a, b)) {
        FieldWork& work = chunk.field_work();
        collide_fields(a, b, m + std::max(g, travel), options.reduce_contacts, work.fields, work.points);
        found = work.points;
    } else {
        const double reach = m + std::max(g, travel);
        options.user_narrow_phase ? options.user_narrow_phase(a, b, reach, manifold)
                                  : collision::collide(a, b, reach, manifold);
        found = std::span(manifold.points).first(static_cast<std::size_t>(manifold.count));
    }
    const double r0 = a.core_radius(), r1 = b.core_radius();
    for (const ContactPoint& p : found) {
        if (!is_sound(p)) {
            ++chunk.unsound;
            continue;
        }
        const double d = p.distance - m;
        if (d > g) {  // admitted only if it closes within this step
            const Vec3d  middle  = origin + 0.5 * (p.p0 + p.p1);
            const double closing = -dot(velocity_at(mb, middle) - velocity_at(ma, middle), p.normal);
            if (d > std::min(closing * dt, options.speculative_max)) continue;
        }
        chunk.rows.push_back({i, k, p.feature, p.normal, inverse_times(ma.X_WB, origin + p.p0 - r0 * p.normal),
                              inverse_times(mb.X_WB, origin + p.p1 + r1 * p.normal), d, 0, 0, false});
    }
}

/// Pairs come sorted, so rows are so too but for the few of a pair among themselves.
void CollisionPipeline::Impl::order_rows(std::size_t c)
{
    Chunk& chunk = chunks[c];
    chunk.order.clear();
    chunk.turned.clear();
    for (std::size_t i = 0; i < chunk.rows.size();) {
        const std::int32_t   s0 = chunk.rows[i].shape0, s1 = chunk.rows[i].shape1;
        std::vector<RowRef>& list = s0 < s1 ? chunk.order : chunk.turned;
        const auto           pair =
            (static_cast<std::uint64_t>(static_cast<std::uint32_t>(s0)) << 32) | static_cast<std::uint32_t>(s1);
        const auto begin = static_cast<std::ptrdiff_t>(list.size());
        for (; i < chunk.rows.size() && chunk.rows[i].shape0 == s0 && chunk.rows[i].shape1 == s1; ++i)
            list.push_back({pair, chunk.rows[i].feature, static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(i),
                            chunk.rows[i].distance});
        std::sort(list.begin() + begin, list.end(), by_key);
    }
}

/// What chunks have in one of their lists, one after the other.
void CollisionPipeline::Impl::join(std::vector<RowRef> Chunk::* part, std::vector<RowRef>& all)
{
    constexpr std::size_t kChunksAtOnce = 64;
    const std::size_t     used          = tasks::chunk_count(pairs.size(), kPairsPerChunk);
    std::size_t           rows          = 0;
    placed.clear();
    for (std::size_t c = 0; c < used; ++c) {
        placed.push_back(rows);
        rows += (chunks[c].*part).size();
    }
    all.resize(rows);
    const auto copy = [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t c = begin; c < end; ++c)
            std::copy((chunks[c].*part).begin(), (chunks[c].*part).end(),
                      all.begin() + static_cast<std::ptrdiff_t>(placed[c]));
    };
    in_chunks(used, kChunksAtOnce, std::cref(copy));
}

/// Of one first shape they come in order of the second already.
void CollisionPipeline::Impl::sort_turned()
{
    places.clear();
    for (const RowRef& r : turned)
        places.emplace_back(static_cast<std::uint32_t>(r.pair >> 32), static_cast<std::uint32_t>(places.size()));
    radix_sort(places, sorted_places, [](const Place& place) { return std::uint64_t{place.first}; });
    merged.resize(turned.size());
    const auto move = [this](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i) merged[i] = turned[places[i].second];
    };
    in_chunks(turned.size(), kRowsAtOnce, std::cref(move));
    turned.swap(merged);
}

/// Rows of all chunks in order. Those of pairs whose second shape comes first (meshes, planes) are sorted apart and
/// merged in.
void CollisionPipeline::Impl::gather()
{
    constexpr std::size_t kFew = 512;
    join(&Chunk::order, order);
    join(&Chunk::turned, turned);
    if (turned.empty()) return;
    if (turned.size() <= kFew)
        std::sort(turned.begin(), turned.end(), by_key);
    else
        sort_turned();
    merged.resize(order.size() + turned.size());
    // Any piece of the longer list knows which of the other's rows belong to it.
    const auto &longer  = order.size() < turned.size() ? turned : order,
               &other   = order.size() < turned.size() ? order : turned;
    const auto first_of = [&](std::size_t row) {
        if (row == 0 || row == longer.size()) return row == 0 ? other.begin() : other.end();
        return std::lower_bound(other.begin(), other.end(), longer[row], by_key);
    };
    const auto merge = [&](std::size_t begin, std::size_t end, std::size_t) {
        const auto at = [](const std::vector<RowRef>& list, std::size_t row) {
            return list.begin() + static_cast<std::ptrdiff_t>(row);
        };
        const auto from = first_of(begin), to = first_of(end);
        std::merge(at(longer, begin), at(longer, end), from, to,
                   merged.begin() + static_cast<std::ptrdiff_t>(begin) + (from - other.begin()), by_key);
    };
    in_chunks(longer.size(), kRowsAtOnce, std::cref(merge));
    order.swap(merged);
}

void CollisionPipeline::Impl::store(std::size_t row, const RowRef& ref, model::Contacts& contacts) const
{
    const Row&   r  = chunks[ref.chunk].rows[ref.index];
    const auto   s0 = static_cast<std::size_t>(r.shape0), s1 = static_cast<std::size_t>(r.shape1);
    const double m0                    = r.pressure ? 0 : set.shapes[s0].core_radius() + set.margin[s0];
    const double m1                    = r.pressure ? 0 : set.shapes[s1].core_radius() + set.margin[s1];
    contacts.rigid_contact_shape0[row] = r.shape0;
    contacts.rigid_contact_shape1[row] = r.shape1;
    contacts.rigid_contact_point0[row] = static_cast<Vec3>(r.point0);
    contacts.rigid_contact_point1[row] = static_cast<Vec3>(r.point1);
    const auto offset                  = [&](std::int32_t shape, double m) {
        return m == 0 ? Vec3{} : static_cast<Vec3>(rotate_inverse(set.motion_of(shape).X_WB.q, m * r.normal));
    };
    contacts.rigid_contact_offset0[row]  = offset(r.shape0, m0);
    contacts.rigid_contact_offset1[row]  = offset(r.shape1, -m1);
    contacts.rigid_contact_normal[row]   = static_cast<Vec3>(r.normal);
    contacts.rigid_contact_margin0[row]  = static_cast<Real>(m0);
    contacts.rigid_contact_margin1[row]  = static_cast<Real>(m1);
    contacts.rigid_contact_distance[row] = static_cast<Real>(r.distance);
    contacts.rigid_contact_feature[row]  = r.feature;
    contacts.rigid_contact_force[row]    = {};
    if (contacts.rigid_contact_stiffness.empty()) return;
    contacts.rigid_contact_stiffness[row] = static_cast<Real>(r.stiffness);
    contacts.rigid_contact_damping[row]   = 0;
    contacts.rigid_contact_friction[row]  = static_cast<Real>(r.friction);
}

void CollisionPipeline::Impl::collide_all()
{
    const std::size_t n = tasks::chunk_count(pairs.size(), kPairsPerChunk);
    if (chunks.size() < n) chunks.resize(n);
    in_chunks(pairs.size(), kPairsPerChunk,
              [this](std::size_t begin, std::size_t end, std::size_t chunk) { collide_chunk(begin, end, chunk); });
}

/// Fits the rows to the buffer, or the buffer to the rows, as the policy says.
void CollisionPipeline::Impl::select(model::Contacts& contacts, CollideStatus& status)
{
    const std::size_t needed = order.size();
    if (needed > contacts.capacity() && policy == OverflowPolicy::grow) {
        capacity = needed + needed / 4;
        contacts.resize(capacity);
    }
    if (needed > contacts.capacity()) {
        if (policy == OverflowPolicy::error) {
            order.clear();
        } else {
            std::sort(order.begin(), order.end(), by_depth);
            order.resize(contacts.capacity());
            std::sort(order.begin(), order.end(), by_key);
        }
        status.overflow = true;
    }
    status.rows = {static_cast<std::int64_t>(needed), static_cast<std::int64_t>(contacts.capacity()),
                   static_cast<std::int64_t>(needed - order.size())};
}

void CollisionPipeline::Impl::find_soft(const model::State& state, model::Contacts& contacts, CollideStatus& status)
{
    contacts.soft_contact_count = contacts.soft_contact_needed = 0;
    contacts.soft_contact_full_surface                         = false;
    if (!soft) return;
    const std::size_t most =
        options.soft_contact_max.value_or(static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()));
    soft->find(state, particles_of(set.model(), state, options.enable_rigid_soft_full_surface_contact),
               options.soft_contact_gap, contacts, most);
    contacts.soft_contact_full_surface = options.enable_rigid_soft_full_surface_contact;
    if (contacts.soft_contact_needed > contacts.soft_contact_count) {
        if (policy == OverflowPolicy::error) contacts.soft_contact_count = 0;
        status.overflow = true;
    }
    status.soft = {contacts.soft_contact_needed, static_cast<std::int64_t>(contacts.soft_capacity()),
                   contacts.soft_contact_needed - contacts.soft_contact_count};
}

CollisionPipeline::CollisionPipeline(const model::Model& model, const PipelineOptions& options)
{
    MCH_ASSERT(validate(options));
    impl_ = std::make_unique<Impl>(model, options);
}
CollisionPipeline::~CollisionPipeline()                            = default;
CollisionPipeline::CollisionPipeline(CollisionPipeline&&) noexcept = default;

const Diagnostics&           CollisionPipeline::diagnostics() const { return impl_->set.found; }
BroadPhaseMode               CollisionPipeline::broad_phase() const { return impl_->mode; }
OverflowPolicy               CollisionPipeline::overflow_policy() const { return impl_->policy; }
std::size_t                  CollisionPipeline::sdf_count() const { return impl_->set.sdf_count(); }
std::span<const ContactFace> CollisionPipeline::contact_surface() const { return impl_->surface; }

void CollisionPipeline::reread_transforms()
{
    impl_->set.reread_transforms();
    if (impl_->soft) impl_->soft->reread_transforms();
}

void CollisionPipeline::set_soft_contact_gap(double gap)
{
    MCH_CHECK(gap >= 0 && std::isfinite(gap));
    impl_->options.soft_contact_gap = gap;
}

model::Contacts CollisionPipeline::make_contacts() const
{
    model::Contacts contacts;
    contacts.resize(impl_->capacity);
    if (impl_->any_pressure) contacts.with_stiffness();
    if (impl_->soft) contacts.resize_soft(impl_->options.soft_contact_max.value_or(0));
    contacts.reset_custom(impl_->set.model().custom_arrays);
    return contacts;
}

void CollisionPipeline::reset_contact_matching(std::span<const std::uint8_t> worlds) { impl_->matcher.reset(worlds); }

CollideStatus CollisionPipeline::collide(const model::State& state, double dt, model::Contacts& contacts)
{
    Impl&         impl = *impl_;
    CollideStatus status;
    auto          start = std::chrono::steady_clock::now();
    impl.dt             = dt > 0 && std::isfinite(dt) ? dt : 0;
    impl.set.place(state, impl.dt, impl.options.speculative_max, impl.options.sweep_fast_bodies, impl.options.pool);
    const auto limit = static_cast<std::size_t>(impl.options.shape_pairs_max.value_or(kMostPairs));
    const bool all_pairs =
        impl.broad->find_pairs(impl.set.boxes, impl.set.planes, impl.pairs, limit, impl.options.pool);
    status.broad_phase_s   = seconds_since(start);
    status.candidate_pairs = static_cast<std::int32_t>(impl.pairs.size());
    status.overflow        = !all_pairs;
    status.pairs           = {static_cast<std::int64_t>(impl.pairs.size()) + (all_pairs ? 0 : 1),
                              static_cast<std::int64_t>(limit), all_pairs ? 0 : 1};
    status.unsound_bodies  = impl.set.unsound_bodies;

    start = std::chrono::steady_clock::now();
    impl.collide_all();
    const auto sorting = std::chrono::steady_clock::now();
    impl.gather();
    status.sort_s = seconds_since(sorting);
    impl.surface.clear();
    for (std::size_t c = 0; c < tasks::chunk_count(impl.pairs.size(), kPairsPerChunk); ++c) {
        const Chunk& chunk = impl.chunks[c];
        status.unsound_rows += chunk.unsound;
        status.faces.needed   = std::max(status.faces.needed, chunk.faces.needed);
        status.faces.capacity = std::max(status.faces.capacity, chunk.faces.capacity);
        status.faces.dropped += chunk.faces.dropped;
        if (chunk.work) impl.surface.insert(impl.surface.end(), chunk.work->surface.begin(), chunk.work->surface.end());
    }
    if (status.faces.dropped > 0) status.overflow = true;
    impl.select(contacts, status);
    if (impl.any_pressure) contacts.with_stiffness();
    contacts.reset_custom(impl.set.model().custom_arrays);
    impl.in_chunks(impl.order.size(), kRowsPerChunk, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t row = begin; row < end; ++row) impl.store(row, impl.order[row], contacts);
    });
    impl.find_soft(state, contacts, status);
    contacts.rigid_contact_count  = static_cast<std::int32_t>(impl.order.size());
    contacts.rigid_contact_needed = static_cast<std::int32_t>(status.rows.needed);
    contacts.contact_generation   = contacts.next_generation();
    if (impl.options.contact_matching != ContactMatching::disabled) {
        const auto matching = std::chrono::steady_clock::now();
        impl.matcher.match(state, contacts);
        status.match_s = seconds_since(matching);
    }
    status.contacts       = contacts.rigid_contact_count;
    status.narrow_phase_s = seconds_since(start);
    return status;
}

}  // namespace mechane::collision

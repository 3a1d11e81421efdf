// CollisionPipeline: from a state to rows of model::Contacts. It places shapes, asks the broad phase for pairs,
// computes their contacts in chunks, and writes rows in the order (shape 0, shape 1, feature).
// Inputs: model, state (poses and velocities of bodies in the world), time step [s]. Rows hold points in the frames of
// the bodies [m], the normal in the world from shape 0 to shape 1, distances of the offset surfaces.
// Determinism: pairs are sorted, chunks are of fixed size, each writes its own rows, and a prefix sum places them. No
// result depends on the number of threads, nor, without a PairCache, on earlier calls.
// After a first call with the same numbers of pairs and rows nothing is allocated.

#include "mechane/collision/pipeline.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include "matching.h"
#include "mechane/collision/gjk.h"
#include "mechane/collision/narrow.h"
#include "mechane/collision/soft_contacts.h"
#include "mechane/core/failure.h"
#include "mechane/tasks/by_place.h"
#include "mechane/tasks/parallel.h"
#include "narrow/pairs.h"
#include "narrow/pressure_patch.h"
#include "narrow/sdf_contacts.h"
#include "narrow/swept.h"
#include "pair_rows.h"
#include "radix_sort.h"
#include "shape_set.h"

namespace mechane::collision {

namespace {

/// Memory for contacts of distance fields, made when a task first meets such a pair.
struct FieldWork {
    FieldScratch                 fields;
    PatchScratch                 patch;
    std::vector<ContactPoint>    points;
    std::vector<PressureContact> contacts;
    std::vector<ContactFace>     surface;
};

/// What one task works with, and what it counts.
/// On cache lines of its own: tasks write to neighbouring tallies at the same time.
struct alignas(64) Tally {
    std::int32_t               unsound = 0;           ///< contacts with a number that is not finite
    std::int32_t               kept    = 0;           ///< pairs whose contacts are those of the last call
    std::size_t                begin = 0, count = 0;  ///< of its rows in the buffer
    bool                       stored = false;        ///< they lie there already
    StageStatus                faces;
    std::unique_ptr<FieldWork> work;

    FieldWork& field_work()
    {
        if (!work) work = std::make_unique<FieldWork>();
        return *work;
    }
};

/// Where a task writes to.
struct Chunk {
    RowChunk& found;
    Tally&    tally;

    void add(const Row& row) { found.rows.push_back(row); }
};

/// A row by what decides which ones are kept when there are too many.
struct RowDepth {
    double        distance;
    std::uint32_t place;  ///< among all rows in order
};

constexpr std::size_t  kChunksAtOnce = 4, kOrderedAtOnce = 1024;
constexpr double       kStepsAhead = 4;  ///< so many calls a look at the tree of a mesh is made to last
constexpr std::int64_t kMostPairs  = std::int64_t{1} << 26;

double seconds_since(std::chrono::steady_clock::time_point start)
{ return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }

/// A convex shape that is closed: separated by a plane or touched.
bool is_solid(ShapeKind k)
{ return k != ShapeKind::plane && k != ShapeKind::rectangle && k != ShapeKind::mesh && k != ShapeKind::triangle; }

Vec3d velocity_at(const BodyMotion& m, const Vec3d& p) { return m.v + cross(m.w, p - m.com); }

}  // namespace

struct CollisionPipeline::Impl {
    Impl(const model::Model& m, const PipelineOptions& o)
        : options(o),
          set(m, o.pool, model::shape_flag::collide_shapes, o.like ? &o.like->impl_->set : nullptr),
          mode(o.broad_phase == BroadPhaseMode::automatic
                   ? broad_phase_for(set.filters(o.include_static_kinematic_pairs))
                   : o.broad_phase),
          broad(o.user_broad_phase ? o.user_broad_phase
                                   : make_broad_phase(mode, set.filters(o.include_static_kinematic_pairs),
                                                      m.shape_collision_filter_pairs)),
          matcher(m, options),
          // A buffer of a size that the caller chose is not grown behind his back.
          policy(o.overflow.value_or(o.rigid_contact_max == 0 ? OverflowPolicy::grow : OverflowPolicy::report))
    {
        // A box deep in a pyramid has 17 rows.
        capacity = o.rigid_contact_max > 0 ? o.rigid_contact_max : std::max<std::size_t>(1000, 20 * m.shape_count());
        if (policy != OverflowPolicy::grow) make_room();
        any_pressure = std::find(set.hydroelastic.begin(), set.hydroelastic.end(), 1) != set.hydroelastic.end();
        if (m.particle_count() > 0 && o.soft_contact_max != 0) soft = std::make_unique<SoftContactFinder>(m, o.pool);
    }

    /// How contacts of a pair are looked for in this step.
    struct Search {
        double     gap, margin, reach;              ///< [m]; sums of both shapes; up to where
        double     look;                            ///< as reach, farther where the contacts may be kept
        // `fast` follows a pair along its way; `pressure` goes to hydroelastic contact; `keeps` allows rows to be kept.
        bool       fast = false, pressure = false;  ///< followed along its way; fields of pressure
        bool       keeps = false;                   ///< the contacts may be kept for the next call
        KeptMotion most{};                          ///< while it moves no farther
        PairPose   now{};                           ///< where it is
    };
    /// What one call is about.
    struct Call {
        double           dt    = 0;        ///< [s]
        PairCache::Impl* cache = nullptr;  ///< of a simulation, or none
        model::Contacts& contacts;         ///< where the rows go
        bool same   = false;  ///< `chunks` hold the pairs and rows of the last call already; those of the cache are old
        bool steady = false;  ///< in the last call the rows of each task went where they had gone before
    };
    [[nodiscard]] Search search_for(const Call& call, const PairRows& pair) const;
    void collide_pair(const Call& call, PairRows& pair, const RowChunk* known, const PairRows* old, Chunk& chunk);
    [[nodiscard]] bool stays(const PairRows& old, const Search& search) const
    { return may_keep(search.most, search.now, old, search.reach); }
    void keep_rows(const Call& call, const PairRows& pair, const Search& search, std::span<Row> rows) const;
    bool stay_apart(const Call& call, PairRows& pair, const Search& search, const Vec3& apart) const;
    void remember_apart(PairRows& pair, const Vec3d& n) const
    { pair.apart = static_cast<Vec3>(transpose_times(set.motion_of(pair.shape0).R_WB, n)); }
    bool keep_chunk(const Call& call, Chunk& chunk) const;
    bool sweep_pair(const Call& call, PairRows& pair, Chunk& chunk);
    void press(const Shape& a, const Shape& b, const Vec3d& origin, std::int32_t i, std::int32_t k, Chunk& chunk);
    void collide_chunk(const Call& call, std::size_t begin, std::size_t end, std::size_t index);
    [[nodiscard]] bool closes(const Call& call, const PairRows& pair, const Row& row, const Vec3d& middle) const;
    /// For as many pairs and rows as there may be contacts, so that later calls allocate nothing.
    void make_room()
    {
        pairs.reserve(capacity);
        tallies.resize(tasks::chunk_count(capacity, kPairsPerChunk));
        make_room(chunks);
    }
    void make_room(std::vector<RowChunk>& list) const
    {
        list.resize(tallies.size());
        for (RowChunk& chunk : list) {
            chunk.pairs.reserve(kPairsPerChunk);
            chunk.rows.reserve(kPairsPerChunk * Manifold::kCapacity / 2);
            chunk.near.reserve(kPairsPerChunk);
        }
    }
    void                      order_pairs();
    void                      collide_all(Call& call);
    [[nodiscard]] std::size_t growth_limit() const;
    void                      select(model::Contacts& contacts, CollideStatus& status);
    void                      keep_deepest(std::size_t count);
    std::size_t               place_rows();
    void                      find_soft(const model::State& state, model::Contacts& contacts, CollideStatus& status);
    void                      store(std::size_t chunk, model::Contacts& contacts) const;
    void                      store_early(const Call& call, std::size_t index, std::size_t last_count);

    PipelineOptions                    options;
    ShapeSet                           set;
    BroadPhaseMode                     mode;
    std::shared_ptr<BroadPhase>        broad;
    ContactMatcher                     matcher;
    OverflowPolicy                     policy;
    std::size_t                        capacity   = 0;
    bool                               steady     = false;    ///< the rows of each task went where they had gone before
    const PairCache::Impl*             last_cache = nullptr;  ///< of the last call
    std::size_t                        tallied    = 0;        ///< tasks of the last call
    std::vector<ShapePair>             pairs, straight, turned;
    std::vector<std::size_t>           turned_from;  ///< of those to be turned, by parts of the pairs
    std::vector<Tally>                 tallies;      ///< one for each chunk of pairs
    std::vector<RowChunk>              chunks;       ///< what they find
    std::vector<std::uint32_t>         chunk_order;  ///< in which they are handed out
    std::vector<RowDepth>              depths;       ///< when there are too many rows
    std::vector<ContactFace>           surface;
    bool                               any_pressure = false;
    std::unique_ptr<SoftContactFinder> soft;  ///< where there are particles to be looked at
};

namespace {

/// Rows with numbers that are not finite are counted and left out: a solver would spread them over the world.
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
    FieldWork&         work = chunk.tally.field_work();
    const PressureSide side_a{&a, set.kh[i_], set.margin[i_], i}, side_b{&b, set.kh[k_], set.margin[k_], k};
    const bool         keep_surface = options.hydroelastic.output_contact_surface;
    const std::size_t  first        = work.surface.size();
    find_patch(side_a, side_b, set.gap[i_] + set.gap[k_], options.hydroelastic, work.patch,
               keep_surface ? &work.surface : nullptr);
    for (std::size_t f = first; f < work.surface.size(); ++f)
        for (Vec3d& p : work.surface[f].points) p += origin;
    StageStatus& faces = chunk.tally.faces;
    faces.needed       = std::max(faces.needed, static_cast<std::int64_t>(work.patch.needed));
    faces.capacity     = static_cast<std::int64_t>(face_capacity(options.hydroelastic));
    faces.dropped += static_cast<std::int64_t>(work.patch.needed - work.patch.faces.size());
    patch_contacts(side_a, side_b, options.hydroelastic, work.patch, work.contacts);
    for (const PressureContact& c : work.contacts) {
        if (!is_sound(c.point)) {
            ++chunk.tally.unsound;
            continue;
        }
        // Points are in the frames of the bodies, without margin: the field has it already.
        chunk.add({.feature      = c.point.feature,
                   .normal       = c.point.normal,
                   .point0       = static_cast<Vec3>(inverse_times(set.motion_of(i).X_WB, origin + c.point.p0)),
                   .point1       = static_cast<Vec3>(inverse_times(set.motion_of(k).X_WB, origin + c.point.p1)),
                   .distance     = c.point.distance,
                   .stiffness    = static_cast<Real>(c.stiffness),
                   .friction     = static_cast<Real>(c.friction),
                   .pressure     = true,
                   .fixed_normal = {}});
    }
}

/// A pair that may cross more than the speculative reach in this step: the contact is that of the moment of touch, as
/// seen from now. False when the two are close already and are looked at as usual.
bool CollisionPipeline::Impl::sweep_pair(const Call& call, PairRows& pair, Chunk& chunk)
{
    const auto        i = pair.shape0, k = pair.shape1;
    const auto        i_ = static_cast<std::size_t>(i), k_ = static_cast<std::size_t>(k);
    const BodyMotion &ma = set.motion_of(i), &mb = set.motion_of(k);
    // Bodies stop where margins are 0.1 mm apart.
    const double      m = set.margin[i_] + set.margin[k_], near = 1e-4;  // farther off the normal would be another
    const Flight      a{&set.shapes[i_], &ma, set.X_BS[i_], set.spin[i_]},
        b{&set.shapes[k_], &mb, set.X_BS[k_], set.spin[k_]};
    // Longer flights than kLongestFlight are cut, so that the bound's numbers stay sound.
    const double way = (length(mb.v - ma.v) + a.spin + b.spin) * call.dt;
    Touch        touch;
    if (!find_touch(a, b, call.dt * std::min(1.0, kLongestFlight / way), m, near, touch)) {
        remember_apart(pair, touch.apart);
        return true;
    }
    if (touch.time == 0) return false;
    const double r0 = a.shape->core_radius(), r1 = b.shape->core_radius();
    for (const ContactPoint& p :
         std::span(touch.manifold.points).first(static_cast<std::size_t>(touch.manifold.count))) {
        if (!is_sound(p)) {
            ++chunk.tally.unsound;
            continue;
        }
        const Vec3d  on0 = inverse_times(touch.X_WB0, touch.origin + p.p0),
                     on1 = inverse_times(touch.X_WB1, touch.origin + p.p1);
        // The distance of now along the normal of the touch: a solver that stops the approach by then stops it at the
        // touch.
        const double d   = dot(p.normal, mb.X_WB * on1 - ma.X_WB * on0) - m;
        chunk.add({.feature      = p.feature,
                   .normal       = p.normal,
                   .point0       = static_cast<Vec3>(inverse_times(touch.X_WB0, touch.origin + p.p0 - r0 * p.normal)),
                   .point1       = static_cast<Vec3>(inverse_times(touch.X_WB1, touch.origin + p.p1 + r1 * p.normal)),
                   .distance     = d,
                   .fixed_normal = {}});
    }
    return true;
}

/// Whether a contact beyond the gap closes within this step; `middle` is where it is.
bool CollisionPipeline::Impl::closes(const Call& call, const PairRows& pair, const Row& row, const Vec3d& middle) const
{
    const BodyMotion &ma = set.motion_of(pair.shape0), &mb = set.motion_of(pair.shape1);
    // Speed at which both surfaces approach along the normal at this point.
    const double      closing = -dot(velocity_at(mb, middle) - velocity_at(ma, middle), row.normal);
    return row.distance <= std::min(closing * call.dt, options.speculative_max);
}

CollisionPipeline::Impl::Search CollisionPipeline::Impl::search_for(const Call& call, const PairRows& pair) const
{
    const auto        i = static_cast<std::size_t>(pair.shape0), k = static_cast<std::size_t>(pair.shape1);
    const BodyMotion &ma = set.motion_of(pair.shape0), &mb = set.motion_of(pair.shape1);
    Search            out;
    out.gap             = set.gap[i] + set.gap[k];
    out.margin          = set.margin[i] + set.margin[k];
    const double way    = (length(mb.v - ma.v) + set.spin[i] + set.spin[k]) * call.dt,
                 travel = std::min(way, options.speculative_max);
    // As far as the shapes can approach within the step, at least the gap.
    out.reach           = out.margin + std::max(out.gap, travel);
    out.fast            = way > travel && options.sweep_fast_bodies;
    out.pressure        = set.hydroelastic[i] && set.hydroelastic[k];
    out.keeps           = call.cache && !out.fast && !out.pressure && worth_keeping(set.shapes[i], set.shapes[k]);
    out.look            = out.reach;
    if (out.keeps) {
        out.most = kept_motion(call.cache->options, set, pair.shape0, pair.shape1);
        // Farther, so that rows and near misses stay valid while the pair moves.
        out.look += out.most.reach();
        out.now = pair_pose(set, pair.shape0, pair.shape1);
    }
    return out;
}

/// Moves contacts of the last call that still tell those of now. The pair is that of now but for where they were found.
void CollisionPipeline::Impl::keep_rows(const Call& call, const PairRows& pair, const Search& search,
                                        std::span<Row> rows) const
{
    const RowMotion motion(set, pair, search.now);
    for (Row& row : rows) {
        motion.apply(row);
        row.admitted = row.distance <= search.gap || closes(call, pair, row, motion.middle(row));
    }
}

/// Whether what told the shapes of a pair apart before still does: then it is left as a look that finds nothing leaves
/// it.
bool CollisionPipeline::Impl::stay_apart(const Call& call, PairRows& pair, const Search& search,
                                         const Vec3& apart) const
{
    constexpr double kSlack = 1e-6;  ///< rounding [m]
    constexpr double kAside = 1e-3;  ///< what comes nearer than this on its way is looked at [m]
    if (apart == Vec3{}) return false;
    const auto        i = static_cast<std::size_t>(pair.shape0), k = static_cast<std::size_t>(pair.shape1);
    const Shape &     a = set.shapes[i], &b = set.shapes[k];
    const BodyMotion &ma = set.motion_of(pair.shape0), &mb = set.motion_of(pair.shape1);
    const Vec3d       n       = normalized(ma.R_WB * static_cast<Vec3d>(apart));
    const double      room    = separation(a, b, n) - a.core_radius() - b.core_radius();
    const double      closing = set.spin[i] + set.spin[k] - dot(mb.v - ma.v, n);
    // A fast pair must keep clear for the whole step, others only now.
    if (!(room > (search.fast ? search.margin + kAside + std::max(0.0, closing * call.dt) : search.look + kSlack)))
        return false;
    pair.apart = apart;
    if (search.keeps) {
        pair.found = search.now;
        pair.reach = search.look;
    }
    return true;
}

/// Moves all rows of a chunk where they lie.
/// @return false when some pair has to be looked at anew; what was moved until then may be moved again
/// At rest most chunks take this way: rows are moved in place and neither copied nor sorted.
bool CollisionPipeline::Impl::keep_chunk(const Call& call, Chunk& chunk) const
{
    for (PairRows& pair : chunk.found.pairs) {
        const Search         search = search_for(call, pair);
        const std::span<Row> rows(chunk.found.rows.data() + pair.first, pair.count);
        if (search.keeps && stays(pair, search)) {
            keep_rows(call, pair, search, rows);
            ++chunk.tally.kept;
        } else if (!stay_apart(call, pair, search, pair.apart)) {
            return false;
        }
        for (const Row& row : rows) chunk.tally.count += row.admitted ? 1 : 0;
    }
    return true;
}

/// @param old  of a simulation: the pair in the last call, or null; its rows are those of `known`
void CollisionPipeline::Impl::collide_pair(const Call& call, PairRows& pair, const RowChunk* known, const PairRows* old,
                                           Chunk& chunk)
{
    const std::int32_t i = pair.shape0, k = pair.shape1;
    const auto         i_ = static_cast<std::size_t>(i), k_ = static_cast<std::size_t>(k);
    const Search       search = search_for(call, pair);
    NearMesh           near;
    // Only meshes that are surfaces have lists of near triangles.
    if (call.cache && !search.fast && set.kinds[i_] == ShapeKind::mesh && is_solid(set.kinds[k_]) &&
        !set.shapes[i_].mesh->hull) {
        const Vec3d v  = set.motion_of(k).v - set.motion_of(i).v;
        near.ahead     = (kStepsAhead * call.dt) * transpose_times(set.shapes[i_].R, v);
        pair.near      = static_cast<std::int32_t>(chunk.found.near.size());
        near.triangles = &chunk.found.near.emplace_back();
        if (old && old->near >= 0) *near.triangles = known->near[static_cast<std::size_t>(old->near)];
    }
    if (search.keeps && old && stays(*old, search)) {
        auto&      rows  = chunk.found.rows;
        const auto first = known->rows.begin() + old->first;
        rows.insert(rows.end(), first, first + old->count);
        pair.found = old->found;
        pair.reach = old->reach;
        keep_rows(call, pair, search, std::span(rows).subspan(pair.first));
        ++chunk.tally.kept;
        return;
    }
    // The direction that told the two apart in the last call mostly still does: one support point each instead of GJK.
    if (old && stay_apart(call, pair, search, old->apart)) return;
    // Everything is computed relative to the first shape, so far away is as accurate as near by.
    Shape a = set.shapes[i_], b = set.shapes[k_];
    if (options.finite_plane_compat)
        for (Shape* s : {&a, &b})
            if (s->kind == ShapeKind::rectangle) s->kind = ShapeKind::plane;
    const Vec3d origin = a.kind == ShapeKind::plane ? b.p : a.p;
    a.p -= origin, b.p -= origin;
    if (search.pressure) return press(a, b, origin, i, k, chunk);
    if (search.fast && !has_field_route(a, b) && b.kind != ShapeKind::mesh && sweep_pair(call, pair, chunk)) return;
    if (search.keeps) {
        pair.found = search.now;
        pair.reach = search.look;
    }
    Manifold                      manifold;
    std::span<const ContactPoint> found;
    if (has_field_route(a, b)) {
        FieldWork& work = chunk.tally.field_work();
        collide_fields(a, b, search.look, options.reduce_contacts, work.fields, work.points);
        found = work.points;
    } else if (!options.reduce_contacts && !options.user_narrow_phase && has_vertex_route(a, b)) {
        FieldWork& work = chunk.tally.field_work();
        every_vertex(a, b, search.look, work.points);
        found = work.points;
    } else {
        if (options.user_narrow_phase)
            options.user_narrow_phase(a, b, search.look, manifold);
        else if (near.triangles)
            collide_mesh_convex(a, b, search.look, near, manifold);
        else
            collide_in_table_order(a, b, search.look, manifold);
        found = std::span(manifold.points).first(static_cast<std::size_t>(manifold.count));
    }
    // The direction that separates is kept for the next call, relative to the first body.
    if (found.empty() && search.keeps && is_solid(a.kind) && is_solid(b.kind)) {
        const double       limit = search.look + a.core_radius() + b.core_radius();
        const CoreDistance d     = core_distance_apart(a, b, limit);
        if (d.distance > limit) remember_apart(pair, d.normal);
    }
    const BodyMotion &ma = set.motion_of(i), &mb = set.motion_of(k);
    const double      r0 = a.core_radius(), r1 = b.core_radius();
    for (const ContactPoint& p : found) {
        if (!is_sound(p)) {
            ++chunk.tally.unsound;
            continue;
        }
        Row row{.feature      = p.feature,
                .normal       = p.normal,
                .point0       = static_cast<Vec3>(in_body(ma, origin + p.p0 - r0 * p.normal)),
                .point1       = static_cast<Vec3>(in_body(mb, origin + p.p1 + r1 * p.normal)),
                .distance     = p.distance - search.margin,
                .fixed_normal = {}};
        row.admitted = row.distance <= search.gap || closes(call, pair, row, origin + 0.5 * (p.p0 + p.p1));
        if (!row.admitted && !search.keeps) continue;
        if (search.keeps) bind(set, pair, a, b, row);
        chunk.add(row);
    }
}

/// One task: pairs [begin, end) of the sorted list. In steady state the rows are those of the last call, moved in
/// place; otherwise the old rows are looked up by a cursor.
void CollisionPipeline::Impl::collide_chunk(const Call& call, std::size_t begin, std::size_t end, std::size_t index)
{
    PairCache::Impl*  cache = call.cache;
    Chunk             chunk{chunks[index], tallies[index]};
    const std::size_t last_count = chunk.tally.count;
    chunk.tally.unsound = chunk.tally.kept = 0;
    chunk.tally.count                      = 0;
    chunk.tally.faces                      = {};
    if (chunk.tally.work) chunk.tally.work->surface.clear();
    // swap: the old rows go to the cache's side and are read from there while new ones are written.
    if (call.same) {
        if (keep_chunk(call, chunk)) return store_early(call, index, last_count);
        std::swap(chunks[index], cache->chunks[index]);
        chunk.tally.kept  = 0;
        chunk.tally.count = 0;
    }
    chunk.found.pairs.clear();
    chunk.found.rows.clear();
    chunk.found.near.clear();
    std::optional<PairCursor> known;
    if (cache)
        known.emplace(call.same ? std::span<const RowChunk>(cache->chunks).subspan(index, 1)
                                : std::span<const RowChunk>(cache->chunks).first(cache->used));
    for (std::size_t i = begin; i < end; ++i) {
        PairRows& pair      = chunk.found.pairs.emplace_back();
        pair.shape0         = pairs[i].first;
        pair.shape1         = pairs[i].second;
        auto& rows          = chunk.found.rows;
        pair.first          = static_cast<std::uint32_t>(rows.size());
        const PairRows* old = known ? known->find(pair.key()) : nullptr;
        collide_pair(call, pair, old ? &known->chunk() : nullptr, old, chunk);
        pair.count       = static_cast<std::uint32_t>(rows.size()) - pair.first;
        const auto first = rows.begin() + pair.first;
        const auto less  = [](const Row& x, const Row& y) { return x.feature < y.feature; };
        // Equal features stay in the order in which they were found: few rows, mostly in order.
        if (!std::is_sorted(first, rows.end(), less))
            for (auto row = first + 1; row != rows.end(); ++row)
                std::rotate(std::upper_bound(first, row, *row, less), row, row + 1);
        for (auto row = first; row != rows.end(); ++row) chunk.tally.count += row->admitted ? 1 : 0;
    }
    store_early(call, index, last_count);
}

/// At rest rows go where they went in the last call: they are stored while they are at hand, and again if it turns out
/// that they do not. As many as in the last call: no task writes where another one does.
void CollisionPipeline::Impl::store_early(const Call& call, std::size_t index, std::size_t last_count)
{
    Tally& tally = tallies[index];
    tally.stored =
        call.same && call.steady && tally.count == last_count && tally.begin + tally.count <= call.contacts.capacity();
    if (tally.stored) store(index, call.contacts);
}

/// Puts first the shape that is shape 0 of the pair, and the pairs in the order of their rows.
void CollisionPipeline::Impl::order_pairs()
{
    const std::size_t n     = pairs.size();
    const auto        turns = [&](const ShapePair& p) {
        return !in_table_order(set.kinds[static_cast<std::size_t>(p.first)],
                               set.kinds[static_cast<std::size_t>(p.second)]);
    };
    // Reserved for the largest number of pairs, because a shrinking or growing list must not allocate.
    // As much room as there is for pairs: how many are turned changes from call to call.
    turned_from.reserve(tasks::chunk_count(pairs.capacity(), kOrderedAtOnce) + 1);
    for (auto* list : {&straight, &turned}) list->reserve(pairs.capacity());
    turned_from.assign(tasks::chunk_count(n, kOrderedAtOnce) + 1, 0);
    // Two passes, count and place: each part knows where its pairs go.
    tasks::for_chunks(options.pool, n, kOrderedAtOnce, [&](std::size_t begin, std::size_t end, std::size_t part) {
        const std::span<const ShapePair> mine(&pairs[begin], end - begin);
        turned_from[part + 1] = static_cast<std::size_t>(std::count_if(mine.begin(), mine.end(), turns));
    });
    std::partial_sum(turned_from.begin(), turned_from.end(), turned_from.begin());
    if (turned_from.back() == 0) return;
    turned.resize(turned_from.back());
    straight.resize(n - turned.size());
    // They come in order of what is now their second shape.
    constexpr std::ptrdiff_t kFewTurned = 128;
    const auto               sort       = [](std::span<ShapePair> items, std::span<ShapePair> room) {
        if (std::ssize(items) <= kFewTurned) return std::sort(items.begin(), items.end());
        radix_sort(items, room, [](const ShapePair& p) { return static_cast<std::uint64_t>(p.first); });
    };
    tasks::for_chunks(options.pool, n, kOrderedAtOnce, [&](std::size_t begin, std::size_t end, std::size_t part) {
        std::size_t at = turned_from[part], other = begin - at;
        for (std::size_t i = begin; i < end; ++i) {
            const ShapePair& p = pairs[i];
            if (turns(p))
                turned[at++] = {p.second, p.first};
            else
                straight[other++] = p;
        }
        // What the part has read is room for the sorting.
        const std::span<ShapePair> mine(turned.data() + turned_from[part], at - turned_from[part]);
        sort(mine, std::span(pairs).subspan(begin, mine.size()));
    });
    // Where each world has its own shapes, or one shape is turned with all others, hardly anything is out of order now.
    // Only neighbouring parts can overlap, and only where a part begins below the end of the one before.
    const auto place = [&](std::size_t i) { return turned.begin() + static_cast<std::ptrdiff_t>(i); };
    for (std::size_t part = 1; part + 1 < turned_from.size(); ++part) {
        const auto from = place(turned_from[part]), to = place(turned_from[part + 1]);
        if (from == turned.begin() || from == to || from[-1] < *from) continue;
        const auto first = std::upper_bound(turned.begin(), from, *from), last = std::lower_bound(from, to, from[-1]);
        if (last - first > kFewTurned) {
            sort(turned, pairs);
            break;
        }
        std::sort(first, last);
    }
    merge_sorted(options.pool, std::span<const ShapePair>(straight), std::span<const ShapePair>(turned),
                 std::span(pairs));
}

void CollisionPipeline::Impl::store(std::size_t chunk, model::Contacts& contacts) const
{
    if (tallies[chunk].count == 0) return;
    const RowChunk& found = chunks[chunk];
    std::size_t     at    = tallies[chunk].begin;
    for (const PairRows& pair : found.pairs) {
        const auto   s0 = static_cast<std::size_t>(pair.shape0), s1 = static_cast<std::size_t>(pair.shape1);
        const double core0 = set.shapes[s0].core_radius() + set.margin[s0],
                     core1 = set.shapes[s1].core_radius() + set.margin[s1];
        // Rows of the buffer, structure of arrays. Margins of spheres and capsules include the radius: points are those
        // of the cores.
        for (std::uint32_t i = pair.first; i < pair.first + pair.count; ++i) {
            const Row& r = found.rows[i];
            if (!r.admitted) continue;
            const double m0 = r.pressure ? 0 : core0, m1 = r.pressure ? 0 : core1;
            const auto   offset = [&](std::int32_t shape, double m) {
                return m == 0 ? Vec3{} : static_cast<Vec3>(transpose_times(set.motion_of(shape).R_WB, m * r.normal));
            };
            contacts.rigid_contact_shape0[at]   = pair.shape0;
            contacts.rigid_contact_shape1[at]   = pair.shape1;
            contacts.rigid_contact_point0[at]   = r.point0;
            contacts.rigid_contact_point1[at]   = r.point1;
            contacts.rigid_contact_offset0[at]  = offset(pair.shape0, m0);
            contacts.rigid_contact_offset1[at]  = offset(pair.shape1, -m1);
            contacts.rigid_contact_normal[at]   = static_cast<Vec3>(r.normal);
            contacts.rigid_contact_margin0[at]  = static_cast<Real>(m0);
            contacts.rigid_contact_margin1[at]  = static_cast<Real>(m1);
            contacts.rigid_contact_distance[at] = static_cast<Real>(r.distance);
            contacts.rigid_contact_feature[at]  = r.feature;
            contacts.rigid_contact_force[at]    = {};
            contacts.rigid_contact_torque[at]   = {};
            if (!contacts.rigid_contact_stiffness.empty()) {
                contacts.rigid_contact_stiffness[at] = r.stiffness;
                contacts.rigid_contact_damping[at]   = 0;
                contacts.rigid_contact_friction[at]  = r.friction;
            }
            ++at;
        }
    }
}

/// Hands out chunks in the order of the shapes' places, which changes which thread takes a chunk and nothing else.
void CollisionPipeline::Impl::collide_all(Call& call)
{
    const std::size_t n = tasks::chunk_count(pairs.size(), kPairsPerChunk);
    if (tallies.size() < n) tallies.resize(n);
    if (chunks.size() < n) policy == OverflowPolicy::grow ? chunks.resize(n) : make_room(chunks);
    call.steady = steady && tallied == n && last_cache == call.cache;  // the rows of another cache went elsewhere
    last_cache  = call.cache;
    if (PairCache::Impl* cache = call.cache) {
        call.same = cache->used == n && cache->pairs == pairs;
        if (call.same) chunks.swap(cache->chunks);
        if (call.same && cache->chunks.size() < n) cache->chunks.resize(n);
        if (!call.same) cache->pairs = pairs;
    }
    if (!call.same || chunk_order.size() != n) {
        // Whoever has placed the shapes has them in his cache.
        chunk_order.reserve(tasks::chunk_count(pairs.capacity(), kPairsPerChunk));
        tasks::order_by_place(n, set.size(), chunk_order, [&](std::size_t c) {
            const ShapePair& pair = pairs[c * kPairsPerChunk];
            return static_cast<std::size_t>(std::max(pair.first, pair.second));
        });
    }
    tasks::for_chunks(options.pool, n, 1, [this, &call](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t c = chunk_order[i], first = c * kPairsPerChunk;
            collide_chunk(call, first, std::min(first + kPairsPerChunk, pairs.size()), c);
        }
    });
}

/// Where the rows of each task go.
std::size_t CollisionPipeline::Impl::place_rows()
{
    std::size_t sum = 0;
    steady          = true;
    tallied         = tasks::chunk_count(pairs.size(), kPairsPerChunk);
    for (std::size_t c = 0; c < tasks::chunk_count(pairs.size(), kPairsPerChunk); ++c) {
        Tally& tally = tallies[c];
        if (tally.begin != sum) steady = tally.stored = false;
        tally.begin = sum;
        sum += tally.count;
    }
    return sum;
}

/// Leaves out all rows but so many; of equal depth those that come first stay.
/// By depth and then by place: a total order, so which rows are lost does not depend on the threads.
void CollisionPipeline::Impl::keep_deepest(std::size_t count)
{
    const std::size_t used  = tasks::chunk_count(pairs.size(), kPairsPerChunk);
    std::uint32_t     place = 0;
    depths.clear();
    for (std::size_t c = 0; c < used; ++c)
        for (const Row& row : chunks[c].rows) {
            if (row.admitted) depths.push_back({row.distance, place});
            ++place;
        }
    std::sort(depths.begin(), depths.end(), [](const RowDepth& x, const RowDepth& y) {
        return x.distance != y.distance ? x.distance < y.distance : x.place < y.place;
    });
    depths.resize(std::min(count, depths.size()));
    std::sort(depths.begin(), depths.end(), [](const RowDepth& x, const RowDepth& y) { return x.place < y.place; });
    std::size_t next = 0;
    place            = 0;
    for (std::size_t c = 0; c < used; ++c) {
        tallies[c].count  = 0;
        tallies[c].stored = false;
        for (Row& row : chunks[c].rows) {
            row.admitted = next < depths.size() && depths[next].place == place++;
            next += row.admitted ? 1 : 0;
            tallies[c].count += row.admitted ? 1 : 0;
        }
    }
}

std::size_t CollisionPipeline::Impl::growth_limit() const
{
    constexpr std::size_t kMostContacts = std::size_t{1} << 22, kMostOfShape = 64;
    return options.rigid_contact_limit > 0 ? options.rigid_contact_limit
                                           : std::max(kMostContacts, kMostOfShape * set.size());
}

/// Fits the rows to the buffer, or the buffer to the rows, as the policy says.
/// Policies: grow the buffer by a quarter more than needed; report, keeping the deepest; error, keeping none.
void CollisionPipeline::Impl::select(model::Contacts& contacts, CollideStatus& status)
{
    const std::size_t needed = place_rows();
    std::size_t       stored = needed;
    if (needed > contacts.capacity() && policy == OverflowPolicy::grow) {
        capacity = std::max(contacts.capacity(), std::min(needed + needed / 4, growth_limit()));
        contacts.resize(capacity);
    }
    if (needed > contacts.capacity()) {
        keep_deepest(policy == OverflowPolicy::error ? 0 : contacts.capacity());
        stored          = place_rows();
        status.overflow = true;
    }
    status.rows     = {static_cast<std::int64_t>(needed), static_cast<std::int64_t>(contacts.capacity()),
                       static_cast<std::int64_t>(needed - stored)};
    status.contacts = static_cast<std::int32_t>(stored);
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
    if (const auto valid = validate(options); !valid) fail(valid.error());
    impl_ = std::make_unique<Impl>(model, options);
}
CollisionPipeline::~CollisionPipeline()                                       = default;
CollisionPipeline::CollisionPipeline(CollisionPipeline&&) noexcept            = default;
CollisionPipeline& CollisionPipeline::operator=(CollisionPipeline&&) noexcept = default;

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
    MCH_REQUIRE(gap >= 0 && std::isfinite(gap), "CollisionPipeline::set_soft_contact_gap", "gap",
                "a finite distance that is not negative");
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

/// A step that is not finite counts as zero: contacts are then those of the present poses.
CollideStatus CollisionPipeline::collide(const model::State& state, double dt, model::Contacts& contacts,
                                         PairCache* cache)
{
    MCH_REQUIRE(impl_ != nullptr, "CollisionPipeline::collide", "this", "a pipeline that was not moved from");
    Impl& impl = *impl_;
    require_state(impl.set.model(), state, "CollisionPipeline::collide");
    const tasks::Phase phase(impl.options.pool);
    CollideStatus      status;
    auto               start = std::chrono::steady_clock::now();
    Impl::Call         call{.dt       = dt > 0 && std::isfinite(dt) ? dt : 0,
                            .cache    = cache && !impl.options.user_narrow_phase ? cache->impl_.get() : nullptr,
                            .contacts = contacts};
    impl.set.place(state, call.dt, impl.options.speculative_max, impl.options.sweep_fast_bodies, impl.options.pool);
    // The number of pairs is bounded whatever the caller says, or a heap of shapes at one place would take all memory.
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
    impl.order_pairs();
    status.sort_s = seconds_since(start);
    if (impl.any_pressure) contacts.with_stiffness();
    impl.collide_all(call);
    const std::size_t used = tasks::chunk_count(impl.pairs.size(), kPairsPerChunk);
    impl.surface.clear();
    for (std::size_t c = 0; c < used; ++c) {
        const Tally& tally = impl.tallies[c];
        status.unsound_rows += tally.unsound;
        status.kept_pairs += tally.kept;
        status.faces.needed   = std::max(status.faces.needed, tally.faces.needed);
        status.faces.capacity = std::max(status.faces.capacity, tally.faces.capacity);
        status.faces.dropped += tally.faces.dropped;
        if (tally.work) impl.surface.insert(impl.surface.end(), tally.work->surface.begin(), tally.work->surface.end());
    }
    if (status.faces.dropped > 0) status.overflow = true;
    const auto sorting = std::chrono::steady_clock::now();
    impl.select(contacts, status);
    status.sort_s += seconds_since(sorting);
    contacts.reset_custom(impl.set.model().custom_arrays);
    tasks::for_chunks(impl.options.pool, used, kChunksAtOnce, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t c = begin; c < end; ++c)
            if (!impl.tallies[c].stored) impl.store(c, contacts);
    });
    // The rows of this call become the old ones of the next.
    if (cache) {
        impl.chunks.swap(cache->impl_->chunks);
        cache->impl_->used = used;
    }
    impl.find_soft(state, contacts, status);
    contacts.rigid_contact_count  = status.contacts;
    contacts.rigid_contact_needed = static_cast<std::int32_t>(status.rows.needed);
    contacts.contact_generation   = contacts.next_generation();
    if (impl.options.contact_matching != ContactMatching::disabled) {
        const auto matching = std::chrono::steady_clock::now();
        impl.matcher.match(state, contacts);
        status.match_s = seconds_since(matching);
    }
    status.narrow_phase_s = seconds_since(start);
    return status;
}

}  // namespace mechane::collision

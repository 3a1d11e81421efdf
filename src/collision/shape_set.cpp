// All shapes of a model, placed in the world: kinds and sizes for the narrow phase, hulls, meshes and fields made once,
// boxes for the broad phase. Used by the pipeline, scene queries and soft contacts.
// Poses X_WS = X_WB X_BS are computed in double precision. Boxes are grown by margin, gap and the motion that may
// happen in the step.
// Index -1 of a body is the world: its motion lies at place 0, that of body b at b + 1.

#include "shape_set.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <optional>

#include "mechane/collision/codes.h"
#include "mechane/tasks/parallel.h"
#include "placing.h"

namespace mechane::collision {

namespace {

using model::GeoType;

constexpr std::size_t kPlacedAtOnce = 128;  ///< bodies and shapes that one task places

struct Geometry {
    ShapeKind kind;
    Vec3d     size;
};

/// Kind and dimensions; nothing for types that never collide and for dimensions that describe no shape.
std::optional<Geometry> geometry_of(GeoType type, const Vec3d& s, bool has_triangles)
{
    if (!is_finite(s)) return std::nullopt;
    switch (type) {
        case GeoType::plane:
            // Newton's convention: a plane of extent 0 x 0 is infinite, other extents are full widths.
            if (s.x == 0 && s.y == 0) return Geometry{ShapeKind::plane, {}};
            if (!(s.x > 0 && s.y > 0)) return std::nullopt;
            return Geometry{ShapeKind::rectangle, {0.5 * s.x, 0.5 * s.y, 0}};
        case GeoType::sphere:
            return Geometry{ShapeKind::sphere, abs(s)};
        case GeoType::capsule:
            return Geometry{ShapeKind::capsule, abs(s)};
        case GeoType::ellipsoid:
            return Geometry{ShapeKind::ellipsoid, abs(s)};
        case GeoType::cylinder:
            return Geometry{ShapeKind::cylinder, abs(s)};
        case GeoType::box:
            return Geometry{ShapeKind::box, abs(s)};
        case GeoType::cone:
            return Geometry{ShapeKind::cone, abs(s)};
        case GeoType::heightfield:
        case GeoType::mesh:
            if (!has_triangles) return std::nullopt;
            return Geometry{ShapeKind::mesh, s};
        case GeoType::convex_mesh:
            return Geometry{ShapeKind::hull, s};
        case GeoType::none:
        case GeoType::gaussian:
            break;
    }
    return std::nullopt;
}

geometry::SdfStorage storage_of(model::SdfFormat format)
{
    switch (format) {
        case model::SdfFormat::uint8:
            return geometry::SdfStorage::uint8;
        case model::SdfFormat::uint16:
            return geometry::SdfStorage::uint16;
        case model::SdfFormat::float32:
            break;
    }
    return geometry::SdfStorage::float32;
}

constexpr double kFieldDepth = 1;  ///< how deep a body may have sunk into a height field and still be lifted out [m]

/// Of a shape in its own frame. A hull may lie aslant in its box: twice the least distance of a face from its middle.
/// The least width bounds how far a shape may move before its contacts must be found again.
double least_extent(const Shape& s)
{
    if (s.kind == ShapeKind::plane) return kInfinity;
    const HullShape* hull = s.kind == ShapeKind::mesh ? s.mesh->hull.get() : s.hull;
    if (!hull) {
        const geometry::Aabbd box  = bounds(s);
        const Vec3d           wide = box.upper - box.lower;
        return std::max(0.0, std::min({wide.x, wide.y, wide.z}));
    }
    double least = hull->face_normals.empty() ? 0 : kInfinity;
    for (std::size_t f = 0; f < hull->face_normals.size(); ++f) {
        const auto corner =
            static_cast<std::size_t>(hull->face_vertices[static_cast<std::size_t>(hull->face_start[f])]);
        least = std::min(least, 2 * dot(hull->face_normals[f], hull->vertices[corner] - hull->centre));
    }
    return std::max(0.0, least);
}

/// Shapes made of meshes, each once for its mesh and scale.
template <class T>
struct MadeOfMeshes {
    std::vector<std::pair<const geometry::Mesh*, Vec3d>> keys;
    std::vector<std::unique_ptr<T>>                      made;

    template <class Make>
    const T* get(const geometry::Mesh* mesh, const Vec3d& scale, Make&& make)
    {
        const auto found = std::find(keys.begin(), keys.end(), std::pair{mesh, scale});
        if (found != keys.end()) return made[static_cast<std::size_t>(found - keys.begin())].get();
        keys.emplace_back(mesh, scale);
        made.push_back(std::make_unique<T>(make()));
        return made.back().get();
    }
};

/// What a distance field is made of.
struct FieldKey {
    const geometry::Mesh* source;
    ShapeKind             kind;
    Vec3d                 size;
    model::SdfConfig      config;
    double                padding;
    bool                  operator==(const FieldKey&) const = default;
};

}  // namespace

struct ShapeSet::Prepared {
    // Copies of a robot share these, also between pipelines made `like` another.
    MadeOfMeshes<HullShape>                           hulls;
    MadeOfMeshes<MeshShape>                           meshes, heightfields;
    std::vector<std::pair<FieldKey, const SdfShape*>> fields;  ///< null: could not be built
    std::vector<std::unique_ptr<SdfShape>>            made_fields;
};

std::size_t ShapeSet::sdf_count() const { return prepared_->made_fields.size(); }

ShapeSet::ShapeSet(const model::Model& model, const tasks::Pool* pool, std::int32_t flag, const ShapeSet* like)
    : model_(&model), prepared_(like ? like->prepared_ : std::make_shared<Prepared>())
{
    const std::size_t n = model.shape_count();
    shapes.resize(n), X_BS.resize(n), spin.resize(n), boxes.resize(n), planes.resize(n);
    for (auto* list : {&radius, &ball, &extent}) list->assign(n, 0);
    body = model.shape_body;
    motion.resize(model.body_count() + 1);
    const bool with_hulls = flag == model::shape_flag::collide_shapes;  // for contacts, not for nearest points
    for (std::size_t i = 0; i < n; ++i) {
        margin.push_back(static_cast<double>(model.shape_margin[i]));
        gap.push_back(static_cast<double>(model.shape_gap[i]));
        X_BS[i]                        = static_cast<Posed>(model.shape_transform[i]);
        X_BS[i].q                      = normalized(X_BS[i].q);
        const geometry::Mesh* mesh     = model.shape_source[i].get();
        const auto            g        = geometry_of(model.shape_type[i], static_cast<Vec3d>(model.shape_scale[i]),
                                                     mesh && !mesh->triangles.empty());
        const bool            collides = (model.shape_flags[i] & flag) != 0;
        if (!g || !collides || !is_finite(X_BS[i].p)) {
            // The kind `triangle` marks what takes no part.
            shapes[i].kind = ShapeKind::triangle;  // no whole shape: never collides
            continue;
        }
        Shape& s = shapes[i];
        s.kind   = g->kind;
        s.size   = g->size;
        if (s.kind == ShapeKind::hull) {
            if (!mesh || mesh->points.empty()) {
                s.kind = ShapeKind::triangle;
                continue;
            }
            s.hull = prepared_->hulls.get(mesh, s.size, [&] { return make_hull_shape(*mesh, s.size); });
        }
        if (s.kind == ShapeKind::mesh) {
            const bool field = model.shape_type[i] == GeoType::heightfield;
            auto&      made  = field ? prepared_->heightfields : prepared_->meshes;
            s.mesh           = made.get(mesh, s.size, [&] {
                return make_mesh_shape(*mesh, s.size, with_hulls && !field, field ? kFieldDepth : 0);
            });
        }
        radius[i] = bounding_radius(s);
        ball[i]   = radius[i] + length(centre(s));
        extent[i] = least_extent(s);
    }
    for (const Shape& s : shapes) kinds.push_back(s.kind);
    own_shapes();
    list_batches();
    list_fours();
    if (flag == model::shape_flag::collide_shapes) build_fields(pool);
}

/// A batch is a run of bodies with all their shapes, of about kPlacedAtOnce. Bodies with more shapes than that (the
/// world among them) have batches of shapes only and are placed before.
void ShapeSet::list_batches()
{
    std::vector<std::size_t> begin(motion.size() + 1, 0);
    for (const std::int32_t b : body) ++begin[static_cast<std::size_t>(b + 2)];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    by_body_.resize(size());
    std::vector<std::size_t> next = begin;
    for (std::size_t i = 0; i < size(); ++i)
        by_body_[next[static_cast<std::size_t>(body[i] + 1)]++] = static_cast<std::int32_t>(i);
    Batch      open;
    const auto close = [&](std::size_t next_body, std::size_t next_shape) {
        if (open.body_end > open.body_begin || open.shape_end > open.shape_begin) batches_.push_back(open);
        open = {next_body, next_body, next_shape, next_shape};
    };
    for (std::size_t b = 0; b < motion.size(); ++b) {
        if (b == 0 || begin[b + 1] - begin[b] > kPlacedAtOnce) {
            close(b, begin[b]);
            if (b > 0) crowded_.push_back(b);
            for (std::size_t i = begin[b]; i < begin[b + 1]; i += kPlacedAtOnce) {
                open.shape_end = std::min(i + kPlacedAtOnce, begin[b + 1]);
                close(b, open.shape_end);
            }
            open.body_begin = open.body_end = b + 1;
            continue;
        }
        open.body_end  = b + 1;
        open.shape_end = begin[b + 1];
        if (open.body_end - open.body_begin + open.shape_end - open.shape_begin >= kPlacedAtOnce)
            close(b + 1, begin[b + 1]);
    }
    close(0, 0);
}

void ShapeSet::reread_transforms()
{
    for (std::size_t i = 0; i < size(); ++i) {
        const Posed X = static_cast<Posed>(model_->shape_transform[i]);
        if (!is_finite(X)) continue;
        X_BS[i] = {X.p, normalized(X.q)};
    }
    own_shapes();
    list_fours();
}

void ShapeSet::own_shapes()
{
    own_.clear();
    for (std::size_t i = 0; i < size(); ++i) {
        const Shape& s = shapes[i];
        Vec3d        middle;
        if (s.kind == ShapeKind::hull) middle = s.hull->centre;
        if (s.kind == ShapeKind::mesh && !s.mesh->bvh.empty()) {
            const geometry::Aabbd box = s.mesh->bvh.bounds();
            middle                    = 0.5 * (box.lower + box.upper);
        }
        own_.push_back({X_BS[i].p, to_matrix(X_BS[i].q), s.size, middle, radius[i], std::max(0.0, margin[i] + gap[i])});
    }
}

/// Shapes of one kind in a batch, four at a time; what is left of a kind goes one by one.
/// The order within a batch is by kind and index. Lanes do not change bits, so what stands in a four and what stands
/// alone does not matter.
void ShapeSet::list_fours()
{
    fours_.clear();
    for (Batch& batch : batches_) {
        batch.four_begin = batch.four_end = fours_.size();
        batch.alone                       = batch.shape_begin;
        const auto first                  = by_body_.begin() + static_cast<std::ptrdiff_t>(batch.shape_begin),
                   last                   = by_body_.begin() + static_cast<std::ptrdiff_t>(batch.shape_end);
        std::sort(first, last);
        std::vector<std::int32_t> in_fours, alone;
        for (std::size_t k = 0; k < kPairKinds; ++k) {
            std::vector<std::int32_t> of_kind;
            for (auto i = first; i != last; ++i)
                if (kinds[static_cast<std::size_t>(*i)] == static_cast<ShapeKind>(k)) of_kind.push_back(*i);
            const std::size_t whole = static_cast<ShapeKind>(k) == ShapeKind::plane ? 0 : of_kind.size() / 4 * 4;
            in_fours.insert(in_fours.end(), of_kind.begin(), of_kind.begin() + static_cast<std::ptrdiff_t>(whole));
            alone.insert(alone.end(), of_kind.begin() + static_cast<std::ptrdiff_t>(whole), of_kind.end());
        }
        for (auto i = first; i != last; ++i)
            if (kinds[static_cast<std::size_t>(*i)] == ShapeKind::triangle) alone.push_back(*i);
        std::sort(alone.begin(), alone.end());
        std::copy(alone.begin(), alone.end(), std::copy(in_fours.begin(), in_fours.end(), first));
        batch.alone = batch.shape_begin + in_fours.size();
        for (std::size_t at = 0; at < in_fours.size(); at += 4) {
            FourShapes& four = fours_.emplace_back();
            std::copy_n(in_fours.begin() + static_cast<std::ptrdiff_t>(at), 4, four.shape.begin());
            four.kind       = kinds[static_cast<std::size_t>(four.shape[0])];
            const auto& own = own_;
            gather(Places<const OwnShape<double>>{&own[static_cast<std::size_t>(four.shape[0])],
                                                  &own[static_cast<std::size_t>(four.shape[1])],
                                                  &own[static_cast<std::size_t>(four.shape[2])],
                                                  &own[static_cast<std::size_t>(four.shape[3])]},
                   four.own);
        }
        batch.four_end = fours_.size();
    }
}

/// A field is made for hydroelastic shapes, and for surfaces that ask for one. Equal sources, scales and settings share
/// it.
void ShapeSet::build_fields(const tasks::Pool* pool)
{
    const model::Model& m = *model_;
    hydroelastic.assign(size(), 0);
    for (const Real k : m.shape_material_kh) kh.push_back(static_cast<double>(k));
    auto& made = prepared_->fields;
    for (std::size_t i = 0; i < size(); ++i) {
        Shape&     s       = shapes[i];
        const auto config  = m.shape_sdf_config[i].value_or(model::SdfConfig{});
        const bool surface = s.kind == ShapeKind::mesh || s.kind == ShapeKind::hull;
        const bool wanted  = (m.shape_flags[i] & model::shape_flag::hydroelastic) != 0 && s.kind != ShapeKind::triangle;
        const bool asked   = surface && (config.force_sdf || config.field);
        const bool sized   = config.sdf_max_resolution || config.sdf_target_voxel_size || asked;
        if (!wanted && !asked) continue;
        if (wanted && !sized) {
            found.add(kSdfMissing, {.prim = m.shape_label[i]},
                      "neither sdf_max_resolution nor sdf_target_voxel_size is set");
            continue;
        }
        const FieldKey key{
            m.shape_source[i].get(), s.kind, s.size, config,
            config.sdf_padding.value_or(std::max(0.0, gap[i]) + (wanted ? std::max(0.0, margin[i]) : 0))};
        auto same = std::find_if(made.begin(), made.end(), [&](const auto& entry) { return entry.first == key; });
        if (same == made.end()) {
            geometry::SdfOptions options;
            options.max_resolution    = config.sdf_max_resolution;
            options.target_voxel_size = config.sdf_target_voxel_size;
            options.band_inner        = config.sdf_narrow_band_inner;
            options.band_outer        = config.sdf_narrow_band_outer;
            options.padding           = key.padding;
            options.storage           = storage_of(config.sdf_texture_format);
            auto field                = make_sdf_shape(s, key.source, options, pool, config.field.get());
            made.emplace_back(key, nullptr);
            same = made.end() - 1;
            if (field) {
                prepared_->made_fields.push_back(std::make_unique<SdfShape>(*std::move(field)));
                same->second = prepared_->made_fields.back().get();
            } else {
                Diagnostic error = field.error();
                error.site.prim  = m.shape_label[i];
                found.add(std::move(error));
            }
        }
        s.sdf           = same->second;
        hydroelastic[i] = wanted && s.sdf ? 1 : 0;
    }
    warn_of_slow_meshes();
}

void ShapeSet::warn_of_slow_meshes()
{
    constexpr std::size_t kManyEdges = 10000;
    const auto  hollow = [&](std::size_t i) { return shapes[i].kind == ShapeKind::mesh && !shapes[i].mesh->hull; };
    std::size_t meshes = 0;
    for (std::size_t i = 0; i < size(); ++i) meshes += hollow(i) ? 1 : 0;
    for (std::size_t i = 0; meshes > 1 && i < size(); ++i) {
        if (!hollow(i) || shapes[i].sdf || shapes[i].mesh->floor > 0) continue;
        std::size_t edges = 0;  // an inner edge has two sides, each other one
        for (const auto& around : shapes[i].mesh->neighbours)
            for (const std::int32_t other : around) edges += other < 0 ? 2 : 1;
        if (edges / 2 > kManyEdges)
            found.add(kMeshPairSlow, {.prim = model_->shape_label[i]}, std::to_string(edges / 2) + " edges");
    }
}

/// Mobile: on a body that may move. Kinematic bodies count only if asked for.
std::vector<ShapeFilter> ShapeSet::filters(bool with_kinematic) const
{
    std::vector<ShapeFilter> out(size());
    for (std::size_t i = 0; i < size(); ++i) {
        const std::int32_t b = body[i];
        out[i] = {.body   = b,
                  .world  = model_->shape_world[i],
                  .group  = model_->shape_collision_group[i],
                  .active = shapes[i].kind != ShapeKind::triangle,
                  .mobile = b >= 0 && (with_kinematic || (model_->body_flags[static_cast<std::size_t>(b)] &
                                                          model::body_flag::dynamic) != 0),
                  .plane  = shapes[i].kind == ShapeKind::plane};
    }
    return out;
}

void ShapeSet::place(const model::State& state, double dt, double speculative_max, bool sweep, const tasks::Pool* pool)
{
    const Ahead               ahead{dt, speculative_max, sweep};
    std::atomic<std::int32_t> unsound = 0;
    for (const std::size_t b : crowded_) unsound += place_batch({.body_begin = b, .body_end = b + 1}, state, ahead);
    tasks::for_chunks(
        pool, batches_.size(), 1,
        [&](std::size_t begin, std::size_t end, std::size_t) {
            std::int32_t count = 0;
            for (std::size_t k = begin; k < end; ++k) count += place_batch(batches_[k], state, ahead);
            if (count > 0) unsound += count;
        },
        tasks::Chunks::by_thread);
    unsound_bodies = unsound;
}

/// Bodies first: shapes read their motion.
std::int32_t ShapeSet::place_batch(const Batch& batch, const model::State& state, const Ahead& ahead)
{
    std::size_t b = batch.body_begin;
    for (; b + 4 <= batch.body_end; b += 4) place_bodies(state, b - 1);
    for (; b < batch.body_end; ++b) place_body(state, b - 1);
    std::int32_t unsound = 0;
    for (b = batch.body_begin; b < batch.body_end; ++b) unsound += motion[b].sound ? 0 : 1;
    for (std::size_t i = batch.four_begin; i < batch.four_end; ++i) place_shapes(fours_[i], ahead);
    for (std::size_t i = batch.alone; i < batch.shape_end; ++i)
        place_shape(static_cast<std::size_t>(by_body_[i]), ahead);
    return unsound;
}

[[gnu::flatten]] MCH_CLONES_AVX2 void ShapeSet::place_body(const model::State& state, std::size_t b)
{
    BodyMotion& m  = motion[b + 1];
    m.X_WB         = static_cast<Posed>(state.body_q[b]);
    m.v            = static_cast<Vec3d>(state.body_qd[b].linear);
    m.w            = static_cast<Vec3d>(state.body_qd[b].angular);
    const double n = dot(m.X_WB.q, m.X_WB.q);
    m.sound        = in_order(m.X_WB.p, n, m.v, m.w);
    if (m.sound) carry(m, n, static_cast<Vec3d>(model_->body_com[b]));
}

/// Four bodies from b on.
[[gnu::flatten]] MCH_CLONES_AVX2 void ShapeSet::place_bodies(const model::State& state, std::size_t b)
{
    const auto each = [&](auto number) MCH_INLINE_LAMBDA {
        return Four(Lanes{number(b), number(b + 1), number(b + 2), number(b + 3)});
    };
    // Gathers one number of each of four bodies; State is an array of poses in `Real`.
    const auto numbers = [&](const auto& from, auto at) MCH_INLINE_LAMBDA {
        return each([&](std::size_t i) MCH_INLINE_LAMBDA { return static_cast<double>(at(from[i])); });
    };
    FourMotions m;
    const auto& q  = state.body_q;
    const auto& qd = state.body_qd;
    m.X_WB       = {{numbers(q, [](const Pose& X) { return X.p.x; }), numbers(q, [](const Pose& X) { return X.p.y; }),
                     numbers(q, [](const Pose& X) { return X.p.z; })},
                    {numbers(q, [](const Pose& X) { return X.q.x; }), numbers(q, [](const Pose& X) { return X.q.y; }),
                     numbers(q, [](const Pose& X) { return X.q.z; }), numbers(q, [](const Pose& X) { return X.q.w; })}};
    m.v          = {numbers(qd, [](const Spatial& v) { return v.linear.x; }),
                    numbers(qd, [](const Spatial& v) { return v.linear.y; }),
                    numbers(qd, [](const Spatial& v) { return v.linear.z; })};
    m.w          = {numbers(qd, [](const Spatial& v) { return v.angular.x; }),
                    numbers(qd, [](const Spatial& v) { return v.angular.y; }),
                    numbers(qd, [](const Spatial& v) { return v.angular.z; })};
    const Four n = dot(m.X_WB.q, m.X_WB.q);
    if (!in_all(in_order(m.X_WB.p, n, m.v, m.w))) {
        for (std::size_t i = b; i < b + 4; ++i) place_body(state, i);
        return;
    }
    const auto& com = model_->body_com;
    carry(m, n,
          Vec3T<Four>{numbers(com, [](const Vec3& p) { return p.x; }), numbers(com, [](const Vec3& p) { return p.y; }),
                      numbers(com, [](const Vec3& p) { return p.z; })});
    scatter_numbers<kMotionNumbers>(
        reinterpret_cast<const Lanes*>(&m),
        {&motion[b + 1].X_WB.p.x, &motion[b + 2].X_WB.p.x, &motion[b + 3].X_WB.p.x, &motion[b + 4].X_WB.p.x});
    for (std::size_t i = b + 1; i <= b + 4; ++i) motion[i].sound = true;
}

/// A shape on a body that is not finite keeps an empty box and meets nothing.
[[gnu::flatten]] MCH_CLONES_AVX2 void ShapeSet::place_shape(std::size_t i, const Ahead& ahead)
{
    Shape& s = shapes[i];
    boxes[i] = {};
    if (s.kind == ShapeKind::triangle) return;
    const BodyMotion& m = motion[static_cast<std::size_t>(body[i] + 1)];
    if (!m.sound) return;
    const PlacedShape<double> placed = collision::place(s.kind, own_[i], m);
    s.p                              = placed.p;
    s.R                              = placed.R;
    spin[i]                          = placed.spin;
    const auto [grow, fast]          = growth(m.speed, spin[i], own_[i].reach, ahead);
    if (s.kind == ShapeKind::plane) {
        // A plane is raised by the growth instead of having a box.
        planes[i] = {s.R.column(2), s.p + grow * s.R.column(2)};
        return;
    }
    if (has_half_box(s.kind)) {
        const Vec3d half = half_box(s.kind, s.R, s.size);
        boxes[i]         = {s.p - half, s.p + half};
    } else {
        boxes[i] = bounds(s);
    }
    boxes[i].lower -= Vec3d{grow, grow, grow};
    boxes[i].upper += Vec3d{grow, grow, grow};
    // The box is stretched along the way of the body.
    if (!fast) return;
    const Vec3d way = way_of(m.speed, m.v, ahead);
    boxes[i].lower += below_zero(way);
    boxes[i].upper += above_zero(way);
}

[[gnu::flatten]] MCH_CLONES_AVX2 void ShapeSet::place_shapes(const FourShapes& four, const Ahead& ahead)
{
    const auto index   = [&](std::size_t k) MCH_INLINE_LAMBDA { return static_cast<std::size_t>(four.shape[k]); };
    const auto body_of = [&](std::size_t k) MCH_INLINE_LAMBDA -> const BodyMotion& {
        return motion[static_cast<std::size_t>(body[index(k)] + 1)];
    };
    const BodyMotion &b0 = body_of(0), &b1 = body_of(1), &b2 = body_of(2), &b3 = body_of(3);
    if (!(b0.sound && b1.sound && b2.sound && b3.sound)) {
        for (std::size_t k = 0; k < 4; ++k) place_shape(index(k), ahead);
        return;
    }
    FourMotions m;
    gather_numbers<kMotionNumbers>({&b0.X_WB.p.x, &b1.X_WB.p.x, &b2.X_WB.p.x, &b3.X_WB.p.x},
                                   reinterpret_cast<Lanes*>(&m));
    const PlacedShape<Four> placed = collision::place(four.kind, four.own, m);
    // Pose and rotation lie behind each other: twelve numbers are stored at once.
    static_assert(offsetof(Shape, R) == offsetof(Shape, p) + sizeof(Vec3d));
    const auto pose_of = [&](std::size_t k) MCH_INLINE_LAMBDA { return &shapes[index(k)].p.x; };
    scatter_numbers<12>(reinterpret_cast<const Lanes*>(&placed), {pose_of(0), pose_of(1), pose_of(2), pose_of(3)});
    for (std::size_t k = 0; k < 4; ++k) spin[index(k)] = placed.spin.v[static_cast<int>(k)];
    const auto [grow, fast] = growth(m.speed, placed.spin, four.own.reach, ahead);
    struct {
        Vec3T<Four> lower, upper;
    } box;
    if (has_half_box(four.kind)) {
        const Vec3T<Four> half = half_box(four.kind, placed.R, four.own.size);
        box                    = {placed.p - half, placed.p + half};
    } else {
        const geometry::Aabbd each[4] = {bounds(shapes[index(0)]), bounds(shapes[index(1)]), bounds(shapes[index(2)]),
                                         bounds(shapes[index(3)])};
        gather(Places<const geometry::Aabbd>{&each[0], &each[1], &each[2], &each[3]}, box);
    }
    box.lower -= Vec3T<Four>{grow, grow, grow};
    box.upper += Vec3T<Four>{grow, grow, grow};
    if (simd::any(fast)) {
        const Vec3T<Four> way   = way_of(m.speed, m.v, ahead);
        const auto        below = below_zero(way), above = above_zero(way);
        const auto        on_way = [&](const Four& x) MCH_INLINE_LAMBDA { return choose(fast, x, Four(0)); };
        box.lower += Vec3T<Four>{on_way(below.x), on_way(below.y), on_way(below.z)};
        box.upper += Vec3T<Four>{on_way(above.x), on_way(above.y), on_way(above.z)};
    }
    scatter(box, Places<geometry::Aabbd>{&boxes[index(0)], &boxes[index(1)], &boxes[index(2)], &boxes[index(3)]});
}

}  // namespace mechane::collision

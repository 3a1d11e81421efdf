#include "placing.h"

namespace mechane::collision {

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

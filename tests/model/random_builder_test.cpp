#include <cmath>

#include "mechane/core/diagnostic.h"
#include "mechane/model/builder.h"
#include "mechane/model/joint_table.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"
#include "support/support.h"

using namespace mechane;
using namespace mechane::model;
using mechane::test::for_seeds;

namespace {

/// Mostly ordinary numbers, now and then one that no file should hold.
double awkward(Random& r)
{
    switch (r.below(14)) {
        case 0:
            return std::nan("");
        case 1:
            return kInfinity;
        case 2:
            return -kInfinity;
        case 3:
            return 0;
        case 4:
            return std::pow(10, r.uniform(-300, 300));
        case 5:
            return -std::pow(10, r.uniform(-12, 12));
        default:
            return r.uniform(-2, 2);
    }
}

Vec3d awkward_vec(Random& r)
{
    const double x = awkward(r), y = awkward(r);
    return {x, y, awkward(r)};
}
Posed awkward_pose(Random& r)
{
    return r.below(3) == 0 ? Posed{awkward_vec(r), {awkward(r), awkward(r), awkward(r), awkward(r)}}
                           : Posed{r.vec(2), r.rotation()};
}
Mat33d awkward_mat(Random& r) { return {awkward_vec(r), awkward_vec(r), awkward_vec(r)}; }

/// An index of something, -1, or once in a while of nothing.
std::int32_t some(Random& r, std::size_t count)
{
    if (r.below(60) == 0) return static_cast<std::int32_t>(r.below(100)) - 50;
    return static_cast<std::int32_t>(r.below(static_cast<std::uint32_t>(count) + 1)) - 1;
}

JointDofConfig awkward_dof(Random& r)
{
    JointDofConfig d;
    d.axis        = r.below(4) == 0 ? awkward_vec(r) : r.direction();
    d.limit_lower = awkward(r);
    d.limit_upper = awkward(r);
    d.target_q    = awkward(r);
    d.target_ke   = awkward(r);
    d.target_kd   = awkward(r);
    d.armature    = awkward(r);
    d.friction    = awkward(r);
    d.initial_q   = awkward(r);
    d.initial_qd  = awkward(r);
    return d;
}

void add_awkward_shape(Random& r, ModelBuilder& b)
{
    static const auto kMesh = std::make_shared<const geometry::Mesh>(
        geometry::Mesh{.points    = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                       .triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}});
    BuilderShape s;
    s.type  = static_cast<GeoType>(r.below(12));
    s.body  = static_cast<std::int32_t>(r.below(static_cast<std::uint32_t>(b.bodies.size()) + 1)) - 1;
    s.xform = awkward_pose(r);
    s.scale = r.below(3) == 0 ? awkward_vec(r) : Vec3d{r.uniform(0.1, 1), r.uniform(0.1, 1), 0};
    if (r.below(2) == 0) s.source = kMesh;
    s.config.margin      = awkward(r) * 0.01;
    s.config.restitution = awkward(r);
    s.config.is_solid    = r.below(4) != 0;
    s.config.density     = r.below(4) == 0 ? awkward(r) : 1000;
    if (r.below(40) == 0) s.config.ke = awkward(r);
    s.config.is_site = r.below(8) == 0;
    b.add_shape(std::move(s));
}

ModelBuilder awkward_builder(Random& r)
{
    ModelBuilder b;
    for (std::uint32_t i = 0; i < r.below(6); ++i) {
        const Posed at = awkward_pose(r);
        if (r.below(2) == 0)
            b.add_body(at, "", awkward(r), r.vec(0.1), r.below(2) == 0 ? awkward_mat(r) : Mat33d::identity());
        else
            b.add_link(at, "", awkward(r), awkward_vec(r), awkward_mat(r));
        b.bodies.back().qd = {awkward_vec(r), awkward_vec(r)};
    }
    for (std::uint32_t i = 0; i < r.below(6) && !b.bodies.empty(); ++i) {
        BuilderJoint j;
        j.type           = static_cast<JointType>(r.below(8));
        j.child          = static_cast<std::int32_t>(r.below(static_cast<std::uint32_t>(b.bodies.size())));
        j.parent         = static_cast<std::int32_t>(r.below(static_cast<std::uint32_t>(j.child) + 1)) - 1;
        j.parent_xform   = awkward_pose(r);
        j.child_xform    = awkward_pose(r);
        const auto& info = joint_type_info(j.type);
        for (std::uint32_t k = 0;
             k < (info.linear_axes >= 0 ? static_cast<std::uint32_t>(info.linear_axes) : r.below(4)); ++k)
            j.linear_axes.push_back(awkward_dof(r));
        for (std::uint32_t k = 0;
             k < (info.angular_axes >= 0 ? static_cast<std::uint32_t>(info.angular_axes) : r.below(4)); ++k)
            j.angular_axes.push_back(awkward_dof(r));
        j.break_force = awkward(r);
        b.add_joint(std::move(j));
        if (r.below(3) == 0) b.add_articulation({static_cast<std::int32_t>(b.joints.size()) - 1});
    }
    for (std::uint32_t i = 0; i < r.below(8); ++i) add_awkward_shape(r, b);
    b.gravity = r.below(4) == 0 ? awkward_vec(r) : Vec3d{0, 0, -9.81};
    // What a careless program may do to the public vectors.
    if (r.below(3) == 0 && !b.joints.empty()) {
        BuilderJoint& j = b.joints[r.below(static_cast<std::uint32_t>(b.joints.size()))];
        switch (r.below(6)) {
            case 0:
                j.child = some(r, b.bodies.size());
                break;
            case 1:
                j.parent = some(r, b.bodies.size());
                break;
            case 2:
                j.articulation = some(r, b.articulations.size());
                break;
            case 3:
                j.mimic_joint = some(r, b.joints.size());
                break;
            case 4:
                j.q.resize(r.below(9));
                break;
            default:
                j.type = static_cast<JointType>(r.below(9));
                break;
        }
    }
    if (r.below(6) == 0)
        b.shape_collision_filter_pairs.emplace_back(some(r, b.shapes.size()), some(r, b.shapes.size()));
    if (r.below(6) == 0 && !b.bodies.empty()) b.bodies[0].world = some(r, 1);
    return b;
}

template <class T>
bool all_finite(const std::vector<T>& values)
{
    for (const T& v : values) {
        using std::isfinite;
        if constexpr (std::is_floating_point_v<T>) {
            if (!isfinite(v)) return false;
        } else {
            if (!is_finite(v)) return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("finalize never fails silently: it gives a finite model or says what is wrong (DYN-142, DYN-143)")
{
    int built = 0;
    for_seeds(4000, [&](Random& r) {
        const ModelBuilder b = awkward_builder(r);
        Diagnostics        out;
        const auto         m =
            b.finalize({.allow_orphan_joints = r.below(3) != 0, .inertia = {.balance = r.below(2) == 0}}, out);
        for (const Diagnostic& d : out) {
            CHECK_FALSE(d.message.empty());
            CHECK_FALSE(d.hint.empty());
            CHECK_FALSE(d.site.prim.empty());
        }
        if (!m) {
            CHECK((m.error().id == "MODEL_STRUCTURE" || m.error().id == "MODEL_ORPHAN_JOINT" ||
                   m.error().id == "MODEL_SHAPE_MATERIAL"));
            CHECK_FALSE(m.error().message.empty());
            return;
        }
        ++built;
        CHECK(all_finite(m->body_q));
        CHECK(all_finite(m->body_qd));
        CHECK(all_finite(m->body_com));
        CHECK(all_finite(m->body_inertia));
        CHECK(all_finite(m->body_inv_inertia));
        CHECK(all_finite(m->body_inv_mass));
        CHECK(all_finite(m->joint_q));
        CHECK(all_finite(m->joint_qd));
        CHECK(all_finite(m->joint_target_q));
        CHECK(all_finite(m->joint_axis));
        CHECK(all_finite(m->joint_X_p));
        CHECK(all_finite(m->joint_limit_lower));
        CHECK(all_finite(m->joint_target_ke));
        CHECK(all_finite(m->shape_transform));
        CHECK(all_finite(m->shape_scale));
        CHECK(all_finite(m->shape_collision_radius));
        CHECK(all_finite(m->shape_collision_aabb_upper));
        CHECK(all_finite(m->gravity));
        for (const Pose& X : m->body_q) CHECK(std::abs(static_cast<double>(dot(X.q, X.q)) - 1) < 1e-5);
        for (const Real x : m->joint_armature) CHECK(x >= 0);
        CHECK(make_state(*m).joint_q.size() == m->joint_coord_count());
    });
    CHECK(built > 1000);  // most builders survive, or the numbers above were not looked at
}

#include <cstdio>
#include <cstring>

#include "mechane/collision/narrow.h"
#include "mechane/collision/pipeline.h"
#include "mechane/geometry/hull.h"
#include "mechane/math/random.h"
#include "mechane/model/builder.h"

/// Prints a digest of every bit of the contacts of 2000 random poses for each pair of solid kinds, with a hull of many
/// points and one of few, and for some on a ridge of two triangles; and of a heap of all kinds in a pipeline with each
/// broad phase. Built twice, with wide registers and without; the test of that name compares the output (COL-164).
namespace {

using namespace mechane;
using collision::Shape;
using collision::ShapeKind;

/// Fowler, Noll, Vo (1991).
struct Digest {
    std::uint64_t value = 14695981039346656037u;
    template <class T>
    void add(const T& x)
    {
        unsigned char bytes[sizeof(T)];
        std::memcpy(bytes, &x, sizeof(T));
        for (const unsigned char byte : bytes) value = (value ^ byte) * 1099511628211u;
    }
    void add(const Vec3d& v) { add(v.x), add(v.y), add(v.z); }
};

Shape shaped(Random& r, ShapeKind kind, const collision::HullShape& hull)
{
    Shape s;
    s.kind = kind, s.size = {r.uniform(0.1, 0.5), r.uniform(0.1, 0.5), r.uniform(0.1, 0.5)};
    s.R = to_matrix(r.rotation()), s.p = 0.4 * r.direction();
    if (kind == ShapeKind::hull) s.hull = &hull;
    return s;
}

void add(const collision::Manifold& m, Digest& digest)
{
    for (int k = 0; k < m.count; ++k) {
        const auto& p = m.points[static_cast<std::size_t>(k)];
        digest.add(p.p0), digest.add(p.p1), digest.add(p.normal), digest.add(p.distance);
        digest.add(p.feature);
    }
}

/// Convex shapes on two triangles that meet in a ridge.
void on_ridge(const collision::HullShape& hull)
{
    geometry::Mesh ridge;
    ridge.points       = {{-1, 0, 0}, {1, 0, 0.1}, {0, 1, -0.3}, {0, -1, -0.2}};
    ridge.triangles    = {{0, 1, 2}, {1, 0, 3}};
    const auto surface = collision::make_mesh_shape(ridge, {1, 1, 1}, false);
    Shape      mesh;
    mesh.kind = ShapeKind::mesh, mesh.mesh = &surface;
    for (const auto kind : {ShapeKind::sphere, ShapeKind::capsule, ShapeKind::box, ShapeKind::hull}) {
        Digest digest;
        Random r(1);
        for (int i = 0; i < 2000; ++i) {
            collision::Manifold m;
            collision::collide(mesh, shaped(r, kind, hull), 0.05, m);
            add(m, digest);
        }
        std::printf("ridge %d: %016llx\n", static_cast<int>(kind), static_cast<unsigned long long>(digest.value));
    }
}

void pairs(const collision::HullShape& hull)
{
    for (int first = static_cast<int>(ShapeKind::plane); first <= static_cast<int>(ShapeKind::hull); ++first)
        for (int second = first; second <= static_cast<int>(ShapeKind::hull); ++second) {
            const auto a = static_cast<ShapeKind>(first), b = static_cast<ShapeKind>(second);
            if (a == ShapeKind::mesh || b == ShapeKind::mesh || collision::route_of(a, b).empty()) continue;
            Digest digest;
            Random r(1);
            for (int i = 0; i < 2000; ++i) {
                const Shape         x = shaped(r, a, hull), y = shaped(r, b, hull);
                collision::Manifold m;
                collision::collide(x, y, 0.05, m);
                add(m, digest);
            }
            std::printf("kinds %d %d: %016llx\n", first, second, static_cast<unsigned long long>(digest.value));
        }
}

void heap(const std::shared_ptr<const geometry::Mesh>& stone)
{
    model::ModelBuilder b;
    Random              r(2);
    const auto&         c = b.default_shape;
    for (int i = 0; i < 300; ++i) {
        const auto body = b.add_body({{r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(0, 1.5)}, r.rotation()}, "stone");
        if (i % 6 == 0) b.add_shape_sphere(body, {}, 0.12, c);
        if (i % 6 == 1) b.add_shape_capsule(body, {}, 0.08, 0.1, c);
        if (i % 6 == 2) b.add_shape_cylinder(body, {}, 0.1, 0.12, c);
        if (i % 6 == 3) b.add_shape_box(body, {}, {0.1, 0.12, 0.08}, c);
        if (i % 6 == 4) b.add_shape({.type = model::GeoType::convex_mesh, .body = body, .source = stone, .config = c});
        if (i % 6 == 5) b.add_shape({.type = model::GeoType::mesh, .body = body, .source = stone, .config = c});
    }
    b.add_ground_plane();
    Diagnostics out;
    const auto  m = b.finalize({}, out);
    if (!m) return;
    for (const char* phase : {"nxn", "sap", "explicit", "tree"}) {
        collision::CollisionPipeline pipeline(*m, {.broad_phase = *collision::broad_phase_mode(phase)});
        auto                         contacts = pipeline.make_contacts();
        pipeline.collide(model::make_state(*m), 1.0 / 60, contacts);
        Digest digest;
        for (std::size_t i = 0; i < static_cast<std::size_t>(contacts.rigid_contact_count); ++i) {
            digest.add(contacts.rigid_contact_shape0[i]), digest.add(contacts.rigid_contact_shape1[i]);
            for (const auto* v : {&contacts.rigid_contact_point0[i], &contacts.rigid_contact_point1[i],
                                  &contacts.rigid_contact_normal[i]})
                digest.add(v->x), digest.add(v->y), digest.add(v->z);
            digest.add(contacts.rigid_contact_distance[i]), digest.add(contacts.rigid_contact_feature[i]);
        }
        std::printf("heap %s, %d contacts: %016llx\n", phase, contacts.rigid_contact_count,
                    static_cast<unsigned long long>(digest.value));
    }
}

}  // namespace

int main()
{
    Random             r(7);
    std::vector<Vec3d> points;
    for (int i = 0; i < 21; ++i) points.push_back(scale(r.direction(), Vec3d{0.2, 0.16, 0.12}));
    auto mesh = geometry::build_hull(points);
    if (!mesh) return 1;
    pairs(collision::make_hull_shape(*mesh, {1, 1, 1}));
    const auto small = geometry::build_hull(std::span(points).first(7));
    if (!small) return 1;
    const auto small_hull = collision::make_hull_shape(*small, {1, 1, 1});
    pairs(small_hull);
    on_ridge(small_hull);
    heap(std::make_shared<const geometry::Mesh>(*std::move(mesh)));
}

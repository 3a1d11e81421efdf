#pragma once
#include "world.h"

namespace mechane::test {

/// Contacts written by hand from closed forms, so that the tests of the solver hold without a collision pipeline.
class HandContacts {
  public:
    HandContacts() { contacts.resize(4096); }
    void clear() { contacts.rigid_contact_count = 0; }

    /// Sphere `shape` of a body above the plane through the origin with unit normal n; reported when nearer than
    /// `reach`.
    void sphere_plane(const World& w, std::int32_t plane, std::int32_t shape, double radius, const Vec3d& n = {0, 0, 1},
                      double reach = 0.3)
    {
        const Vec3d  center = w.position(w.model.shape_body[shape]);
        const double d      = dot(n, center) - radius;
        if (d < reach) add(plane, shape, center - dot(n, center) * n, {}, n, 0, radius, d, 0);
    }
    /// The eight corners of a box against the plane.
    void box_plane(const World& w, std::int32_t plane, std::int32_t shape, const Vec3d& half,
                   const Vec3d& n = {0, 0, 1}, double reach = 0.1)
    {
        const Posed X = static_cast<Posed>(w.state.body_q[w.model.shape_body[shape]]);
        for (std::uint64_t k = 0; k < 8; ++k) {
            const Vec3d  corner{k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
            const Vec3d  p = X * corner;
            const double d = dot(n, p);
            if (d < reach) add(plane, shape, p - d * n, corner, n, 0, 0, d, k);
        }
    }
    /// Lower face of the upper box on the upper face of the lower one, both nearly axis-aligned: the four corners.
    void box_on_box(const World& w, std::int32_t lower, std::int32_t upper, const Vec3d& half_lower,
                    const Vec3d& half_upper)
    {
        const Posed A = static_cast<Posed>(w.state.body_q[w.model.shape_body[lower]]),
                    B = static_cast<Posed>(w.state.body_q[w.model.shape_body[upper]]);
        const Vec3d n = rotate(A.q, Vec3d{0, 0, 1});
        for (std::uint64_t k = 0; k < 4; ++k) {
            const Vec3d  corner{k & 1 ? half_upper.x : -half_upper.x, k & 2 ? half_upper.y : -half_upper.y,
                                -half_upper.z};
            const Vec3d  at = inverse_times(A, B * corner);
            const double d  = at.z - half_lower.z;
            if (d < 0.1) add(lower, upper, {at.x, at.y, half_lower.z}, corner, n, 0, 0, d, k);
        }
    }
    /// Two spheres, shape0 < shape1.
    void sphere_sphere(const World& w, std::int32_t a, std::int32_t b, double ra, double rb)
    {
        const Vec3d  between = w.position(w.model.shape_body[b]) - w.position(w.model.shape_body[a]);
        const double d       = length(between) - ra - rb;
        if (d < 0.3) add(a, b, {}, {}, normalized(between), ra, rb, d, 0);
    }
    void add(std::int32_t s0, std::int32_t s1, const Vec3d& p0, const Vec3d& p1, const Vec3d& n, double m0, double m1,
             double d, std::uint64_t feature)
    {
        const auto i                       = contacts.rigid_contact_count++;
        contacts.rigid_contact_shape0[i]   = s0;
        contacts.rigid_contact_shape1[i]   = s1;
        contacts.rigid_contact_point0[i]   = static_cast<Vec3>(p0);
        contacts.rigid_contact_point1[i]   = static_cast<Vec3>(p1);
        contacts.rigid_contact_normal[i]   = static_cast<Vec3>(n);
        contacts.rigid_contact_margin0[i]  = static_cast<Real>(m0);
        contacts.rigid_contact_margin1[i]  = static_cast<Real>(m1);
        contacts.rigid_contact_distance[i] = static_cast<Real>(d);
        contacts.rigid_contact_feature[i]  = feature;
    }
    model::Contacts contacts;
};

/// The plane is shape 0; then boxes or balls, one body each.
inline model::ModelBuilder ground(double mu, double restitution = 0)
{
    model::ModelBuilder b;
    b.default_shape.mu          = mu;
    b.default_shape.restitution = restitution;
    b.add_ground_plane();
    return b;
}

inline std::int32_t add_box(model::ModelBuilder& b, const Posed& at, const Vec3d& half, double mass)
{
    model::ShapeConfig config = b.default_shape;
    config.density            = mass / (8 * half.x * half.y * half.z);
    const auto body           = b.add_body(at, fmt::format("box{}", b.bodies.size()));
    b.add_shape_box(body, {}, half, config);
    return body;
}

inline std::int32_t add_ball(model::ModelBuilder& b, const Vec3d& at, double radius, double mass)
{
    model::ShapeConfig config = b.default_shape;
    config.density            = mass / (4.0 / 3 * kPi * radius * radius * radius);
    const auto body           = b.add_body({at, {}}, fmt::format("ball{}", b.bodies.size()));
    b.add_shape_sphere(body, {}, radius, config);
    return body;
}

}  // namespace mechane::test

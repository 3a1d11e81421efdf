// Mass, centre of mass and inertia of solids. Density [kg/m^3], lengths [m]; inertia is about the centre of mass in the
// shape's axes [kg m^2].
// Primitives are closed forms about their middle; capsules, cylinders and cones have z as axis and half_height without
// caps. Meshes are sums over tetrahedra, shells sums over prisms.

#include "mechane/geometry/mass.h"

namespace mechane::geometry {

namespace {

/// Inertia of a point mass at `r` from the reference point: m (|r|^2 E - r r^T).
Mat33d point_inertia(double mass, const Vec3d& r)
{ return mass * (length_squared(r) * Mat33d::identity() - Mat33d::outer(r, r)); }

MassProperties centred(double mass, const Vec3d& moments) { return {mass, {}, Mat33d::diagonal(moments)}; }

/// Sums of the volume integrals of 1, x and x x^T over tetrahedra that share one vertex (Mirtich 1996, section 2).
struct VolumeSums {
    double volume = 0;
    Vec3d  first;
    Mat33d second{};

    void add_tetrahedron(const Vec3d& a, const Vec3d& b, const Vec3d& c)
    {
        const double v = dot(a, cross(b, c)) / 6;
        const Vec3d  s = a + b + c;
        volume += v;
        first += (v / 4) * s;
        // Integral of x x^T over a tetrahedron (0, a, b, c): volume / 20 times the sum over its corners and their sum.
        second += (v / 20) * (Mat33d::outer(a, a) + Mat33d::outer(b, b) + Mat33d::outer(c, c) + Mat33d::outer(s, s));
    }

    /// @param origin  the shared vertex in the mesh's frame
    [[nodiscard]] MassProperties mass_properties(const Vec3d& origin, double density) const
    {
        if (volume == 0) return {};
        // A mesh wound inwards has all sums negated; the centre of mass is a quotient and does not notice.
        const double sign    = volume < 0 ? -1 : 1;
        const Vec3d  c       = first / volume;
        const Mat33d central = sign * density * (second - volume * Mat33d::outer(c, c));
        // Inertia from second moments: I = tr(C) E - C.
        return {sign * density * volume, origin + c, trace(central) * Mat33d::identity() - central};
    }
};

}  // namespace

MassProperties sphere_mass(double radius, double density)
{
    const double m = 4.0 / 3.0 * kPi * radius * radius * radius * density;
    const double i = 0.4 * m * radius * radius;
    return centred(m, {i, i, i});
}

MassProperties box_mass(const Vec3d& h, double density)
{
    const double m  = 8 * h.x * h.y * h.z * density;
    const Vec3d  sq = scale(h, h);
    return centred(m, (m / 3) * Vec3d{sq.y + sq.z, sq.x + sq.z, sq.x + sq.y});
}

MassProperties capsule_mass(double radius, double half_height, double density)
{
    const double r = radius, h = 2 * half_height;
    const double ms = 4.0 / 3.0 * kPi * r * r * r * density;  // both caps, one sphere
    const double mc = kPi * r * r * h * density;
    const double iz = (mc / 2 + 0.4 * ms) * r * r;
    // Two half balls: 2/5 m r^2 about the centre of each full ball, shifted by the half height and 3/8 r of a half
    // ball's centre: m (2/5 r^2 + 3/8 r h + h^2 / 4).
    const double ix = mc * (r * r / 4 + h * h / 12) + ms * (0.4 * r * r + 3 * r * h / 8 + h * h / 4);
    return centred(ms + mc, {ix, ix, iz});
}

MassProperties cylinder_mass(double radius, double half_height, double density)
{
    const double r = radius, h = 2 * half_height;
    const double m  = kPi * r * r * h * density;
    const double ix = m * (3 * r * r + h * h) / 12;
    return centred(m, {ix, ix, m * r * r / 2});
}

MassProperties cone_mass(double radius, double half_height, double density)
{
    const double   r = radius, h = 2 * half_height;
    const double   m    = kPi * r * r * h / 3 * density;
    const double   ix   = m * (3.0 / 20.0 * r * r + 3.0 / 80.0 * h * h);
    MassProperties cone = centred(m, {ix, ix, 0.3 * m * r * r});
    cone.com            = {0, 0, -h / 4};  // a quarter of the height above the base, and the origin is mid-height
    return cone;
}

MassProperties ellipsoid_mass(const Vec3d& a, double density)
{
    const double m  = 4.0 / 3.0 * kPi * a.x * a.y * a.z * density;
    const Vec3d  sq = scale(a, a);
    return centred(m, (m / 5) * Vec3d{sq.y + sq.z, sq.x + sq.z, sq.x + sq.y});
}

MassProperties mesh_mass(const Mesh& mesh, const Vec3d& s, double density)
{
    if (mesh.points.empty()) return {};
    // Any shared vertex gives the same sums over a closed surface, and the middle of the bounds loses the fewest
    // digits. Over an open one the sums depend on it, and the convention is the mesh's origin.
    const Aabbd box    = bounds(mesh);
    const Vec3d origin = is_closed(mesh) ? scale(s, 0.5 * (box.lower + box.upper)) : Vec3d{};
    const auto  point  = [&](std::int32_t i) { return scale(s, mesh.points[static_cast<std::size_t>(i)]) - origin; };
    VolumeSums  sums;
    for (const auto& t : mesh.triangles) sums.add_tetrahedron(point(t[0]), point(t[1]), point(t[2]));
    return sums.mass_properties(origin, density);
}

MassProperties mesh_shell_mass(const Mesh& mesh, const Vec3d& s, double thickness, double density)
{
    const auto     point = [&](std::int32_t i) { return scale(s, mesh.points[static_cast<std::size_t>(i)]); };
    MassProperties shell;
    for (const auto& t : mesh.triangles) {
        const Vec3d  a = point(t[0]), b = point(t[1]), c = point(t[2]);
        const Vec3d  n2   = cross(b - a, c - a);
        const double area = length(n2) / 2;
        if (!(area > 0)) continue;
        const Vec3d n = n2 / (2 * area);
        // Second moments of a lamina about its centroid: area/12 times the sum over corners; of the wall across: 2t *
        // area * t^2/3.
        const Vec3d    centre = (a + b + c) / 3.0;
        const Vec3d    ra = a - centre, rb = b - centre, rc = c - centre;
        const double   volume  = 2 * thickness * area;
        const Mat33d   central = density * volume *
                                 ((1.0 / 12) * (Mat33d::outer(ra, ra) + Mat33d::outer(rb, rb) + Mat33d::outer(rc, rc)) +
                                  (thickness * thickness / 3) * Mat33d::outer(n, n));
        MassProperties prism{density * volume, centre, trace(central) * Mat33d::identity() - central};
        shell = combined(shell, prism);
    }
    return shell;
}

MassProperties hollow(const MassProperties& outer, const MassProperties& inner)
{ return combined(outer, {-inner.mass, inner.com, -1.0 * inner.inertia}); }

MassProperties transformed(const MassProperties& body, const Posed& X_AB)
{
    const Mat33d r = to_matrix(X_AB.q);
    return {body.mass, X_AB * body.com, r * body.inertia * transpose(r)};
}

/// Parallel axes (Huygens, Steiner) for both parts about the common centre.
MassProperties combined(const MassProperties& a, const MassProperties& b)
{
    const double mass = a.mass + b.mass;
    // Without mass there is no centre; the tensors still add, since a massless part may carry one.
    if (mass == 0) return {0, a.com, a.inertia + b.inertia};
    const Vec3d com = (a.mass * a.com + b.mass * b.com) / mass;
    return {mass, com, a.inertia + b.inertia + point_inertia(a.mass, a.com - com) + point_inertia(b.mass, b.com - com)};
}

}  // namespace mechane::geometry

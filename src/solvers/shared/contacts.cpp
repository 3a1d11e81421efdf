// Rows of model::Contacts as the solvers in maximal coordinates and `mujoco` use them: points and offsets in bodies,
// one normal, combined material, motion of belts.

#include "solvers/shared/contacts.h"

#include <cmath>

#include "mechane/model/types.h"
#include "solvers/softstep/contact/usable_contact.h"

namespace mechane::solvers::shared {

namespace {

/// Motion of the surface of a shape on top of its body's, at a point of the world.
/// A conveyor: linear velocity plus rotation about the shape's origin; in the shape's axes, or in the world's if so
/// flagged.
Spatiald surface_of(const model::Model& m, const Bodies& bodies, std::int32_t shape, std::int32_t body,
                    const Vec3d& p_W)
{
    const Spatial& surface = m.shape_surface_velocity[shape];
    if (surface == Spatial{}) return {};
    const Posed X_WS  = bodies.pose(body) * static_cast<Posed>(m.shape_transform[shape]);
    const bool  world = (m.shape_flags[shape] & model::shape_flag::surface_in_world) != 0;
    const Quatd turn  = world ? Quatd{} : X_WS.q;
    const Vec3d w     = rotate(turn, static_cast<Vec3d>(surface.angular));
    return {rotate(turn, static_cast<Vec3d>(surface.linear)) + cross(w, p_W - X_WS.p), w};
}

/// What a contact of a pressure field brings along in place of the materials.
void take_own_stiffness(const model::Contacts& contacts, std::size_t i, PairMaterial& m)
{
    if (contacts.rigid_contact_stiffness.empty()) return;
    const auto own = [&](const std::vector<Real>& values) { return static_cast<double>(values[i]); };
    if (own(contacts.rigid_contact_stiffness) > 0) m.ke = own(contacts.rigid_contact_stiffness);
    if (own(contacts.rigid_contact_damping) > 0) m.kd = own(contacts.rigid_contact_damping);
    if (own(contacts.rigid_contact_friction) > 0) m.mu *= own(contacts.rigid_contact_friction);
}

}  // namespace

/// Stiffness, damping and adhesion are means; friction and restitution follow the rule of the materials.
PairMaterial pair_material(const model::Model& m, MaterialCombine rule, std::int32_t a, std::int32_t b)
{
    const auto by = [&](const std::vector<std::int32_t>& named) {
        return named.empty() ? rule : rule_of_pair(rule, named[a], named[b]);
    };
    const MaterialCombine rubbing = by(m.shape_friction_combine), bouncing = by(m.shape_restitution_combine);
    const auto            mix = [&](MaterialCombine with, const std::vector<Real>& values) {
        return combine(with, static_cast<double>(values[a]), static_cast<double>(values[b]));
    };
    constexpr auto kMean = MaterialCombine::average;
    return {mix(kMean, m.shape_material_ke),
            mix(kMean, m.shape_material_kd),
            mix(kMean, m.shape_material_kf),
            mix(kMean, m.shape_material_ka),
            mix(rubbing, m.shape_material_mu),
            mix(bouncing, m.shape_material_restitution),
            mix(rubbing, m.shape_material_mu_torsional),
            mix(rubbing, m.shape_material_mu_rolling)};
}

void read_contacts(const model::Contacts& contacts, const Bodies& bodies, MaterialCombine rule,
                   std::vector<ContactPoint>& out)
{
    const model::Model& m = *bodies.model;
    out.clear();
    if (out.capacity() < contacts.capacity()) out.reserve(contacts.capacity());
    std::array<std::int32_t, 2> last{-1, -1};
    PairMaterial                material;
    for (std::size_t i = 0; i < static_cast<std::size_t>(contacts.rigid_contact_count); ++i) {
        if (!softstep::is_usable(contacts, i)) continue;
        ContactPoint c;
        c.row   = static_cast<std::int32_t>(i);
        c.shape = {contacts.rigid_contact_shape0[i], contacts.rigid_contact_shape1[i]};
        c.body  = {m.shape_body[c.shape[0]], m.shape_body[c.shape[1]]};
        // Two shapes of one body cannot push each other.
        if (c.body[0] == c.body[1]) continue;
        if (c.shape != last) {
            material = pair_material(m, rule, c.shape[0], c.shape[1]);
            last     = c.shape;
        }
        c.material = material;
        take_own_stiffness(contacts, i, c.material);
        c.own_stiffness = !contacts.rigid_contact_stiffness.empty() && contacts.rigid_contact_stiffness[i] > 0;
        c.point         = {static_cast<Vec3d>(contacts.rigid_contact_point0[i]),
                           static_cast<Vec3d>(contacts.rigid_contact_point1[i])};
        c.offset        = {static_cast<Vec3d>(contacts.rigid_contact_offset0[i]),
                           static_cast<Vec3d>(contacts.rigid_contact_offset1[i])};
        c.margin        = {static_cast<double>(contacts.rigid_contact_margin0[i]),
                           static_cast<double>(contacts.rigid_contact_margin1[i])};
        c.n             = normalized(static_cast<Vec3d>(contacts.rigid_contact_normal[i]));
        for (std::size_t s = 0; s < 2; ++s) {
            const Vec3d    touch = bodies.pose(c.body[s]) * c.point[s] + (s == 0 ? c.margin[0] : -c.margin[1]) * c.n;
            const Spatiald moves = surface_of(m, bodies, c.shape[s], c.body[s], touch);
            if (s == 0)
                c.belt -= moves;
            else
                c.belt += moves;
        }
        // A surface that moves along the normal would be a piston; only its tangential part counts.
        c.belt.linear -= dot(c.n, c.belt.linear) * c.n;
        out.push_back(c);
    }
}

/// Points move with the bodies, the normal stays that of the step.
ContactPlace place_contact(const ContactPoint& c, const Bodies& bodies)
{
    ContactPlace at;
    Vec3d        p[2];
    for (std::size_t s = 0; s < 2; ++s) {
        p[s]    = bodies.pose(c.body[s]) * c.point[s] + (s == 0 ? c.margin[0] : -c.margin[1]) * c.n;
        at.r[s] = c.body[s] < 0 ? Vec3d{} : p[s] - bodies.com_W(c.body[s]);
    }
    at.distance = dot(c.n, p[1] - p[0]);
    return at;
}

}  // namespace mechane::solvers::shared

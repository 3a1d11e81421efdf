// Contacts of the solver `mujoco`: those of the collision pipeline given to MuJoCo, and MuJoCo's own given back.

#include <algorithm>
#include <cmath>

#include "solvers/mujoco/over_mujoco.h"

namespace mechane::solvers::mujoco {

/// Contacts of the step by part, with what MuJoCo wants to know of them.
void OverMujoco::list_contacts()
{
    for (Instance& instance : instances_) instance.given.clear(), instance.given_row.clear();
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
        const ContactPoint& c = contacts_[i];
        std::int32_t        s = -1;
        for (const std::int32_t b : c.body)
            if (b >= 0 && s < 0)
                s = instance_of_world_[static_cast<std::size_t>(model_.body_world[static_cast<std::size_t>(b)] + 1)];
        if (s < 0) continue;
        Instance&          instance = instances_[static_cast<std::size_t>(s)];
        const std::int32_t a        = instance.part.geom_of_shape[static_cast<std::size_t>(c.shape[0])],
                           b        = instance.part.geom_of_shape[static_cast<std::size_t>(c.shape[1])];
        if (a < 0 || b < 0) continue;
        const GeomItem &x = instance.part.what.geoms[static_cast<std::size_t>(a)],
                       &y = instance.part.what.geoms[static_cast<std::size_t>(b)];
        // MuJoCo would divide by the inverse weight of two bodies that cannot move.
        if (!moves(instance, c.body[0], x) && !moves(instance, c.body[1], y)) continue;
        GivenContact to;
        to.geom0 = a, to.geom1 = b;
        to.friction = {c.material.mu, c.material.mu, c.material.torsional, c.material.rolling, c.material.rolling};
        // As MuJoCo mixes two geoms: the one of higher priority, else by their weights.
        const double sum  = x.solmix + y.solmix;
        const double mine = x.priority != y.priority ? (x.priority > y.priority ? 1 : 0)
                            : sum > 0                ? x.solmix / sum
                                                     : 0.5;
        for (std::size_t k = 0; k < 2; ++k) to.solref[k] = mine * x.solref[k] + (1 - mine) * y.solref[k];
        if ((x.solref[0] <= 0 || y.solref[0] <= 0) && mine > 0 && mine < 1)
            for (std::size_t k = 0; k < 2; ++k) to.solref[k] = std::min(x.solref[k], y.solref[k]);
        for (std::size_t k = 0; k < 5; ++k) to.solimp[k] = mine * x.solimp[k] + (1 - mine) * y.solimp[k];
        // Hydroelastic contacts bring N/m and N s/m: solref for the inverse weight w of the pair, with MuJoCo's
        // impedance taken out.
        if (c.own_stiffness && c.material.ke > 0 && c.material.kd > 0) {
            const double w = instance.compiled->body_invweight(x.body) + instance.compiled->body_invweight(y.body);
            const double f = w > 0 ? w * (1 - to.solimp[1]) : 1;
            to.solref      = {2 / (c.material.kd * f), c.material.kd * f / (2 * std::sqrt(c.material.ke * f))};
        }
        if (convert_.newton_compat) as_newton(instance, c, mine, to);
        instance.given.push_back(to);
        instance.given_row.push_back(i);
    }
}

/// What Newton 1.8 makes of the pair besides: friction of the geom of higher priority, and how sliding is damped.
/// Under an elliptic cone Newton derives the damping of sliding from kf, in MuJoCo's impedance form.
void OverMujoco::as_newton(const Instance& instance, const ContactPoint& c, double mine, GivenContact& to) const
{
    const GeomItem &x = instance.part.what.geoms[static_cast<std::size_t>(to.geom0)],
                   &y = instance.part.what.geoms[static_cast<std::size_t>(to.geom1)];
    if (x.priority != y.priority) {
        const std::array<double, 3>& f = (x.priority > y.priority ? x : y).friction;
        to.friction                    = {f[0], f[0], f[1], f[2], f[2]};
    }
    if (instance.part.what.option.cone != 1) return;
    const double k     = mine * static_cast<double>(model_.shape_material_kf[c.shape[0]]) +
                         (1 - mine) * static_cast<double>(model_.shape_material_kf[c.shape[1]]);
    const double w     = instance.compiled->body_invweight(x.body) + instance.compiled->body_invweight(y.body);
    const double scale = k * w * ((1 - to.solimp[1]) / instance.part.what.option.impratio + to.solimp[1]);
    if (k == 0)
        to.friction = {};
    else if (scale > 0 && std::isfinite(2 / scale))
        to.solref_friction = {2 / scale, 1};
}

bool OverMujoco::moves(const Instance& instance, std::int32_t body, const GeomItem& geom) const
{
    return body >= 0 && !std::binary_search(forest_.prescribed.begin(), forest_.prescribed.end(), body) &&
           instance.compiled->body_invweight(geom.body) > 0;
}

void OverMujoco::place_contacts(Instance& instance) const
{
    for (std::size_t k = 0; k < instance.given.size(); ++k) {
        const ContactPoint& c  = contacts_[instance.given_row[k]];
        GivenContact&       to = instance.given[k];
        Vec3d               p[2];
        for (std::size_t s = 0; s < 2; ++s)
            p[s] = bodies_.pose(c.body[s]) * c.point[s] + (s == 0 ? c.margin[0] : -c.margin[1]) * c.n;
        // Midway between the two surfaces; the distance is signed along the normal.
        to.position   = 0.5 * (p[0] + p[1]);
        to.normal     = c.n;
        to.distance   = dot(c.n, p[1] - p[0]);
        to.dimensions = to.friction[0] > 0
                            ? std::max(instance.part.what.geoms[static_cast<std::size_t>(to.geom0)].condim,
                                       instance.part.what.geoms[static_cast<std::size_t>(to.geom1)].condim)
                            : 1;
    }
}

void OverMujoco::find_touching(Instance& instance)
{
    instance.touching.clear();
    instance.touching_of.clear();
    for (std::size_t k = 0; k < instance.given.size(); ++k)
        if (instance.given[k].distance <= 0) {
            instance.touching.push_back(instance.given[k]);
            instance.touching_of.push_back(k);
        }
}

std::vector<double> OverMujoco::contacts(std::size_t world) const
{
    std::vector<double>              out;
    const std::vector<std::int32_t>& geoms = instances_[world].compiled->addresses().geom;
    for (const GivenContact& c : instances_[world].touching) {
        for (const std::int32_t g : {c.geom0, c.geom1}) out.push_back(geoms[static_cast<std::size_t>(g)]);
        out.insert(out.end(), {static_cast<double>(c.dimensions), c.distance, c.position.x, c.position.y, c.position.z,
                               c.normal.x, c.normal.y, c.normal.z});
        out.insert(out.end(), c.friction.begin(), c.friction.end());
        out.insert(out.end(), c.solref.begin(), c.solref.end());
        out.insert(out.end(), c.solref_friction.begin(), c.solref_friction.end());
        out.insert(out.end(), c.solimp.begin(), c.solimp.end());
    }
    return out;
}

void OverMujoco::found_contacts(const model::State& state, model::Contacts& out) const
{
    std::vector<FoundContact> found;
    std::size_t               n = 0, needed = 0;
    out.clear();
    for (const Instance& instance : instances_) {
        instance.world->found(found);
        for (const FoundContact& c : found) {
            if (c.geom0 < 0 || c.geom1 < 0) continue;
            ++needed;
            if (n == out.capacity()) continue;
            const std::int32_t s0      = instance.part.what.geoms[static_cast<std::size_t>(c.geom0)].shape,
                               s1      = instance.part.what.geoms[static_cast<std::size_t>(c.geom1)].shape;
            const auto         in_body = [&](std::int32_t shape, const Vec3d& p) {
                const std::int32_t b = model_.shape_body[static_cast<std::size_t>(shape)];
                if (b < 0) return static_cast<Vec3>(p);
                Posed X = static_cast<Posed>(state.body_q[static_cast<std::size_t>(b)]);
                X.q     = normalized(X.q);
                return static_cast<Vec3>(inverse_times(X, p));
            };
            out.rigid_contact_shape0[n] = s0, out.rigid_contact_shape1[n] = s1;
            // MuJoCo gives the midpoint and the distance; the surfaces lie half of it to either side.
            out.rigid_contact_point0[n]  = in_body(s0, c.position - 0.5 * c.distance * c.normal);
            out.rigid_contact_point1[n]  = in_body(s1, c.position + 0.5 * c.distance * c.normal);
            out.rigid_contact_offset0[n] = out.rigid_contact_offset1[n] = {};
            out.rigid_contact_margin0[n] = out.rigid_contact_margin1[n] = 0;
            out.rigid_contact_normal[n]                                 = static_cast<Vec3>(c.normal);
            out.rigid_contact_distance[n]                               = static_cast<Real>(c.distance);
            out.rigid_contact_feature[n]                                = n;
            for (auto* of : {&out.rigid_contact_force, &out.rigid_contact_torque})
                if (of->size() <= n) of->resize(out.capacity());
            out.rigid_contact_force[n]  = static_cast<Vec3>(c.force);
            out.rigid_contact_torque[n] = static_cast<Vec3>(c.torque);
            ++n;
        }
    }
    out.rigid_contact_count  = static_cast<std::int32_t>(n);
    out.rigid_contact_needed = static_cast<std::int32_t>(needed);
}

}  // namespace mechane::solvers::mujoco

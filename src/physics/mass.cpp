// Mass, centre and moments of a body from what is authored and from its colliders: the precedence of UsdPhysics'
// ComputeMassProperties.
// An authored value of the body comes first, then those of its colliders, then a density times their volumes.
// All results are in the stage's units and in the scale-free frame of the body; the moments are principal ones about
// the centre of mass.
// The volumes come from a callback at unit density, so that OpenUSD's, Newton's and this project's ways of measuring
// shapes share these rules.

#include "mechane/physics/mass.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechane/physics/codes.h"

namespace mechane::physics {

namespace {

// Of the reference: an authored diagonal counts when its length is above this, in whatever units the stage has.
constexpr double kInertiaThreshold = 1e-5;
// Radius of the ball that stands in for missing shapes [m].
constexpr double kSmallSphere = 0.1;

// The reference takes negative moments as they are. Otherwise every diagonal counts that the schema does not ignore, so
// that a part weighs the same in centimetres and in metres: moments of small parts lie far below the threshold in SI.
bool sets_inertia(const MassValues& values, bool strict)
{
    if (!strict) return values.has_diagonal();
    return is_finite(values.diagonal) && length(values.diagonal) > kInertiaThreshold;
}

// The tensor of a mass m moved by t from the centre of mass: m (|t|^2 E - t t^T) on top.
Mat33d moved(const Mat33d& inertia, double m, const Vec3d& t)
{ return inertia + m * (dot(t, t) * Mat33d::identity() - Mat33d::outer(t, t)); }

Mat33d rotated(const Mat33d& inertia, const Quatd& q)
{
    const Mat33d R = to_matrix(q);
    return R * inertia * transpose(R);
}

struct Part {
    Index  collider;
    double mass;
    Mat33d inertia;  ///< about com, shape axes
    Vec3d  com;      ///< shape frame
    Posed  X_BS;
};

/// The precedence of the schema: collider, prims between it and its body, body, physics material, and 1000 kg/m3 at
/// last.
double density_of(const PhysicsModel& model, const Body& body, const Collider& collider, const UnitScale& units)
{
    if (collider.mass.has_density()) return collider.mass.density;
    if (model.options.mass_on_xforms == MassOnXforms::inherit)
        for (const Index i : collider.mass_chain) {
            const MassValues& values = model.xform_masses[static_cast<std::size_t>(i)].values;
            if (values.has_density()) return values.density;
        }
    if (body.mass.has_density()) return body.mass.density;
    if (collider.own_material != kNone) {
        const double density = model.materials[static_cast<std::size_t>(collider.own_material)].density;
        if (std::isfinite(density) && density > 0) return density;
    }
    return default_density(units);
}

std::optional<Part> part_of(const PhysicsModel& model, const Body& body, Index index, const MassInfoCallback& callback,
                            const UnitScale& units, Diagnostics& found)
{
    const Collider& collider = model.colliders[static_cast<std::size_t>(index)];
    const MassInfo  info     = callback(collider);
    if (!(info.volume >= 0) || !std::isfinite(info.volume) || !is_finite(info.inertia) || !is_finite(info.com) ||
        !is_finite(info.X_BS)) {
        found.add(kMassInfoInvalid, collider.prim.site(),
                  fmt::format("the volume of <{}> is not known", collider.path.text()));
        return std::nullopt;
    }
    Part part{index, info.volume, info.inertia, info.com, info.X_BS};
    if (collider.mass.has_mass()) {
        part.mass = collider.mass.mass;
        if (info.volume > 0)
            // Moments of a shape of given form go with its mass, whatever its density is.
            part.inertia *= part.mass / info.volume;
        else {
            part.inertia = {};
            found.add(kMassZeroVolume, collider.prim.site(),
                      fmt::format("<{}> has a mass and no volume", collider.path.text()));
        }
    } else {
        const double density = density_of(model, body, collider, units);
        part.mass *= density;
        part.inertia *= density;
    }
    const bool authored_inertia = sets_inertia(collider.mass, model.options.conventions.tiny_inertia_is_unauthored);
    if (authored_inertia) part.inertia = Mat33d::diagonal(collider.mass.diagonal);
    if (collider.mass.has_axes()) part.inertia = rotated(part.inertia, collider.mass.axes);
    // An authored centre is in the space of the prim and takes its scale. Authored moments are about it already.
    if (collider.mass.has_com()) {
        const Vec3d com = scale(collider.mass.com, collider.scale);
        if (!authored_inertia) part.inertia = moved(part.inertia, part.mass, com - part.com);
        part.com = com;
    }
    return part;
}

// An effective mass on an Xform replaces the total of what lies below it. Deepest first: outer ones then scale the
// result.
void apply_xform_masses(const PhysicsModel& model, std::vector<Part>& parts)
{
    if (model.options.mass_on_xforms != MassOnXforms::inherit) return;
    // The masses are in the order of traversal, parents first; backwards the deeper ones come first.
    for (std::size_t i = model.xform_masses.size(); i-- > 0;) {
        const MassValues& values = model.xform_masses[i].values;
        if (!values.has_mass()) continue;
        const auto below = [&](const Part& part) {
            const auto& chain = model.colliders[static_cast<std::size_t>(part.collider)].mass_chain;
            return std::find(chain.begin(), chain.end(), static_cast<Index>(i)) != chain.end();
        };
        double total = 0;
        for (const Part& part : parts)
            if (below(part)) total += part.mass;
        if (!(total > 0)) continue;
        for (Part& part : parts)
            if (below(part)) {
                part.mass *= values.mass / total;
                part.inertia *= values.mass / total;
            }
    }
}

// The colliders whose masses make up the body's. One that is off owns none; the reference, asked for its mass all the
// same, takes what lies below it and belongs to no other body there.
std::vector<Index> weighed_colliders(const PhysicsModel& model, const Body& body)
{
    if (body.enabled || !model.options.conventions.disabled_bodies_weigh) return body.colliders;
    std::vector<Index> out;
    for (std::size_t i = 0; i < model.colliders.size(); ++i) {
        const Collider& collider = model.colliders[i];
        if (!collider.path.has_prefix(body.path)) continue;
        const bool others =
            collider.body != kNone && model.bodies[static_cast<std::size_t>(collider.body)].path.has_prefix(body.path);
        if (!others) out.push_back(static_cast<Index>(i));
    }
    return out;
}

// The reference asks about every prim below the body that collides, also about those that are no shape to it.
bool asks_about_some_prim(const Body& body)
{
    bool                   asked = false;
    std::vector<usd::Prim> left{body.prim};
    while (!left.empty() && !asked) {
        const usd::Prim prim = left.back();
        left.pop_back();
        asked = prim.has_api("PhysicsCollisionAPI") && prim.attribute("physics:collisionEnabled").get_or<bool>(true);
        for (const usd::Prim& child : prim.children())
            if (!child.has_api("PhysicsRigidBodyAPI")) left.push_back(child);
    }
    return asked;
}

}  // namespace

Mat33d tensor(const BodyMass& mass) { return rotated(Mat33d::diagonal(mass.diagonal), mass.axes); }

double default_density(const UnitScale& units) { return 1000 / units.factor(Dimension::density); }

BodyMass compute_mass(const PhysicsModel& model, Index index, const MassInfoCallback& callback, Diagnostics& found,
                      const UnitScale* stage_units, const MassValues* values)
{
    const UnitScale&  units        = stage_units ? *stage_units : model.units;
    const Body&       body         = model.bodies[static_cast<std::size_t>(index)];
    const MassValues& authored     = values ? *values : body.mass;
    const bool        with_mass    = authored.has_mass(),
                      with_inertia = sets_inertia(authored, model.options.conventions.tiny_inertia_is_unauthored);
    BodyMass          out;
    out.com_authored = authored.has_com();
    if (out.com_authored) out.com = scale(authored.com, body.scale);

    double M       = 0;
    bool   weighed = false;  // some collider has a known volume, be it zero
    Vec3d  C;
    Mat33d I{};
    if (!(with_mass && with_inertia && out.com_authored)) {
        std::vector<Part> parts;
        for (const Index c : weighed_colliders(model, body)) {
            if (!model.colliders[static_cast<std::size_t>(c)].weighs()) continue;
            out.callback_used = true;
            if (auto part = part_of(model, body, c, callback, units, found)) parts.push_back(*part);
        }
        apply_xform_masses(model, parts);
        weighed = !parts.empty();
        for (const Part& part : parts) {
            M += part.mass;
            C += part.mass * (part.X_BS * part.com);
        }
        if (M > 0) C = C / M;
        for (const Part& part : parts)
            // The parallel axis theorem moves the moments of each part from its own centre to the common one.
            I += moved(rotated(part.inertia, part.X_BS.q), part.mass, C - part.X_BS * part.com);
        if (!std::isfinite(M) || !is_finite(C) || !is_finite(I)) {  // sizes or densities beyond all measure
            found.add(kMassInfoInvalid, body.prim.site(),
                      fmt::format("the mass of the colliders of <{}> overflows", body.path.text()));
            M = 0;
            C = {};
            I = {};
        }
        if (!parts.empty() && with_mass && !(M > 0))
            found.add(kMassZeroVolume, body.prim.site(),
                      fmt::format("the colliders of <{}> have no volume", body.path.text()));
    }

    out.mass = with_mass ? authored.mass : M;
    // An authored mass keeps the form: the moments of the colliders go with it.
    if (M > 0) {
        if (with_mass) I *= authored.mass / M;
        if (out.com_authored)
            I = moved(I, out.mass, out.com - C);
        else
            out.com = C;
    } else if (!with_mass) {
        if (model.options.conventions.weightless_body_has_no_mass) {
            // The reference answers a unit tensor beside its "no mass".
            weighed      = weighed || asks_about_some_prim(body);
            out.mass     = weighed ? 0 : -1;
            out.diagonal = with_inertia ? authored.diagonal : weighed ? Vec3d{} : Vec3d{1, 1, 1};
            if (authored.has_axes()) out.axes = authored.axes;
            return out;
        }
        found.add(kMassDefaulted, body.prim.site(),
                  fmt::format("<{}> has no mass and no collider with a volume", body.path.text()));
        out.mass = 1;
    }
    // Without a shape to go by, the moments are those of a solid ball, 2/5 m r^2.
    if ((!(M > 0) || !is_finite(I)) && !with_inertia) {
        const double r = kSmallSphere / units.meters_per_unit;
        I              = 0.4 * out.mass * r * r * Mat33d::identity();
        found.add(kInertiaApprox, body.prim.site(),
                  fmt::format("<{}> has no shape to derive its inertia from", body.path.text()));
    }

    const Diagonalized axes = diagonalize(is_finite(I) ? I : Mat33d::identity());
    // The authored diagonal is taken together with the axes as they are, authored or not.
    out.diagonal = with_inertia ? authored.diagonal : axes.diagonal;
    out.axes     = authored.has_axes() ? authored.axes : axes.axes;
    if (authored.has_axes() && !with_inertia)
        found.add(kAxesWithoutInertia, body.prim.attribute("physics:principalAxes").site(),
                  fmt::format("<{}> authors principal axes but no diagonal inertia", body.path.text()));
    return out;
}

}  // namespace mechane::physics

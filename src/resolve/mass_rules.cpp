// The mass of each body, by a ladder: what the shapes accumulate (A), what OpenUSD's mass
// computer makes of authored values (C), what is left where that cannot answer (F). Everything is in stage units until
// the end.
#include "mechane/resolve/mass_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "mass_log.h"
#include "mechane/physics/codes.h"
#include "mechane/physics/mass_values.h"
#include "mechane/resolve/codes.h"
#include "mechane/resolve/shape_values.h"
#include "mechane/tasks/parallel.h"
#include "mechane/usd/key_times.h"
#include "solids.h"

namespace mechane::resolve {

namespace {

using geometry::MassProperties;
using physics::Body;
using physics::Collider;
using physics::Index;
using physics::kNone;
using physics::MassValues;
using physics::PhysicsModel;

constexpr double kSmallSphere   = 0.1;   // radius that stands in for missing shapes [m]
constexpr double kCentreShifted = 1e-6;  // [m]

Mat33d rotated_diagonal(const Vec3d& diagonal, const Quatd& q)
{
    const Mat33d R = to_matrix(q);
    return R * Mat33d::diagonal(diagonal) * transpose(R);
}

/// Order of newton:inertia: Ixx, Iyy, Izz, Ixy, Ixz, Iyz.
Mat33d tensor_of(const std::vector<double>& t) { return {{t[0], t[3], t[4]}, {t[3], t[1], t[5]}, {t[4], t[5], t[2]}}; }

/// Why six numbers are no inertia tensor; empty when they are one.
std::string fault_of_tensor(const std::vector<double>& t)
{
    if (t.size() != 6) return fmt::format("has {} elements, expected 6", t.size());
    if (!std::all_of(t.begin(), t.end(), [](double x) { return std::isfinite(x); })) return "has non-finite elements";
    if (t[0] < 0 || t[1] < 0 || t[2] < 0) return "has negative diagonal elements";
    // Rounding of the six numbers may push a zero moment below zero.
    const Vec3d moments = geometry::principal_axes(tensor_of(t)).values;
    if (std::min({moments.x, moments.y, moments.z}) < -1e-6 * max_component(abs(moments)))
        return "is not positive semidefinite";
    return {};
}

bool is_zero(const Mat33d& m) { return m == Mat33d{}; }

bool has_api(const usd::Prim& prim, std::string_view api)
{
    const usd::Token token(api);
    if (prim.has_api(token)) return true;
    const auto authored = prim.authored_apis();
    return std::find(authored.begin(), authored.end(), token) != authored.end();
}

class Ladder {
  public:
    Ladder(const PhysicsModel& model, const ResolverList& resolvers, const MassOptions& options, Diagnostics& found)
        : model_(model),
          resolvers_(resolvers),
          o_(options),
          asks_(options.rules.conventions),
          found_(found),
          stage_units_(options.stage_units             ? *options.stage_units
                       : asks_.masses_in_openusd_units ? model.units
                                                       : options.scale),
          shape_density_(options.default_density / options.scale.factor(physics::Dimension::density))
    {
    }

    MassTable run()
    {
        const std::size_t n = model_.colliders.size();
        solids_.resize(n);
        table_.collider_density.assign(n, 0);
        table_.collider_shell.assign(n, false);
        find_solids();
        for (std::size_t i = 0; i < n; ++i)
            table_.collider_density[i] =
                accumulation_density(model_.colliders[i]) * o_.scale.factor(physics::Dimension::density);
        for (std::size_t i = 0; i < model_.bodies.size(); ++i)
            table_.bodies.push_back(to_si(resolve_body(static_cast<Index>(i))));
        // Only an account of uses needs the trials, which weigh every body several times.
        if (o_.log != nullptr) {
            note_weightless_verdicts(model_, *o_.log);
            MassOptions quiet = o_;
            quiet.log         = nullptr;
            // One ladder for each model that is tried, of which there are two, not one for each body.
            Diagnostics                                            unheard;
            std::map<const PhysicsModel*, std::unique_ptr<Ladder>> others;
            note_mass_truth(
                model_,
                [&](const PhysicsModel& changed, Index body) {
                    std::unique_ptr<Ladder>& other = others[&changed];
                    if (other == nullptr) {
                        other = std::make_unique<Ladder>(changed, resolvers_, quiet, unheard);
                        // The trials change no shape, so that volumes are shared: they are what takes time.
                        other->solids_ = solids_;
                    }
                    unheard.clear();
                    return other->resolve_body(body);
                },
                *o_.log);
        }
        return std::move(table_);
    }

  private:
    const Collider& collider(Index i) const { return model_.colliders[static_cast<std::size_t>(i)]; }

    struct Solid {
        std::optional<MassProperties> properties;
        bool                          shell = false;
        Diagnostics                   found;
    };

    // Meshes take most of an import's time: all threads share them, and findings come in the order of the colliders.
    void find_solids()
    {
        std::vector<std::size_t> meshes;
        const auto is_mesh = [&](std::size_t i) { return model_.colliders[i].kind == physics::ShapeKind::mesh; };
        for (std::size_t i = 0; i < solids_.size(); ++i)
            if (is_mesh(i)) meshes.push_back(i);
        std::vector<Solid> of_meshes(meshes.size());
        const tasks::Pool  pool(o_.threads);
        pool.for_each(meshes.size(), 1, [&](std::size_t k) { of_meshes[k] = solid_of(meshes[k]); });
        std::size_t next = 0;
        for (std::size_t i = 0; i < solids_.size(); ++i) {
            Solid solid = is_mesh(i) ? std::move(of_meshes[next++]) : solid_of(i);
            found_.append(solid.found);
            table_.collider_shell[i] = solid.shell;
            solids_[i]               = solid.properties;
        }
    }

    // Unit-density volume of an enabled collider, hollow where it is a shell.
    Solid solid_of(std::size_t i) const
    {
        const Collider& c = model_.colliders[i];
        Solid           out;
        if (!c.valid) return out;
        const double th = shell_thickness(c, out.found);
        out.shell       = th >= 0;
        if (!c.weighs() || c.body == kNone) return out;
        if (out.shell) {
            if (th == 0) {
                out.found.add(kShellZero, c.prim.site(),
                              fmt::format("<{}> is a shell without thickness", c.path.text()));
                return out;
            }
            out.properties = shell_solid(c, th, asks_.shells_scaled, out.found);
            if (out.properties) return out;
            out.shell = false;
            out.found.add(kShellThick, c.prim.site(), fmt::format("the shell of <{}> is {} thick", c.path.text(), th));
        }
        // Hulls and sums over meshes are most of an import's time, and nobody asks for them here.
        if (c.kind == physics::ShapeKind::mesh && !asks_.complete_bodies_weigh_meshes &&
            is_complete(model_.bodies[static_cast<std::size_t>(c.body)]))
            return out;
        if (o_.mesh_solid) out.properties = o_.mesh_solid(c);
        if (!out.properties) out.properties = collider_solid(c, asks_.approximations_weigh_as_authored, out.found);
        return out;
    }

    // A body that authors everything does without its shapes.
    static bool is_complete(const Body& body)
    { return body.mass.has_mass() && body.mass.has_diagonal() && body.mass.has_com(); }

    // In L; negative for solids.
    double shell_thickness(const Collider& c, Diagnostics& found) const
    {
        // The unit scale of one keeps stage units.
        Context context;
        context.rules = o_.rules;
        context.log   = o_.log;
        if (resolvers_.get(c.prim, Key::shape_mass_model, context).text().value_or("solid") != "shell") return -1;
        const Resolved authored = resolvers_.get(c.prim, Key::shape_shell_thickness, context);
        const double   th       = authored.number_or(-kInfinity);
        if (std::isfinite(th) && th >= 0) return th;
        if (std::isfinite(th) && o_.log != nullptr)
            o_.log->correct(c.prim, authored.attribute, physics::Use::ignored,
                            "a thickness must not be negative; the margin is used");
        if (std::isfinite(th))
            found.add(kShellNegative, authored.site,
                      fmt::format("<{}> has a negative shell thickness, {}", c.path.text(), th));
        const double margin = resolvers_.get(c.prim, Key::shape_margin, context, 0.0).number_or(0);
        return std::isfinite(margin) && margin > 0 ? margin : 0;
    }

    double accumulation_density(const Collider& c)
    {
        const Index material =
            asks_.first_material_weighs ? (c.materials.empty() ? kNone : c.materials.front()) : c.own_material;
        if (material == kNone) return shape_density_;
        const auto&  m       = model_.materials[static_cast<std::size_t>(material)];
        const double density = m.density;
        if (!std::isfinite(density))
            found_.add(kMaterialDensity, m.prim.attribute("physics:density").site(),
                       fmt::format("the density of <{}> is {}; {}", m.path.text(), density,
                                   physics::kExpectedMaterialDensity));
        return std::isfinite(density) && density > 0 ? density : shape_density_;
    }

    MassProperties in_body(Index i, double density) const
    {
        const auto& solid = solids_[static_cast<std::size_t>(i)];
        if (!solid) return {};
        return geometry::transformed({solid->mass * density, solid->com, density * solid->inertia}, collider(i).X_BS);
    }

    // A: geometry times material density.
    MassProperties accumulate(const Body& body)
    {
        MassProperties sum;
        for (const Index i : body.colliders)
            sum = geometry::combined(sum, in_body(i, accumulation_density(collider(i))));
        return sum;
    }

    // C: the mass computer, or F where it cannot answer.
    struct Computed {
        double mass = 0;
        Vec3d  com;
        Mat33d tensor{};
        Vec3d  diagonal;
        bool   from_computer = false;
    };
    // The bodies' mass computer of OpenUSD, fed with this project's volumes. What it says in words is dropped but for
    // one finding.
    Computed compute(Index index, const Body& body, const MassProperties& A)
    {
        ++table_.mass_computer_calls;
        if (!must_fall_back(body)) {
            Diagnostics             said;
            const physics::BodyMass c = physics::compute_mass(
                model_, index, [&](const Collider& one) { return info(one); }, said, &stage_units_, &body.mass);
            for (const Diagnostic& d : said)
                if (d.id == "PHY_MASS_ZERO_VOLUME") found_.add(d);
            Computed out{c.mass, c.com, physics::tensor(c), c.diagonal, true};
            if (asks_.invalid_moments_void_the_sum &&
                has_collider(body, [](const MassValues& v) { return !is_finite(v.diagonal); })) {
                // OpenUSD's sum is no number then, and Newton keeps the moments of the shapes.
                out.tensor   = A.inertia;
                out.diagonal = {};
            }
            // An answer that is no number is none: the ladder goes on with its own sum.
            if (out.mass >= 0 && std::isfinite(out.mass) && is_finite(out.com) && is_finite(out.tensor)) return out;
        }
        return fall_back(body, A);
    }

    // Newton's solids of capsules, cylinders and cones stand along z and are turned with their frame; a centre or
    // moments that the collider authors are then read in the turned frame.
    static void turn_onto_axis(const Collider& c, physics::MassInfo& info)
    {
        using physics::ShapeKind;
        if (c.kind != ShapeKind::capsule && c.kind != ShapeKind::cylinder && c.kind != ShapeKind::cone) return;
        const Quatd  turn = rotation_between(Vec3d{0, 0, 1}, physics::unit_vector(c.axis));
        const Mat33d R    = to_matrix(turn);
        info.X_BS.q       = info.X_BS.q * turn;
        info.com          = rotate_inverse(turn, info.com);
        info.inertia      = transpose(R) * (info.inertia * R);
    }

    physics::MassInfo info(const Collider& c)
    {
        physics::MassInfo out;
        out.X_BS          = c.X_BS;
        const bool  own   = c.mass.has_mass() && c.mass.has_diagonal();
        const auto& solid = solids_[static_cast<std::size_t>(&c - model_.colliders.data())];
        if (solid) {
            out.volume  = solid->mass;
            out.com     = solid->com;
            out.inertia = solid->inertia;
            // Newton describes a collider with mass and moments of its own by those alone, about its origin.
            if (own && asks_.collider_mass_in_turned_frame) out.com = {};
            if (asks_.collider_mass_in_turned_frame) turn_onto_axis(c, out);
        } else if (own || (asks_.unshaped_mass_counts && c.mass.has_mass())) {
            out.volume = 0;
            if (asks_.unshaped_mass_counts && !own)
                out.X_BS = {};  // Newton has no record of it and puts it at the body's origin
        } else
            found_.add(kColliderNoMass, c.prim.site(),
                       fmt::format("Skipping collider <{}> in the mass aggregation: it has no volume", c.path.text()));
        return out;
    }

    // True when what an enabled collider of the body authors about its mass is so.
    template <class Is>
    bool has_collider(const Body& body, const Is& is) const
    {
        return std::any_of(body.colliders.begin(), body.colliders.end(), [&](Index i) {
            return collider(i).weighs() && collider(i).mass.applied && is(collider(i).mass);
        });
    }

    bool must_fall_back(const Body& body) const
    {
        const auto blocked = [](const MassValues& v) {
            return v.mass_blocked || v.diagonal_blocked || v.axes_blocked || v.com_blocked;
        };
        if (blocked(body.mass)) return true;
        // An infinite mass makes OpenUSD's sum infinite, for which Newton has an answer of its own.
        if (asks_.invalid_moments_void_the_sum &&
            (body.mass.mass == kInfinity ||
             has_collider(body, [](const MassValues& v) { return v.mass == kInfinity; })))
            return true;
        return std::any_of(body.colliders.begin(), body.colliders.end(), [&](Index i) {
            return blocked(collider(i).mass) || (!collider(i).weighs() && collider(i).mass.applied);
        });
    }

    double explicit_density(const Body& body, const Collider& c, double volume)
    {
        if (c.mass.has_mass() && volume > 0) return c.mass.mass / volume;
        if (c.mass.has_density()) return c.mass.density;
        if (model_.options.mass_on_xforms == physics::MassOnXforms::inherit)
            for (const Index i : c.mass_chain)
                if (const MassValues& v = model_.xform_masses[static_cast<std::size_t>(i)].values; v.has_density())
                    return v.density;
        if (body.mass.has_density() && !body.mass.has_mass()) return body.mass.density;
        return accumulation_density(c);
    }

    // A collider that authors its mass and moments is those, whatever its shape.
    MassProperties explicit_mass(const Body& body, Index i)
    {
        const Collider&   c     = collider(i);
        const MassValues& own   = c.mass;
        const auto&       solid = solids_[static_cast<std::size_t>(i)];
        if (!solid) return {};
        if (!own.has_mass() || !own.has_diagonal()) return in_body(i, explicit_density(body, c, solid->mass));
        MassProperties out{own.mass, solid->com, rotated_diagonal(own.diagonal, own.has_axes() ? own.axes : Quatd{})};
        if (asks_.collider_mass_in_turned_frame) out.com = {};
        if (own.has_com()) out.com = asks_.collider_mass_in_turned_frame ? own.com : scale(own.com, c.scale);
        physics::MassInfo frame;
        frame.X_BS = c.X_BS;
        if (asks_.collider_mass_in_turned_frame) turn_onto_axis(c, frame);
        return geometry::transformed(out, frame.X_BS);
    }

    Computed fall_back(const Body& body, const MassProperties& A)
    {
        MassProperties sum;
        // Authored masses of colliders first; without any, the shapes at the density of the body.
        for (const Index i : body.colliders) sum = geometry::combined(sum, explicit_mass(body, i));
        if (!(sum.mass > 0)) {
            sum = A;
            if (body.mass.has_density() && !body.mass.has_mass()) {
                const double ratio = body.mass.density / shape_density_;
                sum.mass *= ratio;
                sum.inertia *= ratio;
            }
        }
        const auto axes = physics::diagonalize(sum.inertia);
        return {sum.mass, sum.com, sum.inertia, axes.diagonal, false};
    }

    // The mass pass looks at bodies whose mass somebody authored.
    bool has_authored_mass(const Body& body) const
    {
        if (body.mass.applied) return true;
        return std::any_of(body.colliders.begin(), body.colliders.end(), [&](Index i) {
            const Collider& c = collider(i);
            if (c.weighs() && c.mass.applied) return true;
            return model_.options.mass_on_xforms == physics::MassOnXforms::inherit && !c.mass_chain.empty();
        });
    }

    void warn_ineffective(const usd::Prim& prim, const MassValues& v, bool is_body)
    {
        if (!v.applied) return;
        const auto site = [&](std::string_view name) { return prim.attribute(usd::Token(name)).site(); };
        if (v.density != 0 && !v.has_density())
            found_.add(
                kMassDensity, site("physics:density"),
                fmt::format("the density of <{}> is {}; {}", prim.path().text(), v.density, physics::kExpectedDensity));
        if (!(v.diagonal == Vec3d{}) && !v.has_diagonal())
            found_.add(kMassDiagonal, site("physics:diagonalInertia"),
                       fmt::format("the diagonal inertia of <{}> is ({}, {}, {}); {}", prim.path().text(), v.diagonal.x,
                                   v.diagonal.y, v.diagonal.z, physics::kExpectedDiagonal));
        if (v.mass != 0 && !v.has_mass())
            found_.add(is_body ? kMassMass : kColliderMass, site("physics:mass"),
                       fmt::format("the mass of <{}> is {}; {}", prim.path().text(), v.mass,
                                   is_body ? physics::kUnusableBodyMass : physics::kExpectedMass));
    }

    // newton:inertia = [Ixx, Iyy, Izz, Ixy, Ixz, Iyz], only where NewtonMassAPI is applied.
    std::optional<Mat33d> authored_tensor(const Body& body)
    {
        if (!has_api(body.prim, "NewtonMassAPI")) return std::nullopt;
        const usd::Attribute attribute = body.prim.attribute("newton:inertia");
        const auto           list      = usd::start_authored_as<std::vector<double>>(attribute);
        if (list && o_.log != nullptr) o_.log->note(body.prim, attribute.name(), physics::Use::read);
        if (!list || list->empty()) return std::nullopt;
        const std::string fault = fault_of_tensor(*list);
        if (fault.empty()) return tensor_of(*list);
        found_.add(kInertiaTensor, attribute.site(), fmt::format("newton:inertia of <{}> {}", body.path.text(), fault));
        return std::nullopt;
    }

    BodyMassProperties resolve_body(Index index)
    {
        Body                 body = model_.bodies[static_cast<std::size_t>(index)];
        const MassProperties A    = accumulate(body);
        if (!has_authored_mass(body)) return defaulted(body, {A.mass, A.com, A.inertia, "shapes", false});

        warn_ineffective(body.prim, body.mass, true);
        for (const Index i : body.colliders)  // a body that is itself a collider says it once
            if (collider(i).path != body.path) warn_ineffective(collider(i).prim, collider(i).mass, false);
        MassValues& own             = body.mass;
        bool        pair_rule_drops = false;
        if (o_.rules.mass_pair_rule) {
            if (!own.has_mass() || !own.has_diagonal()) {
                pair_rule_drops = true;
                own             = {};
                own.applied     = true;
            } else if (!own.has_com())
                own.com = {};
        }

        // What is not usable must not reach the mass computer either.
        if (!own.has_diagonal()) own.diagonal = {};
        const std::optional<Mat33d> T           = authored_tensor(body);
        const bool                  has_inertia = T.has_value() || own.has_diagonal();
        if (own.has_mass() && own.has_density() && !has_inertia)
            found_.add(kMassAndDensity, body.prim.site(),
                       fmt::format("<{}> authors mass {} and density {}", body.path.text(), own.mass, own.density));

        Computed C;
        // With mass, inertia and centre authored, nothing is left to compute.
        const bool computed = !(own.has_mass() && has_inertia && own.has_com());
        if (computed) C = compute(index, body, A);
        if (o_.log != nullptr)
            note_mass_verdicts(model_, model_.bodies[static_cast<std::size_t>(index)],
                               {T.has_value(), computed, pair_rule_drops}, *o_.log);

        BodyMassProperties out;
        out.computer_used = computed && C.from_computer;
        out.mass          = own.has_mass() ? own.mass : C.mass;
        out.com           = own.has_com() ? scale(own.com, body.scale) : C.com;
        set_inertia(body, A, T, C, out);
        return last_rungs(body, A, out);
    }

    void set_inertia(const Body& body, const MassProperties& A, const std::optional<Mat33d>& T, const Computed& C,
                     BodyMassProperties& out)
    {
        const MassValues& own = body.mass;
        if (T) {
            out.inertia = *T;
            out.rule    = "newton:inertia";
        } else if (own.has_diagonal()) {
            out.inertia = rotated_diagonal(own.diagonal, own.has_axes() ? own.axes : Quatd{});
            out.rule    = "diagonalInertia";
        } else if (!own.has_mass() || is_shaped_by_colliders(body, C)) {
            out.inertia = C.tensor;
            out.rule    = "computed";
            // A mass without a volume to scale: the computer has put a small ball in its place.
        } else if (!(A.mass > 0) && C.diagonal.x > 0 && C.diagonal.y > 0 && C.diagonal.z > 0) {
            out.inertia = Mat33d::diagonal(C.diagonal);
            out.rule    = "small sphere";
            // What is no body any more has shapes all the same; its mass moves nothing.
            if (body.enabled && std::none_of(body.colliders.begin(), body.colliders.end(), [&](Index i) {
                    return solids_[static_cast<std::size_t>(i)].has_value();
                }))
                found_.add(kMassSmallSphere, body.prim.site(),
                           fmt::format("<{}> has a mass and no shape", body.path.text()));
            else
                out.rule = "computed";
        } else if (A.mass > 0) {
            out.inertia = (own.mass / A.mass) * A.inertia;
            out.rule    = "scaled from shapes";
            check_centre(body, A, out);
        }
    }

    // Masses of colliders are weights under a mass of the body (UsdPhysics): they place the centre of mass, so they
    // must shape the inertia as well, or the two would be of different bodies. Volumes alone do neither otherwise, and
    // what a body that is itself a collider authors is the body's.
    bool is_shaped_by_colliders(const Body& body, const Computed& C) const
    {
        if (asks_.collider_masses_shape_no_inertia || !C.from_computer || !(C.mass > 0) || is_zero(C.tensor))
            return false;
        return std::any_of(body.colliders.begin(), body.colliders.end(), [&](Index i) {
            const MassValues& v = collider(i).mass;
            return collider(i).path != body.path && collider(i).weighs() && v.applied &&
                   (v.has_mass() || v.has_diagonal() || v.has_com());
        });
    }

    // The scaled tensor is about the centre of the shapes, and the body's may lie elsewhere.
    void check_centre(const Body& body, const MassProperties& A, BodyMassProperties& out)
    {
        const Vec3d d = out.com - A.com;
        if (!(length(d) * o_.scale.factor(physics::Dimension::length) > kCentreShifted)) return;
        // The parallel axis theorem, m (d^2 E - d d^T).
        const Mat33d missing = out.mass * (dot(d, d) * Mat33d::identity() - Mat33d::outer(d, d));
        if (o_.rules.move_scaled_tensor) {
            out.inertia += missing;
            return;
        }
        found_.add(kMassTensorCom, body.prim.site(),
                   fmt::format("the centre of mass of <{}> is ({}, {}, {}), that of its shapes ({}, {}, {}); the "
                               "parallel-axis term would be up to {}",
                               body.path.text(), out.com.x, out.com.y, out.com.z, A.com.x, A.com.y, A.com.z,
                               out.mass * dot(d, d)));
    }

    BodyMassProperties last_rungs(const Body& body, const MassProperties& A, BodyMassProperties out)
    {
        // A ball of the default density that weighs as much: r from m = 4/3 pi r^3 rho.
        if (out.mass > 0 && is_zero(out.inertia)) {
            const double r = std::cbrt(3 * out.mass / (4 * kPi * shape_density_));
            out.inertia    = 0.4 * out.mass * r * r * Mat33d::identity();
            if (length(out.com) * o_.scale.factor(physics::Dimension::length) > kCentreShifted)
                out.inertia += out.mass * dot(out.com, out.com) * Mat33d::identity();
            out.rule = "sphere of default density";
        }
        // A computer that had nothing to compute from has already said one unit of mass.
        const bool nothing = !body.mass.has_mass() && !(A.mass > 0) && !has_usable_mass(body);
        if (nothing || (!(out.mass > 0) && is_zero(out.inertia))) return defaulted(body, out);
        return out;
    }

    bool has_usable_mass(const Body& body) const
    {
        return std::any_of(body.colliders.begin(), body.colliders.end(), [&](Index i) {
            return solids_[static_cast<std::size_t>(i)].has_value() ||
                   (collider(i).weighs() && collider(i).mass.has_mass() && collider(i).mass.has_diagonal());
        });
    }

    // Nothing to derive a mass from: one unit of mass as a ball of 0.1 m, or zero under Newton's rules.
    BodyMassProperties defaulted(const Body& body, BodyMassProperties out)
    {
        if (out.mass > 0 && out.rule == "shapes") return out;
        if (asks_.massless_body_stays || !body.enabled) {
            if (out.mass > 0) return out;
            out.mass = 0;
            if (body.mass.applied && is_zero(out.inertia))
                found_.add(kMassZero, body.prim.site(),
                           fmt::format("<{}> ends with zero mass and zero inertia", body.path.text()));
            if (is_zero(out.inertia)) out.rule = "none";
            return out;
        }
        found_.add(physics::kMassDefaulted, body.prim.site(),
                   fmt::format("<{}> has no mass and no collider with a volume", body.path.text()));
        const double r                = kSmallSphere / stage_units_.meters_per_unit;
        const bool   authored_inertia = out.rule == "newton:inertia" || out.rule == "diagonalInertia";
        out.mass                      = 1;
        if (!authored_inertia) {
            out.inertia = 0.4 * r * r * Mat33d::identity();
            out.rule    = "defaulted";
        }
        return out;
    }

    BodyMassProperties to_si(BodyMassProperties m) const
    {
        using physics::Dimension;
        m.mass *= o_.scale.factor(Dimension::mass);
        m.com *= o_.scale.factor(Dimension::length);
        m.inertia *= o_.scale.factor(Dimension::inertia);
        return m;
    }

    const PhysicsModel&                        model_;
    const ResolverList&                        resolvers_;
    const MassOptions&                         o_;
    const physics::Conventions&                asks_;
    Diagnostics&                               found_;
    physics::UnitScale                         stage_units_;
    double                                     shape_density_;  ///< default density in M/L^3
    std::vector<std::optional<MassProperties>> solids_;
    MassTable                                  table_;
};

}  // namespace

MassTable compute_masses(const PhysicsModel& model, const ResolverList& resolvers, const MassOptions& options,
                         Diagnostics& found)
{ return Ladder(model, resolvers, options, found).run(); }

}  // namespace mechane::resolve

// Compares what only the models of a simulation hold: initial states, break forces, collision pairs, soft bodies.
// Robot trees of the source formats have no place for these. Both scenes have been imported and finalized, so the
// defaults of the importer are included in what is compared.
// Bodies and joints are paired by name as in rollouts; elements of soft bodies by their index, because a converter
// keeps the order of points. Velocities and points are turned into a z-up world first.
// Output: more entries in a Comparison that compare() has begun. Called by `mechane diff`.

#include "mechane/difference/scenes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <tuple>

#include "difference/announcements.h"
#include "difference/pairing.h"
#include "difference/upright.h"
#include "difference/values.h"
#include "mechane/collision/broad_phase.h"
#include "mechane/difference/rollout.h"

namespace mechane::difference {
namespace {

namespace sf = sourceformats;
using model::Model;

/// Newton's arrays write "no limit" as a large number where they have no infinity.
std::string value_text(double v, const char* unit) { return std::abs(v) < 1e30 ? text(v, unit) : std::string("none"); }

class SceneComparer {
  public:
    SceneComparer(Comparison& out, const run::Scene& a, const run::Scene& b, const CompareOptions& options)
        : out_(out), a_(a.model), b_(b.model), options_(options), in_a_(motion_of(a, {})), in_b_(motion_of(b, {}))
    {
        const auto names = [](const auto& list) {
            std::vector<std::string> all;
            for (const auto& one : list) all.push_back(one.name);
            return all;
        };
        bodies_ = pair_by_name(names(in_a_.bodies), names(in_b_.bodies), options.losses);
        joints_ = pair_by_name(names(in_a_.joints), names(in_b_.joints), options.losses);
    }

    void run()
    {
        states();
        joints();
        surfaces();
        pairs();
        soft();
    }

  private:
    Comparison&                                      out_;
    const Model &                                    a_, &b_;
    const CompareOptions&                            options_;
    Motion                                           in_a_, in_b_;
    std::vector<std::pair<std::size_t, std::size_t>> bodies_, joints_;

    [[nodiscard]] std::string announced(Quantity q, const std::string& field,
                                        const std::vector<std::string>& names) const
    { return announced_by_name(options_.losses, q, field, names); }

    void differ(Quantity q, const std::string& item, const std::string& field, std::string x, std::string y,
                const Site& at_a, const Site& at_b, double amount, double tolerance,
                const std::vector<std::string>& names)
    {
        out_.add({q,
                  item,
                  field,
                  Side{std::move(x), at_a},
                  Side{std::move(y), at_b},
                  amount,
                  tolerance,
                  {},
                  announced(q, field, names)});
    }

    static double allowed(Quantity q, double of, double scale)
    {
        const Tolerance& t = tolerances()[static_cast<std::size_t>(q)];
        return scale * (t.absolute + t.relative * (std::isfinite(of) ? std::abs(of) : 0));
    }

    void number(Quantity q, const std::string& item, const char* field, double x, double y, const char* unit,
                const Site& at_a, const Site& at_b, const std::vector<std::string>& names)
    {
        out_.count(q);
        const double may = allowed(q, std::max(std::abs(x), std::abs(y)), options_.scale);
        if (x == y || std::abs(x - y) <= may) return;
        differ(q, item, field, value_text(x, unit), value_text(y, unit), at_a, at_b, std::abs(x - y), may, names);
    }

    // -- how bodies and joints start

    void states()
    {
        const Quatd up_a = upright(a_), up_b = upright(b_);
        for (const auto& [i, k] : bodies_) {
            const Motion::Body &one = in_a_.bodies[i], &two = in_b_.bodies[k];
            const std::string   item = fmt::format("link '{}'", one.name);
            const auto          flag = [&](const char* field, bool x, bool y, const char* yes, const char* no) {
                out_.count(Quantity::state);
                if (x != y)
                    differ(Quantity::state, item, field, x ? yes : no, y ? yes : no, one.site, two.site, 0, 0,
                           {one.name});
            };
            const auto held = [](const Model& m, std::size_t b) {
                return (m.body_flags[b] & model::body_flag::kinematic) != 0;
            };
            flag("kinematic", held(a_, i), held(b_, k), "moved by others", "moved by forces");
            const auto asleep = [](const Model& m, std::size_t b) {
                return b < m.body_starts_asleep.size() && m.body_starts_asleep[b] != 0;
            };
            flag("asleep", asleep(a_, i), asleep(b_, k), "asleep", "awake");
            const auto speed = [&](const char* field, const Vec3& x, const Vec3& y, const char* unit) {
                out_.count(Quantity::state);
                const Vec3d  u = rotate(up_a, static_cast<Vec3d>(x)), v = rotate(up_b, static_cast<Vec3d>(y));
                const double may = allowed(Quantity::state, std::max(length(u), length(v)), options_.scale),
                             off = length(u - v);
                if (!(off <= may))
                    differ(Quantity::state, item, field, text(u, unit), text(v, unit), one.site, two.site, off, may,
                           {one.name});
            };
            speed("initial velocity", a_.body_qd[i].linear, b_.body_qd[k].linear, "m/s");
            speed("initial angular velocity", a_.body_qd[i].angular, b_.body_qd[k].angular, "rad/s");
        }
    }

    void joints()
    {
        for (const auto& [i, k] : joints_) {
            const Motion::Joint &one = in_a_.joints[i], &two = in_b_.joints[k];
            const std::string    item = fmt::format("joint '{}'", one.name);
            number(Quantity::limit, item, "break force", static_cast<double>(a_.joint_break_force[i]),
                   static_cast<double>(b_.joint_break_force[k]), "N", one.site, two.site, {one.name});
            number(Quantity::limit, item, "break torque", static_cast<double>(a_.joint_break_torque[i]),
                   static_cast<double>(b_.joint_break_torque[k]), "N m", one.site, two.site, {one.name});
            if (a_.joint_type[i] == b_.joint_type[k]) {
                reaches(i, k, item);
                if (options_.losses == nullptr) loops(i, k, item);
            }
            if (one.turns.empty() || one.turns != two.turns) continue;
            for (std::size_t c = 0; c < one.turns.size(); ++c) {
                const char* unit = one.turns[c] ? "rad" : "m";
                number(Quantity::state, item, "initial speed",
                       static_cast<double>(a_.joint_qd[at(a_.joint_qd_start[i]) + c]),
                       static_cast<double>(b_.joint_qd[at(b_.joint_qd_start[k]) + c]), one.turns[c] ? "rad/s" : "m/s",
                       one.site, two.site, {one.name});
                const double x = static_cast<double>(a_.joint_q[at(a_.joint_q_start[i]) + c]);
                double       y = static_cast<double>(b_.joint_q[at(b_.joint_q_start[k]) + c]);
                if (one.turns[c]) y = x + std::remainder(y - x, 2 * std::numbers::pi);
                number(Quantity::state, item, "initial position", x, y, unit, one.site, two.site, {one.name});
                const std::size_t p = at(a_.joint_qd_start[i]) + c, q = at(b_.joint_qd_start[k]) + c;
                if (bounded(a_, p) && bounded(b_, q)) {
                    number(Quantity::limit, item, "limit stiffness", static_cast<double>(a_.joint_limit_ke[p]),
                           static_cast<double>(b_.joint_limit_ke[q]), one.turns[c] ? "N m/rad" : "N/m", one.site,
                           two.site, {one.name});
                    number(Quantity::limit, item, "limit damping", static_cast<double>(a_.joint_limit_kd[p]),
                           static_cast<double>(b_.joint_limit_kd[q]), one.turns[c] ? "N m s/rad" : "N s/m", one.site,
                           two.site, {one.name});
                }
                springs(p, q, one, two, item, one.turns[c]);
            }
        }
    }

    void springs(std::size_t p, std::size_t q, const Motion::Joint& one, const Motion::Joint& two,
                 const std::string& item, bool turns)
    {
        const double k = static_cast<double>(a_.joint_stiffness[p]), l = static_cast<double>(b_.joint_stiffness[q]);
        const std::size_t before = out_.differences.size();
        number(Quantity::passive, item, "spring stiffness", k, l, turns ? "N m/rad" : "N/m", one.site, two.site,
               {one.name});
        if (out_.differences.size() > before) out_.drop(Quantity::property, item, "mjc:stiffness");
    }

    static bool bounded(const Model& m, std::size_t dof)
    {
        constexpr double kNone = 1e9;
        return static_cast<double>(m.joint_limit_lower[dof]) > -kNone ||
               static_cast<double>(m.joint_limit_upper[dof]) < kNone;
    }

    /// The two angles of a ball's cone, least and largest length of a distance joint.
    void reaches(std::size_t i, std::size_t k, const std::string& item)
    {
        const std::vector<std::string> names{in_a_.joints[i].name};
        const Site &                   at_a = in_a_.joints[i].site, &at_b = in_b_.joints[k].site;
        if (a_.joint_type[i] == model::JointType::ball)
            for (std::size_t n = 0; n < 2; ++n) {
                const auto angle = [n](const std::array<Real, 2>& cone) {
                    return cone[n] < 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(cone[n]);
                };
                number(Quantity::limit, item, n == 0 ? "upper limit" : "second upper limit",
                       angle(a_.joint_cone_limit[i]), angle(b_.joint_cone_limit[k]), "rad", at_a, at_b, names);
            }
        if (a_.joint_type[i] != model::JointType::distance) return;
        const std::size_t p = at(a_.joint_qd_start[i]), q = at(b_.joint_qd_start[k]);
        number(Quantity::limit, item, "least distance", static_cast<double>(a_.joint_limit_lower[p]),
               static_cast<double>(b_.joint_limit_lower[q]), "m", at_a, at_b, names);
        number(Quantity::limit, item, "largest distance", static_cast<double>(a_.joint_limit_upper[p]),
               static_cast<double>(b_.joint_limit_upper[q]), "m", at_a, at_b, names);
    }

    /// Where a joint that closes a loop, or a ball, holds its bodies, and about which axis.
    void loops(std::size_t i, std::size_t k, const std::string& item)
    {
        const bool ball = a_.joint_type[i] == model::JointType::ball;
        if (!ball && (a_.joint_articulation[i] >= 0 || b_.joint_articulation[k] >= 0)) return;
        if (a_.joint_type[i] == model::JointType::free) return;
        const Quatd up_a = upright(a_), up_b = upright(b_);
        const auto  side = [](const Model& m, std::size_t j, bool child, const Quatd& up) {
            const std::int32_t body = child ? m.joint_child[j] : m.joint_parent[j];
            const Posed        X    = static_cast<Posed>(child ? m.joint_X_c[j] : m.joint_X_p[j]);
            return Posed{{}, up} * (body >= 0 ? static_cast<Posed>(m.body_q[at(body)]) : Posed{}) * X;
        };
        for (const bool child : {false, true}) {
            out_.count(Quantity::joint);
            const Posed  X = side(a_, i, child, up_a), Y = side(b_, k, child, up_b);
            const double may = allowed(Quantity::joint, std::max(length(X.p), length(Y.p)), options_.scale),
                         off = length(X.p - Y.p), turned = 2 * length((conjugate(X.q) * Y.q).xyz());
            if (!(off <= may))
                differ(Quantity::joint, item, child ? "anchor in the child" : "anchor in the parent", text(X.p, "m"),
                       text(Y.p, "m"), in_a_.joints[i].site, in_b_.joints[k].site, off, may, {in_a_.joints[i].name});
            else if (!(turned <= 1e-4 * options_.scale))
                differ(Quantity::joint, item, child ? "axes in the child" : "axes in the parent",
                       text(rotate(X.q, Vec3d{1, 0, 0}), "first axis"), text(rotate(Y.q, Vec3d{1, 0, 0}), "first axis"),
                       in_a_.joints[i].site, in_b_.joints[k].site, turned, 1e-4 * options_.scale,
                       {in_a_.joints[i].name});
        }
        const std::size_t p = at(a_.joint_qd_start[i]), q = at(b_.joint_qd_start[k]);
        const auto dofs = [](const Model& m, std::size_t j) { return m.joint_qd_start[j + 1] - m.joint_qd_start[j]; };
        if (ball || dofs(a_, i) != 1 || dofs(b_, k) != 1) return;
        const Vec3d u = rotate(side(a_, i, true, up_a).q, static_cast<Vec3d>(a_.joint_axis[p])),
                    v = rotate(side(b_, k, true, up_b).q, static_cast<Vec3d>(b_.joint_axis[q]));
        out_.count(Quantity::joint);
        if (const double off = length(u - v); !(off <= 1e-4 * options_.scale))
            differ(Quantity::joint, item, "axis", text(u, ""), text(v, ""), in_a_.joints[i].site, in_b_.joints[k].site,
                   off, 1e-4 * options_.scale, {in_a_.joints[i].name});
    }

    /// The word of a rule by which coefficients of two materials combine.
    static std::string rule_text(std::int32_t rule)
    {
        constexpr const char* kWords[] = {"average", "minimum", "maximum", "product", "geometric mean"};
        return rule < 0 || rule >= 5 ? std::string("as the solver does") : std::string(kWords[rule]);
    }

    /// How the surface of a shape moves on its body, as vectors of an upright world.
    static std::pair<Vec3d, Vec3d> surface_velocity(const Model& m, std::size_t s, const Quatd& up)
    {
        const bool  world = (m.shape_flags[s] & model::shape_flag::surface_in_world) != 0;
        const Posed X     = (m.shape_body[s] >= 0 ? static_cast<Posed>(m.body_q[at(m.shape_body[s])]) : Posed{}) *
                            static_cast<Posed>(m.shape_transform[s]);
        const Quatd turn  = world ? up : up * X.q;
        return {rotate(turn, static_cast<Vec3d>(m.shape_surface_velocity[s].linear)),
                rotate(turn, static_cast<Vec3d>(m.shape_surface_velocity[s].angular))};
    }

    /// Values of contacts that a robot's description has no word for, or none in common with others.
    void surfaces()
    {
        const auto names = [](const Model& m, const Motion& in) {
            std::vector<std::string> all;
            for (std::size_t s = 0; s < m.shape_count(); ++s) {
                const std::string& label = m.shape_label[s];
                const std::int32_t body  = m.shape_body[s];
                all.push_back((body >= 0 ? in.bodies[at(body)].name : std::string()) + "/" +
                              label.substr(label.rfind('/') + 1));
            }
            return all;
        };
        const auto in_a = names(a_, in_a_), in_b = names(b_, in_b_);
        // A name of a body may be another one in the result.
        sf::LossReport renamed;
        if (options_.losses != nullptr)
            for (const auto& [i, k] : bodies_)
                for (const std::string& name : in_a)
                    if (name.starts_with(in_a_.bodies[i].name + "/") && in_a_.bodies[i].name != in_b_.bodies[k].name)
                        renamed.names[name] = in_b_.bodies[k].name + name.substr(in_a_.bodies[i].name.size());
        const Quatd up_a = upright(a_), up_b = upright(b_);
        for (const auto& [i, k] : pair_by_name(in_a, in_b, &renamed)) {
            constexpr std::int32_t kCollides = model::shape_flag::collide_shapes | model::shape_flag::collide_particles;
            if ((a_.shape_flags[i] & kCollides) == 0 || (b_.shape_flags[k] & kCollides) == 0) continue;
            const std::vector<std::string> known{in_a[i].substr(in_a[i].rfind('/') + 1), in_a[i]};
            const std::string              item = fmt::format("collider '{}'", known.front());
            const Site                     at_a = {.prim = a_.shape_label[i]}, at_b = {.prim = b_.shape_label[k]};
            const auto value = [&, i = i, k = k](const char* field, Real x, Real y, const char* unit) {
                number(Quantity::contact, item, field, static_cast<double>(x), static_cast<double>(y), unit, at_a, at_b,
                       known);
            };
            value("torsional friction", a_.shape_material_mu_torsional[i], b_.shape_material_mu_torsional[k], "m");
            value("rolling friction", a_.shape_material_mu_rolling[i], b_.shape_material_mu_rolling[k], "m");
            const auto rule = [&](const char* field, std::int32_t x, std::int32_t y) {
                out_.count(Quantity::contact);
                if (x != y) differ(Quantity::contact, item, field, rule_text(x), rule_text(y), at_a, at_b, 0, 0, known);
            };
            rule("friction of two materials", a_.shape_friction_combine[i], b_.shape_friction_combine[k]);
            rule("restitution of two materials", a_.shape_restitution_combine[i], b_.shape_restitution_combine[k]);
            const auto [v_a, w_a] = surface_velocity(a_, i, up_a);
            const auto [v_b, w_b] = surface_velocity(b_, k, up_b);
            const auto moves      = [&](const char* field, const Vec3d& x, const Vec3d& y, const char* unit) {
                out_.count(Quantity::contact);
                const double may = allowed(Quantity::contact, std::max(length(x), length(y)), options_.scale),
                             off = length(x - y);
                if (!(off <= may))
                    differ(Quantity::contact, item, field, text(x, unit), text(y, unit), at_a, at_b, off, may, known);
            };
            moves("surface velocity", v_a, v_b, "m/s");
            moves("surface angular velocity", w_a, w_b, "rad/s");
            value("margin", a_.shape_margin[i], b_.shape_margin[k], "m");
            value("gap", a_.shape_gap[i], b_.shape_gap[k], "m");
            value("stiffness", a_.shape_material_ke[i], b_.shape_material_ke[k], "N/m");
            value("damping", a_.shape_material_kd[i], b_.shape_material_kd[k], "N s/m");
            value("friction gain", a_.shape_material_kf[i], b_.shape_material_kf[k], "N s/m");
            value("adhesion", a_.shape_material_ka[i], b_.shape_material_ka[k], "m");
            const bool soft_a = (a_.shape_flags[i] & model::shape_flag::hydroelastic) != 0,
                       soft_b = (b_.shape_flags[k] & model::shape_flag::hydroelastic) != 0;
            out_.count(Quantity::contact);
            if (soft_a != soft_b)
                differ(Quantity::contact, item, "hydroelastic", soft_a ? "yes" : "no", soft_b ? "yes" : "no", at_a,
                       at_b, 0, 0, known);
            else if (soft_a)
                value("hydroelastic stiffness", a_.shape_material_kh[i], b_.shape_material_kh[k], "N/m^3");
        }
    }

    // -- which bodies may touch

    using Pair = std::pair<int, int>;

    /// Shapes that collide, by body; the world's under -1.
    static std::map<int, std::vector<std::size_t>> colliding(const Model& m)
    {
        std::map<int, std::vector<std::size_t>> out;
        for (std::size_t s = 0; s < m.shape_count(); ++s)
            if ((m.shape_flags[s] & model::shape_flag::collide_shapes) != 0) out[m.shape_body[s]].push_back(s);
        return out;
    }

    // Bodies may touch if one pair of their shapes may. Pairs in the filter list are sorted with the smaller shape
    // first, as finalize leaves them, so that a binary search finds them.
    static bool may_touch(const Model& m, const std::vector<std::size_t>& x, const std::vector<std::size_t>& y)
    {
        for (const std::size_t s : x)
            for (const std::size_t t : y) {
                const auto one = static_cast<std::int32_t>(s), two = static_cast<std::int32_t>(t);
                if (collision::groups_collide(m.shape_collision_group[s], m.shape_collision_group[t]) &&
                    !std::binary_search(m.shape_collision_filter_pairs.begin(), m.shape_collision_filter_pairs.end(),
                                        std::pair(std::min(one, two), std::max(one, two))))
                    return true;
            }
        return false;
    }

    /// Bodies of which something is filtered, or whose shapes are in another group than most: only their pairs can
    /// differ from those of all others.
    static std::set<Pair> special(const Model& m, const std::map<int, std::vector<std::size_t>>& shapes)
    {
        std::set<Pair> out;
        for (const auto& [s, t] : m.shape_collision_filter_pairs)
            out.insert(std::minmax(m.shape_body[at(s)], m.shape_body[at(t)]));
        std::map<std::int32_t, std::size_t> groups;
        for (const std::int32_t g : m.shape_collision_group) ++groups[g];
        // Where all shapes share one positive group, groups decide nothing and only filtered pairs are looked at. A
        // group of zero or less has rules of its own, so all pairs of bodies are looked at then.
        if (groups.size() < 2 && (groups.empty() || groups.begin()->first > 0)) return out;
        for (auto x = shapes.begin(); x != shapes.end(); ++x)
            for (auto y = std::next(x); y != shapes.end(); ++y) out.insert({x->first, y->first});
        return out;
    }

    void pairs()
    {
        const auto         shapes_a = colliding(a_), shapes_b = colliding(b_);
        std::map<int, int> to_b{{-1, -1}}, to_a{{-1, -1}};
        for (const auto& [i, k] : bodies_)
            to_b.emplace(static_cast<int>(i), static_cast<int>(k)),
                to_a.emplace(static_cast<int>(k), static_cast<int>(i));
        std::set<Pair> looked = special(a_, shapes_a);
        for (const auto& [x, y] : special(b_, shapes_b))
            if (to_a.contains(x) && to_a.contains(y)) looked.insert(std::minmax(to_a[x], to_a[y]));
        const auto name = [&](int body) { return body < 0 ? std::string("the world") : in_a_.bodies[at(body)].name; };
        // Pairs are by bodies of A, so that a pair that is special in both models is told once.
        for (const auto& [x, y] : looked) {
            if (x == y || !to_b.contains(x) || !to_b.contains(y)) continue;
            const auto one = shapes_a.find(x), two = shapes_a.find(y), three = shapes_b.find(to_b[x]),
                       four = shapes_b.find(to_b[y]);
            // A body without colliders on one side is told where colliders are compared.
            if (one == shapes_a.end() || two == shapes_a.end() || three == shapes_b.end() || four == shapes_b.end())
                continue;
            out_.count(Quantity::pair);
            const bool in_a = may_touch(a_, one->second, two->second),
                       in_b = may_touch(b_, three->second, four->second);
            if (in_a == in_b) continue;
            const auto say  = [](bool yes) { return yes ? "may touch" : "never touch"; };
            const Site at_a = x >= 0 ? in_a_.bodies[at(x)].site : in_a_.bodies[at(y)].site,
                       at_b = x >= 0 ? in_b_.bodies[at(to_b[x])].site : in_b_.bodies[at(to_b[y])].site;
            differ(Quantity::pair, fmt::format("pair '{}' and '{}'", name(x), name(y)), "contact", say(in_a), say(in_b),
                   at_a, at_b, 0, 0, names_of(x, y));
        }
    }

    /// Both bodies, and the joints between them, which keep them from touching: a joint that is lost lets them touch.
    [[nodiscard]] std::vector<std::string> names_of(int x, int y) const
    {
        std::vector<std::string> out;
        for (const int body : {x, y}) out.push_back(body < 0 ? std::string("the world") : in_a_.bodies[at(body)].name);
        for (std::size_t row = 0; row < a_.joint_child.size(); ++row) {
            const int parent = a_.joint_parent[row], child = a_.joint_child[row];
            if (!((parent == x && child == y) || (parent == y && child == x))) continue;
            for (const Motion::Joint& j : in_a_.joints)
                if (j.child == child) out.push_back(j.name);
        }
        return out;
    }

    // -- soft things

    using Owner = model::SoftObject::Range model::SoftObject::*;

    /// The cloth or soft body that has an element; empty where none has.
    static std::string owner(const Model& m, Owner of, std::size_t i)
    {
        const auto index = static_cast<std::int32_t>(i);
        for (const auto* list : {&m.surfaces, &m.volumes})
            for (const model::SoftObject& one : *list)
                if (const auto& range = one.*of; index >= range[0] && index < range[1])
                    return one.label.substr(one.label.rfind('/') + 1);
        return {};
    }

    /// Whether both have as many; the values of the elements are then compared one by one.
    bool as_many(const char* what, std::size_t x, std::size_t y)
    {
        out_.count(Quantity::soft);
        if (x == y) return true;
        std::vector<std::string> names;
        for (const auto* list : {&a_.surfaces, &a_.volumes})
            for (const model::SoftObject& one : *list) names.push_back(one.label.substr(one.label.rfind('/') + 1));
        for (const model::CurveObject& one : a_.curves) names.push_back(one.label.substr(one.label.rfind('/') + 1));
        differ(Quantity::soft, "soft things", what, fmt::format("{}", x), fmt::format("{}", y), {}, {}, 0, 0, names);
        return false;
    }

    /// The value that differs most, of elements of both in their order. Values are judged by the largest of them.
    /// One difference a column, at the worst element: a cloth of thousands of points would otherwise hide all else.
    /// Small elements are noise of single precision beside the largest one, hence the common scale.
    template <class Get>
    void column(const char* field, const char* unit, std::size_t n, Owner of, const Get& get)
    {
        out_.count(Quantity::soft, n);
        double      largest = 0, most = 0;
        std::size_t worst = n;
        for (std::size_t i = 0; i < n; ++i) {
            const double x = static_cast<double>(get(a_, i)), y = static_cast<double>(get(b_, i));
            if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
            if (std::isfinite(y)) largest = std::max(largest, std::abs(y));
            // One infinite value against a finite one must win against all finite differences; infinity itself would
            // print badly.
            const double off = x == y ? 0 : std::isfinite(x - y) ? std::abs(x - y) : 1e300;
            if (off > most) most = off, worst = i;
        }
        const double may = allowed(Quantity::soft, largest, options_.scale);
        if (worst == n || most <= may) return;
        const std::string name = of != nullptr ? owner(a_, of, worst) : std::string();
        differ(Quantity::soft, name.empty() ? std::string("soft things") : fmt::format("soft '{}'", name), field,
               value_text(static_cast<double>(get(a_, worst)), unit),
               value_text(static_cast<double>(get(b_, worst)), unit), {}, {}, most, may, {name});
    }

    void soft()
    {
        using S = model::SoftObject;
        if (as_many("particles", a_.particle_count(), b_.particle_count())) {
            const std::size_t n = a_.particle_count();
            column("mass of a particle", "kg", n, &S::particle,
                   [](const Model& m, std::size_t i) { return m.particle_mass[i]; });
            column("radius of a particle", "m", n, &S::particle,
                   [](const Model& m, std::size_t i) { return m.particle_radius[i]; });
            column("particles that take part", "", n, &S::particle,
                   [](const Model& m, std::size_t i) { return m.particle_flags[i]; });
            for (std::size_t k = 0; k < 3; ++k) {
                static constexpr const char* kPlace[] = {"x of a particle", "y of a particle", "z of a particle"};
                static constexpr const char* kSpeed[] = {"initial velocity of a particle, x",
                                                         "initial velocity of a particle, y",
                                                         "initial velocity of a particle, z"};
                column(kPlace[k], "m", n, &S::particle, [k](const Model& m, std::size_t i) {
                    return rotate(upright(m), static_cast<Vec3d>(m.particle_q[i]))[k];
                });
                column(kSpeed[k], "m/s", n, &S::particle, [k](const Model& m, std::size_t i) {
                    return rotate(upright(m), static_cast<Vec3d>(m.particle_qd[i]))[k];
                });
            }
        }
        if (as_many("triangles", a_.tri_count(), b_.tri_count()) &&
            a_.tri_materials.size() == b_.tri_materials.size()) {
            static constexpr std::pair<const char*, const char*> kWords[] = {
                {"stiffness of a triangle against shear", "N/m"},
                {"stiffness of a triangle against stretch", "N/m"},
                {"damping of a triangle", "N s/m"},
                {"drag", ""},
                {"lift", ""}};
            for (std::size_t k = 0; k < 5; ++k)
                column(kWords[k].first, kWords[k].second, a_.tri_materials.size(), &S::tri,
                       [k](const Model& m, std::size_t i) { return m.tri_materials[i][k]; });
            if (a_.tri_areas.size() == b_.tri_areas.size())
                column("rest area of a triangle", "m^2", a_.tri_areas.size(), &S::tri,
                       [](const Model& m, std::size_t i) { return m.tri_areas[i]; });
        }
        if (as_many("edges", a_.edge_count(), b_.edge_count()) &&
            a_.edge_bending_properties.size() == b_.edge_bending_properties.size()) {
            const std::size_t n = a_.edge_bending_properties.size();
            column("stiffness of an edge", "N", n, &S::edge,
                   [](const Model& m, std::size_t i) { return m.edge_bending_properties[i][0]; });
            column("damping of an edge", "N s", n, &S::edge,
                   [](const Model& m, std::size_t i) { return m.edge_bending_properties[i][1]; });
            if (a_.edge_rest_angle.size() == b_.edge_rest_angle.size())
                column("rest angle of an edge", "rad", a_.edge_rest_angle.size(), &S::edge,
                       [](const Model& m, std::size_t i) { return m.edge_rest_angle[i]; });
        }
        if (as_many("springs", a_.spring_count(), b_.spring_count())) {
            const std::size_t n = a_.spring_count();
            column("rest length of a spring", "m", n, nullptr,
                   [](const Model& m, std::size_t i) { return m.spring_rest_length[i]; });
            column("stiffness of a spring", "N/m", n, nullptr,
                   [](const Model& m, std::size_t i) { return m.spring_stiffness[i]; });
            column("damping of a spring", "N s/m", n, nullptr,
                   [](const Model& m, std::size_t i) { return m.spring_damping[i]; });
        }
        if (as_many("tetrahedra", a_.tet_count(), b_.tet_count())) {
            static constexpr std::pair<const char*, const char*> kWords[] = {
                {"stiffness of a tetrahedron against shear", "Pa"},
                {"stiffness of a tetrahedron against compression", "Pa"},
                {"damping of a tetrahedron", "Pa s"}};
            for (std::size_t k = 0; k < 3; ++k)
                column(kWords[k].first, kWords[k].second, a_.tet_count(), &S::tet,
                       [k](const Model& m, std::size_t i) { return m.tet_materials[i][k]; });
            column("rest volume of a tetrahedron", "m^3",
                   a_.tet_poses.size() == b_.tet_poses.size() ? a_.tet_poses.size() : 0, &S::tet,
                   [](const Model& m, std::size_t i) {
                       // tet_poses holds the inverse of the matrix of edges Dm; its determinant is 1 / (6 V).
                       return 1 / (6 * determinant(static_cast<Mat33d>(m.tet_poses[i])));
                   });
        }
        if (as_many("attachments", a_.attachment_particle_body_count(), b_.attachment_particle_body_count())) {
            const std::size_t n = a_.attachment_particle_body_count();
            column("stiffness of an attachment", "N/m", n, nullptr,
                   [](const Model& m, std::size_t i) { return m.attachment_particle_body_stiffness[i]; });
            column("damping of an attachment", "N s/m", n, nullptr,
                   [](const Model& m, std::size_t i) { return m.attachment_particle_body_damping[i]; });
        }
        cables();
    }

    /// Stiffness of the joints between the segments of cables.
    void cables()
    {
        if (!as_many("cables", a_.curves.size(), b_.curves.size())) return;
        for (std::size_t c = 0; c < a_.curves.size(); ++c) {
            const model::CurveObject &one = a_.curves[c], &two = b_.curves[c];
            const std::string         name = one.label.substr(one.label.rfind('/') + 1);
            const std::string         item = fmt::format("soft '{}'", name);
            const auto parts = [](const model::CurveObject& o) { return static_cast<double>(o.body[1] - o.body[0]); };
            number(Quantity::soft, item, "segments", parts(one), parts(two), "", {}, {}, {name});
            if (parts(one) != parts(two) || one.joint[1] - one.joint[0] != two.joint[1] - two.joint[0]) continue;
            double mass_a = 0, mass_b = 0;
            for (std::int32_t i = 0; i < one.body[1] - one.body[0]; ++i)
                mass_a += static_cast<double>(a_.body_mass[at(one.body[0] + i)]),
                    mass_b += static_cast<double>(b_.body_mass[at(two.body[0] + i)]);
            number(Quantity::soft, item, "mass", mass_a, mass_b, "kg", {}, {}, {name});
            for (const auto& [field, unit, list] :
                 {std::tuple{"stiffness of a joint", "N m/rad", &Model::joint_stiffness},
                  std::tuple{"damping of a joint", "N m s/rad", &Model::joint_damping},
                  std::tuple{"drive stiffness of a joint", "N m/rad", &Model::joint_target_ke},
                  std::tuple{"drive damping of a joint", "N m s/rad", &Model::joint_target_kd}}) {
                const std::int32_t n = a_.joint_qd_start[at(one.joint[1])] - a_.joint_qd_start[at(one.joint[0])];
                if (n != b_.joint_qd_start[at(two.joint[1])] - b_.joint_qd_start[at(two.joint[0])]) break;
                for (std::int32_t d = 0; d < n; ++d) {
                    const double      x = static_cast<double>((a_.*list)[at(a_.joint_qd_start[at(one.joint[0])] + d)]),
                                      y = static_cast<double>((b_.*list)[at(b_.joint_qd_start[at(two.joint[0])] + d)]);
                    const std::size_t before = out_.differences.size();
                    number(Quantity::soft, item, field, x, y, unit, {}, {}, {name});
                    // One element of a list is enough to tell that it differs.
                    if (out_.differences.size() > before) break;
                }
            }
        }
    }
};

}  // namespace

void compare_scenes(Comparison& out, const run::Scene& a, const run::Scene& b, const CompareOptions& options)
{
    SceneComparer(out, a, b, options).run();
    out.sort();
    if (!options.only.empty()) out.keep(options.only);
}

}  // namespace mechane::difference

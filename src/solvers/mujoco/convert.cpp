// From a model to descriptions that MuJoCo can compile, one for each world or one for all (`separate_worlds`). Input:
// model, forest (reduced coordinates), attributes of the namespace `mujoco`. Output: Part, with indices both ways
// between model and description.
// What MuJoCo cannot say is collected in Shortfalls and reported once. mujoco.cpp is the caller; the table of
// departures is in docs/solvers.md.

#include "solvers/mujoco/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "mechane/geometry/mass.h"
#include "mechane/model/builder.h"
#include "mechane/model/limit_gains.h"
#include "mechane/model/types.h"
#include "mechane/solvers/codes.h"
#include "solvers/mujoco/filter.h"
#include "solvers/mujoco/geoms.h"
#include "solvers/mujoco/own_items.h"

// Frames. A body stands in its parent as at joint_q = 0, where both anchors of its joint coincide: X_PB = X_PJ X_CJ^-1.
// So an axis a of the parent's anchor is R(X_CJ) a in the child's body frame, and every joint of the body lies at the
// child's anchor. MuJoCo applies slides and hinges of a body one after the other, each in the frame that those before
// it made: the intrinsic chain of a D6.
//
// A kinematic body gets a free joint and 10^4 times the mass of all that moves, as a ball without weight. Nothing that
// touches it moves it, its velocity counts in contacts, and joints may hang on it. Its pose and velocity are written
// before each step.

namespace mechane::solvers::mujoco {

namespace {

using dynamics::Link;
using model::JointType;
using model::TargetMode;

/// Larger ratios slow MuJoCo's solver down, and end where it no longer converges.
constexpr double kLedMass = 1e4;
/// From an anchor to the two points that hold a hinge, along its axis [m], as in Newton 1.8.
constexpr double kHingeSpan = 0.05;

/// Names that differ.
class Names {
  public:
    std::string unique(std::string name)
    {
        if (name.empty()) name = "unnamed";
        std::string out = name;
        for (int k = 1; !used_.insert(out).second; ++k) out = fmt::format("{}_{}", name, k);
        return out;
    }

  private:
    std::set<std::string> used_;
};

/// MuJoCo splits names at slashes.
std::string plain(std::string label)
{
    std::replace(label.begin(), label.end(), '/', '_');
    return label;
}

/// An inertia that a rigid body can have, to the last bit: each principal moment at most the sum of the others.
/// MuJoCo refuses inertias that violate the triangle inequality by rounding: E is added until they do not.
Mat33d possible(Mat33d I)
{
    const Vec3d  e    = geometry::principal_axes(I).values;
    const double most = std::max({e.x, e.y, e.z}), excess = 2 * most - (e.x + e.y + e.z);
    if (excess > -1e-12 * most && most > 0) {
        const double more = std::max(excess, 0.0) + 1e-12 * most;
        I.r0.x += more, I.r1.y += more, I.r2.z += more;
    }
    return I;
}

class Converter {
  public:
    Converter(const model::Model& m, const dynamics::Forest& forest, const Attributes& attributes,
              const ConvertOptions& options, Surfaces& surfaces, Shortfalls& shortfalls)
        : m_(m), forest_(forest), a_(attributes), o_(options), surfaces_(surfaces), shortfalls_(shortfalls)
    { read_rows(); }

    /// @param world  kGlobalWorld: everything
    Result<Part> part(std::int32_t world)
    {
        part_       = {};
        part_.world = world;
        bodies_     = {};
        bodies_.unique("world");
        joints_ = {};
        geoms_  = {};
        item_of_.assign(m_.body_count(), -1);
        weld_.clear();
        dof_joint_.assign(m_.joint_dof_count(), -1);
        site_of_.assign(m_.shape_count(), -1);
        part_.geom_of_shape.assign(m_.shape_count(), -1);
        part_.what.option         = engine_options(a_, o_, world < 0 ? 0 : world);
        part_.what.option.gravity = static_cast<Vec3d>(m_.gravity_of(world < 0 && m_.world_count > 0 ? 0 : world));
        add_led();
        for (std::size_t t = 0; t < forest_.trees.size(); ++t)
            if (in_world(forest_.trees[t].world)) {
                part_.trees.push_back(static_cast<std::int32_t>(t));
                for (std::int32_t l = forest_.trees[t].link_begin; l < forest_.trees[t].link_end; ++l) add_link(l);
            }
        weigh_led();
        if (auto done = add_geoms(); !done) return done.error();
        add_loops();
        add_mimics();
        add_distances();
        const auto of_part = [this](std::int32_t w) { return in_world(w); };
        add_own_items({m_, a_, of_part, item_of_, dof_joint_, site_of_, part_, shortfalls_});
        return std::move(part_);
    }

  private:
    [[nodiscard]] bool in_world(std::int32_t world) const
    { return part_.world < 0 || world < 0 || world == part_.world; }

    std::int32_t add_body(BodyItem item, std::int32_t body)
    {
        item.name     = bodies_.unique(plain(m_.body_label[body]));
        item.gravcomp = a_.number("gravcomp", static_cast<std::size_t>(body), 0);
        item.sleep    = a_.whole("sleep_policy", static_cast<std::size_t>(body), 0);
        const auto at = static_cast<std::int32_t>(part_.what.bodies.size());
        part_.what.bodies.push_back(std::move(item));
        item_of_[static_cast<std::size_t>(body)] = at;
        return at;
    }

    /// The first of the bodies that hang together without a joint, -1: the world.
    /// MuJoCo's body_weldid: contacts within a weld and between a weld and its parent weld are left out.
    [[nodiscard]] std::int32_t weld(std::int32_t body) const
    { return body < 0 ? -1 : weld_[static_cast<std::size_t>(body)]; }

    void add_led()
    {
        for (const std::int32_t b : forest_.prescribed) {
            if (!in_world(m_.body_world[b])) continue;
            BodyItem item;
            item.X                            = static_cast<Posed>(m_.body_q[b]);
            item.com                          = static_cast<Vec3d>(m_.body_com[b]);
            item.led                          = true;
            const std::int32_t at             = add_body(std::move(item), b);
            part_.what.bodies.back().gravcomp = 1;
            weld_.push_back(at);
            JointItem free;
            free.name = joints_.unique(part_.what.bodies.back().name + "_led");
            free.body = at;
            free.kind = JointKind::free;
            part_.led.push_back({b, at, static_cast<std::int32_t>(part_.what.joints.size())});
            part_.what.joints.push_back(std::move(free));
        }
    }
    // A mass that nothing can push: see kLedMass for why it is not larger.
    void weigh_led()
    {
        double sum = 0;
        for (const BodyItem& b : part_.what.bodies) sum += b.mass;
        const double mass = kLedMass * std::max(sum, 1.0);
        for (BodyItem& b : part_.what.bodies)
            if (b.led) {
                b.mass    = mass;
                b.inertia = Mat33d::diagonal({mass, mass, mass});
            }
    }

    void add_link(std::int32_t index)
    {
        const Link&        link = forest_.links[static_cast<std::size_t>(index)];
        BodyItem           item;
        const std::int32_t above =
            link.parent >= 0 ? forest_.links[static_cast<std::size_t>(link.parent)].body : link.base;
        item.parent  = link.free || above < 0 ? -1 : item_of_[static_cast<std::size_t>(above)];
        item.X       = link.free ? static_cast<Posed>(m_.body_q[link.body]) : link.X_PJ * inverse(link.X_CJ);
        item.X.q     = normalized(item.X.q);
        item.mass    = link.mass;
        item.com     = link.com;
        item.inertia = link.mass > 0 ? possible(link.inertia) : Mat33d{};
        LinkPlace instance{index, add_body(std::move(item), link.body),
                           static_cast<std::int32_t>(part_.what.joints.size()), 0};
        weld_.push_back(link.dofs > 0 ? instance.body : weld(part_.what.bodies.back().parent));
        const std::string name =
            plain(link.joint >= 0 ? m_.joint_label[link.joint] : m_.body_label[link.body] + "_free");
        if (link.free) {
            JointItem j;
            j.name        = joints_.unique(name);
            j.body        = instance.body;
            j.kind        = JointKind::free;
            const auto at = static_cast<std::int32_t>(part_.what.joints.size());
            for (int k = 0; k < 6 && link.joint >= 0; ++k)
                dof_joint_[static_cast<std::size_t>(m_.joint_qd_start[link.joint] + k)] = at;
            push(std::move(j), instance);
        } else if (link.axes.type == JointType::ball) {
            add_ball(link, index, name, instance);
        } else {
            for (int k = 0; k < link.dofs; ++k) add_axis(link, index, k, name, instance);
        }
        part_.links.push_back(instance);
    }
    void push(JointItem joint, LinkPlace& instance)
    {
        part_.what.joints.push_back(std::move(joint));
        ++instance.joints;
    }

    /// What a dof's arrays say.
    JointItem of_dof(const Link& link, std::size_t dof, const LinkPlace& instance) const
    {
        JointItem j;
        j.body                             = instance.body;
        j.pos                              = link.X_CJ.p;
        j.armature                         = number(m_.joint_armature[dof]);
        j.friction                         = number(m_.joint_friction[dof]);
        j.stiffness                        = number(m_.joint_stiffness[dof]);
        j.damping                          = number(m_.joint_damping[dof]);
        const double                effort = number(m_.joint_effort_limit[dof]);
        const model::JointDofConfig plain_dof;
        if (o_.newton_compat || effort < plain_dof.effort_limit) j.effort = effort;
        j.solimp_limit    = a_.numbers<5>("solimplimit", dof, kSolimp);
        j.solref_friction = a_.numbers<2>("solreffriction", dof, kSolref);
        j.solimp_friction = a_.numbers<5>("solimpfriction", dof, kSolimp);
        j.margin          = a_.number("limit_margin", dof, 0);
        j.actgravcomp     = a_.flag("jnt_actgravcomp", dof, false);
        // Authored numbers of MuJoCo's hold as they are. Where nobody says how stiff a limit is, it is MuJoCo's stop;
        // Newton's default stiffness would make a spring of it, on which heavy things sink and light ones shake. Else
        // the stiffness and damping of the limit are forces.
        const Solref raw    = a_.numbers<2>("solreflimit", dof, {0, 0});
        const int    mode   = a_.whole("solreflimit_mode", dof, raw != Solref{0, 0} ? 1 : 0);
        const bool   unsaid = !o_.newton_compat && model::limit_stiffness_is_unchosen(m_, dof);
        if (mode == 1 && raw != Solref{0, 0}) {
            j.solref_limit = raw;
        } else if (mode == 0 && !unsaid) {
            j.limit_ke        = number(m_.joint_limit_ke[dof]);
            j.limit_kd        = number(m_.joint_limit_kd[dof]);
            j.limit_as_newton = o_.newton_compat || j.solimp_limit != kSolimp;
        }
        return j;
    }
    void add_ball(const Link& link, std::int32_t index, const std::string& name, LinkPlace& instance)
    {
        const auto dof = static_cast<std::size_t>(m_.joint_qd_start[link.joint]);
        JointItem  j   = of_dof(link, dof, instance);
        j.name         = joints_.unique(name);
        j.kind         = JointKind::ball;
        j.axis         = rotate(link.X_CJ.q, Vec3d{1, 0, 0});
        const auto  q  = static_cast<std::size_t>(m_.joint_q_start[link.joint]);
        const Quatd rest{number(m_.joint_rest_q[q]), number(m_.joint_rest_q[q + 1]), number(m_.joint_rest_q[q + 2]),
                         number(m_.joint_rest_q[q + 3])};
        j.spring_pose = link.X_CJ.q * normalized(rest) * conjugate(link.X_CJ.q);
        j.effort      = 0;
        j.limit_ke = j.limit_kd = 0;
        const auto at           = static_cast<std::int32_t>(part_.what.joints.size());
        for (std::size_t k = 0; k < 3; ++k) dof_joint_[dof + k] = at;
        push(std::move(j), instance);
        for (int k = 0; k < 3; ++k)
            add_drive(index, dof + static_cast<std::size_t>(k), m_.joint_q_start[link.joint], k, at, 0);
    }
    void add_axis(const Link& link, std::int32_t index, int k, const std::string& name, LinkPlace& instance)
    {
        const auto dof    = static_cast<std::size_t>(m_.joint_qd_start[link.joint] + k);
        const auto coord  = static_cast<std::size_t>(m_.joint_q_start[link.joint] + k);
        const bool linear = k < link.axes.linear;
        JointItem  j      = of_dof(link, dof, instance);
        j.kind            = linear ? JointKind::slide : JointKind::hinge;
        j.axis            = rotate(link.X_CJ.q, link.axes.axis[static_cast<std::size_t>(k)]);
        j.ref             = a_.number("dof_ref", dof, 0);
        j.springref       = number(m_.joint_rest_q[coord]) + j.ref;
        double low = number(m_.joint_limit_lower[dof]), high = number(m_.joint_limit_upper[dof]);
        j.limited = low > -model::kMaxValue || high < model::kMaxValue;
        low = std::max(low, -model::kMaxValue), high = std::min(high, model::kMaxValue);
        // A locked dof becomes a range of a millionth.
        if (j.limited && !(low < high)) {  // locked: MuJoCo wants a range
            const double middle = 0.5 * (low + high), half = 1e-6 * (1 + std::abs(middle));
            low = middle - half, high = middle + half;
        }
        j.range          = {low + j.ref, high + j.ref};
        std::string axis = name;
        if (link.dofs > 1) axis += linear ? "_lin" : "_ang";
        if ((linear ? link.axes.linear : link.axes.angular) > 1)
            axis += std::to_string(linear ? k : k - link.axes.linear);
        j.name           = joints_.unique(axis);
        const auto   at  = static_cast<std::int32_t>(part_.what.joints.size());
        const double ref = j.ref;
        dof_joint_[dof]  = at;
        push(std::move(j), instance);
        add_drive(index, dof, static_cast<std::int32_t>(coord), -1, at, ref);
    }
    /// Drives as MuJoCo's servos: position u = ke (q* - q) - kd qd, velocity u = kd (qd* - qd).
    /// POSITION_VELOCITY is two servos, each with a control of its own, so that both targets can be written.
    void add_drive(std::int32_t link, std::size_t dof, std::int32_t coord, int axis, std::int32_t joint, double ref)
    {
        // Where an actuator of MuJoCo's own pulls or damps the dof, the drive stands for it under other solvers only.
        const TargetMode mode =
            actuated_.contains(static_cast<std::int32_t>(dof)) ? TargetMode::none : m_.joint_target_mode[dof];
        const double ke = number(m_.joint_target_ke[dof]), kd = number(m_.joint_target_kd[dof]);
        // The implicit integrators know of an actuator's own bound that its damping no longer acts beyond it; of the
        // bound at the joint they do not, and hold a saturated drive back. Two actuators share the bound at the joint.
        JointItem&   of_joint = part_.what.joints[static_cast<std::size_t>(joint)];
        const double bound    = !o_.newton_compat && axis < 0 &&
                                        (mode == TargetMode::position || mode == TargetMode::velocity) &&
                                        !shared_.contains(static_cast<std::int32_t>(dof))
                                    ? std::exchange(of_joint.effort, 0.0)
                                    : 0;
        const auto   add      = [&](ControlPlace::Source source, double gain, double b1, double b2) {
            ActuatorItem item;
            item.target  = joint;
            item.gain[0] = gain;
            item.bias[1] = b1, item.bias[2] = b2;
            take_ranges(item, dof, source == ControlPlace::Source::position);
            if (bound > 0) {
                const bool own     = item.force_range[0] < item.force_range[1];
                item.force_range   = {own ? std::max(-bound, item.force_range[0]) : -bound,
                                      own ? std::min(bound, item.force_range[1]) : bound};
                item.force_limited = Limited::yes;
            }
            // On a ball an actuator acts about one axis of the joint's rotation vector.
            if (axis >= 0) {
                item.gear[0]                              = 0;
                item.gear[static_cast<std::size_t>(axis)] = 1;
                const double effort                       = number(m_.joint_effort_limit[dof]);
                item.force_range                          = {-effort, effort};
            }
            const bool position = source == ControlPlace::Source::position;
            part_.controls.push_back({source, static_cast<std::int32_t>(part_.what.actuators.size()), link,
                                      position ? coord : static_cast<std::int32_t>(dof), axis,
                                      static_cast<std::int32_t>(dof), position ? ref : 0});
            part_.what.actuators.push_back(std::move(item));
        };
        // A ratio of damping is a positive number where MuJoCo expects the damping, and becomes one in its compiler.
        const double ratio = kd == 0 ? damping_ratio(dof) : 0;
        if (mode == TargetMode::position)
            add(ControlPlace::Source::position, ke, -ke, ratio > 0 ? ratio : -kd);
        else if (mode == TargetMode::position_velocity)
            add(ControlPlace::Source::position, ke, -ke, 0);
        if (mode == TargetMode::velocity || mode == TargetMode::position_velocity)
            add(ControlPlace::Source::velocity, kd, 0, -kd);
    }

    Result<void> add_geoms()
    {
        std::vector<FilterGeom>   filter_geoms;
        std::vector<std::int32_t> filter_shapes;
        const auto                add = [&](std::int32_t body) -> Result<void> {
            const auto&        shapes = body < 0 ? m_.static_shapes : m_.body_shapes[static_cast<std::size_t>(body)];
            const std::int32_t item   = body < 0 ? -1 : item_of_[static_cast<std::size_t>(body)];
            for (const std::int32_t s : shapes) {
                if (!in_world(m_.shape_world[s])) continue;
                if (m_.shape_flags[s] & model::shape_flag::site) {
                    add_site(s, item);
                    continue;
                }
                if (!(m_.shape_flags[s] & model::shape_flag::collide_shapes)) continue;
                auto geom = make_geom(m_, a_, s, item, o_, part_.what, surfaces_, shortfalls_);
                if (!geom) return geom.error();
                if (!*geom) continue;
                (*geom)->name = geoms_.unique(fmt::format("{}_{}", m_.shape_label[s], s));
                part_.geom_of_shape[static_cast<std::size_t>(s)] = static_cast<std::int32_t>(part_.what.geoms.size());
                part_.what.geoms.push_back(**std::move(geom));
                filter_geoms.push_back({item, weld(item), m_.shape_collision_group[s], m_.shape_world[s]});
                filter_shapes.push_back(s);
            }
            return {};
        };
        if (auto done = add(-1); !done) return done;
        for (std::size_t b = 0; b < m_.body_count(); ++b)
            if (item_of_[b] >= 0)
                if (auto done = add(static_cast<std::int32_t>(b)); !done) return done;
        filter(filter_geoms, filter_shapes);
        if (auto done = add_wrapped(); !done) return done;
        if (o_.mujoco_contacts && o_.contacts) say_mixed_friction(filter_shapes);
        return {};
    }
    /// Shapes that meet nothing and that a tendon wraps. They come last: what meets what is decided by then.
    Result<void> add_wrapped()
    {
        for (std::size_t row = 0; row < a_.rows("tendon_wrap_shape"); ++row) {
            const std::int32_t s = a_.whole("tendon_wrap_shape", row, -1);
            if (a_.whole("tendon_wrap_type", row, -1) != 1 || s < 0 ||
                static_cast<std::size_t>(s) >= m_.shape_count() || !in_world(m_.shape_world[s]) ||
                part_.geom_of_shape[static_cast<std::size_t>(s)] >= 0)
                continue;
            const std::int32_t body = m_.shape_body[s], item = body < 0 ? -1 : item_of_[static_cast<std::size_t>(body)];
            if (body >= 0 && item < 0) continue;
            auto geom = make_geom(m_, a_, s, item, o_, part_.what, surfaces_, shortfalls_);
            if (!geom) return geom.error();
            if (!*geom) continue;
            (*geom)->name    = geoms_.unique(fmt::format("{}_{}", m_.shape_label[s], s));
            (*geom)->contype = (*geom)->conaffinity          = 0;
            part_.geom_of_shape[static_cast<std::size_t>(s)] = static_cast<std::int32_t>(part_.what.geoms.size());
            part_.what.geoms.push_back(**std::move(geom));
        }
        return {};
    }
    /// MuJoCo takes the larger of two coefficients, where the model has other rules.
    /// Only where it matters: a geom with less friction than the largest, whose rule is not the maximum.
    void say_mixed_friction(const std::vector<std::int32_t>& shapes)
    {
        Real most = 0;
        for (const std::int32_t s : shapes) most = std::max(most, m_.shape_material_mu[s]);
        for (const std::int32_t s : shapes)
            if (m_.shape_material_mu[s] < most &&
                m_.shape_friction_combine[s] != static_cast<std::int32_t>(model::MaterialCombine::maximum))
                shortfalls_.add(Support::approximated, "of two coefficients of friction the larger holds",
                                m_.shape_label[s]);
    }
    void filter(const std::vector<FilterGeom>& geoms, const std::vector<std::int32_t>& shapes)
    {
        auto& all = part_.what.geoms;
        if (!o_.mujoco_contacts || !o_.contacts) {
            for (GeomItem& g : all) g.contype = g.conaffinity = 0;
            return;
        }
        std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
        for (const auto& [s, t] : m_.shape_collision_filter_pairs) {
            const std::int32_t x = part_.geom_of_shape[static_cast<std::size_t>(s)],
                               y = part_.geom_of_shape[static_cast<std::size_t>(t)];
            if (x >= 0 && y >= 0) pairs.emplace_back(x, y);
        }
        std::vector<std::int32_t> parents;
        for (const BodyItem& b : part_.what.bodies) parents.push_back(weld(b.parent));
        Filter made = make_filter(geoms, std::move(pairs), parents);
        // The source's masks survive a round trip if they describe the same pairs.
        if (auto authored = authored_masks(shapes)) {
            // Masks of the source stay where they let through what the model lets through, and nothing else.
            Filter with = *std::move(authored);
            bool   same = true;
            for (std::size_t x = 0; same && made.pairs.empty() && x < all.size(); ++x)
                for (std::size_t y = x + 1; same && y < all.size(); ++y)
                    if (geoms[x].weld != geoms[y].weld)
                        same = masks_meet(with, x, y) == masks_meet(made, x, y) ||
                               excluded(made, geoms[x].body, geoms[y].body);
            if (same && made.pairs.empty()) made.contype = with.contype, made.conaffinity = with.conaffinity;
        }
        for (std::size_t g = 0; g < all.size(); ++g)
            all[g].contype = made.contype[g], all[g].conaffinity = made.conaffinity[g];
        part_.what.excludes = made.excludes;
        for (const auto& [x, y] : made.pairs) {
            PairItem pair;
            pair.first = x, pair.second = y;
            part_.what.pairs.push_back(pair);
        }
        // Parents meet their children in the model: MuJoCo's own filter must be off.
        if (made.parents_meet) part_.what.option.disable |= 1 << 10;  // mjDSBL_FILTERPARENT
    }
    static bool excluded(const Filter& f, std::int32_t a, std::int32_t b)
    {
        const std::array<std::int32_t, 2> pair{std::min(a, b), std::max(a, b)};
        return std::binary_search(f.excludes.begin(), f.excludes.end(), pair);
    }
    /// contype and conaffinity of the source, where every geom has them.
    std::optional<Filter> authored_masks(const std::vector<std::int32_t>& shapes) const
    {
        constexpr double kUnsetMask = -0.5;
        Filter           out;
        for (const std::int32_t s : shapes) {
            const auto i = static_cast<std::size_t>(s);
            if (a_.number("contype", i, -1) < kUnsetMask || a_.number("conaffinity", i, -1) < kUnsetMask)
                return std::nullopt;
            out.contype.push_back(a_.whole("contype", i, 1));
            out.conaffinity.push_back(a_.whole("conaffinity", i, 1));
        }
        // The comparison above is quadratic; beyond this number masks are made.
        return shapes.size() <= 4096 ? std::optional(std::move(out)) : std::nullopt;
    }

    void add_site(std::int32_t s, std::int32_t item)
    {
        if (!o_.include_sites) return;
        SiteItem site                         = make_site(m_, s, item);
        site.name                             = sites_.unique(fmt::format("{}_{}", m_.shape_label[s], s));
        site_of_[static_cast<std::size_t>(s)] = static_cast<std::int32_t>(part_.what.sites.size());
        part_.what.sites.push_back(std::move(site));
    }

    [[nodiscard]] std::int32_t item(std::int32_t body) const
    { return body < 0 ? -1 : item_of_[static_cast<std::size_t>(body)]; }

    void add_loops()
    {
        for (const std::int32_t j : forest_.loops) {
            if (!in_world(m_.joint_world[j]) || !here(j)) continue;
            const dynamics::JointAxes axes = dynamics::joint_axes(m_, j);
            const Posed  X_P = static_cast<Posed>(m_.joint_X_p[j]), X_C = static_cast<Posed>(m_.joint_X_c[j]);
            EqualityItem e;
            e.first = item(m_.joint_parent[j]), e.second = item(m_.joint_child[j]);
            const auto row = row_for(kOfJoint, j);
            take_softness(e, row);
            if (row) e.row = static_cast<std::int32_t>(*row);
            const auto connect = [&](const Vec3d& from) {
                const Vec3d p = X_P * from, c = X_C * from;
                e.kind        = EqualityKind::connect;
                e.name        = equalities_.unique(plain(m_.joint_label[j]));
                e.data        = {p.x, p.y, p.z, c.x, c.y, c.z};
                e.both_points = true;
                e.loop        = j;
                part_.what.equalities.push_back(e);
            };
            if (axes.dofs() == 0) {
                // MuJoCo's weld: relative pose of the second body in the first, quaternion with w first, torque scale
                // last.
                const Quatd turn = normalized(X_P.q * conjugate(X_C.q));
                e.kind           = EqualityKind::weld;
                e.name           = equalities_.unique(plain(m_.joint_label[j]));
                e.data = {X_C.p.x, X_C.p.y, X_C.p.z, X_P.p.x, X_P.p.y, X_P.p.z, turn.w, turn.x, turn.y, turn.z, 1};
                if (row) e.data[10] = a_.number("equality_constraint_torquescale", *row, 1);
                part_.what.equalities.push_back(e);
            } else if (axes.linear == 0 && axes.angular == 1) {
                // Two points on the axis hold everything but the rotation about it.
                connect(-kHingeSpan * axes.axis[0]);
                connect(kHingeSpan * axes.axis[0]);
            } else if (axes.linear == 0 && axes.angular == 3) {
                connect({});
            } else {
                shortfalls_.add(Support::ignored,
                                "joints that close a loop and slide, or turn about two axes, hold nothing",
                                m_.joint_label[j]);
            }
        }
    }
    /// What a row of MuJoCo's equalities has become in the model, by its numbers: a joint that closes a loop, or a
    /// follower.
    static constexpr std::int32_t            kOfJoint = 1, kOfMimic = 2;
    [[nodiscard]] std::optional<std::size_t> row_for(std::int32_t kind, std::int32_t joint) const
    {
        const auto at = held_.find({kind, joint});
        return at == held_.end() ? std::nullopt : std::optional(at->second);
    }
    /// The dof that an actuator acts on, by index or by the label of its joint.
    [[nodiscard]] std::int32_t dof_of_actuator(std::size_t i) const
    {
        const std::int32_t dof   = a_.whole("actuator_target_dof", i, a_.whole("actuator_trnid", i, -1));
        const std::string  label = a_.text("actuator_target_label", i);
        if (dof >= 0 || label.empty()) return dof;
        const auto at = std::find(m_.joint_label.begin(), m_.joint_label.end(), label);
        return at == m_.joint_label.end() ? -1
                                          : m_.joint_qd_start[static_cast<std::size_t>(at - m_.joint_label.begin())];
    }
    void read_rows()
    {
        for (std::size_t i = 0; i < a_.rows("equality_constraint_target"); ++i) {
            const std::int32_t kind   = a_.whole("equality_constraint_target_kind", i, 0);
            const std::int32_t target = a_.whole("equality_constraint_target", i, -1);
            // Where the model counts mimics apart from joints the row names its own joint.
            // Newton names a mimic by its row, the joint by another attribute.
            if (target >= 0)
                held_.try_emplace({kind, kind == kOfMimic ? a_.whole("equality_constraint_joint1", i, target) : target},
                                  i);
        }
        const std::size_t actuators =
            std::max({a_.rows("actuator_trnid"), a_.rows("actuator_target_dof"), a_.rows("actuator_target_label")});
        for (std::size_t i = 0; i < actuators; ++i) {
            if (!a_.has("ctrl_source") || a_.whole("actuator_trntype", i, 0) > 1) continue;
            if (a_.whole("ctrl_source", i, 1) != 0) shared_.insert(dof_of_actuator(i));
            if (a_.whole("ctrl_source", i, 1) != 0 || a_.whole("actuator_trntype", i, 0) != 0) continue;
            const std::int32_t dof = dof_of_actuator(i), kind = a_.whole("ctrl_type", i, 2);
            for (const bool position : {true, false})
                if (dof >= 0 && kind != (position ? 1 : 0) && !servos_.try_emplace({dof, position}, i).second)
                    several_.insert({dof, position});
        }
        if (o_.newton_compat) return;
        for (std::size_t i = 0; i < actuators; ++i) {
            if (a_.whole("ctrl_source", i, 1) != 1 || a_.whole("actuator_trntype", i, 0) > 1 ||
                a_.whole("actuator_biastype", i, 0) != 1)
                continue;
            actuated_.insert(dof_of_actuator(i));
        }
        // A servo whose law is the drive keeps it, whatever else acts on the joint.
        for (const auto& [servo, row] : servos_) actuated_.erase(servo.first);
    }
    /// Of the actuator that a drive stands for, 0: it says none.
    [[nodiscard]] double damping_ratio(std::size_t dof) const
    {
        const auto at = servos_.find({static_cast<std::int32_t>(dof), true});
        return at == servos_.end() || several_.contains(at->first)
                   ? 0
                   : std::max(0.0, a_.number("actuator_biasprm", at->second, 0, 2));
    }
    /// What an actuator that the drive stands for says of its bounds.
    void take_ranges(ActuatorItem& item, std::size_t dof, bool position) const
    {
        const auto at = servos_.find({static_cast<std::int32_t>(dof), position});
        // Of several the drive has the sum, bounds as well, and what one of them says is not all.
        if (at == servos_.end() || several_.contains(at->first)) return;
        const std::size_t i       = at->second;
        const auto        limited = [&](const char* name) {
            return static_cast<Limited>(std::clamp(a_.whole(name, i, 2), 0, 2));
        };
        // The drive's gains are those at the dof: behind a gear they are in other units than the actuator's bounds.
        if (a_.number("actuator_gear", i, 1) != 1) return;
        const auto said      = [&](const char* has) { return !a_.has(has) || a_.flag(has, i, false); };
        item.control_limited = limited("actuator_ctrllimited"), item.force_limited = limited("actuator_forcelimited");
        if (said("actuator_has_ctrlrange")) item.control_range = a_.numbers<2>("actuator_ctrlrange", i, {0, 0});
        if (said("actuator_has_forcerange")) item.force_range = a_.numbers<2>("actuator_forcerange", i, {0, 0});
        item.damping  = a_.number("actuator_damping", i, 0);
        item.armature = a_.number("actuator_armature", i, 0);
    }
    void take_softness(EqualityItem& e, const std::optional<std::size_t>& row) const
    {
        if (!row) return;
        e.solref = a_.numbers<2>("eq_solref", *row, kSolref);
        e.solimp = a_.numbers<5>("eq_solimp", *row, kSolimp);
    }
    /// Whether both ends of a joint are in this part.
    [[nodiscard]] bool here(std::int32_t j) const
    {
        const auto is = [&](std::int32_t b) { return b < 0 || item(b) >= 0; };
        return is(m_.joint_parent[j]) && is(m_.joint_child[j]);
    }

    void add_mimics()
    {
        for (const std::int32_t j : forest_.mimics) {
            const std::int32_t leader = m_.joint_mimic_joint[j];
            if (!in_world(m_.joint_world[j])) continue;
            const std::int32_t a = m_.joint_qd_start[j], b = m_.joint_qd_start[leader];
            const std::int32_t n = m_.joint_qd_start[j + 1] - a;
            if (n != m_.joint_qd_start[leader + 1] - b || m_.joint_type[j] == JointType::ball) {
                shortfalls_.add(Support::ignored, "joints that follow one of another kind follow nothing",
                                m_.joint_label[j]);
                continue;
            }
            const auto row = row_for(kOfMimic, j);
            for (std::int32_t k = 0; k < n; ++k) {
                EqualityItem e;
                take_softness(e, row);
                e.follower = j;
                e.name     = equalities_.unique(plain(m_.joint_label[j]));
                e.kind     = EqualityKind::joint;
                e.first    = dof_joint_[static_cast<std::size_t>(a + k)],
                e.second   = dof_joint_[static_cast<std::size_t>(b + k)];
                e.data     = {number(m_.joint_mimic_coeffs[j][0]), number(m_.joint_mimic_coeffs[j][1])};
                for (std::size_t c = 2; row && c < 5; ++c)
                    e.data[c] = a_.number("equality_constraint_polycoef", *row, 0, c);
                if (e.first >= 0 && e.second >= 0) part_.what.equalities.push_back(std::move(e));
            }
        }
    }

    /// The range of a DISTANCE joint is that of a tendon between its anchors.
    void add_distances()
    {
        for (const std::int32_t j : forest_.distances) {
            if (!in_world(m_.joint_world[j]) || !here(j)) continue;
            const auto   dof = static_cast<std::size_t>(m_.joint_qd_start[j]);
            const double low = number(m_.joint_limit_lower[dof]), high = number(m_.joint_limit_upper[dof]);
            const bool   least = low > 0 && low < model::kMaxValue, most = high >= 0 && high < model::kMaxValue;
            if (!least && !most) continue;
            TendonItem tendon;
            tendon.name    = plain(m_.joint_label[j]);
            tendon.limited = Limited::yes;
            tendon.range   = {least ? low : 0, most ? std::max(high, (least ? low : 0) + 1e-9) : model::kMaxValue};
            for (const bool parent : {true, false}) {
                SiteItem site;
                site.body = item(parent ? m_.joint_parent[j] : m_.joint_child[j]);
                site.X    = static_cast<Posed>((parent ? m_.joint_X_p : m_.joint_X_c)[j]);
                site.X.q  = normalized(site.X.q);
                site.name = sites_.unique(plain(m_.joint_label[j]) + (parent ? "_from" : "_to"));
                tendon.path.push_back(
                    {WrapItem::Kind::site, static_cast<std::int32_t>(part_.what.sites.size()), -1, 1});
                part_.what.sites.push_back(std::move(site));
            }
            part_.what.tendons.push_back(std::move(tendon));
        }
    }

    static double number(Real value) { return static_cast<double>(value); }

    const model::Model&     m_;
    const dynamics::Forest& forest_;
    const Attributes&       a_;
    const ConvertOptions&   o_;
    Surfaces&               surfaces_;
    Shortfalls&             shortfalls_;
    Part                    part_;
    Names                   bodies_, joints_, geoms_, sites_, equalities_;
    /// Row of MuJoCo's equalities that a joint stands for, by kind and joint.
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> held_;
    std::map<std::pair<std::int32_t, bool>, std::size_t>         servos_;    ///< rows by dof and whether of position
    std::set<std::pair<std::int32_t, bool>>                      several_;   ///< of those: a drive stands for several rows
    std::set<std::int32_t>                                       actuated_;  ///< dofs
    std::set<std::int32_t>                                       shared_;    ///< dofs that other actuators act on
    std::vector<std::int32_t>                                    item_of_;   ///< [body_count]
    std::vector<std::int32_t>                                    weld_;      ///< per body of the description
    std::vector<std::int32_t> dof_joint_;  ///< [joint_dof_count]: joint of the description
    std::vector<std::int32_t> site_of_;    ///< [shape_count]
};

}  // namespace

/// One line per kind of shortfall with the labels behind it, instead of one per joint.
void Shortfalls::add(Support support, const std::string& text, const std::string& label)
{
    const auto at = std::find_if(all_.begin(), all_.end(), [&](const Entry& e) { return e.text == text; });
    if (at == all_.end())
        all_.push_back({support, text, {label}});
    else if (std::find(at->labels.begin(), at->labels.end(), label) == at->labels.end())
        at->labels.push_back(label);
}

std::string Shortfalls::sentence(const Entry& e)
{
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(5, e.labels.size()); ++i)
        names += (i == 0 ? "" : ", ") + e.labels[i];
    if (e.labels.size() > 5) names += ", ...";
    return fmt::format("mujoco: {} ({}: {})", e.text, e.labels.size(), names);
}

void Shortfalls::report(Diagnostics& out) const
{
    for (const Entry& e : all_)
        out.add(e.support == Support::ignored ? kSolverFeature : kSolverApproximates, Site{.prim = e.labels.front()},
                sentence(e));
}

Diagnostic Shortfalls::as_error() const
{ return make_diagnostic(kSolverModel, Site{.prim = all_.front().labels.front()}, sentence(all_.front())); }

Result<std::vector<Part>> convert(const model::Model& model, const dynamics::Forest& forest,
                                  const Attributes& attributes, const ConvertOptions& options, Surfaces& surfaces,
                                  Shortfalls& shortfalls)
{
    Converter         converter(model, forest, attributes, options, surfaces, shortfalls);
    std::vector<Part> parts;
    const bool        apart = options.separate_worlds && model.world_count > 1;
    if (apart)
        for (const dynamics::Tree& tree : forest.trees)
            if (tree.world < 0)
                return make_diagnostic(
                    kSolverModel, {.prim = model.body_label[forest.links[tree.link_begin].body]},
                    "mujoco: a body that moves belongs to no world, but every world is a model of its own",
                    "Put it into a world, or take separate_worlds=0.");
    // With separate worlds each world is converted alone; what belongs to no world is part of all.
    for (std::int32_t w = apart ? 0 : model::kGlobalWorld; w < (apart ? model.world_count : 0); ++w) {
        auto part = converter.part(w);
        if (!part) return part.error();
        parts.push_back(*std::move(part));
    }
    return parts;
}

}  // namespace mechane::solvers::mujoco

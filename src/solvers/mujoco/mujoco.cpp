// The solver `mujoco`: the model as one or more mjModel, stepped by MuJoCo's library through `Backend`. Each world is a
// Seat with its own mjData; seats are stepped in parallel and share nothing that a step writes.
// Units are SI on both sides. Contacts come from MuJoCo or, with use_mujoco_contacts=0, from the collision pipeline.

#include "solvers/mujoco/mujoco.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <utility>

#include "mechane/core/bytes.h"
#include "mechane/dynamics/articulated.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/model/types.h"
#include "mechane/solvers/codes.h"
#include "mechane/tasks/parallel.h"
#include "solvers/mujoco/convert.h"
#include "solvers/mujoco/library.h"
#include "solvers/mujoco/live_values.h"
#include "solvers/shared/joints.h"
#include "solvers/shared/stepper.h"

// State both ways. R_c is the rotation of the child's anchor in its body, R that of the body in the world.
//   free    qpos = (p, q) of the body frame; qvel = (v of the frame's origin, world axes; w, body axes), where ours is
//           (v of the centre of mass, w), both in world axes: v_origin = v - w x R com, w_B = R^T w.
//   ball    q_mj = R_c q R_c^-1, from the parent's anchor to the child's as a rotation of the body;
//           w_mj = R_c q^-1 w, in body axes, of w in the parent's anchor axes.
//   scalar  q + ref.
// MuJoCo computes in double. What it has stays there from step to step, as long as the caller's state is the one that
// the last step gave.

namespace mechane::solvers::mujoco {

namespace {

using dynamics::Forest;
using dynamics::Link;
using dynamics::Tree;
using shared::ContactPoint;
using shared::Stepper;

class OverMujoco final : public Stepper, public MujocoSolver {
  public:
    OverMujoco(const model::Model& model, const SolverOptions& options, SolverChoice choice, const Backend& backend,
               MujocoTables tables)
        : Stepper(model, options, std::move(choice)),
          backend_(backend),
          attributes_(model, std::move(tables)),
          live_(model)
    { read_options(); }

    /// Converts and compiles; what cannot be honoured is said once.
    Result<void> begin(Diagnostics& out)
    {
        Shortfalls shortfalls;
        if (auto made = rebuild(shortfalls); !made) return made;
        if (options_.strict && !shortfalls.empty()) return shortfalls.as_error();
        shortfalls.report(out);
        for (const Seat& seat : seats_)
            for (const std::string& warning : seat.compiled->warnings())
                if (said_.insert(warning).second) out.add(kSolverApproximates, {}, "mujoco: " + warning);
        return {};
    }

    // -- Solver
    void notify(std::uint32_t changes) override
    {
        Stepper::notify(changes);
        dirty_ = dirty_ || changes != 0;
    }
    void reset() override
    {
        for (Seat& seat : seats_) forget(seat);
    }
    void reset_worlds(std::span<const std::uint8_t> selected) override
    {
        for (Seat& seat : seats_)
            if (seat.part.world < 0 || (static_cast<std::size_t>(seat.part.world) < selected.size() &&
                                        selected[static_cast<std::size_t>(seat.part.world)] != 0))
                forget(seat);
    }
    [[nodiscard]] std::vector<std::byte> save() const override
    {
        ByteWriter out;
        out.put(kMemoryVersion);
        out.put(static_cast<std::int32_t>(seats_.size()));
        for (const Seat& seat : seats_) {
            out.put(seat.world->memory());
            const Numbers& n = seat.world->numbers();
            out.put(std::vector<double>(n.qpos.begin(), n.qpos.end()));
            out.put(std::vector<double>(n.qvel.begin(), n.qvel.end()));
            out.put(seat.last);
        }
        return out.bytes();
    }
    [[nodiscard]] bool restore(std::span<const std::byte> bytes) override
    {
        ByteReader   in(bytes);
        std::int32_t version = 0, count = 0;
        in.get(version);
        in.get(count);
        if (version != kMemoryVersion || count != static_cast<std::int32_t>(seats_.size())) return false;
        struct Memory {
            std::vector<double> own, qpos, qvel;
            std::vector<Real>   last;
        };
        // Read as a whole and then taken over: a damaged text changes nothing.
        std::vector<Memory> all(seats_.size());
        for (std::size_t s = 0; s < seats_.size(); ++s) {
            in.get(all[s].own);
            in.get(all[s].qpos);
            in.get(all[s].qvel);
            in.get(all[s].last);
            const Numbers& n = seats_[s].world->numbers();
            if (all[s].qpos.size() != n.qpos.size() || all[s].qvel.size() != n.qvel.size() ||
                all[s].own.size() != seats_[s].world->memory().size())
                return false;
        }
        if (!in.done()) return false;
        for (std::size_t s = 0; s < seats_.size(); ++s) {
            const Numbers& n = seats_[s].world->numbers();
            if (!seats_[s].world->remember(all[s].own)) return false;
            std::copy(all[s].qpos.begin(), all[s].qpos.end(), n.qpos.begin());
            std::copy(all[s].qvel.begin(), all[s].qvel.end(), n.qvel.begin());
            seats_[s].last = std::move(all[s].last);
        }
        return true;
    }
    void               observe(Observables* observables) override { observables_ = observables; }
    [[nodiscard]] bool finds_contacts() const override { return convert_.mujoco_contacts; }
    void               found_contacts(const model::State& state, model::Contacts& out) const override;

    // -- MujocoSolver
    [[nodiscard]] std::size_t              world_count() const override { return seats_.size(); }
    [[nodiscard]] std::vector<MujocoField> fields(std::size_t world) const override
    {
        std::vector<MujocoField> out;
        for (const Field& f : seats_[world].compiled->fields()) {
            MujocoField       to{std::string(f.name), f.rows, f.columns, {}};
            const std::size_t n = f.rows * f.columns;
            to.numbers.reserve(n);
            for (std::size_t i = 0; i < n; ++i)
                to.numbers.push_back(f.type == Field::Type::real      ? static_cast<const double*>(f.data)[i]
                                     : f.type == Field::Type::integer ? static_cast<const int*>(f.data)[i]
                                                                      : static_cast<const unsigned char*>(f.data)[i]);
            out.push_back(std::move(to));
        }
        return out;
    }
    [[nodiscard]] std::vector<std::string> names(std::size_t world, std::string_view object) const override
    { return seats_[world].compiled->names(object); }
    [[nodiscard]] std::vector<std::int32_t> origins(std::size_t world, std::string_view object) const override;
    [[nodiscard]] std::vector<double>       dof_forces(std::string_view kind) const override;
    [[nodiscard]] std::vector<std::uint8_t> overflows() const override
    {
        std::vector<std::uint8_t> out;
        for (const Seat& seat : seats_) out.push_back(seat.outcome.full ? 1 : 0);
        return out;
    }
    Result<std::string> mjcf(std::size_t world) override
    {
        if (auto done = refresh(); !done) return done.error();
        return backend_.mjcf(seats_[world].part.what);
    }
    [[nodiscard]] std::vector<double> contacts(std::size_t world) const override;
    Result<void>                      refresh() override
    {
        // Written attributes, live values of the model or settings: any of them may need a new compile.
        if (const bool written = attributes_.changed(); !live_.changed() && !written && !dirty_) return {};
        Shortfalls said;
        return rebuild(said);
    }
    [[nodiscard]] std::vector<std::byte> binary(std::size_t world) const override
    { return seats_[world].compiled->binary(); }
    [[nodiscard]] std::vector<double> numbers(std::size_t world) const override
    {
        const Numbers&      n = seats_[world].world->numbers();
        std::vector<double> out(n.qpos.begin(), n.qpos.end());
        out.insert(out.end(), n.qvel.begin(), n.qvel.end());
        return out;
    }
    bool bare_step(std::size_t world) override
    {
        seats_[world].last.clear();
        return !seats_[world].world->step().failed;
    }
    void set_tables(MujocoTables tables) override
    {
        attributes_.set_tables(std::move(tables));
        dirty_ = true;
    }
    [[nodiscard]] std::vector<double> push(std::size_t world, const model::State& in) override
    {
        bodies_.load(in, {}, 1);
        for (const std::int32_t b : forest_.prescribed) mirror_base(b);
        Seat& seat = seats_[world];
        push(seat, in);
        write_led(seat);
        seat.last.clear();
        return numbers(world);
    }
    bool pull(std::size_t world, const std::vector<double>& numbers, model::State& out) override
    {
        Seat&          seat = seats_[world];
        const Numbers& n    = seat.world->numbers();
        if (numbers.size() != n.qpos.size() + n.qvel.size()) return false;
        bodies_.load(out, {}, 1);
        for (const std::int32_t b : forest_.prescribed) mirror_base(b);
        // Only the bodies of this seat are published.
        faulty_.assign(model_.gravity.size(), 1);
        set_sound(seat);
        std::copy_n(numbers.begin(), n.qpos.size(), n.qpos.begin());
        std::copy(numbers.begin() + static_cast<std::ptrdiff_t>(n.qpos.size()), numbers.end(), n.qvel.begin());
        pull(seat);
        publish(out, out, 0);
        return true;
    }
    void set_direct_control(const std::vector<double>& values) override { direct_ = values; }

  protected:
    void configured() override
    {
        read_options();
        dirty_ = true;
    }
    void                      read_model() override {}  // `refuses` has done it
    std::optional<Diagnostic> refuses(const model::Contacts* contacts) override
    {
        if (const bool written = attributes_.changed(); live_.changed() || written || dirty_) {
            Shortfalls said;
            if (auto made = rebuild(said); !made) return made.error();
        }
        if (convert_.mujoco_contacts && contacts != nullptr && contacts->rigid_contact_count > 0)
            return make_diagnostic(kSolverContacts, {}, "mujoco: it finds contacts by itself, but is given some",
                                   "Give none, or take use_mujoco_contacts=0.");
        if (!convert_.mujoco_contacts && convert_.contacts && contacts == nullptr)
            return make_diagnostic(kSolverContacts, {},
                                   "mujoco: with use_mujoco_contacts=0 it needs contacts, but is given none",
                                   "Give the contacts of a collide call.");
        return {};
    }
    void load(const model::State& in, const model::Control& control, double dt) override;
    void advance(const model::State& in, const model::Control& control, double h, StepReport& report) override;
    void arrive(const model::Control& control, double dt, StepReport& report) override;
    void publish(const model::State& in, model::State& out, double dt) override;

  private:
    static constexpr std::int32_t kMemoryVersion = 1;

    /// A part, what it is compiled to, and its state in MuJoCo.
    struct Seat {
        Part                      part;
        std::shared_ptr<Compiled> compiled;
        std::unique_ptr<World>    world;
        std::vector<Real>         last;  ///< joint_q, joint_qd and poses of free bodies that the last step published
        std::vector<Real>         now;   ///< the same of the state that a step starts from
        std::vector<GivenContact> given, touching;  ///< of this step; of this substep
        std::vector<std::size_t>  given_row;        ///< of contacts_
        std::vector<std::size_t>  touching_of;      ///< of given
        std::vector<Vec3d>        pulls;  ///< by link: what its weight is besides that of the model's gravity [N]
        Outcome                   outcome;
        bool                      broken = false;
    };

    void         read_options();
    Result<void> rebuild(Shortfalls& shortfalls);
    void         forget(Seat& seat)
    {
        seat.world->reset();
        seat.last.clear();
        write_active(seat);
    }
    static void write_active(Seat& seat)
    {
        for (std::size_t e = 0; e < seat.part.what.equalities.size(); ++e)
            seat.world->set_active(static_cast<std::int32_t>(e), seat.part.what.equalities[e].active);
    }
    void mirror_base(std::int32_t b)
    {
        motion_.base_X[b]     = bodies_.X[b];
        motion_.base_twist[b] = bodies_.twist[b];
        motion_.base_com[b]   = bodies_.com_W(b);
    }
    /// The numbers that say whether a state is the one of the last step.
    void list_state(const Seat& seat, const model::State& state, std::vector<Real>& out) const;
    void push(Seat& seat, const model::State& in);
    void write_led(Seat& seat) const;
    void list_pulls(Seat& seat) const;
    void write_forces(Seat& seat, const model::Control& control) const;
    void write_controls(Seat& seat, const model::Control& control) const;
    /// Configuration and velocity of MuJoCo's into motion_, poses and velocities of bodies from them.
    void        pull(Seat& seat);
    void        list_contacts();
    bool        moves(const Seat& seat, std::int32_t body, const GeomItem& geom) const;
    void        as_newton(const Seat& seat, const ContactPoint& c, double mine, GivenContact& to) const;
    void        place_contacts(Seat& seat) const;
    static void find_touching(Seat& seat);
    void        observe(Seat& seat);
    void        set_faulty(const Seat& seat) { mark(seat, 1); }
    void        set_sound(const Seat& seat) { mark(seat, 0); }
    void        mark(const Seat& seat, std::uint8_t value)
    {
        if (seat.part.world < 0)
            std::fill(faulty_.begin(), faulty_.end(), value);
        else
            faulty_[static_cast<std::size_t>(seat.part.world + 1)] = value;
    }
    [[nodiscard]] const Link& link(std::int32_t l) const { return forest_.links[static_cast<std::size_t>(l)]; }

    const Backend&            backend_;
    Attributes                attributes_;
    LiveValues                live_;
    ConvertOptions            convert_;
    Surfaces                  surfaces_;
    Forest                    forest_;
    dynamics::Motion          motion_;
    std::vector<Seat>         seats_;
    std::vector<std::int32_t> seat_of_world_;  ///< [world_count + 1], entry 0 for what belongs to none
    std::vector<std::int32_t> other_joints_;   ///< whose coordinates are read off the bodies
    std::vector<double>       direct_;
    std::set<std::string>     said_;
    Observables*              observables_ = nullptr;
    bool                      dirty_       = false;
    bool                      moving_      = false;  ///< between the first and the last substep
};

void OverMujoco::read_options()
{
    convert_.newton_compat   = value("newton_compat") != 0;
    convert_.mujoco_contacts = value("use_mujoco_contacts") != 0;
    convert_.contacts        = value("disable_contacts") == 0;
    convert_.include_sites   = value("include_sites") != 0;
    convert_.separate_worlds = value("separate_worlds") != 0;
    convert_.given.clear();
    for (const Setting& s : choice_.settings)
        if (s.value >= 0) convert_.given[s.name] = s.value;
}

/// The same but for names and for what `Compiled::update` takes over.
/// What `Compiled::update` can write into an mjModel is blanked out; if the rest is equal, no new compile is needed.
Description structure(Description d)
{
    const EngineOptions plain;
    d.option = plain;
    // What MuJoCo's compiler makes of a ratio of damping depends on gains and inertias.
    const auto relative = [](const ActuatorItem& a) { return a.bias[2] > 0 && a.gain[0] == -a.bias[1]; };
    const bool ratios   = std::any_of(d.actuators.begin(), d.actuators.end(), relative);
    for (JointItem& j : d.joints) {
        JointItem bare;
        bare.body = j.body, bare.kind = j.kind, bare.pos = j.pos, bare.axis = j.axis, bare.ref = j.ref;
        bare.actgravcomp = j.actgravcomp;
        if (ratios) bare.armature = j.armature;
        j = bare;
    }
    for (GeomItem& g : d.geoms) {
        const GeomItem bare;
        g.friction = bare.friction, g.solref = bare.solref, g.solimp = bare.solimp, g.solmix = bare.solmix;
        g.priority = bare.priority, g.condim = bare.condim;
    }
    for (ActuatorItem& a : d.actuators)
        if (!relative(a)) a.gain = {}, a.bias = {};
    return d;
}
/// The same but for names: worlds that are alike are one model.
Description nameless(Description d)
{
    for (BodyItem& b : d.bodies) b.name.clear();
    for (JointItem& j : d.joints) j.name.clear();
    for (GeomItem& g : d.geoms) g.name.clear(), g.shape = -1;
    for (SiteItem& s : d.sites) s.name.clear(), s.shape = -1;
    for (MeshItem& m : d.meshes) m.name.clear();
    for (HeightItem& h : d.heights) h.name.clear();
    for (TendonItem& t : d.tendons) t.name.clear(), t.row = -1;
    for (ActuatorItem& a : d.actuators) a.name.clear();
    for (EqualityItem& e : d.equalities) e.name.clear(), e.row = e.loop = e.follower = -1;
    return d;
}

std::vector<double> OverMujoco::contacts(std::size_t world) const
{
    std::vector<double>              out;
    const std::vector<std::int32_t>& geoms = seats_[world].compiled->addresses().geom;
    for (const GivenContact& c : seats_[world].touching) {
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

/// What Newton 1.8 makes of the pair besides: friction of the geom of higher priority, and how sliding is damped.
/// Under an elliptic cone Newton derives the damping of sliding from kf, in MuJoCo's impedance form.
void OverMujoco::as_newton(const Seat& seat, const ContactPoint& c, double mine, GivenContact& to) const
{
    const GeomItem &x = seat.part.what.geoms[static_cast<std::size_t>(to.geom0)],
                   &y = seat.part.what.geoms[static_cast<std::size_t>(to.geom1)];
    if (x.priority != y.priority) {
        const std::array<double, 3>& f = (x.priority > y.priority ? x : y).friction;
        to.friction                    = {f[0], f[0], f[1], f[2], f[2]};
    }
    if (seat.part.what.option.cone != 1) return;
    const double k     = mine * static_cast<double>(model_.shape_material_kf[c.shape[0]]) +
                         (1 - mine) * static_cast<double>(model_.shape_material_kf[c.shape[1]]);
    const double w     = seat.compiled->body_invweight(x.body) + seat.compiled->body_invweight(y.body);
    const double scale = k * w * ((1 - to.solimp[1]) / seat.part.what.option.impratio + to.solimp[1]);
    if (k == 0)
        to.friction = {};
    else if (scale > 0 && std::isfinite(2 / scale))
        to.solref_friction = {2 / scale, 1};
}

std::vector<double> OverMujoco::dof_forces(std::string_view kind) const
{
    std::vector<double> out(model_.joint_dof_count(), 0.0);
    for (const Seat& seat : seats_) {
        const Numbers&            n = seat.world->numbers();
        const std::vector<double> friction =
            kind == "frictionloss" ? seat.world->friction_forces() : std::vector<double>{};
        const double* const from = kind == "actuator"     ? n.qfrc_actuator.data()
                                   : kind == "bias"       ? n.qfrc_bias.data()
                                   : kind == "constraint" ? n.qfrc_constraint.data()
                                                          : friction.data();
        for (const LinkSeat& s : seat.part.links) {
            const Link& l = link(s.link);
            if (s.joints == 0 || l.joint < 0) continue;
            const double* f  = from + seat.compiled->addresses().qvel[static_cast<std::size_t>(s.joint)];
            double*       to = out.data() + model_.joint_qd_start[l.joint];
            const double* q  = motion_.q.data() + l.coord;
            if (l.free) {
                const Quatd R{q[3], q[4], q[5], q[6]};
                const Vec3d force{f[0], f[1], f[2]},
                    torque = rotate(R, Vec3d{f[3], f[4], f[5]}) - cross(rotate(R, l.com), force);
                to[0] = force.x, to[1] = force.y, to[2] = force.z;
                to[3] = torque.x, to[4] = torque.y, to[5] = torque.z;
            } else if (l.axes.type == model::JointType::ball) {
                const Vec3d t =
                    rotate(Quatd{q[0], q[1], q[2], q[3]}, rotate_inverse(l.X_CJ.q, Vec3d{f[0], f[1], f[2]}));
                to[0] = t.x, to[1] = t.y, to[2] = t.z;
            } else {
                const Addresses& at = seat.compiled->addresses();
                for (std::size_t k = 0; k < static_cast<std::size_t>(s.joints); ++k)
                    to[k] = from[at.qvel[static_cast<std::size_t>(s.joint) + k]];
            }
        }
    }
    return out;
}

std::vector<std::int32_t> OverMujoco::origins(std::size_t world, std::string_view object) const
{
    const Seat&               seat = seats_[world];
    const Addresses&          at   = seat.compiled->addresses();
    std::vector<std::int32_t> out;
    const auto                put = [&](std::int32_t id, std::int32_t what) {
        if (id < 0) return;
        if (out.size() <= static_cast<std::size_t>(id)) out.resize(static_cast<std::size_t>(id) + 1, -1);
        // Arrays by MuJoCo's ids, -1 where an id stands for nothing of the model.
        out[static_cast<std::size_t>(id)] = what;
    };
    const auto id = [](const std::vector<std::int32_t>& ids, std::int32_t i) {
        return ids[static_cast<std::size_t>(i)];
    };
    if (object == "body") {
        put(0, -1);
        for (const LinkSeat& s : seat.part.links) put(id(at.body, s.body), link(s.link).body);
        for (const LedSeat& s : seat.part.led) put(id(at.body, s.item), s.body);
    } else if (object == "geom") {
        for (std::size_t s = 0; s < seat.part.geom_of_shape.size(); ++s)
            if (seat.part.geom_of_shape[s] >= 0)
                put(id(at.geom, seat.part.geom_of_shape[s]), static_cast<std::int32_t>(s));
    } else if (object == "equality" || object == "loop" || object == "follower") {
        for (std::size_t e = 0; e < seat.part.what.equalities.size(); ++e) {
            const EqualityItem& from = seat.part.what.equalities[e];
            put(at.equality[e], object == "equality" ? from.row : object == "loop" ? from.loop : from.follower);
        }
    } else if (object == "tendon") {
        for (const TendonItem& t : seat.part.what.tendons) out.push_back(t.row);
    } else if (object == "actuator" || object == "control") {
        // "control": 1 where a row of its own controls it. "actuator": that row; else the dof that its drive holds by
        // position, or -2 less the dof that it holds by velocity.
        for (const ControlSeat& c : seat.part.controls) {
            const bool direct = c.source == ControlSeat::Source::direct;
            if (object == "control")
                put(c.actuator, direct ? 1 : 0);
            else
                put(c.actuator, direct ? c.at : c.source == ControlSeat::Source::position ? c.dof : -2 - c.dof);
        }
    } else if (object == "joint" || object == "dof") {
        for (const LinkSeat& s : seat.part.links) {
            const Link& l = link(s.link);
            if (l.joint < 0) continue;
            const std::int32_t first = model_.joint_qd_start[l.joint], n = model_.joint_qd_start[l.joint + 1] - first;
            for (std::int32_t k = 0; k < s.joints; ++k) {
                if (object == "joint") put(id(at.joint, s.joint + k), l.joint);
                const std::int32_t each = s.joints == 0 ? 0 : n / s.joints;
                for (std::int32_t d = 0; object == "dof" && d < each; ++d)
                    put(id(at.qvel, s.joint + k) + d, first + k * each + d);
            }
        }
    }
    return out;
}

Result<void> OverMujoco::rebuild(Shortfalls& shortfalls)
{
    bodies_.read_model();
    forest_ = dynamics::build_forest(model_);
    motion_ = {};
    motion_.resize(forest_, model_.body_count());
    other_joints_.clear();
    for (std::size_t j = 0; j < model_.joint_count(); ++j)
        if (forest_.joint_link[j] < 0 || link(forest_.joint_link[j]).free)
            other_joints_.push_back(static_cast<std::int32_t>(j));
    constexpr int kRk4 = 1, kDiscrete = 4;
    auto          parts = convert(model_, forest_, attributes_, convert_, surfaces_, shortfalls);
    if (!parts) return parts.error();
    for (const Part& part : *parts)
        if (!convert_.mujoco_contacts &&
            (part.what.option.integrator == kRk4 || part.what.option.integrator == kDiscrete))
            return make_diagnostic(kSolverModel, {},
                                   "mujoco: contacts that are given are taken by the integrators euler, implicit and "
                                   "implicitfast alone",
                                   "Take one of these, or use_mujoco_contacts=1.");

    // One mjModel for all parts that are alike. An old one serves those that it served, if its structure is theirs.
    std::vector<Seat>            seats(parts->size());
    std::vector<Description>     models;
    std::vector<std::size_t>     first;
    std::vector<const Compiled*> taken;
    std::vector<std::size_t>     model_of(parts->size());
    for (std::size_t p = 0; p < parts->size(); ++p) {
        Description own   = nameless((*parts)[p].what);
        const auto  found = std::find(models.begin(), models.end(), own);
        model_of[p]       = static_cast<std::size_t>(found - models.begin());
        if (found == models.end()) models.push_back(std::move(own)), first.push_back(p);
    }
    std::vector<std::shared_ptr<Compiled>> compiled(models.size());
    for (std::size_t k = 0; k < models.size(); ++k) {
        const std::size_t p    = first[k];
        Seat* const       old  = p < seats_.size() ? &seats_[p] : nullptr;
        // An old compile serves if no other part has taken it, and the structures agree but for names.
        const bool        fits = old != nullptr && old->part.world == (*parts)[p].world &&
                                 std::find(taken.begin(), taken.end(), old->compiled.get()) == taken.end() &&
                                 structure(nameless(old->part.what)) == structure(models[k]);
        if (fits) {
            compiled[k] = old->compiled;
            if (!(nameless(old->part.what) == models[k])) compiled[k]->update((*parts)[p].what);
        } else {
            auto made = backend_.compile((*parts)[p].what);
            if (!made) return made.error();
            compiled[k] = *std::move(made);
        }
        taken.push_back(compiled[k].get());
    }
    // The state of a world survives a recompile as far as sizes allow.
    for (std::size_t p = 0; p < parts->size(); ++p) {
        Seat& seat      = seats[p];
        seat.part       = std::move((*parts)[p]);
        seat.compiled   = compiled[model_of[p]];
        Seat* const old = p < seats_.size() ? &seats_[p] : nullptr;
        if (old != nullptr && old->compiled == seat.compiled) {
            seat.world = std::move(old->world);
            seat.last  = std::move(old->last);
        } else {
            auto world = seat.compiled->make_world();
            if (!world) return world.error();
            seat.world = *std::move(world);
            if (old != nullptr && old->world != nullptr) static_cast<void>(seat.world->remember(old->world->memory()));
        }
        write_active(seat);
        list_pulls(seat);
    }
    seats_ = std::move(seats);
    seat_of_world_.assign(static_cast<std::size_t>(model_.world_count) + 1, seats_.size() == 1 ? 0 : -1);
    for (std::size_t s = 0; s < seats_.size(); ++s)
        if (seats_[s].part.world >= 0)
            seat_of_world_[static_cast<std::size_t>(seats_[s].part.world + 1)] = static_cast<std::int32_t>(s);
    dirty_ = false;
    return {};
}

void OverMujoco::list_state(const Seat& seat, const model::State& state, std::vector<Real>& out) const
{
    out.clear();
    for (const LinkSeat& at : seat.part.links) {
        const Link& l = link(at.link);
        if (l.from_body) {
            const Pose&    X = state.body_q[static_cast<std::size_t>(l.body)];
            const Spatial& v = state.body_qd[static_cast<std::size_t>(l.body)];
            // Bodies without a joint of their own have their state in the body arrays.
            for (const Real x : {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w, v.linear.x, v.linear.y, v.linear.z,
                                 v.angular.x, v.angular.y, v.angular.z})
                out.push_back(x);
        }
        if (l.joint < 0) continue;
        const auto q = state.joint_q.begin(), v = state.joint_qd.begin();
        out.insert(out.end(), q + model_.joint_q_start[l.joint], q + model_.joint_q_start[l.joint + 1]);
        out.insert(out.end(), v + model_.joint_qd_start[l.joint], v + model_.joint_qd_start[l.joint + 1]);
    }
}

void OverMujoco::push(Seat& seat, const model::State& in)
{
    for (const std::int32_t t : seat.part.trees)
        dynamics::load(model_, forest_, forest_.trees[static_cast<std::size_t>(t)], in.joint_q, in.joint_qd, in.body_q,
                       in.body_qd, {}, motion_);
    const Numbers&   n  = seat.world->numbers();
    const Addresses& at = seat.compiled->addresses();
    for (const LinkSeat& s : seat.part.links) {
        if (s.joints == 0) continue;
        const Link&   l    = link(s.link);
        const double* q    = motion_.q.data() + l.coord;
        const double* v    = motion_.v.data() + l.dof;
        const auto    j    = static_cast<std::size_t>(s.joint);
        double*       qpos = n.qpos.data() + at.qpos[j];
        double*       qvel = n.qvel.data() + at.qvel[j];
        if (l.free) {
            const Quatd R{q[3], q[4], q[5], q[6]};
            // v_origin = v_com - w x R com; MuJoCo's angular velocity is in body axes.
            const Vec3d w{v[3], v[4], v[5]}, origin = Vec3d{v[0], v[1], v[2]} - cross(w, rotate(R, l.com)),
                                             w_B = rotate_inverse(R, w);
            std::copy_n(q, 3, qpos);
            qpos[3] = R.w, qpos[4] = R.x, qpos[5] = R.y, qpos[6] = R.z;
            qvel[0] = origin.x, qvel[1] = origin.y, qvel[2] = origin.z;
            qvel[3] = w_B.x, qvel[4] = w_B.y, qvel[5] = w_B.z;
        } else if (l.axes.type == model::JointType::ball) {
            const Quatd turn{q[0], q[1], q[2], q[3]}, own = l.X_CJ.q * turn * conjugate(l.X_CJ.q);
            // The joint's rate is along the parent anchor's axes; MuJoCo wants it in the child's body axes.
            const Vec3d w = rotate(l.X_CJ.q, rotate_inverse(turn, Vec3d{v[0], v[1], v[2]}));
            qpos[0] = own.w, qpos[1] = own.x, qpos[2] = own.y, qpos[3] = own.z;
            qvel[0] = w.x, qvel[1] = w.y, qvel[2] = w.z;
        } else {
            for (std::size_t k = 0; k < static_cast<std::size_t>(s.joints); ++k) {
                n.qpos[static_cast<std::size_t>(at.qpos[j + k])] = q[k] + seat.part.what.joints[j + k].ref;
                n.qvel[static_cast<std::size_t>(at.qvel[j + k])] = v[k];
            }
        }
    }
}

void OverMujoco::write_led(Seat& seat) const
{
    const Numbers&   n  = seat.world->numbers();
    const Addresses& at = seat.compiled->addresses();
    for (const LedSeat& led : seat.part.led) {
        const auto      b      = static_cast<std::size_t>(led.body);
        const Posed&    X      = bodies_.X[b];
        const Spatiald& v      = bodies_.twist[b];
        const Vec3d     origin = v.linear - cross(v.angular, rotate(X.q, bodies_.com[b])),
                        w      = rotate_inverse(X.q, v.angular);
        double*         qpos   = n.qpos.data() + at.qpos[static_cast<std::size_t>(led.joint)];
        double*         qvel   = n.qvel.data() + at.qvel[static_cast<std::size_t>(led.joint)];
        qpos[0] = X.p.x, qpos[1] = X.p.y, qpos[2] = X.p.z;
        qpos[3] = X.q.w, qpos[4] = X.q.x, qpos[5] = X.q.y, qpos[6] = X.q.z;
        qvel[0] = origin.x, qvel[1] = origin.y, qvel[2] = origin.z;
        qvel[3] = w.x, qvel[4] = w.y, qvel[5] = w.z;
    }
}

/// An mjModel has one gravity. Bodies of another world, or of none, that are in it feel theirs as a force.
void OverMujoco::list_pulls(Seat& seat) const
{
    seat.pulls.clear();
    bool        any = false;
    const Vec3d own = seat.part.what.option.gravity;
    for (const LinkSeat& s : seat.part.links) {
        const Link&     l    = link(s.link);
        const BodyItem& item = seat.part.what.bodies[static_cast<std::size_t>(s.body)];
        const Vec3d     more = static_cast<Vec3d>(model_.gravity_of(model_.body_world[l.body])) - own;
        seat.pulls.push_back(item.mass * (1 - item.gravcomp) * more);
        any = any || !(more == Vec3d{});
    }
    if (!any) seat.pulls.clear();
}

void OverMujoco::write_forces(Seat& seat, const model::Control& control) const
{
    const Numbers&   n       = seat.world->numbers();
    const Addresses& at      = seat.compiled->addresses();
    const auto&      joint_f = control.joint_f.empty() ? model_.joint_f : control.joint_f;
    const auto       force   = [&](std::size_t dof) {
        const auto f = static_cast<double>(joint_f[dof]);
        // A force that is not finite is left out, as by the other solvers.
        return std::isfinite(f) ? f : 0.0;
    };
    for (const LinkSeat& s : seat.part.links) {
        const Link&     l = link(s.link);
        const Spatiald& f = bodies_.force[static_cast<std::size_t>(l.body)];
        double*         x = n.xfrc_applied.data() + 6 * at.body[static_cast<std::size_t>(s.body)];
        x[0] = f.linear.x, x[1] = f.linear.y, x[2] = f.linear.z;
        x[3] = f.angular.x, x[4] = f.angular.y, x[5] = f.angular.z;
        if (!seat.pulls.empty()) {
            const Vec3d& more = seat.pulls[static_cast<std::size_t>(&s - seat.part.links.data())];
            x[0] += more.x, x[1] += more.y, x[2] += more.z;
        }
        if (s.joints == 0 || l.free) continue;
        const auto dof = static_cast<std::size_t>(model_.joint_qd_start[l.joint]);
        const auto j   = static_cast<std::size_t>(s.joint);
        if (l.axes.type == model::JointType::ball) {
            const double* q  = motion_.q.data() + l.coord;
            const Vec3d   t  = rotate(l.X_CJ.q, rotate_inverse(Quatd{q[0], q[1], q[2], q[3]},
                                                               Vec3d{force(dof), force(dof + 1), force(dof + 2)}));
            double*       to = n.qfrc_applied.data() + at.qvel[j];
            to[0] = t.x, to[1] = t.y, to[2] = t.z;
        } else {
            for (std::size_t k = 0; k < static_cast<std::size_t>(s.joints); ++k)
                n.qfrc_applied[static_cast<std::size_t>(at.qvel[j + k])] = force(dof + k);
        }
    }
}

void OverMujoco::write_controls(Seat& seat, const model::Control& control) const
{
    const Numbers&   n       = seat.world->numbers();
    const Addresses& at      = seat.compiled->addresses();
    const auto&      targets = control.joint_target_q.empty() ? model_.joint_target_q : control.joint_target_q;
    const auto&      rates   = control.joint_target_qd.empty() ? model_.joint_target_qd : control.joint_target_qd;
    const auto       sound   = [](double value, double otherwise) { return std::isfinite(value) ? value : otherwise; };
    // Controls of actuators that no drive stands for: the caller's, else those of the control or the model.
    const model::CustomArray* own    = control.custom_arrays.find("mujoco:ctrl");
    const auto                direct = [&](std::size_t row) {
        if (row < direct_.size()) return direct_[row];
        return direct_.empty() && own != nullptr && row < own->size() ? own->at(row)[0] : 0.0;
    };
    for (const ControlSeat& c : seat.part.controls) {
        double&    to  = n.ctrl[static_cast<std::size_t>(at.ctrl[static_cast<std::size_t>(c.actuator)])];
        const auto row = static_cast<std::size_t>(c.at);
        if (c.source == ControlSeat::Source::direct) {
            to = sound(direct(row), to);
        } else if (c.axis < 0) {
            // Targets that are not finite leave the control as it is.
            to = c.source == ControlSeat::Source::position ? sound(static_cast<double>(targets[row]) + c.ref, to)
                                                           : sound(static_cast<double>(rates[row]), to);
        } else {
            const Link& l = link(c.link);
            Vec3d       value;
            if (c.source == ControlSeat::Source::position) {
                const Quatd q =
                    normalized(Quatd{static_cast<double>(targets[row]), static_cast<double>(targets[row + 1]),
                                     static_cast<double>(targets[row + 2]), static_cast<double>(targets[row + 3])});
                value = rotate(l.X_CJ.q, to_rotation_vector(q));
            } else {
                const auto    first = static_cast<std::size_t>(model_.joint_qd_start[l.joint]);
                const double* q     = motion_.q.data() + l.coord;
                value               = rotate(l.X_CJ.q, rotate_inverse(Quatd{q[0], q[1], q[2], q[3]},
                                                                      Vec3d{static_cast<double>(rates[first]),
                                                                            static_cast<double>(rates[first + 1]),
                                                                            static_cast<double>(rates[first + 2])}));
            }
            to = sound(value[static_cast<std::size_t>(c.axis)], to);
        }
    }
}

void OverMujoco::load(const model::State& in, const model::Control& control, double dt)
{
    for (const std::int32_t b : forest_.prescribed) mirror_base(b);
    bodies_.begin_forces(in);
    shared::add_free_joint_forces(model_, control, bodies_);
    const double h = dt / options_.substeps;
    for (Seat& seat : seats_) {
        seat.compiled->set_time_step(h);
        seat.broken = false;
    }
    moving_ = false;
    tasks::for_chunks(options_.pool, seats_.size(), 1, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t s = begin; s < end; ++s) {
            Seat& seat = seats_[s];
            list_state(seat, in, seat.now);
            if (seat.last.empty() || seat.now.size() != seat.last.size() ||
                // If the state is bit for bit what the last step published, MuJoCo's own numbers in double go on.
                std::memcmp(seat.now.data(), seat.last.data(), seat.now.size() * sizeof(Real)) != 0)
                push(seat, in);
            write_forces(seat, control);
            write_controls(seat, control);
        }
    });
}

void OverMujoco::place_contacts(Seat& seat) const
{
    for (std::size_t k = 0; k < seat.given.size(); ++k) {
        const ContactPoint& c  = contacts_[seat.given_row[k]];
        GivenContact&       to = seat.given[k];
        Vec3d               p[2];
        for (std::size_t s = 0; s < 2; ++s)
            p[s] = bodies_.pose(c.body[s]) * c.point[s] + (s == 0 ? c.margin[0] : -c.margin[1]) * c.n;
        // Midway between the two surfaces; the distance is signed along the normal.
        to.position   = 0.5 * (p[0] + p[1]);
        to.normal     = c.n;
        to.distance   = dot(c.n, p[1] - p[0]);
        to.dimensions = to.friction[0] > 0 ? std::max(seat.part.what.geoms[static_cast<std::size_t>(to.geom0)].condim,
                                                      seat.part.what.geoms[static_cast<std::size_t>(to.geom1)].condim)
                                           : 1;
    }
}

bool OverMujoco::moves(const Seat& seat, std::int32_t body, const GeomItem& geom) const
{
    return body >= 0 && !std::binary_search(forest_.prescribed.begin(), forest_.prescribed.end(), body) &&
           seat.compiled->body_invweight(geom.body) > 0;
}

/// Contacts of the step by part, with what MuJoCo wants to know of them.
void OverMujoco::list_contacts()
{
    for (Seat& seat : seats_) seat.given.clear(), seat.given_row.clear();
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
        const ContactPoint& c = contacts_[i];
        std::int32_t        s = -1;
        for (const std::int32_t b : c.body)
            if (b >= 0 && s < 0)
                s = seat_of_world_[static_cast<std::size_t>(model_.body_world[static_cast<std::size_t>(b)] + 1)];
        if (s < 0) continue;
        Seat&              seat = seats_[static_cast<std::size_t>(s)];
        const std::int32_t a    = seat.part.geom_of_shape[static_cast<std::size_t>(c.shape[0])],
                           b    = seat.part.geom_of_shape[static_cast<std::size_t>(c.shape[1])];
        if (a < 0 || b < 0) continue;
        const GeomItem &x = seat.part.what.geoms[static_cast<std::size_t>(a)],
                       &y = seat.part.what.geoms[static_cast<std::size_t>(b)];
        // MuJoCo would divide by the inverse weight of two bodies that cannot move.
        if (!moves(seat, c.body[0], x) && !moves(seat, c.body[1], y)) continue;
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
            const double w = seat.compiled->body_invweight(x.body) + seat.compiled->body_invweight(y.body);
            const double f = w > 0 ? w * (1 - to.solimp[1]) : 1;
            to.solref      = {2 / (c.material.kd * f), c.material.kd * f / (2 * std::sqrt(c.material.ke * f))};
        }
        if (convert_.newton_compat) as_newton(seat, c, mine, to);
        seat.given.push_back(to);
        seat.given_row.push_back(i);
    }
}

void OverMujoco::advance(const model::State&, const model::Control&, double h, StepReport&)
{
    const bool given = !convert_.mujoco_contacts;
    if (given && !moving_) list_contacts();
    tasks::for_chunks(options_.pool, seats_.size(), 1, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t s = begin; s < end; ++s) {
            Seat& seat = seats_[s];
            if (seat.broken) continue;
            write_led(seat);
            // Within a step contacts keep their points on the bodies and are placed anew in each substep.
            if (given) {
                if (moving_) pull(seat);
                place_contacts(seat);
                // What does not touch does not push.
                find_touching(seat);
                seat.outcome = seat.world->step(seat.touching);
            } else {
                seat.outcome = seat.world->step();
            }
            seat.broken = seat.outcome.failed || seat.outcome.unstable;
        }
    });
    if (given) torque_on_1_.resize(contacts_.size());
    if (given)
        for (Seat& seat : seats_)
            for (std::size_t k = 0; !seat.broken && k < seat.touching.size(); ++k) {
                const std::size_t row = seat.given_row[seat.touching_of[k]];
                // Weighted by the share of the substep: the step's force is the mean.
                force_on_1_[row] += weight_ * seat.touching[k].force;
                torque_on_1_[row] += weight_ * seat.touching[k].torque;
            }
    for (const std::int32_t b : forest_.prescribed) {
        const Spatiald& v = bodies_.commanded[static_cast<std::size_t>(b)];
        if (v == Spatiald{}) continue;
        Posed&      X  = bodies_.X[static_cast<std::size_t>(b)];
        const Vec3d at = bodies_.com_W(b) + h * v.linear;
        X.q            = normalized(from_rotation_vector(h * v.angular) * X.q);
        X.p            = at - rotate(X.q, bodies_.com[static_cast<std::size_t>(b)]);
        mirror_base(b);
    }
    moving_ = true;
}

void OverMujoco::find_touching(Seat& seat)
{
    seat.touching.clear();
    seat.touching_of.clear();
    for (std::size_t k = 0; k < seat.given.size(); ++k)
        if (seat.given[k].distance <= 0) {
            seat.touching.push_back(seat.given[k]);
            seat.touching_of.push_back(k);
        }
}

void OverMujoco::pull(Seat& seat)
{
    const Numbers&   n  = seat.world->numbers();
    const Addresses& at = seat.compiled->addresses();
    for (const LinkSeat& s : seat.part.links) {
        if (s.joints == 0) continue;
        const Link&   l    = link(s.link);
        double*       q    = motion_.q.data() + l.coord;
        double*       v    = motion_.v.data() + l.dof;
        const auto    j    = static_cast<std::size_t>(s.joint);
        const double* qpos = n.qpos.data() + at.qpos[j];
        const double* qvel = n.qvel.data() + at.qvel[j];
        if (l.free) {
            const Quatd R{qpos[4], qpos[5], qpos[6], qpos[3]};
            const Vec3d w   = rotate(R, Vec3d{qvel[3], qvel[4], qvel[5]});
            const Vec3d com = Vec3d{qvel[0], qvel[1], qvel[2]} + cross(w, rotate(R, l.com));
            std::copy_n(qpos, 3, q);
            q[3] = R.x, q[4] = R.y, q[5] = R.z, q[6] = R.w;
            v[0] = com.x, v[1] = com.y, v[2] = com.z, v[3] = w.x, v[4] = w.y, v[5] = w.z;
        } else if (l.axes.type == model::JointType::ball) {
            const Quatd own{qpos[1], qpos[2], qpos[3], qpos[0]}, turn = conjugate(l.X_CJ.q) * own * l.X_CJ.q;
            const Vec3d w = rotate(turn, rotate_inverse(l.X_CJ.q, Vec3d{qvel[0], qvel[1], qvel[2]}));
            q[0] = turn.x, q[1] = turn.y, q[2] = turn.z, q[3] = turn.w;
            v[0] = w.x, v[1] = w.y, v[2] = w.z;
        } else {
            for (std::size_t k = 0; k < static_cast<std::size_t>(s.joints); ++k) {
                q[k] = n.qpos[static_cast<std::size_t>(at.qpos[j + k])] - seat.part.what.joints[j + k].ref;
                v[k] = n.qvel[static_cast<std::size_t>(at.qvel[j + k])];
            }
        }
    }
    for (const std::int32_t t : seat.part.trees) {
        const Tree& tree = forest_.trees[static_cast<std::size_t>(t)];
        dynamics::forward_kinematics(forest_, tree, motion_);
        for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
            const auto b     = static_cast<std::size_t>(forest_.links[static_cast<std::size_t>(l)].body);
            bodies_.X[b]     = motion_.X_WB[static_cast<std::size_t>(l)];
            bodies_.twist[b] = motion_.twist[static_cast<std::size_t>(l)];
        }
    }
}

void OverMujoco::arrive(const model::Control&, double, StepReport& report)
{
    tasks::for_chunks(options_.pool, seats_.size(), 1, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t s = begin; s < end; ++s)
            if (!seats_[s].broken) pull(seats_[s]);
    });
    for (Seat& seat : seats_) {
        if (seat.broken) {
            set_faulty(seat);
            if (report.culprit.empty())
                report.culprit =
                    // The world is as before the step; its memory is dropped.
                    seat.outcome.failed
                        ? "mujoco: " + seat.outcome.text
                        : "mujoco: a number left all bounds; take smaller steps, or softer drives and contacts";
            forget(seat);
            continue;
        }
        const World::Rows rows = seat.world->rows();
        report.limit_rows += rows.limits;
        report.loop_rows += rows.equalities;
        if (convert_.mujoco_contacts) {
            report.contact_rows += rows.contacts;
            report.deepest_penetration = std::max(report.deepest_penetration, rows.deepest);
        }
        if (seat.outcome.full && report.culprit.empty())
            report.culprit = "mujoco: contacts found no room in its buffers and were left out";
    }
    if (observables_ != nullptr) {
        observables_->body_qdd.assign(model_.body_count(), {});
        observables_->body_parent_f.assign(model_.body_count(), {});
        observables_->joint_drive_f.assign(model_.joint_dof_count(), 0);
        observables_->body_awake.assign(model_.body_count(), 1);
        for (Seat& seat : seats_)
            if (!seat.broken) observe(seat);
    }
}

void OverMujoco::observe(Seat& seat)
{
    // mj_rnePostConstraint computes what joints transmit; only asked for if somebody observes.
    if (seat.world->prepare_inner_forces().failed) return;
    const Numbers&   n  = seat.world->numbers();
    const Addresses& at = seat.compiled->addresses();
    for (const LinkSeat& s : seat.part.links) {
        const Link& l = link(s.link);
        Spatiald    a, f;
        seat.world->inner_forces(s.body, a, f);
        observables_->body_qdd[static_cast<std::size_t>(l.body)] = static_cast<Spatial>(a);
        if (!l.free) observables_->body_parent_f[static_cast<std::size_t>(l.body)] = static_cast<Spatial>(f);
        if (l.free || l.axes.type == model::JointType::ball) continue;
        for (std::size_t k = 0; k < static_cast<std::size_t>(s.joints); ++k)
            observables_->joint_drive_f[static_cast<std::size_t>(model_.joint_qd_start[l.joint]) + k] =
                static_cast<Real>(
                    n.qfrc_actuator[static_cast<std::size_t>(at.qvel[static_cast<std::size_t>(s.joint) + k])]);
    }
}

void OverMujoco::publish(const model::State& /*in*/, model::State& out, double /*dt*/)
{
    const auto left_out = [&](std::int32_t world) { return faulty_[static_cast<std::size_t>(world + 1)] != 0; };
    for (const Link& l : forest_.links) {
        if (left_out(model_.body_world[l.body])) continue;
        const auto b   = static_cast<std::size_t>(l.body);
        out.body_q[b]  = static_cast<Pose>(bodies_.X[b]);
        out.body_qd[b] = static_cast<Spatial>(bodies_.twist[b]);
        if (l.free) continue;
        for (std::int32_t k = 0; k < l.coords; ++k)
            out.joint_q[model_.joint_q_start[l.joint] + k] = static_cast<Real>(motion_.q[l.coord + k]);
        for (std::int32_t k = 0; k < l.dofs; ++k)
            out.joint_qd[model_.joint_qd_start[l.joint] + k] = static_cast<Real>(motion_.v[l.dof + k]);
    }
    for (const std::int32_t b : forest_.prescribed) {
        const auto i = static_cast<std::size_t>(b);
        if (left_out(model_.body_world[b]) || bodies_.commanded[i] == Spatiald{}) continue;  // to the last bit
        out.body_q[i]  = static_cast<Pose>(bodies_.X[i]);
        out.body_qd[i] = static_cast<Spatial>(bodies_.twist[i]);
    }
    for (const std::int32_t j : other_joints_) {
        if (left_out(model_.joint_world[j])) continue;
        const auto motion = [&](std::int32_t b) {
            return b < 0 ? dynamics::BodyMotion{}
                         : dynamics::BodyMotion{bodies_.X[static_cast<std::size_t>(b)],
                                                bodies_.twist[static_cast<std::size_t>(b)]};
        };
        dynamics::joint_state(model_, j, motion(model_.joint_parent[j]), motion(model_.joint_child[j]), out.joint_q,
                              out.joint_qd, true);
    }
    for (Seat& seat : seats_)
        // What is published now is what the next step compares with.
        if (!seat.broken && seat.world != nullptr) list_state(seat, out, seat.last);
}

void OverMujoco::found_contacts(const model::State& state, model::Contacts& out) const
{
    std::vector<FoundContact> found;
    std::size_t               n = 0, needed = 0;
    out.clear();
    for (const Seat& seat : seats_) {
        seat.world->found(found);
        for (const FoundContact& c : found) {
            if (c.geom0 < 0 || c.geom1 < 0) continue;
            ++needed;
            if (n == out.capacity()) continue;
            const std::int32_t s0      = seat.part.what.geoms[static_cast<std::size_t>(c.geom0)].shape,
                               s1      = seat.part.what.geoms[static_cast<std::size_t>(c.geom1)].shape;
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

}  // namespace

Result<std::unique_ptr<Solver>> make(const model::Model& model, const SolverOptions& options, SolverChoice choice,
                                     MujocoTables tables, Diagnostics& out)
{
    const auto backend = library();
    if (!backend) return backend.error();
    auto made = std::make_unique<OverMujoco>(model, options, std::move(choice), **backend, std::move(tables));
    if (auto begun = made->begin(out); !begun) return begun.error();
    return std::unique_ptr<Solver>(std::move(made));
}

}  // namespace mechane::solvers::mujoco

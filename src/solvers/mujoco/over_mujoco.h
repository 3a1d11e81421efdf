#pragma once
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mechane/core/bytes.h"
#include "mechane/dynamics/articulated.h"
#include "mechane/model/types.h"
#include "mechane/solvers/codes.h"
#include "mechane/solvers/mujoco.h"
#include "solvers/mujoco/backend.h"
#include "solvers/mujoco/convert.h"
#include "solvers/mujoco/live_values.h"
#include "solvers/shared/stepper.h"

namespace mechane::solvers::mujoco {

using dynamics::Forest;
using dynamics::Link;
using dynamics::Tree;
using shared::ContactPoint;
using shared::Stepper;

/// The solver `mujoco`: the model as one or more mjModel, stepped by MuJoCo's library through `Backend`. Each world is
/// an Instance with its own mjData; instances are stepped in parallel and share nothing that a step writes.
/// Units are SI on both sides. Contacts come from MuJoCo or, with use_mujoco_contacts=0, from the collision pipeline.
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
        for (const Instance& instance : instances_)
            for (const std::string& warning : instance.compiled->warnings())
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
        for (Instance& instance : instances_) forget(instance);
    }
    void reset_worlds(std::span<const std::uint8_t> selected) override
    {
        for (Instance& instance : instances_)
            if (instance.part.world < 0 || (static_cast<std::size_t>(instance.part.world) < selected.size() &&
                                            selected[static_cast<std::size_t>(instance.part.world)] != 0))
                forget(instance);
    }
    [[nodiscard]] std::vector<std::byte> save() const override
    {
        ByteWriter out;
        out.put(kMemoryVersion);
        out.put(static_cast<std::int32_t>(instances_.size()));
        for (const Instance& instance : instances_) {
            out.put(instance.world->memory());
            const Numbers& n = instance.world->numbers();
            out.put(std::vector<double>(n.qpos.begin(), n.qpos.end()));
            out.put(std::vector<double>(n.qvel.begin(), n.qvel.end()));
            out.put(instance.last);
        }
        return out.bytes();
    }
    [[nodiscard]] bool restore(std::span<const std::byte> bytes) override
    {
        ByteReader   in(bytes);
        std::int32_t version = 0, count = 0;
        in.get(version);
        in.get(count);
        if (version != kMemoryVersion || count != static_cast<std::int32_t>(instances_.size())) return false;
        struct Memory {
            std::vector<double> own, qpos, qvel;
            std::vector<Real>   last;
        };
        // Read as a whole and then taken over: a damaged text changes nothing.
        std::vector<Memory> all(instances_.size());
        for (std::size_t s = 0; s < instances_.size(); ++s) {
            in.get(all[s].own);
            in.get(all[s].qpos);
            in.get(all[s].qvel);
            in.get(all[s].last);
            const Numbers& n = instances_[s].world->numbers();
            if (all[s].qpos.size() != n.qpos.size() || all[s].qvel.size() != n.qvel.size() ||
                all[s].own.size() != instances_[s].world->memory().size())
                return false;
        }
        if (!in.done()) return false;
        for (std::size_t s = 0; s < instances_.size(); ++s) {
            const Numbers& n = instances_[s].world->numbers();
            if (!instances_[s].world->remember(all[s].own)) return false;
            std::copy(all[s].qpos.begin(), all[s].qpos.end(), n.qpos.begin());
            std::copy(all[s].qvel.begin(), all[s].qvel.end(), n.qvel.begin());
            instances_[s].last = std::move(all[s].last);
        }
        return true;
    }
    void               observe(Observables* observables) override { observables_ = observables; }
    [[nodiscard]] bool finds_contacts() const override { return convert_.mujoco_contacts; }
    void               found_contacts(const model::State& state, model::Contacts& out) const override;

    // -- MujocoSolver
    [[nodiscard]] std::size_t              world_count() const override { return instances_.size(); }
    [[nodiscard]] std::vector<MujocoField> fields(std::size_t world) const override
    {
        std::vector<MujocoField> out;
        for (const Field& f : instances_[world].compiled->fields()) {
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
    { return instances_[world].compiled->names(object); }
    [[nodiscard]] std::vector<std::int32_t> origins(std::size_t world, std::string_view object) const override;
    [[nodiscard]] std::vector<double>       dof_forces(std::string_view kind) const override;
    [[nodiscard]] std::vector<std::uint8_t> overflows() const override
    {
        std::vector<std::uint8_t> out;
        for (const Instance& instance : instances_) out.push_back(instance.outcome.full ? 1 : 0);
        return out;
    }
    Result<std::string> mjcf(std::size_t world) override
    {
        if (auto done = refresh(); !done) return done.error();
        return backend_.mjcf(instances_[world].part.what);
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
    { return instances_[world].compiled->binary(); }
    [[nodiscard]] std::vector<double> numbers(std::size_t world) const override
    {
        const Numbers&      n = instances_[world].world->numbers();
        std::vector<double> out(n.qpos.begin(), n.qpos.end());
        out.insert(out.end(), n.qvel.begin(), n.qvel.end());
        return out;
    }
    bool bare_step(std::size_t world) override
    {
        instances_[world].last.clear();
        return !instances_[world].world->step().failed;
    }
    void set_tables(MujocoTables tables) override
    {
        attributes_.set_tables(std::move(tables));
        dirty_ = true;
    }
    [[nodiscard]] std::vector<double> push(std::size_t world, const model::State& in) override
    {
        given_q_.clear(), given_qd_.clear();
        bodies_.load(in, {}, 1);
        for (const std::int32_t b : forest_.prescribed) mirror_base(b);
        Instance& instance = instances_[world];
        push(instance, in);
        write_led(instance);
        instance.last.clear();
        return numbers(world);
    }
    bool pull(std::size_t world, const std::vector<double>& numbers, model::State& out) override
    {
        Instance&      instance = instances_[world];
        const Numbers& n        = instance.world->numbers();
        if (numbers.size() != n.qpos.size() + n.qvel.size()) return false;
        given_q_.clear(), given_qd_.clear();
        bodies_.load(out, {}, 1);
        for (const std::int32_t b : forest_.prescribed) mirror_base(b);
        // Only the bodies of this instance are published.
        faulty_.assign(model_.gravity.size(), 1);
        set_sound(instance);
        std::copy_n(numbers.begin(), n.qpos.size(), n.qpos.begin());
        std::copy(numbers.begin() + static_cast<std::ptrdiff_t>(n.qpos.size()), numbers.end(), n.qvel.begin());
        pull(instance);
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
    void               read_model() override {}  // `refuses` has done it
    [[nodiscard]] bool goes_on(const model::State& in) const override
    { return forest_.prescribed.empty() && same_bytes(in.body_q, given_q_) && same_bytes(in.body_qd, given_qd_); }
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
    struct Instance {
        Part                      part;
        std::shared_ptr<Compiled> compiled;
        std::unique_ptr<World>    world;
        std::vector<Real>         last;  ///< joint_q, joint_qd and poses of free bodies that the last step published
        std::vector<Real>         now;   ///< the same of the state that a step starts from
        std::vector<GivenContact> given, touching;  ///< of this step; of this substep
        std::vector<std::size_t>  given_row;        ///< of contacts_
        std::vector<std::size_t>  touching_of;      ///< of given
        std::vector<Vec3d>        pulls;  ///< by link: what its weight is besides that of the model's gravity [N]
        /// Forces of the first substep on what hangs on led bodies, by qvel: see `list_kicks`.
        std::vector<std::pair<std::size_t, double>> kicks;
        Outcome                                     outcome;
        bool                                        broken = false;
    };

    void         read_options();
    Result<void> rebuild(Shortfalls& shortfalls);
    void         forget(Instance& instance)
    {
        instance.world->reset();
        instance.last.clear();
        write_active(instance);
    }
    static void write_active(Instance& instance)
    {
        for (std::size_t e = 0; e < instance.part.what.equalities.size(); ++e)
            instance.world->set_active(static_cast<std::int32_t>(e), instance.part.what.equalities[e].active);
    }
    void mirror_base(std::int32_t b)
    {
        motion_.base_X[b]     = bodies_.X[b];
        motion_.base_twist[b] = bodies_.twist[b];
        motion_.base_com[b]   = bodies_.com_W(b);
    }
    /// The numbers that say whether a state is the one of the last step.
    void list_state(const Instance& instance, const model::State& state, std::vector<Real>& out) const;
    void push(Instance& instance, const model::State& in);
    void write_led(Instance& instance) const;
    void list_kicks(Instance& instance, double h);
    void list_pulls(Instance& instance) const;
    void write_forces(Instance& instance, const model::Control& control) const;
    void write_controls(Instance& instance, const model::Control& control) const;
    /// Configuration and velocity of MuJoCo's into motion_, poses and velocities of bodies from them.
    void        pull(Instance& instance);
    void        list_contacts();
    bool        moves(const Instance& instance, std::int32_t body, const GeomItem& geom) const;
    void        as_newton(const Instance& instance, const ContactPoint& c, double mine, GivenContact& to) const;
    void        place_contacts(Instance& instance) const;
    static void find_touching(Instance& instance);
    void        observe(Instance& instance);
    void        set_faulty(const Instance& instance) { mark(instance, 1); }
    void        set_sound(const Instance& instance) { mark(instance, 0); }
    void        mark(const Instance& instance, std::uint8_t value)
    {
        if (instance.part.world < 0)
            std::fill(faulty_.begin(), faulty_.end(), value);
        else
            faulty_[static_cast<std::size_t>(instance.part.world + 1)] = value;
    }
    [[nodiscard]] const Link& link(std::int32_t l) const { return forest_.links[static_cast<std::size_t>(l)]; }

    const Backend&            backend_;
    Attributes                attributes_;
    LiveValues                live_;
    ConvertOptions            convert_;
    Surfaces                  surfaces_;
    Forest                    forest_;
    dynamics::Motion          motion_;
    std::vector<Instance>     instances_;
    std::vector<std::int32_t> instance_of_world_;  ///< [world_count + 1], entry 0 for what belongs to none
    std::vector<std::int32_t> other_joints_;       ///< whose coordinates are read off the bodies
    std::vector<double>       direct_, carried_;
    std::vector<Pose>         given_q_;  ///< of all bodies, by the last step where all worlds were sound; else empty
    std::vector<Spatial>      given_qd_;
    std::set<std::string>     said_;
    Observables*              observables_ = nullptr;
    bool                      dirty_       = false;
    bool                      moving_      = false;  ///< between the first and the last substep
};

}  // namespace mechane::solvers::mujoco

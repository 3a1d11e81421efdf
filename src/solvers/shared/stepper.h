#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mechane/solvers/parameters.h"
#include "mechane/solvers/solver.h"
#include "solvers/shared/contacts.h"
#include "solvers/shared/step_bound.h"

namespace mechane::solvers::shared {

/// What the solvers without a memory share: the checks of arguments, substeps, contact forces, worlds that diverge.
/// A solver says how its state is loaded, advanced by a substep and published.
class Stepper : public Solver, public Adjustable {
  public:
    Stepper(const model::Model& model, const SolverOptions& options, SolverChoice choice);

    StepReport step(const model::State& in, model::State& out, const model::Control& control, model::Contacts* contacts,
                    double dt) final;
    void       reset() override {}
    void       reset_worlds(std::span<const std::uint8_t>) override {}
    void       notify(std::uint32_t changes) override { changed_ = changed_ || changes != 0; }
    bool       configure(const Setting& setting) final;
    /// Accelerations and joint wrenches by the balance of momentum over the step, from the leaves of each tree inwards.
    void observe(Observables* observables) override { observed_ = observables; }

    [[nodiscard]] std::string_view name() const final { return text_; }

  protected:
    /// Reads the parameters again.
    virtual void configured() = 0;
    /// Reads what is kept of the model again.
    virtual void read_model() = 0;
    /// Whether `bodies_` holds the state already: its arrays of bodies are, bit for bit, what the last step gave.
    [[nodiscard]] virtual bool goes_on(const model::State& /*in*/) const { return false; }
    /// A mistake that a solver finds in contacts of a step that are sound otherwise; before anything else is done.
    virtual std::optional<Diagnostic> refuses(const model::Contacts* /*contacts*/) { return {}; }
    /// The contacts of the step, null: none; for what a solver reads besides those of rigid bodies.
    virtual void use(const model::Contacts* /*contacts*/) {}
    /// Takes a state over, before the contacts are read.
    virtual void load(const model::State& in, const model::Control& control, double dt) = 0;
    /// One substep. Adds to `force_on_1` the mean force of each contact over the substep, times `weight_`.
    virtual void advance(const model::State& in, const model::Control& control, double h, StepReport& report) = 0;
    /// After the last substep: what `bodies_` is to hold then.
    virtual void arrive(const model::Control& /*control*/, double /*dt*/, StepReport& /*report*/) {}
    /// Marks the worlds with particles that are not finite or faster than anything. @return the first one, or -1
    virtual std::int32_t find_lost_particles(std::vector<std::uint8_t>& /*faulty*/) const { return -1; }
    /// What bounds the step of an explicit solver; `bodies_` and contacts are where the step began.
    virtual void list_springs(const model::Control& /*control*/, StepBound& /*out*/) {}
    /// Into arrays of the model's sizes that hold the state before the step.
    virtual void publish(const model::State& in, model::State& out, double dt);

    [[nodiscard]] double value(std::string_view parameter) const;

    const model::Model&       model_;
    SolverOptions             options_;
    SolverChoice              choice_;
    Bodies                    bodies_;
    std::vector<ContactPoint> contacts_;
    std::vector<Vec3d>        force_on_1_, torque_on_1_;  ///< per entry of contacts_; the second: of no force, or empty
    double                    weight_ = 1;                ///< 1 / substeps
    std::vector<std::uint8_t> faulty_;                    ///< per world, entry 0 for the global one

  private:
    [[nodiscard]] std::string words_of_faults(std::int32_t body, std::int32_t particle, const model::State& in,
                                              const model::Control& control, const model::Contacts* contacts,
                                              double dt);
    void                      store_forces(model::Contacts& contacts, StepReport& report) const;
    std::string               text_;
    bool                      changed_ = false;
    std::vector<std::uint8_t> enabled_;
    std::vector<std::int32_t> flags_;
    void                      begin_balance();
    void                      balance(const model::State& in, const model::Control& control, double dt);
    Observables*              observed_ = nullptr;
    std::vector<Spatiald>     momentum_, twist_before_;  ///< before the step; angular about the centre of mass
    std::vector<std::int32_t> inbound_;                  ///< tree joints that transmit a wrench, children first
};

}  // namespace mechane::solvers::shared

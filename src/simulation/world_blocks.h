#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mechane/collision/pipeline.h"
#include "mechane/collision/rest_overlaps.h"
#include "mechane/core/result.h"
#include "mechane/model/changes.h"
#include "mechane/model/world_range.h"
#include "mechane/simulation/engine.h"
#include "mechane/solvers/solver.h"

namespace mechane::simulation {

/// Many small worlds that share nothing but static shapes, a few of them at a time: a block of worlds goes through
/// collision and the whole step of the solver on one thread before the next block begins, so that what a step works
/// with stays in that core's cache. Blocks of equal structure are worked on by one *machine* a thread, a pipeline and a
/// solver of the block's worlds; what lasts from step to step is the block's own. A world has the bits that it has
/// alone.
class WorldBlocks {
  public:
    /// @return null where the worlds are not apart, are few or large, or the solver has no memory to exchange
    static std::unique_ptr<WorldBlocks> make(const model::Model& model, const EngineOptions& options,
                                             const tasks::Pool& pool, Diagnostics& found);
    ~WorldBlocks();
    WorldBlocks(const WorldBlocks&)            = delete;
    WorldBlocks& operator=(const WorldBlocks&) = delete;

    /// Contacts of the state for the next step, or with `dt` 0 for looking at: as soon as somebody asks for them, or in
    /// the step. The state stays as it is until then.
    void find_contacts(const model::State& state, double dt, bool for_step);
    /// Steps the state; worlds that cannot go on are as they were. The caller sets the time.
    solvers::StepReport step(model::State& state, const model::Control& control, double dt);
    /// Of the last step or look.
    [[nodiscard]] const model::Contacts& contacts();
    [[nodiscard]] std::int32_t           contact_count();
    [[nodiscard]] bool                   overflow() const { return overflow_; }  ///< of the last step
    /// How much of the time of the last step went to contacts, of all threads together.
    [[nodiscard]] double contact_share() const { return contact_share_; }
    /// Contacts of a state without anything that is kept of earlier ones.
    void fresh_contacts(const model::State& state, model::Contacts& out);
    void set_overlaps(const collision::RestOverlaps& rest);

    void forget_worlds(std::span<const std::uint8_t> selected);
    void forget();
    void wake(std::int32_t body);
    /// After arrays of the model were written to, or the model is another one of the same content.
    void notify(const model::Model& model, const model::ModelChanges& changes, std::uint32_t bits);

    [[nodiscard]] std::vector<std::byte> save_solver();
    [[nodiscard]] std::vector<std::byte> save_pairs();
    /// @return false, with nothing changed, when the bytes are of another model or damaged
    [[nodiscard]] bool restore(std::span<const std::byte> solver, std::span<const std::byte> pairs);
    /// Whether bytes are those of save_solver.
    [[nodiscard]] static bool is_of_blocks(std::span<const std::byte> solver);

  private:
    struct Machine;
    struct Block;
    struct Inside;
    struct Spent;
    WorldBlocks(const model::Model& model, const EngineOptions& options, const tasks::Pool& pool);

    [[nodiscard]] std::unique_ptr<collision::CollisionPipeline> make_pipeline(const model::Model& model) const;
    [[nodiscard]] std::unique_ptr<Machine> make_machine(model::Model model, Diagnostics& found) const;
    [[nodiscard]] std::size_t              block_of(std::int32_t world) const;
    void                                   compare_numbers();
    template <class Work>
    void each_block(const Work& work);
    void collide(Block& block, Machine& machine, double dt, bool for_step);
    void collide_all();
    void merge(model::Contacts& out, bool fresh);

    const model::Model*                   model_;
    EngineOptions                         options_;
    const tasks::Pool&                    pool_;
    std::int32_t                          worlds_at_once_ = 1;
    std::vector<std::unique_ptr<Machine>> machines_;  ///< one for each thread, of the blocks like the first
    std::vector<Spent>                    spent_;     ///< by threads
    std::vector<Block>                    blocks_;
    bool numbers_differ_ = false, starts_differ_ = false;  ///< between blocks of one machine

    const model::State* pending_          = nullptr;  ///< whose contacts nobody has looked for yet
    double              pending_dt_       = 0;
    bool                pending_for_step_ = false;
    bool                overflow_ = false, merged_ = false;
    double              contact_share_ = 0;
    model::Contacts     contacts_;  ///< of all worlds, where somebody asked
};

}  // namespace mechane::simulation

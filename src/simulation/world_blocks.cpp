// Many small worlds that are alike, stepped in blocks: a thread takes a block of worlds through contacts, solver and
// publishing, which stay in its cache, instead of all worlds through each phase. Used by Engine if the solver is
// softstep, there is no animation, and worlds share nothing that moves.
// A machine (model of one block, pipeline, solver) exists once a thread; blocks that are alike lend it their memory
// (Inside). A block that differs has a machine of its own.
// Invariant: a world's bits do not depend on the block, the machine or the number of threads, and equal those of
// stepping all worlds together.

#include "simulation/world_blocks.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <tuple>
#include <utility>

#include "mechane/core/bytes.h"
#include "mechane/tasks/parallel.h"

namespace mechane::simulation {

namespace {

// The numbers below are a matter of speed only; results do not depend on them.
constexpr std::int32_t  kLeastWorlds  = 8;    ///< fewer go through each phase together
constexpr std::size_t   kMostBodies   = 128;  ///< of a world; larger ones have work for several threads
constexpr std::size_t   kBodiesAtOnce = 48;   ///< of a block, about
constexpr std::size_t   kManyWorlds   = 256;  ///< from here on there are threads for blocks of twice as many
constexpr std::int32_t  kFourTrees    = 4;    ///< as many trees that are alike are worked on side by side
constexpr std::int32_t  kMostAtOnce   = 16;
constexpr std::size_t   kRowsPerShape = 8;                   ///< room for contacts, to begin with
constexpr std::uint64_t kMagic        = 0x31736b636f6c6277;  ///< of saved memories

using Clock = std::chrono::steady_clock;

// Wall time, for reports; nothing that is simulated depends on it.
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Calls visit(member) for the arrays of contacts with one entry a row.
/// The columns with numbers of shapes are not among them: these are counted anew in `merge`.
template <class Visit>
void each_row_array(const Visit& visit)
{
    using C        = model::Contacts;
    const auto all = [&](auto... members) { (visit(members), ...); };
    all(&C::rigid_contact_point0, &C::rigid_contact_point1, &C::rigid_contact_offset0, &C::rigid_contact_offset1,
        &C::rigid_contact_normal, &C::rigid_contact_margin0, &C::rigid_contact_margin1, &C::rigid_contact_distance,
        &C::rigid_contact_feature, &C::rigid_contact_force, &C::rigid_contact_torque, &C::rigid_contact_stiffness,
        &C::rigid_contact_damping, &C::rigid_contact_friction);
}

}  // namespace

/// What steps the worlds of a block: it holds nothing of them between steps, unless it is the block's own.
/// The solver's memory of a block is exchanged in and out; everything else is overwritten at the start of each turn.
struct WorldBlocks::Machine {
    model::Model                                  model;
    std::unique_ptr<collision::CollisionPipeline> pipeline;
    std::unique_ptr<solvers::Solver>              solver;
    model::State                                  state;
    model::Control                                control;
};

/// What a thread has spent in a step [s], in a cache line of its own.
/// Threads write these often: in one cache line they would slow each other down.
struct alignas(64) WorldBlocks::Spent {
    double contacts = 0, all = 0;
};

struct WorldBlocks::Block {
    model::WorldRange                      worlds;
    model::WorldPlaces                     places;
    std::unique_ptr<Machine>               own{};     ///< where its worlds are not like those of the first block
    std::unique_ptr<solvers::SolverMemory> memory{};  ///< null where the machine is its own
    collision::PairCache                   cache{};
    model::Contacts                        contacts{};
    collision::RestOverlaps                rest{{}};
    solvers::StepReport                    report{};
    bool                                   overflow = false;
};

/// While it lives the machine remembers what the block does.
struct WorldBlocks::Inside {
    // Exchanging swaps what the solver remembers with the memory; doing it twice puts both back.
    Inside(Machine& machine, Block& block) : machine_(machine), block_(block)
    {
        if (block_.memory) machine_.solver->exchange(*block_.memory);
    }
    ~Inside()
    {
        if (block_.memory) machine_.solver->exchange(*block_.memory);
    }
    Inside(const Inside&)            = delete;
    Inside& operator=(const Inside&) = delete;

  private:
    Machine& machine_;
    Block&   block_;
};

WorldBlocks::WorldBlocks(const model::Model& model, const EngineOptions& options, const tasks::Pool& pool)
    : model_(&model), options_(options), pool_(pool)
{
}
WorldBlocks::~WorldBlocks() = default;

std::unique_ptr<collision::CollisionPipeline> WorldBlocks::make_pipeline(const model::Model& model) const
{
    const Machine* const first = machines_.empty() ? nullptr : machines_.front().get();
    // What the first pipeline has made of meshes is shared. Machines are made one after the other. At least 64 rows,
    // and growing: no contact is lost for want of room, which would make bits depend on the block.
    return std::make_unique<collision::CollisionPipeline>(
        model,
        collision::PipelineOptions{.like              = first ? first->pipeline.get() : nullptr,
                                   .rigid_contact_max = std::max<std::size_t>(64, kRowsPerShape * model.shape_count()),
                                   .sweep_fast_bodies = options_.sweep_fast,
                                   .overflow          = collision::OverflowPolicy::grow});
}

std::unique_ptr<WorldBlocks::Machine> WorldBlocks::make_machine(model::Model model, Diagnostics& found) const
{
    // Null where the solver refuses the model; `found` then says why.
    auto machine   = std::make_unique<Machine>();
    machine->model = std::move(model);
    auto solver    = solvers::make_solver(options_.solver, machine->model,
                                          {.substeps = options_.substeps, .sleeping = options_.sleeping}, found);
    if (!solver) return nullptr;
    machine->solver   = *std::move(solver);
    machine->pipeline = make_pipeline(machine->model);
    machine->state    = model::make_state(machine->model);
    machine->control  = model::make_control(machine->model);
    return machine;
}

std::unique_ptr<WorldBlocks> WorldBlocks::make(const model::Model& model, const EngineOptions& options,
                                               const tasks::Pool& pool, Diagnostics& found)
{
    // Animations may write to the model before any step.
    // A world that has many bodies is better served by several threads within it.
    if (options.solver != "softstep" || options.follow || model.world_count < kLeastWorlds) return nullptr;
    const auto worlds = static_cast<std::size_t>(model.world_count);
    // Worlds that meet, by joints or shared bodies that move, cannot be stepped one without the other.
    // Fewer bodies than worlds would be blocks of nothing.
    if (model.body_count() > kMostBodies * worlds || model.body_count() < worlds || !model::worlds_are_apart(model))
        return nullptr;
    std::unique_ptr<WorldBlocks> out(new WorldBlocks(model, options, pool));
    // Rounded up, so that a block rather has too few worlds than too many.
    const auto bodies = (model.body_count() + worlds - 1) / worlds;
    const auto most   = worlds < kManyWorlds ? kBodiesAtOnce : 2 * kBodiesAtOnce;
    // A multiple of four: that many trees go through the dynamics side by side.
    const auto fours     = static_cast<std::int32_t>(most / bodies) / kFourTrees;
    out->worlds_at_once_ = std::clamp(kFourTrees * std::max(fours, 1), kFourTrees, kMostAtOnce);
    // The last block may be smaller.
    for (std::int32_t w = 0; w < model.world_count; w += out->worlds_at_once_) {
        const model::WorldRange range{w, std::min(out->worlds_at_once_, model.world_count - w)};
        out->blocks_.push_back({.worlds = range, .places = model::WorldPlaces(model, range)});
    }
    const model::WorldRange first = out->blocks_.front().worlds;
    for (int t = 0; t < pool.threads(); ++t) {
        // Reports of the other threads' machines are thrown away.
        Diagnostics told;
        // All machines would say the same.
        auto machine = out->make_machine(model::model_of_worlds(model, first), t == 0 ? found : told);
        if (!machine) return nullptr;
        out->machines_.push_back(std::move(machine));
    }
    out->spent_.resize(out->machines_.size());
    Machine& shared = *out->machines_.front();
    // A solver without a memory that can be exchanged gets a machine a block.
    const bool turns = shared.solver->make_memory() != nullptr;
    for (Block& block : out->blocks_) {
        // Alike: the same bodies, joints and shapes in the same order; numbers may differ and are copied in.
        if (turns && model::worlds_are_alike(model, first, block.worlds)) {
            block.memory   = shared.solver->make_memory();
            block.contacts = shared.pipeline->make_contacts();
            continue;
        }
        block.own = out->make_machine(model::model_of_worlds(model, block.worlds), found);
        if (!block.own) return nullptr;
        block.contacts = block.own->pipeline->make_contacts();
    }
    out->compare_numbers();
    return out;
}

void WorldBlocks::compare_numbers()
{
    const model::WorldRange first = blocks_.front().worlds;
    // Copying numbers takes time each turn, so it is found out once whether there is anything to copy.
    const auto differs = [&](const Block& block) {
        return !block.own && !model::world_numbers_are_equal(*model_, first, block.worlds);
    };
    const auto starts = [&](const Block& block) {
        return !block.own && !model::world_starts_are_equal(*model_, first, block.worlds);
    };
    numbers_differ_ = std::any_of(blocks_.begin(), blocks_.end(), differs);
    starts_differ_  = std::any_of(blocks_.begin(), blocks_.end(), starts);
}

// Blocks are equal in size but for the last.
std::size_t WorldBlocks::block_of(std::int32_t world) const
{ return static_cast<std::size_t>(world / worlds_at_once_); }

/// Who is done takes more; which machine takes a block makes no difference to it.
template <class Work>
void WorldBlocks::each_block(const Work& work)
{
    const std::size_t threads = machines_.size(), count = blocks_.size(),
                      // Several blocks a time where there are many: fewer accesses to the counter, and still an
                      // even end.
        at_once = std::clamp<std::size_t>(count / (16 * threads), 1, 16);
    // The counter gives out blocks as threads become free.
    std::atomic<std::size_t> next{0};
    tasks::for_chunks(
        &pool_, threads, 1,
        [&](std::size_t slot, std::size_t, std::size_t) {
            for (std::size_t from = next.fetch_add(at_once); from < count; from = next.fetch_add(at_once))
                for (std::size_t b = from; b < std::min(from + at_once, count); ++b)
                    work(blocks_[b], blocks_[b].own ? *blocks_[b].own : *machines_[slot], slot);
        },
        tasks::Chunks::by_thread);
}

void WorldBlocks::collide(Block& block, Machine& machine, double dt, bool for_step)
{
    // A block of its own has a model with its own numbers.
    if (!block.own) {
        // Masses, gains and materials may differ among worlds that are alike in structure: they are copied in before
        // each turn.
        if (numbers_differ_) model::copy_world_numbers(*model_, block.worlds, machine.model);
        if (starts_differ_) model::copy_world_start(*model_, block.worlds, machine.model);
    }
    const auto status = machine.pipeline->collide(machine.state, dt, block.contacts,
                                                  for_step && options_.keep_pairs ? &block.cache : nullptr);
    // Overlaps of the start are part of the step only: a query sees the shapes as they are.
    if (for_step) block.rest.apply(machine.model, machine.state, block.contacts);
    block.overflow = status.overflow;
}

/// Put off until somebody asks or steps: in a step contacts of a block are found while it is in the cache.
void WorldBlocks::find_contacts(const model::State& state, double dt, bool for_step)
{
    pending_    = &state;
    pending_dt_ = dt;
    // Nothing is computed here. The state must stay where it is until then.
    pending_for_step_ = for_step;
    merged_           = false;
}

void WorldBlocks::collide_all()
{
    // Taken, so that a second question finds the contacts made.
    const model::State* const state = std::exchange(pending_, nullptr);
    if (!state) return;
    const tasks::Phase phase(&pool_);
    each_block([&](Block& block, Machine& machine, std::size_t) {
        model::copy_world_state(*state, block.places, machine.state);
        collide(block, machine, pending_dt_, pending_for_step_);
    });
}

solvers::StepReport WorldBlocks::step(model::State& state, const model::Control& control, double dt)
{
    const tasks::Phase phase(&pool_);
    const bool         first_collide = std::exchange(pending_, nullptr) != nullptr;
    merged_                          = false;
    // Times are of the last step.
    std::fill(spent_.begin(), spent_.end(), Spent{});
    each_block([&](Block& block, Machine& machine, std::size_t slot) {
        const auto start = Clock::now();
        model::copy_world_state(state, block.places, machine.state);
        model::copy_world_control(control, block.places, machine.control);
        const Inside inside(machine, block);
        if (first_collide) {
            collide(block, machine, pending_dt_, pending_for_step_);
            spent_[slot].contacts += seconds_since(start);
        } else if (!block.own && numbers_differ_) {
            model::copy_world_numbers(*model_, block.worlds, machine.model);
        }
        // In place: the machine's state is both start and end.
        block.report = machine.solver->step(machine.state, machine.state, machine.control, &block.contacts, dt);
        // A block of which all worlds diverged keeps its state.
        if (!block.report.diverged) model::put_world_state(machine.state, block.places, state);
        spent_[slot].all += seconds_since(start);
    });
    Spent spent;
    for (const Spent& s : spent_) spent.contacts += s.contacts, spent.all += s.all;
    contact_share_ = spent.all > 0 ? spent.contacts / spent.all : 0;

    // Reports are summed in the order of blocks, indices counted in the whole model.
    solvers::StepReport out;
    std::size_t         stopped = 0;
    overflow_                   = false;
    for (Block& block : blocks_) {
        solvers::StepReport& r = block.report;
        overflow_              = overflow_ || block.overflow;
        // A block is diverged when all of its worlds are.
        stopped += r.diverged ? 1 : 0;
        // The first refusal in the order of blocks, whichever thread came first.
        if (r.refused && !out.refused) out.refused = r.refused;
        if (r.diverged)
            for (std::int32_t w = block.worlds.first; w < block.worlds.end(); ++w) out.diverged_worlds.push_back(w);
        else
            for (const std::int32_t w : r.diverged_worlds) out.diverged_worlds.push_back(block.worlds.first + w);
        // The culprit that is told is the first one too.
        if (out.culprit.empty() && !r.culprit.empty()) {
            const auto in_model = [](std::int32_t index, std::size_t begin) {
                return index < 0 ? index : index + static_cast<std::int32_t>(begin);
            };
            out.culprit_body  = in_model(r.culprit_body, block.places.bodies.begin);
            out.culprit_joint = in_model(r.culprit_joint, block.places.joints.begin);
            out.culprit       = r.culprit;
        }
        for (const auto& broken : r.broken)
            out.broken.push_back(
                {broken.joint + static_cast<std::int32_t>(block.places.joints.begin), broken.force, broken.torque});
        out.clamped_velocities += r.clamped_velocities;
        out.contact_rows += r.contact_rows;
        out.limit_rows += r.limit_rows;
        out.loop_rows += r.loop_rows;
        out.sweeps += r.sweeps;
        out.block_solves += r.block_solves;
        out.block_fallbacks += r.block_fallbacks;
        out.sleeping_bodies += r.sleeping_bodies;
        out.deepest_penetration = std::max(out.deepest_penetration, r.deepest_penetration);
        out.joint_error_linear  = std::max(out.joint_error_linear, r.joint_error_linear);
        out.joint_error_angular = std::max(out.joint_error_angular, r.joint_error_angular);
    }
    // A simulation diverges when nothing goes on.
    out.diverged = stopped == blocks_.size();
    if (out.diverged) out.diverged_worlds.clear();
    return out;
}

// Many threads made the rows; the order of the result is that of shapes and does not depend on them.
void WorldBlocks::merge(model::Contacts& out, bool fresh)
{
    struct Place {
        std::int32_t  shape0, shape1;
        std::uint32_t block, row;
    };
    std::vector<Place> rows;
    bool               stiffness = false;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const model::Contacts&    from   = blocks_[b].contacts;
        const model::WorldPlaces& places = blocks_[b].places;
        stiffness                        = stiffness || !from.rigid_contact_stiffness.empty();
        for (std::size_t i = 0; i < static_cast<std::size_t>(from.rigid_contact_count); ++i)
            rows.push_back({places.shape_in_model(from.rigid_contact_shape0[i]),
                            places.shape_in_model(from.rigid_contact_shape1[i]), static_cast<std::uint32_t>(b),
                            static_cast<std::uint32_t>(i)});
    }
    // As the contacts of one pipeline: those of a pair lie together already.
    std::stable_sort(rows.begin(), rows.end(), [](const Place& x, const Place& y) {
        return std::tie(x.shape0, x.shape1) < std::tie(y.shape0, y.shape1);
    });
    // A quarter more, so that the buffer does not grow with each step.
    if (out.capacity() < rows.size() || fresh) out.resize(std::max(out.capacity(), rows.size() + rows.size() / 4));
    // Stiffness and damping are there only where some block has rows of a pressure field.
    if (stiffness) out.with_stiffness();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        out.rigid_contact_shape0[i] = rows[i].shape0;
        out.rigid_contact_shape1[i] = rows[i].shape1;
    }
    each_row_array([&](auto member) {
        // Column by column: each is read and written in one pass.
        auto& to = out.*member;
        if (to.size() < rows.size()) return;  // of pressure contacts only
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto& from = blocks_[rows[i].block].contacts.*member;
            if (rows[i].row < from.size()) to[i] = from[rows[i].row];
        }
    });
    out.rigid_contact_count = out.rigid_contact_needed = static_cast<std::int32_t>(rows.size());
    // Readers see by the generation that contacts are new.
    out.contact_generation = out.next_generation();
    out.reset_custom(model_->custom_arrays);
}

const model::Contacts& WorldBlocks::contacts()
{
    collide_all();
    if (!std::exchange(merged_, true)) merge(contacts_, false);
    return contacts_;
}

std::int32_t WorldBlocks::contact_count()
{
    collide_all();
    std::int32_t count = 0;
    for (const Block& block : blocks_) count += block.contacts.rigid_contact_count;
    return count;
}

// For a recording of the state as it is. Neither the pair caches nor the rest overlaps of blocks are used.
void WorldBlocks::fresh_contacts(const model::State& state, model::Contacts& out)
{
    collide_all();
    // The contacts of the step are put aside: they are part of what the next step remembers.
    std::vector<model::Contacts> kept;
    for (Block& block : blocks_) {
        kept.push_back(std::move(block.contacts));
        block.contacts = (block.own ? *block.own : *machines_.front()).pipeline->make_contacts();
    }
    find_contacts(state, 0, false);
    collide_all();
    merge(out, true);
    for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b].contacts = std::move(kept[b]);
    merged_ = false;
}

void WorldBlocks::set_overlaps(const collision::RestOverlaps& rest)
{
    std::vector<std::vector<collision::RestOverlaps::Pair>> pairs(blocks_.size());
    for (const auto& pair : rest.pairs()) {
        // Overlaps among what the worlds share do not move.
        const std::int32_t world = model_->shape_world[static_cast<std::size_t>(pair.shape0)];
        if (world < 0) continue;
        const std::size_t         b      = block_of(world);
        const model::WorldPlaces& places = blocks_[b].places;
        pairs[b].push_back({places.shape_here(pair.shape0), places.shape_here(pair.shape1), pair.depth});
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b].rest = collision::RestOverlaps(std::move(pairs[b]));
}

void WorldBlocks::forget_worlds(std::span<const std::uint8_t> selected)
{
    // Each block is told with a mask of its own worlds.
    each_block([&](Block& block, Machine& machine, std::size_t) {
        // The entry behind the worlds is for what they share.
        std::vector<std::uint8_t> own(static_cast<std::size_t>(block.worlds.count) + 1, 0);
        bool                      any = false;
        for (std::int32_t w = 0; w < block.worlds.count; ++w) {
            const auto in_model = static_cast<std::size_t>(block.worlds.first + w);
            if (in_model >= selected.size() || selected[in_model] == 0) continue;
            own[static_cast<std::size_t>(w)] = 1;
            any                              = true;
        }
        if (!any) return;
        const Inside inside(machine, block);
        // Masks are of the worlds of the block.
        machine.solver->reset_worlds(std::span(own).first(own.size() - 1));
        block.cache.reset(machine.model, own);
    });
}

void WorldBlocks::forget()
{
    each_block([&](Block& block, Machine& machine, std::size_t) {
        const Inside inside(machine, block);
        machine.solver->reset();
        block.cache.clear();
    });
}

void WorldBlocks::wake(std::int32_t body)
{
    Block&       block   = blocks_[block_of(model_->body_world[static_cast<std::size_t>(body)])];
    Machine&     machine = block.own ? *block.own : *machines_.front();
    const Inside inside(machine, block);
    machine.solver->wake(body - static_cast<std::int32_t>(block.places.bodies.begin));
}

void WorldBlocks::notify(const model::Model& model, const model::ModelChanges& changes, std::uint32_t bits)
{
    // The engine's model may lie at another address after an edit.
    model_ = &model;
    if (!changes.any()) return;
    if (changes.structure || changes.inertia || changes.shapes || changes.pairs) {
        // Worlds are not alike any more: each block goes on with a machine of its own, which is told what changed.
        // A structural edit may concern one world; the machines of all blocks become their own.
        for (Block& block : blocks_) {
            // The block's memory passes from the shared machine to its own by bytes, as between a checkpoint and a
            // run.
            if (!block.own) {
                Diagnostics told;
                auto        own = make_machine(machines_.front()->model, told);
                if (own) {
                    std::vector<std::byte> memory;
                    {
                        const Inside inside(*machines_.front(), block);
                        memory = machines_.front()->solver->save();
                    }
                    if (!own->solver->restore(memory)) own->solver->reset();
                }
                block.own = std::move(own);
                block.memory.reset();
            }
            if (!block.own) continue;
            block.own->model = model::model_of_worlds(model, block.worlds);
            // Indices of pairs and acceleration structures are those of the shapes before.
            block.own->pipeline = make_pipeline(block.own->model);
            block.own->solver->notify(bits);
            block.cache.clear();
        }
        compare_numbers();
        return;
    }
    compare_numbers();
    // Shared machines have the numbers of the first block unless numbers differ.
    // Writing them now, a step needs no copy when the blocks agree.
    for (const auto& machine : machines_) model::copy_world_numbers(model, blocks_.front().worlds, machine->model);
    each_block([&](Block& block, Machine& machine, std::size_t) {
        if (block.own) model::copy_world_numbers(model, block.worlds, machine.model);
        const Inside inside(machine, block);
        machine.solver->notify(bits);
    });
}

std::vector<std::byte> WorldBlocks::save_solver()
{
    // The memory of each block, in the order of blocks: bytes of a checkpoint do not depend on threads.
    ByteWriter out;
    out.put(kMagic);
    out.put(static_cast<std::uint64_t>(blocks_.size()));
    for (Block& block : blocks_) {
        Machine&     machine = block.own ? *block.own : *machines_.front();
        const Inside inside(machine, block);
        out.put(machine.solver->save());
    }
    return out.bytes();
}

std::vector<std::byte> WorldBlocks::save_pairs()
{
    ByteWriter out;
    out.put(kMagic);
    out.put(static_cast<std::uint64_t>(blocks_.size()));
    for (const Block& block : blocks_) out.put(block.cache.save());
    return out.bytes();
}

bool WorldBlocks::is_of_blocks(std::span<const std::byte> solver)
{
    // Tells these bytes from those of a solver that steps all worlds together.
    ByteReader in(solver);
    return in.take<std::uint64_t>() == kMagic && in.good();
}

// Bytes come from files: sizes and marks are checked, and a failure leaves everything as it was.
bool WorldBlocks::restore(std::span<const std::byte> solver, std::span<const std::byte> pairs)
{
    const auto parts_of = [&](std::span<const std::byte> bytes, std::vector<std::vector<std::byte>>& parts) {
        ByteReader in(bytes);
        if (in.take<std::uint64_t>() != kMagic || in.take<std::uint64_t>() != blocks_.size()) return false;
        parts.resize(blocks_.size());
        for (auto& part : parts) in.get(part);
        return in.done();
    };
    std::vector<std::vector<std::byte>> memories, caches, before;
    if (!parts_of(solver, memories) || !parts_of(pairs, caches)) return false;
    // Caches are read into others first: nothing changes unless all can be read.
    std::vector<collision::PairCache> read(blocks_.size());
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const Machine& machine = blocks_[b].own ? *blocks_[b].own : *machines_.front();
        if (!read[b].restore(caches[b], machine.model)) return false;
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        Block&       block   = blocks_[b];
        Machine&     machine = block.own ? *block.own : *machines_.front();
        const Inside inside(machine, block);
        // If a memory cannot be read, those before it are put back.
        before.push_back(machine.solver->save());
        if (machine.solver->restore(memories[b])) continue;
        before.pop_back();
        break;
    }
    if (before.size() == blocks_.size()) {
        for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b].cache = std::move(read[b]);
        return true;
    }
    for (std::size_t b = 0; b < before.size(); ++b) {
        Block&       block   = blocks_[b];
        Machine&     machine = block.own ? *block.own : *machines_.front();
        const Inside inside(machine, block);
        (void)machine.solver->restore(before[b]);
    }
    return false;
}

}  // namespace mechane::simulation

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "device/batch/runner.h"
#include "device/kernels/rows.h"
#include "mechane/device/codes.h"
#include "mechane/device/driver.h"
#include "mechane/files/read.h"

// The kernels on a CUDA device. A block is one warp, so that as many worlds lie side by side on a multiprocessor as its
// shared memory holds.
//
// lanes      threads that work on one world: 8, 16 or 32; a warp of 32 holds 32 / lanes worlds ("seats")
// workspace  what a world needs within a step, in shared memory where it fits
// near, far  contacts whose rows lie in the workspace, and those whose rows lie in global memory
// graph      a captured sequence of launches that the driver starts by one call
//
// All work goes through the stream of the place. Calls return when the work is asked for; only reading waits.

namespace mechane::device {

namespace {

// A launch costs the host time, also where a step of few small worlds costs the device little.
constexpr int kStepsAtOnce = 16;  ///< of the longer graph
/// From here on few lanes for each of many worlds are faster than many lanes, also for a humanoid.
constexpr std::int32_t kManyWorlds = 16384;

template <class T>
class CudaRunner final : public Runner {
  public:
    static Result<std::unique_ptr<Runner>> make(const Plan& plan, const BatchOptions& options)
    {
        auto runner = std::unique_ptr<CudaRunner>(new CudaRunner(plan));
        if (auto made = runner->start(plan, options); !made) return made.error();
        return std::unique_ptr<Runner>(std::move(runner));
    }

    Result<void> step(int n) override
    {
        if (place_->capturing) {  // of somebody else: our calls become part of it
            for (; n > 0; --n)
                if (auto done = launch_step(); !done) return done;
            return {};
        }
        for (; n > 0;) {
            // Sixteen steps in one launch while that many are left, single steps for the rest.
            const bool many = n >= kStepsAtOnce;
            if (auto done = (many ? long_graph_ : graph_).launch(place_->stream); !done) return done;
            n -= many ? kStepsAtOnce : 1;
        }
        return {};
    }
    Result<void>        synchronize() override { return place_->stream.synchronize(); }
    [[nodiscard]] void* data(Array array) const override
    { return arrays_[static_cast<std::size_t>(array)].template as<void>(); }
    Result<void> read(Array array, void* to, std::size_t first, std::size_t count) override
    {
        const std::span bytes(static_cast<std::byte*>(to), 4 * count);
        if (auto done = download(place_->stream, bytes, arrays_[static_cast<std::size_t>(array)], 4 * first); !done)
            return done;
        // The caller's bytes are valid when the call returns.
        return synchronize();
    }
    Result<void> write(Array array, const void* from, std::size_t first, std::size_t count) override
    {
        return upload(place_->stream, arrays_[static_cast<std::size_t>(array)], 4 * first,
                      {static_cast<const std::byte*>(from), 4 * count});
    }
    Result<void> place(std::span<const std::uint8_t> selected) override
    {
        if (auto done = upload(place_->stream, selected_, 0, std::as_bytes(selected)); !done) return done;
        return launch(place_->stream, place_kernel_, shape_, batch_, scratch_.as<T>(),
                      selected_.as<const unsigned char>());
    }
    Result<void> set_numbers(const Plan& plan) override
    {
        const std::vector<T> numbers = narrowed<T>(plan.sets);
        // Steps that are under way read the old numbers. They must be through before these are overwritten.
        if (auto done = synchronize(); !done) return done;
        // A buffer that grows has another address, and captured graphs hold the old one: they are captured anew.
        const bool grows = numbers.size() * sizeof(T) > params_.size();
        if (grows) {
            auto room = Buffer::make(place_->context, numbers.size() * sizeof(T));
            if (!room) return room.error();
            params_       = *std::move(room);
            batch_.params = params_.as<T>();
        }
        if (auto done = upload(place_->stream, params_, 0, std::as_bytes(std::span(numbers))); !done) return done;
        if (auto done = upload(place_->stream, set_of_, 0, std::as_bytes(std::span(plan.set_of))); !done) return done;
        if (grows) return take_down();
        return {};
    }
    Result<void> read_contacts(std::int32_t world, std::int32_t count, std::vector<FoundOf>& to) override
    {
        std::vector<FoundContact<T>> rows(static_cast<std::size_t>(count));
        const std::size_t            first =
            static_cast<std::size_t>(world) * static_cast<std::size_t>(batch_.at.contacts) * sizeof(FoundContact<T>);
        if (auto done = download(place_->stream, std::as_writable_bytes(std::span(rows)), found_, first); !done)
            return done;
        if (auto done = synchronize(); !done) return done;
        for (const auto& row : rows) to.push_back(widened(row));
        return {};
    }
    [[nodiscard]] std::size_t bytes() const override { return bytes_; }
    [[nodiscard]] std::string where() const override
    {
        const DeviceInfo& info = place_->context.info();
        return fmt::format("{} (cuda:{}), {} lanes a world, {} bytes of workspace{}", info.name, info.ordinal, lanes_,
                           static_cast<std::size_t>(batch_.at.size) * sizeof(T),
                           scratch_.size() > 0 ? " in global memory" : "");
    }

  private:
    explicit CudaRunner(const Plan& plan) : sizes_(plan) {}

    Result<void> room(Buffer& buffer, std::size_t bytes)
    {
        // At least 16 bytes: an array of no elements gets an address too, which the kernels never read.
        auto made = Buffer::make(place_->context, std::max<std::size_t>(bytes, 16));
        if (!made) return made.error();
        buffer = *std::move(made);
        bytes_ += bytes;
        // Zeros are the start of all that is remembered from step to step: no contacts, no impulses.
        return fill_bytes(place_->stream, buffer, 0);
    }
    template <class V>
    Result<void> put(Buffer& buffer, const std::vector<V>& values)
    {
        if (auto made = room(buffer, values.size() * sizeof(V)); !made || values.empty()) return made;
        return upload(place_->stream, buffer, 0, std::as_bytes(std::span(values)));
    }

    Result<void> start(const Plan& plan, const BatchOptions& options)
    {
        auto place = device::place(options.executor.ordinal);
        if (!place) return place.error();
        place_ = *place;
        if (options.kernels.empty()) {
            auto module = Module::load_kernels(place_->context);
            if (!module) return module.error();
            module_ = *std::move(module);
        } else {
            // A file that the caller names: experiments compile kernels of one size of team only.
            auto bytes = files::read_own(options.kernels, std::size_t{1} << 30);
            if (!bytes) return bytes.error();
            auto module =
                // PTX is text that ends with a zero byte.
                Module::load(place_->context, std::as_bytes(std::span(bytes->c_str(), bytes->size() + 1)),
                             options.kernels);
            if (!module) return module.error();
            module_ = *std::move(module);
        }
        const bool wide = sizeof(T) == 8;
        lanes_          = wide                                               ? 32
                          : options.lanes > 0                                ? options.lanes
                          : plan.at.dofs <= 20 || plan.worlds >= kManyWorlds ? 8
                                                                             : 16;
        if (lanes_ != 8 && lanes_ != 16 && lanes_ != 32)
            return make_diagnostic(kOption, {}, fmt::format("lanes is {}, expected 8, 16 or 32", lanes_));
        const std::string tail = fmt::format("_{}_{}", wide ? "double" : "float", lanes_);
        // Each kernel is compiled for every precision and number of lanes; the name says which.
        auto step = module_.kernel("mechane_step" + tail), put_places = module_.kernel("mechane_place" + tail);
        if (!step) return step.error();
        if (!put_places) return put_places.error();
        step_kernel_ = *step, place_kernel_ = *put_places;
        if (auto done = make_memory(plan, options); !done) return done;
        if (auto done = choose_shape(); !done) return done;
        return take_down();
    }

    Result<void> make_memory(const Plan& plan, const BatchOptions& options)
    {
        // Mostly few of the contacts that there is room for are there: shared memory is better used by more worlds.
        const int        near = options.near_contacts >= 0 ? options.near_contacts : std::max(4, plan.at.contacts / 4);
        const Layout     at   = with_workspace<T>(plan.at, near);
        const Structure& s    = plan.structure;
        const auto       each = [&](int n, std::size_t size) {
            return static_cast<std::size_t>(plan.worlds) * static_cast<std::size_t>(n) * size;
        };
        for (std::size_t a = 0; a < kArrays; ++a)
            if (auto done = room(arrays_[a], 4 * sizes_.count[a]); !done) return done;
        // The order of these parts is that of the pointers in `batch_` below.
        Buffer* const next = parts_.data();
        // The list is evaluated in full before the first answer is looked at: each call is harmless by itself.
        for (const auto& done : {put(next[0], s.links),
                                 put(next[1], s.dofs),
                                 put(next[2], s.trees),
                                 put(next[3], s.level_begin),
                                 put(next[4], s.level_links),
                                 put(next[5], s.children),
                                 put(next[6], s.paths),
                                 put(next[7], s.entry_dof),
                                 put(next[8], s.shapes),
                                 put(next[9], s.pairs),
                                 put(next[10], narrowed<T>(s.vertices)),
                                 put(params_, narrowed<T>(plan.sets)),
                                 put(set_of_, plan.set_of),
                                 put(start_q_, plan.start_q),
                                 put(start_qd_, plan.start_qd),
                                 room(dof_memory_, each(at.dofs * dof_memory::count, sizeof(T))),
                                 room(memory_, each(at.contacts, sizeof(ContactMemory<T>))),
                                 room(memory_count_, each(1, 4)),
                                 room(found_, each(at.contacts, sizeof(FoundContact<T>))),
                                 room(near_, each(at.pairs, 2)),
                                 room(selected_, each(1, 1)),
                                 room(far_, each(at.far_size, sizeof(T)))})
            if (!done) return done;
        const auto state  = [&](Array array) { return arrays_[static_cast<std::size_t>(array)].template as<float>(); };
        const auto counts = [&](Array array) {
            return arrays_[static_cast<std::size_t>(array)].template as<std::int32_t>();
        };
        // The kernels take this structure by value. All pointers in it are addresses on the device.
        batch_ = {.at            = at,
                  .links         = next[0].as<LinkPlan>(),
                  .dofs          = next[1].as<DofPlan>(),
                  .trees         = next[2].as<TreePlan>(),
                  .level_begin   = next[3].as<std::int16_t>(),
                  .level_links   = next[4].as<std::int16_t>(),
                  .children      = next[5].as<std::int16_t>(),
                  .paths         = next[6].as<std::int16_t>(),
                  .entry_dof     = next[7].as<std::int16_t>(),
                  .shapes        = next[8].as<ShapePlan>(),
                  .pairs         = next[9].as<PairPlan>(),
                  .vertices      = next[10].as<T>(),
                  .params        = params_.as<T>(),
                  .set_of        = set_of_.as<std::int32_t>(),
                  .joint_q       = state(Array::joint_q),
                  .joint_qd      = state(Array::joint_qd),
                  .body_q        = state(Array::body_q),
                  .body_qd       = state(Array::body_qd),
                  .target_q      = state(Array::joint_target_q),
                  .target_qd     = state(Array::joint_target_qd),
                  .joint_f       = state(Array::joint_f),
                  .body_f        = state(Array::body_f),
                  .start_q       = start_q_.as<float>(),
                  .start_qd      = start_qd_.as<float>(),
                  .contact_count = counts(Array::contact_count),
                  .faults        = counts(Array::faults),
                  .dof_memory    = dof_memory_.as<T>(),
                  .memory        = memory_.as<ContactMemory<T>>(),
                  .memory_count  = memory_count_.as<std::int32_t>(),
                  .found         = found_.as<FoundContact<T>>(),
                  .far_room      = far_.as<T>(),
                  .near_pairs    = near_.as<std::int16_t>(),
                  .worlds        = plan.worlds,
                  .substeps      = options.substeps,
                  .dt            = options.dt,
                  .speculative   = options.speculative_max};
        return {};
    }

    /// One warp a block. What does not fit into shared memory lies in global memory, for as many worlds as run at a
    /// time.
    Result<void> choose_shape()
    {
        const DeviceInfo& info = place_->context.info();
        // Worlds of one block share its shared memory, each with its own part.
        const int         seats = 32 / lanes_;
        const std::size_t shared =
            static_cast<std::size_t>(seats) * static_cast<std::size_t>(batch_.at.size) * sizeof(T);
        shape_.threads = 32;
        shape_.blocks  = static_cast<unsigned>((batch_.worlds + seats - 1) / seats);
        if (shared <= info.shared_bytes_per_block) {
            shape_.shared_bytes = shared;
            // More than 48 KiB a block must be asked for, for each kernel.
            for (const Kernel* kernel : {&step_kernel_, &place_kernel_})
                if (auto done = kernel->allow_shared(shared); !done) return done;
            return {};
        }
        // 16 blocks a multiprocessor are what the kernels' launch bounds ask for. Blocks take worlds in turn, so that
        // there is one workspace for each block's worlds and not for all.
        shape_.blocks = std::min(shape_.blocks, static_cast<unsigned>(16 * info.multiprocessors));
        return room(scratch_, shape_.blocks * shared);
    }

    Result<void> launch_step() { return launch(place_->stream, step_kernel_, shape_, batch_, scratch_.as<T>()); }

    Result<void> take_down()
    {
        // The numbers of a launch are taken down with it. Therefore everything it points to is made before this.
        auto one = Graph::capture(place_->stream, [&] { return launch_step(); });
        if (!one) return one.error();
        graph_    = *std::move(one);
        auto many = Graph::capture(place_->stream, [&]() -> Result<void> {
            for (int i = 0; i < kStepsAtOnce; ++i)
                if (auto done = launch_step(); !done) return done;
            return {};
        });
        if (!many) return many.error();
        long_graph_ = *std::move(many);
        return {};
    }

    ArraySizes                  sizes_;
    std::shared_ptr<Place>      place_;
    Module                      module_;
    Kernel                      step_kernel_, place_kernel_;
    LaunchShape                 shape_;
    int                         lanes_ = 32;
    std::size_t                 bytes_ = 0;
    std::array<Buffer, kArrays> arrays_;
    std::array<Buffer, 11>      parts_;
    Buffer params_, set_of_, dof_memory_, memory_, memory_count_, found_, near_, selected_, far_, scratch_, start_q_,
        start_qd_;
    Batch<T> batch_;
    Graph    graph_, long_graph_;
};

}  // namespace

Result<std::unique_ptr<Runner>> make_cuda_runner(const Plan& plan, const BatchOptions& options)
{
    return options.precision == Precision::double_precision ? CudaRunner<double>::make(plan, options)
                                                            : CudaRunner<float>::make(plan, options);
}

}  // namespace mechane::device

#include <algorithm>

#include "device/batch/runner.h"
#include "device/kernels/step.h"
#include "mechane/tasks/parallel.h"

// The kernels on threads of the host, one world after the other: what a machine without a device has, and what the
// tests compare with softstep.

namespace mechane::device {

namespace {

template <class T>
class HostRunner final : public Runner {
  public:
    HostRunner(const Plan& plan, const BatchOptions& options)
        : structure_(plan.structure),
          pool_(options.pool),
          sizes_(plan),
          start_q_(plan.start_q),
          start_qd_(plan.start_qd),
          vertices_(narrowed<T>(plan.structure.vertices))
    {
        const Layout at =
            with_workspace<T>(plan.at, options.near_contacts >= 0 ? options.near_contacts : plan.at.contacts);
        const auto worlds = static_cast<std::size_t>(plan.worlds);
        // The same arrays that a device has, as vectors. The kernels see them through the pointers of `batch_` alone.
        // They are not resized after this, so the pointers stay valid.
        for (std::size_t a = 0; a < kArrays; ++a) arrays_[a].assign(sizes_.count[a], 0);
        const auto each = [&](int n) { return worlds * static_cast<std::size_t>(n); };
        dof_memory_.assign(each(at.dofs * dof_memory::count), 0);
        memory_.resize(each(at.contacts));
        memory_count_.assign(worlds, 0);
        found_.resize(each(at.contacts));
        near_.resize(each(at.pairs));
        far_.resize(each(at.far_size));
        const auto state = [&](Array array) {
            return reinterpret_cast<float*>(arrays_[static_cast<std::size_t>(array)].data());
        };
        const auto counts = [&](Array array) { return arrays_[static_cast<std::size_t>(array)].data(); };
        batch_            = {.at            = at,
                             .links         = structure_.links.data(),
                             .dofs          = structure_.dofs.data(),
                             .trees         = structure_.trees.data(),
                             .level_begin   = structure_.level_begin.data(),
                             .level_links   = structure_.level_links.data(),
                             .children      = structure_.children.data(),
                             .paths         = structure_.paths.data(),
                             .entry_dof     = structure_.entry_dof.data(),
                             .shapes        = structure_.shapes.data(),
                             .pairs         = structure_.pairs.data(),
                             .vertices      = vertices_.data(),
                             .params        = nullptr,
                             .set_of        = nullptr,
                             .joint_q       = state(Array::joint_q),
                             .joint_qd      = state(Array::joint_qd),
                             .body_q        = state(Array::body_q),
                             .body_qd       = state(Array::body_qd),
                             .target_q      = state(Array::joint_target_q),
                             .target_qd     = state(Array::joint_target_qd),
                             .joint_f       = state(Array::joint_f),
                             .body_f        = state(Array::body_f),
                             .start_q       = start_q_.data(),
                             .start_qd      = start_qd_.data(),
                             .contact_count = counts(Array::contact_count),
                             .faults        = counts(Array::faults),
                             .dof_memory    = dof_memory_.data(),
                             .memory        = memory_.data(),
                             .memory_count  = memory_count_.data(),
                             .found         = found_.data(),
                             .far_room      = far_.data(),
                             .near_pairs    = near_.data(),
                             .worlds        = plan.worlds,
                             .substeps      = options.substeps,
                             .dt            = options.dt,
                             .speculative   = options.speculative_max};
        take_numbers(plan);
    }

    Result<void> step(int n) override
    {
        // All worlds make a step before the next begins, as on a device.
        for (int i = 0; i < n; ++i) each_world([](const World<T>& world) { step_world(OneThread{}, world); });
        return {};
    }
    Result<void>        synchronize() override { return {}; }
    [[nodiscard]] void* data(Array array) const override
    // Kernels write through this pointer. It is not const on a device either.
    { return const_cast<std::int32_t*>(arrays_[static_cast<std::size_t>(array)].data()); }
    Result<void> read(Array array, void* to, std::size_t first, std::size_t count) override
    {
        std::memcpy(to, arrays_[static_cast<std::size_t>(array)].data() + first, 4 * count);
        return {};
    }
    Result<void> write(Array array, const void* from, std::size_t first, std::size_t count) override
    {
        std::memcpy(arrays_[static_cast<std::size_t>(array)].data() + first, from, 4 * count);
        return {};
    }
    Result<void> place(std::span<const std::uint8_t> selected) override
    {
        each_world([&](const World<T>& world) {
            if (const auto mode = selected[static_cast<std::size_t>(world.w)]; mode != kLeave)
                place_world(OneThread{}, world, mode);
        });
        return {};
    }
    Result<void> set_numbers(const Plan& plan) override
    {
        take_numbers(plan);
        return {};
    }
    Result<void> read_contacts(std::int32_t world, std::int32_t count, std::vector<FoundOf>& to) override
    {
        for (std::int32_t i = 0; i < count; ++i)
            to.push_back(widened(found_[static_cast<std::size_t>(world) * static_cast<std::size_t>(batch_.at.contacts) +
                                        static_cast<std::size_t>(i)]));
        return {};
    }
    [[nodiscard]] std::size_t bytes() const override
    {
        std::size_t sum = 4 * params_.size() * sizeof(T) / 4;
        for (const auto& array : arrays_) sum += 4 * array.size();
        return sum + sizeof(T) * dof_memory_.size() + sizeof(memory_[0]) * memory_.size() +
               sizeof(found_[0]) * found_.size() + 2 * near_.size();
    }
    [[nodiscard]] std::string where() const override
    { return "the host, " + std::to_string(pool_ ? pool_->threads() : 1) + " threads"; }

  private:
    void take_numbers(const Plan& plan)
    {
        // The kernels compute in T, the plan is in double: narrowed once, here, and not in each step.
        params_       = narrowed<T>(plan.sets);
        set_of_       = plan.set_of;
        batch_.params = params_.data();
        batch_.set_of = set_of_.data();
    }
    template <class Visit>
    void each_world(const Visit& visit)
    {
        // Worlds differ in cost by their contacts alone. Four at a time keep threads busy to the end at little
        // overhead.
        constexpr std::size_t kAtOnce = 4;
        tasks::for_chunks(pool_, static_cast<std::size_t>(batch_.worlds), kAtOnce,
                          [&](std::size_t begin, std::size_t end, std::size_t) {
                              // Every number is written before it is read: what another world left does not matter.
                              // One workspace per thread, reused by all of its worlds. Doubles, so that it is aligned
                              // for either T.
                              thread_local std::vector<double> room;
                              const std::size_t                numbers =
                                  static_cast<std::size_t>(batch_.at.size) * sizeof(T) / sizeof(double) + 1;
                              if (room.size() < numbers) room.resize(numbers);
                              for (std::size_t w = begin; w < end; ++w)
                                  // A world reads its own set of numbers, and writes its own rows of the arrays: no
                                  // two threads touch the same memory.
                                  visit(World<T>{batch_,
                                                 batch_.params + static_cast<std::size_t>(set_of_[w]) *
                                                                     static_cast<std::size_t>(batch_.at.params),
                                                 reinterpret_cast<T*>(room.data()), static_cast<int>(w)});
                          });
    }

    Structure                                      structure_;
    const tasks::Pool*                             pool_;
    ArraySizes                                     sizes_;
    std::array<std::vector<std::int32_t>, kArrays> arrays_;  ///< floats as well: four bytes each
    std::vector<float>                             start_q_, start_qd_;
    std::vector<T>                                 vertices_, params_, dof_memory_, far_;
    std::vector<std::int32_t>                      set_of_, memory_count_;
    std::vector<ContactMemory<T>>                  memory_;
    std::vector<FoundContact<T>>                   found_;
    std::vector<std::int16_t>                      near_;
    Batch<T>                                       batch_;
};

}  // namespace

Result<std::unique_ptr<Runner>> make_host_runner(const Plan& plan, const BatchOptions& options)
{
    if (options.precision == Precision::double_precision)
        return std::unique_ptr<Runner>(std::make_unique<HostRunner<double>>(plan, options));
    return std::unique_ptr<Runner>(std::make_unique<HostRunner<float>>(plan, options));
}

}  // namespace mechane::device

#pragma once
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "device/batch/plan_builder.h"

/// What makes the steps of a batch, with its memory.
namespace mechane::device {

inline constexpr std::size_t kArrays = 10;

/// Elements of an array, over all worlds.
struct ArraySizes {
    std::array<std::size_t, kArrays> count{};
    explicit ArraySizes(const Plan& plan)
    {
        const auto worlds = static_cast<std::size_t>(plan.worlds);
        const auto set    = [&](Array array, int each) {
            count[static_cast<std::size_t>(array)] = worlds * static_cast<std::size_t>(each);
        };
        set(Array::joint_q, plan.at.joint_coords), set(Array::joint_qd, plan.at.joint_dofs);
        set(Array::body_q, 7 * plan.at.bodies), set(Array::body_qd, 6 * plan.at.bodies);
        set(Array::joint_target_q, plan.at.joint_coords), set(Array::joint_target_qd, plan.at.joint_dofs);
        set(Array::joint_f, plan.at.joint_dofs), set(Array::body_f, 6 * plan.at.bodies);
        set(Array::contact_count, 1), set(Array::faults, 1);
    }
    [[nodiscard]] std::size_t of(Array array) const { return count[static_cast<std::size_t>(array)]; }
};

/// A contact of the last step, in double.
using FoundOf = FoundContact<double>;

class Runner {
  public:
    virtual ~Runner()                                                                                      = default;
    virtual Result<void>        step(int n)                                                                = 0;
    virtual Result<void>        synchronize()                                                              = 0;
    [[nodiscard]] virtual void* data(Array array) const                                                    = 0;
    virtual Result<void>        read(Array array, void* to, std::size_t first, std::size_t count)          = 0;
    virtual Result<void>        write(Array array, const void* from, std::size_t first, std::size_t count) = 0;
    /// Poses of bodies from coordinates, of the selected worlds [worlds], which forget what they remember.
    virtual Result<void> place(std::span<const std::uint8_t> selected)                                   = 0;
    virtual Result<void> set_numbers(const Plan& plan)                                                   = 0;
    virtual Result<void> read_contacts(std::int32_t world, std::int32_t count, std::vector<FoundOf>& to) = 0;
    [[nodiscard]] virtual std::size_t bytes() const = 0;  ///< of all worlds
    [[nodiscard]] virtual std::string where() const = 0;
};

Result<std::unique_ptr<Runner>> make_host_runner(const Plan& plan, const BatchOptions& options);
Result<std::unique_ptr<Runner>> make_cuda_runner(const Plan& plan, const BatchOptions& options);

template <class T>
FoundOf widened(const FoundContact<T>& f)
{
    FoundOf out;
    out.pair = f.pair, out.turns = f.turns, out.feature = f.feature, out.distance = static_cast<double>(f.distance);
    for (int k = 0; k < 3; ++k) {
        for (int s = 0; s < 2; ++s)
            out.point[s][k] = static_cast<double>(f.point[s][k]), out.start[s][k] = static_cast<double>(f.start[s][k]);
        out.normal[k] = static_cast<double>(f.normal[k]), out.force[k] = static_cast<double>(f.force[k]);
    }
    for (int s = 0; s < 2; ++s) out.margin[s] = static_cast<double>(f.margin[s]);
    return out;
}
template <class T>
std::vector<T> narrowed(const std::vector<double>& from)
{
    std::vector<T> out(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) out[i] = static_cast<T>(from[i]);
    return out;
}

}  // namespace mechane::device

#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/model/contacts.h"
#include "mechane/model/model.h"
#include "mechane/model/state.h"
#include "mechane/model/types.h"

/// Whole steps of many alike worlds with the laws of softstep, on a CUDA device or, by the same kernels, on threads of
/// the host. State, controls and contacts stay where the steps are made. docs/device.md says what is honoured.
namespace mechane::tasks {
class Pool;
}

namespace mechane::device {

/// Where steps are made.
struct Executor {
    enum class Kind : std::uint8_t { host, cuda };
    Kind                          kind    = Kind::host;
    int                           ordinal = 0;  ///< of a CUDA device, from 0
    [[nodiscard]] static Executor host() { return {}; }
    [[nodiscard]] static Executor cuda(int ordinal = 0) { return {Kind::cuda, ordinal}; }
};

/// Numbers that kernels compute with. State arrays are single precision either way.
enum class Precision : std::uint8_t { single_precision, double_precision };

struct BatchOptions {
    Executor  executor{};
    Precision precision = Precision::single_precision;
    double    dt        = 1.0 / 240;  ///< of a step [s]
    int       substeps  = 8;          ///< 1..64
    /// Room for contacts in each world; 0: estimated. A world that has more keeps those that come first and is
    /// reported.
    std::int32_t contacts_per_world = 0;
    double       speculative_max    = 0.1;  ///< as collision::PipelineOptions [m]
    /// Of materials that leave it to the solver.
    model::MaterialCombine combine = model::MaterialCombine::average;
    const tasks::Pool*     pool    = nullptr;  ///< of the host's executor; null: one thread. No bit depends on it
    /// Planes of finite size are taken for infinite ones, as in collision::PipelineOptions; otherwise they are refused.
    bool finite_plane_compat = false;
    /// Pairs of shapes that the kernels have no contacts for pass through each other; otherwise they are refused.
    bool leave_out_unknown_pairs = false;
    int  lanes                   = 0;  ///< threads of a device for each world: 8, 16 or 32; 0: chosen
    /// Of `contacts_per_world`, how many lie in the device's fast memory; negative: chosen. No bit depends on it.
    int near_contacts = -1;
    /// File with the kernels of CUDA; empty: the one beside the library, or MECHANE_CUDA_KERNELS.
    std::string kernels{};
};

/// Arrays that live where the steps are made. Layout and units are those of model::State and model::Control: worlds one
/// after the other, row by row.
enum class Array : std::uint8_t {
    joint_q,          ///< float32 [joint_coord_count]
    joint_qd,         ///< float32 [joint_dof_count]
    body_q,           ///< float32 [body_count, 7]
    body_qd,          ///< float32 [body_count, 6]
    joint_target_q,   ///< float32 [joint_coord_count]
    joint_target_qd,  ///< float32 [joint_dof_count]
    joint_f,          ///< float32 [joint_dof_count]
    body_f,           ///< float32 [body_count, 6]
    contact_count,    ///< int32 [world_count]: contacts of the last step
    faults            ///< int32 [world_count]: bits of WorldFault since the last reset
};
enum class Element : std::uint8_t { float32, int32 };

/// One of them: for DLPack, and for kernels of other programs. Valid as long as the batch.
struct ArrayView {
    void*                       data    = nullptr;  ///< address of the host, or of the device's memory
    Element                     element = Element::float32;
    int                         rank    = 1;
    std::array<std::int64_t, 2> shape{};
    [[nodiscard]] std::size_t   count() const
    { return static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(rank > 1 ? shape[1] : 1); }
};

/// What may befall a world; bits of Array::faults.
namespace fault {
inline constexpr std::int32_t diverged      = 1;  ///< not finite or above all bounds: stays as it was before that step
inline constexpr std::int32_t contacts_full = 2;  ///< more contacts than there is room for; those that come first count
inline constexpr std::int32_t velocity_bound = 4;  ///< a tree was slowed to 1000 m/s or rad/s
}  // namespace fault
struct WorldFault {
    std::int32_t world = 0, bits = 0;
};

/// A batch belongs to one thread at a time.
class DeviceBatch {
  public:
    /// @param model  worlds that are alike in structure: bodies, joints, shapes; numbers (masses, gains, limits,
    /// friction,
    ///               sizes, gravity, start poses) may differ. Shapes of no world belong to all. It is copied from, and
    ///               need not live on.
    /// @error DEV_NOT_SUPPORTED  names what of the model these kernels do not honour, and where
    /// @error DEV_NOT_ALIKE      names the first world that differs in structure, and in what
    /// @error DEV_OPTION         an option is out of its range
    /// @error those of the driver, when no device can be had
    [[nodiscard]] static Result<DeviceBatch> make(const model::Model& model, const BatchOptions& options);
    DeviceBatch(DeviceBatch&&) noexcept;
    DeviceBatch& operator=(DeviceBatch&&) noexcept;
    ~DeviceBatch();

    /// Makes n steps. On a device they are only enqueued: `synchronize`, `read` and `faults` wait for them.
    [[nodiscard]] Result<void> step(int n = 1);
    [[nodiscard]] Result<void> synchronize();

    [[nodiscard]] ArrayView view(Array array) const;
    /// Copies to and from the host; sizes are those of `view`, of numbers.
    [[nodiscard]] Result<void> read(Array array, std::span<float> to);
    [[nodiscard]] Result<void> read(Array array, std::span<std::int32_t> to);
    [[nodiscard]] Result<void> write(Array array, std::span<const float> from);
    /// State and time of a whole model.
    [[nodiscard]] Result<void> read(model::State& to);
    /// Coordinates and rates count, poses of bodies follow from them. Worlds whose state is another than the one that
    /// they have forget their contacts.
    [[nodiscard]] Result<void> write(const model::State& from);
    [[nodiscard]] Result<void> write(const model::Control& from);
    /// Contacts of the last step, as a pipeline and softstep leave them; `to` is resized if it is too small.
    [[nodiscard]] Result<void> read(model::Contacts& to);
    /// The worlds whose entry is not zero [world_count] get the model's start state again and forget contacts and
    /// faults.
    [[nodiscard]] Result<void> reset(std::span<const std::uint8_t> worlds);
    /// Numbers of the model (masses, gains, limits, friction, gravity, materials, sizes) anew.
    /// @error DEV_NOT_ALIKE  the structure is another than that of the model the batch was made of
    [[nodiscard]] Result<void> update(const model::Model& model);

    /// Worlds with faults since the last reset, ascending.
    [[nodiscard]] Result<std::vector<WorldFault>> faults();
    [[nodiscard]] std::int32_t                    world_count() const;
    [[nodiscard]] double                          time() const;  ///< [s], of the steps that were asked for
    [[nodiscard]] const BatchOptions&             options() const;
    /// The device in words, and the memory of one world there [bytes].
    [[nodiscard]] std::string where() const;
    [[nodiscard]] std::size_t bytes_per_world() const;

  private:
    struct Impl;
    explicit DeviceBatch(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace mechane::device

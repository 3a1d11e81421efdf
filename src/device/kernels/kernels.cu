// The steps of device/kernels for CUDA, a warp or a part of one for each world, with the workspace in shared memory. Each
// entry point is compiled for both precisions and several sizes of teams; batch/cuda_runner.cpp picks by name.
#include "device/kernels/step.h"

namespace mechane::device {

template <int N, class T>
__device__ __forceinline__ void each_world(const Batch<T>& batch, bool step, const unsigned char* selected, T* scratch)
{
    extern __shared__ __align__(16) unsigned char shared[];
    const auto team = WarpTeam<N>::mine();
    const int  seat = static_cast<int>(threadIdx.x) / N, seats = static_cast<int>(blockDim.x) / N;
    const int  first = static_cast<int>(blockIdx.x) * seats + seat;
    T* const   ws = scratch ? scratch + static_cast<std::size_t>(first) * static_cast<std::size_t>(batch.at.size)
                            : reinterpret_cast<T*>(shared) + static_cast<std::size_t>(seat) * static_cast<std::size_t>(batch.at.size);
    for (int w = first; w < batch.worlds; w += static_cast<int>(gridDim.x) * seats) {
        const World<T> world{batch, batch.params + static_cast<std::size_t>(batch.set_of[w]) * static_cast<std::size_t>(batch.at.params),
                             ws, w};
        if (step)
            step_world(team, world);
        else if (selected[w] != kLeave)
            place_world(team, world, selected[w]);
    }
}

}  // namespace mechane::device

#define MECHANE_KERNELS(N, T, name)                                                                                \
    extern "C" __global__ void __launch_bounds__(32, 16) mechane_step_##name##_##N(const __grid_constant__ mechane::device::Batch<T> batch, T* scratch) \
    { mechane::device::each_world<N, T>(batch, true, nullptr, scratch); }                                           \
    extern "C" __global__ void __launch_bounds__(32, 16) mechane_place_##name##_##N(const __grid_constant__ mechane::device::Batch<T> batch, T* scratch, \
                                                            const unsigned char* selected)                          \
    { mechane::device::each_world<N, T>(batch, false, selected, scratch); }

// Each takes a while to compile; MECHANE_KERNELS_OF chooses one of them for an experiment.
#if !defined(MECHANE_KERNELS_OF) || MECHANE_KERNELS_OF == 32
MECHANE_KERNELS(32, float, float)
#endif
#if !defined(MECHANE_KERNELS_OF) || MECHANE_KERNELS_OF == 16
MECHANE_KERNELS(16, float, float)
#endif
#if !defined(MECHANE_KERNELS_OF) || MECHANE_KERNELS_OF == 8
MECHANE_KERNELS(8, float, float)
#endif
#if !defined(MECHANE_KERNELS_OF) || MECHANE_KERNELS_OF == 64
MECHANE_KERNELS(32, double, double)
#endif

#pragma once
#include "mechane/math/lane_by_lane.h"

/// Of functions that a device calls: all of a step in one piece would take half an hour to compile.
#if defined(__CUDACC__)
#define MCH_CALLED __host__ __device__ __noinline__
#else
#define MCH_CALLED
#endif

/// Threads that work on one world together. A kernel is written once for any team: loops over links, dofs, pairs and
/// entries of rows are dealt out to the lanes, what is one number is worked out by every lane alike. A team of one is
/// what the host runs.
namespace mechane::device {

struct OneThread {
    static constexpr int kSize = 1;
    MCH_INLINE int       lane() const { return 0; }
    MCH_INLINE void      sync() const {}
    template <class T>
    MCH_INLINE T sum(T x) const
    { return x; }
    template <class T>
    MCH_INLINE void sum(T&, T&, T&) const
    {
    }
    MCH_INLINE bool any(bool x) const { return x; }
    template <class T>
    MCH_INLINE T largest(T x) const
    { return x; }
    /// How much the lanes before this one have; `total`: all.
    MCH_INLINE int before(int x, int& total) const
    {
        total = x;
        return 0;
    }
};

#if defined(__CUDACC__)
/// N neighbouring lanes of a warp. Sums go by the same tree in every lane, so all have the same bits, and from run to
/// run.
template <int N>
struct WarpTeam {
    static constexpr int kSize = N;
    unsigned             mask;
    int                  id;

    __device__ __forceinline__ static WarpTeam mine()
    {
        const unsigned lane = threadIdx.x & 31u, first = lane & ~static_cast<unsigned>(N - 1);
        return {N == 32 ? 0xffffffffu : ((1u << (N & 31)) - 1u) << first, static_cast<int>(lane & (N - 1))};
    }
    MCH_INLINE int  lane() const { return id; }
    MCH_INLINE void sync() const
    {
#if defined(__CUDA_ARCH__)
        __syncwarp(mask);
#endif
    }
    template <class T>
    MCH_INLINE T sum(T x) const
    {
#if defined(__CUDA_ARCH__)
        for (int o = N / 2; o > 0; o /= 2) x += __shfl_xor_sync(mask, x, o, N);
#endif
        return x;
    }
    template <class T>
    MCH_INLINE void sum(T& a, T& b, T& c) const
    {
#if defined(__CUDA_ARCH__)
        for (int o = N / 2; o > 0; o /= 2) {
            const T x = __shfl_xor_sync(mask, a, o, N), y = __shfl_xor_sync(mask, b, o, N),
                    z = __shfl_xor_sync(mask, c, o, N);
            a += x, b += y, c += z;
        }
#endif
    }
    MCH_INLINE bool any(bool x) const
    {
#if defined(__CUDA_ARCH__)
        return (__ballot_sync(mask, x) & mask) != 0;
#else
        return x;
#endif
    }
    template <class T>
    MCH_INLINE T largest(T x) const
    {
#if defined(__CUDA_ARCH__)
        for (int o = N / 2; o > 0; o /= 2) {
            const T y = __shfl_xor_sync(mask, x, o, N);
            x         = x < y ? y : x;
        }
#endif
        return x;
    }
    MCH_INLINE int before(int x, int& total) const
    {
        int sum = x;
#if defined(__CUDA_ARCH__)
        for (int o = 1; o < N; o *= 2) {
            const int y = __shfl_up_sync(mask, sum, o, N);
            if (id >= o) sum += y;
        }
        total = __shfl_sync(mask, sum, N - 1, N);
#else
        total = sum;
#endif
        return sum - x;
    }
};
#endif

}  // namespace mechane::device

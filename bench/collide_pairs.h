#pragma once
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include "mechane/math/pose.h"
#include "mechane/math/random.h"

/// The pairs that every collision library of the comparison is given: one list of poses, and a clock that other
/// programs on the machine do not slow down.
namespace bench {

using namespace mechane;

inline constexpr double kReach = 0.02;  ///< contacts are wanted up to this distance [m]
inline constexpr int    kPoses = 4000;

enum class Kind { sphere, box, capsule, cylinder, cone, ellipsoid, hull };
struct Pair {
    const char* name;
    Kind        a, b;
};
/// Sizes: sphere 0.5; box half (0.5, 0.4, 0.3); capsule and cylinder radius 0.3, half height 0.4; cone radius 0.4, half
/// height 0.5; ellipsoid (0.5, 0.4, 0.3); hull of 32 points on it.
inline constexpr Pair kPairs[] = {{"sphere-sphere", Kind::sphere, Kind::sphere},
                                  {"sphere-box", Kind::sphere, Kind::box},
                                  {"capsule-capsule", Kind::capsule, Kind::capsule},
                                  {"box-box", Kind::box, Kind::box},
                                  {"capsule-box", Kind::capsule, Kind::box},
                                  {"cylinder-box", Kind::cylinder, Kind::box},
                                  {"cylinder-cylinder", Kind::cylinder, Kind::cylinder},
                                  {"cone-box", Kind::cone, Kind::box},
                                  {"ellipsoid-box", Kind::ellipsoid, Kind::box},
                                  {"hull-hull", Kind::hull, Kind::hull}};

/// Poses of b against a, which stands at the origin turned by `q`: centres up to 0.9 m apart, so that two thirds touch.
struct Placed {
    Quatd q;
    Posed b;
};
inline std::vector<Placed> placements()
{
    Random              r(2026);
    std::vector<Placed> out;
    for (int i = 0; i < kPoses; ++i) {
        const Quatd q = r.rotation();
        const Vec3d p = r.uniform(0.3, 0.9) * r.direction();
        out.push_back({q, {p, r.rotation()}});
    }
    return out;
}
inline std::vector<Vec3d> hull_points()
{
    Random             r(7);
    std::vector<Vec3d> out;
    for (int i = 0; i < 32; ++i) out.push_back(scale(r.direction(), Vec3d{0.5, 0.4, 0.3}));
    return out;
}

inline double cpu_seconds()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Runs `call(i)` over all placements, five times; prints the least time of one call, how many touch within reach, and
/// the sum of their distances, by which the libraries can be compared.
template <class Call>
void measure(const char* name, Call&& call)
{
    double best = 1e30, sum = 0;
    int    touching = 0;
    for (int round = 0; round < 5; ++round) {
        sum = touching     = 0;
        const double start = cpu_seconds();
        for (int i = 0; i < kPoses; ++i) {
            double distance = 0;
            if (!call(i, distance)) continue;
            ++touching;
            sum += distance;
        }
        best = std::min(best, (cpu_seconds() - start) / kPoses);
    }
    std::printf("%s,%.1f,%d,%.6f\n", name, 1e9 * best, touching, touching ? sum / touching : 0);
}

}  // namespace bench

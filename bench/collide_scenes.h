#pragma once
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "mechane/geometry/heightfield.h"
#include "mechane/geometry/mesh.h"
#include "mechane/math/pose.h"
#include "mechane/math/random.h"

/// Scenes of many shapes that more than one library is given: a terrain of triangles with convex shapes on it, and
/// boxes on the move. Everything is seeded.
namespace bench {

using namespace mechane;

inline double cpu_now()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
/// Least processor time of `rounds` calls [s].
template <class Call>
double least_of(int rounds, Call&& call)
{
    double best = 1e30;
    for (int i = 0; i < rounds; ++i) {
        const double start = cpu_now();
        call();
        best = std::min(best, cpu_now() - start);
    }
    return best;
}

/// n x n squares of 0.1 m in two triangles each, in waves of 5 cm (COLB-04).
inline geometry::Mesh terrain(int n = 100)
{
    return geometry::grid_mesh(n, n, geometry::GridOrder::x_fastest, [](int x, int y) {
        return Vec3d{0.1 * x, 0.1 * y, 0.05 * std::sin(1.3 * x) * std::cos(0.9 * y)};
    });
}

/// 21 x 21 places on the terrain, each with a turn of its own.
inline std::vector<Posed> places_on_terrain()
{
    Random             r(4);
    std::vector<Posed> out;
    for (int i = 0; i < 441; ++i) {
        const Vec3d p{0.5 + 0.4 * (i % 21) + r.uniform(-0.1, 0.1), 0.5 + 0.4 * (i / 21) + r.uniform(-0.1, 0.1), 0.12};
        out.push_back({p, r.rotation()});
    }
    return out;
}
inline constexpr double kTerrainReach = 0.02;  ///< [m]

/// `count` boxes of 0.1 to 0.3 m that cross a cube at up to 1 m/s, so that each touches about one other.
struct MovingBoxes {
    std::vector<Vec3d> centre, half, velocity;
    double             side;

    explicit MovingBoxes(int count) : side(0.45 * std::cbrt(static_cast<double>(count)))
    {
        Random r(10);
        for (int i = 0; i < count; ++i) {
            centre.push_back({r.uniform(0, side), r.uniform(0, side), r.uniform(0, side)});
            half.push_back({r.uniform(0.05, 0.15), r.uniform(0.05, 0.15), r.uniform(0.05, 0.15)});
            velocity.push_back(r.vec(1));
        }
    }
    /// A step of 1/60 s; the walls send back.
    void advance()
    {
        for (std::size_t i = 0; i < centre.size(); ++i)
            for (std::size_t k = 0; k < 3; ++k) {
                centre[i][k] += velocity[i][k] / 60;
                if (centre[i][k] < 0 || centre[i][k] > side) velocity[i][k] = -velocity[i][k];
            }
    }
};
inline constexpr int kSteps = 60;  ///< of the moving boxes

}  // namespace bench

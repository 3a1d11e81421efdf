// Simulations on a device, by its kernels on the host.
#include <cmath>

#include "mechane/simulation.h"
#include "support/support.h"

namespace mechane {
namespace {

/// Copies of a ball of 0.1 m that falls from 0.5 m on a plane, each in a world of its own.
std::shared_ptr<const Model> balls(int worlds)
{
    ModelBuilder one;
    const BodyId ball = one.add_body("ball", {{0, 0, 0.5}, {}});
    one.add_sphere(ball, 0.1);
    ModelBuilder many;
    many.add_ground();
    many.replicate(one, worlds);
    return many.build().expect();
}

}  // namespace
}  // namespace mechane

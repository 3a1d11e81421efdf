#pragma once
#include <cstdint>
#include <vector>

#include "solvers/shared/bodies.h"

namespace mechane::solvers::xpbd {

/// Impulses that a pass collects for the bodies, applied together: every pass is a Jacobi iteration.
struct Corrections {
    std::vector<Spatiald>     impulse;  ///< per body, about the centre of mass [N s], [N m s]
    std::vector<std::int32_t> count;    ///< per body: contacts that push, where they share the correction

    explicit Corrections(std::size_t bodies) : impulse(bodies), count(bodies) {}
    void clear();
    void add(std::int32_t b, const Vec3d& linear, const Vec3d& angular)
    {
        if (b < 0) return;
        impulse[static_cast<std::size_t>(b)].linear += linear;
        impulse[static_cast<std::size_t>(b)].angular += angular;
    }
    /// Velocities change by the impulses, poses by what these velocities do in h [s].
    /// @param share  each body's impulse is divided by its count
    void apply(shared::Bodies& bodies, double h, bool share) const;
};

/// Changes the velocity of a body by an impulse about its centre of mass, and its pose by what that velocity does in
/// h [s].
/// @param part  of the impulse
void push(shared::Bodies& bodies, std::size_t b, const Spatiald& impulse, double h, double part = 1);

/// A row between two bodies: gradients (linear, angular about the centres of mass).
struct Row {
    std::int32_t a = -1, b = -1;
    Spatiald     on_a, on_b;
};
/// J M^-1 J^T of a row [1/kg], [1/(kg m^2)].
double inverse_effective_mass(const Row& row, const shared::Bodies& bodies);
double rate_of(const Row& row, const shared::Bodies& bodies);

}  // namespace mechane::solvers::xpbd

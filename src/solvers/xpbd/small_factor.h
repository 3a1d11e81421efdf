#pragma once
// Cholesky factor of the small symmetric systems of xpbd (joint_trees.cpp), A = L L^T with at most six rows. A
// direction whose pivot is below 1e-12 of its diagonal is left out and gets no impulse.

#include <array>
#include <cmath>
#include <cstddef>

namespace mechane::solvers::xpbd {

using Six    = std::array<double, 6>;
using Square = std::array<Six, 6>;

/// Cholesky's factor of a symmetric matrix of at most six rows, A = L L^T. Directions without a pivot are left out:
/// one that nothing yields in, or that others fix already, takes no impulse.
struct SmallFactor {
    Square              low{};
    std::array<bool, 6> solved{};
    std::size_t         count = 0;

    void make(const Square& of, std::size_t n)
    {
        count  = n;
        low    = {};
        solved = {};
        for (std::size_t i = 0; i < n; ++i) {
            double rest = of[i][i];
            for (std::size_t j = 0; j < i; ++j) {
                if (!solved[j]) continue;
                double entry = of[i][j];
                for (std::size_t k = 0; k < j; ++k) entry -= low[i][k] * low[j][k];
                low[i][j] = entry / low[j][j];
                rest -= low[i][j] * low[i][j];
            }
            constexpr double kNothing = 1e-12;
            solved[i]                 = rest > kNothing * of[i][i];
            if (solved[i])
                low[i][i] = std::sqrt(rest);
            else
                low[i] = {};
        }
    }

    /// x with A x = b; zero in the directions that are left out.
    [[nodiscard]] Six solve(Six b) const
    {
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t j = 0; j < i; ++j) b[i] -= low[i][j] * b[j];
            b[i] = solved[i] ? b[i] / low[i][i] : 0;
        }
        for (std::size_t i = count; i-- > 0;) {
            if (!solved[i]) continue;
            for (std::size_t j = i + 1; j < count; ++j) b[i] -= low[j][i] * b[j];
            b[i] /= low[i][i];
        }
        return b;
    }
};

}  // namespace mechane::solvers::xpbd

#pragma once
#include <array>
#include <cstdint>
#include <vector>

// Direct solve of a small hard island: all of its rows at once, as a linear complementarity problem with boxes and
// disks, by a Newton method on active sets (Alart and Curnier 1991) that starts from the impulses of the last substep.
// Sweeps carry the load of a heavy body down a stack of light ones by one contact a sweep, and soft rows give way under
// it by load / (m w^2); here contacts are rigid (Island::rigidity), and penetration is taken back by a share of it each
// substep.

namespace mechane::solvers::softstep {

struct System;
struct Island;

/// Impulses of one or two rows that are held to a disk, whose radius is a share of a normal impulse: friction, rolling
/// (two rows) and torsion (one).
struct BlockDisk {
    std::int32_t          first = 0, rows = 0, normal = 0;  ///< in Block::rows
    double                share = 0;                        ///< radius over normal impulse
    double                step  = 0;                        ///< 1 / the largest response
    bool                  slips = false;
    std::array<double, 2> way{};         ///< direction of the impulse while it slips
    std::int32_t          contact = -1;  ///< in System::active, of friction: forgets its drift when it slips; else -1
};

/// One scalar row: J v + bias + gamma lambda = 0 with lambda in [low, high], or part of a disk.
struct BlockRow {
    /// Numbers over some of the blocks of System::u, as rows keep them.
    struct Part {
        const double*       values = nullptr;
        const std::int32_t* blocks = nullptr;
        std::int32_t        count = 0, stride = 0;
        std::int32_t        shift = 0;  ///< from System::u to the island's own velocities
    };
    enum class State : std::uint8_t { low, open, high };
    std::array<Part, 2> J{}, Y{};
    std::uint64_t       reach  = 0;        ///< a bit for each block of velocities it has, numbered modulo 64
    double              sign   = 1;        ///< of an upper limit -1: lambda pushes against Y
    double*             lambda = nullptr;  ///< where the impulse is kept
    double              rate = 0, bias = 0, gamma = 0, low = 0, high = 0;
    State               state = State::low;
    bool                disk  = false;  ///< part of one
    bool                shut  = false;  ///< stays out of this solve
};

/// What the direct solve of one island keeps.
struct Block {
    std::vector<BlockRow>     rows;
    std::vector<BlockDisk>    disks;
    std::vector<double>       A;                         ///< [rows, rows]: response of rows to each other
    std::vector<const double*> made_of;                  ///< which rows A is of: where their impulses are kept
    std::vector<double>       lambda, target, response;  ///< [rows]; A lambda = target is the velocity asked for
    std::vector<double>       matrix, x;                 ///< of the open rows
    std::vector<double>       column;                    ///< the island's velocities under a unit impulse
    std::vector<std::int32_t> open, held;   ///< rows that are solved for, and those whose bound is an impulse
    std::vector<double>       free_rows;    ///< rows of contacts of free bodies, in double
    std::vector<std::int32_t> free_blocks;  ///< and their blocks
};

/// Decides which islands are solved so (Island::block): few rows, and bodies of very different mass or closed loops.
void choose_blocks(System& system);
/// Solves all rows of an island, from the impulses that they have; with soft contacts where the active sets of rigid
/// ones do not settle. Returns false, with nothing changed, where there are too many of them or these do not either.
bool solve_block(System& system, Island& island, double h, bool relax);

}  // namespace mechane::solvers::softstep

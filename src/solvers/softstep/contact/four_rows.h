#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "mechane/dynamics/four_trees.h"
#include "mechane/math/four.h"
#include "solvers/softstep/contact/contact_law.h"
#include "solvers/softstep/state/system.h"

namespace mechane::solvers::softstep {

// How packs would be passed does not matter to functions that are inlined.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#pragma GCC diagnostic ignored "-Wignored-attributes"

/// Blocks of four dofs of a tree.
inline constexpr std::int32_t kMostBlocks = dynamics::FourDynamics::kMostDofs / kLanes;

/// A contact of each of four trees, for the law (contact_law.h). A tree that has fewer contacts than another has none
/// here: its lane is not `active`.
struct alignas(sizeof(Lanes)) FourPoint {
    simd::Packs<Lanes, 3> lambda, base;
    Lanes                 distance, mu;
    simd::Packs<Lanes, 2> drift;
    simd::Packs<Lanes, 6> K;
    simd::Packs<Lanes, 3> inverse;
    Lanes                 slip_step, push;
    NormalRow<Lanes>      normal;
    LaneMask              active;
    // Rows along n, t1, t2 over whole blocks of dofs, three numbers for each dof.
    Lanes*                             J     = nullptr;
    std::int32_t                       count = 0;  ///< of blocks
    std::array<std::int32_t, kMostBlocks> blocks;  ///< their first dofs
    std::array<ContactRow*, 4>         row{};
};

/// Rows on one dof of each of four trees.
struct FourDof {
    std::int32_t        dof   = 0;  ///< of the first tree
    unsigned            trees = 0;  ///< a bit for each that has rows on it
    const Lanes*        row   = nullptr;
    const std::int32_t* blocks = nullptr;
    std::int32_t        count  = 0;
};

/// The rows of four islands of one tree each that are alike, side by side: limits and friction of dofs, and contacts
/// of one or two links. Contacts of a tree keep their order; the first ones of all trees lie in the
/// lanes of one FourPoint, then the second ones. Every operation is that of run_island on each lane, in the same order,
/// so a tree has the bits that it has alone (docs/softstep_method.md, "Copies of a robot").
class FourRows {
  public:
    /// Whether it knows all rows of the islands and has room for them.
    [[nodiscard]] static bool fits(const System& system, const Work& work, dynamics::FourDynamics& four);

    FourRows(System& system, const Work& work, dynamics::FourDynamics& four, double h, bool first);

    void warm_start();
    /// One sweep over the rows of the trees that are `live`; the largest change of a rate of each.
    std::array<double, 4> sweep(bool backwards, double anchor, bool relax, unsigned live);
    /// Velocities into Motion::v.
    void end();
    /// The velocities of a tree are others than `end` made them.
    void reload(std::size_t tree);
    /// After positions moved: distances, drift.
    void advance();
    /// Impulses into the rows of the contacts.
    void store();

  private:
    /// The six rows of a link's velocity at the reference point of its tree, for each dof of whole blocks.
    struct LinkRows {
        const Lanes*                          at      = nullptr;
        const std::int32_t*                   blocks  = nullptr;
        const std::uint8_t*                   on_path = nullptr;
        std::int32_t                          count   = 0;
        std::array<std::int8_t, kMostBlocks> place{};  ///< of each block of the tree among these, -1: none
    };
    /// Contacts of the trees that are to lie in one FourPoint.
    struct Found {
        std::array<std::array<Vec3d, 4>, 2> p{};  ///< surface points of both sides
        std::array<double, 4>               mass{1, 1, 1, 1};
    };
    /// The whitened row of a dof of the first tree.
    [[nodiscard]] const Lanes* row(std::int32_t dof) const
    {
        const auto& begin = system_.paths.block_begin;
        return &rows_.rows[kLanes * (begin[dof] - begin[tree_.dof_begin])].v;
    }
    void                          build_dofs();
    void                          build_points(bool first);
    void                          build_point(FourPoint& point, const Found& found);
    [[nodiscard]] const LinkRows& link_rows(std::int32_t link);
    void   place_rows(FourPoint& point, const std::array<std::array<std::int32_t, 4>, 2>& link, std::size_t seat,
                      const Lanes** six);
    Lanes* take(std::int32_t count) { return std::exchange(next_, next_ + count); }

    static constexpr std::int32_t kMostPoints = 24, kMostDofs = dynamics::FourDynamics::kMostDofs;
    static constexpr std::int32_t kMostLinks = dynamics::FourDynamics::kMostLinks, kRoom = 10240;

    System&                            system_;
    const Work&                        work_;
    dynamics::FourDynamics&            four_;
    const Tree&                        tree_;  ///< the first
    double                             h_;
    Softness                           soft_;
    dynamics::FourDynamics::Rows       rows_;
    Lanes*                             u_;
    std::int32_t                       point_count_ = 0, dof_count_ = 0;
    std::array<LinkRows, kMostLinks>   links_;
    std::array<FourDof, kMostDofs>     dofs_;
    alignas(sizeof(Lanes)) std::byte   points_[sizeof(FourPoint) * kMostPoints];
    Lanes*                             next_;
    alignas(sizeof(Lanes)) std::byte   room_[sizeof(Lanes) * kRoom];
};

#pragma GCC diagnostic pop

}  // namespace mechane::solvers::softstep

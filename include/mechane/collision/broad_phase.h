#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/geometry/bvh.h"

/// Broad phases: which shapes may touch. All of them give the same pairs; they differ in what they cost. None needs a
/// model: shapes are rows of boxes and filters.
namespace mechane::collision {

/// What the broad phase knows of a shape that never changes.
struct ShapeFilter {
    std::int32_t body   = -1;
    std::int32_t world  = -1;
    std::int32_t group  = 1;
    bool         active = false;  ///< collides with anything at all
    bool         mobile = false;  ///< pairs without a mobile shape are dropped
    bool         plane  = false;  ///< infinite: tested against every box of its worlds
};

/// Integer groups: 0 never; equal positive ones; a negative one with everything but itself.
constexpr bool groups_collide(std::int32_t a, std::int32_t b)
{
    if (a == 0 || b == 0) return false;
    return a > 0 ? a == b || b < 0 : a != b;
}
constexpr bool worlds_collide(std::int32_t a, std::int32_t b) { return a < 0 || b < 0 || a == b; }

/// An infinite plane in the world, already raised by its own reach.
struct RaisedPlane {
    Vec3d n;
    Vec3d origin;
};

using ShapePair = std::pair<std::int32_t, std::int32_t>;

enum class BroadPhaseMode : std::uint8_t {
    automatic,  ///< by size: the list where worlds are small, the tree for many shapes that mostly rest, or the sweep
    all_pairs,  ///< "nxn"
    sweep,      ///< "sap"
    explicit_pairs,  ///< "explicit": the list of pairs that the filters let through, made once
    tree             ///< "tree": a dynamic tree of boxes in each world
};
/// @error COL_BROAD_PHASE_UNKNOWN
Result<BroadPhaseMode> broad_phase_mode(std::string_view name);

/// Finds the pairs of shapes whose boxes share a point and whose filters agree. Result: sorted, each pair once, smaller
/// index first. Keeps its memory between calls; not for two threads at once.
class BroadPhase {
  public:
    /// @param excluded  pairs that never collide, in any order, also twice
    BroadPhase(std::vector<ShapeFilter> filters, std::vector<ShapePair> excluded);
    virtual ~BroadPhase()                    = default;
    BroadPhase(const BroadPhase&)            = delete;
    BroadPhase& operator=(const BroadPhase&) = delete;

    /// @param boxes   expanded boxes, empty for a shape that is out of order; shape [n]
    /// @param planes  by shape; read where the filter says so; may be empty when no shape is a plane
    /// @param limit   no more pairs than this are found
    /// @return false when there are more than `limit`
    bool find_pairs(std::span<const geometry::Aabbd> boxes, std::span<const RaisedPlane> planes,
                    std::vector<ShapePair>& out, std::size_t limit = std::size_t{1} << 26);
    /// The same into a caller's memory, boxes grown by `gap` (empty: none). Returns the demand; when that is more than
    /// fits, `out` holds the first pairs in canonical order.
    std::size_t launch(std::span<const geometry::Aabbd> boxes, std::span<const double> gap,
                       std::span<const RaisedPlane> planes, std::span<ShapePair> out);

    [[nodiscard]] const std::vector<ShapeFilter>& filters() const { return filters_; }
    /// Whether filters alone let the pair through.
    [[nodiscard]] bool allowed(std::int32_t i, std::int32_t k) const;

  protected:
    using Boxes = std::span<const geometry::Aabbd>;
    /// Appends pairs of shapes that are not planes, in any order; stops at the limit.
    virtual void find_boxes(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit) = 0;
    static bool  in_order(const geometry::Aabbd& box) { return box.lower.x <= box.upper.x; }

    std::vector<ShapeFilter>               filters_;
    std::vector<ShapePair>                 excluded_;
    std::vector<std::ptrdiff_t>            excluded_from_;    ///< [shapes + 1]: where those of a first shape begin
    std::vector<std::int32_t>              global_, planes_;  ///< active shapes of no world, without planes; planes
    std::vector<std::vector<std::int32_t>> worlds_;

  private:
    void find_planes(Boxes boxes, std::span<const RaisedPlane> planes, std::vector<ShapePair>& out,
                     std::size_t limit) const;
    void sort(std::vector<ShapePair>& pairs);

    std::vector<ShapePair>       pairs_;      ///< of `launch`
    std::vector<ShapePair>       scattered_;  ///< of `sort`
    std::vector<std::uint32_t>   places_;
    std::vector<geometry::Aabbd> grown_;
};

/// Every pair of every world: no setup, best for fewer than a hundred shapes.
class BroadPhaseAllPairs final : public BroadPhase {
  public:
    using BroadPhase::BroadPhase;

  private:
    void find_boxes(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit) override;
};

/// The boxes of a sweep in its order, by component: many are tested at once.
struct SweepColumns {
    std::vector<double> lower, low1, high1, low2, high2;  ///< along the axis of the sweep; on the other two
};

/// Sweep and prune (Cohen et al. 1995) per world along the axis on which the centres of the boxes spread most. While
/// little moves, the pairs of boxes made a little larger are kept, and only those are tested until boxes leave the
/// larger ones: the same pairs at a tenth of the cost.
class BroadPhaseSAP final : public BroadPhase {
  public:
    using BroadPhase::BroadPhase;

  private:
    struct Entry {
        double       lower;
        std::int32_t shape;
    };
    void find_boxes(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit) override;
    void sweep_all(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit);
    bool find_movers(Boxes boxes);
    void fatten(Boxes boxes);
    void test_near(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit) const;
    void sweep(std::span<const std::int32_t> own, std::span<const std::int32_t> shared, Boxes boxes,
               std::vector<ShapePair>& out, std::size_t limit);

    std::vector<Entry> entries_;
    SweepColumns       columns_;

    std::vector<geometry::Aabbd> fat_;     ///< larger boxes, of some call before
    std::vector<ShapePair>       near_;    ///< pairs of those, sorted; while `listed_`
    std::vector<std::int32_t>    movers_;  ///< shapes that have left theirs
    bool                         listed_ = false;
    int                          age_    = 0;  ///< calls since `near_` was made
};

/// Tests a list of pairs. Without a list, all that the filters let through; a list of the user's is trusted.
class BroadPhaseExplicit final : public BroadPhase {
  public:
    BroadPhaseExplicit(std::vector<ShapeFilter> filters, std::vector<ShapePair> excluded);
    explicit BroadPhaseExplicit(std::size_t shape_count, std::vector<ShapePair> pairs);
    [[nodiscard]] const std::vector<ShapePair>& list() const { return list_; }

  private:
    void find_boxes(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit) override;

    std::vector<ShapePair> list_;
};

/// A binary tree of fattened boxes for each world and one for the shapes of no world. A shape that moves within its fat
/// box costs nothing but its query; one that leaves it is inserted anew where it enlarges the tree least (branch and
/// bound, Catto 2019). Only mobile shapes ask.
class BroadPhaseTree final : public BroadPhase {
  public:
    BroadPhaseTree(std::vector<ShapeFilter> filters, std::vector<ShapePair> excluded);
    ~BroadPhaseTree() override;

  private:
    class Tree;
    void find_boxes(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit) override;
    void query(const Tree& tree, std::int32_t shape, Boxes boxes, std::vector<ShapePair>& out, std::size_t limit);

    std::vector<Tree>         trees_;  ///< one for each world, the last for shapes of no world
    std::vector<std::int32_t> stack_;
};

/// What `automatic` stands for with these shapes.
BroadPhaseMode broad_phase_for(std::span<const ShapeFilter> filters);

std::unique_ptr<BroadPhase> make_broad_phase(BroadPhaseMode mode, std::vector<ShapeFilter> filters,
                                             std::vector<ShapePair> excluded);

}  // namespace mechane::collision

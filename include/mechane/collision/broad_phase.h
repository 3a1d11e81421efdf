#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/geometry/bvh.h"

/// Broad phases: which shapes may touch. All of them give the same pairs; they differ in what they cost. None needs a
/// model: shapes are rows of boxes and filters.
namespace mechane::tasks {
class Pool;
}

namespace mechane::collision {

/// What the broad phase knows of a shape that never changes.
/// By these alone a pair may be ruled out: two shapes of one body, of different worlds, of groups that do not meet, or
/// of which neither is mobile.
struct ShapeFilter {
    /// -1: none; shapes without a body never meet each other.
    std::int32_t body  = -1;
    std::int32_t world = -1;
    /// As `groups_collide` reads it.
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
/// A negative world is shared by all.
constexpr bool worlds_collide(std::int32_t a, std::int32_t b) { return a < 0 || b < 0 || a == b; }

/// An infinite plane in the world, already raised by its own reach.
struct RaisedPlane {
    Vec3d n;       ///< unit, out of the solid, world; dimensionless
    Vec3d origin;  ///< a point of the raised plane, world [m]
};

/// Indices of shapes, the smaller one first in what is found.
using ShapePair = std::pair<std::int32_t, std::int32_t>;

enum class BroadPhaseMode : std::uint8_t {
    automatic,  ///< by size: the list where worlds are small, the tree for many shapes that mostly rest, or the sweep
    all_pairs,  ///< "nxn"
    sweep,      ///< "sap"
    explicit_pairs,  ///< "explicit": the list of pairs that the filters let through, made once
    tree             ///< "tree": a dynamic tree of boxes in each world
};
/// By its name in quotes above, which is Newton's where Newton has it.
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
    /// @param pool    null: the caller's thread; the pairs do not depend on it
    /// @return false when there are more than `limit`
    bool find_pairs(std::span<const geometry::Aabbd> boxes, std::span<const RaisedPlane> planes,
                    std::vector<ShapePair>& out, std::size_t limit = std::size_t{1} << 26,
                    const tasks::Pool* pool = nullptr);
    /// The same into a caller's memory, boxes grown by `gap` (empty: none). Returns the demand; when that is more than
    /// fits, `out` holds the first pairs in canonical order.
    std::size_t launch(std::span<const geometry::Aabbd> boxes, std::span<const double> gap,
                       std::span<const RaisedPlane> planes, std::span<ShapePair> out);

    /// As they were given; a broad phase is made anew where they change.
    [[nodiscard]] const std::vector<ShapeFilter>& filters() const { return filters_; }
    /// Whether filters alone let the pair through.
    [[nodiscard]] bool allowed(std::int32_t i, std::int32_t k) const;

  protected:
    using Boxes = std::span<const geometry::Aabbd>;
    /// Appends pairs of shapes that are not planes, in any order; stops at the limit.
    virtual void find_boxes(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit) = 0;
    static bool  in_order(const geometry::Aabbd& box) { return box.lower.x <= box.upper.x; }
    /// The threads of find_pairs, or null.
    [[nodiscard]] const tasks::Pool* pool() const { return pool_; }
    /// Appends what the entries from `begin` up to `end` of something meet; may stop beyond the limit. Of one `part` no
    /// two run at a time.
    using Find = std::function<void(std::size_t begin, std::size_t end, std::size_t part, std::vector<ShapePair>& out)>;
    /// All of [0, count) in parts of `grain` entries, on the threads of find_pairs.
    void in_parts(std::size_t count, std::size_t grain, std::vector<ShapePair>& out, std::size_t limit,
                  const Find& find);
    /// By first and second shape.
    void sort(std::vector<ShapePair>& pairs);
    /// Number of the world among `worlds_`; their number for a shape of none.
    [[nodiscard]] std::size_t list_of(std::int32_t shape) const
    {
        const std::int32_t world = filters_[static_cast<std::size_t>(shape)].world;
        return world < 0 ? worlds_.size() : static_cast<std::size_t>(world);
    }

    std::vector<ShapeFilter>               filters_;
    std::vector<ShapePair>                 excluded_;
    std::vector<std::ptrdiff_t>            excluded_from_;    ///< [shapes + 1]: where those of a first shape begin
    std::vector<std::int32_t>              global_, planes_;  ///< active shapes of no world, without planes; planes
    std::vector<std::vector<std::int32_t>> worlds_;
    std::vector<std::int32_t>              solid_;       ///< those of the worlds, one after the other, then `global_`
    std::vector<std::size_t>               solid_from_;  ///< [worlds + 2]: where a list begins in `solid_`

  private:
    void find_planes(Boxes boxes, std::span<const RaisedPlane> planes, std::vector<ShapePair>& out, std::size_t limit);

    const tasks::Pool*                  pool_ = nullptr;  ///< during find_pairs
    std::vector<std::vector<ShapePair>> found_;           ///< by parts
    std::vector<ShapePair>              sorted_, pairs_;  ///< scratch of the order; of `launch`
    std::vector<geometry::Aabbd>        grown_;
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
    std::vector<double> lower, low1, high1, low2, high2;  ///< [m], along the axis of the sweep; on the other two
};

/// Sweep and prune (Cohen et al. 1995) per world along the axis on which the centres of the boxes spread most. Large
/// worlds are cut into strips along the next axis, each with a sweep of its own. While little moves, the pairs of boxes
/// made a little larger are kept, and only those are tested until boxes leave the larger ones: the same pairs at a
/// tenth of the cost.
class BroadPhaseSAP final : public BroadPhase {
  public:
    using BroadPhase::BroadPhase;

  private:
    struct Entry {
        double       lower;  ///< of the box along the axis of the sweep [m]
        std::int32_t shape;
    };
    /// Axes of a world's sweep; along `axis1` it is cut into strips, of which the first and the last have no end.
    struct Cut {
        std::size_t               axis = 0, axis1 = 1;
        double                    from = 0, per_length = 0;  ///< where the first strip begins [m], strips a metre
        std::size_t               strips = 0;                ///< 0: nothing in order
        [[nodiscard]] std::size_t strip_of(double x) const;
    };
    /// The boxes of a strip in order along the axis.
    struct Sweep {
        std::vector<Entry> entries, sorted;
        SweepColumns       columns;
    };
    void find_boxes(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit) override;
    void sweep_all(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit);
    bool find_movers(Boxes boxes);
    void fatten(Boxes boxes);
    void test_near(Boxes boxes, std::vector<ShapePair>& out, std::size_t limit);
    /// The shapes of a list and those that all lists share.
    [[nodiscard]] std::array<std::span<const std::int32_t>, 2> shapes_of(std::size_t list) const;
    [[nodiscard]] Cut                                          cut(std::size_t list, Boxes boxes, bool whole) const;
    static void                                                sort_boxes(const Cut& cut, Boxes boxes, Sweep& sweep);
    /// Pairs of entries [begin, end) with those after them, of which the strip has the beginning of what they share.
    void meet(const Cut& cut, std::size_t strip, const Sweep& sweep, std::size_t list, std::size_t begin,
              std::size_t end, Boxes boxes, std::vector<ShapePair>& out, std::size_t limit) const;

    std::vector<Sweep>           sweeps_;  ///< by parts
    std::vector<geometry::Aabbd> fat_;     ///< larger boxes, of some call before
    std::vector<geometry::Aabbd> made_;    ///< the boxes that those were made of
    std::vector<ShapePair>       near_;    ///< pairs of those, sorted; while `listed_`
    std::vector<std::int32_t>    movers_;  ///< shapes that have left theirs
    bool                         listed_ = false;
    int                          age_    = 0;  ///< calls since `fat_` was made
};

/// Tests a list of pairs. Without a list, all that the filters let through; a list of the user's is trusted.
class BroadPhaseExplicit final : public BroadPhase {
  public:
    BroadPhaseExplicit(std::vector<ShapeFilter> filters, std::vector<ShapePair> excluded);
    explicit BroadPhaseExplicit(std::size_t shape_count, std::vector<ShapePair> pairs);
    /// What is tested, sorted.
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
    void query(const Tree& tree, std::int32_t shape, Boxes boxes, std::vector<std::int32_t>& stack,
               std::vector<ShapePair>& out, std::size_t limit) const;

    std::vector<Tree>                      trees_;   ///< one for each world, the last for shapes of no world
    std::vector<std::vector<std::int32_t>> stacks_;  ///< by parts
};

/// What `automatic` stands for with these shapes.
BroadPhaseMode broad_phase_for(std::span<const ShapeFilter> filters);

/// @param mode  `automatic` becomes what `broad_phase_for` says
std::unique_ptr<BroadPhase> make_broad_phase(BroadPhaseMode mode, std::vector<ShapeFilter> filters,
                                             std::vector<ShapePair> excluded);

}  // namespace mechane::collision

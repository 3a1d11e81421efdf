#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mechane/collision/pair_cache.h"
#include "mechane/collision/shape.h"
#include "narrow/near_triangles.h"
#include "shape_set.h"

/// Contacts of pairs before they are stored, and after that until the next call.
namespace mechane::collision {

/// The body that a normal turns with.
enum class NormalOwner : std::uint8_t { first, second, both };

struct Row {
    std::uint64_t feature;
    Vec3d         normal;          ///< in the world
    Vec3          point0, point1;  ///< of the cores, in body frames
    double        distance;        ///< margins subtracted [m]
    Real          stiffness = 0, friction = 0;
    bool          admitted = true;   ///< near enough, or closing; others wait for the next call
    bool          pressure = false;  ///< the points lie on neither surface: no radii and margins
    // -- where the pair may be kept
    NormalOwner owner = NormalOwner::both;
    Vec3        fixed_normal;  ///< in the frame of its owner's body; of both: of the first
    double      shift = 0;     ///< distance less what points and normal say of it [m]
};

/// Where the shapes of a pair were against each other: the middle of the frame of the smaller one in the frame of the
/// other's body, and how the two bodies are turned.
struct PairPose {
    Vec3d p;
    Quatd q;
};

inline constexpr double kNotKept = -kInfinity;  ///< reach of a pair that is looked at in every call

/// Contacts of one pair among those of its chunk.
struct PairRows {
    std::int32_t  shape0 = 0, shape1 = 0;
    std::uint32_t first = 0, count = 0;
    PairPose      found;             ///< where the contacts were found
    double        reach = kNotKept;  ///< up to which they were looked for [m]
    /// What told two convex shapes apart when they were looked at last, in the frame of the first body: as long as it
    /// does, another look would find nothing. Zero: nothing is known.
    Vec3         apart;
    std::int32_t near = -1;  ///< the triangles of the first shape about the second, among those of its chunk

    [[nodiscard]] std::uint64_t key() const
    {
        return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(shape0)) << 32) |
               static_cast<std::uint32_t>(shape1);
    }
};

/// What one task finds: pairs in order, rows of each in order of their features. In cache lines of its own: others are
/// filled at the same time.
struct alignas(64) RowChunk {
    std::vector<PairRows>      pairs;
    std::vector<Row>           rows;
    std::vector<NearTriangles> near;  ///< those of now give the same answers as those of then: they are not saved
};

inline constexpr std::size_t kPairsPerChunk = 16;

/// The pairs of the last call, in the order of their keys over all chunks.
struct PairCache::Impl {
    PairCacheOptions       options;
    std::vector<RowChunk>  chunks;
    std::size_t            used = 0;  ///< chunks
    std::vector<ShapePair> pairs;     ///< of all chunks
};

/// Walks through a cache along pairs in order.
class PairCursor {
  public:
    explicit PairCursor(std::span<const RowChunk> chunks) : chunks_(chunks) {}
    /// The pair, or null. Keys must not decrease from call to call.
    const PairRows*               find(std::uint64_t key);
    [[nodiscard]] const RowChunk& chunk() const { return chunks_[chunk_]; }

  private:
    std::span<const RowChunk> chunks_;
    std::size_t               chunk_ = 0, index_ = 0;
    bool                      begun_ = false;
};

/// Whether looking whether a pair has moved costs less than finding its contacts.
bool worth_keeping(const Shape& a, const Shape& b);

PairPose pair_pose(const ShapeSet& set, std::int32_t shape0, std::int32_t shape1);
/// The smaller shape of a pair; the second one where they are equal.
std::int32_t smaller_of(const ShapeSet& set, std::int32_t shape0, std::int32_t shape1);

/// How far a pair may move while it is kept.
struct KeptMotion {
    double way  = 0;  ///< [m]
    double turn = 0;  ///< [rad]
    double ball = 0;  ///< radius of the smaller shape's ball about its origin [m]

    /// How far beyond what is needed contacts are looked for, so that none is missed meanwhile [m].
    [[nodiscard]] double reach() const { return way + turn * ball; }
};
KeptMotion kept_motion(const PairCacheOptions& options, const ShapeSet& set, std::int32_t shape0, std::int32_t shape1);
/// Whether the contacts that were found are still those of now, all that lie within `reach` [m].
bool may_keep(const KeptMotion& most, const PairPose& now, const PairRows& old, double reach);

/// Fills in what lets the row be kept.
void bind(const ShapeSet& set, const PairRows& pair, const Shape& a, const Shape& b, Row& row);
/// Moves rows of a pair that is kept to the poses of now.
class RowMotion {
  public:
    RowMotion(const ShapeSet& set, const PairRows& pair, const PairPose& now);
    void apply(Row& row) const;
    /// Between the surfaces, in the world.
    [[nodiscard]] Vec3d middle(const Row& row) const;

  private:
    const ShapeSet*   set_;
    const PairRows*   pair_;
    const PairPose*   now_;
    const BodyMotion *body0_, *body1_;
    Vec3d             p01_;  ///< from the origin of the first body to that of the second
};

}  // namespace mechane::collision

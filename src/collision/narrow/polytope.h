#pragma once
#include <array>
#include <cstdint>

#include "difference.h"
#include "scratch.h"

namespace mechane::collision {

/// A convex polytope inside a - b that grows towards the boundary point nearest to the origin. The origin may start
/// outside of it: faces then have negative offsets and are expanded first. Each face knows its neighbours, so that what
/// a new vertex sees is found from the face it lies over.
class Polytope {
  public:
    struct Face {
        std::array<std::int32_t, 3> v;     ///< counter-clockwise from outside; edge i leads from v[i] to v[i + 1]
        std::array<std::int32_t, 3> next;  ///< the face across edge i
        std::array<std::int8_t, 3>  back;  ///< which of its edges that is
        bool                        seen;
        Vec3d                       across;  ///< the outward normal times twice the area
        double                      size;    ///< the square of its length
        double                      height;  ///< of the plane over the origin, times that length
    };

    /// A tetrahedron; false when its points span no volume.
    bool start(const MinkowskiPoint& p0, const MinkowskiPoint& p1, const MinkowskiPoint& p2, const MinkowskiPoint& p3);
    /// The face nearest to the origin, the first one among equals; -1 when only slivers are left.
    [[nodiscard]] std::int32_t nearest() const;
    /// Takes a new vertex, which lies over the face `over`, into the hull: faces that see it go, the edges of the hole
    /// are joined to it. False when full or where rounding leaves no proper hole.
    bool grow(std::int32_t over, const MinkowskiPoint& w, double tolerance);

    [[nodiscard]] const Face&           face(std::int32_t i) const { return faces_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] const MinkowskiPoint& vertex(std::int32_t i) const { return vertices_[static_cast<std::size_t>(i)]; }

  private:
    static constexpr std::int32_t kMaxVertices = 160, kMaxFaces = 400;
    /// The edges of the hole in order, each with its new face.
    struct Rim {
        std::int32_t first = -1, last = -1, count = 0;
    };

    std::int32_t add_face(std::int32_t i, std::int32_t j, std::int32_t k);
    /// Whether w lies over the plane of the face by more than `tolerance` [m].
    static bool under(const Face& face, const Vec3d& w, double tolerance);
    void        see(std::int32_t f);
    void        join(std::int32_t f, int e, std::int32_t g, int h);
    bool        walk(std::int32_t f, int from, std::int32_t vertex, const Vec3d& w, double tolerance, Rim& rim);

    Scratch<MinkowskiPoint, kMaxVertices> vertices_;
    Scratch<Face, kMaxFaces>              faces_;
    /// Squares of the offsets with their signs, which spare a root; infinite for a sliver and for what is gone.
    Scratch<double, kMaxFaces>       rank_;
    Scratch<std::int32_t, kMaxFaces> free_;
    std::int32_t                     vertex_count_ = 0, face_count_ = 0, free_count_ = 0;
    Scratch<std::int32_t, kMaxFaces> seen_;  ///< faces that the new vertex sees
    std::int32_t                     gone_ = 0;
};

}  // namespace mechane::collision

#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "difference.h"
#include "scratch.h"

namespace mechane::collision {

/// A convex polytope inside a - b that grows towards the boundary point nearest to the origin. The origin may start
/// outside of it: faces then have negative offsets and are expanded first. Each face knows its neighbours, so that what
/// a new vertex sees is found from the face it lies over. All of it is inline: the expansion spends half of its time
/// here.
class Polytope {
  public:
    struct Face {
        Vec3d                       across;  ///< the outward normal times twice the area
        double                      height;  ///< of the plane over the origin, times the length of `across`
        double                      size;    ///< the square of that length
        std::array<std::int16_t, 3> v;       ///< counter-clockwise from outside; edge i leads from v[i] to v[i + 1]
        std::array<std::int16_t, 3> next;    ///< the face across edge i
        std::array<std::int8_t, 3>  back;    ///< which of its edges that is
        bool                        seen;
    };

    /// A tetrahedron; false when its points span no volume.
    bool start(const MinkowskiPoint& p0, const MinkowskiPoint& p1, const MinkowskiPoint& p2, const MinkowskiPoint& p3);
    /// The face nearest to the origin, the first one among equals; -1 when only slivers are left.
    [[nodiscard]] int nearest() const;
    /// The face of the same plane as `face`, within the tolerance [m], in which a point of that plane lies.
    [[nodiscard]] int face_about(int face, const Vec3d& foot, double tolerance) const;
    /// `nearest` will not name this face again.
    void pass_over(int face) { rank_[index(face)] = kInfinity; }
    /// The place of the next vertex: what is written there is part of the polytope once `grow` has taken it in. Null
    /// when there is no more room.
    MinkowskiPoint* room() { return vertex_count_ < kMaxVertices ? &vertices_[index(vertex_count_)] : nullptr; }
    /// Takes the vertex in `room`, which lies over the face `over`, into the hull: faces that see it go, the edges of
    /// the hole are joined to it. False where rounding leaves no proper hole.
    /// @param tolerance  how far over its plane a face must see the vertex [m]
    bool grow(int over, double tolerance);

    [[nodiscard]] const Face&           face(int i) const { return faces_[index(i)]; }
    [[nodiscard]] const MinkowskiPoint& vertex(int i) const { return vertices_[index(i)]; }

  private:
    static constexpr int           kMaxVertices = 160, kMaxFaces = 2 * kMaxVertices;
    static constexpr std::uint64_t kIndexBits = 511;
    static_assert(kMaxFaces <= static_cast<int>(kIndexBits));
    /// An edge of a face, as the neighbour behind it sees it: that one goes along it from `head` to `tail`.
    struct Edge {
        std::int16_t face, edge, head, tail;
    };

    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    void               write_face(int at, int i, int j, int k, const Vec3d& e, const Vec3d& f);
    void               join(int f, int e, int g, int h);
    static bool        sees(const Face& face, const Vec3d& w, double tolerance2);

    Scratch<MinkowskiPoint, kMaxVertices> vertices_;
    Scratch<Face, kMaxFaces>              faces_;
    /// Squares of the offsets with their signs, which spare a root; infinite for a sliver. The last bits name the face.
    Scratch<double, kMaxFaces> rank_;
    int                        vertex_count_ = 0, face_count_ = 0;
};

/// The face from vertex k along the edges e to i and f to j.
[[gnu::always_inline]] inline void Polytope::write_face(int at, int i, int j, int k, const Vec3d& e, const Vec3d& f)
{
    Face&        face = faces_[index(at)];
    const Vec3d  c    = cross(e, f);
    const double cc = dot(c, c), h = dot(c, vertex(k).w), side = std::max(length_squared(e), length_squared(f));
    const bool   thin = !(cc > 1e-28 * side * side);
    face.across       = thin ? Vec3d{} : c;
    face.height       = thin ? 0 : h;
    face.size         = cc;
    face.v            = {static_cast<std::int16_t>(i), static_cast<std::int16_t>(j), static_cast<std::int16_t>(k)};
    face.seen         = false;
    const double rank = h * std::abs(h) / cc;
    rank_[index(at)]  = thin ? kInfinity
                             : std::bit_cast<double>((std::bit_cast<std::uint64_t>(rank) & ~kIndexBits) |
                                                     static_cast<std::uint64_t>(at));
}

inline void Polytope::join(int f, int e, int g, int h)
{
    Face &a = faces_[index(f)], &b = faces_[index(g)];
    a.next[index(e)] = static_cast<std::int16_t>(g), a.back[index(e)] = static_cast<std::int8_t>(h);
    b.next[index(h)] = static_cast<std::int16_t>(f), b.back[index(h)] = static_cast<std::int8_t>(e);
}

inline bool Polytope::start(const MinkowskiPoint& p0, const MinkowskiPoint& p1, const MinkowskiPoint& p2,
                            const MinkowskiPoint& p3)
{
    const double volume = dot(p1.w - p0.w, cross(p2.w - p0.w, p3.w - p0.w));
    if (volume == 0) return false;
    vertices_[0] = p0, vertices_[1] = volume > 0 ? p1 : p2, vertices_[2] = volume > 0 ? p2 : p1, vertices_[3] = p3;
    vertex_count_ = 4;
    // Faces away from the fourth point, then those round it.
    for (const auto& [i, j, k] : {std::array{0, 2, 1}, std::array{0, 1, 3}, std::array{1, 2, 3}, std::array{2, 0, 3}})
        write_face(face_count_++, i, j, k, vertex(i).w - vertex(k).w, vertex(j).w - vertex(k).w);
    join(0, 0, 3, 0), join(0, 1, 2, 0), join(0, 2, 1, 0);
    join(1, 1, 2, 2), join(2, 1, 3, 2), join(3, 1, 1, 2);
    return true;
}

[[gnu::always_inline]] inline int Polytope::nearest() const
{
    // Four running minima: one alone would wait for itself.
    double least[4] = {kInfinity, kInfinity, kInfinity, kInfinity};
    int    i        = 0;
    for (; i + 4 <= face_count_; i += 4)
        for (int k = 0; k < 4; ++k) {
            const double x = rank_[index(i + k)];
            least[k]       = x < least[k] ? x : least[k];
        }
    for (; i < face_count_; ++i) least[0] = std::min(least[0], rank_[index(i)]);
    const double low = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
    return low == kInfinity ? -1 : static_cast<int>(std::bit_cast<std::uint64_t>(low) & kIndexBits);
}

inline int Polytope::face_about(int at, const Vec3d& foot, double tolerance) const
{
    for (int steps = 0; steps < face_count_; ++steps) {
        const Face& f      = face(at);
        double      lowest = 0;
        int         across = -1;
        for (int e = 0; e < 3; ++e) {
            const Vec3d& from = vertex(f.v[index(e)]).w;
            const double side = dot(f.across, cross(vertex(f.v[index((e + 1) % 3)]).w - from, foot - from));
            if (side < lowest) lowest = side, across = f.next[index(e)];
        }
        if (across < 0) return at;
        const double off = dot(face(across).across, foot) - face(across).height;
        if (!(off * off <= tolerance * tolerance * face(across).size)) return at;
        at = across;
    }
    return at;
}

[[gnu::always_inline]] inline bool Polytope::sees(const Face& face, const Vec3d& w, double tolerance2)
{
    const double h = dot(face.across, w) - face.height;
    return h > 0 && h * h > tolerance2 * face.size;
}

[[gnu::always_inline]] inline bool Polytope::grow(int over, double tolerance)
{
    const double tolerance2 = tolerance * tolerance;
    const Vec3d  w          = vertices_[index(vertex_count_)].w;
    if (!sees(face(over), w, tolerance2)) return false;
    // From the seed over all that sees the vertex, depth first, so that the rim comes in order.
    Scratch<std::int16_t, kMaxFaces + 1> gone;
    Scratch<Edge, kMaxFaces + 4>         rim;
    Scratch<Edge, kMaxFaces + 3>         open;
    int                                  gone_count = 0, rim_count = 0, open_count = 0;
    const auto                           remove = [&](int f) {
        faces_[index(f)].seen     = true;
        gone[index(gone_count++)] = static_cast<std::int16_t>(f);
    };
    static constexpr std::int8_t kAfter[3] = {1, 2, 0}, kBefore[3] = {2, 0, 1};
    const auto                   push = [&](const Face& f, int e) {
        open[index(open_count++)] = {f.next[index(e)], f.back[index(e)], f.v[index(e)], f.v[index(kAfter[e])]};
    };
    remove(over);
    push(face(over), 2), push(face(over), 1), push(face(over), 0);
    while (open_count > 0) {
        const Edge  at = open[index(--open_count)];
        const Face& f  = face(at.face);
        if (f.seen) continue;
        if (sees(f, w, tolerance2)) {
            remove(at.face);
            push(f, kBefore[at.edge]), push(f, kAfter[at.edge]);
        } else {
            rim[index(rim_count++)] = at;
        }
    }
    // A proper hole has one rim, whose edges follow each other, and two faces less than the fan over it.
    if (rim_count != gone_count + 2 || face_count_ + 2 > kMaxFaces) return false;
    rim[index(rim_count)] = rim[0];
    for (int k = 0; k < rim_count; ++k)
        if (rim[index(k)].tail != rim[index(k + 1)].head) return false;
    for (int k = gone_count; k < rim_count; ++k) gone[index(k)] = static_cast<std::int16_t>(face_count_++);
    gone[index(rim_count)] = gone[0];
    std::int16_t before    = gone[index(rim_count - 1)];
    Vec3d        e         = vertex(rim[0].head).w - w;
    for (int k = 0; k < rim_count; ++k) {
        const Edge         out   = rim[index(k)];
        const std::int16_t at    = gone[index(k)];
        const Vec3d        f     = vertex(out.tail).w - w;
        Face&              made  = faces_[index(at)];
        Face&              other = faces_[index(out.face)];
        write_face(at, out.head, out.tail, vertex_count_, e, f);
        made.next                   = {out.face, gone[index(k + 1)], before};
        made.back                   = {static_cast<std::int8_t>(out.edge), 2, 1};
        other.next[index(out.edge)] = at, other.back[index(out.edge)] = 0;
        e = f, before = at;
    }
    ++vertex_count_;
    return true;
}

}  // namespace mechane::collision

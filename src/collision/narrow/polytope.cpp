#include "polytope.h"

#include <algorithm>

namespace mechane::collision {

std::int32_t Polytope::add_face(std::int32_t i, std::int32_t j, std::int32_t k)
{
    if (free_count_ == 0 && face_count_ >= kMaxFaces) return -1;
    const std::int32_t at = free_count_ > 0 ? free_[static_cast<std::size_t>(--free_count_)] : face_count_++;
    const Vec3d&       p  = vertex(i).w;
    const Vec3d        e = vertex(j).w - p, f = vertex(k).w - p, c = cross(e, f);
    const double       cc = dot(c, c), h = dot(c, p), side = std::max(length_squared(e), length_squared(f));
    const bool         thin              = !(cc > 1e-28 * side * side);
    faces_[static_cast<std::size_t>(at)] = {{i, j, k},          {-1, -1, -1}, {0, 0, 0},   false,
                                            thin ? Vec3d{} : c, cc,           thin ? 0 : h};
    rank_[static_cast<std::size_t>(at)]  = thin ? kInfinity : h * std::abs(h) / cc;
    return at;
}

void Polytope::see(std::int32_t f)
{
    faces_[static_cast<std::size_t>(f)].seen = true;
    rank_[static_cast<std::size_t>(f)]       = kInfinity;
    seen_[static_cast<std::size_t>(gone_++)] = f;
}

void Polytope::join(std::int32_t f, int e, std::int32_t g, int h)
{
    Face &     a = faces_[static_cast<std::size_t>(f)], &b = faces_[static_cast<std::size_t>(g)];
    const auto i = static_cast<std::size_t>(e), k = static_cast<std::size_t>(h);
    a.next[i] = g, a.back[i] = static_cast<std::int8_t>(h);
    b.next[k] = f, b.back[k] = static_cast<std::int8_t>(e);
}

bool Polytope::start(const MinkowskiPoint& p0, const MinkowskiPoint& p1, const MinkowskiPoint& p2,
                     const MinkowskiPoint& p3)
{
    const double volume = dot(p1.w - p0.w, cross(p2.w - p0.w, p3.w - p0.w));
    if (volume == 0) return false;
    vertices_[0] = p0, vertices_[1] = volume > 0 ? p1 : p2, vertices_[2] = volume > 0 ? p2 : p1, vertices_[3] = p3;
    vertex_count_ = 4;
    face_count_ = free_count_ = 0;
    add_face(0, 2, 1);  // faces away from the fourth point
    add_face(0, 1, 3);
    add_face(1, 2, 3);
    add_face(2, 0, 3);
    join(0, 0, 3, 0), join(0, 1, 2, 0), join(0, 2, 1, 0);
    join(1, 1, 2, 2), join(2, 1, 3, 2), join(3, 1, 1, 2);
    return true;
}

std::int32_t Polytope::nearest() const
{
    double       least = kInfinity;
    std::int32_t at    = -1;
    for (std::int32_t i = 0; i < face_count_; ++i) {
        const double x = rank_[static_cast<std::size_t>(i)];
        at             = x < least ? i : at;
        least          = x < least ? x : least;
    }
    return at;
}

bool Polytope::under(const Face& face, const Vec3d& w, double tolerance)
{
    const double h = dot(face.across, w) - face.height;
    return h > 0 && h * h > tolerance * tolerance * face.size;
}

/// Looks at face f from its edge `from`. What sees w goes, and the walk goes on round it; what does not is a rim.
bool Polytope::walk(std::int32_t f, int from, std::int32_t vertex, const Vec3d& w, double tolerance, Rim& rim)
{
    Face& face = faces_[static_cast<std::size_t>(f)];
    if (face.seen) return true;
    const auto e = static_cast<std::size_t>(from), e1 = (e + 1) % 3, e2 = (e + 2) % 3;
    if (!under(face, w, tolerance)) {
        const std::int32_t n = add_face(face.v[e1], face.v[e], vertex);
        if (n < 0) return false;
        join(n, 0, f, from);
        if (rim.last >= 0) {
            if (faces_[static_cast<std::size_t>(rim.last)].v[1] != face.v[e1]) return false;
            join(rim.last, 1, n, 2);
        } else {
            rim.first = n;
        }
        rim.last = n;
        ++rim.count;
        return true;
    }
    see(f);
    const auto next = face.next;
    const auto back = face.back;
    return walk(next[e1], back[e1], vertex, w, tolerance, rim) && walk(next[e2], back[e2], vertex, w, tolerance, rim);
}

bool Polytope::grow(std::int32_t over, const MinkowskiPoint& w, double tolerance)
{
    if (vertex_count_ >= kMaxVertices) return false;
    const Face& seed = face(over);
    if (!under(seed, w.w, tolerance)) return false;
    const std::int32_t index                   = vertex_count_++;
    vertices_[static_cast<std::size_t>(index)] = w;
    gone_                                      = 0;
    see(over);
    const auto next = seed.next;
    const auto back = seed.back;
    Rim        rim;
    for (std::size_t i = 0; i < 3; ++i)
        if (!walk(next[i], back[i], index, w.w, tolerance, rim)) return false;
    const auto &first = face(rim.first), &last = face(rim.last);
    if (rim.count < 3 || last.v[1] != first.v[0]) return false;
    join(rim.last, 1, rim.first, 2);
    // Only now may their places be taken: while the walk went on a new face must not stand where it still looked.
    for (std::int32_t i = 0; i < gone_; ++i)
        free_[static_cast<std::size_t>(free_count_++)] = seen_[static_cast<std::size_t>(i)];
    return true;
}

}  // namespace mechane::collision

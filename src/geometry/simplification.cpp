// Simplification by edge collapses with quadric errors (Garland, Heckbert 1997). Topology is kept: collapses that would
// fold or pinch the surface are refused.
// Errors are relative to the mesh's extent. The order of collapses is a total order, so the result depends on the mesh
// alone.

#include "mechane/geometry/simplification.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "mechane/geometry/weld.h"
#include "mechane/math/mat.h"

namespace mechane::geometry {

namespace {

/// Sum of squared distances to planes, weighted by area: p^T A p + 2 b p + c.
struct Quadric {
    Mat33d a{};
    Vec3d  b;
    double c = 0, weight = 0;

    void add_plane(const Vec3d& normal, double offset, double w)
    {
        a += w * Mat33d::outer(normal, normal);
        b -= (w * offset) * normal;
        c += w * offset * offset;
        weight += w;
    }
    void add(const Quadric& q)
    {
        a += q.a;
        b += q.b;
        c += q.c;
        weight += q.weight;
    }
    /// Mean squared distance of p to the planes [m^2].
    [[nodiscard]] double error(const Vec3d& p) const
    { return weight > 0 ? std::max(0.0, dot(p, a * p) + 2 * dot(b, p) + c) / weight : 0; }
};

struct Collapse {
    double       cost;
    std::int32_t keep, drop;
    std::int32_t version;  ///< of both ends, when the cost was computed
    Vec3d        to;

    /// Cheapest first, then by index: a total order.
    bool operator<(const Collapse& o) const { return std::tie(o.cost, o.keep, o.drop) < std::tie(cost, keep, drop); }
};

class Simplifier {
  public:
    Simplifier(Mesh mesh, double max_error)
        : mesh_(std::move(mesh)),
          alive_(mesh_.triangles.size(), true),
          of_(mesh_.points.size()),
          quadrics_(mesh_.points.size()),
          version_(mesh_.points.size(), 0),
          max_cost_(max_error * max_error)
    {
        for (std::size_t t = 0; t < mesh_.triangles.size(); ++t)
            for (const std::int32_t v : mesh_.triangles[t]) of(v).push_back(static_cast<std::int32_t>(t));
        for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) add_planes(static_cast<std::int32_t>(t));
        for (std::int32_t v = 0; v < std::ssize(mesh_.points); ++v)
            for (const std::int32_t w : neighbours(v))
                if (v < w) consider(v, w);
    }

    Mesh run(std::size_t wanted) &&
    {
        std::size_t left = mesh_.triangles.size();
        while (left > wanted && !queue_.empty()) {
            const Collapse c = queue_.top();
            queue_.pop();
            // An entry is stale if one of its ends has changed since.
            if (c.version != version(c.keep) + version(c.drop) || of(c.keep).empty() || of(c.drop).empty()) continue;
            if (c.cost > max_cost_) break;
            if (allowed(c)) left -= apply(c);
        }
        Mesh result;
        for (std::size_t t = 0; t < alive_.size(); ++t)
            if (alive_[t]) result.triangles.push_back(mesh_.triangles[t]);
        result.points = std::move(mesh_.points);
        return without_unused(std::move(result));
    }

  private:
    std::vector<std::int32_t>&   of(std::int32_t v) { return of_[static_cast<std::size_t>(v)]; }
    std::int32_t&                version(std::int32_t v) { return version_[static_cast<std::size_t>(v)]; }
    Vec3d&                       point(std::int32_t v) { return mesh_.points[static_cast<std::size_t>(v)]; }
    std::array<std::int32_t, 3>& corners(std::int32_t t) { return mesh_.triangles[static_cast<std::size_t>(t)]; }

    std::vector<std::int32_t> neighbours(std::int32_t v)
    {
        std::vector<std::int32_t> result;
        for (const std::int32_t t : of(v))
            for (const std::int32_t w : corners(t))
                if (w != v) result.push_back(w);
        std::ranges::sort(result);
        result.erase(std::ranges::unique(result).begin(), result.end());
        return result;
    }

    std::vector<std::int32_t> shared_triangles(std::int32_t a, std::int32_t b)
    {
        std::vector<std::int32_t> shared;
        for (const std::int32_t t : of(a))
            if (std::ranges::find(corners(t), b) != corners(t).end()) shared.push_back(t);
        return shared;
    }

    void add_planes(std::int32_t t)
    {
        const auto&  k    = corners(t);
        const Vec3d  n2   = cross(point(k[1]) - point(k[0]), point(k[2]) - point(k[0]));
        const double area = 0.5 * length(n2);
        const Vec3d  n    = normalized(n2);
        if (n == Vec3d{}) return;
        for (const std::int32_t v : k) quadrics_[static_cast<std::size_t>(v)].add_plane(n, dot(n, point(k[0])), area);
        for (std::size_t i = 0; i < 3; ++i) {
            const std::int32_t a = k[i], b = k[(i + 1) % 3];
            if (shared_triangles(a, b).size() != 1) continue;
            // An open border: a plane through it, upright on its triangle, holds it in place.
            const Vec3d across = normalized(cross(point(b) - point(a), n));
            for (const std::int32_t v : {a, b})
                quadrics_[static_cast<std::size_t>(v)].add_plane(across, dot(across, point(a)), area);
        }
    }

    void consider(std::int32_t a, std::int32_t b)
    {
        if (a > b) std::swap(a, b);
        Quadric q = quadrics_[static_cast<std::size_t>(a)];
        q.add(quadrics_[static_cast<std::size_t>(b)]);
        // The point of least error where it is well defined, else the best of the ends and their middle.
        const Vec3d middle = 0.5 * (point(a) + point(b));
        Vec3d       best   = middle;
        for (const Vec3d& p : {point(a), point(b)})
            if (q.error(p) < q.error(best)) best = p;
        // The minimum of the quadric solves A p = -b; near-singular matrices (flat or straight neighbourhoods) are left
        // to the candidates above.
        const double scale = trace(q.a);
        if (std::abs(determinant(q.a)) > 1e-6 * scale * scale * scale) {
            const Vec3d p = -(inverse(q.a) * q.b);
            if (is_finite(p) && q.error(p) < q.error(best) && length(p - middle) < 2 * length(point(a) - point(b)))
                best = p;
        }
        queue_.push({q.error(best), a, b, version(a) + version(b), best});
    }

    bool allowed(const Collapse& c)
    {
        // Link condition: the ends share exactly the neighbours of their shared triangles, at most two.
        const auto                shared = shared_triangles(c.keep, c.drop);
        const auto                na = neighbours(c.keep), nb = neighbours(c.drop);
        std::vector<std::int32_t> common;
        std::ranges::set_intersection(na, nb, std::back_inserter(common));
        if (shared.empty() || shared.size() > 2 || common.size() != shared.size()) return false;
        // A tetrahedron would become two triangles on one another.
        if (na.size() <= 3 && nb.size() <= 3 && shared.size() == 2) return false;
        for (const std::int32_t v : {c.keep, c.drop})
            for (const std::int32_t t : of(v)) {
                if (std::ranges::find(shared, t) != shared.end()) continue;
                std::array<Vec3d, 3> before, after;
                for (std::size_t i = 0; i < 3; ++i) {
                    before[i] = point(corners(t)[i]);
                    after[i]  = corners(t)[i] == v ? c.to : before[i];
                }
                const Vec3d n0 = cross(before[1] - before[0], before[2] - before[0]),
                            n1 = cross(after[1] - after[0], after[2] - after[0]);
                // Faces may turn by less than 78 degrees and must not become slivers.
                if (!(dot(n0, n1) > 0.2 * length(n0) * length(n1)) || !(length(n1) > 1e-3 * length(n0))) return false;
            }
        return true;
    }

    /// @return the number of triangles that are gone
    std::size_t apply(const Collapse& c)
    {
        const auto gone = shared_triangles(c.keep, c.drop);
        for (const std::int32_t t : gone) {
            alive_[static_cast<std::size_t>(t)] = false;
            for (const std::int32_t v : corners(t)) std::erase(of(v), t);
        }
        for (const std::int32_t t : of(c.drop)) {
            std::ranges::replace(corners(t), c.drop, c.keep);
            of(c.keep).push_back(t);
        }
        of(c.drop).clear();
        std::ranges::sort(of(c.keep));
        point(c.keep) = c.to;
        quadrics_[static_cast<std::size_t>(c.keep)].add(quadrics_[static_cast<std::size_t>(c.drop)]);
        ++version(c.keep);
        for (const std::int32_t w : neighbours(c.keep)) consider(c.keep, w);
        return gone.size();
    }

    static Mesh without_unused(Mesh mesh)
    {
        std::vector<std::int32_t> number(mesh.points.size(), -1);
        std::vector<Vec3d>        used;
        for (const auto& t : mesh.triangles)
            for (const std::int32_t v : t) number[static_cast<std::size_t>(v)] = 0;
        for (std::size_t v = 0; v < number.size(); ++v)
            if (number[v] == 0) {
                number[v] = static_cast<std::int32_t>(used.size());
                used.push_back(mesh.points[v]);
            }
        for (auto& t : mesh.triangles)
            for (std::int32_t& v : t) v = number[static_cast<std::size_t>(v)];
        mesh.points = std::move(used);
        return mesh;
    }

    Mesh                                   mesh_;
    std::vector<bool>                      alive_;
    std::vector<std::vector<std::int32_t>> of_;  ///< triangles of each point, ascending
    std::vector<Quadric>                   quadrics_;
    std::vector<std::int32_t>              version_;
    std::priority_queue<Collapse>          queue_;
    double                                 max_cost_;
};

}  // namespace

Mesh simplified(const Mesh& mesh, const SimplificationOptions& options)
{
    MCH_ASSERT(has_valid_indices(mesh) && is_finite(mesh));
    Mesh whole = welded(mesh);
    if (whole.triangles.empty()) return whole;
    const Aabbd  box    = bounds(whole);
    const double extent = max_component(box.upper - box.lower);
    const double ratio  = std::clamp(options.ratio, 0.0, 1.0);
    // A quadric loses half the digits, so it is computed in a box of unit size about the origin.
    const Vec3d centre = 0.5 * (box.lower + box.upper);
    if (!(extent > 0)) return whole;
    for (Vec3d& p : whole.points) p = (p - centre) / extent;
    const auto wanted = static_cast<std::size_t>(ratio * static_cast<double>(whole.triangles.size()));
    Mesh       result = Simplifier(std::move(whole), options.max_error).run(wanted);
    for (Vec3d& p : result.points) p = centre + extent * p;
    return result;
}

}  // namespace mechane::geometry

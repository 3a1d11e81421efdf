// Contacts of two shapes with signed distance fields: features of each surface (corners, edges, faces) are sampled in
// the field of the other. Called for pairs with a field route; hydroelastic pairs go to pressure_patch.cpp.
// A point of a in the field of b gives distance and normal in one look-up. Features are searched both ways, so that an
// edge of a in a face of b and the reverse are found.
// Points of doubtful origin (normals that lean away from the feature, short gradients) count only where nothing else
// was found.

#include "sdf_contacts.h"

#include <algorithm>
#include <cmath>

namespace mechane::collision {

namespace {

enum Kind : std::uint64_t { kCorner = 0, kEdge = 1, kFace = 2 };

/// Coarse samples bracket the least value, golden sections refine it to a hundredth of a voxel.
constexpr int    kSamples = 5, kSections = 16;
constexpr double kGolden = 0.6180339887498949;
constexpr double kClear  = 1.5;  ///< how far the outer samples of a face stay from its rim beyond the depth [voxels]
constexpr double kRidge  = 0.8;  ///< a shorter gradient mixes two ways out
constexpr double kFacing = 0.5;  ///< a normal belongs to a feature when it leans less than 60 degrees from a face of it

/// The surface of `a` in the field of `b`.
class Search {
  public:
    Search(const Shape& a, const Shape& b, double reach, bool swapped, FieldScratch& scratch)
        : mesh_(*a.sdf->surface),
          own_(*a.sdf),
          field_(b.sdf->field),
          b_(b),
          R_(transpose(b.R) * a.R),
          p_(transpose_times(b.R, a.p - b.p)),
          reach_(reach),
          swapped_(swapped),
          scratch_(scratch)
    {
    }

    void run()
    {
        if (!near_boxes()) return;
        for (std::size_t i = 0; i < own_.edges.size(); ++i) edge(i);
        for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) face(t);
    }

  private:
    [[nodiscard]] Vec3d local(std::int32_t point) const
    { return p_ + R_ * mesh_.points[static_cast<std::size_t>(point)]; }

    /// Spheres about both boxes; most candidate pairs that do not touch end here.
    [[nodiscard]] bool near_boxes() const
    {
        const Vec3d middle = p_ + R_ * (0.5 * (own_.box.lower + own_.box.upper));
        const Vec3d beyond = max(Vec3d{}, max(b_.sdf->box.lower - middle, middle - b_.sdf->box.upper));
        return length(beyond) <= reach_ + 0.5 * length(own_.box.upper - own_.box.lower);
    }

    void edge(std::size_t i)
    {
        const SdfEdge& e    = own_.edges[i];
        const Vec3d    from = local(e.ends[0]), to = local(e.ends[1]);
        // No point of the edge is farther from its middle than half its length, and no value differs by more.
        // A distance field has slope one at most, and a voxel allows for its interpolation.
        if (field_.sample(0.5 * (from + to)) > reach_ + 0.5 * length(to - from) + field_.voxel()) return;
        for (std::size_t k = 0; k < 2; ++k) {
            if (!e.owns[k]) continue;
            const auto corner = static_cast<std::size_t>(e.ends[k]);
            offer(k == 0 ? from : to, kCorner, corner, [&](auto&& judge) {
                for (std::int32_t f = own_.corner_start[corner]; f < own_.corner_start[corner + 1]; ++f)
                    judge(own_.corner_faces[static_cast<std::size_t>(f)]);
            });
        }
        const double t = least_along(field_, from, to);
        if (t <= 0 || t >= 1) return;  // a corner, which has been asked
        offer(from + t * (to - from), kEdge, i, [&](auto&& judge) {
            for (const std::int32_t f : e.faces)
                if (f >= 0) judge(f);
        });
    }

    /// The middle of a face and a place near each corner: where two flat faces meet, edges alone lie on the rim, whose
    /// nearest surface is the other's side.
    void face(std::size_t t)
    {
        const auto&  v = mesh_.triangles[t];
        const Vec3d  a = local(v[0]), b = local(v[1]), c = local(v[2]), middle = (a + b + c) / 3.0;
        const double radius = std::max({length(a - middle), length(b - middle), length(c - middle)});
        if (field_.sample(middle) > reach_ + radius + field_.voxel()) return;
        const auto own = [&](auto&& judge) { judge(static_cast<std::int32_t>(t)); };
        offer(middle, kFace, 4 * t, own);
        if (radius < 2 * field_.voxel()) return;  // its edges are as good
        // Within its depth of the rim the nearest surface is the other's side.
        const double depth   = std::max(0.0, -field_.sample(middle));
        const double longest = std::max({length(b - a), length(c - b), length(a - c)});
        const double width   = length(cross(b - a, c - a)) / (3 * longest);  // from the middle to the nearest edge
        const double inset   = std::min(0.9, (depth + kClear * field_.voxel()) / width);
        std::size_t  k       = 4 * t;
        for (const Vec3d& corner : {a, b, c}) offer(corner + inset * (middle - corner), kFace, ++k, own);
    }

    template <class ForFaces>
    void offer(const Vec3d& x, Kind kind, std::size_t index, ForFaces&& for_faces)
    {
        // The gradient points away from b's surface.
        const geometry::SdfSample s = field_.sample_gradient(x);
        if (!(s.distance <= reach_)) return;
        const double l = length(s.gradient);
        if (!(l > 1e-3)) return;  // on a ridge, where no way out is the shortest
        const Vec3d n_b   = s.gradient / l;
        bool        faces = false;
        for_faces([&](std::int32_t f) {
            faces = faces || dot(R_ * mesh_.normals[static_cast<std::size_t>(f)], -n_b) >= kFacing;
        });
        const Vec3d         on_a = b_.p + b_.R * x, n = b_.R * n_b, on_b = on_a - s.distance * n;
        // Names: which of the two brought the feature, its kind, its index.
        const std::uint64_t feature = (static_cast<std::uint64_t>(swapped_) << 62) |
                                      (static_cast<std::uint64_t>(kind) << 60) | static_cast<std::uint64_t>(index);
        const ContactPoint  point   = swapped_ ? ContactPoint{on_b, on_a, n, s.distance, feature}
                                               : ContactPoint{on_a, on_b, -n, s.distance, feature};
        (faces && l >= kRidge ? scratch_.found : scratch_.doubtful).push_back(point);
    }

    const MeshShape&     mesh_;
    const SdfShape&      own_;
    const geometry::Sdf& field_;
    const Shape&         b_;
    Mat33d               R_;
    Vec3d                p_;
    double               reach_;
    bool                 swapped_;
    FieldScratch&        scratch_;
};

}  // namespace

/// Golden section search needs a unimodal function; around the best of the samples it is taken to be one.
double least_along(const geometry::Sdf& field, const Vec3d& from, const Vec3d& to)
{
    const auto value = [&](double t) { return field.sample(from + t * (to - from)); };
    double     best = 0, least = kInfinity;
    for (int i = 0; i <= kSamples + 1; ++i) {
        const double t = static_cast<double>(i) / (kSamples + 1), v = value(t);
        if (v < least) least = v, best = t;
    }
    double low = std::max(0.0, best - 1.0 / (kSamples + 1)), high = std::min(1.0, best + 1.0 / (kSamples + 1));
    double x = high - kGolden * (high - low), y = low + kGolden * (high - low), fx = value(x), fy = value(y);
    for (int i = 0; i < kSections && (high - low) * length(to - from) > 0.01 * field.voxel(); ++i) {
        if (fx <= fy) {
            high = y, y = x, fy = fx;
            x = high - kGolden * (high - low), fx = value(x);
        } else {
            low = x, x = y, fx = fy;
            y = low + kGolden * (high - low), fy = value(y);
        }
    }
    const double inner = fx <= fy ? x : y;
    return std::min(fx, fy) < least ? inner : best;
}

void collide_fields(const Shape& a, const Shape& b, double reach, bool reduce, FieldScratch& scratch,
                    std::vector<ContactPoint>& out)
{
    out.clear();
    scratch.found.clear();
    scratch.doubtful.clear();
    Search(a, b, reach, false, scratch).run();
    Search(b, a, reach, true, scratch).run();
    // A normal that leans away from every face of its feature is the other's side seen from its rim. It counts only
    // where nothing else does.
    std::vector<ContactPoint>& points = scratch.found.empty() ? scratch.doubtful : scratch.found;
    if (!reduce) {
        out.assign(points.begin(), points.end());
        return;
    }
    scratch.points.clear();
    for (const ContactPoint& p : points)
        scratch.points.push_back(
            {transpose_times(a.R, 0.5 * (p.p0 + p.p1) - a.p), transpose_times(a.R, p.normal), p.distance, p.feature});
    scratch.reduction.reduce(scratch.points, a.sdf->box, scratch.chosen);
    for (const std::uint32_t i : scratch.chosen) out.push_back(points[i]);
}

}  // namespace mechane::collision

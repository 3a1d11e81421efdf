// The surface on which the pressures of two overlapping soft shapes are equal, as triangles with area, pressure and
// normal: hydroelastic contact (Elandt et al. 2019).
// Each shape has a pressure field p = -kh d of its signed distance d, margins subtracted (or a law of the user). The
// zero of p_b - p_a is found by marching cubes (Lorensen, Cline 1987) on the grid of the finer field, by an octree that
// leaves out blocks where the pressures cannot be equal.
// Everything runs in the frame of the grid's shape; faces are returned in the frame of the arguments [m].

#include "pressure_patch.h"

#include <algorithm>
#include <cmath>

#include "mechane/geometry/marching_cubes.h"
#include "mechane/geometry/sdf_primitives.h"

namespace mechane::collision {

namespace {

/// Corners of a leaf are shared by its cells and sampled once.
constexpr int         kLeaf         = 4;  ///< cells along a block whose corners are sampled once
constexpr int         kSplit        = 4;  ///< parts of the side of a cell that an edge passes through
constexpr double      kBend         = 0.02;  ///< of a cell that is split: how far its middle is off the corners' mean [-]
constexpr std::size_t kFaceCapacity = std::size_t{1} << 20;

[[nodiscard]] bool has_closed_form(const Shape& s)
{
    return s.kind == ShapeKind::box || s.kind == ShapeKind::sphere || s.kind == ShapeKind::capsule ||
           s.kind == ShapeKind::cylinder || s.kind == ShapeKind::cone;
}

/// The signed distance of a shape at a point of its frame: in closed form where there is one. A field mixes what lies on
/// either side of an edge over a whole cell.
double signed_depth(const Shape& s, const Vec3d& x)
{
    switch (s.kind) {
        case ShapeKind::box:
            return geometry::sdf_box(x, s.size);
        case ShapeKind::sphere:
            return geometry::sdf_sphere(x, s.size.x);
        case ShapeKind::capsule:
            return geometry::sdf_capsule(x, s.size.x, s.size.y);
        case ShapeKind::cylinder:
            return geometry::sdf_cylinder(x, s.size.x, s.size.y);
        case ShapeKind::cone:
            return geometry::sdf_cone(x, s.size.x, s.size.y);
        case ShapeKind::plane:
        case ShapeKind::rectangle:
        case ShapeKind::ellipsoid:
        case ShapeKind::hull:
        case ShapeKind::mesh:
        case ShapeKind::triangle:
            break;
    }
    return s.sdf->field.sample(x);
}

/// The part of a triangle on which a function that is linear over it is negative.
/// Sorted a <= b <= c. With one negative corner the part is a small triangle, similar to the whole in both directions;
/// with two it is the rest.
double negative_part(double a, double b, double c)
{
    if (a > b) std::swap(a, b);
    if (b > c) std::swap(b, c);
    if (a > b) std::swap(a, b);
    if (c < 0) return 1;
    if (a >= 0) return 0;
    if (b >= 0) return a * a / ((a - b) * (a - c));
    return 1 - c * c / ((c - a) * (c - b));
}

class Patch {
  public:
    Patch(const PressureSide& a, const PressureSide& b, double gap, const HydroelasticOptions& options,
          PatchScratch& scratch, std::vector<ContactFace>* surface)
        : a_(a),
          b_(b),
          // The finer field gives the cells.
          grid_shape_(b.shape->sdf->field.voxel() < a.shape->sdf->field.voxel() ? *b.shape : *a.shape),
          grid_(grid_shape_.sdf->field),
          gap_(gap),
          exact_(has_closed_form(*a.shape) || has_closed_form(*b.shape)),
          options_(options),
          scratch_(scratch),
          surface_(surface),
          capacity_(face_capacity(options))
    {
        for (std::size_t side = 0; side < 2; ++side) {
            const Shape& s = side == 0 ? *a.shape : *b.shape;
            R_[side]       = transpose(s.R) * grid_shape_.R;
            p_[side]       = transpose_times(s.R, grid_shape_.p - s.p);
        }
        for (std::size_t i = 0; i < 3; ++i) cells_[i] = grid_.blocks()[i] * geometry::Sdf::kBlock;
    }

    void run()
    {
        int root = kLeaf;
        while (root < std::max({cells_[0], cells_[1], cells_[2]})) root *= 2;
        visit(0, 0, 0, root);
    }

  private:
    struct Depths {
        double               a, b;  ///< margins subtracted
        [[nodiscard]] double sum() const { return a + b; }
    };
    [[nodiscard]] Vec3d at(double x, double y, double z) const
    { return grid_.lower() + grid_.voxel() * Vec3d{x, y, z}; }
    [[nodiscard]] Depths depths(const Vec3d& x) const
    {
        return {signed_depth(*a_.shape, p_[0] + R_[0] * x) - a_.margin,
                signed_depth(*b_.shape, p_[1] + R_[1] * x) - b_.margin};
    }
    [[nodiscard]] double pressure(const PressureSide& side, double depth) const
    {
        const PressureLaw& own = options_.pressure;
        return own.law ? own.law(depth, side.index, own.data) : -side.kh * depth;
    }

    /// A block of cells is left when it is too far from either shape, or when the pressures cannot be equal in it.
    void visit(int x, int y, int z, int size)
    {
        if (x >= cells_[0] || y >= cells_[1] || z >= cells_[2]) return;
        const double half = 0.5 * size;
        // Within the band a sample is as good as a distance; coarse cells bend it by up to half their diagonal.
        const double slack = (size <= geometry::Sdf::kBlock ? 1.0 : 7.0) *
                             std::max(a_.shape->sdf->field.voxel(), b_.shape->sdf->field.voxel());
        const double r     = half * std::sqrt(3.0) * grid_.voxel() + slack;
        const Depths d     = depths(at(x + half, y + half, z + half));
        if (d.sum() > 2 * r + gap_) return;
        // Pressure falls with the distance, and no distance changes by more than r within the block: if even the
        // extremes do not cross, there is no zero.
        if (pressure(a_, d.a + r) > pressure(b_, d.b - r) || pressure(b_, d.b + r) > pressure(a_, d.a - r)) return;
        if (size == kLeaf) return leaf(x, y, z);
        for (int i = 0; i < 8; ++i)
            visit(x + (i & 1) * size / 2, y + (i >> 1 & 1) * size / 2, z + (i >> 2) * size / 2, size / 2);
    }

    /// Looks at a cube of cells, `kCells` along a side, each of them `step` cells of the field wide: samples the corners
    /// once and calls visit(i, j, k, v, d, negative) for every cell through which the surface passes nearer than the gap.
    /// @param from  the lower corner of the cube, in cells of the field
    template <int kCells, class Visit>
    void march(const Vec3d& from, double step, Visit&& visit) const
    {
        constexpr int kCorners = kCells + 1;
        std::array<double, static_cast<std::size_t>(kCorners * kCorners * kCorners)> difference, sum;
        const auto entry = [](int i, int j, int k) { return static_cast<std::size_t>((k * kCorners + j) * kCorners + i); };
        for (int k = 0; k < kCorners; ++k)
            for (int j = 0; j < kCorners; ++j)
                for (int i = 0; i < kCorners; ++i) {
                    const Depths d             = depths(at(from.x + step * i, from.y + step * j, from.z + step * k));
                    difference[entry(i, j, k)] = pressure(b_, d.b) - pressure(a_, d.a);
                    sum[entry(i, j, k)]        = d.sum();
                }
        for (int k = 0; k < kCells; ++k)
            for (int j = 0; j < kCells; ++j)
                for (int i = 0; i < kCells; ++i) {
                    std::array<double, 8> v{}, d{};
                    std::uint8_t          negative = 0;
                    // Corner c of a cell has the offsets of its three bits, as the tables of marching cubes expect.
                    for (int c = 0; c < 8; ++c) {
                        const std::size_t e            = entry(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
                        v[static_cast<std::size_t>(c)] = difference[e], d[static_cast<std::size_t>(c)] = sum[e];
                        if (difference[e] < 0) negative = static_cast<std::uint8_t>(negative | (1 << c));
                    }
                    if (negative == 0 || negative == 255 || *std::min_element(d.begin(), d.end()) > gap_) continue;
                    visit(i, j, k, v, d, negative);
                }
    }

    void leaf(int x, int y, int z)
    {
        march<kLeaf>(Vec3d(x, y, z), 1, [&](int i, int j, int k, const auto& v, const auto& d, std::uint8_t negative) {
            const std::uint64_t name = cell_name(x + i, y + j, z + k);
            const Vec3d         from(x + i, y + j, z + k);
            if (bends(from, v))
                split(from, name);
            else
                cell(from, 1, v, d, negative, name);
        });
    }

    // Names are the cell's linear index with room for the triangles of all its parts: unique within the field.
    [[nodiscard]] std::uint64_t cell_name(int x, int y, int z) const
    {
        return ((static_cast<std::uint64_t>(z) * static_cast<std::uint64_t>(cells_[1]) + static_cast<std::uint64_t>(y)) *
                    static_cast<std::uint64_t>(cells_[0]) +
                static_cast<std::uint64_t>(x)) *
               (8 * kSplit * kSplit * kSplit);
    }
    /// Whether what is linear over a cell would not do: along the edges of flat sides. What a field says of a shape is
    /// linear over its cells.
    [[nodiscard]] bool bends(const Vec3d& from, const std::array<double, 8>& v) const
    {
        if (!exact_) return false;
        const auto [least, most] = std::minmax_element(v.begin(), v.end());
        const Depths d           = depths(at(from.x + 0.5, from.y + 0.5, from.z + 0.5));
        const double mean        = (((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]))) / 8;
        // A function that is linear over the cell has its middle at the mean of the corners.
        return std::abs(pressure(b_, d.b) - pressure(a_, d.a) - mean) > kBend * (*most - *least);
    }
    /// A cell in smaller ones.
    void split(const Vec3d& from, std::uint64_t name)
    {
        constexpr double kStep = 1.0 / kSplit;
        march<kSplit>(from, kStep, [&](int i, int j, int k, const auto& v, const auto& d, std::uint8_t negative) {
            cell({from.x + kStep * i, from.y + kStep * j, from.z + kStep * k}, kStep, v, d, negative,
                 name + 8 * static_cast<std::uint64_t>((k * kSplit + j) * kSplit + i));
        });
    }

    /// The cell with its lower corner at `from`, in cells of the field, and `step` of them wide.
    void cell(const Vec3d& from, double step, const std::array<double, 8>& v, const std::array<double, 8>& d,
              std::uint8_t negative, std::uint64_t name)
    {
        const geometry::CellTriangles& triangles = geometry::cell_triangles(negative);
        for (std::int8_t t = 0; t < triangles.count; ++t) {
            std::array<Vec3d, 3>  p;
            std::array<double, 3> s{};
            for (std::size_t i = 0; i < 3; ++i) {
                const auto [low, high] =
                    geometry::kCellEdges[static_cast<std::size_t>(triangles.edges[static_cast<std::size_t>(t)][i])];
                const auto   f = static_cast<std::size_t>(low), g = static_cast<std::size_t>(high);
                const double u      = geometry::crossing(v[f], v[g], options_.mc_edge_clamp_min);
                const auto   corner = [&](std::int8_t c) { 
                    return at(from.x + step * (c & 1), from.y + step * (c >> 1 & 1), from.z + step * (c >> 2));
                };
                p[i]                = corner(low) + u * (corner(high) - corner(low));
                s[i]                = d[f] + u * (d[g] - d[f]);
            }
            face(p, s, name + static_cast<std::uint64_t>(t));
        }
    }

    void face(const std::array<Vec3d, 3>& p, const std::array<double, 3>& s, std::uint64_t key)
    {
        const Vec3d  n2   = cross(p[1] - p[0], p[2] - p[0]);
        const double area = 0.5 * length(n2), distance = (s[0] + s[1] + s[2]) / 3;
        if (!(area > 1e-10 * grid_.voxel() * grid_.voxel()) || !(distance <= gap_)) return;
        if (scratch_.needed++ >= capacity_) return;
        const Vec3d c = (p[0] + p[1] + p[2]) / 3.0;
        PatchFace   f;
        f.centroid = grid_shape_.p + grid_shape_.R * c;
        f.normal   = grid_shape_.R * (0.5 / area * n2);
        f.distance = distance;
        // An edge that the surface crosses is at zero sum where the shapes just touch: only the part with d_a + d_b < 0
        // presses.
        f.area     = area * negative_part(s[0], s[1], s[2]);
        f.whole    = area;
        // At the surface both pressures are equal, so either side gives it.
        f.pressure = distance < 0 ? pressure(a_, depths(c).a) : 0;
        f.key      = key;
        if (std::min({s[0], s[1], s[2]}) < 0 && std::max({s[0], s[1], s[2]}) > 0)
            cut_at_rim(p, f);
        scratch_.faces.push_back(f);
        if (!surface_) return;
        ContactFace out{{}, distance, a_.index, b_.index};
        for (std::size_t i = 0; i < 3; ++i) out.points[i] = grid_shape_.p + grid_shape_.R * p[i];
        surface_->push_back(out);
    }

    /// A face that the rim of the patch crosses, in parts: of a flat side on another the rim takes a row of cells, and
    /// what is linear over them would lose nearly all of it. Where both depths add up to d, they push as springs in
    /// series do that would push with pa and pb at d.
    void cut_at_rim(const std::array<Vec3d, 3>& p, PatchFace& f) const
    {
        constexpr int kParts = 4;  ///< along a side
        const double  share  = f.whole / (kParts * kParts);
        const Vec3d   u = (1.0 / kParts) * (p[1] - p[0]), v = (1.0 / kParts) * (p[2] - p[0]);
        Vec3d         moment;
        double        depth = 0, area = 0, force = 0;
        for (int i = 0; i < kParts; ++i)
            for (int j = 0; i + j < kParts; ++j)
                for (int up = 0; up < (i + j + 1 < kParts ? 2 : 1); ++up) {
                    // Centroids of upright and of inverted small triangles, at 1/3 and 2/3 of the step.
                    const double third = (1.0 + up) / 3;
                    const Vec3d  x     = p[0] + (i + third) * u + (j + third) * v;
                    const double d     = signed_depth(*a_.shape, p_[0] + R_[0] * x) - a_.margin +
                                     signed_depth(*b_.shape, p_[1] + R_[1] * x) - b_.margin;
                    if (!(d < 0)) continue;
                    // Springs in series that share the overlap d: p = pa pb / (pa + pb).
                    const double pa = pressure(a_, d), pb = pressure(b_, d), w = pa + pb > 0 ? share * pa * pb / (pa + pb) : 0;
                    area += share;
                    depth -= d * share;
                    force += w;
                    moment += w * x;
                }
        if (!(force > 0)) {
            f.area = 0, f.pressure = 0, f.distance = std::max(f.distance, 0.0);
            return;
        }
        f.area     = area;
        f.distance = -depth / area;
        f.pressure = force / area;
        f.centroid = grid_shape_.p + grid_shape_.R * (moment / force);
    }

    const PressureSide &       a_, &b_;
    const Shape&               grid_shape_;
    const geometry::Sdf&       grid_;
    double                     gap_;
    bool                       exact_;  ///< one of the two has a closed form, which bends within a cell
    const HydroelasticOptions& options_;
    PatchScratch&              scratch_;
    std::vector<ContactFace>*  surface_;
    std::size_t                capacity_;
    std::array<Mat33d, 2>      R_;  ///< from the grid's frame into that of a and b
    std::array<Vec3d, 2>       p_;
    std::array<int, 3>         cells_{};
};

}  // namespace

/// The buffer of Newton's options, as a fraction of 2^20 faces.
std::size_t face_capacity(const HydroelasticOptions& o)
{
    return std::max<std::size_t>(
        1, static_cast<std::size_t>(static_cast<double>(kFaceCapacity) * o.buffer_fraction * o.buffer_mult_contact));
}

void find_patch(const PressureSide& a, const PressureSide& b, double gap, const HydroelasticOptions& options,
                PatchScratch& scratch, std::vector<ContactFace>* surface)
{
    scratch.faces.clear();
    scratch.needed = 0;
    Patch(a, b, gap, options, scratch, surface).run();
}

}  // namespace mechane::collision

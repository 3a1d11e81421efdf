// Height fields of MuJoCo: those of the model, and meshes that are one. MuJoCo knows meshes by their convex hulls only,
// which would lay a lid over the valleys of a terrain.

#include "solvers/mujoco/height_fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

namespace mechane::solvers::mujoco {
namespace {

constexpr double kLeastRelief = 1e-4;  ///< of fields, and of their bases [m]
constexpr double kNear        = 1e-2;  ///< how far a point may be from its place, in cells: files hold floats

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

std::vector<Vec3d> points_of(const geometry::Mesh& mesh, const Vec3d& scale)
{
    std::vector<Vec3d> out;
    out.reserve(mesh.points.size());
    for (const Vec3d& p : mesh.points) out.push_back({scale.x * p.x, scale.y * p.y, scale.z * p.z});
    return out;
}

/// Heights over a rectangle, x fastest.
struct Heights {
    std::size_t         columns = 0, rows = 0;
    double              x0 = 0, x1 = 0, y0 = 0, y1 = 0;
    std::vector<double> z;

    [[nodiscard]] double of(std::size_t c, std::size_t r) const { return z[r * columns + c]; }
};

/// @param base  how far the solid reaches below the least height [m]
FoundGrid made_of(const Heights& h, double base)
{
    const auto [low, high] = std::minmax_element(h.z.begin(), h.z.end());
    auto grid              = std::make_shared<HeightItem::Grid>();
    grid->rows             = static_cast<std::int32_t>(h.rows);
    grid->columns          = static_cast<std::int32_t>(h.columns);
    // MuJoCo wants elevations in [0, 1] and a positive height.
    const double height = std::max(*high - *low, kLeastRelief);
    grid->size          = {0.5 * (h.x1 - h.x0), 0.5 * (h.y1 - h.y0), height, std::max(base, kLeastRelief)};
    for (const double z : h.z) grid->heights.push_back(static_cast<float>((z - *low) / height));
    return {grid, {{0.5 * (h.x0 + h.x1), 0.5 * (h.y0 + h.y1), *low}, {}}};
}

/// The upper side of a mesh whose z axis is upwards.
class UpperSide {
  public:
    UpperSide(const geometry::Mesh& mesh, std::vector<Vec3d> points, bool mirrored)
        : mesh_(mesh), p_(std::move(points)), mirrored_(mirrored)
    {
    }

    std::optional<FoundGrid> find()
    {
        sort_triangles();
        if (up_.empty() || !read_lines() || !read_heights() || !covers_all_cells()) return std::nullopt;
        const auto base = depth_of_base();
        if (!base || !has_hollows()) return std::nullopt;
        FoundGrid out = made_of(h_, *base);
        out.closed    = !down_.empty();
        return out;
    }

  private:
    using Triangle = std::array<std::int32_t, 3>;
    const geometry::Mesh& mesh_;
    std::vector<Vec3d>    p_;
    bool                  mirrored_;
    std::vector<Triangle> up_, wall_, down_;
    Heights               h_;

    void sort_triangles()
    {
        constexpr double kLevel = 1e-6;
        for (const Triangle& t : mesh_.triangles) {
            const Vec3d  n = cross(p_[at(t[1])] - p_[at(t[0])], p_[at(t[2])] - p_[at(t[0])]);
            const double z = mirrored_ ? -n.z : n.z, reach = length(n);
            if (reach == 0) continue;
            (z > kLevel * reach ? up_ : z < -kLevel * reach ? down_ : wall_).push_back(t);
        }
    }

    /// Coordinates of the corners along one axis: evenly spaced lines, or no grid.
    static std::size_t count_lines(std::vector<double> x)
    {
        std::sort(x.begin(), x.end());
        const double reach = x.back() - x.front();
        std::size_t  count = 1;
        // Nearer to each other than this they are one line.
        constexpr double kSame = 2e-5;
        double           last  = x.front();
        for (const double value : x)
            if (value - last > kSame * reach) ++count, last = value;
        if (count < 2) return 0;
        const double cell = reach / static_cast<double>(count - 1);
        for (const double value : x) {
            const double line = (value - x.front()) / cell;
            if (std::abs(line - std::round(line)) > kNear) return 0;
        }
        return count;
    }
    bool read_lines()
    {
        std::vector<double> x, y;
        for (const Triangle& t : up_)
            for (const std::int32_t i : t) x.push_back(p_[at(i)].x), y.push_back(p_[at(i)].y);
        h_.columns = count_lines(x), h_.rows = count_lines(y);
        if (h_.columns < 2 || h_.rows < 2 || h_.columns + h_.rows < 5) return false;
        std::tie(h_.x0, h_.x1) = ends(x), std::tie(h_.y0, h_.y1) = ends(y);
        // Each cell has two triangles; a mesh with fewer is no grid, and need not be given room.
        return up_.size() == 2 * (h_.columns - 1) * (h_.rows - 1);
    }
    static std::pair<double, double> ends(const std::vector<double>& x)
    {
        const auto [low, high] = std::minmax_element(x.begin(), x.end());
        return {*low, *high};
    }
    [[nodiscard]] std::pair<std::size_t, std::size_t> place(std::int32_t i) const
    {
        const Vec3d& p = p_[at(i)];
        return {
            static_cast<std::size_t>(
                std::lround((p.x - h_.x0) / (h_.x1 - h_.x0) * static_cast<double>(h_.columns - 1))),
            static_cast<std::size_t>(std::lround((p.y - h_.y0) / (h_.y1 - h_.y0) * static_cast<double>(h_.rows - 1)))};
    }
    /// One height at each corner; false where two points of a corner differ.
    bool read_heights()
    {
        h_.z.assign(h_.columns * h_.rows, kInfinity);
        const double cell = std::min((h_.x1 - h_.x0) / static_cast<double>(h_.columns - 1),
                                     (h_.y1 - h_.y0) / static_cast<double>(h_.rows - 1));
        for (const Triangle& t : up_)
            for (const std::int32_t i : t) {
                const auto [c, r] = place(i);
                double& z         = h_.z[r * h_.columns + c];
                if (z != kInfinity && std::abs(z - p_[at(i)].z) > kNear * cell) return false;
                if (z == kInfinity) z = p_[at(i)].z;
            }
        return std::find(h_.z.begin(), h_.z.end(), kInfinity) == h_.z.end();
    }
    /// Every triangle is half of one cell, and every cell has two.
    [[nodiscard]] bool covers_all_cells() const
    {
        std::vector<unsigned char> halves((h_.columns - 1) * (h_.rows - 1), 0);
        for (const Triangle& t : up_) {
            std::size_t low[2] = {h_.columns, h_.rows}, high[2] = {0, 0};
            for (const std::int32_t i : t) {
                const auto [c, r] = place(i);
                low[0] = std::min(low[0], c), high[0] = std::max(high[0], c);
                low[1] = std::min(low[1], r), high[1] = std::max(high[1], r);
            }
            if (high[0] != low[0] + 1 || high[1] != low[1] + 1) return false;
            if (++halves[low[1] * (h_.columns - 1) + low[0]] > 2) return false;
        }
        return true;
    }
    /// Of a sheet zero; nothing where the lower side is not flat, or a wall does not stand on the rim.
    [[nodiscard]] std::optional<double> depth_of_base() const
    {
        if (down_.empty()) return wall_.empty() ? std::optional<double>(0) : std::nullopt;
        const double low    = *std::min_element(h_.z.begin(), h_.z.end());
        const double bottom = p_[at(down_.front()[0])].z;
        const double reach  = std::max(h_.x1 - h_.x0, h_.y1 - h_.y0);
        if (bottom > low + 1e-6 * reach) return std::nullopt;
        for (const Triangle& t : down_)
            for (const std::int32_t i : t)
                if (std::abs(p_[at(i)].z - bottom) > 1e-6 * reach) return std::nullopt;
        for (const Triangle& t : wall_)
            for (const std::int32_t i : t) {
                const Vec3d& p    = p_[at(i)];
                const double away = std::min(std::min(std::abs(p.x - h_.x0), std::abs(p.x - h_.x1)),
                                             std::min(std::abs(p.y - h_.y0), std::abs(p.y - h_.y1)));
                if (away > 1e-6 * reach) return std::nullopt;
            }
        return low - bottom;
    }
    /// Whether the surface bends upwards anywhere, along a line of the grid or across its cells.
    [[nodiscard]] bool has_hollows() const
    {
        const double least = 1e-6 * std::max(h_.x1 - h_.x0, h_.y1 - h_.y0);
        for (std::size_t r = 0; r < h_.rows; ++r)
            for (std::size_t c = 0; c < h_.columns; ++c) {
                const bool   in_x = c > 0 && c + 1 < h_.columns, in_y = r > 0 && r + 1 < h_.rows;
                const double z = 2 * h_.of(c, r);
                if ((in_x && h_.of(c - 1, r) + h_.of(c + 1, r) > z + least) ||
                    (in_y && h_.of(c, r - 1) + h_.of(c, r + 1) > z + least) ||
                    (in_x && in_y && h_.of(c - 1, r - 1) + h_.of(c + 1, r + 1) > z + least) ||
                    (in_x && in_y && h_.of(c - 1, r + 1) + h_.of(c + 1, r - 1) > z + least))
                    return true;
            }
        return false;
    }
};

}  // namespace

std::optional<FoundGrid> grid_of(const geometry::Mesh& mesh, const Vec3d& scale)
{
    const std::vector<Vec3d> p       = points_of(mesh, scale);
    std::size_t              columns = 1;
    while (columns < p.size() && p[columns].y == p[0].y) ++columns;
    const std::size_t rows = p.size() / columns;
    if (columns < 2 || rows < 2 || rows * columns != p.size()) return std::nullopt;
    const double x0 = p.front().x, y0 = p.front().y, x1 = p[columns - 1].x, y1 = p.back().y;
    const double dx = (x1 - x0) / static_cast<double>(columns - 1), dy = (y1 - y0) / static_cast<double>(rows - 1);
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) {
            const Vec3d& q = p[r * columns + c];
            if (std::abs(q.x - (x0 + dx * static_cast<double>(c))) > 1e-4 * std::abs(dx) ||
                std::abs(q.y - (y0 + dy * static_cast<double>(r))) > 1e-4 * std::abs(dy))
                return std::nullopt;
        }
    if (dx == 0 || dy == 0) return std::nullopt;
    Heights h{columns, rows, std::min(x0, x1), std::max(x0, x1), std::min(y0, y1), std::max(y0, y1), {}};
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c)
            h.z.push_back(p[(dy > 0 ? r : rows - 1 - r) * columns + (dx > 0 ? c : columns - 1 - c)].z);
    return made_of(h, 0);
}

std::optional<FoundGrid> terrain_of(const geometry::Mesh& mesh, const Vec3d& scale)
{
    if (mesh.triangles.empty()) return std::nullopt;
    const std::vector<Vec3d> points   = points_of(mesh, scale);
    const bool               mirrored = scale.x * scale.y * scale.z < 0;
    // z first: where two axes would do, it is the one that terrains are made along.
    for (const Vec3d& up :
         {Vec3d{0, 0, 1}, Vec3d{0, 1, 0}, Vec3d{1, 0, 0}, Vec3d{0, 0, -1}, Vec3d{0, -1, 0}, Vec3d{-1, 0, 0}}) {
        const Quatd        turn = rotation_between(Vec3d{0, 0, 1}, up);
        std::vector<Vec3d> turned;
        turned.reserve(points.size());
        for (const Vec3d& p : points) turned.push_back(rotate_inverse(turn, p));
        if (auto found = UpperSide(mesh, std::move(turned), mirrored).find()) {
            found->X = Posed{{}, turn} * found->X;
            return found;
        }
    }
    return std::nullopt;
}

}  // namespace mechane::solvers::mujoco

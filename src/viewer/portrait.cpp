// A picture of a model in which places can be looked up: pixels of world points and outlines of shapes.
// Pages of findings mark on the picture where a finding lies.
// Inputs: model, frame, options of the picture; points in the world [m]. Outputs: the picture and pixels (x to the
// right, y down).
// Called by the reports of `mechane check`.

#include "mechane/viewer/portrait.h"

#include <algorithm>

#include "base64.h"
#include "picture.h"
#include "png.h"

namespace mechane::viewer {
namespace {

double turn(const Vec2d& o, const Vec2d& a, const Vec2d& b)
{ return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x); }

/// Andrew's monotone chain: the lower hull from left to right, then the upper one back.
std::vector<Vec2d> convex_hull(std::vector<Vec2d> points)
{
    const auto before = [](const Vec2d& a, const Vec2d& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; };
    std::sort(points.begin(), points.end(), before);
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (points.size() < 3) return points;
    std::vector<Vec2d> hull;
    const auto         add = [&](const Vec2d& p, std::size_t keep) {
        while (hull.size() > keep && turn(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
        hull.push_back(p);
    };
    for (const Vec2d& p : points) add(p, 1);
    const std::size_t lower = hull.size();
    for (auto p = points.rbegin() + 1; p != points.rend(); ++p) add(*p, lower);
    hull.pop_back();
    // The picture's y points down, which turns the sense around.
    std::reverse(hull.begin(), hull.end());
    return hull;
}

}  // namespace

struct Portrait::Parts {
    Scene         scene;
    record::Frame frame;
    RenderOptions options;
    Shot          shot;
    /// The outline of each item, computed on demand: meshes have many points, outlines few.
    std::vector<std::optional<std::vector<Vec2d>>> hulls;
};

Portrait::Portrait(const model::Model& model, record::Frame frame, const RenderOptions& options)
    : parts_(std::make_unique<Parts>(Parts{build_scene(model), std::move(frame), options, {}, {}}))
{
    MCH_CHECK(options.width >= 1 && options.height >= 1 && options.width <= 16384 && options.height <= 16384);
    const auto points = focus_points(parts_->scene, parts_->frame);
    parts_->hulls.resize(parts_->scene.items.size());
    parts_->shot = {make_camera(options, parts_->scene.up_axis, points), focus_of(points), 0};
}

Portrait::~Portrait()                              = default;
Portrait::Portrait(Portrait&&) noexcept            = default;
Portrait& Portrait::operator=(Portrait&&) noexcept = default;

Image Portrait::picture() const
{ return draw(parts_->scene, parts_->frame, parts_->shot, parts_->options, tasks::Pool(parts_->options.threads)); }

bool Portrait::empty() const
{
    const auto seen = [&](const auto& thing) {
        return is_finite(world_pose(thing.body, thing.X_BS, parts_->frame.body_q));
    };
    return std::none_of(parts_->scene.items.begin(), parts_->scene.items.end(), seen) &&
           std::none_of(parts_->scene.grounds.begin(), parts_->scene.grounds.end(), seen) &&
           parts_->scene.balls.empty();
}

std::optional<Vec2d> Portrait::place(const Vec3d& p_W) const
{
    const Camera& camera = parts_->shot.camera;
    const Vec3d   d      = p_W - camera.eye;
    const double  depth  = dot(d, camera.forward);
    // The same near plane as the picture's own, so that what is cut off there has no place here.
    const double  near   = 1e-3 * std::max(parts_->shot.focus.radius, length(parts_->shot.focus.centre - camera.eye));
    if (!(depth >= near) || !is_finite(d)) return std::nullopt;
    const double focal = 0.5 * parts_->options.height / camera.tan_half_fov;
    return Vec2d{0.5 * parts_->options.width + focal * dot(d, camera.right) / depth,
                 0.5 * parts_->options.height - focal * dot(d, camera.up) / depth};
}

std::vector<Vec2d> Portrait::outline(std::span<const std::int32_t> shapes) const
{
    std::vector<std::int32_t> sorted(shapes.begin(), shapes.end());
    std::sort(sorted.begin(), sorted.end());
    std::vector<Vec2d> points;
    for (std::size_t i = 0; i < parts_->scene.items.size(); ++i) {
        const DrawItem& item = parts_->scene.items[i];
        if (item.shape < 0 || !std::binary_search(sorted.begin(), sorted.end(), item.shape)) continue;
        auto& hull = parts_->hulls[i];
        if (!hull) {
            std::vector<Vec2d> seen;
            const Posed        X = world_pose(item.body, item.X_BS, parts_->frame.body_q);
            if (is_finite(X))
                for (const Vec3f& p : parts_->scene.meshes[static_cast<std::size_t>(item.mesh)].positions)
                    if (const auto at = place(X * static_cast<Vec3d>(p))) seen.push_back(*at);
            hull = convex_hull(std::move(seen));
        }
        points.insert(points.end(), hull->begin(), hull->end());
    }
    // The hull of hulls is the hull of all points.
    return convex_hull(std::move(points));
}

std::string png_uri(const Image& image)
{
    const std::string file = encode_png(image);
    return "data:image/png;base64," + base64(std::as_bytes(std::span<const char>(file)));
}

}  // namespace mechane::viewer

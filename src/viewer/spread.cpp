// Draws the worlds of a batch side by side instead of on top of each other.
// Inputs: a model with several worlds and its poses. Output: an offset for each world on a square grid [m], of 1.25
// times the width of the first one.
// Only what is drawn is moved: static shapes, anchors of joints, frames and contacts. The simulation never is.
// Called by LivePage.

#include "viewer/spread.h"

#include <algorithm>
#include <cmath>

namespace mechane::viewer {
namespace {

constexpr double kRoom      = 1.25;  ///< between worlds, in widths of what moves
constexpr double kMostWidth = 1e4;   ///< [m]

Vec3 moved(const Vec3& p, const Vec3d& by) { return p + Vec3(by); }

/// What touches something global (-1) belongs to the world of the other shape.
std::int32_t world_of(const model::Model& model, std::int32_t a, std::int32_t b)
{
    const auto world = [&](std::int32_t shape) {
        return shape >= 0 && static_cast<std::size_t>(shape) < model.shape_count()
                   ? model.shape_world[static_cast<std::size_t>(shape)]
                   : -1;
    };
    return std::max(world(a), world(b));
}

}  // namespace

std::vector<Vec3d> places_of_worlds(const model::Model& model, const std::vector<Pose>& body_q)
{
    if (model.world_count < 2) return {};
    const auto        up = static_cast<std::size_t>(model.up_axis);
    const std::size_t x = up == 0 ? 1 : 0, y = up == 2 ? 1 : 2;
    Vec3d             low{1e30, 1e30, 1e30}, high{-1e30, -1e30, -1e30};
    const auto        take = [&](const Vec3d& p, double r) {
        if (!is_finite(p) || !std::isfinite(r)) return;
        for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k] - r), high[k] = std::max(high[k], p[k] + r);
    };
    for (std::size_t s = 0; s < model.shape_count(); ++s) {
        const std::int32_t body = model.shape_body[s];
        // Worlds are copies of each other, so world 0 (and what all share) gives the width.
        if (body < 0 || model.shape_world[s] > 0) continue;
        take((Posed(body_q[static_cast<std::size_t>(body)]) * Posed(model.shape_transform[s])).p,
             static_cast<double>(model.shape_collision_radius[s]));
    }
    for (std::size_t b = 0; b < body_q.size(); ++b)
        if (model.body_world[b] <= 0) take(Vec3d(body_q[b].p), 0);
    for (std::size_t p = 0; p < model.particle_q.size(); ++p)
        if (model.particle_world[p] <= 0) take(Vec3d(model.particle_q[p]), 0);
    const double width   = std::clamp(std::max(high[x] - low[x], high[y] - low[y]), 0.05, kMostWidth);
    const auto   columns = static_cast<std::int32_t>(std::ceil(std::sqrt(static_cast<double>(model.world_count))));
    std::vector<Vec3d> out(static_cast<std::size_t>(model.world_count));
    for (std::int32_t w = 0; w < model.world_count; ++w) {
        out[static_cast<std::size_t>(w)][x] = kRoom * width * (w % columns);
        out[static_cast<std::size_t>(w)][y] = kRoom * width * (w / columns);
    }
    return out;
}

Vec3d place_of(const std::vector<Vec3d>& places, std::int32_t world)
{
    return world >= 0 && static_cast<std::size_t>(world) < places.size() ? places[static_cast<std::size_t>(world)]
                                                                         : Vec3d{};
}

void move_apart(const std::vector<Vec3d>& places, model::Model& model)
{
    if (places.empty()) return;
    for (std::size_t s = 0; s < model.shape_count(); ++s) {
        // A ground without end is the same everywhere and is left where it is.
        const bool endless = model.shape_type[s] == model::GeoType::plane &&
                             (model.shape_scale[s].x == 0 || model.shape_scale[s].y == 0);
        if (model.shape_body[s] < 0 && !endless)
            model.shape_transform[s].p = moved(model.shape_transform[s].p, place_of(places, model.shape_world[s]));
    }
    for (std::size_t j = 0; j < model.joint_count(); ++j)
        if (model.joint_parent[j] < 0)
            model.joint_X_p[j].p = moved(model.joint_X_p[j].p, place_of(places, model.joint_world[j]));
}

void move_apart(const std::vector<Vec3d>& places, const model::Model& model, record::Frame& frame)
{
    if (places.empty()) return;
    for (std::size_t b = 0; b < std::min(frame.body_q.size(), model.body_count()); ++b)
        frame.body_q[b].p = moved(frame.body_q[b].p, place_of(places, model.body_world[b]));
    for (std::size_t p = 0; p < std::min(frame.particle_q.size(), model.particle_world.size()); ++p)
        frame.particle_q[p] = moved(frame.particle_q[p], place_of(places, model.particle_world[p]));
    for (record::ContactSample& c : frame.contacts)
        c.point = moved(c.point, place_of(places, world_of(model, c.shape0, c.shape1)));
}

void move_apart(const std::vector<Vec3d>& places, const model::Model& model, std::vector<collision::ContactFace>& faces)
{
    for (collision::ContactFace& face : faces)
        for (Vec3d& corner : face.points) corner += place_of(places, world_of(model, face.shape0, face.shape1));
}

}  // namespace mechane::viewer

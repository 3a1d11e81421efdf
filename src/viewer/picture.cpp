// Draws one frame: places the items, projects, fills strips, shades, and lays the overlays on top.
// Inputs: a scene, a frame, the camera and what is wanted over it. Output: pixels of 8 bits in sRGB, from the top row.
// Invariant: the picture does not depend on the number of threads, because each strip is computed by one of them from
// the same lists.
// Called by render, animation.cpp and Portrait.

#include "picture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "overlay.h"
#include "shading.h"

// Four samples a pixel decide what is seen; each surface that a pixel sees is shaded once. A strip of the picture goes
// through all of it at once, so that its samples stay in the cache; strips do not depend on each other.
namespace mechane::viewer {
namespace {

constexpr int           kSamples = 2;   ///< per pixel and direction
constexpr int           kRows    = 32;  ///< of pixels in a strip
/// Identifiers from here on are grounds and below are facets; no scene has as many facets.
constexpr std::uint32_t kGround  = 0xf0000000U;

/// A surface of particles where the frame has them.
PlacedItem place_soft(const Scene& scene, const DrawItem& item, const record::Frame& frame)
{
    PlacedItem      out;
    const DrawMesh& mesh = scene.meshes[static_cast<std::size_t>(item.mesh)];
    const auto&     from = scene.softs[static_cast<std::size_t>(item.soft)].particles;
    out.drawn            = true;
    for (std::size_t v = 0; v < from.size(); ++v) {
        const auto p = static_cast<std::size_t>(from[v]);
        out.points.push_back(p < frame.particle_q.size() ? static_cast<Vec3d>(frame.particle_q[p])
                                                         : static_cast<Vec3d>(mesh.positions[v]));
        out.drawn = out.drawn && is_finite(out.points.back());
    }
    out.normals = soft_normals(mesh, out.points);
    return out;
}

std::vector<PlacedItem> place(const Scene& scene, const record::Frame& frame, const tasks::Pool& pool)
{
    std::vector<PlacedItem> out(scene.items.size());
    pool.for_each(scene.items.size(), 4, [&](std::size_t i) {
        const DrawItem& item = scene.items[i];
        const DrawMesh& mesh = scene.meshes[static_cast<std::size_t>(item.mesh)];
        if (item.soft >= 0) {
            out[i] = place_soft(scene, item, frame);
            return;
        }
        const Posed X = world_pose(item.body, item.X_BS, frame.body_q);
        if (!is_finite(X)) return;
        const QuatT<float> turn = static_cast<QuatT<float>>(X.q);
        out[i].drawn            = true;
        out[i].points.reserve(mesh.positions.size());
        out[i].normals.reserve(mesh.normals.size());
        for (const Vec3f& p : mesh.positions) out[i].points.push_back(X * static_cast<Vec3d>(p));
        for (const Vec3f& n : mesh.normals) out[i].normals.push_back(rotate(turn, n));
    });
    return out;
}

/// The four samples of a pixel under one layer.
using Four = std::array<std::uint32_t, 4>;

Four ids_of(const Strip& strip, std::size_t at)
{
    const auto w = static_cast<std::size_t>(strip.width);
    return {strip.ids[at], strip.ids[at + 1], strip.ids[at + w], strip.ids[at + w + 1]};
}

constexpr double kOffset[4][2] = {{0.5, 0.5}, {1.5, 0.5}, {0.5, 1.5}, {1.5, 1.5}};  ///< of the samples in a pixel

/// Lays a layer of inks over the samples of a pixel.
void lay(const Strip& layer, const std::vector<Ink>& inks, const Strip& base, std::size_t at,
         std::array<Vec3f, 4>& colors)
{
    const Four ids = ids_of(layer, at);
    const auto w   = static_cast<std::size_t>(layer.width);
    for (std::size_t s = 0; s < 4; ++s) {
        if (ids[s] == kNothing) continue;
        const std::size_t sample = at + (s & 1) + (s >> 1) * w;
        const Ink&        ink    = inks[ids[s]];
        // What lies on a surface counts as in front of it.
        const float alpha = layer.nearness[sample] >= base.nearness[sample] * 0.996F ? ink.front : ink.behind;
        colors[s]         = (1 - alpha) * colors[s] + alpha * ink.color;
    }
}

Image draw_items(const Scene& scene, const record::Frame& frame, const Shot& shot, const RenderOptions& options,
                 const tasks::Pool& pool)
{
    const int          width = kSamples * options.width, height = kSamples * options.height, rows = kSamples * kRows;
    const auto         placed = place(scene, frame, pool);
    std::vector<Posed> grounds;
    for (const Ground& ground : scene.grounds)
        if (const Posed X = world_pose(ground.body, ground.X_BS, frame.body_q); is_finite(X)) grounds.push_back(X);

    const double     distance = length(shot.focus.centre - shot.camera.eye);
    const Projection projection(shot.camera, width, height, 1e-3 * std::max(shot.focus.radius, distance));
    ShadowMap        shadow(shot.focus, sun_direction(scene.up_axis));

    std::vector<Facet>          facets;
    std::vector<ScreenTriangle> solids;
    for (std::uint32_t i = 0; i < scene.items.size(); ++i) {
        const DrawItem& item = scene.items[i];
        if (!placed[i].drawn || !item.solid) continue;
        const auto& triangles = scene.meshes[static_cast<std::size_t>(item.mesh)].triangles;
        for (std::uint32_t t = 0; t < triangles.size(); ++t) {
            const Vec3d &a = placed[i].points[triangles[t][0]], &b = placed[i].points[triangles[t][1]],
                        &c = placed[i].points[triangles[t][2]];
            // Glass casts no shadow where it is more than half clear.
            if (item.opacity > 0.5F) shadow.add_triangle(a, b, c);
            if (item.opacity < 1) continue;
            projection.add_triangle(a, b, c, static_cast<std::uint32_t>(facets.size()), solids);
            facets.push_back({i, t});
        }
    }
    shadow.finish(pool);

    const double pixel = kSamples * std::max(1.0, options.height / 720.0);
    InkLayer     veils, inks;
    add_veils(scene, placed, options.colliders, projection, veils);
    if (options.colliders) add_outlines(scene, placed, projection, pixel, inks);
    if (options.contacts) add_contacts(frame.contacts, shot.force_scale, shot.focus.radius, projection, pixel, inks);

    const Shading shading(scene, placed, grounds, projection, shadow, shot.focus);
    const Bins    solid_bins(solids, height, rows), veil_bins(veils.triangles, height, rows),
        ink_bins(inks.triangles, height, rows);

    Image image{options.width, options.height, {}};
    image.pixels.resize(3 * static_cast<std::size_t>(options.width) * static_cast<std::size_t>(options.height));
    const auto strips = static_cast<std::size_t>((options.height + kRows - 1) / kRows);
    pool.for_each(strips, 1, [&](std::size_t index) {
        const int y_begin = static_cast<int>(index) * kRows, y_end = std::min(options.height, y_begin + kRows);
        Strip     base, veil, ink;
        for (auto [strip, bins] : {std::pair{&base, &solid_bins}, {&veil, &veil_bins}, {&ink, &ink_bins}}) {
            strip->reset(width, kSamples * y_begin, kSamples * (y_end - y_begin));
            bins->fill_strip(*strip, static_cast<int>(index));
        }
        for (std::uint32_t g = 0; g < grounds.size(); ++g)
            for (int y = 0; y < base.rows; ++y) {
                // Nearness of a plane is linear along the row.
                const double first = shading.ground_nearness(g, 0.5, base.y0 + y + 0.5),
                             last  = shading.ground_nearness(g, width + 0.5, base.y0 + y + 0.5);
                const auto   row   = static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
                for (int x = 0; x < width; ++x) {
                    const auto nearness = static_cast<float>(first + (last - first) * x / width);
                    const auto at       = row + static_cast<std::size_t>(x);
                    if (nearness > base.nearness[at]) base.nearness[at] = nearness, base.ids[at] = kGround + g;
                }
            }

        const auto color_of = [&](std::uint32_t id, double x, double y) {
            if (id == kNothing) return shading.background();
            return id >= kGround ? shading.ground(id - kGround, x, y) : shading.surface(facets[id], x, y);
        };
        for (int py = y_begin; py < y_end; ++py)
            for (int px = 0; px < options.width; ++px) {
                const auto at  = static_cast<std::size_t>(kSamples * (py - y_begin)) * static_cast<std::size_t>(width) +
                                 static_cast<std::size_t>(kSamples * px);
                const Four ids = ids_of(base, at);
                std::array<Vec3f, 4> colors;
                for (std::size_t s = 0; s < 4; ++s) {
                    // Samples of one facet share one shading at their mean place; most pixels are shaded once.
                    const std::size_t same =
                        static_cast<std::size_t>(std::find(ids.begin(), ids.end(), ids[s]) - ids.begin());
                    if (same < s) {
                        colors[s] = colors[same];
                        continue;
                    }
                    double x = 0, y = 0, count = 0;
                    for (std::size_t other = s; other < 4; ++other)
                        if (ids[other] == ids[s]) x += kOffset[other][0], y += kOffset[other][1], ++count;
                    colors[s] = color_of(ids[s], kSamples * px + x / count, kSamples * py + y / count);
                }
                lay(veil, veils.inks, base, at, colors);
                lay(ink, inks.inks, base, at, colors);
                const Vec3f   mean = 0.25F * (colors[0] + colors[1] + colors[2] + colors[3]);
                std::uint8_t* out =
                    &image.pixels[3 * (static_cast<std::size_t>(py) * static_cast<std::size_t>(options.width) +
                                       static_cast<std::size_t>(px))];
                out[0] = to_display_byte(mean.x), out[1] = to_display_byte(mean.y), out[2] = to_display_byte(mean.z);
            }
    });
    return image;
}

}  // namespace

Image draw(const Scene& scene, const record::Frame& frame, const Shot& shot, const RenderOptions& options,
           const tasks::Pool& pool)
{
    if (scene.balls.empty()) return draw_items(scene, frame, shot, options, pool);
    // Each ball is an item of its own.
    Scene whole = scene;
    for (const DrawBall& ball : scene.balls) {
        const auto p = static_cast<std::size_t>(ball.particle);
        if (p >= frame.particle_q.size() || !is_finite(frame.particle_q[p])) continue;
        DrawMesh mesh = scene.meshes[static_cast<std::size_t>(scene.ball_mesh)];
        for (Vec3f& v : mesh.positions) v = ball.radius * v + static_cast<Vec3f>(frame.particle_q[p]);
        DrawItem item;
        item.mesh  = static_cast<std::int32_t>(whole.meshes.size());
        item.color = kBallColor;
        item.solid = true;
        whole.meshes.push_back(std::move(mesh));
        whole.items.push_back(item);
    }
    return draw_items(whole, frame, shot, options, pool);
}

}  // namespace mechane::viewer

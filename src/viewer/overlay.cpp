// What is drawn over the picture: glass, colliders with their outlines, contacts with their forces.
// Inks are blended over the solid surfaces in their order; each has an opacity in front of a surface and another
// behind.
// Colours are given as a screen has them and computed in linear light.
// Called by draw_items.

#include "overlay.h"

#include <algorithm>
#include <cmath>

#include "picture_levels.h"

namespace mechane::viewer {
namespace {

Vec3f linear(float r, float g, float b) { return {to_linear(r), to_linear(g), to_linear(b)}; }

Vec3f collider_color(const DrawItem& item)
{ return item.body < 0 ? linear(0.30F, 0.56F, 0.84F) : linear(0.12F, 0.66F, 0.49F); }

}  // namespace

void add_veils(const Scene& scene, const std::vector<PlacedItem>& placed, bool colliders, const Projection& projection,
               InkLayer& out)
{
    for (std::size_t i = 0; i < scene.items.size(); ++i) {
        const DrawItem& item  = scene.items[i];
        const bool      glass = item.solid && item.opacity < 1;
        if (!placed[i].drawn || !(glass || (colliders && item.collider))) continue;
        Vec3f color = collider_color(item);
        if (glass) color = {to_linear(item.color.x), to_linear(item.color.y), to_linear(item.color.z)};
        if (glass && item.picture >= 0)
            color = scale(color, mean_color(scene.pictures[static_cast<std::size_t>(item.picture)]));
        const auto  id    = out.add({color, glass ? item.opacity : 0.16F, 0});
        for (const auto& t : scene.meshes[static_cast<std::size_t>(item.mesh)].triangles)
            projection.add_triangle(placed[i].points[t[0]], placed[i].points[t[1]], placed[i].points[t[2]], id,
                                    out.triangles);
    }
}

void add_outlines(const Scene& scene, const std::vector<PlacedItem>& placed, const Projection& projection, double pixel,
                  InkLayer& out)
{
    for (std::size_t i = 0; i < scene.items.size(); ++i) {
        const DrawItem& item = scene.items[i];
        if (!placed[i].drawn || !item.collider) continue;
        const auto id = out.add({collider_color(item), 0.95F, 0.22F});
        for (const auto& l : scene.meshes[static_cast<std::size_t>(item.mesh)].lines)
            projection.add_line(placed[i].points[l[0]], placed[i].points[l[1]], 1.1 * pixel, 1, id, out.triangles);
    }
}

/// The factors 1e3, 1e4, 1e5 multiply the nearness, which is how a thing is brought to the front.
void add_contacts(const std::vector<record::ContactSample>& contacts, double scale, double radius,
                  const Projection& projection, double pixel, InkLayer& out)
{
    // Nothing hides a contact: each kind is lifted in front of the scene and of the kind before.
    const auto normals = out.add({linear(0.23F, 0.51F, 0.96F), 1, 1}),
               forces  = out.add({linear(0.90F, 0.28F, 0.30F), 1, 1}),
               points  = out.add({linear(0.96F, 0.65F, 0.14F), 1, 1});
    for (const record::ContactSample& c : contacts) {
        const Vec3d p = static_cast<Vec3d>(c.point), n = static_cast<Vec3d>(c.normal), f = static_cast<Vec3d>(c.force);
        if (!is_finite(p)) continue;
        if (is_finite(n)) projection.add_line(p, p + 0.16 * radius * n, 2 * pixel, 1e3, normals, out.triangles);
        const double reach = is_finite(f) ? std::min(1.1 * radius, scale * length(f)) : 0;
        if (reach > 0.01 * radius) {
            const Vec3d tip = p + reach * normalized(f);
            projection.add_line(p, tip, 3 * pixel, 1e4, forces, out.triangles);
            projection.add_head(p, tip, 7 * pixel, 1e4, forces, out.triangles);
        }
        // Contacts that were made early, while the shapes are still apart, carry nothing: they are half as large.
        projection.add_disc(p, (reach > 0.01 * radius ? 4.5 : 2.25) * pixel, 1e5, points, out.triangles);
    }
}

double force_scale(const record::Recording& recording, double radius)
{
    std::vector<double> lengths;
    for (const record::Frame& frame : recording.frames)
        for (const record::ContactSample& c : frame.contacts)
            if (const double l = length(static_cast<Vec3d>(c.force)); l > 0 && std::isfinite(l)) lengths.push_back(l);
    if (lengths.empty()) return 0;
    const auto at =
        // The ninth decile sets the scale: the largest force of a run is often an impact of one step, beside which
        // nothing else could be seen.
        lengths.begin() + static_cast<std::ptrdiff_t>(std::min(lengths.size() - 1, lengths.size() * 9 / 10));
    std::nth_element(lengths.begin(), at, lengths.end());
    return 0.55 * radius / *at;
}

}  // namespace mechane::viewer

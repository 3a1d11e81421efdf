#include "shading.h"

#include <algorithm>
#include <cmath>

namespace mechane::viewer {
namespace {

constexpr Vec3f kBackground{0.925F, 0.933F, 0.945F}, kGridInk{0.745F, 0.768F, 0.804F};
constexpr Vec3f kSun{0.86F, 0.83F, 0.79F}, kSky{0.50F, 0.51F, 0.53F}, kSoil{0.22F, 0.22F, 0.24F};
constexpr float kShadowOnGround = 0.42F;  ///< share of light that the ground loses in shadow

Vec3f linear(const Vec3f& display) { return {to_linear(display.x), to_linear(display.y), to_linear(display.z)}; }
Vec3f mix(const Vec3f& a, const Vec3f& b, float t) { return (1 - t) * a + t * b; }
double smoothstep(double low, double high, double x)
{
    const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

/// The nearest of 1, 2 and 5 times a power of ten.
double round_cell(double size)
{
    const double power = std::pow(10.0, std::floor(std::log10(size))), lead = size / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

/// How much of a pixel of width `w` [cells] around `p` a line of `thick` pixels at the whole numbers covers.
double line(double p, double w, double thick)
{
    const double d    = std::abs(p - std::round(p));
    const double near = 1 - smoothstep(w * thick * 0.5, w * (thick * 0.5 + 1), d);
    const double t    = smoothstep(0.3, 0.8, w);  // lines closer than a pixel melt into their mean
    return (1 - t) * near + t * std::min(1.0, thick * w);
}

}  // namespace

float to_linear(float v) { return v <= 0.04045F ? v / 12.92F : std::pow((v + 0.055F) / 1.055F, 2.4F); }
float to_display(float v) { return v <= 0.0031308F ? 12.92F * v : 1.055F * std::pow(v, 1 / 2.4F) - 0.055F; }

Shading::Shading(const Scene& scene, const std::vector<PlacedItem>& placed, const std::vector<Posed>& grounds, const Projection& projection,
                 const ShadowMap& shadow, const Focus& focus)
    : scene_(scene), placed_(placed), grounds_(grounds), projection_(projection), shadow_(shadow), focus_(focus), cell_(round_cell(focus.radius / 4)),
      up_(axis_vector<float>(scene.up_axis)), to_sun_(static_cast<Vec3f>(sun_direction(scene.up_axis))), background_(linear(kBackground)),
      ink_(linear(kGridInk))
{
    for (const DrawItem& item : scene.items) colors_.push_back(linear(item.color));
}

Vec3f Shading::surface(const Facet& facet, double x, double y) const
{
    const PlacedItem& item    = placed_[facet.item];
    const auto&       corners = scene_.meshes[static_cast<std::size_t>(scene_.items[facet.item].mesh)].triangles[facet.triangle];
    const Vec3d       eye = projection_.camera().eye, ray = projection_.ray(x, y);
    const Vec3d       a = item.points[corners[0]] - eye, ab = item.points[corners[1]] - eye - a, ac = item.points[corners[2]] - eye - a;

    // Moeller and Trumbore 1997; beside the triangle, where a pixel's middle is not covered, the nearest weights stand in.
    const Vec3d  p = cross(ray, ac), q = cross(a, ab);
    const double det = dot(ab, p);
    double       v = 1.0 / 3, w = 1.0 / 3;
    if (std::abs(det) > 0) {
        v = std::clamp(-dot(a, p) / det, 0.0, 1.0);
        w = std::clamp(-dot(ray, q) / det, 0.0, 1.0 - v);
    }
    const Vec3d at       = eye + a + v * ab + w * ac;
    const auto  fv       = static_cast<float>(v), fw = static_cast<float>(w);
    const Vec3f to_eye   = normalized(static_cast<Vec3f>(-ray));
    Vec3f       face     = static_cast<Vec3f>(normalized(cross(ab, ac)));
    Vec3f       n        = normalized((1 - fv - fw) * item.normals[corners[0]] + fv * item.normals[corners[1]] + fw * item.normals[corners[2]], face);
    if (dot(face, to_eye) < 0) face = -face;
    if (dot(n, face) < 0) n = -n;

    const float facing = dot(n, to_sun_);
    const float lit    = facing > 0 ? shadow_.lit(at, static_cast<Vec3d>(n)) * facing : 0;
    const Vec3f sky    = mix(kSoil, kSky, 0.5F + 0.5F * dot(n, up_));
    const Vec3f half   = normalized(to_sun_ + to_eye);
    const float gloss  = facing > 0 ? 0.16F * lit * std::pow(std::max(0.0F, dot(n, half)), 28.0F) : 0;
    const Vec3f color  = colors_[facet.item];
    return scale(color, sky + lit * kSun) + gloss * Vec3f{1, 1, 1};
}

float Shading::ground_nearness(std::size_t index, double x, double y) const
{
    const Vec3d  n     = rotate(grounds_[index].q, Vec3d{0, 0, 1});
    const double above = dot(n, projection_.camera().eye - grounds_[index].p);
    return above == 0 ? 0 : static_cast<float>(-dot(n, projection_.ray(x, y)) / above);
}

Vec3d Shading::on_ground(std::size_t index, double x, double y) const
{
    const double nearness = std::max(1e-9, static_cast<double>(ground_nearness(index, x, y)));
    return inverse_times(grounds_[index], projection_.camera().eye + (1 / nearness) * projection_.ray(x, y));
}

Vec3f Shading::ground(std::size_t index, double x, double y) const
{
    const Posed& X     = grounds_[index];
    const Vec3d  local = on_ground(index, x, y);
    Vec3d        below = inverse_times(X, focus_.centre);
    below.z            = 0;
    const double fade  = 1 - smoothstep(0.25, 1, length(local - below) / (14 * focus_.radius));
    if (!(fade > 0)) return background_;
    // One pixel is two samples wide.
    const Vec3d right = abs(on_ground(index, x + 2, y) - local), down = abs(on_ground(index, x, y + 2) - local);
    const auto  grid  = [&](double cell, double thick) {
        return std::max(line(local.x / cell, std::max(right.x, down.x) / cell, thick), line(local.y / cell, std::max(right.y, down.y) / cell, thick));
    };
    const double ink   = fade * std::max(0.3 * grid(cell_, 0.6), 0.8 * grid(5 * cell_, 0.9));
    const Vec3d  n     = rotate(X.q, Vec3d{0, 0, 1});
    const float  light = dot(static_cast<Vec3f>(n), to_sun_) > 0 ? shadow_.lit(X * local, n) : 1;
    const Vec3f  color = mix(background_, ink_, static_cast<float>(ink));
    return (1 - kShadowOnGround * (1 - light)) * color;
}

}  // namespace mechane::viewer

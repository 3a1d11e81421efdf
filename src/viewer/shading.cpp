// The light of a surface and of the ground at one pixel.
// Inputs: a facet or ground and a place on the screen [samples]. Output: a colour in linear light.
// One sun with a shadow map, a sky that shades from soil to zenith by the normal's height, a small highlight (Blinn).
// Light above a knee is compressed. Constants are choices of looks, not of physics.
// Called by draw_items, from several threads.

#include "shading.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "picture_levels.h"

namespace mechane::viewer {
namespace {

constexpr Vec3f kBackground{0.925F, 0.933F, 0.945F}, kGridInk{0.745F, 0.768F, 0.804F};
constexpr Vec3f kSun{0.86F, 0.83F, 0.79F}, kSky{0.50F, 0.51F, 0.53F}, kSoil{0.22F, 0.22F, 0.24F};
constexpr float kShadowOnGround = 0.42F;  ///< share of light that the ground loses in shadow

Vec3f linear(const Vec3f& display) { return {to_linear(display.x), to_linear(display.y), to_linear(display.z)}; }
Vec3f mix(const Vec3f& a, const Vec3f& b, float t) { return (1 - t) * a + t * b; }
/// Compresses light above 0.55, so that white surfaces keep their shading.
float shoulder(float x)
{
    constexpr float kKnee = 0.55F;
    return x <= kKnee ? x : kKnee + (1 - kKnee) * (1 - std::exp((kKnee - x) / (1 - kKnee)));
}
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
    const double t    = smoothstep(0.3, 0.8, w);  // lines closer than a pixel fade into their mean
    return (1 - t) * near + t * std::min(1.0, thick * w);
}

}  // namespace

/// The transfer function of sRGB (IEC 61966-2-1).
float to_linear(float v) { return v <= 0.04045F ? v / 12.92F : std::pow((v + 0.055F) / 1.055F, 2.4F); }

std::uint8_t to_display_byte(float linear)
{
    // Steep at black: 4096 steps are 0.8 of a byte there, and finer everywhere else.
    constexpr int     kSteps = 4096;
    static const auto table  = [] {
        std::array<std::uint8_t, kSteps + 1> out{};
        for (int i = 0; i <= kSteps; ++i) {
            const double v                   = static_cast<double>(i) / kSteps;
            out[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(
                std::lround(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055)));
        }
        return out;
    }();
    return table[static_cast<std::size_t>(std::clamp(linear, 0.0F, 1.0F) * kSteps + 0.5F)];
}

Shading::Shading(const Scene& scene, const std::vector<PlacedItem>& placed, const std::vector<Posed>& grounds,
                 const Projection& projection, const ShadowMap& shadow, const Focus& focus)
    : scene_(scene),
      placed_(placed),
      grounds_(grounds),
      projection_(projection),
      shadow_(shadow),
      focus_(focus),
      cell_(round_cell(focus.radius / 4)),
      up_(axis_vector<float>(scene.up_axis)),
      to_sun_(static_cast<Vec3f>(sun_direction(scene.up_axis))),
      background_(linear(kBackground)),
      ink_(linear(kGridInk))
{
    for (const DrawItem& item : scene.items) colors_.push_back(linear(item.color));
    for (const Posed& X : grounds) planes_.push_back(plane_of(X));
}

Vec3f Shading::surface(const Facet& facet, double x, double y) const
{
    const PlacedItem& item = placed_[facet.item];
    const auto&       corners =
        scene_.meshes[static_cast<std::size_t>(scene_.items[facet.item].mesh)].triangles[facet.triangle];
    const Vec3d eye = projection_.camera().eye, ray = projection_.ray(x, y);
    const Vec3d a = item.points[corners[0]] - eye, ab = item.points[corners[1]] - eye - a,
                ac = item.points[corners[2]] - eye - a;

    // Moeller and Trumbore 1997; beside the triangle, where a pixel's middle is not covered, the nearest weights stand
    // in.
    const Vec3d q       = cross(a, ab);
    const auto  weights = [&](const Vec3d& along, double& second, double& third) {
        const Vec3d  p   = cross(along, ac);
        const double det = dot(ab, p);
        if (!(std::abs(det) > 0)) return false;
        second = -dot(a, p) / det;
        third  = -dot(along, q) / det;
        return true;
    };
    double v = 1.0 / 3, w = 1.0 / 3;
    if (weights(ray, v, w)) {
        v = std::clamp(v, 0.0, 1.0);
        w = std::clamp(w, 0.0, 1.0 - v);
    }
    const Vec3d at = eye + a + v * ab + w * ac;
    const auto  fv = static_cast<float>(v), fw = static_cast<float>(w);
    const Vec3f to_eye = normalized(static_cast<Vec3f>(-ray));
    Vec3f       face   = static_cast<Vec3f>(normalized(cross(ab, ac)));
    Vec3f       n      = normalized(
        (1 - fv - fw) * item.normals[corners[0]] + fv * item.normals[corners[1]] + fw * item.normals[corners[2]], face);
    // Both sides of a surface are drawn: the normal is turned to the eye.
    if (dot(face, to_eye) < 0) face = -face;
    if (dot(n, face) < 0) n = -n;

    const float facing = dot(n, to_sun_);
    const float lit    = facing > 0 ? shadow_.lit(at, static_cast<Vec3d>(n)) * facing : 0;
    const Vec3f sky    = mix(kSoil, kSky, 0.5F + 0.5F * dot(n, up_));
    const Vec3f half   = normalized(to_sun_ + to_eye);
    const float shine  = square(square(std::max(0.0F, dot(n, half))));  // to the 4th; below to the 28th
    const float gloss  = facing > 0 ? 0.16F * lit * square(square(shine)) * square(shine) * shine : 0;
    const DrawItem& drawn = scene_.items[facet.item];
    Vec3f           color = colors_[facet.item];
    if (drawn.picture >= 0) {
        const DrawMesh& mesh = scene_.meshes[static_cast<std::size_t>(drawn.mesh)];
        const auto      uv   = [&](double second, double third) {
            const Vec2f &c0 = mesh.uvs[corners[0]], &c1 = mesh.uvs[corners[1]], &c2 = mesh.uvs[corners[2]];
            return Vec2d{(1 - second - third) * c0.x + second * c1.x + third * c2.x,
                         (1 - second - third) * c0.y + second * c1.y + third * c2.y};
        };
        const Vec2d here = uv(v, w);
        Vec2d       extent;  // of a pixel, two samples, in the picture
        for (const Vec3d& beside : {projection_.ray(x + 2, y), projection_.ray(x, y + 2)}) {
            double second = v, third = w;
            if (!weights(beside, second, third)) continue;
            const Vec2d there = uv(second, third);
            extent.x          = std::max(extent.x, std::abs(there.x - here.x));
            extent.y          = std::max(extent.y, std::abs(there.y - here.y));
        }
        color = scale(color, sample(scene_.pictures[static_cast<std::size_t>(drawn.picture)], drawn.wrap_s,
                                    drawn.wrap_t, here, extent));
    }
    const Vec3f out    = scale(color, sky + lit * kSun) + gloss * Vec3f{1, 1, 1};
    return {shoulder(out.x), shoulder(out.y), shoulder(out.z)};
}

Shading::Plane Shading::plane_of(const Posed& X) const
{
    // A ray is r(s) = R s for a matrix R; it meets z = 0 of the plane where nearness = -z(r) / z(eye), at eye + r /
    // nearness.
    const Vec3d origin = projection_.ray(0, 0), dx = projection_.ray(1, 0) - origin,
                dy  = projection_.ray(0, 1) - origin;
    const Vec3d eye = inverse_times(X, projection_.camera().eye);
    const auto  R = Mat33d::from_columns(rotate_inverse(X.q, dx), rotate_inverse(X.q, dy), rotate_inverse(X.q, origin));
    Plane       out;
    if (eye.z != 0) out.nearness = (-1 / eye.z) * R.r2;
    out.u      = R.r0 + eye.x * out.nearness;
    out.v      = R.r1 + eye.y * out.nearness;
    out.below  = inverse_times(X, focus_.centre);
    out.normal = rotate(X.q, Vec3d{0, 0, 1});
    return out;
}

Vec3f Shading::ground(std::size_t index, double x, double y) const
{
    const Plane& plane = planes_[index];
    const Vec3d  at{x, y, 1};
    const double inverse_nearness = 1 / std::max(1e-9, dot(plane.nearness, at)),
                 u = dot(plane.u, at) * inverse_nearness, v = dot(plane.v, at) * inverse_nearness;
    const double fade =
        1 - smoothstep(0.25, 1, std::hypot(u - plane.below.x, v - plane.below.y) / (14 * focus_.radius));
    if (!(fade > 0)) return background_;
    // Width of a pixel, two samples, in the plane's coordinates: the larger of its two directions on the picture.
    // The derivative of u = (U s) / (N s) with respect to the screen: (U_x - u N_x) / (N s).
    const auto width = [&](const Vec3d& row, double value) {
        return 2 * inverse_nearness *
               std::max(std::abs(row.x - value * plane.nearness.x), std::abs(row.y - value * plane.nearness.y));
    };
    const double width_u = width(plane.u, u), width_v = width(plane.v, v);
    const auto   grid = [&](double cell, double thick) {
        return std::max(line(u / cell, width_u / cell, thick), line(v / cell, width_v / cell, thick));
    };
    const double ink   = fade * std::max(0.3 * grid(cell_, 0.6), 0.8 * grid(5 * cell_, 0.9));
    const float  light = dot(static_cast<Vec3f>(plane.normal), to_sun_) > 0
                             ? shadow_.lit(grounds_[index] * Vec3d{u, v, 0}, plane.normal)
                             : 1;
    const Vec3f  color = mix(background_, ink_, static_cast<float>(ink));
    return (1 - kShadowOnGround * (1 - light)) * color;
}

}  // namespace mechane::viewer

#pragma once
#include <cstdint>
#include <vector>

#include "projection.h"
#include "shadow_map.h"

namespace mechane::viewer {

/// The scene at one moment, in the world; parallel to Scene::items.
struct PlacedItem {
    bool               drawn = false;
    std::vector<Vec3d> points;
    std::vector<Vec3f> normals;
};

/// Which triangle of which item a sample's id means.
struct Facet {
    std::uint32_t item, triangle;
};

/// Light and colour of surfaces; linear RGB in, linear RGB out.
class Shading {
  public:
    Shading(const Scene& scene, const std::vector<PlacedItem>& placed, const std::vector<Posed>& grounds,
            const Projection& projection, const ShadowMap& shadow, const Focus& focus);

    /// Colour of a facet where the ray through (x, y) [samples] meets its plane.
    [[nodiscard]] Vec3f surface(const Facet& facet, double x, double y) const;
    /// Colour of a ground there: background, lines that fade out, shadow.
    [[nodiscard]] Vec3f ground(std::size_t index, double x, double y) const;
    /// Nearness of a ground there, 0 where it is not seen.
    [[nodiscard]] double ground_nearness(std::size_t index, double x, double y) const
    { return dot(planes_[index].nearness, Vec3d{x, y, 1}); }
    [[nodiscard]] Vec3f background() const { return background_; }

  private:
    /// A plane as the picture sees it. With s = (x, y, 1) [samples], nearness is dot(nearness, s) and the plane's own
    /// coordinates are dot(u, s) and dot(v, s) over it.
    struct Plane {
        Vec3d nearness, u, v;
        Vec3d below;   ///< the focus, dropped onto the plane, in the plane's coordinates
        Vec3d normal;  ///< in the world
    };
    [[nodiscard]] Plane plane_of(const Posed& X) const;

    const Scene&                   scene_;
    const std::vector<PlacedItem>& placed_;
    const std::vector<Posed>&      grounds_;
    const Projection&              projection_;
    const ShadowMap&               shadow_;
    Focus                          focus_;
    double                         cell_;  ///< of the grid [m]
    std::vector<Plane>             planes_;
    Vec3f                          up_, to_sun_, background_, ink_;
    std::vector<Vec3f>             colors_;  ///< linear, per item
};

/// sRGB curve (IEC 61966-2-1), one channel 0..1.
float to_linear(float display);
/// The nearest byte on the sRGB curve, 0..255; what is darker or brighter is held.
std::uint8_t to_display_byte(float linear);

}  // namespace mechane::viewer

#pragma once
#include <vector>

#include "mechane/simulation/recording.h"
#include "projection.h"
#include "shading.h"

namespace mechane::viewer {

/// A flat colour drawn over the picture.
struct Ink {
    Vec3f color;   ///< linear
    float front;   ///< opacity where nothing is nearer
    float behind;  ///< opacity where something is
};

/// Triangles of an overlay; their ids are indices into `inks`.
struct InkLayer {
    std::vector<ScreenTriangle> triangles;
    std::vector<Ink>            inks;

    std::uint32_t add(const Ink& ink)
    {
        inks.push_back(ink);
        return static_cast<std::uint32_t>(inks.size() - 1);
    }
};

/// Transparent surfaces of colliders and of translucent shapes.
void add_veils(const Scene& scene, const std::vector<PlacedItem>& placed, bool colliders, const Projection& projection,
               InkLayer& out);
/// Outlines of colliders, on the surface and faintly through what lies in front. `pixel` is a pixel's width [samples].
void add_outlines(const Scene& scene, const std::vector<PlacedItem>& placed, const Projection& projection, double pixel,
                  InkLayer& out);
/// Points, normals and forces, over everything. `force_scale` is [m/N], `radius` the size of what moves [m].
void add_contacts(const std::vector<record::ContactSample>& contacts, double force_scale, double radius,
                  const Projection& projection, double pixel, InkLayer& out);
/// Length of arrows per newton: nine of ten are shorter than 0.55 `radius`. 0 when there is no force.
double force_scale(const record::Recording& recording, double radius);

}  // namespace mechane::viewer

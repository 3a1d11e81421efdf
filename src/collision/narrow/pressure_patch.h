#pragma once
#include <vector>

#include "mechane/collision/hydroelastic.h"
#include "mechane/collision/narrow.h"
#include "mechane/collision/reduction.h"
#include "mechane/collision/sdf_shape.h"

namespace mechane::collision {

/// One side of a pressure contact.
struct PressureSide {
    const Shape* shape  = nullptr;  ///< with a field
    double       kh     = 0;        ///< [N/m^3]
    double       margin = 0;        ///< [m]
    std::int32_t index  = -1;       ///< what the pressure law is called with
};

/// A contact that carries its own stiffness.
struct PressureContact {
    ContactPoint point;  ///< distance with margins subtracted; p0 and p1 lie half of it on each side of the surface
    double       stiffness = 0;  ///< [N/m]
    double       friction  = 0;  ///< factor of mu; 0: none
};

/// A face of the surface of equal pressure.
struct PatchFace {
    Vec3d              centroid, normal;  ///< in the pair's frame; from a to b
    double             distance = 0;      ///< mean over the corners [m]
    double             area     = 0;      ///< of the part below zero distance [m^2]
    double             whole    = 0;      ///< area of all of it [m^2]
    double             pressure = 0;      ///< at the centroid [Pa]
    std::uint64_t      key      = 0;
    [[nodiscard]] bool active() const { return distance < 0 && pressure > 0; }
};

/// Faces that become one contact: those of one cell and one normal bin.
struct PatchSum {
    std::size_t         key = 0, bin = 0;
    bool                active    = false;
    std::size_t         strongest = 0, count = 0;            ///< a face: of open ones the nearest
    Vec3d               force, moment;                       ///< sum A p n [N], sum A p x [N m]
    double              weight = 0, area = 0, volume = 0;    ///< sum A p [N], sum A [m^2] (of open ones whole), sum A (-d) [m^3]
    [[nodiscard]] double depth() const { return volume / area; }  ///< so that pressure along it adds up to the force
};

/// Memory of one task for pressure contacts; it grows to what is needed and is kept.
struct PatchScratch {
    std::vector<PatchFace>    faces;
    std::vector<PatchSum>     sums;
    std::vector<std::int32_t> sum_of;      ///< by bin and cell; -1: none
    std::size_t               needed = 0;  ///< faces of the last pair, those without room included
};

/// Most faces of one pair that there is room for.
std::size_t face_capacity(const HydroelasticOptions& options);

/// The surface of equal pressure as far as it is nearer than `gap` [m], into scratch.faces; corners into `surface`
/// where that is wanted.
void find_patch(const PressureSide& a, const PressureSide& b, double gap, const HydroelasticOptions& options,
                PatchScratch& scratch, std::vector<ContactFace>* surface);

/// The contacts of the faces found: each face, or at most 240 with the force and the torque of all. `out` is cleared.
void patch_contacts(const PressureSide& a, const PressureSide& b, const HydroelasticOptions& options,
                    PatchScratch& scratch, std::vector<PressureContact>& out);

}  // namespace mechane::collision

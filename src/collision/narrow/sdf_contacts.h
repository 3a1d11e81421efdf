#pragma once
#include <vector>

#include "mechane/collision/narrow.h"
#include "mechane/collision/reduction.h"
#include "mechane/collision/sdf_shape.h"

namespace mechane::collision {

/// Memory of one task for the contacts of fields; it grows to what is needed and is kept.
struct FieldScratch {
    std::vector<ContactPoint>   found, doubtful;
    std::vector<ReductionPoint> points;
    std::vector<std::uint32_t>  chosen;
    ContactReduction            reduction;
};

/// Two surfaces that both have a field and edges.
inline bool has_field_route(const Shape& a, const Shape& b)
{ return a.sdf && b.sdf && a.sdf->surface && b.sdf->surface; }

/// Contacts with distance <= reach [m]: each edge, corner and face of one is searched for the least value of the
/// other's field, both ways. `out` is cleared.
/// @param reduce  keep at most 240 of them
void collide_fields(const Shape& a, const Shape& b, double reach, bool reduce, FieldScratch& scratch,
                    std::vector<ContactPoint>& out);

}  // namespace mechane::collision

// Visibility and purpose of prims with inheritance, as UsdGeomImageable computes them.
// An invisible prim hides all below it; the nearest authored purpose at or above a prim counts.

#include "usd/stage_impl.h"

namespace mechane::usd {
namespace {
const Token kVisibility("visibility"), kPurpose("purpose"), kInvisible("invisible"), kImageable("Imageable");
}

bool Stage::visible(Prim prim, TimeCode time) const
{
    for (; prim && prim.index() != 0; prim = prim.parent()) {
        if (!prim.is_a(kImageable)) continue;
        const auto value = prim.attribute(kVisibility).authored_as<Token>(time);
        if (value && *value == kInvisible) return false;
    }
    return true;
}

Token Stage::purpose(Prim prim) const
{
    for (; prim && prim.index() != 0; prim = prim.parent()) {
        if (!prim.is_a(kImageable)) continue;
        if (const auto value = prim.attribute(kPurpose).authored_as<Token>()) return *value;
    }
    return "default";
}

}  // namespace mechane::usd

// Names of joint and shape types as Newton prints them.

#include "mechane/model/types.h"

namespace mechane::model {

std::string_view to_string(JointType type) noexcept
{
    switch (type) {
        case JointType::prismatic:
            return "PRISMATIC";
        case JointType::revolute:
            return "REVOLUTE";
        case JointType::ball:
            return "BALL";
        case JointType::fixed:
            return "FIXED";
        case JointType::free:
            return "FREE";
        case JointType::distance:
            return "DISTANCE";
        case JointType::d6:
            return "D6";
        case JointType::rod:
            return "ROD";
    }
    return "UNKNOWN";
}

std::string_view to_string(GeoType type) noexcept
{
    switch (type) {
        case GeoType::none:
            return "NONE";
        case GeoType::plane:
            return "PLANE";
        case GeoType::heightfield:
            return "HFIELD";
        case GeoType::sphere:
            return "SPHERE";
        case GeoType::capsule:
            return "CAPSULE";
        case GeoType::ellipsoid:
            return "ELLIPSOID";
        case GeoType::cylinder:
            return "CYLINDER";
        case GeoType::box:
            return "BOX";
        case GeoType::mesh:
            return "MESH";
        case GeoType::cone:
            return "CONE";
        case GeoType::convex_mesh:
            return "CONVEX_MESH";
        case GeoType::gaussian:
            return "GAUSSIAN";
    }
    return "UNKNOWN";
}

}  // namespace mechane::model

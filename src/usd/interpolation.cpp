// Linear interpolation of values between time samples, type by type: quaternions turn along the arc, arrays blend
// element by element.
// Types that cannot be blended, arrays of different lengths and blocked values hold the earlier sample (OpenUSD's
// rules).

#include "usd/interpolation.h"

#include <pxr/gf/matrix2d.h>
#include <pxr/gf/matrix3d.h>
#include <pxr/gf/matrix4d.h>
#include <pxr/gf/quatd.h>
#include <pxr/gf/quatf.h>
#include <pxr/gf/quath.h>
#include <pxr/gf/rotation.h>
#include <pxr/gf/vec2d.h>
#include <pxr/gf/vec2f.h>
#include <pxr/gf/vec2h.h>
#include <pxr/gf/vec3d.h>
#include <pxr/gf/vec3f.h>
#include <pxr/gf/vec3h.h>
#include <pxr/gf/vec4d.h>
#include <pxr/gf/vec4f.h>
#include <pxr/gf/vec4h.h>
#include <pxr/sdf/timeCode.h>
#include <pxr/sdf/types.h>
#include <pxr/vt/array.h>

#include <type_traits>

namespace mechane::usd {
namespace {

using namespace pxr;

template <class T>
T blend(double u, const T& a, const T& b)
{
    if constexpr (std::is_same_v<T, GfQuatd> || std::is_same_v<T, GfQuatf> || std::is_same_v<T, GfQuath>)
        return GfSlerp(u, a, b);
    // Half and single precision are blended in double and rounded once.
    else if constexpr (std::is_same_v<T, GfHalf>)
        return GfHalf(static_cast<float>((1 - u) * static_cast<double>(static_cast<float>(a)) +
                                         u * static_cast<double>(static_cast<float>(b))));
    else if constexpr (std::is_same_v<T, float>)
        return static_cast<float>((1 - u) * static_cast<double>(a) + u * static_cast<double>(b));
    else if constexpr (std::is_same_v<T, SdfTimeCode>)
        return SdfTimeCode((1 - u) * a.GetValue() + u * b.GetValue());
    else if constexpr (std::is_same_v<T, GfVec2h>)
        return GfVec2h((1 - u) * GfVec2d(a) + u * GfVec2d(b));
    else if constexpr (std::is_same_v<T, GfVec3h>)
        return GfVec3h((1 - u) * GfVec3d(a) + u * GfVec3d(b));
    else if constexpr (std::is_same_v<T, GfVec4h>)
        return GfVec4h((1 - u) * GfVec4d(a) + u * GfVec4d(b));
    else
        return T((1 - u) * a + u * b);
}

template <class T>
bool blend_as(double u, const VtValue& a, const VtValue& b, VtValue& out)
{
    if (a.IsHolding<T>() && b.IsHolding<T>()) {
        out = VtValue(blend(u, a.UncheckedGet<T>(), b.UncheckedGet<T>()));
        return true;
    }
    if (a.IsHolding<VtArray<T>>() && b.IsHolding<VtArray<T>>()) {
        const auto &x = a.UncheckedGet<VtArray<T>>(), &y = b.UncheckedGet<VtArray<T>>();
        if (x.size() != y.size()) return false;  // held
        VtArray<T> z(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) z[i] = blend(u, x[i], y[i]);
        out = VtValue(z);
        return true;
    }
    return false;
}

}  // namespace

VtValue interpolate(double u, const VtValue& a, const VtValue& b)
{
    if (a.IsHolding<SdfValueBlock>() || b.IsHolding<SdfValueBlock>()) return a;
    VtValue out;
    if (blend_as<double>(u, a, b, out) || blend_as<float>(u, a, b, out) || blend_as<GfHalf>(u, a, b, out) ||
        blend_as<GfVec2f>(u, a, b, out) || blend_as<GfVec2d>(u, a, b, out) || blend_as<GfVec3f>(u, a, b, out) ||
        blend_as<GfVec3d>(u, a, b, out) || blend_as<GfVec3h>(u, a, b, out) || blend_as<GfVec2h>(u, a, b, out) ||
        blend_as<GfVec4h>(u, a, b, out) || blend_as<GfMatrix2d>(u, a, b, out) || blend_as<GfMatrix3d>(u, a, b, out) ||
        blend_as<GfVec4f>(u, a, b, out) || blend_as<GfVec4d>(u, a, b, out) || blend_as<GfQuatf>(u, a, b, out) ||
        blend_as<GfQuatd>(u, a, b, out) || blend_as<GfQuath>(u, a, b, out) || blend_as<GfMatrix4d>(u, a, b, out) ||
        blend_as<SdfTimeCode>(u, a, b, out))
        return out;
    return a;
}

VtValue sample_layer(const SdfLayerRefPtr& layer, const SdfPath& path, double time, bool held)
{
    double lower = 0, upper = 0;
    if (!layer->GetBracketingTimeSamplesForPath(path, time, &lower, &upper)) return {};
    VtValue a, b;
    layer->QueryTimeSample(path, lower, &a);
    if (held || lower == upper || a.IsHolding<SdfValueBlock>()) return a;
    layer->QueryTimeSample(path, upper, &b);
    return interpolate((time - lower) / (upper - lower), a, b);
}

}  // namespace mechane::usd

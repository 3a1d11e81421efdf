#include <pxr/ar/resolver.h>
#include <pxr/ar/resolverContextBinder.h>
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
#include <pxr/pcp/expressionVariables.h>
#include <pxr/sdf/assetPath.h>
#include <pxr/sdf/layerUtils.h>
#include <pxr/sdf/pathExpression.h>
#include <pxr/sdf/schema.h>
#include <pxr/sdf/timeCode.h>
#include <pxr/sdf/types.h>
#include <pxr/sdf/variableExpression.h>
#include <pxr/ts/spline.h>

#include <type_traits>

#include "usd/stage_impl.h"

namespace mechane::usd {
namespace {

using namespace pxr;

const TfToken kDefault("default"), kTimeSamples("timeSamples"), kSpline("spline");

template <class T>
T blend(double u, const T& a, const T& b)
{
    if constexpr (std::is_same_v<T, GfQuatd> || std::is_same_v<T, GfQuatf> || std::is_same_v<T, GfQuath>)
        return GfSlerp(u, a, b);
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

/// Linear between two samples where the type allows it, else the lower one held.
VtValue interpolate(double u, const VtValue& a, const VtValue& b)
{
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

/// A layer's samples at a layer time; blocks and held ends as OpenUSD has them.
VtValue sample(const SdfLayerRefPtr& layer, const SdfPath& path, double time)
{
    double lower = 0, upper = 0;
    if (!layer->GetBracketingTimeSamplesForPath(path, time, &lower, &upper)) return {};
    VtValue a, b;
    layer->QueryTimeSample(path, lower, &a);
    if (lower == upper || a.IsHolding<SdfValueBlock>()) return a;
    layer->QueryTimeSample(path, upper, &b);
    if (b.IsHolding<SdfValueBlock>()) return a;
    return interpolate((time - lower) / (upper - lower), a, b);
}

/// Asset paths: evaluated, anchored to the layer that authored them, resolved. Time codes: mapped to stage time. Path
/// expressions: mapped into the stage's namespace.
void finish(const Stage::Impl& stage, const SdfLayerRefPtr& layer, const PcpNodeRef& node, const SdfLayerOffset& offset,
            VtValue& value)
{
    const auto resolve = [&](const SdfAssetPath& asset) {
        std::string evaluated = asset.GetAuthoredPath();
        if (SdfVariableExpression::IsExpression(evaluated)) {
            const auto result = SdfVariableExpression(evaluated).Evaluate(
                node.GetLayerStack()->GetExpressionVariables().GetVariables());
            evaluated =
                result.value.IsHolding<std::string>() ? result.value.UncheckedGet<std::string>() : std::string();
        }
        if (evaluated.empty() || evaluated.find("<UDIM>") != std::string::npos)
            return SdfAssetPath(SdfAssetPathParams().Authored(asset.GetAuthoredPath()).Evaluated(evaluated));
        const ArResolverContextBinder bind(stage.context);
        const std::string             anchored = SdfComputeAssetPathRelativeToLayer(layer, evaluated);
        return SdfAssetPath(SdfAssetPathParams()
                                .Authored(asset.GetAuthoredPath())
                                .Evaluated(evaluated)
                                .Resolved(ArGetResolver().Resolve(anchored).GetPathString()));
    };
    if (value.IsHolding<SdfAssetPath>()) {
        value = VtValue(resolve(value.UncheckedGet<SdfAssetPath>()));
    } else if (value.IsHolding<VtArray<SdfAssetPath>>()) {
        VtArray<SdfAssetPath> paths = value.UncheckedGet<VtArray<SdfAssetPath>>();
        for (SdfAssetPath& path : paths) path = resolve(path);
        value = VtValue(paths);
    } else if (value.IsHolding<SdfTimeCode>() && !offset.IsIdentity()) {
        value = VtValue(SdfTimeCode(offset * value.UncheckedGet<SdfTimeCode>().GetValue()));
    } else if (value.IsHolding<VtArray<SdfTimeCode>>() && !offset.IsIdentity()) {
        VtArray<SdfTimeCode> times = value.UncheckedGet<VtArray<SdfTimeCode>>();
        for (SdfTimeCode& time : times) time = SdfTimeCode(offset * time.GetValue());
        value = VtValue(times);
    } else if (value.IsHolding<SdfPathExpression>()) {
        const SdfPathExpression absolute =
            value.UncheckedGet<SdfPathExpression>().MakeAbsolute(node.GetPath().StripAllVariantSelections());
        value = VtValue(node.GetMapToRoot().Evaluate().MapSourceToTarget(absolute));
    }
}

}  // namespace

Resolved resolve_value(const Stage::Impl& stage, const PrimRecord& prim, const TfToken& name, const TimeCode& time,
                       bool with_fallback)
{
    Resolved   out;
    bool       animation_blocked = false;
    const bool found =
        prim.index != nullptr &&
        for_each_site(*prim.index, [&](const SdfLayerRefPtr& layer, const PcpNodeRef& node, std::size_t i) {
            const SdfPath path = node.GetPath().AppendProperty(name);
            if (!layer->HasSpec(path)) return false;
            const SdfLayerOffset offset = time_offset(node, i);
            if (time.value && !animation_blocked) {
                const double local = offset.GetInverse() * *time.value;
                if (layer->GetNumTimeSamplesForPath(path) > 0) {
                    out.value = sample(layer, path, local);
                    finish(stage, layer, node, offset, out.value);
                    return true;
                }
                if (VtValue spline; layer->HasField(path, kSpline, &spline) && spline.IsHolding<TsSpline>()) {
                    double value = 0;
                    if (spline.UncheckedGet<TsSpline>().Eval(local, &value)) out.value = VtValue(value);
                    return true;
                }
            }
            if (!layer->HasField(path, kDefault, &out.value)) return false;
            if (out.value.IsHolding<SdfAnimationBlock>()) {
                animation_blocked = true;
                out.value         = VtValue();
                return false;
            }
            finish(stage, layer, node, offset, out.value);
            return true;
        });
    if (found && out.value.IsHolding<SdfValueBlock>()) {
        out.value   = VtValue();
        out.blocked = true;
        return out;
    }
    out.authored          = found && !out.value.IsEmpty();
    const auto definition = prim.definition->properties.find(name);
    if (definition == prim.definition->properties.end()) return out;
    if (!out.authored && with_fallback) out.value = definition->second.fallback;
    // The schema's type wins over the authored one.
    if (out.authored && definition->second.type && out.value.GetType() != definition->second.type.GetType())
        if (VtValue cast = VtValue::CastToTypeid(out.value, definition->second.type.GetType().GetTypeid());
            !cast.IsEmpty())
            out.value = cast;
    return out;
}

}  // namespace mechane::usd

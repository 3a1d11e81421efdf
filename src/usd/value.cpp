// Values out of OpenUSD's variant type into plain ones: any precision is accepted, numbers widen, and what does not fit
// gives nothing.
//
// Values come in the precision in which they were authored; callers ask for double, and do not care which it was.
// bool is no number for doubles: a truth is not measured.

#include "mechane/usd/value.h"

#include <pxr/gf/matrix4d.h>
#include <pxr/gf/quatd.h>
#include <pxr/gf/quatf.h>
#include <pxr/gf/quath.h>
#include <pxr/gf/vec2d.h>
#include <pxr/gf/vec2f.h>
#include <pxr/gf/vec2h.h>
#include <pxr/gf/vec2i.h>
#include <pxr/gf/vec3d.h>
#include <pxr/gf/vec3f.h>
#include <pxr/gf/vec3h.h>
#include <pxr/gf/vec3i.h>
#include <pxr/gf/vec4d.h>
#include <pxr/gf/vec4f.h>
#include <pxr/gf/vec4h.h>
#include <pxr/gf/vec4i.h>
#include <pxr/sdf/assetPath.h>
#include <pxr/sdf/schema.h>
#include <pxr/sdf/timeCode.h>
#include <pxr/tf/stringUtils.h>
#include <pxr/vt/array.h>

#include <cmath>
#include <type_traits>

#include "usd/handles.h"

namespace mechane::usd {
namespace {

using namespace pxr;

Vec2d to_vec2(double x, double y) { return {x, y}; }

// Conversions between scalars and vectors of any precision. `convert<T>(value)` is tried for one element type after
// another.
std::optional<double> as_double(const VtValue& v)
{
    if (v.IsHolding<double>()) return v.UncheckedGet<double>();
    if (v.IsHolding<float>()) return static_cast<double>(v.UncheckedGet<float>());
    if (v.IsHolding<GfHalf>()) return static_cast<double>(static_cast<float>(v.UncheckedGet<GfHalf>()));
    if (v.IsHolding<int>()) return v.UncheckedGet<int>();
    if (v.IsHolding<unsigned>()) return v.UncheckedGet<unsigned>();
    if (v.IsHolding<std::int64_t>()) return static_cast<double>(v.UncheckedGet<std::int64_t>());
    if (v.IsHolding<std::uint64_t>()) return static_cast<double>(v.UncheckedGet<std::uint64_t>());
    if (v.IsHolding<unsigned char>()) return v.UncheckedGet<unsigned char>();
    if (v.IsHolding<SdfTimeCode>()) return v.UncheckedGet<SdfTimeCode>().GetValue();
    return std::nullopt;
}

// Fractions are no integers and are not rounded.
std::optional<std::int64_t> as_integer(const VtValue& v)
{
    if (v.IsHolding<int>()) return v.UncheckedGet<int>();
    if (v.IsHolding<unsigned>()) return v.UncheckedGet<unsigned>();
    if (v.IsHolding<std::int64_t>()) return v.UncheckedGet<std::int64_t>();
    if (v.IsHolding<std::uint64_t>()) {
        const auto u = v.UncheckedGet<std::uint64_t>();
        // The same for what is beyond 2^63 - 1.
        return u <= 0x7fffffffffffffffull ? std::optional(static_cast<std::int64_t>(u)) : std::nullopt;
    }
    if (v.IsHolding<unsigned char>()) return v.UncheckedGet<unsigned char>();
    if (v.IsHolding<bool>()) return v.UncheckedGet<bool>() ? 1 : 0;
    return std::nullopt;
}

std::optional<std::string> as_text(const VtValue& v)
{
    if (v.IsHolding<std::string>()) return v.UncheckedGet<std::string>();
    if (v.IsHolding<TfToken>()) return v.UncheckedGet<TfToken>().GetString();
    return std::nullopt;
}

Quatd to_quat(const GfQuatd& q) { return {q.GetImaginary()[0], q.GetImaginary()[1], q.GetImaginary()[2], q.GetReal()}; }
Vec3d to_vec3(const GfVec3d& v) { return {v[0], v[1], v[2]}; }
// Authored, with variables replaced, and as the resolver found it.
AssetPath to_asset(const SdfAssetPath& p) { return {p.GetAuthoredPath(), p.GetEvaluatedPath(), p.GetResolvedPath()}; }
Matrix4d  to_matrix4(const GfMatrix4d& m)
{
    Matrix4d out;
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) out(r, c) = m[r][c];
    return out;
}

std::optional<Vec3d> as_vec3(const VtValue& v)
{
    if (v.IsHolding<GfVec3d>()) return to_vec3(v.UncheckedGet<GfVec3d>());
    if (v.IsHolding<GfVec3f>()) return to_vec3(GfVec3d(v.UncheckedGet<GfVec3f>()));
    if (v.IsHolding<GfVec3h>()) return to_vec3(GfVec3d(v.UncheckedGet<GfVec3h>()));
    return std::nullopt;
}

/// Elements of the first array type of the list that the value holds, converted one by one.
template <class Out, class... Held, class Convert>
std::optional<std::vector<Out>> as_vector(const VtValue& v, const Convert& convert)
{
    std::optional<std::vector<Out>> out;
    // The type is compared once for the array, not for each element.
    const auto attempt = [&]<class T>(std::type_identity<T>) {
        if (out || !v.IsHolding<VtArray<T>>()) return;
        const auto& array = v.UncheckedGet<VtArray<T>>();
        out.emplace();
        out->reserve(array.size());
        for (const T& element : array) out->push_back(convert(element));
    };
    (attempt(std::type_identity<Held>{}), ...);
    return out;
}

/// Components of the rows of an array, row after row.
template <class... Rows>
std::optional<std::vector<int>> flattened(const VtValue& v)
{
    std::optional<std::vector<int>> out;
    const auto                      attempt = [&]<class Row>(std::type_identity<Row>) {
        if (out || !v.IsHolding<VtArray<Row>>()) return;
        out.emplace();
        for (const Row& row : v.UncheckedGet<VtArray<Row>>())
            out->insert(out->end(), row.data(), row.data() + Row::dimension);
    };
    (attempt(std::type_identity<Rows>{}), ...);
    return out;
}

}  // namespace

Value::Value() noexcept                   = default;
Value::Value(const Value&)                = default;
Value::Value(Value&&) noexcept            = default;
Value& Value::operator=(const Value&)     = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value()                           = default;

bool Value::empty() const noexcept { return impl_ == nullptr; }

std::string Value::type_name() const
{
    const VtValue* v = Access::of(*this);
    if (v == nullptr) return {};
    const SdfValueTypeName type = SdfSchema::GetInstance().FindType(*v);
    return type ? type.GetAsToken().GetString() : v->GetTypeName();
}

std::string Value::to_text() const
{
    // OpenUSD's own text, for messages.
    const VtValue* v = Access::of(*this);
    return v == nullptr ? std::string() : TfStringify(*v);
}

template <class T>
std::optional<T> Value::get() const
{
    const VtValue* held = Access::of(*this);
    if (held == nullptr) return std::nullopt;
    const VtValue& v = *held;
    if constexpr (std::is_same_v<T, bool>) {
        if (v.IsHolding<bool>()) return v.UncheckedGet<bool>();
        // 0 and 1 stand for truths in files of other programs.
        if (const auto i = as_integer(v)) return *i != 0;
    } else if constexpr (std::is_same_v<T, int>) {
        // A number that does not fit is no int: it is not cut.
        if (const auto i = as_integer(v); i && *i >= -2147483648ll && *i <= 2147483647ll) return static_cast<int>(*i);
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
        return as_integer(v);
    } else if constexpr (std::is_same_v<T, double>) {
        return as_double(v);
    } else if constexpr (std::is_same_v<T, std::string>) {
        return as_text(v);
    } else if constexpr (std::is_same_v<T, Token>) {
        if (v.IsHolding<TfToken>()) return wrap(v.UncheckedGet<TfToken>());
        if (v.IsHolding<std::string>()) return Token(v.UncheckedGet<std::string>());
    } else if constexpr (std::is_same_v<T, AssetPath>) {
        if (v.IsHolding<SdfAssetPath>()) return to_asset(v.UncheckedGet<SdfAssetPath>());
    } else if constexpr (std::is_same_v<T, Vec2d>) {
        if (v.IsHolding<GfVec2d>()) return to_vec2(v.UncheckedGet<GfVec2d>()[0], v.UncheckedGet<GfVec2d>()[1]);
        if (v.IsHolding<GfVec2f>()) return to_vec2(v.UncheckedGet<GfVec2f>()[0], v.UncheckedGet<GfVec2f>()[1]);
        if (v.IsHolding<GfVec2h>()) return to_vec2(v.UncheckedGet<GfVec2h>()[0], v.UncheckedGet<GfVec2h>()[1]);
    } else if constexpr (std::is_same_v<T, Vec3d>) {
        return as_vec3(v);
    } else if constexpr (std::is_same_v<T, std::array<double, 4>>) {
        const auto four = [](const GfVec4d& x) { return std::array<double, 4>{x[0], x[1], x[2], x[3]}; };
        if (v.IsHolding<GfVec4d>()) return four(v.UncheckedGet<GfVec4d>());
        if (v.IsHolding<GfVec4f>()) return four(GfVec4d(v.UncheckedGet<GfVec4f>()));
        if (v.IsHolding<GfVec4h>()) return four(GfVec4d(v.UncheckedGet<GfVec4h>()));
    } else if constexpr (std::is_same_v<T, Quatd>) {
        if (v.IsHolding<GfQuatd>()) return to_quat(v.UncheckedGet<GfQuatd>());
        if (v.IsHolding<GfQuatf>()) return to_quat(GfQuatd(v.UncheckedGet<GfQuatf>()));
        if (v.IsHolding<GfQuath>()) return to_quat(GfQuatd(v.UncheckedGet<GfQuath>()));
    } else if constexpr (std::is_same_v<T, Matrix4d>) {
        if (v.IsHolding<GfMatrix4d>()) return to_matrix4(v.UncheckedGet<GfMatrix4d>());
    } else if constexpr (std::is_same_v<T, std::vector<int>>) {
        // Indices of triangles or edges are often authored as rows.
        if (auto rows = flattened<GfVec4i, GfVec3i, GfVec2i>(v)) return rows;
        if (v.IsHolding<VtArray<int>>()) return as_vector<int, int>(v, [](int x) { return x; });
        // As a single number: what no int holds makes the whole array no array of ints.
        bool       all  = true;
        const auto ints = as_vector<int, unsigned, std::int64_t, std::uint64_t, unsigned char, bool>(v, [&](auto x) {
            if constexpr (sizeof(x) >= sizeof(int)) all = all && std::in_range<int>(x);
            return static_cast<int>(x);
        });
        return all ? ints : std::nullopt;
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
        return as_vector<double, float, double, GfHalf, int, unsigned, std::int64_t, std::uint64_t, unsigned char,
                         SdfTimeCode>(v, [](const auto& x) {
            if constexpr (std::is_same_v<std::decay_t<decltype(x)>, SdfTimeCode>)
                return x.GetValue();
            else if constexpr (std::is_same_v<std::decay_t<decltype(x)>, GfHalf>)
                return static_cast<double>(static_cast<float>(x));
            else
                return static_cast<double>(x);
        });
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
        if (auto texts = as_vector<std::string, std::string>(v, [](const std::string& x) { return x; })) return texts;
        return as_vector<std::string, TfToken>(v, [](const TfToken& x) { return x.GetString(); });
    } else if constexpr (std::is_same_v<T, std::vector<Token>>) {
        if (auto tokens = as_vector<Token, TfToken>(v, [](const TfToken& x) { return wrap(x); })) return tokens;
        return as_vector<Token, std::string>(v, [](const std::string& x) { return Token(x); });
    } else if constexpr (std::is_same_v<T, std::vector<Vec2d>>) {
        return as_vector<Vec2d, GfVec2f, GfVec2d, GfVec2h>(
            v, [](const auto& x) { return to_vec2(static_cast<double>(x[0]), static_cast<double>(x[1])); });
    } else if constexpr (std::is_same_v<T, std::vector<Vec3d>>) {
        return as_vector<Vec3d, GfVec3f, GfVec3d, GfVec3h>(v, [](const auto& x) { return to_vec3(GfVec3d(x)); });
    } else if constexpr (std::is_same_v<T, std::vector<std::array<double, 4>>>) {
        return as_vector<std::array<double, 4>, GfVec4f, GfVec4d, GfVec4h>(v, [](const auto& x) {
            const GfVec4d wide(x);
            return std::array<double, 4>{wide[0], wide[1], wide[2], wide[3]};
        });
    } else if constexpr (std::is_same_v<T, std::vector<Quatd>>) {
        return as_vector<Quatd, GfQuatf, GfQuatd, GfQuath>(v, [](const auto& x) { return to_quat(GfQuatd(x)); });
    } else if constexpr (std::is_same_v<T, std::vector<AssetPath>>) {
        return as_vector<AssetPath, SdfAssetPath>(v, [](const SdfAssetPath& x) { return to_asset(x); });
    } else if constexpr (std::is_same_v<T, std::vector<Matrix4d>>) {
        return as_vector<Matrix4d, GfMatrix4d>(v, [](const GfMatrix4d& x) { return to_matrix4(x); });
    }
    return std::nullopt;
}

// All types that may be asked for; others do not link.
template std::optional<bool>                               Value::get() const;
template std::optional<int>                                Value::get() const;
template std::optional<std::int64_t>                       Value::get() const;
template std::optional<double>                             Value::get() const;
template std::optional<std::string>                        Value::get() const;
template std::optional<Token>                              Value::get() const;
template std::optional<AssetPath>                          Value::get() const;
template std::optional<Vec2d>                              Value::get() const;
template std::optional<Vec3d>                              Value::get() const;
template std::optional<std::array<double, 4>>              Value::get() const;
template std::optional<Quatd>                              Value::get() const;
template std::optional<Matrix4d>                           Value::get() const;
template std::optional<std::vector<int>>                   Value::get() const;
template std::optional<std::vector<double>>                Value::get() const;
template std::optional<std::vector<std::string>>           Value::get() const;
template std::optional<std::vector<Token>>                 Value::get() const;
template std::optional<std::vector<Vec2d>>                 Value::get() const;
template std::optional<std::vector<Vec3d>>                 Value::get() const;
template std::optional<std::vector<std::array<double, 4>>> Value::get() const;
template std::optional<std::vector<Quatd>>                 Value::get() const;
template std::optional<std::vector<AssetPath>>             Value::get() const;
template std::optional<std::vector<Matrix4d>>              Value::get() const;

}  // namespace mechane::usd

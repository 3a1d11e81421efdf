// Values of a named type of USD, made of plain ones, and values parsed from text.
// A value that does not fit in the type gives an empty one: numbers are narrowed, never cut off.

#include "mechane/usd/make_value.h"

#include <fmt/format.h>
#include <pxr/gf/half.h>
#include <pxr/gf/matrix2d.h>
#include <pxr/gf/matrix3d.h>
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
#include <pxr/gf/vec4d.h>
#include <pxr/gf/vec4f.h>
#include <pxr/gf/vec4h.h>
#include <pxr/sdf/assetPath.h>
#include <pxr/sdf/layer.h>
#include <pxr/sdf/schema.h>
#include <pxr/sdf/timeCode.h>
#include <pxr/vt/array.h>

#include <algorithm>
#include <charconv>
#include <type_traits>
#include <utility>

#include "mechane/usd/codes.h"
#include "mechane/usd/stage.h"
#include "usd/guards.h"
#include "usd/handles.h"
#include "usd/runtime.h"
#include "usd/value_type.h"

namespace mechane::usd {
namespace {

using namespace pxr;

// From our types to the widest one of OpenUSD.
template <class T>
T to_gf(const T& v)
    requires std::is_arithmetic_v<T>
{ return v; }
std::string  to_gf(const std::string& v) { return v; }
TfToken      to_gf(const Token& v) { return unwrap(v); }
SdfAssetPath to_gf(const AssetPath& v) { return SdfAssetPath(v.authored); }
GfVec2d      to_gf(const Vec2d& v) { return {v.x, v.y}; }
GfVec3d      to_gf(const Vec3d& v) { return {v.x, v.y, v.z}; }
GfVec4d      to_gf(const std::array<double, 4>& v) { return {v[0], v[1], v[2], v[3]}; }
GfQuatd      to_gf(const Quatd& v) { return {v.w, v.x, v.y, v.z}; }
GfMatrix4d   to_gf(const Matrix4d& v)
{
    GfMatrix4d out;
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) out[r][c] = v(r, c);
    return out;
}

/// One element from a wide type to a narrow one; nothing when it does not fit.
template <class To, class From>
std::optional<To> narrow(const From& from)
{
    if constexpr (std::is_same_v<To, From>) {
        return from;
    } else if constexpr (std::is_same_v<From, std::string> && std::is_same_v<To, TfToken>) {
        return TfToken(from);
    } else if constexpr (std::is_same_v<From, TfToken> && std::is_same_v<To, std::string>) {
        return from.GetString();
    } else if constexpr (std::is_same_v<From, std::string> && std::is_same_v<To, SdfAssetPath>) {
        return SdfAssetPath(from);
    } else if constexpr (std::is_same_v<From, double> && std::is_same_v<To, GfHalf>) {
        return GfHalf(static_cast<float>(from));
    } else if constexpr (std::is_same_v<From, double> && std::is_same_v<To, SdfTimeCode>) {
        return SdfTimeCode(from);
    } else if constexpr (std::is_integral_v<From> && !std::is_same_v<From, bool> &&
                         (std::is_same_v<To, double> || std::is_same_v<To, float>)) {
        return static_cast<To>(from);
    } else if constexpr (std::is_same_v<From, double> && std::is_same_v<To, float>) {
        return static_cast<float>(from);
    } else if constexpr (std::is_integral_v<From> && !std::is_same_v<From, bool> && std::is_integral_v<To> &&
                         !std::is_same_v<To, bool>) {
        return std::in_range<To>(from) ? std::optional(static_cast<To>(from)) : std::nullopt;
    } else if constexpr ((GfIsGfVec<From>::value && GfIsGfVec<To>::value) ||
                         (GfIsGfQuat<From>::value && GfIsGfQuat<To>::value)) {
        if constexpr (std::is_constructible_v<To, From>) return To(from);
    }
    return std::nullopt;
}

/// OpenUSD's type of T, looked up once: a search in its registry takes longer than making the value.
template <class T>
const TfType& type_of()
{
    static const TfType found = TfType::Find<T>();
    return found;
}

/// The value as one of the listed types: the one that `type` names.
template <class From, class... To>
VtValue one_of(const TfType& type, const From& value)
{
    VtValue    out;
    const auto attempt = [&]<class T>(std::type_identity<T>) {
        if (type != type_of<T>()) return false;
        if (std::optional<T> made = narrow<T>(value)) out = VtValue::Take(*made);
        return true;
    };
    (void)(attempt(std::type_identity<To>{}) || ...);
    return out;
}

/// The same for arrays of the listed types.
template <class From, class... To>
VtValue array_of(const TfType& type, const std::vector<From>& elements)
{
    VtValue    out;
    const auto attempt = [&]<class T>(std::type_identity<T>) {
        if (type != type_of<VtArray<T>>()) return false;
        VtArray<T> converted;
        converted.reserve(elements.size());
        for (const From& element : elements) {
            const std::optional<T> one = narrow<T>(element);
            if (!one) return true;
            converted.push_back(*one);
        }
        out = VtValue::Take(converted);
        return true;
    };
    (void)(attempt(std::type_identity<To>{}) || ...);
    return out;
}

// Those first that are made most.
#define MCH_VALUE_TYPES                                                                                              \
    float, double, TfToken, std::string, GfVec3f, GfVec3d, GfQuatf, GfQuatd, bool, unsigned char, int, unsigned,     \
        std::int64_t, std::uint64_t, GfHalf, SdfTimeCode, SdfAssetPath, GfVec2h, GfVec2f, GfVec2d, GfVec3h, GfVec4h, \
        GfVec4f, GfVec4d, GfQuath, GfMatrix4d

template <class From>
VtValue convert(const TfType& type, const From& value)
{ return one_of<From, MCH_VALUE_TYPES>(type, value); }

template <class From>
VtValue convert_array(const TfType& type, const std::vector<From>& elements)
{ return array_of<From, MCH_VALUE_TYPES>(type, elements); }

#undef MCH_VALUE_TYPES

template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};

}  // namespace

SdfValueTypeName value_type(std::string_view name)
{ return SdfSchema::GetInstance().FindType(TfToken(std::string(name))); }

template <class T>
Value make_value(std::string_view type, const T& value)
{
    prepare_runtime();
    const TfType wanted = value_type(type).GetType();
    if (wanted.IsUnknown()) return {};
    if constexpr (is_vector<T>::value) {
        std::vector<std::decay_t<decltype(to_gf(value.front()))>> elements;
        elements.reserve(value.size());
        for (const auto& element : value) elements.push_back(to_gf(element));
        return wrap(convert_array(wanted, elements));
    } else {
        return wrap(convert(wanted, to_gf(value)));
    }
}

// A vector of bool would be packed; its one use is a scalar.
template <>
Value make_value(std::string_view type, const bool& value)
{
    prepare_runtime();
    return value_type(type).GetType() == type_of<bool>() ? wrap(VtValue(value)) : Value();
}

template Value make_value(std::string_view, const int&);
template Value make_value(std::string_view, const std::int64_t&);
template Value make_value(std::string_view, const double&);
template Value make_value(std::string_view, const std::string&);
template Value make_value(std::string_view, const Token&);
template Value make_value(std::string_view, const AssetPath&);
template Value make_value(std::string_view, const Vec2d&);
template Value make_value(std::string_view, const Vec3d&);
template Value make_value(std::string_view, const std::array<double, 4>&);
template Value make_value(std::string_view, const Quatd&);
template Value make_value(std::string_view, const Matrix4d&);
template Value make_value(std::string_view, const std::vector<int>&);
template Value make_value(std::string_view, const std::vector<double>&);
template Value make_value(std::string_view, const std::vector<std::string>&);
template Value make_value(std::string_view, const std::vector<Token>&);
template Value make_value(std::string_view, const std::vector<Vec2d>&);
template Value make_value(std::string_view, const std::vector<Vec3d>&);
template Value make_value(std::string_view, const std::vector<std::array<double, 4>>&);
template Value make_value(std::string_view, const std::vector<Quatd>&);
template Value make_value(std::string_view, const std::vector<AssetPath>&);
template Value make_value(std::string_view, const std::vector<Matrix4d>&);

namespace {

/// A number as nearly all are written; the others are left to OpenUSD's parser: words, a negative integer zero,
/// integers that a double may not hold.
std::optional<double> plain_number(std::string_view text)
{
    const std::string_view digits  = text.substr(text.starts_with('-') ? 1 : 0);
    const bool             integer = text.find_first_of(".eE") == std::string_view::npos;
    if (digits.empty() || digits.front() < '0' || digits.front() > '9' || digits.back() < '0' ||
        (integer && digits.size() > 15))
        return std::nullopt;
    double value             = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return integer && value == 0 && text != "0" ? std::nullopt : std::optional(value);
}

/// Values that need no parser.
VtValue plain_value(std::string_view type, std::string_view text)
{
    if (type == "bool" && (text == "true" || text == "false")) return VtValue(text == "true");
    if (type == "double" || type == "float") {
        const auto value = plain_number(text);
        if (!value) return {};
        return type == "double" ? VtValue(*value) : VtValue(static_cast<float>(*value));
    }
    if (type == "int" && text.find_first_not_of("0123456789") == std::string_view::npos && text.size() < 9) {
        const auto value = plain_number(text);
        return value ? VtValue(static_cast<int>(*value)) : VtValue();
    }
    if ((type == "token" || type == "string") && text.size() >= 2 && text.front() == '"' && text.back() == '"') {
        const std::string_view inside = text.substr(1, text.size() - 2);
        const bool             plain = std::all_of(inside.begin(), inside.end(),
                                                   [](char c) { return c >= ' ' && c < 127 && c != '"' && c != '\\'; });
        if (!plain) return {};
        return type == "token" ? VtValue(TfToken(std::string(inside))) : VtValue(std::string(inside));
    }
    return {};
}

}  // namespace

Result<Value> parse_value(std::string_view type, std::string_view text)
{
    prepare_runtime();
    if (VtValue plain = plain_value(type, text); !plain.IsEmpty()) return wrap(std::move(plain));
    if (!value_type(type))
        return make_diagnostic(kEditRefused, {}, fmt::format("'{}' is not a value type of USD", type));
    // OpenUSD's own parser reads the value, from a layer made around it; nothing else knows all types.
    const std::string layer_text = fmt::format("#usda 1.0\ndef \"a\"\n{{\n    custom {} x = {}\n}}\n", type, text);
    const Diagnostic  wrong = make_diagnostic(kEditRefused, {}, fmt::format("'{}' is not a value of {}", text, type));
    if (guard_layer(layer_text, "value", Limits{})) return wrong;
    const SdfPath        prim("/a"), attribute("/a.x");
    const SdfLayerRefPtr layer = SdfLayer::CreateAnonymous("value.usda");
    {
        // The parser reads on after a value of the wrong shape, but says so.
        MessageScope messages;
        if (!layer->ImportFromString(layer_text) || !messages.take().empty()) return wrong;
    }
    // The text may have gone on after the value: with metadata, another property, another prim.
    const VtValue value      = layer->GetField(attribute, SdfFieldKeys->Default);
    const auto    fields     = layer->ListFields(attribute);
    const bool    value_only = std::all_of(fields.begin(), fields.end(), [](const TfToken& field) {
        return field == SdfFieldKeys->TypeName || field == SdfFieldKeys->Custom || field == SdfFieldKeys->Default ||
               field == SdfFieldKeys->Variability;
    });
    if (value.IsEmpty() || !value_only ||
        layer->GetFieldAs<TfTokenVector>(prim, SdfChildrenKeys->PropertyChildren).size() != 1 ||
        layer->HasField(prim, SdfChildrenKeys->PrimChildren) ||
        layer->GetFieldAs<TfTokenVector>(SdfPath::AbsoluteRootPath(), SdfChildrenKeys->PrimChildren).size() != 1)
        return wrong;
    return wrap(value);
}

}  // namespace mechane::usd

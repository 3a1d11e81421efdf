// Values as JSON for dumps. Arrays longer than the limit become shape, hash and first elements.
// The hash is SHA-256 over float32, int32 or bool bytes in little-endian order, which programs in other languages can
// compute from their arrays.
//
// Doubles are hashed as floats, since the last bits of a double depend on who computed it; the same for any integers
// as int32.

#include <fmt/format.h>
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
#include <pxr/gf/vec3i.h>
#include <pxr/gf/vec4d.h>
#include <pxr/gf/vec4f.h>
#include <pxr/gf/vec4h.h>
#include <pxr/gf/vec4i.h>
#include <pxr/sdf/assetPath.h>
#include <pxr/sdf/listOp.h>
#include <pxr/sdf/path.h>
#include <pxr/sdf/timeCode.h>
#include <pxr/sdf/types.h>
#include <pxr/tf/enum.h>
#include <pxr/tf/stringUtils.h>
#include <pxr/vt/array.h>
#include <pxr/vt/dictionary.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <type_traits>
#include <utility>

#include "mechane/core/sha256.h"
#include "usd/handles.h"
#include "usd/value_json.h"

namespace mechane::usd {
namespace {

using namespace pxr;
using Json = nlohmann::json;

Json number(double x)
{
    // JSON has no word for what is not finite.
    if (std::isfinite(x)) return x;
    return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}

/// How an element of an array is printed and hashed: its scalars, and the kind of the hash.
/// One description of an element for each type: everything else is written once.
template <class T>
struct Element {
    static constexpr std::size_t size     = T::dimension;
    static constexpr bool        floating = !std::is_same_v<typename T::ScalarType, int>;
    static double                at(const T& v, std::size_t i) { return static_cast<double>(v[i]); }
};
template <class T>
    requires std::is_arithmetic_v<T>
struct Element<T> {
    static constexpr std::size_t size     = 1;
    static constexpr bool        floating = std::is_floating_point_v<T>;
    // An integer of 64 bits is more than a double holds.
    static auto at(const T& v, std::size_t)
    { return static_cast<std::conditional_t<floating, double, T>>(v); }
};
template <>
struct Element<GfHalf> {
    static constexpr std::size_t size     = 1;
    static constexpr bool        floating = true;
    static double                at(const GfHalf& v, std::size_t) { return static_cast<double>(static_cast<float>(v)); }
};
template <>
struct Element<SdfTimeCode> {
    static constexpr std::size_t size     = 1;
    static constexpr bool        floating = true;
    static double                at(const SdfTimeCode& v, std::size_t) { return v.GetValue(); }
};
template <class Q>
struct QuatElement {
    static constexpr std::size_t size     = 4;
    static constexpr bool        floating = true;
    static double                at(const Q& q, std::size_t i)
    // Real part first, as USD prints it.
    { return static_cast<double>(i == 0 ? q.GetReal() : q.GetImaginary()[i - 1]); }
};
template <>
struct Element<GfQuatd> : QuatElement<GfQuatd> {};
template <>
struct Element<GfQuatf> : QuatElement<GfQuatf> {};
template <>
struct Element<GfQuath> : QuatElement<GfQuath> {};
template <class M>
struct MatrixElement {
    static constexpr std::size_t size     = M::numRows * M::numColumns;
    static constexpr bool        floating = true;
    static double at(const M& m, std::size_t i) { return m[static_cast<int>(i / M::numColumns)][i % M::numColumns]; }
};
template <>
struct Element<GfMatrix2d> : MatrixElement<GfMatrix2d> {};
template <>
struct Element<GfMatrix3d> : MatrixElement<GfMatrix3d> {};
template <>
struct Element<GfMatrix4d> : MatrixElement<GfMatrix4d> {};

/// Integers stay integers, so that 3 is printed as 3.
template <class T, class X>
Json scalar(X x)
{
    if constexpr (std::is_same_v<X, bool> || std::is_same_v<X, std::uint64_t>)
        return x;
    else if constexpr (!Element<T>::floating)
        return static_cast<std::int64_t>(x);
    else
        return number(x);
}

template <class T>
Json element(const T& v)
{
    using E = Element<T>;
    if constexpr (E::size == 1)
        return scalar<T>(E::at(v, 0));
    else if constexpr (std::is_base_of_v<MatrixElement<T>, E>) {
        Json rows = Json::array();
        for (std::size_t r = 0; r < T::numRows; ++r) {
            Json row = Json::array();
            for (std::size_t c = 0; c < T::numColumns; ++c) row.push_back(number(E::at(v, r * T::numColumns + c)));
            rows.push_back(std::move(row));
        }
        return rows;
    } else {
        Json out = Json::array();
        for (std::size_t i = 0; i < E::size; ++i) out.push_back(scalar<T>(E::at(v, i)));
        return out;
    }
}

/// Whether one of the integers needs 64 bits.
template <class T>
bool needs_64_bits(const VtArray<T>& array)
{
    if constexpr (std::is_integral_v<T> && sizeof(T) >= sizeof(std::int32_t))
        return std::any_of(array.cbegin(), array.cend(), [](T x) { return !std::in_range<std::int32_t>(x); });
    else
        return false;
}

/// A long array as a hash over little-endian float32, int32, int64 where one of them is wide, or bool bytes.
template <class T>
Json hashed(const VtArray<T>& array)
{
    using E                        = Element<T>;
    const bool             is_wide = needs_64_bits(array);
    std::vector<std::byte> bytes;
    Json                   head = Json::array();
    for (std::size_t i = 0; i < array.size(); ++i)
        for (std::size_t k = 0; k < E::size; ++k) {
            const auto x = E::at(array[i], k);
            // Eight numbers show what kind of data it is.
            if (head.size() < 8) head.push_back(scalar<T>(x));
            const auto push = [&](auto value) {
                const auto at = bytes.size();
                bytes.resize(at + sizeof(value));
                std::memcpy(bytes.data() + at, &value, sizeof(value));
            };
            if constexpr (std::is_same_v<T, bool>)
                push(static_cast<std::uint8_t>(x != 0));
            else if constexpr (E::floating)
                // Doubles are hashed as floats: the reference's last bits may differ.
                push(static_cast<float>(x));
            else if (is_wide)
                push(static_cast<std::int64_t>(x));
            else
                push(static_cast<std::int32_t>(x));
        }
    // The shape as an array of Python has it: rows, then components.
    Json shape = Json::array({array.size()});
    if constexpr (std::is_base_of_v<MatrixElement<T>, E>)
        for (const std::size_t side : {std::size_t{T::numRows}, std::size_t{T::numColumns}}) shape.push_back(side);
    else if constexpr (E::size > 1)
        shape.push_back(E::size);
    return {{"$array", shape},
            {"dtype", std::is_same_v<T, bool> ? "bool"
                      : E::floating           ? "float"
                                              : "int"},
            {"sha256", sha256_hex(bytes)},
            {"head", head}};
}

Json texts(const std::vector<std::string>& list, std::size_t limit)
{
    // Texts are hashed as lines.
    if (limit == 0 || list.size() <= limit) return list;
    std::string joined;
    for (const std::string& text : list) joined += (joined.empty() ? "" : "\n") + text;
    return {
        {"$array", {list.size()}},
        {"dtype", "string"},
        {"sha256", sha256_hex(std::as_bytes(std::span(joined)))},
        {"head", std::vector<std::string>(list.begin(), list.begin() + std::min<std::ptrdiff_t>(8, std::ssize(list)))}};
}

template <class T>
bool plain(const VtValue& v, std::size_t limit, Json& out)
{
    if (v.IsHolding<T>()) {
        out = element(v.UncheckedGet<T>());
        // 0 means no limit.
        return true;
    }
    if (v.IsHolding<VtArray<T>>()) {
        const auto& array = v.UncheckedGet<VtArray<T>>();
        if (limit != 0 && array.size() * Element<T>::size > limit) {
            out = hashed(array);
        } else {
            out = Json::array();
            for (const T& x : array) out.push_back(element(x));
        }
        return true;
    }
    return false;
}

template <class... T>
bool any_plain(const VtValue& v, std::size_t limit, Json& out)
{ return (plain<T>(v, limit, out) || ...); }

template <class T, class Text>
bool textual(const VtValue& v, std::size_t limit, Json& out, const Text& text)
{
    if (!v.IsHolding<VtArray<T>>()) return false;
    std::vector<std::string> list;
    for (const T& x : v.UncheckedGet<VtArray<T>>()) list.push_back(text(x));
    out = texts(list, limit);
    return true;
}

template <class ListOp, class Item>
bool list_op(const VtValue& v, Json& out, const Item& item)
{
    if (!v.IsHolding<ListOp>()) return false;
    const auto& op   = v.UncheckedGet<ListOp>();
    const auto  list = [&](const typename ListOp::ItemVector& items) {
        Json all = Json::array();
        for (const auto& x : items) all.push_back(item(x));
        return all;
    };
    out = Json::object();
    if (op.IsExplicit()) {
        out["explicit"] = list(op.GetExplicitItems());
        return true;
    }
    // A list that edits another is shown by its parts; an explicit one as what it is.
    const std::pair<const char*, const typename ListOp::ItemVector&> parts[] = {{"prepended", op.GetPrependedItems()},
                                                                                {"appended", op.GetAppendedItems()},
                                                                                {"deleted", op.GetDeletedItems()},
                                                                                {"added", op.GetAddedItems()},
                                                                                {"ordered", op.GetOrderedItems()}};
    for (const auto& [name, items] : parts)
        if (!items.empty()) out[name] = list(items);
    return true;
}

}  // namespace

Json to_json(double x) { return number(x); }
Json to_json(const std::vector<std::string>& list, std::size_t limit) { return texts(list, limit); }

Json to_json(const VtValue& v, std::size_t limit)
{
    Json out;
    if (v.IsEmpty()) return out;
    // By how often they stand in layers: plain numbers first.
    if (any_plain<bool, int, unsigned char, unsigned, std::int64_t, std::uint64_t, float, double, GfHalf>(v, limit,
                                                                                                          out))
        return out;
    if (any_plain<GfVec2d, GfVec2f, GfVec2h, GfVec2i, GfVec3d, GfVec3f, GfVec3h, GfVec3i, GfVec4d, GfVec4f, GfVec4h,
                  GfVec4i>(v, limit, out))
        return out;
    if (any_plain<GfQuatd, GfQuatf, GfQuath, GfMatrix2d, GfMatrix3d, GfMatrix4d>(v, limit, out)) return out;
    // A time code is told apart from a number, since layer offsets act on it.
    if (v.IsHolding<SdfTimeCode>()) return {{"timecode", number(v.UncheckedGet<SdfTimeCode>().GetValue())}};
    if (plain<SdfTimeCode>(v, limit, out)) return out;
    if (v.IsHolding<std::string>()) return v.UncheckedGet<std::string>();
    if (v.IsHolding<TfToken>()) return v.UncheckedGet<TfToken>().GetString();
    if (v.IsHolding<SdfAssetPath>()) return {{"asset", v.UncheckedGet<SdfAssetPath>().GetAssetPath()}};
    if (v.IsHolding<SdfPath>()) return v.UncheckedGet<SdfPath>().GetString();
    if (v.IsHolding<SdfValueBlock>()) return {{"blocked", true}};
    if (v.IsHolding<SdfAnimationBlock>()) return {{"animationBlocked", true}};
    if (textual<std::string>(v, limit, out, [](const auto& x) { return x; }) ||
        textual<TfToken>(v, limit, out, [](const auto& x) { return x.GetString(); }) ||
        textual<SdfAssetPath>(v, limit, out, [](const auto& x) { return x.GetAssetPath(); }))
        return out;
    if (v.IsHolding<TfTokenVector>()) {
        std::vector<std::string> list;
        for (const TfToken& x : v.UncheckedGet<TfTokenVector>()) list.push_back(x.GetString());
        return texts(list, limit);
    }
    if (v.IsHolding<TfEnum>()) return TfEnum::GetDisplayName(v.UncheckedGet<TfEnum>());
    if (v.IsHolding<VtDictionary>()) {
        out = Json::object();
        for (const auto& [key, value] : v.UncheckedGet<VtDictionary>()) out[key] = to_json(value, limit);
        return out;
    }
    if (list_op<SdfTokenListOp>(v, out, [](const auto& x) { return x.GetString(); }) ||
        list_op<SdfStringListOp>(v, out, [](const auto& x) { return x; }) ||
        list_op<SdfPathListOp>(v, out, [](const auto& x) { return x.GetString(); }) ||
        list_op<SdfIntListOp>(v, out, [](int x) { return x; }) ||
        list_op<SdfInt64ListOp>(v, out, [](std::int64_t x) { return x; }) ||
        list_op<SdfUIntListOp>(v, out, [](unsigned x) { return x; }) ||
        list_op<SdfUInt64ListOp>(v, out, [](std::uint64_t x) { return x; }))
        return out;
    if (v.IsHolding<SdfPermission>())
        return v.UncheckedGet<SdfPermission>() == SdfPermissionPublic ? "Public" : "Private";
    // Types that are not known here: their text, cut, and their name.
    return {{"repr", TfStringify(v).substr(0, 400)}, {"type", v.GetTypeName()}};
}

std::string Value::to_json(std::size_t limit) const
{
    const VtValue* v = Access::of(*this);
    // Text that is no UTF-8 is replaced, JSON must be valid.
    return v == nullptr ? "null" : usd::to_json(*v, limit).dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace mechane::usd

#pragma once
#include <string_view>

#include "mechane/core/result.h"
#include "mechane/usd/value.h"

namespace mechane::usd {

/// A value of the USD type `type` ("float", "point3f[]", "token", "timecode", ...), converted from a C++ value where
/// that is safe; the counterpart of `Value::get`.
///
/// T is one of: bool, int, std::int64_t, double, std::string, Token, AssetPath (its authored part), Vec2d, Vec3d,
/// std::array<double, 4>, Quatd (x y z w), Matrix4d, or std::vector of int, double, std::string, Token, Vec2d, Vec3d,
/// std::array<double, 4>, Quatd, AssetPath, Matrix4d.
/// @return no value when `type` is unknown or cannot hold a T
template <class T>
Value make_value(std::string_view type, const T& value);

/// A value of the USD type `type` from the text that usda has for it: `parse_value("double3", "(1, 2, 3)")`.
/// @error STAGE_EDIT_REFUSED the type is unknown, or the text is not one of its values
Result<Value> parse_value(std::string_view type, std::string_view text);

}  // namespace mechane::usd

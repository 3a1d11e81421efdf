#pragma once
#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

#include "mechane/model/types.h"

namespace mechane::python {

namespace nb = nanobind;

/// The enumeration of `mechane.core.enums` that stands for one of ours, and its last value; the first is 0, and none is
/// left out between.
template <class E>
struct PythonEnum;
template <>
struct PythonEnum<model::JointType> {
    static constexpr const char*      name = "JointType";
    static constexpr model::JointType last = model::JointType::rod;
};
template <>
struct PythonEnum<model::GeoType> {
    static constexpr const char*    name = "GeoType";
    static constexpr model::GeoType last = model::GeoType::gaussian;
};
template <>
struct PythonEnum<model::TargetMode> {
    static constexpr const char*       name = "JointTargetMode";
    static constexpr model::TargetMode last = model::TargetMode::effort;
};

template <class E>
bool is_value_of(std::int64_t value)
{ return value >= 0 && value <= static_cast<std::int64_t>(PythonEnum<E>::last); }

/// "3 is no JointType: PRISMATIC (0), REVOLUTE (1), ...". The names are those of Python's enumeration.
template <class E>
std::string no_value_of(std::int64_t value)
{
    std::string text = fmt::format("{} is no {}:", value, PythonEnum<E>::name);
    for (const nb::handle one : nb::module_::import_("mechane.core.enums").attr(PythonEnum<E>::name))
        text += fmt::format("{} {} ({})", text.ends_with(':') ? "" : ",", nb::cast<std::string>(one.attr("name")),
                            nb::cast<std::int64_t>(one.attr("value")));
    return text;
}

/// A value of an enumeration, which C++ takes for granted wherever it looks into a table.
/// @throws nb::value_error  it is none; names those that there are
template <class E>
E enum_from(std::int64_t value)
{
    if (is_value_of<E>(value)) return static_cast<E>(value);
    throw nb::value_error(no_value_of<E>(value).c_str());
}
template <class E>
E enum_from(nb::handle value)
{ return enum_from<E>(nb::cast<std::int64_t>(nb::int_(nb::borrow(value)))); }

}  // namespace mechane::python

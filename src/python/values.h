#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "mechane/math/mat.h"
#include "mechane/math/pose.h"
#include "mechane/math/spatial.h"

/// Small values cross the border as flat sequences of numbers: vectors 3, quaternions x y z w, poses 7, matrices 9 row
/// by row. The facade in python/mechane makes its own types of them and checks what users give.
namespace mechane::python {

namespace nb = nanobind;

using Numbers3 = std::array<double, 3>;
using Numbers6 = std::array<double, 6>;
using Numbers7 = std::array<double, 7>;
using Numbers9 = std::array<double, 9>;

inline Vec3d    vec3(const Numbers3& v) { return {v[0], v[1], v[2]}; }
inline Posed    pose(const Numbers7& v) { return {{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}}; }
inline Mat33d   mat33(const Numbers9& v) { return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}}; }
inline Spatiald spatial(const Numbers6& v) { return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}}; }

inline nb::object to_python(double v) { return nb::float_(v); }
inline nb::object to_python(bool v) { return nb::bool_(v); }
inline nb::object to_python(std::int32_t v) { return nb::int_(v); }
inline nb::object to_python(const std::string& v) { return nb::str(v.c_str(), v.size()); }
inline nb::object to_python(const Vec3d& v) { return nb::make_tuple(v.x, v.y, v.z); }
inline nb::object to_python(const Posed& v) { return nb::make_tuple(v.p.x, v.p.y, v.p.z, v.q.x, v.q.y, v.q.z, v.q.w); }
inline nb::object to_python(const Spatiald& v)
{ return nb::make_tuple(v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z); }
inline nb::object to_python(const Mat33d& m)
{ return nb::make_tuple(m.r0.x, m.r0.y, m.r0.z, m.r1.x, m.r1.y, m.r1.z, m.r2.x, m.r2.y, m.r2.z); }
inline nb::object to_python(const std::array<double, 2>& v) { return nb::make_tuple(v[0], v[1]); }
inline nb::object to_python(const std::optional<double>& v) { return v ? nb::object(nb::float_(*v)) : nb::none(); }

inline void from_python(nb::handle h, double& v) { v = nb::cast<double>(h); }
inline void from_python(nb::handle h, bool& v) { v = nb::cast<bool>(h); }
inline void from_python(nb::handle h, std::int32_t& v) { v = nb::cast<std::int32_t>(h); }
inline void from_python(nb::handle h, std::string& v) { v = nb::cast<nb::str>(h).c_str(); }
inline void from_python(nb::handle h, Vec3d& v) { v = vec3(nb::cast<Numbers3>(h)); }
inline void from_python(nb::handle h, Posed& v) { v = pose(nb::cast<Numbers7>(h)); }
inline void from_python(nb::handle h, Spatiald& v) { v = spatial(nb::cast<Numbers6>(h)); }
inline void from_python(nb::handle h, Mat33d& v) { v = mat33(nb::cast<Numbers9>(h)); }
inline void from_python(nb::handle h, std::array<double, 2>& v) { v = nb::cast<std::array<double, 2>>(h); }
inline void from_python(nb::handle h, std::optional<double>& v)
{
    v.reset();
    if (!h.is_none()) v = nb::cast<double>(h);
}

}  // namespace mechane::python

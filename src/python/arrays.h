#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mechane/math/mat.h"
#include "mechane/math/pose.h"
#include "mechane/math/spatial.h"

/// NumPy views of C++ arrays: no copy, the owner is kept alive by the array.
namespace mechane::python {

namespace nb = nanobind;

template <class T>
nb::object view(T* data, std::initializer_list<std::size_t> shape, nb::handle owner)
{
    // NumPy wants a pointer also for nothing.
    static T none{};
    return nb::cast(nb::ndarray<nb::numpy, T>(data != nullptr ? data : &none, shape, owner));
}

// -- how a vector's elements look as numbers
template <class T>
    requires std::is_arithmetic_v<T>
nb::object view(std::vector<T>& v, nb::handle owner)
{ return view(v.data(), {v.size()}, owner); }
template <class E>
    requires std::is_enum_v<E>
nb::object view(std::vector<E>& v, nb::handle owner)
{
    static_assert(sizeof(E) == sizeof(std::int32_t));
    return view(reinterpret_cast<std::int32_t*>(v.data()), {v.size()}, owner);
}
template <class T, std::size_t n>
nb::object view(std::vector<std::array<T, n>>& v, nb::handle owner)
{ return view(v.empty() ? nullptr : v.front().data(), {v.size(), n}, owner); }
inline nb::object view(std::vector<Vec3>& v, nb::handle owner)
{ return view(v.empty() ? nullptr : &v.front().x, {v.size(), 3}, owner); }
inline nb::object view(std::vector<Quat>& v, nb::handle owner)
{ return view(v.empty() ? nullptr : &v.front().x, {v.size(), 4}, owner); }
inline nb::object view(std::vector<Pose>& v, nb::handle owner)
{ return view(v.empty() ? nullptr : &v.front().p.x, {v.size(), 7}, owner); }
inline nb::object view(std::vector<Spatial>& v, nb::handle owner)
{ return view(v.empty() ? nullptr : &v.front().linear.x, {v.size(), 6}, owner); }
inline nb::object view(std::vector<Mat33>& v, nb::handle owner)
{ return view(v.empty() ? nullptr : &v.front().r0.x, {v.size(), 3, 3}, owner); }

/// A new array that owns its numbers.
template <class T>
nb::object owned(std::vector<T> values, std::initializer_list<std::size_t> shape)
{
    auto*             kept = new std::vector<T>(std::move(values));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return view(kept->data(), shape, owner);
}

// -- arguments: what the facade hands over is contiguous and of this type
using RealsIn   = nb::ndarray<const Real, nb::c_contig, nb::device::cpu>;
using RealsOut  = nb::ndarray<Real, nb::c_contig, nb::device::cpu>;
using BytesIn   = nb::ndarray<const std::uint8_t, nb::c_contig, nb::device::cpu>;
using IntsIn    = nb::ndarray<const std::int32_t, nb::c_contig, nb::device::cpu>;
using DoublesIn = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const nb::ndarray<const T, nb::c_contig, nb::device::cpu>& a)
{ return {a.data(), a.size()}; }
inline std::span<Real> span_of(const RealsOut& a) { return {a.data(), a.size()}; }

}  // namespace mechane::python

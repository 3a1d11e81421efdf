// Arrays as JSON: nested lists up to a length, beyond that shape, type, SHA-256 over the bytes and the first eight
// entries. Bytes are little-endian, so that numpy gives the same hash.

#include "dump_json.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "mechane/core/sha256.h"

namespace mechane::importer {
namespace {

/// Nested lists of the given extents.
template <class Emit>
Json nested(const std::vector<std::size_t>& shape, std::size_t depth, std::size_t& at, const Emit& emit)
{
    Json list = Json::array();
    for (std::size_t i = 0; i < shape[depth]; ++i)
        list.push_back(depth + 1 == shape.size() ? emit(at++) : nested(shape, depth + 1, at, emit));
    return list;
}

/// Appends an integer of `bytes` bytes in little-endian order.
template <class Unsigned>
void push_little_endian(std::vector<std::uint8_t>& out, Unsigned value)
{
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

template <class Emit>
Json hashed(const std::vector<std::size_t>& shape, const char* kind, const std::vector<std::uint8_t>& bytes,
            std::size_t count, const Emit& emit)
{
    Sha256 hash;
    hash.update(bytes.data(), bytes.size());
    Json head = Json::array();
    for (std::size_t i = 0; i < std::min<std::size_t>(8, count); ++i) head.push_back(emit(i));
    return {{"$array", shape}, {"dtype", kind}, {"sha256", hash.finish()}, {"head", std::move(head)}};
}

}  // namespace

Json json_number(double value)
{
    // JSON has no such numbers.
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

Json ArrayWriter::floats(std::vector<std::size_t> shape, const std::vector<double>& values) const
{
    const auto emit = [&](std::size_t i) { return json_number(static_cast<double>(static_cast<float>(values[i]))); };
    if (!long_array(values.size())) {
        std::size_t at = 0;
        return nested(shape, 0, at, emit);
    }
    std::vector<std::uint8_t> bytes;
    bytes.reserve(4 * values.size());
    for (const double v : values) push_little_endian(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(v)));
    return hashed(shape, "float", bytes, values.size(), emit);
}

Json ArrayWriter::integers(std::vector<std::size_t> shape, const std::vector<std::int64_t>& values) const
{
    const auto emit = [&](std::size_t i) { return Json(values[i]); };
    if (!long_array(values.size())) {
        std::size_t at = 0;
        return nested(shape, 0, at, emit);
    }
    // int32 wherever it suffices, as Newton has it.
    const bool                wide = std::any_of(values.begin(), values.end(), [](std::int64_t v) {
        return v > std::numeric_limits<std::int32_t>::max() || v < std::numeric_limits<std::int32_t>::min();
    });
    std::vector<std::uint8_t> bytes;
    for (const std::int64_t v : values) {
        if (wide)
            push_little_endian(bytes, static_cast<std::uint64_t>(v));
        else
            push_little_endian(bytes, static_cast<std::uint32_t>(static_cast<std::int32_t>(v)));
    }
    return hashed(shape, "int", bytes, values.size(), emit);
}

Json ArrayWriter::flags(const std::vector<std::uint8_t>& values) const
{
    const auto emit = [&](std::size_t i) { return Json(values[i] != 0); };
    if (!long_array(values.size())) {
        std::size_t at = 0;
        return nested({values.size()}, 0, at, emit);
    }
    std::vector<std::uint8_t> bytes(values.size());
    std::transform(values.begin(), values.end(), bytes.begin(),
                   [](std::uint8_t v) { return static_cast<std::uint8_t>(v != 0); });
    return hashed({values.size()}, "bool", bytes, values.size(), emit);
}

Json ArrayWriter::texts(const std::vector<std::string>& values) const { return Json(values); }

Json ArrayWriter::reals(const std::vector<Real>& values) const
{ return floats({values.size()}, std::vector<double>(values.begin(), values.end())); }

Json ArrayWriter::vectors(const std::vector<Vec3>& values) const
{
    std::vector<double> flat;
    for (const Vec3& v : values)
        for (const Real x : {v.x, v.y, v.z}) flat.push_back(x);
    return floats({values.size(), 3}, flat);
}

Json ArrayWriter::poses(const std::vector<Pose>& values) const
{
    std::vector<double> flat;
    for (const Pose& v : values)
        for (const Real x : {v.p.x, v.p.y, v.p.z, v.q.x, v.q.y, v.q.z, v.q.w}) flat.push_back(x);
    return floats({values.size(), 7}, flat);
}

Json ArrayWriter::spatials(const std::vector<Spatial>& values) const
{
    std::vector<double> flat;
    for (const Spatial& v : values)
        for (const Real x : {v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z})
            flat.push_back(x);
    return floats({values.size(), 6}, flat);
}

Json ArrayWriter::matrices(const std::vector<Mat33>& values) const
{
    std::vector<double> flat;
    for (const Mat33& m : values)
        for (const Vec3& v : {m.r0, m.r1, m.r2})
            for (const Real x : {v.x, v.y, v.z}) flat.push_back(x);
    return floats({values.size(), 3, 3}, flat);
}

Json ArrayWriter::pairs(const std::vector<std::array<Real, 2>>& values) const
{
    std::vector<double> flat;
    for (const auto& v : values)
        for (const Real x : v) flat.push_back(x);
    return floats({values.size(), 2}, flat);
}

}  // namespace mechane::importer

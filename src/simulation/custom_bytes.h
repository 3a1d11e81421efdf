#pragma once
#include <cstdint>
#include <variant>

#include "mechane/core/bytes.h"
#include "mechane/model/custom.h"

namespace mechane::record {

/// Names, types and values of custom attributes. What else was declared of them the model knows.
inline void put(ByteWriter& out, const model::CustomArrays& custom)
{
    out.put(static_cast<std::uint64_t>(custom.arrays.size()));
    for (const model::CustomArray& array : custom.arrays) {
        out.put(array.key);
        out.put(static_cast<std::uint8_t>(array.type));
        std::visit([&](const auto& values) { out.put(values); }, array.data);
    }
}

/// Arrays of such bytes; `model::take_values` hands their values to those of a model.
inline void get(ByteReader& in, model::CustomArrays& custom)
{
    const auto count = in.take<std::uint64_t>();
    for (std::uint64_t i = 0; i < count && in.good(); ++i) {
        model::CustomArray& array = custom.arrays.emplace_back();
        in.get(array.key);
        const auto type = in.take<std::uint8_t>();
        if (type > static_cast<std::uint8_t>(model::CustomType::quat)) return;  // what is left unread is told as damage
        array.type = static_cast<model::CustomType>(type);
        array      = array.filled(0);
        std::visit([&](auto& values) { in.get(values); }, array.data);
    }
}

/// Everything else lies as it is in memory.
template <class T>
void put(ByteWriter& out, const T& value)
{ out.put(value); }
template <class T>
void get(ByteReader& in, T& value)
{ in.get(value); }

}  // namespace mechane::record

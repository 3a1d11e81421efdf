#pragma once
#include <vector>

#include "mechane/usd/stage.h"

namespace mechane::conformance {

/// The value at the default time, else at the first sample; a value-initialised one without either.
template <class T>
T first_value(const usd::Attribute& attribute)
{
    if (auto value = attribute.get<T>()) return std::move(*value);
    const std::vector<double> times = attribute.time_samples();
    return times.empty() ? T{} : attribute.get<T>(times.front()).value_or(T{});
}

}  // namespace mechane::conformance

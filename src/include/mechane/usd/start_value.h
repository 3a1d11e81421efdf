#pragma once
// What an attribute is at the start of a run, where no time is asked for.

#include "mechane/usd/stage.h"

namespace mechane::usd {

/// The time at which an attribute is read where no time is asked for: the default time, or that of the earliest sample
/// where samples stand without a default (OpenUSD alone would give the schema's fallback there). A blocked attribute
/// stays blocked.
[[nodiscard]] TimeCode start_of(const Attribute& attribute);

/// The value at `start_of`, else the schema's fallback; nothing when blocked or of another type.
template <class T>
[[nodiscard]] std::optional<T> start_as(const Attribute& attribute)
{ return attribute.get<T>(start_of(attribute)); }

template <class T>
[[nodiscard]] T start_or(const Attribute& attribute, T otherwise)
{ return start_as<T>(attribute).value_or(std::move(otherwise)); }

}  // namespace mechane::usd

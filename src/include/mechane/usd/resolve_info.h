#pragma once
#include <cstdint>
#include <string>

#include "mechane/usd/stage.h"

namespace mechane::usd {

/// What kind of opinion decides an attribute's value.
enum class ValueSource : std::uint8_t { none, fallback, default_value, time_samples, spline, value_clips };

/// Where an attribute's value at a time comes from.
struct ResolveInfo {
    ValueSource source  = ValueSource::none;
    bool        blocked = false;  ///< the opinion is that there is no value
    std::string layer;            ///< that authors it, as the user would write it; empty for fallback and none
};
ResolveInfo resolve_info(const Attribute& attribute, TimeCode time = {});

}  // namespace mechane::usd

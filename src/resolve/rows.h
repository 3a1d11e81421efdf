#pragma once
#include <optional>
#include <string>
#include <utility>

#include "converters.h"

namespace mechane::resolve {

/// The plain row of a vendor's table: one attribute of one unit.
/// @param fallback  what the vendor's schema says where nothing is authored; none: the importer's default counts then
/// @param note      why the fallback differs from the schema's own
inline Row row(Key key, std::string attribute, Unit unit, std::optional<Value> fallback = {},
               Convert how = convert::same, std::string note = {})
{
    return {.key           = key,
            .attributes    = {std::move(attribute)},
            .unit          = unit,
            .convert       = std::move(how),
            .fallback      = std::move(fallback),
            .fallback_note = std::move(note)};
}

}  // namespace mechane::resolve

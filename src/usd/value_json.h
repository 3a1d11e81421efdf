#pragma once
#include <pxr/vt/value.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mechane::usd {

/// A value in the encoding of `mechane dump`; arrays of more than `limit` scalars become a hash (0: none does).
nlohmann::json to_json(const pxr::VtValue& value, std::size_t limit);
/// A list of texts, or its hash.
nlohmann::json to_json(const std::vector<std::string>& texts, std::size_t limit);
/// A number, or the text of one that is not finite.
nlohmann::json to_json(double number);

}  // namespace mechane::usd

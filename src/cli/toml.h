#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace mechane::cli {

/// The part of TOML that a configuration of Mechane needs: tables, arrays of tables, and values that are strings,
/// numbers, booleans, dates (as text) or arrays of these on one or several lines.
/// @param fault  gets "line 3: what is wrong" when there is no answer
std::optional<nlohmann::json> read_toml(const std::string& text, std::string& fault);

}  // namespace mechane::cli

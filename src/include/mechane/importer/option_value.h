#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mechane/core/result.h"

namespace mechane::importer {

struct ImportOptions;

/// The value of an import option in memory; the first alternative is "none".
using OptionValue = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::string>,
                                 std::vector<double>>;

/// Sets an option by its name. A text is read as `set_option` reads it, so that "true" is a flag too.
///
/// @error IMPORT_ARG_OPTION, IMPORT_ARG_JOINT_ORDERING  there is no such option, or it cannot have the value; the hint says which
/// ones it can have
Result<void> set_option_value(ImportOptions& options, std::string_view name, const OptionValue& value);

}  // namespace mechane::importer

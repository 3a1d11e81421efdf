#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>

#include "mechane/importer/options.h"

namespace mechane::importer {

/// One row of the table of options: what is published of it, and how its value is read and written.
struct OptionRow {
    OptionInfo info;
    /// Reads the option from its value; false when the value is of another type or out of range.
    bool (*set)(ImportOptions&, const nlohmann::json&);
    nlohmann::json (*get)(const ImportOptions&);
};

/// The value that an option has, as text that `set_option` reads.
std::string option_text(const ImportOptions& options, const OptionRow& row);

/// In dictionary order of the names.
std::span<const OptionRow> option_rows();

}  // namespace mechane::importer

#pragma once
#include <span>
#include <string>
#include <string_view>

#include "mechane/core/diagnostic.h"

namespace mechane::cli {

/// One code of the tables in codes.h of each module.
struct DiagnosticRow {
    std::string_view module;
    const Code*      code;
};

/// All codes of all modules.
std::span<const DiagnosticRow> diagnostic_table();

/// The row of an id or a former id, in any case; null where there is none.
const DiagnosticRow* find_diagnostic(std::string_view id);

/// What `mechane explain ID` prints: meaning, severity, module, remedy and the former id.
std::string explain_diagnostic(const DiagnosticRow& row);

}  // namespace mechane::cli

// Finds a diagnostic by its id or former id, whatever its case, and prints its meaning and remedy. Called by
// explain.cpp.

#include <fmt/format.h>

#include <string>

#include "cli/diagnostic_table.h"
#include "mechane/core/letters.h"

namespace mechane::cli {
const DiagnosticRow* find_diagnostic(std::string_view id)
{
    for (const DiagnosticRow& row : diagnostic_table())
        if (same_word(row.code->id, id) || (!row.code->alias.empty() && same_word(row.code->alias, id))) return &row;
    return nullptr;
}

std::string explain_diagnostic(const DiagnosticRow& row)
{
    const Code& code = *row.code;
    std::string text =
        fmt::format("{}\n\n{}\n\nSeverity: {}, unless the message says otherwise\nModule:   {}\nRemedy:   {}\n",
                    code.id, code.meaning, to_string(code.severity), row.module, code.remedy);
    if (!code.alias.empty()) text += fmt::format("Formerly: {}\n", code.alias);
    return text;
}

}  // namespace mechane::cli

#pragma once
#include <pxr/vt/dictionary.h>

#include <optional>
#include <string>

namespace mechane::usd {

/// A variable that an expression uses and nobody defines. OpenUSD evaluates such an expression all the same, with a
/// text in the variable's place that depends on its version, and reports nothing.
struct UndefinedVariable {
    std::string name;       ///< the first one, in alphabetical order
    std::string evaluated;  ///< what OpenUSD makes of the expression
};
std::optional<UndefinedVariable> find_undefined_variable(const std::string&       expression,
                                                         const pxr::VtDictionary& variables);

/// The text that an expression in an asset path stands for; nothing when it is in error or has no text for its value. A
/// variable that nobody defines stays, `${NAME}`, inside quotes, and is an error outside of them.
std::optional<std::string> evaluate_text(const std::string& expression, const pxr::VtDictionary& variables);

}  // namespace mechane::usd

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

}  // namespace mechane::usd

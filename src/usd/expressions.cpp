#include "usd/expressions.h"

#include <pxr/sdf/variableExpression.h>

#include <set>

namespace mechane::usd {

using namespace pxr;

std::optional<UndefinedVariable> find_undefined_variable(const std::string& expression, const VtDictionary& variables)
{
    if (!SdfVariableExpression::IsExpression(expression)) return std::nullopt;
    const auto            result = SdfVariableExpression(expression).Evaluate(variables);
    std::set<std::string> undefined;
    for (const std::string& name : result.usedVariables)
        if (variables.find(name) == variables.end()) undefined.insert(name);
    if (undefined.empty()) return std::nullopt;
    return UndefinedVariable{*undefined.begin(), result.value.IsHolding<std::string>()
                                                     ? result.value.UncheckedGet<std::string>()
                                                     : std::string()};
}

}  // namespace mechane::usd

// Expressions in asset paths and variant selections: their value, and which variable is missing where there is none.

#include "usd/expressions.h"

#include <pxr/sdf/variableExpression.h>

#include <algorithm>
#include <set>

namespace mechane::usd {

using namespace pxr;

namespace {

/// An expression in which `${NAME}` inside quotes is escaped where nobody defines NAME.
std::string with_undefined_escaped(const std::string& expression, const VtDictionary& variables)
{
    std::string out;
    char        quote = 0;
    for (std::size_t i = 0; i < expression.size(); ++i) {
        const char c = expression[i];
        if (quote == 0) {
            if (c == '"' || c == '\'') quote = c;
        } else if (c == '\\' && i + 1 < expression.size()) {
            out += c;
            out += expression[++i];
            continue;
        } else if (c == quote) {
            quote = 0;
        } else if (c == '$' && i + 1 < expression.size() && expression[i + 1] == '{') {
            const std::size_t end  = expression.find('}', i);
            const std::string name = end == std::string::npos ? "" : expression.substr(i + 2, end - i - 2);
            if (!name.empty() && variables.find(name) == variables.end()) out += '\\';
        }
        out += c;
    }
    return out;
}

bool uses_undefined(const SdfVariableExpression::Result& result, const VtDictionary& variables)
{
    return std::any_of(result.usedVariables.begin(), result.usedVariables.end(),
                       [&](const std::string& name) { return variables.find(name) == variables.end(); });
}

}  // namespace

std::optional<std::string> evaluate_text(const std::string& expression, const VtDictionary& variables)
{
    auto result = SdfVariableExpression(expression).Evaluate(variables);
    if (uses_undefined(result, variables)) {
        // Versions of the library differ in what they make of such a variable; as an escaped text it is left alone.
        VtDictionary escaped = variables;
        for (auto& [name, value] : escaped)
            if (value.IsHolding<std::string>() &&
                SdfVariableExpression::IsExpression(value.UncheckedGet<std::string>()))
                value = VtValue(with_undefined_escaped(value.UncheckedGet<std::string>(), variables));
        result = SdfVariableExpression(with_undefined_escaped(expression, variables)).Evaluate(escaped);
        if (uses_undefined(result, variables)) return std::nullopt;
    }
    if (!result.errors.empty() || !result.value.IsHolding<std::string>()) return std::nullopt;
    return result.value.UncheckedGet<std::string>();
}

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

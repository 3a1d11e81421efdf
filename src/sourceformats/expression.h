#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mechane/core/result.h"

/// The expressions between ${ and } of xacro: a part of Python that computes with literals. What it does not know it
/// refuses by name.
namespace mechane::sourceformats {

class Whole;
struct Value;
using ValueList = std::vector<Value>;
using ValueDict = std::vector<std::pair<std::string, Value>>;  ///< in the order of writing

/// None, a truth, a whole number, a number, a text, a list (or tuple), or a dictionary with texts as keys.
struct Value {
    std::variant<std::monostate, bool, std::int64_t, double, std::string, std::shared_ptr<ValueList>,
                 std::shared_ptr<ValueDict>, std::shared_ptr<const Whole>>
        is;  ///< Whole: what 64 bits do not hold

    [[nodiscard]] bool               is_number() const;
    [[nodiscard]] double             number() const;  ///< of a number or a truth, else 0
    [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&is); }
    [[nodiscard]] bool               truth() const;  ///< as Python's bool()
    [[nodiscard]] std::string        str() const;    ///< as Python's str()
    [[nodiscard]] std::string        type() const;   ///< "int", "str", ... for messages
};

/// Gives the value of a name, or why there is none (null: the name is not known).
using NameLookup = std::function<const Value*(const std::string& name, std::string& why)>;

/// Computes a function of the module `xacro` ("load_yaml"), or says why there is no value.
using NamedCall = std::function<Value(const std::string& name, const ValueList& arguments, std::string& why)>;

/// Evaluates an expression.
/// @return the value, or a message in `why`
struct Evaluated {
    Value       value;
    std::string why;  ///< empty: all went well
};
Evaluated evaluate(std::string_view expression, const NameLookup& names, const NamedCall& calls = {});

/// What xacro makes of the text of a property: a whole number, a number, a truth, a text without its quotes, or the
/// text itself.
Value literal(std::string_view text);

}  // namespace mechane::sourceformats

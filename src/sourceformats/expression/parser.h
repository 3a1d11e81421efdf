#pragma once
#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sourceformats/expression.h"

namespace mechane::sourceformats {

inline constexpr std::size_t kMostExpressionText = std::size_t{1} << 20;  ///< of a text, and of a list

/// A recursive descent over Python's grammar of expressions. A failure sets `why` and every step after it does nothing.
class ExpressionParser {
  public:
    ExpressionParser(std::string_view text, const NameLookup& names, const NamedCall& calls)
        : text_(text), names_(names), calls_(calls)
    { next(); }
    Evaluated run();

  private:
    enum class Kind { end, number, text, name, sign };

    struct Token {
        Kind        kind = Kind::end;
        std::string text;
        Value       value;
    };

    struct Place {
        std::size_t at = 0;
        Token       token;
    };

    std::string_view                           text_;
    const NameLookup&                          names_;
    const NamedCall&                           calls_;
    std::vector<std::pair<std::string, Value>> locals_;    ///< variables of lists made by 'for'
    std::size_t                                made_ = 0;  ///< elements of such lists
    std::size_t                                at_   = 0;
    Token                                      token_;
    std::string                                why_;
    int                                        depth_ = 0;
    std::string                                pending_;              ///< the first fault of the values
    bool                                       skip_        = false;  ///< the branch of a condition that does not count
    static constexpr std::string_view          kFunctions[] = {
        "sin",     "cos",     "tan",      "asin",  "acos",  "atan",  "atan2",  "sinh",  "cosh", "tanh",  "sqrt",
        "exp",     "log",     "log10",    "log2",  "pow",   "abs",   "fabs",   "floor", "ceil", "fmod",  "hypot",
        "radians", "degrees", "copysign", "isnan", "isinf", "min",   "max",    "round", "int",  "float", "str",
        "bool",    "len",     "sum",      "list",  "tuple", "range", "sorted", "trunc", "dict"};

    bool        is(std::string_view sign) const { return token_.kind == Kind::sign && token_.text == sign; }
    bool        word(std::string_view name) const { return token_.kind == Kind::name && token_.text == name; }
    Place       here() const { return {at_, token_}; }
    void        go(const Place& to) { at_ = to.at, token_ = to.token; }
    static bool is_function(std::string_view name)
    { return std::find(std::begin(kFunctions), std::end(kFunctions), name) != std::end(kFunctions); }

    // -- parser.cpp

    void fail(std::string why);
    /// A fault of the values, not of the grammar: reading goes on, and in a branch that does not count it is none.
    Value wrong(std::string why);
    void  next();
    void  number();
    void  quoted(char quote);
    bool  take(std::string_view sign);
    bool  take_word(std::string_view name);
    void  expect(std::string_view sign);
    /// "a if c else b": a is read before c is known, so its faults wait until it counts.
    Value expression();
    Value disjunction();
    Value conjunction();
    Value negation();
    Value comparison();
    Value sum();
    Value product();
    Value factor();
    Value postfix();
    /// What stands in brackets behind a value, from behind the first bracket on: "[i]", "[from:to]" or
    /// "[from:to:step]".
    Value element_or_slice(const Value& of);
    /// "[a for b in c if d]", from "for" on; `start` is where a begins.
    void      for_each(const Place& start, ValueList& out);
    ValueList arguments();
    Value     atom();
    /// "dict(a=1, b=2)", or of another one.
    Value named_values();

    // -- values.cpp

    static bool same(const Value& a, const Value& b);
    /// Of two numbers, exactly: a real number is not what a large whole one becomes as real.
    static std::partial_ordering order(const Value& a, const Value& b);
    Value                        calculate(const std::string& op, const Whole& a, const Whole& b);
    /// A real number as a whole one, once it has none of a fraction.
    Value         to_whole(double x);
    bool          contains(const Value& in, const Value& what);
    Value         calculate(const std::string& op, const Value& a, const Value& b, bool negate = false);
    static double rounded(double x, int digits);
    Value         rounded(const Whole& number, const Value& digits);
    /// "'%.2f of %s' % (a, b)", with d, i, f, e, g, s, x and %.
    Value formatted(const std::string& how, const Value& with);
    Value element(const Value& of, const Value& index);
    /// A part of a list or text as Python's slices have it: negative places count from the end, and what lies outside
    /// is cut off.
    Value slice(const Value& of, const std::optional<Value>& from, const std::optional<Value>& to,
                const std::optional<Value>& by);
    Value method(const Value& of, const std::string& name);
    Value call(const std::string& name, const ValueList& a);
};

}  // namespace mechane::sourceformats

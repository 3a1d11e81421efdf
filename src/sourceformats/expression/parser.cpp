// Reads expressions of xacro and computes them while it reads.
//
// A recursive descent with one token of look-ahead, in the order of Python's grammar. What Python itself would do is
// the measure: whole numbers stay whole, / gives a real number, -7 // 2 is -4, "a < b < c" is allowed.
//
// why_       the first mistake in the text itself; it ends the reading
// pending_   the first mistake of a value ("x is not defined"); it counts only where Python would have evaluated it
// skip_      inside of what Python would not evaluate
#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "sourceformats/expression/parser.h"
#include "sourceformats/expression/whole.h"
#include "sourceformats/xml.h"

namespace mechane::sourceformats {
namespace {

constexpr int kMostExpressionDepth = 250;

std::string number_text(double v)
{
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
    const double a = std::abs(v);
    // Python writes 1.0 for a whole real number; without the ".0" it would be read as a whole number again.
    std::string text = fmt::format("{}", v);  // the shortest digits that give the number back, as Python's
    if (a < 1e16 && text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

}  // namespace

Evaluated ExpressionParser::run()
{
    Value v = expression();
    if (why_.empty() && token_.kind != Kind::end) fail(fmt::format("'{}' is not expected here", token_.text));
    return {std::move(v), why_.empty() ? std::move(pending_) : std::move(why_)};
}

void ExpressionParser::fail(std::string why)
{
    // The text counts as read to its end, so that all loops stop.
    if (why_.empty()) why_ = std::move(why);
    token_ = {};
    at_    = text_.size();
}

Value ExpressionParser::wrong(std::string why)
{
    if (!skip_ && pending_.empty()) pending_ = std::move(why);
    return {};
}

void ExpressionParser::next()
{
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    token_ = {};
    if (at_ >= text_.size()) return;
    const char c = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
        (c == '.' && at_ + 1 < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_ + 1])) != 0))
        return number();
    if (c == '\'' || c == '"') return quoted(c);
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') {
        const std::size_t from = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
            ++at_;
        token_ = {Kind::name, std::string(text_.substr(from, at_ - from)), {}};
        return;
    }
    // Longer signs first, so that ** is not read as two *.
    static constexpr std::string_view kSigns[] = {"**", "//", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%", "(",
                                                  ")",  "[",  "]",  "{",  "}",  ",",  ":", ".", "<", ">", "="};
    for (const std::string_view sign : kSigns)
        if (text_.substr(at_).starts_with(sign)) {
            at_ += sign.size();
            token_ = {Kind::sign, std::string(sign), {}};
            return;
        }
    fail(fmt::format("'{}' is not known in an expression", c));
}

void ExpressionParser::number()
{
    const std::size_t from  = at_;
    const auto        whole = [&](std::string_view digits, unsigned base) {
        const auto v = Whole::read(digits, base);
        if (!v)
            return fail(
                fmt::format("'{}' is not a whole number of at most {} bits", digits.substr(0, 40), Whole::kMostBits));
        token_ = {Kind::number, std::string(text_.substr(from, at_ - from)), to_value(*v)};
    };
    if (text_.substr(at_).starts_with("0x") || text_.substr(at_).starts_with("0X")) {
        at_ += 2;
        const std::size_t first = at_;
        while (at_ < text_.size() && std::isxdigit(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
        return whole(text_.substr(first, at_ - first), 16);
    }
    bool real = false;
    while (at_ < text_.size()) {
        const char c = text_[at_];
        if (c == '.') real = true;
        if ((c == 'e' || c == 'E') && at_ + 1 < text_.size()) {
            real = true;
            if (text_[at_ + 1] == '+' || text_[at_ + 1] == '-') ++at_;
        } else if (std::isdigit(static_cast<unsigned char>(c)) == 0 && c != '.') {
            break;
        }
        ++at_;
    }
    const std::string word(text_.substr(from, at_ - from));
    if (!real) return whole(word, 10);
    token_       = {Kind::number, word, {}};
    const auto v = parse_number(word);
    if (!v) return fail(fmt::format("'{}' is not a number", word));
    token_.value.is = *v;
}

void ExpressionParser::quoted(char quote)
{
    std::string out;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
            const char c = text_[++at_];
            out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
        } else {
            out += text_[at_];
        }
    }
    if (at_ >= text_.size()) return fail("a text has no end");
    ++at_;
    token_ = {Kind::text, out, {out}};
}

bool ExpressionParser::take(std::string_view sign)
{
    if (!is(sign)) return false;
    next();
    return true;
}

bool ExpressionParser::take_word(std::string_view name)
{
    if (!word(name)) return false;
    next();
    return true;
}

void ExpressionParser::expect(std::string_view sign)
{
    if (!take(sign)) fail(fmt::format("'{}' is missing", sign));
}

// Grammar, weakest first, as in Python: a if c else b; or; and; not; comparisons; + -; * / // %; sign; **; x.y x[i]
// f(x); atoms. Each level computes what it reads, and `skip_` reads without computing where Python would not evaluate.
Value ExpressionParser::expression()
{
    if (++depth_ > kMostExpressionDepth) return --depth_, fail("the expression is nested too deep"), Value{};
    // `before` are mistakes of what stands to the left of this expression.
    // Mistakes of the left side count only if the condition chooses it: xacro files write "${a / b if b else 0}".
    const std::string before = std::exchange(pending_, {});
    Value             v      = disjunction();
    std::string       wrongs = std::exchange(pending_, before);
    if (why_.empty() && take_word("if")) {
        const Value condition = disjunction();
        if (!take_word("else")) return --depth_, fail("'else' is missing"), Value{};
        const bool outer = skip_;
        skip_            = outer || condition.truth();
        Value other      = expression();
        skip_            = outer;
        if (!condition.truth()) v = std::move(other), wrongs.clear();
    }
    --depth_;
    if (!wrongs.empty()) wrong(std::move(wrongs));
    return v;
}

Value ExpressionParser::disjunction()
{
    Value v = conjunction();
    while (why_.empty() && take_word("or")) {
        const bool outer = skip_;
        skip_            = outer || v.truth();
        // "a or b" is a value, not a truth: b is not even evaluated where a is true.
        Value right = conjunction();
        skip_       = outer;
        if (!v.truth()) v = std::move(right);
    }
    return v;
}

Value ExpressionParser::conjunction()
{
    Value v = negation();
    while (why_.empty() && take_word("and")) {
        const bool outer = skip_;
        skip_            = outer || !v.truth();
        Value right      = negation();
        skip_            = outer;
        if (v.truth()) v = std::move(right);
    }
    return v;
}

Value ExpressionParser::negation()
{
    bool negated = false, any = false;
    while (take_word("not")) negated = !negated, any = true;
    Value v = comparison();
    return any ? Value{negated != v.truth()} : v;
}

// a < b < c compares each neighbouring pair, and every operand is computed once.
Value ExpressionParser::comparison()
{
    Value left   = sum();
    bool  result = true, any = false;
    // Each operand is compared with its neighbour, and the results are joined by "and".
    while (why_.empty()) {
        std::string op;
        for (const char* sign : {"<=", ">=", "==", "!=", "<", ">"})
            if (is(sign)) op = sign;
        if (word("in")) op = "in";
        if (word("is")) op = "is";
        if (word("not")) op = "not in";
        if (op.empty()) break;
        next();
        if (op == "not in" && !take_word("in")) return fail("'in' is missing after 'not'"), Value{};
        // "is" is used with None, True and False only, where identity is equality.
        if (op == "is" && take_word("not")) op = "!=";
        if (op == "is") op = "==";
        Value right = sum();
        if (!why_.empty()) return {};
        any = true;
        if (op == "==" || op == "!=") {
            result = result && same(left, right) == (op == "==");
        } else if (op == "in" || op == "not in") {
            result = result && contains(right, left) == (op == "in");
        } else if (left.is_number() && right.is_number()) {
            const auto by = order(left, right);
            result        = result && (op == "<" ? by < 0 : op == "<=" ? by <= 0 : op == ">" ? by > 0 : by >= 0);
        } else if (left.text() != nullptr && right.text() != nullptr) {
            const int order = left.text()->compare(*right.text());
            result = result && (op == "<" ? order < 0 : op == "<=" ? order <= 0 : op == ">" ? order > 0 : order >= 0);
        } else {
            return wrong(fmt::format("{} and {} cannot be compared", left.type(), right.type()));
        }
        left = std::move(right);
    }
    return any ? Value{result} : left;
}

Value ExpressionParser::sum()
{
    Value v = product();
    while (why_.empty() && (is("+") || is("-"))) {
        const std::string op = token_.text;
        next();
        const Value right = product();
        if (why_.empty()) v = calculate(op, v, right);
    }
    return v;
}

Value ExpressionParser::product()
{
    Value v = factor();
    while (why_.empty() && (is("*") || is("/") || is("//") || is("%"))) {
        const std::string op = token_.text;
        next();
        const Value right = factor();
        if (why_.empty()) v = calculate(op, v, right);
    }
    return v;
}

// A power binds tighter than a sign on its left and looser than one on its right: -2 ** -1 is -(2 ** (-1)).
Value ExpressionParser::factor()
{
    // A sign recurs without brackets, so it counts as depth as well.
    if (++depth_ > kMostExpressionDepth) return --depth_, fail("the expression is nested too deep"), Value{};
    Value v;
    if (take("-")) {
        v = factor();
        if (why_.empty()) v = calculate("-", Value{std::int64_t{0}}, v, true);
    } else if (take("+")) {
        v = factor();
    } else {
        v = postfix();
        if (why_.empty() && take("**")) {
            const Value right = factor();
            if (why_.empty()) v = calculate("**", v, right);
        }
    }
    --depth_;
    return v;
}

Value ExpressionParser::postfix()
{
    Value v = atom();
    while (why_.empty()) {
        if (take("[")) {
            v = element_or_slice(v);
        } else if (take(".")) {
            if (token_.kind != Kind::name) return fail("a name is missing after '.'"), Value{};
            const std::string name = token_.text;
            next();
            v = is("(") ? method(v, name) : element(v, Value{name});
        } else {
            break;
        }
    }
    return v;
}

Value ExpressionParser::element_or_slice(const Value& of)
{
    std::optional<Value> parts[3];
    std::size_t          colons = 0;
    while (why_.empty() && !is("]")) {
        // Up to three parts with colons between; an index has no colon.
        if (take(":")) {
            if (++colons > 2) return fail("a slice has two ':' at most"), Value{};
        } else if (parts[colons]) {
            break;  // the bracket is missing
        } else {
            parts[colons] = expression();
        }
    }
    expect("]");
    if (!why_.empty()) return {};
    if (colons > 0) return slice(of, parts[0], parts[1], parts[2]);
    return parts[0] ? element(of, *parts[0]) : (fail("an index is missing"), Value{});
}

// The text of the element expression lies before "for". It is read again from `start` for each item with the loop's
// names set, and the parser goes on behind the condition.
void ExpressionParser::for_each(const Place& start, ValueList& out)
{
    take_word("for");
    std::vector<std::string> names;
    const bool               round = take("(");
    while (why_.empty()) {
        if (token_.kind != Kind::name) return fail("a name is missing after 'for'");
        names.push_back(token_.text);
        next();
        if (!take(",")) break;
    }
    if (round) expect(")");
    if (!take_word("in")) return fail("'in' is missing after 'for'");
    const Value in = disjunction();
    ValueList   from;
    if (const auto* list = std::get_if<std::shared_ptr<ValueList>>(&in.is))
        from = **list;
    else if (const auto* dict = std::get_if<std::shared_ptr<ValueDict>>(&in.is))
        for (const auto& [key, value] : **dict) from.push_back({key});
    else if (in.text() != nullptr)
        for (const char c : *in.text()) from.push_back({std::string(1, c)});
    else
        wrong(fmt::format("{} has no elements", in.type()));
    const Place condition = here();
    const bool  chooses   = word("if");
    if (chooses) {
        next();
        // The condition is read once without computing, to find its end; it is computed for each item below.
        const bool outer = std::exchange(skip_, true);  // to find its end
        disjunction();
        skip_ = outer;
    }
    const Place end = here();
    if (word("for")) return fail("a list made by two 'for' is not known here");
    const std::size_t outer = locals_.size();
    for (const Value& item : from) {
        if (!why_.empty() || skip_) break;
        // A bound on what one expression can make.
        if (++made_ > 100'000) return fail("a list becomes too long");
        // "for key, value in d.items()" takes each item apart.
        if (names.size() == 1) {
            locals_.emplace_back(names[0], item);
        } else {
            const auto* parts = std::get_if<std::shared_ptr<ValueList>>(&item.is);
            if (parts == nullptr || (*parts)->size() != names.size())
                return void(wrong(fmt::format("an element has not {} parts", names.size())));
            for (std::size_t i = 0; i < names.size(); ++i) locals_.emplace_back(names[i], (**parts)[i]);
        }
        bool taken = true;
        if (chooses) {
            go(condition);
            next();
            taken = disjunction().truth();
        }
        if (taken && why_.empty()) {
            go(start);
            out.push_back(expression());
        }
        locals_.resize(outer);
    }
    if (why_.empty()) go(end);
}

ValueList ExpressionParser::arguments()
{
    ValueList out;
    expect("(");
    while (why_.empty() && !is(")")) {
        out.push_back(expression());
        if (!take(",")) break;
    }
    expect(")");
    return out;
}

Value ExpressionParser::atom()
{
    if (token_.kind == Kind::number) {
        Value v = token_.value;
        next();
        return v;
    }
    if (token_.kind == Kind::text) {
        std::string all = token_.text;
        // Texts that stand side by side are one, as in Python.
        for (next(); token_.kind == Kind::text; next()) all += token_.text;
        return {all};
    }
    if (take("(")) {
        // Tuples are lists here.
        if (take(")")) return {std::make_shared<ValueList>()};
        Value v = expression();
        if (is(",")) {
            auto list = std::make_shared<ValueList>();
            list->push_back(std::move(v));
            while (why_.empty() && take(",") && !is(")")) list->push_back(expression());
            v = {std::move(list)};
        }
        expect(")");
        return v;
    }
    if (take("[")) {
        auto              list   = std::make_shared<ValueList>();
        const Place       start  = here();
        const std::string before = pending_;
        while (why_.empty() && !is("]")) {
            list->push_back(expression());
            if (word("for")) {  // what was read is computed anew for each element
                pending_ = before;
                list->clear();
                for_each(start, *list);
                break;
            }
            if (!take(",")) break;
        }
        expect("]");
        return {std::move(list)};
    }
    if (take("{")) {
        auto dict = std::make_shared<ValueDict>();
        while (why_.empty() && !is("}")) {
            const Value key = expression();
            expect(":");
            if (!why_.empty()) break;
            dict->emplace_back(key.str(), expression());
            if (!take(",")) break;
        }
        expect("}");
        return {std::move(dict)};
    }
    if (token_.kind != Kind::name) {
        fail(token_.kind == Kind::end ? "the expression ends too early"
                                      : fmt::format("'{}' is not expected here", token_.text));
        return {};
    }
    const std::string name = token_.text;
    next();
    if (name == "True" || name == "true") return {true};
    if (name == "False" || name == "false") return {false};
    if (name == "None") return {};
    if (name == "lambda") return fail("'lambda' is not known here"), Value{};
    // Names of loops hide those of the file, inner ones those of outer ones.
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local)
        if (local->first == name && !is("(")) return local->second;
    // xacro's own functions are the caller's: they need files and arguments.
    if (calls_ && (name == "load_yaml" || (name == "xacro" && is(".")))) {
        std::string function = name;
        if (take(".")) {
            function = token_.text;
            next();
        }
        if (!is("(")) return fail(fmt::format("xacro.{} is not known here", function)), Value{};
        const ValueList a = arguments();
        if (skip_ || !why_.empty()) return {};
        std::string why;
        Value       v = calls_(function, a, why);
        return why.empty() ? v : wrong(why);
    }
    if (name == "dict" && is("(")) return named_values();
    if (is("(") && is_function(name)) {
        const ValueList a = arguments();
        return why_.empty() && !skip_ ? call(name, a) : Value{};
    }
    if (skip_) {
        if (is("(")) arguments();
        return {};
    }
    std::string why;
    // Properties of the file hide constants: some files define their own pi.
    if (const Value* v = names_(name, why)) {
        if (is("(")) return fail(fmt::format("{}() is not known here", name)), Value{};
        return *v;
    }
    if (!why.empty()) return wrong(why);
    if (name == "pi") return {std::numbers::pi};
    if (name == "e") return {std::numbers::e};
    if (name == "tau") return {2 * std::numbers::pi};
    if (name == "inf") return {std::numeric_limits<double>::infinity()};
    if (name == "nan") return {std::numeric_limits<double>::quiet_NaN()};
    // "math.pi" and "pi" are both in use; numpy's and python's names are those of math.
    if (name == "math" || name == "python" || name == "numpy") {
        auto dict = std::make_shared<ValueDict>();
        dict->emplace_back("pi", Value{std::numbers::pi});
        dict->emplace_back("e", Value{std::numbers::e});
        dict->emplace_back("tau", Value{2 * std::numbers::pi});
        dict->emplace_back("inf", Value{std::numeric_limits<double>::infinity()});
        for (const std::string_view f : kFunctions) dict->emplace_back(std::string(f), Value{std::string(f)});
        return {std::move(dict)};
    }
    if (is("(")) return fail(fmt::format("{}() is not known here", name)), Value{};
    return wrong(fmt::format("'{}' is not defined", name));
}

Value ExpressionParser::named_values()
{
    auto dict = std::make_shared<ValueDict>();
    expect("(");
    while (why_.empty() && !is(")")) {
        const Place start = here();
        const auto  key   = token_.text;
        const bool  named = token_.kind == Kind::name;
        next();
        if (named && take("=")) {
            dict->emplace_back(key, expression());
        } else {
            go(start);
            const Value from = expression();
            if (const auto* other = std::get_if<std::shared_ptr<ValueDict>>(&from.is))
                dict->insert(dict->end(), (*other)->begin(), (*other)->end());
            else
                wrong("dict() is called with what it does not take");
        }
        if (!take(",")) break;
    }
    expect(")");
    return {std::move(dict)};
}

bool Value::is_number() const
{
    return std::holds_alternative<bool>(is) || std::holds_alternative<std::int64_t>(is) ||
           std::holds_alternative<double>(is) || std::holds_alternative<std::shared_ptr<const Whole>>(is);
}

double Value::number() const
{
    if (const auto* b = std::get_if<bool>(&is)) return *b ? 1 : 0;
    if (const auto* i = std::get_if<std::int64_t>(&is)) return static_cast<double>(*i);
    if (const auto* d = std::get_if<double>(&is)) return *d;
    if (const auto* w = std::get_if<std::shared_ptr<const Whole>>(&is)) return (*w)->number();
    return 0;
}

bool Value::truth() const
{
    if (is_number()) return number() != 0;
    if (text() != nullptr) return !text()->empty();
    if (const auto* list = std::get_if<std::shared_ptr<ValueList>>(&is)) return !(*list)->empty();
    if (const auto* dict = std::get_if<std::shared_ptr<ValueDict>>(&is)) return !(*dict)->empty();
    // None, and empty lists, dictionaries and texts, are false.
    return false;
}

std::string Value::str() const
{
    if (const auto* b = std::get_if<bool>(&is)) return *b ? "True" : "False";
    if (const auto* i = std::get_if<std::int64_t>(&is)) return fmt::format("{}", *i);
    if (const auto* d = std::get_if<double>(&is)) return number_text(*d);
    if (const auto* w = std::get_if<std::shared_ptr<const Whole>>(&is)) return (*w)->str();
    if (text() != nullptr) return *text();
    const auto quoted = [](const Value& v) { return v.text() != nullptr ? "'" + *v.text() + "'" : v.str(); };
    if (const auto* list = std::get_if<std::shared_ptr<ValueList>>(&is)) {
        std::string out = "[";
        for (const Value& v : **list) {
            out += (out.size() > 1 ? ", " : "") + quoted(v);
            if (out.size() > kMostExpressionText) break;  // lists of lists of lists may stand for billions of values
        }
        return out + "]";
    }
    if (const auto* dict = std::get_if<std::shared_ptr<ValueDict>>(&is)) {
        std::string out = "{";
        for (const auto& [key, v] : **dict) {
            out += (out.size() > 1 ? ", '" : "'") + key + "': " + quoted(v);
            if (out.size() > kMostExpressionText) break;
        }
        return out + "}";
    }
    return "None";
}

std::string Value::type() const
{
    static constexpr const char* kNames[] = {"None", "bool", "int", "float", "str", "list", "dict", "int"};
    return kNames[is.index()];
}

Evaluated evaluate(std::string_view expression, const NameLookup& names, const NamedCall& calls)
{
    if (trimmed(expression).empty()) return {{}, "the expression is empty"};
    return ExpressionParser(expression, names, calls).run();
}

Value literal(std::string_view text)
{
    // xacro turns texts of properties into what they look like: whole number, real number, True or False, or a text
    // without its quotation marks.
    // The type of a property is decided by its text, since XML has only texts.
    const std::string_view word = trimmed(text);
    if (word.size() >= 2 && (word.front() == '\'' || word.front() == '"') && word.back() == word.front())
        return {std::string(word.substr(1, word.size() - 2))};
    if (word == "True" || word == "true") return {true};
    if (word == "False" || word == "false") return {false};
    if (const auto whole = Whole::read(word)) return to_value(*whole);
    if (const auto number = parse_number(word)) return {*number};
    return {std::string(text)};
}

}  // namespace mechane::sourceformats

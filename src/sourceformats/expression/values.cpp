// What expressions of xacro do with values: operators, parts, formats, methods, functions.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <utility>

#include "sourceformats/expression/parser.h"
#include "sourceformats/expression/whole.h"
#include "sourceformats/xml.h"

namespace mechane::sourceformats {
bool ExpressionParser::same(const Value& a, const Value& b)
{
    // As in Python 1 == 1.0 == True; lists are equal by their elements, anything else of different types is not.
    if (a.is_number() && b.is_number()) return order(a, b) == 0;
    if (a.text() != nullptr && b.text() != nullptr) return *a.text() == *b.text();
    if (a.is.index() != b.is.index()) return false;
    if (const auto* left = std::get_if<std::shared_ptr<ValueList>>(&a.is)) {
        const auto& right = std::get<std::shared_ptr<ValueList>>(b.is);
        return std::equal((*left)->begin(), (*left)->end(), right->begin(), right->end(), same);
    }
    return a.str() == b.str();
}

std::partial_ordering ExpressionParser::order(const Value& a, const Value& b)
{
    const auto i = integer(a), j = integer(b);
    if (i && j) return *i <=> *j;
    const double x = a.number(), y = b.number();
    if (!i && !j) return x <=> y;
    const double real = i ? y : x;
    if (!std::isfinite(real)) return (i ? 0.0 : x) <=> (i ? y : 0.0);
    // The fraction decides only where the whole parts are equal.
    const auto whole = i ? *i <=> Whole::of(y) : Whole::of(x) <=> *j;
    if (whole != 0) return whole;
    const double rest = real - std::trunc(real);
    return i ? 0.0 <=> rest : rest <=> 0.0;
}

bool ExpressionParser::contains(const Value& in, const Value& what)
{
    if (const auto* list = std::get_if<std::shared_ptr<ValueList>>(&in.is))
        return std::any_of((*list)->begin(), (*list)->end(), [&](const Value& v) { return same(v, what); });
    if (const auto* dict = std::get_if<std::shared_ptr<ValueDict>>(&in.is))
        return std::any_of((*dict)->begin(), (*dict)->end(), [&](const auto& v) { return v.first == what.str(); });
    if (in.text() != nullptr && what.text() != nullptr) return in.text()->find(*what.text()) != std::string::npos;
    wrong(fmt::format("'in' does not work on {}", in.type()));
    return false;
}

namespace {

/// A whole number, as which Python also takes what is true or false.
std::optional<std::int64_t> whole(const Value& v)
{
    if (const auto* i = std::get_if<std::int64_t>(&v.is)) return *i;
    if (const auto* t = std::get_if<bool>(&v.is)) return *t ? 1 : 0;
    return std::nullopt;
}

/// A whole number that no real one can stand for.
bool overflows(const Value& v) { return integer(v) && std::isinf(v.number()); }

constexpr const char* kNoReal = "a whole number is too large for a real one";

}  // namespace

Value ExpressionParser::to_whole(double x)
{ return std::isfinite(x) ? to_value(Whole::of(x)) : wrong("infinity and nan are no whole numbers"); }

Value ExpressionParser::calculate(const std::string& op, const Whole& a, const Whole& b)
{
    const std::string too_large = fmt::format("a whole number has more than {} bits", Whole::kMostBits);
    if (op == "+" || op == "-" || op == "*") {
        if (op == "*" && a.bits() + b.bits() > Whole::kMostBits) return wrong(too_large);
        const Whole out = op == "+" ? a + b : op == "-" ? a - b : a * b;
        return out.bits() > Whole::kMostBits ? wrong(too_large) : to_value(out);
    }
    if (op != "**") {
        if (b.zero()) return wrong("division by zero");
        if (op == "/") {
            const double out = a.ratio(b);
            return std::isinf(out) ? wrong(kNoReal) : Value{out};
        }
        const auto [quotient, rest] = a.divided(b);
        return to_value(op == "//" ? quotient : rest);
    }
    if (b.negative()) {
        if (a.zero()) return wrong("division by zero");
        const double x = a.number(), y = b.number();
        return std::isinf(x) || std::isinf(y) ? wrong(kNoReal) : Value{std::pow(x, y)};
    }
    // Of 0, 1 and -1 every power is small; of all others only small ones.
    const bool unit = a.bits() <= 1;
    const auto n    = unit ? b.divided(Whole(2)).second.small() : b.small();
    if (!n || (!unit && static_cast<double>(a.bits() - 1) * static_cast<double>(*n) > Whole::kMostBits))
        return wrong(too_large);
    if (unit) return to_value(b.zero() ? Whole(1) : *n == 0 && a.negative() ? -a : a);
    Whole out(1), base = a;
    for (std::int64_t left = *n; left > 0; left /= 2) {
        if (left % 2 == 1) out = out * base;
        if (left > 1) base = base * base;
    }
    return out.bits() > Whole::kMostBits ? wrong(too_large) : to_value(out);
}

Value ExpressionParser::calculate(const std::string& op, const Value& a, const Value& b, bool negate)
{
    if (skip_) return {};
    // Python's old way to format: "%.3f" % x.
    if (op == "%" && a.text() != nullptr) return formatted(*a.text(), b);
    if (op == "+" && a.text() != nullptr && b.text() != nullptr) {
        if (a.text()->size() + b.text()->size() > kMostExpressionText) return wrong("a text becomes too long");
        return {*a.text() + *b.text()};
    }
    if (op == "+" && a.is.index() == b.is.index())
        if (const auto* list = std::get_if<std::shared_ptr<ValueList>>(&a.is)) {
            const ValueList& more = *std::get<std::shared_ptr<ValueList>>(b.is);
            if ((*list)->size() + more.size() > kMostExpressionText) return wrong("a list becomes too long");
            auto out = std::make_shared<ValueList>(**list);
            out->insert(out->end(), more.begin(), more.end());
            return {std::move(out)};
        }
    if (op == "*" && a.text() != nullptr && whole(b)) {
        const std::int64_t n = std::max<std::int64_t>(0, *whole(b));
        if (!a.text()->empty() && static_cast<std::size_t>(n) > kMostExpressionText / a.text()->size())
            return wrong("a text becomes too long");
        std::string out;
        for (std::int64_t i = 0; i < n; ++i) out += *a.text();
        return {std::move(out)};
    }
    if (!a.is_number() || !b.is_number())
        return wrong(negate ? fmt::format("{} has no negative", b.type())
                            : fmt::format("'{}' does not work on {} and {}", op, a.type(), b.type()));
    const auto i = integer(a), j = integer(b);
    if (i && j) return calculate(op, *i, *j);
    if (overflows(a) || overflows(b)) return wrong(kNoReal);
    const double x = a.number(), y = b.number();
    if (negate) return {-y};
    if (op == "+") return {x + y};
    if (op == "-") return {x - y};
    if (op == "*") return {x * y};
    if (op == "**") {
        if (x == 0 && y < 0) return wrong("division by zero");
        if (x < 0 && y != std::floor(y)) return wrong("a root of a negative number is not real");
        return {std::pow(x, y)};
    }
    if (y == 0) return wrong("division by zero");
    if (op == "/") return {x / y};
    // Python divides the rest off first: 1 // 0.1 is 9, as 0.1 is a little more than a tenth.
    double r = std::fmod(x, y), q = (x - r) / y;
    if (r == 0)
        r = std::copysign(0.0, y);
    else if ((r < 0) != (y < 0))
        r += y, q -= 1;
    if (op == "%") return {r};
    if (q == 0) return {std::copysign(0.0, x / y)};
    const double whole_q = std::floor(q);
    return {q - whole_q > 0.5 ? whole_q + 1 : whole_q};
}

/// To decimal places as Python has it: the value that is nearest to the number itself, not to a product of it, and of
/// two that are as near the even one. Places may be negative.
double ExpressionParser::rounded(double x, int digits)
{
    if (!std::isfinite(x)) return x;
    if (digits >= 0) return digits > 330 ? x : std::strtod(fmt::format("{:.{}f}", x, digits).c_str(), nullptr);
    if (digits < -308) return std::copysign(0.0, x);
    const double step = std::pow(10.0, -digits), rest = std::fmod(x, step), base = x - rest;
    const bool   odd  = std::fmod(base / step, 2) != 0;
    const bool   away = std::abs(rest) > step / 2 || (std::abs(rest) == step / 2 && odd);
    return away ? base + std::copysign(step, x) : std::copysign(base, x);
}

/// The same of a whole number, which stays one.
Value ExpressionParser::rounded(const Whole& number, const Value& digits)
{
    const auto places = whole(digits);
    if (!places || *places < -400 || *places > 400) return wrong("round() is called with what it does not take");
    if (*places >= 0) return to_value(number);
    Whole step(1);
    for (std::int64_t i = *places; i < 0; ++i) step = step * Whole(10);
    auto [quotient, rest] = number.divided(step);
    const auto half       = rest + rest <=> step;
    if (half > 0 || (half == 0 && !quotient.divided(Whole(2)).second.zero())) quotient = quotient + Whole(1);
    return to_value(quotient * step);
}

Value ExpressionParser::formatted(const std::string& how, const Value& with)
{
    ValueList values{with};
    if (const auto* list = std::get_if<std::shared_ptr<ValueList>>(&with.is)) values = **list;
    std::string out;
    std::size_t used = 0;
    for (std::size_t i = 0; i < how.size(); ++i) {
        if (how[i] != '%') {
            out += how[i];
            continue;
        }
        std::string pattern = "%";
        // Only flags, width and precision go into the pattern, so that what snprintf gets is never the file's own
        // conversion; twelve characters keep its result within the buffer.
        while (++i < how.size() && std::string_view("0123456789.+- #").find(how[i]) != std::string_view::npos)
            pattern += how[i];
        if (i >= how.size() || pattern.size() > 12) return wrong("a pattern of '%' has no end");
        if (how[i] == '%') {
            out += '%';
            continue;
        }
        if (used >= values.size()) return wrong("there are fewer values than patterns of '%'");
        const Value& v = values[used++];
        char         text[512];
        int          n = 0;
        if (how[i] == 's') {
            if (pattern == "%") {
                out += v.str();
                continue;
            }
            n = std::snprintf(text, sizeof text, (pattern + "s").c_str(), v.str().substr(0, 200).c_str());
        } else if (!v.is_number()) {
            return wrong(fmt::format("'%{}' wants a number, not {}", how[i], v.type()));
        } else if (how[i] == 'd' || how[i] == 'i' || how[i] == 'x') {
            const Value made   = integer(v) ? v : to_whole(v.number());
            const auto  number = integer(made);
            if (!number) return {};
            const auto small = number->small();
            // The flags of numbers that snprintf does not know are those of texts only where there are none.
            if (!small && (pattern != "%" || how[i] == 'x'))
                return wrong("a whole number is too large for its pattern");
            if (!small) {
                out += number->str();
                continue;
            }
            n = std::snprintf(text, sizeof text, (pattern + "ll" + how[i]).c_str(), static_cast<long long>(*small));
        } else if (overflows(v)) {
            return wrong(kNoReal);
        } else if (how[i] == 'f' || how[i] == 'e' || how[i] == 'g') {
            n = std::snprintf(text, sizeof text, (pattern + how[i]).c_str(), v.number());
        } else {
            return wrong(fmt::format("'%{}' is not known here", how[i]));
        }
        out.append(text, static_cast<std::size_t>(std::clamp(n, 0, 511)));
    }
    if (out.size() > kMostExpressionText) return wrong("a text becomes too long");
    return {std::move(out)};
}

Value ExpressionParser::element(const Value& of, const Value& index)
{
    if (skip_) return {};
    const auto at = [&](std::size_t size) -> std::optional<std::size_t> {
        const auto* i = std::get_if<std::int64_t>(&index.is);
        if (i == nullptr)
            return wrong(integer(index) ? fmt::format("index {} of {} elements", index.str(), size)
                                        : fmt::format("an index is {}, not int", index.type())),
                   std::nullopt;
        // Negative indices count from the end.
        const std::int64_t n = *i < 0 ? *i + static_cast<std::int64_t>(size) : *i;
        if (n < 0 || n >= static_cast<std::int64_t>(size))
            return wrong(fmt::format("index {} of {} elements", *i, size)), std::nullopt;
        return static_cast<std::size_t>(n);
    };
    if (const auto* list = std::get_if<std::shared_ptr<ValueList>>(&of.is)) {
        const auto i = at((*list)->size());
        return i ? (**list)[*i] : Value{};
    }
    if (of.text() != nullptr) {
        const auto i = at(of.text()->size());
        return i ? Value{std::string(1, (*of.text())[*i])} : Value{};
    }
    if (const auto* dict = std::get_if<std::shared_ptr<ValueDict>>(&of.is)) {
        for (const auto& [key, value] : **dict)
            if (key == index.str()) return value;
        return wrong(fmt::format("there is no '{}'", index.str()));
    }
    return wrong(fmt::format("{} has no elements", of.type()));
}

Value ExpressionParser::slice(const Value& of, const std::optional<Value>& from, const std::optional<Value>& to,
                              const std::optional<Value>& by)
{
    if (skip_) return {};
    const auto* list = std::get_if<std::shared_ptr<ValueList>>(&of.is);
    if (list == nullptr && of.text() == nullptr) return wrong(fmt::format("{} has no slices", of.type()));
    const auto n     = static_cast<std::int64_t>(list != nullptr ? (*list)->size() : of.text()->size());
    const auto whole = [&](const std::optional<Value>& v, std::int64_t otherwise) -> std::optional<std::int64_t> {
        if (!v || std::holds_alternative<std::monostate>(v->is)) return otherwise;
        const auto i = integer(*v);
        if (!i) return wrong(fmt::format("a place of a slice is {}, not int", v->type())), std::nullopt;
        // What lies that far outside is cut off anyway.
        constexpr std::int64_t kFar = std::int64_t{1} << 62;
        return i->small().value_or(i->negative() ? -kFar : kFar);
    };
    const auto step = whole(by, 1);
    if (!step) return {};
    if (*step == 0) return wrong("the step of a slice is zero");
    const std::int64_t first = *step > 0 ? 0 : n - 1, last = *step > 0 ? n : -1;
    const auto         place = [&](const std::optional<Value>& v, std::int64_t otherwise) {
        const bool told = v && !std::holds_alternative<std::monostate>(v->is);
        auto       i    = whole(v, otherwise);
        // Places outside are no error for a slice: they stand for its ends.
        if (i && told) *i = std::clamp(*i < 0 ? *i + n : *i, std::min(first, last), std::max(first, last));
        return i;
    };
    const auto begin = place(from, first), end = place(to, last);
    if (!begin || !end) return {};
    auto        out = std::make_shared<ValueList>();
    std::string text;
    for (std::int64_t i = *begin; *step > 0 ? i < *end : i > *end;) {
        if (list != nullptr)
            out->push_back((**list)[static_cast<std::size_t>(i)]);
        else
            text += (*of.text())[static_cast<std::size_t>(i)];
        // A step of 2^63 - 1 is allowed.
        if (__builtin_add_overflow(i, *step, &i)) break;
    }
    return list != nullptr ? Value{std::move(out)} : Value{std::move(text)};
}

Value ExpressionParser::method(const Value& of, const std::string& name)
{
    const ValueList a = arguments();
    if (skip_ || !why_.empty()) return {};
    if (const std::string* s = of.text()) {
        std::string out = *s;
        const bool  one = a.size() == 1 && a[0].text() != nullptr;
        if (name == "lower" || name == "upper") {
            for (char& c : out)
                c = static_cast<char>(name == "lower" ? std::tolower(static_cast<unsigned char>(c))
                                                      : std::toupper(static_cast<unsigned char>(c)));
            return {out};
        }
        if (name == "strip" && a.empty()) return {std::string(trimmed(*s))};
        if (name == "join" && a.size() == 1) {
            const auto* list = std::get_if<std::shared_ptr<ValueList>>(&a[0].is);
            if (list == nullptr) return wrong(fmt::format("join() wants a list, not {}", a[0].type()));
            std::string all;
            for (std::size_t i = 0; i < (*list)->size(); ++i) {
                all += (i > 0 ? *s : std::string()) + (**list)[i].str();
                if (all.size() > kMostExpressionText) return wrong("a text becomes too long");
            }
            return {std::move(all)};
        }
        if (name == "startswith" && one) return {s->starts_with(*a[0].text())};
        if (name == "endswith" && one) return {s->ends_with(*a[0].text())};
        if (name == "replace" && a.size() == 2 && a[0].text() != nullptr && a[1].text() != nullptr &&
            !a[0].text()->empty()) {
            for (std::size_t p = 0; (p = out.find(*a[0].text(), p)) != std::string::npos; p += a[1].text()->size()) {
                out.replace(p, a[0].text()->size(), *a[1].text());
                if (out.size() > kMostExpressionText) return wrong("a text becomes too long");
            }
            return {out};
        }
        if (name == "split" && a.size() <= 1) {
            auto              list = std::make_shared<ValueList>();
            std::string_view  left = *s;
            const std::string by   = one ? *a[0].text() : std::string();
            if (by.empty()) {
                for (left = trimmed(left); !left.empty();) {
                    const std::size_t end = std::min(left.find_first_of(" \t\r\n"), left.size());
                    list->push_back({std::string(left.substr(0, end))});
                    left = trimmed(left.substr(end));
                }
            } else {
                for (std::size_t end = 0; (end = left.find(by)) != std::string_view::npos;) {
                    list->push_back({std::string(left.substr(0, end))});
                    left.remove_prefix(end + by.size());
                }
                list->push_back({std::string(left)});
            }
            return {std::move(list)};
        }
    }
    if (const auto* dict = std::get_if<std::shared_ptr<ValueDict>>(&of.is)) {
        if (name == "get" && !a.empty() && a.size() <= 2) {
            for (const auto& [key, value] : **dict)
                if (key == a[0].str()) return value;
            return a.size() == 2 ? a[1] : Value{};
        }
        auto list = std::make_shared<ValueList>();
        for (const auto& [key, value] : **dict) {
            if (name == "keys") list->push_back({key});
            if (name == "values") list->push_back(value);
            if (name == "items") list->push_back({std::make_shared<ValueList>(ValueList{Value{key}, value})});
        }
        if (name == "keys" || name == "values" || name == "items") return {std::move(list)};
        // A module is a dictionary whose functions stand in it by name.
        for (const auto& [key, value] : **dict)  // a module: math.sin(x)
            if (key == name && value.text() != nullptr) return call(*value.text(), a);
    }
    return wrong(fmt::format("{}.{}() is not known here", of.type(), name));
}

Value ExpressionParser::call(const std::string& name, const ValueList& a)
{
    const auto bad = [&] { return wrong(fmt::format("{}() is called with what it does not take", name)); };
    if (name == "len" && a.size() == 1) {
        if (a[0].text() != nullptr) return {static_cast<std::int64_t>(a[0].text()->size())};
        if (const auto* list = std::get_if<std::shared_ptr<ValueList>>(&a[0].is))
            return {static_cast<std::int64_t>((*list)->size())};
        if (const auto* dict = std::get_if<std::shared_ptr<ValueDict>>(&a[0].is))
            return {static_cast<std::int64_t>((*dict)->size())};
        return bad();
    }
    if (name == "str") return {a.empty() ? std::string() : a[0].str()};
    if (name == "bool") return {!a.empty() && a[0].truth()};
    if (name == "dict" && a.empty()) return {std::make_shared<ValueDict>()};
    if (name == "list" || name == "tuple") {
        if (a.empty()) return {std::make_shared<ValueList>()};
        if (const auto* list = std::get_if<std::shared_ptr<ValueList>>(&a[0].is))
            return {std::make_shared<ValueList>(**list)};
        return bad();
    }
    if (name == "int" || name == "float") {
        if (a.size() != 1) return bad();
        double v = a[0].number();
        if (const std::string* text = a[0].text()) {
            if (const auto number = name == "int" ? Whole::read(trimmed(*text)) : std::nullopt)
                return to_value(*number);
            const auto parsed = parse_number(*text);
            if (!parsed) return wrong(fmt::format("'{}' is not a number", *text));
            v = *parsed;
        } else if (!a[0].is_number()) {
            return bad();
        } else if (const auto number = integer(a[0])) {
            if (name == "int") return to_value(*number);
            return overflows(a[0]) ? wrong(kNoReal) : Value{v};
        }
        return name == "float" ? Value{v} : to_whole(v);
    }
    if (name == "range") {
        std::int64_t v[3] = {0, 0, 1};
        for (std::size_t i = 0; i < a.size() && i < 3; ++i) {
            const auto* n = std::get_if<std::int64_t>(&a[i].is);
            if (n == nullptr) return bad();
            v[a.size() == 1 ? 1 : i] = *n;
        }
        if (a.empty() || a.size() > 3 || v[2] == 0) return bad();
        auto list = std::make_shared<ValueList>();
        // Counted in real numbers, which cannot overflow; a range that does not advance any more ends at the bound.
        for (double i = static_cast<double>(v[0]);
             v[2] > 0 ? i < static_cast<double>(v[1]) : i > static_cast<double>(v[1]); i += static_cast<double>(v[2])) {
            if (list->size() > 10000) return wrong("a range is too long");
            list->push_back({static_cast<std::int64_t>(i)});
        }
        return {std::move(list)};
    }
    if (name == "min" || name == "max" || name == "sum" || name == "sorted") {
        ValueList of = a;
        if (a.size() == 1)
            if (const auto* list = std::get_if<std::shared_ptr<ValueList>>(&a[0].is)) of = **list;
        for (const Value& v : of)
            if (!v.is_number()) return bad();
        const auto less = [](const Value& x, const Value& y) { return order(x, y) < 0; };
        if (name == "sorted") {
            std::stable_sort(of.begin(), of.end(), less);
            return {std::make_shared<ValueList>(std::move(of))};
        }
        if (name == "sum") {
            Value total{std::int64_t{0}};
            for (const Value& v : of) total = calculate("+", total, v);
            return total;
        }
        if (of.empty()) return bad();
        return name == "min" ? *std::min_element(of.begin(), of.end(), less)
                             : *std::max_element(of.begin(), of.end(), less);
    }
    for (const Value& v : a)
        if (!v.is_number()) return bad();
    if (a.size() == 1)
        if (const auto number = integer(a[0])) {
            if (name == "abs") return to_value(number->negative() ? -*number : *number);
            if (name == "round" || name == "floor" || name == "ceil" || name == "trunc") return to_value(*number);
        }
    if (name == "round" && a.size() == 2)
        if (const auto number = integer(a[0])) return rounded(*number, a[1]);
    if (std::any_of(a.begin(), a.end(), overflows)) return wrong(kNoReal);
    const double x = a.empty() ? 0 : a[0].number(), y = a.size() > 1 ? a[1].number() : 0;
    if (a.size() == 2) {
        if (name == "atan2") return {std::atan2(x, y)};
        if (name == "pow") return calculate("**", Value{x}, Value{y});  // of math, whose numbers are real
        if (name == "fmod") return y == 0 ? wrong("division by zero") : Value{std::fmod(x, y)};
        if (name == "hypot") return {std::hypot(x, y)};
        if (name == "copysign") return {std::copysign(x, y)};
        if (name == "log")
            return x > 0 && y > 0 && y != 1 ? Value{std::log(x) / std::log(y)} : wrong("a logarithm does not exist");
        if (name == "round") {
            const auto digits = whole(a[1]);
            if (!digits || std::abs(*digits) > 400) return bad();
            return {rounded(x, static_cast<int>(*digits))};
        }
        return bad();
    }
    if (a.size() != 1) return bad();
    if (name == "abs") return {std::abs(x)};
    if (name == "round") return to_whole(std::nearbyint(x));
    if (name == "floor") return to_whole(std::floor(x));
    if (name == "ceil") return to_whole(std::ceil(x));
    if (name == "trunc") return to_whole(x);
    if (name == "isnan") return {std::isnan(x)};
    if (name == "isinf") return {std::isinf(x)};
    if ((name == "sqrt" && x < 0) || ((name == "asin" || name == "acos") && std::abs(x) > 1) ||
        ((name == "log" || name == "log10" || name == "log2") && x <= 0))
        return wrong(fmt::format("{}({}) does not exist", name, x));
    static constexpr std::pair<std::string_view, double (*)(double)> kOne[] = {
        {"sin", std::sin},   {"cos", std::cos},   {"tan", std::tan},     {"asin", std::asin}, {"acos", std::acos},
        {"atan", std::atan}, {"sinh", std::sinh}, {"cosh", std::cosh},   {"tanh", std::tanh}, {"sqrt", std::sqrt},
        {"exp", std::exp},   {"log", std::log},   {"log10", std::log10}, {"log2", std::log2}, {"fabs", std::fabs}};
    for (const auto& [known, f] : kOne)
        if (known == name) return {f(x)};
    if (name == "radians") return {x * (std::numbers::pi / 180)};
    if (name == "degrees") return {x * (180 / std::numbers::pi)};
    return bad();
}

}  // namespace mechane::sourceformats

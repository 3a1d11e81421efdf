#include "sourceformats/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <optional>

#include "sourceformats/xml.h"

namespace mechane::sourceformats {
namespace {

constexpr int         kMostNested = 250;
constexpr std::size_t kMostText   = std::size_t{1} << 20;

std::string number_text(double v)
{
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
    const double a    = std::abs(v);
    std::string  text = fmt::format("{}", v);  // the shortest digits that give the number back, as Python's
    if (a < 1e16 && text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

enum class Kind { end, number, text, name, sign };

struct Token {
    Kind        kind = Kind::end;
    std::string text;
    Value       value;
};

/// A recursive descent over Python's grammar of expressions. A failure sets `why` and every step after it does nothing.
class Parser {
  public:
    Parser(std::string_view text, const NameLookup& names, const NamedCall& calls)
        : text_(text), names_(names), calls_(calls)
    { next(); }

    Evaluated run()
    {
        Value v = expression();
        if (why_.empty() && token_.kind != Kind::end) fail(fmt::format("'{}' is not expected here", token_.text));
        return {std::move(v), why_.empty() ? std::move(pending_) : std::move(why_)};
    }

  private:
    std::string_view                           text_;
    const NameLookup&                          names_;
    const NamedCall&                           calls_;
    std::vector<std::pair<std::string, Value>> locals_;    ///< variables of lists made by 'for'
    std::size_t                                made_ = 0;  ///< elements of such lists
    std::size_t                                at_   = 0;
    Token                                      token_;
    std::string                                why_;
    int                                        depth_ = 0;
    std::string                                pending_;       ///< the first fault of the values
    bool                                       skip_ = false;  ///< the branch of a condition that does not count

    void fail(std::string why)
    {
        if (why_.empty()) why_ = std::move(why);
        token_ = {};
        at_    = text_.size();
    }

    /// A fault of the values, not of the grammar: reading goes on, and in a branch that does not count it is none.
    Value wrong(std::string why)
    {
        if (!skip_ && pending_.empty()) pending_ = std::move(why);
        return {};
    }

    void next()
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
            while (at_ < text_.size() &&
                   (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
                ++at_;
            token_ = {Kind::name, std::string(text_.substr(from, at_ - from)), {}};
            return;
        }
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

    void number()
    {
        const std::size_t from = at_;
        if (text_.substr(at_).starts_with("0x") || text_.substr(at_).starts_with("0X")) {
            std::int64_t v       = 0;
            const auto [end, ec] = std::from_chars(text_.data() + at_ + 2, text_.data() + text_.size(), v, 16);
            at_                  = static_cast<std::size_t>(end - text_.data());
            if (ec != std::errc()) return fail("a hexadecimal number is too large");
            token_ = {Kind::number, std::string(text_.substr(from, at_ - from)), {v}};
            return;
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
        token_ = {Kind::number, word, {}};
        if (!real) {
            std::int64_t v = 0;
            if (std::from_chars(word.data(), word.data() + word.size(), v).ec == std::errc()) {
                token_.value.is = v;
                return;
            }
        }
        const auto v = parse_number(word);
        if (!v) return fail(fmt::format("'{}' is no number", word));
        token_.value.is = *v;
    }

    void quoted(char quote)
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

    bool is(std::string_view sign) const { return token_.kind == Kind::sign && token_.text == sign; }
    bool word(std::string_view name) const { return token_.kind == Kind::name && token_.text == name; }
    bool take(std::string_view sign)
    {
        if (!is(sign)) return false;
        next();
        return true;
    }
    bool take_word(std::string_view name)
    {
        if (!word(name)) return false;
        next();
        return true;
    }
    void expect(std::string_view sign)
    {
        if (!take(sign)) fail(fmt::format("'{}' is missing", sign));
    }

    /// "a if c else b": a is read before c is known, so its faults wait until it counts.
    Value expression()
    {
        if (++depth_ > kMostNested) return --depth_, fail("the expression is nested too deep"), Value{};
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

    Value disjunction()
    {
        Value v = conjunction();
        while (why_.empty() && take_word("or")) {
            const bool outer = skip_;
            skip_            = outer || v.truth();
            Value right      = conjunction();
            skip_            = outer;
            if (!v.truth()) v = std::move(right);
        }
        return v;
    }

    Value conjunction()
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

    Value negation()
    {
        bool negated = false, any = false;
        while (take_word("not")) negated = !negated, any = true;
        Value v = comparison();
        return any ? Value{negated != v.truth()} : v;
    }

    static bool same(const Value& a, const Value& b)
    {
        if (a.is_number() && b.is_number()) return a.number() == b.number();
        if (a.text() != nullptr && b.text() != nullptr) return *a.text() == *b.text();
        if (a.is.index() != b.is.index()) return false;
        if (const auto* left = std::get_if<std::shared_ptr<ValueList>>(&a.is)) {
            const auto& right = std::get<std::shared_ptr<ValueList>>(b.is);
            return std::equal((*left)->begin(), (*left)->end(), right->begin(), right->end(), same);
        }
        return a.str() == b.str();
    }

    bool contains(const Value& in, const Value& what)
    {
        if (const auto* list = std::get_if<std::shared_ptr<ValueList>>(&in.is))
            return std::any_of((*list)->begin(), (*list)->end(), [&](const Value& v) { return same(v, what); });
        if (const auto* dict = std::get_if<std::shared_ptr<ValueDict>>(&in.is))
            return std::any_of((*dict)->begin(), (*dict)->end(), [&](const auto& v) { return v.first == what.str(); });
        if (in.text() != nullptr && what.text() != nullptr) return in.text()->find(*what.text()) != std::string::npos;
        wrong(fmt::format("'in' does not work on {}", in.type()));
        return false;
    }

    Value comparison()
    {
        Value left   = sum();
        bool  result = true, any = false;
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
                const double a = left.number(), b = right.number();
                result = result && (op == "<" ? a < b : op == "<=" ? a <= b : op == ">" ? a > b : a >= b);
            } else if (left.text() != nullptr && right.text() != nullptr) {
                const int order = left.text()->compare(*right.text());
                result          = result && (op == "<"    ? order < 0
                                             : op == "<=" ? order <= 0
                                             : op == ">"  ? order > 0
                                                          : order >= 0);
            } else {
                return wrong(fmt::format("{} and {} cannot be compared", left.type(), right.type()));
            }
            left = std::move(right);
        }
        return any ? Value{result} : left;
    }

    Value sum()
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

    Value product()
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

    Value factor()
    {
        if (++depth_ > kMostNested) return --depth_, fail("the expression is nested too deep"), Value{};
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

    Value calculate(const std::string& op, const Value& a, const Value& b, bool negate = false)
    {
        if (skip_) return {};
        const auto whole = [](const Value& v) -> std::optional<std::int64_t> {
            if (const auto* i = std::get_if<std::int64_t>(&v.is)) return *i;
            if (const auto* t = std::get_if<bool>(&v.is)) return *t ? 1 : 0;
            return std::nullopt;
        };
        if (op == "%" && a.text() != nullptr) return formatted(*a.text(), b);
        if (op == "+" && a.text() != nullptr && b.text() != nullptr) {
            if (a.text()->size() + b.text()->size() > kMostText) return wrong("a text becomes too long");
            return {*a.text() + *b.text()};
        }
        if (op == "+" && a.is.index() == b.is.index())
            if (const auto* list = std::get_if<std::shared_ptr<ValueList>>(&a.is)) {
                const ValueList& more = *std::get<std::shared_ptr<ValueList>>(b.is);
                if ((*list)->size() + more.size() > kMostText) return wrong("a list becomes too long");
                auto out = std::make_shared<ValueList>(**list);
                out->insert(out->end(), more.begin(), more.end());
                return {std::move(out)};
            }
        if (op == "*" && a.text() != nullptr && whole(b)) {
            const std::int64_t n = std::max<std::int64_t>(0, *whole(b));
            if (!a.text()->empty() && static_cast<std::size_t>(n) > kMostText / a.text()->size())
                return wrong("a text becomes too long");
            std::string out;
            for (std::int64_t i = 0; i < n; ++i) out += *a.text();
            return {std::move(out)};
        }
        if (!a.is_number() || !b.is_number())
            return wrong(negate ? fmt::format("{} has no negative", b.type())
                                : fmt::format("'{}' does not work on {} and {}", op, a.type(), b.type()));
        const auto i = whole(a), j = whole(b);
        if (i && j && op != "/") {
            std::int64_t out  = 0;
            bool         fits = true;
            if (op == "+") fits = !__builtin_add_overflow(*i, *j, &out);
            if (op == "-") fits = !__builtin_sub_overflow(*i, *j, &out);
            if (op == "*") fits = !__builtin_mul_overflow(*i, *j, &out);
            if (op == "//" || op == "%") {
                if (*j == 0) return wrong("division by zero");
                if (*j == -1) {
                    fits = op == "%" || !__builtin_sub_overflow(std::int64_t{0}, *i, &out);
                } else {
                    std::int64_t q = *i / *j, r = *i % *j;
                    if (r != 0 && (r < 0) != (*j < 0)) --q, r += *j;
                    out = op == "//" ? q : r;
                }
            }
            if (op == "**") {
                if (*j < 0) {
                    if (*i == 0) return wrong("division by zero");
                    return {std::pow(static_cast<double>(*i), static_cast<double>(*j))};
                }
                out               = 1;
                std::int64_t base = *i;
                for (std::int64_t n = *j; n > 0 && fits; n /= 2) {
                    if (n % 2 == 1) fits = !__builtin_mul_overflow(out, base, &out);
                    if (n > 1 && fits) fits = !__builtin_mul_overflow(base, base, &base);
                }
            }
            if (fits) return {out};
        }
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
        if (op == "//") return {std::floor(x / y)};
        double r = std::fmod(x, y);
        if (r != 0 && (r < 0) != (y < 0)) r += y;
        return {r};
    }

    Value postfix()
    {
        Value v = atom();
        while (why_.empty()) {
            if (take("[")) {
                const Value index = expression();
                expect("]");
                if (why_.empty()) v = element(v, index);
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

    struct Place {
        std::size_t at = 0;
        Token       token;
    };
    Place here() const { return {at_, token_}; }
    void  go(const Place& to) { at_ = to.at, token_ = to.token; }

    /// "[a for b in c if d]", from "for" on; `start` is where a begins.
    void for_each(const Place& start, ValueList& out)
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
            const bool outer = std::exchange(skip_, true);  // to find its end
            disjunction();
            skip_ = outer;
        }
        const Place end = here();
        if (word("for")) return fail("a list made by two 'for' is not known here");
        const std::size_t outer = locals_.size();
        for (const Value& item : from) {
            if (!why_.empty() || skip_) break;
            if (++made_ > 100'000) return fail("a list becomes too long");
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

    /// "'%.2f of %s' % (a, b)", with d, i, f, e, g, s, x and %.
    Value formatted(const std::string& how, const Value& with)
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
                if (!(std::abs(v.number()) < 9e18)) return wrong("a whole number is too large");
                n = std::snprintf(text, sizeof text, (pattern + "ll" + how[i]).c_str(),
                                  static_cast<long long>(v.number()));
            } else if (how[i] == 'f' || how[i] == 'e' || how[i] == 'g') {
                n = std::snprintf(text, sizeof text, (pattern + how[i]).c_str(), v.number());
            } else {
                return wrong(fmt::format("'%{}' is not known here", how[i]));
            }
            out.append(text, static_cast<std::size_t>(std::clamp(n, 0, 511)));
        }
        if (out.size() > kMostText) return wrong("a text becomes too long");
        return {std::move(out)};
    }

    Value element(const Value& of, const Value& index)
    {
        if (skip_) return {};
        const auto at = [&](std::size_t size) -> std::optional<std::size_t> {
            const auto* i = std::get_if<std::int64_t>(&index.is);
            if (i == nullptr) return wrong(fmt::format("an index is {}, not int", index.type())), std::nullopt;
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

    ValueList arguments()
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

    Value method(const Value& of, const std::string& name)
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
                    if (all.size() > kMostText) return wrong("a text becomes too long");
                }
                return {std::move(all)};
            }
            if (name == "startswith" && one) return {s->starts_with(*a[0].text())};
            if (name == "endswith" && one) return {s->ends_with(*a[0].text())};
            if (name == "replace" && a.size() == 2 && a[0].text() != nullptr && a[1].text() != nullptr &&
                !a[0].text()->empty()) {
                for (std::size_t p = 0; (p = out.find(*a[0].text(), p)) != std::string::npos;
                     p += a[1].text()->size()) {
                    out.replace(p, a[0].text()->size(), *a[1].text());
                    if (out.size() > kMostText) return wrong("a text becomes too long");
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
            for (const auto& [key, value] : **dict)  // a module: math.sin(x)
                if (key == name && value.text() != nullptr) return call(*value.text(), a);
        }
        return wrong(fmt::format("{}.{}() is not known here", of.type(), name));
    }

    Value atom()
    {
        if (token_.kind == Kind::number) {
            Value v = token_.value;
            next();
            return v;
        }
        if (token_.kind == Kind::text) {
            std::string all = token_.text;
            for (next(); token_.kind == Kind::text; next()) all += token_.text;
            return {all};
        }
        if (take("(")) {
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
        for (auto local = locals_.rbegin(); local != locals_.rend(); ++local)
            if (local->first == name && !is("(")) return local->second;
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

    /// "dict(a=1, b=2)", or of another one.
    Value named_values()
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

    static constexpr std::string_view kFunctions[] = {
        "sin",     "cos",     "tan",      "asin",  "acos",  "atan",  "atan2",  "sinh",  "cosh", "tanh",  "sqrt",
        "exp",     "log",     "log10",    "log2",  "pow",   "abs",   "fabs",   "floor", "ceil", "fmod",  "hypot",
        "radians", "degrees", "copysign", "isnan", "isinf", "min",   "max",    "round", "int",  "float", "str",
        "bool",    "len",     "sum",      "list",  "tuple", "range", "sorted", "trunc", "dict"};
    static bool is_function(std::string_view name)
    { return std::find(std::begin(kFunctions), std::end(kFunctions), name) != std::end(kFunctions); }

    Value call(const std::string& name, const ValueList& a)
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
            if (a[0].text() != nullptr) {
                const auto parsed = parse_number(*a[0].text());
                if (!parsed) return wrong(fmt::format("'{}' is no number", *a[0].text()));
                v = *parsed;
            } else if (!a[0].is_number()) {
                return bad();
            }
            if (name == "float") return {v};
            if (!(std::abs(v) < 9e18)) return wrong("a whole number is too large");
            return {static_cast<std::int64_t>(std::trunc(v))};
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
            for (double i = static_cast<double>(v[0]);
                 v[2] > 0 ? i < static_cast<double>(v[1]) : i > static_cast<double>(v[1]);
                 i += static_cast<double>(v[2])) {
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
            const auto less = [](const Value& x, const Value& y) { return x.number() < y.number(); };
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
        const double x = a.empty() ? 0 : a[0].number(), y = a.size() > 1 ? a[1].number() : 0;
        if (a.size() == 2) {
            if (name == "atan2") return {std::atan2(x, y)};
            if (name == "pow")
                return std::get_if<double>(&a[0].is) || std::get_if<double>(&a[1].is) ? calculate("**", {x}, {y})
                                                                                      : calculate("**", a[0], a[1]);
            if (name == "fmod") return y == 0 ? wrong("division by zero") : Value{std::fmod(x, y)};
            if (name == "hypot") return {std::hypot(x, y)};
            if (name == "copysign") return {std::copysign(x, y)};
            if (name == "log")
                return x > 0 && y > 0 && y != 1 ? Value{std::log(x) / std::log(y)}
                                                : wrong("a logarithm does not exist");
            if (name == "round" && std::abs(y) < 300) {
                const double s = std::pow(10.0, y);
                return {std::nearbyint(x * s) / s};
            }
            return bad();
        }
        if (a.size() != 1) return bad();
        const bool is_int = std::get_if<double>(&a[0].is) == nullptr;
        if (name == "abs") return is_int ? Value{std::abs(static_cast<std::int64_t>(x))} : Value{std::abs(x)};
        if (name == "round" || name == "floor" || name == "ceil" || name == "trunc") {
            if (is_int) return a[0];
            const double v = name == "round"   ? std::nearbyint(x)
                             : name == "floor" ? std::floor(x)
                             : name == "ceil"  ? std::ceil(x)
                                               : std::trunc(x);
            if (!(std::abs(v) < 9e18)) return wrong("a whole number is too large");
            return {static_cast<std::int64_t>(v)};
        }
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
};

}  // namespace

bool Value::is_number() const
{
    return std::holds_alternative<bool>(is) || std::holds_alternative<std::int64_t>(is) ||
           std::holds_alternative<double>(is);
}

double Value::number() const
{
    if (const auto* b = std::get_if<bool>(&is)) return *b ? 1 : 0;
    if (const auto* i = std::get_if<std::int64_t>(&is)) return static_cast<double>(*i);
    if (const auto* d = std::get_if<double>(&is)) return *d;
    return 0;
}

bool Value::truth() const
{
    if (is_number()) return number() != 0;
    if (text() != nullptr) return !text()->empty();
    if (const auto* list = std::get_if<std::shared_ptr<ValueList>>(&is)) return !(*list)->empty();
    if (const auto* dict = std::get_if<std::shared_ptr<ValueDict>>(&is)) return !(*dict)->empty();
    return false;
}

std::string Value::str() const
{
    if (const auto* b = std::get_if<bool>(&is)) return *b ? "True" : "False";
    if (const auto* i = std::get_if<std::int64_t>(&is)) return fmt::format("{}", *i);
    if (const auto* d = std::get_if<double>(&is)) return number_text(*d);
    if (text() != nullptr) return *text();
    const auto quoted = [](const Value& v) { return v.text() != nullptr ? "'" + *v.text() + "'" : v.str(); };
    if (const auto* list = std::get_if<std::shared_ptr<ValueList>>(&is)) {
        std::string out = "[";
        for (const Value& v : **list) {
            out += (out.size() > 1 ? ", " : "") + quoted(v);
            if (out.size() > kMostText) break;  // lists of lists of lists may stand for billions of values
        }
        return out + "]";
    }
    if (const auto* dict = std::get_if<std::shared_ptr<ValueDict>>(&is)) {
        std::string out = "{";
        for (const auto& [key, v] : **dict) {
            out += (out.size() > 1 ? ", '" : "'") + key + "': " + quoted(v);
            if (out.size() > kMostText) break;
        }
        return out + "}";
    }
    return "None";
}

std::string Value::type() const
{
    static constexpr const char* kNames[] = {"None", "bool", "int", "float", "str", "list", "dict"};
    return kNames[is.index()];
}

Evaluated evaluate(std::string_view expression, const NameLookup& names, const NamedCall& calls)
{
    if (trimmed(expression).empty()) return {{}, "the expression is empty"};
    return Parser(expression, names, calls).run();
}

Value literal(std::string_view text)
{
    const std::string_view word = trimmed(text);
    if (word.size() >= 2 && (word.front() == '\'' || word.front() == '"') && word.back() == word.front())
        return {std::string(word.substr(1, word.size() - 2))};
    if (word == "True" || word == "true") return {true};
    if (word == "False" || word == "false") return {false};
    std::int64_t whole   = 0;
    const bool   plus    = word.starts_with('+');
    const auto   digits  = word.substr(plus ? 1 : 0);
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
    if (!digits.empty() && ec == std::errc() && end == digits.data() + digits.size()) return {whole};
    if (const auto number = parse_number(word)) return {*number};
    return {std::string(text)};
}

}  // namespace mechane::sourceformats

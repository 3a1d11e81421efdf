// YAML as far as files of robots use it (yaml.org/spec/1.2): blocks of mappings and lists by indentation, brackets,
// quoted and plain texts, text blocks with | and >, anchors, merge keys, and the tags of units that xacro knows. Left
// out: several documents, explicit keys, directives, tags of types of one's own.
//
// A recursive descent over the lines: each function takes the lines of its indentation or further in. The first fault
// ends the reading, since indentation that is not understood would give other values, not none.
#include "sourceformats/yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <vector>

#include "sourceformats/expression/whole.h"
#include "sourceformats/xml.h"

namespace mechane::sourceformats {
namespace {

constexpr int kMostYamlDepth = 100;
// Both bounds guard against files that are made to exhaust memory.
constexpr std::size_t kMostValues = 200'000;

// A whole number as YAML 1.1 has it: a leading zero makes it one of base 8, 0b and 0x of base 2 and 16.
std::optional<Whole> whole_number(std::string digits)
{
    const std::size_t sign = digits.starts_with('+') || digits.starts_with('-') ? 1 : 0;
    if (digits.size() < sign + 2 || digits[sign] != '0') return Whole::read(digits);
    const char     form = digits[sign + 1];
    const unsigned base = form == 'x' || form == 'X' ? 16 : form == 'b' ? 2 : 8;
    digits.erase(sign, base == 8 ? 1 : 2);
    return Whole::read(digits, base);
}

// `number` counts from 1, as editors do.
struct Line {
    int         indent = 0, number = 0;
    std::string text;
};

/// Where a character stands outside of quotes and brackets, from `from` on; npos for nowhere.
template <class Test>
std::size_t outside(std::string_view text, const Test& test, std::size_t from = 0, bool in_brackets = false)
{
    char quote = 0;
    int  depth = 0;
    for (std::size_t i = from; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != 0) {
            if (c == '\\' && quote == '"') ++i;
            if (c == quote) quote = 0;
            continue;
        }
        if (depth <= 0 && test(i)) return i;
        // A quote opens only where a value can begin: the apostrophe of "it's" does not.
        if ((c == '"' || c == '\'') &&
            (i == 0 || std::string_view(" ,:[{-").find(text[i - 1]) != std::string_view::npos))
            quote = c;
        if (!in_brackets && (c == '[' || c == '{')) ++depth;
        if (!in_brackets && (c == ']' || c == '}')) --depth;
    }
    return std::string_view::npos;
}

int open_brackets(std::string_view text)
{
    int depth = 0;
    outside(
        text,
        [&](std::size_t i) {
            if (text[i] == '[' || text[i] == '{') ++depth;
            if (text[i] == ']' || text[i] == '}') --depth;
            return false;
        },
        0, true);
    return depth;
}

std::size_t colon(std::string_view text)
{
    return outside(text, [&](std::size_t i) { return text[i] == ':' && (i + 1 == text.size() || text[i + 1] == ' '); });
}

class Yaml {
  public:
    explicit Yaml(std::string_view text) { lines(text); }

    Evaluated run()
    {
        Value out;
        if (why_.empty() && !lines_.empty()) out = block(lines_[0].indent);
        if (why_.empty() && at_ < lines_.size()) wrong("this line does not fit to those above it");
        return {std::move(out), std::move(why_)};
    }

  private:
    std::vector<Line>            lines_;
    std::vector<std::string>     raw_;
    std::size_t                  at_ = 0, made_ = 0;
    int                          depth_ = 0;
    std::string                  why_;
    std::map<std::string, Value> anchors_;

    Value wrong(std::string what)
    {
        const int line = lines_.empty() ? 0 : lines_[std::min(at_, lines_.size() - 1)].number;
        // Behind the last line, so that every loop ends.
        if (why_.empty()) why_ = fmt::format("line {}: {}", line, std::move(what));
        at_ = lines_.size();
        return {};
    }

    void lines(std::string_view text)
    {
        int  number = 0;
        bool first  = true;
        // Comments and blank lines go here. `raw_` keeps them for text blocks, in which a '#' is text.
        for (std::size_t from = 0; from <= text.size();) {
            const std::size_t end = std::min(text.find('\n', from), text.size());
            std::string       raw(text.substr(from, end - from));
            from = end + 1;
            ++number;
            if (!raw.empty() && raw.back() == '\r') raw.pop_back();
            raw_.push_back(raw);
            const std::size_t hash = outside(
                raw,
                [&](std::size_t i) { return raw[i] == '#' && (i == 0 || raw[i - 1] == ' ' || raw[i - 1] == '\t'); }, 0,
                true);
            if (hash != std::string::npos) raw.resize(hash);
            const std::size_t begin = raw.find_first_not_of(' ');
            const auto        last  = raw.find_last_not_of(" \t");
            if (begin == std::string::npos || last == std::string::npos || last < begin) continue;
            Line line{static_cast<int>(begin), number, raw.substr(begin, last + 1 - begin)};
            if (line.text.front() == '\t') return void(why_ = fmt::format("line {}: a tab is no indentation", number));
            if (line.indent == 0 && line.text.starts_with('%')) continue;
            if (line.indent == 0 && line.text == "---") {
                if (!first) return void(why_ = fmt::format("line {}: a second document is not read", number));
                continue;
            }
            if (line.indent == 0 && line.text == "...") break;
            first = false;
            // A bracket that is open goes on over lines, whatever their indentation.
            if (!lines_.empty() && open_brackets(lines_.back().text) > 0)
                lines_.back().text += " " + line.text;  // what is in brackets goes on
            else
                lines_.push_back(std::move(line));
        }
    }

    bool enter()
    {
        if (++depth_ > kMostYamlDepth || ++made_ > kMostValues) {
            wrong(depth_ > kMostYamlDepth ? "it is nested too deep" : "it holds too many values");
            return false;
        }
        return true;
    }

    /// Counts the values that an anchor stands for. @return false when there are too many
    /// A copy of an anchor costs what it holds, each time it is named.
    bool spend(const Value& v)
    {
        if (++made_ > kMostValues) return false;
        if (const auto* list = std::get_if<std::shared_ptr<ValueList>>(&v.is))
            return std::all_of((*list)->begin(), (*list)->end(), [&](const Value& one) { return spend(one); });
        if (const auto* dict = std::get_if<std::shared_ptr<ValueDict>>(&v.is))
            return std::all_of((*dict)->begin(), (*dict)->end(), [&](const auto& one) { return spend(one.second); });
        return true;
    }

    Value block(int indent)
    {
        Value out;
        if (enter() && at_ < lines_.size()) {
            const std::string& text = lines_[at_].text;
            if (text == "-" || text.starts_with("- "))
                out = list(indent);
            else if (colon(text) != std::string::npos && text.front() != '[' && text.front() != '{')
                out = mapping(indent);
            else
                out = value(lines_[at_++].text, indent);
        }
        --depth_;
        return out;
    }

    Value list(int indent)
    {
        auto out = std::make_shared<ValueList>();
        while (at_ < lines_.size() && lines_[at_].indent == indent &&
               (lines_[at_].text == "-" || lines_[at_].text.starts_with("- "))) {
            Line&             line = lines_[at_];
            const std::string rest(trimmed(std::string_view(line.text).substr(1)));
            if (rest.empty()) {
                ++at_;
                out->push_back(at_ < lines_.size() && lines_[at_].indent > indent
                                   ? block(lines_[at_].indent)
                                   // A dash alone: its value stands below, further in.
                                   : Value{});
            } else if (rest.starts_with("- ") || (colon(rest) != std::string::npos && rest.front() != '[' &&
                                                  rest.front() != '{' && rest.front() != '&' && rest.front() != '!')) {
                // "- a: 1" begins a mapping whose indentation is that of "a". The line is read again without its
                // dash.
                line.indent =
                    indent + static_cast<int>(line.text.size() - rest.size());  // a block that begins behind the dash
                line.text = rest;
                out->push_back(block(line.indent));
            } else {
                ++at_;
                out->push_back(value(rest, indent));
            }
        }
        if (at_ < lines_.size() && lines_[at_].indent > indent) wrong("this line does not fit to those above it");
        return {std::move(out)};
    }

    Value mapping(int indent)
    {
        auto       out = std::make_shared<ValueDict>();
        const auto put = [&](const std::string& key, Value v, bool over) {
            for (auto& [known, old] : *out)
                if (known == key) {
                    if (over) old = std::move(v);
                    return;
                }
            out->emplace_back(key, std::move(v));
        };
        while (at_ < lines_.size() && lines_[at_].indent == indent) {
            const std::string text = lines_[at_].text;
            const std::size_t sign = colon(text);
            if (sign == std::string::npos) return wrong(fmt::format("'{}' has no value", text.substr(0, 40)));
            const std::string key = scalar(trimmed(std::string_view(text).substr(0, sign))).str(),
                              rest(trimmed(std::string_view(text).substr(sign + 1)));
            ++at_;
            Value v = value(rest, indent);
            // "<<: *base" takes what the mapping does not say itself; what stands there already stays.
            if (key != "<<") {
                put(key, std::move(v), true);
                continue;
            }
            const auto merge = [&](const Value& from) {
                if (const auto* dict = std::get_if<std::shared_ptr<ValueDict>>(&from.is))
                    for (const auto& [name, more] : **dict) put(name, more, false);
            };
            merge(v);
            if (const auto* several = std::get_if<std::shared_ptr<ValueList>>(&v.is))
                for (const Value& one : **several) merge(one);
        }
        if (at_ < lines_.size() && lines_[at_].indent > indent) wrong("this line does not fit to those above it");
        return {std::move(out)};
    }

    /// What stands behind a key or a dash, or in the lines below it that are further in.
    Value value(std::string rest, int indent)
    {
        if (rest.starts_with('&')) {
            const std::size_t end  = std::min(rest.find(' '), rest.size());
            const std::string name = rest.substr(1, end - 1);
            Value             v    = value(std::string(trimmed(std::string_view(rest).substr(end))), indent);
            anchors_[name]         = v;
            return v;
        }
        if (rest.starts_with('!')) {
            const std::size_t end = std::min(rest.find(' '), rest.size());
            return with_unit(rest.substr(1, end - 1),
                             value(std::string(trimmed(std::string_view(rest).substr(end))), indent));
        }
        // A list may stand at the indentation of its key, as is common.
        if (rest.empty()) {
            if (at_ >= lines_.size()) return {};
            const Line& next = lines_[at_];
            if (next.indent > indent) return block(next.indent);
            if (next.indent == indent && (next.text == "-" || next.text.starts_with("- "))) return list(indent);
            return {};
        }
        if (rest.front() == '|' || rest.front() == '>') return text_block(rest, indent);
        if (rest.front() == '[' || rest.front() == '{') return flow(rest);
        while (at_ < lines_.size() && lines_[at_].indent > indent) {  // a plain text that goes on
            if (colon(lines_[at_].text) != std::string::npos && rest.front() != '"' && rest.front() != '\'') break;
            rest += " " + lines_[at_++].text;
        }
        return scalar(rest);
    }

    Value text_block(const std::string& how, int indent)
    {
        std::string out;
        int         last = at_ > 0 ? lines_[at_ - 1].number : 0, inner = -1;
        const auto  end = [&] {
            std::size_t next = at_;
            // Until the first line that is not further in. The indentation of the first text line is cut from all.
            while (next < lines_.size() && lines_[next].indent > indent) ++next;
            at_ = next;
            return next < lines_.size() ? lines_[next].number - 1 : static_cast<int>(raw_.size());
        }();
        for (int n = last; n < end; ++n) {
            const std::string& raw   = raw_[static_cast<std::size_t>(n)];
            const std::size_t  begin = raw.find_first_not_of(' ');
            if (begin != std::string::npos && inner < 0) inner = static_cast<int>(begin);
            out += (inner >= 0 && raw.size() > static_cast<std::size_t>(inner)
                        ? raw.substr(static_cast<std::size_t>(inner))
                        : std::string()) +
                   (how.front() == '|' ? "\n" : " ");
        }
        // Trailing blank lines go; one line break stays unless the block says '-'.
        while (!out.empty() && (out.back() == '\n' || out.back() == ' ')) out.pop_back();
        return {how.find('-') == std::string::npos ? out + "\n" : out};
    }

    Value with_unit(const std::string& tag, const Value& v)
    {
        if (tag == "!str" || tag == "str") return {v.str()};
        if (tag == "!float" || tag == "!int" || tag == "!bool" || tag == "!map" || tag == "!seq" || tag == "!null")
            return v;
        // The tags of xacro. Lengths become metres and angles radians, which is what URDF has.
        static const std::map<std::string, double> kUnits{{"radians", 1},   {"degrees", std::numbers::pi / 180},
                                                          {"meters", 1},    {"millimeters", 0.001},
                                                          {"foot", 0.3048}, {"inches", 0.0254}};
        const auto                                 known = kUnits.find(tag);
        if (known == kUnits.end()) return wrong(fmt::format("the tag '!{}' is not known", tag.substr(0, 40)));
        if (v.is_number()) return {known->second * v.number()};
        // A text may be an expression: "!degrees 360 / 7".
        const Evaluated e = evaluate(v.str(), [](const std::string&, std::string&) -> const Value* { return nullptr; });
        if (!e.why.empty() || !e.value.is_number())
            return wrong(fmt::format("'{}' is not a number of {}", v.str().substr(0, 40), tag));
        return {known->second * e.value.number()};
    }

    // -- in brackets

    Value flow(const std::string& text)
    {
        std::size_t at  = 0;
        Value       out = item(text, at);
        while (at < text.size() && text[at] == ' ') ++at;
        return at < text.size() ? wrong(fmt::format("'{}' is not expected here", text.substr(at, 20))) : out;
    }

    Value item(const std::string& text, std::size_t& at)
    {
        const auto skip = [&] {
            while (at < text.size() && text[at] == ' ') ++at;
        };
        skip();
        if (at >= text.size()) return wrong("a bracket is not closed");
        const char open = text[at];
        if (open != '[' && open != '{') {
            // Within brackets a comma or a closing bracket ends a plain text.
            const std::size_t end =
                std::min(outside(
                             text,
                             [&](std::size_t i) {
                                 return text[i] == ',' || text[i] == ']' || text[i] == '}' ||
                                        (text[i] == ':' && (i + 1 >= text.size() || text[i + 1] == ' '));
                             },
                             at, true),
                         text.size());
            const std::string word(trimmed(std::string_view(text).substr(at, end - at)));
            at = end;
            if (word.starts_with('!')) {
                const std::size_t gap = std::min(word.find(' '), word.size());
                return with_unit(word.substr(1, gap - 1), scalar(trimmed(std::string_view(word).substr(gap))));
            }
            return scalar(word);
        }
        if (!enter()) return {};
        ++at;
        auto list = std::make_shared<ValueList>();
        auto dict = std::make_shared<ValueDict>();
        for (skip(); why_.empty(); skip()) {
            if (at >= text.size()) return wrong("a bracket is not closed");
            if (text[at] == (open == '[' ? ']' : '}')) break;
            Value one = item(text, at);
            skip();
            if (open == '{') {
                Value held;
                if (at < text.size() && text[at] == ':') held = item(text, ++at);
                dict->emplace_back(one.str(), std::move(held));
                skip();
            } else {
                list->push_back(std::move(one));
            }
            if (at < text.size() && text[at] == ',') {
                ++at;
            } else if (at < text.size() && text[at] != ']' && text[at] != '}') {
                return wrong(fmt::format("'{}' is not expected here", text.substr(at, 20)));
            }
        }
        ++at;
        --depth_;
        return open == '[' ? Value{std::move(list)} : Value{std::move(dict)};
    }

    Value scalar(std::string_view text)
    {
        if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front()) {
            std::string out;
            const char  quote = text.front();
            for (std::size_t i = 1; i + 1 < text.size(); ++i) {
                // In single quotes two of them are one; in double quotes a backslash escapes.
                if (quote == '\'' && text[i] == '\'' && text[i + 1] == '\'' && i + 2 < text.size()) {
                    out += '\'', ++i;
                } else if (quote == '"' && text[i] == '\\' && i + 2 < text.size()) {
                    const char c = text[++i];
                    out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
                } else {
                    out += text[i];
                }
            }
            return {std::move(out)};
        }
        if (text.starts_with('*')) {
            const auto known = anchors_.find(std::string(text.substr(1)));
            if (known == anchors_.end()) return wrong(fmt::format("there is no anchor '{}'", text.substr(1, 40)));
            // A few lines of anchors on anchors could stand for billions of values.
            return spend(known->second) ? known->second : wrong("its anchors hold too many values");
        }
        if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return {};
        for (const char* yes : {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"})
            // YAML 1.1 as PyYAML reads it, which is what xacro uses: yes and on are truths too.
            if (text == yes) return {true};
        for (const char* no : {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"})
            if (text == no) return {false};
        if (text == ".inf" || text == ".Inf" || text == "+.inf") return {std::numeric_limits<double>::infinity()};
        if (text == "-.inf" || text == "-.Inf") return {-std::numeric_limits<double>::infinity()};
        if (text == ".nan" || text == ".NaN") return {std::numeric_limits<double>::quiet_NaN()};
        // Numbers may be grouped by underscores. What does not read as a number in full is a text, such as "3d".
        if (text.find_first_not_of("+-0123456789.eE_xXabcdefABCDEF") == std::string_view::npos) {
            std::string digits(text);
            std::erase(digits, '_');
            if (const auto whole = whole_number(digits)) return to_value(*whole);
            if (text.find('.') != std::string_view::npos || text.find('e') != std::string_view::npos)
                if (const auto v = parse_number(digits)) return {*v};
        }
        return {std::string(text)};
    }
};

}  // namespace

Evaluated parse_yaml(std::string_view text) { return Yaml(text).run(); }

}  // namespace mechane::sourceformats

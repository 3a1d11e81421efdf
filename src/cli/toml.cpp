#include "cli/toml.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace mechane::cli {
namespace {

using Json = nlohmann::json;

/// Recursive descent over one text; `fault` is set at the first thing that is not understood.
class Reader {
  public:
    explicit Reader(std::string_view text) : text_(text) {}

    Json read()
    {
        Json  root  = Json::object();
        Json* table = &root;
        for (skip_lines(); at_ < text_.size() && fault.empty(); skip_lines()) {
            if (peek() == '[') {
                table = header(root);
            } else {
                const std::vector<std::string> keys = dotted();
                if (!fault.empty()) break;
                if (!take('=')) fail("expected =");
                Json* to = table;
                for (std::size_t i = 0; i + 1 < keys.size(); ++i) to = &child(*to, keys[i]);
                if (fault.empty()) (*to)[keys.back()] = value();
            }
            if (fault.empty()) end_of_line();
        }
        return root;
    }

    std::string fault;

  private:
    std::string_view text_;
    std::size_t      at_   = 0;
    int              line_ = 1, depth_ = 0;

    [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void               fail(std::string_view what)
    {
        if (fault.empty()) fault = fmt::format("line {}: {}", line_, what);
    }
    void skip_blanks()
    {
        while (peek() == ' ' || peek() == '\t' || peek() == '\r') ++at_;
    }
    void skip_lines()
    {
        for (;;) {
            skip_blanks();
            if (peek() == '#')
                while (at_ < text_.size() && text_[at_] != '\n') ++at_;
            if (peek() != '\n') return;
            ++at_, ++line_;
        }
    }
    void end_of_line()
    {
        skip_blanks();
        if (at_ < text_.size() && peek() != '\n' && peek() != '#') fail("expected the end of the line");
    }
    bool take(char c)
    {
        skip_blanks();
        if (peek() != c) return false;
        ++at_;
        return true;
    }

    Json& child(Json& of, const std::string& key)
    {
        Json& found = of[key];
        if (found.is_null()) found = Json::object();
        if (found.is_array() && !found.empty()) return found.back();
        if (!found.is_object()) fail("'" + key + "' is a value, not a table");
        return found;
    }

    Json* header(Json& root)
    {
        const bool list = text_.substr(at_, 2) == "[[";
        at_ += list ? 2 : 1;
        const std::vector<std::string> keys = dotted();
        Json*                          to   = &root;
        for (std::size_t i = 0; i < keys.size() && fault.empty(); ++i) {
            if (list && i + 1 == keys.size()) {
                Json& all = (*to)[keys[i]];
                if (all.is_null()) all = Json::array();
                if (!all.is_array()) {
                    fail("'" + keys[i] + "' is no array of tables");
                    break;
                }
                all.push_back(Json::object());
                to = &all.back();
            } else {
                to = &child(*to, keys[i]);
            }
            if (!to->is_object()) break;
        }
        if (!take(']') || (list && !take(']'))) fail("expected ]");
        return to;
    }

    std::vector<std::string> dotted()
    {
        std::vector<std::string> keys;
        do {
            skip_blanks();
            if (peek() == '"' || peek() == '\'') {
                keys.push_back(text());
            } else {
                const std::size_t from = at_;
                while (std::isalnum(static_cast<unsigned char>(peek())) != 0 || peek() == '_' || peek() == '-') ++at_;
                if (at_ == from) fail("expected a name");
                keys.emplace_back(text_.substr(from, at_ - from));
            }
        } while (fault.empty() && take('.'));
        return keys;
    }

    std::string text()
    {
        const char  quote = text_[at_++];
        std::string out;
        while (at_ < text_.size() && peek() != quote && peek() != '\n') {
            if (quote == '"' && peek() == '\\' && at_ + 1 < text_.size()) {
                ++at_;
                const char c = peek();
                out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
            } else {
                out += peek();
            }
            ++at_;
        }
        if (peek() != quote)
            fail("a text has no end");
        else
            ++at_;
        return out;
    }

    // NOLINTNEXTLINE(misc-no-recursion): arrays nest at most eight deep
    Json value()
    {
        skip_blanks();
        if (peek() == '"' || peek() == '\'') return text();
        if (peek() == '[') {
            Json list = Json::array();
            ++at_;
            if (++depth_ > 8) fail("arrays nest too deep");
            for (skip_lines(); fault.empty() && peek() != ']'; skip_lines()) {
                list.push_back(value());
                skip_lines();
                if (peek() == ',')
                    ++at_;
                else if (peek() != ']')
                    fail("expected , or ]");
            }
            --depth_;
            ++at_;
            return list;
        }
        const std::size_t from = at_;
        while (at_ < text_.size() && std::string_view(" \t\r\n#,]").find(peek()) == std::string_view::npos) ++at_;
        const std::string_view word = text_.substr(from, at_ - from);
        if (word == "true" || word == "false") return word == "true";
        double number           = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (error == std::errc() && end == word.data() + word.size()) return number;
        // A date is kept as text: 2026-12-31.
        if (word.size() >= 10 && word[4] == '-' && word[7] == '-') return std::string(word);
        fail(fmt::format("'{}' is no value; texts need quotes", word));
        return nullptr;
    }
};

}  // namespace

std::optional<Json> read_toml(const std::string& text, std::string& fault)
{
    Reader reader(text);
    Json   root = reader.read();
    fault       = reader.fault;
    return fault.empty() ? std::optional(std::move(root)) : std::nullopt;
}

}  // namespace mechane::cli

#include "usd/text_index.h"

#include <algorithm>
#include <vector>

namespace mechane::usd {
namespace {

/// What an open brace belongs to.
struct Level {
    enum Kind { prim, variant_set, variant, value } kind;
    std::string path;  ///< of the prim or variant
    std::string set;   ///< name of the variant set
};

class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) { levels_.push_back({Level::prim, "", ""}); }

    TextIndex run()
    {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (is_space(c)) {
                step();
            } else if (c == '#') {
                skip_line();
            } else if (c == '}') {
                if (levels_.size() > 1) levels_.pop_back();
                step();
            } else if (c == '(' || c == '[') {
                skip_group();
            } else if (levels_.back().kind == Level::variant_set && (c == '"' || c == '\'')) {
                open_variant();
            } else {
                statement();
            }
        }
        return std::move(out_);
    }

  private:
    static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';'; }
    static bool ends_word(char c)
    { return is_space(c) || c == '=' || c == '(' || c == '{' || c == '"' || c == '\'' || c == '#' || c == '}'; }

    /// Whether the character stands here so many times in a row.
    [[nodiscard]] bool repeats(char c, std::size_t times) const
    {
        if (at_ + times > text_.size()) return false;
        for (std::size_t i = 0; i < times; ++i)
            if (text_[at_ + i] != c) return false;
        return true;
    }
    void step()
    {
        if (text_[at_] == '\n') {
            ++line_;
            line_start_ = at_ + 1;
        }
        ++at_;
    }
    void skip_line()
    {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    }
    void skip_blank()
    {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    }
    void skip_space()
    {
        while (at_ < text_.size()) {
            if (is_space(text_[at_]))
                step();
            else if (text_[at_] == '#')
                skip_line();
            else
                return;
        }
    }
    /// Past a quoted text; what it says.
    std::string quoted()
    {
        const char        quote = text_[at_];
        const std::size_t width = repeats(quote, 3) ? 3 : 1;
        for (std::size_t i = 0; i < width; ++i) step();
        const std::size_t from = at_;
        while (at_ < text_.size() && !repeats(quote, width)) {
            if (text_[at_] == '\\' && at_ + 1 < text_.size()) step();
            if (at_ < text_.size()) step();
        }
        std::string said(text_.substr(from, at_ - from));
        for (std::size_t i = 0; i < width && at_ < text_.size(); ++i) step();
        return said;
    }
    /// Past a group in brackets of any kind, strings and comments in it included.
    void skip_group()
    {
        int depth = 0;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"' || c == '\'') {
                quoted();
                continue;
            }
            if (c == '#') {
                skip_line();
                continue;
            }
            if (c == '@') {
                skip_asset();
                continue;
            }
            if (c == '(' || c == '[' || c == '{') ++depth;
            if (c == ')' || c == ']' || c == '}') --depth;
            step();
            if (depth <= 0) return;
        }
    }
    void skip_asset()
    {
        const std::size_t width = repeats('@', 3) ? 3 : 1;
        at_ += width;
        while (at_ < text_.size() && !repeats('@', width)) step();
        at_ = std::min(at_ + width, text_.size());
    }
    std::string_view word()
    {
        const std::size_t from = at_;
        while (at_ < text_.size() && !ends_word(text_[at_])) ++at_;
        return text_.substr(from, at_ - from);
    }

    void open_variant()
    {
        const std::string name  = quoted();
        const Level       above = levels_.back();
        skip_space();
        if (at_ < text_.size() && text_[at_] == '(') skip_group();
        skip_space();
        if (at_ >= text_.size() || text_[at_] != '{') return;
        step();
        levels_.push_back({Level::variant, above.path + "{" + above.set + "=" + name + "}", ""});
    }

    void open_prim()
    {
        // def [type] "name" ( metadata ) { ...
        skip_space();
        if (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\'') {
            word();
            skip_space();
        }
        if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) return;
        const int         line   = line_;
        const int         column = static_cast<int>(at_ - line_start_) + 1;
        const Level&      above  = levels_.back();
        const std::string name   = quoted();
        // After a variant selection no slash stands: /a{set=name}b.
        const std::string path = above.kind == Level::variant ? above.path + name : above.path + "/" + name;
        out_.emplace(path, std::pair(line, column));
        skip_space();
        if (at_ < text_.size() && text_[at_] == '(') skip_group();
        skip_space();
        if (at_ < text_.size() && text_[at_] == '{') {
            step();
            levels_.push_back({Level::prim, path, ""});
        }
    }

    void open_variant_set()
    {
        skip_space();
        if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) return;
        const std::string name = quoted();
        skip_space();
        if (at_ < text_.size() && text_[at_] == '=') step();
        skip_space();
        if (at_ >= text_.size() || text_[at_] != '{') return;
        step();
        const std::string above = levels_.back().path;
        levels_.push_back({Level::variant_set, above, name});
    }

    /// A prim, a variant set, or a property: words up to `=` or the end of the line, the last is its name.
    void statement()
    {
        std::string_view name;
        int              column = 0;
        const int        line   = line_;
        while (at_ < text_.size()) {
            skip_blank();
            if (at_ >= text_.size() || ends_word(text_[at_])) break;
            const int              from = static_cast<int>(at_ - line_start_) + 1;
            const std::string_view next = word();
            if (next == "def" || next == "over" || next == "class") return open_prim();
            if (next == "variantSet") return open_variant_set();
            name   = next;
            column = from;
        }
        if (!name.empty() && levels_.size() > 1) {
            for (const std::string_view suffix : {".timeSamples", ".connect", ".spline"})
                if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
            out_.emplace(levels_.back().path + "." + std::string(name), std::pair(line, column));
        }
        skip_blank();
        if (at_ < text_.size() && text_[at_] == '=') {
            step();
            skip_value();
        } else if (name.empty() && at_ < text_.size()) {
            step();  // nothing that starts a statement
        }
    }

    void skip_value()
    {
        skip_space();
        if (at_ >= text_.size()) return;
        const char c = text_[at_];
        if (c == '"' || c == '\'')
            quoted();
        else if (c == '(' || c == '[' || c == '{')
            skip_group();
        else if (c == '@')
            skip_asset();
        else if (c == '<')
            while (at_ < text_.size() && text_[at_] != '>' && text_[at_] != '\n') ++at_;
        else
            while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != '(' && text_[at_] != '}') ++at_;
        if (at_ < text_.size() && text_[at_] == '>') step();
    }

    std::string_view   text_;
    std::size_t        at_         = 0;
    std::size_t        line_start_ = 0;
    int                line_       = 1;
    std::vector<Level> levels_;
    TextIndex          out_;
};

}  // namespace

TextIndex index_text(std::string_view text) { return Scanner(text).run(); }

}  // namespace mechane::usd

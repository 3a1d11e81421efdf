// Places of statements in a text layer: whole statement, value, head of a prim, block of metadata. Text edits replace
// these spans.
// A statement that is not understood makes its prim opaque, so that edits of it are refused.
// A reader of usda's outline, not of its values: it follows quotes, brackets and comments, and knows prims, variant
// sets, properties and metadata. Positions are bytes of the text, spans half open.
// It assumes a text that the library has parsed. `stuck_` ends the reading where the outline does not fit; specs found
// so far stay.

#include "usd/text_spans.h"

#include <algorithm>

#include "usd/char_set.h"
#include "usd/text_check.h"

namespace mechane::usd {
namespace {

constexpr CharSet kBlank(" \t"), kSpanSpace(" \t\n\r;"), kSpanWordEnd(" \t\n\r;=({\"'#}),");

}  // namespace

class SpanReader {
  public:
    SpanReader(std::string_view text, TextSpans& out) : text_(text), out_(out) {}

    void run()
    {
        at_ = std::min(text_.find('\n'), text_.size());
        TextSpec layer{.path = "/", .whole = {0, text_.size()}, .head = {}, .name_end = at_};
        layer.body = {0, text_.size()};
        skip_space();
        if (peek() == '(') read_metadata(layer);
        levels_.push_back({"/", std::move(layer), {}});
        while (at_ < text_.size() && !stuck_) step();
        while (!levels_.empty()) close();
    }

  private:
    /// What an open brace belongs to.
    struct Level {
        std::string path;  ///< of what is in it: the prim or variant; of a variant set its prim
        TextSpec    spec;
        std::string set;  ///< of a variant set its name
    };

    [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void               skip_space()
    {
        while (at_ < text_.size()) {
            if (kSpanSpace.has(text_[at_]))
                ++at_;
            else if (text_[at_] == '#')
                at_ = std::min(text_.find('\n', at_), text_.size());
            else
                return;
        }
    }
    void skip_blank()
    {
        while (at_ < text_.size() && kBlank.has(text_[at_])) ++at_;
    }
    [[nodiscard]] bool quote_here() const { return peek() == '"' || peek() == '\''; }
    std::string        quoted()
    {
        const std::size_t from = at_;
        at_                    = skip_quoted(text_, at_);
        return at_ > from + 1 ? std::string(text_.substr(from + 1, at_ - from - 2)) : std::string();
    }
    std::string word()
    {
        const std::size_t from = at_;
        at_                    = std::min(kSpanWordEnd.find(text_, at_), text_.size());
        return std::string(text_.substr(from, at_ - from));
    }
    /// Past a group in brackets of any kind.
    /// Brackets of all kinds are counted together: the text is valid, so they match.
    void skip_group()
    {
        int depth = 0;
        while (at_ < text_.size()) {
            at_          = next_special(text_, at_);
            const char c = peek();
            if (c == '"' || c == '\'' || c == '@') {
                at_ = skip_quoted(text_, at_);
                continue;
            }
            if (c == '#') {
                at_ = std::min(text_.find('\n', at_), text_.size());
                continue;
            }
            depth += c == '(' || c == '[' || c == '{';
            depth -= c == ')' || c == ']' || c == '}';
            if (at_ < text_.size()) ++at_;
            if (depth <= 0) return;
        }
    }
    /// A value: one token or group; an asset may be followed by a path and its layer offset.
    /// A reference is @asset@</prim> (offset = 1; scale = 2): the group in parentheses belongs to it in metadata, while
    /// behind an attribute's value it is the attribute's own metadata.
    TextSpan value(bool offsets)
    {
        const std::size_t from = at_;
        const char        c    = peek();
        if (c == '(' || c == '[' || c == '{') {
            skip_group();
        } else if (c == '"' || c == '\'') {
            at_ = skip_quoted(text_, at_);
        } else if (c == '@' || c == '<') {
            if (c == '@') at_ = skip_quoted(text_, at_);
            if (peek() == '<') at_ = std::min(text_.find('>', at_), text_.size() - 1) + 1;
            const std::size_t end = at_;
            skip_blank();
            if (offsets && peek() == '(')
                skip_group();
            else
                at_ = end;
        } else {
            while (at_ < text_.size() && !kSpanSpace.has(text_[at_]) && text_[at_] != '(' && text_[at_] != '}' &&
                   text_[at_] != ')' && text_[at_] != '#')
                ++at_;
        }
        return {from, at_};
    }

    void read_metadata(TextSpec& spec)
    {
        const std::size_t open = at_++;
        for (;;) {
            skip_space();
            if (at_ >= text_.size()) return;
            if (peek() == ')') break;
            TextStatement entry;
            entry.whole.begin = at_;
            if (quote_here()) {  // the comment of the spec
                at_         = skip_quoted(text_, at_);
                entry.value = {entry.whole.begin, at_};
            } else {
                const std::size_t before = at_;
                while (at_ < text_.size() && peek() != '=' && peek() != ')' && peek() != '\n') {
                    // Words before "=": "prepend references", "add apiSchemas"; the last one is the key.
                    const std::string next = word();
                    if (!next.empty()) entry.key = next;
                    if (next.empty() && peek() != '=') ++at_;
                    skip_blank();
                }
                if (peek() != '=' || at_ == before) {
                    spec.opaque = true;
                    if (at_ == before) ++at_;
                    continue;
                }
                ++at_;
                skip_blank();
                entry.value = value(true);
            }
            entry.whole.end = at_;
            spec.metadata.push_back(std::move(entry));
        }
        ++at_;
        spec.block = TextSpan{open, at_};
    }

    void step()
    {
        skip_space();
        if (at_ >= text_.size()) return;
        Level& level = levels_.back();
        if (peek() == '}') {
            if (levels_.size() == 1) {
                stuck_ = true;
                return;
            }
            level.spec.body.end  = at_++;
            level.spec.whole.end = at_;
            close();
        } else if (!level.set.empty() && quote_here()) {
            open_variant();
        } else {
            statement();
        }
    }

    void close()
    {
        Level level = std::move(levels_.back());
        levels_.pop_back();
        // A variant set has no spec of its own in the outline; its variants do.
        if (level.set.empty()) out_.specs_.insert_or_assign(level.spec.path, std::move(level.spec));
    }

    void open(TextSpec spec, std::string set)
    {
        skip_space();
        if (peek() == '(') read_metadata(spec);
        skip_space();
        if (peek() != '{') {
            stuck_ = true;
            return;
        }
        // Ends are set when the brace closes; until then they reach to the end of the text.
        spec.body  = {++at_, text_.size()};
        spec.whole.end = text_.size();
        std::string path = spec.path;
        levels_.push_back({std::move(path), std::move(spec), std::move(set)});
    }

    void open_variant()
    {
        const Level&      above = levels_.back();
        const std::size_t from  = at_;
        const std::string name  = quoted();
        TextSpec spec{.path = above.path + "{" + above.set + "=" + name + "}", .whole = {from, 0}, .head = {from, from}, .name_end = at_};
        open(std::move(spec), {});
    }

    void statement()
    {
        TextStatement said;
        said.whole.begin = at_;
        bool any         = false;
        for (;;) {
            skip_blank();
            if (at_ >= text_.size() || kSpanWordEnd.has(peek())) break;
            const std::size_t from = at_;
            const std::string next = word();
            // "custom", "uniform", "prepend" and types come before a property's name; def, over and class begin a prim
            // only as the first word.
            if (!any && (next == "def" || next == "over" || next == "class")) return open_prim(from);
            if (!any && next == "variantSet") return open_set(from);
            said.key = next;
            any      = true;
        }
        if (!any) {  // nothing that begins a statement
            levels_.back().spec.opaque = true;
            ++at_;
            return;
        }
        // "a.timeSamples = {...}" is a statement of the attribute a.
        for (const char* part : {".timeSamples", ".connect", ".spline"})
            if (said.key.ends_with(part)) {
                said.part = part + 1;
                said.key.erase(said.key.size() - std::string_view(part).size());
            }
        std::size_t end = trimmed(said.whole.begin, at_);
        if (peek() == '=') {
            ++at_;
            skip_space();
            said.value = value(false);
            end        = at_;
        }
        skip_blank();
        if (peek() == '(') {
            skip_group();
            end = at_;
        }
        at_            = end;
        said.whole.end = end;
        levels_.back().spec.properties.push_back(std::move(said));
    }
    [[nodiscard]] std::size_t trimmed(std::size_t from, std::size_t to) const
    {
        while (to > from && kBlank.has(text_[to - 1])) --to;
        return to;
    }

    void open_prim(std::size_t from)
    {
        skip_space();
        if (!quote_here()) word();
        skip_space();
        if (!quote_here()) {
            stuck_ = true;
            return;
        }
        const std::size_t name_at = at_;
        const std::string name    = quoted();
        const std::string& above  = levels_.back().path;
        // "/a{set=variant}b": Sdf writes no slash behind a variant selection.
        const bool        slash   = !above.ends_with('}') && above != "/";
        TextSpec spec{.path = above + (slash ? "/" : "") + name, .whole = {from, 0}, .head = {from, name_at}, .name_end = at_};
        open(std::move(spec), {});
    }

    void open_set(std::size_t from)
    {
        skip_space();
        if (!quote_here()) {
            stuck_ = true;
            return;
        }
        const std::string name = quoted();
        skip_space();
        if (peek() == '=') ++at_;
        TextSpec spec{.path = levels_.back().path, .whole = {from, 0}, .head = {from, from}, .name_end = at_};
        open(std::move(spec), name);
    }

    std::string_view   text_;
    TextSpans&         out_;
    std::size_t        at_ = 0;
    std::vector<Level> levels_;
    bool               stuck_ = false;
};

TextSpans::TextSpans(std::string_view text) { SpanReader(text, *this).run(); }

const TextSpec* TextSpans::find(const std::string& path) const
{
    const auto found = specs_.find(path);
    return found == specs_.end() ? nullptr : &found->second;
}

}  // namespace mechane::usd

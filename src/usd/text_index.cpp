// Lines of prims and properties in a text layer, found by a scan that knows the syntax and no values.
// Paths are kept as 64-bit hashes: a layer may have a million. A collision would give a wrong line and nothing worse.

#include "usd/text_index.h"

#include <algorithm>

#include "usd/char_set.h"

namespace mechane::usd {
namespace {

/// FNV-1a, continued: the hash of a path is that of the path above and what follows it.
constexpr std::uint64_t kEmpty = 0xcbf29ce484222325;
std::uint64_t           hash(std::string_view text, std::uint64_t from = kEmpty)
{
    for (const char c : text) from = (from ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return from;
}

/// What an open brace belongs to.
struct Level {
    enum Kind { prim, variant_set, variant } kind;
    std::uint64_t    path;  ///< of the prim or variant, hashed
    std::string_view set;   ///< name of the variant set
    std::int32_t     prim_index;
};

constexpr CharSet kSpace(" \t\n\r;"), kWordEnd(" \t\n\r;=({\"'#}");

}  // namespace

class TextScanner {
  public:
    TextScanner(std::string_view text, TextIndex& out) : text_(text), out_(out)
    { levels_.push_back({Level::prim, kEmpty, {}, -1}); }

    void run()
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
    }

  private:
    static bool is_space(char c) { return kSpace.has(c); }
    static bool ends_word(char c) { return kWordEnd.has(c); }

    [[nodiscard]] TextIndex::Place here() const { return {line_, static_cast<int>(at_ - line_start_) + 1}; }
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
    void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }
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
    std::string_view quoted()
    {
        const char quote = text_[at_];
        // A text in three quotation marks may go over several lines and hold single ones.
        const std::size_t width = repeats(quote, 3) ? 3 : 1;
        for (std::size_t i = 0; i < width; ++i) step();
        const std::size_t from = at_;
        while (at_ < text_.size() && !repeats(quote, width)) {
            if (text_[at_] == '\\' && at_ + 1 < text_.size()) step();
            if (at_ < text_.size()) step();
        }
        const std::string_view said = text_.substr(from, at_ - from);
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
        at_                    = kWordEnd.find(text_, at_);
        return text_.substr(from, at_ - from);
    }

    void open_variant()
    {
        const std::string_view name  = quoted();
        const Level            above = levels_.back();
        skip_space();
        if (at_ < text_.size() && text_[at_] == '(') skip_group();
        skip_space();
        if (at_ >= text_.size() || text_[at_] != '{') return;
        step();
        // The path of a variant as Sdf writes it: /prim{set=name}.
        const std::uint64_t path = hash("}", hash(name, hash("=", hash(above.set, hash("{", above.path)))));
        levels_.push_back({Level::variant, path, {}, above.prim_index});
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
        const TextIndex::Place place = here();
        const Level&           above = levels_.back();
        const std::string_view name  = quoted();
        // After a variant selection no slash stands: /a{set=name}b.
        const std::uint64_t path = hash(name, above.kind == Level::variant ? above.path : hash("/", above.path));
        out_.entries_.push_back({path, place});
        out_.prims_.push_back({std::string(name), above.prim_index, place});
        skip_space();
        if (at_ < text_.size() && text_[at_] == '(') skip_group();
        skip_space();
        if (at_ < text_.size() && text_[at_] == '{') {
            step();
            levels_.push_back({Level::prim, path, {}, static_cast<std::int32_t>(out_.prims_.size()) - 1});
        }
    }

    void open_variant_set()
    {
        skip_space();
        if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) return;
        const std::string_view name = quoted();
        skip_space();
        if (at_ < text_.size() && text_[at_] == '=') step();
        skip_space();
        if (at_ >= text_.size() || text_[at_] != '{') return;
        step();
        const Level& above = levels_.back();
        levels_.push_back(Level{Level::variant_set, above.path, name, above.prim_index});
    }

    /// A prim, a variant set, or a property: words up to `=` or the end of the line, the last is its name.
    void statement()
    {
        std::string_view name;
        TextIndex::Place place;
        while (at_ < text_.size()) {
            skip_blank();
            if (at_ >= text_.size() || ends_word(text_[at_])) break;
            const TextIndex::Place from = here();
            const std::string_view next = word();
            if (next == "def" || next == "over" || next == "class") return open_prim();
            if (next == "variantSet") return open_variant_set();
            name  = next;
            place = from;
        }
        if (!name.empty() && levels_.size() > 1) {
            // Samples, connections and splines are statements of their own about one property.
            for (const std::string_view suffix : {".timeSamples", ".connect", ".spline"})
                if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
            out_.entries_.push_back({hash(name, hash(".", levels_.back().path)), place});
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
    TextIndex&         out_;
};

TextIndex::TextIndex(std::string_view text)
{
    TextScanner(text, *this).run();
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });
}

TextIndex::Place TextIndex::find(std::string_view path) const
{
    const std::uint64_t wanted = hash(path);
    const auto found = std::lower_bound(entries_.begin(), entries_.end(), wanted,
                                        [](const Entry& entry, std::uint64_t value) { return entry.path < value; });
    return found != entries_.end() && found->path == wanted ? found->place : Place{};
}

std::string TextIndex::prim_at(int line) const
{
    // Prims are in the order of their lines, so the last one that begins before the line holds it, or lies beside what
    // does.
    const auto  after = std::upper_bound(prims_.begin(), prims_.end(), line,
                                         [](int value, const Prim& prim) { return value < prim.place.line; });
    std::string path;
    for (auto at = static_cast<std::int32_t>(after - prims_.begin()) - 1; at >= 0;
         at      = prims_[static_cast<std::size_t>(at)].parent)
        path.insert(0, "/" + prims_[static_cast<std::size_t>(at)].name);
    return path;
}

}  // namespace mechane::usd

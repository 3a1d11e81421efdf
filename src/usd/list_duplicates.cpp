// Finds list operations in text that name an item twice, with line and column.
// OpenUSD drops the second in silence, so that the layer in memory has no trace of it; hence the text is read.

#include "usd/list_duplicates.h"

#include <algorithm>

#include "usd/char_set.h"

namespace mechane::usd {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool is_word(char c)
{ return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':'; }

class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {}

    std::vector<ListDuplicate> run()
    {
        static constexpr CharSet kMarks("#\"'@[");
        while ((at_ = kMarks.find(text_, at_)) < text_.size()) {
            const char c = text_[at_];
            if (c == '#')
                at_ = std::min(text_.find('\n', at_), text_.size());
            else if (c == '[')
                list();
            else
                (void)quoted();
        }
        return std::move(out_);
    }

  private:
    /// Passes a string or asset path; what lies between its marks.
    std::string_view quoted()
    {
        const char        mark   = text_[at_];
        const bool        triple = text_.substr(at_, 3) == std::string(3, mark);
        const std::size_t width = triple ? 3 : 1, begin = at_ + width;
        for (at_ = begin; at_ < text_.size(); ++at_) {
            if (text_[at_] == '\\' && mark != '@')
                ++at_;
            else if (text_[at_] == '\n' && !triple)
                break;
            else if (text_[at_] == mark && (!triple || text_.substr(at_, 3) == std::string(3, mark)))
                return at_ += width, text_.substr(begin, at_ - width - begin);
        }
        at_ = std::min(at_, text_.size());
        return text_.substr(std::min(begin, at_), at_ - std::min(begin, at_));
    }

    /// The word that ends before `end`, blanks skipped; `end` becomes its beginning.
    std::string_view word_before(std::size_t& end) const
    {
        while (end > 0 && is_space(text_[end - 1])) --end;
        std::size_t begin = end;
        while (begin > 0 && is_word(text_[begin - 1])) --begin;
        const std::string_view word = text_.substr(begin, end - begin);
        end                         = begin;
        return word;
    }

    /// The field that a list at the bracket `end` belongs to when it is a list of operations on names, else nothing.
    [[nodiscard]] std::string_view field_before(std::size_t end) const
    {
        while (end > 0 && is_space(text_[end - 1])) --end;
        if (end == 0 || text_[end - 1] != '=') return {};
        --end;
        // Read backwards from the bracket: name of the field, then the operation before it.
        const std::string_view field = word_before(end), before = word_before(end);
        if (field == "apiSchemas" || field == "clipSets") return field;
        for (const char* operation : {"prepend", "append", "add", "delete", "reorder"})
            if (before == operation && field != "nameChildren" && field != "properties") return field;
        return {};
    }

    void list()
    {
        const std::size_t      start = at_;
        const std::string_view field = field_before(at_);
        ++at_;
        if (field.empty()) return;
        std::vector<std::string_view> items;
        while (at_ < text_.size() && text_[at_] != ']') {
            const char c = text_[at_];
            if (c == '"' || c == '\'')
                items.push_back(quoted());
            else if (c == '#')
                at_ = std::min(text_.find('\n', at_), text_.size());
            else if (c == '@' || c == '<' || c == '[' || c == '(')
                return;  // arcs and targets: the parser looks after those
            else
                ++at_;
        }
        std::sort(items.begin(), items.end());
        const auto twice = std::adjacent_find(items.begin(), items.end());
        if (twice == items.end()) return;
        const std::size_t line_start = text_.rfind('\n', start) + 1;  // npos + 1 is 0
        const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(start), '\n');
        out_.push_back({static_cast<int>(line), static_cast<int>(start - line_start) + 1, std::string(field),
                        std::string(*twice)});
    }

    std::string_view           text_;
    std::size_t                at_ = 0;
    std::vector<ListDuplicate> out_;
};

}  // namespace

std::vector<ListDuplicate> find_list_duplicates(std::string_view text) { return Scanner(text).run(); }

}  // namespace mechane::usd

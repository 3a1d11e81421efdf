// Cuts a text layer into pieces of about equal length, at lines where a prim begins, for reading in parallel.
// A piece begins with the prims that it lies in as overs, and ends by closing those that are open.

#include "usd/text_pieces.h"

#include <algorithm>
#include <optional>

#include "usd/text_check.h"

namespace mechane::usd {
namespace {

constexpr std::size_t kDeepest = 3;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Follows the braces of a text. Only where all open braces are those of prims does a line that begins with def, over
/// or class begin a prim; in strings, values, metadata and variants it does not.
class Cutter {
  public:
    Cutter(std::string_view text, std::size_t count) : text_(text), count_(count) {}

    std::vector<TextPiece> run()
    {
        while (at_ < text_.size() && starts_.size() + 1 < count_) step();
        std::vector<TextPiece> out;
        for (std::size_t i = 0; i <= starts_.size(); ++i) {
            const std::size_t first = i == 0 ? 0 : starts_[i - 1].at;
            const std::size_t end   = i == starts_.size() ? text_.size() : starts_[i].at;
            out.push_back({text_.substr(first, end - first),
                           i == 0 ? std::vector<std::string>() : std::move(starts_[i - 1].inside)});
        }
        return out;
    }

  private:
    struct Start {
        std::size_t              at;
        std::vector<std::string> inside;
    };

    void step()
    {
        at_ = next_special(text_, at_);
        if (at_ == text_.size()) return;
        switch (text_[at_]) {
            case '#':
                at_ = std::min(text_.find('\n', at_), text_.size());
                return;
            case '"':
            case '\'':
            case '@':
                if (brackets_ == 0 && others_ == 0) begin_prim();
                at_ = skip_quoted(text_, at_);
                return;
            case '(':
            case '[':
                ++brackets_;
                break;
            case '{':
                if (brackets_ > 0) break;
                if (others_ > 0 || !prim_) {
                    ++others_;
                } else {
                    inside_.push_back(std::move(*prim_));
                    prim_.reset();
                }
                break;
            case '}':
                if (brackets_ > 0) break;
                if (others_ > 0)
                    --others_;
                else if (!inside_.empty())
                    inside_.pop_back();
                break;
            default:
                brackets_ -= brackets_ > 0;
                break;
        }
        ++at_;
    }

    /// At the quote before a name that only def, over or class and perhaps a type precede on its line.
    void begin_prim()
    {
        std::size_t line = at_;
        while (line > 0 && text_[line - 1] != '\n') --line;
        std::string_view before = text_.substr(line, at_ - line);
        before.remove_prefix(
            static_cast<std::size_t>(std::find_if_not(before.begin(), before.end(), is_blank) - before.begin()));
        const auto word = [&](std::string_view name) {
            return before.starts_with(name) && before.size() > name.size() && is_blank(before[name.size()]);
        };
        if (!word("def") && !word("over") && !word("class")) return;
        const std::size_t end = text_.find(text_[at_], at_ + 1);
        if (end == std::string_view::npos) return;
        const std::size_t wanted = text_.size() / count_ * (starts_.size() + 1);
        if (line >= wanted && line > 0 && inside_.size() <= kDeepest) starts_.push_back({line, inside_});
        prim_ = std::string(text_.substr(at_ + 1, end - at_ - 1));
    }

    std::string_view           text_;
    std::size_t                count_, at_ = 0;
    std::size_t                brackets_ = 0, others_ = 0;  ///< open ones; braces that are no prim's
    std::vector<std::string>   inside_;
    std::optional<std::string> prim_;  ///< whose body the next brace opens
    std::vector<Start>         starts_;
};

}  // namespace

std::vector<TextPiece> cut_text(std::string_view text, std::size_t count) { return Cutter(text, count).run(); }

std::string text_of_piece(const std::vector<TextPiece>& pieces, std::size_t at)
{
    const TextPiece&  piece = pieces[at];
    const std::size_t open  = at + 1 < pieces.size() ? pieces[at + 1].inside.size() : 0;
    std::string       out;
    out.reserve(piece.text.size() + 1024);
    if (at > 0) {
        const std::string_view whole = pieces[0].text;
        out += whole.substr(0, whole.find('\n'));
        out += '\n';
        for (const std::string& name : piece.inside) out += "over \"" + name + "\"\n{\n";
    }
    out += piece.text;
    for (std::size_t i = 0; i < open; ++i) out += "\n}\n";
    return out;
}

}  // namespace mechane::usd

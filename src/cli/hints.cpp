// Hints as the verb that prints them may give them: without options that it does not have.
// A hint is cut into sentences (". ", "? "), those into statements ("; "), and those into parts (", "). A part is
// judged word by word; what is left is joined again, so that "A, B, or C" without C reads "A, or B".

#include "cli/hints.h"

#include <cctype>
#include <vector>

namespace mechane::cli {

namespace {

constexpr std::string_view kQuotes = "'`\"(),.;:?";

std::string_view bare(std::string_view word)
{
    while (!word.empty() && kQuotes.find(word.front()) != std::string_view::npos) word.remove_prefix(1);
    while (!word.empty() && kQuotes.find(word.back()) != std::string_view::npos) word.remove_suffix(1);
    return word;
}

/// Whether every option that the part names belongs to this verb, or to the verb that the part names with it.
bool is_possible(std::string_view part, std::string_view verb, const KnownOptions& known)
{
    std::string_view owner = verb;
    for (std::size_t at = 0; at < part.size();) {
        const std::size_t      end   = std::min(part.find(' ', at), part.size());
        const std::string_view whole = part.substr(at, end - at), word = bare(whole);
        at = end + 1;
        if (word.starts_with("--") && word.size() > 2) {
            if (!known.has_option(owner, word.substr(0, word.find('=')))) return false;
        } else if (known.is_verb(word)) {
            owner = word;
        }
        // The end of a command in quotes is the end of what belongs to its verb.
        if (whole.ends_with('`') || whole.ends_with('\'')) owner = verb;
    }
    return true;
}

std::vector<std::string_view> cut(std::string_view text, std::string_view at)
{
    std::vector<std::string_view> out;
    for (std::size_t end = text.find(at); end != std::string_view::npos; end = text.find(at)) {
        out.push_back(text.substr(0, end));
        text.remove_prefix(end + at.size());
    }
    out.push_back(text);
    return out;
}

std::string capital(std::string text)
{
    if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

std::string without_or(std::string part)
{
    for (const std::string_view word : {"or ", "and "})
        if (part.starts_with(word)) return part.substr(word.size());
    return part;
}

/// A statement without its impossible parts.
std::string statement_of(std::string_view statement, std::string_view verb, const KnownOptions& known)
{
    std::vector<std::string> kept;
    std::string              last;  // the word that the last part began with, if that part is gone
    for (const std::string_view part : cut(statement, ", ")) {
        if (is_possible(part, verb, known)) {
            kept.emplace_back(part);
            continue;
        }
        last = part.starts_with("or ") ? "or " : "";
    }
    std::string out;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const bool moved = i + 1 == kept.size() && i > 0 && !last.empty() && !kept[i].starts_with(last);
        out += i == 0 ? without_or(kept[i]) : ", " + (moved ? last : std::string()) + kept[i];
    }
    return out;
}

}  // namespace

std::string hint_for(std::string_view hint, std::string_view verb, const KnownOptions& known)
{
    if (verb.empty() || is_possible(hint, verb, known)) return std::string(hint);
    std::string out;
    while (!hint.empty()) {
        const std::size_t dot      = std::min(hint.find(". "), hint.find("? "));
        const bool        whole    = dot == std::string_view::npos;
        std::string_view  sentence = hint.substr(0, whole ? hint.size() : dot + 1);
        hint.remove_prefix(whole ? hint.size() : dot + 2);
        const bool             ended = sentence.ends_with('.') || sentence.ends_with('?');
        const std::string_view end   = ended ? sentence.substr(sentence.size() - 1) : std::string_view();
        if (ended) sentence.remove_suffix(1);
        std::string made;
        for (const std::string_view statement : cut(sentence, "; "))
            if (const std::string kept = statement_of(statement, verb, known); !kept.empty())
                made += (made.empty() ? "" : "; ") + kept;
        if (made.empty()) continue;
        if (!sentence.starts_with("--") && std::isupper(static_cast<unsigned char>(sentence[0])) != 0)
            made = capital(std::move(made));
        out += (out.empty() ? "" : " ") + made + std::string(end);
    }
    return out;
}

}  // namespace mechane::cli

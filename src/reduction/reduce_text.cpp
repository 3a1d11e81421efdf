// Makes a text of XML (URDF, MJCF, SDFormat) smaller while a command still finds the fault in it.
// Inputs and outputs are as in reduce.cpp, but the file stays what it is and is cut as text: the fault may lie in the
// reader, so no reader of this program takes part, and the file may be one that a reader would refuse.
// Units are elements by depth, attributes, then comments and texts. The search is the same ddmin.
// Invariant: a candidate is the old text without some spans, hence well-formed where the old text was.
// Called by `mechane reduce` for source formats.

#include "mechane/reduction/reduce_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mechane/core/hash.h"
#include "mechane/files/read.h"
#include "mechane/files/replace.h"
#include "mechane/files/scratch_folder.h"
#include "mechane/reduction/codes.h"

namespace mechane::reduction {
namespace {

namespace fs = std::filesystem;

/// A part of the text.
struct Span {
    std::size_t begin = 0, end = 0;
};
struct Attribute {
    Span        whole, value;  ///< with the space before it; without its quotes
    std::string name;
};
struct Parts {
    std::vector<std::pair<int, Span>> elements;  ///< depth, 0: the root
    std::vector<Attribute>            attributes;
    std::vector<Span>                 comments, texts;
};

/// Where the parts of a file of XML stand. What is not well-formed ends it: the rest is one text.
/// A scanner rather than a parser: it needs the bytes at which parts begin and end, which a document tree does not
/// keep.
Parts parts_of(std::string_view text)
{
    Parts                    out;
    std::vector<std::size_t> open;  // elements that are not closed yet
    std::size_t              at = 0;
    while (at < text.size()) {
        if (text[at] != '<') {
            const std::size_t end = std::min(text.find('<', at), text.size());
            if (text.substr(at, end - at).find_first_not_of(" \t\r\n") != std::string_view::npos)
                out.texts.push_back({at, end});
            at = end;
            continue;
        }
        const auto skip = [&](std::string_view opens, std::string_view closes) {
            if (!text.substr(at).starts_with(opens)) return false;
            const std::size_t end  = text.find(closes, at + opens.size());
            const std::size_t last = end == std::string_view::npos ? text.size() : end + closes.size();
            out.comments.push_back({at, last});
            at = last;
            return true;
        };
        // The order matters: "<!" is also how comments and CDATA begin.
        if (skip("<!--", "-->") || skip("<![CDATA[", "]]>") || skip("<?", "?>") || skip("<!", ">")) continue;
        if (text.substr(at).starts_with("</")) {
            const std::size_t end = std::min(text.find('>', at), text.size() - 1);
            if (open.empty()) return out;
            out.elements[open.back()].second.end = end + 1;
            open.pop_back();
            at = end + 1;
            continue;
        }
        out.elements.push_back({static_cast<int>(open.size()), {at, text.size()}});
        const std::size_t own = out.elements.size() - 1;
        at                    = std::min(text.find_first_of(" \t\r\n/>", at + 1), text.size());
        while (at < text.size() && text[at] != '>' && !text.substr(at).starts_with("/>")) {
            const std::size_t begin = at;
            at                      = text.find_first_not_of(" \t\r\n", at);
            if (at == std::string_view::npos) return out;
            if (text[at] == '>' || text[at] == '/') {
                if (text[at] == '/' && !text.substr(at).starts_with("/>")) ++at;
                continue;
            }
            const std::size_t name = at, sign = text.find_first_of("=>", at);
            if (sign == std::string_view::npos || text[sign] == '>') {
                at = sign;
                if (at == std::string_view::npos) return out;
                break;
            }
            const std::size_t quote = text.find_first_of("\"'", sign);
            const std::size_t close = quote == std::string_view::npos ? quote : text.find(text[quote], quote + 1);
            if (close == std::string_view::npos) return out;
            std::string called(text.substr(name, sign - name));
            while (!called.empty() && std::isspace(static_cast<unsigned char>(called.back())) != 0) called.pop_back();
            out.attributes.push_back({{begin, close + 1}, {quote + 1, close}, std::move(called)});
            // The value is skipped as a whole, so that '>' within quotes ends nothing.
            at = close + 1;
        }
        if (at >= text.size()) return out;
        if (text[at] == '>') {
            open.push_back(own);
            ++at;
        } else {
            at += 2;
            out.elements[own].second.end = at;
        }
    }
    return out;
}

/// Spans may lie within each other, as an attribute in an element that goes. `at` never moves back, so nothing is cut
/// or copied twice.
std::string without(const std::string& text, std::vector<Span> gone)
{
    std::sort(gone.begin(), gone.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
    std::string out;
    std::size_t at = 0;
    for (const Span& s : gone) {
        if (s.begin > at) out.append(text, at, s.begin - at);
        at = std::max(at, s.end);
    }
    return out.append(text, at, std::string::npos);
}

/// Lines that hold nothing any more go.
std::string tidy(const std::string& text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end  = std::min(text.find('\n', at), text.size());
        std::string       line = text.substr(at, end - at);
        while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.pop_back();
        if (!line.empty()) out += line + "\n";
        at = end + 1;
    }
    return out;
}

/// A text in pieces: words, and what stands between them, in order.
std::vector<std::string_view> words_of(std::string_view text)
{
    constexpr std::string_view    kBlanks = " \t\r\n";
    std::vector<std::string_view> out;
    while (!text.empty()) {
        const bool  blank = kBlanks.find(text.front()) != std::string_view::npos;
        std::size_t end   = blank ? text.find_first_not_of(kBlanks) : text.find_first_of(kBlanks);
        end               = std::min(end, text.size());
        out.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return out;
}

class TextReducer {
  public:
    TextReducer(const ReduceOptions& options, fs::path place)
        : limit(runs_for_size(options)), options_(options), place_(std::move(place))
    {
    }

    std::string best;
    std::size_t runs    = 0, limit;
    bool        stopped = false, exhausted = false;

    bool shows(const std::string& text)
    {
        const auto hash = hash_text(text);
        if (const auto known = known_.find(hash); known != known_.end()) return known->second;
        if (options_.stop && options_.stop()) return stopped = true, false;
        if (runs >= limit) return exhausted = true, false;
        ++runs;
        // The file is a scratch file. Waiting for the disk would cost more than the command itself.
        if (!files::replace(place_.string(), text, {.durable = false})) return false;
        const bool answer = options_.shows(place_.string(), 0);
        known_[hash]      = answer;
        if (options_.progress) options_.progress(runs, best.size());
        return answer;
    }

    /// Takes as many of the parts as can go (ddmin by complements). @return whether some went
    bool minimize(std::size_t count, const std::function<std::string(const std::vector<std::size_t>&)>& made)
    {
        std::vector<std::size_t> left(count), taken;
        std::iota(left.begin(), left.end(), std::size_t{0});
        for (std::size_t parts = 1; !left.empty() && !over();) {
            const std::size_t size = (left.size() + parts - 1) / parts;
            bool              won  = false;
            for (std::size_t begin = 0; begin < left.size() && !over(); begin += size) {
                const std::size_t        end = std::min(left.size(), begin + size);
                std::vector<std::size_t> all = taken;
                all.insert(all.end(), left.begin() + static_cast<std::ptrdiff_t>(begin),
                           left.begin() + static_cast<std::ptrdiff_t>(end));
                std::string candidate = made(all);
                if (!shows(candidate)) continue;
                best  = std::move(candidate);
                taken = std::move(all);
                left.erase(left.begin() + static_cast<std::ptrdiff_t>(begin),
                           left.begin() + static_cast<std::ptrdiff_t>(end));
                won = true;
                break;
            }
            if (won) {
                parts = std::max<std::size_t>(1, parts - 1);
            } else {
                if (parts >= left.size()) break;
                parts = std::min(left.size(), 2 * parts);
            }
        }
        return !taken.empty();
    }

    bool minimize(const std::vector<Span>& spans)
    {
        const std::string start = best;
        return minimize(spans.size(), [&](const std::vector<std::size_t>& gone) {
            std::vector<Span> list;
            for (const std::size_t i : gone) list.push_back(spans[i]);
            return without(start, std::move(list));
        });
    }

    void run()
    {
        for (bool some = true; some && !over();) {
            some = false;
            for (int depth = 1; !over(); ++depth) {
                const Parts       parts = parts_of(best);
                std::vector<Span> spans;
                int               deepest = 0;
                for (const auto& [d, s] : parts.elements) {
                    deepest = std::max(deepest, d);
                    if (d == depth) spans.push_back(s);
                }
                if (depth > deepest) break;
                some = minimize(spans) || some;
            }
            std::vector<Span> spans;
            for (const Attribute& a : parts_of(best).attributes) spans.push_back(a.whole);
            some              = minimize(spans) || some;
            const Parts parts = parts_of(best);
            spans             = parts.comments;
            spans.insert(spans.end(), parts.texts.begin(), parts.texts.end());
            some = minimize(spans) || some;
        }
        if (const std::string plain = tidy(best); !over() && shows(plain)) best = plain;
    }

    /// Names that the result may not tell.
    [[nodiscard]] std::vector<std::string> names_of_best() const
    {
        std::vector<std::string> names;
        for (const Attribute& a : parts_of(best).attributes)
            if (a.name == "name" || a.name == "model" || a.name == "class" || a.name == "prefix")
                names.push_back(best.substr(a.value.begin, a.value.end - a.value.begin));
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
        std::erase_if(names, [](const std::string& n) {
            // Names that formats give a meaning to, and those that a macro will replace.
            return n.empty() || n == "world" || n == "default" || n.find('$') != std::string::npos;
        });
        return names;
    }

    /// Names become hashes of theirs wherever a whole value or a word of one is such a name.
    /// @return the names that stay
    std::vector<std::string> anonymise()
    {
        // Where the search was cut short, comments may still be there, and they tell most.
        const Parts       parts = parts_of(best);
        std::vector<Span> spans = parts.comments;
        spans.insert(spans.end(), parts.texts.begin(), parts.texts.end());
        minimize(spans);
        const std::vector<std::string> names = names_of_best();
        const std::string              start = best;
        const auto                     made  = [&](const std::vector<std::size_t>& which) {
            std::unordered_map<std::string, std::string> to;
            for (const std::size_t i : which) to[names[i]] = fmt::format("n{:08x}", hash_text(names[i]) & 0xffffffff);
            std::string out;
            std::size_t at = 0;
            for (const Attribute& a : parts_of(start).attributes) {
                out.append(start, at, a.value.begin - at);
                const std::string value = start.substr(a.value.begin, a.value.end - a.value.begin);
                const auto        known = to.find(value);
                if (known != to.end())
                    out += known->second;
                else
                    for (const std::string_view word : words_of(value)) {
                        const auto name = to.find(std::string(word));
                        out += name != to.end() ? std::string_view(name->second) : word;
                    }
                at = a.value.end;
            }
            return out.append(start, at, std::string::npos);
        };
        minimize(names.size(), [&](const std::vector<std::size_t>& which) { return made(which); });
        std::vector<std::string>        kept;
        std::unordered_set<std::string> there;
        for (const Attribute& a : parts_of(best).attributes) {
            const std::string value = best.substr(a.value.begin, a.value.end - a.value.begin);
            there.insert(value);
            for (const std::string_view word : words_of(value)) there.emplace(word);
        }
        for (const std::string& n : names)
            if (there.contains(n)) kept.push_back(n);
        return kept;
    }

    [[nodiscard]] bool over() const { return stopped || exhausted; }

  private:
    const ReduceOptions&                    options_;
    fs::path                                place_;
    std::unordered_map<std::uint64_t, bool> known_;
};

/// A place in the scratch folder from which "meshes/a.stl" and "../meshes/a.stl" lead to the files that they lead to
/// from the file: links to what stands beside it and beside the three folders above it.
fs::path place_like(const fs::path& scratch, const fs::path& file)
{
    std::vector<fs::path> above;  // from the nearest
    // Source formats name meshes by relative paths. Links are made instead of copies, since meshes may be large.
    for (fs::path folder = file.parent_path(); above.size() < 4 && folder.has_filename(); folder = folder.parent_path())
        above.push_back(folder);
    fs::path        made = scratch;
    std::error_code failed;
    for (std::size_t i = above.size(); i-- > 0;) {
        made /= above[i].filename();
        fs::create_directories(made, failed);
        const fs::path own  = i == 0 ? file.filename() : above[i - 1].filename();
        std::size_t    many = 0;
        for (auto entry = fs::directory_iterator(above[i], failed); !failed && entry != fs::directory_iterator();
             entry.increment(failed)) {
            if (entry->path().filename() == own || ++many > 2000) continue;
            std::error_code unlinked;
            fs::create_symlink(entry->path(), made / entry->path().filename(), unlinked);
        }
    }
    return made / file.filename();
}

}  // namespace

Result<ReducedText> reduce_text(const std::string& file, const ReduceOptions& options)
{
    auto text = files::read_given(file);
    if (!text) return text.error();
    std::error_code            failed;
    const fs::path             real    = fs::absolute(file, failed).lexically_normal();
    const files::ScratchFolder scratch = files::ScratchFolder::temporary(real.parent_path());
    if (scratch.path().empty())
        return make_diagnostic(kScratch, {.layer = file}, "there is no folder for the smaller files");
    TextReducer reducer(options, place_like(scratch.path(), real));
    ReducedText out;
    out.elements_before = parts_of(*text).elements.size();
    reducer.best        = *std::move(text);
    if (!reducer.shows(reducer.best))
        return make_diagnostic(kNoFault, {.layer = file}, "the command does not end with status 0 for the whole file");
    reducer.run();
    const bool larger = std::exchange(reducer.exhausted, false);
    reducer.limit     = options.runs;
    if (options.anonymise) {
        auto stay = reducer.stopped ? reducer.names_of_best() : reducer.anonymise();
        // No answer is not a "no".
        (reducer.over() ? out.untried_names : out.kept_names) = std::move(stay);
    }
    reducer.exhausted = reducer.exhausted || larger;
    out.text          = reducer.best;
    out.elements      = parts_of(out.text).elements.size();
    out.runs          = reducer.runs;
    out.interrupted   = reducer.stopped;
    out.exhausted     = reducer.exhausted;
    return out;
}

}  // namespace mechane::reduction

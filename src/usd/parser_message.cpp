// OpenUSD's messages about text that it cannot parse, in words for who wrote the text, with line and column.
// The parser names rules of its grammar by their types; the table below knows those that users meet.

#include "usd/parser_message.h"

#include <fmt/format.h>

#include <regex>
#include <string_view>

#include "usd/layer_text.h"
#include "usd/text_index.h"

namespace mechane::usd {
namespace {

/// What was expected where a rule of the grammar did not match. OpenUSD prints the rule's type: a part of it names the
/// row, the first that fits.
struct Expectation {
    std::string_view rule, sentence;
};
constexpr Expectation kRules[] = {
    {"TupleValueClose", "expected a comma or ')' in a tuple"},
    {"ListValueClose", "expected a comma or ']' in a list"},
    {"ListOpKeyValueMetadata", "expected the name of a list, as in `prepend apiSchemas = [...]`"},
    {"RightAngleBracket", "the path that begins with '<' has no '>'"},
    {"PrimName", "expected the name of a prim in a path"},
    {"KeywordTimeSamples", "expected '= value', or .timeSamples, .connect or .spline after the name of an attribute"},
    {"Assignment", "expected '=' and a value"},
    {"ascii::one<'\\\"'>", "the string has no closing quote"},
    {"ascii::one<'\\''>", "the string has no closing quote"},
    {"FileFormatParser::At,", "the asset path that begins with '@' has no closing '@'"},
    {"ListOf<", "expected a list of values, parted by commas"},
    {"Digit>", "expected digits"},
    {"pxr_pegtl::eof'", "the name is not one that usda allows here"},
    {"internal::eof", "expected def, over or class at the start of a prim, or the end of the file"},
};

/// "Expected } ...": what stands before the bracket is what the parser has given up to understand.
constexpr Expectation kBrackets[] = {
    {"}", "expected a property, a prim or '}'"},
    {")", "expected a line of metadata or ')'"},
    {"]", "expected a comma or ']' in a list"},
    {"None or [", "expected a list in brackets, as in [\"PhysicsRigidBodyAPI\"], or None"},
};

std::string said(std::string_view text)
{
    constexpr std::string_view kMatching = "parse error matching ", kExpected = "Expected ";
    if (text.starts_with(kMatching)) {
        for (const auto& [rule, sentence] : kRules)
            if (text.find(rule) != std::string_view::npos) return std::string(sentence);
        return "this is not usda";
    }
    if (text.starts_with(kExpected)) {
        const std::string_view what = text.substr(kExpected.size());
        for (const auto& [bracket, sentence] : kBrackets)
            if (what == bracket) return std::string(sentence);
        return what.size() == 1 ? fmt::format("expected '{}'", what) : fmt::format("expected {}", what);
    }
    return std::string(text);
}

/// Of a value of the wrong type the parser names the property and what stands there, but no line: both are in the text.
void find_place(const std::string& file, const std::string& stands, Site& site)
{
    const std::string      text  = usda_text(file);
    const TextIndex::Place place = TextIndex(text).find(site.prim);
    if (place.line == 0) return;
    std::size_t begin = 0;
    for (int line = 1; line < place.line && begin != std::string::npos; ++line) begin = text.find('\n', begin) + 1;
    const std::size_t end = text.find('\n', begin), at = text.find(stands, begin);
    if (at == std::string::npos || at >= end) return;  // of another file
    site.line   = place.line;
    site.column = static_cast<int>(at - begin) + 1;
}

}  // namespace

Diagnostic from_parser_message(const Code& code, const std::string& file, const std::string& message)
{
    static const std::regex place(R"(:(\d+):(\d+):\s*([^\n]*))"), inside(R"(in </([^>]*)>)"),
        parts(R"(^(.*) at '(.*)' in <[^>]*>(?: on line \d+.*)?\s*$)");
    Site        site{.layer = file};
    std::string text = message.substr(0, message.find('\n'));
    std::smatch found;
    // A message may quote a whole line of the file; the place stands at its beginning.
    const std::string head = message.substr(0, 4096);
    if (std::regex_search(head, found, place)) {
        site.line   = std::atoi(found[1].str().c_str());
        site.column = std::atoi(found[2].str().c_str());
        text        = found[3].str();
    }
    if (std::regex_search(head, found, inside)) site.prim = "/" + found[1].str();
    std::string stands;
    bool        ends = false;
    if (std::regex_match(text, found, parts)) {
        stands = found[2].str();
        ends   = stands.find_first_not_of(" \t\r") == std::string::npos;
        text   = found[1].str();
    }
    if (site.line == 0 && !stands.empty()) find_place(file, stands, site);
    if (const std::size_t dot = site.prim.rfind('.'); dot != std::string::npos && dot > site.prim.rfind('/')) {
        site.property = site.prim.substr(dot + 1);
        site.prim.resize(dot);
    }
    // The parser gives up where a statement begins that does not end: usda ends statements at the end of a line.
    const std::size_t last   = stands.find_last_not_of(" \t\r");
    const char        closes = last == std::string::npos || last == 0 ? ' ' : stands[last];
    const bool        joined = (closes == '}' && text == "Expected }") || (closes == ')' && text == "Expected )");
    text                     = said(text).substr(0, 400);
    if (joined)
        text = fmt::format("a statement ends with its line or with ';', and '{}' goes on", stands.substr(0, 120));
    else if (ends)
        text += "; the line ends here";
    else if (!stands.empty())
        text += fmt::format("; found '{}'", stands.substr(0, 120));
    return make_diagnostic(code, std::move(site), std::move(text));
}

}  // namespace mechane::usd

#include "support/public_functions.h"

#include <fstream>
#include <iterator>
#include <regex>
#include <vector>

namespace mechane::test {

namespace {

/// The text without comments, texts and lines of the preprocessor.
std::string code_of(const std::filesystem::path& file)
{
    std::ifstream     in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::string lines = std::regex_replace(text, std::regex(R"(//[^\n]*|/\*[^*]*\*+([^/*][^*]*\*+)*/|"[^"\n]*")"), " ");
    return std::regex_replace(lines, std::regex(R"((^|\n)[ \t]*#[^\n]*(\\\n[^\n]*)*)"), "\n");
}

struct Scope {
    enum class Kind { other, space, hidden, type } kind = Kind::other;
    std::string name{};
    bool        open = true;  ///< declarations are public here
};

/// What a brace opens, by the words before it.
Scope opened(const std::string& words)
{
    const std::string head = std::regex_replace(words, std::regex(R"(\btemplate\s*<[^<>]*(<[^<>]*>[^<>]*)*>)"), " ");
    std::smatch       found;
    if (std::regex_search(head, found, std::regex(R"(\bnamespace\s*([\w:]*)\s*$)")))
        return {found[1].str().find("detail") == std::string::npos ? Scope::Kind::space : Scope::Kind::hidden};
    if (std::regex_search(head, std::regex(R"(\benum\b)"))) return {};
    if (head.find('(') == std::string::npos &&
        std::regex_search(head, found,
                          std::regex(R"(\b(class|struct)\s+(?:\[\[\w+\]\]\s*)?(\w+)(?:<[^>]*>)?[^;()]*$)")))
        return {Scope::Kind::type, found[2], found[1] == "struct"};
    return {};
}

/// The name that a declaration gives a function, or nothing.
std::string function_of(std::string text)
{
    text = std::regex_replace(text, std::regex(R"(\[\[\w+\]\])"), " ");
    text = std::regex_replace(text, std::regex(R"(^\s*template\s*<[^<>]*(<[^<>]*>[^<>]*)*>)"), " ");
    if (std::regex_search(text, std::regex(R"(^\s*(using|friend|typedef|static_assert|struct|class|enum|extern)\b)")))
        return {};
    if (std::regex_search(text, std::regex(R"(=\s*(default|delete)\s*$)"))) return {};
    std::smatch found;
    if (std::regex_search(text, found, std::regex(R"(\boperator\s*(\(\)|\[\]|[^\s\w(]+)\s*\()")))
        return "operator" + found[1].str();
    if (std::regex_search(text, std::regex(R"(\boperator\s+\w)")) || text.find('~') != std::string::npos) return {};
    if (!std::regex_search(text, found, std::regex(R"((^|[\s*&])(\w+)\s*\()"))) return {};
    // `Type name = expression(...)` and `std::function<R(A)> name` declare no function.
    const std::string before = text.substr(0, static_cast<std::size_t>(found.position(2)));
    if (before.find('=') != std::string::npos) return {};
    return found[2];
}

}  // namespace

std::map<std::string, int> public_functions(const std::filesystem::path& header)
{
    std::map<std::string, int> found;
    std::vector<Scope>         scopes;
    std::string                words;
    int                        brackets = 0;
    const std::string          code     = code_of(header);
    const auto                 declared = [&] {
        std::string prefix;
        for (const Scope& scope : scopes) {
            if (scope.kind == Scope::Kind::other || scope.kind == Scope::Kind::hidden || !scope.open) return;
            if (scope.kind == Scope::Kind::type) prefix += scope.name + "::";
        }
        if (const std::string name = function_of(words); !name.empty()) ++found[prefix + name];
    };
    for (std::size_t i = 0; i < code.size(); ++i) {
        const char c = code[i];
        if (c == '(') ++brackets;
        if (c == ')') --brackets;
        if (brackets > 0) {  // default values may have braces
            words += c;
            continue;
        }
        if (c == '{') {
            Scope scope = opened(words);
            // `name{...}` initialises a member: it ends with its semicolon.
            const bool member = scope.kind == Scope::Kind::other && words.find('(') == std::string::npos;
            if (!member && scope.kind == Scope::Kind::other) declared();
            scopes.push_back(scope);
            words.clear();
        } else if (c == '}') {
            if (!scopes.empty()) scopes.pop_back();
            words.clear();
        } else if (c == ';') {
            declared();
            words.clear();
        } else if (c == ':' && !scopes.empty() && scopes.back().kind == Scope::Kind::type &&
                   std::regex_match(words, std::regex(R"(\s*(public|private|protected)\s*)"))) {
            scopes.back().open = words.find("public") != std::string::npos;
            words.clear();
        } else {
            words += c;
        }
    }
    return found;
}

}  // namespace mechane::test

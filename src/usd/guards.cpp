// The guard of layers: looks at the bytes of a file before a parser of OpenUSD gets them, by format (crate, package,
// text).
// Limits are those of the process and of the opening: size, depth of nesting, unpacked size, text of expressions,
// memory.
// It answers nothing for a good file and a finding with the option that allows more for another.

#include "usd/guards.h"

#include <fmt/format.h>

#include "mechane/usd/codes.h"
#include "mechane/usd/untrusted.h"
#include "usd/crate_check.h"
#include "usd/text_check.h"
#include "usd/zip_check.h"

namespace mechane::usd {
namespace {

constexpr int kMaxPackages = 16;  ///< inside each other

std::optional<Diagnostic> guard_expressions(const std::vector<std::pair<std::string, std::string>>& found,
                                            const std::string& shown, ExpressionVariables* variables)
{
    if (found.empty()) return std::nullopt;
    ExpressionVariables  own;
    ExpressionVariables& all = variables == nullptr ? own : *variables;
    all.add(found);
    const std::uint64_t most = process_limits().expressions;
    if (all.cost(most + 1) <= most) return std::nullopt;
    return limit_reached({.layer = shown},
                         fmt::format("an expression variable stands for more than {} bytes of text", most),
                         "expressions");
}

std::optional<Diagnostic> guard_crate(std::string_view bytes, const std::string& shown, const Limits& limits,
                                      ExpressionVariables* variables)
{
    const CrateVerdict verdict = check_crate(bytes, 16 * limits.max_nesting);
    if (!verdict.wrong.empty())
        return make_diagnostic(kOpenFailed, {.layer = shown}, "damaged crate: " + verdict.wrong);
    // A compressed crate unpacks to a few times its size; sixty-four times is beyond what is honest.
    const std::uint64_t given = process_limits().unpacked, most = given != 0 ? given : (16 << 20) + 64 * bytes.size();
    if (verdict.unpacked > most)
        return limit_reached(
            {.layer = shown},
            fmt::format("the file's {} bytes unpack to {}, more than {}", bytes.size(), verdict.unpacked, most),
            "unpacked");
    return guard_expressions(verdict.variables, shown, variables);
}

std::optional<Diagnostic> guard(std::string_view bytes, const std::string& shown, const Limits& limits, int packages,
                                ExpressionVariables* variables)
{
    if (bytes.size() > limits.max_layer_bytes)
        return limit_reached({.layer = shown},
                             fmt::format("the file has {} bytes, more than {}", bytes.size(), limits.max_layer_bytes),
                             "layer");
    if (bytes.empty()) return make_diagnostic(kOpenFailed, {.layer = shown}, "the file is empty");
    if (bytes.starts_with("PXR-USDC")) return guard_crate(bytes, shown, limits, variables);
    if (bytes.starts_with("PK\3\4")) {
        if (packages == kMaxPackages)
            return make_diagnostic(kLimit, {.layer = shown}, fmt::format("packages nest deeper than {}", kMaxPackages));
        std::optional<Diagnostic> found;
        const std::string         what = check_zip(bytes, [&](std::string_view name, std::string_view content) {
            // Other files in a package (pictures, sounds) are no layers, whatever their bytes.
            if (content.starts_with("PXR-USDC") || content.starts_with("#usda") || content.starts_with("PK\3\4"))
                found = guard(content, fmt::format("{}[{}]", shown, name), limits, packages + 1, variables);
            return found ? found->message : std::string();
        });
        if (found) return found;
        return what.empty() ? std::nullopt
                            : std::optional(make_diagnostic(kOpenFailed, {.layer = shown}, "damaged package: " + what));
    }
    // OpenUSD's parser takes the mark for a letter before "#usda", and says that the file is none.
    if (bytes.starts_with("\xEF\xBB\xBF#"))
        return make_diagnostic(kOpenFailed, {.layer = shown, .line = 1},
                               "the text begins with a byte order mark, which usda does not have",
                               "Save the file as UTF-8 without the mark.");
    // What follows a zero is no text, and may be a hole of gigabytes in the file.
    if (const std::size_t zero = bytes.find('\0'); zero != std::string_view::npos)
        return make_diagnostic(kOpenFailed, {.layer = shown}, fmt::format("byte {} is zero: this is not text", zero));
    const NestingLimits nesting{
        .brackets = limits.max_nesting, .braces = limits.max_depth, .quoted = 16 * limits.max_nesting};
    if (auto deep = check_nesting(bytes, nesting)) {
        Diagnostic finding =
            limit_reached({.layer = shown}, deep->what, deep->what.starts_with("braces") ? "depth" : "nesting");
        finding.site.line = deep->line;
        return finding;
    }
    return guard_expressions(expression_variables_of(bytes), shown, variables);
}

/// True when text may author relocates: metadata of this name, wherever it stands.
bool text_relocates(std::string_view text)
{
    constexpr std::string_view kName = "relocates";
    for (std::size_t at = text.find(kName); at != std::string_view::npos; at = text.find(kName, at + kName.size())) {
        const std::size_t next = text.find_first_not_of(" \t\r\n", at + kName.size());
        if (next != std::string_view::npos && text[next] == '=') return true;
    }
    return false;
}

/// OpenUSD 24.08 to 26.11 recurse without end over some relocates between arcs that lead in circles.
const char* const kRelocatesWord = "relocates";

/// What is beyond the checks: crates younger than them, and relocates.
std::string unchecked(std::string_view bytes, int packages)
{
    if (bytes.starts_with("PXR-USDC") && bytes.size() > 10) {
        const int major = static_cast<unsigned char>(bytes[8]), minor = static_cast<unsigned char>(bytes[9]);
        if (major != 0 || minor < kFirstCheckedMinor || minor > kLastCheckedMinor)
            return fmt::format("a crate of version {}.{}", major, minor);
        return crate_has_token(bytes, "layerRelocates") ? kRelocatesWord : "";
    }
    if (bytes.starts_with("#usda")) return text_relocates(bytes) ? kRelocatesWord : "";
    std::string found;
    if (bytes.starts_with("PK\3\4") && packages < kMaxPackages)
        (void)check_zip(bytes, [&](std::string_view, std::string_view content) {
            if (found.empty()) found = unchecked(content, packages + 1);
            return found;
        });
    return found;
}

}  // namespace

std::string unchecked_part(std::string_view bytes) { return unchecked(bytes, 0); }

std::optional<Diagnostic> guard_layer(std::string_view bytes, const std::string& shown, const Limits& limits,
                                      ExpressionVariables* variables)
{ return guard(bytes, shown, limits, 0, variables); }

Diagnostic limit_reached(Site site, std::string what, std::string_view option)
{
    return make_diagnostic(kLimit, std::move(site), std::move(what),
                           fmt::format("Where the file is trusted, --stage-limit {}=... allows more.", option));
}

std::optional<Diagnostic> memory_limit_reached(const std::string& shown)
{
    const std::uint64_t most = process_limits().memory;
    if (most == 0 || memory_in_use() <= most) return std::nullopt;
    return limit_reached({.layer = shown}, fmt::format("reading takes more than {} MiB of memory", most >> 20),
                         "memory");
}

}  // namespace mechane::usd

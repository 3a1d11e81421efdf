#include "usd/guards.h"

#include <fmt/format.h>
#include <pxr/ar/packageUtils.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "mechane/usd/codes.h"

namespace mechane::usd {
namespace {

template <class T>
T read_at(std::string_view bytes, std::size_t at)
{
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
}

Result<void> wrong(const std::string& shown, std::string what) { return make_diagnostic(kOpenFailed, {.layer = shown}, std::move(what)); }

/// Each stored entry of a zip archive, found from its central directory.
Result<void> guard_zip(std::string_view bytes, const std::string& shown, const Limits& limits)
{
    constexpr std::size_t kEndSize = 22;
    if (bytes.size() < kEndSize) return wrong(shown, "the package is too short");
    std::size_t end = bytes.size() - kEndSize;
    while (end > 0 && bytes.size() - end < 65557 && read_at<std::uint32_t>(bytes, end) != 0x06054b50) --end;
    if (read_at<std::uint32_t>(bytes, end) != 0x06054b50) return {};  // OpenUSD reads local headers only; it decides
    const auto  entries = read_at<std::uint16_t>(bytes, end + 10);
    std::size_t at      = read_at<std::uint32_t>(bytes, end + 16);
    for (int i = 0; i < entries; ++i) {
        if (at + 46 > bytes.size() || read_at<std::uint32_t>(bytes, at) != 0x02014b50) return {};
        const auto        size   = read_at<std::uint32_t>(bytes, at + 24);
        const auto        name   = bytes.substr(at + 46, read_at<std::uint16_t>(bytes, at + 28));
        const std::size_t header = read_at<std::uint32_t>(bytes, at + 42);
        if (header + 30 > bytes.size()) return {};
        const std::size_t data = header + 30 + read_at<std::uint16_t>(bytes, header + 26) + read_at<std::uint16_t>(bytes, header + 28);
        if (data <= bytes.size() && size <= bytes.size() - data) {
            const std::string_view content = bytes.substr(data, size);
            if (content.starts_with("PXR-USDC")) {
                if (const std::string what = check_crate(content); !what.empty()) return wrong(shown, fmt::format("entry {}: {}", name, what));
            } else if (content.starts_with("#usda")) {
                if (auto good = guard_text(content, fmt::format("{}[{}]", shown, name), limits); !good) return good;
            }
        }
        at += 46 + read_at<std::uint16_t>(bytes, at + 28) + read_at<std::uint16_t>(bytes, at + 30) + read_at<std::uint16_t>(bytes, at + 32);
    }
    return {};
}

}  // namespace

std::string check_crate(std::string_view bytes)
{
    constexpr std::size_t kBootstrap = 88;
    if (bytes.size() < kBootstrap + 8) return "the crate is too short";
    if (!bytes.starts_with("PXR-USDC")) return "the file does not begin as a crate";
    const auto toc = read_at<std::int64_t>(bytes, 16);
    if (toc < static_cast<std::int64_t>(kBootstrap) || toc > static_cast<std::int64_t>(bytes.size()) - 8) return "the table of contents lies outside the file";
    const auto count = read_at<std::uint64_t>(bytes, static_cast<std::size_t>(toc));
    if (count > 32 || static_cast<std::uint64_t>(toc) + 8 + count * 32 > bytes.size()) return "the table of contents is longer than the file";
    std::vector<std::string> names;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::size_t at   = static_cast<std::size_t>(toc) + 8 + 32 * static_cast<std::size_t>(i);
        std::string       name(bytes.substr(at, 16));
        name          = name.c_str();
        const auto start = read_at<std::int64_t>(bytes, at + 16), size = read_at<std::int64_t>(bytes, at + 24);
        if (start < static_cast<std::int64_t>(kBootstrap) || size < 0 || start > static_cast<std::int64_t>(bytes.size()) || size > static_cast<std::int64_t>(bytes.size()) - start)
            return fmt::format("section {} lies outside the file", name);
        if (std::find(names.begin(), names.end(), name) != names.end()) return fmt::format("section {} appears twice", name);
        names.push_back(std::move(name));
    }
    for (const char* needed : {"TOKENS", "STRINGS", "FIELDS", "FIELDSETS", "PATHS", "SPECS"})
        if (std::find(names.begin(), names.end(), needed) == names.end()) return fmt::format("section {} is missing", needed);
    return {};
}

Result<void> guard_text(std::string_view text, const std::string& shown, const Limits& limits)
{
    std::size_t depth = 0;
    int         line  = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') {
            ++line;
        } else if (c == '#') {
            i = std::min(text.find('\n', i), text.size()) - 1;
        } else if (c == '"' || c == '\'') {
            const bool             triple = text.substr(i, 3) == std::string(3, c);
            const std::string      end(triple ? 3 : 1, c);
            std::size_t            parentheses = 0;
            for (i += end.size(); i < text.size() && text.substr(i, end.size()) != end; ++i) {
                if (text[i] == '\\') ++i;
                else if (text[i] == '\n') ++line;
                else if (text[i] == '(' && ++parentheses > 64 * limits.max_nesting) break;  // expressions in strings nest too
                if (!triple && i < text.size() && text[i] == '\n') break;
            }
            i += end.size() - 1;
        } else if (c == '(' || c == '[' || c == '{') {
            if (++depth > std::max<std::size_t>(limits.max_nesting, 8) * (c == '{' ? 16 : 1))
                return make_diagnostic(kLimit, {.layer = shown, .line = line}, fmt::format("brackets nest deeper than {}", limits.max_nesting));
        } else if ((c == ')' || c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
    return {};
}

Result<void> guard_file(const std::string& file, const std::string& shown, const Limits& limits)
{
    const std::string outer = pxr::ArIsPackageRelativePath(file) ? pxr::ArSplitPackageRelativePathOuter(file).first : file;
    if (outer.find("://") != std::string::npos) return {};
    std::error_code failed;
    const auto      size = std::filesystem::file_size(outer, failed);
    if (!failed && size > limits.max_layer_bytes) return make_diagnostic(kLimit, {.layer = shown}, fmt::format("the file has {} bytes, more than {}", size, limits.max_layer_bytes));
    std::ifstream stream(outer, std::ios::binary);
    std::string   head(8, '\0');
    stream.read(head.data(), 8);
    head.resize(static_cast<std::size_t>(stream.gcount()));
    if (head.empty()) return wrong(shown, "the file is empty");
    stream.clear();
    stream.seekg(0);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    if (head.starts_with("PXR-USDC") || outer.ends_with(".usdc")) {
        if (const std::string what = check_crate(bytes); !what.empty()) return wrong(shown, what);
        return {};
    }
    if (outer.ends_with(".usdz")) return guard_zip(bytes, shown, limits);
    return guard_text(bytes, shown, limits);
}

}  // namespace mechane::usd

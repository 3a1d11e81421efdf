#include <pxr/sdf/fileFormat.h>

#include <filesystem>
#include <fstream>
#include <string_view>

#include "usd/stage_impl.h"

namespace mechane::usd {
namespace {

using namespace pxr;

/// Line and column of a prim's header, or of a property in it, in usda text: a scan that follows braces and skips
/// strings and comments. Reads the file anew; only findings ask for it.
std::pair<int, int> find_in_text(const std::string& text, const SdfPath& path, const std::string& property)
{
    std::vector<std::string> wanted;
    for (const SdfPath& prefix : path.GetPrefixes())
        if (!prefix.IsPrimVariantSelectionPath()) wanted.push_back(prefix.GetName());
    std::size_t         matched = 0, depth = 0;  // depth of braces; matched elements of the path
    std::pair<int, int> best{0, 0};
    int                 line        = 1;
    std::size_t         line_start  = 0;
    int                 parentheses = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') {
            ++line;
            line_start = i + 1;
        } else if (c == '#') {
            while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
        } else if (c == '"' || c == '\'') {
            const bool        triple = text.compare(i, 3, std::string(3, c)) == 0;
            const std::size_t start  = i;
            i += triple ? 3 : 1;
            const std::string end(triple ? 3 : 1, c);
            while (i < text.size() && text.compare(i, end.size(), end) != 0) {
                if (text[i] == '\n') ++line, line_start = i + 1;
                i += text[i] == '\\' ? 2 : 1;
            }
            // A quoted name behind def, over or class at the depth of the next element is that prim.
            if (!triple && parentheses == 0 && matched < wanted.size() && depth == matched &&
                text.compare(start + 1, i - start - 1, wanted[matched]) == 0) {
                const std::string_view head(text.data() + line_start, start - line_start);
                if (head.find("def") != std::string_view::npos || head.find("over") != std::string_view::npos ||
                    head.find("class") != std::string_view::npos) {
                    ++matched;
                    if (matched == wanted.size()) {
                        best = {line, static_cast<int>(start - line_start) + 1};
                        if (property.empty()) return best;
                    }
                }
            }
            i += end.size() - 1;
        } else if (c == '(') {
            ++parentheses;
        } else if (c == ')') {
            --parentheses;
        } else if (c == '{' && parentheses == 0) {
            ++depth;
        } else if (c == '}' && parentheses == 0) {
            if (depth > 0) --depth;
            if (matched == wanted.size() && depth < matched) return best;
            matched = std::min(matched, depth);
        } else if (matched == wanted.size() && depth == matched && parentheses == 0 && !property.empty() &&
                   text.compare(i, property.size(), property) == 0) {
            const char before = i == 0 ? ' ' : text[i - 1],
                       after  = i + property.size() < text.size() ? text[i + property.size()] : ' ';
            const auto plain  = [](char x) {
                return x == ' ' || x == '\t' || x == '\n' || x == '=' || x == '.' || x == '\r';
            };
            if (plain(before) && plain(after)) return {line, static_cast<int>(i - line_start) + 1};
        }
    }
    return best;
}

}  // namespace

std::string shown_path(const std::string& path)
{
    std::error_code failed;
    const auto      relative = std::filesystem::relative(path, std::filesystem::current_path(failed), failed).string();
    return failed || relative.empty() || relative.starts_with("../..") ? path : relative;
}

std::string shown(const Stage::Impl& stage, const SdfLayerHandle& layer)
{
    if (!layer) return stage.source;
    // Pointers are compared: handles and references compare through each other without end in C++20.
    if (get_pointer(layer) == get_pointer(stage.root)) return stage.source;
    return shown_path(layer->GetRealPath().empty() ? layer->GetIdentifier() : layer->GetRealPath());
}

Site site_of(const Stage::Impl& stage, const PrimRecord& prim, const TfToken& property)
{
    Site site{.layer = stage.source, .prim = prim.path.text(), .property = property.GetString()};
    if (prim.index == nullptr) return site;
    SdfLayerRefPtr layer;
    SdfPath        path;
    for_each_site(*prim.index, [&](const SdfLayerRefPtr& l, const PcpNodeRef& node, std::size_t) {
        const bool has = property.IsEmpty() || l->HasSpec(node.GetPath().AppendProperty(property));
        if (has || !layer) {
            layer = l;
            path  = node.GetPath();
        }
        return has;
    });
    if (!layer) return site;
    site.layer = shown(stage, layer);
    std::string text;
    if (layer->IsAnonymous()) return site;
    if (const std::string& file = layer->GetRealPath(); !file.empty()) {
        std::ifstream stream(file, std::ios::binary);
        char          magic[8] = {};
        stream.read(magic, 8);
        if (std::string_view(magic, 5) != "#usda") return site;
        stream.seekg(0);
        text.assign(std::istreambuf_iterator<char>(stream), {});
    }
    std::tie(site.line, site.column) = find_in_text(text, path, property.GetString());
    return site;
}

}  // namespace mechane::usd

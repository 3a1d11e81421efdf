#include "mechane/core/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

#include "mechane/core/hash.h"

namespace mechane {

std::string_view to_string(Severity severity) noexcept
{
    switch (severity) {
        case Severity::info:
            return "info";
        case Severity::warning:
            return "warning";
        case Severity::error:
            return "error";
    }
    return "error";
}

std::string to_text(const Diagnostic& diagnostic)
{
    const Site& site = diagnostic.site;
    std::string text = site.layer;
    if (!text.empty() && site.line > 0) text += fmt::format(":{}", site.line);
    if (!text.empty() && site.line > 0 && site.column > 0) text += fmt::format(":{}", site.column);
    if (!site.prim.empty() || !site.property.empty()) {
        if (!text.empty()) text += ' ';
        text += fmt::format("<{}{}{}>", site.prim, site.property.empty() ? "" : ".", site.property);
    }
    if (!text.empty()) text += ' ';
    text += fmt::format("{} {}: {}", to_string(diagnostic.severity), diagnostic.id, diagnostic.message);
    if (diagnostic.count > 1) text += fmt::format(" ({} times)", diagnostic.count);
    if (!diagnostic.hint.empty()) text += fmt::format("\n    {}", diagnostic.hint);
    return text;
}

Diagnostic make_diagnostic(const Code& code, Site site, std::string message, std::string hint)
{
    return {.id       = std::string(code.id),
            .severity = code.severity,
            .message  = std::move(message),
            .site     = std::move(site),
            .hint     = hint.empty() ? std::string(code.remedy) : std::move(hint)};
}

void Diagnostics::add(Diagnostic diagnostic)
{
    const Site&       site  = diagnostic.site;
    const std::size_t hash  = hash_text(fmt::format("{}\n{}\n{}\n{}\n{}\n{}", diagnostic.id, site.layer, site.line,
                                                    site.prim, site.property, diagnostic.message));
    const auto        first = std::lower_bound(index_.begin(), index_.end(), std::pair{hash, std::size_t{0}});
    for (auto it = first; it != index_.end() && it->first == hash; ++it) {
        Diagnostic& known = items_[it->second];
        if (known.id == diagnostic.id && known.site == site && known.message == diagnostic.message) {
            known.count += diagnostic.count;
            return;
        }
    }
    index_.insert(first, {hash, items_.size()});
    items_.push_back(std::move(diagnostic));
}

void Diagnostics::add(const Code& code, Site site, std::string message, std::string hint)
{ add(make_diagnostic(code, std::move(site), std::move(message), std::move(hint))); }

void Diagnostics::append(const Diagnostics& other)
{
    for (const Diagnostic& diagnostic : other) add(diagnostic);
}

std::size_t Diagnostics::count(Severity severity) const noexcept
{
    return static_cast<std::size_t>(
        std::count_if(items_.begin(), items_.end(), [&](const auto& d) { return d.severity == severity; }));
}

std::size_t Diagnostics::count(std::string_view id) const noexcept
{
    return static_cast<std::size_t>(
        std::count_if(items_.begin(), items_.end(), [&](const auto& d) { return d.id == id; }));
}

const Diagnostic* Diagnostics::find(std::string_view id) const noexcept
{
    const auto it = std::find_if(items_.begin(), items_.end(), [&](const auto& d) { return d.id == id; });
    return it == items_.end() ? nullptr : &*it;
}

void Diagnostics::clear()
{
    items_.clear();
    index_.clear();
}

}  // namespace mechane

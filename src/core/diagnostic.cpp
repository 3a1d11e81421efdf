// Diagnostics: one finding with id, severity, site and hint, and lists of them. Equal findings (id, site, message) are
// counted instead of repeated.
// Text form: layer:line:column <prim.property> severity ID: message, the hint in a second line.

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
        // A property without a prim is an argument of a function, or an array.
        text += site.prim.empty() ? site.property
                                  : fmt::format("<{}{}{}>", site.prim, site.property.empty() ? "" : ".", site.property);
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
            .hint     = hint.empty() ? std::string(code.remedy) : std::move(hint),
            .alias    = std::string(code.alias)};
}

namespace {

// Pairs of hash and position in the list, sorted.
using Index = std::vector<std::pair<std::size_t, std::size_t>>;

// Severity, column and hint are no part of a finding's identity.
std::size_t hash_of(const Diagnostic& d)
{
    std::uint64_t hash = static_cast<std::uint64_t>(d.site.line);
    for (const std::string* text : {&d.id, &d.site.layer, &d.site.prim, &d.site.property, &d.message})
        hash = hash_text(*text, hash);
    return hash;
}

/// The finding among `items` that equals `wanted`, or null.
Diagnostic* find_equal(std::vector<Diagnostic>& items, const Index& index, std::size_t hash, const Diagnostic& wanted)
{
    // The index is sorted by hash and position; texts are compared only where hashes agree.
    for (auto it = std::lower_bound(index.begin(), index.end(), std::pair{hash, std::size_t{0}});
         it != index.end() && it->first == hash; ++it)
        if (Diagnostic& known = items[it->second];
            known.id == wanted.id && known.site == wanted.site && known.message == wanted.message)
            return &known;
    return nullptr;
}

}  // namespace

/// Sorted insertion: findings arrive one by one, and the list of most runs is short.
void Diagnostics::add(Diagnostic diagnostic)
{
    const std::size_t hash = hash_of(diagnostic);
    if (Diagnostic* known = find_equal(items_, index_, hash, diagnostic)) {
        known->count += diagnostic.count;
        return;
    }
    const std::pair entry{hash, items_.size()};
    index_.insert(std::upper_bound(index_.begin(), index_.end(), entry), entry);
    items_.push_back(std::move(diagnostic));
}

void Diagnostics::add(const Code& code, Site site, std::string message, std::string hint)
{ add(make_diagnostic(code, std::move(site), std::move(message), std::move(hint))); }

void Diagnostics::append(const Diagnostics& other)
{
    if (&other == this) return append(Diagnostics(other));
    // What the other one has is distinct already: its entries come into the index all at once.
    Index fresh;
    for (const Diagnostic& diagnostic : other) {
        const std::size_t hash = hash_of(diagnostic);
        if (Diagnostic* known = find_equal(items_, index_, hash, diagnostic)) {
            known->count += diagnostic.count;
            continue;
        }
        fresh.emplace_back(hash, items_.size());
        items_.push_back(diagnostic);
    }
    std::sort(fresh.begin(), fresh.end());
    const auto old = static_cast<std::ptrdiff_t>(index_.size());
    index_.insert(index_.end(), fresh.begin(), fresh.end());
    // Two sorted runs become one in a single pass.
    std::inplace_merge(index_.begin(), index_.begin() + old, index_.end());
}

std::size_t Diagnostics::count(Severity severity) const noexcept
{
    return static_cast<std::size_t>(
        std::count_if(items_.begin(), items_.end(), [&](const auto& d) { return d.severity == severity; }));
}

std::size_t Diagnostics::count(std::string_view id) const noexcept
{
    return static_cast<std::size_t>(
        std::count_if(items_.begin(), items_.end(), [&](const auto& d) { return d.is(id); }));
}

const Diagnostic* Diagnostics::find(std::string_view id) const noexcept
{
    const auto it = std::find_if(items_.begin(), items_.end(), [&](const auto& d) { return d.is(id); });
    return it == items_.end() ? nullptr : &*it;
}

void Diagnostics::clear()
{
    items_.clear();
    index_.clear();
}

}  // namespace mechane

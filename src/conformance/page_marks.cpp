// Marks on the pictures of the page of findings: an outline and a numbered disc for each prim that a finding names.
// Discs that would cover each other move along a spiral (the golden angle, 2.4 rad, as in a sunflower), with a line
// back to their place. Coordinates are pixels of the picture. Called by formats_html.cpp.

#include "page_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/markup.h"

namespace mechane::conformance {
namespace {

/// More marks than these cover the picture; the worst findings come first in a report.
constexpr std::size_t kMarks  = 120;
constexpr double      kRadius = 11;  ///< of a mark's disc [px of the picture]

/// The middle of what an outline spans.
Vec2d middle(const std::vector<Vec2d>& outline)
{
    Vec2d lower = outline.front(), upper = lower;
    for (const Vec2d& p : outline) {
        lower = {std::min(lower.x, p.x), std::min(lower.y, p.y)};
        upper = {std::max(upper.x, p.x), std::max(upper.y, p.y)};
    }
    return {(lower.x + upper.x) / 2, (lower.y + upper.y) / 2};
}

/// A place for a disc as near to where it belongs as the discs that are there leave room for: along a spiral.
Vec2d free_place(const Vec2d& wanted, const std::vector<Vec2d>& taken, const PageView& view)
{
    const double margin = kRadius + 1;
    const auto   inside = [&](const Vec2d& p) {
        return Vec2d{std::clamp(p.x, margin, std::max(margin, view.width - margin)),
                     std::clamp(p.y, margin, std::max(margin, view.height - margin))};
    };
    for (int i = 0; i < 400; ++i) {
        const double angle = 2.4 * i,
                     reach = 0.55 * kRadius * std::sqrt(static_cast<double>(i));  // a sunflower's seeds
        const Vec2d  at    = inside({wanted.x + reach * std::cos(angle), wanted.y + reach * std::sin(angle)});
        if (std::none_of(taken.begin(), taken.end(), [&](const Vec2d& other) {
                return std::hypot(at.x - other.x, at.y - other.y) < 2 * kRadius + 1;
            }))
            return at;
    }
    return inside(wanted);
}

}  // namespace

PageMarks::PageMarks(const Report& report, const PagePictures& pictures, std::size_t asset)
    : pictures_(pictures), asset_(asset)
{
    for (std::size_t i = 0; i < report.findings.size(); ++i) {
        const Finding& finding = report.findings[i];
        if (std::none_of(pictures.views.begin(), pictures.views.end(),
                         [&](const PageView& view) { return view.marks.count(finding.site.prim) != 0; }))
            continue;
        auto found = prims_.find(finding.site.prim);
        if (found == prims_.end()) {
            if (prims_.size() == kMarks) continue;
            found =
                prims_.emplace(finding.site.prim, Prim{.number = prims_.size(), .first = i, .worst = finding.severity})
                    .first;
        }
        ++found->second.findings;
    }
}

std::string PageMarks::of(const Finding& finding) const
{
    const auto found = prims_.find(finding.site.prim);
    return found == prims_.end() ? "" : fmt::format("{}-{}", asset_, found->second.number);
}

std::string PageMarks::view(const PageView& view) const
{
    std::string out = fmt::format(
        "<svg viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">\n<image href=\"{3}\" width=\"{0}\" "
        "height=\"{1}\"/>\n",
        view.width, view.height, markup_escaped(view.name), markup_escaped(view.source));
    // In the order of the report: the worst are drawn last, over the others, but choose their places first.
    std::vector<std::pair<std::string_view, const Prim*>> order(prims_.size());
    for (const auto& [path, prim] : prims_) order[prim.number] = {path, &prim};
    std::vector<Vec2d>       taken;
    std::vector<std::string> drawn;
    for (const auto& [path, prim] : order) {
        const auto mark = view.marks.find(std::string(path));
        if (mark == view.marks.end() || mark->second.outline.empty()) continue;
        const std::vector<Vec2d>& outline = mark->second.outline;
        const std::string         name    = fmt::format("{}-{}", asset_, prim->number);
        std::string text = fmt::format("<g class=\"mark {}\" data-mark=\"{}\">", to_string(prim->worst), name);
        if (outline.size() > 1) {
            text += "<polygon points=\"";
            for (const Vec2d& p : outline) text += fmt::format("{:.1f},{:.1f} ", p.x, p.y);
            text += "\"/>";
        }
        if (!mark->second.whole) {
            const Vec2d wanted = middle(outline), at = free_place(wanted, taken, view);
            taken.push_back(at);
            if (std::hypot(at.x - wanted.x, at.y - wanted.y) > kRadius)
                text += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", wanted.x, wanted.y, at.x, at.y);
            text += fmt::format(
                "<a href=\"#f{}-{}\"><title>{}</title><circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/><text x=\"{:.1f}\" "
                "y=\"{:.1f}\">{}</text></a>",
                asset_, prim->first, markup_escaped(path), at.x, at.y, kRadius, at.x, at.y + 4, prim->findings);
        }
        drawn.push_back(text + "</g>\n");
    }
    for (auto text = drawn.rbegin(); text != drawn.rend(); ++text) out += *text;
    return out + "</svg>\n";
}

std::string PageMarks::html() const
{
    if (pictures_.views.empty())
        return pictures_.missing.empty() ? ""
                                         : fmt::format("<p class=\"none\">{}</p>\n", markup_escaped(pictures_.missing));
    // The views lie beside the buttons that choose one of them, so that a page without scripts shows them too.
    std::string buttons, views;
    for (std::size_t i = 0; i < pictures_.views.size(); ++i) {
        const PageView& one = pictures_.views[i];
        if (pictures_.views.size() > 1)
            buttons += fmt::format(
                "<input type=\"radio\" name=\"v{0}\" id=\"v{0}-{1}\"{2}><label for=\"v{0}-{1}\">{3}</label>\n", asset_,
                i, i == 0 ? " checked" : "", markup_escaped(one.name));
        views += fmt::format("<div class=\"view\">{}</div>\n", view(one));
    }
    return buttons + views;
}

}  // namespace mechane::conformance

// Repairs of asset paths (phase P6): absolute paths, missing anchors, files outside of the asset's folder.
// A path is rewritten wherever the layer has it, because the text of a path is the only thing that the finding knows.
// Files from outside are copied into the asset unless --no-localize is given.

#include <array>
#include <filesystem>

#include "conformance/asset_paths.h"
#include "conformance/fixes/arcs.h"
#include "conformance/fixes/repair.h"

/// P6: asset paths.
namespace mechane::conformance {
namespace {

namespace fs = std::filesystem;

/// Rewrites one authored path wherever the finding's layer has it.
void rewrite(Repair& repair, const Finding& finding, const std::string& now)
{
    usd::Layer* layer = repair.work.layer(finding.site.layer);
    if (layer == nullptr || repair.work.has_overlay())
        return repair.refuse("overlay", "an overriding layer cannot change paths; use -o or --in-place");
    const std::string was   = finding.observed;
    std::size_t       count = 0;
    layer->rewrite_assets([&](const std::string& authored) {
        count += authored == was;
        return authored == was ? now : authored;
    });
    if (count > 0) repair.note(finding.site.layer, usd::Path::root(), "asset paths", "@" + was + "@", "@" + now + "@");
}

fs::path layer_file(const Finding& finding) { return fs::absolute(finding.site.layer).lexically_normal(); }

void fix_absolute(Repair& repair, const Finding& finding)
{
    std::string path = finding.observed;
    if (path.starts_with("file:")) path.erase(0, path.starts_with("file://") ? 7 : 5);
    const fs::path copy = path.starts_with('/') ? repair.work.copy_of(path) : fs::path();
    if (copy.empty() || repair.work.relative(copy) == repair.work.original(copy))
        return repair.refuse("unresolved",
                             "the file is not in the asset's folder; put it there and name it relatively");
    rewrite(repair, finding, relative_to(copy, layer_file(finding)));
}

void fix_anchor(Repair& repair, const Finding& finding)
{
    const AssetPathForm form = form_of(finding.observed);
    std::string         now  = finding.observed;
    for (char& c : now)
        if (c == '\\') c = '/';
    if (form.kind == PathKind::search) now = "./" + now;
    rewrite(repair, finding, now);
}

void fix_outside(Repair& repair, const Finding& finding)
{
    if (!repair.options.localize) return repair.refuse("external-layer", "--no-localize leaves it where it is");
    if (repair.work.has_overlay()) return repair.refuse("overlay", "an overriding layer cannot change paths");
    const fs::path from = layer_file(finding);
    const fs::path file = (from.parent_path() / form_of(finding.observed).file).lexically_normal();
    auto           here = repair.work.localize(file);
    if (!here) return repair.refuse("unresolved", here.error().message);
    const std::string rest = finding.observed.substr(form_of(finding.observed).file.size());
    rewrite(repair, finding, relative_to(*here, from) + rest);
}

constexpr std::array kRepairs{RepairOf{"REP-1.2.5-f", Phase::paths, fix_absolute},
                              RepairOf{"REP-1.2.5-g", Phase::paths, fix_anchor},
                              RepairOf{"REP-1.2.5-h", Phase::paths, fix_outside}};

}  // namespace

std::span<const RepairOf> path_repairs() { return kRepairs; }

}  // namespace mechane::conformance

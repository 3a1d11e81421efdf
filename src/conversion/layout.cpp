// OpenUSD written in another layout: the folder that REP-0158 describes, one flat layer, or a package.
// Inputs: a stage and a name. Outputs: files, their number, and edits as entries of the loss report.
// A folder goes through the repairs of `mechane fix`, because the layout is among its rules.
// Called by convert.cpp.

#include "mechane/conversion/layout.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "mechane/conformance/fix.h"
#include "mechane/conformance/publish.h"
#include "mechane/files/replace.h"
#include "mechane/files/scratch_folder.h"
#include "mechane/sourceformats/codes.h"
#include "mechane/usd/file_names.h"
#include "mechane/usd/flatten.h"
#include "mechane/usd/layer_files.h"
#include "mechane/usd/stage_layers.h"

namespace mechane::conversion {
namespace {

namespace fs = std::filesystem;
namespace sf = sourceformats;

// Repairs are told once for a rule, with the first value as an example.
void tell_edits(const conformance::FixResult& result, sf::LossReport& losses)
{
    std::map<std::string, std::pair<const conformance::FixEdit*, std::size_t>> rules;
    for (const conformance::FixEdit& edit : result.edits) {
        auto& [first, count] = rules[std::string(edit.rule->id)];
        if (count++ == 0) first = &edit;
    }
    for (const auto& [rule, of] : rules)
        losses.add({rule,
                    Severity::info,
                    sf::LossAction::converted,
                    "metadata",
                    {.layer = of.first->layer, .prim = of.first->path},
                    fmt::format("{} of {}",
                                of.second == 1 ? std::string("1 value") : fmt::format("{} values", of.second), rule),
                    of.first->before,
                    of.first->after,
                    std::string(of.first->rule->summary)});
    // What no repair may decide is kept as it was. An error of the input becomes a warning of the report, as the
    // conversion did not cause it.
    for (const conformance::Unrepaired& left : result.left)
        losses.add({std::string(left.rule->id),
                    left.remark                        ? Severity::info
                    : left.severity == Severity::error ? Severity::warning
                                                       : left.severity,
                    sf::LossAction::kept,
                    "metadata",
                    {.layer = left.layer, .prim = left.prim, .property = left.property},
                    left.prim.empty() ? left.layer : left.prim,
                    {},
                    {},
                    left.message});
}

Result<LaidOut> as_folder(const std::string& file, const std::string& output, const usd::OpenOptions& open,
                          const Gate& before_writing, sf::LossReport& losses, Diagnostics& found)
{
    // Asked first, so that nothing is computed for a folder that cannot be written.
    if (auto possible = conformance::try_folder(output); !possible) return possible.error();
    // The result is made in a folder beside the output and then takes its name.
    const files::ScratchFolder scratch(files::nearest_folder(output));
    if (scratch.path().empty())
        return make_diagnostic(sf::kWriteFailed, {.layer = output}, "the folder above it cannot be written");
    conformance::FixOptions options;
    options.open      = open;
    options.divide    = true;
    const auto result = conformance::fix(file, scratch.path().string(), options);
    if (!result) return result.error();
    // Files outside the folder of the input are named in the findings.
    if (const auto admitted =
            conformance::admit_sources(*result, file, usd::roots_of({}, files::Outside::warn, open), found);
        !admitted)
        return admitted.error();
    tell_edits(*result, losses);
    // The output may be a file that has just been read.
    if (const auto free = before_writing(losses); !free) return free.error();
    const auto names = conformance::publish_folder(*result, output);
    if (!names) return names.error();
    return LaidOut{(fs::path(output) / result->entry).lexically_normal().string(), *names,
                   result->after.count(Severity::error)};
}

/// A flat layer has no variants: what is selected is content, and the rest is gone. A selection of whoever opened the
/// stage counts before that of its layers.
void tell_variants(const usd::Stage& stage, const usd::OpenOptions& open, sf::LossReport& losses)
{
    for (const usd::Prim& prim : stage.traverse({.all = true}))
        for (const usd::VariantSetUse& set : usd::variant_sets(prim)) {
            std::string selected = set.selection, dropped;
            for (const auto& [where, name] : open.variant_selections)
                if (where == set.name || where == fmt::format("{}{{{}}}", prim.path().text(), set.name))
                    selected = name;
            for (const std::string& name : set.variants)
                if (name != selected) dropped += (dropped.empty() ? "" : ", ") + name;
            if (dropped.empty()) continue;
            losses.add({"variants-not-selected",
                        Severity::warning,
                        sf::LossAction::dropped,
                        "metadata",
                        {.layer = set.place.layer, .prim = prim.path().text()},
                        "variants of " + set.name,
                        dropped,
                        selected,
                        "a flat layer holds the selected variant alone; convert to a folder or a .usdz to keep all"});
        }
}

Result<LaidOut> as_layer(const std::string& file, const std::string& output, const usd::OpenOptions& open,
                         const Gate& before_writing, sf::LossReport& losses, Diagnostics& found)
{
    const auto stage = usd::Stage::open(file, open);
    if (!stage) return stage.error();
    found.append((*stage)->diagnostics());
    tell_variants(**stage, open, losses);
    // All arcs are resolved: the layer names no other layer any more.
    usd::Layer      layer = usd::flatten(**stage);
    std::error_code failed;
    const fs::path  place = fs::absolute(output, failed).lexically_normal().parent_path();
    layer.rewrite_assets([&](const std::string& authored) {  // pictures stay where they are
        // "a.usdz[tex.png]" names a file within a package and cannot be made relative.
        if (!fs::path(authored).is_absolute() || authored.ends_with(']')) return authored;
        const std::string relative = fs::path(authored).lexically_relative(place).string();
        return relative.starts_with("..") ? relative : "./" + relative;
    });
    if (const auto free = before_writing(losses); !free) return free.error();
    if (auto saved = layer.save(output); !saved) return saved.error();
    // A flat layer is one file, and nothing in it was checked.
    return LaidOut{output, {output}, 0};
}

Result<LaidOut> as_package(const std::string& file, const std::string& output, const usd::OpenOptions& open,
                           const Gate& before_writing, const sf::LossReport& losses, Diagnostics& found)
{
    // A package takes the layers as they are, with all that they name.
    auto layer = usd::Layer::open(file, open.limits);
    if (!layer) return layer.error();
    if (const auto free = before_writing(losses); !free) return free.error();
    if (auto done = usd::write_package_within(*layer, output, {open.search_paths, open.packages, open.limits},
                                              usd::roots_of({}, files::Outside::warn, open), found);
        !done)
        return done.error();
    return LaidOut{output, {output}, 0};
}

}  // namespace

std::optional<UsdLayout> layout_of_word(std::string_view word)
{
    if (word == "rep0158") return UsdLayout::rep0158;
    if (word == "flat" || word == "single") return UsdLayout::flat;
    if (word == "usdz") return UsdLayout::usdz;
    return std::nullopt;
}

std::optional<UsdLayout> layout_of_file(const std::string& file)
{
    if (usd::is_layer_name(file)) return UsdLayout::flat;
    if (usd::is_package_name(file)) return UsdLayout::usdz;
    // A name without a suffix is a folder.
    if (!fs::path(file).has_extension() || file.ends_with('/')) return UsdLayout::rep0158;
    return std::nullopt;
}

Result<LaidOut> lay_out(const std::string& file, UsdLayout layout, const std::string& output,
                        const usd::OpenOptions& open, const Gate& before_writing, sf::LossReport& losses,
                        Diagnostics& found)
{
    losses.source = file;
    losses.target = "OpenUSD";
    switch (layout) {
        case UsdLayout::rep0158:
            losses.target_version = "UsdPhysics, REP-0158";
            return as_folder(file, output, open, before_writing, losses, found);
        case UsdLayout::flat:
            return as_layer(file, output, open, before_writing, losses, found);
        case UsdLayout::usdz:
            break;
    }
    return as_package(file, output, open, before_writing, losses, found);
}

}  // namespace mechane::conversion

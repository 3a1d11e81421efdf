// Which layers bring a layer in, and renaming a layer with all arcs that name it.
// Inputs: the working copy. A layer of another folder has its relative paths rewritten.
// Called by the repairs of phases P6 to P8.

#include "conformance/fixes/arcs.h"

#include "mechane/usd/stage_layers.h"

namespace mechane::conformance {
namespace fs = std::filesystem;

std::string relative_to(const fs::path& file, const fs::path& layer)
{
    const std::string path = file.lexically_relative(layer.parent_path()).string();
    return path.starts_with("..") ? path : "./" + path;
}

fs::path named_by(const std::string& authored, const fs::path& layer)
{
    if (authored.empty() || authored.find("://") != std::string::npos) return {};
    return (layer.parent_path() / authored.substr(0, authored.find(":SDF_FORMAT_ARGS:"))).lexically_normal();
}

std::vector<LayerUse> uses_of(Repair& repair, const fs::path& file)
{
    std::vector<LayerUse> uses;
    for (const fs::path& user : repair.work.asset_layers()) {
        usd::Layer* layer = repair.work.layer(user.string());
        if (layer == nullptr) continue;
        for (const std::string& asset : layer->sublayers())
            if (named_by(asset, user) == file)
                uses.push_back({LayerUse::sublayer, {layer, user.string(), usd::Path::root()}, {.asset = asset}});
        for (const usd::Path& prim : usd::prim_specs(*layer)) {
            for (const usd::Arc& arc : layer->references(prim))
                if (named_by(arc.asset, user) == file)
                    uses.push_back({LayerUse::reference, {layer, user.string(), prim}, arc});
            for (const usd::Arc& arc : layer->payloads(prim))
                if (named_by(arc.asset, user) == file)
                    uses.push_back({LayerUse::payload, {layer, user.string(), prim}, arc});
        }
    }
    return uses;
}

bool rename_layer(Repair& repair, const fs::path& from, const fs::path& to)
{
    usd::Layer* layer = repair.work.layer(from.string());
    if (layer == nullptr) return repair.refuse("external-layer", "the layer is not the asset's own"), false;
    if (!repair.work.original(to).empty() || repair.work.is_asset(to) || fs::exists(to))
        return repair.refuse("name-taken", "there is a file " + to.filename().string() + " already"), false;
    usd::Layer copy = layer->copy();
    if (from.parent_path() != to.parent_path())
        copy.rewrite_assets([&](const std::string& authored) {
            if (authored.find("://") != std::string::npos || authored.starts_with('/')) return authored;
            const fs::path named = named_by(authored, from);
            if (named.empty()) return authored;
            const std::size_t rest = authored.find(":SDF_FORMAT_ARGS:");
            return relative_to(named, to) + (rest == std::string::npos ? "" : authored.substr(rest));
        });
    repair.work.new_layer(to) = std::move(copy);
    const std::string name    = from.string();
    for (const fs::path& user : repair.work.asset_layers()) {
        if (user == from || user == to) continue;
        usd::Layer* other = repair.work.layer(user.string());
        if (other == nullptr) continue;
        bool found = false;
        usd::for_each_asset(*other, [&](const usd::Path&, const usd::Token&, const std::string& authored) {
            found |= named_by(authored, user) == from;
        });
        if (!found) continue;
        other->rewrite_assets([&](const std::string& authored) {
            if (named_by(authored, user) != from) return authored;
            const std::size_t rest = authored.find(":SDF_FORMAT_ARGS:");
            return relative_to(to, user) + (rest == std::string::npos ? "" : authored.substr(rest));
        });
        repair.note(user.string(), usd::Path::root(), "asset paths", relative_to(from, user), relative_to(to, user));
    }
    repair.note(to.string(), usd::Path::root(), "layer", from.filename().string(), to.filename().string());
    repair.work.remove(from);
    return true;
}

}  // namespace mechane::conformance

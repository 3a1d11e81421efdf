// The working copy of an asset: its files below a scratch folder, at the places that they had, so that relative paths
// still lead to each other.
// Files of the asset's own folder may be edited; those from elsewhere are copied for reading and become the asset's own
// only by localize().
// A trial remembers the files that it changes and can take them back.
// Invariant: the original is never written; text layers that are edited keep comments and layout where that is
// possible.
// Called by Fixer and the repairs.

#include "conformance/fixes/workspace.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <limits>
#include <sstream>

#include "mechane/conformance/codes.h"
#include "mechane/files/codes.h"
#include "mechane/files/inputs.h"
#include "mechane/files/suffix.h"
#include "mechane/usd/asset_bytes.h"
#include "mechane/usd/asset_sources.h"
#include "mechane/usd/file_names.h"
#include "mechane/usd/text_edit.h"

namespace mechane::conformance {
namespace fs = std::filesystem;
namespace {

/// Folder below the work folder for files as they were before a trial. Absolute paths have no such first part.
constexpr const char* kBefore = ".mechane-before";

Diagnostic failed(const fs::path& file, const std::string& why)
{ return make_diagnostic(codes::kWorkFolder, {.layer = file.string()}, why); }

/// Why a copy failed: a source that can be read leaves the disk, which is full or takes no more of this program.
Diagnostic not_copied(const fs::path& from, const fs::path& to, const std::error_code& why)
{
    if (access(from.c_str(), R_OK) != 0) return failed(from, why.message());
    return make_diagnostic(
        files::kWriteFailed, {.layer = to.string()},
        fmt::format("the copy of {} to work on could not be written: {}", from.filename().string(), why.message()));
}

bool inside(const fs::path& file, const fs::path& folder)
{
    const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
    return end == folder.end();
}

fs::path normal(const fs::path& path) { return fs::absolute(path).lexically_normal(); }

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): once, for a path without backslashes
std::vector<fs::path> files_named(const std::string& authored, const fs::path& layer)
{
    std::string path = authored.substr(0, authored.find(":SDF_FORMAT_ARGS:"));
    if (path.starts_with("file:")) path.erase(0, path.starts_with("file://") ? 7 : 5);  // which no resolver knows
    if (path.find("://") != std::string::npos) return {};
    if (const std::size_t packaged = path.find('['); packaged != std::string::npos) path.resize(packaged);
    const fs::path  file = (layer.parent_path() / path).lexically_normal();
    std::error_code error;
    if (fs::is_regular_file(file, error)) return {file};
    // What Windows wrote names nothing here until its backslashes are slashes (REP-1.2.5-g).
    if (path.find('\\') != std::string::npos) {
        std::ranges::replace(path, '\\', '/');
        return files_named(path, layer);
    }
    const std::string     name = file.filename().string();
    std::vector<fs::path> found;
    const std::size_t     tile = name.find("<UDIM>"), frame = name.find('#');
    const std::size_t     open = std::min(tile, frame);
    if (open == std::string::npos) return {};
    const std::size_t close = tile < frame ? tile + 6 : name.find_last_of('#') + 1;
    for (auto at = fs::directory_iterator(file.parent_path(), error); !error && at != fs::directory_iterator();
         at.increment(error)) {
        const std::string other = at->path().filename().string();
        if (other.size() >= open + name.size() - close && other.starts_with(name.substr(0, open)) &&
            other.ends_with(name.substr(close)))
            found.push_back(at->path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::string content_of(const fs::path& file)
{
    std::ifstream     in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return std::move(text).str();
}

Result<void> Workspace::take(const fs::path& original)
{
    const fs::path  copy = root_ / original.relative_path();
    std::error_code error;
    if (!fs::is_regular_file(original, error)) return failed(original, error ? error.message() : "it is not a file");
    files::note_read(original.string());
    fs::create_directories(copy.parent_path(), error);
    if (!error) fs::copy_file(original, copy, error);
    if (error) return not_copied(original, copy, error);
    fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_write, fs::perm_options::add, error);
    originals_[copy] = original.string();
    if (usd::is_layer_name(original)) layer_files_.insert(copy);
    return {};
}

/// The files of a package, in its folder's place. None has an original of its own, so that all are results.
Result<void> Workspace::unpack(const fs::path& package)
{
    files::note_read(package.string());
    const std::string entry = usd::packaged_file(package.string()).inner;
    if (entry.empty()) return make_diagnostic(codes::kPackage, {.layer = package.string()}, "it holds no layer");
    for (const std::string& name : usd::package_files(package.string())) {
        const fs::path to = (folder_ / name).lexically_normal();
        if (!inside(to, folder_))
            return make_diagnostic(codes::kPackage, {.layer = package.string()},
                                   "it holds a file that lies outside of it: " + name);
        const std::string bytes =
            usd::first_bytes(package.string() + "[" + name + "]", std::numeric_limits<std::size_t>::max());
        std::error_code error;
        fs::create_directories(to.parent_path(), error);
        std::ofstream file(to, std::ios::binary);
        if (error || !(file << bytes).flush())
            return make_diagnostic(files::kWriteFailed, {.layer = to.string()}, "cannot be written");
        originals_[to] = "";
        if (usd::is_layer_name(to)) layer_files_.insert(to);
    }
    entry_ = (folder_ / entry).lexically_normal();
    if (originals_.count(entry_) == 0)
        return make_diagnostic(codes::kPackage, {.layer = package.string()}, "its first layer cannot be read");
    return {};
}

Result<Workspace> Workspace::copy(const std::string& asset, const std::string& folder)
{
    Workspace       out;
    std::error_code error;
    const fs::path  root = normal(asset);
    out.root_            = fs::weakly_canonical(folder, error);
    if (error) return failed(folder, error.message());
    out.folder_ = out.root_ / root.parent_path().relative_path();
    out.entry_  = out.root_ / root.relative_path();
    if (usd::is_package_name(root)) {
        if (auto unpacked = out.unpack(root); !unpacked) return unpacked.error();
        return out;
    }
    // Whatever a layer can bring in, also in variants that are not selected and payloads that are not loaded.
    std::deque<fs::path> waiting{root};
    std::set<fs::path>   known{root};
    usd::Layer           variables;  // of the root layer, which expressions in all layers are evaluated with
    while (!waiting.empty()) {
        const fs::path file = waiting.front();
        waiting.pop_front();
        if (auto taken = out.take(file); !taken) return taken.error();
        if (!usd::is_layer_name(file)) continue;
        auto layer = usd::Layer::open(file.string());
        if (!layer) {
            if (file == root) return layer.error();
            continue;  // the check says that it cannot be read
        }
        const auto bring = [&](const std::string& authored) {
            for (const fs::path& named : files_named(authored, file))
                if (known.insert(named).second) waiting.push_back(named);
            return authored;
        };
        layer->rewrite_assets(bring);
        if (file == root) variables = layer->copy();
        for (const std::string& said : usd::indirect_assets(*layer, variables)) bring(said);
    }
    return out;
}

Result<void> Workspace::add_overlay(const std::string& name)
{
    auto base = usd::Layer::open(entry_.string());
    if (!base) return base.error();
    const fs::path file    = folder_ / name;
    usd::Layer&    overlay = new_layer(file);
    for (const usd::Token& key : base->fields(usd::Path::root())) {
        const std::string& k = key.text();
        if (k == "subLayers" || k == "subLayerOffsets" || k == "primOrder" || k == "primChildren") continue;
        if (auto set = overlay.set_field(usd::Path::root(), key, base->field(usd::Path::root(), key)); !set) return set;
    }
    if (auto set = overlay.set_sublayers({"./" + entry_.filename().string()}); !set) return set;
    entry_   = file;
    overlay_ = true;
    return save();
}

usd::Layer* Workspace::layer(const std::string& identifier)
{
    const fs::path file = normal(identifier);
    if (!is_asset(file) || (overlay_ && file != entry_)) return nullptr;
    if (const auto known = open_.find(file); known != open_.end()) return &known->second;
    auto read = usd::Layer::open(file.string());
    if (!read) return nullptr;
    return &open_.emplace(file, std::move(*read)).first->second;
}

usd::Layer& Workspace::new_layer(const fs::path& file)
{
    if (usd::Layer* known = layer_files_.count(file) != 0 ? layer(file.string()) : nullptr) return *known;
    layer_files_.insert(file);
    originals_.try_emplace(file, "");
    changed_.insert(file);
    return open_.insert_or_assign(file, usd::Layer()).first->second;
}

std::vector<fs::path> Workspace::asset_layers() const
{
    std::vector<fs::path> found;
    for (const fs::path& file : layer_files_)
        if (is_asset(file)) found.push_back(file);
    return found;
}

bool Workspace::is_asset(const fs::path& file) const
{ return layer_files_.count(file) != 0 && inside(file, folder_) && kept_.count(file) == 0; }

std::vector<fs::path> Workspace::sources() const
{
    std::vector<fs::path> found;
    for (const auto& [file, original] : originals_)
        if (!original.empty()) found.emplace_back(original);
    return found;
}

void Workspace::keep_as_it_is(const fs::path& original) { kept_.insert(copy_of(original)); }

std::string Workspace::relative(const fs::path& file) const
{
    const fs::path path = normal(file);
    return inside(path, folder_) ? path.lexically_relative(folder_).string() : original(path);
}

std::string Workspace::original(const fs::path& file) const
{
    const auto known = originals_.find(normal(file));
    return known == originals_.end() ? std::string() : known->second;
}

fs::path Workspace::copy_of(const fs::path& original) const
{
    const fs::path copy = root_ / normal(original).relative_path();
    return originals_.count(copy) != 0 ? copy : fs::path();
}

void Workspace::remove(const fs::path& file)
{
    keep(file);
    std::error_code error;
    fs::remove(file, error);
    if (const auto known = originals_.find(file); known != originals_.end() && !known->second.empty())
        removed_.emplace(file, known->second);
    originals_.erase(file);
    layer_files_.erase(file);
    changed_.erase(file);
    open_.erase(file);
}

Result<fs::path> Workspace::localize(const fs::path& file)
{
    const auto known = originals_.find(file);
    if (known == originals_.end()) return failed(file, "is not part of the asset");
    fs::path to = folder_ / "deps" / file.filename();
    for (int n = 2; originals_.count(to) != 0 && originals_[to] != known->second; ++n)
        to = folder_ / "deps" / (file.stem().string() + "_" + std::to_string(n) + file.extension().string());
    if (originals_.count(to) != 0) return to;
    keep(to);
    std::error_code error;
    fs::create_directories(to.parent_path(), error);
    if (!error) fs::copy_file(file, to, fs::copy_options::overwrite_existing, error);
    if (error) return not_copied(file, to, error);
    originals_[to] = known->second;
    changed_.insert(to);  // the asset does not have it there yet
    if (usd::is_layer_name(file)) {
        layer_files_.insert(to);
        // What the layer names lies elsewhere now.
        auto moved = usd::Layer::open(file.string());
        if (moved) {
            const fs::path from = file.parent_path(), here = to.parent_path();
            bool           rewritten = false;
            moved->rewrite_assets([&](const std::string& authored) {
                if (authored.find("://") != std::string::npos || authored.starts_with("/")) return authored;
                const fs::path target = (from / authored).lexically_normal();
                if (originals_.count(target) == 0) return authored;
                rewritten = true;
                return target.lexically_relative(here).string();
            });
            if (rewritten) {
                if (auto saved = moved->save(to.string()); !saved) return saved.error();
            }
        }
    }
    return to;
}

void Workspace::discard()
{
    open_.clear();
    std::error_code error;
    for (auto at = fs::directory_iterator(root_, error); !error && at != fs::directory_iterator(); at.increment(error))
        fs::remove_all(at->path(), error);
}

Result<void> Workspace::save()
{
    for (auto& [file, layer] : open_) {
        std::error_code error;
        const auto      stored = stored_as_.find(file);
        if (!layer.edited() && stored == stored_as_.end() && fs::exists(file, error)) continue;
        fs::create_directories(file.parent_path(), error);
        // A .usd file stays what it was: text or binary.
        usd::SaveOptions how;
        if (files::has_suffix(file, {".usd"}) && !original(file).empty()) {
            std::FILE* source = std::fopen(file.c_str(), "rb");
            char       head[8]{};
            const bool binary =
                source != nullptr && std::fread(head, 1, 8, source) == 8 && std::string_view(head, 8) == "PXR-USDC";
            if (source != nullptr) std::fclose(source);
            how.format = binary ? usd::SaveOptions::Format::binary : usd::SaveOptions::Format::text;
        }
        if (stored != stored_as_.end())
            how.format = stored->second ? usd::SaveOptions::Format::binary : usd::SaveOptions::Format::text;
        keep(file);
        changed_.insert(file);
        if (stored == stored_as_.end() && fs::exists(file, error)) {
            // Text keeps what the edits do not touch: comments, layout, the spelling of numbers.
            if (const std::string text = content_of(file); text.starts_with("#usda")) {
                if (const auto now = usd::edited_text(text, layer)) {
                    std::ofstream out(file, std::ios::binary);
                    if (!(out << *now).flush()) return failed(file, "cannot be written");
                    continue;
                }
                rewritten_.insert(file);
            }
        }
        if (auto saved = layer.save(file.string(), how); !saved) return saved;
    }
    open_.clear();
    stored_as_.clear();
    return {};
}

void Workspace::store_as(const fs::path& file, bool binary) { stored_as_[file] = binary; }

/// The first change of a file in a trial keeps its old content; later ones need not.
void Workspace::keep(const fs::path& file)
{
    if (!trial_ || trial_->kept.count(file) != 0) return;
    std::error_code error;
    fs::path        copy;
    if (fs::exists(file, error)) {
        const fs::path before = root_ / kBefore;
        copy                  = before / std::to_string(trial_->kept.size());
        fs::create_directories(before, error);
        fs::copy_file(file, copy, fs::copy_options::overwrite_existing, error);
    }
    trial_->kept.emplace(file, copy);
}

void Workspace::begin_trial() { trial_ = Trial{entry_, originals_, layer_files_, changed_, rewritten_, removed_, {}}; }

void Workspace::take_back()
{
    if (!trial_) return;
    open_.clear();
    std::error_code error;
    for (const auto& [file, copy] : trial_->kept)
        if (copy.empty())
            fs::remove(file, error);
        else
            fs::rename(copy, file, error);
    entry_       = trial_->entry;
    originals_   = std::move(trial_->originals);
    layer_files_ = std::move(trial_->layer_files);
    changed_     = std::move(trial_->changed);
    rewritten_   = std::move(trial_->rewritten);
    removed_     = std::move(trial_->removed);
    stored_as_.clear();
    end_trial();
}

void Workspace::end_trial()
{
    trial_.reset();
    std::error_code error;
    fs::remove_all(root_ / kBefore, error);
}

std::vector<FixedFile> Workspace::files() const
{
    std::vector<FixedFile> out;
    for (const auto& [file, original] : originals_)
        if (inside(file, folder_))
            out.push_back({file.lexically_relative(folder_).string(), original,
                           changed_.count(file) != 0 || original.empty(), rewritten_.count(file) != 0});
    return out;
}

std::vector<FixedFile> Workspace::removed() const
{
    std::vector<FixedFile> out;
    for (const auto& [file, original] : removed_)
        if (inside(file, folder_) && originals_.count(file) == 0)
            out.push_back({file.lexically_relative(folder_).string(), original, true, false});
    return out;
}

}  // namespace mechane::conformance

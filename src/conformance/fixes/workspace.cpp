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

#include "conformance/asset_paths.h"
#include "conformance/fixes/arcs.h"
#include "mechane/conformance/codes.h"
#include "mechane/files/codes.h"
#include "mechane/files/inputs.h"
#include "mechane/files/suffix.h"
#include "mechane/files/within.h"
#include "mechane/usd/asset_bytes.h"
#include "mechane/usd/asset_sources.h"
#include "mechane/usd/file_names.h"
#include "mechane/usd/stage_layers.h"
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

fs::path normal(const fs::path& path) { return fs::absolute(path).lexically_normal(); }

/// A file, or the tiles and frames of a pattern.
std::vector<fs::path> files_like(const fs::path& file)
{
    std::error_code error;
    if (fs::is_regular_file(file, error)) return {file};
    const std::string     name = file.filename().string();
    std::vector<fs::path> found;
    if (!is_pattern(name)) return found;
    for (auto at = fs::directory_iterator(file.parent_path(), error); !error && at != fs::directory_iterator();
         at.increment(error))
        if (is_of_pattern(at->path().filename().string(), name)) found.push_back(at->path());
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace

/// Files that an authored path names: itself, or the tiles and frames of a pattern.
std::vector<fs::path> files_named(const std::string& authored, const fs::path& layer)
{
    std::string path = outer_file(authored);
    if (path.starts_with("file:")) path.erase(0, path.starts_with("file://") ? 7 : 5);  // which no resolver knows
    if (path.find("://") != std::string::npos) return {};
    std::vector<fs::path> found = files_like((layer.parent_path() / path).lexically_normal());
    // What Windows wrote names nothing here until its backslashes are slashes (REP-1.2.5-g).
    if (found.empty() && path.find('\\') != std::string::npos) {
        std::ranges::replace(path, '\\', '/');
        found = files_like((layer.parent_path() / path).lexically_normal());
    }
    return found;
}

namespace {

/// Where an authored path leads, without looking whether something is there; empty for what is not relative.
fs::path target_of(const std::string& authored, const fs::path& layer)
{
    const AssetPathForm form = form_of(authored);
    if (form.kind != PathKind::relative && form.kind != PathKind::search) return {};
    return (layer.parent_path() / form.file).lexically_normal();
}

/// A path from a layer to a file, with what the authored one says behind the file's name.
std::string retargeted(const std::string& authored, const fs::path& target, const fs::path& layer)
{ return relative_to(target, layer) + authored.substr(outer_file(authored).size()); }

/// Whether a text layer has fewer comments than what it was made of.
bool lost_comments(const std::string& before, const fs::path& after)
{
    const std::string text = content_of(before);
    return text.starts_with("#usda") && usd::count_comments(content_of(after)) < usd::count_comments(text);
}

}  // namespace

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
        if (!files::is_within(to, folder_))
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
            std::vector<fs::path> named = files_named(authored, file);
            for (const fs::path& one : named)
                if (known.insert(one).second) waiting.push_back(one);
            return named;
        };
        layer->rewrite_assets([&](const std::string& authored) {
            const std::vector<fs::path> named = bring(authored);
            if (is_pattern(authored)) out.companions_[file].insert(named.begin(), named.end());
            return authored;
        });
        if (file == root) variables = layer->copy();
        for (const std::string& said : usd::indirect_assets(*layer, variables)) {
            const std::vector<fs::path> named = bring(said);
            if (form_of(said).kind == PathKind::absolute) continue;
            out.companions_[file].insert(named.begin(), named.end());
            if (!is_pattern(said)) out.expressed_[file].insert(named.begin(), named.end());
        }
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
{ return layer_files_.count(file) != 0 && files::is_within(file, folder_) && kept_.count(file) == 0; }

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
    return files::is_within(path, folder_) ? path.lexically_relative(folder_).string() : original(path);
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

bool Workspace::plan(const fs::path& file, const fs::path& to, Moves& moves) const
{
    if (const auto known = moves.find(file); known != moves.end()) return known->second == to;
    const auto taken = originals_.find(to);
    if (!files::is_within(to, folder_ / "deps") || (taken != originals_.end() && taken->second != original(file))) return false;
    if (std::ranges::any_of(moves, [&](const auto& move) { return move.second == to; })) return false;
    moves.emplace(file, to);
    const fs::path source = original(file);
    const auto     beside = companions_.find(source);
    if (beside == companions_.end()) return true;
    return std::ranges::all_of(beside->second, [&](const fs::path& one) {
        return plan(root_ / one.relative_path(),
                    (to.parent_path() / one.lexically_relative(source.parent_path())).lexically_normal(), moves);
    });
}

Result<fs::path> Workspace::localize(const fs::path& file)
{
    const std::vector<fs::path> all = files_like(file);
    if (all.empty() || std::ranges::any_of(all, [&](const fs::path& one) { return !originals_.contains(one); }))
        return failed(file, "is not part of the asset");
    const bool pattern = all.front() != file;
    // The nearest place at which everything finds room: with folders above it where a companion lies further up, then
    // under another name. The files of a pattern keep theirs and get a folder.
    constexpr int kNames = 1000, kFolders = 4;
    for (int n = 1; n <= kNames; ++n)
        for (int up = 0; up < kFolders; ++up) {
            fs::path above, folder = file.parent_path();
            for (int i = 0; i < up; ++i, folder = folder.parent_path()) above = folder.filename() / above;
            const std::string numbered = file.stem().string() + "_" + std::to_string(n);
            fs::path          place = folder_ / "deps" / (n > 1 && pattern ? "set_" + std::to_string(n) : "") / above;
            const fs::path    to =
                place / (n > 1 && !pattern ? numbered + file.extension().string() : file.filename().string());
            Moves moves;
            if (!std::ranges::all_of(all, [&](const fs::path& one) {
                    return plan(one, (pattern ? place / one.filename() : to).lexically_normal(), moves);
                }))
                continue;
            for (const auto& [from, here] : moves)
                if (auto moved = move_in(from, here); !moved) return moved.error();
            return to.lexically_normal();
        }
    return failed(file, "what it names by an expression or a pattern finds no room in the asset's folder");
}

Result<void> Workspace::move_in(const fs::path& file, const fs::path& to)
{
    if (originals_.contains(to)) return {};
    keep(to);
    std::error_code error;
    fs::create_directories(to.parent_path(), error);
    if (!error) fs::copy_file(file, to, fs::copy_options::overwrite_existing, error);
    if (error) return not_copied(file, to, error);
    originals_[to] = original(file);
    changed_.insert(to);  // the asset does not have it there yet
    if (!usd::is_layer_name(file)) return {};
    layer_files_.insert(to);
    auto moved = usd::Layer::open(file.string());
    if (!moved) return {};
    // What the layer names lies elsewhere now. Companions came along.
    bool rewritten = false;
    moved->rewrite_assets([&](const std::string& authored) {
        const fs::path target = target_of(authored, file);
        if (target.empty() || !originals_.contains(target)) return authored;
        rewritten = true;
        return retargeted(authored, target, to);
    });
    return rewritten ? moved->save(to.string()) : Result<void>{};
}

Result<std::vector<Workspace::Gathered>> Workspace::gather()
{
    std::vector<Gathered> out;
    std::set<fs::path>    done;
    // What is taken in may name further files outside.
    for (std::vector<fs::path> layers = asset_layers(); done.size() < layers.size(); layers = asset_layers())
        for (const fs::path& file : layers) {
            usd::Layer* layer = done.insert(file).second ? this->layer(file.string()) : nullptr;
            if (layer == nullptr) continue;
            std::optional<Diagnostic> refused;
            const auto                lies_outside = [&](const fs::path& target) {
                if (target.empty() || files::is_within(target, folder_)) return false;
                const std::vector<fs::path> all = files_like(target);
                return !all.empty() && originals_.contains(all.front());
            };
            const auto take = [&](const std::string& authored) {
                const fs::path target = target_of(authored, file);
                if (refused || !lies_outside(target)) return authored;
                const auto here = localize(target);
                if (!here) {
                    refused = here.error();
                    return authored;
                }
                out.push_back({relative(file), authored, retargeted(authored, *here, file)});
                return out.back().now;
            };
            // A layer that needs nothing stays byte by byte.
            bool       needs = false;
            const auto look  = [&](const std::string& authored) { needs |= lies_outside(target_of(authored, file)); };
            usd::for_each_asset(*layer, [&](const usd::Path&, const usd::Token&, const std::string& a) { look(a); });
            std::ranges::for_each(usd::indirect_assets(*layer, *layer), look);
            if (needs) {
                layer->rewrite_assets(take);
                usd::rewrite_clip_templates(*layer, take);
            }
            if (refused) return make_diagnostic(codes::kOutside, {.layer = relative(file)}, refused->message);
            if (auto stays = holds_expressed(file); !stays) return stays.error();
        }
    if (auto saved = save(); !saved) return saved.error();
    return out;
}

/// What an expression says cannot be said otherwise: its file has to lie in the result.
Result<void> Workspace::holds_expressed(const fs::path& file) const
{
    const fs::path source = original(file);
    const auto     said   = expressed_.find(source);
    if (said == expressed_.end()) return {};
    for (const fs::path& one : said->second) {
        const fs::path from = one.lexically_relative(source.parent_path());
        if (files::is_within((file.parent_path() / from).lexically_normal(), folder_)) continue;
        return make_diagnostic(codes::kOutside, {.layer = relative(file)},
                               fmt::format("an expression leads to {}, outside of the asset's folder", from.string()));
    }
    return {};
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
        if (files::is_within(file, folder_))
            out.push_back({.name          = file.lexically_relative(folder_).string(),
                           .source        = original,
                           .changed       = changed_.count(file) != 0 || original.empty(),
                           .rewritten     = rewritten_.count(file) != 0,
                           .comments_lost = changed_.count(file) != 0 && lost_comments(original, file)});
    return out;
}

std::vector<FixedFile> Workspace::removed() const
{
    std::vector<FixedFile> out;
    for (const auto& [file, original] : removed_)
        if (files::is_within(file, folder_) && originals_.count(file) == 0)
            out.push_back({file.lexically_relative(folder_).string(), original, true, false});
    return out;
}

}  // namespace mechane::conformance

// Other assets that use files of the asset that is repaired in place.
// A layer of the asset may be a sublayer or a reference of another asset beside it. What the repair means for this one
// it need not mean for the other: metres in place of centimetres are a hundred times too small under the other's units.
// Inputs: the working copy, which knows the files of the asset, and the folders around the original. Outputs: who uses
// which file; what is otherwise for one of them.
// Invariant: no file outside of the scratch folder is written. What is opened is bounded.
// Called by fix().

#include "conformance/fixes/other_assets.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <string_view>

#include "conformance/facts.h"
#include "conformance/fixes/verify.h"
#include "mechane/conformance/codes.h"
#include "mechane/usd/asset_sources.h"
#include "mechane/usd/file_names.h"
#include "mechane/usd/layer.h"

namespace mechane::conformance {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostEntries = 20000;  // of folders, to end in a home folder too
constexpr std::size_t kMostLayers  = 1000;

fs::path real(const fs::path& file)
{
    std::error_code error;
    fs::path        out = fs::weakly_canonical(file, error);
    return error ? file.lexically_normal() : out;
}

/// Layers of folders, the nearest first.
class Search {
  public:
    /// @param depth  how many levels of folders below it are looked at
    void look_at(const fs::path& folder, std::size_t depth)
    {
        std::deque<std::pair<fs::path, std::size_t>> waiting{{folder, depth}};
        while (!waiting.empty() && !stopped_) {
            const auto [here, deeper] = waiting.front();
            waiting.pop_front();
            if (!seen_.insert(here).second) continue;
            // The order in which a file system lists its entries is not the same everywhere.
            std::vector<fs::path> entries;
            std::error_code       error;
            for (auto at = fs::directory_iterator(here, fs::directory_options::skip_permission_denied, error);
                 !error && at != fs::directory_iterator() && entries_ < kMostEntries; at.increment(error), ++entries_)
                entries.push_back(at->path());
            std::sort(entries.begin(), entries.end());
            for (const fs::path& entry : entries) {
                std::error_code unread;
                if (entry.filename().string().starts_with('.')) continue;
                if (usd::is_layer_name(entry) && fs::is_regular_file(entry, unread))
                    layers_.push_back(entry);
                else if (deeper > 0 && !fs::is_symlink(entry, unread) && fs::is_directory(entry, unread))
                    waiting.emplace_back(entry, deeper - 1);
            }
            stopped_ = entries_ >= kMostEntries || layers_.size() > kMostLayers;
        }
        if (layers_.size() > kMostLayers) layers_.resize(kMostLayers);
    }
    [[nodiscard]] const std::vector<fs::path>& layers() const { return layers_; }
    [[nodiscard]] bool                         stopped() const { return stopped_; }

  private:
    std::set<fs::path>    seen_;
    std::vector<fs::path> layers_;
    std::size_t           entries_ = 0;
    bool                  stopped_ = false;
};

/// Whether the bytes of a layer may name one of the files. Binary layers compress their texts, and an expression may
/// name any file: those have to be read.
bool may_name(const fs::path& layer, const std::set<std::string>& names)
{
    const std::string bytes = content_of(layer);
    if (!bytes.starts_with("#usda")) return true;
    return bytes.find('`') != std::string::npos ||
           std::ranges::any_of(names, [&](const std::string& name) { return bytes.find(name) != std::string::npos; });
}

/// The files that a layer names; nothing where it cannot be read.
std::optional<std::set<fs::path>> named_in(const fs::path& file, const usd::OpenOptions& open)
{
    constexpr std::string_view kPackage = "package://";
    std::set<fs::path>         out;
    auto                       layer = usd::Layer::open(file.string(), open.limits);
    if (!layer) return std::nullopt;
    const auto bring = [&](const std::string& authored) {
        if (const std::size_t end = authored.find('/', kPackage.size());
            authored.starts_with(kPackage) && end != std::string::npos) {
            const auto package = open.packages.find(authored.substr(kPackage.size(), end - kPackage.size()));
            if (package != open.packages.end()) out.insert(real(fs::path(package->second) / authored.substr(end + 1)));
            return authored;
        }
        for (const fs::path& named : files_named(authored, file)) out.insert(real(named));
        for (const std::string& folder : open.search_paths)
            for (const fs::path& named : files_named(authored, fs::path(folder) / "layer.usda"))
                out.insert(real(named));
        return authored;
    };
    layer->rewrite_assets(bring);
    const usd::Layer variables = layer->copy();
    for (const std::string& said : usd::indirect_assets(*layer, variables)) bring(said);
    return out;
}

/// Where other assets may lie that use layers of this folder.
Search around(const fs::path& folder)
{
    constexpr std::size_t kAnyDepth = 64;
    Search                search;
    search.look_at(folder, kAnyDepth);
    std::error_code error;
    const fs::path  above = folder.parent_path();
    if (above != folder && above.has_relative_path() && !fs::exists(folder / ".git", error)) search.look_at(above, 1);
    return search;
}

}  // namespace

OtherAssets::OtherAssets(const Workspace& work, const usd::OpenOptions& open, Diagnostics& found)
{
    std::set<fs::path>    own;  // files of the asset
    std::set<std::string> names;
    for (const fs::path& file : work.sources()) own.insert(real(file)), names.insert(file.filename().string());
    if (own.empty()) return;
    const fs::path folder = real(work.original(work.entry())).parent_path();
    const Search   search = around(folder);
    if (search.stopped())
        found.add(codes::kOthers, {.layer = folder.string()},
                  fmt::format("the search for other assets that use its layers ended after {} layers",
                              search.layers().size()));
    // What names a file of the asset, and what names such a layer in turn.
    std::map<fs::path, std::set<fs::path>> read;
    for (bool more = true; more;) {
        more = false;
        for (const fs::path& file : search.layers()) {
            const fs::path layer = real(file);
            if (own.contains(layer) || users_.contains(layer)) continue;
            auto known = read.find(layer);
            if (known == read.end()) {
                if (!may_name(layer, names)) continue;
                const auto named = named_in(layer, open);
                if (!named)
                    found.add(codes::kOthers, {.layer = layer.string()},
                              fmt::format("{} cannot be read, and may use layers of the asset", layer.string()));
                known = read.emplace(layer, named.value_or(std::set<fs::path>())).first;
            }
            bool uses = false;
            for (const fs::path& named : known->second) {
                if (own.contains(named)) used_.emplace(named, layer), uses = true;
                uses |= users_.contains(named);
            }
            if (!uses) continue;
            users_.insert(layer);
            names.insert(layer.filename().string());
            more = true;
        }
    }
    // A file that another asset uses brings what it names itself.
    std::deque<fs::path> waiting;
    for (const auto& [file, user] : used_) waiting.push_back(file);
    while (!waiting.empty()) {
        const fs::path file = waiting.front();
        waiting.pop_front();
        if (!usd::is_layer_name(file)) continue;
        const auto brought = named_in(file, open);
        if (!brought) continue;
        for (const fs::path& named : *brought)
            if (own.contains(named) && used_.emplace(named, used_.at(file)).second) waiting.push_back(named);
    }
}

std::string OtherAssets::user_of(const fs::path& original) const
{
    const auto found = used_.find(real(original));
    return found == used_.end() ? std::string() : found->second.string();
}

std::string changes_for(const fs::path& user, const FixResult& repaired, const std::string& asset,
                        const fs::path& scratch, const FixOptions& options)
{
    std::error_code error;
    fs::create_directories(scratch, error);
    struct Gone {
        const fs::path& folder;
        ~Gone()
        {
            std::error_code ignored;
            fs::remove_all(folder, ignored);
        }
    } const gone{scratch};
    const auto before = usd::Stage::open(user.string(), options.open);
    const auto copy   = Workspace::copy(user.string(), scratch.string());
    if (!before) return "it could not be opened: " + before.error().message;
    if (!copy) return "it could not be copied: " + copy.error().message;
    const fs::path root   = fs::weakly_canonical(scratch, error);
    const fs::path folder = real(asset).parent_path();
    for (const FixedFile& file : repaired.files) {
        if (!file.changed) continue;
        const fs::path to = root / (folder / file.name).relative_path();
        fs::create_directories(to.parent_path(), error);
        fs::copy_file(fs::path(repaired.folder) / file.name, to, fs::copy_options::overwrite_existing, error);
        if (error) return "it could not be compared: " + error.message();
    }
    const auto after = usd::Stage::open(copy->entry().string(), options.open);
    if (!after) return after.error().message;
    const Facts       was(**before), is(**after);
    const Whereabouts places(was);
    if (std::string moved = Whereabouts(is, places.moments()).moved_since(places, {}, 1); !moved.empty()) return moved;
    return options.differs ? options.differs(user.string(), copy->entry().string()) : std::string();
}

}  // namespace mechane::conformance

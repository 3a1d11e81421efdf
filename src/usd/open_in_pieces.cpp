// Reads a large text layer on all cores: the text is cut between prims, each piece becomes a layer of its own, and
// their data are joined.
// Whatever is unusual (a repeated prim, relocates, an error) gives nothing, and the caller reads the file in one piece,
// as OpenUSD does.

#include "usd/open_in_pieces.h"

#include <pxr/ar/asset.h>
#include <pxr/ar/resolver.h>
#include <pxr/ar/resolverContextBinder.h>
#include <pxr/sdf/schema.h>
#include <pxr/sdf/usdaFileFormat.h>

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "mechane/files/suffix.h"
#include "mechane/tasks/parallel.h"
#include "usd/field_tokens.h"
#include "usd/guards.h"
#include "usd/joined_data.h"
#include "usd/text_pieces.h"

namespace mechane::usd {
namespace {

using namespace pxr;

/// What a thread more is worth starting for [bytes of text].
constexpr std::size_t kLeastPiece = std::size_t{4} << 10;

/// The text format, for a layer whose storage is there before the layer is.
class TextFormat final : public SdfUsdaFileFormat {
  public:
    static SdfLayerRefPtr new_layer(const std::string& file, SdfAbstractDataRefPtr data)
    {
        // Layers point to their format and do not keep it.
        static const auto* const format = new TfRefPtr<TextFormat>(TfCreateRefPtr(new TextFormat));
        prepared()                      = std::move(data);
        return SdfLayer::New(*format, file);
    }
    /// The storage of a layer; it may outlive the layer.
    static SdfAbstractDataRefPtr storage(const SdfLayer& layer)
    { return TfCreateRefPtrFromProtectedWeakPtr(TfConst_cast<SdfAbstractDataPtr>(_GetLayerData(layer))); }

    SdfAbstractDataRefPtr InitData(const FileFormatArguments& arguments) const override
    {
        SdfAbstractDataRefPtr data = std::exchange(prepared(), {});
        return data ? data : SdfUsdaFileFormat::InitData(arguments);
    }

  private:
    static SdfAbstractDataRefPtr& prepared()
    {
        thread_local SdfAbstractDataRefPtr data;
        return data;
    }
};

bool only_these(const std::vector<TfToken>& fields, std::initializer_list<TfToken> allowed)
{
    return std::all_of(fields.begin(), fields.end(), [&](const TfToken& field) {
        return std::find(allowed.begin(), allowed.end(), field) != allowed.end();
    });
}

TfTokenVector children(const SdfAbstractData& data, const SdfPath& path)
{ return data.GetAs<TfTokenVector>(path, kChildren); }

bool repeats(const TfTokenVector& names)
{
    std::unordered_set<TfToken, TfToken::HashFunctor> seen;
    seen.reserve(names.size());
    return !std::all_of(names.begin(), names.end(), [&](const TfToken& name) { return seen.insert(name).second; });
}

/// Leaves each spec in one part: what the pieces behind say about the prims that they lie in, which may be the names
/// of children only, goes to the part where the prim begins.
/// @return false when a piece says more, or two pieces have a prim in common
bool join(const std::vector<TextPiece>& pieces, const std::vector<SdfAbstractDataRefPtr>& parts)
{
    std::unordered_map<SdfPath, TfTokenVector, SdfPath::Hash> joined;
    for (std::size_t k = 1; k < parts.size(); ++k) {
        SdfPath path = SdfPath::AbsoluteRootPath();
        for (std::size_t depth = 0;; ++depth) {
            const bool open = depth < pieces[k].inside.size();
            if (!(depth == 0 ? only_these(parts[k]->List(path), {kChildren})
                             : only_these(parts[k]->List(path), {kChildren, kSpecifier})))
                return false;
            TfTokenVector names = children(*parts[k], path);
            if (open) {
                // A piece begins inside prims that an earlier one opened; their first child in it is the next of them.
                if (names.empty() || names.front() != pieces[k].inside[depth]) return false;
                names.erase(names.begin());
            }
            const auto owner = std::find_if(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(k),
                                            [&](const SdfAbstractDataRefPtr& part) { return part->HasSpec(path); });
            if (owner == parts.begin() + static_cast<std::ptrdiff_t>(k)) return false;
            auto [all, fresh] = joined.try_emplace(path);
            if (fresh) all->second = children(**owner, path);
            all->second.insert(all->second.end(), names.begin(), names.end());
            parts[k]->EraseSpec(path);
            if (!open) break;
            path = path.AppendChild(TfToken(pieces[k].inside[depth]));
        }
    }
    for (auto& [path, names] : joined) {
        if (repeats(names)) return false;
        if (names.empty()) continue;
        const auto owner = std::find_if(parts.begin(), parts.end(), [&, at = path](const SdfAbstractDataRefPtr& part) {
            return part->HasSpec(at);
        });
        (*owner)->Set(path, kChildren, VtValue::Take(names));
    }
    return true;
}

}  // namespace

SdfLayerRefPtr open_in_pieces(const std::string& file, const ArResolverContext& context, int threads,
                              MessageScope& messages)
{
    const tasks::Pool pool(threads);
    std::error_code   failed;
    if (pool.threads() < 2 || !files::has_suffix(file, {".usda"}) ||
        std::filesystem::file_size(file, failed) < 2 * kLeastPiece ||
        // A layer that is open already is shared.
        failed || SdfLayer::Find(file))
        return {};
    const auto asset  = ArGetResolver().OpenAsset(ArResolvedPath(file));
    const auto buffer = asset ? asset->GetBuffer() : nullptr;
    if (!buffer) return {};
    const std::string_view text(buffer.get(), asset->GetSize());
    if (!text.starts_with("#usda ")) return {};
    const auto pieces = cut_text(text, std::min(static_cast<std::size_t>(pool.threads()), text.size() / kLeastPiece));
    if (pieces.size() < 2) return {};
    std::vector<SdfLayerRefPtr> layers(pieces.size());
    pool.for_each(pieces.size(), 1, [&](std::size_t i) {
        const ArResolverContextBinder bind(context);
        const ReadInstead             instead(file, text_of_piece(pieces, i));
        layers[i] = SdfLayer::OpenAsAnonymous(file);
    });
    bool                               good = messages.take().empty();
    std::vector<SdfAbstractDataRefPtr> parts;
    for (const SdfLayerRefPtr& layer : layers) {
        good = good && layer && !layer->GetHints().mightHaveRelocates;
        if (good) parts.push_back(TextFormat::storage(*layer));
    }
    if (!good || !join(pieces, parts)) return {};
    const auto first  = TfDynamic_cast<SdfUsdaDataPtr>(parts[0]);
    const auto joined = TfCreateRefPtr(new JoinedData(std::move(parts)));
    if (first) joined->SetLayerVersion(first->GetLayerVersion());
    return TextFormat::new_layer(file, joined);
}

}  // namespace mechane::usd

// Layers as this project gives them out: opening, reading specs, fields, arcs and samples, without OpenUSD's types.
// A layer is a copy of the file as it was read: edits touch neither the file nor stages that use it.
//
// Lists are given as what they come to when nothing weaker lies below (GetAppliedItems). Paths are those of the
// layer: arcs are not followed here.

#include "mechane/usd/layer.h"

#include <pxr/ar/packageUtils.h>
#include <pxr/ar/resolver.h>
#include <pxr/sdf/assetPath.h>
#include <pxr/sdf/fileFormat.h>
#include <pxr/sdf/listOp.h>
#include <pxr/sdf/payload.h>
#include <pxr/sdf/reference.h>
#include <pxr/sdf/schema.h>
#include <pxr/tf/pathUtils.h>
#include <pxr/tf/stringUtils.h>
#include <pxr/vt/dictionary.h>

#include <algorithm>

#include "mechane/usd/file_names.h"
#include "usd/guards.h"
#include "usd/layer_impl.h"
#include "usd/opening.h"
#include "usd/runtime.h"
#include "usd/text_writer.h"

namespace mechane::usd {
namespace {

using namespace pxr;

template <class ListOp>
typename ListOp::ItemVector added_items(const SdfLayerHandle& layer, const SdfPath& path, const TfToken& key)
{
    ListOp op;
    layer->HasField(path, key, &op);
    // What the list gives when nothing weaker lies below it: explicit, or prepended and appended.
    return op.GetAppliedItems();
}

template <class Item>
std::vector<Arc> to_arcs(const std::vector<Item>& items)
{
    std::vector<Arc> out;
    for (const Item& item : items)
        out.push_back({.asset  = item.GetAssetPath(),
                       .prim   = wrap(item.GetPrimPath()),
                       .offset = item.GetLayerOffset().GetOffset(),
                       .scale  = item.GetLayerOffset().GetScale()});
    return out;
}

std::vector<Token> to_tokens(const TfTokenVector& names)
{
    std::vector<Token> out;
    out.reserve(names.size());
    for (const TfToken& name : names) out.push_back(wrap(name));
    return out;
}

}  // namespace

TfTokenVector child_names(const SdfLayerHandle& layer, const SdfPath& path, const TfToken& field)
{ return layer->GetFieldAs<TfTokenVector>(path, field); }

void for_each_spec(const SdfLayerHandle& layer, const SdfPath& root, const std::function<void(const SdfPath&)>& visit)
{
    if (root.IsPropertyPath()) return visit(root);
    for_each_prim_spec(layer, root, [&](const SdfPath& path) {
        visit(path);
        for (const TfToken& name : child_names(layer, path, SdfChildrenKeys->PropertyChildren))
            visit(path.AppendProperty(name));
    });
}

void for_each_prim_spec(const SdfLayerHandle& layer, const SdfPath& root,
                        const std::function<void(const SdfPath&)>& visit)
{
    const SdfChildrenKeys_StaticTokenType& keys = *SdfChildrenKeys.Get();
    // Iterative: nesting is up to the file.
    SdfPathVector stack{root};
    while (!stack.empty()) {
        const SdfPath path = stack.back();
        stack.pop_back();
        // A variant set is on the stack as a path with an empty name.
        if (path.IsPrimVariantSelectionPath() && path.GetVariantSelection().second.empty()) {
            // The set itself, "/a{set=}": only its variants are visited.
            TfTokenVector variants = child_names(layer, path, keys.VariantChildren);
            // Backwards onto the stack, so that they come off in file order.
            for (auto name = variants.rbegin(); name != variants.rend(); ++name)
                stack.push_back(path.GetParentPath().AppendVariantSelection(path.GetVariantSelection().first, *name));
            continue;
        }
        visit(path);
        SdfPathVector below;
        for (const TfToken& set : child_names(layer, path, keys.VariantSetChildren))
            below.push_back(path.AppendVariantSelection(set.GetString(), {}));
        for (const TfToken& name : child_names(layer, path, keys.PrimChildren)) below.push_back(path.AppendChild(name));
        stack.insert(stack.end(), below.rbegin(), below.rend());
    }
}

/// Paths within a package (usdz) are relative to the file in it: "a.usdz[b/c.usda]" with "./d.png" is
/// "a.usdz[b/d.png]".
std::string anchored_asset(const std::string& origin, const std::string& authored)
{
    if (authored.empty() || origin.empty()) return authored;
    if (!ArIsPackageRelativePath(origin)) return ArGetResolver().CreateIdentifier(authored, ArResolvedPath(origin));
    const bool relative = !authored.starts_with('/') && authored.find("://") == std::string::npos;
    if (!relative) return authored;
    const auto [package, inner] = ArSplitPackageRelativePathInner(origin);
    return ArJoinPackageRelativePath(package, TfNormPath(TfGetPathName(inner) + authored));
}

Layer::Layer() : impl_(std::make_unique<Impl>())
{
    prepare_runtime();
    impl_->layer = SdfLayer::CreateAnonymous("layer.usda");
}
Layer::~Layer()                           = default;
Layer::Layer(Layer&&) noexcept            = default;
Layer& Layer::operator=(Layer&&) noexcept = default;

Result<Layer> Layer::open(const std::string& file, const Limits& limits)
{
    if (const Diagnostic* wrong = prepare_runtime(); wrong != nullptr) return *wrong;
    // Search order of files is the resolver's.
    const auto found = find_file(file);
    if (!found) return found.error();
    MessageScope messages;
    GuardScope   guard(limits, file);
    std::string  path = *found;
    // A package stands for its first file (usdz specification: the default layer).
    if (is_package_name(path)) {
        const std::string first = SdfFileFormat::FindByExtension("usdz")->GetPackageRootLayerPath(path);
        if (!first.empty()) path = ArJoinPackageRelativePath(path, first);
    }
    // Read from the disk, not shared: another stage may hold what the file was before.
    // Anonymous: the registry of shared layers does not know it.
    const SdfLayerRefPtr read = SdfLayer::OpenAsAnonymous(path);
    if (!read) return explain_failure(messages, guard, file, *found);
    Layer           out;
    std::error_code failed;
    // The time of the file when it was read tells later whether somebody else has written to it.
    out.impl_->read_time = std::filesystem::last_write_time(path, failed);
    out.impl_->layer     = read;
    out.impl_->file      = file;
    out.impl_->origin    = path.find("://") == std::string::npos ? path : ArGetResolver().Resolve(path).GetPathString();
    return out;
}

Result<Layer> Layer::from_text(std::string_view usda, const std::string& name, const Limits& limits)
{
    if (const Diagnostic* wrong = prepare_runtime(); wrong != nullptr) return *wrong;
    // Limits of text are checked before the parser sees it: nesting and sizes that would cost it memory or its stack.
    if (auto wrong = guard_layer(usda, name, limits)) return *wrong;
    Layer        out;
    MessageScope messages;
    GuardScope   guard(limits);
    if (!out.impl_->layer->ImportFromString(std::string(usda))) return explain_failure(messages, guard, name, name);
    return out;
}

const std::string& Layer::file() const { return impl_->file; }
bool               Layer::edited() const { return impl_->edited; }

std::string Layer::to_text() const { return text_of(impl_->layer); }

Layer Layer::copy() const
{
    Layer out;
    // The content only: the copy has no file of its own to be saved to.
    out.impl_->layer->TransferContent(impl_->layer);
    out.impl_->file      = impl_->file;
    out.impl_->origin    = impl_->origin;
    out.impl_->edited    = impl_->edited;
    out.impl_->read_time = impl_->read_time;
    return out;
}

SpecKind Layer::kind(const Path& path) const
{
    // An empty path is no path of the layer.
    if (path.empty()) return SpecKind::none;
    switch (impl_->layer->GetSpecType(unwrap(path))) {
        case SdfSpecTypePseudoRoot:
            return SpecKind::root;
        case SdfSpecTypePrim:
            return SpecKind::prim;
        case SdfSpecTypeVariant:
            return SpecKind::variant;
        case SdfSpecTypeAttribute:
            return SpecKind::attribute;
        case SdfSpecTypeRelationship:
            return SpecKind::relationship;
        case SdfSpecTypeUnknown:
        case SdfSpecTypeConnection:
        case SdfSpecTypeExpression:
        case SdfSpecTypeMapper:
        case SdfSpecTypeMapperArg:
        case SdfSpecTypeRelationshipTarget:
        case SdfSpecTypeVariantSet:
        case SdfNumSpecTypes:
            break;
    }
    return SpecKind::none;
}

std::vector<Path> Layer::specs() const
{
    std::vector<Path> out;
    for_each_spec(impl_->layer, SdfPath::AbsoluteRootPath(), [&](const SdfPath& path) {
        if (path != SdfPath::AbsoluteRootPath()) out.push_back(wrap(path));
    });
    return out;
}

std::vector<Token> Layer::children(const Path& prim) const
{ return to_tokens(child_names(impl_->layer, unwrap(prim), SdfChildrenKeys->PrimChildren)); }
std::vector<Token> Layer::properties(const Path& prim) const
{ return to_tokens(child_names(impl_->layer, unwrap(prim), SdfChildrenKeys->PropertyChildren)); }

std::vector<Token> Layer::fields(const Path& path) const
{
    std::vector<Token> out;
    for (const TfToken& field : impl_->layer->ListFields(unwrap(path)))
        // Children are asked for by functions of their own. Sorted, since the library's order is that of hashing.
        if (!SdfSchema::GetInstance().HoldsChildren(field)) out.push_back(wrap(field));
    std::sort(out.begin(), out.end());
    return out;
}

Value Layer::field(const Path& path, const Token& key) const
{
    const std::size_t colon = key.text().find(':');
    if (colon == std::string::npos) return wrap(impl_->layer->GetField(unwrap(path), unwrap(key)));
    // "customData:a:b" is the entry a:b of a dictionary.
    const VtValue whole = impl_->layer->GetField(unwrap(path), TfToken(key.text().substr(0, colon)));
    if (!whole.IsHolding<VtDictionary>()) return {};
    const VtValue* entry = whole.UncheckedGet<VtDictionary>().GetValueAtPath(key.text().substr(colon + 1));
    return entry == nullptr ? Value() : wrap(*entry);
}

Value Layer::value(const Path& attribute) const { return field(attribute, wrap(SdfFieldKeys->Default)); }

std::vector<std::pair<double, Value>> Layer::samples(const Path& attribute) const
{
    std::vector<std::pair<double, Value>> out;
    for (const double time : impl_->layer->ListTimeSamplesForPath(unwrap(attribute))) {
        // A sample that is blocked comes as a block.
        VtValue value;
        impl_->layer->QueryTimeSample(unwrap(attribute), time, &value);
        out.emplace_back(time, wrap(std::move(value)));
    }
    return out;
}

bool Layer::replaces_apis(const Path& prim) const
{
    const VtValue list = impl_->layer->GetField(unwrap(prim), TfToken("apiSchemas"));
    return list.IsHolding<SdfTokenListOp>() && list.UncheckedGet<SdfTokenListOp>().IsExplicit();
}

std::vector<Token> Layer::apis(const Path& prim) const
{ return to_tokens(added_items<SdfTokenListOp>(impl_->layer, unwrap(prim), TfToken("apiSchemas"))); }

std::vector<Path> Layer::targets(const Path& property) const
{
    // One function for both: connections of attributes, targets of relationships.
    const bool connections = kind(property) == SpecKind::attribute;
    const auto items       = added_items<SdfPathListOp>(
        impl_->layer, unwrap(property), connections ? SdfFieldKeys->ConnectionPaths : SdfFieldKeys->TargetPaths);
    std::vector<Path> out;
    for (const SdfPath& item : items) out.push_back(wrap(item));
    return out;
}

std::vector<Arc> Layer::references(const Path& prim) const
{ return to_arcs(added_items<SdfReferenceListOp>(impl_->layer, unwrap(prim), SdfFieldKeys->References)); }
std::vector<Arc> Layer::payloads(const Path& prim) const
{ return to_arcs(added_items<SdfPayloadListOp>(impl_->layer, unwrap(prim), SdfFieldKeys->Payload)); }

std::vector<std::string> Layer::sublayers() const
{ return impl_->layer->GetFieldAs<std::vector<std::string>>(SdfPath::AbsoluteRootPath(), SdfFieldKeys->SubLayers); }

std::vector<std::string> Layer::variants(const Path& prim, const std::string& set) const
{
    std::vector<std::string> out;
    for (const TfToken& name :
         child_names(impl_->layer, unwrap(prim).AppendVariantSelection(set, {}), SdfChildrenKeys->VariantChildren))
        out.push_back(name.GetString());
    return out;
}

void Layer::rewrite_assets(const std::function<std::string(const std::string&)>& replace)
{
    bool changed = false;
    usd::rewrite_assets(impl_->layer, [&](const std::string& authored) {
        std::string now = replace(authored);
        changed         = changed || now != authored;
        return now;
    });
    impl_->edited = impl_->edited || changed;
}

void Layer::make_assets_absolute()
{
    // Asked for before a layer moves to another folder.
    rewrite_assets([&](const std::string& authored) { return anchored_asset(impl_->origin, authored); });
}

}  // namespace mechane::usd

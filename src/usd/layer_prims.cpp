// Editing prims of a layer: define, remove, move, rename, reorder, apply and remove schemas, copy specs.
// An edit either does all or refuses with a finding; moving a prim also changes every path in the layer that names it.

#include <fmt/format.h>
#include <pxr/sdf/attributeSpec.h>
#include <pxr/sdf/changeBlock.h>
#include <pxr/sdf/copyUtils.h>
#include <pxr/sdf/listOp.h>
#include <pxr/sdf/namespaceEdit.h>
#include <pxr/sdf/payload.h>
#include <pxr/sdf/reference.h>
#include <pxr/sdf/relationshipSpec.h>
#include <pxr/sdf/schema.h>
#include <pxr/sdf/variantSetSpec.h>
#include <pxr/sdf/variantSpec.h>

#include <algorithm>

#include "usd/layer_impl.h"
#include "usd/layer_storage.h"

namespace mechane::usd {
namespace {

using namespace pxr;

const TfToken kApiSchemas("apiSchemas");

template <class T>
bool contains(const std::vector<T>& items, const T& item)
{ return std::find(items.begin(), items.end(), item) != items.end(); }

/// What `ensure_prim` is about to make for a path, so that an edit that fails afterwards leaves nothing behind.
class Made {
  public:
    Made(SdfLayerHandle layer, const SdfPath& path) : layer_(std::move(layer))
    {
        // From below: of a deep path nearly everything is there.
        for (SdfPath at = path; !at.IsEmpty() && !at.IsAbsoluteRootPath() && !layer_->HasSpec(at);
             at         = at.GetParentPath())
            first_ = at;
        if (first_.IsPrimVariantSelectionPath())
            set_ = !layer_->HasSpec(
                first_.GetParentPath().AppendVariantSelection(first_.GetVariantSelection().first, std::string()));
    }
    /// Takes it away again, with all below it.
    void undo() const
    {
        if (first_.IsEmpty() || !layer_->HasSpec(first_)) return;
        const SdfPath parent = first_.GetParentPath();
        if (first_.IsPrimVariantSelectionPath()) {
            const auto [set, name] = first_.GetVariantSelection();
            const auto variant     = TfDynamic_cast<SdfVariantSpecHandle>(layer_->GetObjectAtPath(first_));
            variant->GetOwner()->RemoveVariant(variant);
            if (!set_) return;
            const SdfPrimSpecHandle owner = layer_->GetPrimAtPath(parent);
            owner->RemoveVariantSet(set);
            owner->GetVariantSetNameList().Erase(set);
        } else if (first_.IsRootPrimPath()) {
            layer_->RemoveRootPrim(layer_->GetPrimAtPath(first_));
        } else {
            layer_->GetPrimAtPath(parent)->RemoveNameChild(layer_->GetPrimAtPath(first_));
        }
    }

  private:
    SdfLayerHandle layer_;
    SdfPath        first_;        ///< the highest one that is missing; empty: none is
    bool           set_ = false;  ///< it is a variant, and of a set that is missing too
};

/// Makes a prim with what is missing above it, or leaves the layer as it is: only a variant may be refused.
bool make_whole(Layer::Impl& layer, const SdfPath& path)
{
    if (!path.ContainsPrimVariantSelection()) return layer.ensure(path);
    const Made made(layer.layer, path);
    if (layer.ensure(path)) return true;
    made.undo();
    return false;
}

SdfSpecifier to_sdf(Specifier specifier)
{
    switch (specifier) {
        case Specifier::over:
            return SdfSpecifierOver;
        case Specifier::def:
            return SdfSpecifierDef;
        case Specifier::class_:
            return SdfSpecifierClass;
    }
    return SdfSpecifierOver;
}

/// Every list of paths in a layer that may name `from` names `to` instead: targets, connections, inherits, specializes
/// and arcs within the layer.
class Retarget {
  public:
    Retarget(SdfLayerHandle layer, const SdfPath& from, const SdfPath& to)
        // Targets and arcs name prims of the composed stage, which have no variant selections in their paths.
        : layer_(std::move(layer)), from_(from.StripAllVariantSelections()), to_(to.StripAllVariantSelections())
    {
    }

    void run() const
    {
        for_each_spec(layer_, SdfPath::AbsoluteRootPath(), [&](const SdfPath& path) {
            if (const SdfRelationshipSpecHandle relationship = layer_->GetRelationshipAtPath(path))
                relationship->GetTargetPathList().ModifyItemEdits(moved());
            else if (const SdfAttributeSpecHandle attribute = layer_->GetAttributeAtPath(path))
                attribute->GetConnectionPathList().ModifyItemEdits(moved());
            if (path.IsPropertyPath()) return;
            lists<SdfPathListOp>(path, SdfFieldKeys->InheritPaths, moved());
            lists<SdfPathListOp>(path, SdfFieldKeys->Specializes, moved());
            lists<SdfReferenceListOp>(path, SdfFieldKeys->References, arcs<SdfReference>());
            lists<SdfPayloadListOp>(path, SdfFieldKeys->Payload, arcs<SdfPayload>());
        });
        const SdfPath root = SdfPath::AbsoluteRootPath();
        // defaultPrim is the name of a root prim, or in newer versions of OpenUSD the path of any prim.
        if (from_.IsRootPrimPath() && layer_->GetDefaultPrim() == from_.GetNameToken()) {
            if (to_.IsRootPrimPath())
                layer_->SetDefaultPrim(to_.GetNameToken());
            else
                layer_->SetField(root, SdfFieldKeys->DefaultPrim, VtValue(TfToken(to_.GetString())));
        }
    }

  private:
    [[nodiscard]] SdfPath now(const SdfPath& path) const
    { return path.HasPrefix(from_) ? path.ReplacePrefix(from_, to_) : path; }
    [[nodiscard]] std::function<std::optional<SdfPath>(const SdfPath&)> moved() const
    {
        return [this](const SdfPath& path) { return std::optional<SdfPath>(now(path)); };
    }
    template <class Item>
    [[nodiscard]] std::function<std::optional<Item>(const Item&)> arcs() const
    {
        return [this](const Item& arc) {
            Item out = arc;
            // An arc to another file names prims of that file.
            if (arc.GetAssetPath().empty()) out.SetPrimPath(now(arc.GetPrimPath()));
            return std::optional<Item>(out);
        };
    }
    template <class ListOp>
    void lists(
        const SdfPath& path, const TfToken& key,
        const std::function<std::optional<typename ListOp::ItemType>(const typename ListOp::ItemType&)>& change) const
    {
        ListOp op;
        if (layer_->HasField(path, key, &op) && op.ModifyOperations(change)) layer_->SetField(path, key, VtValue(op));
    }

    SdfLayerHandle layer_;
    SdfPath        from_, to_;
};

}  // namespace

Diagnostic Layer::Impl::refused(const Path& path, std::string why) const
{
    return make_diagnostic(kEditRefused,
                           {.layer    = file,
                            .prim     = path.prim().text(),
                            .property = path.is_property() ? path.name().text() : std::string()},
                           std::move(why));
}

std::string Layer::Impl::check_prim(const SdfPath& path) const
{
    if (path.IsEmpty() || !path.IsAbsolutePath() || !(path.IsPrimPath() || path.IsPrimVariantSelectionPath()))
        return fmt::format("'{}' is not the path of a prim", path.GetString());
    if (!path.ContainsPrimVariantSelection()) return {};
    // "/a{set=}" is the path of a variant set, which holds no prims.
    for (const SdfPath& prefix : path.GetPrefixes())
        if (prefix.IsPrimVariantSelectionPath() && prefix.GetVariantSelection().second.empty())
            return fmt::format("'{}' names no variant", path.GetString());
    return {};
}

std::string Layer::Impl::check_property(const SdfPath& path) const
{
    return path.IsPropertyPath() && path.IsAbsolutePath() && !path.IsTargetPath() &&
                   path.GetParentPath().IsPrimOrPrimVariantSelectionPath()
               ? check_prim(path.GetParentPath())
               : fmt::format("'{}' is not the path of a property", path.GetString());
}

SdfAbstractData& Layer::Impl::storage() const { return const_cast<SdfAbstractData&>(*LayerStorage::of(*layer)); }

void Layer::Impl::add_spec(const SdfPath& path, SdfSpecType type, const TfToken& siblings) const
{
    static const VtValue kNone{TfTokenVector()};
    SdfAbstractData&     data = storage();
    data.CreateSpec(path, type);
    // The list is taken out while it grows, so that it is not copied for each name.
    const SdfPath parent = path.GetParentPath();
    VtValue       held   = data.Get(parent, siblings);
    data.Set(parent, siblings, kNone);
    TfTokenVector names;
    if (held.IsHolding<TfTokenVector>()) held.UncheckedSwap(names);
    names.push_back(path.GetNameToken());
    data.Set(parent, siblings, VtValue::Take(names));
}

/// What is missing above the prim is made as `over`, the specifier that states nothing; variants with their sets.
SdfPrimSpecHandle Layer::Impl::ensure_prim(const SdfPath& path)
{
    SdfPathVector missing;  // the lowest first: of a deep path nearly everything is there
    for (SdfPath at = path; !at.IsEmpty() && !at.IsAbsoluteRootPath() && !layer->GetPrimAtPath(at);
         at         = at.GetParentPath())
        missing.push_back(at);
    SdfPrimSpecHandle spec = layer->GetPrimAtPath(path);
    for (auto next = missing.rbegin(); next != missing.rend(); ++next) {
        const SdfPath& prefix = *next;
        if (prefix.IsPrimPath())
            add_spec(prefix, SdfSpecTypePrim, SdfChildrenKeys->PrimChildren);  // `over` without a word
        SdfPrimSpecHandle here = layer->GetPrimAtPath(prefix);
        if (!here && prefix.IsPrimVariantSelectionPath()) {
            const auto [set, name] = prefix.GetVariantSelection();
            if (const SdfVariantSpecHandle variant = SdfCreateVariantInLayer(layer, prefix.GetParentPath(), set, name))
                here = variant->GetPrimSpec();
        }
        if (!here) return {};
        spec = here;
    }
    return spec;
}

bool Layer::Impl::ensure(const SdfPath& path)
{
    const SdfSpecType there = layer->GetSpecType(path);
    if (there == SdfSpecTypePrim || there == SdfSpecTypeVariant) return true;
    if (path.ContainsPrimVariantSelection()) return static_cast<bool>(ensure_prim(path));
    if (!layer->HasSpec(path.GetParentPath())) {
        for (const SdfPath& prefix : path.GetPrefixes())
            if (!layer->HasSpec(prefix)) add_spec(prefix, SdfSpecTypePrim, SdfChildrenKeys->PrimChildren);
        return true;
    }
    add_spec(path, SdfSpecTypePrim, SdfChildrenKeys->PrimChildren);
    return true;
}

Result<void> Layer::define(const Path& prim, const Token& type, Specifier specifier)
{
    if (std::string why = impl_->check_prim(unwrap(prim)); !why.empty()) return impl_->refused(prim, std::move(why));
    if (!unwrap(prim).IsPrimPath()) return impl_->refused(prim, "a variant has no specifier or type of its own");
    if (!make_whole(*impl_, unwrap(prim))) return impl_->refused(prim, "the prim could not be made");
    impl_->edited = true;
    if (specifier != Specifier::over || impl_->layer->HasField(unwrap(prim), SdfFieldKeys->Specifier))
        impl_->storage().Set(unwrap(prim), SdfFieldKeys->Specifier, VtValue(to_sdf(specifier)));
    if (!type.empty()) impl_->storage().Set(unwrap(prim), SdfFieldKeys->TypeName, VtValue(unwrap(type)));
    return {};
}

Result<void> Layer::remove(const Path& path)
{
    const SdfPath& at = unwrap(path);
    switch (kind(path)) {
        case SpecKind::none:
        case SpecKind::root:
            return impl_->refused(path, fmt::format("there is nothing at '{}' in this layer", path.text()));
        case SpecKind::variant: {
            const auto variant = TfDynamic_cast<SdfVariantSpecHandle>(impl_->layer->GetObjectAtPath(at));
            variant->GetOwner()->RemoveVariant(variant);
            break;
        }
        case SpecKind::prim:
            if (at.IsRootPrimPath())
                impl_->layer->RemoveRootPrim(impl_->layer->GetPrimAtPath(at));
            else
                impl_->layer->GetPrimAtPath(at.GetParentPath())->RemoveNameChild(impl_->layer->GetPrimAtPath(at));
            break;
        case SpecKind::attribute:
        case SpecKind::relationship:
            impl_->layer->GetPrimAtPath(at.GetParentPath())->RemoveProperty(impl_->layer->GetPropertyAtPath(at));
            break;
    }
    impl_->edited = true;
    return {};
}

Result<void> Layer::move(const Path& from, const Path& to)
{
    const SpecKind what     = kind(from);
    const bool     property = what == SpecKind::attribute || what == SpecKind::relationship;
    if (what != SpecKind::prim && !property)
        return impl_->refused(from, fmt::format("there is no prim or property at '{}' in this layer", from.text()));
    if (std::string why = property ? impl_->check_property(unwrap(to)) : impl_->check_prim(unwrap(to)); !why.empty())
        return impl_->refused(to, std::move(why));
    if (kind(to) != SpecKind::none) return impl_->refused(to, fmt::format("'{}' exists already", to.text()));
    if (unwrap(to).HasPrefix(unwrap(from))) return impl_->refused(to, "a prim cannot move below itself");
    const SdfPath parent = unwrap(to).GetParentPath();
    const Made    made(impl_->layer, parent);
    if (parent != SdfPath::AbsoluteRootPath() && !impl_->ensure_prim(parent)) {
        made.undo();
        return impl_->refused(to, "its parent could not be made");
    }
    SdfBatchNamespaceEdit edit;
    edit.Add(unwrap(from), unwrap(to));
    // SdfBatchNamespaceEdit moves the spec with all below it; CanApply tells whether it would fail, before anything
    // changes.
    if (impl_->layer->CanApply(edit) != SdfNamespaceEditDetail::Okay || !impl_->layer->Apply(edit)) {
        made.undo();
        return impl_->refused(from, fmt::format("'{}' cannot become '{}'", from.text(), to.text()));
    }
    Retarget(impl_->layer, unwrap(from), unwrap(to)).run();
    impl_->edited = true;
    return {};
}

Result<void> Layer::rename(const Path& path, const Token& name)
{
    const bool valid = path.is_property() ? SdfPath::IsValidNamespacedIdentifier(name.text())
                                          : SdfPath::IsValidIdentifier(name.text());
    if (!valid) return impl_->refused(path, fmt::format("'{}' is not a name", name.text()));
    if (unwrap(path).IsPrimVariantSelectionPath()) return impl_->refused(path, "a variant cannot be renamed");
    return move(path, wrap(unwrap(path).ReplaceName(unwrap(name))));
}

Result<void> Layer::reorder_children(const Path& prim, const std::vector<Token>& order)
{
    if (!prim.is_root())
        if (std::string why = impl_->check_prim(unwrap(prim)); !why.empty())
            return impl_->refused(prim, std::move(why));
    if (!prim.is_root() && !make_whole(*impl_, unwrap(prim))) return impl_->refused(prim, "the prim could not be made");
    impl_->edited = true;
    TfTokenVector names;
    for (const Token& name : order) names.push_back(unwrap(name));
    // A statement of order (reorder nameChildren): it sorts what it names and leaves others where they are.
    impl_->layer->SetField(unwrap(prim), SdfFieldKeys->PrimOrder, VtValue(names));
    return {};
}

Result<void> Layer::apply_api(const Path& prim, const Token& name)
{
    if (std::string why = impl_->check_prim(unwrap(prim)); !why.empty()) return impl_->refused(prim, std::move(why));
    if (name.empty()) return impl_->refused(prim, "a schema without a name cannot be applied");
    SdfTokenListOp op = impl_->layer->GetFieldAs<SdfTokenListOp>(unwrap(prim), kApiSchemas);
    // What this layer's list op alone gives. A schema that a weaker layer applies is applied here a second time, which
    // composes to the same.
    if (contains(op.GetAppliedItems(), unwrap(name))) return {};
    // An explicit list replaces weaker opinions and has no prepended items; to prepend to it would be lost.
    TfTokenVector items = op.IsExplicit() ? op.GetExplicitItems() : op.GetPrependedItems();
    items.push_back(unwrap(name));
    if (op.IsExplicit()) {
        op.SetExplicitItems(items);
    } else {
        // Deletions apply before prepended items: one of the same name would have no effect and only read as a
        // contradiction.
        TfTokenVector deleted = op.GetDeletedItems();
        std::erase(deleted, unwrap(name));
        op.SetDeletedItems(deleted);
        op.SetPrependedItems(items);
    }
    if (!make_whole(*impl_, unwrap(prim))) return impl_->refused(prim, "the prim could not be made");
    impl_->edited = true;
    impl_->storage().Set(unwrap(prim), kApiSchemas, VtValue::Take(op));
    return {};
}

Result<void> Layer::remove_api(const Path& prim, const Token& name, bool everywhere)
{
    if (std::string why = impl_->check_prim(unwrap(prim)); !why.empty()) return impl_->refused(prim, std::move(why));
    SdfTokenListOp op;
    impl_->layer->HasField(unwrap(prim), kApiSchemas, &op);
    const SdfTokenListOp before  = op;
    const auto           without = [&](TfTokenVector items) {
        std::erase(items, unwrap(name));
        return items;
    };
    if (op.IsExplicit()) {
        op.SetExplicitItems(without(op.GetExplicitItems()));
    } else {
        op.SetPrependedItems(without(op.GetPrependedItems()));
        op.SetAppendedItems(without(op.GetAppendedItems()));
        op.SetAddedItems(without(op.GetAddedItems()));
        // Without `everywhere` a weaker layer may still apply the schema: only a deletion takes its opinion away.
        if (everywhere && !contains(op.GetDeletedItems(), unwrap(name))) {
            TfTokenVector deleted = op.GetDeletedItems();
            deleted.push_back(unwrap(name));
            op.SetDeletedItems(deleted);
        }
    }
    if (op == before) return {};
    if (!make_whole(*impl_, unwrap(prim))) return impl_->refused(prim, "the prim could not be made");
    impl_->edited = true;
    // An empty list op is no opinion, whereas an explicit empty list (HasKeys) is one.
    if (op.HasKeys())
        impl_->storage().Set(unwrap(prim), kApiSchemas, VtValue::Take(op));
    else
        impl_->layer->EraseField(unwrap(prim), kApiSchemas);
    return {};
}

Result<void> Layer::copy_spec(const Layer& from_layer, const Path& from, const Path& to)
{
    const SpecKind what     = from_layer.kind(from);
    const bool     property = what == SpecKind::attribute || what == SpecKind::relationship;
    if (what != SpecKind::prim && what != SpecKind::variant && !property)
        return impl_->refused(from, fmt::format("there is nothing to copy at '{}'", from.text()));
    if (std::string why = property ? impl_->check_property(unwrap(to)) : impl_->check_prim(unwrap(to)); !why.empty())
        return impl_->refused(to, std::move(why));
    const SdfPath parent = unwrap(to).GetParentPath();
    const Made    made(impl_->layer, parent);
    if ((parent != SdfPath::AbsoluteRootPath() && !impl_->ensure_prim(parent)) ||
        !SdfCopySpec(from_layer.impl().layer, unwrap(from), impl_->layer, unwrap(to))) {
        made.undo();
        return impl_->refused(to, fmt::format("'{}' could not be copied", from.text()));
    }
    impl_->edited = true;
    return {};
}

}  // namespace mechane::usd

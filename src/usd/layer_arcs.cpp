// Edits of single arcs and sublayers in a layer, at the place that they have: composition is sensitive to their order.

#include "mechane/usd/layer_arcs.h"

#include <fmt/format.h>
#include <pxr/sdf/listOp.h>
#include <pxr/sdf/payload.h>
#include <pxr/sdf/reference.h>
#include <pxr/sdf/schema.h>

#include <algorithm>

#include "usd/layer_impl.h"

namespace mechane::usd {
namespace {

using namespace pxr;

template <class Item>
bool is(const Item& item, const Arc& arc)
{
    return item.GetAssetPath() == arc.asset && item.GetPrimPath() == unwrap(arc.prim) &&
           item.GetLayerOffset() == SdfLayerOffset(arc.offset, arc.scale);
}

template <class Item>
Item made(const Arc& arc)
{ return Item(arc.asset, unwrap(arc.prim), SdfLayerOffset(arc.offset, arc.scale)); }

/// Calls `edit` with the list that holds the arc and the arc's place in it, and stores what it made of the list.
template <class ListOp, class Edit>
bool edit_list(ListOp& op, const Arc& arc, const Edit& edit)
{
    using Item = typename ListOp::ItemType;
    for (const SdfListOpType kind :
         {SdfListOpTypeExplicit, SdfListOpTypePrepended, SdfListOpTypeAppended, SdfListOpTypeAdded}) {
        auto items = op.GetItems(kind);
        // Each part of a list operation is searched: an arc may be prepended in one layer and explicit in another.
        const auto at = std::find_if(items.begin(), items.end(), [&](const Item& item) { return is(item, arc); });
        if (at == items.end()) continue;
        edit(items, at);
        op.SetItems(items, kind);
        return true;
    }
    return false;
}

template <class ListOp>
ListOp list_of(const Layer& layer, const Path& prim, const TfToken& key)
{
    ListOp op;
    layer.impl().layer->HasField(unwrap(prim), key, &op);
    return op;
}

template <class ListOp>
void store(Layer& layer, const Path& prim, const TfToken& key, const ListOp& op)
{
    if (op.HasKeys())
        layer.impl().layer->SetField(unwrap(prim), key, VtValue(op));
    else
        layer.impl().layer->EraseField(unwrap(prim), key);
    layer.impl().edited = true;
}

Diagnostic none(const Layer& layer, const Path& prim, const Arc& arc)
{ return layer.impl().refused(prim, fmt::format("the prim has no arc to @{}@", arc.asset)); }

// References are stronger than payloads of the same prim (LIVERPS). An arc that changes from one list to the other goes
// to the end of the new one that was next to it in strength, so that as few opinions as possible change places.
template <class From, class To>
Result<void> turn(Layer& layer, const Path& prim, const Arc& arc, const TfToken& from_key, const TfToken& to_key,
                  bool strongest)
{
    From from = list_of<From>(layer, prim, from_key);
    if (!edit_list(from, arc, [](auto& items, auto at) { items.erase(at); })) return none(layer, prim, arc);
    // An explicit empty list would block the arcs of weaker layers.
    if (from.IsExplicit() && from.GetExplicitItems().empty()) from = From();
    To         to    = list_of<To>(layer, prim, to_key);
    const auto kind  = to.IsExplicit()                                             ? SdfListOpTypeExplicit
                       : !strongest && !to.GetItems(SdfListOpTypeAppended).empty() ? SdfListOpTypeAppended
                                                                                   : SdfListOpTypePrepended;
    auto       items = to.GetItems(kind);
    const auto item  = made<typename To::ItemType>(arc);
    items.insert(strongest ? items.begin() : items.end(), item);
    to.SetItems(items, kind);
    store(layer, prim, from_key, from);
    store(layer, prim, to_key, to);
    return {};
}

template <class ListOp>
Result<void> take_out(Layer& layer, const Path& prim, const Arc& arc, const TfToken& key)
{
    auto op = list_of<ListOp>(layer, prim, key);
    if (!edit_list(op, arc, [](auto& items, auto at) { items.erase(at); })) return none(layer, prim, arc);
    // An explicit empty list would block the arcs of weaker layers.
    if (op.IsExplicit() && op.GetExplicitItems().empty()) op = ListOp();
    store(layer, prim, key, op);
    return {};
}

}  // namespace

Result<void> remove_reference(Layer& layer, const Path& prim, const Arc& reference)
{ return take_out<SdfReferenceListOp>(layer, prim, reference, SdfFieldKeys->References); }
Result<void> remove_payload(Layer& layer, const Path& prim, const Arc& payload)
{ return take_out<SdfPayloadListOp>(layer, prim, payload, SdfFieldKeys->Payload); }

Result<void> add_reference_beside(Layer& layer, const Path& prim, const Arc& known, const Arc& arc)
{
    auto op = list_of<SdfReferenceListOp>(layer, prim, SdfFieldKeys->References);
    if (!edit_list(op, known, [&](auto& items, auto at) { items.insert(at, made<SdfReference>(arc)); }))
        return none(layer, prim, known);
    store(layer, prim, SdfFieldKeys->References, op);
    return {};
}

Result<void> turn_into_reference(Layer& layer, const Path& prim, const Arc& payload)
{
    return turn<SdfPayloadListOp, SdfReferenceListOp>(layer, prim, payload, SdfFieldKeys->Payload,
                                                      SdfFieldKeys->References, false);
}

Result<void> turn_into_payload(Layer& layer, const Path& prim, const Arc& reference)
{
    return turn<SdfReferenceListOp, SdfPayloadListOp>(layer, prim, reference, SdfFieldKeys->References,
                                                      SdfFieldKeys->Payload, true);
}

void insert_sublayer(Layer& layer, const std::string& file, const std::string& before)
{
    const std::vector<std::string> all = layer.sublayers();
    const auto                     at  = before.empty() ? all.begin() : std::find(all.begin(), all.end(), before);
    layer.impl().layer->InsertSubLayerPath(file, static_cast<int>(at - all.begin()));
    layer.impl().edited = true;
}

void remove_sublayer(Layer& layer, const std::string& file)
{
    const std::vector<std::string> all = layer.sublayers();
    const auto                     at  = std::find(all.begin(), all.end(), file);
    if (at == all.end()) return;
    layer.impl().layer->RemoveSubLayerPath(static_cast<int>(at - all.begin()));
    layer.impl().edited = true;
}

std::vector<Path> class_arcs(const Layer& layer, const Path& prim)
{
    std::vector<Path> found;
    for (const TfToken& key : {SdfFieldKeys->InheritPaths, SdfFieldKeys->Specializes}) {
        SdfPathVector paths;
        layer.impl().layer->GetFieldAs<SdfPathListOp>(unwrap(prim), key).ApplyOperations(&paths);
        for (const SdfPath& path : paths) found.push_back(wrap(path));
    }
    return found;
}

}  // namespace mechane::usd

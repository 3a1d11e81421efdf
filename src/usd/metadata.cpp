// Metadata of prims and properties, composed: dictionaries merge key by key, list operations fold, of everything else
// the strongest opinion counts.
// `key` may be "field:key:key" for an entry of a dictionary.

#include <pxr/sdf/listOp.h>
#include <pxr/sdf/schema.h>
#include <pxr/vt/dictionary.h>

#include <algorithm>

#include "usd/stage_impl.h"
#include "usd/stage_value.h"

namespace mechane::usd {
namespace {

using namespace pxr;

/// Folds list operations from the weakest to the strongest into an explicit list.
template <class ListOp>
bool fold_list(const std::vector<VtValue>& strongest_first, VtValue& out)
{
    if (strongest_first.empty() || !strongest_first.front().IsHolding<ListOp>()) return false;
    typename ListOp::ItemVector items;
    for (auto op = strongest_first.rbegin(); op != strongest_first.rend(); ++op)
        if (op->IsHolding<ListOp>()) op->template UncheckedGet<ListOp>().ApplyOperations(&items);
    out = VtValue(ListOp::CreateExplicit(items));
    return true;
}

/// Of a prim of which one layer alone speaks; false is certain. Layers make up some fields of properties that are
/// there.
bool may_have_field(const PrimRecord& prim, const TfToken& property, const TfToken& field)
{
    if (!property.IsEmpty()) return may_have_opinions(prim, property);
    return std::find(prim.fields.begin(), prim.fields.end(), field) != prim.fields.end();
}

}  // namespace

VtValue compose_metadata(const Stage::Impl& stage, const PrimRecord& prim, const TfToken& property, const TfToken& key)
{
    const std::size_t colon = key.GetString().find(':');
    const TfToken     field = colon == std::string::npos ? key : TfToken(key.GetString().substr(0, colon));
    if (prim.layer != PrimRecord::kSeveral && !may_have_field(prim, property, field)) return {};
    std::vector<VtValue> opinions;
    for_each_site(prim, [&](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t i) {
        const SdfPath path = property.IsEmpty() ? at.path : at.path.AppendProperty(property);
        if (VtValue value; layer->HasField(path, field, &value)) {
            to_stage(stage, prim, {layer, at.node, path, time_offset(at.node, i)}, value);
            opinions.push_back(std::move(value));
        }
        return false;
    });
    if (opinions.empty()) return {};
    VtValue out;
    if (opinions.front().IsHolding<VtDictionary>()) {
        VtDictionary merged = opinions.front().UncheckedGet<VtDictionary>();
        for (std::size_t i = 1; i < opinions.size(); ++i)
            if (opinions[i].IsHolding<VtDictionary>())
                VtDictionaryOverRecursive(&merged, opinions[i].UncheckedGet<VtDictionary>());
        out = VtValue(merged);
    } else if (!fold_list<SdfTokenListOp>(opinions, out) && !fold_list<SdfStringListOp>(opinions, out) &&
               !fold_list<SdfPathListOp>(opinions, out) && !fold_list<SdfIntListOp>(opinions, out) &&
               !fold_list<SdfInt64ListOp>(opinions, out) && !fold_list<SdfUIntListOp>(opinions, out) &&
               !fold_list<SdfUInt64ListOp>(opinions, out)) {
        out = opinions.front();
    }
    if (colon == std::string::npos) return out;
    if (!out.IsHolding<VtDictionary>()) return {};
    const VtValue* entry = out.UncheckedGet<VtDictionary>().GetValueAtPath(key.GetString().substr(colon + 1));
    return entry == nullptr ? VtValue() : *entry;
}

}  // namespace mechane::usd

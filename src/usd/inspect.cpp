// What OpenUSD's composition accepts in silence and authors would want to know: type conflicts, types that are not the
// schema's, selections by undefined variables, lists with duplicates.
// Reading is thorough and slow: `mechane validate` asks for it, opening a stage does not.

#include "mechane/usd/inspect.h"

#include <fmt/format.h>
#include <pxr/pcp/expressionVariables.h>
#include <pxr/pcp/propertyIndex.h>
#include <pxr/pcp/targetIndex.h>
#include <pxr/sdf/attributeSpec.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "mechane/usd/codes.h"
#include "usd/expressions.h"
#include "usd/layer_text.h"
#include "usd/list_duplicates.h"
#include "usd/stage_impl.h"

namespace mechane::usd {
namespace {

using namespace pxr;

/// One layer of the stage's own says all about the prim: nobody can disagree, and no arc maps targets.
bool says_one_layer(const PrimRecord& prim)
{
    int sites = 0;
    return !for_each_site(prim, [&](const SdfLayerRefPtr&, const SiteNode& at, std::size_t) {
        return ++sites > 1 || !at.node.IsRootNode();
    });
}

/// Attributes of one name and several types, or uniform here and varying there: OpenUSD's composition of stages takes
/// the strongest type and the weakest variability, and reports nothing.
void inspect_types(const Stage::Impl& stage, const PrimRecord& prim, const TfToken& name,
                   const PcpPropertyIndex& property, Diagnostics& found)
{
    const auto                   specs = property.GetPropertyRange();
    const SdfAttributeSpecHandle first = TfDynamic_cast<SdfAttributeSpecHandle>(*specs.first);
    if (!first) return;
    for (auto at = std::next(specs.first); at != specs.second; ++at) {
        const SdfAttributeSpecHandle other = TfDynamic_cast<SdfAttributeSpecHandle>(*at);
        if (!other) continue;
        if (other->GetTypeName() != first->GetTypeName())
            found.add(kTypeConflict, site_of(stage, prim, name),
                      fmt::format("the type is {}, and {} in {}", first->GetTypeName().GetAsToken().GetString(),
                                  other->GetTypeName().GetAsToken().GetString(), shown(stage, other->GetLayer())));
        else if (other->GetVariability() != first->GetVariability())
            found.add(kTypeConflict, site_of(stage, prim, name),
                      fmt::format("the attribute is {}, and {} in {}",
                                  first->GetVariability() == SdfVariabilityUniform ? "uniform" : "varying",
                                  other->GetVariability() == SdfVariabilityUniform ? "uniform" : "varying",
                                  shown(stage, other->GetLayer())));
    }
}

void inspect_properties(const Stage::Impl& stage, Diagnostics& found)
{
    PcpErrorVector errors;
    for (const PrimRecord& prim : stage.prims) {
        if ((prim.flags & prim_flag::proxy) != 0 || says_one_layer(prim)) continue;
        const PcpPrimIndex* index = index_of(stage, prim);
        TfTokenVector       names;
        index->ComputePrimPropertyNames(&names);
        for (const TfToken& name : names) {
            const SdfPath    path = unwrap(prim.path).AppendProperty(name);
            PcpPropertyIndex property;
            PcpBuildPrimPropertyIndex(path, *stage.cache, *index, &property, &errors);
            if (property.IsEmpty()) continue;
            inspect_types(stage, prim, name, property, found);
            const SdfPropertySpecHandle strongest = *property.GetPropertyRange().first;
            PcpTargetIndex              targets;
            PcpBuildTargetIndex(PcpSite(stage.cache->GetLayerStackIdentifier(), path), property,
                                strongest->GetSpecType(), &targets, &errors);
        }
    }
    report_composition_errors(stage, errors, found);
}

/// Mechane reads a double where the schema has a float; OpenUSD's own readers do not, and use the schema's fallback.
void inspect_schema_types(const Stage& stage, Diagnostics& found)
{
    struct Place {
        Site        first;
        std::string text;
        std::size_t count = 0;
    };
    std::map<std::pair<std::string, std::string>, Place> places;  // by name and type: one line each
    for (const Prim& prim : stage.traverse())
        for (const Token& name : prim.authored_property_names()) {
            const Attribute   attribute = prim.attribute(name);
            const std::string other     = attribute.other_type();
            if (other.empty() || !attribute.authored()) continue;
            Place& place = places[{name.text(), other}];
            if (place.count++ == 0)
                place = {attribute.site(),
                         fmt::format("{} is of type {}, and {} in its schema", name.text(), other, attribute.type_name()),
                         1};
        }
    for (const auto& [key, place] : places)
        found.add(kTypeOther, place.first,
                  place.count > 1 ? fmt::format("{} ({} prims)", place.text, place.count) : place.text);
}

/// A selection made by an expression whose variable is undefined selects nothing, and OpenUSD is silent about it.
void inspect_selections(const Stage::Impl& stage, Diagnostics& found)
{
    for (const PrimRecord& prim : stage.prims) {
        if ((prim.flags & prim_flag::proxy) != 0) continue;
        for_each_site(prim, [&](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t) {
            SdfVariantSelectionMap selections;
            if (!layer->HasField(at.path, TfToken("variantSelection"), &selections)) return false;
            for (const auto& [set, name] : selections) {
                const auto undefined =
                    find_undefined_variable(name, at.node.GetLayerStack()->GetExpressionVariables().GetVariables());
                if (undefined)
                    found.add(kExpression, site_of(stage, prim, {}),
                              fmt::format("the variable {} in the selection {} of variant set '{}' is not defined",
                                          undefined->name, name, set));
            }
            return false;
        });
    }
}

void inspect_dropped(const Stage::Impl& stage, Diagnostics& found)
{
    std::vector<SdfLayerRefPtr> layers;
    for (const SdfLayerHandle& layer : layers_in_use(stage))
        if (layer && !layer->GetRealPath().empty()) layers.push_back(TfCreateRefPtrFromProtectedWeakPtr(layer));
    // The set of layers is ordered by address.
    std::sort(layers.begin(), layers.end(),
              [](const auto& a, const auto& b) { return a->GetIdentifier() < b->GetIdentifier(); });
    for (const SdfLayerRefPtr& layer : layers) {
        const std::string text = usda_text(layer->GetRealPath());
        for (const ListDuplicate& list : find_list_duplicates(text)) {
            Site site{.layer    = shown(stage, layer),
                      .line     = list.line,
                      .column   = list.column,
                      .prim     = lines_of(stage, layer).prim_at(list.line),
                      .property = list.field};
            found.add(kListDuplicate, std::move(site),
                      fmt::format("the list names '{}' twice, and nothing of it counts", list.item));
        }
    }
}

}  // namespace

void inspect(const Stage& stage, Diagnostics& found)
{
    inspect_properties(stage.impl(), found);
    inspect_selections(stage.impl(), found);
    inspect_schema_types(stage, found);
    inspect_lists(stage, found);
}

void inspect_lists(const Stage& stage, Diagnostics& found) { inspect_dropped(stage.impl(), found); }

}  // namespace mechane::usd

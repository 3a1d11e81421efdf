// Targets of relationships and connections, composed by the library where arcs map them, and forwarding through
// relationships that target others.

#include <pxr/pcp/propertyIndex.h>
#include <pxr/pcp/targetIndex.h>
#include <pxr/sdf/attributeSpec.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "usd/stage_impl.h"
#include "usd/targets.h"

namespace mechane::usd {

using namespace pxr;

namespace {

/// Of a prim that one of the stage's own layers alone speaks about: what its list makes of nothing. No arc maps it.
std::vector<Path> listed_targets(const PrimRecord& prim, const TfToken& name, bool connections)
{
    std::vector<Path> out;
    if (const LoneOpinions* lone = lone_opinions(prim)) {
        const LoneProperty* said = lone->find(name);
        if (said == nullptr || !said->any(connections ? LoneProperty::connections : LoneProperty::targets)) return out;
        if (!connections && said->any(LoneProperty::kept)) {
            for (const SdfPath& target : said->value.UncheckedGet<SdfPathVector>()) out.push_back(wrap(target));
            return out;
        }
    }
    SdfPathListOp list;
    for_each_site(prim, [&](const SdfLayerRefPtr& layer, const SiteNode& at, std::size_t) {
        return layer->HasField(at.path.AppendProperty(name),
                               connections ? SdfFieldKeys->ConnectionPaths : SdfFieldKeys->TargetPaths, &list);
    });
    SdfPathVector targets;
    list.ApplyOperations(&targets);
    for (const SdfPath& target : targets) out.push_back(wrap(target));
    return out;
}

}  // namespace

std::vector<Path> compose_targets(const Stage::Impl& stage, const PrimRecord& prim, const TfToken& name,
                                  bool connections)
{
    std::vector<Path> out;
    if (prim.sites == nullptr || !may_have_opinions(prim, name)) return out;
    if (prim.layer != PrimRecord::kSeveral) return listed_targets(prim, name, connections);
    const PcpPrimIndex* index = index_of(stage, prim);
    const Moved         moved = to_own(stage, prim);
    const SdfPath       path  = index->GetPath().AppendProperty(name);
    PcpPropertyIndex    property;
    PcpErrorVector      errors;
    PcpBuildPrimPropertyIndex(path, *stage.cache, *index, &property, &errors);
    if (property.IsEmpty()) return out;
    PcpTargetIndex targets;
    PcpBuildTargetIndex(PcpSite(stage.cache->GetLayerStackIdentifier(), path), property,
                        connections ? SdfSpecTypeAttribute : SdfSpecTypeRelationship, &targets, &errors);
    for (const SdfPath& target : targets.paths)
        out.push_back(wrap(moved.to.IsEmpty() ? target : target.ReplacePrefix(moved.from, moved.to)));
    return out;
}

std::vector<Path> forward_targets(const Stage& stage, const Path& relationship)
{
    const Prim owner = stage.prim_at(relationship.prim());
    if (!owner) return {};
    std::vector<Path> out = owner.relationship(relationship.name()).targets();
    if (std::none_of(out.begin(), out.end(), [](const Path& target) { return target.is_property(); })) return out;
    out.clear();
    std::set<Path>    seen, given;
    std::vector<Path> stack{relationship};
    while (!stack.empty()) {
        const Path at = stack.back();
        stack.pop_back();
        const Prim prim = stage.prim_at(at.prim());
        if (at.is_property() && prim && prim.relationship(at.name())) {
            if (!seen.insert(at).second) continue;  // a cycle
            const auto targets = prim.relationship(at.name()).targets();
            // Backwards onto the stack: targets come out in the order in which they are listed.
            stack.insert(stack.end(), targets.rbegin(), targets.rend());
        } else if (given.insert(at).second) {
            out.push_back(at);
        }
    }
    return out;
}

}  // namespace mechane::usd

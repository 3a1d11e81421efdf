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

std::vector<Path> compose_targets(const Stage::Impl& stage, const PrimRecord& prim, const TfToken& name,
                                  bool connections)
{
    std::vector<Path> out;
    if (prim.sites == nullptr || !may_have_opinions(prim, name)) return out;
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
    std::vector<Path> out;
    std::set<Path>    seen, given;
    std::vector<Path> stack{relationship};
    while (!stack.empty()) {
        const Path at = stack.back();
        stack.pop_back();
        const Prim prim = stage.prim_at(at.prim());
        if (at.is_property() && prim && prim.relationship(at.name())) {
            if (!seen.insert(at).second) continue;  // a cycle
            const auto targets = prim.relationship(at.name()).targets();
            stack.insert(stack.end(), targets.rbegin(), targets.rend());
        } else if (given.insert(at).second) {
            out.push_back(at);
        }
    }
    return out;
}

}  // namespace mechane::usd

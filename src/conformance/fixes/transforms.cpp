#include <array>

#include "conformance/fixes/placement.h"

/// P2: placements of prims as the rules of 1.1 want them.
namespace mechane::conformance {
namespace {

usd::Prim prim_of(const Repair& repair, const Finding& finding)
{ return repair.facts.stage.prim_at(usd::Path(finding.site.prim)); }

/// The stack of one prim, as translate, orient and scale; what it may not keep goes down.
void fix_stack(Repair& repair, const Finding& finding)
{
    const usd::Prim  prim  = prim_of(repair, finding);
    const PrimFacts* facts = repair.facts.find(prim.path());
    if (facts == nullptr) return;
    const usd::Decomposition d     = usd::decompose(repair.facts.stage.local_matrix(prim));
    const auto               hand  = allowed_scale(*facts);
    const bool               unit  = length(d.scale - Vec3d{1, 1, 1}) <= 1e-6;
    const bool               alone = unit || hand == Placement::HandDown::nothing;
    Placement(repair).rewrite(prim, {}, alone ? Placement::HandDown::nothing : hand, alone);
}

void fix_body_stack(Repair& repair, const Finding& finding)
{
    if (finding.variant == "identity-scale") return;  // tolerated
    fix_stack(repair, finding);
}

void fix_scale(Repair& repair, const Finding& finding)
{
    const usd::Prim  prim  = prim_of(repair, finding);
    const PrimFacts* facts = repair.facts.find(prim.path());
    if (facts != nullptr && facts->is(kGprim))
        return repair.refuse("leaf-body", "the body is its own geometry: it needs a child that can keep the scale");
    Placement(repair).rewrite(prim, {}, Placement::HandDown::scale, false);
}

void fix_root_rotation(Repair& repair, const Finding& finding)
{
    if (finding.variant == "rotation-shim")
        return repair.refuse("ambiguous", "whether the turn below the root is a pose or a mistake is the author's to say");
    const usd::Prim  prim  = prim_of(repair, finding);
    const PrimFacts* facts = repair.facts.find(prim.path());
    if (facts != nullptr && facts->is(kGprim))
        return repair.refuse("leaf-body", "the root is its own geometry: it needs a child that can keep the rotation");
    Placement(repair).rewrite(prim, {}, Placement::HandDown::turn, false);
}

void mirrored(Repair& repair, const Finding&)
{ repair.refuse("mirrored-body", "a mirrored body or collider has to be modelled anew"); }

constexpr std::array kRepairs{RepairOf{"REP-1.1-f", Phase::transforms, mirrored},
                              RepairOf{"REP-1.1-g", Phase::transforms, fix_body_stack},
                              RepairOf{"REP-1.1-h", Phase::transforms, fix_stack},
                              RepairOf{"REP-1.1-i", Phase::transforms, fix_stack},
                              RepairOf{"REP-1.1-j", Phase::transforms, fix_scale},
                              RepairOf{"REP-1.1-k", Phase::transforms, fix_scale},
                              RepairOf{"REP-1.1-l", Phase::transforms, fix_root_rotation}};

}  // namespace

std::span<const RepairOf> transform_repairs() { return kRepairs; }

}  // namespace mechane::conformance

// Repairs placements of prims (phase P2) as the rules of 1.1 want them. The work is done by Placement; here each rule
// says which part of a stack has to go where.

#include <array>

#include "conformance/fixes/placement.h"
#include "conformance/fixes/units.h"

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
    const usd::Prim prim = prim_of(repair, finding);
    if (finding.variant == "joint") {  // a joint has no placement: the operation says nothing
        const usd::Token order("xformOpOrder");
        auto             ops = prim.attribute(order).authored_as<std::vector<usd::Token>>();
        repair.erase(prim, finding.site.property);
        if (!ops) return;
        std::erase(*ops, usd::Token(finding.site.property));
        if (ops->empty())
            repair.erase(prim, order);
        else
            repair.set(prim, order, "token[]", usd::make_value("token[]", *ops), true);
        return;
    }
    // Written into what lies below, the scale would leave a layer whose numbers are not in the units that it states:
    // whoever reads it next converts them once more.
    if (holds_compensated(repair, prim))
        return repair.refuse(
            "ambiguous",
            "the scale makes up for the units of a layer that is brought in there; repair that layer's units first");
    Placement(repair).rewrite(prim, {}, Placement::HandDown::scale, false);
}

/// The turn goes to what lies below, past every Xform that holds all of it.
void fix_root_rotation(Repair& repair, const Finding& finding)
{ Placement(repair).rewrite(prim_of(repair, finding), {}, Placement::HandDown::turn, false); }

/// Geometry that is mirrored by its own scale takes the mirror into its form.
void fix_mirror(Repair& repair, const Finding& finding)
{
    const usd::Prim  prim  = prim_of(repair, finding);
    const PrimFacts* facts = repair.facts.find(prim.path());
    const bool       own   = facts != nullptr && facts->is(kGprim) && !facts->is(kBody) &&
                             usd::determinant3(repair.facts.stage.local_matrix(prim)) < 0;
    if (!own)
        return repair.refuse("mirrored-body",
                             "a mirrored body, and what stands below a mirror, has to be modelled anew");
    Placement(repair).rewrite(prim, {}, Placement::HandDown::scale, false);
}

constexpr std::array kRepairs{RepairOf{"REP-1.1-f", Phase::transforms, fix_mirror},
                              RepairOf{"REP-1.1-g", Phase::transforms, fix_body_stack},
                              RepairOf{"REP-1.1-h", Phase::transforms, fix_stack},
                              RepairOf{"REP-1.1-i", Phase::transforms, fix_stack},
                              RepairOf{"REP-1.1-j", Phase::transforms, fix_scale},
                              RepairOf{"REP-1.1-k", Phase::transforms, fix_scale},
                              RepairOf{"REP-1.1-l", Phase::transforms, fix_root_rotation}};

}  // namespace

std::span<const RepairOf> transform_repairs() { return kRepairs; }

}  // namespace mechane::conformance

// Repairs placements of prims (phase P2) as the rules of 1.1 want them. The work is done by Placement; here each rule
// says which part of a stack has to go where.

#include <algorithm>
#include <array>

#include "conformance/fixes/placement.h"
#include "conformance/fixes/states.h"
#include "conformance/fixes/units.h"
#include "conformance/transform_ops.h"
#include "mechane/usd/resolve_info.h"

/// P2: placements of prims as the rules of 1.1 want them.
namespace mechane::conformance {
namespace {

usd::Prim prim_of(const Repair& repair, const Finding& finding)
{ return repair.facts.stage.prim_at(usd::Path(finding.site.prim)); }

/// What "rotateXYZ", in degrees, says: about the first letter's axis first. A single axis has one number.
Quatd rotation_of(const usd::Attribute& angles, std::string_view kind, usd::TimeCode time)
{
    const std::string_view axes  = kind.substr(std::string_view("rotate").size());
    const auto             three = angles.get<Vec3d>(time);
    const double           one   = angles.get<double>(time).value_or(0);
    Quatd                  q{0, 0, 0, 1};
    for (const char letter : axes) {
        const auto   axis  = static_cast<std::size_t>(letter - 'X');
        const double angle = (axes.size() == 1 ? one : three.value_or(Vec3d{})[axis]) * kPi / 180;
        Vec3d        turn;
        turn[axis] = angle;
        q          = from_rotation_vector(turn) * q;
    }
    return q;
}

/// Euler angles as quaternions where they stand among the other operations, for a stack that no translation, rotation
/// and scale express. Returns false where that is not possible.
bool turn_by_quaternions(Repair& repair, const usd::Prim& prim)
{
    const usd::Token kOrder("xformOpOrder");
    const EditPlace  at    = repair.place(prim, kOrder);
    auto             order = prim.attribute(kOrder).authored_as<std::vector<usd::Token>>();
    if (!at || !order || placed_by_variants(repair, prim, at)) return false;
    const TransformStack    stack = stack_of(prim);
    std::vector<usd::Token> angles_of;
    for (const TransformOp& op : stack.ops)
        if (op.kind.starts_with("rotate")) angles_of.push_back(op.attribute());
    if (repair.refuse_linked(prim, angles_of)) return false;
    if (std::ranges::any_of(stack.ops, [&](const TransformOp& op) {
            return usd::resolve_info(prim.attribute(op.attribute()), 0.0).source == usd::ValueSource::spline;
        }))
        return false;
    for (const TransformOp& op : stack.ops) {
        if (!op.kind.starts_with("rotate")) continue;
        std::string name = "xformOp:orient" + (op.suffix.empty() ? "" : ":" + op.suffix);
        while (prim.attribute(name)) name += name == "xformOp:orient" ? ":turn" : "_1";
        const usd::Attribute angles = prim.attribute(op.attribute());
        const auto           value  = [&](usd::TimeCode time) {
            return usd::make_value("quatf", rotation_of(angles, op.kind, time));
        };
        repair.set(at, name, "quatf", value({}));
        if (angles.varying())
            for (const double time : angles.time_samples()) repair.set_sample(at, name, "quatf", time, value(time));
        repair.erase(prim, op.attribute());
        for (usd::Token& entry : *order)
            if (entry.text() == op.text) entry = usd::Token((op.inverse ? "!invert!" : "") + name);
    }
    repair.set(at, "xformOpOrder", "token[]", usd::make_value("token[]", *order), true);
    repair.moved.insert(prim.path());
    return true;
}

/// The stack of one prim, as translate, orient and scale; what it may not keep goes down.
void fix_stack(Repair& repair, const Finding& finding)
{
    const usd::Prim  prim  = prim_of(repair, finding);
    const PrimFacts* facts = repair.facts.find(prim.path());
    if (facts == nullptr) return;
    const usd::Decomposition d        = usd::decompose(repair.facts.stage.local_matrix(prim));
    const auto               hand     = allowed_scale(*facts);
    const bool               unit     = length(d.scale - Vec3d{1, 1, 1}) <= 1e-6;
    const bool               alone    = unit || hand == Placement::HandDown::nothing;
    const std::size_t        refusals = repair.refusals();
    if (Placement(repair).rewrite(prim, {}, alone ? Placement::HandDown::nothing : hand, alone)) return;
    // A scale that would shear what is below it stays; only a body's whole stack (REP-1.1-g) asks for more.
    // Readers factor the shear of a body each in their own way, so that bodies are left alone.
    if (finding.rule->id == std::string_view("REP-1.1-g") || facts->is(kBody) || facts->above_body) return;
    const bool turned = finding.rule->id == std::string_view("REP-1.1-i") && turn_by_quaternions(repair, prim);
    if (turned || (!alone && Placement(repair).rewrite(prim, {}, Placement::HandDown::nothing, true)))
        repair.forget_refusals(refusals);
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
{
    const std::size_t refusals = repair.refusals();
    const usd::Prim   root     = prim_of(repair, finding);
    if (Placement(repair).rewrite(root, {}, Placement::HandDown::turn, false)) return;
    Placement keeping(repair);
    keeping.keep_scales();
    const std::size_t first = repair.refusals();
    if (keeping.rewrite(root, {}, Placement::HandDown::turn, false))
        repair.forget_refusals(refusals);
    else
        repair.forget_refusals(first);
}

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

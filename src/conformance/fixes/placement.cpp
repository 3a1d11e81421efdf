// Rewrites placements of prims as translate, orient and scale, and hands down what a prim may not keep.
// Input: a prim and a matrix that is to come after its own. Output: edits of ops, of geometry below, of masses and
// sites.
// What is not allowed at a prim (a scale on an Xform, a rotation of the default prim) goes to its children, down to
// geometry, which takes it into its form.
// Planning comes first: all prims below must be able to take their share before the first of them is written.
// Invariant: world matrices of geometry, bodies and joints stay what they were, to the precision of floats.
// Matrices multiply row vectors: a child's stands on the left of its parent's.
// Called by the repairs of P2 and P3.

#include "conformance/fixes/placement.h"

#include <algorithm>
#include <cmath>

#include "conformance/fixes/baking.h"
#include "conformance/fixes/motion_keys.h"
#include "conformance/fixes/states.h"
#include "conformance/root_content.h"
#include "mechane/physics/deformable_units.h"
#include "mechane/usd/resolve_info.h"

namespace mechane::conformance {
namespace {

constexpr double kUnitTolerance = 1e-6;  // of a scale, as the rules judge it

bool is_unit(const Vec3d& s)
{
    return std::abs(s.x - 1) <= kUnitTolerance && std::abs(s.y - 1) <= kUnitTolerance &&
           std::abs(s.z - 1) <= kUnitTolerance;
}

usd::Matrix4d scaling(const Vec3d& s)
{
    usd::Matrix4d m;
    m(0, 0) = s.x, m(1, 1) = s.y, m(2, 2) = s.z;
    return m;
}

/// Ops of the prim that are in its order, as attribute names.
std::vector<usd::Token> op_names(const usd::Prim& prim)
{
    std::vector<usd::Token> names;
    for (const usd::Token& name : prim.authored_property_names())
        if (name.text().starts_with("xformOp:")) names.push_back(name);
    return names;
}

/// Rounds what is a whole number within the accuracy of a matrix of doubles, so that 1 is written as 1.
double tidy(double value)
{
    const double whole = std::round(value);
    return std::abs(value - whole) <= 1e-12 * std::max(1.0, std::abs(value)) ? whole + 0.0 : value;
}
Vec3d tidy(const Vec3d& v) { return {tidy(v.x), tidy(v.y), tidy(v.z)}; }
/// The representative with w >= 0, or on the side of the sample before.
Quatd tidy(Quatd q, const std::optional<Quatd>& before)
{
    const double side = before ? q.x * before->x + q.y * before->y + q.z * before->z + q.w * before->w : q.w;
    if (side < 0) q = {-q.x, -q.y, -q.z, -q.w};
    return {tidy(q.x), tidy(q.y), tidy(q.z), tidy(q.w)};
}

/// A matrix whose axes are permuted and mirrored alone, up to the accuracy of floats, is so exactly.
usd::Matrix4d exact(usd::Matrix4d m)
{
    constexpr double kFloat = 1e-6;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            if (const double x = std::abs(m(r, c)); x > kFloat && std::abs(x - 1) > kFloat) return m;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) m(r, c) = std::round(m(r, c)) + 0.0;
    return m;
}

/// Of the ways to take a mirror apart the one that turns least: two axes may change their sign together.
usd::Decomposition turned_least(usd::Decomposition d)
{
    if (d.scale.x * d.scale.y * d.scale.z >= 0) return d;
    usd::Decomposition best = d;
    for (std::size_t kept = 0; kept < 3; ++kept) {
        usd::Decomposition other = d;
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (axis != kept) other.scale[axis] = -other.scale[axis];
        // Half a turn about the kept axis, before the rotation: row vectors.
        const Quatd half{kept == 0 ? 1.0 : 0.0, kept == 1 ? 1.0 : 0.0, kept == 2 ? 1.0 : 0.0, 0};
        other.rotation = d.rotation * half;
        if (std::abs(other.rotation.w) > std::abs(best.rotation.w) + 1e-9) best = other;
    }
    return best;
}

/// Whether a part is the same at all times.
bool keeps(const auto& parts, auto&& part)
{
    return std::all_of(parts.begin(), parts.end(), [&](const auto& p) { return part(p) == part(parts.front()); });
}

/// Whether and why a decomposition cannot be written.
const char* fault_of(const usd::Decomposition& d) { return d.singular ? "singular" : d.sheared ? "shear" : nullptr; }

usd::Matrix4d rigid(const usd::Matrix4d& m)
{
    const usd::Decomposition d = usd::decompose(m);
    return usd::from_pose({d.translation, d.rotation});
}

usd::Matrix4d without_translation(usd::Matrix4d m)
{
    for (int c = 0; c < 3; ++c) m(3, c) = 0;
    return m;
}

/// No operation of the prim changes over time.
bool rests(const usd::Prim& prim)
{
    return std::ranges::none_of(op_names(prim), [&](const usd::Token& op) { return prim.attribute(op).varying(); });
}

bool near(const usd::Matrix4d& a, const usd::Matrix4d& b);
/// Whether it turns about the origin and does nothing else.
bool is_turn(const usd::Matrix4d& m) { return near(m, usd::from_pose({{}, usd::decompose(m).rotation})); }

bool near(const usd::Matrix4d& a, const usd::Matrix4d& b)
{
    double size = 1;
    for (const double x : a.m) size = std::max(size, std::abs(x));
    for (std::size_t i = 0; i < 16; ++i)
        if (!(std::abs(a.m[i] - b.m[i]) <= 1e-7 * size)) return false;  // authored as float
    return true;
}

}  // namespace

bool stands_alone(const usd::Stage& stage, const usd::Prim& prim)
{
    if (!stage.resets_transform(prim)) return false;
    for (usd::Prim above = prim.parent(); above && !above.path().is_root(); above = above.parent())
        if (above.is_a("PointInstancer"))
            if (const auto copied = above.relationship("prototypes").targets();
                std::find(copied.begin(), copied.end(), prim.path()) != copied.end())
                return false;
    return true;
}

usd::Matrix4d place_of(const usd::Stage& stage, const usd::Prim& prim, usd::TimeCode time)
{
    usd::Matrix4d below = stage.world_matrix(prim, time);
    for (usd::Prim at = prim; at && !at.path().is_root(); at = at.parent()) {
        if (!stage.resets_transform(at)) continue;
        return stands_alone(stage, at) ? below : below * place_of(stage, at.parent(), time);
    }
    return below;
}

Placement::HandDown allowed_scale(const PrimFacts& prim)
{
    if (prim.is(kGprim)) return Placement::HandDown::nothing;
    return prim.is(kBody) || prim.above_body || prim.above_gprim || prim.is(kXform) ? Placement::HandDown::scale
                                                                                    : Placement::HandDown::nothing;
}

bool Placement::rewrite(const usd::Prim& prim, const usd::Matrix4d& after, HandDown hand, bool local)
{
    if (hand != HandDown::nothing)
        for (const usd::Prim& below : prim.subtree())
            if (repair_.moved.count(below.path()) != 0) return repair_.defer(), true;
    // A prim that this pass has moved already is left to the next one: its facts are those from before.
    if (repair_.moved.count(prim.path()) != 0) return repair_.defer(), true;
    std::vector<Plan> plans;
    if (!plan(prim, after, hand, local, plans)) return false;
    for (const Plan& one : plans) write(one);
    return true;
}

bool Placement::hands_down(const usd::Prim& prim, const usd::Matrix4d& after)
{
    const std::size_t refusals = repair_.refusals();
    std::vector<Plan> plans;
    keeps_scales_       = false;
    const bool possible = plan(prim, after, HandDown::scale, false, plans);
    keeps_scales_       = true;
    repair_.forget_refusals(refusals);
    return possible;
}

namespace {

/// Whether something that the stage does not show now may be shown later: what is not active or not loaded, and what
/// stands below something that is not defined. Prototypes of an instancer follow their copies.
bool may_be_shown(const usd::Prim& parent, const usd::Prim& child)
{
    return !child.abstract() &&
           (!child.active() || !child.loaded() || (!child.defined() && !parent.is_a("PointInstancer")));
}

}  // namespace

bool Placement::turn_world(const usd::Matrix4d& turn)
{
    const Facts&      facts = repair_.facts;
    const usd::Prim   root  = facts.stage.default_prim();
    std::vector<Plan> plans;
    for (const PrimFacts& prim : facts.prims) {
        if (!prim.is(kXformable)) continue;
        const bool resets = stands_alone(facts.stage, prim.prim);
        if (!resets && facts.nearest(prim.parent, kXformable) != nullptr) continue;  // follows what is above it
        // The default prim keeps no rotation (REP-1.1-l). What leaves the stack does so for every user of its source.
        const bool     hands = prim.prim == root && !prim.is(kGprim);
        const HandDown hand  = hands ? HandDown::turn : HandDown::nothing;
        if (!plan(prim.prim, turn, hand, resets, plans)) return false;
    }
    // What is not shown now and follows nothing either.
    for (const usd::Prim& prim : facts.stage.traverse({.all = true, .instance_proxies = false})) {
        if (facts.find(prim.path()) != nullptr || prim.abstract() || (prim.active() && prim.loaded()) ||
            !prim.is_a("Xformable"))
            continue;
        bool follows = false;
        for (usd::Prim above = prim.parent(); above && !follows; above = above.parent())
            follows = above.is_a("Xformable");
        if (!follows && !plan(prim, turn, HandDown::nothing, false, plans)) return false;
    }
    std::set<std::pair<std::string, usd::Path>> written;  // instances share what they are made of
    for (const Plan& one : plans)
        if (written.emplace(one.at.file, one.at.path).second) write(one);
    return true;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the hierarchy, which opening the stage has bounded
bool Placement::plan(const usd::Prim& prim, const usd::Matrix4d& after, HandDown hand, bool local,
                     std::vector<Plan>& plans)
{
    const usd::Stage& stage = repair_.facts.stage;
    Plan              plan{.prim = prim, .at = {}, .ops = op_names(prim), .times = {}, .parts = {}};
    MotionKeys        keys = motion_keys(stage, prim, plan.ops);
    if (!keys.fault.empty()) {
        repair_.refuse("animated-placement", prim.path().text() + ": " + keys.fault);
        return false;
    }
    plan.times = std::move(keys.times);
    plan.at    = local ? repair_.place(prim, "xformOpOrder") : repair_.own_place(prim, "xformOpOrder");
    if (!plan.at) {
        repair_.refuse("instance", prim.path().text() + ": the prim lies inside an instance");
        return false;
    }
    if (!near(after, {}))
        if (const auto instancer = copied_elsewhere(prim)) {
            repair_.refuse("instance", prim.path().text() + ": " + instancer->text() + " copies it where it stands");
            return false;
        }
    if (placed_by_variants(repair_, prim, plan.at)) {
        repair_.refuse("state-dependent-edit", prim.path().text() + ": other variants place it otherwise");
        return false;
    }
    // Translation and orientation keep their names; whatever else there is may go.
    std::vector<usd::Token> going = plan.ops;
    std::erase(going, usd::Token("xformOp:translate"));
    std::erase(going, usd::Token("xformOp:orient"));
    if (repair_.refuse_linked(prim, going)) return false;
    if (keeps_scales_ && hand == HandDown::scale && !hands_down(prim, after)) hand = HandDown::nothing;
    std::vector<Parts>&        parts = plan.parts;
    const bool                 gprim = prim.is_a("Gprim");
    std::vector<usd::Matrix4d> bent;  // what shears a Gprim
    if (std::ranges::any_of(plan.ops, [&](const usd::Token& op) {
            return usd::resolve_info(prim.attribute(op), 0.0).source == usd::ValueSource::spline;
        })) {
        // Between its knots a spline is no line: what moves the prim stays as it is.
        if (keeps_scales_ && hand == HandDown::nothing && is_turn(after) && !near(after, {})) {
            plan.before = tidy(usd::decompose(after).rotation, std::nullopt);
            plans.push_back(std::move(plan));
            return true;
        }
        repair_.refuse("spline", prim.path().text() + ": a spline moves it");
        return false;
    }
    // Where samples stand without a default, the start is the first of them, as whoever simulates it reads it.
    const bool starts_sampled = !plan.times.empty() && std::ranges::any_of(plan.ops, [&](const usd::Token& op) {
        const usd::Attribute attribute = prim.attribute(op);
        return !attribute.time_samples().empty() && attribute.authored_value().empty();
    });
    for (std::size_t i = 0; i <= plan.times.size(); ++i) {  // 0: the default time
        const usd::TimeCode at_default = starts_sampled ? usd::TimeCode(plan.times.front()) : usd::TimeCode();
        const usd::Matrix4d m =
            stage.local_matrix(prim, i == 0 ? at_default : usd::TimeCode(plan.times[i - 1])) * after;
        usd::Decomposition d = turned_least(usd::decompose(m));
        if (gprim && d.sheared && !d.singular && hand == HandDown::nothing && usd::determinant3(m) > 0) {
            bent.push_back(without_translation(m * *usd::inverse(usd::from_pose({d.translation, d.rotation}))));
            d.scale   = {1, 1, 1};
            d.sheared = false;
        }
        if (keeps_scales_ && d.sheared && !d.singular && hand == HandDown::nothing && parts.empty() &&
            !near(after, {}) && is_turn(after)) {
            plan.before = tidy(usd::decompose(after).rotation, std::nullopt);
            plans.push_back(std::move(plan));
            return true;
        }
        if (const char* fault = fault_of(d)) {
            repair_.refuse(fault, prim.path().text() + ": the placement is not translate, orient and scale");
            return false;
        }
        Parts p{tidy(d.translation), tidy(d.scale), {}};
        p.orient = tidy(d.rotation, parts.empty() ? std::nullopt : std::optional(parts.back().orient));
        parts.push_back(p);
    }
    if (!bent.empty()) {
        if (bent.size() != parts.size() ||
            !std::ranges::all_of(bent, [&](const auto& b) { return near(b, bent.front()); })) {
            repair_.refuse("shear", prim.path().text() + ": its shear changes over time");
            return false;
        }
        plan.baked = bent.front();
    }
    usd::Matrix4d handed;
    if (hand != HandDown::nothing) {
        if (!keeps(parts, [](const Parts& p) { return p.scale; }) ||
            (hand == HandDown::turn && !keeps(parts, [](const Parts& p) { return p.orient; }))) {
            repair_.refuse("animated-scale", prim.path().text() + ": what would go to the children changes over time");
            return false;
        }
        handed             = scaling(parts.front().scale);
        const bool mirrors = determinant3(handed) < 0;
        if (mirrors && (!gprim || prim.has_api("PhysicsRigidBodyAPI") || !prim.children().empty())) {
            repair_.refuse("mirrored-body", prim.path().text() + ": a mirror cannot be handed down");
            return false;
        }
        if (hand == HandDown::turn) handed = handed * exact(usd::from_pose({{}, parts.front().orient}));
        if (!near(handed, {}) && hands_into_variants(repair_, prim, !is_unit(parts.front().scale))) {
            repair_.refuse("state-dependent-edit", prim.path().text() + ": variants hold what it would be handed to");
            return false;
        }
        plan.scaled_by = parts.front().scale;
        for (Parts& p : parts) {
            p.scale = {1, 1, 1};
            if (hand == HandDown::turn) p.orient = {0, 0, 0, 1};
        }
    }
    if (!near(handed, {}) && prim.is_a("PointInstancer") && !hands_to_copies(prim, handed)) return false;
    if (gprim && !near(handed, {})) plan.baked = handed;
    if (!near(plan.baked, {})) {
        if (const std::string fault = fault_of_baking(prim, plan.baked); !fault.empty()) {
            repair_.refuse(plan.scaled_by == Vec3d{1, 1, 1} ? "shear" : "leaf-body", prim.path().text() + ": " + fault);
            return false;
        }
        handed = plan.baked;
    }
    plans.push_back(std::move(plan));
    return near(handed, {}) || plan_below(prim, handed, hand == HandDown::turn, plans);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the hierarchy, which opening the stage has bounded
bool Placement::plan_below(const usd::Prim& prim, const usd::Matrix4d& handed, bool turned, std::vector<Plan>& plans)
{
    const PrimFacts* above = repair_.facts.find(prim.path());
    const PrimFacts* only  = turned && above != nullptr ? only_content(repair_.facts, *above) : nullptr;
    for (const usd::Prim& child : prim.children({.all = true})) {
        const PrimFacts* facts = repair_.facts.find(child.path());
        if (facts == nullptr && !may_be_shown(prim, child)) continue;
        if (stands_alone(repair_.facts.stage, child)) continue;
        if (prim.is_instance()) {
            repair_.refuse("instance", prim.path().text() + ": what it shows may be shown by others");
            return false;
        }
        const bool     passes = facts != nullptr && facts == only && !child.is_instance() && rests(child);
        const HandDown hand   = passes ? HandDown::turn : facts != nullptr ? allowed_scale(*facts) : HandDown::nothing;
        // A scope passes its parent's placement on.
        const bool possible = child.is_a("Xformable") ? plan(child, handed, hand, false, plans)
                                                      : plan_below(child, handed, turned, plans);
        if (!possible) return false;
    }
    return true;
}

void Placement::write_before(const Plan& plan)
{
    // In front of the other operations, behind what resets the stack. Its name is one that the prim does not have.
    std::string name = "xformOp:orient:upright";
    while (std::ranges::find(plan.ops, usd::Token(name)) != plan.ops.end()) name += "_1";
    auto       order = plan.prim.attribute("xformOpOrder").get_or<std::vector<usd::Token>>({});
    const auto first = order.begin() + (!order.empty() && order.front() == usd::Token("!resetXformStack!") ? 1 : 0);
    order.insert(first, usd::Token(name));
    repair_.moved.insert(plan.prim.path());
    repair_.set(plan.at, name, "quatd", usd::make_value("quatd", *plan.before));
    repair_.set(plan.at, "xformOpOrder", "token[]", usd::make_value("token[]", order), true);
}

void Placement::write(const Plan& plan)
{
    if (plan.before) return write_before(plan);
    const usd::Prim&          prim  = plan.prim;
    const EditPlace&          at    = plan.at;
    const std::vector<Parts>& parts = plan.parts;
    if (!is_unit(plan.scaled_by)) scale_mass(prim, plan.scaled_by);
    if (!is_unit(plan.scaled_by) && prim.is_a("PointInstancer")) scale_copies(prim, plan.scaled_by.x);
    if (!near(plan.baked, {})) {
        bake(repair_, prim, plan.baked);
        repair_.note_baked(prim, plan.baked);
    }
    repair_.moved.insert(prim.path());
    const PrimFacts* facts  = repair_.facts.find(prim.path());
    const bool       scaled = std::any_of(parts.begin(), parts.end(), [](const Parts& p) { return !is_unit(p.scale); });
    // A body's stack has both operations; geometry that is not turned needs no rotation.
    const bool turned =
        !prim.is_a("Boundable") || (facts != nullptr && facts->is(kBody)) ||
        std::any_of(parts.begin(), parts.end(), [](const Parts& p) { return p.orient != Quatd{0, 0, 0, 1}; });
    const auto type_of = [&](const char* name, const char* otherwise) {
        const std::string type = prim.attribute(name).type_name();
        return type.empty() || type.starts_with("half") || type == "quath" ? std::string(otherwise) : type;
    };
    // What the same layer says of operations that are no longer listed would only mislead.
    for (const usd::Token& op : plan.ops) {
        const usd::Path path = at.path.property(op);
        if (at.layer->kind(path) == usd::SpecKind::none) continue;
        const std::string& name = op.text();
        if (name == "xformOp:translate" || (name == "xformOp:orient" && turned) ||
            (name == "xformOp:scale" && scaled)) {
            static_cast<void>(at.layer->clear_value(path));
            continue;
        }
        repair_.note(at.file, path, "spec", at.layer->value(path).empty() ? "" : at.layer->value(path).to_text(), "");
        static_cast<void>(at.layer->remove(path));
    }
    std::vector<usd::Token> order;
    bool                    resets = false;
    static_cast<void>(repair_.facts.stage.local_matrix(prim, {}, &resets));
    if (resets) order.emplace_back("!resetXformStack!");
    const auto write_op = [&](const char* name, const char* otherwise, auto&& part) {
        const std::string type = type_of(name, otherwise);
        order.emplace_back(name);
        repair_.set(at, name, type, usd::make_value(type, part(parts.front())));
        if (!keeps(parts, part))
            for (std::size_t i = 0; i < plan.times.size(); ++i)
                repair_.set_sample(at, name, type, plan.times[i], usd::make_value(type, part(parts[i + 1])));
    };
    write_op("xformOp:translate", "double3", [](const Parts& p) { return p.translate; });
    if (turned) write_op("xformOp:orient", "quatf", [](const Parts& p) { return p.orient; });
    if (scaled) write_op("xformOp:scale", "float3", [](const Parts& p) { return p.scale; });
    repair_.set(at, "xformOpOrder", "token[]", usd::make_value("token[]", order), true);
}

void Placement::scale_mass(const usd::Prim& prim, const Vec3d& scale)
{
    // Both are given in the prim's own space.
    for (const auto& [name, type] : {std::pair{"physics:centerOfMass", "point3f"}, {"physics:velocity", "vector3f"}})
        if (const auto v = prim.attribute(name).authored_as<Vec3d>(); v && is_finite(*v))
            repair_.set(repair_.own_place(prim, name), name, type,
                        usd::make_value(type, Vec3d{v->x * scale.x, v->y * scale.y, v->z * scale.z}));
}

const Placement::Prototypes& Placement::prototypes()
{
    if (prototypes_) return *prototypes_;
    prototypes_.emplace();
    for (const PrimFacts& prim : repair_.facts.prims)
        if (prim.is(kPointInstancer))
            for (const usd::Path& prototype : prim.prim.relationship("prototypes").targets())
                prototypes_->emplace(prototype, prim.prim.path());
    return *prototypes_;
}

std::optional<usd::Path> Placement::copied_elsewhere(const usd::Prim& prim)
{
    const auto [first, last] = prototypes().equal_range(prim.path());
    const auto found = std::find_if(first, last, [&](const auto& of) { return !prim.path().has_prefix(of.second); });
    return found == last ? std::nullopt : std::optional(found->second);
}

/// A copy is placed by S R T of its item, then by the instancer. An even scale changes places with S and R, so that it
/// can go to T and to what is copied; another one cannot.
bool Placement::hands_to_copies(const usd::Prim& prim, const usd::Matrix4d& handed)
{
    const double s = handed(0, 0);
    if (!near(handed, scaling({s, s, s}))) {
        repair_.refuse("shear", prim.path().text() + ": copies that are turned would be sheared");
        return false;
    }
    for (const usd::Path& prototype : prim.relationship("prototypes").targets())
        if (!prototype.has_prefix(prim.path())) {
            repair_.refuse("instance", prim.path().text() + ": what it copies lies elsewhere");
            return false;
        }
    return true;
}

void Placement::scale_copies(const usd::Prim& prim, double scale)
{
    for (const char* name : {"positions", "velocities", "accelerations"}) {
        const usd::Attribute attribute = prim.attribute(name);
        if (!attribute.authored()) continue;
        const std::string type   = attribute.type_name();
        const EditPlace   at     = repair_.own_place(prim, usd::Token(name));
        const auto        scaled = [&](std::vector<Vec3d> places) {
            for (Vec3d& p : places) p = scale * p;
            return usd::make_value(type, places);
        };
        if (const auto places = attribute.authored_as<std::vector<Vec3d>>())
            repair_.set(at, name, type, scaled(*places));
        for (const double time : attribute.time_samples())
            if (const auto places = attribute.get<std::vector<Vec3d>>(usd::TimeCode(time)))
                repair_.set_sample(at, name, type, time, scaled(*places));
    }
}

std::vector<physics::Joint> joints_of(const Facts& facts)
{
    std::vector<physics::Joint> joints = facts.physics.joints;
    for (const PrimFacts& prim : facts.prims) {
        if (!prim.prim.is_a("PhysicsJoint") || facts.physics.joint_at(prim.prim.path()) != physics::kNone) continue;
        physics::Joint joint;
        joint.path = prim.prim.path();
        joint.prim = prim.prim;
        for (int side = 0; side < 2; ++side) {
            const auto targets = prim.prim.relationship(side == 0 ? "physics:body0" : "physics:body1").targets();
            if (!targets.empty()) (side == 0 ? joint.rel0 : joint.rel1) = targets.front();
        }
        joints.push_back(std::move(joint));
    }
    return joints;
}

std::optional<usd::Matrix4d> joint_frame(const usd::Stage& stage, const physics::Joint& joint, int side)
{
    const usd::Path& target = side == 0 ? joint.rel0 : joint.rel1;
    const usd::Prim  prim   = target.empty() ? usd::Prim() : stage.prim_at(target);
    if (!target.empty() && !prim) return std::nullopt;
    const std::string n = std::to_string(side);
    const Vec3d       p = joint.prim.attribute("physics:localPos" + n).get<Vec3d>().value_or(Vec3d{});
    Quatd             q = joint.prim.attribute("physics:localRot" + n).get<Quatd>().value_or(Quatd{0, 0, 0, 1});
    if (!(dot(q, q) > 0)) q = {0, 0, 0, 1};
    const usd::Matrix4d world = prim ? place_of(stage, prim) : usd::Matrix4d();
    // Rotations of joint frames take no part in the scale of the body, positions do.
    usd::Matrix4d frame = usd::from_pose({{}, normalized(q)}) * rigid(world);
    const Vec3d   at    = usd::transform_point(world, p);
    frame(3, 0) = at.x, frame(3, 1) = at.y, frame(3, 2) = at.z;
    return frame;
}

JointFrames::JointFrames(const Facts& facts)
{
    for (const physics::Joint& joint : joints_of(facts))
        for (int side = 0; side < 2; ++side)
            if (const auto frame = joint_frame(facts.stage, joint, side))
                sides_.push_back({joint.prim.path(), side == 0 ? joint.rel0 : joint.rel1, side, *frame});
    for (const PrimFacts& prim : facts.prims) {
        if (prim.prim.type_name() != usd::Token("PhysicsAttachment")) continue;
        for (const std::string_view space : physics::kDeformableNamespaces)
            for (const char* side : {"0", "1"}) {
                const auto of     = [&](const char* name) { return std::string(space) + name + side; };
                const auto points = prim.prim.attribute(of("coords")).authored_as<std::vector<Vec3d>>();
                if (!points || prim.prim.attribute(of("type")).get_or<std::string>("") != "xform") continue;
                const usd::Relationship      source  = prim.prim.relationship(of("src"));
                const std::vector<usd::Path> targets = source ? source.targets() : std::vector<usd::Path>{};
                Sites sites{prim.prim.path(), targets.empty() ? usd::Path() : targets.front(), of("coords"), *points};
                if (sites.target.is_root()) sites.target = {};
                const usd::Prim target = sites.target.empty() ? usd::Prim() : facts.stage.prim_at(sites.target);
                if (!sites.target.empty() && !target) continue;
                if (target)
                    for (Vec3d& p : sites.points) p = usd::transform_point(place_of(facts.stage, target), p);
                sites_.push_back(std::move(sites));
            }
    }
}

void JointFrames::restore(Repair& repair, const usd::Matrix4d& turned) const
{
    restore_joints(repair, turned);
    restore_attachments(repair, turned);
}

void JointFrames::restore_attachments(Repair& repair, const usd::Matrix4d& turned) const
{
    for (const Sites& was : sites_) {
        const usd::Prim prim   = repair.facts.stage.prim_at(was.attachment);
        const usd::Prim target = was.target.empty() ? usd::Prim() : repair.facts.stage.prim_at(was.target);
        if (!prim || (!was.target.empty() && !target)) continue;
        const auto back = usd::inverse(target ? place_of(repair.facts.stage, target) : usd::Matrix4d());
        const auto old  = prim.attribute(was.coords).authored_as<std::vector<Vec3d>>();
        if (!back || !old || old->size() != was.points.size()) continue;
        std::vector<Vec3d> points;
        bool               moved = false;
        for (std::size_t i = 0; i < old->size(); ++i) {
            points.push_back(tidy(usd::transform_point(*back, usd::transform_point(turned, was.points[i]))));
            // Authored as float: what differs by less is the same.
            moved |= length(points[i] - (*old)[i]) > 1e-6 * std::max(1.0, length(points[i]));
        }
        const std::string type = prim.attribute(was.coords).type_name();
        if (moved) repair.set(repair.own_place(prim, was.coords), was.coords, type, usd::make_value(type, points));
    }
}

/// Frames that were in the world before the repair are written back in the new space of each side.
void JointFrames::restore_joints(Repair& repair, const usd::Matrix4d& turned) const
{
    for (const Side& was : sides_) {
        const usd::Prim joint = repair.facts.stage.prim_at(was.joint);
        const usd::Prim prim  = was.target.empty() ? usd::Prim() : repair.facts.stage.prim_at(was.target);
        if (!joint || (!was.target.empty() && !prim)) continue;
        const std::string   n     = std::to_string(was.side);
        const usd::Matrix4d world = prim ? place_of(repair.facts.stage, prim) : usd::Matrix4d();
        const auto          back  = usd::inverse(world);
        const auto          turn  = usd::inverse(rigid(world));
        if (!back || !turn) continue;
        const usd::Matrix4d wanted = was.frame * turned;
        const Vec3d         p      = tidy(usd::transform_point(*back, {wanted(3, 0), wanted(3, 1), wanted(3, 2)}));
        const Quatd         q      = tidy(usd::decompose(wanted * *turn).rotation, std::nullopt);
        const Vec3d         old_p  = joint.attribute("physics:localPos" + n).get<Vec3d>().value_or(Vec3d{});
        Quatd               old_q  = joint.attribute("physics:localRot" + n).get<Quatd>().value_or(Quatd{0, 0, 0, 1});
        if (!(dot(old_q, old_q) > 0)) old_q = {0, 0, 0, 1};
        old_q = normalized(old_q);
        // Authored as float: what differs by less is the same.
        if (length(p - old_p) > 1e-6 * std::max(1.0, length(p)))
            repair.set(repair.own_place(joint, "physics:localPos" + n), "physics:localPos" + n, "point3f",
                       usd::make_value("point3f", p));
        if (std::abs(std::abs(dot(q, old_q)) - 1) > 1e-7)
            repair.set(repair.own_place(joint, "physics:localRot" + n), "physics:localRot" + n, "quatf",
                       usd::make_value("quatf", q));
    }
}

}  // namespace mechane::conformance

// Repairs layers that state other units or another up axis than the asset that brings them in (phase P3). OpenUSD never
// converts a layer's numbers, so a metre layer in a centimetre asset is a hundred times too small unless a prim scales
// it.
// Inputs: a finding about a layer. Outputs: the layer's numbers in the asset's units, its metadata, and the arcs' prims
// without the scale or turn that made up for it.
// Invariant: the stage shows the same things at the same places. A layer whose units are compensated already is left
// alone.

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "conformance/fixes/scaling.h"
#include "conformance/fixes/units.h"
#include "mechane/usd/stage_layers.h"

/// P3: layers that an asset brings in and that state other units than the asset. OpenUSD does not convert: a layer's
/// numbers are converted, and what the prim that brings it in did about it is taken back.
namespace mechane::conformance {
namespace {

using usd::make_value;

/// What an arc's prim would carry to make up for a layer in other units.
struct Correction {
    double scale = 1;
    bool   turn  = false;
};

bool is_close(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(1.0, std::abs(b)); }

/// A scale by the ratio of the units, or a quarter turn about x, on a prim that brings a layer in.
bool take_back(Repair& repair, const usd::Prim& prim, const Correction& made)
{
    bool any = false;
    for (const usd::Token& op : prim.authored_property_names()) {
        const usd::Attribute attribute = prim.attribute(op);
        if (!op.text().starts_with("xformOp:") || attribute.varying()) continue;
        const std::string type = attribute.type_name();
        if (op.text().starts_with("xformOp:scale") && made.scale != 1) {
            const auto s = attribute.authored_as<Vec3d>();
            if (!s || !is_close(s->x, made.scale) || !is_close(s->y, made.scale) || !is_close(s->z, made.scale))
                continue;
            any |= repair.set(prim, op, type, make_value(type, Vec3d{1, 1, 1}));
        }
        if (op.text().starts_with("xformOp:rotateX") && made.turn) {
            const auto degrees = attribute.authored_as<double>();
            if (!degrees || !is_close(*degrees, 90)) continue;
            any |= repair.set(prim, op, type, number_value(type, 0));
        }
    }
    return any;
}

/// Prims that bring the layer in by an arc of their own.
std::vector<usd::Prim> users_of(const Repair& repair, const std::string& file)
{
    std::vector<usd::Prim> users;
    for (const PrimFacts& facts : repair.facts.prims) {
        const usd::Prim& prim = facts.prim;
        const auto       from = [&](const usd::Prim& one) {
            const auto places = usd::spec_places(one);
            return std::ranges::any_of(places, [&](const usd::SpecPlace& at) { return at.layer == file; });
        };
        if (from(prim) && !(prim.parent() && !prim.parent().path().is_root() && from(prim.parent())))
            users.push_back(prim);
    }
    return users;
}

/// The factor by which a prim is scaled in the world, the mean of its axes.
/// The cube root of the determinant: the factor of a uniform scale, whatever rotation stands beside it.
double world_scale(const Repair& repair, const usd::Prim& prim)
{
    const usd::Matrix4d m  = repair.facts.stage.world_matrix(prim);
    const auto          at = [&](int r) { return Vec3d{m(r, 0), m(r, 1), m(r, 2)}; };
    return std::cbrt(std::abs(dot(at(0), cross(at(1), at(2)))));
}

bool carries(const usd::Prim& prim, double scale)
{
    for (const usd::Token& op : prim.authored_property_names()) {
        const auto s = prim.attribute(op).authored_as<Vec3d>();
        if (op.text().starts_with("xformOp:scale") && s && !prim.attribute(op).varying() && is_close(s->x, scale) &&
            is_close(s->y, scale) && is_close(s->z, scale))
            return true;
    }
    return false;
}

/// Whether the layer says where anything is.
bool places_something(const usd::Layer& layer)
{
    for (const usd::Path& path : layer.specs()) {
        if (layer.kind(path) != usd::SpecKind::attribute) continue;
        const std::string name = path.name().text();
        if (name.starts_with("xformOp:") || name == "physics:gravityDirection" || name == "normals" ||
            dimension_of(name, false))
            return true;
    }
    return false;
}

/// Writes a prim's placement as translate, orient and, where it has one, scale.
bool place(Repair& repair, const EditPlace& root, const usd::Prim& prim, const usd::Matrix4d& local)
{
    const usd::Path path = prim.path();
    for (const usd::Token& op : prim.authored_property_names())
        if (op.text().starts_with("xformOp:") && prim.attribute(op).varying())
            return repair.refuse("animated", path.text() + " moves over time"), false;
    const usd::Decomposition now = usd::decompose(local);
    if (now.singular || now.sheared)
        return repair.refuse("shear", path.text() + ": the placement is not translate, orient and scale"), false;
    const EditPlace at{root.layer, root.file, path};
    for (const usd::Token& op : prim.authored_property_names())
        if (op.text().starts_with("xformOp:") && root.layer->kind(path.property(op)) != usd::SpecKind::none)
            static_cast<void>(root.layer->remove(path.property(op)));
    std::vector<usd::Token> order{usd::Token("xformOp:translate"), usd::Token("xformOp:orient")};
    repair.set(at, order[0], "double3", make_value("double3", now.translation));
    repair.set(at, order[1], "quatf", make_value("quatf", now.rotation));
    if (length(now.scale - Vec3d{1, 1, 1}) > 1e-9) {
        order.emplace_back("xformOp:scale");
        repair.set(at, order[2], "float3", make_value("float3", now.scale));
    }
    return repair.set(at, "xformOpOrder", "token[]", make_value("token[]", order), true), true;
}

bool is_identity(const usd::Matrix4d& m)
{
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c)
            if (std::abs(m(r, c) - (r == c)) > 1e-12) return false;
    return true;
}

/// Turns what a layer holds. The prims at its top keep their axes, or the part would be turned as a whole (REP-1.1-l):
/// their pose is said in the new axes, and what stands below them is turned. A body, and geometry that stands at the
/// top by itself, is turned as it is.
bool turn_layer(Repair& repair, const EditPlace& root)
{
    const auto alone = usd::Stage::open(root.file, repair.options.open);
    if (!alone) return repair.refuse("unresolved", alone.error().message), false;
    const usd::Matrix4d turn = y_up_to_z_up(), back = usd::inverse(turn).value_or(usd::Matrix4d{});
    for (const usd::Prim& prim : (*alone)->pseudo_root().children()) {
        if (!prim.is_a("Xformable")) continue;
        const usd::Matrix4d    local = (*alone)->local_matrix(prim);
        std::vector<usd::Prim> below;
        for (const usd::Prim& child : prim.children())
            if (child.is_a("Xformable")) below.push_back(child);
        if (below.empty() || prim.is_a("Gprim") || prim.has_api("PhysicsRigidBodyAPI")) {
            if (!place(repair, root, prim, local * turn)) return false;
            continue;
        }
        if (!is_identity(local) && !place(repair, root, prim, back * local * turn)) return false;
        for (const usd::Prim& child : below)
            if (!place(repair, root, child, (*alone)->local_matrix(child) * turn)) return false;
    }
    for (const usd::Path& path : root.layer->specs())
        if (root.layer->field(path, "typeName").get<std::string>() == "DomeLight_1")
            keep_pole(repair, {root.layer, root.file, path});
    for (const usd::Path& path : root.layer->specs())
        if (path.is_property() && path.name() == usd::Token("physics:gravityDirection"))
            if (const auto g = root.layer->value(path).get<Vec3d>())
                repair.set({root.layer, root.file, path.prim()}, path.name(), "vector3f",
                           make_value("vector3f", usd::transform_vector(turn, *g)));
    return true;
}

}  // namespace

bool is_compensated(Repair& repair, const std::string& file, double lengths)
{
    // A layer that repairs have made or renamed may hold what such a layer held.
    const auto& known = repair.compensated;
    if (known.count(file) != 0 || (!known.empty() && repair.work.original(file).empty())) return true;
    if (lengths == 1) return false;
    for (const usd::Prim& user : users_of(repair, file)) {
        const double scale = world_scale(repair, user);
        if (!(scale > 0) || carries(user, lengths)) continue;
        if (std::abs(std::log(scale / lengths)) < std::abs(std::log(scale)))
            return repair.compensated.insert(file), true;
    }
    return false;
}

bool holds_compensated(Repair& repair, const usd::Prim& prim)
{
    if (repair.compensated.empty()) return false;
    return std::ranges::any_of(repair.work.asset_layers(), [&](const auto& file) {
        if (!is_compensated(repair, file.string(), 1)) return false;
        return std::ranges::any_of(users_of(repair, file.string()), [&](const usd::Prim& user) {
            return user.path().has_prefix(prim.path()) || prim.path().has_prefix(user.path());
        });
    });
}

namespace {

/// Whether the layer said the units that the entry said before it was repaired: then what is simulated stays.
bool said_the_same(Repair& repair, std::optional<double> metres, std::optional<double> kilograms)
{
    const auto before = usd::Layer::open(repair.work.original(repair.work.entry()));
    if (!before) return false;
    const auto entry_m = unit_of(*before, "metersPerUnit"), entry_kg = unit_of(*before, "kilogramsPerUnit");
    return (!metres || metres == entry_m) && (!kilograms || kilograms == entry_kg);
}

void fix_dependent(Repair& repair, const Finding& finding)
{
    usd::Layer* layer = repair.work.layer(finding.site.layer);
    if (layer == nullptr || repair.work.has_overlay())
        return repair.refuse("external-layer", "the layer lies outside the asset; repair it by itself first");
    if (repair.work.keeps_some())
        return repair.refuse("used-elsewhere",
                             "another asset keeps a layer of this one as it is, and its units with it");
    // Facts are those before the pass. A repair that depends on places waits for the next one when this pass has
    // edited.
    if (repair.edits() > 0) return repair.defer();  // the root's own units come first
    // A finding names a layer as people see it; edits name its file.
    const std::string file = std::filesystem::absolute(finding.site.layer).lexically_normal().string();
    const EditPlace   root{layer, file, usd::Path::root()};
    const usd::Layer& entry  = *repair.root().layer;
    const double      metres = unit_of(entry, "metersPerUnit").value_or(1),
                      kilos  = unit_of(entry, "kilogramsPerUnit").value_or(1);
    const auto        own_m = unit_of(*layer, "metersPerUnit"), own_kg = unit_of(*layer, "kilogramsPerUnit");
    const auto        own_up  = layer->field(usd::Path::root(), "upAxis").get<std::string>();
    const auto        up      = entry.field(usd::Path::root(), "upAxis").get<std::string>();
    const double      lengths = own_m.value_or(metres) / metres, masses = own_kg.value_or(kilos) / kilos;
    const bool        turns = own_up && up && *own_up != *up;
    if (is_compensated(repair, file, lengths))
        return repair.refuse("ambiguous",
                             "what brings the layer in is scaled as if to make up for its units, but not by an "
                             "operation that says just this");
    if (lengths != 1)
        if (const std::string prim = fallback_beside_variants(repair, {{layer, lengths}}); !prim.empty())
            return repair.refuse("state-dependent-edit", prim + ": variants size what has a fallback size now");
    if (turns && places_something(*layer)) {
        if (*own_up != "Y" || *up != "Z") return repair.refuse("no-up-axis", "only what is Y up is turned, to Z up");
        if (!turn_layer(repair, root)) return;
    }
    if (lengths != 1 || masses != 1) {
        for (const usd::Path& path : layer->specs())
            if (layer->kind(path) == usd::SpecKind::attribute)
                scale_attribute(repair, {layer, root.file, path}, lengths, masses);
        if (lengths != 1) write_fallbacks(repair, {{layer, lengths}});
    }
    if (own_m) repair.set_field(root, "metersPerUnit", make_value("double", metres));
    if (own_kg) repair.set_field(root, "kilogramsPerUnit", make_value("double", kilos));
    if (own_up && up) repair.set_field(root, "upAxis", make_value("token", usd::Token(*up)));
    // OpenUSD converts nothing between layers: what no scale made up for is of another size from here on.
    const auto users = users_of(repair, file);
    if (!said_the_same(repair, own_m, own_kg) &&
        (masses != 1 ||
         (lengths != 1 && !std::ranges::all_of(users, [&](const auto& u) { return carries(u, lengths); }))))
        repair.remark("rescaled",
                      fmt::format("{}: its numbers hold in the units that it stated from here on; before, OpenUSD and "
                                  "simulators took them for the entry's (lengths x {:g}, masses x {:g}). What is "
                                  "simulated changes; if the statement was wrong, correct it instead",
                                  std::filesystem::path(root.file).filename().string(), lengths, masses));
    if (lengths != 1 || turns)
        for (const usd::Prim& user : users) take_back(repair, user, {lengths, turns});
    repair.mixed_units |= lengths != 1 || turns;
}

constexpr std::array kRepairs{RepairOf{"REP-1.1-d", Phase::units, fix_dependent}};

}  // namespace

std::span<const RepairOf> dependent_unit_repairs() { return kRepairs; }

}  // namespace mechane::conformance

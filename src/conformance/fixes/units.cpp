// Repairs the units of an asset (phase P3): metres, kilograms, seconds, Z up.
// Every number is multiplied by a power of the ratios, as scaling.cpp tells its dimension, at the default time and at
// samples, in every layer of the asset.
// Invariant: what is simulated, in SI units, stays what it was.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "conformance/fixes/placement.h"
#include "conformance/fixes/scaling.h"
#include "conformance/fixes/units.h"
#include "conformance/fixes/variant_paths.h"
#include "mechane/physics/deformable_units.h"
#include "mechane/physics/parse.h"
#include "mechane/resolve/mass_rules.h"
#include "mechane/resolve/mujoco_units.h"
#include "mechane/usd/instancer_copies.h"
#include "mechane/usd/written_times.h"
#include "physics/mimic_words.h"

/// P3: metres, kilograms, seconds, Z up.
/// Every number with a unit is multiplied by the ratio of the units, in every layer of the asset, at samples too.
/// Fallback sizes of schemas have no opinion to be scaled and are written. A layer that says nothing shares the root's
/// unit.
namespace mechane::conformance {
namespace {

bool needs_layers(Repair& repair)
{
    if (repair.work.has_overlay())
        repair.refuse("overlay", "an overriding layer cannot change units; use -o or --in-place");
    else if (repair.work.keeps_some())
        repair.refuse("used-elsewhere", "another asset keeps a layer of this one as it is, and its units with it");
    else
        return true;
    return false;
}

/// Calls `edit` for every attribute of every layer of the asset that belongs to the unit `field` and does not say
/// `wanted` yet; then writes `wanted`. Factors come from what each layer says itself, else from the root's.
template <class Edit>
void for_each_attribute(Repair& repair, const Edit& edit)
{
    for (const auto& file : repair.work.asset_layers()) {
        usd::Layer* layer = repair.work.layer(file.string());
        if (layer == nullptr) continue;
        for (const usd::Path& path : layer->specs())
            if (layer->kind(path) == usd::SpecKind::attribute) edit(EditPlace{layer, file.string(), path});
    }
}

/// Whether a prim of the stage is a joint that turns; nothing for one that both turns and slides.
std::optional<bool> is_angular(const Repair& repair, const usd::Prim& prim, const std::string& type)
{
    if (type != "PhysicsJoint") return type == "PhysicsRevoluteJoint" || type == "PhysicsSphericalJoint";
    bool turns = true, slides = true;
    for (const physics::Joint& joint : repair.facts.physics.joints) {
        if (!prim || joint.path != prim.path() || joint.kind != physics::JointKind::d6) continue;
        const auto locked = [&](bool rotation) {
            return std::ranges::count_if(joint.limits, [&](const physics::Limit& limit) {
                       return limit.locked && limit.dof != physics::Dof::distance &&
                              physics::is_rotation(limit.dof) == rotation;
                   }) == 3;
        };
        turns = !locked(true), slides = !locked(false);
    }
    return turns && slides ? std::nullopt : std::optional(turns);
}
/// The same of what an opinion is about: by the layer's own type, else by the stage's.
std::optional<bool> is_angular(Repair& repair, const EditPlace& at)
{
    const usd::Prim prim = repair.subject(at);
    std::string     type = at.layer->field(at.path.prim(), "typeName").get<std::string>().value_or("");
    if (type.empty() && prim) type = prim.type_name().text();
    // An actuator turns or slides as the joint that it drives.
    if (type == "NewtonActuator" && prim)
        if (const auto targets = prim.relationship("newton:targets").targets(); !targets.empty())
            if (const usd::Prim joint = repair.facts.stage.prim_at(targets.front()))
                return is_angular(repair, joint, joint.type_name().text());
    return is_angular(repair, prim, type);
}

/// The factor of a joint that follows one of the other kind is a length to an angle, or the other way round.
std::optional<Dimension> dimension_of_mimic_factor(Repair& repair, const EditPlace& at)
{
    const std::string leader = physics::leader_beside(at.path.name().text());
    if (leader.empty()) return std::nullopt;
    const usd::Prim              joint = repair.subject(at);
    const std::vector<usd::Path> targets =
        joint ? joint.relationship(leader).targets() : at.layer->targets(at.path.prim().property(leader));
    if (targets.size() != 1) return std::nullopt;
    // What no stage is made of at present is read in its own layer.
    const usd::Prim   lead = joint ? repair.facts.stage.prim_at(targets.front()) : usd::Prim();
    const std::string type =
        lead ? lead.type_name().text() : at.layer->field(targets.front(), "typeName").get<std::string>().value_or("");
    const auto follows = is_angular(repair, at), leads = is_angular(repair, lead, type);
    if (!follows || !leads || *follows == *leads) return std::nullopt;
    return Dimension{.length = *follows ? -1 : 1};
}

/// True for the gains of a drive that is stated in accelerations: masses do not enter them.
bool is_acceleration_gain(Repair& repair, const EditPlace& at)
{
    const std::string name = at.path.name().text();
    if (!name.starts_with("drive:") || !(name.ends_with(":stiffness") || name.ends_with(":damping"))) return false;
    const std::string type = name.substr(0, name.rfind(':')) + ":type";
    const auto        own  = at.layer->value(at.path.prim().property(type)).get<std::string>();
    const usd::Prim   prim = own ? usd::Prim() : repair.subject(at);
    return (prim ? prim.attribute(type).get_or<std::string>("") : own.value_or("")) == "acceleration";
}

/// Whether an attribute holds the points of an attachment in the space of what it is attached to: only those of the
/// type xform are lengths, others are weights of an element.
bool is_attachment_point(Repair& repair, const EditPlace& at)
{
    const std::string name = at.path.name().text();
    for (const std::string_view space : physics::kDeformableNamespaces)
        for (const char* side : {"0", "1"}) {
            if (name != std::string(space) + "coords" + side) continue;
            const std::string type = std::string(space) + "type" + side;
            const auto        own  = at.layer->value(at.path.prim().property(type)).get<std::string>();
            const usd::Prim   prim = own ? usd::Prim() : repair.subject(at);
            return (prim ? prim.attribute(type).get_or<std::string>("") : own.value_or("")) == "xform";
        }
    return false;
}

/// Whether a light's intensity is divided by its area, which UsdLux takes in units of the scene.
bool normalizes(const usd::Prim& light)
{
    static const std::set<std::string> kAreas{"RectLight", "DiskLight", "SphereLight", "CylinderLight"};
    return kAreas.contains(light.type_name().text()) && light.attribute("inputs:normalize").get_or<bool>(false);
}
/// Then the light stays as bright only where the intensity changes as the area does.
bool is_power_of_area(Repair& repair, const EditPlace& at)
{
    if (at.path.name() != usd::Token("inputs:intensity")) return false;
    const usd::Prim light = repair.subject(at);
    return light && normalizes(light);
}

/// Each number of MuJoCo's actuators, tendons and softness has a unit of its own.
/// @return whether the attribute is one of those
bool scale_mujoco(Repair& repair, const EditPlace& at, double lengths, double masses)
{
    const std::string& name = at.path.name().text();
    if (!name.starts_with("mjc:")) return false;
    const usd::Prim prim = repair.subject(at);
    if (!prim) return false;
    const std::string& type = prim.type_name().text();
    if (type != "MjcActuator" && type != "MjcTendon" && !name.starts_with("mjc:solimp")) return false;
    const resolve::MujocoUnits units(repair.facts.stage, prim);
    const auto                 factor = [&](std::size_t element) {
        const physics::UnitPowers powers = units.of(name, element);
        return std::pow(lengths, powers.length) * std::pow(masses, powers.mass);
    };
    const usd::Value value = at.layer->value(at.path);
    usd::Value       now;
    bool             differs = false;
    if (const auto number = value.get<double>()) {
        differs = factor(0) != 1;
        now     = number_value(value.type_name(), *number * factor(0));
    } else if (auto list = value.get<std::vector<double>>()) {
        for (std::size_t i = 0; i < list->size(); ++i) differs |= factor(i) != 1, (*list)[i] *= factor(i);
        now = usd::make_value(value.type_name(), *list);
    }
    if (!differs || now.empty()) return true;
    static_cast<void>(at.layer->set(at.path, now));
    repair.note(at.file, at.path, "default", value.to_text(), now.to_text());
    return true;
}

}  // namespace

void scale_attribute(Repair& repair, const EditPlace& at, double lengths, double masses)
{
    if (scale_mujoco(repair, at, lengths, masses)) return;
    const auto        angular   = is_angular(repair, at);
    const std::string name      = at.path.name().text();
    const auto        coupling  = dimension_of_mimic_factor(repair, at);
    const auto        dimension = is_power_of_area(repair, at)      ? std::optional(Dimension{.length = 2})
                                  : coupling                        ? coupling
                                  : is_attachment_point(repair, at) ? std::optional(Dimension{.length = 1})
                                                                    : dimension_of(name, angular.value_or(false));
    if (!angular && !coupling && !is_attachment_point(repair, at) && dimension != dimension_of(name, true))
        return repair.remark("mixed-axes", at.path.text() + ": one number for axes that slide and axes that turn");
    if (!dimension || is_acceleration_gain(repair, at)) return;
    // Gravity below zero stands for the earth's, in any unit.
    const usd::Value value = at.layer->value(at.path);
    if (at.path.name() == usd::Token("physics:gravityMagnitude") && !(value.get<double>().value_or(0) > 0)) return;
    // Neither do distances of shadows below zero have a unit: they stand for none.
    if (at.path.name().text().starts_with("inputs:shadow:") && value.get<double>().value_or(0) < 0) return;
    const double factor = std::pow(lengths, dimension->length) * std::pow(masses, dimension->mass);
    if (factor == 1) return;
    if (!value.empty())
        if (const usd::Value now = scaled(value, factor); !now.empty()) {
            static_cast<void>(at.layer->set(at.path, now));
            repair.note(at.file, at.path, "default", value.to_text(), now.to_text());
        }
    for (const auto& [time, sample] : at.layer->samples(at.path))
        if (const usd::Value now = scaled(sample, factor); !now.empty()) {
            static_cast<void>(at.layer->set_sample(at.path, time, now));
            repair.note(at.file, at.path, fmt::format("timeSamples[{}]", time), sample.to_text(), now.to_text());
        }
    if (usd::scale_spline(*at.layer, at.path, factor))
        repair.note(at.file, at.path, "spline", "values", fmt::format("values x {}", factor));
}

namespace {

/// Sizes that schemas have a fallback for: so many units, whatever those are.
const std::vector<usd::Token>& sizes()
{
    static const std::vector<usd::Token> kSizes = [] {
        std::vector<usd::Token> names;
        for (const char* name : {"size", "radius", "radiusTop", "radiusBottom", "height", "width", "length",
                                 "clippingRange", "focalLength", "horizontalAperture", "verticalAperture",
                                 "inputs:radius", "inputs:width", "inputs:height", "inputs:length"})
            names.emplace_back(name);
        return names;
    }();
    return kSizes;
}

struct Fallback {
    usd::Token  name;
    std::string type;
    usd::Value  value;
};
using FallbacksByType = std::map<std::string, std::vector<Fallback>>;

/// The sizes that a prim of this type has without saying so: those of a stage that holds such a prim alone.
const std::vector<Fallback>& fallbacks_of(FallbacksByType& known, const std::string& type)
{
    const auto [at, fresh] = known.try_emplace(type);
    if (!fresh ||
        type.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != type.npos)
        return at->second;
    const auto stage = usd::Stage::open_text("#usda 1.0\ndef " + type + " \"prim\"\n{\n}\n");
    if (!stage) return at->second;
    const Facts facts(**stage);
    if (facts.prims.empty() || !facts.prims.front().is(kGprim | kCamera | kLight)) return at->second;
    const usd::Prim& prim = facts.prims.front().prim;
    for (const usd::Token& name : sizes())
        if (const usd::Attribute attribute = prim.attribute(name); !attribute.value().empty())
            at->second.push_back({name, attribute.type_name(), attribute.value()});
    return at->second;
}

bool is_said(const usd::Layer& layer, const usd::Path& attribute)
{
    return layer.value(attribute).get<double>().has_value() || layer.value(attribute).get<Vec2d>().has_value() ||
           !layer.samples(attribute).empty();
}

/// Whether an opinion of none stands there: OpenUSD then takes the fallback.
bool is_blocked(const usd::Layer& layer, const usd::Path& attribute)
{
    const auto fields = layer.fields(attribute);
    return std::ranges::find(fields, usd::Token("default")) != fields.end() && !is_said(layer, attribute);
}

/// Sizes that prims have from their schema alone, in layers: prims of variants that are not selected, that are not
/// active, of payloads that are not loaded, and prototypes below what is not defined have them too.
class LayerFallbacks {
  public:
    LayerFallbacks(Repair& repair, const std::map<const usd::Layer*, double>& factors)
        : repair_(repair), factors_(factors)
    {
        for (const PrimFacts& prim : repair.facts.prims)
            for (const usd::SpecPlace& at : usd::spec_places(prim.prim)) composed_.insert(at.layer + at.path.text());
        for (const auto& file : repair.work.asset_layers()) {
            const usd::Layer* layer = repair.work.layer(file.string());
            if (layer == nullptr) continue;
            for (const usd::Path& path : layer->specs())
                if (path.is_property() && std::ranges::find(sizes(), path.name()) != sizes().end() &&
                    is_said(*layer, path))
                    said_[without_variants(path.prim()).text() + "." + path.name().text()].push_back(
                        {file.string(), path.prim().text()});
        }
    }

    void write()
    {
        for (const auto& file : repair_.work.asset_layers()) {
            usd::Layer* layer  = repair_.work.layer(file.string());
            const auto  factor = factors_.find(layer);
            if (layer == nullptr || factor == factors_.end() || factor->second == 1) continue;
            for (const usd::Path& path : layer->specs()) write({layer, file.string(), path}, factor->second);
        }
    }

    /// Whether the size is said at the same path of the layer, or by a variant of another layer, other than in another
    /// variant of the same set: those never meet.
    [[nodiscard]] bool meets_another(const EditPlace& prim, const usd::Token& name) const
    {
        const auto others = said_.find(without_variants(prim.path).text() + "." + name.text());
        if (others == said_.end()) return false;
        const std::string own = prim.path.text();
        const std::size_t set = own.rfind('='), close = own.find('}', set == std::string::npos ? 0 : set);
        return std::ranges::any_of(others->second, [&](const SpecName& other) {
            if (other.file != prim.file && other.path.find('{') == std::string::npos) return false;
            return set == std::string::npos || !other.path.starts_with(own.substr(0, set + 1)) ||
                   other.path.starts_with(own.substr(0, close + 1));
        });
    }

  private:
    struct SpecName {
        std::string file, path;
    };

    void write(const EditPlace& at, double factor)
    {
        if (at.layer->kind(at.path) == usd::SpecKind::attribute) {
            if (std::ranges::find(sizes(), at.path.name()) == sizes().end() || !is_blocked(*at.layer, at.path)) return;
            const EditPlace prim{at.layer, at.file, at.path.prim()};
            for (const Fallback& one : fallbacks_of(known_, type_of(prim)))
                if (one.name == at.path.name()) repair_.set(prim, one.name, one.type, scaled(one.value, factor));
            return;
        }
        const std::string type = at.layer->field(at.path, "typeName").get<std::string>().value_or("");
        if (type.empty() || at.path.is_property() || composed_.count(at.file + at.path.text()) != 0) return;
        for (const Fallback& one : fallbacks_of(known_, type)) {
            const usd::Path attribute = at.path.property(one.name);
            if (is_said(*at.layer, attribute) || is_blocked(*at.layer, attribute) || comes_from_elsewhere(at, one.name))
                continue;
            repair_.set(at, one.name, one.type, scaled(one.value, factor));
        }
    }

    /// The prim's type, by the layer itself, else by the stage.
    std::string type_of(const EditPlace& at)
    {
        std::string type = at.layer->field(at.path, "typeName").get<std::string>().value_or("");
        if (const usd::Prim prim = type.empty() ? repair_.subject(at) : usd::Prim()) type = prim.type_name().text();
        return type;
    }

    /// Whether an opinion about this prim stands somewhere else, which a written fallback might override: at the same
    /// path, other than in another variant of the same set, or behind an arc of its own.
    bool comes_from_elsewhere(const EditPlace& at, const usd::Token& name)
    {
        const auto fields = at.layer->fields(at.path);
        for (const char* arc : {"references", "payload", "inheritPaths", "specializes"})
            if (std::ranges::find(fields, usd::Token(arc)) != fields.end()) {
                repair_.remark("fallback-size",
                               at.path.text() + ": an arc may bring its " + name.text() + ", so it is not authored");
                return true;
            }
        return meets_another(at, name);
    }

    Repair&                                      repair_;
    const std::map<const usd::Layer*, double>&   factors_;
    std::set<std::string>                        composed_;  ///< specs of prims that the stage shows
    std::map<std::string, std::vector<SpecName>> said_;      ///< by attribute of the stage: prims that say it
    FallbacksByType                              known_;
};

}  // namespace

/// The intensity that a light has from its schema, where its area divides it.
static void write_intensity(Repair& repair, const PrimFacts& light, const std::map<const usd::Layer*, double>& factors)
{
    const usd::Token name("inputs:intensity");
    if (!light.is(kLight) || light.authors(name) || !normalizes(light.prim)) return;
    const usd::Attribute attribute = light.prim.attribute(name);
    const EditPlace      at        = repair.place(light.prim);
    const auto           factor    = factors.find(at.layer);
    if (attribute.value().empty() || !at || factor == factors.end() || factor->second == 1) return;
    repair.set(at, name, attribute.type_name(), scaled(attribute.value(), factor->second * factor->second));
}

void write_fallbacks(Repair& repair, const std::map<const usd::Layer*, double>& factors)
{
    for (const PrimFacts& prim : repair.facts.prims) {
        if (!prim.is(kGprim | kCamera | kLight)) continue;
        for (const usd::Token& name : sizes()) {
            // Where samples stand alone they say the size, and a default beside them would say another.
            if (prim.authors(name)) continue;
            const usd::Attribute attribute = prim.prim.attribute(name);
            const usd::Value     value     = attribute.value();
            const EditPlace      at        = repair.place(prim.prim);
            const auto           factor    = factors.find(at.layer);
            if (value.empty() || !at || factor == factors.end() || factor->second == 1) continue;
            repair.set(at, name, attribute.type_name(), scaled(value, factor->second));
        }
        write_intensity(repair, prim, factors);
    }
    LayerFallbacks(repair, factors).write();
}

std::string fallback_beside_variants(Repair& repair, const std::map<const usd::Layer*, double>& factors)
{
    const LayerFallbacks said(repair, factors);
    for (const PrimFacts& prim : repair.facts.prims) {
        if (!prim.is(kGprim | kCamera | kLight)) continue;
        const EditPlace at     = repair.place(prim.prim);
        const auto      factor = factors.find(at.layer);
        if (!at || factor == factors.end() || factor->second == 1) continue;
        for (const usd::Token& name : sizes())
            if (!prim.authors(name) && !prim.prim.attribute(name).value().empty() && said.meets_another(at, name))
                return prim.prim.path().text();
    }
    return {};
}

void keep_pole(Repair& repair, const EditPlace& dome)
{
    const usd::Token  name("poleAxis");
    const usd::Path   pole = dome.path.property(name);
    const std::string said = dome.layer->value(pole).get<std::string>().value_or("scene");
    if (said == "scene") repair.set(dome, name, "token", usd::make_value("token", usd::Token("Y")), true);
}

std::optional<double> unit_of(const usd::Layer& layer, const char* field)
{
    const auto value = layer.field(usd::Path::root(), field).get<double>();
    return value && *value > 0 && std::isfinite(*value) ? value : std::nullopt;
}

namespace {

/// True when a collider's volume, a mass spread over it, or a mass with its inertia gives its body a mass.
bool has_weight(const physics::Collider& collider)
{
    if (!collider.enabled) return false;
    Diagnostics ignored;
    const auto  solid = resolve::collider_solid(collider, false, ignored);
    return solid ? solid->mass > 0 || collider.mass.has_mass()
                 : collider.mass.has_mass() && collider.mass.has_diagonal();
}

/// Whether anything gives a body of a model a mass.
bool weighs(const physics::PhysicsModel& model, const physics::Body& body)
{
    return body.mass.has_mass() || std::ranges::any_of(body.colliders, [&](physics::Index i) {
               return has_weight(model.colliders[static_cast<std::size_t>(i)]);
           });
}

/// A body that an instancer makes copies of and that nothing gives a mass. The physics model has only those that stand
/// where they are authored, so the copies are made as a simulation makes them.
struct PrototypeBody {
    usd::Prim prim;
    bool      has_diagonal = false;
};
std::vector<PrototypeBody> weightless_prototypes(const Facts& facts)
{
    std::vector<usd::InstancerComplaint> complaints;
    const auto                           copies = usd::with_instancer_copies(facts.stage, false, complaints);
    if (!copies || !*copies) return {};
    Diagnostics                 quiet;
    const physics::PhysicsModel model = physics::parse(**copies, {}, quiet);
    std::vector<PrototypeBody>  out;
    std::set<usd::Path>         seen;
    for (const physics::Body& body : model.bodies) {
        const usd::Prim copy = usd::instancer_copy(body.prim);
        if (!copy || !body.enabled || weighs(model, body)) continue;
        const auto      item = usd::instancer_item(copy);
        const usd::Path path = item ? body.path.with_prefix_replaced(copy.path(), item->prototype) : usd::Path();
        if (!item || !seen.insert(path).second) continue;
        if (const usd::Prim prim = facts.stage.prim_at(path)) out.push_back({prim, body.mass.has_diagonal()});
    }
    return out;
}

/// A body that nothing gives a mass weighs one unit, whatever that was [kg], as a ball of 0.1 m: both are authored.
void write_masses(Repair& repair, double unit)
{
    const double                 radius = 0.1 / unit_of(*repair.root().layer, "metersPerUnit").value_or(1);
    const physics::PhysicsModel& model  = repair.facts.physics;
    const auto                   write  = [&](const usd::Prim& body, bool has_diagonal) {
        const EditPlace own = repair.own_place(body, "physics:mass");
        const EditPlace at  = own ? own : repair.place(body, "physics:mass");
        // What stands above it may have the schema that the body's values are read by; its own counts from now on.
        if (!body.has_api("PhysicsMassAPI")) repair.apply_api(at, "PhysicsMassAPI");
        repair.set(at, "physics:mass", "float", number_value("float", unit));
        if (has_diagonal) return;
        const double moment = 0.4 * unit * radius * radius;
        repair.set(at, "physics:diagonalInertia", "float3", usd::make_value("float3", Vec3d{moment, moment, moment}));
        repair.set(at, "physics:principalAxes", "quatf", usd::make_value("quatf", Quatd{0, 0, 0, 1}));
    };
    for (const physics::Body& body : model.bodies) {
        if (!body.enabled || weighs(model, body)) continue;
        write(body.prim, body.mass.has_diagonal());
    }
    for (const PrototypeBody& body : weightless_prototypes(repair.facts)) write(body.prim, body.has_diagonal);
}

/// Factors a layer's numbers need; a layer that says nothing shares the root's unit.
void convert_units(Repair& repair, const char* field, double assumed, bool masses)
{
    const double                  root = unit_of(*repair.root().layer, field).value_or(assumed);
    std::map<std::string, double> factors;
    for (const auto& file : repair.work.asset_layers())
        if (const usd::Layer* layer = repair.work.layer(file.string()))
            factors[file.string()] = unit_of(*layer, field).value_or(root);
    for (const auto& [file, factor] : factors) {
        if (factor == root) continue;
        // What carries the ratio itself is taken back by REP-1.1-d, which comes first.
        if (!masses && is_compensated(repair, file, factor / root))
            return repair.refuse("ambiguous",
                                 "a scale makes up for the units of " + file + ", but not one that says just this");
        // Its numbers are simulated in the entry's unit. Whether they stay so is decided by that rule, with a note.
        return repair.refuse("other-units", fmt::format("{} states another {}; REP-1.1-d comes first, and is left",
                                                        std::filesystem::path(file).filename().string(), field));
    }
    std::map<const usd::Layer*, double> by_layer;
    for (const auto& [file, factor] : factors) by_layer[repair.work.layer(file)] = factor;
    if (!masses)
        if (const std::string prim = fallback_beside_variants(repair, by_layer); !prim.empty())
            return repair.refuse("state-dependent-edit", prim + ": variants size what has a fallback size now");
    if (!masses) repair.stretched *= root;
    for_each_attribute(repair, [&](const EditPlace& at) {
        const double factor = factors[at.file];
        scale_attribute(repair, at, masses ? 1 : factor, masses ? factor : 1);
    });
    if (!masses) write_fallbacks(repair, by_layer);
    for (const auto& [file, factor] : factors) {
        const EditPlace at{repair.work.layer(file), file, usd::Path::root()};
        if (file == repair.work.entry().string() || unit_of(*at.layer, field))
            repair.set_field(at, field, usd::make_value("double", 1.0));
    }
}

void fix_meters(Repair& repair, const Finding& finding)
{
    if (finding.variant == "absent" && !repair.options.assume_meters)
        return repair.refuse("no-units", "metersPerUnit is not authored; --assume-units says what was meant");
    const double assumed = repair.options.assume_meters.value_or(1);
    if (finding.variant == "absent" && assumed == 1) {
        repair.set_field(repair.root(), "metersPerUnit", usd::make_value("double", 1.0));
        return;
    }
    if (needs_layers(repair)) convert_units(repair, "metersPerUnit", assumed, false);
}

void fix_kilograms(Repair& repair, const Finding& finding)
{
    if (finding.variant == "absent") {
        repair.set_field(repair.root(), "kilogramsPerUnit", usd::make_value("double", 1.0));
        return;
    }
    if (!needs_layers(repair)) return;
    const double unit = unit_of(*repair.root().layer, "kilogramsPerUnit").value_or(1);
    convert_units(repair, "kilogramsPerUnit", 1, true);
    if (unit != 1) write_masses(repair, unit);
}

void fix_time_codes(Repair& repair, const Finding&)
{
    const usd::Token field("timeCodesPerSecond");
    bool             timed = false, clips = false;
    for (const auto& file : repair.work.asset_layers())
        if (const usd::Layer* layer = repair.work.layer(file.string())) {
            for (const char* end : {"startTimeCode", "endTimeCode"})
                timed |= !layer->field(usd::Path::root(), end).empty();
            for (const usd::Path& path : layer->specs()) {
                const usd::SpecKind kind = layer->kind(path);
                if (kind == usd::SpecKind::attribute)
                    timed |= !layer->samples(path).empty() || usd::has_spline(*layer, path) ||
                             layer->field(path, "typeName").get<std::string>().value_or("").starts_with("timecode");
                if (kind == usd::SpecKind::prim) clips |= !layer->field(path, "clips").empty();
            }
        }
    if (!timed) {
        repair.set_field(repair.root(), field, usd::make_value("double", 1.0));
        return;
    }
    if (clips) return repair.refuse("state-dependent-edit", "value clips map times; they are not rewritten");
    if (!needs_layers(repair)) return;
    for (const auto& file : repair.work.asset_layers()) {
        usd::Layer* layer = repair.work.layer(file.string());
        if (layer == nullptr) continue;
        // OpenUSD's fallbacks: framesPerSecond where only that is written, else 24.
        const double rate =
            unit_of(*layer, "timeCodesPerSecond").value_or(unit_of(*layer, "framesPerSecond").value_or(24));
        const EditPlace root{layer, file.string(), usd::Path::root()};
        // What an arc maps is in seconds before and after: offsets are times of the layer that says them, and OpenUSD
        // multiplies scales by the ratio of the rates, which is 1 from then on.
        for (const usd::TimeEdit& edit : usd::scale_times(*layer, 1 / rate))
            repair.note(file.string(), edit.path, edit.field, edit.before, edit.after);
        repair.set_field(root, field, usd::make_value("double", 1.0));
    }
}

}  // namespace

/// A quarter turn about x: y becomes z, and z becomes -y.
usd::Matrix4d y_up_to_z_up()
{
    usd::Matrix4d m;
    m(1, 1) = 0, m(1, 2) = 1, m(2, 1) = -1, m(2, 2) = 0;
    return m;
}

namespace {

/// Domes whose pole stands as the stage does, also those that are not active.
std::vector<usd::Prim> standing_domes(const usd::Stage& stage)
{
    std::vector<usd::Prim> domes;
    for (const usd::Prim& prim : stage.traverse({.all = true, .instance_proxies = false}))
        if (prim.type_name() == usd::Token("DomeLight_1") && !prim.abstract() &&
            prim.attribute("poleAxis").get_or<std::string>("scene") == "scene")
            domes.push_back(prim);
    return domes;
}

void fix_up_axis(Repair& repair, const Finding& finding)
{
    const EditPlace root = repair.root();
    const char      axis = finding.variant == "absent" ? repair.options.assume_up_axis.value_or(' ')
                           : finding.observed == "Y"   ? 'Y'
                                                       : 'X';
    if (axis == ' ') return repair.refuse("no-up-axis", "upAxis is not authored; --assume-up-axis says what was meant");
    if (axis == 'X') return repair.refuse("no-up-axis", "upAxis is neither Y nor Z");
    if (axis == 'Y') {
        // Lengths and times that this pass has written are not on the stage yet.
        if (repair.edits() > 0) return repair.defer();
        const usd::Matrix4d turn     = y_up_to_z_up();
        const std::size_t   refusals = repair.refusals();
        if (!Placement(repair).turn_world(turn)) {
            repair.forget_refusals(refusals);
            Placement keeping(repair);
            keeping.keep_scales();
            if (!keeping.turn_world(turn)) return;
        }
        repair.turned = turn;
        // The pole of a dome stands along the stage's up axis: so that the turn brings it there, it is said.
        for (const usd::Prim& prim : standing_domes(repair.facts.stage))
            keep_pole(repair, repair.place(prim, "poleAxis"));
        for (const physics::Scene& scene : repair.facts.physics.scenes) {
            if (!scene.prim) continue;
            const auto direction = scene.prim.attribute("physics:gravityDirection").authored_as<Vec3d>();
            if (direction && length(*direction) > 0)
                repair.set(scene.prim, "physics:gravityDirection", "vector3f",
                           usd::make_value("vector3f", usd::transform_vector(turn, *direction)));
        }
    }
    repair.set_field(root, "upAxis", usd::make_value("token", usd::Token("Z")));
    for (const auto& file : repair.work.asset_layers())
        if (usd::Layer* layer = repair.work.layer(file.string());
            layer != nullptr && !layer->field(usd::Path::root(), "upAxis").empty())
            repair.set_field({layer, file.string(), usd::Path::root()}, "upAxis",
                             usd::make_value("token", usd::Token("Z")));
}

constexpr std::array kRepairs{
    RepairOf{"REP-1.1-a", Phase::units, fix_meters}, RepairOf{"REP-1.1-b", Phase::units, fix_kilograms},
    RepairOf{"REP-1.1-c", Phase::units, fix_time_codes}, RepairOf{"REP-1.1-e", Phase::units, fix_up_axis}};

}  // namespace

std::span<const RepairOf> unit_repairs() { return kRepairs; }

}  // namespace mechane::conformance

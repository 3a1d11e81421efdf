// What one simulator alone reads of a robot (attributes of MuJoCo's schemas, elements of MJCF that are kept as they
// are), and frames that robots publish. Such values change the motion there, so two files that differ in one of them
// are not equal.
//
// Values are compared where both robots say them. One that only one of them says is a difference between two files of
// one kind: another format may have no word for it, or may leave a default away.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>

#include "difference/comparer.h"
#include "difference/values.h"
#include "mechane/sourceformats/hints.h"

namespace mechane::difference {
namespace {

bool is_engines(const sf::Extra& e)
{
    return e.name.starts_with("mjc:") || e.name == sf::hints::kPassive || e.name == sf::hints::kInParent ||
           (e.name.starts_with(sf::hints::kElement) && e.name != sf::hints::kElement);
}

/// Ranges and what says whether they count: a range that the joint's own gives and one that is written out are equal,
/// and only their values tell them apart.
bool is_range(std::string_view name)
{
    return name == "mjc:inheritRange" || name.ends_with("Limited") || name.ends_with("limited") ||
           name.ends_with(":min") || name.ends_with(":max");
}

/// Gains of an actuator, which are those of the drive that a robot's joint has of it.
bool is_gain(std::string_view name) { return name == "mjc:gainPrm" || name == "mjc:biasPrm"; }

/// Lists of MuJoCo end in defaults.
Parts list_of(const std::string& text)
{
    Parts out = parts_of(text);
    while (!out.numbers.empty() && out.numbers.back() == 0) out.numbers.pop_back();
    return out;
}

/// Whether a value is the one that counts where nobody says it: zero, but of most of MuJoCo's flags "on".
bool is_default(const sf::Extra& e)
{
    constexpr std::string_view kFlag = "mjc:flag:";
    const Parts                parts = list_of(e.text);
    const bool                 off   = (parts.numbers.empty() && parts.words.empty()) || e.text == "false";
    if (!e.name.starts_with(kFlag)) return off;
    const std::string_view flag   = std::string_view(e.name).substr(kFlag.size());
    constexpr std::string_view kOff[] = {"override", "energy", "fwdinv", "invdiscrete", "multiccd", "sleep"};
    return off == (std::find(std::begin(kOff), std::end(kOff), flag) != std::end(kOff));
}

std::string name_of(const sf::RobotTree& tree, const sf::Ref& ref)
{
    const auto in = [&](const auto& list) {
        return ref.index >= 0 && at(ref.index) < list.size() ? list[at(ref.index)].name : std::string("nothing");
    };
    switch (ref.kind) {
        case sf::Ref::Kind::link:
            return in(tree.links);
        case sf::Ref::Kind::joint:
            return in(tree.joints);
        case sf::Ref::Kind::shape:
            return in(tree.shapes);
        case sf::Ref::Kind::site:
            return in(tree.sites);
        case sf::Ref::Kind::prim:
            return in(tree.prims);
        case sf::Ref::Kind::camera:
            return in(tree.cameras);
    }
    return {};
}

std::string names_of(const sf::RobotTree& tree, const sf::Relation& relation)
{
    std::string out;
    for (const sf::Ref& ref : relation.targets) out += (out.empty() ? "" : ", ") + name_of(tree, ref);
    return out;
}

}  // namespace

bool Comparer::is_told(Quantity q, const std::string& item) const
{
    return std::any_of(out_.differences.begin(), out_.differences.end(),
                       [&](const Difference& d) { return d.quantity == q && d.item == item; });
}

void Comparer::engine_value(const std::string& what, const sf::Extra& one, const sf::Extra& two)
{
    out_.count(Quantity::property);
    const Parts p = list_of(one.text), q = list_of(two.text);
    double      off = 0, largest = 0;
    for (std::size_t i = 0; i < std::max(p.numbers.size(), q.numbers.size()); ++i) {
        const double u = i < p.numbers.size() ? p.numbers[i] : 0, v = i < q.numbers.size() ? q.numbers[i] : 0;
        largest = std::max({largest, std::abs(u), std::abs(v)});
        if (u != v) off = std::max(off, std::abs(u - v));
    }
    const double may = allowed(Quantity::property, largest);
    if (p.words == q.words && off <= may) return;
    const bool single = p.numbers.size() == 1 && q.numbers.size() == 1;
    differ(Quantity::property, what, one.name, Side{one.text, site_of(one.place)}, Side{two.text, site_of(two.place)},
           off, may, single ? note_of(p.numbers[0], q.numbers[0]) : std::string(), {});
}

void Comparer::engine_values(const std::string& what, const std::vector<sf::Extra>& x, const std::vector<sf::Extra>& y,
                             bool gains_told)
{
    const auto find = [](const std::vector<sf::Extra>& list, const std::string& name) {
        return std::find_if(list.begin(), list.end(), [&](const sf::Extra& e) { return e.name == name; });
    };
    const auto counts  = [&](const sf::Extra& e) { return is_engines(e) && !(gains_told && is_gain(e.name)); };
    const auto lacking = [&](const sf::Extra& e, const std::vector<sf::Extra>& other, bool in_a) {
        if (a_.tree.format != b_.tree.format || find(other, e.name) != other.end() || is_range(e.name)) return;
        if (is_default(e)) return;
        only(Quantity::property, {what, {}}, e.name.c_str(), in_a, e.text, e.place, {});
    };
    for (const sf::Extra& one : x) {
        if (!counts(one)) continue;
        if (const auto two = find(y, one.name); two != y.end())
            engine_value(what, one, *two);
        else
            lacking(one, y, true);
    }
    for (const sf::Extra& two : y)
        if (counts(two)) lacking(two, x, false);
}

bool Comparer::gains_are_told(const sf::VendorPrim& actuator) const
{
    for (const sf::Relation& relation : actuator.relations)
        for (const sf::Ref& ref : relation.targets) {
            if (ref.kind != sf::Ref::Kind::joint || ref.index < 0) continue;
            const sf::Joint& joint = a_.tree.joints[at(ref.index)];
            if (is_told(Quantity::gain, fmt::format("joint '{}'", joint.name))) return true;
            for (const sf::Dof& d : joint.dofs)
                if (is_told(Quantity::gain, fmt::format("joint '{}'", d.name))) return true;
        }
    return false;
}

/// Prims of a kind and name: actuators, tendons, keyframes, sensors, equalities.
void Comparer::engine_prims()
{
    std::map<std::pair<std::string, std::string>, const sf::VendorPrim*> others;
    for (const sf::VendorPrim& p : b_.tree.prims) others.try_emplace({p.type, plain(p.name)}, &p);
    for (const sf::VendorPrim& p : a_.tree.prims) {
        const auto        found = others.find({p.type, plain(p.name)});
        const std::string what  = fmt::format("{} '{}'", p.type == "Scope" ? "element" : p.type, p.name);
        if (found == others.end()) {
            if (a_.tree.format == b_.tree.format)
                only(Quantity::property, {what, {}}, "prim", true, p.type, p.place, {});
            continue;
        }
        engine_values(what, p.extras, found->second->extras, gains_are_told(p));
        for (const sf::Relation& one : p.relations)
            for (const sf::Relation& two : found->second->relations) {
                if (one.name != two.name) continue;
                out_.count(Quantity::property);
                const std::string u = names_of(a_.tree, one), v = names_of(b_.tree, two);
                if (plain(u) != plain(v))
                    differ(Quantity::property, what, one.name, Side{u, site_of(p.place)},
                           Side{v, site_of(found->second->place)}, 0, 0, {}, {});
            }
        others.erase(found);
    }
    if (a_.tree.format != b_.tree.format) return;
    for (const auto& [key, p] : others)
        only(Quantity::property, {fmt::format("{} '{}'", p->type == "Scope" ? "element" : p->type, p->name), {}},
             "prim", false, p->type, p->place, {});
}

void Comparer::sites()
{
    std::map<std::string, const sf::Frame*> others;
    for (const sf::Frame& f : b_.tree.sites) others.try_emplace(plain(f.name), &f);
    for (const sf::Frame& one : a_.tree.sites) {
        const auto found = others.find(plain(one.name));
        if (found == others.end()) continue;
        const sf::Frame& two   = *found->second;
        const Item       item  = {fmt::format("frame '{}'", one.name), {one.name}};
        const int        other = one.link >= 0 ? match_.link[at(one.link)] : -1;
        if (one.link >= 0 && other < 0) continue;
        // A frame may hang on another link of one piece, so it is seen from the root as links are.
        const auto [R_a, R_b] = one.link >= 0 ? bases(at(one.link), pose_a_, pose_b_) : std::pair<Posed, Posed>{};
        const Posed X         = (one.link >= 0 ? pose_a_[at(one.link)] : Posed{}) * one.X_LS,
                    Y         = (two.link >= 0 ? pose_b_[at(two.link)] : Posed{}) * two.X_LS;
        pose(Quantity::frame, item, inverse(R_a) * X, inverse(R_b) * Y, one.place, two.place,
             allowed(Quantity::frame, size_));
        engine_values(item.text, one.extras, two.extras);
    }
}

void Comparer::engine_joints()
{
    for (std::size_t j = 0; j < a_.tree.joints.size(); ++j) {
        const sf::Joint& one     = a_.tree.joints[j];
        const auto       compare = [&](const std::string& name, const auto& x, const auto& y) {
            engine_values(fmt::format("joint '{}'", name), x, y);
        };
        if (const int k = match_.joint[j]; k >= 0) compare(one.name, one.extras, b_.tree.joints[at(k)].extras);
        for (std::size_t d = 0; d < one.dofs.size(); ++d)
            if (const DofRef ref = match_.dof[j][d])
                compare(one.dofs[d].name.empty() ? one.name : one.dofs[d].name, one.dofs[d].extras,
                        b_.tree.joints[at(ref.joint)].dofs[at(ref.dof)].extras);
    }
}

void Comparer::engine_shapes()
{
    // Shapes without a name of their own are numbered, so that a name may mean another shape: those of one kind only.
    std::map<std::pair<int, std::string>, const sf::Shape*> others;
    for (const sf::Shape& s : b_.tree.shapes)
        if (s.collider) others.try_emplace({s.link, plain(s.name)}, &s);
    for (const sf::Shape& one : a_.tree.shapes) {
        const auto found = others.find({one.link >= 0 ? match_.link[at(one.link)] : -1, plain(one.name)});
        if (one.collider && found != others.end() && found->second->kind == one.kind)
            engine_values(fmt::format("shape '{}'", one.name), one.extras, found->second->extras);
    }
}

void Comparer::engine_scene()
{
    // A robot without a scene of its own has what nobody says.
    const sf::SceneSettings none, &x = a_.tree.scene ? *a_.tree.scene : none, &y = b_.tree.scene ? *b_.tree.scene : none;
    engine_values("scene", x.extras, y.extras);
    if (x.timestep && y.timestep)
        number(Quantity::property, {"scene", {}}, "time step", *x.timestep, *y.timestep, "s", x.place, y.place);
    else if ((x.timestep || y.timestep) && a_.tree.format == b_.tree.format)
        only(Quantity::property, {"scene", {}}, "time step", x.timestep.has_value(),
             fmt::format("{:g} s", x.timestep ? *x.timestep : *y.timestep), x.timestep ? x.place : y.place, {});
}

void Comparer::engine()
{
    // A conversion answers for these values by its loss report, element by element.
    if (options_.losses != nullptr) return;
    sites();
    engine_scene();
    for (std::size_t l = 0; l < a_.tree.links.size(); ++l)
        if (const int k = match_.link[l]; k >= 0)
            engine_values(fmt::format("link '{}'", a_.tree.links[l].name), a_.tree.links[l].extras,
                          b_.tree.links[at(k)].extras);
    engine_joints();
    engine_shapes();
    engine_prims();
}

}  // namespace mechane::difference

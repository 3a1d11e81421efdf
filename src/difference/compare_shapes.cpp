// Colliders and visuals: bounds, volumes and areas, paired by name, else by place.

#include "difference/comparer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "difference/values.h"

namespace mechane::difference {
namespace {

std::string_view to_string(sf::Shape::Kind kind)
{
    constexpr std::string_view words[] = {"box", "sphere", "cylinder", "capsule", "ellipsoid", "plane", "mesh"};
    return words[static_cast<std::size_t>(kind)];
}

Comparer::Item item_of(const sf::Shape& s, const sf::RobotTree& tree, bool collider)
{
    Comparer::Item out{fmt::format("{} '{}'", collider ? "collider" : "visual", s.name), {s.name}};
    if (s.link >= 0) out.text += fmt::format(" of link '{}'", tree.links[at(s.link)].name);
    return out;
}

}  // namespace

template <class Seen>
bool Comparer::cut(const sf::RobotTree& tree, Extents& own, const Extents& other, const ShapePairs& pairs, bool first,
                   const Seen& seen) const
{
    // A mesh that has a partner of the same bounds and area is left whole. The area decides between two meshes of
    // one outline, of which one holds only some of the faces.
    std::set<Part> whole;
    for (const auto& [s, t] : pairs.same) {
        const Extent &x = own.at(first ? s : t), &y = other.at(first ? t : s);
        const double  may = allowed(Quantity::visual, length(x.upper - x.lower)) + allowed(Quantity::frame, size_);
        if (length(x.lower - y.lower) <= may && length(x.upper - y.upper) <= may &&
            std::abs(x.area - y.area) <= 1e-4 * std::max(x.area, y.area))
            whole.insert(first ? s : t);
    }
    bool any = false;
    for (std::size_t s = 0; s < tree.shapes.size(); ++s) {
        const sf::Shape& one = tree.shapes[s];
        if (!own.contains({s, 0}) || whole.contains({s, 0}) || one.kind != sf::Shape::Kind::mesh || one.mesh < 0 ||
            tree.meshes[at(one.mesh)].subsets.size() < 2)
            continue;
        any = true;
        own.erase({s, 0});
        const auto parts = parts_of(tree.meshes[at(one.mesh)]);
        for (std::size_t p = 0; p < parts.size(); ++p)
            own.emplace(Part{s, p}, extent_of(tree, one, seen(one), false, &parts[p]));
    }
    return any;
}

void Comparer::shapes(bool collider)
{
    const Quantity q = collider ? Quantity::collider : Quantity::visual;
    if (!wanted(q) && !(collider && wanted(Quantity::contact))) return;
    // Seen from the root of A's tree on both sides.
    Extents    a, b;
    const auto base_b = [&](int link) -> Posed {
        if (link < 0) return {};
        const int partner = match_.link_back[at(link)];
        if (partner >= 0) return bases(at(partner), pose_a_, pose_b_).second;
        return b_.root[at(link)] >= 0 ? pose_b_[at(b_.root[at(link)])] : Posed{};
    };
    const auto seen_a = [&](const sf::Shape& one) {
        return one.link >= 0 ? inverse(bases(at(one.link), pose_a_, pose_b_).first) * pose_a_[at(one.link)] : Posed{};
    };
    const auto seen_b = [&](const sf::Shape& one) {
        return one.link >= 0 ? inverse(base_b(one.link)) * pose_b_[at(one.link)] : Posed{};
    };
    // Where no collider touches another, none collides.
    const auto counts = [&](const sf::RobotTree& t, const sf::Shape& s) {
        return collider ? s.collider && t.contact : s.visual;
    };
    for (std::size_t s = 0; s < a_.tree.shapes.size(); ++s)
        if (const sf::Shape& one = a_.tree.shapes[s]; counts(a_.tree, one))
            a.emplace(Part{s, 0}, extent_of(a_.tree, one, seen_a(one), collider));
    for (std::size_t s = 0; s < b_.tree.shapes.size(); ++s)
        if (const sf::Shape& one = b_.tree.shapes[s]; counts(b_.tree, one))
            b.emplace(Part{s, 0}, extent_of(b_.tree, one, seen_b(one), collider));
    ShapePairs pairs = pair_shapes(match_, a, b);
    // A mesh of several materials is one shape in one format and several in another.
    // Both sides are cut before the pairing is made again: a bool each, so that the second is not skipped when the
    // first one already answers.
    if (const bool in_a = !collider && cut(a_.tree, a, b, pairs, true, seen_a),
        in_b            = !collider && cut(b_.tree, b, a, pairs, false, seen_b);
        in_a || in_b)
        pairs = pair_shapes(match_, a, b);
    for (const auto& [s, t] : pairs.same) {
        const sf::Shape &one = a_.tree.shapes[s.shape], &two = b_.tree.shapes[t.shape];
        Item             item = item_of(one, a_.tree, collider);
        const Extent &   x = a.at(s), &y = b.at(t);
        if (two.name != one.name) item.names.push_back(two.name);  // a report may know it by its new name
        if (wanted(q)) extents(q, item, one, two, x, y);
        if (!collider) continue;
        // Friction 1 and restitution 0 stand for a shape without a material of its own.
        const sf::Contact free{1, 1, 0, {}, {}, false};  // what a simulation takes where nothing is said
        const sf::Contact c = one.contact.value_or(free), d = two.contact.value_or(free);
        number(Quantity::contact, item, "static friction", c.static_friction, d.static_friction, "", one.place,
               two.place);
        number(Quantity::contact, item, "friction", c.dynamic_friction, d.dynamic_friction, "", one.place, two.place);
        number(Quantity::contact, item, "restitution", c.restitution, d.restitution, "", one.place, two.place);
    }
    for (const Part s : pairs.only_a) {
        const sf::Shape& one  = a_.tree.shapes[s.shape];
        const Item       item = item_of(one, a_.tree, collider);
        only(q, item, "shape", true, std::string(to_string(one.kind)), one.place,
             match_.announced(q, "shape", item.names));
    }
    for (const Part s : pairs.only_b) {
        const sf::Shape& one = b_.tree.shapes[s.shape];
        only(q, item_of(one, b_.tree, collider), "shape", false, std::string(to_string(one.kind)), one.place,
             match_.announced(q, "shape", {one.name}));
    }
}

void Comparer::extents(Quantity q, const Item& item, const sf::Shape& one, const sf::Shape& two, const Extent& x,
                       const Extent& y)
{
    out_.count(q);
    if (!x.good || !y.good) return;
    if (x.endless && y.endless) return planes(q, item, one, two, x, y);
    // Bounds say where a shape is and volume or area what it is. Hulls are made by different programs with
    // different corner limits, hence 1 %; meshes and solids are exact but for rounding, hence 0.1 % of the volume.
    const double size = std::max(length(x.upper - x.lower), length(y.upper - y.lower));
    const bool   hull = x.hull || y.hull, round = one.kind != two.kind;
    const double loose = options_.scale * (hull ? 1e-2 : 0),
                 may   = std::max({allowed(q, size), loose * size, allowed(Quantity::frame, size_)});
    const auto   why   = [&](const char* field) { return match_.announced(q, field, item.names); };
    const double off   = std::max(length(x.lower - y.lower), length(x.upper - y.upper));
    const auto   box   = [](const Extent& e) { return fmt::format("{} to {}", text(e.lower, ""), text(e.upper, "m")); };
    if (!(off <= may))
        return differ(
            q, item.text, "bounds", Side{fmt::format("{} {}", to_string(one.kind), box(x)), site_of(one.place)},
            Side{fmt::format("{} {}", to_string(two.kind), box(y)), site_of(two.place)}, off, may, {}, why("bounds"));
    const double v = q == Quantity::collider ? x.volume : x.area, w = q == Quantity::collider ? y.volume : y.area;
    const double rel  = options_.scale * (q == Quantity::visual ? 1e-4
                                          : hull                ? 1e-2
                                                                : 1e-3),
                 most = std::max(v, w),
                 // An allowance for flat shapes, of which both volumes are rounding noise. Its units are those of
                 // size cubed or squared.
        floor = q == Quantity::collider ? 1e-9 * size * size * size : 1e-9 * size * size;
    if (!(std::abs(v - w) <= rel * most + floor))
        differ(q, item.text, q == Quantity::collider ? "volume" : "area",
               Side{text(v, q == Quantity::collider ? "m^3" : "m^2"), site_of(one.place)},
               Side{text(w, q == Quantity::collider ? "m^3" : "m^2"), site_of(two.place)}, std::abs(v - w), rel * most,
               round ? fmt::format("{} and {}", to_string(one.kind), to_string(two.kind)) : note_of(v, w),
               why(q == Quantity::collider ? "volume" : "area"));
}

void Comparer::planes(Quantity q, const Item& item, const sf::Shape& one, const sf::Shape& two, const Extent& x,
                      const Extent& y)
{
    const double turned = length(x.normal - y.normal), off = std::abs(dot(x.normal, x.lower - y.lower));
    const double may = allowed(q, size_) + allowed(Quantity::frame, size_);
    if (!(turned <= may))
        differ(q, item.text, "normal", Side{text(x.normal, ""), site_of(one.place)},
               Side{text(y.normal, ""), site_of(two.place)}, turned, may, {},
               match_.announced(q, "bounds", item.names));
    else if (!(off <= may))
        differ(q, item.text, "height", Side{text(x.lower, "m"), site_of(one.place)},
               Side{text(y.lower, "m"), site_of(two.place)}, off, may, "foot of the plane, seen from the root",
               match_.announced(q, "bounds", item.names));
}

}  // namespace mechane::difference

// Masses, centres of mass and inertias: link by link, and for what is rigidly one piece also as a sum.

#include "difference/comparer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "difference/values.h"

namespace mechane::difference {

const std::optional<sf::Inertial>& inertial_of(const sf::Link& l)
{
    static const std::optional<sf::Inertial> none;
    if (l.inertial && !l.weightless) return l.inertial;
    return l.unused ? l.unused : none;
}

geometry::MassProperties placed(const sf::Inertial& in, const Posed& X)
{ return geometry::transformed({in.mass, in.com, in.inertia}, X); }

namespace {

/// Whether an inertial is the one that a simulation gives to the partner, a link that says no mass and has nothing
/// to compute one from.
bool stands_in(const std::optional<sf::Inertial>& of, const Kinematics& k, std::size_t without)
{
    if (!of) return false;
    for (const sf::Shape& s : k.tree.shapes)
        if (s.collider && s.link >= 0 && at(s.link) == without) return false;
    Mat33d off = of->inertia;
    for (std::size_t i = 0; i < 3; ++i) off(i, i) -= sf::kStandInMoment;
    double most = 0;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) most = std::max(most, std::abs(off(i, j)));
    return std::abs(of->mass - sf::kStandInMass) <= 1e-5 * sf::kStandInMass && length(of->com) <= 1e-6 &&
           most <= 1e-5 * sf::kStandInMoment;
}

// Formats without frames of zero mass merge fixed links and add up their masses. Links that a fixed joint holds are
// therefore also compared as a sum: mass, centre of mass and, by the parallel axis theorem, inertia.
/// The sum of what is fixed to a link.
geometry::MassProperties group_mass(const Kinematics& k, int group, const std::vector<Posed>& poses, const Posed& base)
{
    geometry::MassProperties sum;
    bool                     any = false;
    for (std::size_t l = 0; l < k.tree.links.size(); ++l) {
        if (k.group[l] != group || !inertial_of(k.tree.links[l])) continue;
        const auto part = placed(*inertial_of(k.tree.links[l]), inverse(base) * poses[l]);
        sum             = any ? geometry::combined(sum, part) : part;
        any             = true;
    }
    return sum;
}

bool has_fixed(const Kinematics& k, std::size_t l)
{
    for (std::size_t o = 0; o < k.group.size(); ++o)
        if (o != l && k.group[o] == k.group[l]) return true;
    return false;
}

/// The largest difference of two elements of the same place.
double apart(const Mat33d& x, const Mat33d& y)
{
    double off = 0;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) off = std::max(off, std::abs(x.row(i)[j] - y.row(i)[j]));
    return off;
}

}  // namespace

// Elements of the inertia are judged by the larger trace. An off-diagonal element near zero carries the rounding
// error of the largest moment, so that a relative tolerance of its own would refuse correct values.
bool Comparer::near(const geometry::MassProperties& x, const geometry::MassProperties& y) const
{
    return std::abs(x.mass - y.mass) <= allowed(Quantity::mass, x.mass) &&
           length(x.com - y.com) <= allowed(Quantity::center_of_mass, size_) &&
           apart(x.inertia, y.inertia) <= allowed(Quantity::inertia, std::max(trace(x.inertia), trace(y.inertia)));
}

// A sum is judged by what the part may be off, and by the rounding of all: a large link would hide what a small one
// that is welded to it has lost.
bool Comparer::near_as_sum(const geometry::MassProperties& x, const geometry::MassProperties& y,
                           const geometry::MassProperties& part) const
{
    constexpr double kRounding = 1e-6;
    const double     mass      = allowed(Quantity::mass, part.mass);
    const double     inertia   = allowed(Quantity::inertia, trace(part.inertia)) +
                                 kRounding * (part.mass * size_ * size_ + std::max(trace(x.inertia), trace(y.inertia)));
    return std::abs(x.mass - y.mass) <= mass + kRounding * x.mass &&
           length(x.mass * x.com - y.mass * y.com) <= part.mass * allowed(Quantity::center_of_mass, size_) +
                                                          mass * size_ + x.mass * (kRounding * size_ + 1e-9) &&
           apart(x.inertia, y.inertia) <= inertia;
}

void Comparer::masses()
{
    for (std::size_t l = 0; l < a_.tree.links.size(); ++l) {
        const sf::Link& one   = a_.tree.links[l];
        const int       other = match_.link[l];
        const Item      item{fmt::format("link '{}'", one.name), {one.name}};
        const auto&     in_a = inertial_of(one);
        if (other < 0) {
            if (in_a && in_a->mass > 0)
                only(Quantity::mass, item, "mass", true, text(in_a->mass, "kg"), in_a->place,
                     match_.announced(Quantity::mass, "mass", item.names));
            continue;
        }
        const sf::Link& two  = b_.tree.links[at(other)];
        const auto&     in_b = inertial_of(two);
        if (!in_a && !in_b) continue;
        if ((!in_b && stands_in(in_a, b_, at(other))) || (!in_a && stands_in(in_b, a_, l))) {
            out_.count(Quantity::mass);
            continue;
        }
        const auto [R_a, R_b] = bases(l, pose_a_, pose_b_);
        auto x                = in_a ? placed(*in_a, inverse(R_a) * pose_a_[l]) : geometry::MassProperties{},
             y                = in_b ? placed(*in_b, inverse(R_b) * pose_b_[at(other)]) : geometry::MassProperties{};
        // Where one side says no inertia that could be one, its simulations compute it.
        if ((in_a && !in_a->has_inertia) || (in_b && !in_b->has_inertia)) x.inertia = y.inertia = Mat33d{};
        if (!near(x, y) &&
            (a_.group[l] != static_cast<int>(l) || b_.group[at(other)] != other || has_fixed(a_, l) ||
             has_fixed(b_, at(other))) &&
            near_as_sum(group_mass(a_, a_.group[l], pose_a_, R_a), group_mass(b_, b_.group[at(other)], pose_b_, R_b),
                        x)) {
            out_.count(Quantity::mass), out_.count(Quantity::center_of_mass),
                out_.count(Quantity::inertia);  // shared otherwise among links that are one piece
            continue;
        }
        const sf::Place &at_a = in_a ? in_a->place : one.place, &at_b = in_b ? in_b->place : two.place;
        number(Quantity::mass, item, "mass", x.mass, y.mass, "kg", at_a, at_b);
        if (!in_a || !in_b) continue;
        out_.count(Quantity::center_of_mass);
        if (const double off = length(x.com - y.com), may = allowed(Quantity::center_of_mass, size_); !(off <= may))
            differ(Quantity::center_of_mass, item.text, "centre of mass", Side{text(x.com, "m"), site_of(at_a)},
                   Side{text(y.com, "m"), site_of(at_b)}, off, may, "seen from the root",
                   match_.announced(Quantity::center_of_mass, "centre of mass", item.names));
        out_.count(Quantity::inertia);
        static constexpr const char* kNames[3][3] = {
            {"Ixx", "Ixy", "Ixz"}, {"Ixy", "Iyy", "Iyz"}, {"Ixz", "Iyz", "Izz"}};
        const double may = allowed(Quantity::inertia, std::max(trace(x.inertia), trace(y.inertia)));
        for (std::size_t k = 0, found = 0; k < 9 && found == 0; ++k) {
            const std::size_t i = k / 3, j = k % 3;
            const double      p = x.inertia.row(i)[j], q = y.inertia.row(i)[j];
            if (std::abs(p - q) <= may) continue;
            // One element is told for each link: if the inertia is turned or scaled, all nine differ for one
            // reason.
            found = 1;
            differ(Quantity::inertia, item.text, kNames[i][j], Side{text(p, "kg m^2"), site_of(at_a)},
                   Side{text(q, "kg m^2"), site_of(at_b)}, std::abs(p - q), may, note_of(p, q),
                   match_.announced(Quantity::inertia, kNames[i][j], item.names));
        }
    }
    for (std::size_t l = 0; l < b_.tree.links.size(); ++l)
        if (const auto& in = inertial_of(b_.tree.links[l]); match_.link_back[l] < 0 && in && in->mass > 0)
            only(Quantity::mass, {fmt::format("link '{}'", b_.tree.links[l].name), {}}, "mass", false,
                 text(in->mass, "kg"), in->place, match_.announced(Quantity::mass, "mass", {b_.tree.links[l].name}));
}

}  // namespace mechane::difference

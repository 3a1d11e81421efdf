// What every comparison of two robots uses: where links are seen from, and how differences are told.

#include "difference/comparer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "difference/values.h"

namespace mechane::difference {
namespace {

double size_of(const std::vector<Posed>& poses)
{
    Vec3d low{}, high{};
    for (const Posed& X : poses) low = min(low, X.p), high = max(high, X.p);
    const double out = length(high - low);
    return std::isfinite(out) ? out : 0;
}

}  // namespace

bool is_world(const sf::Link& link) { return link.name.starts_with("world") && !inertial_of(link); }

/// A hint at the usual causes: a sign, degrees taken for radians or the reverse (a factor of 180 / pi = 57.3, within
/// 0.1 %), else the ratio.
std::string note_of(double a, double b)
{
    if (a == 0 || b == 0 || !std::isfinite(a) || !std::isfinite(b)) return {};
    const double ratio = b / a, turn = 180 / std::numbers::pi;
    if (a * b < 0) return std::abs(ratio + 1) < 1e-4 ? "the sign is the other one" : "";
    for (const double sign : {1.0, -1.0})
        if (std::abs(ratio / std::pow(turn, sign) - 1) < 1e-3)
            return fmt::format("x{:.3g}: degrees read as radians?", ratio);
    if (std::abs(ratio - 1) < 1) return fmt::format("{:+.3g} %", 100 * (ratio - 1));
    return fmt::format("x{:.4g}", ratio);
}

Comparer::Comparer(const sf::RobotTree& a, const sf::RobotTree& b, const CompareOptions& options)
    : options_(options), a_(a), b_(b), match_(a_, b_, options.losses, options.needed)
{
    out_.counts.resize(tolerances().size());
    pose_a_ = a_.poses(a_.zero()), pose_b_ = b_.poses(b_.zero());
    size_ = std::max(size_of(pose_a_), size_of(pose_b_));
    find_bases();
}

Comparison Comparer::run()
{
    masses();
    frames();
    joints();
    loops();
    shapes(true);
    shapes(false);
    scene();
    kinematics();
    engine();
    out_.sort();
    return std::move(out_);
}

bool Comparer::wanted(Quantity q) const
{ return options_.only.empty() || std::find(options_.only.begin(), options_.only.end(), q) != options_.only.end(); }

double Comparer::allowed(Quantity q, double of) const
{
    const Tolerance& may = tolerances()[static_cast<std::size_t>(q)];
    return options_.scale * (may.absolute + may.relative * (std::isfinite(of) ? std::abs(of) : 0));
}

std::pair<Posed, Posed> Comparer::bases(std::size_t link_of_a, const std::vector<Posed>& a,
                                        const std::vector<Posed>& b) const
{
    const int root = a_.root[link_of_a];
    if (root < 0 || match_.link[at(root)] < 0) return {};
    return {a[at(root)] * shift_a_[at(root)], b[at(match_.link[at(root)])] * shift_b_[at(root)]};
}

void Comparer::find_bases()
{
    shift_a_.assign(a_.tree.links.size(), {}), shift_b_ = shift_a_;
    for (std::size_t l = 0; l < a_.tree.links.size(); ++l) {
        const int other = match_.link[l];
        if (a_.root[l] != static_cast<int>(l) || other < 0) continue;
        const auto &in_a = inertial_of(a_.tree.links[l]), &in_b = inertial_of(b_.tree.links[at(other)]);
        if (!in_a || !in_b || near(placed(*in_a, {}), placed(*in_b, {}))) continue;
        const Posed X = {pose_a_[l] * in_a->com, {}}, Y = {pose_b_[at(other)] * in_b->com, {}};
        if (!near(placed(*in_a, inverse(X) * pose_a_[l]), placed(*in_b, inverse(Y) * pose_b_[at(other)]))) continue;
        shift_a_[l] = inverse(pose_a_[l]) * X, shift_b_[l] = inverse(pose_b_[at(other)]) * Y;
    }
}

void Comparer::differ(Quantity q, std::string item, std::string field, std::optional<Side> a, std::optional<Side> b,
                      double amount, double tolerance, std::string note, std::string expected)
{
    out_.add({q, std::move(item), std::move(field), std::move(a), std::move(b), amount, tolerance, std::move(note),
              std::move(expected)});
}

// Equal infinities and two values that are not numbers are equal. Without the first test their difference, which is
// not a number, would fail the comparison.
void Comparer::number(Quantity q, const Item& item, const char* field, double a, double b, const char* unit,
                      const sf::Place& at_a, const sf::Place& at_b, double tolerance)
{
    out_.count(q);
    if (a == b || (std::isnan(a) && std::isnan(b))) return;
    const double may =
        tolerance >= 0 ? tolerance
                       : allowed(q, std::max(std::isfinite(a) ? std::abs(a) : 0, std::isfinite(b) ? std::abs(b) : 0));
    if (std::abs(a - b) <= may) return;
    differ(q, item.text, field, Side{text(a, unit), site_of(at_a)}, Side{text(b, unit), site_of(at_b)}, std::abs(a - b),
           may, note_of(a, b), match_.announced(q, field, item.names));
}

void Comparer::renamed(Quantity q, const Item& item, const char* field, const std::string& a, const std::string& b,
                       const sf::Place& at_a, const sf::Place& at_b)
{
    const std::vector<std::string> expected = match_.names_in_b(a);
    if (std::find(expected.begin(), expected.end(), b) != expected.end() || plain(a) == plain(b)) return;
    differ(q, item.text, "name", Side{a, site_of(at_a)}, Side{b, site_of(at_b)}, 0, 0, {},
           match_.announced(q, field, item.names));
}

void Comparer::only(Quantity q, const Item& item, const char* field, bool in_a, std::string value,
                    const sf::Place& place, const std::string& announced)
{
    out_.count(q);
    Side side{std::move(value), site_of(place)};
    differ(q, item.text, field, in_a ? std::optional(side) : std::nullopt, in_a ? std::nullopt : std::optional(side), 0,
           0, in_a ? "only in the first" : "only in the second", announced);
}

}  // namespace mechane::difference

// Compares two robots value by value, whatever formats they were read from.
// Inputs: two robot trees (metres, kilograms, radians, each in its own frames) and, where one was made of the other,
// the loss report. Output: a Comparison, which holds per quantity how many values were compared and a Difference for
// each that lies outside its tolerance.
// Two files may describe one robot in many ways: other link frames, other joint frames, other names, masses shared
// otherwise among links that are welded. So nothing is compared in the frame it was written in. Every pose is taken at
// the zero state and seen from the root of the link's tree, axes are compared as directions there, and what is rigidly
// one piece is also compared as one.
// The formats store single precision or decimal text; kTolerances gives the allowance of each quantity and its reason.
// Called by `mechane diff`, by the round trip tests of the exporters and by the reduction.

#include "mechane/difference/compare.h"

#include <algorithm>
#include <array>

#include "difference/comparer.h"
#include "difference/reframe.h"
#include "mechane/exporter/robot_of_stage.h"
#include "mechane/importer/collision_solids.h"

namespace mechane::difference {
namespace {

/// In the order of the enumeration Quantity, which indexes this table, kTolerances and Comparison::counts alike.
constexpr std::array<std::string_view, 21> kQuantityWords{
    "mass",    "center_of_mass", "inertia", "frame",    "joint",    "limit",      "gain",
    "passive", "mimic",          "loop",    "collider", "contact",  "visual",     "looks",
    "scene",   "state",          "pair",    "soft",     "property", "kinematics", "rollout"};

constexpr Tolerance kTolerances[] = {
    {Quantity::mass, 1e-12, 1e-5, "the mass",
     "USD stores single precision (6e-8); 1e-5 leaves room for masses that are sums of parts"},
    {Quantity::center_of_mass, 1e-5, 1e-6, "the robot's size", "single precision of lengths as large as the robot"},
    {Quantity::inertia, 1e-14, 1e-5, "the inertia's trace",
     "moments and axes are stored apart, in single precision; an element is as exact as the largest moment"},
    {Quantity::frame, 1e-5, 1e-6, "the robot's size", "single precision of the poses of a chain of links"},
    {Quantity::joint, 1e-5, 1e-6, "the robot's size", "single precision of the joint's frames"},
    {Quantity::limit, 1e-5, 1e-5, "the limit", "degrees in single precision"},
    {Quantity::gain, 1e-9, 1e-5, "the gain", "values per degree in single precision"},
    {Quantity::passive, 1e-9, 1e-5, "the value", "values per degree in single precision"},
    {Quantity::mimic, 1e-6, 1e-5, "the value", "degrees in single precision"},
    {Quantity::loop, 0, 0, "", "names are equal or not"},
    {Quantity::collider, 1e-6, 1e-4, "the shape's size; the volume 1e-3, bounds and volume of hulls 1e-2",
     "hulls of few corners differ by where they are cut"},
    {Quantity::contact, 1e-6, 1e-5, "the value", "single precision"},
    {Quantity::visual, 1e-6, 1e-4, "the shape's size or area",
     "points in single precision; text of meshes has 7 digits or more"},
    {Quantity::looks, 1e-4, 1e-5, "the value; points 1e-4 of the surface's size",
     "colours in single precision; a picture of 8 bits shows no step below 3e-4 of linear light"},
    {Quantity::scene, 1e-6, 1e-5, "the value", "single precision of direction and magnitude"},
    {Quantity::state, 1e-6, 1e-5, "the value", "degrees in single precision"},
    {Quantity::pair, 0, 0, "", "two bodies may touch or not"},
    {Quantity::soft, 1e-9, 1e-4, "the largest value", "sums of single precision, one for each particle or element"},
    {Quantity::property, 1e-9, 1e-5, "the value", "single precision"},
    {Quantity::kinematics, 1e-5, 2e-6, "the robot's size", "single precision of the frames of a chain of joints"},
    {Quantity::rollout, 1e-3, 0, "",
     "1 mm or 1 mrad, or ten times what a change of gravity by a hundred thousandth brings by then: what is chaotic "
     "may differ"},
};

}  // namespace

std::string_view to_string(Quantity quantity) { return kQuantityWords[static_cast<std::size_t>(quantity)]; }

std::optional<Quantity> quantity_of(std::string_view word)
{
    for (std::size_t i = 0; i < kQuantityWords.size(); ++i)
        if (kQuantityWords[i] == word) return static_cast<Quantity>(i);
    return std::nullopt;
}

std::span<const Tolerance> tolerances() { return kTolerances; }

const Difference* Comparison::first_unexpected() const
{
    for (const Difference& d : differences)
        if (d.expected.empty()) return &d;
    return nullptr;
}

void Comparison::count(Quantity quantity, std::size_t n)
{
    if (counts.empty()) counts.resize(kQuantityWords.size());
    counts[static_cast<std::size_t>(quantity)].compared += n;
}

void Comparison::add(Difference difference)
{
    if (counts.empty()) counts.resize(kQuantityWords.size());
    Count& c = counts[static_cast<std::size_t>(difference.quantity)];
    ++c.different;
    if (!difference.expected.empty()) ++c.expected;
    differences.push_back(std::move(difference));
}

/// Counts are rebuilt, so that the totals speak of the quantities that were asked for.
void Comparison::keep(const std::vector<Quantity>& only)
{
    std::vector<Difference> all     = std::move(differences);
    const auto              counted = counts;
    differences.clear();
    counts.assign(kQuantityWords.size(), {});
    for (const Quantity q : only) count(q, counted[static_cast<std::size_t>(q)].compared);
    for (Difference& d : all)
        if (std::find(only.begin(), only.end(), d.quantity) != only.end()) add(std::move(d));
}

void Comparison::drop(Quantity quantity, const std::string& item, std::string_view field)
{
    const std::size_t dropped = std::erase_if(differences, [&](const Difference& d) {
        return d.quantity == quantity && d.item == item && d.field == field && d.expected.empty();
    });
    if (dropped > 0) counts[static_cast<std::size_t>(quantity)].different -= dropped;
}

void Comparison::sort()
{
    // Stable: within a quantity the order is that of A's links and joints, which makes reports of two runs comparable.
    std::stable_sort(differences.begin(), differences.end(),
                     [](const Difference& x, const Difference& y) { return x.quantity < y.quantity; });
}

Result<Robot> open_robot(const std::string& file, const sf::ReadOptions& read, const usd::OpenOptions& open)
{
    // A scene holds no robot: it is read as the stage that it becomes.
    if (sf::is_source_format(file) && !sf::is_scene_format(file)) {
        auto robot = sf::read_robot(file, read);
        if (!robot) return robot.error();
        return Robot{file, std::move(robot->tree), std::move(robot->found), std::move(robot->losses)};
    }
    const auto stage = usd::Stage::open(file, open);
    if (!stage) return stage.error();
    Diagnostics weighed;
    auto        robot = exporter::robot_of_stage(**stage, importer::collision_solids(*stage, weighed));
    if (!robot) return robot.error();
    Robot out{file, std::move(robot->tree), (*stage)->diagnostics()};
    out.found.append(weighed);
    out.found.append(robot->found);
    return out;
}

Comparison compare(const sf::RobotTree& a, const sf::RobotTree& b, const CompareOptions& options)
{
    // A robot turned from y up to z up is compared in the axes of the other one; otherwise each single frame would
    // differ for that one reason.
    const auto turned = in_axes_of(a, b, options.losses);
    Comparison out    = Comparer(a, turned ? *turned : b, options).run();
    if (!options.only.empty()) out.keep(options.only);
    return out;
}

}  // namespace mechane::difference

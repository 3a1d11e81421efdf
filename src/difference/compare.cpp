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

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include "difference/matching.h"
#include "difference/reframe.h"
#include "difference/shapes.h"
#include "difference/values.h"
#include "mechane/exporter/robot_of_stage.h"
#include "mechane/geometry/mass.h"

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

const Tolerance& tolerance_of(Quantity q) { return kTolerances[static_cast<std::size_t>(q)]; }

/// What a ratio looks like.
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

std::string_view to_string(sf::Joint::Kind kind)
{
    constexpr std::string_view words[] = {"fixed", "revolute", "prismatic", "ball", "generic", "distance"};
    return words[static_cast<std::size_t>(kind)];
}

std::string_view to_string(sf::Shape::Kind kind)
{
    constexpr std::string_view words[] = {"box", "sphere", "cylinder", "capsule", "ellipsoid", "plane", "mesh"};
    return words[static_cast<std::size_t>(kind)];
}

class Comparer {
  public:
    // size_ is the diagonal of the box about the origins of all links at the zero state. Tolerances of lengths scale
    // with it, because single precision errors grow with the coordinates of a chain and not with one value.
    Comparer(const sf::RobotTree& a, const sf::RobotTree& b, const CompareOptions& options)
        : options_(options), a_(a), b_(b), match_(a_, b_, options.losses, options.needed)
    {
        out_.counts.resize(kQuantityWords.size());
        pose_a_ = a_.poses(a_.zero()), pose_b_ = b_.poses(b_.zero());
        size_ = std::max(size_of(pose_a_), size_of(pose_b_));
        find_bases();
    }

    Comparison run()
    {
        masses();
        frames();
        joints();
        loops();
        shapes(true);
        shapes(false);
        scene();
        kinematics();
        out_.sort();
        return std::move(out_);
    }

  private:
    const CompareOptions& options_;
    Kinematics            a_, b_;
    Matching              match_;
    std::vector<Posed>    pose_a_, pose_b_;
    std::vector<Posed> shift_a_, shift_b_;  ///< by link of A, of roots: from its frame to where its tree is seen from
    double             size_ = 0;
    Comparison         out_;

    [[nodiscard]] bool wanted(Quantity q) const
    { return options_.only.empty() || std::find(options_.only.begin(), options_.only.end(), q) != options_.only.end(); }
    static double size_of(const std::vector<Posed>& poses)
    {
        Vec3d low{}, high{};
        for (const Posed& X : poses) low = min(low, X.p), high = max(high, X.p);
        const double out = length(high - low);
        return std::isfinite(out) ? out : 0;
    }
    [[nodiscard]] double allowed(Quantity q, double of) const
    {
        return options_.scale *
               (tolerance_of(q).absolute + tolerance_of(q).relative * (std::isfinite(of) ? std::abs(of) : 0));
    }

    /// Where a link of A is seen from: the root of its tree; of B: the same link there.
    /// Seen from the root, a robot that stands elsewhere in the world or lies in other axes is still the same robot.
    /// Where the world is, is compared once, for the root itself.
    [[nodiscard]] std::pair<Posed, Posed> bases(std::size_t link_of_a, const std::vector<Posed>& a,
                                                const std::vector<Posed>& b) const
    {
        const int root = a_.root[link_of_a];
        if (root < 0 || match_.link[at(root)] < 0) return {};
        return {a[at(root)] * shift_a_[at(root)], b[at(match_.link[at(root)])] * shift_b_[at(root)]};
    }

    /// Where the frames of two roots lie otherwise in the same body, both are seen from its centre of mass, along the
    /// axes of the world.
    /// One format may put a root's frame at its joint and another at its centre of mass. The mass decides: if both
    /// inertias agree once they are seen from the centre of mass, the bodies are the same and only the frame moved.
    void find_bases()
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

    void differ(Quantity q, std::string item, std::string field, std::optional<Side> a, std::optional<Side> b,
                double amount, double tolerance, std::string note, std::string expected)
    {
        out_.add({q, std::move(item), std::move(field), std::move(a), std::move(b), amount, tolerance, std::move(note),
                  std::move(expected)});
    }

    struct Item {
        std::string              text;
        std::vector<std::string> names;
    };

    // Equal infinities and two values that are not numbers are equal. Without the first test their difference, which is
    // not a number, would fail the comparison.
    void number(Quantity q, const Item& item, const char* field, double a, double b, const char* unit,
                const sf::Place& at_a, const sf::Place& at_b, double tolerance = -1)
    {
        out_.count(q);
        if (a == b || (std::isnan(a) && std::isnan(b))) return;
        const double may =
            tolerance >= 0
                ? tolerance
                : allowed(q, std::max(std::isfinite(a) ? std::abs(a) : 0, std::isfinite(b) ? std::abs(b) : 0));
        if (std::abs(a - b) <= may) return;
        differ(q, item.text, field, Side{text(a, unit), site_of(at_a)}, Side{text(b, unit), site_of(at_b)},
               std::abs(a - b), may, note_of(a, b), match_.announced(q, field, item.names));
    }

    void only(Quantity q, const Item& item, const char* field, bool in_a, std::string value, const sf::Place& place,
              const std::string& announced)
    {
        out_.count(q);
        Side side{std::move(value), site_of(place)};
        differ(q, item.text, field, in_a ? std::optional(side) : std::nullopt,
               in_a ? std::nullopt : std::optional(side), 0, 0, in_a ? "only in the first" : "only in the second",
               announced);
    }

    // -- masses

    // A weightless link carries the mass that a format demanded of it; the values kept aside in `unused` are
    // those that the file meant.
    static const std::optional<sf::Inertial>& inertial_of(const sf::Link& l)
    {
        static const std::optional<sf::Inertial> none;
        if (l.inertial && !l.weightless) return l.inertial;
        return l.unused ? l.unused : none;
    }

    /// Whether an inertial is the one that a simulation gives to the partner, a link that says no mass and has nothing
    /// to compute one from.
    static bool stands_in(const std::optional<sf::Inertial>& of, const Kinematics& k, std::size_t without)
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

    static geometry::MassProperties placed(const sf::Inertial& in, const Posed& X)
    { return geometry::transformed({in.mass, in.com, in.inertia}, X); }

    // Formats without frames of zero mass merge fixed links and add up their masses. Links that a fixed joint holds are
    // therefore also compared as a sum: mass, centre of mass and, by the parallel axis theorem, inertia.
    /// The sum of what is fixed to a link.
    static geometry::MassProperties group_mass(const Kinematics& k, int group, const std::vector<Posed>& poses,
                                               const Posed& base)
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

    // Elements of the inertia are judged by the larger trace. An off-diagonal element near zero carries the rounding
    // error of the largest moment, so that a relative tolerance of its own would refuse correct values.
    bool near(const geometry::MassProperties& x, const geometry::MassProperties& y) const
    {
        const double size = std::max(trace(x.inertia), trace(y.inertia));
        double       off  = 0;
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                off = std::max(off, std::abs(x.inertia.row(i)[j] - y.inertia.row(i)[j]));
        return std::abs(x.mass - y.mass) <= allowed(Quantity::mass, x.mass) &&
               length(x.com - y.com) <= allowed(Quantity::center_of_mass, size_) &&
               off <= allowed(Quantity::inertia, size);
    }

    void masses()
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
                 y = in_b ? placed(*in_b, inverse(R_b) * pose_b_[at(other)]) : geometry::MassProperties{};
            // Where one side says no inertia that could be one, its simulations compute it.
            if ((in_a && !in_a->has_inertia) || (in_b && !in_b->has_inertia)) x.inertia = y.inertia = Mat33d{};
            if (!near(x, y) &&
                (a_.group[l] != static_cast<int>(l) || b_.group[at(other)] != other || has_fixed(a_, l) ||
                 has_fixed(b_, at(other))) &&
                near(group_mass(a_, a_.group[l], pose_a_, R_a), group_mass(b_, b_.group[at(other)], pose_b_, R_b))) {
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
                     text(in->mass, "kg"), in->place,
                     match_.announced(Quantity::mass, "mass", {b_.tree.links[l].name}));
    }

    static bool has_fixed(const Kinematics& k, std::size_t l)
    {
        for (std::size_t o = 0; o < k.group.size(); ++o)
            if (o != l && k.group[o] == k.group[l]) return true;
        return false;
    }

    // -- frames

    void pose(Quantity q, const Item& item, const Posed& x, const Posed& y, const sf::Place& at_a,
              const sf::Place& at_b, double tolerance, const std::string& more = {})
    {
        // The position goes first and the rotation is told only where the position agrees: a turned frame moves
        // everything beyond it, and one difference a frame says enough.
        const double far = length(x.p - y.p), turned = angle_of(conjugate(x.q) * y.q);
        if (far <= tolerance && turned <= tolerance) return;
        const bool  place    = !(far <= tolerance);
        std::string expected = match_.announced(q, place ? "position" : "rotation", item.names);
        differ(q, item.text, place ? "position" : "rotation",
               Side{place ? text(x.p, "m")
                          : fmt::format("quaternion ({:.6g}, {:.6g}, {:.6g}; {:.6g})", x.q.x, x.q.y, x.q.z, x.q.w),
                    site_of(at_a)},
               Side{place ? text(y.p, "m")
                          : fmt::format("quaternion ({:.6g}, {:.6g}, {:.6g}; {:.6g})", y.q.x, y.q.y, y.q.z, y.q.w),
                    site_of(at_b)},
               place ? far : turned, tolerance,
               place ? fmt::format("{:.3g} m apart{}", far, more) : fmt::format("{:.3g} rad apart{}", turned, more),
               std::move(expected));
    }

    // Sites and cameras: frames of a link that carry no mass. Formats lack a word for one or the other, so they are
    // kept apart by kind.
    struct Named {
        std::string name, kind;
        int         link = -1;
        Posed       X_LF;
        sf::Place   place;
    };
    static std::vector<Named> named_frames(const sf::RobotTree& t)
    {
        std::vector<Named> out;
        for (const sf::Frame& f : t.sites) out.push_back({f.name, "site", f.link, f.X_LS, f.place});
        for (const sf::Camera& c : t.cameras) out.push_back({c.name, "camera", c.link, c.X_LC, c.place});
        return out;
    }

    void frames()
    {
        if (!wanted(Quantity::frame)) return;
        const double             may = allowed(Quantity::frame, size_);
        std::vector<std::size_t> missing;
        const auto               sites_a = named_frames(a_.tree), sites_b = named_frames(b_.tree);
        std::map<std::pair<std::string, std::string>, std::size_t> by_name;
        for (std::size_t s = 0; s < sites_b.size(); ++s)
            by_name.emplace(std::pair{sites_b[s].kind, sites_b[s].name}, s);
        std::vector<bool> used(sites_b.size(), false);
        for (std::size_t l = 0; l < a_.tree.links.size(); ++l) {
            const sf::Link& one = a_.tree.links[l];
            const Item      item{fmt::format("link '{}'", one.name),
                                 {one.name, a_.above[l] >= 0 ? a_.tree.joints[at(a_.above[l])].name : one.name}};
            if (const int other = match_.link[l]; other >= 0) {
                out_.count(Quantity::frame);
                const auto [R_a, R_b] = bases(l, pose_a_, pose_b_);
                pose(Quantity::frame, item, inverse(R_a) * pose_a_[l], inverse(R_b) * pose_b_[at(other)], one.place,
                     b_.tree.links[at(other)].place, may);
                // A root that has a mass also has a place in the world. A pure frame has none of its own: the formats
                // disagree where it starts.
                if (a_.root[l] == static_cast<int>(l) && !one.frame)
                    pose(Quantity::frame, item, pose_a_[l], pose_b_[at(other)], one.place,
                         b_.tree.links[at(other)].place, may, " in the world");
            } else if (const auto frame = by_name.find({"site", one.name});
                       frame != by_name.end() && !used[frame->second]) {
                // A link without mass that is a frame of what holds it.
                // The walk up ends at the first link that both robots have; a link that became a site is seen from the
                // tree of that one.
                int holder = static_cast<int>(l);
                while (holder >= 0 && match_.link[at(holder)] < 0)
                    holder = a_.above[at(holder)] >= 0 ? a_.tree.joints[at(a_.above[at(holder)])].parent : -1;
                const auto [R_a, R_b] = holder >= 0 ? bases(at(holder), pose_a_, pose_b_) : std::pair<Posed, Posed>{};
                const Named& t        = sites_b[frame->second];
                used[frame->second]   = true;
                out_.count(Quantity::frame);
                pose(Quantity::frame, item, inverse(R_a) * pose_a_[l],
                     inverse(R_b) * (t.link >= 0 ? pose_b_[at(t.link)] : Posed{}) * t.X_LF, one.place, t.place, may);
            } else if (!is_world(one)) {
                only(Quantity::frame, item, "link", true, "a link", one.place,
                     match_.announced(Quantity::frame, "link", item.names));
            }
        }
        // A frame of one format is a link without mass in another.
        std::vector<bool> as_site(b_.tree.links.size(), false);
        const auto        massless = [&](const Named& s) {
            for (std::size_t l = 0; l < b_.tree.links.size(); ++l)
                for (const std::string& name : match_.names_in_b(s.name))
                    if (s.kind == "site" && match_.link_back[l] < 0 && !as_site[l] && b_.tree.links[l].name == name &&
                        !inertial_of(b_.tree.links[l]))
                        return static_cast<int>(l);
            return -1;
        };
        for (const Named& s : sites_a) {
            const Item                 item{fmt::format("{} '{}'", s.kind, s.name), {s.name}};
            std::optional<std::size_t> other;
            for (const std::string& name : match_.names_in_b(s.name))
                if (const auto same = by_name.find({s.kind, name});
                    !other && same != by_name.end() && !used[same->second])
                    other = same->second;
            if (const int link = other ? -1 : massless(s); link >= 0) {
                as_site[at(link)] = true;
                out_.count(Quantity::frame);
                const auto base = s.link >= 0 ? bases(at(s.link), pose_a_, pose_b_) : std::pair<Posed, Posed>{};
                pose(Quantity::frame, item,
                     inverse(base.first) * (s.link >= 0 ? pose_a_[at(s.link)] : Posed{}) * s.X_LF,
                     inverse(base.second) * pose_b_[at(link)], s.place, b_.tree.links[at(link)].place, may);
                continue;
            }
            if (!other) {
                std::string why = match_.announced(Quantity::frame, s.kind, item.names);
                if (why.empty()) why = match_.announced_kind(Quantity::frame, s.kind, s.kind + "s");
                only(Quantity::frame, item, s.kind.c_str(), true, "a " + s.kind, s.place, why);
                continue;
            }
            used[*other]   = true;
            const Named& t = sites_b[*other];
            out_.count(Quantity::frame);
            const std::pair<Posed, Posed> base =
                s.link >= 0 ? bases(at(s.link), pose_a_, pose_b_) : std::pair<Posed, Posed>{};
            pose(Quantity::frame, item, inverse(base.first) * (s.link >= 0 ? pose_a_[at(s.link)] : Posed{}) * s.X_LF,
                 inverse(base.second) * (t.link >= 0 ? pose_b_[at(t.link)] : Posed{}) * t.X_LF, s.place, t.place, may);
        }
        for (std::size_t l = 0; l < b_.tree.links.size(); ++l)
            if (match_.link_back[l] < 0 && !as_site[l] && !is_world(b_.tree.links[l]))
                only(Quantity::frame, {fmt::format("link '{}'", b_.tree.links[l].name), {}}, "link", false, "a link",
                     b_.tree.links[l].place, chain_link(l));
        for (std::size_t s = 0; s < sites_b.size(); ++s)
            if (!used[s])
                only(Quantity::frame, {fmt::format("{} '{}'", sites_b[s].kind, sites_b[s].name), {}},
                     sites_b[s].kind.c_str(), false, "a " + sites_b[s].kind, sites_b[s].place,
                     match_.announced(Quantity::frame, sites_b[s].kind, {sites_b[s].name}));
    }

    /// The link that stands for the world in formats which have no word for it.
    static bool is_world(const sf::Link& l) { return l.name.starts_with("world") && !inertial_of(l); }

    /// Why a link of B has no partner: it lies within a joint that became several.
    [[nodiscard]] std::string chain_link(std::size_t l) const
    {
        std::string why = match_.announced(Quantity::frame, "link", {b_.tree.links[l].name});
        if (why.empty() && options_.losses != nullptr && !inertial_of(b_.tree.links[l]))
            for (const sf::Joint& j : a_.tree.joints)
                for (const std::string& name : match_.names_in_b(j.name))
                    if (why.empty() && b_.tree.links[l].name.starts_with(name + "_"))
                        why = match_.announced(Quantity::joint, "joint", {j.name});
        return why;
    }

    // -- joints

    // The names under which a loss report may speak of this axis: the axis, its joint and the link that the joint
    // carries.
    static Item item_of(const sf::Joint& j, const sf::Dof& d, const sf::RobotTree& tree)
    {
        Item out{fmt::format("joint '{}'", d.name.empty() ? j.name : d.name), {d.name, j.name}};
        if (j.child >= 0) out.names.push_back(tree.links[at(j.child)].name);
        return out;
    }

    void joints()
    {
        for (std::size_t j = 0; j < a_.tree.joints.size(); ++j) {
            const sf::Joint& one = a_.tree.joints[j];
            if (one.loop) continue;
            for (std::size_t d = 0; d < one.dofs.size(); ++d) {
                const sf::Dof& x    = one.dofs[d];
                const Item     item = item_of(one, x, a_.tree);
                const DofRef   ref  = match_.dof[j][d];
                const bool     ball = one.kind == sf::Joint::Kind::ball;
                // An axis that its limits lock moves nothing. Formats drop it or write a fixed joint, and both are
                // right.
                if (!ref) {
                    if (ball || !is_locked(x))
                        only(Quantity::joint, item, "joint", true,
                             std::string(ball        ? "ball"
                                         : x.angular ? "revolute"
                                                     : "prismatic"),
                             x.place, match_.announced(Quantity::joint, "joint", item.names));
                    continue;
                }
                const sf::Joint& two = b_.tree.joints[at(ref.joint)];
                const sf::Dof&   y   = two.dofs[at(ref.dof)];
                axis(item, one, two, x, y, j);
                if ((ball != (two.kind == sf::Joint::Kind::ball))) continue;
                if (!ball)  // a ball has a cone: one angle
                    number(Quantity::limit, item, "lower limit", x.lower, y.lower, x.angular ? "rad" : "m",
                           x.limit_place, y.limit_place);
                number(Quantity::limit, item, "upper limit", x.upper, y.upper, x.angular ? "rad" : "m", x.limit_place,
                       y.limit_place);
                if (!ball && is_locked(x) && is_locked(y)) continue;  // nothing moves it, whatever drives or brakes it
                // No limit is an unbounded one, so that a missing value and an infinite one compare as equal.
                constexpr double kNone = std::numeric_limits<double>::infinity();
                number(Quantity::limit, item, "speed limit", x.velocity_limit.value_or(kNone),
                       y.velocity_limit.value_or(kNone), x.angular ? "rad/s" : "m/s", x.limit_place, y.limit_place);
                drives(item, x, y);
                number(Quantity::passive, item, "damping", x.damping.value_or(0), y.damping.value_or(0),
                       x.angular ? "N m s/rad" : "N s/m", x.place, y.place);
                number(Quantity::passive, item, "friction", x.friction.value_or(0), y.friction.value_or(0),
                       x.angular ? "N m" : "N", x.place, y.place);
                number(Quantity::passive, item, "armature", x.armature.value_or(0), y.armature.value_or(0),
                       x.angular ? "kg m^2" : "kg", x.place, y.place);
            }
            mimic(j);
        }
        for (std::size_t j = 0; j < b_.tree.joints.size(); ++j)
            for (std::size_t d = 0; d < b_.tree.joints[j].dofs.size() && !b_.tree.joints[j].loop; ++d) {
                const sf::Joint& one = b_.tree.joints[j];
                const sf::Dof&   y   = one.dofs[d];
                if (match_.dof_back[j][d] || (is_locked(y) && one.kind != sf::Joint::Kind::ball)) continue;
                const Item  item = item_of(one, y, b_.tree);
                std::string why  = match_.announced(Quantity::joint, "joint", item.names);
                for (const sf::Joint& from : a_.tree.joints)  // one of several that a joint became
                    if (why.empty() && one.name.starts_with(from.name + "_"))
                        why = match_.announced(Quantity::joint, "joint", {from.name});
                only(Quantity::joint, item, "joint", false, y.angular ? "revolute" : "prismatic", y.place, why);
            }
    }

    void axis(const Item& item, const sf::Joint& one, const sf::Joint& two, const sf::Dof& x, const sf::Dof& y,
              std::size_t j)
    {
        out_.count(Quantity::joint);
        const auto why    = [&](const char* field) { return match_.announced(Quantity::joint, field, item.names); };
        const bool ball_a = one.kind == sf::Joint::Kind::ball, ball_b = two.kind == sf::Joint::Kind::ball;
        if (ball_a != ball_b || x.angular != y.angular) {
            differ(Quantity::joint, item.text, "kind", Side{std::string(to_string(one.kind)), site_of(x.place)},
                   Side{std::string(to_string(two.kind)), site_of(y.place)}, 0, 0, {}, why("kind"));
            return;
        }
        if (one.child < 0 || two.child < 0) return;
        const auto [R_a, R_b] = bases(at(one.child), pose_a_, pose_b_);
        const Posed  X        = inverse(R_a) * pose_a_[at(one.child)] * one.X_CJ,
                     Y        = inverse(R_b) * pose_b_[at(two.child)] * two.X_CJ;
        const double may      = allowed(Quantity::joint, size_);
        if (!ball_a) {
            // Where the partner runs from child to parent, the same turn has the opposite sign, and so has its axis.
            const Vec3d u = rotate(X.q, x.axis), v = rotate(Y.q, y.axis) * (match_.same_sense(j) ? 1.0 : -1.0);
            // The length of the cross product is the sine of the angle between unit vectors. It is zero for opposite
            // directions too, which is why 2, more than any sine, is added to those.
            if (const double off = length(cross(u, v)) + (dot(u, v) < 0 ? 2 : 0); !(off <= may))
                return differ(Quantity::joint, item.text, "axis", Side{text(u, ""), site_of(x.place)},
                              Side{text(v, ""), site_of(y.place)}, off, may,
                              dot(u, v) < -0.999999 ? "the direction is the other one" : "seen from the root",
                              why("axis"));
            if (!x.angular) return;
            // A hinge may have its origin anywhere along its axis. u x (X - Y) is the distance of the two parallel
            // lines, which does not depend on that choice.
            const Vec3d off = cross(u, X.p - Y.p);
            if (!(length(off) <= may))
                differ(Quantity::joint, item.text, "pivot", Side{text(X.p, "m"), site_of(x.place)},
                       Side{text(Y.p, "m"), site_of(y.place)}, length(off), may, "distance of the axes", why("pivot"));
        } else if (const double off = length(X.p - Y.p); !(off <= may)) {
            differ(Quantity::joint, item.text, "pivot", Side{text(X.p, "m"), site_of(x.place)},
                   Side{text(Y.p, "m"), site_of(y.place)}, off, may, {}, why("pivot"));
        }
    }

    void drives(const Item& item, const sf::Dof& x, const sf::Dof& y)
    {
        if (!x.drive && !y.drive) return;
        const auto able = [](const std::optional<sf::Drive>& d) {  // one that can exert no force is none
            return d && d->max_force != 0 ? *d : sf::Drive{};
        };
        const sf::Drive  p = able(x.drive), q = able(y.drive);
        const sf::Place &at_a = x.drive ? x.drive->place : x.place, &at_b = y.drive ? y.drive->place : y.place;
        const bool       turns = x.angular;
        number(Quantity::gain, item, "stiffness", p.stiffness, q.stiffness, turns ? "N m/rad" : "N/m", at_a, at_b);
        number(Quantity::gain, item, "drive damping", p.damping, q.damping, turns ? "N m s/rad" : "N s/m", at_a, at_b);
        number(Quantity::gain, item, "largest force", p.max_force, q.max_force, turns ? "N m" : "N", at_a, at_b);
        // A target acts through its gain only: without stiffness the target position has no effect, and without damping
        // the target speed has none.
        if (p.stiffness != 0 || q.stiffness != 0)
            number(Quantity::gain, item, "target", p.target, q.target, turns ? "rad" : "m", at_a, at_b,
                   allowed(Quantity::limit, p.target));
        if (p.damping != 0 || q.damping != 0)
            number(Quantity::gain, item, "target speed", p.target_velocity, q.target_velocity, turns ? "rad/s" : "m/s",
                   at_a, at_b, allowed(Quantity::limit, p.target_velocity));
    }

    void mimic(std::size_t j)
    {
        const sf::Joint& one = a_.tree.joints[j];
        if (one.dofs.empty()) return;
        const DofRef ref = match_.dof[j][0];
        if (!ref) return;
        const sf::Joint& two  = b_.tree.joints[at(ref.joint)];
        const Item       item = item_of(one, one.dofs[0], a_.tree);
        if (!one.mimic && !two.mimic) return;
        if (!one.mimic || !two.mimic)
            return only(Quantity::mimic, item, "mimic", one.mimic.has_value(), "follows",
                        one.mimic ? one.mimic->place : two.mimic->place,
                        match_.announced(Quantity::mimic, "mimic", item.names));
        const int leader = one.mimic->joint >= 0 ? match_.joint[at(one.mimic->joint)] : -1;
        out_.count(Quantity::mimic);
        // Links of A are indexed by A and those of B by B, so the leader is translated by the matching first.
        if (leader != two.mimic->joint)
            differ(Quantity::mimic, item.text, "leader",
                   Side{one.mimic->joint >= 0 ? a_.tree.joints[at(one.mimic->joint)].name : "none",
                        site_of(one.mimic->place)},
                   Side{two.mimic->joint >= 0 ? b_.tree.joints[at(two.mimic->joint)].name : "none",
                        site_of(two.mimic->place)},
                   0, 0, {}, match_.announced(Quantity::mimic, "leader", item.names));
        number(Quantity::mimic, item, "multiplier", one.mimic->multiplier, two.mimic->multiplier, "", one.mimic->place,
               two.mimic->place);
        number(Quantity::mimic, item, "offset", one.mimic->offset, two.mimic->offset, one.dofs[0].angular ? "rad" : "m",
               one.mimic->place, two.mimic->place);
    }

    void loops()
    {
        for (std::size_t j = 0; j < a_.tree.joints.size(); ++j) {
            const sf::Joint& one = a_.tree.joints[j];
            if (!one.loop) continue;
            const Item item{fmt::format("loop joint '{}'", one.name), {one.name}};
            const int  other = match_.joint[j];
            if (other < 0 || !b_.tree.joints[at(other)].loop) {
                only(Quantity::loop, item, "loop", true, std::string(to_string(one.kind)), one.place,
                     match_.announced(Quantity::loop, "loop", item.names));
                continue;
            }
            out_.count(Quantity::loop);
            if (const sf::Joint& two = b_.tree.joints[at(other)]; two.kind != one.kind)
                differ(Quantity::loop, item.text, "kind", Side{std::string(to_string(one.kind)), site_of(one.place)},
                       Side{std::string(to_string(two.kind)), site_of(two.place)}, 0, 0, {},
                       match_.announced(Quantity::loop, "kind", item.names));
        }
        for (std::size_t j = 0; j < b_.tree.joints.size(); ++j) {
            const sf::Joint& two = b_.tree.joints[j];
            if (!two.loop || (match_.joint_back[j] >= 0 && a_.tree.joints[at(match_.joint_back[j])].loop)) continue;
            std::string why = match_.announced(Quantity::loop, "loop", {two.name});
            // A loop that is closed by several parts carries the name of the joint it was made of as a prefix.
            for (const sf::Joint& from : a_.tree.joints)
                if (why.empty() && from.loop && two.name.starts_with(from.name))
                    why = match_.announced(Quantity::loop, "loop", {from.name});
            only(Quantity::loop, {fmt::format("loop joint '{}'", two.name), {}}, "loop", false,
                 std::string(to_string(two.kind)), two.place, why);
        }
    }

    // -- shapes

    void shapes(bool collider)
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
            return one.link >= 0 ? inverse(bases(at(one.link), pose_a_, pose_b_).first) * pose_a_[at(one.link)]
                                 : Posed{};
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
            const Item       item = item_of(one, a_.tree, collider);
            const Extent &   x = a.at(s), &y = b.at(t);
            if (wanted(q)) extents(q, item, one, two, x, y);
            if (!collider) continue;
            // Friction 1 and restitution 0 stand for a shape without a material of its own.
            const sf::Contact free{1, 1, 0, {}, {}};  // what a simulation takes where nothing is said
            const sf::Contact c = one.contact.value_or(free), d = two.contact.value_or(free);
            number(Quantity::contact, item, "static friction", c.static_friction, d.static_friction, "", one.place,
                   two.place);
            number(Quantity::contact, item, "friction", c.dynamic_friction, d.dynamic_friction, "", one.place,
                   two.place);
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

    /// Puts the parts of meshes in the place of meshes that have no like partner.
    template <class Seen>
    bool cut(const sf::RobotTree& tree, Extents& own, const Extents& other, const ShapePairs& pairs, bool first,
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

    static Item item_of(const sf::Shape& s, const sf::RobotTree& tree, bool collider)
    {
        Item out{fmt::format("{} '{}'", collider ? "collider" : "visual", s.name), {s.name}};
        if (s.link >= 0) out.text += fmt::format(" of link '{}'", tree.links[at(s.link)].name);
        return out;
    }

    void extents(Quantity q, const Item& item, const sf::Shape& one, const sf::Shape& two, const Extent& x,
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
        const auto box = [](const Extent& e) { return fmt::format("{} to {}", text(e.lower, ""), text(e.upper, "m")); };
        if (!(off <= may))
            return differ(q, item.text, "bounds",
                          Side{fmt::format("{} {}", to_string(one.kind), box(x)), site_of(one.place)},
                          Side{fmt::format("{} {}", to_string(two.kind), box(y)), site_of(two.place)}, off, may, {},
                          why("bounds"));
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
                   Side{text(w, q == Quantity::collider ? "m^3" : "m^2"), site_of(two.place)}, std::abs(v - w),
                   rel * most,
                   round ? fmt::format("{} and {}", to_string(one.kind), to_string(two.kind)) : note_of(v, w),
                   why(q == Quantity::collider ? "volume" : "area"));
    }

    /// Planes without end by what they touch: which way they look, and how far from the root.
    void planes(Quantity q, const Item& item, const sf::Shape& one, const sf::Shape& two, const Extent& x,
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

    void scene()
    {
        const Vec3d earth{0, 0, -9.81};
        const auto  gravity = [&](const sf::RobotTree& t) {
            return t.scene && t.scene->gravity ? *t.scene->gravity : earth;
        };
        const auto  place = [](const sf::RobotTree& t) { return t.scene ? t.scene->place : t.place; };
        const Vec3d x = gravity(a_.tree), y = gravity(b_.tree);
        out_.count(Quantity::scene);
        // The standard's default magnitude is 9.81; MuJoCo's too.
        if (const double off = length(x - y), may = allowed(Quantity::scene, length(x)); !(off <= may))
            differ(Quantity::scene, "scene", "gravity", Side{text(x, "m/s^2"), site_of(place(a_.tree))},
                   Side{text(y, "m/s^2"), site_of(place(b_.tree))}, off, may, {},
                   match_.announced(Quantity::scene, "gravity", {"gravity", "scene"}));
    }

    // -- motion

    /// A state drawn by chance within the limits, in both robots; what only one has stays at zero.
    /// Both robots get the same motion, so the drawn values are the coordinates of A and follow into those of B. Axes
    /// without a limit are drawn within half a turn or a metre either way; a range wider than 20 is cut to +-10, since
    /// far values add only rounding.
    void draw(Random& random, RobotState& x, RobotState& y) const
    {
        for (std::size_t j = 0; j < a_.tree.joints.size(); ++j) {
            const sf::Joint& one = a_.tree.joints[j];
            if (one.loop) continue;
            if (one.kind == sf::Joint::Kind::ball) {
                const Quatd turn = normalized(random.rotation());
                const int   k    = match_.joint[j];
                if (k < 0 || b_.tree.joints[at(k)].kind != sf::Joint::Kind::ball) continue;
                // The same turn in the axes of the other joint's frame, which need not be those of this one.
                const sf::Joint& two  = b_.tree.joints[at(k)];
                const auto [R_a, R_b] = bases(at(one.child), pose_a_, pose_b_);
                const Quatd from      = (inverse(R_a) * pose_a_[at(one.child)] * one.X_CJ).q,
                            to        = (inverse(R_b) * pose_b_[at(two.child)] * two.X_CJ).q;
                const Quatd same      = match_.same_sense(j) ? turn : conjugate(turn);
                x[j].turn             = turn;
                // A ball's coordinate is a rotation in the axes of its joint frame. Conjugation by the rotation between
                // the two frames gives the same physical turn; a joint that runs the other way has the inverse one.
                y[at(k)].turn = normalized(conjugate(to) * from * same * conjugate(from) * to);
                continue;
            }
            for (std::size_t d = 0; d < one.dofs.size(); ++d) {
                const sf::Dof& dof  = one.dofs[d];
                const double   far  = dof.angular ? std::numbers::pi : 1;
                double         low  = std::isfinite(dof.lower) ? dof.lower : -far,
                               high = std::isfinite(dof.upper) ? dof.upper : far;
                if (low > high) low = high = 0;
                if (high - low > 20) low = std::max(low, -10.0), high = std::min(high, 10.0);
                const double value = random.uniform(low, high);
                const DofRef ref   = match_.dof[j][d];
                if (!ref || is_locked(dof) || is_locked(b_.tree.joints[at(ref.joint)].dofs[at(ref.dof)])) continue;
                x[j].q[d] = value, y[at(ref.joint)].q[at(ref.dof)] = value;
            }
        }
        a_.follow(x), b_.follow(y);
    }

    // The frames at zero are compared above. Here random states show what zero hides: axes of a chain in another order,
    // a follower with another law, a joint about a point that happened not to matter.
    void kinematics()
    {
        if (!wanted(Quantity::kinematics)) return;
        Random            random(options_.seed);
        const double      may = allowed(Quantity::kinematics, size_);
        std::vector<bool> told(a_.tree.links.size(), false);
        // What is apart at zero already has been told; here is told what moves otherwise.
        std::vector<Posed> shift(a_.tree.links.size());
        for (std::size_t l = 0; l < shift.size(); ++l)
            if (const int other = match_.link[l]; other >= 0) {
                const auto [R_a, R_b] = bases(l, pose_a_, pose_b_);
                // The constant pose between the two frames of one link, taken at the zero state. With it a robot that
                // differs only in its link frames passes, and a difference is told once and not in each state.
                shift[l] = inverse(inverse(R_b) * pose_b_[at(other)]) * (inverse(R_a) * pose_a_[l]);
            }
        // What holds a link is looked at before the link.
        std::vector<std::size_t> order;
        for (std::size_t l = 0; l < a_.tree.links.size(); ++l)
            if (a_.above[l] < 0) order.push_back(l);
        for (const sf::Joint& j : a_.tree.joints)
            if (!j.loop && j.child >= 0) order.push_back(at(j.child));
        for (int n = 0; n < options_.states; ++n) {
            RobotState x = a_.zero(), y = b_.zero();
            draw(random, x, y);
            const auto at_a = a_.poses(x), at_b = b_.poses(y);
            for (const std::size_t l : order) {
                // A wrong link moves everything that hangs on it, by links that only this robot has, too. Only the
                // first one of a branch is told.
                const int joint = a_.above[l], holder = joint >= 0 ? a_.tree.joints[at(joint)].parent : -1;
                told[l]         = told[l] || (holder >= 0 && told[at(holder)]);
                const int other = match_.link[l];
                if (other < 0) continue;
                out_.count(Quantity::kinematics);
                if (told[l]) continue;
                const auto [R_a, R_b] = bases(l, at_a, at_b);
                const Posed P = inverse(R_a) * at_a[l], Q = inverse(R_b) * at_b[at(other)] * shift[l];
                if (length(P.p - Q.p) <= may && angle_of(conjugate(P.q) * Q.q) <= may) continue;
                told[l]         = true;
                const int  held = a_.above[l];
                const Item item{fmt::format("link '{}'", a_.tree.links[l].name),
                                {a_.tree.links[l].name, held >= 0 ? a_.tree.joints[at(held)].name : std::string()}};
                Item       all = item;
                if (held >= 0)
                    for (const sf::Dof& d : a_.tree.joints[at(held)].dofs) all.names.push_back(d.name);
                if (all.names[1].empty()) all.names.erase(all.names.begin() + 1);
                pose(Quantity::kinematics, all, P, Q,
                     held >= 0 ? a_.tree.joints[at(held)].place : a_.tree.links[l].place,
                     b_.above[at(other)] >= 0 ? b_.tree.joints[at(b_.above[at(other)])].place
                                              : b_.tree.links[at(other)].place,
                     may, fmt::format(", state {} of {}", n + 1, options_.states));
            }
        }
    }
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

void Comparison::sort()
{
    // Stable: within a quantity the order is that of A's links and joints, which makes reports of two runs comparable.
    std::stable_sort(differences.begin(), differences.end(),
                     [](const Difference& x, const Difference& y) { return x.quantity < y.quantity; });
}

Result<Robot> open_robot(const std::string& file, const sf::ReadOptions& read, const usd::OpenOptions& open)
{
    if (sf::is_source_format(file)) {
        auto robot = sf::read_robot(file, read);
        if (!robot) return robot.error();
        return Robot{file, std::move(robot->tree), std::move(robot->found)};
    }
    const auto stage = usd::Stage::open(file, open);
    if (!stage) return stage.error();
    auto robot = exporter::robot_of_stage(**stage);
    if (!robot) return robot.error();
    Robot out{file, std::move(robot->tree), (*stage)->diagnostics()};
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

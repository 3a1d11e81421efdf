// What is compared to be sure that a repair changed nothing: where things are (Whereabouts), and what composes
// (Composition).
// Whereabouts holds world matrices of geometry, bodies and frames of joints; a turn or scale of the whole world that a
// repair declares is taken into account. Tolerances are those of single precision, relative to the size of the world.
// Composition holds every field of the flattened stage as text, in a map, so that order does not matter.
// Called by Fixer.

#include "conformance/fixes/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "conformance/bounds.h"
#include "conformance/fixes/placement.h"
#include "mechane/core/sha256.h"
#include "mechane/usd/flatten.h"

namespace mechane::conformance {
namespace {

std::string side_of(const std::string& joint, int side) { return fmt::format("{} (side {})", joint, side); }

bool is_half_turn(const Quatd& q) { return std::abs(q.w) <= 1e-4; }

/// Operations of the prim that change over time.
std::vector<usd::Attribute> moving_ops(const usd::Prim& prim)
{
    std::vector<usd::Attribute> found;
    for (const usd::Token& name : prim.authored_property_names())
        if (name.text().starts_with("xformOp:") && prim.attribute(name).varying())
            found.push_back(prim.attribute(name));
    return found;
}

/// The prim in its parent at the start: where samples stand without a default, whoever simulates it reads the first of
/// them.
usd::Matrix4d start_in_parent(const usd::Stage& stage, const usd::Prim& prim)
{
    std::optional<double> first;
    bool                  sampled = false;
    for (const usd::Token& name : prim.authored_property_names()) {
        if (!name.text().starts_with("xformOp:")) continue;
        const usd::Attribute      op    = prim.attribute(name);
        const std::vector<double> times = op.time_samples();
        if (times.empty()) continue;
        first = std::min(first.value_or(times.front()), times.front());
        sampled |= op.authored_value().empty();
    }
    return stage.local_matrix(prim, sampled && first ? usd::TimeCode(*first) : usd::TimeCode());
}

/// Where each prim is in the world at the start.
std::vector<usd::Matrix4d> start_places(const Facts& facts)
{
    std::vector<usd::Matrix4d> world(facts.prims.size());
    for (std::size_t i = 0; i < facts.prims.size(); ++i) {  // parents come first
        const PrimFacts& prim = facts.prims[i];
        if (prim.is(kXformable)) world[i] = start_in_parent(facts.stage, prim.prim);
        if (prim.parent >= 0 && !stands_alone(facts.stage, prim.prim))
            world[i] = world[i] * world[static_cast<std::size_t>(prim.parent)];
    }
    return world;
}

constexpr std::string_view kMoment = " at ";  // no path has blanks
constexpr std::size_t      kCopies = 16;      // of each instancer that are compared

}  // namespace

Whereabouts::Whereabouts(const Facts& facts, const std::optional<std::vector<double>>& moments)
{
    constexpr std::size_t kMoments = 8;
    const double          rate     = facts.stage.metadata().time_codes_per_second;
    std::vector<bool>     moves(facts.prims.size());  // itself, or what is above it
    std::set<double>      times;
    for (std::size_t i = 0; i < facts.prims.size(); ++i) {
        const PrimFacts& prim = facts.prims[i];
        const auto       ops  = prim.is(kXformable) ? moving_ops(prim.prim) : std::vector<usd::Attribute>();
        moves[i]              = !ops.empty() || (prim.parent >= 0 && moves[static_cast<std::size_t>(prim.parent)]);
        if (!moments)
            for (const usd::Attribute& op : ops)
                for (const double time : op.time_samples()) times.insert(time / rate);
    }
    if (moments) {
        moments_ = *moments;
    } else {
        const std::vector<double> all(times.begin(), times.end());
        for (std::size_t k = 0; k < std::min(kMoments, all.size()); ++k)
            moments_.push_back(all[all.size() <= kMoments ? k : k * (all.size() - 1) / (kMoments - 1)]);
    }
    for (std::size_t i = 0; i < facts.prims.size(); ++i) {
        const PrimFacts& prim = facts.prims[i];
        if (!moves[i] || !prim.is(kGprim | kBody) || !prim.is(kXformable)) continue;
        for (const double moment : moments_)
            places_[fmt::format("{}{}{:.9g} s", prim.prim.path().text(), kMoment, moment)] = {
                place_of(facts.stage, prim.prim, moment * rate), !prim.is(kGprim)};
    }
    const std::vector<usd::Matrix4d> starts = start_places(facts);
    for (std::size_t i = 0; i < facts.prims.size(); ++i)
        if (const PrimFacts& prim = facts.prims[i]; prim.is(kGprim | kBody) && prim.is(kXformable))
            places_[prim.prim.path().text()] = {starts[i], !prim.is(kGprim)};
    // Copies have no prims of their own: some of the items stand for all.
    for (const PrimFacts& prim : facts.prims) {
        if (!prim.is(kPointInstancer) || !prim.is(kXformable)) continue;
        const auto positions =
            prim.prim.attribute("positions").get<std::vector<Vec3d>>().value_or(std::vector<Vec3d>{});
        const auto items  = prim.prim.attribute("protoIndices").get<std::vector<int>>().value_or(std::vector<int>{});
        const auto copied = prim.prim.relationship("prototypes").targets();
        for (std::size_t i = 0; i < std::min(kCopies, positions.size()); ++i) {
            // A copy takes the operations of what it is a copy of.
            const auto          which     = i < items.size() ? static_cast<std::size_t>(items[i]) : copied.size();
            const usd::Prim     prototype = which < copied.size() ? facts.stage.prim_at(copied[which]) : usd::Prim();
            const usd::Matrix4d own       = prototype ? facts.stage.local_matrix(prototype) : usd::Matrix4d();
            places_[fmt::format("{} copy {}", prim.prim.path().text(), i)] = {
                own * usd::from_pose({positions[i], {0, 0, 0, 1}}) * place_of(facts.stage, prim.prim), true};
        }
    }
    for (const physics::Joint& joint : joints_of(facts))
        for (int side = 0; side < 2; ++side)
            if (const auto frame = joint_frame(facts.stage, joint, side))
                places_[side_of(joint.path.text(), side)] = {*frame, true};
}

std::string Whereabouts::moved_since(const Whereabouts& before, const usd::Matrix4d& turned, double stretched,
                                     const std::set<std::string>&                reversed,
                                     const std::map<std::string, usd::Matrix4d>& baked) const
{
    std::map<std::string, std::string> other_side;
    for (const std::string& joint : reversed)
        for (int side = 0; side < 2; ++side) other_side.emplace(side_of(joint, side), side_of(joint, 1 - side));
    double size = 1e-9;
    for (const auto& [name, place] : places_)
        for (int c = 0; c < 3; ++c) size = std::max(size, std::abs(place.world(3, c)));
    for (const auto& [name, place] : places_) {
        const auto swapped = other_side.find(name);
        const auto was     = before.places_.find(swapped == other_side.end() ? name : swapped->second);
        if (was == before.places_.end()) continue;
        usd::Matrix4d expected = was->second.world;
        if (const auto form = baked.find(name.substr(0, name.find(kMoment))); form != baked.end())
            if (const auto back = usd::inverse(form->second)) expected = *back * expected;
        for (int c = 0; c < 3; ++c) expected(3, c) *= stretched;
        expected            = expected * turned;
        usd::Matrix4d now   = place.world;
        const bool    rigid = place.rigid || was->second.rigid;
        if (rigid) {
            const usd::Decomposition a = usd::decompose(expected), b = usd::decompose(now);
            if (a.singular || b.singular) continue;
            expected = usd::from_pose({a.translation, a.rotation});
            now      = usd::from_pose({b.translation, b.rotation});
            if (swapped != other_side.end() && is_half_turn(conjugate(a.rotation) * b.rotation))
                now = usd::from_pose({b.translation, a.rotation});
        }
        double axes = 1e-9, off = 0, away = 0;
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) {
                axes = std::max(axes, std::abs(expected(r, c)));
                off  = std::max(off, std::abs(expected(r, c) - now(r, c)));
            }
        for (int c = 0; c < 3; ++c) away = std::max(away, std::abs(expected(3, c) - now(3, c)));
        if (!(off <= 1e-4 * axes) || !(away <= 1e-5 * size))
            return fmt::format("{} is elsewhere: {:.6g} away, axes differ by {:.3g}", name, away, off);
    }
    return {};
}

namespace {

/// The box about all geometry where it is at the start, in metres and with z up.
geometry::Aabbd box_of(const Facts& facts, double unsaid, char unsaid_up)
{
    geometry::Aabbd                  box;
    const std::vector<usd::Matrix4d> starts = start_places(facts);
    for (std::size_t i = 0; i < facts.prims.size(); ++i) {
        const PrimFacts& prim = facts.prims[i];
        // What an instancer copies is not drawn where it stands itself.
        if (!prim.is(kGprim) || facts.nearest(facts.index_of(prim), kPointInstancer) != nullptr) continue;
        const geometry::Aabbd one = bounds_at(starts[i], prim.prim);
        box.lower                 = min(box.lower, one.lower);
        box.upper                 = max(box.upper, one.upper);
    }
    if (is_empty(box)) return box;
    const double metres = facts.stage.root_metadata("metersPerUnit").get<double>().value_or(unsaid);
    const auto   up     = facts.stage.root_metadata("upAxis").get<std::string>().value_or(std::string(1, unsaid_up));
    const Vec3d  low = metres * box.lower, high = metres * box.upper;
    // A quarter turn about x brings y up to z.
    return up == "Y" ? geometry::Aabbd{{low.x, -high.z, low.y}, {high.x, -low.z, high.y}} : geometry::Aabbd{low, high};
}

/// Authored masses of bodies and colliders [kg], by prim.
std::map<std::string, double> masses_of(const Facts& facts)
{
    const double                  unit = facts.stage.root_metadata("kilogramsPerUnit").get<double>().value_or(1);
    std::map<std::string, double> out;
    for (const physics::Body& body : facts.physics.bodies)
        if (body.mass.has_mass()) out.emplace(body.path.text(), unit * body.mass.mass);
    for (const physics::Collider& collider : facts.physics.colliders)
        if (collider.mass.has_mass()) out.emplace(collider.path.text(), unit * collider.mass.mass);
    return out;
}

}  // namespace

std::string resized(const usd::Stage& before, const usd::Stage& after, double unsaid, char unsaid_up)
{
    constexpr double kSame = 1e-4;  // relative; values are authored in single precision
    const Facts      was_facts(before), is_facts(after);
    const auto       masses = masses_of(was_facts);
    for (const auto& [prim, mass] : masses_of(is_facts))
        if (const auto known = masses.find(prim);
            known != masses.end() && std::abs(mass - known->second) > kSame * known->second)
            return fmt::format("{} would weigh {:.6g} kg, and weighs {:.6g} kg", prim, mass, known->second);
    const geometry::Aabbd was = box_of(was_facts, unsaid, unsaid_up),
                          is  = box_of(is_facts, unsaid, 'Z');
    if (is_empty(was) || is_empty(is)) return {};
    const double size = std::max(length(was.upper - was.lower), length(was.upper)) + length(was.lower);
    if (length(is.lower - was.lower) <= kSame * size && length(is.upper - was.upper) <= kSame * size) return {};
    const auto told = [](const geometry::Aabbd& box) {
        return fmt::format("({:.6g}, {:.6g}, {:.6g}) to ({:.6g}, {:.6g}, {:.6g}) m", box.lower.x, box.lower.y,
                           box.lower.z, box.upper.x, box.upper.y, box.upper.z);
    };
    return fmt::format("it would reach from {}, and reaches from {}", told(is), told(was));
}

Composition::Composition(const usd::Stage& stage)
{
    constexpr std::size_t kLong = 4096;  // longer texts are compared by their hash
    const usd::Layer      all   = usd::flatten(stage);
    const auto            tell  = [&](const usd::Path& path, const std::string& field, std::string text) {
        if (text.size() > kLong) {
            Sha256 digest;
            digest.update(text);
            text = digest.finish();
        }
        fields_.emplace(path.text() + " " + field, std::move(text));
    };
    const auto read = [&](const usd::Path& path) {
        for (const usd::Token& key : all.fields(path)) {
            const std::string& name = key.text();
            if (name == "apiSchemas" || name == "primOrder" || name == "propertyOrder" || name == "timeSamples")
                continue;
            tell(path, name, all.field(path, key).to_text());
        }
        if (path.is_property()) {
            std::string samples;
            for (const auto& [time, value] : all.samples(path))
                samples += fmt::format("{}: {}; ", time, value.to_text());
            if (!samples.empty()) tell(path, "timeSamples", std::move(samples));
            return;
        }
        std::vector<usd::Token> apis = all.apis(path);
        std::sort(apis.begin(), apis.end());
        for (const usd::Token& api : apis) tell(path, "apiSchemas " + api.text(), "");
    };
    for (const usd::Path& path : all.specs()) read(path);
}

std::string Composition::differs_from(const Composition& other) const
{
    for (const auto& [name, text] : fields_)
        if (const auto found = other.fields_.find(name); found == other.fields_.end() || found->second != text)
            return name;
    for (const auto& [name, text] : other.fields_)
        if (fields_.count(name) == 0) return name;
    return {};
}

}  // namespace mechane::conformance

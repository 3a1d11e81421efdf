// What two stages animate, compared at 64 times from the first second to the last key of either. Of each thing only the
// largest difference is told, with its time. Values that are merely different from the start on belong to
// difference/scenes.

#include "mechane/difference/animations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "difference/announcements.h"
#include "difference/pairing.h"
#include "difference/upright.h"
#include "difference/values.h"
#include "mechane/difference/rollout.h"
#include "mechane/model/state.h"
#include "mechane/usd/key_times.h"

namespace mechane::difference {
namespace {

constexpr int kTimes = 64;

/// When the last key of anything stands [s].
double last_key(const run::Scene& scene)
{
    const usd::StageMetadata& meta = scene.stage->metadata();
    double                    last = meta.end_time_code;
    // Any prim may carry a body along, so all that is sampled counts.
    for (const usd::Prim& prim : scene.stage->traverse())
        for (const usd::Token& name : prim.authored_property_names())
            if (const usd::Attribute attribute = prim.attribute(name); attribute && attribute.varying())
                if (const auto times = usd::key_times(attribute); !times.empty()) last = std::max(last, times.back());
    return std::max(0.0, (last - meta.start_time_code) / meta.time_codes_per_second);
}

/// A scene that follows its stage: what it commands at a time.
class Player {
  public:
    explicit Player(const run::Scene& scene)
        : follow_(run::follower(scene)),
          model_(scene.model),
          state_(model::make_state(model_)),
          control_(model::make_control(model_)),
          up_(upright(model_))
    {
    }

    void play(double seconds)
    {
        control_ = model::make_control(model_);
        if (follow_) static_cast<void>(follow_(seconds, seconds, state_, model_, control_));
    }
    /// Where a body is told to be; where it starts when nothing tells it.
    [[nodiscard]] Posed pose(std::size_t body) const
    {
        const bool  told = body < control_.body_target_q.size() && std::isfinite(control_.body_target_q[body].p.x);
        const Pose& X    = told ? control_.body_target_q[body] : model_.body_q[body];
        return Posed{{}, up_} * static_cast<Posed>(X);
    }
    [[nodiscard]] Vec3d gravity() const
    { return model_.gravity.empty() ? Vec3d{} : rotate(up_, static_cast<Vec3d>(model_.gravity.front())); }
    [[nodiscard]] bool moves() const { return static_cast<bool>(follow_); }
    [[nodiscard]] bool is_kinematic(std::size_t body) const
    { return (model_.body_flags[body] & model::body_flag::kinematic) != 0; }
    /// What a drive is told of the coordinate `c` of a joint, and of its rate.
    [[nodiscard]] double target(std::size_t joint, std::size_t c) const
    { return static_cast<double>(control_.joint_target_q[at(model_.joint_q_start[joint]) + c]); }
    [[nodiscard]] double target_rate(std::size_t joint, std::size_t c) const
    { return static_cast<double>(control_.joint_target_qd[at(model_.joint_qd_start[joint]) + c]); }

    [[nodiscard]] double mass(std::size_t body) const { return static_cast<double>(model_.body_mass[body]); }
    /// A value of an axis that samples may change.
    [[nodiscard]] double of_axis(std::vector<Real> model::Model::* list, std::size_t joint, std::size_t c) const
    { return static_cast<double>((model_.*list)[at(model_.joint_qd_start[joint]) + c]); }

  private:
    run::Follow    follow_;
    model::Model   model_;
    model::State   state_;
    model::Control control_;
    Quatd          up_;
};

/// The largest difference of one thing over time.
struct Worst {
    double      amount = 0, tolerance = 0, share = 1, time = 0;
    bool        animated = false;  ///< a value that stands still is compared elsewhere, whatever else is animated
    std::string x, y;

    void change(double by, double may) { animated = animated || by > may; }
    void see(double off, double may, double when, auto&& say)
    {
        if (!(off > may * share)) return;
        share = may > 0 ? off / may : off, amount = off, tolerance = may, time = when;
        std::tie(x, y) = say();
    }
};

/// Values of an axis that samples may change, beside the targets of its drive.
struct AxisValue {
    const char*       field;
    std::vector<Real> model::Model::* list;
};
const AxisValue kAxisValues[] = {{"lower limit", &model::Model::joint_limit_lower},
                                 {"upper limit", &model::Model::joint_limit_upper},
                                 {"stiffness", &model::Model::joint_target_ke},
                                 {"drive damping", &model::Model::joint_target_kd},
                                 {"largest force", &model::Model::joint_effort_limit}};

}  // namespace

void compare_animations(Comparison& out, const run::Scene& a, const run::Scene& b, const CompareOptions& options)
{
    Player one(a), two(b);
    if (!one.moves() && !two.moves()) return;
    const Motion in_a = motion_of(a, {}), in_b = motion_of(b, {});
    const auto   names = [](const auto& list) {
        std::vector<std::string> all;
        for (const auto& item : list) all.push_back(item.name);
        return all;
    };
    const auto bodies = pair_by_name(names(in_a.bodies), names(in_b.bodies), options.losses);
    const auto joints = pair_by_name(names(in_a.joints), names(in_b.joints), options.losses);
    // Samples are authored in single precision, and what lies between them is interpolated in each stage's own codes.
    constexpr double                                     kPlace = 1e-4, kAngle = 2e-3;
    const double                                         end = std::max(last_key(a), last_key(b));
    std::map<std::size_t, Worst>                         places, turns;    // by pair of bodies
    std::map<std::pair<std::size_t, std::size_t>, Worst> targets, speeds;  // by pair of joints, coordinate
    Worst                                                gravity;
    std::map<std::size_t, Worst>                         masses;  // by pair of bodies
    std::map<std::pair<std::size_t, std::size_t>, Worst> axes[std::size(kAxisValues)];
    // What stands still is compared elsewhere, and so is what the values of the models are at the start.
    Player start_one(a), start_two(b);
    start_one.play(0), start_two.play(0);
    for (int k = 0; k <= kTimes; ++k) {
        const double t = end * k / kTimes;
        one.play(t), two.play(t);
        for (std::size_t p = 0; p < bodies.size(); ++p) {
            const auto [i, j] = bodies[p];
            const double m = one.mass(i) - start_one.mass(i), n = two.mass(j) - start_two.mass(j);
            const double heavy = options.scale * kPlace * std::max(one.mass(i), two.mass(j));
            masses[p].change(std::max(std::abs(m), std::abs(n)), heavy);
            masses[p].see(std::abs(m - n), heavy, t, [&] {
                return std::pair(fmt::format("{:.6g} kg more", m), fmt::format("{:.6g} kg more", n));
            });
            if (!one.is_kinematic(i) || !two.is_kinematic(j)) continue;
            const Posed X = one.pose(i), Y = two.pose(j);
            const Posed from_x = start_one.pose(i), from_y = start_two.pose(j);
            const auto  turned = [](const Posed& u, const Posed& v) {
                return 2 * std::asin(std::min(1.0, length((conjugate(u.q) * v.q).xyz())));
            };
            const double size = std::max({1e-3, length(X.p), length(Y.p)});
            places[p].change(std::max(length(X.p - from_x.p), length(Y.p - from_y.p)), options.scale * kPlace * size);
            turns[p].change(std::max(turned(from_x, X), turned(from_y, Y)), options.scale * kAngle);
            places[p].see(length(X.p - Y.p), options.scale * kPlace * size, t,
                          [&] { return std::pair(text(X.p, "m"), text(Y.p, "m")); });
            const double angle = turned(X, Y);
            turns[p].see(angle, options.scale * kAngle, t, [&] {
                return std::pair(std::string("as the first says"),
                                 fmt::format("{:.4g} degrees from there", angle / kDegrees));
            });
        }
        for (std::size_t p = 0; p < joints.size(); ++p) {
            const auto [i, j] = joints[p];
            const auto &x = in_a.joints[i], &y = in_b.joints[j];
            if (x.turns.empty() || x.turns != y.turns) continue;
            for (std::size_t c = 0; c < x.turns.size(); ++c) {
                const auto see = [&](Worst& worst, double u, double v, double from_u, double from_v, const char* unit) {
                    const double may = options.scale * (1e-5 + kPlace * std::max(std::abs(u), std::abs(v)));
                    worst.change(std::max(std::abs(u - from_u), std::abs(v - from_v)), may);
                    worst.see(std::abs(u - v), may, t, [&] {
                        return std::pair(fmt::format("{:.6g} {}", u, unit), fmt::format("{:.6g} {}", v, unit));
                    });
                };
                for (std::size_t v = 0; v < std::size(kAxisValues); ++v) {
                    const auto   list = kAxisValues[v].list;
                    const double u    = one.of_axis(list, i, c) - start_one.of_axis(list, i, c),
                                 w    = two.of_axis(list, j, c) - start_two.of_axis(list, j, c);
                    if (std::isfinite(u - w)) see(axes[v][{p, c}], u, w, 0, 0, "more than at the start");
                }
                see(targets[{p, c}], one.target(i, c), two.target(j, c), start_one.target(i, c), start_two.target(j, c),
                    x.turns[c] ? "rad" : "m");
                see(speeds[{p, c}], one.target_rate(i, c), two.target_rate(j, c), start_one.target_rate(i, c),
                    start_two.target_rate(j, c), x.turns[c] ? "rad/s" : "m/s");
            }
        }
        const double pull = options.scale * kPlace * std::max(1.0, length(one.gravity()));
        gravity.change(length(one.gravity() - start_one.gravity()), pull);
        gravity.change(length(two.gravity() - start_two.gravity()), pull);
        gravity.see(length(one.gravity() - two.gravity()), pull, t,
                    [&] { return std::pair(text(one.gravity(), "m/s^2"), text(two.gravity(), "m/s^2")); });
    }
    const auto tell = [&](Quantity q, const std::string& name, const char* kind, const char* field, const Worst& w,
                          const Site& x, const Site& y) {
        const std::string item = name.empty() ? std::string(kind) : fmt::format("{} '{}'", kind, name);
        out.count(q);
        if (w.animated && w.amount > 0)
            out.add({q,
                     item,
                     fmt::format("animated {} at {:.4g} s", field, w.time),
                     Side{w.x, x},
                     Side{w.y, y},
                     w.amount,
                     w.tolerance,
                     {},
                     announced_by_name(options.losses, q, fmt::format("animated {}", field), {name})});
    };
    for (const auto& [p, worst] : places)
        tell(Quantity::state, in_a.bodies[bodies[p].first].name, "link", "position", worst,
             in_a.bodies[bodies[p].first].site, in_b.bodies[bodies[p].second].site);
    for (const auto& [p, worst] : turns)
        tell(Quantity::state, in_a.bodies[bodies[p].first].name, "link", "orientation", worst,
             in_a.bodies[bodies[p].first].site, in_b.bodies[bodies[p].second].site);
    const auto joint = [&](const auto& list, const char* field) {
        for (const auto& [key, worst] : list)
            tell(Quantity::state, in_a.joints[joints[key.first].first].name, "joint", field, worst,
                 in_a.joints[joints[key.first].first].site, in_b.joints[joints[key.first].second].site);
    };
    joint(targets, "target");
    joint(speeds, "target speed");
    for (std::size_t v = 0; v < std::size(kAxisValues); ++v) joint(axes[v], kAxisValues[v].field);
    for (const auto& [p, worst] : masses)
        tell(Quantity::state, in_a.bodies[bodies[p].first].name, "link", "mass", worst,
             in_a.bodies[bodies[p].first].site, in_b.bodies[bodies[p].second].site);
    tell(Quantity::scene, {}, "scene", "gravity", gravity, {}, {});
    out.sort();
    if (!options.only.empty()) out.keep(options.only);
}

}  // namespace mechane::difference

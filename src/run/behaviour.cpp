// The behaviour checks of `mechane check --behaviour`: runs of a stage that ask whether it settles, holds, keeps its
// limits, follows, and starts clear. Each rule says its bounds itself (kRules); code below uses the same numbers.
// Input: a stage file. Output: one Behaviour a rule with verdict, message, prim and the recording of its run. All runs
// have 60 steps a second and one world.

#include "mechane/run/behaviour.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mechane/collision/pipeline.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/model/joint_table.h"
#include "mechane/simulation/simulate.h"

namespace mechane::run {
namespace {

constexpr std::array kRules{
    BehaviourRule{
        "BEH-drop", "drop", "Does it come to rest on a ground?",
        "Jitter, deep penetration or flying off comes from impossible masses, colliders or drives.",
        "The stage, freed from the world, falls 5 cm onto a plane and has 10 s. Velocity drives are told "
        "to stand still. It fails when a body is still faster than 2 cm/s or 0.1 rad/s in the last half second, or "
        "lies more than 1 mm in the ground."},
    BehaviourRule{"BEH-hold", "hold", "Do its drives hold it where they are told?",
                  "Gains that were meant for another unit let it sag, or do nothing.",
                  "The stage as it is, for 3 s. It fails when a driven joint ends more than 5 degrees or 1 cm from its "
                  "target."},
    BehaviourRule{
        "BEH-limits", "limits", "Do its joint limits hold under gravity?",
        "A joint that passes its limits moves in a way that the real one cannot.",
        "The stage without drive gains, for 3 s. It fails when a joint is more than 1 degree or 1 mm beyond a "
        "limit, and farther than it started."},
    BehaviourRule{
        "BEH-mimic", "mimic", "Do mimic joints follow?", "A finger that lags behind its partner drops what it holds.",
        "The same run as BEH-limits. It fails when a follower is more than 0.1 degrees or 0.1 mm from where its "
        "leader puts it."},
    BehaviourRule{"BEH-overlap", "overlap", "Are its parts clear of each other in the start pose?",
                  "Parts that start inside each other are pushed apart, or are kept from colliding where they should.",
                  "The start pose. It fails when two parts that may collide overlap by more than 0.1 mm."}};

const BehaviourRule& rule_named(std::string_view name)
{
    return *std::find_if(kRules.begin(), kRules.end(), [&](const BehaviourRule& rule) { return rule.name == name; });
}

/// A coordinate of a joint with one axis for it.
struct Coordinate {
    std::size_t joint, q, dof;
    bool        angular;

    /// In degrees or millimetres, for messages.
    [[nodiscard]] std::string text(double value) const
    { return angular ? fmt::format("{:.2g}°", value / kDegrees) : fmt::format("{:.2g} mm", value * 1000); }
};

std::vector<Coordinate> coordinates(const model::Model& m)
{
    std::vector<Coordinate> out;
    for (std::size_t j = 0; j < m.joint_count(); ++j) {
        const model::JointTypeInfo& info = model::joint_type_info(m.joint_type[j]);
        if (info.free_like || info.quaternion || m.joint_enabled[j] == 0) continue;
        const auto q      = static_cast<std::size_t>(m.joint_q_start[j]),
                   dof    = static_cast<std::size_t>(m.joint_qd_start[j]);
        const auto linear = static_cast<std::size_t>(m.joint_dof_dim[j][0]),
                   all    = linear + static_cast<std::size_t>(m.joint_dof_dim[j][1]);
        for (std::size_t i = 0; i < all; ++i) out.push_back({j, q + i, dof + i, i >= linear});
    }
    return out;
}

/// Entries as double: differences are compared with small bounds.
double at(const std::vector<Real>& values, std::size_t i) { return static_cast<double>(values[i]); }

/// The model encodes "no limit" as a very large number.
bool has_limit(const model::Model& m, std::size_t dof)
{ return at(m.joint_limit_lower, dof) > -model::kMaxValue || at(m.joint_limit_upper, dof) < model::kMaxValue; }

/// The worst of several coordinates, each against its own bound.
struct Worst {
    // Angles and lengths are compared by their share of the bound.
    const Coordinate* where = nullptr;
    double            value = 0, share = 0;  ///< share of the bound

    void consider(const Coordinate& c, double error, double angular_bound, double linear_bound)
    {
        const double part = error / (c.angular ? angular_bound : linear_bound);
        // Not-a-number is never worse; the divergence of such a run is told otherwise.
        if (where != nullptr && !(part > share)) return;
        where = &c;
        value = error;
        share = part;
    }
};

Result<record::Recording> run(const model::Model& model, double seconds, int threads, bool& diverged,
                              Diagnostics& found)
{
    SimulateOptions options;
    options.frames  = static_cast<std::int64_t>(seconds * 60);
    options.threads = threads;
    auto result     = simulate(model, options, found);
    if (!result) return result.error();
    diverged = result->diverged;
    return std::move(result->recording);
}

class Judge {
  public:
    Judge(const std::string& file, SceneOptions options, int threads, Diagnostics& found)
        : file_(file), options_(std::move(options)), threads_(threads), found_(found)
    {
        // Options of the caller that would change what is asked.
        options_.ground = false;
        options_.worlds = 1;
        options_.hold.reset();
    }

    Result<std::vector<Behaviour>> judge()
    {
        auto scene = load_scene(file_, options_, found_);
        if (!scene) return scene.error();
        for (const auto step : {&Judge::drop, &Judge::hold, &Judge::limits, &Judge::overlap})
            if (const auto done = (this->*step)(*scene); !done) return done.error();
        return std::move(out_);
    }

  private:
    const std::string&     file_;
    SceneOptions           options_;
    int                    threads_;
    Diagnostics&           found_;
    std::vector<Behaviour> out_;

    Behaviour& add(std::string_view name, Verdict verdict, std::string message, std::string path = {})
    {
        out_.push_back({&rule_named(name), verdict, std::move(message), std::move(path), {}, {}});
        return out_.back();
    }
    void add_run(std::string_view name, bool failed, std::string message, std::string path, const model::Model& model,
                 const record::Recording& recording)
    {
        Behaviour& b = add(name, failed ? Verdict::failed : Verdict::ok, std::move(message), std::move(path));
        b.model      = model;
        b.recording  = recording;
    }
    static std::string label(const model::Model& m, const Coordinate& c) { return m.joint_label[c.joint]; }

    Result<void> drop(const Scene& scene)
    {
        constexpr double kHeight = 0.05, kSlow = 0.02, kStill = 0.1, kDeep = 1e-3, kSeconds = 10;
        const auto       lowest = lowest_collider(scene.model);
        if (!lowest) return add("drop", Verdict::not_applicable, "nothing collides"), Result<void>();
        SceneOptions options = options_;
        // The importer leaves out joints to the world, so that a robot with a fixed base can fall.
        options.import.floating = true;
        options.ground          = true;
        options.ground_height   = *lowest - kHeight;
        Diagnostics quiet;  // the stage was reported already
        auto        free = load_scene(file_, options, quiet);
        if (!free) return free.error();
        // A wheel that is told to turn would never come to rest.
        std::fill(free->model.joint_target_qd.begin(), free->model.joint_target_qd.end(), Real(0));
        bool diverged  = false;
        auto recording = run(free->model, kSeconds, threads_, diverged, quiet);
        // A run that diverges is a result and not an error.
        if (!recording) return recording.error();
        // The last time that something moved, and what exceeds its bound most in the end.
        double      moved = 0, most = 1;
        std::string who, how;
        for (const record::Frame& frame : recording->frames)
            for (std::size_t b = 0; b < frame.body_qd.size(); ++b) {
                const double speed  = static_cast<double>(length(frame.body_qd[b].linear)),
                             spin   = static_cast<double>(length(frame.body_qd[b].angular));
                const double beyond = std::max(speed / kSlow, spin / kStill);
                if (!(beyond > 1)) continue;
                moved = frame.t;
                // The last half second decides; before that motion only counts for the time of settling.
                if (!(frame.t > kSeconds - 0.5) || !(beyond > most)) continue;
                most = beyond;
                who  = free->model.body_label[b];
                how  = speed / kSlow >= spin / kStill ? fmt::format("{:.2g} m/s", speed)
                                                      : fmt::format("{:.2g} rad/s", spin);
            }
        const double deep = recording->report.final_penetration;
        if (diverged)
            add_run("drop", true, "the simulation diverges", fastest(free->model, *recording), free->model, *recording);
        else if (!who.empty())
            add_run("drop", true, fmt::format("still moves after {} s, {}", kSeconds, how), who, free->model,
                    *recording);
        else
            add_run("drop", deep > kDeep, fmt::format("settles in {:.2f} s, rests {:.2g} mm deep", moved, deep * 1000),
                    deep > kDeep ? deepest_pair(free->model, recording->frames.back()) : "", free->model, *recording);
        return {};
    }

    /// The body that is fastest in the last frame with numbers in it; empty where none moves.
    static std::string fastest(const model::Model& m, const record::Recording& recording)
    {
        for (auto frame = recording.frames.rbegin(); frame != recording.frames.rend(); ++frame) {
            double      most = 0;
            std::string who;
            for (std::size_t b = 0; b < frame->body_qd.size(); ++b) {
                const double speed =
                    static_cast<double>(length(frame->body_qd[b].linear) + length(frame->body_qd[b].angular));
                if (!std::isfinite(speed)) break;
                if (speed > most) most = speed, who = m.body_label[b];
            }
            if (!who.empty()) return who;
        }
        return {};
    }

    /// The two parts that are deepest in each other in a frame.
    static std::string deepest_pair(const model::Model& m, const record::Frame& frame)
    {
        model::State state = model::make_state(m);
        if (frame.body_q.size() != state.body_q.size()) return {};
        state.body_q = frame.body_q;
        collision::CollisionPipeline pipeline(m, {});
        model::Contacts              contacts = pipeline.make_contacts();
        static_cast<void>(pipeline.collide(state, 0, contacts));
        return deepest_of(m, contacts, false).second;
    }

    /// How deep the deepest contact is [m] and between which parts.
    /// @param between_bodies  what touches the world is left out
    static std::pair<double, std::string> deepest_of(const model::Model& m, const model::Contacts& contacts,
                                                     bool between_bodies)
    {
        std::pair<double, std::string> out{0, {}};
        for (std::size_t i = 0; i < static_cast<std::size_t>(contacts.rigid_contact_count); ++i) {
            const auto s0 = static_cast<std::size_t>(contacts.rigid_contact_shape0[i]),
                       s1 = static_cast<std::size_t>(contacts.rigid_contact_shape1[i]);
            if (between_bodies && (m.shape_body[s0] < 0 || m.shape_body[s1] < 0)) continue;
            const double depth = -static_cast<double>(contacts.rigid_contact_distance[i]);
            if (depth > out.first) out = {depth, m.shape_label[s0] + ", " + m.shape_label[s1]};
        }
        return out;
    }

    Result<void> hold(const Scene& scene)
    {
        const model::Model& m    = scene.model;
        const auto          axes = coordinates(m);
        if (std::none_of(axes.begin(), axes.end(),
                         [&](const Coordinate& c) { return at(m.joint_target_ke, c.dof) > 0; }))
            return add("hold", Verdict::not_applicable, "no joint has a drive with a stiffness"), Result<void>();
        Diagnostics quiet;
        bool        diverged  = false;
        auto        recording = run(m, 3, threads_, diverged, quiet);
        if (!recording) return recording.error();
        if (diverged) return add_run("hold", true, "the simulation diverges", {}, m, *recording), Result<void>();
        const model::Control control = model::make_control(m);
        Worst                worst;
        for (const Coordinate& c : axes)
            if (at(m.joint_target_ke, c.dof) > 0)
                worst.consider(c, std::abs(at(recording->frames.back().joint_q, c.q) - at(control.joint_target_q, c.q)),
                               5 * kDegrees, 0.01);
        add_run("hold", worst.share > 1,
                fmt::format("worst joint error {} with authored gains", worst.where->text(worst.value)),
                label(m, *worst.where), m, *recording);
        return {};
    }

    /// Runs without drives: joint limits and mimic joints from one run.
    Result<void> limits(const Scene& scene)
    {
        model::ModelBuilder loose = scene.builder;
        for (model::BuilderJoint& joint : loose.joints)
            // Only the gains are taken out: passive damping and friction are the joint's own.
            for (auto* axes : {&joint.linear_axes, &joint.angular_axes})
                for (model::JointDofConfig& dof : *axes) dof.target_ke = dof.target_kd = 0;
        Diagnostics quiet;
        auto        model = loose.finalize({}, quiet);
        if (!model) return model.error();
        const auto axes = coordinates(*model);
        const bool limited =
            std::any_of(axes.begin(), axes.end(), [&](const Coordinate& c) { return has_limit(*model, c.dof); });
        const bool mimics = std::any_of(model->joint_mimic_joint.begin(), model->joint_mimic_joint.end(),
                                        [](std::int32_t leader) { return leader >= 0; });
        if (!limited) add("limits", Verdict::not_applicable, "no joint has a limit");
        if (!limited && !mimics)
            return add("mimic", Verdict::not_applicable, "no joint follows another"), Result<void>();
        bool diverged  = false;
        auto recording = run(*model, 3, threads_, diverged, quiet);
        if (!recording) return recording.error();
        if (limited) judge_limits(*model, axes, *recording, diverged);
        if (mimics)
            judge_mimics(*model, axes, *recording, diverged);
        else
            add("mimic", Verdict::not_applicable, "no joint follows another");
        return {};
    }

    void judge_limits(const model::Model& m, const std::vector<Coordinate>& axes, const record::Recording& recording,
                      bool diverged)
    {
        if (diverged) return add_run("limits", true, "the simulation diverges", {}, m, recording);
        Worst worst;
        for (const Coordinate& c : axes) {
            if (!has_limit(m, c.dof)) continue;
            const double low = at(m.joint_limit_lower, c.dof), high = at(m.joint_limit_upper, c.dof);
            const auto   beyond = [&](const record::Frame& f) {
                return std::max({0.0, low - at(f.joint_q, c.q), at(f.joint_q, c.q) - high});
            };
            // A joint that is authored beyond its limit comes back slowly: what it starts with is not held against it.
            const double start = beyond(recording.frames.front());
            for (const record::Frame& frame : recording.frames)
                worst.consider(c, std::max(0.0, beyond(frame) - start), kDegrees, 1e-3);
        }
        add_run("limits", worst.share > 1,
                worst.value > 0 ? fmt::format("passes its limit by {} under gravity", worst.where->text(worst.value))
                                : "no joint passes a limit under gravity",
                worst.value > 0 ? label(m, *worst.where) : "", m, recording);
    }

    void judge_mimics(const model::Model& m, const std::vector<Coordinate>& axes, const record::Recording& recording,
                      bool diverged)
    {
        if (diverged) return add_run("mimic", true, "the simulation diverges", {}, m, recording);
        Worst worst;
        for (const Coordinate& c : axes) {
            const std::int32_t leader = m.joint_mimic_joint[c.joint];
            if (leader < 0) continue;
            const auto  of = static_cast<std::size_t>(m.joint_q_start[static_cast<std::size_t>(leader)]);
            const auto& k  = m.joint_mimic_coeffs[c.joint];
            // Formats such as URDF say no start pose, and the first step brings a follower where it belongs.
            for (std::size_t f = 1; f < recording.frames.size(); ++f) {
                const record::Frame& frame = recording.frames[f];
                worst.consider(c,
                               std::abs(at(frame.joint_q, c.q) - static_cast<double>(k[0]) -
                                        static_cast<double>(k[1]) * at(frame.joint_q, of)),
                               0.1 * kDegrees, 1e-4);
            }
        }
        if (worst.where == nullptr) return void(add("mimic", Verdict::not_applicable, "no joint follows another"));
        add_run("mimic", worst.share > 1, fmt::format("follows within {}", worst.where->text(worst.value)),
                label(m, *worst.where), m, recording);
    }

    Result<void> overlap(const Scene& scene)
    {
        const model::Model& m     = scene.model;
        model::State        state = model::make_state(m);
        dynamics::project_to_joints(m, state);
        collision::CollisionPipeline pipeline(m, {});
        // Pairs that the model filters (neighbours on a joint, groups) are not among them.
        model::Contacts contacts = pipeline.make_contacts();
        static_cast<void>(pipeline.collide(state, 0, contacts));
        const auto& [deepest, who] = deepest_of(m, contacts, true);
        if (m.shape_count() == 0) return add("overlap", Verdict::not_applicable, "nothing collides"), Result<void>();
        Diagnostics quiet;
        bool        diverged = false;
        // No step: the recording shows the start pose.
        auto recording = run(m, 0, threads_, diverged, quiet);
        if (!recording) return recording.error();
        add_run("overlap", deepest > 1e-4,
                deepest > 0 ? fmt::format("deepest overlap of the start pose {:.2g} mm", deepest * 1000)
                            : "no overlap in the start pose",
                who, m, *recording);
        return {};
    }
};

}  // namespace

std::string_view to_string(Verdict verdict)
{
    switch (verdict) {
        case Verdict::ok:
            return "ok";
        case Verdict::failed:
            return "FAIL";
        case Verdict::not_applicable:
            return "none";
    }
    return "";
}

std::span<const BehaviourRule> behaviour_rules() { return kRules; }

Result<std::vector<Behaviour>> check_behaviour(const std::string& file, const SceneOptions& options, int threads,
                                               Diagnostics& found)
{ return Judge(file, options, threads, found).judge(); }

}  // namespace mechane::run

// Compares how two robots move.
// Inputs: two simulations or recordings (poses of bodies, positions of joints by frame) and the loss report. Output: a
// Rollout: the time at which they first differ, by which joint or body, and how far they are apart at the end.
// Chaotic motion differs for any difference of rounding. So a third run, the first robot under a gravity larger by
// 1e-5, measures how fast errors grow; the tolerance is ten times that, and at least 1 mm or 1 mrad. From the time at
// which even that tolerance would exceed 2 % of the robot's size, nothing is judged any more.
// Without gravity the third run equals the first one, and the tolerance stays at its least.
// Poses are metres in the world; positions of bodies are taken at their centres of mass and relative to the start, so
// that other link frames or another place in the world make no difference.
// Called by `mechane diff --rollout` and the tests of round trips.

#include "mechane/difference/rollout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "difference/announcements.h"
#include "difference/kinematics.h"
#include "difference/pairing.h"
#include "difference/values.h"
#include "mechane/core/disjoint_sets.h"
#include "mechane/importer/import_usd.h"
#include "mechane/model/builder.h"
#include "mechane/sourceformats/hints.h"

namespace mechane::difference {
namespace {

namespace hints = sourceformats::hints;

std::string leaf(const std::string& label) { return label.substr(label.rfind('/') + 1); }

/// How far a centre of mass has come from the start of its tree's root, and how far its body has turned.
struct Way {
    Vec3d p;
    Quatd q;
};
/// @param own  seen from where the body itself started
/// X q0^-1 is the turn since the start in world axes, which is free of the choice of the body's own frame.
Way way_of(const Motion& m, std::size_t body, const record::Frame& frame, bool own = false)
{
    const record::Frame& start = m.recording.frames.front();
    const Posed          X = static_cast<Posed>(frame.body_q[body]), X0 = static_cast<Posed>(start.body_q[body]);
    const int            base = own ? static_cast<int>(body) : m.bodies[body].base;
    Vec3d                origin;
    if (base >= 0) origin = static_cast<Posed>(start.body_q[at(base)]) * m.bodies[at(base)].com;
    return {X * m.bodies[body].com - origin, normalized(X.q * conjugate(X0.q))};
}

struct Pairing {
    std::vector<std::pair<std::size_t, std::size_t>> bodies, joints;
};

Pairing pair_up(const Motion& a, const Motion& b, const sf::LossReport* losses)
{
    const auto names = [](const auto& list) {
        std::vector<std::string> out;
        for (const auto& one : list) out.push_back(one.name);
        return out;
    };
    Pairing out;
    out.bodies = pair_by_name(names(a.bodies), names(b.bodies), losses);
    for (const auto& [i, k] : pair_by_name(names(a.joints), names(b.joints), losses))
        // Joints are compared by coordinate only where both have the same kinds of axes in the same order.
        if (!a.joints[i].turns.empty() && a.joints[i].turns == b.joints[k].turns) out.joints.emplace_back(i, k);
    return out;
}

/// Bodies of one tree that nothing lets move against each other have one centre of mass: which of them has how much of
/// the mass is up to the format, and makes no difference to the motion.
void share_centres(const model::Model& m, const record::Frame& start, std::vector<Motion::Body>& bodies)
{
    DisjointSets<std::int32_t> rigid(bodies.size());
    for (std::size_t j = 0; j < m.joint_count(); ++j)
        if (m.joint_type[j] == model::JointType::fixed && m.joint_articulation[j] >= 0 && m.joint_parent[j] >= 0 &&
            m.joint_child[j] >= 0)
            rigid.join(m.joint_parent[j], m.joint_child[j]);
    std::vector<double> mass(bodies.size(), 0);
    std::vector<Vec3d>  moment(bodies.size());
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const std::size_t all = at(rigid.find(static_cast<std::int32_t>(b)));
        mass[all] += static_cast<double>(m.body_mass[b]);
        moment[all] += static_cast<double>(m.body_mass[b]) * (static_cast<Posed>(start.body_q[b]) * bodies[b].com);
    }
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const std::size_t all = at(rigid.find(static_cast<std::int32_t>(b)));
        if (mass[all] > static_cast<double>(m.body_mass[b]))
            bodies[b].com = inverse(static_cast<Posed>(start.body_q[b])) * (moment[all] / mass[all]);
    }
}

/// How large what moves is, at the start: the box about the centres of mass, with the reach of the shapes [m].
double size_of(const Motion& m)
{
    if (m.recording.frames.empty() || m.bodies.empty()) return 0;
    constexpr double kInf = std::numeric_limits<double>::infinity();
    Vec3d            low{kInf, kInf, kInf}, high{-kInf, -kInf, -kInf};
    for (std::size_t i = 0; i < m.bodies.size(); ++i) {
        const Vec3d p     = static_cast<Posed>(m.recording.frames.front().body_q[i]) * m.bodies[i].com;
        const Vec3d reach = m.bodies[i].reach * Vec3d{1, 1, 1};
        low = min(low, p - reach), high = max(high, p + reach);
    }
    const double out = length(high - low);
    return std::isfinite(out) ? out : 0;
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> pair_by_name(const std::vector<std::string>& a,
                                                              const std::vector<std::string>& b,
                                                              const sf::LossReport*           losses)
{
    std::map<std::string, std::vector<std::size_t>> by_name;
    // Names may repeat. Equal names are paired in their order: the list is filled from the end and emptied from the
    // back.
    for (std::size_t i = b.size(); i-- > 0;) by_name[b[i]].push_back(i);  // the first one at the back
    std::vector<std::pair<std::size_t, std::size_t>> out;
    std::vector<bool>                                done(a.size(), false);
    const auto                                       free = [&](const std::string& name) {
        const auto same = by_name.find(name);
        return same != by_name.end() && !same->second.empty();
    };
    const auto pair = [&](std::size_t i, const std::string& name) {
        if (done[i] || !free(name)) return false;
        auto& same = by_name.find(name)->second;
        out.emplace_back(i, same.back());
        same.pop_back();
        done[i] = true;
        return true;
    };
    // A new name counts where the old one is gone: a conversion by way of OpenUSD has names on the way that the result
    // does not have any more. The old name is gone, too, where another one has taken it.
    for (bool any = losses != nullptr; any;) {
        any = false;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (const auto other = losses->names.find(a[i]); other != losses->names.end() && !free(a[i]))
                any = pair(i, other->second) || any;
    }
    for (std::size_t i = 0; i < a.size(); ++i) pair(i, a[i]);
    std::sort(out.begin(), out.end());
    return out;
}

/// A recording without its model: bodies and coordinates have numbers for names, and centres of mass are taken at the
/// origins of bodies.
Motion motion_of(record::Recording recording)
{
    Motion out;
    out.source = recording.source, out.solver = recording.solver;
    if (!recording.frames.empty()) {
        for (std::size_t b = 0; b < recording.frames.front().body_q.size(); ++b)
            out.bodies.push_back({fmt::format("body {}", b), {}, false, -1, {}, 0});
        for (std::size_t q = 0; q < recording.frames.front().joint_q.size(); ++q)
            out.joints.push_back({fmt::format("coordinate {}", q), -1, static_cast<int>(q), {true}, {}});
    }
    out.recording = std::move(recording);
    return out;
}

Motion motion_of(const run::Scene& scene, record::Recording recording)
{
    const model::Model& m = scene.model;
    Motion              out;
    out.source = recording.source, out.solver = recording.solver;
    // Bodies carry the name that the source file gave them (a hint on the prim), else the last part of the path: names
    // of prims may have been changed to be legal and unique.
    for (std::size_t b = 0; b < m.body_label.size(); ++b) {
        const usd::Prim prim =
            m.body_label[b].starts_with('/') ? scene.stage->prim_at(usd::Path(m.body_label[b])) : usd::Prim();
        const auto name  = prim ? hints::read<std::string>(prim, hints::kName) : std::nullopt;
        double     reach = 0;
        for (const std::int32_t s : m.body_shapes[b])
            if (m.shape_type[at(s)] != model::GeoType::plane)
                reach = std::max(reach, length(static_cast<Vec3d>(m.shape_transform[at(s)].p - m.body_com[b])) +
                                            static_cast<double>(m.shape_collision_radius[at(s)]));
        out.bodies.push_back({name.value_or(leaf(m.body_label[b])), static_cast<Vec3d>(m.body_com[b]), false, -1,
                              prim ? prim.site() : Site{.prim = m.body_label[b]}, reach});
    }
    std::vector<int> parent(out.bodies.size(), -2);
    for (std::size_t j = 0; j < m.joint_count(); ++j) {
        const usd::Prim prim =
            m.joint_label[j].starts_with('/') ? scene.stage->prim_at(usd::Path(m.joint_label[j])) : usd::Prim();
        const bool    own  = prim && prim.is_a("PhysicsJoint");
        const auto    name = own ? prim.attribute("ros:joint:name").authored_as<std::string>() : std::nullopt;
        Motion::Joint joint{name.value_or(leaf(m.joint_label[j])),
                            m.joint_child[j],
                            m.joint_q_start[j],
                            {},
                            own ? prim.site() : Site{.prim = m.joint_label[j]}};
        const int     n    = m.joint_q_start[j + 1] - m.joint_q_start[j];
        const auto    dims = m.joint_dof_dim[j];
        // Coordinates of free joints, balls and distance joints are poses or quaternions, whose numbers depend on
        // frames.
        // Those motions are compared by their bodies.
        const bool free = m.joint_type[j] == model::JointType::free || m.joint_type[j] == model::JointType::ball ||
                          m.joint_type[j] == model::JointType::distance;
        if (!free && n == dims[0] + dims[1])
            for (int k = 0; k < n; ++k) joint.turns.push_back(k >= dims[0]);
        if (m.joint_articulation[j] >= 0 && m.joint_child[j] >= 0) {
            // -2 marks a body that begins a tree of its own: one without a joint of an articulation or on a free joint.
            // A body that is held by the world has parent -1 and no base: it is seen from the world.
            parent[at(m.joint_child[j])] = m.joint_type[j] == model::JointType::free ? -2 : m.joint_parent[j];
        }
        out.joints.push_back(std::move(joint));
    }
    for (std::size_t b = 0; b < out.bodies.size(); ++b) {
        int up = static_cast<int>(b);
        // The count bounds the walk if joints form a cycle.
        for (std::size_t n = 0; n < out.bodies.size() && parent[at(up)] >= 0; ++n) up = parent[at(up)];
        out.bodies[b].root = parent[b] == -2;
        out.bodies[b].base = parent[at(up)] == -2 ? up : -1;
    }
    if (!recording.frames.empty()) share_centres(m, recording.frames.front(), out.bodies);
    out.recording = std::move(recording);
    return out;
}

Rollout compare_motions(Motion a, Motion b, const Motion* sensitive, const RolloutOptions& options)
{
    Rollout out;
    out.solver         = a.solver == b.solver ? a.solver : a.solver + ", " + b.solver;
    const Pairing pair = pair_up(a, b, options.losses);
    out.bodies = pair.bodies.size(), out.joints = pair.joints.size();
    out.size = std::max(size_of(a), size_of(b));
    // Alike is what lies closer than this, however sensitive the motion is; what may be farther off is not judged.
    // 5 mm, or 2 % of the size: beyond this, two motions cannot be called alike, and a tolerance larger than this would
    // let anything pass.
    const double      most_alike = options.scale * std::max(5e-3, 0.02 * out.size);
    const auto&       fa         = a.recording.frames;
    const auto&       fb         = b.recording.frames;
    const std::size_t frames     = std::min(fa.size(), fb.size());
    if (frames == 0) {
        out.refused = "there is nothing to compare: a recording holds no frame";
        out.a = std::move(a), out.b = std::move(b);
        return out;
    }
    out.duration = std::min(fa[frames - 1].t, fb[frames - 1].t);
    std::map<int, int> partner{{-1, -1}};
    for (const auto& [i, k] : pair.bodies) partner.emplace(static_cast<int>(i), static_cast<int>(k));
    const auto same_base = [&](std::size_t i, std::size_t k) {
        const auto base = partner.find(a.bodies[i].base);
        return base != partner.end() && base->second == b.bodies[k].base;
    };
    double chaos = 0;  // how far the first one is from itself
    for (std::size_t f = 0; f < frames; ++f) {
        if (sensitive != nullptr && f < sensitive->recording.frames.size())
            for (std::size_t i = 0; i < a.bodies.size(); ++i) {
                const Way    x = way_of(a, i, fa[f]), y = way_of(*sensitive, i, sensitive->recording.frames[f]);
                const double off = std::max(length(x.p - y.p), angle_of(conjugate(x.q) * y.q));
                if (std::isfinite(off)) chaos = std::max(chaos, off);
            }
        const double may = options.scale * std::max(1e-3, 10 * chaos);
        if (may > most_alike) {
            out.sensitive = fa[f].t;
            break;
        }
        out.farthest.clear(), out.metres = 0, out.radians = 0;
        double     worst = 0;
        Divergence here;
        for (const auto& [i, k] : pair.bodies) {
            // A body of which the trees begin at different bodies is seen from its own start.
            const bool own = !same_base(i, k);
            const Way  x = way_of(a, i, fa[f], own), y = way_of(b, k, fb[f], own);
            // What is no number is infinitely far off: comparisons would pass it by.
            const auto   or_infinite = [](double v) { return std::isnan(v) ? kInfinity : v; };
            const double far = or_infinite(length(x.p - y.p)), turned = or_infinite(angle_of(conjugate(x.q) * y.q)),
                         off = std::max(far, turned);
            if (far > out.metres || out.farthest.empty())
                out.metres = far, out.radians = turned, out.farthest = a.bodies[i].name;
            if (far > out.most || out.most_of.empty()) out.most = far, out.most_of = a.bodies[i].name;
            // The body that is farthest off names the divergence of this frame, not the first in the list.
            if (off > may && off > worst)
                worst = off, here.body = a.bodies[i].name, here.metres = far, here.radians = turned,
                here.a = a.bodies[i].site, here.b = b.bodies[k].site;
        }
        out.judged = fa[f].t;
        // The run goes on after the first divergence only to fill `farthest` and `most`.
        if (out.first) continue;
        double most = 0;
        for (const auto& [i, k] : pair.joints)
            for (std::size_t c = 0; c < a.joints[i].turns.size(); ++c) {
                const std::size_t p = at(a.joints[i].q) + c, q = at(b.joints[k].q) + c;
                if (p >= fa[f].joint_q.size() || q >= fb[f].joint_q.size()) continue;
                const double x = static_cast<double>(fa[f].joint_q[p]), y = static_cast<double>(fb[f].joint_q[q]),
                             off = std::isnan(x - y) ? kInfinity : std::abs(x - y);
                if (off <= may || off <= most) continue;
                most         = off;
                here.joint   = a.joints[i].name;
                here.joint_a = x, here.joint_b = y, here.joint_turns = a.joints[i].turns[c];
                here.a = a.joints[i].site, here.b = b.joints[k].site;
            }
        // A joint that differs is the better cause to name than a body, and its places replace those of the body.
        if (here.joint.empty() && here.body.empty()) continue;
        here.t         = fa[f].t;
        here.tolerance = may;
        out.first      = here;
    }
    out.a = std::move(a), out.b = std::move(b);
    return out;
}

Result<Rollout> compare_rollouts(const run::Scene& a, const run::Scene& b, const RolloutOptions& options,
                                 Diagnostics& found)
{
    run::SimulateOptions how;
    how.solver  = options.solver;
    how.threads = options.threads;
    run::set_step(how, run::step_size(a, options.dt));
    how.frames = std::max<std::int64_t>(1, std::llround(options.duration / how.dt));
    // At most about 240 frames are kept; the comparison needs the course and not each step.
    how.every = std::max<std::int64_t>(1, how.frames / 240);
    Diagnostics quiet;
    const auto  simulated = [&](const run::Scene& scene, const model::Model& model,
                                Diagnostics& said) -> Result<Motion> {
        run::SimulateOptions own = how;
        own.follow               = run::follower(scene);
        auto result              = run::simulate(model, own, said);
        if (!result) return result.error();
        Motion out   = motion_of(scene, std::move(result->recording));
        out.diverged = result->diverged;
        out.solver   = options.solver;
        return out;
    };
    auto run_a = simulated(a, a.model, found);
    if (!run_a) return run_a.error();
    auto run_b = simulated(b, b.model, quiet);
    if (!run_b) return run_b.error();
    std::optional<Motion> sensitive;
    if (options.guard) {
        model::Model other = a.model;
        // Far above the rounding of single precision (6e-8) and far below what a real difference of two models amounts
        // to.
        for (Vec3& g : other.gravity) g = Real(1 + 1e-5) * g;
        if (auto run = simulated(a, other, quiet)) sensitive = *std::move(run);
    }
    const bool bad_a = run_a->diverged, bad_b = run_b->diverged;
    Rollout    out = compare_motions(*std::move(run_a), *std::move(run_b), sensitive ? &*sensitive : nullptr, options);
    out.diverged_a = bad_a, out.diverged_b = bad_b;
    return out;
}

/// The same path as a scene from a file, from a stage that exists in memory only.
Result<run::Scene> scene_of(std::shared_ptr<const usd::Stage> stage, const run::SceneOptions& options,
                            Diagnostics& found)
{
    run::Scene scene;
    scene.stage   = std::move(stage);
    auto imported = importer::import_usd(*scene.stage, options.import, scene.builder, found);
    if (!imported) return imported.error();
    scene.imported = *std::move(imported);
    if (scene.imported.stage) scene.stage = scene.imported.stage;
    auto model = scene.builder.finalize({}, found);
    if (!model) return model.error();
    scene.model = *std::move(model);
    return scene;
}

std::string motion_losses(const sf::LossReport& losses)
{
    std::vector<const sf::Loss*> causes;
    for (const sf::Loss& loss : losses.entries)
        if (changes_motion(loss)) causes.push_back(&loss);
    // Those of which it is known that they change the motion go first; where a robot stands changes it last.
    const auto rank = [](const sf::Loss* loss) { return loss->motion ? 0 : loss->code == "root-pose" ? 2 : 1; };
    std::ranges::stable_sort(causes, {}, rank);
    std::vector<std::string> told;
    std::size_t              more = 0;
    for (const sf::Loss* cause : causes) {
        const sf::Loss&   loss = *cause;
        const std::string text = fmt::format("{} of {}: {}", loss.code, loss.what, loss.reason);
        if (told.size() < 3)
            told.push_back(text);
        else
            ++more;
    }
    return fmt::format("{}{}", fmt::join(told, "; "), more > 0 ? fmt::format("; and {} more", more) : "");
}

/// One model of both robots for the viewer, with bodies of the first one before those of the second. They are moved
/// apart by as far as each one ever goes, at most 50 m, so that one that flies off does not push the other out of
/// sight.
Result<Together> side_by_side(const run::Scene& a, const record::Recording& run_a, const run::Scene& b,
                              const record::Recording& run_b)
{
    const auto reach = [](const run::Scene& scene, const record::Recording& run) {
        double most = 0.1;
        for (const record::Frame& f : run.frames)
            for (const Pose& X : f.body_q)
                if (is_finite(X)) most = std::max(most, std::abs(static_cast<double>(X.p.y)));
        if (scene.model.body_label.empty()) most = 1;
        return std::min(most, 50.0) + 0.4;
    };
    const double        left = reach(a, run_a), right = reach(b, run_b);
    const Vec3d         aside = a.model.up_axis == 1 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    const Posed         X_a{left * aside, {}}, X_b{-right * aside, {}};
    model::ModelBuilder both;
    both.up_axis = a.builder.up_axis;
    both.gravity = a.builder.gravity;
    if (auto done = both.add_builder(a.builder, {.xform = X_a, .label_prefix = "first"}); !done) return done.error();
    if (auto done = both.add_builder(b.builder, {.xform = X_b, .label_prefix = "second"}); !done) return done.error();
    Diagnostics quiet;
    auto        model = both.finalize({}, quiet);
    if (!model) return model.error();
    Together out{*std::move(model), {}};
    out.recording.source       = run_a.source;
    out.recording.solver       = run_a.solver;
    out.recording.dt           = run_a.dt;
    const std::size_t n        = std::max(run_a.frames.size(), run_b.frames.size());
    const auto        frame_of = [](const record::Recording& run, const run::Scene& scene, std::size_t f) {
        // The shorter recording stands still at its last frame.
        if (!run.frames.empty()) return run.frames[std::min(f, run.frames.size() - 1)];
        record::Frame start;
        start.body_q = scene.model.body_q, start.body_qd = scene.model.body_qd, start.joint_q = scene.model.joint_q,
        start.joint_qd = scene.model.joint_qd;
        return start;
    };
    for (std::size_t f = 0; f < std::max<std::size_t>(n, 1); ++f) {
        const record::Frame x = frame_of(run_a, a, f), y = frame_of(run_b, b, f);
        record::Frame       both_now;
        both_now.t = std::max(x.t, y.t);
        for (const auto& [frame, X] : {std::pair{&x, &X_a}, std::pair{&y, &X_b}}) {
            for (const Pose& q : frame->body_q)
                both_now.body_q.push_back(static_cast<Pose>(*X * static_cast<Posed>(q)));
            both_now.body_qd.insert(both_now.body_qd.end(), frame->body_qd.begin(), frame->body_qd.end());
            both_now.joint_q.insert(both_now.joint_q.end(), frame->joint_q.begin(), frame->joint_q.end());
            both_now.joint_qd.insert(both_now.joint_qd.end(), frame->joint_qd.begin(), frame->joint_qd.end());
            both_now.kinetic += frame->kinetic, both_now.potential += frame->potential;
        }
        out.recording.frames.push_back(std::move(both_now));
    }
    out.recording.steps = static_cast<std::int64_t>(out.recording.frames.size()) - 1;
    return out;
}

}  // namespace mechane::difference

// The solver `softstep`: the step, from the caller's state to the published one. It loads state and commands, builds
// islands, runs their substeps in parallel, finds divergence by world, and publishes. docs/softstep_method.md, "A
// step", is the map.
// State of the caller is in `Real`; everything within is double. A step that starts from what the last one published
// goes on from the numbers in double that belong to it.
// Contacts are read and their forces written; nothing else of the caller's is kept but copies of what was published.

#include "softstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "mechane/core/bytes.h"
#include "mechane/dynamics/joint_motion.h"
#include "mechane/dynamics/kinematics.h"
#include "mechane/model/belongs.h"
#include "mechane/solvers/codes.h"
#include "mechane/solvers/support.h"
#include "mechane/tasks/parallel.h"
#include "solvers/softstep/contact/contact_input.h"
#include "solvers/softstep/island/islands.h"
#include "solvers/softstep/mechanism/groups.h"
#include "solvers/softstep/mechanism/loops.h"
#include "solvers/softstep/mechanism/predict.h"
#include "solvers/softstep/mechanism/response.h"
#include "solvers/softstep/mechanism/rows.h"
#include "solvers/softstep/state/divergence.h"
#include "solvers/softstep/state/memory.h"
#include "solvers/softstep/state/prescribed.h"
#include "solvers/softstep/state/publish.h"
#include "solvers/softstep/state/reactions.h"
#include "solvers/softstep/state/sleep.h"
#include "solvers/softstep/state/system.h"

namespace mechane::solvers::softstep {

namespace {

/// Exporters write the largest float where they mean infinity.
constexpr Real kNeverBreaks = Real(1e30);

/// Where a link's state is published: one cache line where the link itself is several.
struct LinkState {
    std::int32_t body = 0, world = 0, tree = 0;
    std::int32_t q = 0, q_end = 0, qd = 0, qd_end = 0;  ///< of its joint, if it has one
};

class SoftStep final : public Solver {
  public:
    SoftStep(const model::Model& model, const SolverOptions& options, const SolverChoice& choice)
        : model_(model), options_(options), text_(to_text(choice))
    {
        system_.rigid = options_of(choice).rigid_islands;
        find_breakable();
        system_.sleep.enabled = options.sleeping;
        build_system(model, system_);
        remember_structure();
        reset_sleep(system_, model_.body_starts_asleep);
    }

    // The order of phases is fixed: later ones read what earlier ones made.
    StepReport step(const model::State& in, model::State& out, const model::Control& control, model::Contacts* contacts,
                    double dt) override;

    void reset() override
    {
        forget();
        if (std::find(system_.broken.begin(), system_.broken.end(), 1) != system_.broken.end()) {
            std::fill(system_.broken.begin(), system_.broken.end(), std::uint8_t{0});
            build_system(model_, system_);
            remember_structure();
        }
        reset_sleep(system_, model_.body_starts_asleep);
    }
    void reset_worlds(std::span<const std::uint8_t> selected) override
    {
        std::vector<std::uint8_t> chosen(model_.gravity.size(), 0);
        for (std::size_t w = 0; w < selected.size() && w + 1 < chosen.size(); ++w) chosen[w + 1] = selected[w] != 0;
        bool mended = false;
        for (std::size_t j = 0; j < system_.broken.size(); ++j)
            if (system_.broken[j] && chosen[static_cast<std::size_t>(model_.joint_world[j] + 1)]) {
                system_.broken[j] = 0;
                mended            = true;
            }
        if (mended) rebuild();
        forget_worlds(system_, chosen);
        for (std::size_t b = 0; system_.sleep.enabled && b < model_.body_count(); ++b)
            if (model_.body_starts_asleep[b] && system_.body_group[b] >= 0 &&
                chosen[static_cast<std::size_t>(model_.body_world[b] + 1)])
                system_.sleep.asleep[system_.body_group[b]] = 1;
    }
    void notify(std::uint32_t changes) override
    {
        // Everything else that softstep uses of a model is read at every step.
        constexpr std::uint32_t kStructure = change::joint_properties | change::joint_dof_properties |
                                             change::body_properties | change::body_inertial_properties |
                                             change::constraint_properties | change::joint_reference_pose_properties;
        rebuild_                           = rebuild_ || (changes & kStructure) != 0;
        for (std::size_t g = 0; changes != 0 && g < system_.groups.size(); ++g)
            wake_group(system_, static_cast<std::int32_t>(g));
    }

    [[nodiscard]] bool is_awake(std::int32_t body) const override
    {
        const std::int32_t g = group_of(body, "Solver::is_awake");
        return g < 0 || !system_.sleep.enabled || !system_.sleep.asleep[g];
    }
    [[nodiscard]] std::vector<std::byte> save() const override
    {
        ByteWriter out;
        out.put(save_memory(system_));
        out.put(published_body_);
        out.put(published_twist_);
        out.put(published_q_);
        out.put(published_qd_);
        return out.bytes();
    }
    [[nodiscard]] bool restore(std::span<const std::byte> bytes) override
    {
        ByteReader             in(bytes);
        std::vector<std::byte> memory;
        std::vector<Pose>      body;
        std::vector<Spatial>   twist;
        std::vector<Real>      q, qd;
        in.get(memory);
        in.get(body);
        in.get(twist);
        in.get(q);
        in.get(qd);
        // A memory is taken over only if all of it fits the model.
        const bool fits =
            body.empty() || (body.size() == model_.body_count() && twist.size() == body.size() &&
                             q.size() == model_.joint_coord_count() && qd.size() == model_.joint_dof_count());
        if (!in.done() || !fits || !restore_memory(memory, system_)) return false;
        rebuild_                 = false;
        exchange_.nothing_pushed = false;
        remember_structure();
        published_body_  = body;
        published_twist_ = twist;
        published_q_     = q;
        published_qd_    = qd;
        return true;
    }
    // For blocks of worlds that share one solver (simulation/world_blocks.cpp).
    [[nodiscard]] std::unique_ptr<SolverMemory> make_memory() override
    {
        // What hangs on something prescribed, and what may break, is remembered in more places.
        if (!system_.forest.prescribed.empty() || !breakable_.empty() || rebuild_) return nullptr;
        auto memory    = std::make_unique<Turn>();
        memory->system = new_memory(system_, model_.body_starts_asleep);
        return memory;
    }
    void exchange(SolverMemory& memory) override
    {
        auto& turn = static_cast<Turn&>(memory);
        exchange_memory(system_, turn.system, exchange_);
        published_body_.swap(turn.published_body);
        published_twist_.swap(turn.published_twist);
        published_q_.swap(turn.published_q);
        published_qd_.swap(turn.published_qd);
    }
    void observe(Observables* observables) override { observed_ = observables; }
    void wake(std::int32_t body) override { wake_group(system_, group_of(body, "Solver::wake")); }

    [[nodiscard]] std::string_view name() const override { return text_; }

    void report_features(Diagnostics& out);

  private:
    [[nodiscard]] std::int32_t group_of(std::int32_t body, const char* function) const
    {
        MCH_REQUIRE(body >= 0 && static_cast<std::size_t>(body) < system_.body_group.size(), function, "body",
                    "a body of the model");
        return system_.body_group[body];
    }

    struct Turn final : SolverMemory {
        TurnMemory           system;
        std::vector<Pose>    published_body;
        std::vector<Spatial> published_twist;
        std::vector<Real>    published_q, published_qd;
    };
    /// Drops what steps hand on to each other to start from.
    void forget()
    {
        system_.memory.clear();
        for (DofLaw& law : system_.laws) law.saturated = 0;
        for (DofRows& rows : system_.dof_rows)
            rows.lower.lambda = rows.upper.lambda = rows.friction.lambda = rows.velocity.lambda = 0;
        for (GeneralRow& row : system_.general) row.law.lambda = 0;
        published_body_.clear();
    }
    void               remember_structure();
    void               rebuild();
    [[nodiscard]] bool structure_changed() const
    { return rebuild_ || enabled_ != model_.joint_enabled || flags_ != model_.body_flags; }
    void find_breakable();
    void break_joints(double h, StepReport& report);
    void fill_observables(double h, double dt);
    void load_state(const model::State& in, const model::Control& control, double dt, Culprit& culprit);
    /// Whether the caller wrote the body of a free root before the first step, and left its joint as the model has it.
    [[nodiscard]] bool is_placed_by_hand(const Link& link, const model::State& in) const;
    /// Loads a tree; `untouched`: the state is what the last step published. Returns whether joint_f pushes a link of
    /// it that is free.
    bool load_tree(std::int32_t t, const model::State& in, const std::vector<Real>& joint_f, bool untouched);
    /// joint_f of a free link [N, N m]; zero for any other.
    [[nodiscard]] Spatiald load_of_joint(const Link& link, const std::vector<Real>& joint_f) const;
    void                   find_edits(const Link& link, const model::State& in);
    /// Whether all of the state is what the last step published, to the last bit.
    [[nodiscard]] bool is_as_published(const model::State& in) const;
    /// Whether the coordinates and rates of a tree are those that the last step published.
    [[nodiscard]] bool is_as_published(const Tree& tree, const model::State& in) const;
    void               publish(const model::State& in, model::State& out, double dt);

    const model::Model&       model_;
    SolverOptions             options_;
    std::string               text_;  ///< of the choice
    System                    system_;
    std::vector<IslandReport> reports_;
    std::vector<std::int32_t> breakable_;  ///< joints with a finite break force or torque
    std::vector<std::int32_t> read_off_;   ///< joints whose coordinates are not a link's own
    std::vector<LinkState>    link_states_;
    Exchange                  exchange_;
    Observables*              observed_  = nullptr;
    bool                      rebuild_   = false;
    bool                      commanded_ = true;  ///< some dof or loop joint has laws of its own
    std::vector<std::uint8_t> enabled_, body_wins_;
    std::vector<std::uint8_t> bases_moved_;      ///< per prescribed body: somebody put it elsewhere
    std::vector<std::uint8_t> trees_untouched_;  ///< per tree on a prescribed body: nobody wrote to its coordinates
    std::vector<std::int32_t> flags_;
    std::vector<std::uint8_t> slept_;  ///< per link: slept through the whole step
    std::vector<Pose>         published_body_;
    std::vector<Spatial>      published_twist_;
    std::vector<Real>         published_q_, published_qd_;
};

template <class T>
bool same_bytes(const T& a, const T& b)
{ return std::memcmp(&a, &b, sizeof(T)) == 0; }

void SoftStep::remember_structure()
{
    enabled_ = model_.joint_enabled;
    flags_   = model_.body_flags;
    body_wins_.assign(model_.body_count(), 0);
    bases_moved_.assign(model_.body_count(), 0);
    trees_untouched_.assign(system_.forest.trees.size(), 0);
    reports_.reserve(system_.groups.size());
    const auto& dofs = system_.forest.model_dof;
    commanded_       = !system_.loop_target.empty() ||
                       std::any_of(dofs.begin(), dofs.end(), [](std::int32_t dof) { return dof >= 0; });
    published_body_.clear();
    link_states_.clear();
    for (const Link& link : system_.forest.links) {
        LinkState at{.body = link.body, .world = model_.body_world[link.body], .tree = link.tree};
        if (link.joint >= 0) {
            const auto j = static_cast<std::size_t>(link.joint);
            at.q = model_.joint_q_start[j], at.q_end = model_.joint_q_start[j + 1];
            at.qd = model_.joint_qd_start[j], at.qd_end = model_.joint_qd_start[j + 1];
        }
        link_states_.push_back(at);
    }
    read_off_.clear();
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(model_.joint_count()); ++j)
        if (const std::int32_t l = system_.forest.joint_link[j]; l < 0 || system_.forest.links[l].free)
            read_off_.push_back(j);
}

/// Once, when the solver is made: what it does not honour, and dofs that move nothing.
void SoftStep::report_features(Diagnostics& out)
{
    if (!options_.sleeping)
        for (std::size_t b = 0; b < model_.body_count(); ++b)
            if (model_.body_starts_asleep[b])
                out.add(kSolverFeature, {.prim = model_.body_label[b]},
                        "softstep: sleeping is off, the body does not start asleep",
                        "Switch the solver's option `sleeping` on.");
    // A trial factorisation at the initial state finds dofs that move nothing.
    model::State state = model::make_state(model_);
    Culprit      ignored;
    load_state(state, model::make_control(model_), 1, ignored);
    if (!ignored.text.empty()) return;
    for (const Tree& tree : system_.forest.trees) {
        if (tree.single || tree.dof_count() == 0) continue;
        dynamics::forward_kinematics(system_.forest, tree, system_.motion);
        dynamics::turn_inertias(system_.forest, tree, system_.motion);
        const auto          n = static_cast<std::size_t>(tree.dof_count());
        std::vector<double> pivots(n);
        for (std::size_t k = 0; k < n; ++k)
            system_.diagonal[tree.dof_begin + k] = system_.laws[tree.dof_begin + k].armature;
        if (tree.deep) {
            dynamics::factor_articulated(system_.forest, tree, system_.diagonal, system_.motion, system_.articulated);
            std::copy_n(system_.articulated.inverse.begin() + tree.dof_begin, n, pivots.begin());
        } else {
            const dynamics::Paths& paths = system_.paths;
            dynamics::mass_matrix(system_.forest, tree, paths, system_.motion, system_.factored);
            for (std::int32_t k = tree.dof_begin; k < tree.dof_end; ++k)
                system_.factored[paths.diagonal(k)] += system_.diagonal[k];
            dynamics::factor(tree, paths, system_.factored, system_.inverse_pivots);
            std::copy_n(system_.inverse_pivots.begin() + tree.dof_begin, n, pivots.begin());
        }
        for (std::size_t k = 0; k < n; ++k) {
            if (pivots[k] != 0) continue;
            const Link&       link  = system_.forest.links[system_.forest.dof_link[tree.dof_begin + k]];
            const std::string label = link.joint >= 0 ? model_.joint_label[link.joint] : model_.body_label[link.body];
            out.add(kSolverMassless, {.prim = label},
                    fmt::format("dof {} of {} has zero inertia",
                                static_cast<std::int32_t>(tree.dof_begin + k) - link.dof, label));
        }
    }
    reset();
}

void SoftStep::load_state(const model::State& in, const model::Control& control, double dt, Culprit& culprit)
{
    System& s = system_;
    if (commanded_) read_laws(control, s);
    s.faulty.assign(model_.gravity.size(), 0);
    for (const std::int32_t b : s.forest.prescribed) {
        const auto at = static_cast<std::size_t>(b);
        // A prescribed body that was put elsewhere wakes what hangs on it.
        bases_moved_[at] = !published_body_.empty() && !same_bytes(in.body_q[at], published_body_[at]);
        load_prescribed(
            s, b, in, control, dt,
            published_body_.empty() ? PublishedBody{} : PublishedBody{&published_body_[at], &published_twist_[at]});
        if (!is_finite(s.base_start[b]) || !is_finite(s.motion.base_twist[b]) || !is_finite(s.base_rate[b])) {
            s.faulty[static_cast<std::size_t>(model_.body_world[b] + 1)] = 1;
            if (culprit.text.empty())
                culprit = {b, -1, fmt::format("the state of kinematic body '{}' is not finite", model_.body_label[b])};
        }
    }
    for (std::size_t t = 0; t < s.forest.trees.size(); ++t)
        if (const Tree& tree = s.forest.trees[t]; s.forest.links[tree.link_begin].base >= 0)
            trees_untouched_[t] = is_as_published(tree, in);
    for (std::size_t i = 0; i < s.near_q.size() && !s.forest.loops.empty(); ++i)
        s.near_q[i] = static_cast<double>(in.joint_q[i]);
    s.teleported.assign(s.groups.size(), 0);
    const bool untouched = is_as_published(in);
    // joint_f of FREE-like joints is a wrench at the child's centre of mass; the parent bears the reaction.
    const auto&       joint_f = control.joint_f.size() == model_.joint_f.size() ? control.joint_f : model_.joint_f;
    std::atomic<bool> pushed  = false;
    const auto        placed  = [&] { return std::find(s.placed.begin(), s.placed.end(), 0) == s.placed.end(); };
    // Nothing was written: no tree has to be loaded.
    if (untouched && placed() && all_zero(joint_f) && all_zero(in.body_f)) {
        std::fill(body_wins_.begin(), body_wins_.end(), std::uint8_t{0});
        std::fill(s.wrench.begin(), s.wrench.end(), Spatiald{});
    } else {
        tasks::for_chunks(
            s.pool, s.groups.size(), groups_at_once(s),
            [&](std::size_t begin, std::size_t end, std::size_t) {
                for (std::size_t g = begin; g < end; ++g)
                    for (std::int32_t t = s.groups[g].tree_begin; t < s.groups[g].tree_end; ++t)
                        if (load_tree(t, in, joint_f, untouched)) pushed = true;
            },
            tasks::Chunks::by_thread);
    }
    for (std::size_t l = 0; pushed && l < s.forest.links.size(); ++l) {
        const Link&    link = s.forest.links[l];
        const Spatiald f    = load_of_joint(link, joint_f);
        if (f == Spatiald{}) continue;
        s.wrench[l] += f;
        const std::int32_t p = model_.joint_parent[link.joint];
        if (p >= 0 && s.forest.body_link[p] >= 0) {
            const std::int32_t at = s.forest.body_link[p];
            s.wrench[at] -= shift_wrench(f, s.motion.com_W[at] - s.motion.com_W[l]);
        }
    }
    wake_changed(s);
    // What the last step placed was looked at when it ended.
    find_divergence(s, options_.substeps, false, placed(), culprit);
    std::fill(s.placed.begin(), s.placed.end(), std::uint8_t{0});  // until the end of this step
}

bool SoftStep::is_as_published(const model::State& in) const
{
    const auto same = [](const auto& a, const auto& b) {
        return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0);
    };
    return !published_body_.empty() && same(in.joint_q, published_q_) && same(in.joint_qd, published_qd_) &&
           same(in.body_q, published_body_) && same(in.body_qd, published_twist_);
}

bool SoftStep::is_as_published(const Tree& tree, const model::State& in) const
{
    if (published_body_.empty()) return false;
    const auto same = [](const std::vector<Real>& a, const std::vector<Real>& b, std::int32_t begin, std::int32_t end) {
        return std::memcmp(a.data() + begin, b.data() + begin, sizeof(Real) * static_cast<std::size_t>(end - begin)) ==
               0;
    };
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link& link = system_.forest.links[l];
        const auto  j    = static_cast<std::size_t>(link.joint);
        if (body_wins_[link.body] ||
            !same(in.joint_q, published_q_, model_.joint_q_start[j], model_.joint_q_start[j + 1]) ||
            !same(in.joint_qd, published_qd_, model_.joint_qd_start[j], model_.joint_qd_start[j + 1]))
            return false;
    }
    return true;
}

Spatiald SoftStep::load_of_joint(const Link& link, const std::vector<Real>& joint_f) const
{
    if (!link.free || link.joint < 0) return {};
    const auto d = static_cast<std::size_t>(model_.joint_qd_start[link.joint]);
    if (std::all_of(&joint_f[d], &joint_f[d] + 6, [](Real x) { return x == 0; })) return {};
    const Spatiald f{
        {static_cast<double>(joint_f[d]), static_cast<double>(joint_f[d + 1]), static_cast<double>(joint_f[d + 2])},
        {static_cast<double>(joint_f[d + 3]), static_cast<double>(joint_f[d + 4]),
         static_cast<double>(joint_f[d + 5])}};
    return is_finite(f) ? f : Spatiald{};
}

bool SoftStep::is_placed_by_hand(const Link& link, const model::State& in) const
{
    const std::int32_t q = model_.joint_q_start[link.joint], qd = model_.joint_qd_start[link.joint];
    // A joint left as the model has it and a body that is not: the body was placed by the caller.
    if (std::memcmp(&in.joint_q[q], &model_.joint_q[q], 7 * sizeof(Real)) != 0 ||
        std::memcmp(&in.joint_qd[qd], &model_.joint_qd[qd], 6 * sizeof(Real)) != 0)
        return false;
    if (same_bytes(in.body_q[link.body], model_.body_q[link.body]) &&
        same_bytes(in.body_qd[link.body], model_.body_qd[link.body]))
        return false;
    // Bodies that were moved onto their joints (project_to_joints) say what the coordinates say, up to rounding.
    std::array<double, 7> coords{};
    for (std::size_t k = 0; k < 7; ++k) coords[k] = static_cast<double>(in.joint_q[static_cast<std::size_t>(q) + k]);
    const Posed X    = link.X_PJ * dynamics::joint_motion(link.axes, coords).X_PC * inverse(link.X_CJ);
    const Posed body = static_cast<Posed>(in.body_q[link.body]);
    const auto rate = [&](std::size_t k) { return static_cast<double>(in.joint_qd[static_cast<std::size_t>(qd) + k]); };
    const Spatiald   twist{rotate(link.X_PJ.q, Vec3d{rate(0), rate(1), rate(2)}),
                           rotate(link.X_PJ.q, Vec3d{rate(3), rate(4), rate(5)})};
    const Spatiald   off       = static_cast<Spatiald>(in.body_qd[link.body]) - twist;
    constexpr double kRounding = 64 * std::numeric_limits<Real>::epsilon();
    return length(body.p - X.p) > kRounding * (1 + length(X.p)) ||
           length((conjugate(X.q) * normalized(body.q)).xyz()) > kRounding ||
           length(off.linear) > kRounding * (1 + length(twist.linear)) ||
           length(off.angular) > kRounding * (1 + length(twist.angular));
}

bool SoftStep::load_tree(std::int32_t t, const model::State& in, const std::vector<Real>& joint_f, bool untouched)
{
    System&     s    = system_;
    const Tree& tree = s.forest.trees[t];
    // Joint coordinates are the state of free roots too, unless the caller has written the body and left the joint as
    // published, or, before the first step, as the model has it.
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link& link = s.forest.links[l];
        if (!link.free || link.from_body) continue;
        if (published_body_.empty()) {
            body_wins_[link.body] = is_placed_by_hand(link, in) ? 1 : 0;
            continue;
        }
        if (untouched) {
            body_wins_[link.body] = 0;
            continue;
        }
        const std::int32_t q = model_.joint_q_start[link.joint], qd = model_.joint_qd_start[link.joint];
        // After a step: the side that changed wins; if both did, the coordinates do.
        const bool joint_kept = std::memcmp(&in.joint_q[q], &published_q_[q], 7 * sizeof(Real)) == 0 &&
                                std::memcmp(&in.joint_qd[qd], &published_qd_[qd], 6 * sizeof(Real)) == 0;
        const bool body_kept  = same_bytes(in.body_q[link.body], published_body_[link.body]) &&
                                same_bytes(in.body_qd[link.body], published_twist_[link.body]);
        body_wins_[link.body] = joint_kept && !body_kept;
    }
    s.placed[t] = s.placed[t] && (untouched || is_as_published(tree, in));
    if (!s.placed[t]) {
        dynamics::load(model_, s.forest, tree, in.joint_q, in.joint_qd, in.body_q, in.body_qd, body_wins_, s.motion);
        dynamics::forward_kinematics(s.forest, tree, s.motion);
    }
    bool pushed = false;
    for (std::int32_t l = tree.link_begin; l < tree.link_end; ++l) {
        const Link& link = s.forest.links[l];
        Spatiald&   f    = s.wrench[l];
        f                = static_cast<Spatiald>(in.body_f.empty() ? Spatial{} : in.body_f[link.body]);
        if (!is_finite(f)) f = {};
        if (!untouched) find_edits(link, in);
        pushed = pushed || !(load_of_joint(link, joint_f) == Spatiald{});
    }
    return pushed;
}

/// What the caller wrote into the state since the last step: a group that was moved forgets what it touched, one that
/// was changed at all wakes.
void SoftStep::find_edits(const Link& link, const model::State& in)
{
    if (published_body_.empty()) return;
    System&            s = system_;
    const std::int32_t b = link.body, group = s.body_group[b];
    bool               moved = false, pushed = false;
    if (link.joint >= 0) {
        const auto differs = [&](const std::vector<Real>& now, const std::vector<Real>& before, std::int32_t begin,
                                 std::int32_t end) {
            return !std::equal(now.begin() + begin, now.begin() + end, before.begin() + begin);
        };
        const auto j = static_cast<std::size_t>(link.joint);
        moved        = differs(in.joint_q, published_q_, model_.joint_q_start[j], model_.joint_q_start[j + 1]);
        pushed       = differs(in.joint_qd, published_qd_, model_.joint_qd_start[j], model_.joint_qd_start[j + 1]);
    }
    const bool body_moved = !same_bytes(in.body_q[b], published_body_[b]);
    if (moved || (link.free && body_moved)) {
        // A body that was moved has no warm start.
        s.teleported[group] = 1;
        for (std::int32_t k = link.dof; k < link.dof + link.dofs; ++k)
            s.dof_rows[k].lower.lambda = s.dof_rows[k].upper.lambda = 0;
    }
    if (moved || pushed || body_moved || !same_bytes(in.body_qd[b], published_twist_[b])) wake_group(s, group);
}

void SoftStep::publish(const model::State& in, model::State& out, double dt)
{
    System& s = system_;
    if (&out != &in) out = in;
    for (const std::int32_t b : s.forest.prescribed) {
        if (!(model_.body_flags[b] & model::body_flag::kinematic) || faulty(s, model_.body_world[b])) continue;
        out.body_q[b]  = static_cast<Pose>(s.motion.base_X[b]);
        out.body_qd[b] = static_cast<Spatial>(s.motion.base_twist[b]);
    }
    const auto publish_link = [&](std::size_t l) {
        const LinkState& at     = link_states_[l];
        const bool       placed = s.placed[at.tree] != 0;
        // A faulty world keeps the state that it came with.
        if (faulty(s, at.world)) {
            s.placed[at.tree] = 0;
            return;
        }
        if (slept_[l]) {
            out.body_qd[at.body] = {};
            return;
        }
        out.body_q[at.body]  = static_cast<Pose>(s.motion.X_WB[l]);
        out.body_qd[at.body] = static_cast<Spatial>(s.motion.twist[l]);
        if (placed) {
            for (std::int32_t k = at.q; k < at.q_end; ++k) out.joint_q[k] = s.next_q[k];
            for (std::int32_t k = at.qd; k < at.qd_end; ++k) out.joint_qd[k] = s.next_qd[k];
            return;
        }
        const Link& link = s.forest.links[l];
        if (link.free || link.joint < 0) return;
        for (std::int32_t k = 0; k < link.coords; ++k)
            out.joint_q[model_.joint_q_start[link.joint] + k] = static_cast<Real>(s.motion.q[link.coord + k]);
        for (std::int32_t k = 0; k < link.dofs; ++k)
            out.joint_qd[model_.joint_qd_start[link.joint] + k] = static_cast<Real>(s.motion.v[link.dof + k]);
    };
    tasks::for_chunks(
        s.pool, s.forest.trees.size(), groups_at_once(s),
        [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t t = begin; t < end; ++t)
                for (std::int32_t l = s.forest.trees[t].link_begin; l < s.forest.trees[t].link_end; ++l)
                    publish_link(static_cast<std::size_t>(l));
        },
        tasks::Chunks::by_thread);
    // Joints that are not a link's own coordinates are read off the bodies; single angles keep their winding.
    const auto publish_joint = [&](std::int32_t j) {
        const std::int32_t l = s.forest.joint_link[j];
        if ((l >= 0 && (slept_[l] || s.placed[s.forest.links[l].tree])) || faulty(s, model_.joint_world[j])) return;
        const auto motion = [&](std::int32_t b) {
            if (b < 0) return dynamics::BodyMotion{};
            const std::int32_t at = s.forest.body_link[b];
            return at >= 0 ? dynamics::BodyMotion{s.motion.X_WB[at], s.motion.twist[at]}
                           : dynamics::BodyMotion{s.motion.base_X[b], s.motion.base_twist[b]};
        };
        dynamics::joint_state(model_, j, motion(model_.joint_parent[j]), motion(model_.joint_child[j]), out.joint_q,
                              out.joint_qd, true);
    };
    // Coordinates of joints that are no link's own: loops, free roots.
    tasks::for_chunks(s.pool, read_off_.size(), kNumbersAtOnce, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i) publish_joint(read_off_[i]);
    });
    out.time = in.time + dt;
    published_body_.assign(out.body_q.begin(), out.body_q.end());
    published_twist_.assign(out.body_qd.begin(), out.body_qd.end());
    published_q_.assign(out.joint_q.begin(), out.joint_q.end());
    published_qd_.assign(out.joint_qd.begin(), out.joint_qd.end());
}

/// Strengths are numbers that may change between steps, so they are looked at anew in each.
void SoftStep::find_breakable()
{
    breakable_.clear();
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(model_.joint_count()); ++j)
        if (model_.joint_break_force[j] < kNeverBreaks || model_.joint_break_torque[j] < kNeverBreaks)
            breakable_.push_back(j);
}

void SoftStep::break_joints(double h, StepReport& report)
{
    for (const std::int32_t j : breakable_) {
        if (!system_.enabled[j]) continue;
        const JointLoad load = joint_load(system_, j, h);
        if (!(load.force > static_cast<double>(model_.joint_break_force[j])) &&
            !(load.torque > static_cast<double>(model_.joint_break_torque[j])))
            continue;
        report.broken.push_back({j, load.force, load.torque});
        system_.broken[j] = 1;
        rebuild_          = true;
    }
}

void SoftStep::fill_observables(double h, double dt)
{
    const System& s = system_;
    Observables&  o = *observed_;
    o.body_qdd.assign(model_.body_count(), {});
    o.body_parent_f.assign(model_.body_count(), {});
    o.joint_drive_f.assign(model_.joint_dof_count(), 0);
    o.body_awake.assign(model_.body_count(), 1);
    for (std::size_t l = 0; l < s.forest.links.size(); ++l) {
        const std::int32_t b = s.forest.links[l].body;
        o.body_awake[b]      = slept_[l] ? 0 : 1;
        o.body_qdd[b]        = static_cast<Spatial>((1 / dt) * (s.motion.twist[l] - s.start_twist[l]));
        o.body_parent_f[b]   = static_cast<Spatial>(s.inbound[l]);
    }
    for (std::int32_t k = 0; k < s.forest.dof_count; ++k) {
        if (s.forest.model_dof[k] < 0) continue;
        const DofLaw& law = s.laws[k];
        const double  v   = s.motion.v[k];
        // The drive at the end of the step, within its effort limit.
        const double drive = law.ke * (law.error - h * v) + law.kd * (law.target_rate - v);
        o.joint_drive_f[s.forest.model_dof[k]] =
            static_cast<Real>(law.ke == 0 && law.kd == 0 ? 0 : std::clamp(drive, -law.effort_limit, law.effort_limit));
    }
}

void SoftStep::rebuild()
{
    System old;
    std::swap(old, system_);
    system_.broken        = old.broken;
    system_.sleep.enabled = old.sleep.enabled;
    build_system(model_, system_);
    reset_sleep(system_, {});
    carry_over(old, system_);
    rebuild_ = false;
    remember_structure();
}

StepReport SoftStep::step(const model::State& in, model::State& out, const model::Control& control,
                          model::Contacts* contacts, double dt)
{
    const tasks::Phase phase(options_.pool);
    StepReport         report;
    Culprit            culprit;
    const auto         undo = [&] {
        report.diverged      = true;
        report.culprit_body  = culprit.body;
        report.culprit_joint = culprit.joint;
        if (!culprit.text.empty()) report.culprit = culprit.text;
        if (&out != &in) out = in;
        forget();
        return report;
    };
    const auto refuse = [&](std::string why) {
        report.refused = make_diagnostic(kSolverState, {}, why);
        culprit        = {};
        report         = undo();
        report.culprit = std::move(why);
        return report;
    };
    // The memory of impulses may be exchanged again after this step.
    exchange_.nothing_pushed = false;
    if (structure_changed()) rebuild();
    find_breakable();
    if (!(dt >= 0) || !std::isfinite(dt)) {
        return refuse(fmt::format("dt is {}, expected a positive number of seconds", dt));
    }
    if (in.body_q.size() != model_.body_count() || in.joint_q.size() != model_.joint_coord_count() ||
        in.body_qd.size() != model_.body_count() || in.joint_qd.size() != model_.joint_dof_count() ||
        (!in.body_f.empty() && in.body_f.size() != model_.body_count()))
        return refuse("the state's arrays do not have the sizes of the model");
    if (!model::fits(model_, control)) return refuse("the control's arrays do not have the sizes of the model");
    if (contacts && !model::fits(model_, *contacts)) return refuse("the contacts are of another model");
    if (contacts)
        if (auto readable = particle_contacts_only(name(), *contacts); !readable) {
            report.refused = readable.error();
            report.culprit = report.refused->message;
            return undo();
        }
    if (dt == 0) {
        if (&out != &in) out = in;
        return report;
    }
    System&      s        = system_;
    const int    substeps = options_.substeps;
    const double h        = dt / substeps;
    s.pool                = options_.pool;
    load_state(in, control, dt, culprit);
    if (all_faulty(s)) return undo();
    s.wants_reactions = observed_ != nullptr || !breakable_.empty();
    if (s.wants_reactions) begin_reactions(s);
    start_prescribed(s, trees_untouched_);
    if (contacts)
        load_contacts(s, *contacts, options_.combine, h, substeps);
    else {
        s.contacts    = {};
        s.batch_count = 0;
    }
    drop_far_contacts(s, dt);
    disturb_carried(s, bases_moved_);
    if (contacts) disturb_batches(s, *contacts, dt);
    build_islands(s);
    spread_wakefulness(s);
    slept_.assign(s.forest.links.size(), 0);
    for (std::size_t l = 0; s.sleep.enabled && l < slept_.size(); ++l) {
        slept_[l] = asleep(s, static_cast<std::int32_t>(l)) ? 1 : 0;
        report.sleeping_bodies += slept_[l];
    }

    reports_.assign(s.islands.size(), {});
    const bool faults = std::find(s.faulty.begin(), s.faulty.end(), 1) != s.faulty.end();
    for (Island& island : s.islands)
        for (std::int32_t i = island.group_begin; faults && i < island.group_end; ++i)
            island.frozen = island.frozen || faulty(s, s.forest.trees[s.groups[s.island_groups[i]].tree_begin].world);
    choose_blocks(s);
    list_work(s);
    const auto each_work = [&](const auto& run) {
        const auto one = [&](std::size_t k) { run(s.work[k]); };
        if (options_.pool && s.work.size() > 1)
            // At most 64 shares: islands are many and small, or few and large.
            options_.pool->for_each(s.work.size(), std::max<std::size_t>(1, s.work.size() / 64), one);
        else
            for (std::size_t k = 0; k < s.work.size(); ++k) one(k);
    };
    for (const Island& island : s.islands)
        if (island.asleep)
            for (std::int32_t i = island.contact_begin; i < island.contact_end; ++i) {
                // What rests keeps resting on the forces it fell asleep with.
                ContactRow& row = *s.order[i];
                for (std::size_t k = 0; k < 3; ++k) row.impulse_sum[k] = substeps * row.lambda[k];
                for (std::size_t k = 0; k < 3; ++k) row.spin.impulse_sum[k] = substeps * row.spin.lambda[k];
            }
    const bool moving = std::any_of(s.forest.prescribed.begin(), s.forest.prescribed.end(),
                                    [&](std::int32_t b) { return !(s.motion.base_twist[b] == Spatiald{}); });
    // With a moving base islands must see the same base in each substep.
    if (moving) {
        // Islands share the moving base, so they go through the substeps together.
        for (int k = 0; k < substeps; ++k) {
            for (const std::int32_t b : s.forest.prescribed) place_prescribed(s, b, k * h);
            each_work([&](const Work& work) { run_substep(s, work, h, k, reports_); });
        }
        for (const std::int32_t b : s.forest.prescribed) place_prescribed(s, b, dt);
        each_work([&](const Work& work) { finish(s, work, h, reports_); });
    } else {
        each_work([&](const Work& work) {
            for (int k = 0; k < substeps; ++k) run_substep(s, work, h, k, reports_);
            finish(s, work, h, reports_);
        });
    }
    for (const IslandReport& r : reports_) {
        report.clamped_velocities += r.clamped;
        report.contact_rows += r.contact_rows;
        report.limit_rows += r.limit_rows;
        report.loop_rows += r.loop_rows;
        report.block_solves += r.block_solves;
        report.block_fallbacks += r.block_fallbacks;
        report.joint_error_linear  = std::max(report.joint_error_linear, r.loop_error_linear);
        report.joint_error_angular = std::max(report.joint_error_angular, r.loop_error_angular);
    }
    for (const Island& island : s.islands) report.sweeps += island.sweeps;
    const bool sound = std::all_of(reports_.begin(), reports_.end(), [](const IslandReport& r) { return r.sound; });
    find_divergence(s, options_.substeps, true, sound, culprit);
    if (all_faulty(s)) return undo();
    if (s.wants_reactions) {
        find_reactions(s, h, dt);
        break_joints(h, report);
        if (observed_) fill_observables(h, dt);
    }
    // Before publishing, so that what falls asleep is published at rest.
    fall_asleep(s, dt);
    publish(in, out, dt);
    if (contacts) report.deepest_penetration = store_contacts(s, *contacts, h, substeps);
    for (std::size_t p = 0; p < s.batch_count; ++p)
        report.deepest_penetration = std::max(report.deepest_penetration, -static_cast<double>(s.batches[p].least));
    if (!culprit.text.empty()) {
        for (std::size_t w = 1; w < s.faulty.size(); ++w)
            if (s.faulty[w]) report.diverged_worlds.push_back(static_cast<std::int32_t>(w) - 1);
        report.culprit_body  = culprit.body;
        report.culprit_joint = culprit.joint;
        report.culprit       = culprit.text;
        forget_worlds(s, s.faulty);
    }
    // The joint is out from the next step on.
    if (rebuild_) rebuild();  // a joint broke
    return report;
}

}  // namespace

Options options_of(const SolverChoice& choice)
{
    Options out;
    for (const Setting& setting : choice.settings) {
        if (setting.name == "rigid_islands") out.rigid_islands = static_cast<RigidIslands>(setting.value);
        if (setting.name == "soft_solver") out.soft_xpbd = setting.value != 0;
    }
    return out;
}

std::unique_ptr<Solver> make(const model::Model& model, const SolverOptions& options, const SolverChoice& choice,
                             Diagnostics& out)
{
    auto solver = std::make_unique<SoftStep>(model, options, choice);
    solver->report_features(out);
    return solver;
}

}  // namespace mechane::solvers::softstep

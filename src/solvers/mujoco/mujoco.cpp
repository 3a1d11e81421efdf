// Making of the solver `mujoco`: options, conversion and compile, and what a compiled model says of itself.

#include "solvers/mujoco/mujoco.h"

#include <fmt/format.h>

#include <algorithm>

#include "solvers/mujoco/library.h"
#include "solvers/mujoco/over_mujoco.h"

namespace mechane::solvers::mujoco {

namespace {

/// The same but for names and for what `Compiled::update` takes over.
/// What `Compiled::update` can write into an mjModel is blanked out; if the rest is equal, no new compile is needed.
Description structure(Description d)
{
    const EngineOptions plain;
    d.option = plain;
    // What MuJoCo's compiler makes of a ratio of damping depends on gains and inertias.
    const auto relative = [](const ActuatorItem& a) { return a.bias[2] > 0 && a.gain[0] == -a.bias[1]; };
    const bool ratios   = std::any_of(d.actuators.begin(), d.actuators.end(), relative);
    for (JointItem& j : d.joints) {
        JointItem bare;
        bare.body = j.body, bare.kind = j.kind, bare.pos = j.pos, bare.axis = j.axis, bare.ref = j.ref;
        bare.actgravcomp = j.actgravcomp;
        if (ratios) bare.armature = j.armature;
        j = bare;
    }
    for (GeomItem& g : d.geoms) {
        const GeomItem bare;
        g.friction = bare.friction, g.solref = bare.solref, g.solimp = bare.solimp, g.solmix = bare.solmix;
        g.priority = bare.priority, g.condim = bare.condim;
    }
    for (ActuatorItem& a : d.actuators)
        if (!relative(a)) a.gain = {}, a.bias = {};
    return d;
}
/// The same but for names: worlds that are alike are one model.
Description nameless(Description d)
{
    for (BodyItem& b : d.bodies) b.name.clear();
    for (JointItem& j : d.joints) j.name.clear();
    for (GeomItem& g : d.geoms) g.name.clear(), g.shape = -1;
    for (SiteItem& s : d.sites) s.name.clear(), s.shape = -1;
    for (MeshItem& m : d.meshes) m.name.clear();
    for (HeightItem& h : d.heights) h.name.clear();
    for (TendonItem& t : d.tendons) t.name.clear(), t.row = -1;
    for (ActuatorItem& a : d.actuators) a.name.clear();
    for (EqualityItem& e : d.equalities) e.name.clear(), e.row = e.loop = e.follower = -1;
    return d;
}

}  // namespace

void OverMujoco::read_options()
{
    convert_.newton_compat   = value("newton_compat") != 0;
    convert_.mujoco_contacts = value("use_mujoco_contacts") != 0;
    convert_.contacts        = value("disable_contacts") == 0;
    convert_.include_sites   = value("include_sites") != 0;
    convert_.separate_worlds = value("separate_worlds") != 0;
    convert_.given.clear();
    for (const Setting& s : choice_.settings)
        if (s.value >= 0) convert_.given[s.name] = s.value;
}

Result<void> OverMujoco::rebuild(Shortfalls& shortfalls)
{
    bodies_.read_model();
    forest_ = dynamics::build_forest(model_);
    motion_ = {};
    motion_.resize(forest_, model_.body_count());
    other_joints_.clear();
    for (std::size_t j = 0; j < model_.joint_count(); ++j)
        if (forest_.joint_link[j] < 0 || link(forest_.joint_link[j]).free)
            other_joints_.push_back(static_cast<std::int32_t>(j));
    constexpr int kRk4 = 1, kDiscrete = 4;
    auto          parts = convert(model_, forest_, attributes_, convert_, surfaces_, shortfalls);
    if (!parts) return parts.error();
    for (const Part& part : *parts)
        if (!convert_.mujoco_contacts &&
            (part.what.option.integrator == kRk4 || part.what.option.integrator == kDiscrete))
            return make_diagnostic(kSolverModel, {},
                                   "mujoco: contacts that are given are taken by the integrators euler, implicit and "
                                   "implicitfast alone",
                                   "Take one of these, or use_mujoco_contacts=1.");

    // One mjModel for all parts that are alike. An old one serves those that it served, if its structure is theirs.
    std::vector<Instance>        instances(parts->size());
    std::vector<Description>     models;
    std::vector<std::size_t>     first;
    std::vector<const Compiled*> taken;
    std::vector<std::size_t>     model_of(parts->size());
    for (std::size_t p = 0; p < parts->size(); ++p) {
        Description own   = nameless((*parts)[p].what);
        const auto  found = std::find(models.begin(), models.end(), own);
        model_of[p]       = static_cast<std::size_t>(found - models.begin());
        if (found == models.end()) models.push_back(std::move(own)), first.push_back(p);
    }
    std::vector<std::shared_ptr<Compiled>> compiled(models.size());
    for (std::size_t k = 0; k < models.size(); ++k) {
        const std::size_t p   = first[k];
        Instance* const   old = p < instances_.size() ? &instances_[p] : nullptr;
        // An old compile serves if no other part has taken it, and the structures agree but for names.
        const bool fits = old != nullptr && old->part.world == (*parts)[p].world &&
                          std::find(taken.begin(), taken.end(), old->compiled.get()) == taken.end() &&
                          structure(nameless(old->part.what)) == structure(models[k]);
        if (fits) {
            compiled[k] = old->compiled;
            if (!(nameless(old->part.what) == models[k])) compiled[k]->update((*parts)[p].what);
        } else {
            auto made = backend_.compile((*parts)[p].what);
            if (!made) return made.error();
            compiled[k] = *std::move(made);
        }
        taken.push_back(compiled[k].get());
    }
    // The state of a world survives a recompile as far as sizes allow.
    for (std::size_t p = 0; p < parts->size(); ++p) {
        Instance& instance  = instances[p];
        instance.part       = std::move((*parts)[p]);
        instance.compiled   = compiled[model_of[p]];
        Instance* const old = p < instances_.size() ? &instances_[p] : nullptr;
        if (old != nullptr && old->compiled == instance.compiled) {
            instance.world = std::move(old->world);
            instance.last  = std::move(old->last);
        } else {
            auto world = instance.compiled->make_world();
            if (!world) return world.error();
            instance.world = *std::move(world);
            if (old != nullptr && old->world != nullptr)
                static_cast<void>(instance.world->remember(old->world->memory()));
        }
        write_active(instance);
        list_pulls(instance);
    }
    instances_ = std::move(instances);
    instance_of_world_.assign(static_cast<std::size_t>(model_.world_count) + 1, instances_.size() == 1 ? 0 : -1);
    for (std::size_t s = 0; s < instances_.size(); ++s)
        if (instances_[s].part.world >= 0)
            instance_of_world_[static_cast<std::size_t>(instances_[s].part.world + 1)] = static_cast<std::int32_t>(s);
    dirty_ = false;
    return {};
}

std::vector<std::int32_t> OverMujoco::origins(std::size_t world, std::string_view object) const
{
    const Instance&           instance = instances_[world];
    const Addresses&          at       = instance.compiled->addresses();
    std::vector<std::int32_t> out;
    const auto                put = [&](std::int32_t id, std::int32_t what) {
        if (id < 0) return;
        if (out.size() <= static_cast<std::size_t>(id)) out.resize(static_cast<std::size_t>(id) + 1, -1);
        // Arrays by MuJoCo's ids, -1 where an id stands for nothing of the model.
        out[static_cast<std::size_t>(id)] = what;
    };
    const auto id = [](const std::vector<std::int32_t>& ids, std::int32_t i) {
        return ids[static_cast<std::size_t>(i)];
    };
    if (object == "body") {
        put(0, -1);
        for (const LinkPlace& s : instance.part.links) put(id(at.body, s.body), link(s.link).body);
        for (const LedPlace& s : instance.part.led) put(id(at.body, s.item), s.body);
    } else if (object == "geom") {
        for (std::size_t s = 0; s < instance.part.geom_of_shape.size(); ++s)
            if (instance.part.geom_of_shape[s] >= 0)
                put(id(at.geom, instance.part.geom_of_shape[s]), static_cast<std::int32_t>(s));
    } else if (object == "equality" || object == "loop" || object == "follower") {
        for (std::size_t e = 0; e < instance.part.what.equalities.size(); ++e) {
            const EqualityItem& from = instance.part.what.equalities[e];
            put(at.equality[e], object == "equality" ? from.row : object == "loop" ? from.loop : from.follower);
        }
    } else if (object == "tendon") {
        for (const TendonItem& t : instance.part.what.tendons) out.push_back(t.row);
    } else if (object == "actuator" || object == "control") {
        // "control": 1 where a row of its own controls it. "actuator": that row; else the dof that its drive holds by
        // position, or -2 less the dof that it holds by velocity.
        for (const ControlPlace& c : instance.part.controls) {
            const bool direct = c.source == ControlPlace::Source::direct;
            if (object == "control")
                put(c.actuator, direct ? 1 : 0);
            else
                put(c.actuator, direct ? c.at : c.source == ControlPlace::Source::position ? c.dof : -2 - c.dof);
        }
    } else if (object == "joint" || object == "dof") {
        for (const LinkPlace& s : instance.part.links) {
            const Link& l = link(s.link);
            if (l.joint < 0) continue;
            const std::int32_t first = model_.joint_qd_start[l.joint], n = model_.joint_qd_start[l.joint + 1] - first;
            for (std::int32_t k = 0; k < s.joints; ++k) {
                if (object == "joint") put(id(at.joint, s.joint + k), l.joint);
                const std::int32_t each = s.joints == 0 ? 0 : n / s.joints;
                for (std::int32_t d = 0; object == "dof" && d < each; ++d)
                    put(id(at.qvel, s.joint + k) + d, first + k * each + d);
            }
        }
    }
    return out;
}

Result<std::unique_ptr<Solver>> make(const model::Model& model, const SolverOptions& options, SolverChoice choice,
                                     MujocoTables tables, Diagnostics& out)
{
    const auto backend = library();
    if (!backend) return backend.error();
    auto made = std::make_unique<OverMujoco>(model, options, std::move(choice), **backend, std::move(tables));
    if (auto begun = made->begin(out); !begun) return begun.error();
    return std::unique_ptr<Solver>(std::move(made));
}

}  // namespace mechane::solvers::mujoco

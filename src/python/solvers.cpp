// Python's solvers: make one by its name, step it, run many steps in one call, save and restore its inner state, and
// MuJoCo's tables and numbers.
// A BoundSolver keeps model and thread pool alive. Each call checks sizes and indices of what Python hands over, frees
// the interpreter's lock for the work, and refuses a second thread.
// States, controls and contacts are the model's; wrenches are about the centre of mass in world axes, N and N m.

#include "mechane/solvers/solver.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "mechane/collision/pipeline.h"
#include "mechane/solvers/contact_wrench.h"
#include "mechane/solvers/mujoco.h"
#include "mechane/solvers/parameters.h"
#include "python/arrays.h"
#include "python/errors.h"
#include "python/indices.h"
#include "python/module.h"
#include "python/pool.h"

namespace mechane::python {

namespace {

using model::Contacts;
using model::Control;
using model::Model;
using model::State;

nb::dict to_python(const solvers::StepReport& r)
{
    nb::dict out;
    out["diverged"]            = r.diverged;
    out["diverged_worlds"]     = r.diverged_worlds;
    out["culprit_body"]        = r.culprit_body;
    out["culprit_joint"]       = r.culprit_joint;
    out["culprit"]             = nb::str(r.culprit.c_str());
    out["clamped_velocities"]  = r.clamped_velocities;
    out["contact_rows"]        = r.contact_rows;
    out["limit_rows"]          = r.limit_rows;
    out["loop_rows"]           = r.loop_rows;
    out["block_solves"]        = r.block_solves;
    out["block_fallbacks"]     = r.block_fallbacks;
    out["sleeping_bodies"]     = r.sleeping_bodies;
    out["deepest_penetration"] = r.deepest_penetration;
    out["joint_error_linear"]  = r.joint_error_linear;
    out["joint_error_angular"] = r.joint_error_angular;
    out["refused"]             = r.refused ? nb::cast(r.refused->message) : nb::none();
    nb::list broken;
    for (const solvers::BrokenJoint& b : r.broken) broken.append(nb::make_tuple(b.joint, b.force, b.torque));
    out["broken"] = broken;
    return out;
}

/// Rows and shapes that there are: the arrays are open to whoever writes, and may be of another model.
/// Solvers follow the shape indices unchecked.
void check_rows(const Contacts& contacts, const Model& model)
{
    const auto count = static_cast<std::size_t>(std::max(contacts.rigid_contact_count, 0));
    if (contacts.rigid_contact_count < 0 || count > contacts.capacity())
        throw nb::value_error("contacts: rigid_contact_count is not between 0 and rigid_contact_max");
    const auto known = [&](std::int32_t shape) {
        return shape >= 0 && static_cast<std::size_t>(shape) < model.shape_count();
    };
    for (std::size_t i = 0; i < count; ++i)
        if (!known(contacts.rigid_contact_shape0[i]) || !known(contacts.rigid_contact_shape1[i]))
            throw nb::value_error("contacts: of another model, or a row names no shape");
}

/// A solver with what it needs to live. One thread at a time may be inside.
class BoundSolver {
  public:
    BoundSolver(const std::string& name, std::shared_ptr<Model> model, int substeps, bool sleeping)
        : model_(std::move(model)), pool_(current_pool()), control_(make_control(*model_))
    {
        check_indices(*model_);
        const solvers::SolverOptions options{.substeps = substeps, .pool = pool_.get(), .sleeping = sleeping};
        solver_ = unwrap(solvers::make_solver(name, *model_, options, found_));
    }

    /// MuJoCo's, with tables: name -> (columns, numbers, texts).
    BoundSolver(const std::string& name, std::shared_ptr<Model> model, int substeps, const nb::dict& tables)
        : model_(std::move(model)), pool_(current_pool()), control_(make_control(*model_))
    {
        check_indices(*model_);
        const solvers::SolverOptions options{.substeps = substeps, .pool = pool_.get()};
        solver_ = unwrap(solvers::make_mujoco(name, *model_, options, to_tables(tables), found_));
    }
    static solvers::MujocoTables to_tables(const nb::dict& tables)
    {
        solvers::MujocoTables out;
        for (const auto& [key, value] : tables) {
            const auto [columns, numbers, texts] =
                nb::cast<std::tuple<std::size_t, std::vector<double>, std::vector<std::string>>>(value);
            out[nb::cast<std::string>(key)] = {columns, numbers, texts};
        }
        return out;
    }
    solvers::MujocoSolver& mujoco() const
    {
        auto* const inside = dynamic_cast<solvers::MujocoSolver*>(solver_.get());
        // All mujoco_* methods work with this solver only; the facade offers them on its class alone.
        if (inside == nullptr) throw nb::type_error("the solver is not MuJoCo's");
        return *inside;
    }
    std::size_t in_worlds(std::size_t world) const
    {
        if (world >= mujoco().world_count()) throw nb::index_error("world: out of range");
        return world;
    }
    nb::dict mujoco_fields(std::size_t world) const
    {
        nb::dict out;
        for (solvers::MujocoField& f : mujoco().fields(in_worlds(world)))
            out[nb::str(f.name.c_str())] = owned(std::move(f.numbers), {f.rows, f.columns});
        return out;
    }
    std::vector<std::string> mujoco_names(std::size_t world, const std::string& object) const
    { return mujoco().names(in_worlds(world), object); }
    nb::bytes mujoco_binary(std::size_t world) const
    {
        const auto bytes = mujoco().binary(in_worlds(world));
        return nb::bytes(bytes.data(), bytes.size());
    }
    std::vector<double> mujoco_numbers(std::size_t world) const { return mujoco().numbers(in_worlds(world)); }
    std::vector<double> mujoco_push(std::size_t world, const State& state)
    {
        check(state, "state");
        const Inside inside(busy_);
        return mujoco().push(in_worlds(world), state);
    }
    bool mujoco_pull(std::size_t world, const std::vector<double>& numbers, State& state)
    {
        check(state, "state");
        const Inside inside(busy_);
        return mujoco().pull(in_worlds(world), numbers, state);
    }
    void mujoco_control(const std::vector<double>& values)
    {
        const Inside inside(busy_);
        mujoco().set_direct_control(values);
    }
    /// Whether accelerations and joint wrenches are kept from now on.
    void observe(bool wanted)
    {
        const Inside inside(busy_);
        solver_->observe(wanted ? &observed_ : nullptr);
    }
    /// Wrench of each body's inbound joint in the last step, [bodies, 6].
    nb::object parent_wrenches() const
    {
        std::vector<Real> out;
        for (const Spatial& f : observed_.body_parent_f)
            out.insert(out.end(), {f.linear.x, f.linear.y, f.linear.z, f.angular.x, f.angular.y, f.angular.z});
        const std::size_t rows = observed_.body_parent_f.size();
        return owned(std::move(out), {rows, std::size_t{6}});
    }
    /// What of the model each object of an mjModel stands for, by id.
    std::vector<std::int32_t> mujoco_origins(std::size_t world, const std::string& object) const
    { return mujoco().origins(in_worlds(world), object); }
    nb::object mujoco_dof_forces(const std::string& kind) const
    {
        std::vector<double> out = mujoco().dof_forces(kind);
        const std::size_t   n   = out.size();
        return owned(std::move(out), {n});
    }
    std::string mujoco_mjcf(std::size_t world)
    {
        const Inside inside(busy_);
        return unwrap(mujoco().mjcf(in_worlds(world)));
    }
    std::vector<std::uint8_t> mujoco_overflows() const { return mujoco().overflows(); }
    std::vector<double>       mujoco_contacts(std::size_t world) const { return mujoco().contacts(in_worlds(world)); }
    /// What was written to the model reaches the mjModels now.
    void mujoco_refresh()
    {
        const Inside inside(busy_);
        unwrap(mujoco().refresh());
    }
    void mujoco_tables(const nb::dict& tables)
    {
        const Inside inside(busy_);
        mujoco().set_tables(to_tables(tables));
    }
    void found_contacts(const State& state, Contacts& contacts) const
    {
        check(state, "state");
        const Inside inside(busy_);
        solver_->found_contacts(state, contacts);
    }

    nb::dict step(const State& in, State& out, const Control* control, Contacts* contacts, double dt)
    {
        check(in, "state_in");
        check(out, "state_out");
        check_indices(*model_);
        // A control of another model would be read beyond its end. A null control means none: zero forces and the
        // model's targets (control_).
        if (control != nullptr && (control->joint_f.size() != model_->joint_dof_count() ||
                                   control->joint_target_q.size() != model_->joint_coord_count()))
            throw nb::value_error("control: of another model");
        if (contacts != nullptr) check_rows(*contacts, *model_);
        const Inside        inside(busy_);
        solvers::StepReport report;
        {
            const nb::gil_scoped_release released;
            report = solver_->step(in, out, control != nullptr ? *control : control_, contacts, dt);
        }
        return to_python(report);
    }

    /// Collides and steps `frames` times from `state`, in place. Keys and Ctrl-C are looked at between frames.
    nb::object rollout(State& state, std::int64_t frames, double dt, int substeps, const Control* control, bool record)
    {
        check(state, "state");
        check_indices(*model_);
        const Inside                 inside(busy_);
        collision::CollisionPipeline pipeline(*model_, {.pool = pool_.get()});
        Contacts                     contacts = pipeline.make_contacts();
        const double                 h        = dt / substeps;
        std::vector<Real>            body_q, joint_q;
        std::vector<double>          t;
        bool                         diverged = false;
        // Frames + 1 entries: the start is the first.
        const auto                   keep     = [&] {
            if (!record) return;
            const auto* q = reinterpret_cast<const Real*>(state.body_q.data());
            body_q.insert(body_q.end(), q, q + 7 * state.body_q.size());
            joint_q.insert(joint_q.end(), state.joint_q.begin(), state.joint_q.end());
            t.push_back(state.time);
        };
        keep();
        std::int64_t done = 0;
        // The lock is free for the substeps of one frame and held between frames, where Ctrl-C is looked at and another
        // thread of Python can run. State is stepped in place: solvers accept one object as input and output.
        for (; done < frames && !diverged; ++done) {
            {
                const nb::gil_scoped_release released;
                const bool                   finds = solver_->finds_contacts();
                for (int k = 0; k < substeps && !diverged; ++k) {
                    if (!finds) pipeline.collide(state, h, contacts);
                    diverged = solver_
                                   ->step(state, state, control != nullptr ? *control : control_,
                                          finds ? nullptr : &contacts, h)
                                   .diverged;
                }
            }
            keep();
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
        }
        nb::dict out;
        out["frames"]   = done;
        out["diverged"] = diverged;
        if (record) {
            const std::size_t n = t.size();
            out["t"]            = owned(std::move(t), {n});
            out["body_q"]       = owned(std::move(body_q), {n, state.body_q.size(), 7});
            out["joint_q"]      = owned(std::move(joint_q), {n, state.joint_q.size()});
        }
        return out;
    }

    /// Arrays of the model were written to; `changes` are bits of `solvers::change`.
    void notify(std::uint32_t changes)
    {
        const Inside inside(busy_);
        solver_->notify(changes);
    }
    void reset()
    {
        const Inside inside(busy_);
        solver_->reset();
    }
    /// @param selected  a byte for each world [world_count]
    void reset_worlds(const nb::bytes& selected)
    {
        const Inside inside(busy_);
        solver_->reset_worlds({reinterpret_cast<const std::uint8_t*>(selected.data()), selected.size()});
    }
    nb::bytes save() const
    {
        const std::vector<std::byte> bytes = solver_->save();
        return nb::bytes(bytes.data(), bytes.size());
    }
    bool restore(const nb::bytes& bytes)
    { return solver_->restore({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}); }
    /// Another value of a parameter, from the next step on.
    bool configure(const std::string& parameter, double value)
    {
        const Inside inside(busy_);
        auto* const  adjustable = dynamic_cast<solvers::Adjustable*>(solver_.get());
        return adjustable != nullptr && adjustable->configure({parameter, value});
    }
    [[nodiscard]] std::string name() const { return std::string(solver_->name()); }
    [[nodiscard]] nb::list    diagnostics() const { return python::to_python(found_); }

  private:
    /// Two threads in one solver: the second gets an error, never a race.
    /// A flag, not a mutex: waiting would hide a mistake of the program, and two threads that step one solver get
    /// results that depend on their order.
    struct Inside {
        explicit Inside(std::atomic<bool>& flag) : busy(flag)
        {
            if (busy.exchange(true)) throw std::runtime_error("busy: another thread is stepping this solver");
        }
        ~Inside() { busy = false; }
        Inside(const Inside&)                       = delete;
        Inside&            operator=(const Inside&) = delete;
        std::atomic<bool>& busy;
    };

    void check(const State& state, const char* argument) const
    {
        if (state.body_q.size() != model_->body_count() || state.joint_q.size() != model_->joint_coord_count() ||
            state.particle_q.size() != model_->particle_count())
            throw nb::value_error((std::string(argument) + ": of another model").c_str());
    }

    std::shared_ptr<Model>             model_;
    std::shared_ptr<const tasks::Pool> pool_;
    Control                            control_;
    solvers::Observables               observed_;
    Diagnostics                        found_;
    std::unique_ptr<solvers::Solver>   solver_;
    mutable std::atomic<bool>          busy_ = false;
};

}  // namespace

void bind_solvers(nb::module_& m)
{
    nb::class_<BoundSolver>(m, "Solver")
        .def(nb::init<std::string, std::shared_ptr<Model>, int, bool>(), nb::arg("name"), nb::arg("model"),
             nb::arg("substeps"), nb::arg("sleeping"))
        .def(nb::init<std::string, std::shared_ptr<Model>, int, nb::dict>(), nb::arg("name"), nb::arg("model"),
             nb::arg("substeps"), nb::arg("tables"))
        .def("mujoco_fields", &BoundSolver::mujoco_fields, nb::arg("world"))
        .def("mujoco_names", &BoundSolver::mujoco_names, nb::arg("world"), nb::arg("object"))
        .def("mujoco_binary", &BoundSolver::mujoco_binary, nb::arg("world"))
        .def("mujoco_numbers", &BoundSolver::mujoco_numbers, nb::arg("world"))
        .def("mujoco_push", &BoundSolver::mujoco_push, nb::arg("world"), nb::arg("state"))
        .def("mujoco_pull", &BoundSolver::mujoco_pull, nb::arg("world"), nb::arg("numbers"), nb::arg("state"))
        .def("mujoco_control", &BoundSolver::mujoco_control, nb::arg("values"))
        .def("mujoco_tables", &BoundSolver::mujoco_tables, nb::arg("tables"))
        .def("observe", &BoundSolver::observe, nb::arg("wanted"))
        .def("parent_wrenches", &BoundSolver::parent_wrenches)
        .def("mujoco_dof_forces", &BoundSolver::mujoco_dof_forces, nb::arg("kind"))
        .def("mujoco_mjcf", &BoundSolver::mujoco_mjcf, nb::arg("world"))
        .def("mujoco_overflows", &BoundSolver::mujoco_overflows)
        .def("mujoco_contacts", &BoundSolver::mujoco_contacts, nb::arg("world"))
        .def("mujoco_origins", &BoundSolver::mujoco_origins, nb::arg("world"), nb::arg("object"))
        .def("mujoco_refresh", &BoundSolver::mujoco_refresh)
        .def("found_contacts", &BoundSolver::found_contacts, nb::arg("state"), nb::arg("contacts"))
        .def_prop_ro("mujoco_world_count", [](const BoundSolver& s) { return s.mujoco().world_count(); })
        .def("step", &BoundSolver::step, nb::arg("state_in"), nb::arg("state_out"), nb::arg("control").none(),
             nb::arg("contacts").none(), nb::arg("dt"))
        .def("rollout", &BoundSolver::rollout, nb::arg("state"), nb::arg("frames"), nb::arg("dt"), nb::arg("substeps"),
             nb::arg("control").none(), nb::arg("record"))
        .def("configure", &BoundSolver::configure, nb::arg("parameter"), nb::arg("value"))
        .def("notify", &BoundSolver::notify, nb::arg("changes"))
        .def("reset", &BoundSolver::reset)
        .def("reset_worlds", &BoundSolver::reset_worlds, nb::arg("selected"))
        .def("save", &BoundSolver::save)
        .def("restore", &BoundSolver::restore)
        .def("diagnostics", &BoundSolver::diagnostics)
        .def_prop_ro("name", &BoundSolver::name);
    m.def(
        "contact_wrenches",
        [](const Model& model, const State& state, const Contacts& contacts, const RealsOut& on_body0) {
            if (state.body_q.size() != model.body_count()) throw nb::value_error("state: of another model");
            check_rows(contacts, model);
            check_indices(model);
            if (on_body0.size() < 6 * static_cast<std::size_t>(contacts.rigid_contact_count))
                throw nb::value_error("on_body0: fewer rows than contacts");
            solvers::contact_wrenches(model, state, contacts,
                                      {reinterpret_cast<Spatial*>(on_body0.data()), on_body0.size() / 6});
        },
        nb::arg("model"), nb::arg("state"), nb::arg("contacts"), nb::arg("on_body0"));
    m.def("mujoco_library", [] {
        const solvers::MujocoLibrary library = solvers::mujoco_library();
        nb::dict                     out;
        out["built_for"] = library.built_for;
        out["path"]      = library.path;
        out["version"]   = library.version;
        out["problem"]   = library.problem;
        return out;
    });
    m.def("set_mujoco_library", &solvers::set_mujoco_library, nb::arg("path"));
    m.def("solver_names", [] {
        std::vector<std::string> out;
        for (const std::string_view name : solvers::solver_names()) out.emplace_back(name);
        return out;
    });
}

}  // namespace mechane::python

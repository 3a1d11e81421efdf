// The adapter of one version of MuJoCo, compiled once for each: MECHANE_MUJOCO_VERSION names its namespace, and the
// headers of that version are in the include path. Types of the headers are inside of the namespace, so that those of
// two versions are two types. Functions are looked up in the library that was loaded.
#include <dlfcn.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "mechane/solvers/codes.h"
#include "solvers/mujoco/backend.h"

namespace mechane::solvers::mujoco::MECHANE_MUJOCO_VERSION {

#include <mujoco/mujoco.h>

namespace {

// clang-format off
#define MECHANE_MUJOCO_FUNCTIONS(X)                                                                                   \
    X(mj_makeSpec) X(mj_deleteSpec) X(mj_compile) X(mjs_getError) X(mjs_numWarnings) X(mjs_getWarning)                 \
    X(mjs_findBody) X(mjs_addBody) X(mjs_addJoint) X(mjs_addGeom) X(mjs_addSite) X(mjs_addMesh) X(mjs_addHField)       \
    X(mjs_addActuator) X(mjs_addEquality) X(mjs_addTendon) X(mjs_wrapJoint) X(mjs_wrapSite) X(mjs_wrapGeom)            \
    X(mjs_wrapPulley) X(mjs_addPair) X(mjs_addExclude) X(mjs_setName) X(mjs_setString) X(mjs_setFloat) X(mjs_setInt)   \
    X(mjs_getId) X(mj_deleteModel) X(mj_makeData) X(mj_deleteData) X(mj_resetData) X(mj_setConst) X(mj_step)           \
    X(mj_fwdPosition) X(mj_forwardSkip) X(mj_checkPos) X(mj_checkVel) X(mj_checkAcc) X(mj_Euler) X(mj_implicit)        \
    X(mj_addContact) X(mj_makeConstraint) X(mj_island) X(mj_projectConstraint) X(mj_transmission)                      \
    X(mj_contactForce) X(mj_rnePostConstraint) X(mj_objectAcceleration) X(mj_id2name) X(mj_stateSize)                  \
    X(mj_getState) X(mj_setState) X(mj_sizeModel) X(mj_saveModel) X(mju_setLogHandler) \
    X(mj_saveXMLString)
// clang-format on

struct Api {
#define X(name) decltype(&::mechane::solvers::mujoco::MECHANE_MUJOCO_VERSION::name) name = nullptr;
    MECHANE_MUJOCO_FUNCTIONS(X)
#undef X
};

/// While a call runs on this thread: where an error of MuJoCo's goes.
struct Guard {
    std::jmp_buf out;
    char         error[1024] = {};
    Guard*       outer       = nullptr;
};
thread_local Guard* t_guard  = nullptr;
mjfLogHandler       g_before = nullptr;

/// MuJoCo's errors must not return, so they leave the call that made them. Its warnings are counted in mjData.
void on_message(const mjLogMessage* message)
{
    Guard* const guard = t_guard;
    if (guard == nullptr) {
        if (g_before != nullptr && g_before != &on_message) g_before(message);
        return;
    }
    if (message->level < mjLOG_ERROR) return;
    std::memcpy(guard->error, message->subject, strnlen(message->subject, sizeof guard->error - 1));
    std::longjmp(guard->out, 1);
}

/// Runs calls of MuJoCo; nothing in `calls` may need a destructor. The text of an error, empty: none.
template <class Calls>
std::string guarded(Calls&& calls)
{
    Guard guard;
    guard.outer = t_guard;
    t_guard     = &guard;
    if (setjmp(guard.out) == 0) calls();
    t_guard = guard.outer;
    return guard.error;
}

template <class T, std::size_t n>
void put(T (&out)[n], const std::array<double, n>& from)
{ std::copy(from.begin(), from.end(), out); }
void put(double* out, const Vec3d& v) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }
/// MuJoCo writes w first.
void put(double* out, const Quatd& q) { out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z; }
template <class T, std::size_t n>
void put_into(T* out, const std::array<double, n>& from)
{ std::copy(from.begin(), from.end(), out); }
Vec3d vec(const mjtNum* p) { return {p[0], p[1], p[2]}; }

void set_option(mjOption& o, const EngineOptions& from)
{
    put(o.gravity, from.gravity);
    put(o.wind, from.wind);
    put(o.magnetic, from.magnetic);
    o.impratio = from.impratio, o.tolerance = from.tolerance, o.ls_tolerance = from.ls_tolerance;
    o.ccd_tolerance = from.ccd_tolerance, o.density = from.density, o.viscosity = from.viscosity;
    o.iterations = from.iterations, o.ls_iterations = from.ls_iterations, o.ccd_iterations = from.ccd_iterations;
    o.sdf_iterations = from.sdf_iterations, o.sdf_initpoints = from.sdf_initpoints;
    o.integrator = from.integrator, o.solver = from.solver, o.cone = from.cone, o.jacobian = from.jacobian;
    o.disableflags = from.disable, o.enableflags = from.enable;
}

struct LimitLaw {
    Solref solref;
    Solimp solimp;
};

/// As in Newton 1.8: forces are scaled by the inverse inertia at the dof, and by how far the impedance is from 1. The
/// joint sinks into its limit as far as the spring says, but moves there as if it were 1 / (1 - dmax) times as heavy.
Solref newton_solref(const JointItem& joint, double invweight)
{
    if (!(joint.limit_ke > 0) || !(joint.limit_kd > 0)) return joint.solref_limit;
    const double dmax   = joint.solimp_limit[1];
    const double factor = invweight > 0 && dmax < 1 ? invweight * (1 - dmax) : 1;
    const double ke = std::max(joint.limit_ke * factor, 1e-15), kd = std::max(joint.limit_kd * factor, 1e-15);
    return {2 / kd, kd / (2 * std::sqrt(ke))};
}

/// A limit that is a spring and a damper, f = -ke r - kd v, in MuJoCo's numbers. A row of MuJoCo gives the force
/// (aref - a0) / (A + R) with R = (1 - d) / d times the inverse inertia, aref = -k d r - b v, and a0 the acceleration
/// without it. With R = 1 / (h^2 ke + h kd) and aref = -R (ke r + (ke h + kd) v) that is the implicit Euler step of
/// the spring, whatever the inertia A is by now, and so it is stable for any stiffness.
LimitLaw limit_law(const JointItem& joint, double invweight, double h)
{
    if (joint.limit_as_newton) return {newton_solref(joint, invweight), joint.solimp_limit};
    if (!(joint.limit_ke > 0)) return {joint.solref_limit, joint.solimp_limit};
    constexpr double kLeast = 1e-4, kMost = 0.9999;  // the bounds of MuJoCo's impedance
    const double     w = invweight > 0 ? invweight : 1, damping = joint.limit_kd + joint.limit_ke * h;
    const double     s = w * h * damping, d = std::clamp(s / (1 + s), kLeast, kMost);
    // MuJoCo divides -solref by d^2 and by d.
    const double scale = w * (1 - d);
    Solimp       flat  = joint.solimp_limit;
    flat[0] = flat[1] = d;
    return {{-scale * joint.limit_ke, -scale * damping}, flat};
}

class OfWorld final : public World {
  public:
    OfWorld(const Api& api, mjModel* m, mjData* d, const Addresses& at) : api_(api), m_(m), d_(d), at_(at) { look(); }
    ~OfWorld() override { api_.mj_deleteData(d_); }
    OfWorld(const OfWorld&)            = delete;
    OfWorld& operator=(const OfWorld&) = delete;

    const Numbers& numbers() override { return numbers_; }

    Outcome step() override
    {
        return run([this] { api_.mj_step(m_, d_); });
    }

    Outcome step(std::span<GivenContact> contacts) override
    {
        Outcome out = run([this, contacts] {
            api_.mj_checkPos(m_, d_);
            api_.mj_checkVel(m_, d_);
            api_.mj_fwdPosition(m_, d_);
            for (GivenContact& c : contacts) add(c);
            api_.mj_makeConstraint(m_, d_);
            api_.mj_island(m_, d_);
            api_.mj_projectConstraint(m_, d_);
            api_.mj_transmission(m_, d_);
            api_.mj_forwardSkip(m_, d_, mjSTAGE_POS, 1);
            api_.mj_checkAcc(m_, d_);
            if (m_->opt.integrator == mjINT_EULER)
                api_.mj_Euler(m_, d_);
            else
                api_.mj_implicit(m_, d_);
        });
        for (std::size_t i = 0, k = 0; i < contacts.size(); ++i) {
            contacts[i].force = contacts[i].torque = {};
            if (out.failed || contacts[i].dimensions == 0) continue;  // it found no room
            const Spatiald wrench = force_of(static_cast<int>(k++));
            contacts[i].force     = wrench.linear;
            contacts[i].torque    = wrench.angular;
        }
        return out;
    }

    void found(std::vector<FoundContact>& out) override
    {
        out.clear();
        for (int i = 0; i < d_->ncon; ++i) {
            const mjContact& c = d_->contact[i];
            if (c.geom[0] < 0 || c.geom[1] < 0 || c.efc_address < 0) continue;
            const Spatiald wrench = force_of(i);
            out.push_back({at_.geom_of[static_cast<std::size_t>(c.geom[0])],
                           at_.geom_of[static_cast<std::size_t>(c.geom[1])], vec(c.pos), vec(c.frame), c.dist,
                           wrench.linear, wrench.angular});
        }
    }

    Rows rows() const override
    {
        Rows out;
        for (int i = 0; i < d_->nefc; ++i) {
            const int type = d_->efc_type[i];
            if (type == mjCNSTR_EQUALITY)
                ++out.equalities;
            else if (type == mjCNSTR_LIMIT_JOINT || type == mjCNSTR_LIMIT_TENDON)
                ++out.limits;
        }
        for (int i = 0; i < d_->ncon; ++i) {
            if (d_->contact[i].efc_address < 0) continue;
            ++out.contacts;
            out.deepest = std::max(out.deepest, -d_->contact[i].dist);
        }
        return out;
    }

    std::vector<double> friction_forces() const override
    {
        std::vector<double> out(static_cast<std::size_t>(m_->nv), 0.0);
        for (int i = 0; i < d_->nefc; ++i)
            if (d_->efc_type[i] == mjCNSTR_FRICTION_DOF)
                out[static_cast<std::size_t>(d_->efc_id[i])] = d_->efc_force[i];
        return out;
    }

    Outcome prepare_inner_forces() override
    {
        Outcome out;
        out.text   = guarded([this] { api_.mj_rnePostConstraint(m_, d_); });
        out.failed = !out.text.empty();
        return out;
    }
    void inner_forces(std::int32_t body, Spatiald& acceleration, Spatiald& inbound) override
    {
        const int     b = at_.body[static_cast<std::size_t>(body)];
        mjtNum        a[6];
        const mjtNum* f = d_->cfrc_int + 6 * b;
        api_.mj_objectAcceleration(m_, d_, mjOBJ_BODY, b, a, 0);
        acceleration = {vec(a + 3) + vec(m_->opt.gravity), vec(a)};
        // Both are about the centre of mass of the tree's root.
        const Vec3d at = vec(d_->subtree_com + 3 * m_->body_rootid[b]) - vec(d_->xipos + 3 * b);
        inbound        = {vec(f + 3), vec(f) + cross(at, vec(f + 3))};
    }

    void set_active(std::int32_t equality, bool active) override
    { d_->eq_active[at_.equality[static_cast<std::size_t>(equality)]] = active; }

    void reset() override { api_.mj_resetData(m_, d_); }

    std::vector<double> memory() const override
    {
        std::vector<double> out(static_cast<std::size_t>(api_.mj_stateSize(m_, kMemory)));
        api_.mj_getState(m_, d_, out.data(), kMemory);
        return out;
    }
    bool remember(std::span<const double> numbers) override
    {
        if (numbers.size() != static_cast<std::size_t>(api_.mj_stateSize(m_, kMemory))) return false;
        api_.mj_setState(m_, d_, numbers.data(), kMemory);
        return true;
    }

  private:
    static constexpr int kMemory = mjSTATE_TIME | mjSTATE_ACT | mjSTATE_WARMSTART | mjSTATE_HISTORY;

    void look()
    {
        const auto n = [](mjtSize count) { return static_cast<std::size_t>(count); };
        numbers_     = {{d_->qpos, n(m_->nq)},
                        {d_->qvel, n(m_->nv)},
                        {d_->ctrl, n(m_->nu)},
                        {d_->qfrc_applied, n(m_->nv)},
                        {d_->xfrc_applied, 6 * n(m_->nbody)},
                        {d_->qfrc_actuator, n(m_->nv)},
                        {d_->qfrc_bias, n(m_->nv)},
                        {d_->qfrc_constraint, n(m_->nv)}};
    }

    template <class Calls>
    Outcome run(Calls&& calls)
    {
        Outcome out;
        if (std::exchange(cramped_, false)) enlarge();
        for (auto& w : d_->warning) w.number = 0;
        out.text   = guarded(calls);
        out.failed = !out.text.empty();
        out.full   = d_->warning[mjWARN_CONTACTFULL].number > 0 || d_->warning[mjWARN_CNSTRFULL].number > 0;
        for (const int kind : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC})
            out.unstable = out.unstable || d_->warning[kind].number > 0;
        if (out.failed) api_.mj_resetData(m_, d_);  // what the call left half done
        cramped_ = out.full;
        return out;
    }

    /// Twice the room for contacts and rows.
    void enlarge()
    {
        static std::mutex one_at_a_time;  // worlds share a model
        constexpr mjtSize kMost = mjtSize{8} << 30;
        if (d_->narena >= kMost) return;
        const std::lock_guard lock(one_at_a_time);
        const mjtSize         before = m_->narena;
        m_->narena                   = 2 * d_->narena;
        mjData* larger               = nullptr;
        guarded([&] { larger = api_.mj_makeData(m_); });
        m_->narena = before;
        if (larger == nullptr) return;
        constexpr int       kAll = mjSTATE_FULLPHYSICS | mjSTATE_USER | mjSTATE_WARMSTART;
        std::vector<double> state(static_cast<std::size_t>(api_.mj_stateSize(m_, kAll)));
        api_.mj_getState(m_, d_, state.data(), kAll);
        api_.mj_setState(m_, larger, state.data(), kAll);
        api_.mj_deleteData(d_);
        d_ = larger;
        look();
    }

    void add(GivenContact& given)
    {
        mjContact c;
        std::memset(&c, 0, sizeof c);
        c.dist = given.distance;
        put(c.pos, given.position);
        put(c.frame, given.normal);
        const Vec3d t = normalized(any_perpendicular(given.normal), Vec3d{1, 0, 0});
        put(c.frame + 3, t);
        put(c.frame + 6, cross(given.normal, t));
        put_into(c.friction, given.friction);
        put_into(c.solref, given.solref);
        put_into(c.solreffriction, given.solref_friction);
        put_into(c.solimp, given.solimp);
        c.dim     = given.dimensions;
        c.geom[0] = c.geom1 = at_.geom[static_cast<std::size_t>(given.geom0)];
        c.geom[1] = c.geom2 = at_.geom[static_cast<std::size_t>(given.geom1)];
        for (int k = 0; k < 2; ++k) c.flex[k] = c.elem[k] = c.vert[k] = -1;
        c.efc_address = -1;
        if (api_.mj_addContact(m_, d_, &c) != 0) given.dimensions = 0;
    }

    Spatiald force_of(int contact) const
    {
        mjtNum f[6];
        api_.mj_contactForce(m_, d_, contact, f);
        const mjtNum* frame = d_->contact[contact].frame;
        const auto world = [&](const mjtNum* of) {
            return of[0] * vec(frame) + of[1] * vec(frame + 3) + of[2] * vec(frame + 6);
        };
        return {world(f), world(f + 3)};
    }

    const Api&       api_;
    mjModel*         m_;
    mjData*          d_;
    const Addresses& at_;
    Numbers          numbers_;
    bool             cramped_ = false;  ///< the last step found no room for all contacts
};

class OfModel final : public Compiled {
  public:
    OfModel(const Api& api, mjModel* m, Addresses at, const Description& what, std::vector<std::string> warnings)
        : api_(api), m_(m), at_(std::move(at)), warnings_(std::move(warnings))
    { finish(what); }
    ~OfModel() override { api_.mj_deleteModel(m_); }
    OfModel(const OfModel&)            = delete;
    OfModel& operator=(const OfModel&) = delete;

    const Addresses& addresses() const override { return at_; }

    Result<std::unique_ptr<World>> make_world() override
    {
        mjData*           d    = nullptr;
        const std::string text = guarded([&] { d = api_.mj_makeData(m_); });
        if (d == nullptr) return make_diagnostic(kSolverModel, {}, "MuJoCo has no memory for a world: " + text);
        return std::unique_ptr<World>(std::make_unique<OfWorld>(api_, m_, d, at_));
    }

    void set_time_step(double h) override
    {
        if (m_->opt.timestep == h) return;
        m_->opt.timestep = h;
        write_limits();
    }

    void update(const Description& what) override
    {
        const double h = m_->opt.timestep;
        set_option(m_->opt, what.option);
        m_->opt.timestep = h;
        bool inertia     = false;
        for (std::size_t i = 0; i < what.joints.size(); ++i) {
            const JointItem& from = what.joints[i];
            const int        j = at_.joint[i], dof = at_.qvel[i], q = at_.qpos[i];
            const int        dofs = from.kind == JointKind::free ? 6 : from.kind == JointKind::ball ? 3 : 1;
            for (int k = dof; k < dof + dofs; ++k) {
                inertia             = inertia || m_->dof_armature[k] != from.armature;
                m_->dof_armature[k] = from.armature, m_->dof_damping[k] = from.damping;
                m_->dof_frictionloss[k] = from.friction;
                put_into(m_->dof_solref + mjNREF * k, from.solref_friction);
                put_into(m_->dof_solimp + mjNIMP * k, from.solimp_friction);
            }
            m_->jnt_stiffness[j] = from.stiffness, m_->jnt_margin[j] = from.margin;
            m_->jnt_limited[j] = from.limited;
            put_into(m_->jnt_range + 2 * j, from.range);
            put_into(m_->jnt_solref + mjNREF * j, from.solref_limit);
            put_into(m_->jnt_solimp + mjNIMP * j, from.solimp_limit);
            m_->jnt_actfrclimited[j]       = from.effort > 0;
            m_->jnt_actfrcrange[2 * j]     = -from.effort;
            m_->jnt_actfrcrange[2 * j + 1] = from.effort;
            if (dofs == 1) m_->qpos_spring[q] = from.springref;
        }
        for (std::size_t i = 0; i < what.geoms.size(); ++i) {
            const GeomItem& from = what.geoms[i];
            const int       g    = at_.geom[i];
            put_into(m_->geom_friction + 3 * g, from.friction);
            put_into(m_->geom_solref + mjNREF * g, from.solref);
            put_into(m_->geom_solimp + mjNIMP * g, from.solimp);
            m_->geom_solmix[g] = from.solmix, m_->geom_priority[g] = from.priority, m_->geom_condim[g] = from.condim;
        }
        for (std::size_t i = 0; i < what.actuators.size(); ++i) {
            const ActuatorItem& from = what.actuators[i];
            put_into(m_->actuator_gainprm + mjNGAIN * i, from.gain);
            put_into(m_->actuator_biasprm + mjNBIAS * i, from.bias);
        }
        if (inertia) {
            mjData* d = nullptr;
            guarded([&] { d = api_.mj_makeData(m_); });
            if (d != nullptr) {
                guarded([&] { api_.mj_setConst(m_, d); });
                api_.mj_deleteData(d);
            }
        }
        finish(what);
    }

    std::vector<Field> fields() const override
    {
        using enum Field::Type;
        std::vector<Field> out;
        const auto         n     = [](mjtSize count) { return static_cast<std::size_t>(count); };
        const auto         reals = [&](std::string_view name, const mjtNum* p, mjtSize rows, std::size_t columns) {
            out.push_back({name, real, p, n(rows), columns});
        };
        const auto ints = [&](std::string_view name, const int* p, mjtSize rows, std::size_t columns) {
            out.push_back({name, integer, p, n(rows), columns});
        };
        const auto flags = [&](std::string_view name, const mjtBool* p, mjtSize rows) {
            static_assert(sizeof(mjtBool) == 1);
            out.push_back({name, flag, p, n(rows), 1});
        };
        const mjModel& m = *m_;
        reals("qpos0", m.qpos0, m.nq, 1), reals("qpos_spring", m.qpos_spring, m.nq, 1);
        ints("body_parentid", m.body_parentid, m.nbody, 1);
        reals("body_pos", m.body_pos, m.nbody, 3), reals("body_quat", m.body_quat, m.nbody, 4);
        reals("body_ipos", m.body_ipos, m.nbody, 3), reals("body_iquat", m.body_iquat, m.nbody, 4);
        reals("body_mass", m.body_mass, m.nbody, 1), reals("body_inertia", m.body_inertia, m.nbody, 3);
        reals("body_gravcomp", m.body_gravcomp, m.nbody, 1), reals("body_invweight0", m.body_invweight0, m.nbody, 2);
        ints("jnt_type", m.jnt_type, m.njnt, 1), ints("jnt_bodyid", m.jnt_bodyid, m.njnt, 1);
        ints("jnt_qposadr", m.jnt_qposadr, m.njnt, 1), ints("jnt_dofadr", m.jnt_dofadr, m.njnt, 1);
        flags("jnt_limited", m.jnt_limited, m.njnt), flags("jnt_actfrclimited", m.jnt_actfrclimited, m.njnt);
        reals("jnt_solref", m.jnt_solref, m.njnt, mjNREF), reals("jnt_solimp", m.jnt_solimp, m.njnt, mjNIMP);
        reals("jnt_pos", m.jnt_pos, m.njnt, 3), reals("jnt_axis", m.jnt_axis, m.njnt, 3);
        reals("jnt_stiffness", m.jnt_stiffness, m.njnt, 1), reals("jnt_range", m.jnt_range, m.njnt, 2);
        reals("jnt_actfrcrange", m.jnt_actfrcrange, m.njnt, 2), reals("jnt_margin", m.jnt_margin, m.njnt, 1);
        ints("dof_jntid", m.dof_jntid, m.nv, 1);
        reals("dof_armature", m.dof_armature, m.nv, 1), reals("dof_damping", m.dof_damping, m.nv, 1);
        reals("dof_frictionloss", m.dof_frictionloss, m.nv, 1), reals("dof_invweight0", m.dof_invweight0, m.nv, 1);
        reals("dof_solref", m.dof_solref, m.nv, mjNREF), reals("dof_solimp", m.dof_solimp, m.nv, mjNIMP);
        ints("geom_type", m.geom_type, m.ngeom, 1), ints("geom_bodyid", m.geom_bodyid, m.ngeom, 1);
        ints("geom_contype", m.geom_contype, m.ngeom, 1), ints("geom_conaffinity", m.geom_conaffinity, m.ngeom, 1);
        ints("geom_condim", m.geom_condim, m.ngeom, 1), ints("geom_priority", m.geom_priority, m.ngeom, 1);
        ints("geom_dataid", m.geom_dataid, m.ngeom, 1), ints("geom_group", m.geom_group, m.ngeom, 1);
        reals("geom_size", m.geom_size, m.ngeom, 3), reals("geom_pos", m.geom_pos, m.ngeom, 3);
        reals("geom_quat", m.geom_quat, m.ngeom, 4), reals("geom_friction", m.geom_friction, m.ngeom, 3);
        reals("geom_margin", m.geom_margin, m.ngeom, 1), reals("geom_gap", m.geom_gap, m.ngeom, 1);
        reals("geom_solref", m.geom_solref, m.ngeom, mjNREF), reals("geom_solimp", m.geom_solimp, m.ngeom, mjNIMP);
        reals("geom_solmix", m.geom_solmix, m.ngeom, 1);
        reals("geom_surfacevel", m.geom_surfacevel, m.ngeom, 6), reals("geom_adhesion", m.geom_adhesion, m.ngeom, 1);
        reals("site_pos", m.site_pos, m.nsite, 3), reals("site_quat", m.site_quat, m.nsite, 4);
        ints("site_bodyid", m.site_bodyid, m.nsite, 1);
        reals("mesh_pos", m.mesh_pos, m.nmesh, 3), reals("mesh_quat", m.mesh_quat, m.nmesh, 4);
        reals("hfield_size", m.hfield_size, m.nhfield, 4);
        ints("actuator_trntype", m.actuator_trntype, m.nactuator, 1);
        ints("actuator_trnid", m.actuator_trnid, m.nactuator, 2);
        ints("actuator_gaintype", m.actuator_gaintype, m.nactuator, 1);
        ints("actuator_biastype", m.actuator_biastype, m.nactuator, 1);
        ints("actuator_dyntype", m.actuator_dyntype, m.nactuator, 1);
        reals("actuator_gainprm", m.actuator_gainprm, m.nactuator, mjNGAIN);
        reals("actuator_biasprm", m.actuator_biasprm, m.nactuator, mjNBIAS);
        reals("actuator_dynprm", m.actuator_dynprm, m.nactuator, mjNDYN);
        flags("actuator_forcelimited", m.actuator_forcelimited, m.nactuator);
        reals("actuator_forcerange", m.actuator_forcerange, m.nactuator, 2);
        flags("actuator_ctrllimited", m.actuator_ctrllimited, m.nu);
        reals("actuator_ctrlrange", m.actuator_ctrlrange, m.nu, 2);
        reals("actuator_gear", m.actuator_gear, m.nout, 6);
        ints("eq_type", m.eq_type, m.neq, 1), ints("eq_obj1id", m.eq_obj1id, m.neq, 1);
        ints("eq_obj2id", m.eq_obj2id, m.neq, 1), flags("eq_active0", m.eq_active0, m.neq);
        reals("eq_data", m.eq_data, m.neq, mjNEQDATA), reals("eq_solref", m.eq_solref, m.neq, mjNREF);
        reals("eq_solimp", m.eq_solimp, m.neq, mjNIMP);
        ints("pair_geom1", m.pair_geom1, m.npair, 1), ints("pair_geom2", m.pair_geom2, m.npair, 1);
        ints("pair_dim", m.pair_dim, m.npair, 1), reals("pair_friction", m.pair_friction, m.npair, 5);
        ints("exclude_signature", m.exclude_signature, m.nexclude, 1);
        reals("tendon_stiffness", m.tendon_stiffness, m.ntendon, 1),
            reals("tendon_damping", m.tendon_damping, m.ntendon, 1);
        reals("tendon_range", m.tendon_range, m.ntendon, 2), reals("tendon_length0", m.tendon_length0, m.ntendon, 1);
        reals("tendon_lengthspring", m.tendon_lengthspring, m.ntendon, 2);
        reals("tendon_frictionloss", m.tendon_frictionloss, m.ntendon, 1);
        flags("tendon_limited", m.tendon_limited, m.ntendon);
        ints("wrap_type", m.wrap_type, m.nwrap, 1), ints("wrap_objid", m.wrap_objid, m.nwrap, 1);
        reals("wrap_prm", m.wrap_prm, m.nwrap, 1);
        reals("opt.timestep", &m.opt.timestep, 1, 1), reals("opt.gravity", m.opt.gravity, 1, 3);
        reals("opt.impratio", &m.opt.impratio, 1, 1), reals("opt.tolerance", &m.opt.tolerance, 1, 1);
        reals("opt.ls_tolerance", &m.opt.ls_tolerance, 1, 1), reals("opt.ccd_tolerance", &m.opt.ccd_tolerance, 1, 1);
        reals("opt.density", &m.opt.density, 1, 1), reals("opt.viscosity", &m.opt.viscosity, 1, 1);
        reals("opt.wind", m.opt.wind, 1, 3), reals("opt.magnetic", m.opt.magnetic, 1, 3);
        ints("opt.integrator", &m.opt.integrator, 1, 1), ints("opt.solver", &m.opt.solver, 1, 1);
        ints("opt.cone", &m.opt.cone, 1, 1), ints("opt.jacobian", &m.opt.jacobian, 1, 1);
        ints("opt.iterations", &m.opt.iterations, 1, 1), ints("opt.ls_iterations", &m.opt.ls_iterations, 1, 1);
        ints("opt.ccd_iterations", &m.opt.ccd_iterations, 1, 1);
        ints("opt.disableflags", &m.opt.disableflags, 1, 1), ints("opt.enableflags", &m.opt.enableflags, 1, 1);
        return out;
    }

    std::vector<std::string> names(std::string_view object) const override
    {
        const mjModel& m = *m_;
        const struct {
            std::string_view name;
            int              type;
            mjtSize          count;
        } kinds[] = {{"body", mjOBJ_BODY, m.nbody},
                     {"joint", mjOBJ_JOINT, m.njnt},
                     {"geom", mjOBJ_GEOM, m.ngeom},
                     {"site", mjOBJ_SITE, m.nsite},
                     {"actuator", mjOBJ_ACTUATOR, m.nactuator},
                     {"equality", mjOBJ_EQUALITY, m.neq},
                     {"tendon", mjOBJ_TENDON, m.ntendon},
                     {"mesh", mjOBJ_MESH, m.nmesh}};
        std::vector<std::string> out;
        for (const auto& kind : kinds)
            for (int i = 0; kind.name == object && i < kind.count; ++i) {
                const char* const name = api_.mj_id2name(m_, kind.type, i);
                out.emplace_back(name == nullptr ? "" : name);
            }
        return out;
    }

    double body_invweight(std::int32_t body) const override
    { return body < 0 ? 0 : m_->body_invweight0[2 * at_.body[static_cast<std::size_t>(body)]]; }
    const std::vector<std::string>& warnings() const override { return warnings_; }

    std::vector<std::byte> binary() const override
    {
        std::vector<std::byte> out(static_cast<std::size_t>(api_.mj_sizeModel(m_)));
        const std::string      text =
            guarded([&] { api_.mj_saveModel(m_, nullptr, out.data(), static_cast<mjtSize>(out.size())); });
        if (!text.empty()) out.clear();
        return out;
    }

  private:
    /// What needs the inertias that MuJoCo has computed.
    void finish(const Description& what)
    {
        limits_.clear();
        for (std::size_t i = 0; i < what.joints.size(); ++i)
            if (what.joints[i].limit_ke > 0 &&
                (what.joints[i].kind == JointKind::slide || what.joints[i].kind == JointKind::hinge))
                limits_.emplace_back(i, what.joints[i]);
        write_limits();
        for (std::size_t i = 0; i < what.joints.size(); ++i)
            if (what.joints[i].kind == JointKind::ball)
                put(m_->qpos_spring + at_.qpos[i], what.joints[i].spring_pose);
        for (std::size_t i = 0; i < what.equalities.size(); ++i)
            if (what.equalities[i].both_points)
                std::copy_n(what.equalities[i].data.begin() + 3, 3, m_->eq_data + mjNEQDATA * at_.equality[i] + 3);
        // The solver's tolerance is in units of the mean inertia, of which what is led is no part.
        std::vector<char> led(static_cast<std::size_t>(m_->nbody), 0);
        bool              any = false;
        for (std::size_t b = 0; b < what.bodies.size(); ++b)
            if (what.bodies[b].led) led[static_cast<std::size_t>(at_.body[b])] = any = true;
        if (!any) return;
        double sum = 0, count = 0;
        for (int k = 0; k < m_->nv; ++k)
            if (!led[static_cast<std::size_t>(m_->dof_bodyid[k])]) sum += m_->dof_M0[k], count += 1;
        m_->stat.meaninertia = count > 0 && sum > 0 ? sum / count : 1;
    }

    /// Limits that are springs depend on the step.
    void write_limits()
    {
        for (const auto& [i, joint] : limits_) {
            const LimitLaw law = limit_law(joint, m_->dof_invweight0[at_.qvel[i]], m_->opt.timestep);
            put_into(m_->jnt_solref + mjNREF * at_.joint[i], law.solref);
            put_into(m_->jnt_solimp + mjNIMP * at_.joint[i], law.solimp);
        }
    }

    const Api&                                     api_;
    mjModel*                                       m_;
    Addresses                                      at_;
    std::vector<std::string>                       warnings_;
    std::vector<std::pair<std::size_t, JointItem>> limits_;  ///< joints of the description that have such a limit
};

/// Fills an mjSpec. Everything here is MuJoCo's memory, so that an error may leave at any point.
class SpecWriter {
  public:
    SpecWriter(const Api& api, const Description& what) : api_(api), what_(what)
    {
        bodies_.resize(what.bodies.size());
        joints_.resize(what.joints.size());
        geoms_.resize(what.geoms.size());
        actuators_.resize(what.actuators.size());
        equalities_.resize(what.equalities.size());
    }

    void write(mjSpec* s)
    {
        spec_ = s;
        set_option(s->option, what_.option);
        s->compiler.autolimits    = what_.option.autolimits;
        s->compiler.degree        = 0;
        s->compiler.usethread     = 0;
        s->compiler.boundmass     = 0;
        s->compiler.fusestatic    = 0;
        s->compiler.discardvisual = 0;
        s->compiler.alignfree     = 0;
        world_                    = api_.mjs_findBody(s, "world");
        for (const MeshItem& mesh : what_.meshes) add(mesh);
        for (const HeightItem& field : what_.heights) add(field);
        for (std::size_t i = 0; i < what_.bodies.size(); ++i) add_body(i);
        for (std::size_t i = 0; i < what_.joints.size(); ++i) add_joint(i);
        for (std::size_t i = 0; i < what_.geoms.size(); ++i) add_geom(i);
        for (const SiteItem& site : what_.sites) add(site);
        for (const TendonItem& tendon : what_.tendons) add(tendon);
        for (std::size_t i = 0; i < what_.actuators.size(); ++i) add_actuator(i);
        for (std::size_t i = 0; i < what_.equalities.size(); ++i) add_equality(i);
        for (const PairItem& pair : what_.pairs) add(pair);
        for (const auto& [a, b] : what_.excludes) {
            mjsExclude* const e = api_.mjs_addExclude(s);
            api_.mjs_setString(e->bodyname1, name_of_body(a));
            api_.mjs_setString(e->bodyname2, name_of_body(b));
        }
    }

    /// Limits by the inertias of a compiled model, for a compilation that shall say them itself.
    void settle_limits(const mjModel* m) const
    {
        for (std::size_t i = 0; i < joints_.size(); ++i) {
            const JointItem& from = what_.joints[i];
            if (from.kind != JointKind::slide && from.kind != JointKind::hinge) continue;
            const LimitLaw law = limit_law(
                from, m->dof_invweight0[m->jnt_dofadr[api_.mjs_getId(joints_[i]->element)]], m->opt.timestep);
            put(joints_[i]->solref_limit, law.solref);
            put(joints_[i]->solimp_limit, law.solimp);
        }
    }

    Addresses addresses(const mjModel* m) const
    {
        Addresses at;
        at.geom_of.assign(static_cast<std::size_t>(m->ngeom), -1);
        for (const mjsBody* b : bodies_) at.body.push_back(api_.mjs_getId(b->element));
        for (const mjsGeom* g : geoms_) {
            at.geom.push_back(api_.mjs_getId(g->element));
            at.geom_of[static_cast<std::size_t>(at.geom.back())] = static_cast<std::int32_t>(at.geom.size()) - 1;
        }
        for (const mjsJoint* j : joints_) {
            const int id = api_.mjs_getId(j->element);
            at.joint.push_back(id);
            at.qpos.push_back(m->jnt_qposadr[id]);
            at.qvel.push_back(m->jnt_dofadr[id]);
        }
        for (const mjsActuator* a : actuators_) at.ctrl.push_back(m->actuator_ctrladr[api_.mjs_getId(a->element)]);
        for (const mjsEquality* e : equalities_) at.equality.push_back(api_.mjs_getId(e->element));
        return at;
    }

  private:
    const char* name_of_body(std::int32_t b) const
    { return b < 0 ? "world" : what_.bodies[static_cast<std::size_t>(b)].name.c_str(); }
    mjsBody* body_of(std::int32_t b) const { return b < 0 ? world_ : bodies_[static_cast<std::size_t>(b)]; }
    void     call(mjsElement* element, const std::string& name) const
    {
        if (!name.empty()) api_.mjs_setName(element, name.c_str());
    }

    void add(const MeshItem& from) const
    {
        mjsMesh* const mesh = api_.mjs_addMesh(spec_, nullptr);
        call(mesh->element, from.name);
        const auto& [points, triangles] = *from.surface;
        api_.mjs_setFloat(mesh->uservert, points.data(), static_cast<int>(points.size()));
        if (!triangles.empty()) api_.mjs_setInt(mesh->userface, triangles.data(), static_cast<int>(triangles.size()));
        mesh->inertia = mjMESH_INERTIA_SHELL;  // masses come with the bodies; this needs no volume
    }
    void add(const HeightItem& from) const
    {
        mjsHField* const field = api_.mjs_addHField(spec_);
        call(field->element, from.name);
        field->nrow = from.grid->rows, field->ncol = from.grid->columns;
        put(field->size, from.grid->size);
        api_.mjs_setFloat(field->userdata, from.grid->heights.data(), static_cast<int>(from.grid->heights.size()));
    }
    void add_body(std::size_t i)
    {
        const BodyItem& from = what_.bodies[i];
        mjsBody* const  b    = api_.mjs_addBody(body_of(from.parent), nullptr);
        bodies_[i]           = b;
        call(b->element, from.name);
        put(b->pos, from.X.p);
        put(b->quat, from.X.q);
        b->explicitinertial = 1;
        b->gravcomp         = from.gravcomp;
        b->sleep            = static_cast<mjtSleepPolicy>(from.sleep);
        b->mass             = from.mass;
        put(b->ipos, from.com);
        const Mat33d& I = from.inertia;
        if (I.r0.y == 0 && I.r0.z == 0 && I.r1.z == 0) {
            put(b->inertia, Vec3d{I.r0.x, I.r1.y, I.r2.z});
        } else {
            const double full[6] = {I.r0.x, I.r1.y, I.r2.z, I.r0.y, I.r0.z, I.r1.z};
            std::copy(full, full + 6, b->fullinertia);
        }
    }
    void add_joint(std::size_t i)
    {
        const JointItem& from = what_.joints[i];
        mjsJoint* const  j    = api_.mjs_addJoint(body_of(from.body), nullptr);
        joints_[i]            = j;
        call(j->element, from.name);
        j->type = static_cast<mjtJoint>(from.kind);
        put(j->pos, from.pos);
        put(j->axis, from.axis);
        j->ref = from.ref, j->springref = from.springref, j->align = mjALIGNFREE_FALSE;
        j->stiffness[0] = from.stiffness, j->damping[0] = from.damping;
        j->armature = from.armature, j->frictionloss = from.friction, j->margin = from.margin;
        j->limited = from.limited ? mjLIMITED_TRUE : mjLIMITED_FALSE;
        put(j->range, from.range);
        put(j->solref_limit, from.solref_limit);
        put(j->solimp_limit, from.solimp_limit);
        put(j->solref_friction, from.solref_friction);
        put(j->solimp_friction, from.solimp_friction);
        j->actfrclimited  = from.effort > 0 ? mjLIMITED_TRUE : mjLIMITED_FALSE;
        j->actfrcrange[0] = -from.effort, j->actfrcrange[1] = from.effort;
        j->actgravcomp = from.actgravcomp;
    }
    void add_geom(std::size_t i)
    {
        const GeomItem& from = what_.geoms[i];
        mjsGeom* const  g    = api_.mjs_addGeom(body_of(from.body), nullptr);
        geoms_[i]            = g;
        call(g->element, from.name);
        g->type = static_cast<mjtGeom>(from.kind);
        put(g->pos, from.X.p);
        put(g->quat, from.X.q);
        put(g->size, from.size);
        g->contype = from.contype, g->conaffinity = from.conaffinity, g->condim = from.condim;
        g->priority = from.priority, g->group = from.group;
        put(g->friction, from.friction);
        put(g->solref, from.solref);
        put(g->solimp, from.solimp);
        g->solmix = from.solmix, g->margin = from.margin, g->gap = from.gap, g->adhesion = from.adhesion;
        put(g->surfacevel, from.surface_velocity);
        if (from.kind == GeomKind::mesh)
            api_.mjs_setString(g->meshname, what_.meshes[static_cast<std::size_t>(from.asset)].name.c_str());
        if (from.kind == GeomKind::hfield)
            api_.mjs_setString(g->hfieldname, what_.heights[static_cast<std::size_t>(from.asset)].name.c_str());
    }
    void add(const SiteItem& from) const
    {
        mjsSite* const s = api_.mjs_addSite(body_of(from.body), nullptr);
        call(s->element, from.name);
        s->type = static_cast<mjtGeom>(from.kind);
        put(s->pos, from.X.p);
        put(s->quat, from.X.q);
        put(s->size, from.size);
    }
    void add(const TendonItem& from) const
    {
        mjsTendon* const t = api_.mjs_addTendon(spec_, nullptr);
        call(t->element, from.name);
        t->stiffness[0] = from.stiffness, t->damping[0] = from.damping;
        t->frictionloss = from.friction, t->armature = from.armature, t->margin = from.margin;
        put(t->springlength, from.spring_length);
        t->limited       = static_cast<mjtLimited>(from.limited),
        t->actfrclimited = static_cast<mjtLimited>(from.force_limited);
        put(t->range, from.range);
        put(t->actfrcrange, from.force_range);
        put(t->solref_limit, from.solref_limit);
        put(t->solimp_limit, from.solimp_limit);
        put(t->solref_friction, from.solref_friction);
        put(t->solimp_friction, from.solimp_friction);
        for (const WrapItem& w : from.path) {
            const auto target = static_cast<std::size_t>(std::max(w.target, 0));
            const auto side   = static_cast<std::size_t>(std::max(w.side, 0));
            switch (w.kind) {
                case WrapItem::Kind::joint:
                    api_.mjs_wrapJoint(t, what_.joints[target].name.c_str(), w.factor);
                    break;
                case WrapItem::Kind::site:
                    api_.mjs_wrapSite(t, what_.sites[target].name.c_str());
                    break;
                case WrapItem::Kind::geom:
                    api_.mjs_wrapGeom(t, what_.geoms[target].name.c_str(),
                                      w.side < 0 ? "" : what_.sites[side].name.c_str());
                    break;
                case WrapItem::Kind::pulley:
                    api_.mjs_wrapPulley(t, w.factor);
                    break;
            }
        }
    }
    void add_actuator(std::size_t i)
    {
        const ActuatorItem& from = what_.actuators[i];
        mjsActuator* const  a    = api_.mjs_addActuator(spec_, nullptr);
        actuators_[i]            = a;
        call(a->element, from.name);
        a->gaintype = static_cast<mjtGain>(from.gain_type), a->biastype = static_cast<mjtBias>(from.bias_type);
        a->dyntype = static_cast<mjtDyn>(from.dyn_type);
        put(a->gainprm, from.gain);
        put(a->biasprm, from.bias);
        put(a->dynprm, from.dyn);
        a->trntype = static_cast<mjtTrn>(from.transmission);
        put(a->gear, from.gear);
        if (from.activations >= 0) a->actdim = from.activations;
        a->actearly = from.early, a->cranklength = from.crank_length;
        a->damping[0] = from.damping, a->armature = from.armature;
        a->ctrllimited  = static_cast<mjtLimited>(from.control_limited);
        a->forcelimited = static_cast<mjtLimited>(from.force_limited);
        a->actlimited   = static_cast<mjtLimited>(from.activation_limited);
        put(a->ctrlrange, from.control_range);
        put(a->forcerange, from.force_range);
        put(a->actrange, from.activation_range);
        put(a->lengthrange, from.length_range);
        const auto  target = static_cast<std::size_t>(from.target);
        const char* name   = "";
        switch (from.transmission) {
            case Transmission::joint:
            case Transmission::joint_in_parent:
                name = what_.joints[target].name.c_str();
                break;
            case Transmission::tendon:
                name = what_.tendons[target].name.c_str();
                break;
            case Transmission::body:
                name = what_.bodies[target].name.c_str();
                break;
            case Transmission::site:
            case Transmission::slidercrank:
                name = what_.sites[target].name.c_str();
                if (from.second >= 0)
                    api_.mjs_setString(from.transmission == Transmission::site ? a->refsite : a->slidersite,
                                       what_.sites[static_cast<std::size_t>(from.second)].name.c_str());
                break;
        }
        api_.mjs_setString(a->target, name);
    }
    void add_equality(std::size_t i)
    {
        const EqualityItem& from = what_.equalities[i];
        mjsEquality* const  e    = api_.mjs_addEquality(spec_, nullptr);
        equalities_[i]           = e;
        call(e->element, from.name);
        e->type   = static_cast<mjtEq>(from.kind);
        e->active = from.active;
        std::copy(from.data.begin(), from.data.end(), e->data);
        put(e->solref, from.solref);
        put(e->solimp, from.solimp);
        const auto name = [&](std::int32_t k) {
            if (from.kind == EqualityKind::connect || from.kind == EqualityKind::weld) return name_of_body(k);
            if (k < 0) return "";
            return from.kind == EqualityKind::joint ? what_.joints[static_cast<std::size_t>(k)].name.c_str()
                                                    : what_.tendons[static_cast<std::size_t>(k)].name.c_str();
        };
        if (from.kind == EqualityKind::connect || from.kind == EqualityKind::weld) e->objtype = mjOBJ_BODY;
        api_.mjs_setString(e->name1, name(from.first));
        api_.mjs_setString(e->name2, name(from.second));
    }
    void add(const PairItem& from) const
    {
        mjsPair* const p = api_.mjs_addPair(spec_, nullptr);
        api_.mjs_setString(p->geomname1, what_.geoms[static_cast<std::size_t>(from.first)].name.c_str());
        api_.mjs_setString(p->geomname2, what_.geoms[static_cast<std::size_t>(from.second)].name.c_str());
        if (!from.own) return;
        p->condim = from.condim, p->margin = from.margin, p->gap = from.gap;
        put(p->solref, from.solref);
        put(p->solreffriction, from.solref_friction);
        put(p->solimp, from.solimp);
        put(p->friction, from.friction);
    }

    const Api&                api_;
    const Description&        what_;
    mjSpec*                   spec_  = nullptr;
    mjsBody*                  world_ = nullptr;
    std::vector<mjsBody*>     bodies_;
    std::vector<mjsJoint*>    joints_;
    std::vector<mjsGeom*>     geoms_;
    std::vector<mjsActuator*> actuators_;
    std::vector<mjsEquality*> equalities_;
};

class OfLibrary final : public Backend {
  public:
    explicit OfLibrary(const Api& api) : api_(api) { g_before = api_.mju_setLogHandler(&on_message); }

    std::string_view version() const override { return MECHANE_MUJOCO_TEXT; }

    Result<std::unique_ptr<Compiled>> compile(const Description& what) const override
    {
        const std::lock_guard lock(compiler());
        SpecWriter            writer(api_, what);
        mjSpec*               spec  = nullptr;
        auto                  model = made(writer, spec);
        if (!model) return model.error();
        std::vector<std::string> warnings;
        for (int i = 0; i < api_.mjs_numWarnings(spec); ++i) warnings.emplace_back(api_.mjs_getWarning(spec, i));
        auto at = writer.addresses(*model);
        api_.mj_deleteSpec(spec);
        return std::unique_ptr<Compiled>(
            std::make_unique<OfModel>(api_, *model, std::move(at), what, std::move(warnings)));
    }

    Result<std::string> mjcf(const Description& what) const override
    {
        const std::lock_guard lock(compiler());
        SpecWriter            writer(api_, what);
        mjSpec*               spec  = nullptr;
        auto                  model = made(writer, spec);
        if (!model) return model.error();
        writer.settle_limits(*model);
        api_.mj_deleteModel(*model);
        mjModel*    settled = nullptr;
        std::string problem = guarded([&] { settled = api_.mj_compile(spec, nullptr); });
        if (settled != nullptr) api_.mj_deleteModel(settled);
        char        error[1000] = {}, least[2] = {};
        int         size = -1;
        std::string text;
        // Without room it says how much it wants.
        if (problem.empty())
            problem = guarded([&] { size = api_.mj_saveXMLString(spec, least, 1, error, sizeof error); });
        if (problem.empty() && size > 0) {
            text.resize(static_cast<std::size_t>(size) + 1);
            problem = guarded([&] {
                size = api_.mj_saveXMLString(spec, text.data(), static_cast<int>(text.size()), error, sizeof error);
            });
            text.resize(std::strlen(text.c_str()));
        }
        api_.mj_deleteSpec(spec);
        if (!problem.empty() || size != 0 || text.empty())
            return make_diagnostic(kSolverModel, {}, "mujoco: the model cannot be written: " + problem + error);
        return text;
    }

  private:
    /// MuJoCo's compiler shares a cache between models.
    static std::mutex& compiler()
    {
        static std::mutex one_at_a_time;
        return one_at_a_time;
    }
    /// A compiled model, and the spec that it is of; both belong to the caller.
    Result<mjModel*> made(SpecWriter& writer, mjSpec*& spec) const
    {
        mjModel*    model = nullptr;
        std::string text  = guarded([&] { spec = api_.mj_makeSpec(); });
        if (spec != nullptr && text.empty()) text = guarded([&] { writer.write(spec); });
        if (spec != nullptr && text.empty()) text = guarded([&] { model = api_.mj_compile(spec, nullptr); });
        if (model != nullptr) return model;
        if (text.empty() && spec != nullptr && api_.mjs_getError(spec) != nullptr) text = api_.mjs_getError(spec);
        if (spec != nullptr) api_.mj_deleteSpec(spec);
        std::replace(text.begin(), text.end(), '\n', ' ');
        return make_diagnostic(kSolverModel, {}, "mujoco: its compiler refuses the model: " + text,
                               "Correct what the message names, or take another solver.");
    }

    Api api_;
};

}  // namespace

std::unique_ptr<Backend> make(void* handle, std::string& problem)
{
    Api api;
#define X(name)                                                     \
    if (void* const found = dlsym(handle, #name); found != nullptr) \
        api.name = reinterpret_cast<decltype(api.name)>(found);     \
    else {                                                          \
        problem = "it has no function " #name;                      \
        return nullptr;                                             \
    }
    MECHANE_MUJOCO_FUNCTIONS(X)
#undef X
    return std::make_unique<OfLibrary>(api);
}

}  // namespace mechane::solvers::mujoco::MECHANE_MUJOCO_VERSION

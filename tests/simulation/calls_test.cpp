#include "simulation/calls.h"

#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include "mechane/model/belongs.h"
#include "mechane/model/model.h"
#include "mechane/simulation/model_parts.h"

using namespace face_tests;

namespace {

const std::filesystem::path kHeaders = std::filesystem::path(MECHANE_SOURCE_DIR) / "include" / "mechane";

/// Two equal models, objects of both, and what is left of objects that were moved away.
struct World {
    Draw                         d;
    Yard                         y = yard(), foreign = yard();
    test::TemporaryFolder        folder;
    std::shared_ptr<const Model> models[2] = {y.model, foreign.model};
    Simulation                   sim{y.model, {.dt = 1e-3, .threads = 1}}, gone_sim{y.model, {.threads = 1}};
    State                        own_state{y.model}, foreign_state{foreign.model}, gone_state{y.model};
    Control                      own_control{y.model}, gone_control{y.model};
    Dynamics                     dyn{y.model}, gone_dyn{y.model};
    Queries                      asked{y.model}, gone_queries{y.model};
    ModelBuilder                 builder;
    Replicas                     replicas;
    std::unique_ptr<Solver>      stepper;
    Diagnostics                  notes;
    const Model&                 m = *y.model;
    const int bodies = m.body_count(), joints = m.joint_count(), dofs = m.dof_count(), shapes = m.shape_count();

    explicit World(Random& random) : d(random)
    {
        {
            const Simulation taken(std::move(gone_sim));
        }
        {
            const State taken(std::move(gone_state));
        }
        {
            const Control taken(std::move(gone_control));
        }
        {
            const Dynamics taken(std::move(gone_dyn));
        }
        {
            const Queries taken(std::move(gone_queries));
        }
        stepper = make_solver("softstep", m.arrays(), {}, notes).expect();
    }

    BodyId      body() { return d.id<BodyId>(bodies); }
    JointId     joint() { return d.id<JointId>(joints); }
    DofId       dof() { return d.id<DofId>(dofs); }
    ShapeId     shape() { return d.id<ShapeId>(shapes); }
    WorldId     world() { return d.id<WorldId>(0); }
    Placement   pose() { return {d.small(), static_cast<Quat>(d.rotation())}; }
    std::string file()
    {
        const std::string none[] = {"", "/", (folder.path() / "none" / "run.mrec").string()};
        return d.pick(3) ? (folder.path() / "run.mrec").string() : none[d.pick(3)];
    }

    Simulation& simulation() { return d.once_in(6) ? gone_sim : sim; }
    State&      state()
    {
        State* const all[] = {&own_state, &own_state, &own_state, &own_state, &foreign_state, &gone_state};
        return *all[d.pick(6)];
    }
    Control&     control() { return d.once_in(6) ? gone_control : own_control; }
    Dynamics&    dynamics() { return d.once_in(6) ? gone_dyn : dyn; }
    Queries&     queries() { return d.once_in(6) ? gone_queries : asked; }
    JointOptions joint_options()
    {
        if (d.once_in(3)) return {.axis = {0, 1, 0}, .label = d.text()};  // a good one, so that trees come about
        return {.parent_anchor   = d.vector(),
                .child_anchor    = d.vector(),
                .parent_rotation = d.rotation(),
                .child_rotation  = d.rotation(),
                .axis            = d.vector(),
                .label           = d.text(),
                .lower           = d.number(),
                .upper           = d.number(),
                .stiffness       = d.number(),
                .damping         = d.number(),
                .target          = d.number(),
                .effort_limit    = d.number(),
                .velocity_limit  = d.number(),
                .friction        = d.number(),
                .armature        = d.number(),
                .position        = d.number(),
                .velocity        = d.number()};
    }
    Surface surface()
    {
        if (d.pick(2)) return {};
        return {.density     = d.number(),
                .friction    = d.number(),
                .restitution = d.number(),
                .margin      = d.number(),
                .gap         = d.pick(2) ? std::optional<double>(d.number()) : std::nullopt,
                .collides    = d.pick(2) != 0};
    }
    BodyOptions body_options()
    {
        if (d.pick(2)) return {.position = d.vector(), .mass = 1};
        return {.position         = d.vector(),
                .rotation         = d.rotation(),
                .velocity         = d.vector(),
                .angular_velocity = d.vector(),
                .label            = d.text(),
                .mass             = d.number(),
                .com              = d.vector(),
                .inertia          = {d.vector(), d.vector(), d.vector()},
                .kinematic        = d.once_in(4)};
    }
    CapsuleOptions capsule()
    {
        return {.radius      = d.number(),
                .half_height = d.number(),
                .position    = d.vector(),
                .rotation    = d.rotation(),
                .label       = d.text(),
                .surface     = surface()};
    }
    /// What a builder made of all that is simulated, and changed while it is.
    void drawn_model()
    {
        const auto made = builder.finalize(notes);
        if (!made) return;
        const State start(*made);
        auto        run = Simulation::make(*made, {.dt = 1e-3, .threads = 1});
        if (!run) return;
        for (int i = 0; i < 3; ++i) (void)run->step();
        (void)run->edit([&](ModelEdit& e) { wild(e); });
        for (int i = 0; i < 3; ++i) (void)run->step();
        run->reset();
        (void)run->queries().ray(kShared, {0, 0, 5}, {0, 0, -1});
        if (d.once_in(3)) builder = ModelBuilder();
    }
    /// What was made of a model, ended one after the other in any order, the model itself among them; the rest is used.
    void in_any_order()
    {
        auto                                       of = yard().model;
        std::optional<Simulation>                  run(std::in_place, of, SimulationOptions{.threads = 1});
        std::optional<State>                       at(std::in_place, of);
        std::optional<Control>                     commands(std::in_place, of);
        std::optional<Dynamics>                    its(std::in_place, of);
        std::optional<Queries>                     of_it(std::in_place, of);
        const std::array<std::function<void()>, 6> ends{[&] { of.reset(); },  [&] { run.reset(); },
                                                        [&] { at.reset(); },  [&] { commands.reset(); },
                                                        [&] { its.reset(); }, [&] { of_it.reset(); }};
        for (int i = 0; i < 12; ++i) {
            ends[static_cast<std::size_t>(d.pick(6))]();
            if (run) (void)run->step();
            if (at) at->settle();
            if (commands) commands->clear();
            if (its && at) (void)its->at(*at).mass_matrix();
            if (of_it && at) of_it->update(*at);
            if (of_it) (void)of_it->nearest(kShared, {});
        }
    }
    /// Writes anything to the arrays of a model.
    void wild(ModelEdit& e)
    {
        ModelArrays& a   = e.arrays({.numbers   = d.pick(2) != 0,
                                     .structure = d.pick(2) != 0,
                                     .inertia   = d.pick(2) != 0,
                                     .shapes    = d.pick(2) != 0,
                                     .pairs     = d.pick(2) != 0});
        const auto   put = [&](auto& values, auto value) {
            if (!values.empty()) values[static_cast<std::size_t>(d.pick(static_cast<int>(values.size())))] = value;
        };
        switch (d.pick(16)) {
            case 0:
                return put(a.shape_body, d.integer());
            case 1:
                return put(a.joint_parent, d.integer());
            case 2:
                return put(a.joint_q_start, d.integer());
            case 3:
                return put(a.shape_type, static_cast<GeoType>(d.pick(12)));
            case 4:
                return put(a.body_mass, d.real());
            case 5:
                return put(a.joint_target_ke, d.real());
            case 6:
                return put(a.joint_limit_lower, d.real());
            case 7:
                return put(a.joint_axis, d.small());
            case 8:
                return put(a.shape_transform, static_cast<Pose>(pose()));
            case 9:
                return put(a.shape_scale, d.small());
            case 10:
                return put(a.gravity, d.small());
            case 11:
                return put(a.body_flags, d.integer());
            case 12:
                return put(a.shape_flags, d.integer());
            case 13:
                a.world_count = d.integer();
                return;
            case 14:
                a.shape_collision_filter_pairs.emplace_back(d.integer(), d.integer());
                return;
            default:
                return put(a.body_inertia, Mat33{d.small(), d.small(), d.small()});
        }
    }
    SimulationOptions options()
    {
        return {.dt       = d.number(),
                .substeps = d.integer(),
                .solver   = d.pick(3)   ? "softstep"
                            : d.pick(2) ? "xpbd"
                                        : d.text(),
                .threads  = d.pick(2) ? 1 : -d.pick(3),
                .sleeping = d.pick(2) != 0,
                .device   = d.once_in(4) ? d.text() : std::string()};
    }
};

void add_models(Calls& c, World& w)
{
    const Model& m = w.m;
    c.add("Model::body_count", [&] { (void)m.body_count(); });
    c.add("Model::joint_count", [&] { (void)m.joint_count(); });
    c.add("Model::dof_count", [&] { (void)m.dof_count(); });
    c.add("Model::shape_count", [&] { (void)m.shape_count(); });
    c.add("Model::world_count", [&] { (void)m.world_count(); });
    c.add("Model::bodies", [&] {
        for (const BodyId b : m.bodies()) (void)m.label(b);
    });
    c.add("Model::joints", [&] {
        for (const JointId j : m.joints()) (void)m.label(j);
    });
    c.add("Model::shapes", [&] {
        for (const ShapeId s : m.shapes()) (void)m.label(s);
    });
    c.add("Model::worlds", [&] { CHECK(m.worlds().size() == 0); });
    c.add("Ids::Ids", [&] { CHECK(Ids<BodyId>(-w.d.pick(9)).size() == 0); });
    c.add("Ids::begin", [&] { (void)Ids<BodyId>(3).begin(); });
    c.add("Ids::end", [&] { (void)Ids<BodyId>(3).end(); });
    c.add("Ids::size", [&] { CHECK(Ids<BodyId>(3).size() == 3); });
    c.add("Ids::iterator::operator*", [&] { CHECK(*Ids<BodyId>(3).begin() == BodyId(0)); });
    c.add("Ids::iterator::operator++", [&] { CHECK(*++Ids<BodyId>(3).begin() == BodyId(1)); });
    c.add("Ids::iterator::operator++", [&] { CHECK(*Ids<BodyId>(3).begin()++ == BodyId(0)); });
    c.add("Model::find_body", [&] { (void)m.find_body(w.d.text(), w.world()); });
    c.add("Model::find_joint", [&] { (void)m.find_joint(w.d.text(), w.world()); });
    c.add("Model::find_shape", [&] { (void)m.find_shape(w.d.text(), w.world()); });
    c.add("Model::find_dof", [&] { (void)m.find_dof(w.joint(), w.d.integer()); });
    c.add("Model::find_dof", [&] { (void)m.find_dof(w.d.text(), w.d.integer(), w.world()); });
    c.add("Model::label", [&] { (void)m.label(w.body()); });
    c.add("Model::label", [&] { (void)m.label(w.joint()); });
    c.add("Model::label", [&] { (void)m.label(w.shape()); });
    c.add("Model::world_of", [&] { (void)m.world_of(w.body()); });
    c.add("Model::body_of", [&] { (void)m.body_of(w.shape()); });
    c.add("Model::mass", [&] { (void)m.mass(w.body()); });
    c.add("Model::joint_of", [&] { (void)m.joint_of(w.dof()); });
    c.add("Model::parent_joint", [&] { (void)m.parent_joint(w.body()); });
    c.add("Model::type", [&] { (void)m.type(w.joint()); });
    c.add("Model::type", [&] { (void)m.type(w.shape()); });
    c.add("Model::parent", [&] { (void)m.parent(w.joint()); });
    c.add("Model::child", [&] { (void)m.child(w.joint()); });
    c.add("Model::limits", [&] { (void)m.limits(w.dof()); });
    c.add("Model::is_scalar", [&] { (void)m.is_scalar(w.dof()); });
    c.add("Model::dofs", [&] { (void)m.dofs(w.world()); });
    c.add("Model::default_dt", [&] { (void)m.default_dt(); });
    c.add("Model::arrays", [&] { (void)m.arrays(); });
    c.add("Model::make", [&] { (void)Model::make({}); });
    c.add("Model::parts", [&] { (void)m.parts(); });
}

void add_edits(Calls& c, World& w)
{
    const auto edit = [&c, &w](const char* name, std::function<void(ModelEdit&)> change) {
        c.add(name, [&w, change = std::move(change)] { (void)w.simulation().edit(change); });
    };
    edit("ModelEdit::set_mass", [&](ModelEdit& e) { e.set_mass(w.body(), w.d.number()); });
    edit("ModelEdit::set_kinematic", [&](ModelEdit& e) { e.set_kinematic(w.body(), w.d.pick(2) != 0); });
    edit("ModelEdit::set_friction", [&](ModelEdit& e) { e.set_friction(w.shape(), w.d.number()); });
    edit("ModelEdit::set_restitution", [&](ModelEdit& e) { e.set_restitution(w.shape(), w.d.number()); });
    edit("ModelEdit::set_collides", [&](ModelEdit& e) { e.set_collides(w.shape(), w.d.pick(2) != 0); });
    edit("ModelEdit::set_gains", [&](ModelEdit& e) { e.set_gains(w.dof(), w.d.number(), w.d.number()); });
    edit("ModelEdit::set_limits", [&](ModelEdit& e) { e.set_limits(w.dof(), w.d.number(), w.d.number()); });
    edit("ModelEdit::set_velocity_limit", [&](ModelEdit& e) { e.set_velocity_limit(w.dof(), w.d.number()); });
    edit("ModelEdit::set_effort_limit", [&](ModelEdit& e) { e.set_effort_limit(w.dof(), w.d.number()); });
    edit("ModelEdit::set_armature", [&](ModelEdit& e) { e.set_armature(w.dof(), w.d.number()); });
    edit("ModelEdit::set_enabled", [&](ModelEdit& e) { e.set_enabled(w.joint(), w.d.pick(2) != 0); });
    edit("ModelEdit::set_gravity", [&](ModelEdit& e) { e.set_gravity(w.d.small(), w.world()); });
    edit("ModelEdit::arrays",
         [&](ModelEdit& e) { e.arrays({.inertia = true}).body_mass.resize(static_cast<std::size_t>(w.d.pick(6))); });
    edit("ModelEdit::arrays", [&](ModelEdit& e) { e.arrays({.numbers = true}).joint_limit_lower.clear(); });
    edit("ModelEdit::arrays", [&](ModelEdit& e) { w.wild(e); });
    edit("ModelEdit::changes", [&](ModelEdit& e) { (void)e.changes(); });
    edit("Simulation::edit", [&](ModelEdit&) { (void)w.sim.step(); });
    edit("Simulation::edit", [&](ModelEdit&) { (void)w.sim.edit([](ModelEdit&) {}); });
    edit("Simulation::edit", {});
    c.add("ModelEdit::ModelEdit", [&] {
        model::Model arrays = w.m.arrays();
        ModelEdit(arrays).set_mass(w.body(), w.d.number());
    });
}

void add_states(Calls& c, World& w)
{
    c.add("State::State", [&] { (void)State(w.d.pick(2) ? w.models[0] : nullptr); });
    c.add("State::model", [&] { (void)w.state().model(); });
    c.add("State::time", [&] { (void)w.state().time(); });
    c.add("State::pose", [&] { (void)w.state().pose(w.body()); });
    c.add("State::position", [&] { (void)w.state().position(w.body()); });
    c.add("State::position", [&] { (void)w.state().position(w.dof()); });
    c.add("State::velocity", [&] { (void)w.state().velocity(w.body()); });
    c.add("State::velocity", [&] { (void)w.state().velocity(w.dof()); });
    c.add("State::angular_velocity", [&] { (void)w.state().angular_velocity(w.body()); });
    c.add("State::set_pose", [&] { w.state().set_pose(w.body(), w.pose()); });
    c.add("State::set_velocity", [&] { w.state().set_velocity(w.body(), w.d.small(), w.d.small()); });
    c.add("State::set_velocity", [&] { w.state().set_velocity(w.dof(), w.d.real()); });
    c.add("State::set_position", [&] { w.state().set_position(w.dof(), w.d.real()); });
    c.add("State::rotation", [&] { (void)w.state().rotation(w.joint()); });
    c.add("State::set_rotation", [&] { w.state().set_rotation(w.joint(), static_cast<Quat>(w.d.rotation())); });
    c.add("State::settle", [&] { w.state().settle(); });
    c.add("State::is_settled", [&] { (void)w.state().is_settled(); });
    c.add("State::arrays", [&] { w.state().arrays().body_q.resize(static_cast<std::size_t>(w.d.pick(5))); });
    c.add("State::arrays", [&] { w.state().arrays().joint_qd.resize(static_cast<std::size_t>(w.d.pick(12))); });
    c.add("State::arrays", [&] { w.own_state = State(w.y.model); });
    c.add("State::arrays", [&] {
        if (auto& q = w.own_state.arrays().joint_q; !q.empty()) q.front() = w.d.real();
    });
    c.add("Control::Control", [&] { (void)Control(w.d.pick(2) ? w.models[0] : nullptr); });
    c.add("Control::model", [&] { (void)w.control().model(); });
    c.add("Control::force", [&] { w.control().force(w.dof()) = w.d.real(); });
    c.add("Control::target_position", [&] { w.control().target_position(w.dof()) = w.d.real(); });
    c.add("Control::target_velocity", [&] { w.control().target_velocity(w.dof()) = w.d.real(); });
    c.add("Control::wrench", [&] { w.control().wrench(w.body()).linear = w.d.small(); });
    c.add("Control::set_target_pose", [&] { w.control().set_target_pose(w.body(), w.pose()); });
    c.add("Control::clear", [&] { w.control().clear(); });
    c.add("Control::arrays", [&] { w.control().arrays().joint_f.resize(static_cast<std::size_t>(w.d.pick(12))); });
    c.add("Control::arrays", [&] { (void)std::as_const(w.own_control).arrays(); });
    c.add("Control::wrenches", [&] { (void)w.control().wrenches(); });
    const auto rows = [] { return model::Contacts(); };
    c.add("Contacts::Contacts", [&] {
        model::Contacts made;
        made.resize(2);
        made.rigid_contact_count     = w.d.integer();
        made.rigid_contact_shape0[0] = w.d.integer();
        for (const Contact& contact : Contacts(*w.models[w.d.pick(2)], w.state(), made)) (void)contact;
    });
    c.add("Contacts::size", [&] { (void)w.simulation().contacts().size(); });
    c.add("Contacts::empty", [&] { (void)w.simulation().touching().empty(); });
    c.add("Contacts::arrays", [&, rows] {
        const auto made = rows();
        (void)Contacts(w.m, w.state(), made).arrays();
    });
    c.add("Contacts::begin", [&] {
        const auto     kept = w.simulation().contacts().begin();
        const Contacts view = w.sim.contacts();
        w.sim.edit_state().arrays().body_q.resize(static_cast<std::size_t>(w.d.pick(5)));
        for (const Contact& contact : view) (void)contact;
        (void)*kept;
    });
    c.add("Contacts::begin", [&] { (void)*w.simulation().contacts().begin(); });
    c.add("Contacts::end", [&] { (void)*w.simulation().contacts().end(); });
    c.add("Contacts::iterator::operator*", [&] { (void)*Contacts::iterator(); });
    c.add("Contacts::iterator::operator++", [&] { ++Contacts::iterator(); });
    c.add("Contacts::iterator::operator++", [&] { Contacts::iterator()++; });
    c.add("Contacts::iterator::operator==", [&] { (void)(Contacts::iterator() == w.sim.contacts().end()); });
    c.add("Contact::touching", [&] { (void)Contact{.force = w.d.small()}.touching(); });
}

void add_builders(Calls& c, World& w)
{
    ModelBuilder& b = w.builder;
    c.add("ModelBuilder::ModelBuilder", [&] { b = ModelBuilder(); });
    c.add("ModelBuilder::ModelBuilder", [&] { (void)ModelBuilder(b).finalize(); });
    c.add("ModelBuilder::ModelBuilder", [&] {
        const ModelBuilder taken(std::move(b));
        (void)b.add_body();
    });
    c.add("ModelBuilder::operator=", [&] { b = ModelBuilder(b); });
    c.add("ModelBuilder::operator=", [&] {
        ModelBuilder other;
        other = std::move(b);
        (void)b.finalize();
    });
    c.add("ModelBuilder::set_gravity", [&] { b.set_gravity(w.d.vector()); });
    c.add("ModelBuilder::add_body", [&] { (void)b.add_body(w.body_options()); });
    c.add("ModelBuilder::add_link", [&] { (void)b.add_link(w.body_options()); });
    c.add("ModelBuilder::add_box", [&] {
        (void)b.add_box(w.body(), {.half     = w.d.pick(2) ? w.d.vector() : Vec3d{1, 1, 1},
                                   .position = w.d.vector(),
                                   .label    = w.d.text(),
                                   .surface  = w.surface()});
    });
    c.add("ModelBuilder::add_sphere", [&] {
        (void)b.add_sphere(w.body(), {.radius = w.d.number(), .position = w.d.vector(), .surface = w.surface()});
    });
    c.add("ModelBuilder::add_capsule", [&] { (void)b.add_capsule(w.body(), w.capsule()); });
    c.add("ModelBuilder::add_cylinder", [&] { (void)b.add_cylinder(w.body(), w.capsule()); });
    c.add("ModelBuilder::add_cone", [&] { (void)b.add_cone(w.body(), w.capsule()); });
    c.add("ModelBuilder::add_mesh", [&] {
        const Vec3d        points[]    = {w.d.vector(), {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        const std::int32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, w.d.integer()};
        (void)b.add_mesh(w.body(), {.points    = std::span(points).first(static_cast<std::size_t>(w.d.pick(5))),
                                    .triangles = std::span(triangles).first(static_cast<std::size_t>(w.d.pick(13))),
                                    .convex    = w.d.pick(2) != 0});
    });
    c.add("ModelBuilder::add_ground", [&] { (void)b.add_ground({.height = w.d.number(), .label = w.d.text()}); });
    c.add("ModelBuilder::add_heightfield", [&] {
        const std::vector<Real> heights(static_cast<std::size_t>(w.d.pick(10)), w.d.real());
        (void)b.add_heightfield({.rows       = w.d.integer(),
                                 .columns    = w.d.integer(),
                                 .half_x     = w.d.number(),
                                 .half_y     = 1,
                                 .elevations = heights});
    });
    c.add("ModelBuilder::add_revolute", [&] { (void)b.add_revolute(w.body(), w.body(), w.joint_options()); });
    c.add("ModelBuilder::add_prismatic", [&] { (void)b.add_prismatic(w.body(), w.body(), w.joint_options()); });
    c.add("ModelBuilder::add_ball", [&] { (void)b.add_ball(w.body(), w.body(), w.joint_options()); });
    c.add("ModelBuilder::add_fixed", [&] { (void)b.add_fixed(w.body(), w.body(), w.joint_options()); });
    c.add("ModelBuilder::free_joint", [&] { (void)b.free_joint(w.body()); });
    c.add("ModelBuilder::add_robot", [&] {
        const JointId some[] = {w.joint(), w.joint()};
        b.add_robot(std::span(some).first(static_cast<std::size_t>(w.d.pick(3))), w.d.text());
    });
    c.add("ModelBuilder::disable_contacts", [&] { b.disable_contacts(w.shape(), w.shape()); });
    c.add("ModelBuilder::replicate", [&] {
        ModelBuilder scene;
        (void)scene.add_body({.mass = 1});
        w.replicas = w.d.pick(3) ? b.replicate(scene, w.d.integer()) : b.replicate(b, 2);
    });
    c.add("ModelBuilder::finalize", [&] { (void)b.finalize(); });
    c.add("ModelBuilder::finalize", [&] { (void)b.finalize(w.notes); });
    for (int i = 0; i < 4; ++i) c.add("ModelBuilder::finalize", [&] { w.drawn_model(); });
    c.add("ModelBuilder::mistakes", [&] { (void)b.mistakes().size(); });
    c.add("ModelBuilder::arrays", [&] { (void)b.arrays(); });
    c.add("ModelBuilder::arrays", [&] { (void)std::as_const(b).arrays(); });
    c.add("Replicas::count", [&] { (void)w.replicas.count(); });
    c.add("Replicas::world", [&] { (void)w.replicas.world(w.d.integer()); });
    c.add("Replicas::body", [&] { (void)w.replicas.body(w.d.id<WorldId>(3), w.body()); });
    c.add("Replicas::joint", [&] { (void)w.replicas.joint(w.d.id<WorldId>(3), w.joint()); });
    c.add("Replicas::shape", [&] { (void)w.replicas.shape(w.d.id<WorldId>(3), w.shape()); });
}

void add_simulations(Calls& c, World& w)
{
    c.add("Simulation::Simulation", [&] { (void)Simulation(w.d.pick(2) ? w.y.model : nullptr, {.threads = 1}); });
    c.add("Simulation::Simulation", [&] {
        Simulation taken(std::move(w.sim));
        w.sim = std::move(taken);
    });
    c.add("Simulation::Simulation", [&] { w.in_any_order(); });
    c.add("Simulation::operator=", [&] { w.sim = Simulation(w.y.model, {.dt = 1e-3, .threads = 1}); });
    c.add("Simulation::make", [&] { (void)Simulation::make(w.d.pick(3) ? w.y.model : nullptr, w.options()); });
    c.add("Simulation::step", [&] { (void)w.simulation().step(); });
    c.add("Simulation::run_for", [&] { (void)w.simulation().run_for(w.d.pick(2) ? w.d.number() * 1e-3 : 2e-3); });
    c.add("Simulation::on_step", [&] {
        if (w.d.pick(2)) return w.simulation().on_step({});
        w.simulation().on_step([&w](const State& s, Control& u) {
            u.force(w.dof()) = s.velocity(w.dof());
            if (w.d.once_in(3)) (void)w.sim.step();
            if (w.d.once_in(3)) w.sim.reset();
            if (w.d.once_in(3)) (void)w.sim.edit([](ModelEdit&) {});
        });
    });
    c.add("Simulation::model", [&] { (void)w.simulation().model(); });
    c.add("Simulation::state", [&] { (void)w.simulation().state().pose(w.body()); });
    c.add("Simulation::time", [&] { (void)w.simulation().time(); });
    c.add("Simulation::dt", [&] { (void)w.simulation().dt(); });
    c.add("Simulation::steps", [&] { (void)w.simulation().steps(); });
    c.add("Simulation::hash", [&] { (void)w.simulation().hash(); });
    c.add("Simulation::pose", [&] { (void)w.simulation().pose(w.body()); });
    c.add("Simulation::position", [&] { (void)w.simulation().position(w.body()); });
    c.add("Simulation::worlds", [&] { (void)w.simulation().worlds(); });
    c.add("Simulation::contacts", [&] {
        for (const Contact& x : w.simulation().contacts()) (void)x.touching();
    });
    c.add("Simulation::touching", [&] {
        for (const Contact& x : w.simulation().touching()) CHECK(x.touching());
    });
    c.add("Simulation::queries", [&] { (void)w.simulation().queries().ray(w.world(), w.d.vector(), w.d.vector()); });
    c.add("Simulation::notes", [&] { (void)w.simulation().notes(); });
    c.add("Simulation::control", [&] { w.simulation().control().force(w.dof()) = w.d.real(); });
    c.add("Simulation::control", [&] { w.simulation().control() = Control(w.models[w.d.pick(2)]); });
    c.add("Simulation::control",
          [&] { w.simulation().control().arrays().joint_f.resize(static_cast<std::size_t>(w.d.pick(12))); });
    c.add("Simulation::edit_state", [&] { w.simulation().edit_state().set_position(w.dof(), w.d.real()); });
    c.add("Simulation::edit_state", [&] { w.simulation().edit_state() = State(w.models[w.d.pick(2)]); });
    c.add("Simulation::edit_state",
          [&] { w.simulation().edit_state().arrays().body_q.resize(static_cast<std::size_t>(w.d.pick(5))); });
    c.add("Simulation::set_pose", [&] { w.simulation().set_pose(w.body(), w.pose()); });
    c.add("Simulation::reset", [&] { w.simulation().reset(); });
    c.add("Simulation::reset", [&] { w.simulation().reset(w.world()); });
    c.add("Simulation::record", [&] { (void)w.simulation().record(w.file(), {.every = w.d.integer()}); });
    c.add("Simulation::finish_recording", [&] { (void)w.simulation().finish_recording(); });
    c.add("replay", [&] { (void)replay(w.file(), *w.models[w.d.pick(2)], {.threads = w.d.pick(3) - 1}); });
}

void add_dynamics_and_queries(Calls& c, World& w)
{
    const auto numbers = [&w] { return w.d.numbers(static_cast<std::size_t>(w.dofs)); };
    c.add("Dynamics::Dynamics", [&] { (void)Dynamics(w.d.pick(2) ? w.y.model : nullptr); });
    c.add("Dynamics::Dynamics", [&] {
        Dynamics taken(std::move(w.dyn));
        (void)w.dyn.mass_matrix();
    });
    c.add("Dynamics::operator=", [&] { w.dyn = Dynamics(w.y.model); });
    c.add("Dynamics::at", [&] { (void)w.dynamics().at(w.state()); });
    c.add("Dynamics::jacobian", [&] { (void)w.dynamics().jacobian(w.body(), w.d.vector()); });
    c.add("Dynamics::mass_matrix", [&] { (void)w.dynamics().mass_matrix(w.world()); });
    c.add("Dynamics::inverse_dynamics", [&, numbers] { (void)w.dynamics().inverse_dynamics(numbers(), w.world()); });
    c.add("Dynamics::forward_dynamics", [&, numbers] { (void)w.dynamics().forward_dynamics(numbers(), w.world()); });
    c.add("Dynamics::inverse_kinematics", [&] {
        const Goal goal{.body            = w.body(),
                        .point           = w.d.vector(),
                        .position        = w.d.vector(),
                        .rotation        = w.d.rotation(),
                        .position_weight = w.d.number(),
                        .rotation_weight = w.d.number()};
        (void)w.dynamics().inverse_kinematics(w.state(), std::span(&goal, static_cast<std::size_t>(w.d.pick(3) != 0)),
                                              {.iterations         = w.d.pick(5) - 1,
                                               .starts             = w.d.pick(4) - 1,
                                               .position_tolerance = w.d.number(),
                                               .rotation_tolerance = w.d.number()});
    });
    c.add("MatrixView::operator()", [&] {
        (void)w.dyn.mass_matrix().expect()(static_cast<std::size_t>(w.d.pick(12)),
                                           static_cast<std::size_t>(w.d.pick(12)));
    });
    c.add("MatrixView::operator()", [&] {
        const auto       four = w.d.numbers(4);
        const MatrixView made{static_cast<std::size_t>(w.d.integer()), static_cast<std::size_t>(w.d.integer()), four};
        (void)made(static_cast<std::size_t>(w.d.pick(4)), static_cast<std::size_t>(w.d.pick(4)));
        (void)made.row(static_cast<std::size_t>(w.d.pick(4)));
    });
    c.add("MatrixView::row", [&] { (void)w.dyn.mass_matrix().expect().row(static_cast<std::size_t>(w.d.pick(12))); });
    c.add("Queries::Queries", [&] { (void)Queries(w.d.pick(2) ? w.y.model : nullptr); });
    c.add("Queries::Queries", [&] {
        Queries taken(std::move(w.asked));
        (void)w.asked.overlap(w.shape(), w.shape());
    });
    c.add("Queries::operator=", [&] { w.asked = Queries(w.y.model); });
    c.add("Queries::update", [&] { w.queries().update(w.state()); });
    c.add("Queries::ray", [&] { (void)w.queries().ray(w.world(), w.d.vector(), w.d.vector(), w.d.number()); });
    c.add("Queries::nearest", [&] { (void)w.queries().nearest(w.world(), w.d.vector(), w.d.number()); });
    c.add("Queries::distance", [&] { (void)w.queries().distance(w.shape(), w.shape()); });
    c.add("Queries::overlap", [&] { (void)w.queries().overlap(w.shape(), w.shape()); });
    c.add("Queries::overlaps", [&] { (void)w.queries().overlaps(w.shape(), w.world()); });
    c.add("Queries::cast", [&] { (void)w.queries().cast(w.shape(), w.d.vector(), w.world()); });
    c.add("Placement::of", [&] { (void)Placement::of(Pose{w.d.small(), static_cast<Quat>(w.d.rotation())}); });
    c.add("operator*", [&] { (void)(w.pose() * w.d.small()); });
    c.add("operator*", [&] { (void)(w.pose() * w.pose()); });
    c.add("inverse", [&] { (void)inverse(w.pose()); });
}

void add_results(Calls& c, World& w)
{
    const auto drawn = [&w]() -> Result<int> {
        if (w.d.pick(2)) return 3;
        return Diagnostic{.id = "DRAWN", .message = "there is no value"};
    };
    const auto same = [](int x) { return Result<int>(x); };
    // Overloads by what kind of object they are called on: lvalue, const lvalue, rvalue.
    c.add("Result::Result", [=] { (void)drawn(); });
    c.add("Result::Result", [=] {
        auto       from = drawn();
        const auto to   = std::move(from);
        CHECK(from.has_value() == to.has_value());  // NOLINT(bugprone-use-after-move)
    });
    c.add("Result::Result", [=] { (void)Result<int>(Diagnostic{}); });
    c.add("Result::Result", [] { (void)Result<void>(Diagnostic{}); });
    c.add("Result::has_value", [=] { (void)drawn().has_value(); });
    c.add("Result::has_value", [] { (void)Result<void>().has_value(); });
    for (const char* name : {"Result::value", "Result::operator*", "Result::expect"}) {
        c.add(name, [=] {
            auto r = drawn();
            (void)r.value();
        });
        c.add(name, [=] {
            const auto r = drawn();
            (void)*r;
        });
        c.add(name, [=] { (void)drawn().expect(); });
    }
    c.add("Result::expect", [] { Result<void>(Diagnostic{.id = "DRAWN", .message = "no"}).expect(); });
    c.add("Result::operator->", [] { (void)Result<std::string>("x")->size(); });
    c.add("Result::operator->", [] {
        const Result<std::string> r("x");
        (void)r->size();
    });
    c.add("Result::value_or", [=] { (void)drawn().value_or(7); });
    c.add("Result::value_or", [=] {
        const auto r = drawn();
        (void)r.value_or(7);
    });
    c.add("Result::and_then", [=] { (void)drawn().and_then(same); });
    c.add("Result::and_then", [=] {
        const auto r = drawn();
        (void)r.and_then(same);
    });
    c.add("Result::and_then", [] { (void)Result<void>().and_then([] { return Result<int>(1); }); });
    c.add("Result::transform", [=] { (void)drawn().transform([](int x) { return x + 1; }); });
    c.add("Result::transform", [=] {
        const auto r = drawn();
        (void)r.transform([](int) {});
    });
    c.add("Result::error", [=] { (void)drawn().error(); });
    c.add("Result::error", [] { (void)Result<void>().error(); });
    c.add("set_failure_handler", [] { set_failure_handler(set_failure_handler(nullptr)); });
    c.add("fail", [] { fail({.id = "DRAWN", .message = "told"}); });
    c.add("refuse_argument", [] { refuse_argument("f", "x", "another"); });
    c.add("exit_code_of", [&] { (void)exit_code_of({.id = w.d.text()}); });
    c.add("to_string", [&] { (void)to_string(static_cast<Severity>(w.d.integer())); });
    c.add("to_text", [&] {
        (void)to_text(Diagnostic{.id       = w.d.text(),
                                 .severity = static_cast<Severity>(w.d.integer()),
                                 .site     = {.line = w.d.integer(), .property = w.d.text()}});
    });
    c.add("make_diagnostic", [&] { (void)make_diagnostic(kApiArgument, {.prim = w.d.text()}, w.d.text()); });
    c.add("Diagnostic::is", [&] { (void)Diagnostic{.id = "x"}.is(w.d.text()); });
    c.add("Diagnostics::add", [&] { w.notes.add({.id = w.d.text()}); });
    c.add("Diagnostics::add", [&] { w.notes.add(kApiArgument, {}, w.d.text()); });
    c.add("Diagnostics::append", [&] { w.notes.append(Diagnostics(w.notes)); });
    c.add("Diagnostics::empty", [&] { (void)w.notes.empty(); });
    c.add("Diagnostics::size", [&] { (void)w.notes.size(); });
    c.add("Diagnostics::items", [&] { (void)w.notes.items(); });
    c.add("Diagnostics::begin", [&] { (void)w.notes.begin(); });
    c.add("Diagnostics::end", [&] { (void)w.notes.end(); });
    c.add("Diagnostics::has_errors", [&] { (void)w.notes.has_errors(); });
    c.add("Diagnostics::count", [&] { (void)w.notes.count(static_cast<Severity>(w.d.integer())); });
    c.add("Diagnostics::count", [&] { (void)w.notes.count(w.d.text()); });
    c.add("Diagnostics::find", [&] { (void)w.notes.find(w.d.text()); });
    c.add("Diagnostics::clear", [&] { w.notes.clear(); });
}

void add_solvers(Calls& c, World& w)
{
    Solver& s = *w.stepper;
    c.add("Solver::step", [&] {
        model::State out;
        const State& in = w.state();
        const auto   r =
            w.stepper->step(in.arrays(), out, w.control().arrays(), nullptr, w.d.pick(2) ? 1e-3 : w.d.number());
        (void)r;
    });
    c.add("Solver::finds_contacts", [&] { (void)s.finds_contacts(); });
    c.add("Solver::found_contacts", [&] {
        model::Contacts out;
        s.found_contacts(w.own_state.arrays(), out);
    });
    c.add("Solver::reset", [&] { s.reset(); });
    c.add("Solver::reset_worlds",
          [&] { s.reset_worlds(std::vector<std::uint8_t>(static_cast<std::size_t>(w.d.pick(3)), 1)); });
    c.add("Solver::notify", [&] { s.notify(static_cast<std::uint32_t>(w.d.integer())); });
    c.add("Solver::name", [&] { (void)s.name(); });
    c.add("Solver::save", [&] { (void)s.save(); });
    c.add("Solver::restore", [&] {
        auto bytes = s.save();
        if (!bytes.empty() && w.d.pick(2))
            bytes.resize(static_cast<std::size_t>(w.d.pick(static_cast<int>(bytes.size()))));
        (void)s.restore(bytes);
    });
    c.add("Solver::make_memory", [&] { (void)s.make_memory(); });
    c.add("Solver::exchange", [&] {
        if (const auto memory = s.make_memory()) s.exchange(*memory);
    });
    c.add("Solver::observe", [&] { s.observe(nullptr); });
    c.add("Solver::is_awake", [&] { (void)s.is_awake(w.d.integer()); });
    c.add("Solver::wake", [&] { s.wake(w.d.integer()); });
    c.add("register_solver", [&] { (void)register_solver(w.d.pick(2) ? w.d.text() : "softstep", {}); });
    c.add("register_solver", [&] {
        (void)register_solver(":", [](const ModelArrays&, const SolverOptions&, Diagnostics&) {
            return Result<std::unique_ptr<Solver>>(nullptr);
        });
    });
    c.add("solver_names", [&] { (void)solver_names(); });
    c.add("make_solver", [&] { (void)make_solver(w.d.text(), w.m.arrays(), {.substeps = w.d.integer()}, w.notes); });
}

void add_all(Calls& c, World& w)
{
    add_models(c, w);
    add_edits(c, w);
    add_states(c, w);
    add_builders(c, w);
    add_simulations(c, w);
    add_dynamics_and_queries(c, w);
    add_results(c, w);
    add_solvers(c, w);
}

}  // namespace

TEST_CASE("every public function of the headers without USD is among the calls that are drawn below")
{
    Random         random(1);
    const Throwing scope;
    World          w(random);
    Calls          calls;
    add_all(calls, w);
    std::vector<std::filesystem::path> headers;
    for (const char* name :
         {"builder", "contacts", "dynamics", "math", "model", "queries", "recording", "result", "simulation", "solver",
          "state", "core/result", "core/failure", "core/diagnostic", "solvers/solver"})
        headers.push_back(kHeaders / (std::string(name) + ".h"));
    std::string missing;
    for (const std::string& one : calls.missing(headers)) missing += one + '\n';
    CHECK(missing == "");
}

TEST_CASE(
    "thousands of calls with wrong ids, sizes, objects and numbers end in a result, a report or the failure handler")
{
    int told = 0, done = 0;
    test::for_seeds(40, [&](Random& random) {
        const Throwing scope;
        World          w(random);
        Calls          calls;
        add_all(calls, w);
        for (int i = 0; i < 250; ++i)
            ++(calls.one(static_cast<std::size_t>(w.d.pick(static_cast<int>(calls.size())))) ? told : done);
    });
    CHECK(told > 1500);
    CHECK(done > 3000);
}

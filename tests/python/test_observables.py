"""Arrays that a solver fills beside the state, and contacts that a solver finds by itself."""
from dataclasses import dataclass

import numpy as np
import pytest

import mechane as mc
from mechane.model.custom import AttributeFrequency
from mechane.solvers import SolverBase, SolverSoftStep, SolverVBD

KINDS = SolverBase.ObservableKind


def resting_box():
    builder = mc.ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_body(xform=((0, 0, 0.1), (0, 0, 0, 1)))
    builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1, label="box")
    return builder.finalize()


@dataclass(eq=False)
class Pressures(SolverBase.Observables):
    pressure: object = SolverBase.Observables.field(kind="pressure", dtype=float, frequency=AttributeFrequency.CONTACT_RIGID)
    warmth: object = SolverBase.Observables.field(dtype=float, frequency=AttributeFrequency.BODY)


class Measuring(SolverBase):
    Observables = Pressures
    SUPPORTED_OBSERVABLES = frozenset({KINDS.CONTACT_F, "pressure", "warmth"})


def test_forces_of_contacts_have_a_row_for_each_place_of_both_kinds_and_add_up_to_the_weight():
    model = resting_box()
    contacts = mc.CollisionPipeline(model, rigid_contact_max=16, soft_contact_max=3).contacts()
    solver = SolverSoftStep(model)
    found = solver.observables({KINDS.CONTACT_F}, contacts=contacts)
    assert found.contact_f.shape == (19, 6) and found.contacts is contacts
    state = model.state()
    for _ in range(200):
        model.collide(state, contacts)
        solver.step(state, state, None, contacts, 0.005, observables=found)
    n = len(contacts)
    assert n and not found.contact_f[n:].any()
    assert np.abs(found.contact_f[:n, 2].sum()) == pytest.approx(float(model.body_mass[0]) * 9.81, rel=1e-3)


def test_a_selection_shares_arrays_and_says_which_contacts_each_array_follows():
    model = resting_box()
    first, second = (mc.CollisionPipeline(model, rigid_contact_max=4).contacts() for _ in range(2))
    solver = Measuring(model)
    all_of_them = solver.observables({KINDS.CONTACT_F, "pressure", "warmth"}, contacts=first)
    forces, pressures = all_of_them.select({KINDS.CONTACT_F}), all_of_them.select({"pressure"})
    assert forces.contact_f is all_of_them.contact_f and forces.pressure is None and all_of_them.pressure.shape == (4,) and all_of_them.warmth.shape == (1,)
    solver.validate_observables(forces, second)
    assert all_of_them.contacts is second and all_of_them.contacts_for_kind("pressure") is first and pressures.contacts is None
    with pytest.raises(ValueError, match="not requested"):
        forces.select({"pressure"})
    with pytest.raises(KeyError, match="bubbles"):
        forces.contacts_for_kind("bubbles")


@pytest.mark.parametrize("rigid, fits", [(4, True), (2, True), (0, True), (5, False)])
def test_contacts_may_be_smaller_than_the_arrays_and_never_larger(rigid, fits):
    model = resting_box()
    solver = Measuring(model)
    made = solver.observables({"pressure"}, contacts=mc.Contacts(4, 9))
    if fits:
        solver.validate_observables(made, mc.Contacts(rigid, 100))  # places of soft contacts do not count for rigid rows
    else:
        with pytest.raises(ValueError, match="pressure"):
            solver.validate_observables(made, mc.Contacts(rigid, 0))


def test_containers_of_ones_own_are_checked_before_anything_is_made():
    model = resting_box()
    solver = Measuring(model)

    @dataclass
    class ByValue(Pressures):
        pass

    class Undecorated(SolverBase.Observables):
        depth: object = SolverBase.Observables.field(dtype=float, frequency=AttributeFrequency.BODY)

    @dataclass(eq=False)
    class Twice(Pressures):
        again: object = SolverBase.Observables.field(kind="warmth", dtype=float, frequency=AttributeFrequency.BODY)

    for kind, error, word in ((ByValue, TypeError, "eq=False"), (Undecorated, TypeError, "dataclass"), (Twice, ValueError, "Duplicate"), (SolverBase.Observables, ValueError, "no field")):
        solver.Observables = kind
        with pytest.raises(error, match=word):
            solver.observables({"warmth"})
    with pytest.raises(ValueError, match="Conflicting"):
        type("Kinds", (KINDS,), {"BODY_QDD": "another"})
    with pytest.raises(TypeError, match="frequency"):
        SolverBase.Observables.field(dtype=float, frequency=5)


def test_a_pipeline_without_places_for_rigid_contacts_finds_those_of_particles():
    builder = mc.ModelBuilder()
    builder.add_ground_plane()
    builder.add_particle(pos=(0, 0, 0.05), vel=(0, 0, 0), mass=1.0, radius=0.1)
    body = builder.add_body(xform=((0, 0, 0.05), (0, 0, 0, 1)))
    builder.add_shape_sphere(body, radius=0.1)
    model = builder.finalize()
    pipeline = mc.CollisionPipeline(model, rigid_contact_max=0, overflow_policy="report")
    contacts = pipeline.contacts()
    assert contacts.rigid_contact_max == 0
    with pytest.warns(UserWarning, match="room for 0"):
        pipeline.collide(model.state(), contacts)
    assert len(contacts) == 0 and int(contacts.soft_contact_count[0]) >= 1


def test_a_solver_that_owns_a_pipeline_finds_its_contacts_and_takes_no_others():
    def falling():
        builder = mc.ModelBuilder()
        builder.add_ground_plane()
        builder.add_particle(pos=(0, 0, 0.3), vel=(0, 0, 0), mass=1.0, radius=0.1)
        return builder.finalize()

    heights = []
    for owned in (True, False):
        model = falling()
        pipeline = mc.CollisionPipeline(model)
        solver = SolverVBD(model, collision_pipeline=pipeline if owned else None)
        contacts, state = pipeline.contacts(), model.state()
        for _ in range(100):
            if not owned:
                pipeline.collide(state, contacts)
            solver.step(state, state, None, None if owned else contacts, 0.005)
        heights.append(float(state.particle_q[0][2]))
        if owned:
            assert solver.contacts is not None and int(solver.contacts.soft_contact_count[0]) == 1
            with pytest.raises(ValueError, match="contacts must be None"):
                solver.step(state, state, None, contacts, 0.005)
            solver.set_collision_frequency(collision_frequency_type={solver.CollisionSlot.RIGID: solver.CollisionFrequencyType.NONE})
            solver.contacts.clear()
            for _ in range(200):
                solver.step(state, state, None, None, 0.005)
            assert float(state.particle_q[0][2]) < -1  # nothing is looked for, and it falls through
    assert heights[0] == heights[1] > 0
    with pytest.raises(ValueError, match="cannot own"):
        Measuring(model, collision_pipeline=pipeline)
    with pytest.raises(ValueError, match="same model"):
        SolverVBD(falling(), collision_pipeline=pipeline)
    with pytest.raises(ValueError, match="requires a solver-owned pipeline"):
        SolverVBD(model).set_collision_frequency(collision_frequency_type={SolverBase.CollisionSlot.RIGID: SolverBase.CollisionFrequencyType.PRE_INIT})
    with pytest.raises(ValueError, match=">= 1"):
        SolverVBD(model).set_collision_frequency(collision_frequency={SolverBase.CollisionSlot.RIGID: 0})


def test_particles_fall_by_gravity_and_no_faster_than_they_may():
    builder = mc.ModelBuilder()
    for mass in (1.0, 0.0):
        builder.add_particle(pos=(0, 0, 0), vel=(0, 0, 0), mass=mass)
    builder.particle_max_velocity = 2.0
    model = builder.finalize()
    solver, state = SolverBase(model), model.state()
    for _ in range(10):
        solver.integrate_particles(model, state, state, 0.01)
    # Semi-implicit Euler: z = -g h^2 n (n + 1) / 2.
    assert float(state.particle_q[0][2]) == pytest.approx(-9.81 * 1e-4 * 55, rel=1e-5) and not np.asarray(state.particle_q[1]).any()
    for _ in range(100):
        solver.integrate_particles(model, state, state, 0.01)
    assert np.linalg.norm(state.particle_qd[0]) == pytest.approx(2.0, rel=1e-5)


def test_friction_that_a_program_writes_holds_at_rest_too():
    """Newton's models have one coefficient: a box that is pushed with 0.3 of its weight slides where mu is 0.1, and stays where it is 0.5"""
    def moved(mu, static=None):
        model = resting_box()
        solver, state = SolverSoftStep(model), model.state()
        model.shape_material_mu[:] = mu
        if static is not None:
            model.shape_material_mu_static[:] = static
        push = 0.3 * float(model.body_mass[0]) * 9.81
        for _ in range(50):
            state.body_f[0] = (push, 0, 0, 0, 0, 0)
            solver.step(state, state, None, model.collide(state), 0.02)
        return float(state.body_q[0][0])

    assert moved(0.1) == pytest.approx(0.5 * 0.2 * 9.81, rel=0.05)
    assert abs(moved(0.5)) < 1e-3 and abs(moved(0.1, 0.9)) < 1e-3

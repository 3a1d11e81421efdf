"""Particles in builders, models and states, and their contacts with shapes."""
import copy
import pickle
import warnings

import mechane as mc
import numpy as np
import pytest


def grid_world():
    """A ball of 0.5 at z = 1, a particle 5 mm above it and one 5 mm above the plane z = 0."""
    b = mc.ModelBuilder()
    b.add_shape_sphere(b.add_body(xform=((0, 0, 1), (0, 0, 0, 1))), radius=0.5)
    b.add_particle((0, 0, 1.505), (0, 0, 0), 1.0, radius=0.0)
    b.add_particle((2, 0, 0.005), (0, 0, 0), 1.0, radius=0.0)
    return b


def _without_particles():
    b = mc.ModelBuilder()
    b.add_shape_sphere(b.add_body(xform=((0, 0, 1), (0, 0, 0, 1))), radius=0.5)
    return b


def two_worlds():
    b = mc.ModelBuilder()
    b.add_ground_plane()
    b.replicate(grid_world(), 2)
    return b.finalize()


def soft_pairs(contacts):
    n = int(contacts.soft_contact_count[0])
    return list(zip(contacts.soft_contact_particle[:n].tolist(), contacts.soft_contact_shape[:n].tolist()))


def test_particles_arrive_as_they_were_added():
    """One and many, with the builder's radius where none is given"""
    b = mc.ModelBuilder()
    b.default_particle_radius = 0.25
    assert b.add_particle((1, 2, 3), (0, 0, -1), 2.0) == 0
    b.add_particles(pos=[(4, 0, 0), (5, 0, 0)], vel=np.zeros((2, 3)), mass=[0.0, 4.0], radius=[0.5, 0.1], flags=[mc.ParticleFlags.ACTIVE, 0])
    assert b.particle_count == 3 and b.particle_q[0] == (1, 2, 3) and b.particle_mass == [2, 0, 4] and b.particle_flags == [1, 1, 0]
    b.particle_radius[1] = 0.75
    model = b.finalize()
    assert model.particle_count == 3 and model.particle_q.shape == (3, 3) and model.particle_inv_mass.tolist() == [0.5, 0, 0.25]
    assert model.particle_radius.tolist() == pytest.approx([0.25, 0.75, 0.1]) and model.particle_world.tolist() == [-1] * 3
    state = model.state()
    assert state.particle_q is state.particle_q and state.particle_q.tolist() == model.particle_q.tolist() and state.particle_count == 3
    state.particle_f[1] = (0, 0, 9)
    state.clear_forces()
    assert not state.particle_f.any()
    assert model.get_attribute_frequency("particle_mass") == mc.Model.AttributeFrequency.PARTICLE


def test_a_model_without_particles_has_none_of_their_arrays():
    state = mc.ModelBuilder().finalize().state()
    assert state.particle_q is None and state.particle_f is None and state.particle_count == 0 and "particle_q" not in state.to_dict()


@pytest.mark.parametrize("wrong", [{"vel": [(0, 0, 0)]}, {"mass": [1.0]}, {"radius": [0.1] * 3}, {"flags": [1]}, {"pos": [(0, 0), (1, 1)]},
                                   {"vel": None}, {"custom_attributes": {"heat": [1.0]}}])
def test_lists_of_other_lengths_are_refused(wrong):
    """And nothing is added"""
    b = mc.ModelBuilder()
    b.add_custom_attribute(mc.ModelBuilder.CustomAttribute(name="heat", frequency=mc.Model.AttributeFrequency.PARTICLE, dtype=float))
    good = {"pos": [(0, 0, 0), (1, 0, 0)], "vel": [(0, 0, 0)] * 2, "mass": [1.0, 1.0]}
    with pytest.raises(ValueError, match=next(iter(wrong)) if "custom_attributes" not in wrong else "heat"):
        b.add_particles(**{**good, **wrong})
    assert b.particle_count == 0


def test_a_grid_is_where_it_is_said_to_be():
    """2 x 3 x 1 particles 0.5 apart, turned by a quarter about z: x goes to y, y to -x"""
    b = mc.ModelBuilder()
    h = 0.5**0.5
    b.add_particle_grid(pos=(1, 0, 2), rot=(0, 0, h, h), vel=(0, 1, 0), dim_x=2, dim_y=3, dim_z=1, cell_x=0.5, cell_y=0.5, cell_z=0.5, mass=0.1, jitter=0.0,
                        radius_mean=0.2)
    expected = sorted((1 - 0.5 * j, 0.5 * i, 2.0) for i in range(2) for j in range(3))
    assert np.allclose(sorted(tuple(np.round(p, 9)) for p in b.particle_q), expected) and b.particle_radius == [0.2] * 6 and b.particle_qd[5] == (0, 1, 0)
    twins = []
    for _ in range(2):
        twin = mc.ModelBuilder()
        twin.add_particle_grid(pos=(0, 0, 0), rot=(0, 0, 0, 1), vel=(0, 0, 0), dim_x=2, dim_y=2, dim_z=2, cell_x=1, cell_y=1, cell_z=1, mass=1, jitter=0.1,
                               radius_std=0.01)
        twins.append((list(twin.particle_q), list(twin.particle_radius)))
    assert twins[0] == twins[1] and len(set(twins[0][1])) == 8
    assert max(abs(x - round(x)) for p in twins[0][0] for x in p) <= 0.05


def test_copies_bring_their_particles():
    """Each into its own world, with their custom values and indices"""
    part = grid_world()
    for name, dtype, references in (("heat", float, None), ("next", int, "particle")):
        part.add_custom_attribute(mc.ModelBuilder.CustomAttribute(name=name, frequency=mc.Model.AttributeFrequency.PARTICLE, dtype=dtype, references=references, default=-1))
    part.add_particle((3, 0, 9), (1, 0, 0), 1.0, custom_attributes={"heat": 7.0, "next": 1})
    b = mc.ModelBuilder()
    b.add_particle((0, 0, 9), (0, 0, 0), 1.0)
    b.replicate(part, 2, spacing=(10, 0, 0))
    model = b.finalize()
    assert model.particle_world.tolist() == [-1, 0, 0, 0, 1, 1, 1] and model.particle_world_start.tolist() == [1, 4, 7, 7] == b.particle_world_start
    assert model.particle_q[3, 0] == -2 and model.particle_q[6, 0] == 8
    assert model.heat.tolist() == [-1, -1, -1, 7, -1, -1, 7] and model.next.tolist() == [-1, -1, -1, 2, -1, -1, 5]


def test_contacts_of_particles_are_found_alone_and_by_the_pipeline():
    """Sorted by particle and shape; the plane of all worlds and the ball of the particle's own (GAP-049)"""
    model = two_worlds()
    state, expected = model.state(), [(0, 1), (1, 0), (2, 2), (3, 0)]
    contacts = model.collide(state)
    assert soft_pairs(contacts) == expected and model.soft_contact_max == 4 * 2 and contacts.soft_contact_body_pos.shape[1] == 3
    assert np.allclose(contacts.soft_contact_normal[:4], (0, 0, 1)) and np.allclose(contacts.soft_contact_body_pos[0], (0, 0, 0.5), atol=1e-6)
    assert contacts.soft_contact_indices[1].tolist() == [1, -1, -1]
    alone = mc.Contacts(0, 4)
    mc.geometry.create_soft_contacts(model, state, alone, 0.01)
    assert soft_pairs(alone) == expected and alone.rigid_contact_count[0] == 0
    mc.geometry.create_soft_contacts(model, state, alone, gap=0.001)
    assert alone.soft_contact_count[0] == 0
    model.particle_flags[0] = 0  # out of play from now on
    mc.geometry.create_soft_contacts(model, state, alone)
    assert soft_pairs(alone) == expected[1:]
    alone.clear()
    assert alone.soft_contact_count[0] == 0


def test_the_gap_of_soft_contacts_may_change_between_calls():
    model = two_worlds()
    state = model.state()
    pipeline = mc.CollisionPipeline(model, soft_contact_margin=0.001)
    contacts = pipeline.contacts()
    counts = []
    for gap in (None, 0.01, 0.2):
        if gap:
            pipeline.soft_contact_gap = gap
        pipeline.collide(state, contacts)
        counts.append(int(contacts.soft_contact_count[0]))
    pipeline.collide(state, contacts, soft_contact_margin=0.0)
    assert counts == [0, 4, 4] and int(contacts.soft_contact_count[0]) == 0 and pipeline.soft_contact_margin == 0.2
    for arguments in ({"soft_contact_gap": -0.1}, {"soft_contact_gap": 0.1, "soft_contact_margin": 0.1}, {"soft_contact_max": -1}):
        with pytest.raises(ValueError, match="soft_contact"):
            mc.CollisionPipeline(model, **arguments)
    with pytest.raises(ValueError, match="soft_contact_gap"):
        pipeline.collide(state, contacts, soft_contact_margin=float("nan"))


def test_soft_contacts_that_do_not_fit_are_said_so():
    model = two_worlds()
    pipeline = mc.CollisionPipeline(model, soft_contact_max=3)
    contacts = pipeline.contacts()
    with pytest.warns(mc.MechaneWarning, match="4 soft contacts, room for 3; those of the first particles were kept"):
        pipeline.collide(model.state(), contacts)
    assert soft_pairs(contacts) == [(0, 1), (1, 0), (2, 2)] and contacts.soft_contact_max == 3 and contacts.status["soft_needed"] == 4
    off = mc.CollisionPipeline(model, soft_contact_max=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        off.collide(model.state(), off.contacts())


def test_a_shape_may_leave_particles_alone():
    """Four flag combinations: which of the two kinds of contacts a ball takes part in (SMP-17)"""
    for shapes in (True, False):
        for particles in (True, False):
            builder = mc.ModelBuilder()
            cfg = builder.ShapeConfig(has_shape_collision=shapes, has_particle_collision=particles)
            builder.add_shape_sphere(builder.add_body(), radius=0.5, cfg=cfg)
            builder.add_shape_sphere(builder.add_body(xform=((0.9, 0, 0), (0, 0, 0, 1))), radius=0.5, cfg=builder.ShapeConfig(has_particle_collision=False))
            builder.add_particle((0, 0, 0.55), (0, 0, 0), 0.001, radius=0.1)
            model = builder.finalize()
            contacts = model.collide(model.state())
            assert (int(contacts.rigid_contact_count[0]), int(contacts.soft_contact_count[0])) == (int(shapes), int(particles))


def test_softstep_moves_particles_and_a_reset_brings_them_back():
    """One in the air falls in a step by g h^2 (n + 1) / 2n, with n substeps of velocities that change before the positions do."""
    model = two_worlds()
    solver = mc.solvers.SolverSoftStep(model)
    assert not any("particles" in text for text in solver.unsupported_features())
    a, b = model.state(), model.state()
    a.particle_q[0] = (7, 8, 9)
    solver.step(a, b, None, None, 1 / 60)
    assert b.particle_q[0].tolist() == pytest.approx([7, 8, 9 - 9.81 / 3600 * 9 / 16], abs=1e-5)
    mask = np.array([True, False, False])
    solver.reset(b, mask)
    assert b.particle_q[0].tolist() == pytest.approx([0, 0, 1.505])
    assert mc.solvers.SolverSoftStep(mc.testing.random_tree(3).finalize()).unsupported_features() == []
    bare = mc.ModelBuilder()
    bare.add_ground_plane()
    bare.replicate(_without_particles(), 2)
    with pytest.raises(ValueError, match="state_out: of another model"):
        solver.step(a, bare.finalize().state(), None, None, 1 / 60)


def test_particles_are_copied_pickled_and_hashed_with_the_rest():
    model = two_worlds()
    state = model.state()
    state.particle_q[1] = (1, 2, 3)
    again = pickle.loads(pickle.dumps(state))
    assert again.particle_q.tolist() == state.particle_q.tolist() and again.hash() == state.hash() != model.state().hash()
    assert copy.copy(state).particle_q.tolist() == state.particle_q.tolist()
    other = model.state()
    other.assign(state)
    assert other.particle_q.tolist() == state.particle_q.tolist()
    twin = pickle.loads(pickle.dumps(grid_world()))
    assert twin.particle_q == grid_world().particle_q and twin.finalize().particle_radius.tolist() == [0, 0]
    contacts = pickle.loads(pickle.dumps(model.collide(state)))
    assert contacts.soft_contact_count[0] == 3  # the second one was moved away


@pytest.mark.parametrize("solver", ["SolverXPBD", "SolverVBD"])
def test_a_particle_rests_on_a_plane(solver):
    """Radius 0.1, dropped from 1 m, at z = 0.1. Contacts of VBD are springs, so it sinks by m g / k, 4 mm with 0.1 kg and 250 N/m or more."""
    b = mc.ModelBuilder()
    b.add_ground_plane()
    b.add_particle((0, 0, 1), (0, 0, 0), 0.1, radius=0.1)
    b.color()
    model = b.finalize()
    pipeline = mc.CollisionPipeline(model)
    contacts, state, control = pipeline.contacts(), model.state(), model.control()
    made = getattr(mc.solvers, solver)(model)
    for _ in range(1500):
        pipeline.collide(state, contacts)
        made.step(state, state, control, contacts, 1 / 500)
    assert state.particle_q[0, 2] == pytest.approx(0.1, abs=5e-3)
    assert abs(state.particle_qd[0, 2]) < 1e-2


@pytest.mark.parametrize("solver", ["SolverXPBD", "SolverVBD", "SolverSoftStep"])
def test_an_activation_of_the_control_shrinks_what_it_names(solver):
    """At a stiffness against volume far above that of shape a tetrahedron takes the volume ratio 1 less its activation (SOFT-059)"""
    b = mc.ModelBuilder(gravity=(0, 0, 0))
    for p in ((0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)):
        b.add_particle(p, (0, 0, 0), 0.01, radius=0.001)
    b.add_tetrahedron(0, 1, 2, 3, k_mu=10.0, k_lambda=1e5, k_damp=1.0)
    model = b.finalize()
    control, state = model.control(), model.state()
    assert control.tri_activations is None and control.tet_activations.shape == (1,)
    control.tet_activations[0] = 0.2
    options = {"iterations": 40} if solver != "SolverSoftStep" else {}
    stepper = getattr(mc.solvers, solver)(model, **options)
    for _ in range(200):
        stepper.step(state, state, control, None, 1 / 600)
    q = np.asarray(state.particle_q, float)
    assert np.linalg.det(q[1:] - q[0]) / 1e-3 == pytest.approx(0.8, abs=0.01)
    control.clear()
    assert control.tet_activations[0] == 0


def test_softstep_takes_what_moves_particles_and_whose_contacts_give_way():
    """GAP-101, GAP-102: options of SolverSoftStep, kept in `options`; a particle that stands on a body of its mass stays there under both"""
    b = mc.ModelBuilder()
    b.add_ground_plane()
    b.add_shape_box(b.add_body(xform=(0, 0, 0.1, 0, 0, 0, 1)), hx=0.1, hy=0.1, hz=0.1)
    b.add_particle(pos=(0, 0, 0.25), vel=(0, 0, 0), mass=1.0, radius=0.05)
    model = b.finalize()
    for options in ({}, {"soft_solver": "xpbd"}, {"soft_solver": "vbd", "rigid_islands": "never"}, {"rigid_islands": "always"}):
        solver = mc.solvers.SolverSoftStep(model, **options)
        assert solver.options["soft_solver"] == options.get("soft_solver", "vbd") and solver.options["rigid_islands"] == options.get("rigid_islands", "auto")
        state, contacts = model.state(), model.contacts()
        for _ in range(60):
            model.collide(state, contacts)
            solver.step(state, state, None, contacts, 1 / 60)
        assert np.asarray(state.particle_q)[0] == pytest.approx((0, 0, 0.25), abs=8e-3)  # by m g over the stiffness of the contact
    for wrong in ({"soft_solver": "newton"}, {"rigid_islands": True}):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} is .*, expected one of"):
            mc.solvers.SolverSoftStep(model, **wrong)

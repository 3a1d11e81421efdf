"""Rods: segments as bodies with elastic joints between them; muscles over bodies."""
import math

import mechane as mc
import numpy as np
import pytest


def straight(count=3, length=None, **material):
    length = 0.1 * count if length is None else length
    return mc.Rod.create_straight((0, 0, 1), (1, 0, 0), length, segment_count=count, **material)


def test_a_round_section_has_the_rigidities_of_its_modulus_and_radius():
    """(SOFT-019)"""
    modulus, ratio, r, pitch = 1e7, 0.3, 0.02, 0.1
    b = mc.ModelBuilder()
    b.add_rod(rod=straight(3, youngs_modulus=modulus, poissons_ratio=ratio, radius=r))
    m = b.finalize()
    area, shear = math.pi * r**2, modulus / (2 * (1 + ratio))
    expected = [0.9 * shear * area / pitch] * 2 + [modulus * area / pitch] + [modulus * math.pi * r**4 / 4 / pitch] * 2 + [shear * math.pi * r**4 / 2 / pitch]
    start = m.joint_qd_start.tolist()[m.joint_type.tolist().index(mc.JointType.ROD)]
    assert np.allclose(m.joint_target_ke[start:start + 6], expected, rtol=1e-5)


def test_a_gain_of_the_call_replaces_that_of_the_material():
    """(SOFT-019)"""
    b = mc.ModelBuilder()
    b.add_rod(rod=straight(2), stretch_stiffness=1e4, bend_stiffness=3.0, twist_damping=0.2)
    m = b.finalize()
    start = m.joint_qd_start.tolist()[m.joint_type.tolist().index(mc.JointType.ROD)]
    assert m.joint_target_ke[start:start + 6].tolist() == [1e4, 1e4, 1e4, 3.0, 3.0, 3.0]
    assert np.allclose(m.joint_target_kd[start:start + 6], [0, 0, 0, 0, 0, 0.2])


@pytest.mark.parametrize(("what", "bodies", "rods"), [("open", 4, 3), ("one", 1, 0), ("closed", 4, 4), ("branched", 4, 3)])
def test_segments_are_bodies_and_points_between_them_are_joints(what, bodies, rods):
    """(SOFT-020)"""
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.2], [0, 0, 0]], np.float32)
    tree = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [1, 1, 0], [1, 2, 0]], np.float32)
    rod = {"open": lambda: straight(4), "one": lambda: straight(1), "closed": lambda: mc.Rod(square, closed=True),
           "branched": lambda: mc.Rod(tree, edges=[(0, 1), (1, 2), (1, 3), (3, 4)])}[what]()
    b = mc.ModelBuilder()
    b.add_rod(rod=rod)
    kinds = list(b.joint_type)
    assert (b.body_count, kinds.count(mc.JointType.ROD), kinds.count(mc.JointType.FREE)) == (bodies, rods, 1)
    assert b.articulation_count == 1 and b.curve_count == 1


def test_a_segment_weighs_as_the_cylinder_that_it_is(monkeypatch):
    """(SOFT-021)"""
    def mass():
        b = mc.ModelBuilder()
        b.add_rod(rod=straight(3, radius=0.02, youngs_modulus=1e7, poissons_ratio=0.3))
        return b.body_mass[0]

    r, pitch, density = 0.02, 0.1, 1000
    assert mass() == pytest.approx(density * math.pi * r**2 * pitch, rel=1e-5)
    monkeypatch.setattr(mc.config, "compat", "newton-1.8")
    # Newton's capsules overlap at the points
    assert mass() == pytest.approx(density * math.pi * r**2 * (pitch + 4 * r / 3), rel=1e-5)


def test_curves_of_copies_name_the_bodies_and_joints_of_their_copy():
    """(SOFT-023)"""
    one, b = mc.ModelBuilder(), mc.ModelBuilder()
    one.add_rod(rod=straight(3), label="rope")
    b.replicate(one, 3)
    m = b.finalize()
    assert m.curve_world.tolist() == [0, 1, 2] and m.curve_count == 3
    for k in range(3):
        bodies = list(range(m.curve_body_start[k], m.curve_body_end[k]))
        assert len(bodies) == 3 and set(m.body_world[bodies].tolist()) == {k}


def test_a_rod_of_bad_points_is_refused():
    for given in ({"points": [[0, 0, 0]]}, {"points": [[0, 0, 0], [0, 0, 0]]}, {"points": [[0, 0, 0], [math.nan, 0, 0]]}):
        with pytest.raises(ValueError):
            mc.Rod(np.array(given["points"], np.float32))
    with pytest.raises(ValueError):
        straight(2, youngs_modulus=1e6)  # neither the ratio nor the other modulus


@pytest.mark.parametrize("name", ["SolverXPBD", "SolverSemiImplicit", "SolverFeatherstone"])
def test_a_solver_that_cannot_step_rods_refuses_them(name):
    """(SOFT-022)"""
    b = mc.ModelBuilder()
    b.add_rod(rod=straight(2))
    with pytest.raises(ValueError, match="does not support JointType.ROD"):
        getattr(mc.solvers, name)(b.finalize())


@pytest.mark.parametrize("name", ["SolverSoftStep", "SolverVBD"])
def test_solvers_of_reduced_coordinates_step_rods(name):
    """A free rod falls. (What rods do under load is proved in tests/solvers.)"""
    b = mc.ModelBuilder()
    b.add_rod(rod=straight(4))
    model = b.finalize()
    solver, state = getattr(mc.solvers, name)(model), model.state()
    before = np.array(state.body_q)
    for _ in range(30):
        solver.step(state, state, None, None, 1 / 120)
    after = np.array(state.body_q)
    assert np.all(np.isfinite(after)) and after[-1, 2] < before[-1, 2]


def pulled(solver, pull):
    b = mc.ModelBuilder(gravity=(0, 0, 0))
    for x in (0, 2):
        b.add_body(xform=((x, 0, 0), (0, 0, 0, 1)), mass=1.0, inertia=np.eye(3))
    b.add_muscle([0, 1], [(0, 0.5, 0), (0, 0.5, 0)], 1, 1, 1, 1, 0)
    m = b.finalize()
    control, state, after = m.control(), m.state(), m.state()
    control.muscle_activations[0] = pull
    solver(m).step(state, after, control, None, 0.01)
    assert not state.body_f.any()
    return after.body_qd


@pytest.mark.parametrize("solver", [mc.solvers.SolverSemiImplicit, mc.solvers.SolverFeatherstone])
def test_a_muscle_pulls_its_ends_together_and_turns_what_it_holds_beside_the_centre(solver):
    qd = pulled(solver, 3.0)
    assert np.allclose(qd[0], [0.03, 0, 0, 0, 0, -0.015], atol=1e-4) and np.allclose(qd[1], [-0.03, 0, 0, 0, 0, 0.015], atol=1e-4)


def test_muscles_of_another_builder_stay_on_its_bodies():
    one = mc.ModelBuilder()
    for _ in range(2):
        one.add_body(mass=1.0)
    one.add_muscle([0, 1], [(0, 0, 0), (0, 0, 1)], 1, 2, 3, 4, 5)
    b = mc.ModelBuilder()
    b.replicate(one, 2)
    assert b.muscle_start == [0, 2] and b.muscle_bodies == [0, 1, 2, 3] and b.muscle_params == one.muscle_params * 2
    with pytest.raises(ValueError, match="positions"):
        b.add_muscle([0, 1], [(0, 0, 0)], 1, 1, 1, 1, 0)

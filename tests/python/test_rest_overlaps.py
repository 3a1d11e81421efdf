"""A loop of one's own moves as `simulate` does where links reach into each other at the start."""
import numpy as np
import pytest

import mechane as mc


def robot():
    """Two links, of which one slides along x on the other; each is a box of 1 m, and they reach 0.2 m into each other."""
    b = mc.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    first, second = b.add_link(mass=1.0), b.add_link(xform=mc.transform((0.8, 0.0, 0.0), mc.quat(0.0, 0.0, 0.0, 1.0)), mass=1.0)
    for body in (first, second):
        b.add_shape_box(body, hx=0.5, hy=0.5, hz=0.5)
    joints = [b.add_joint_free(first), b.add_joint_prismatic(first, second, parent_xform=mc.transform((0.4, 0.0, 0.0), mc.quat(0.0, 0.0, 0.0, 1.0)),
                                                           child_xform=mc.transform((-0.4, 0.0, 0.0), mc.quat(0.0, 0.0, 0.0, 1.0)), axis=(1.0, 0.0, 0.0), collision_filter_parent=False)]
    b.add_articulation(joints)
    return b.finalize()


def moved(model, forgive):
    solver, state, control = mc.solvers.SolverSoftStep(model), model.state(), model.control()
    contacts = model.contacts()
    model.collide(state, contacts)
    rest = mc.RestOverlaps(contacts)
    for _ in range(30):
        model.collide(state, contacts)
        if forgive:
            rest.apply(contacts)
        solver.step(state, state, control, contacts, 0.01)
    return rest, np.abs(state.body_q.numpy() - model.body_q.numpy()).max()


def test_an_authored_overlap_counts_as_touching():
    model = robot()
    rest, way = moved(model, True)
    assert len(rest.pairs()) == 1 and rest.pairs()[0][2] == pytest.approx(0.2, abs=1e-4)
    assert way < 1e-4
    assert moved(model, False)[1] == pytest.approx(0.1, abs=1e-3)  # each half of the overlap


def test_contacts_must_have_been_collided_and_be_of_the_same_model():
    model, other = robot(), robot()
    with pytest.raises(ValueError, match="collided"):
        mc.RestOverlaps(model.contacts())
    contacts, strange = model.contacts(), other.contacts()
    model.collide(model.state(), contacts)
    other.collide(other.state(), strange)
    with pytest.raises(ValueError, match="another model"):
        mc.RestOverlaps(contacts).apply(strange)

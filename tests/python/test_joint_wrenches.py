"""What joints transmit, as solvers that keep no multipliers say it: by the balance of momentum over a step."""
import numpy as np
import pytest

import mechane as mc

G = 9.81
SOLVERS = {"xpbd": lambda m: mc.solvers.SolverXPBD(m, iterations=30), "featherstone": mc.solvers.SolverFeatherstone,
           "semi-implicit": mc.solvers.SolverSemiImplicit, "softstep": mc.solvers.SolverSoftStep}


def chain(n, mass=2.0):
    builder = mc.ModelBuilder()
    joints, parent = [], -1
    for k in range(n):
        body = builder.add_link(xform=mc.transform((0, 0, -0.5 * k), (0, 0, 0, 1)), mass=mass, inertia=mc.mat33(0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1))
        joints.append(builder.add_joint_revolute(parent, body, axis=(0, 1, 0), parent_xform=mc.transform((0, 0, -0.25 if k else 0.25), (0, 0, 0, 1)),
                                                 child_xform=mc.transform((0, 0, 0.25), (0, 0, 0, 1))))
        parent = body
    builder.add_articulation(joints)
    return builder.finalize()


def observed(solver, steps, dt, state):
    """(observables after the last step, mean of body_parent_f over the second half)"""
    observables = solver.observables({"body_parent_f", "body_qdd"})
    mean, taken = np.zeros((len(state.body_q), 6)), 0
    for k in range(steps):
        state.body_f.zero_()
        solver.step(state, state, None, None, dt, observables=observables)
        if 2 * k >= steps:
            mean, taken = mean + np.asarray(observables.body_parent_f), taken + 1
    return observables, mean / taken


@pytest.mark.parametrize("name", SOLVERS)
def test_a_joint_of_a_hanging_chain_carries_the_weight_below_it(name):
    """1.4.8: the value at link k is the weight of the sub-chain from k down"""
    model = chain(3)
    _, mean = observed(SOLVERS[name](model), 600, 0.001, model.state())  # springs of semi-implicit swing about it
    weights = np.array([2.0 * G * (3 - k) for k in range(3)])
    assert np.allclose(mean[:, 2], weights, rtol=0.03)
    assert np.abs(mean[:, :2]).max() < 0.05 * weights[0]


@pytest.mark.parametrize("name", ["xpbd", "featherstone", "softstep"])
def test_the_wrenches_of_a_swinging_pendulum_balance_its_change_of_momentum(name):
    """m a = m g + f, with the acceleration that the solver reports"""
    model = chain(1)
    state = model.state()
    state.joint_q[:] = 0.7
    mc.eval_fk(model, state.joint_q, state.joint_qd, state)
    found, _ = observed(SOLVERS[name](model), 5, 0.001, state)
    f, a = np.asarray(found.body_parent_f[0, :3]), np.asarray(found.body_qdd[0, :3])
    assert np.allclose(f, 2.0 * (a + [0, 0, G]), atol=0.2)
    assert np.linalg.norm(f) > 5


def test_bodies_that_nothing_holds_have_no_wrench():
    builder = mc.ModelBuilder()
    builder.add_shape_sphere(builder.add_body(), radius=0.1)
    model = builder.finalize()
    for make in (SOLVERS["xpbd"], SOLVERS["featherstone"], SOLVERS["semi-implicit"]):
        assert not np.any(observed(make(model), 3, 0.01, model.state())[0].body_parent_f)

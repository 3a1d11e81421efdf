"""Small scenes under one solver by name, in Newton or here: the same program, since the names are the same.

    PYTHON solver_scenes.py newton|mechane   prints JSON: {"scene/solver": [[body_q...], ...]}
"""
import importlib
import json
import sys

import numpy as np

SOLVERS = {"semi": ("SolverSemiImplicit", {"angular_damping": 0.0}), "feather": ("SolverFeatherstone", {}), "xpbd": ("SolverXPBD", {"iterations": 4})}


def rod(builder, newton, label):
    """A rod of 1 kg and 1 m along x, thick enough for explicit springs."""
    return builder.add_link(mass=1.0, inertia=np.diag([0.02, 1 / 12, 1 / 12]), label=label)


def at(newton, wp, x=0.0, y=0.0, z=0.0):
    return wp.transform((x, y, z), (0.0, 0.0, 0.0, 1.0)) if wp else ((x, y, z), (0.0, 0.0, 0.0, 1.0))


def pendulum(builder, newton, wp):
    link = rod(builder, newton, "rod")
    builder.add_articulation([builder.add_joint_revolute(-1, link, parent_xform=at(newton, wp), child_xform=at(newton, wp, -0.5), axis=(0.0, 1.0, 0.0))])


def double_pendulum(builder, newton, wp):
    first, second = rod(builder, newton, "first"), rod(builder, newton, "second")
    builder.add_articulation([
        builder.add_joint_revolute(-1, first, parent_xform=at(newton, wp), child_xform=at(newton, wp, -0.5), axis=(0.0, 1.0, 0.0)),
        builder.add_joint_revolute(first, second, parent_xform=at(newton, wp, 0.5), child_xform=at(newton, wp, -0.5), axis=(0.0, 1.0, 0.0))])



def cartpole(builder, newton, wp):
    cart = builder.add_link(mass=1.0, inertia=np.eye(3) * 0.1, label="cart")
    pole = rod(builder, newton, "pole")
    builder.add_articulation([
        builder.add_joint_prismatic(-1, cart, parent_xform=at(newton, wp), child_xform=at(newton, wp), axis=(1.0, 0.0, 0.0)),
        builder.add_joint_revolute(cart, pole, parent_xform=at(newton, wp), child_xform=at(newton, wp, -0.5), axis=(0.0, 1.0, 0.0))])


def box(builder, newton, wp, z):
    builder.add_ground_plane()
    body = builder.add_body(xform=at(newton, wp, 0, 0, z))
    builder.add_shape_box(body, hx=0.2, hy=0.2, hz=0.1, cfg=newton.ModelBuilder.ShapeConfig(density=1000 / 32, ke=1e4, kd=1e2, kf=2e2, mu=0.5))


SCENES = {"pendulum": (pendulum, 1.0), "double_pendulum": (double_pendulum, 0.5), "cartpole": (cartpole, 1.0), "box_drop": (lambda b, n, w: box(b, n, w, 0.3), 1.0),
          "box_slide": (lambda b, n, w: box(b, n, w, 0.1), 1.0)}
STEP, EVERY = 1 / 1000, 50


def run(newton, wp, scene, solver):
    build, seconds = SCENES[scene]
    builder = newton.ModelBuilder()
    build(builder, newton, wp)
    model = builder.finalize()
    state, after = model.state(), model.state()
    if scene == "box_slide":
        qd = np.zeros((1, 6), np.float32)
        qd[0, 0] = 3
        for s in (state, after):
            s.body_qd.assign(qd)
            s.joint_qd.assign(qd[0])
    newton.eval_fk(model, state.joint_q, state.joint_qd, state)
    kind, options = SOLVERS[solver]
    if wp is None and solver == "xpbd":
        # Here joints are solved exactly; Newton's Jacobi passes give a body another inertia (docs/solvers.md, "Where they differ").
        options = {**options, "compat": "newton-1.8"}
    step = getattr(newton.solvers, kind)(model, **options)
    contacts = model.contacts() if scene.startswith("box") else None
    control = model.control()
    rows = []
    for i in range(round(seconds / STEP)):
        if contacts is not None:
            model.collide(state, contacts)
        state.clear_forces()
        step.step(state, after, control, contacts, STEP)
        state, after = after, state
        if (i + 1) % EVERY == 0:
            rows.append(np.asarray(state.body_q.numpy(), np.float64).reshape(-1, 7).tolist())
    return rows


def main(name):
    newton = importlib.import_module(name)
    wp = importlib.import_module("warp") if name == "newton" else None
    print(json.dumps({f"{scene}/{solver}": run(newton, wp, scene, solver) for scene in SCENES for solver in SOLVERS}))


if __name__ == "__main__":
    main(sys.argv[1])

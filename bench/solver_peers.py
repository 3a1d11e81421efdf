#!/usr/bin/env python3
"""One step of Newton's solvers (its CPU path) and of Mechane's of the same name, one thread each, in alternation.

usage: solver_peers.py --python PYTHON [--only WORD] [--runs N] [--build DIR]      PYTHON has the package newton

Both are called through Newton's Python interface on one scene with one step. The table gives the least processor time of a step in microseconds, the median over steps
of each run, and the ratio; contacts are found outside of what is timed. For what is soft it gives besides, after each number of passes, how large the force is
that a step leaves unbalanced, |m (x - y)/h^2 - f(x)| over the weight, and compares the times at which both have brought it down as far.
"""
import argparse
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent

ONE = r"""
import importlib, json, sys, time
import numpy as np

name, scene, passes = sys.argv[1], sys.argv[2], int(sys.argv[3])
newton = importlib.import_module(name)
if name == "mechane":
    newton.set_num_threads(1)
else:
    import warp as wp
    wp.config.quiet = True
    wp.set_device("cpu")


def rotation(*q):
    return q if name == "mechane" else wp.quat(*q)


def vector(*v):
    return v if name == "mechane" else wp.vec3(*v)


def pose(p, q=(0, 0, 0, 1)):
    return (*p, *q) if name == "mechane" else wp.transform(p, q)


def chain(b, links):
    parent, joints = -1, []
    for i in range(links):
        link = b.add_link(xform=pose((0.1 + 0.2 * i, 0, 3)), mass=0.5, inertia=((1e-3, 0, 0), (0, 2e-3, 0), (0, 0, 2e-3)))
        joints.append(b.add_joint_revolute(parent, link, parent_xform=pose((0, 0, 3) if parent < 0 else (0.1, 0, 0)), child_xform=pose((-0.1, 0, 0)),
                                           axis=(0, 1, 0) if i % 2 else (0, 0, 1)))
        parent = link
    b.add_articulation(joints)


def boxes(b):
    b.add_ground_plane()
    for i in range(100):
        body = b.add_body(xform=pose((0.5 * (i % 10), 0.5 * (i // 10), 0.1)))
        b.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)


def humanoid(b):
    b.add_mjcf(sys.argv[4], xform=pose((0, 0, 1.3)))  # has a floor of its own


def cloth(b, n=100):
    b.add_cloth_grid(pos=vector(0, 0, 2), rot=rotation(0, 0, 0, 1), vel=vector(0, 0, 0), dim_x=n, dim_y=n, cell_x=0.02, cell_y=0.02, mass=1e-4, fix_top=True,
                     tri_ke=1e3, tri_ka=1e3, tri_kd=0.0, edge_ke=0.0, edge_kd=0.0, particle_radius=0.005)


def block(b, n=16):
    b.add_soft_grid(pos=vector(0, 0, 1), rot=rotation(0, 0, 0, 1), vel=vector(0, 0, 0), dim_x=n, dim_y=n, dim_z=n, cell_x=0.05, cell_y=0.05, cell_z=0.05, density=1000.0,
                    k_mu=3e4, k_lambda=6e4, k_damp=0.0, fix_left=True, add_surface_mesh_edges=False, particle_radius=0.01)


SCENES = {  # builder, solver, options, step, whether there are contacts
    "xpbd boxes": (boxes, "SolverXPBD", {"iterations": 4}, 1 / 480, True),
    "xpbd chain": (lambda b: chain(b, 20), "SolverXPBD", {"iterations": 4}, 1 / 480, False),
    "xpbd cloth": (lambda b: cloth(b, 40), "SolverXPBD", {"iterations": 4}, 1 / 480, False),
    "semi-implicit boxes": (boxes, "SolverSemiImplicit", {}, 1e-3, True),
    "semi-implicit chain": (lambda b: chain(b, 20), "SolverSemiImplicit", {}, 2e-4, False),
    "semi-implicit cloth": (lambda b: cloth(b, 40), "SolverSemiImplicit", {}, 1e-4, False),
    "featherstone chain": (lambda b: chain(b, 20), "SolverFeatherstone", {}, 1e-3, False),
    "featherstone humanoid": (humanoid, "SolverFeatherstone", {}, 5e-4, True),
    "vbd cloth 100x100": (cloth, "SolverVBD", {}, 1 / 240, False),
    "vbd block of 20,480 tetrahedra": (block, "SolverVBD", {}, 1 / 240, False),
}


def array(value):
    return np.array(value.numpy() if hasattr(value, "numpy") else value)


class Unbalanced:
    # What a step leaves open, by the laws that both have (docs/soft.md): psi = mu/2 (I1 - d) + l/2 (J - a)^2, l = lambda + mu, a = 1 + mu/l.
    def __init__(self, model, h):
        self.h, self.mass = h, array(model.particle_mass)
        self.moves = (self.mass > 0) & (array(model.particle_flags) & 1 > 0)
        self.tri, self.tet = array(model.tri_indices).reshape(-1, 3), None
        if model.tet_count:
            self.tri = self.tri[:0]
            self.tet, self.D = array(model.tet_indices).reshape(-1, 4), array(model.tet_poses).reshape(-1, 3, 3).astype(float)
            self.V = 1 / (6 * np.linalg.det(self.D))
            self.k = array(model.tet_materials).reshape(-1, 3).astype(float)
        else:
            self.D = array(model.tri_poses).reshape(-1, 2, 2).astype(float)
            self.A, self.k = array(model.tri_areas).astype(float), array(model.tri_materials).reshape(-1, 5).astype(float)

    def __call__(self, x0, v0, x):
        y = x0 + self.h * (v0 + self.h * np.array([0, 0, -9.81]))
        f = -self.mass[:, None] * (x - y) / self.h**2
        mu, l = self.k[:, 0], self.k[:, 0] + self.k[:, 1]
        a = 1 + mu / l
        if self.tet is not None:
            e = np.stack([x[self.tet[:, i]] - x[self.tet[:, 0]] for i in (1, 2, 3)], axis=2)
            F = e @ self.D
            cof = np.stack([np.cross(F[:, :, 1], F[:, :, 2]), np.cross(F[:, :, 2], F[:, :, 0]), np.cross(F[:, :, 0], F[:, :, 1])], axis=2)
            P = mu[:, None, None] * F + (l * (np.linalg.det(F) - a))[:, None, None] * cof
            G = -self.V[:, None, None] * P @ self.D.transpose(0, 2, 1)
            for i in (1, 2, 3):
                np.add.at(f, self.tet[:, i], G[:, :, i - 1])
                np.add.at(f, self.tet[:, 0], -G[:, :, i - 1])
        else:
            e = np.stack([x[self.tri[:, i]] - x[self.tri[:, 0]] for i in (1, 2)], axis=2)
            F = e @ self.D
            n = np.cross(F[:, :, 0], F[:, :, 1])
            J = np.linalg.norm(n, axis=1)
            u = n / J[:, None]
            dJ = np.stack([np.cross(F[:, :, 1], u), np.cross(u, F[:, :, 0])], axis=2)
            P = mu[:, None, None] * F + (l * (J - a))[:, None, None] * dJ
            G = -self.A[:, None, None] * P @ self.D.transpose(0, 2, 1)
            for i in (1, 2):
                np.add.at(f, self.tri[:, i], G[:, :, i - 1])
                np.add.at(f, self.tri[:, 0], -G[:, :, i - 1])
        weight = 9.81 * self.mass[self.moves].mean()
        return float(np.sqrt((f[self.moves] ** 2).sum(axis=1).mean()) / weight)


make, solver_name, options, h, touch = SCENES[scene]
b = newton.ModelBuilder()
make(b)
soft = solver_name == "SolverVBD"
if soft:
    b.color()
    options = {"iterations": passes}
model = b.finalize() if name == "mechane" else b.finalize(device="cpu")
solver = getattr(newton.solvers, solver_name)(model, **options)
states, control = [model.state(), model.state()], model.control()
if model.joint_count:
    newton.eval_fk(model, model.joint_q, model.joint_qd, states[0])
contacts = model.contacts() if touch else None
times, left = [], []
residual = Unbalanced(model, h) if soft else None
steps = 12 if soft else 200
for k in range(steps):
    a, c = states[k % 2], states[1 - k % 2]
    if touch:
        model.collide(a, contacts)
    a.clear_forces()
    if residual is not None:
        x0, v0 = array(a.particle_q).astype(float), array(a.particle_qd).astype(float)
    start = time.process_time()
    solver.step(a, c, control, contacts, h)
    times.append(1e6 * (time.process_time() - start))
    if residual is not None:
        left.append(residual(x0, v0, array(c.particle_q).astype(float)))
finite = all(np.isfinite(array(v)).all() for v in (states[0].particle_q, states[0].body_q) if v is not None)
print("@@" + json.dumps({"us": float(np.median(times[steps // 5:])), "left": float(np.median(left[2:])) if left else None, "finite": bool(finite)}))
"""

PASSES = (5, 10, 20, 40, 80)


def run(python, environment, module, scene, passes):
    # The humanoid of Newton's wheel.
    here = subprocess.run([python, "-c", "import importlib.util as u; print(u.find_spec('newton').origin)"], capture_output=True, text=True, check=True)
    file = pathlib.Path(here.stdout.strip()).parent / "examples" / "assets" / "nv_humanoid.xml"
    done = subprocess.run([python, "-c", ONE, module, scene, str(passes), str(file)], capture_output=True, text=True, env=environment, check=False)
    if "@@" not in done.stdout:
        raise SystemExit(f"{module} {scene}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.rpartition("@@")[2])


def scenes():
    text = ONE[ONE.index("SCENES = {"):]
    return [line.split('"')[1] for line in text[:text.index("\n}")].splitlines() if line.startswith('    "')]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--build", default=str(ROOT / "build" / "release"))
    arguments = parser.parse_args()
    environment = {**os.environ, "PYTHONPATH": f"{arguments.build}/python:{ROOT}/.deps/python", "MECHANE_COMPAT": "", "OMP_NUM_THREADS": "1"}
    print("scene,passes,mechane_us,newton_us,ratio,mechane_left,newton_left")
    for scene in (s for s in scenes() if arguments.only in s):
        curves = {"mechane": [], "newton": []}
        for passes in PASSES if scene.startswith("vbd") else (0,):
            best = {}
            for _ in range(arguments.runs):
                for module in ("mechane", "newton"):
                    one = run(arguments.python, environment, module, scene, passes)
                    if not one["finite"]:
                        print(f"# {module} lost {scene}")
                    if module not in best or one["us"] < best[module]["us"]:
                        best[module] = one
            m, n = best["mechane"], best["newton"]
            for module in curves:
                curves[module].append((best[module]["us"], best[module]["left"]))
            left = ",".join(f"{x['left']:.3g}" if x["left"] is not None else "" for x in (m, n))
            print(f"{scene},{passes},{m['us']:.0f},{n['us']:.0f},{n['us'] / m['us']:.1f},{left}", flush=True)
        # At equal residual: for each of Newton's points the least of our times that leaves no more.
        for us, left in curves["newton"] if scene.startswith("vbd") else ():
            reached = next((t for t, r in curves["mechane"] if r <= left), None)
            print(f"# {scene}: newton leaves {left:.3g} after {us:.0f} us, mechane "
                  + (f"no more after {reached:.0f} us: {us / reached:.1f} times as fast" if reached else "more at every number of passes that was tried"))


if __name__ == "__main__":
    main()

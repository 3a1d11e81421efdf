"""What type checkers know of the package. mypy comes with the other wheels of the tests; without it these are skipped."""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import mechane as mc
import pytest
from mechane.newton import reserved

pytestmark = [pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed"),
              pytest.mark.skipif(bool(os.environ.get("MECHANE_SANITIZE")), reason="types are the same with a sanitizer")]

#: Where the package lies: outside of a site-packages folder mypy has to be told that it is not the program that is checked.
HOME = pathlib.Path(mc.__file__).parent.parent
CONFIG = """[mypy]
cache_dir = {cache}
[mypy-mechane.*]
ignore_errors = True
follow_imports = silent
[mypy-pxr.*,warp.*,torch.*,mujoco.*,gymnasium.*,jax.*,ray.*]
ignore_missing_imports = True
"""

EXAMPLES = {
    "simulate": """
import mechane as mc

b = mc.ModelBuilder()
arm = b.add_usd("arm.usda")
b.add_ground_plane()
m = b.finalize()
for d in arm.diagnostics.warnings:
    print(d)
solver, a, z = mc.solvers.SolverSoftStep(m), m.state(), m.state()
control, contacts = m.control(), m.contacts()
for _ in range(240):
    m.collide(a, contacts)
    solver.step(a, z, control, contacts, 1 / 240)
    a, z = z, a
print(m.bodies["/arm/hand"].label, a.body_q[-1])
""",
    "live_stage": """
import mechane as mc
from pxr import Usd, UsdGeom

stage = Usd.Stage.CreateInMemory()
UsdGeom.SetStageUpAxis(stage, "Z")
result = mc.ModelBuilder().add_usd(stage, schema_resolvers=[mc.usd.SchemaResolverPhysx(), mc.usd.SchemaResolverNewton()])
print(result["path_body_map"], result["schema_attrs"]["physx"].keys())
""",
    "resolver": """
import mechane as mc


class House(mc.usd.SchemaResolver):
    name = "house"
    mapping = {mc.usd.PrimType.JOINT: {"armature": mc.usd.SchemaResolver.SchemaAttribute("house:rotorInertia", 0.0, lambda v: v * 1e-4)}}


b = mc.ModelBuilder()
b.add_usd("door.usda", schema_resolvers=[House(), mc.usd.SchemaResolverNewton()])
print(b.joint_armature[0], b.body_q[-1].p + mc.vec3(0, 0, 1))
""",
    "thousand_ants": """
import mechane as mc
import numpy as np

one = mc.ModelBuilder()
one.add_mjcf("ant.xml")
many = mc.ModelBuilder()
many.replicate(one, 1000)
m = many.finalize()
rng = np.random.default_rng(0)
m.shape_material_mu[:] = rng.uniform(0.4, 1.2, m.shape_count)
solver = mc.solvers.SolverSoftStep(m)
solver.notify_model_changed(mc.ModelFlags.SHAPE_PROPERTIES)
ants, c = mc.selection.ArticulationView(m, "*ant*"), m.control()
ants.set_dof_forces(c, rng.normal(size=(1000, 1, ants.joint_dof_count)))
rec = solver.rollout(m.state(), frames=120, dt=1 / 60, control=c, record=True)
""",
    "gate": """
import mechane as mc

r = mc.conformance.check("rack.usda")
assert r, "\\n".join(str(f) for f in r.findings if f.severity == "error")
print(mc.conformance.fix("rack.usda", dry_run=True).diff)
""",
    "own_kernel": """
from typing import Any

import mechane as mc
import warp as wp


def reward(m: mc.Model, kernel: Any, out: Any) -> None:
    mc.interop.use_warp(True)
    s = m.state()
    wp.launch(kernel, dim=m.body_count, inputs=[s.body_q], outputs=[out], device="cpu")
""",
}


def run(module, arguments, folder):
    config = folder / "mypy.ini"
    config.write_text(CONFIG.format(cache=folder / "cache"))
    option = "--mypy-config-file" if module.endswith("stubtest") else "--config-file"
    done = subprocess.run([sys.executable, "-m", module, option, str(config), *map(str, arguments)], capture_output=True, text=True, timeout=600, cwd=folder,
                          env={**os.environ, "MYPYPATH": str(HOME)})
    return done.returncode, done.stdout + done.stderr


def test_the_package_says_that_it_is_typed():
    """(PYA-007)"""
    assert (HOME / "mechane" / "py.typed").exists()


def test_the_examples_pass_mypy_strict(tmp_path):
    """The six examples of the documents (PYA-007)"""
    files = []
    for name, text in EXAMPLES.items():
        files.append(tmp_path / f"{name}.py")
        files[-1].write_text(text)
    assert len(files) == 6
    code, said = run("mypy", ["--strict", *files], tmp_path)
    assert code == 0, said


def test_a_wrong_argument_is_seen(tmp_path):
    """So that a package whose types are all unknown would not pass"""
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import mechane as mc\nmc.ModelBuilder().add_sphere()\nmc.ModelBuilder().add_link(mass='heavy')\n")
    code, said = run("mypy", ["--strict", wrong], tmp_path)
    assert code == 1 and 'no attribute "add_sphere"' in said and 'expected "float"' in said, said


def test_stubs_are_what_is_built(tmp_path):
    """Names that are left out are in no stub, and functions of nanobind are no functions to stubtest (PYA-008)"""
    homes = {"ModelBuilder": "model.builder", "Model": "model.model", "Control": "model.state", "Contacts": "model.contacts", "CollisionPipeline": "model.contacts",
             "Mesh": "geometry.mesh", "AttributeNamespace": "model.custom", "SolverMuJoCo": "model.mujoco_solver", "SolverXPBD": "solvers", "SDF": "geometry.sdf",
             "NarrowPhase": "geometry.narrow"}
    known = [rf"mechane\.{re.escape(homes[owner])}\.{owner}\.{name}" for owner, names in reserved.LEFT_OUT.items() for name in names]
    allowed = tmp_path / "allowed.txt"
    optional = [r"mechane\.samples(\..*)?"] + ([] if importlib.util.find_spec("gymnasium") else [r"mechane\.gym\.(single|spaces|vector)"])
    allowed.write_text("\n".join([r"mechane\._core(\..*)?", *optional, *known]) + "\n")
    code, said = run("mypy.stubtest", ["mechane", "--concise", "--allowlist", allowed, "--ignore-unused-allowlist"], tmp_path)
    assert code == 0, said

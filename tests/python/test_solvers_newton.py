"""The solvers beside those of the same name in Newton 1.8: the same program, the same model, the same steps.

Needs a Python that has Newton: environment variable MECHANE_ORACLE_PYTHON, else the one that runs the tests.
"""
import inspect
import json
import os
import pathlib
import subprocess
import sys

import mechane as mc
import numpy as np
import pytest
import solver_scenes

ORACLE = os.environ.get("MECHANE_ORACLE_PYTHON", sys.executable)
HERE = pathlib.Path(__file__).resolve().parent

#: Largest distance of a body from where Newton has it [m], over a second in steps of a millisecond. Newton computes in single precision, whose
#: rounding is 1e-6 here. In maximal coordinates forces of a joint act at the child's anchor here and at both anchors there, which differ by what
#: the joint gives, some tenths of a millimetre.
FAR = {"feather": 1e-5, "semi": 1e-4, "xpbd": 1e-3}


@pytest.fixture(scope="module")
def theirs():
    if subprocess.run([ORACLE, "-c", "import newton, warp"], capture_output=True).returncode:
        pytest.skip(f"skipped: no Newton; {len(solver_scenes.SCENES) * len(solver_scenes.SOLVERS)} runs are not compared")
    done = subprocess.run([ORACLE, str(HERE / "solver_scenes.py"), "newton"], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("solver", list(solver_scenes.SOLVERS))
@pytest.mark.parametrize("scene", list(solver_scenes.SCENES))
def test_a_run_goes_where_newtons_goes(theirs, scene, solver):
    ours = np.array(solver_scenes.run(mc, None, scene, solver))
    far = np.abs(ours[..., :3] - np.array(theirs[f"{scene}/{solver}"])[..., :3]).max()
    assert far < FAR[solver], f"{scene} under {solver}: {far:.4g} m apart"


@pytest.mark.parametrize("name, keywords", [
    ("SolverSemiImplicit", {"angular_damping": 0.05, "friction_smoothing": None, "joint_attach_ke": 1e4, "joint_attach_kd": 1e2, "joint_mimic_ke": 1e2,
                            "joint_mimic_kd": 1.0, "enable_tri_contact": True, "deterministic": None}),
    ("SolverFeatherstone", {"angular_damping": 0.05, "update_mass_matrix_interval": 1, "friction_smoothing": None, "use_tile_gemm": False,
                            "fuse_cholesky": True, "deterministic": None}),
    ("SolverXPBD", {"iterations": 2, "soft_body_relaxation": 0.9, "soft_contact_relaxation": 0.9, "joint_linear_relaxation": 0.7,
                    "joint_angular_relaxation": 0.4, "joint_linear_compliance": 0.0, "joint_angular_compliance": 0.0, "rigid_contact_relaxation": 0.8,
                    "rigid_contact_restitution_iterations": 2, "rigid_contact_con_weighting": True, "angular_damping": 0.0, "enable_restitution": False,
                    "tendon_max_sweeps": 256, "tendon_settle_tol": 1e-3, "tendon_activation_tol": 2e-3, "deterministic": None})])
def test_keywords_and_defaults_are_newtons(name, keywords):
    """Copied from the signatures of Newton 1.8; `compat` and `soft_laws` are ours"""
    found = {p.name: p.default for p in inspect.signature(getattr(mc.solvers, name).__init__).parameters.values() if p.kind is p.KEYWORD_ONLY}
    found.pop("compat", None)
    found.pop("soft_laws", None)
    assert found == keywords


def test_parameters_may_change_between_steps_and_are_checked():
    builder = mc.ModelBuilder()
    builder.add_shape_sphere(builder.add_body(), radius=0.5)
    solver = mc.solvers.SolverXPBD(builder.finalize(), iterations=4)
    assert solver.iterations == 4
    solver.iterations = 8
    assert solver.iterations == 8 and solver.options["iterations"] == 8
    with pytest.raises(ValueError):
        solver.iterations = 0
    with pytest.raises(ValueError):
        mc.solvers.SolverSemiImplicit(builder.finalize(), joint_mimic_ke=-1.0)
    assert mc.solvers.available()[:4] == ["softstep", "xpbd", "semi-implicit", "featherstone"]
    assert isinstance(mc.solvers.create("featherstone", builder.finalize()), mc.solvers.SolverFeatherstone)

"""The wheel in an empty environment of each interpreter at hand: `make wheel` names it in MECHANE_WHEEL."""
import functools
import os
import pathlib
import subprocess
import sys
import zipfile

import pytest

WHEEL = os.environ.get("MECHANE_WHEEL")
pytestmark = pytest.mark.skipif(not WHEEL, reason="no wheel; 'make wheel' builds and tests one")
ROOT = pathlib.Path(os.environ.get("MECHANE_SOURCE_DIR", "."))
SAMPLE = str(ROOT / "samples" / "quadruped" / "quadruped.usda")
sys.path.insert(0, str(ROOT))
VERSIONS = [(3, 11), (3, 12), (3, 13), (3, 14)]


@functools.cache
def interpreters():
    from tools import wheel
    return wheel.interpreters()


class Installed:
    """A virtual environment with the wheel, as pip installs it."""

    def __init__(self, interpreter, home):
        self.home = home
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # pip would take what lies there for installed
        made = subprocess.run([interpreter, "-m", "venv", home], capture_output=True, text=True, env=clean)
        if made.returncode:
            pytest.skip(f"{interpreter} makes no virtual environments: {(made.stderr or made.stdout).strip()[-200:]}")
        done = subprocess.run([home / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check", WHEEL], capture_output=True, text=True, env=clean)
        if done.returncode and "numpy" in done.stderr.lower() and "mechane" not in done.stderr.split("ERROR")[-1].lower():
            pytest.skip(f"NumPy cannot be had for {interpreter}: {done.stderr.strip()[-200:]}")
        assert done.returncode == 0, done.stderr

    def run(self, *words, expected=0):
        # An empty environment: nothing of the build is found by accident.
        done = subprocess.run([self.home / "bin" / words[0], *words[1:]], capture_output=True, text=True, timeout=600, cwd=self.home,
                              env={"PYTHONDONTWRITEBYTECODE": "1", "PATH": f"{self.home / 'bin'}:/usr/bin:/bin"})
        assert done.returncode == expected, done.stderr
        return done.stdout.strip()


@pytest.fixture(scope="module", params=VERSIONS, ids=lambda v: f"cpython-{v[0]}.{v[1]}")
def installed(request, tmp_path_factory):
    if request.param not in interpreters():
        pytest.skip(f"no CPython {request.param[0]}.{request.param[1]} is at hand")
    with zipfile.ZipFile(WHEEL) as wheel:
        stable = "mechane/_core.abi3.so" in wheel.namelist()
    if request.param != sys.version_info[:2] and not stable:
        pytest.skip("the wheel has no module of the stable ABI")
    return Installed(interpreters()[request.param], tmp_path_factory.mktemp("venv"))


def test_it_is_small_and_has_no_pxr():
    with zipfile.ZipFile(WHEEL) as wheel:
        names = wheel.namelist()
    assert os.path.getsize(WHEEL) < 40_000_000
    assert not [n for n in names if "pxr" in n.lower().split("/")] and "mechane/py.typed" in names and not [n for n in names if n.endswith(".pyc")]


def test_openusd_is_in_it_once():
    """The program runs with the module's libraries."""
    with zipfile.ZipFile(WHEEL) as wheel:
        libraries = [pathlib.PurePath(n).name for n in wheel.namelist() if ".so" in n and "_core" not in n]
    assert len(set(libraries)) == len(libraries) and "libPxrSdf.so" in libraries


def test_it_simulates_the_sample(installed):
    code = f"""
import warnings; warnings.simplefilter("ignore")
import mechane as mc
b = mc.ModelBuilder(); b.add_usd({SAMPLE!r}); b.add_ground_plane(); m = b.finalize()
s = m.state(); mc.solvers.SolverSoftStep(m).rollout(s, 60, 1 / 60)
print(m.body_count > 4 and bool((s.body_q == s.body_q).all()), bool(mc.conformance.check({SAMPLE!r}, ignore=["1.2.1"])))
"""
    assert installed.run("python", "-c", code) == "True True"


def test_the_program_is_on_the_path_and_runs_its_demo(installed):
    assert installed.run("mechane", "version").startswith("mechane ")
    installed.run("mechane", "demo", "-o", "out")
    assert {p.suffix for p in (installed.home / "out").iterdir()} >= {".html", ".png"}


def test_the_program_and_the_module_compute_the_same(installed):
    """One hash of the run for both."""
    code = f"import mechane as mc, warnings; warnings.simplefilter('ignore'); print(mc.simulate({SAMPLE!r}, frames=30, ground=True).recording.hash)"
    import json
    said = json.loads(installed.run("mechane", "sim", SAMPLE, "--frames", "30", "--ground", "--json"))
    assert str(installed.run("python", "-c", code)).removeprefix("0x").lstrip("0") in json.dumps(said)


def test_commands_run_inside_of_python_too(installed):
    assert installed.run("python", "-m", "mechane", "version").startswith("mechane ")


def test_environments_without_gymnasium_say_what_is_missing(installed):
    code = """
import mechane.gym
print(mechane.gym.Worlds(mechane.gym.Cartpole(), 2).reset(1).shape)
try: mechane.gym.TaskVectorEnv
except ImportError as missing: print("pip install" in str(missing))
"""
    assert installed.run("python", "-c", code) == "(2, 4)\nTrue"


def test_it_lives_beside_usd_core(installed):
    """In either order, both opening a stage (PYA-002)"""
    site = subprocess.run([sys.executable, "-c", "import pxr, os; print(os.path.dirname(os.path.dirname(pxr.__file__)))"], capture_output=True, text=True).stdout.strip()
    if not site:
        pytest.skip("usd-core is not installed beside pytest")
    body = f"b = mechane.ModelBuilder(); b.add_usd({SAMPLE!r}); s = Usd.Stage.Open({SAMPLE!r}); print(s.GetPrimAtPath('/').IsValid(), b.body_count > 4)"
    for first, second in (("import mechane", "from pxr import Usd"), ("from pxr import Usd", "import mechane")):
        code = f"import sys; sys.path.append({site!r})\nimport warnings; warnings.simplefilter('ignore')\n{first}\n{second}\n{body}"
        assert installed.run("python", "-c", code) == "True True"

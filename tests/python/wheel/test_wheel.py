"""The wheel in an empty environment: `make wheel` names it in MECHANE_WHEEL."""
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


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Runs code in a new virtual environment that has the wheel and NumPy."""
    home = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    site = next((home / "lib").glob("python3.*")) / "site-packages"
    with zipfile.ZipFile(WHEEL) as wheel:
        wheel.extractall(site)
    import numpy
    parent = pathlib.Path(numpy.__file__).parent.parent
    for part in ("numpy", "numpy.libs"):
        (site / part).symlink_to(parent / part)
    def run(code):
        # An empty environment: nothing of the build is found by accident.
        done = subprocess.run([home / "bin" / "python", "-c", code], capture_output=True, text=True, timeout=600, env={"PYTHONDONTWRITEBYTECODE": "1"}, cwd=home)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()
    return run


def test_it_is_small_and_has_no_pxr():
    with zipfile.ZipFile(WHEEL) as wheel:
        names = wheel.namelist()
    assert os.path.getsize(WHEEL) < 25_000_000
    assert not [n for n in names if "pxr" in n.lower().split("/")] and "mechane/py.typed" in names and not [n for n in names if n.endswith(".pyc")]


def test_it_simulates_the_sample(python):
    code = f"""
import warnings; warnings.simplefilter("ignore")
import mechane as mc
b = mc.ModelBuilder(); b.add_usd({SAMPLE!r}); b.add_ground_plane(); m = b.finalize()
s = m.state(); mc.solvers.SolverSoftStep(m).rollout(s, 60, 1 / 60)
print(m.body_count > 4 and bool((s.body_q == s.body_q).all()), bool(mc.conformance.check({SAMPLE!r}, ignore=["1.2.1"])))
"""
    assert python(code) == "True True"


def test_it_lives_beside_usd_core(python):
    """In either order, both opening a stage (PYA-002)"""
    site = subprocess.run([sys.executable, "-c", "import pxr, os; print(os.path.dirname(os.path.dirname(pxr.__file__)))"], capture_output=True, text=True).stdout.strip()
    if not site:
        pytest.skip("usd-core is not installed beside pytest")
    body = f"b = mechane.ModelBuilder(); b.add_usd({SAMPLE!r}); s = Usd.Stage.Open({SAMPLE!r}); print(s.GetPrimAtPath('/').IsValid(), b.body_count > 4)"
    for first, second in (("import mechane", "from pxr import Usd"), ("from pxr import Usd", "import mechane")):
        assert python(f"import sys; sys.path.append({site!r})\nimport warnings; warnings.simplefilter('ignore')\n{first}\n{second}\n{body}") == "True True"

"""Nothing is kept that nobody holds."""
import gc
import os
import subprocess
import sys
import time
import weakref

import mechane as mc
import pytest
from scenes import falling_ball, pendulum


plain = pytest.mark.skipif(bool(os.environ.get("MECHANE_SANITIZE")), reason="a sanitizer keeps freed memory and takes its time")


def resident():
    """Resident memory of this process [bytes]."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def cycle():
    model = falling_ball().finalize()
    state, control = model.state(), model.control()
    contacts = model.collide(state)
    solver = mc.solvers.SolverSoftStep(model)
    solver.step(state, state, control, contacts, 1 / 60)
    return float(state.body_q[0, 2]), weakref.ref(model), weakref.ref(state)


@plain
def test_a_thousand_models_leave_nothing():
    """Builder, model, state, contacts, solver: what remains is below 2 KB for each, of some 60 KB that a cycle makes.

    Threads that start late bring the allocator a heap of their own, once; what leaks does so in every two hundred cycles."""
    grown = []
    for _ in range(5):
        gc.collect()
        before = resident()
        for _ in range(200):
            _, model, state = cycle()
        gc.collect()
        assert model() is None and state() is None
        grown.append(resident() - before)
    assert min(grown) < 200 * 2000, grown


def test_an_array_keeps_its_model_and_nothing_keeps_the_array():
    model = pendulum(2).finalize()
    alive, q = weakref.ref(model), model.state().body_q
    del model
    gc.collect()
    assert q[0, 0] == 0.5
    del q
    gc.collect()
    assert alive() is None


@plain
def test_the_package_is_there_at_once():
    """Importing takes less than 150 ms beyond NumPy; the least of five processes, for others may be busy"""
    code = "import numpy, time; a = time.process_time(); import mechane; print(time.process_time() - a)"
    assert min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout) for _ in range(5)) < 0.15

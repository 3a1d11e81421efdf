"""Nothing is kept that nobody holds."""
import ctypes
import gc
import os
import sys
import time
import weakref

import mechane as mc
import numpy as np
import pytest
from scenes import falling_ball, pendulum


plain = pytest.mark.skipif(bool(os.environ.get("MECHANE_SANITIZE")), reason="a sanitizer keeps freed memory and takes its time")


class MallInfo(ctypes.Structure):
    """What glibc's allocator says of itself; mallinfo2(3)."""

    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")]


libc = ctypes.CDLL(None)
#: Least bytes of the allocator that one allocation takes, header included.
SMALLEST = 32


def held():
    """(bytes that malloc has handed out, in all its arenas and by mmap; objects of Python). Neither depends on what the
    allocators keep for themselves, as the resident memory does."""
    gc.collect()
    info = libc.mallinfo2()
    return info.uordblks + info.hblkhd, sys.getallocatedblocks()


def growth(work, batches=20, size=50):
    """(bytes, objects) that each call of `work` leaves behind: the median over the batches, so that a step at some point, as of
    a cache that is filled or given back, counts nothing. The first hundred calls fill such caches."""
    for _ in range(100):
        work()
    after = np.zeros((batches, 2))
    for batch in range(batches):
        for _ in range(size):
            work()
        after[batch] = held()
    return np.median(np.diff(after, axis=0), axis=0) / size


def cycle():
    model = falling_ball().finalize()
    state, control = model.state(), model.control()
    contacts = model.collide(state)
    solver = mc.solvers.SolverSoftStep(model)
    solver.step(state, state, control, contacts, 1 / 60)
    return float(state.body_q[0, 2]), weakref.ref(model), weakref.ref(state)


@plain
@pytest.mark.skipif(not hasattr(libc, "mallinfo2"), reason="needs glibc 2.33")
def test_a_thousand_models_leave_nothing():
    """Builder, model, state, contacts, solver: a thousand of each leave less than half of the smallest allocation and half of an
    object behind for each, so that not even one small thing can have leaked in every one, and the measure would see it."""
    libc.mallinfo2.restype, libc.malloc.restype = MallInfo, ctypes.c_void_p
    _, model, state = cycle()
    gc.collect()
    assert model() is None and state() is None
    of_malloc, of_python = growth(cycle)
    assert of_malloc < SMALLEST / 2 and of_python < 0.5, (of_malloc, of_python)
    kept = []
    # A few of the small ones come from what earlier calls gave back, which the allocator still counts as handed out.
    assert growth(lambda: libc.malloc(1))[0] > SMALLEST / 2 and growth(lambda: kept.append(object()))[1] > 0.5


def test_an_array_keeps_its_model_and_nothing_keeps_the_array():
    model = pendulum(2).finalize()
    alive, q = weakref.ref(model), model.state().body_q
    del model
    gc.collect()
    assert q[0, 0] == 0.5
    del q
    gc.collect()
    assert alive() is None

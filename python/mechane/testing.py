"""For tests of programs that use Mechane."""
from __future__ import annotations

from typing import Any

import numpy as np

from .core.arguments import name_arguments
from .core.values import transform
from .model.builder import ModelBuilder

__all__ = ["assert_states_close", "fixture_stage", "random_tree"]


def assert_states_close(a: Any, b: Any, *, rtol: float = 1e-5, atol: float = 1e-6) -> None:
    """@raises AssertionError  two states differ; the message names the array, the row and both values"""
    for name in ("body_q", "body_qd", "joint_q", "joint_qd"):
        x, y = np.asarray(getattr(a, name).numpy()), np.asarray(getattr(b, name).numpy())
        if x.shape != y.shape:
            raise AssertionError(f"{name}: shapes {x.shape} and {y.shape}")
        wrong = np.argwhere(~np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=True))
        if len(wrong):
            at = tuple(wrong[0])
            raise AssertionError(f"{name}[{', '.join(map(str, at))}]: {x[at]} and {y[at]}; {len(wrong)} of {x.size} numbers differ")


def random_tree(bodies: int, seed: int = 0) -> Any:
    """A builder with one articulation of hinges and sliders between bodies of random mass; equal seeds give equal trees."""
    if not 1 <= bodies < 2**31:
        raise ValueError(f"bodies is {bodies}, expected 1 to 2^31 - 1")
    random, b, joints = np.random.default_rng(seed), ModelBuilder(), []
    for i in range(bodies):
        parent = int(random.integers(-1, i)) if i else -1
        inertia = np.diag(random.uniform(0.5, 1.0, 3)).reshape(-1)
        link = b.add_link(mass=float(random.uniform(0.5, 2)), inertia=tuple(inertia), label=f"link{i}")
        frame = transform((*random.uniform(-0.5, 0.5, 3).tolist(), 0.0, 0.0, 0.0, 1.0))
        verb = b.add_joint_revolute if random.random() < 0.7 else b.add_joint_prismatic
        joints.append(verb(parent, link, parent_xform=frame, axis="XYZ"[int(random.integers(3))], label=f"joint{i}"))
    b.add_articulation(joints, label="tree")
    return b


def fixture_stage(body: str = "", *, up_axis: str = "Z", meters_per_unit: float = 1.0) -> bytes:
    """usda with a physics scene and what `body` adds, for `add_usd`."""
    return (f'#usda 1.0\n(\n    metersPerUnit = {meters_per_unit}\n    upAxis = "{up_axis}"\n)\n'
            f'def PhysicsScene "scene"\n{{\n}}\n{body}\n').encode()


def __dir__() -> list[str]:
    return sorted(__all__)


name_arguments(globals())

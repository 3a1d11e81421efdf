"""What the program's commands do, as Python objects."""
from __future__ import annotations

import json
import math
import numbers
import os
import subprocess
import sys
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core, config
from ..core.arguments import name_arguments
from ..core.diagnostics import Diagnostics, error, kind_of, publish
from ..core.enums import GeoType
from ..core.files import check, inputs_of, suffix_of
from ..model.builder import ModelBuilder
from ..model.model import Model
from .recording import Recording, check_suffix

__all__ = ["Simulation", "diff", "dump", "info", "program", "simulate"]


@dataclass
class Simulation:
    """The outcome of a run."""

    recording: Any
    model: Any
    result: Any
    diverged: bool
    diagnostics: Diagnostics

    def __repr__(self) -> str:
        return f"<Simulation {self.recording!r}{' diverged' if self.diverged else ''}>"


def simulate(source: Any, *, duration: float | None = None, frames: int | None = None, dt: float | None = None, substeps: int = 8, solver: str = "softstep",
             ground: bool | float = False, every: int = 1, sleeping: bool = False, settings: dict[str, Any] | None = None, control: str = "", out: Any = None,
             **import_options: Any) -> Simulation:
    """Opens, imports and runs a stage: `simulate("robot.usda", duration=2).recording`. Equal to `mechane sim` with the same settings:
    vendors' attributes are read where the stage uses them (`schema_resolvers=["auto"]`).

    @param source    what `add_usd` takes, or a Model
    @param ground    True: a plane just below the lowest collider, unless there is an infinite one; a number: a plane at that height [m].
                     A Model cannot take one: its builder has `add_ground_plane`
    @param duration  [s], or `frames` external steps of `dt` [s]; without `dt` the step is that of the stage where it authors one, else 1/60 s
    @param settings  "PATH.field" to value, before the first step
    @param control   CSV of commands over time, its text
    @param out       file to write, format by suffix: .mrec receives every step, for `record.open`; .json, .csv, .html, .png and .usda get
                     the frames as `Recording.save` writes them
    @raises ValueError  RECORD_FORMAT_UNKNOWN: another suffix; FILES_INPUT: `out` is a file that is read; both before anything is computed
    @raises TypeError   `ground` or an option of imports beside a Model, an option that imports do not have, a `ground` of another kind
    @raises OSError     `out` cannot be written
    """
    height = _height(ground)
    if isinstance(source, Model) and (height is not None or import_options):
        without = ", ".join((["ground"] if height is not None else []) + sorted(import_options))
        raise kind_of(TypeError)(f"simulate: a Model is imported already and takes no {without}; give its file, or say so to its builder", "PYTHON_ARGUMENT")
    if duration is not None and frames is not None:
        raise kind_of(ValueError)(f"frames is {frames} and duration {duration}; give one of them", "PYTHON_ARG_FRAMES")
    if duration is not None and not (math.isfinite(duration) and duration >= 0):
        raise kind_of(ValueError)(f"duration is {duration}, expected a finite number from 0 on [s]", "PYTHON_ARG_NUMBER")
    if dt is not None and not (math.isfinite(dt) and dt > 0):
        raise kind_of(ValueError)(f"dt is {dt}, expected a finite number above 0 [s]", "PYTHON_ARG_NUMBER")
    every_step = out is not None and suffix_of(out) == ".mrec"
    name = os.fspath(source) if isinstance(source, (str, os.PathLike)) else ""
    if out is not None:
        if not every_step:
            check_suffix(out, (".mrec",))
        check(out, inputs_of(source, name))
    model, result = source, None
    if not isinstance(source, Model):
        builder = ModelBuilder()
        if "schema_resolvers" not in import_options and import_options.get("compat", config.compat) != "newton-1.8":
            import_options["schema_resolvers"] = ["auto"]
        result = builder.add_usd(source, **import_options)
        model = builder.finalize()
        if height is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # said of the model without the ground
                model = _grounded(builder, model, height)
    step, step_source = _step(dt, result)
    if frames is None:
        frames = 120 if duration is None else math.ceil(duration / step - 1e-9)
    options = {"solver": solver, "dt": step, "dt_source": step_source, "frames": int(frames), "every": int(every), "substeps": int(substeps), "threads": _core.get_num_threads(),
               "sleeping": bool(sleeping), "set": [f"{k}={v}" for k, v in (settings or {}).items()], "control": control}
    if out is not None:
        check(out, inputs_of(model, name))
    core, diverged, found = _core.simulate(model._core, options, name, os.fspath(out) if every_step else None)
    recording = Recording(core, model)
    if out is not None and not every_step:
        recording.save(out)
    said = Diagnostics() if result is None else result.diagnostics
    return Simulation(recording, model, result, diverged, said + publish(found))


def _step(dt: float | None, result: Any) -> tuple[float, str]:
    """The external step [s] and where it comes from: what was given, else what the first scene of the stage authors, else 1/60 s."""
    if dt is not None:
        return float(dt), "given"
    scenes = [] if result is None else result["scenes"]
    if scenes and scenes[0]["physics_dt_authored"]:
        return scenes[0]["physics_dt"], scenes[0]["physics_dt_source"]
    return 1 / 60, "default"


def _height(ground: Any) -> float | None:
    """Of the plane [m]: nan where it follows from the colliders, None for no plane."""
    if isinstance(ground, (bool, np.bool_)):
        return math.nan if ground else None
    if isinstance(ground, numbers.Real) and math.isfinite(ground):
        return float(ground)
    raise kind_of(TypeError)(f"ground is {ground!r}, expected True, False or a height [m]", "PYTHON_ARGUMENT")


def _grounded(builder: Any, model: Any, height: float) -> Any:
    """With a plane at the height; nan: just below the lowest collider, unless there is an infinite one."""
    if not math.isnan(height):
        builder.add_ground_plane(height=height)
        return builder.finalize()
    planes = np.asarray(model._np("shape_type")) == GeoType.PLANE
    if (planes & (np.asarray(model._np("shape_scale"))[:, :2] == 0).all(axis=1)).any():
        return model
    lowest = _core.lowest_collider(model._core)
    builder.add_ground_plane(height=(0.0 if lowest is None else lowest) - 1e-4)
    return builder.finalize()


def program(*arguments: str) -> Any:
    """The JSON that a command prints."""
    done = subprocess.run([sys.executable, "-m", "mechane", *arguments], capture_output=True, text=True, env=dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p)))
    document = json.loads(done.stdout) if done.stdout.strip() else {"schema": "mechane.error/1"}
    if document.get("schema") == "mechane.error/1":
        kind = FileNotFoundError if done.returncode == 3 and not os.path.exists(arguments[1]) else RuntimeError
        raise error(kind, "PYTHON_COMMAND", done.stderr.strip() or f"mechane {arguments[0]} ended with status {done.returncode}")
    return document


def info(file: Any, *options: str) -> dict[str, Any]:
    """What is in a file, as `mechane info --json` says; `options` are its flags ("--mass", "--ledger")."""
    return program("info", os.fspath(file), "--json", *options)


def dump(kind: str, file: Any, *options: str) -> dict[str, Any]:
    """"stage", "physics" or "model" of a file, as `mechane dump` says."""
    return program("dump", kind, os.fspath(file), *options)


def diff(a: Any, b: Any, kind: str = "stage") -> list[tuple[str, Any, Any]]:
    """Where two files differ in a dump: (path in the document, value in a, value in b)."""
    out: list[tuple[str, Any, Any]] = []

    def walk(path: str, x: Any, y: Any) -> None:
        if isinstance(x, dict) and isinstance(y, dict):
            for key in sorted({*x, *y}):
                walk(f"{path}/{key}", x.get(key), y.get(key))
        elif isinstance(x, list) and isinstance(y, list) and len(x) == len(y):
            for i, (u, v) in enumerate(zip(x, y)):
                walk(f"{path}/{i}", u, v)
        elif x != y:
            out.append((path, x, y))

    walk("", dump(kind, a), dump(kind, b))
    return [row for row in out if row[0] != "/source"]


name_arguments(globals())

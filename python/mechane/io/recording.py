"""Recordings: what a run did, frame by frame; files that can be computed again and compared bit by bit."""
from __future__ import annotations

import html
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .. import _core
from ..core.arguments import name_arguments
from ..core.array import Array
from ..core.diagnostics import Diagnostics, error, publish
from ..core.files import check, inputs_of, suffix_of, write
from .draw import picture, png

__all__ = ["Frame", "Recorder", "Recording", "compare", "open"]

_USD = (".usda", ".usdc", ".usd")
_SUFFIXES = (".json", ".csv", ".html", ".png", *_USD)


def check_suffix(file: Any, further: tuple[str, ...] = ()) -> str:
    """The suffix, if `Recording.save` knows it; `further` are those that the caller writes itself."""
    suffix = suffix_of(file)
    if suffix not in _SUFFIXES:
        raise error(ValueError, "RECORD_FORMAT_UNKNOWN", f"file: unknown output format {os.fspath(file)}; expected one of {', '.join((*further, *_SUFFIXES))}")
    return suffix


#: Above this, a picture stands in for the player [bytes].
_HTML_LIMIT = 2_000_000


class Frame:
    """One frame: `t` [s], `body_q`, `body_qd`, `joint_q`, `joint_qd`, and the contacts."""

    def __init__(self, recording: "Recording", index: int):
        self._recording, self.index = recording, index
        self.t = float(recording.t[index])

    @property
    def body_q(self) -> np.ndarray[Any, Any]:
        return self._recording.body_q[self.index]

    @property
    def body_qd(self) -> np.ndarray[Any, Any]:
        return self._recording.body_qd[self.index]

    @property
    def joint_q(self) -> np.ndarray[Any, Any]:
        return self._recording.joint_q[self.index]

    @property
    def joint_qd(self) -> np.ndarray[Any, Any]:
        return self._recording.joint_qd[self.index]

    @property
    def contacts(self) -> list[tuple[Any, ...]]:
        """(shape0, shape1, distance [m], point, normal, force on shape 1 [N]) of each, in the world."""
        return self._recording._core.contacts(self.index)

    def __repr__(self) -> str:
        return f"<Frame {self.index} t={self.t:g} s>"


class Recording(Sequence):
    """A sequence of frames; its arrays hold all of them, [frames, ...]. Frame 0 is the start."""

    def __init__(self, core: Any, model: Any = None, file: Any = None):
        self._core, self._model, self._file = core, model, file
        self._stacked: dict[str, Array] = {}

    def _all(self, name: str) -> Array:
        if name not in self._stacked:
            self._stacked[name] = getattr(self._core, name)().view(Array)
        return self._stacked[name]

    @property
    def t(self) -> np.ndarray[Any, Any]:
        return self._all("t")

    @property
    def body_q(self) -> np.ndarray[Any, Any]:
        return self._all("body_q")

    @property
    def body_qd(self) -> np.ndarray[Any, Any]:
        return self._all("body_qd")

    @property
    def joint_q(self) -> np.ndarray[Any, Any]:
        return self._all("joint_q")

    @property
    def joint_qd(self) -> np.ndarray[Any, Any]:
        return self._all("joint_qd")

    @property
    def energy(self) -> np.ndarray[Any, Any]:
        """Kinetic and potential energy of each frame [J], [frames, 2]."""
        return self._all("energy")

    @property
    def source(self) -> str:
        return self._core.source

    @property
    def solver(self) -> str:
        return self._core.solver

    @property
    def dt(self) -> float:
        return self._core.dt

    @property
    def steps(self) -> int:
        return self._core.steps

    @property
    def hash(self) -> str:
        """Chained over the states of all steps; equal runs have equal ones."""
        return self._core.hash

    @property
    def complete(self) -> bool:
        """Whether a file was written to its end."""
        return self._file is None or self._file.complete

    def verify(self, model: Any) -> bool:
        """Steps the model once more and compares every step's hash. Only for recordings from files.

        @raises MechaneError  RECORD_OTHER_MODEL  the recording is of another model
        """
        if self._file is None:
            raise error(RuntimeError, "RECORD_FILE", "only a recording that was read from a file has what it takes to compute it again")
        equal, _, _, found = self._file.verify(model._core)
        publish(found)
        return equal

    def _needs_model(self) -> Any:
        if self._model is None:
            raise error(RuntimeError, "RECORD_MODEL", "the recording does not know its model; give it to open(file, model)")
        return self._model._core

    def to_usd(self, file: Any) -> Diagnostics:
        """A layer over the source with the bodies' poses as time samples.

        @raises ValueError  RECORD_FORMAT_UNKNOWN: no suffix of USD; FILES_INPUT: the model was made of this file, or depends on it
        @raises OSError     the file cannot be written
        """
        if suffix_of(file) not in _USD:
            raise error(ValueError, "RECORD_FORMAT_UNKNOWN", f"file: {os.fspath(file)} is not a layer name; use .usda, .usdc or .usd")
        return publish(self._core.write(self._needs_model(), os.fspath(file), self._inputs()))

    def save(self, file: Any) -> None:
        """Writes the frames in the format of the file's suffix: .json, .csv, .html, .png (the last frame), .usda, .usdc, .usd.

        @raises ValueError  RECORD_FORMAT_UNKNOWN: another suffix; FILES_INPUT: the model was made of this file, or depends on it
        @raises OSError     the file cannot be written
        """
        suffix = check_suffix(file)
        if suffix in _USD:
            self.to_usd(file)
            return
        check(file, self._inputs())
        made = {".json": self.to_json, ".csv": self.to_csv, ".html": self.to_html, ".png": self._picture}[suffix]()
        write(file, made, self._inputs())

    def _picture(self) -> bytes:
        return png(self._core.render(self._needs_model(), len(self) - 1, 1280, 720, None, None, False, False))

    def _inputs(self) -> list[str]:
        return inputs_of(self._model, self.source)

    def to_json(self) -> str:
        """Schema mechane.trajectory/1."""
        return self._core.to_json(self._needs_model())

    def to_csv(self) -> str:
        """One row for each frame."""
        return self._core.to_csv(self._needs_model())

    def to_html(self, title: str = "") -> str:
        """One page that plays the recording; nothing is loaded from elsewhere."""
        return self._core.to_html(self._needs_model(), title)

    def __len__(self) -> int:
        return self._core.frame_count

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [Frame(self, i) for i in range(*index.indices(len(self)))]
        i = index.__index__()
        if not -len(self) <= i < len(self):
            raise IndexError(f"frame {i} out of range, there are {len(self)}")
        return Frame(self, i % len(self))

    def __iter__(self) -> Iterator[Frame]:
        return (Frame(self, i) for i in range(len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("recordings are kept in files: simulate(..., out=file), record.open(file)")

    def __repr__(self) -> str:
        return f"<Recording {len(self)} frames, {self.steps} steps of {self.dt:g} s, {self.solver or 'no solver'}>"

    def _repr_html_(self) -> str:
        if self._model is not None and len(self):
            page = self.to_html()
            if len(page) < _HTML_LIMIT * 0.7:
                return f'<iframe style="width:100%;height:480px;border:0" srcdoc="{html.escape(page, quote=True)}"></iframe>'
            return picture(self._core.render(self._model._core, len(self) - 1, 640, 360, None, None, False, False))
        return f"<table><tbody><tr><td>{html.escape(repr(self))}</td></tr></tbody></table>"


class Recorder:
    """Keeps the states of a loop of one's own: `with Recorder(model) as r: ... r.add(state)`."""

    def __init__(self, model: Any):
        self.model = model
        self._frames: list[Any] = []

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def add(self, state: Any) -> None:
        """Appends a frame."""
        self._frames.append(_core.snapshot(state._core))

    @property
    def recording(self) -> Recording:
        return Recording(_core.joined(self._frames), self.model)


def open(file: Any, model: Any = None) -> Recording:  # noqa: A001
    """A recording that was written by `simulate(..., out=file)` or the program; `model` lets it be drawn and exported.

    @raises FileNotFoundError, MechaneError  no such file, or not a recording
    """
    path = os.fspath(file)
    if not os.path.exists(path):
        raise error(FileNotFoundError, "RECORD_FILE", f"there is no file {path}", layer=path)
    read = _core.read_recording(path)
    if read.damage is not None:
        publish([{**read.damage, "severity": "warning"}])
    return Recording(read.recording, model, read)


def compare(a: Recording, b: Recording) -> dict[str, float]:
    """Largest differences of the arrays of two recordings over the frames that both have."""
    n = min(len(a), len(b))
    out = {"frames": float(n)}
    for name in ("t", "body_q", "body_qd", "joint_q", "joint_qd"):
        x, y = np.asarray(getattr(a, name))[:n], np.asarray(getattr(b, name))[:n]
        if x.shape != y.shape:
            raise ValueError(f"the recordings are of different models: {name} has shapes {x.shape} and {y.shape}")
        out[name] = float(np.abs(x - y).max()) if x.size else 0.0
    return out


name_arguments(globals())

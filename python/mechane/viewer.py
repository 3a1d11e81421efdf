"""Viewers with Newton's loop: `set_model`, `begin_frame`, `log_state`, `end_frame`, `is_running`, `close`."""
from __future__ import annotations

import os
from typing import Any

from .core.arguments import name_arguments
from .core.diagnostics import kind_of
from .core.files import check, inputs_of, suffix_of
from .io.recording import Recorder
from .io.serve import view
from .newton.modules import absent

__all__ = ["ViewerFile", "ViewerNull", "ViewerUSD", "ViewerWeb"]


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    return absent("mechane.viewer", name)


class ViewerNull:
    """Shows nothing; a loop that is written for a viewer runs `num_frames` times."""

    def __init__(self, num_frames: int = 1000, benchmark: bool = False, benchmark_timeout: float | None = None, benchmark_start_frame: int = 3):
        del benchmark, benchmark_timeout, benchmark_start_frame  # `mechane bench` measures
        self.num_frames = int(num_frames)
        self.frame_count = 0
        self.time = 0.0
        self.model: Any = None
        self.show_contacts = False
        self._open = True

    def set_model(self, model: Any) -> None:
        self.model = model

    def begin_frame(self, time: float) -> None:
        self.time = float(time)

    def log_state(self, state: Any) -> None:
        pass

    def log_contacts(self, contacts: Any, state: Any, *, observables: Any = None) -> None:
        """@raises ValueError  contacts are shown, and the observables are of other contacts"""
        if self.show_contacts and observables is not None and observables.contacts is not contacts:
            raise kind_of(ValueError)("observables: produced with a different Contacts instance; pass the one that the step got", "PYTHON_ARG_CONTACTS")

    def _ignore(self, *_: Any, **__: Any) -> None:
        """Accepted, and nothing comes of it: there is no picture that it could be in."""

    log_array = log_arrows = log_capsules = log_geo = log_gizmo = log_hydro_contact_surface = log_image = log_instances = log_lines = _ignore
    log_mesh = log_points = log_scalar = log_shapes = set_camera = set_visible_worlds = set_world_offsets = notify_model_changed = _ignore

    def apply_forces(self, state: Any) -> None:
        """Forces of a mouse that pulls bodies; here there is none."""

    def end_frame(self) -> None:
        self.frame_count += 1

    def is_running(self) -> bool:
        return self._open and self.frame_count < self.num_frames

    def is_paused(self) -> bool:
        return False

    def should_step(self) -> bool:
        return True

    def is_key_down(self, key: str | int) -> bool:
        return False

    def close(self) -> None:
        self._open = False

    def __enter__(self) -> "ViewerNull":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class ViewerFile(ViewerNull):
    """Keeps every logged state and writes them at `close`: by extension .json, .csv, .html, .usda."""

    def __init__(self, output_path: Any, num_frames: int = 1000):
        super().__init__(num_frames)
        self.output_path = os.fspath(output_path)
        if suffix_of(self.output_path) not in (".json", ".csv", ".html", ".usda", ".usd", ".usdc"):
            raise kind_of(ValueError)(f"output_path: unknown output format {self.output_path}; expected .json, .csv, .html or .usda", "RECORD_FORMAT_UNKNOWN")
        self._recorder: Any = None

    def set_model(self, model: Any) -> None:
        super().set_model(model)
        check(self.output_path, inputs_of(model))
        self._recorder = Recorder(model)

    def log_state(self, state: Any) -> None:
        if self._recorder is None:
            raise RuntimeError("call set_model() before log_state()")
        self._recorder.add(state)

    def close(self) -> None:
        if self._open and self._recorder is not None:
            recording = self._recorder.recording
            recording.save(self.output_path)
        super().close()


class ViewerUSD(ViewerFile):
    """Writes a layer with the bodies' poses as time samples."""


class ViewerWeb(ViewerNull):
    """Shows the last logged state in the browser viewer at `close`."""

    def __init__(self, port: int = 0, num_frames: int = 1000):
        super().__init__(num_frames)
        self._port, self._states = port, None
        self.page: Any = None

    def set_model(self, model: Any) -> None:
        super().set_model(model)
        self._states = Recorder(model)

    def log_state(self, state: Any) -> None:
        self._states.add(state)

    def close(self) -> None:
        if self._open and self._states is not None:
            self.page = view(self._states.recording, self._port)
        super().close()


name_arguments(globals())

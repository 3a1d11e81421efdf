"""Viewers with Newton's loop: `set_model`, `begin_frame`, `log_state`, `end_frame`, `is_running`, `close`."""
from __future__ import annotations

import os
import threading
import time
from typing import Any

from . import _core
from .core.arguments import name_arguments
from .core.array import plain
from .core.diagnostics import kind_of
from .core.files import check, inputs_of, suffix_of
from .io.recording import Recorder
from .io.serve import _frame_of, view
from .model.model import Model
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
        """@raises TypeError  it is no model; the viewer keeps the one that it has"""
        if model is not None and not isinstance(model, Model):
            raise kind_of(TypeError)(f"model: expected Model, not {type(model).__name__}", "PYTHON_ARGUMENT")
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
        check(self.output_path, inputs_of(model))
        super().set_model(model)
        self._recorder = Recorder(model)

    def log_state(self, state: Any) -> None:
        if not self._open:
            return  # the frame in which another thread closed
        if self._recorder is None:
            raise RuntimeError("call set_model() before log_state()")
        self._recorder.add(state)

    def close(self) -> None:
        """Ends the loop and writes the file, once; a file that could not be written is tried again by the next call."""
        super().close()  # first, so that the loop ends whatever becomes of the file
        if self._recorder is not None:
            self._recorder.recording.save(self.output_path)
            self._recorder = None


class ViewerUSD(ViewerFile):
    """Writes a layer with the bodies' poses as time samples."""


class ViewerWeb(ViewerNull):
    """Shows the loop live in the browser, and plays what was logged at `close`.

    Pages play, pause, step, pull bodies and move targets of drives: `is_paused`, `should_step`, `apply_forces` and `apply_targets` tell the loop.
    While a page looks on, `end_frame` waits until the clock has come to the time of the frame; without one the loop runs as fast as it can.
    In a notebook the viewer is the page: display it before the loop.

    @param port        0 takes a free one
    @param num_frames  the loop ends after so many; None: when it is closed
    @param open        opens a browser, and prints the address
    """

    def __init__(self, port: int = 0, num_frames: int | None = 1000, *, open: bool = True):  # noqa: A002
        super().__init__(0 if num_frames is None else num_frames)
        self._endless = num_frames is None
        self._port, self._shows, self._states = port, open, None
        self._live: Any = None
        # Held while the page is spoken to: who closes from another thread may need its port for the page that follows.
        self._talks = threading.RLock()
        self._logged: Any = None
        self._contacts: Any = None
        self._paused, self._steps, self._speed, self._dt = False, 0, 1.0, 1 / 60
        self._targets: dict[int, float] = {}
        self._clock = (0.0, 0.0)  # time of the loop and of the clock at which both went together
        self._rate = (0.0, 0.0, 0.0)  # real time factor; time of the loop and of the clock at which it was measured
        self.page: Any = None

    @property
    def url(self) -> str | None:
        """The address with its secret word, while the loop runs."""
        live = self._live
        return None if live is None else str(live.url)

    def set_model(self, model: Any) -> None:
        super().set_model(model)
        self._states = Recorder(model)
        self._live = None  # its port is free before the next page asks for it
        self._live = _core.LivePage(model._core, "mechane", self._port, 0.0)
        if self._shows:
            print(self._live.url, flush=True)
            import webbrowser

            webbrowser.open(self._live.url)

    def begin_frame(self, time: float) -> None:
        if time > self.time:
            self._dt = time - self.time
        super().begin_frame(time)
        self._contacts = None

    def log_state(self, state: Any) -> None:
        """@raises RuntimeError  there is no model yet"""
        with self._talks:
            if not self._open:
                return  # the frame in which another thread closed
            if self._states is None:
                raise RuntimeError("call set_model() before log_state()")
            self._logged = state
            if self.should_step():
                self._states.add(state)

    def log_contacts(self, contacts: Any, state: Any, *, observables: Any = None) -> None:
        super().log_contacts(contacts, state, observables=observables)
        self._contacts = contacts

    def apply_forces(self, state: Any) -> None:
        """Adds the force of a page's mouse to `state.body_f`."""
        with self._talks:
            pulled = None if self._live is None else self._live.pull(state._core, self._dt)
        if pulled is not None:
            body, wrench = pulled
            plain(state.body_f)[body] += wrench

    def apply_targets(self, control: Any) -> None:
        """Writes what sliders of pages command to `control.joint_target_q` and `joint_target_qd`."""
        with self._talks:
            for dof, value in self._targets.items() if self._live is not None else ():
                rate, place = self._live.target_place(dof)
                if place >= 0:
                    plain(control.joint_target_qd if rate else control.joint_target_q)[place] = value

    def end_frame(self) -> None:
        stepped, self._steps = self.should_step(), max(0, self._steps - 1)
        if stepped:
            super().end_frame()
        with self._talks:
            self._show()

    def _show(self) -> None:
        """Shows what was logged, and waits for the clock."""
        if self._live is None or self._live.pages == 0:
            self._paused = False  # nobody could let it go on
            self._obey(0.0)
            return
        now = time.monotonic()
        if now - self._rate[2] > 0.5:
            self._rate = ((self.time - self._rate[1]) / (now - self._rate[2]), self.time, now)
        if self._logged is not None:
            self._live.show(self._logged._core, getattr(self._contacts, "_core", None), None, not self._paused, self._rate[0])
        if self._paused:
            self._obey(1 / 60)
            self._clock = (self.time, time.monotonic())
            return
        # It waits for the clock, and never more than a moment: a loop may begin at any time.
        due = self._clock[1] + (self.time - self._clock[0]) / self._speed
        if not 0 <= due - now < 0.25:
            self._clock, due = (self.time, now), now
        self._obey(due - now)

    def _obey(self, wait: float) -> None:
        """Reads what pages ask for, so long [s]."""
        if self._live is None:
            return
        end = time.monotonic() + wait
        while True:
            for word, index, value in self._live.commands(max(0.0, end - time.monotonic())):
                if word in ("play", "pause"):
                    self._paused = word == "pause"
                elif word == "step":
                    self._paused, self._steps = True, self._steps + 1
                elif word == "speed":
                    self._speed = value
                    self._clock = (self.time, time.monotonic())
                elif word == "target":
                    self._targets[index] = value
            if time.monotonic() >= end or self._steps > 0:
                return

    def is_running(self) -> bool:
        return self._open and (self._endless or self.frame_count < self.num_frames)

    def is_paused(self) -> bool:
        """Whether a page has stopped the loop; a single step that it asks for goes through once."""
        return not self.should_step()

    def should_step(self) -> bool:
        return not self._paused or self._steps > 0

    def close(self) -> None:
        """Ends the live page and the loop, and shows what was logged; from any thread, and once more does nothing."""
        super().close()  # first, so that the loop ends whatever becomes of the page
        with self._talks:
            self._live = None  # with its port
            states, self._states = self._states, None
            if states is not None and len(states.recording):
                self.page = view(states.recording, self._port, self._shows)

    def _repr_html_(self) -> str | None:
        url = self.url
        if url is not None:
            return _frame_of(url)
        return None if self.page is None else self.page._repr_html_()


name_arguments(globals())

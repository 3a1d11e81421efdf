"""A loop of collide and step, taken down once and launched as often as wanted: `wp.ScopedCapture` without Warp, on the CPU and on a GPU."""
from __future__ import annotations

import functools
import sys
import threading
from typing import Any, Callable, TypeVar

from .. import _core
from .arguments import name_arguments
from .diagnostics import MechaneError, error, kind_of, warn

__all__ = ["Graph", "ScopedCapture", "capture", "capture_launch", "captured", "warn_in_capture"]

F = TypeVar("F", bound=Callable[..., Any])


class _Active(threading.local):
    scope: "capture | None" = None


_active = _Active()


def captured(function: F) -> F:
    """Of a function or method: inside of a capture it is taken down, with its arguments, and not done."""
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        scope = _active.scope
        return function(*args, **kwargs) if scope is None else scope._take(function, args, kwargs)

    return call  # type: ignore[return-value]


class Graph:
    """Calls that a capture took down. On a CUDA device those that only steps and copies there need become one graph of the driver; others, and
    all on the CPU, are made one after the other. What a call reads is what is there when it is launched.

    `calls` is how many there are; `kind` is "cuda" where the last launch was one of the driver, else "calls".
    """

    def __init__(self, calls: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]):
        self._calls = calls
        self._native: Any = None
        self._tried = False
        self._clocks: list[tuple[Any, Any, float]] = []

    @property
    def calls(self) -> int:
        return len(self._calls)

    @property
    def kind(self) -> str:
        return "calls" if self._native is None else "cuda"

    def launch(self) -> None:
        """Makes the calls, in their order.

        @raises RuntimeError  inside of a capture
        """
        if _active.scope is not None:
            raise error(RuntimeError, "PYTHON_CAPTURE", "a graph cannot be launched while another one is captured")
        device = self._device()
        if device is not None and not self._tried:
            self._tried = True
            return self._make_native(device)
        if self._native is None:
            return self._replay()
        for solver in {id(args[0]): args[0] for _, args, _ in self._calls if hasattr(args[0] if args else None, "_before_launch")}.values():
            if solver._before_launch():  # what it was made for is no more
                self._native, self._tried = None, False
                return self.launch()
        self._native.launch()
        self._tell_times()

    def _replay(self) -> None:
        for function, args, kwargs in self._calls:
            function(*args, **kwargs)

    def _device(self) -> str | None:
        """The CUDA device that all calls belong to, if a graph of the driver can hold them."""
        devices = {_device_of(function, args, kwargs) for function, args, kwargs in self._calls} - {""}
        return devices.pop() if len(devices) == 1 and None not in devices else None

    def _make_native(self, device: str) -> None:
        """The first launch makes what steps need (plans, memory); then the calls are taken down again, by the driver."""
        self._replay()
        steps = []
        for _, args, kwargs in self._calls:
            clock = getattr(args[0], "_clock", None) if args else None
            told = clock(*args[1:], **kwargs) if clock is not None else None
            if told is not None:
                steps.append(told)
        before = [(state, state.time) for step in steps for state in step[:2]]
        try:
            self._native = _core.DeviceGraph(device, self._replay)
        except MechaneError:
            self._native = None  # the calls themselves go on
        for state, time in before:
            state.time = time
        self._clocks = steps

    def _tell_times(self) -> None:
        for state_in, state_out, dt in self._clocks:
            state_out.time = state_in.time + dt

    def __repr__(self) -> str:
        return f"<Graph of {self.calls} calls>"


def _device_of(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """The CUDA device of a call; empty: of any; None: it needs the host."""
    asked = getattr(args[0] if args else None, "_graph_device", None)
    return None if asked is None else asked(function.__name__, *args[1:], **kwargs)


class capture:
    """`with mechane.capture() as scope:` takes down the calls of this library inside, and makes none of them; `scope.graph` launches them:

        with mechane.capture() as scope:
            model.collide(state_0, contacts)
            for _ in range(substeps):
                solver.step(state_0, state_1, control, contacts, dt)
                state_0, state_1 = state_1, state_0
        for frame in range(frames):
            mechane.capture_launch(scope.graph)

    Taken down are `collide`, `step`, `clear_forces`, `assign`, `zero_` and `fill_` of arrays, `eval_fk` and `eval_ik`, and what `scope.call(function,
    ...)` names. Everything else is done at once, as in any graph: arithmetic of NumPy, too. States that are swapped an odd number of times end in the other
    object, so that a graph which is launched again and again wants an even number of steps, or an `assign` at its end.

    The arguments are those of `wp.ScopedCapture`, without effect.
    """

    def __init__(self, device: Any = None, stream: Any = None, force_module_load: Any = None, external: bool = False):
        self.graph: Graph | None = None
        self._calls: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = []

    def __enter__(self) -> "capture":
        if _active.scope is not None:
            raise error(RuntimeError, "PYTHON_CAPTURE", "captures do not nest: another one is under way in this thread")
        if self.graph is not None or self._calls:
            raise error(RuntimeError, "PYTHON_CAPTURE", "a capture is used once; make another one")
        _active.scope = self
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        _active.scope = None
        if kind is None:
            self.graph = Graph(self._calls)

    def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Takes down a call of the program's own; launches make it on the host."""
        if _active.scope is not self:
            raise error(RuntimeError, "PYTHON_CAPTURE", "call() is for the inside of the capture")
        self._take(function, args, kwargs)

    def _take(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._calls.append((function, args, kwargs))


ScopedCapture = capture  #: by Warp's name


def capture_launch(graph: Graph, stream: Any = None) -> None:
    """Makes the calls of a graph; `stream` is without effect."""
    if not isinstance(graph, Graph):
        raise kind_of(TypeError)(f"graph: expected the graph of a capture, not {type(graph).__name__}", "PYTHON_CAPTURE")
    graph.launch()


def warn_in_capture(what: str) -> None:
    """Says so where a call happens inside `wp.ScopedCapture`: it is done once, and a launch of the graph does not do it again."""
    context = sys.modules.get("warp._src.context")  # never imported here, nor started: a warp that is not initialised captures nothing
    devices = getattr(getattr(context, "runtime", None), "device_map", {})
    if any(getattr(device, "is_capturing", False) for device in devices.values()):
        warn(f"PYTHON_WARP_CAPTURE: {what} inside of a capture of Warp is done now and is not part of the graph; call it in the loop instead of launching the graph, "
             "or capture with mechane.capture")


name_arguments(globals())

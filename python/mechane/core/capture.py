"""Graphs that Warp captures hold Warp's kernels; what this library does is in none of them."""
from __future__ import annotations

import sys

from .diagnostics import warn

__all__ = ["warn_in_capture"]


def warn_in_capture(what: str) -> None:
    """Says so where a call happens inside `wp.ScopedCapture`: it is done once, and a launch of the graph does not do it again."""
    context = sys.modules.get("warp._src.context")  # never imported here, nor started: a warp that is not initialised captures nothing
    devices = getattr(getattr(context, "runtime", None), "device_map", {})
    if any(getattr(device, "is_capturing", False) for device in devices.values()):
        warn(f"PYTHON_WARP_CAPTURE: {what} inside of a capture of Warp is done now and is not part of the graph; call it in the loop instead of launching the graph")

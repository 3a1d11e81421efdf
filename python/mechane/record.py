"""Recordings: what a run did, frame by frame; files that can be computed again and compared bit by bit."""
from __future__ import annotations

from .io.recording import Frame, Recorder, Recording, compare, open

__all__ = ["Frame", "Recorder", "Recording", "compare", "open"]


def __dir__() -> list[str]:
    return sorted(__all__)

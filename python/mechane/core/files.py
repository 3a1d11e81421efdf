"""Where results go: written as a whole, and never over what they were made of."""
from __future__ import annotations

import contextlib
import contextvars
import os
from collections.abc import Iterable, Iterator
from typing import Any

from .. import _core

__all__ = ["check", "inputs_of", "note_read", "reading", "suffix_of", "write"]

_collecting: contextvars.ContextVar[list[str] | None] = contextvars.ContextVar("mechane_reading", default=None)


@contextlib.contextmanager
def reading() -> Iterator[list[str]]:
    """Collects the files that readers note meanwhile."""
    files: list[str] = []
    outer = _collecting.get()
    before = _collecting.set(files)
    try:
        yield files
    finally:
        _collecting.reset(before)
        if outer is not None:
            outer += files


def note_read(file: Any) -> str:
    """A reader has read this file: what is made of it never replaces it. A change of the working folder does not matter."""
    path = os.path.abspath(os.fspath(file))
    files = _collecting.get()
    if files is not None:
        files.append(path)
    return path


def inputs_of(thing: Any = None, source: str = "") -> list[str]:
    """The files that a model, a builder, a mesh or a field was made of."""
    files = [source] if source else []
    builder = getattr(thing, "_builder", thing)
    files += getattr(builder, "_inputs", ())
    for mesh in getattr(builder, "_sources", {}).values():
        files += getattr(mesh, "_inputs", ())
    return files


def suffix_of(file: Any) -> str:
    """".usda" of "robot.USDA"; empty for a name without one."""
    return os.path.splitext(os.fspath(file))[1].lower()


def check(file: Any, inputs: Iterable[str] = ()) -> str:
    """The name, if a file could be written there now.

    @raises OSError     FILES_WRITE_FAILED  no such folder, or it cannot be written
    @raises ValueError  FILES_INPUT  it is one of the inputs, or one of them depends on it
    """
    _core.try_output(os.fspath(file), list(inputs))
    return os.fspath(file)


def write(file: Any, content: str | bytes, inputs: Iterable[str] = ()) -> None:
    """Replaces a file as a whole: whoever reads it sees the old content or the new one.

    @raises OSError, ValueError  as `check`
    """
    _core.write_file(os.fspath(file), content.encode() if isinstance(content, str) else content, list(inputs))

"""Where results go: written as a whole, and never over what they were made of."""
from __future__ import annotations

import os
from typing import Any, Iterable

from .. import _core

__all__ = ["check", "inputs_of", "suffix_of", "write"]


def inputs_of(model: Any = None, source: str = "") -> list[str]:
    """The files that a model was made of."""
    files = [source] if source else []
    for result in getattr(getattr(model, "_builder", None), "usd_results", ()):
        files += result.files
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

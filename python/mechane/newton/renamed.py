"""Names of Newton that have a new name: the old one works for one more minor release, with a warning."""
from __future__ import annotations

from typing import Any

from ..core.diagnostics import MechaneDeprecationWarning, warn

__all__ = ["renamed", "renamed_number"]


def renamed(old: str, new: str, old_value: Any, new_value: Any) -> Any:
    """The value of an argument that has a new name.

    @raises ValueError  both are given
    """
    if old_value is None:
        return new_value
    warn(f"{old} is called {new}", MechaneDeprecationWarning)
    if new_value is not None:
        raise ValueError(f"{old} and {new} are the same; give {new} only")
    return old_value


def renamed_number(owner: str, old: str, new: str) -> Any:
    """A property for the old name of an attribute that is a number."""
    def get(self: Any) -> float:
        warn(f"{owner}.{old} is called {new}", MechaneDeprecationWarning)
        return getattr(self, new)

    def put(self: Any, value: float) -> None:
        warn(f"{owner}.{old} is called {new}", MechaneDeprecationWarning)
        setattr(self, new, float(value))

    return property(get, put, doc=f"The earlier name of {new}.")

"""Contacts of particles with shapes."""
from __future__ import annotations

from typing import Any

from .. import _core
from ..core.arguments import name_arguments
from ..core.diagnostics import kind_of, warn

__all__ = ["create_soft_contacts"]


def create_soft_contacts(model: Any, state: Any, contacts: Any, gap: float = 0.01) -> None:
    """Fills the soft part of `contacts` and nothing else: particles of the model that are active and nearer to a shape than the
    shape's margin, their radius and `gap` [m]. Pipelines do it in each `collide`.

    @raises ValueError  the state is of another model, or the gap is negative
    """
    if not isinstance(getattr(state, "_core", None), _core.State):
        raise kind_of(TypeError)(f"state: expected State, not {type(state).__name__}", "PYTHON_ARG_STATE")
    if not isinstance(getattr(contacts, "_core", None), _core.Contacts):
        raise TypeError(f"contacts: expected Contacts, not {type(contacts).__name__}")
    if not 0 <= float(gap) < float("inf"):
        raise kind_of(ValueError)(f"gap must be >= 0, got {gap}", "PYTHON_ARG_SOFT_GAP")
    needed = _core.create_soft_contacts(model._core, state._core, contacts._core, float(gap))
    if needed > contacts.soft_contact_max:
        warn(f"PYTHON_CONTACT_OVERFLOW: {needed} soft contacts, room for {contacts.soft_contact_max}; those of the first particles were kept")


name_arguments(globals())

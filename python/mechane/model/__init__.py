"""Builder, model, state, control, contacts, custom attributes, views, kinematics and dynamics."""
from __future__ import annotations

__all__: list[str] = []

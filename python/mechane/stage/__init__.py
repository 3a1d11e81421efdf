"""Prims and what they say: the view of a stage, helpers on live prims, looks, resolvers. It knows no model."""
from __future__ import annotations

__all__: list[str] = []

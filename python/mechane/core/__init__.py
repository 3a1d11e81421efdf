"""What everything rests on: arrays, small values, enumerations, diagnostics, arguments, files."""
from __future__ import annotations

__all__: list[str] = []

"""Newton's names that are reserved for later stages, or left out: tables, and what stands for such a name."""
from __future__ import annotations

__all__: list[str] = []

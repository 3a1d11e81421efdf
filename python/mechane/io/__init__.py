"""What goes out: pictures, pages, recordings, the commands as functions."""
from __future__ import annotations

__all__: list[str] = []
